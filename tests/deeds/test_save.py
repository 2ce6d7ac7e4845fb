"""Saving, confirming and superseding: what becomes of a text (laws 7, 8, 14, 15)."""

import threading
from pathlib import Path

import pytest

import memcli
from memcli import change, errors
from memcli.model import Fragment
from tests.conftest import Repo


def states(repo: Repo) -> dict[str, str]:
    """text → state of everything stored."""
    return {view.fragment.text: view.fragment.state for view in memcli.open(repo.path).list(all=True)}


def get(repo: Repo, ident: str) -> Fragment:
    return memcli.open(repo.path).get(ident).fragment


def test_paths_and_identifiers_in_the_text_become_anchors(repo: Repo) -> None:
    """Without --path, the text's own names say what it is about."""
    saved = memcli.open(repo.path).save("LIMIT in src/users.py bounds `list_users`")
    (anchor,) = saved.view.fragment.anchors
    assert (anchor.path, anchor.drawn) == ("src/users.py", False)
    assert "list_users" in anchor.identifiers


def test_an_identifier_alone_finds_the_file_that_defines_it(repo: Repo) -> None:
    """A text that names a function is anchored to its definition, wherever else it is called."""
    repo.commit("caller", **{"src/api.py": "from users import create_user\n\ncreate_user('a', 'b')\n"})
    (anchor,) = memcli.open(repo.path).save("`create_user` checks the address").view.fragment.anchors
    assert (anchor.path, anchor.identifiers) == ("src/users.py", ("create_user",))


def test_what_is_false_on_the_day_it_was_written_is_told(repo: Repo) -> None:
    """A symbol that the cited file lacks and a path that does not exist are warned about, and the save stands."""
    saved = memcli.open(repo.path).save("`make_user` lives in src/nowhere.py", path="src/users.py#make_user")
    assert saved.outcome == "saved"
    assert len([line for line in saved.warnings if "make_user" in line or "nowhere" in line]) == 3


def test_a_path_outside_the_repository_is_refused(repo: Repo) -> None:
    """It is never read, and nothing is stored."""
    for path in ("../secret", "/etc/passwd"):
        with pytest.raises(errors.OutsideRepository):
            memcli.open(repo.path).save("x is set", path=path)
    assert states(repo) == {}


def test_the_same_text_is_the_same_fragment(repo: Repo) -> None:
    """Law 8: case and white space aside it is seen again and confirmed, with the id it had."""
    memory = memcli.open(repo.path)
    first = memory.save("The API pages by 50")
    again = memory.save("the  API pages by 50.")
    assert (again.outcome, again.view.fragment.id) == ("confirmed", first.view.fragment.id)
    assert len(memory.list(all=True)) == 1


def test_the_same_text_under_another_key_is_another_fragment(repo: Repo) -> None:
    """Section 8: an explicit other key keeps it."""
    memory = memcli.open(repo.path)
    memory.save("The API pages by 50", "fact:paging")
    assert memory.save("The API pages by 50", "note:paging").outcome == "saved"


def test_confirming_stamps_anew(repo: Repo) -> None:
    """Law 8: after a look at what changed, the fragment is fresh again for the code as it is now."""
    memory = memcli.open(repo.path)
    ident = memory.save("Rows come from list_users", path="src/users.py#list_users").view.fragment.id
    text = (repo.path / "src/users.py").read_text()
    repo.write("src/users.py", text[: text.index("def list_users")] + "def list_users(db):\n    return db.all()\n")
    assert memory.get(ident).assessment.confidence < 0.3
    memory.confirm(ident)
    assert (memory.get(ident).assessment.verdict, memory.get(ident).assessment.confidence) == ("fresh", 1.0)


def test_an_agent_that_repeats_what_has_changed_confirms_nothing(repo: Repo) -> None:
    """Law 8: it is told the evidence; --force confirms."""
    person, agent = memcli.open(repo.path), memcli.open(repo.path, author="claude")
    ident = person.save("create_user lowercases", path="src/users.py").view.fragment.id
    repo.git("rm", "-q", "src/users.py")
    again = agent.save("create_user lowercases")
    assert again.outcome == "changed"
    assert again.view.assessment.verdict == "gone"
    assert get(repo, ident).stamp == person.get(ident).fragment.stamp
    assert agent.save("create_user lowercases", force=True).outcome == "confirmed"


