"""Sets of documents with questions to them, and what answers each: conversations, and documentation of repositories."""

import json
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Question(NamedTuple):
    """A query and the numbers of the documents that answer it."""

    query: str
    answers: frozenset[int]


class Corpus(NamedTuple):
    """Documents by number, the day (`2023-05-08`) of each where it has one, and the questions to them."""

    name: str
    documents: tuple[str, ...]
    days: tuple[str | None, ...]
    questions: tuple[Question, ...]


MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905


def conversations(folder: Path) -> Iterator[Corpus]:
    """LoCoMo (github.com/snap-research/locomo): one corpus a conversation, a document a turn. `folder` holds
    locomo10.json, or one file a conversation."""
    for path in sorted(folder.rglob("*.json")):
        raw = json.loads(path.read_text())
        for number, each in enumerate(raw if isinstance(raw, list) else [raw]):
            if "qa" in each:
                yield _conversation(f"{path.stem} {number}", each)


def _conversation(name: str, raw: dict[str, object]) -> Corpus:
    spoken = raw.get("conversation", raw)
    assert isinstance(spoken, dict)
    turns: dict[str, tuple[str, str | None]] = {}
    for session in sorted((key for key in spoken if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key[8:])):
        day = _day(spoken.get(f"{session}_date_time", ""))
        for turn in spoken[session]:
            caption = f" [{turn['blip_caption']}]" if turn.get("blip_caption") else ""
            turns[turn["dia_id"]] = (f"{turn['speaker']}: {turn['text']}{caption}", day)
    places = {ident: place for place, ident in enumerate(turns)}
    questions = []
    qa = raw["qa"]
    assert isinstance(qa, list)
    for asked in qa:
        named = {ident for evidence in asked.get("evidence", ()) for ident in re.findall(r"D\d+:\d+", str(evidence))}
        answers = frozenset(places[ident] for ident in named if ident in places)
        if answers:
            questions.append(Question(asked["question"], answers))
    texts, days = zip(*turns.values(), strict=True)
    return Corpus(name, texts, days, tuple(questions))


def _day(said: str) -> str | None:
    """The day of `1:56 pm on 8 May, 2023`."""
    found = re.search(r"(\d+) (\w+),? (\d{4})", said)
    return f"{found[3]}-{MONTHS.index(found[2].lower()) + 1:02}-{int(found[1]):02}" if found else None


def documentation(repositories: Path, most: int = 1500) -> Iterator[Corpus]:
    """A corpus for each clone in a folder: a document is a paragraph of its Markdown files, the question the heading
    over it; all paragraphs under that heading answer. Headings whose words the paragraphs do not need are the point."""
    for path in sorted(repositories.iterdir()):
        git = next((each for each in (path / ".git", path / "repo", path) if (each / "HEAD").is_file()), None)
        corpus = _documented(path.name, git, most) if git else None
        if corpus and len(corpus.questions) >= 20:
            yield corpus


def _documented(name: str, git: Path, most: int) -> Corpus:
    listed = _git(git, "ls-tree", "-r", "--name-only", "-z", "HEAD").split("\0")
    pages = [
        path
        for path in listed
        if path.endswith((".md", ".mdx")) and not re.search("change|history|license", path.lower())
    ]
    random.Random(name).shuffle(pages)
    documents: dict[str, int] = {}
    under: dict[str, set[int]] = {}
    for page in pages:
        heading = ""
        for block in re.split(r"\n\s*\n", _git(git, "show", f"HEAD:{page}")):
            if block.startswith("#"):
                first, _, block = block.partition("\n")
                heading = first.strip("# ").strip()
            text = " ".join(block.split())
            if 60 <= len(text) <= 600 and text[0].isalpha() and len(heading.split()) >= 3:
                under.setdefault(heading, set()).add(documents.setdefault(text, len(documents)))
        if len(documents) >= most:
            break
    questions = [Question(heading, frozenset(docs)) for heading, docs in under.items() if len(docs) <= 8]
    return Corpus(name, tuple(documents), (None,) * len(documents), tuple(questions))


def _git(git: Path, *args: str) -> str:
    done = subprocess.run(["git", "--git-dir", git, *args], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")


def misspelt(corpus: Corpus, words: int) -> Corpus:
    """The corpus with one letter of so many long words of each query replaced, dropped, doubled or swapped."""
    dice = random.Random(corpus.name)
    return corpus._replace(
        questions=tuple(asked._replace(query=_damaged(asked.query, words, dice)) for asked in corpus.questions)
    )


def _damaged(query: str, words: int, dice: random.Random) -> str:
    parts = query.split()
    long = [place for place, part in enumerate(parts) if len(part) >= 5 and part.isalpha()]
    for place in dice.sample(long, min(words, len(long))):
        word, at = parts[place], dice.randrange(1, len(parts[place]) - 1)
        letter = dice.choice("abcdefghijklmnopqrstuvwxyz")
        before, here, after = word[:at], word[at], word[at + 1 :]
        swapped = after[:1] + here + after[1:]
        parts[place] = before + dice.choice((letter + after, after, here + here + after, swapped))
    return " ".join(parts)


def substrings(corpus: Corpus, number: int = 200) -> Corpus:
    """The corpus with pieces of its own documents as questions, cut without regard to words, that stand in one only."""
    dice = random.Random(corpus.name)
    questions = []
    for doc in dice.sample(range(len(corpus.documents)), min(number, len(corpus.documents))):
        text = corpus.documents[doc]
        at = dice.randrange(max(1, len(text) - 12))
        piece = text[at : at + 12].strip()
        if len(piece) >= 5 and sum(piece.lower() in other.lower() for other in corpus.documents) == 1:
            questions.append(Question(piece, frozenset([doc])))
    return corpus._replace(questions=tuple(questions))
