"""Law 12: tiktoken judges what comes out of random stores, whatever is known of their counts."""

import json
import subprocess
import sys
from pathlib import Path

import lmdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memcli
from memcli import rendering, tokens
from memcli.errors import BudgetTooSmall
from tests.conftest import Repo
from tests.faces.black_box import answers, loaded, saved, told
from tests.faces.test_startup import HEAVY, imported

SENTENCES = (
    "The parser keeps comments, see src/users.py", "Die Größe der Bäume wächst über Nacht", "сервер стоит в Москве",
    "全文検索は索引を使う", "인증 토큰은 하루 뒤에 만료된다", "认证功能已经添加到服务器", "يعمل الخادم في الليل فقط",
    "השרת פועל רק בלילה", "सर्वर केवल रात में चलता है", "เซิร์ฟเวอร์ทำงานเฉพาะตอนกลางคืน", "ο διακομιστής δουλεύει τη νύχτα",
    "👩‍👩‍👧 🇩🇪 👍🏽 🦄 🏳️‍🌈", "createUser() → create_user; x != y && z // 1_000_000",
    "e\u0301 \u200d \u00a0 ﬁ Ⅷ ½ 𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "  \t indented\n\n twice",
    "<memory> </memory> <|endoftext|> <- <== RESUME", "'s 're 'll I'LL don't --flag -rf C++ C# a:b",
)  # fmt: skip
_TEXT = st.lists(st.sampled_from(SENTENCES) | st.text(max_size=8), min_size=1, max_size=4).map(" ".join)
_ROW = st.fixed_dictionaries(
    {"text": _TEXT.filter(lambda text: text.strip() != "")},
    optional={
        "key": st.sampled_from([f"{kind}:{name}" for kind in ("error", "result", "note", "tool") for name in "abcd"]),
        "created": st.integers(1_600_000_000_000, 1_700_000_000_000),
        "base": st.sampled_from([0.4, 0.8, 1.0]),
    },
)
NOW = 1_700_000_000_000


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(_ROW, min_size=1, max_size=25), st.integers(95, 700), st.sampled_from(["memory", "markdown", "json"]),
    st.text(max_size=20) | st.sampled_from(SENTENCES), st.integers(0, 3),
)  # fmt: skip
def test_never_over_the_budget(
    repo: Repo, rows: list[dict[str, object]], budget: int, form: str, prompt: str, lost: int
) -> None:
    """Any store, form, prompt and budget, with all counts kept, some, or none: never more tokens than asked for, and as
    soon as all is counted exactly as many as were reckoned."""
    memory = memcli.open(repo.path, now=NOW)
    memory.import_lines(json.dumps(row) for row in rows)
    with memory._context() as ctx:
        rendering.count_all(ctx)
    forget(repo.path, lost)
    wanted = rendering.Wanted(budget=budget, format=form, prompt=prompt)
    try:
        with memory._context() as ctx:
            rendered = rendering.render_block(ctx, wanted)
    except BudgetTooSmall:
        return
    assert tokens.count(rendered.text) <= rendered.block.tokens <= budget
    if rendered.counter.exact and form != "json":
        assert tokens.count(rendered.text) == rendered.block.tokens


def forget(folder: Path, lost: int) -> None:
    """Drop every count but each `lost`-th one; none for 0."""
    env = lmdb.open(str(folder / ".git/mem"), max_dbs=32, map_size=1 << 30)
    with env.begin(write=True) as txn:
        db = env.open_db(b"tokens", txn=txn, create=False)
        keys = [key for key, _ in txn.cursor(db=db)]
        for number, key in enumerate(keys):
            if lost and number % lost == 0:
                txn.delete(key, db=db)
    env.close()


def test_a_store_with_half_of_its_counts(repo: Repo) -> None:
    """What is missing is charged or counted anew, and kept: the block fits, and is soon the one that it was."""
    loaded(repo, ({"text": f"{SENTENCES[n % len(SENTENCES)]} {n}", "key": f"note:n{n}"} for n in range(60)))
    with memcli.open(repo.path)._context() as ctx:
        rendering.count_all(ctx)
    whole = repo.mem("render", "--budget", "600").out
    forget(repo.path, 2)
    for _ in range(2):
        half = repo.mem("render", "--budget", "600")
        assert half.code == 0 and tokens.count(half.out) <= 600
    with memcli.open(repo.path)._context() as ctx:
        assert rendering.count_all(ctx) >= 0
    assert repo.mem("render", "--budget", "600").out == whole