def test_a_key_that_is_saved_again_supersedes(repo: Repo) -> None:
    """The newer one replaces the older under the key; the older stays readable with confidence 0."""
    memory = memcli.open(repo.path)
    old = memory.save("Tests run with nose", "decision:tests").view.fragment.id
    saved = memory.save("Tests run with pytest", "decision:tests")
    assert [fragment.id for fragment in saved.superseded] == [old]
    assert memory.get("decision:tests").fragment.text == "Tests run with pytest"
    assert (memory.get(old).assessment.confidence, memory.get(old).assessment.verdict) == (0.0, "superseded")
    assert [view.fragment.id for view in memory.list()] == [saved.view.fragment.id]


def test_supersession_can_be_undone(repo: Repo) -> None:
    """Law 7: the old one is active again with the confidence it had; nothing is lost."""
    memory = memcli.open(repo.path)
    old = memory.save("Tests run with nose", "decision:tests").view.fragment.id
    new = memory.save("Tests run with pytest").view.fragment.id
    memory.supersede(old, by=new)
    assert states(repo) == {"Tests run with nose": "superseded", "Tests run with pytest": "active"}
    with memcli.open(repo.path)._context() as ctx:
        change.unsupersede(ctx, [old])
    assert memory.get(old).assessment.confidence == 1.0
    assert set(states(repo).values()) == {"active"}


def test_a_text_that_was_superseded_can_be_saved_again(repo: Repo) -> None:
    """It is a new active fragment: what was true once may be true again."""
    memory = memcli.open(repo.path)
    first = memory.save("Bun runs the tests", "tests").view.fragment.id
    memory.save("Node runs the tests", "tests")
    third = memory.save("Bun runs the tests", "tests")
    assert third.outcome == "saved"
    assert third.view.fragment.id != first
    assert states(repo)["Node runs the tests"] == "superseded"


def test_similar_sentences_do_not_retire_each_other(repo: Repo) -> None:
    """Law 7: nothing supersedes by similarity."""
    memory = memcli.open(repo.path)
    memory.save("Bun for tests")
    memory.save("Bun as runtime")
    assert set(states(repo).values()) == {"active"}


def test_automatic_keys_are_replaced_in_place(repo: Repo) -> None:
    """State such as last_action keeps its id and leaves no trail."""
    memory = memcli.open(repo.path)
    first = memory.save("ran the tests", "last_action").view.fragment.id
    again = memory.save("fixed the parser", "last_action")
    assert (again.outcome, again.view.fragment.id) == ("replaced", first)
    assert states(repo) == {"fixed the parser": "active"}


def test_an_agent_proposes_where_a_person_decides(repo: Repo) -> None:
    """Law 15: an agent's save into user scope, and one that would supersede a person's, waits for approval."""
    person, agent = memcli.open(repo.path), memcli.open(repo.path, author="claude")
    old = person.save("Tests run with nose", "decision:tests").view.fragment.id
    assert agent.save("Prefer tabs", scope="user").outcome == "proposed"
    assert agent.save("Tests run with pytest", "decision:tests").outcome == "proposed"
    assert agent.save("The parser is recursive").outcome == "saved"
    assert get(repo, old).state == "active"
    assert agent.save("The parser is recursive").view.fragment.base == 0.8


def test_an_approved_proposal_takes_the_place_of_what_it_supersedes(repo: Repo) -> None:
    """Law 15: it supersedes on approval, not before, and then counts as a person's."""
    person, agent = memcli.open(repo.path), memcli.open(repo.path, author="claude")
    old = person.save("Tests run with nose", "decision:tests").view.fragment.id
    new = agent.save("Tests run with pytest", "decision:tests").view.fragment.id
    assert [fragment.id for fragment in person.pending()] == [new]
    assert person.search("pytest") == ()
    (approved,) = person.approve(new)
    assert (approved.state, approved.base) == ("active", 1.0)
    assert get(repo, old).superseded_by == new


