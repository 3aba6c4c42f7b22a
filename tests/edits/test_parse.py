"""Changes read out of replies as models write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.edits import Create, Delete, Proposal, Rename, Replace, Whole, parse

BLOCK = "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n"
CHANGE = Replace("src/a.py", "old\n", "new\n")


def changes(reply: str, *, whole: bool = False) -> tuple[object, ...]:
    proposal = parse(reply, whole=whole)
    assert proposal.problems == ()
    return proposal.changes


@pytest.mark.parametrize(
    "before",
    [
        "src/a.py\n",
        "src/a.py\n```\n",
        "```\nsrc/a.py\n",
        "```python src/a.py\n",
        "```python:src/a.py\n",
        '```python title="src/a.py"\n',
        "### `src/a.py`\n\n```python\n",
        "**src/a.py**\n~~~\n",
        "File: src/a.py:\n```py\n",
        "1. `src/a.py:12-14`\n",
        "Now I change `src/a.py` so that `f(x)` is new:\n```python\n",
        "./src/a.py\n",
    ],
)
def test_the_path_is_found_however_it_is_dressed(before: str) -> None:
    assert changes(f"I do it.\n\n{before}{BLOCK}```\nDone.") == (CHANGE,)


def test_later_blocks_go_on_with_the_file() -> None:
    assert changes(f"src/a.py\n{BLOCK}and\n\n{BLOCK}") == (CHANGE, CHANGE)


def test_without_any_path_it_is_a_problem() -> None:
    (problem,) = parse(f"Here it comes now:\n{BLOCK}").problems
    assert problem.line == 2
    assert "no path" in problem.message


def test_an_empty_search_part_makes_a_file_and_an_empty_replace_part_deletes_lines() -> None:
    made = "a.md\n<<<<<<< SEARCH\n=======\n# New\n>>>>>>> REPLACE\n"
    gone = "a.md\n<<<<<<< SEARCH\n# New\n=======\n>>>>>>> REPLACE\n"
    assert changes(made + gone) == (Create("a.md", "# New\n"), Replace("a.md", "# New\n", ""))


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        ("a.py\n<<<<<<< SEARCH\nold\n=======\nnew\n", "not closed"),
        ("a.py\n<<<<<<< SEARCH\nold\n>>>>>>> REPLACE\n", "no line '======='"),
        ("a.py\n<<<<<<< SEARCH\nold\n=======\nnew\n=======\n>>>>>>> REPLACE\n", "second"),
        (f"a.py\n{BLOCK}more\n>>>>>>> REPLACE\n", "closes no block"),
        ("*** Add File: a.py\n", "is missing"),
        ("*** Update File: a.py\n@@\n+new\n", "nothing says where"),
    ],
)
def test_what_cannot_be_read_is_a_problem(reply: str, says: str) -> None:
    assert [says in problem.message for problem in parse(reply).problems] == [True]


def test_a_file_may_hold_the_marks_themselves() -> None:
    inner = "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE"
    nested = f"a.md\n<<<<<<< SEARCH\nTitle\n=======\nTitle\n{inner}\n>>>>>>> REPLACE\n"
    (change,) = changes(nested)
    assert isinstance(change, Replace)
    readings = [(change.search, change.replace), *change.readings]
    assert ("Title\n", f"Title\n{inner}\n") in readings
    longer = f"a.md\n<<<<<<<<< SEARCH\n{inner}\n=========\n>>>>>>>>> REPLACE\n"
    assert changes(longer) == (Replace("a.md", f"{inner}\n", ""),)


def test_patches_of_coding_models() -> None:
    patch = """*** Begin Patch
*** Update File: src/a.py
*** Move to: src/b.py
@@ class A:
@@     def f(self):
-        return 1
+        return 2
         # end
*** Add File: new.txt
+one
+
+two
*** Delete File: gone.txt
*** End Patch
"""
    anchors = "class A:\n...\ndef f(self):\n...\n"
    assert changes(patch) == (
        Replace(
            "src/a.py", f"{anchors}        return 1\n        # end\n", f"{anchors}        return 2\n        # end\n"
        ),
        Rename("src/a.py", "src/b.py"),
        Create("new.txt", "one\n\ntwo\n"),
        Delete("gone.txt"),
    )


def test_unified_diffs_with_line_numbers_that_nobody_believes() -> None:
    diff = """```diff
--- a/x.py
+++ b/x.py
@@ -900,3 +901,3 @@ def f():
 one
-two
+2

 three
--- /dev/null
+++ b/n.py
@@ -0,0 +1 @@
+new
--- a/o.py
+++ /dev/null
@@ -1 +0,0 @@
-old
```
"""
    assert changes(diff) == (
        Replace("x.py", "one\ntwo\n\nthree\n", "one\n2\n\nthree\n"),
        Create("n.py", "new\n"),
        Delete("o.py"),
    )


def test_files_are_moved_and_deleted_by_a_line() -> None:
    assert changes("*** Move File: a.py -> b/c.py\n*** Delete File: d.py\n") == (
        Rename("a.py", "b/c.py"),
        Delete("d.py"),
    )


def test_whole_files_only_where_they_were_asked_for() -> None:
    reply = "src/a.py\n```python\nx = 1\n```\n\n`b.md`\n````\n# B\n```\ncode\n```\n````\n"
    assert changes(reply) == ()
    assert changes(reply, whole=True) == (Whole("src/a.py", "x = 1\n"), Whole("b.md", "# B\n```\ncode\n```\n"))


def test_a_fence_inside_a_whole_file_does_not_cut_it_short() -> None:
    named = "b.md\n```\n# B\n```python\ncode\n```\nend\n```\n"
    assert changes(named, whole=True) == (Whole("b.md", "# B\n```python\ncode\n```\nend\n"),)
    bare = "b.md\n```\n# B\n```\ncode\n```\nend\n```\n"
    assert parse(bare, whole=True).problems


def test_illustrations_are_not_changes() -> None:
    assert not parse("Use it so:\n\n```python\nimport a\n```\n\nThat is all.")


@given(st.text(alphabet="<>=*@+- \nSEARCHREPLAC`a./", max_size=200))
def test_no_reply_breaks_it(reply: str) -> None:
    for whole in (False, True):
        assert isinstance(parse(reply, whole=whole), Proposal)


LINES = st.lists(st.text(alphabet="abc \t`#", max_size=8), min_size=1, max_size=5).filter(
    lambda one: "".join(one).strip()
)


@given(LINES, LINES)
def test_what_is_written_is_what_is_read(search: list[str], replace: list[str]) -> None:
    reply = "\n".join(["a.py", "<<<<<<< SEARCH", *search, "=======", *replace, ">>>>>>> REPLACE"])
    joined = ["".join(f"{line}\n" for line in lines) for lines in (search, replace)]
    assert changes(reply) == (Replace("a.py", *joined),)