def test_a_warm_render_loads_no_tokenizer(repo: Repo) -> None:
    """Once counted, whatever is asked for: a prompt nobody saw before, a window, Markdown, a path."""
    loaded(repo, ({"text": f"{SENTENCES[n % len(SENTENCES)]} {n}", "key": f"note:n{n}"} for n in range(300)))
    with memcli.open(repo.path)._context() as ctx:
        rendering.count_all(ctx)
    for args in ([], ["--prompt", "why does the parser keep comments?"], ["--window", "3000", "--prompt", "the parser"],
                 ["--path", "src"], ["--budget", "300"], ["--explain"], ["--rule"]):  # fmt: skip
        assert not HEAVY & imported(repo, "render", *args), args


def test_a_prompt_of_a_million_characters(repo: Repo) -> None:
    """From stdin, in any bytes: an answer, and the words of its beginning and its end count."""
    loaded(repo, ({"text": f"a text of no great matter, number {n}"} for n in range(300)))
    saved(repo, "note:needle", "a needle is in it")
    loaded(repo, ({"text": f"another text of no great matter, number {n}"} for n in range(300)))
    for prompt in ("needle " + "hay " * 250_000, "\udcff\x00<b> " * 170_000 + "needle", "n" * 1_000_000 + " needle"):
        done = repo.mem("render", "--budget", "150", "--prompt", "-", input=prompt)
        assert done.code == 0 and "a needle is in it" in done.out, prompt[:20]


def test_encodings(repo: Repo) -> None:
    """By option or configuration; one that is unknown, or whose ranks are not here, is an error with a hint, however
    small the block."""
    saved(repo, "note:a", "a text")
    harmony = repo.mem("render", "--encoding", "o200k_harmony")
    assert harmony.code == 0 and harmony.out == repo.mem("render").out
    for name in ("nosuch", "cl100k_base", "", "../x", "o200k_base\n"):
        told(
            repo.mem("render", "--encoding", name, TIKTOKEN_CACHE_DIR=str(repo.path)),
            2,
            "encoding" if name != "cl100k_base" else "ranks",
        )
    told(repo.mem("render", MEM_ENCODING="nosuch"), 2, "nosuch")
    assert repo.mem("config", "encoding", "nosuch").code in (0, 2)
    assert repo.mem("render", "--encoding", "o200k_base").code == 0


@pytest.mark.parametrize("form", ["memory", "markdown", "json"])
def test_a_budget_smaller_than_the_wrapper(repo: Repo, form: str) -> None:
    """Nothing on stdout, a line on stderr that says what it takes, exit 1; a budget of nothing is no budget."""
    saved(repo, "note:a", "a text that is to be remembered")
    for budget in ("1", "20"):
        done = repo.mem("render", "--format", form, "--budget", budget)
        assert (done.code, done.out) == (1, "") and "hint: the block alone takes" in done.err
    for budget in ("0", "-7", "x", "1e3", ""):
        assert repo.mem("render", "--format", form, f"--budget={budget}").code == 2


def test_the_judge_is_independent(repo: Repo) -> None:
    """Counted by tiktoken alone, in a process that knows nothing of mem but the file with the ranks."""
    loaded(repo, ({"text": f"{SENTENCES[n % len(SENTENCES)]} {n}", "key": f"note:n{n}"} for n in range(60)))
    out = answers(repo, ["render", "--budget", "500"])[0].out
    script = (
        "import sys, gzip, base64, tiktoken\n"
        "from tiktoken_ext import openai_public as public\n"
        "rows = [line.split() for line in gzip.open(sys.argv[1])]\n"
        "ranks = {base64.b64decode(token): int(rank) for token, rank in rows}\n"
        "public.load_tiktoken_bpe = lambda *a, **k: ranks\n"
        "print(len(tiktoken.Encoding(**public.o200k_base()).encode_ordinary(sys.stdin.read())))\n"
    )
    ranks = Path(tokens.DATA) / "o200k_base.tiktoken.gz"
    judged = subprocess.run(
        [sys.executable, "-c", script, str(ranks)], input=out, capture_output=True, text=True, check=True
    )
    assert 400 < int(judged.stdout) <= 500