def test_a_rejected_proposal_is_kept_out_of_sight(repo: Repo) -> None:
    """Law 10: rejected ones are in no read unless asked for."""
    person = memcli.open(repo.path)
    ident = person.save("Prefer tabs", propose=True).view.fragment.id
    person.reject(ident)
    assert person.list() == ()
    assert [view.fragment.id for view in person.list(states=("rejected",))] == [ident]


def test_a_new_fragment_hangs_off_the_nearest_earlier_type(repo: Repo) -> None:
    """Section 1: result hangs off the newest tool_result, that off the progress or prompt before it."""
    memory = memcli.open(repo.path)
    prompt = memory.save("Add an endpoint", "prompt:build").view.fragment
    tool = memory.save("wrote the handler", "tool:write").view.fragment
    result = memory.save("it compiles", "result:build").view.fragment
    decision = memory.save("Handlers return JSON", "decision:json").view.fragment
    preference = memory.save("I like short names", "preference:names").view.fragment
    assert tool.parents == (prompt.id,)
    assert result.parents == (tool.id,)
    assert decision.parents == (tool.id,)
    assert preference.parents == ()


def test_session_scope_is_seen_by_its_session_alone(repo: Repo) -> None:
    """Law 10: what belongs to one session is not another's."""
    memcli.open(repo.path, session="one").save("half done with the parser", "note:parser", scope="session")
    assert len(memcli.open(repo.path, session="one").list()) == 1
    assert memcli.open(repo.path, session="two").list() == ()
    assert memcli.open(repo.path).list() == ()


def test_an_id_a_prefix_and_a_key_name_a_fragment(repo: Repo) -> None:
    """Law 14: every printed id is accepted, and any unique prefix of it."""
    memory = memcli.open(repo.path)
    ident = memory.save("The API pages by 50", "fact:paging").view.fragment.id
    for name in (ident, ident[:8], ident[:3], "fact:paging", ident.upper()):
        assert memory.get(name).fragment.id == ident
    with pytest.raises(errors.UnknownId):
        memory.get("nothing")


def test_an_ambiguous_prefix_is_an_error_that_lists_some(repo: Repo) -> None:
    """It is never guessed."""
    memory = memcli.open(repo.path)
    idents = [memory.save(f"fact number {number}").view.fragment.id for number in range(40)]
    letter = max("klmnopqrstuvwxyz", key=lambda one: sum(ident.startswith(one) for ident in idents))
    with pytest.raises(errors.AmbiguousId, match=letter):
        memory.get(letter)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("", {}),
        (" \n\t", {}),
        ("a\0b", {}),
        ("\x1b[31mred", {}),
        ("x" * 70_000, {}),
        ("fine", {"key": "-x"}),
        ("fine", {"key": "a\nb"}),
        ("fine", {"key": "k" * 201}),
        ("fine", {"type": "opinion"}),
        ("fine", {"scope": "galaxy"}),
        ("fine", {"confidence": 2.0}),
        ("fine", {"supersedes": ("nothing",)}),
        ("fine", {"refs": ("nothing",)}),
        ("fine", {"scope": "session"}),
        ("fine", {"path": "src/users.py:9-3"}),
        ("token ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", {}),
    ],
)
def test_what_is_refused_changes_nothing(repo: Repo, text: str, options: dict[str, object]) -> None:
    """Law 14: a save that failed says why in one line and stores nothing."""
    with pytest.raises(errors.MemError) as caught:
        memcli.open(repo.path).save(text, **options)  # type: ignore[arg-type]  # wrong on purpose
    assert "\n" not in caught.value.message
    assert "a1B2c3" not in caught.value.message
    assert states(repo) == {}


