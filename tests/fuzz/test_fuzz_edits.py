"""What a model proposes to change: read or told why not, and made at one place or nowhere."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from fuzz.parser_properties import fuzzed
from quaestor.edits.edit_paths import confine
from quaestor.edits.file_text import NotTextError, read_text
from quaestor.edits.parse import parse
from quaestor.edits.place_replacement import ReplacedText, fit
from quaestor.edits.plans import Create, FileChange, Plan, Refusal, Replace, Whole, diff, patch

BLOCKS = [
    *(
        "<<<<<<< SEARCH\n",
        "=======\n",
        ">>>>>>> REPLACE\n",
        "src/a.py\n",
        "```\n",
        "```python a.py\n",
        "~~~\n",
        "...\n",
    ),
    *("`src/a.py`\n", "# ... existing code ...\n", "  ", "\t", "a = 1\n", "b = 2\n", "\r\n", "<<<<< SEARCH\n"),
    *("*** Begin Patch\n", "*** End Patch\n", "*** Add File: a\n", "*** Update File: a\n", "*** Delete File: a\n"),
    *(
        "*** Move to: b\n",
        "*** Move File: a -> b\n",
        "@@\n",
        "@@ -1,2 +1,2 @@\n",
        "@@ def f():\n",
        "+a\n",
        "-b\n",
        " c\n",
    ),
    *("--- a/a.py\n", "+++ b/a.py\n", "--- /dev/null\n", "+++ /dev/null\n", "\\ No newline at end of file\n"),
]
SEEDS = [
    "src/a.py\n```\n<<<<<<< SEARCH\na = 1\n=======\na = 2\n>>>>>>> REPLACE\n```\n",
    "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
    "*** Begin Patch\n*** Update File: a\n@@ def f():\n-b\n+c\n*** End Patch\n",
]
FILE = ["a = 1\n", "b = 2\n", "\n", "    return a\n", "\tx\n", "# é ” —\n", "a = 1\r\n", "...\n", "|", "\f"]
PATHS = ["/", "..", ".", "~", "\\", "C:", ".git", "GIT~1", "a", ".py", "\x00", "\u202e", " ", "//", "é", "CVS", "."]
BYTES = ["\ufeff", "\n", "\r\n", "\r", "\x00", "é", "a\n", "\u2028", "\x85"]


@fuzzed(BLOCKS, SEEDS)
def test_a_reply_is_read_or_its_problems_are_told(text: str) -> None:
    lines = text.count("\n") + 1
    for whole in (False, True):
        proposal = parse(text, whole=whole)
        assert len(proposal.changes) + len(proposal.problems) <= lines
        assert all(1 <= problem.line <= lines and problem.message for problem in proposal.problems)
        written = sum(len(one.replace) for one in proposal.changes if isinstance(one, Replace))
        written += sum(len(one.content) for one in proposal.changes if isinstance(one, Create | Whole))
        assert written <= len(text) + lines


@fuzzed([*FILE, "@@@"], ["a = 1\nb = 2\n@@@a = 1\n@@@a = 3\n", "a\n...\nb\n@@@a\n...\nb\n@@@a\n...\nc\n"])
def test_a_replacement_is_made_at_one_place_or_refused(text: str) -> None:
    file, _, rest = text.partition("@@@")
    search, _, replace = rest.partition("@@@")
    try:
        before = read_text(file.encode())
    except NotTextError:
        return
    made = fit(before, Replace("a.py", search, replace))
    if isinstance(made, Refusal):
        assert made.message
        return
    assert isinstance(made, ReplacedText)
    data = made.text.data()
    assert data != before.data()
    assert "\0" in replace or read_text(data).data() == data


@fuzzed([*FILE, "@@@"], ["a = 1\n@@@a = 2\n", "a@@@a\n"])
def test_a_difference_is_shown_for_any_two_files(text: str) -> None:
    before, _, after = text.encode().partition(b"@@@")
    plan = Plan(Path("/"), (FileChange("a.py", before, after),))
    assert diff(plan).startswith("diff --git a/a.py b/a.py\n")
    shown = patch(plan)
    assert (b"\n@@ " in shown) == (before != after)
    assert len(shown) <= 3 * (len(before) + len(after)) + 2_000


@fuzzed(BYTES, raw=True)
def test_a_files_bytes_come_back_or_are_no_text(data: bytes) -> None:
    try:
        text = read_text(data)
    except NotTextError:
        return
    assert text.data() == data


@fuzzed(PATHS, ["../a", "a/./b", ".git/config", "a/.GIT /x"])
def test_no_path_leads_out_of_the_root(text: str) -> None:
    found = confine(text)
    if isinstance(found, Refusal):
        return
    parts = PurePosixPath(found).parts
    assert not found.startswith("/")
    assert ".." not in parts
    assert not {part.casefold() for part in parts} & {".git", ".hg", ".svn"}
    assert confine(found) == found
