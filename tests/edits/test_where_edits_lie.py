"""Where a change may be made: which paths it may name, and what a place must quote."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.edits import Refusal, Replace
from quaestor.edits.edit_paths import confine, objections
from quaestor.edits.file_text import read_text
from quaestor.edits.place_replacement import ReplacedText, fit
from quaestor.edits.three_way_merge import ConflictError, Hunk, hunks, merge, same_ends, slides, span

# --- paths --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "kind", "words"),
    [
        ("", "bad path", "is not a path of a file; name it from the root, with '/'"),
        ("  ", "bad path", "is not a path of a file; name it from the root, with '/'"),
        ("a\\b", "bad path", "is not a path of a file; name it from the root, with '/'"),
        ("a\tb", "bad path", "is not a path of a file; name it from the root, with '/'"),
        ("a\u200bb", "bad path", "is not a path of a file; name it from the root, with '/'"),
        ("a\ud800b", "bad path", "is not a path of a file; name it from the root, with '/'"),
        ("/a", "outside", "is not relative to the root; name files from the root"),
        ("~a", "outside", "is not relative to the root; name files from the root"),
        ("./~a", "outside", "is not relative to the root; name files from the root"),
        ("z:a", "outside", "is not relative to the root; name files from the root"),
        ("./C:/a", "outside", "is not relative to the root; name files from the root"),
        ("a/..", "outside", "may lead out of the root; name files from the root, without '..'"),
        ("../a", "outside", "may lead out of the root; name files from the root, without '..'"),
        (".", "bad path", "names a folder; name a file"),
        ("a/", "bad path", "names a folder; name a file"),
        ("a/.GIT /x", "forbidden", "belongs to version control, which is never edited"),
        (".git", "forbidden", "belongs to version control, which is never edited"),
        ("a/.git. ./x", "forbidden", "belongs to version control, which is never edited"),
        ("GIT~2/x", "forbidden", "belongs to version control, which is never edited"),
        ("_Darcs/x", "forbidden", "belongs to version control, which is never edited"),
        ("CVS/x", "forbidden", "belongs to version control, which is never edited"),
        ("a/.g\u20ddit/x", "forbidden", "belongs to version control, which is never edited"),
    ],
)
def test_paths_that_are_refused_and_why(path: str, kind: str, words: str) -> None:
    assert confine(path) == Refusal(path, kind, f"{path!r} {words}")


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        ("a", "a"),
        ("./a//b/./c", "a/b/c"),
        ("a b/ü.txt", "a b/ü.txt"),
        ("a/~b", "a/~b"),
        ("ab:c", "ab:c"),
        ("a/c:d", "a/c:d"),
        ("a..b/...", "a..b/..."),
        (".gitignore", ".gitignore"),
        ("git/x", "git/x"),
        ("git~x/git~1x/agit~1", "git~x/git~1x/agit~1"),
    ],
)
def test_paths_in_their_plain_form(path: str, plain: str) -> None:
    assert confine(path) == plain


@given(st.text(alphabet="ab./~\\:CgitGIT\0 \u200b", max_size=16))
def test_no_path_leads_out_or_into_version_control(path: str) -> None:
    found = confine(path)
    if isinstance(found, str):
        below = os.path.normpath(f"/root/{found}")
        assert below == f"/root/{found}"
        assert not any(part.casefold().rstrip(". ") == ".git" for part in found.split("/"))


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("src/a.py", []),
        (".a", ["dot"]),
        ("a/.b/c", ["dot"]),
        ("a:stream/.b/c", ["dot"]),
        ("Jenkinsfile", ["build machine"]),
        ("ci/azure-pipelines-x.yml", ["build machine"]),
        ("ci/azure-pipelines.yaml.txt", []),
        (".GitHub/Workflows/x.yml", ["dot", "build machine"]),
        (".gitlab-ci.yml", ["dot", "build machine"]),
        (".circleci/config", ["dot", "build machine"]),
        ("docs/.github/workflows/x", ["dot"]),
        ("Makefile", ["builds, tests or tools"]),
        ("notajenkinsfile.md", []),
        # By their folder, or where they lie.
        ("api/requirements/dev.txt", ["builds, tests or tools"]),
        ("githooks/lint", ["builds, tests or tools"]),
        ("requirements/notes/dev.md", []),
        ("tasks.py", ["builds, tests or tools"]),
        ("src/tasks.py", []),
    ],
)
def test_what_a_person_is_asked_about(path: str, words: list[str]) -> None:
    found = objections(path)
    assert len(found) == len(words)
    assert all(word in reason for word, reason in zip(words, found, strict=True)), found


# --- changes of lines ---------------------------------------------------------------------------------------------


def test_a_change_does_not_slide_past_the_end_that_another_change_moved() -> None:
    # Of two changes, the other one lets one text end before the other does.
    assert slides(Hunk(0, 1, 0, 0), ["a", "a"], ["a", "b"]) == [Hunk(0, 1, 0, 0), Hunk(1, 2, 1, 1)]
    assert slides(Hunk(0, 0, 0, 1), ["a", "b"], ["a", "a"]) == [Hunk(0, 0, 0, 1), Hunk(1, 1, 1, 2)]
    assert slides(Hunk(1, 1, 1, 2), ["a"], ["a", "a"]) == [Hunk(1, 1, 1, 2), Hunk(0, 0, 0, 1)]
    assert slides(Hunk(1, 2, 0, 0), ["a", "a"], []) == [Hunk(1, 2, 0, 0)], "there is nothing before it to change places"
    assert slides(Hunk(0, 1, 0, 1), ["a", "a"], ["b", "a"]) == [Hunk(0, 1, 0, 1)], "what replaces stays"


lines = st.lists(st.sampled_from(["a", "b", "a ", " ", ""]), max_size=6)


@given(lines, lines)
def test_changes_lead_from_one_text_to_the_other(search: list[str], replace: list[str]) -> None:
    found = hunks(search, replace, exact=True)
    new: list[str] = []
    at = 0
    for change in found:
        new += [*search[at : change.s1], *replace[change.r1 : change.r2]]
        at = change.s2
    assert [*new, *search[at:]] == replace
    bare = [[line.rstrip() or line for line in text] for text in (search, replace)]
    assert hunks(search, replace, exact=False) == hunks(*bare, exact=True)
    head, tail = same_ends(search, replace)
    assert search[:head] == replace[:head]
    assert head + tail <= min(len(search), len(replace))
    assert search[len(search) - tail :] == replace[len(replace) - tail :]
    rest = search[head : len(search) - tail], replace[head : len(replace) - tail]
    assert not all(rest) or (rest[0][0] != rest[1][0] and rest[0][-1] != rest[1][-1])


def test_lines_that_are_equal_between_two_changes_are_no_change() -> None:
    assert hunks(["a", "b", "c"], ["x", "b", "y"], exact=True) == [Hunk(0, 1, 0, 1), Hunk(2, 3, 2, 3)]


def test_a_change_lies_between_lines_that_were_quoted_right() -> None:
    assert span(Hunk(1, 2, 1, 2), [4, 5, 6]) == (5, 6)
    assert span(Hunk(0, 1, 0, 0), [4, 5, 6]) == (4, 5)
    assert span(Hunk(2, 3, 2, 2), [4, 5, 6]) == (6, 7)
    assert span(Hunk(0, 0, 0, 1), [4, 5]) == (4, 4)
    assert span(Hunk(2, 2, 2, 3), [4, 5]) == (6, 6)
    assert span(Hunk(0, 1, 0, 1), [4, 5, None]) == (4, 5), "what is not beside it may be misquoted"
    for change, places in (
        (Hunk(1, 2, 1, 2), [None, 5, 6]),
        (Hunk(1, 2, 1, 2), [4, None, 6]),
        (Hunk(1, 2, 1, 2), [4, 5, None]),
        (Hunk(1, 2, 1, 2), [4, 6, 7]),
        (Hunk(1, 1, 1, 2), [4, 6]),
        (Hunk(0, 0, 0, 1), []),
    ):
        with pytest.raises(ConflictError):
            span(change, places)


def test_lines_that_stay_are_the_files_own() -> None:
    changes = [Hunk(1, 2, 1, 3), Hunk(3, 3, 4, 5)]
    assert merge(changes, ["a", "B", "C", "d", "E"], [7, 8, 9], 10) == [7, "B", "C", 9, "E"]
    assert merge([], ["a"], [None, 8, 9], 12) == [8, 9, 10, 11]


# --- places -------------------------------------------------------------------------------------------------------


def placed(file: str, search: str, replace: str) -> tuple[str, str, int] | Refusal:
    found = fit(read_text(file.encode()), Replace("a.py", search, replace))
    return (found.text.data().decode(), found.how, found.line) if isinstance(found, ReplacedText) else found


def test_where_a_place_begins_is_told() -> None:
    assert placed("a\nb\nc\n", "b\n", "x\n") == ("a\nx\nc\n", "exact", 2)
    assert placed("a\n  b\nc\n", "b\n", "x\n") == ("a\n  x\nc\n", "whitespace", 2)
    assert placed("a\n\nb\nc\n", "b\n\n", "x\n") == ("a\n\nx\nc\n", "whitespace", 3)


@pytest.mark.parametrize(
    ("file", "search", "replace", "expected"),
    [
        (
            "a\nb\na\n",
            "a\n",
            "x\n",
            ("ambiguous", "the search text stands at lines 1, 3; quote more lines around it", (1, 3)),
        ),
        (
            "a\n" * 12,
            "a\n",
            "x\n",
            (
                "ambiguous",
                "the search text stands at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10; quote more lines around it",
                tuple(range(1, 11)),
            ),
        ),
        (
            "a\n",
            "b\n",
            "x\n",
            ("not found", "nothing like the search text is there; read the file and quote it", ()),
        ),
        (
            "one\ntwo\nthree\n",
            "two\nfour and five and six\n",
            "x\n",
            ("not found", "the search text occurs nowhere; the nearest are lines 2 to 2", (2,)),
        ),
        ("a\nb\n", "a\n", "a\n", ("no change", "the file already has it; nothing is to be done", ())),
        (
            "a\nb\nc\n",
            "a\n...\nc\n",
            "a\nc\n",
            ("elided", "search text and replacement leave out different parts; write the lines out", ()),
        ),
        (
            "a\nb\nc\n",
            "a\n...\n",
            "a\n...\nd\n",
            ("elided", "lines are to be put beside left-out ones; quote the lines that are there", ()),
        ),
        (
            "a\nb\nc\n",
            "a\n...\nc\n",
            "a\n...\nc\n",
            ("no change", "search text and replacement are the same; nothing is to be done", ()),
        ),
        (
            "a\nb\nc\n",
            "b\n",
            "# ... rest of the file ...\n",
            ("elided", "the replacement leaves lines out ('# ... rest of the file ...'); write them", ()),
        ),
        ("a\nb\n", "b\n", "...\n", ("elided", "the replacement leaves lines out ('...'); write them", ())),
        (
            "a\nb\n",
            "a\n...\n" * 51,
            "x\n...\n" * 51,
            ("elided", "more than 50 parts are left out; make several changes of it", ()),
        ),
        (
            "a\n" * 40,
            "a\n...\na\n...\na\n",
            "x\n...\na\n...\na\n",
            (
                "ambiguous",
                "the search text stands at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10; quote more lines around it",
                tuple(range(1, 11)),
            ),
        ),
        (
            "one\ntwo and two\nthree\n",
            "two and two\n...\nfour and four\n",
            "x\n...\nfour and four\n",
            ("not found", "the search text occurs nowhere; the nearest are lines 2 to 2", (2,)),
        ),
    ],
)
def test_refusals_say_why_and_where(
    file: str, search: str, replace: str, expected: tuple[str, str, tuple[int, ...]]
) -> None:
    kind, words, where = expected
    assert placed(file, search, replace) == Refusal("a.py", kind, f"'a.py': {words}", where)


def test_left_out_lines_stand_between_what_is_quoted() -> None:
    file = "start\nx\none\nend\nstart\ny\ntwo\nend\n"
    found = placed(file, "x\n...\nend\n", "x!\n...\nend\n")
    assert found == (file.replace("x\n", "x!\n"), "elided", 2), "which end is meant does not matter, as it stays"
    ambiguous = placed(file, "x\n...\nend\n", "x\n...\nend!\n")
    assert isinstance(ambiguous, Refusal)
    assert ambiguous.kind == "ambiguous"
    behind = placed(file, "y\n...\nx\n", "y!\n...\nx\n")
    assert isinstance(behind, Refusal), "runs must follow each other"
    both = placed(file, "x\n...\ntwo\n", "x!\n...\ntwo!\n")
    assert both == (file.replace("x\n", "x!\n").replace("two\n", "two!\n"), "elided", 2)


def test_a_first_line_that_lost_its_indentation_tells_nothing_of_the_others() -> None:
    file = "    if a:\n        b()\n        c()\n"
    found = placed(file, "if a:\n        b()\n", "if a:\n        b()\n        d()\n")
    assert found == ("    if a:\n        b()\n        d()\n        c()\n", "whitespace", 1)


LONG = ["alpha = compute_alpha()", "beta = compute_beta()", "gamma = compute_gamma()", "delta = compute_delta()"]


def test_lines_that_agree_for_the_most_part_are_a_place_and_too_few_are_none() -> None:
    file = "".join(f"{line}\n" for line in ["import os", *LONG, "print(delta)"])
    search = "".join(f"{line}\n" for line in [LONG[0], LONG[1], LONG[2].replace("gamma()", "gama()"), LONG[3]])
    found = placed(file, search, search.replace("compute_alpha()", "compute_alpha(1)"))
    assert found == (file.replace("compute_alpha()", "compute_alpha(1)"), "fuzzy", 2)
    changed = placed(file, search, search.replace("compute_gama()", "compute_gama(1)"))
    assert isinstance(changed, Refusal)
    assert changed.kind == "conflict"
    twice = placed(file + file, search, search.replace("compute_alpha()", "compute_alpha(1)"))
    assert isinstance(twice, Refusal)
    assert twice.kind == "ambiguous"
    short = placed("if a:\n  b\nc\n", "if a:\n  x\n", "if b:\n  x\n")
    assert isinstance(short, Refusal)
    assert short.kind == "not found"


def test_new_lines_end_as_the_line_before_them() -> None:
    assert fit_bytes(b"a\r\nb\nc\n", "a\n", "a\nx\n") == b"a\r\nx\r\nb\nc\n"
    assert fit_bytes(b"a\r\nb\nc\n", "b\n", "b\nx\n") == b"a\r\nb\nx\nc\n"
    assert fit_bytes(b"a\r\nb\nc\r\n", "b\n", "x\n") == b"a\r\nx\r\nc\r\n"
    assert fit_bytes(b"a\nb", "b", "b\nc") == b"a\nb\nc"


def fit_bytes(data: bytes, search: str, replace: str) -> bytes:
    found = fit(read_text(data), Replace("a.py", search, replace))
    assert isinstance(found, ReplacedText), found
    return found.text.data()


def test_dots_may_stand_for_nothing_and_blank_lines_beside_them_for_none() -> None:
    assert placed("a\nb\nc\n", "a\n...\nb\n", "a!\n...\nb\n") == ("a!\nb\nc\n", "elided", 1)
    assert placed("x\none\nend\n", "x\n\n...\n\nend\n", "x!\n\n...\n\nend\n") == ("x!\none\nend\n", "elided", 1)
    nowhere = placed("x\none\nend\n", "nope\n\n...\nend\n", "nope!\n\n...\nend\n")
    assert isinstance(nowhere, Refusal)
    assert nowhere.kind == "not found"


def test_blanks_at_line_ends_are_changed_where_they_were_quoted_right() -> None:
    assert placed("    one\ntwo\n", "one\n", "one  \n") == ("    one  \ntwo\n", "whitespace", 1)


def test_a_first_line_that_changes_is_indented_as_it_was() -> None:
    file = "    if a:\n        b()\n        c()\n"
    assert placed(file, "if a:\n        b()\n", "if z:\n        b()\n") == (
        *[file.replace("if a", "if z"), "whitespace"],
        1,
    )


def test_of_several_readings_one_must_be_borne_out() -> None:
    readings = (("Title\n", "Title!\n"), ("text\n", "text!\n"))
    found = fit(read_text(b"Title\ntext\n"), Replace("a.rst", "none\n", "x\n", readings))
    words = "'a.rst': the block has several dividers; write it with longer marks around it"
    assert found == Refusal("a.rst", "not found", words)


FUZZY = "".join(f"{line}\n" for line in ["import os", *LONG, "print(delta)"])
MISQUOTED = "".join(f"{line}\n" for line in [*LONG[:2], LONG[2].replace("gamma()", "gama()"), LONG[3]])


def test_lines_beside_a_change_stand_nowhere_else() -> None:
    before, after = f"first\n{MISQUOTED}", f"{MISQUOTED}last\n"
    assert placed(FUZZY, MISQUOTED, before) == (FUZZY.replace("alpha = ", "first\nalpha = "), "fuzzy", 2)
    assert placed(FUZZY, MISQUOTED, after) == (FUZZY.replace("print", "last\nprint"), "fuzzy", 2)
    for replace, twice in ((before, f"{LONG[0]}\n{LONG[1]}\n"), (after, f"{LONG[3]}\n")):
        found = placed(f"{FUZZY}def again():\n{twice}", MISQUOTED, replace)
        assert isinstance(found, Refusal)
        assert found.kind == "ambiguous"


def test_a_place_that_differs_where_it_changes_is_named() -> None:
    found = placed(FUZZY, MISQUOTED, MISQUOTED.replace("gama()", "gama(1)"))
    words = "the search text differs from lines 2 to 5 where the change is made; quote those lines as they are"
    assert found == Refusal("a.py", "conflict", f"'a.py': {words}", (2,))


def test_what_a_person_is_told_of_a_hidden_file() -> None:
    assert objections(".a") == ("its name begins with a dot: settings of tools",)