def test_saves_from_many_threads_are_all_there(repo: Repo) -> None:
    """Law 14: concurrent saves in one process lose nothing."""
    texts = [f"fact number {number} is true" for number in range(12)]
    threads = [threading.Thread(target=lambda text=text: memcli.open(repo.path).save(text)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(states(repo)) == set(texts)


def test_confirming_moves_drawn_lines_to_where_they_are(repo: Repo) -> None:
    """Law 8: a drawn region keeps its content, not its numbers, and a vanished path its file."""
    memory = memcli.open(repo.path)
    ident = memory.save("It checks, then stores", path="src/users.py:8-12").view.fragment.id
    text = (repo.path / "src/users.py").read_text()
    repo.write("src/people.py", "import os\n" * 3 + text.replace("email.lower()", "email"))
    repo.git("rm", "-qf", "src/users.py")
    (confirmed,) = memory.confirm(ident)
    assert (confirmed.anchors[0].path, confirmed.anchors[0].lines) == ("src/people.py", (11, 14))
    assert memory.get(ident).assessment.verdict == "fresh"


ODD_LINES = "\ufeffone\x0c\ntwo\u2028\x85\x1c\rstill two\r\n\x0bthree\n\ndef five():\n    return 5\n"


def test_lines_are_gits_lines(repo: Repo) -> None:
    """Form feeds, separators of Unicode and a CR in the middle end no line: what is drawn, found as a symbol or found
    again has the numbers that git and editors show."""
    repo.write("src/odd.py", ODD_LINES)
    memory = memcli.open(repo.path)
    drawn = memory.save("It gives five", path="src/odd.py:5-9")
    assert [anchor.lines for anchor in drawn.view.fragment.anchors] == [(5, 6)]
    assert "has 6 lines" in memory.save("It is beyond", path="src/odd.py:7").warnings[0]
    named = memory.save("It says five", path="src/odd.py#five").view.fragment
    assert named.anchors[0].lines == (5, 6)
    repo.write("src/odd.py", "more\x0c\n" + ODD_LINES.replace("return 5", "return 6"))
    assert [drift.lines for drift in memory.get(named.id).assessment.anchors] == [(6, 7)]


def test_what_is_too_large_to_look_into_is_not_called_short(repo: Repo) -> None:
    """A file over the limit has lines; the warning says why none were drawn."""
    repo.write("src/big.py", "x = 1\n" * 200_000)
    for path in ("src/big.py:5", "src/big.py#x"):
        (warning,) = memcli.open(repo.path).save(f"It is in {path[-2:]}", path=path).warnings
        assert "over 1 MiB" in warning


def test_confirming_and_saving_again_in_user_scope(repo: Repo) -> None:
    """Law 8 holds in every scope."""
    memory = memcli.open(repo.path)
    ident = memory.save("users are in src/users.py", scope="user").view.fragment.id
    repo.write("src/users.py", "LIMIT = 60\n")
    assert memory.get(ident).assessment.verdict == "gone"
    assert memory.save("users are in src/users.py", scope="user").outcome == "confirmed"
    memory.confirm(ident)
    assert memory.get(ident).assessment.verdict == "fresh"


def test_confirming_a_name_that_is_gone_settles_it(repo: Repo) -> None:
    """Law 8: after a confirm the stamp holds the names that are there, and later changes elsewhere cost nothing."""
    memory = memcli.open(repo.path)
    ident = memory.save("`create_user` in src/users.py checks the address").view.fragment.id
    text = (repo.path / "src/users.py").read_text().replace("create_user", "make_user")
    repo.write("src/users.py", text)
    assert memory.get(ident).assessment.verdict == "gone"
    memory.confirm(ident)
    repo.write("src/users.py", f"{text}\n\nMORE = 1\n")
    assert memory.get(ident).assessment.confidence == 1.0


def test_confirming_a_folder_that_is_gone_finds_no_other_place(repo: Repo) -> None:
    """A folder has no content to be known by: no new file can be taken for it."""
    repo.commit("folder", **{"pkg/a.py": "A = 1\n"})
    memory = memcli.open(repo.path)
    ident = memory.save("the package", path="pkg").view.fragment.id
    repo.git("rm", "-rq", "pkg")
    repo.write("unrelated.txt", "something new\n")
    memory.confirm(ident)
    assert [anchor.path for anchor in get(repo, ident).anchors] == ["pkg"]


def test_user_scope_is_confirmed_where_its_code_is(repo: Repo, tmp_path: Path) -> None:
    """Elsewhere nobody has looked at the code: confirming there is refused, and saying it again moves no stamp."""
    text = "LIMIT is in src/users.py"
    ident = memcli.open(repo.path).save(text, scope="user").view.fragment.id
    before = get(repo, ident)
    elsewhere = memcli.open(tmp_path)
    with pytest.raises(errors.Refused, match="another repository"):
        elsewhere.confirm(ident)
    assert elsewhere.save(text, scope="user").outcome == "unchanged"
    assert get(repo, ident) == before


def test_a_key_names_one_active_fragment(repo: Repo) -> None:
    """Whatever was undone or approved between: a key is unique among the active fragments of a scope."""
    memory = memcli.open(repo.path)
    first, _, _ = [memory.save(f"text {name}", "key").view.fragment.id for name in "abc"]
    with memory._context() as ctx:
        change.unsupersede(ctx, [first])
    assert [(view.fragment.key, view.fragment.text) for view in memory.list()] == [("key", "text a"), (None, "text c")]
    proposal = memory.save("text d", "other", propose=True, session="two").view.fragment.id
    memory.save("text e", "other")
    memory.approve(proposal)
    assert [view.fragment.text for view in memory.list() if view.fragment.key == "other"] == ["text d"]


def test_only_what_is_active_can_be_replaced(repo: Repo) -> None:
    """Replacing a proposal and taking that back would approve it."""
    memory = memcli.open(repo.path)
    proposal = memory.save("a claim", propose=True).view.fragment.id
    new = memory.save("another").view.fragment.id
    with pytest.raises(errors.Refused, match="is proposed"):
        memory.supersede(proposal, by=new)


def test_a_proposal_replaces_no_automatic_key(repo: Repo) -> None:
    """Law 15: a proposal supersedes nothing until approved, under the keys that are replaced in place too."""
    memcli.open(repo.path).save("what a person did", "last_action")
    saved = memcli.open(repo.path, author="claude").save("what an agent did", "last_action")
    assert saved.outcome == "proposed"
    assert states(repo) == {"what a person did": "active", "what an agent did": "proposed"}


def test_a_moved_anchor_is_found_by_either_path(repo: Repo) -> None:
    """Law 4: --path means where it is now; who remembers where it was finds it too."""
    memory = memcli.open(repo.path)
    memory.save("LIMIT is in src/users.py")
    repo.git("mv", "src/users.py", "src/people.py")
    for path in ("src/people.py", "src/users.py", "src"):
        assert len(memory.list(paths=(path,))) == 1
    assert memory.list(paths=("lib",)) == ()


def test_agents_decide_nothing_that_waits_for_a_person(repo: Repo) -> None:
    """Law 15: an agent approves no proposal, and does not replace what a person wrote."""
    person, agent = memcli.open(repo.path), memcli.open(repo.path, author="claude")
    ident = agent.save("Prefer tabs", "style", scope="user").view.id
    written = person.save("Spaces it is", "spaces").view.id
    other = agent.save("The parser is recursive").view.id
    with pytest.raises(errors.Refused):
        agent.approve(ident)
    with pytest.raises(errors.Refused):
        agent.reject(ident)
    with pytest.raises(errors.Refused):
        agent.supersede(written, by=other)
    assert (get(repo, ident).state, get(repo, written).state) == ("proposed", "active")
    assert person.approve("style")[0].id == ident


def test_a_person_who_says_what_was_proposed_approves_it(repo: Repo) -> None:
    """The proposal becomes active with a person's base and takes its place."""
    person, agent = memcli.open(repo.path), memcli.open(repo.path, author="claude")
    old = person.save("Tests run with nose", "tests").view.id
    ident = agent.save("Tests run with pytest", "tests").view.id
    said = person.save("tests run with pytest")
    assert (said.outcome, said.view.id, said.view.confidence) == ("approved", ident, 1.0)
    assert get(repo, old).superseded_by == ident
    assert person.pending() == ()


def test_a_rejected_text_is_not_proposed_again(repo: Repo) -> None:
    """Section 8: the agent is told; a person may still save it."""
    person, agent = memcli.open(repo.path), memcli.open(repo.path, author="claude")
    person.reject(agent.save("Prefer tabs", scope="user").view.id)
    with pytest.raises(errors.Refused, match="rejected"):
        agent.save("prefer tabs", scope="user")
    assert person.save("Prefer tabs", scope="user").outcome == "saved"


def test_a_known_text_still_supersedes_what_it_names(repo: Repo) -> None:
    """--supersedes is not lost when the text is confirmed."""
    memory = memcli.open(repo.path)
    old = memory.save("Tests run with nose").view.id
    new = memory.save("Tests run with pytest").view.id
    again = memory.save("Tests run with pytest", supersedes=(old,))
    assert (again.outcome, [fragment.id for fragment in again.superseded]) == ("confirmed", [old])
    assert get(repo, old).superseded_by == new


def test_a_change_of_several_scopes_is_all_or_nothing(repo: Repo) -> None:
    """Law 14: what failed in one store leaves the other as it was."""
    memory = memcli.open(repo.path)
    here = memory.save("The API pages by 50").view.id
    proposal = memory.save("Prefer tabs", scope="user", propose=True).view.id
    with pytest.raises(errors.Refused):
        memory.supersede(here, proposal, by=memory.save("other").view.id)
    assert get(repo, here).state == "active"


def test_a_rendered_block_is_not_saved_again(repo: Repo) -> None:
    """Memory fed back is recognised, escaped or not, and refused with the rule named."""
    memory = memcli.open(repo.path)
    memory.save("The API pages by 50")
    for text in (memory.render(), memory.render().replace("<", "&lt;").replace(">", "&gt;")):
        with pytest.raises(errors.Refused, match="rendered memory block"):
            memory.save(text)


def test_the_name_of_a_session_is_checked(repo: Repo) -> None:
    """Names are one line without control characters, of at most 200 bytes."""
    for name in ("a\nb", "a\x1b[31m", "s" * 300):
        with pytest.raises(errors.Refused):
            memcli.open(repo.path, session=name).save("half done", scope="session")


def test_few_lines_warn_of_many_missing_names(repo: Repo) -> None:
    """A long text that names hundreds of things is not answered by hundreds of lines."""
    text = " ".join(f"src/none_{number}.py" for number in range(200))
    assert len(memcli.open(repo.path).save(text).warnings) == 6


def test_a_user_store_that_can_not_be_read_is_passed_over(repo: Repo, sealed: Path) -> None:
    """The workspace still answers, with a note."""
    memory = memcli.open(repo.path)
    memory.save("The API pages by 50")
    memory.save("Prefer tabs", scope="user")
    (sealed / ".local/share/mem/data.mdb").write_bytes(b"garbage")
    assert [view.text for view in memory.list()] == ["The API pages by 50"]
    assert "without user scope" in repo.mem("list").err


def test_a_text_that_is_said_again_keeps_what_it_is_about(repo: Repo) -> None:
    """Laws 4 and 8: after a rename the anchor is where the content is; a place that is not there replaces none."""
    memory = memcli.open(repo.path)
    ident = memory.save("see src/users.py for the users", "where").view.id
    repo.git("mv", "src/users.py", "src/people.py")
    repo.commit("rename")
    assert memory.save("see src/users.py for the users", "where").outcome == "confirmed"
    assert [(a.path, a.kind) for a in get(repo, ident).anchors] == [("src/people.py", "file")]
    memory.save("see src/users.py for the users", "where", path="src/none.py")
    assert [a.path for a in get(repo, ident).anchors] == ["src/people.py"]
    memory.save("see src/users.py for the users", "where", path="README.md")
    assert {a.path for a in get(repo, ident).anchors} == {"src/people.py", "README.md"}
    assert memory.get(ident).verdict == "fresh"


def test_confirming_what_is_gone_says_so(repo: Repo) -> None:
    """Whoever confirms is told that nothing can be compared from now on."""
    repo.mem("save", "where", "users are in src/users.py")
    (repo.path / "src/users.py").unlink()
    done = repo.mem("confirm", "where")
    assert (done.code, "src/users.py is not there" in done.err) == (0, True)


def test_a_bare_repository_takes_no_save_without_a_commit(repo: Repo) -> None:
    """There is no tree to stamp: the commit must be named."""
    bare = Repo(repo.path.parent / "bare.git")
    repo.git("clone", "-q", "--bare", str(repo.path), str(bare.path))
    with pytest.raises(errors.Usage, match="bare"):
        memcli.open(bare.path).save("about src/users.py")
    ident = memcli.open(bare.path, at="main").save("about src/users.py").view.id
    with pytest.raises(errors.Usage, match="bare"):
        memcli.open(bare.path).confirm(ident)
