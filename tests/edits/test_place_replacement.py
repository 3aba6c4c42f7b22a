"""One replacement in one text: applied at the place that it quotes, or refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaestor.edits import Refusal, Replace
from quaestor.edits.file_text import read_text
from quaestor.edits.place_replacement import ReplacedText, fit

FILE = """import os


class Cart:
    def total(self):
        price = 0
        for item in self.items:
            price += item.price
        return price

    def clear(self):
        self.items = []
        self.notes = "none"


class Shelf:
    def clear(self):
        self.boxes = []
"""


def fitted(file: str, search: str, replace: str, *, prose: bool = False) -> ReplacedText | Refusal:
    return fit(read_text(file.encode()), Replace("a.py", search, replace), prose=prose, dots_are_code=True)


def result(file: str, search: str, replace: str) -> tuple[str, str]:
    found = fitted(file, search, replace)
    assert isinstance(found, ReplacedText), found
    return found.text.data().decode(), found.how


def refused(file: str, search: str, replace: str) -> Refusal:
    found = fitted(file, search, replace)
    assert isinstance(found, Refusal), found.text.data().decode()
    return found


SEARCH = "        for item in self.items:\n            price += item.price\n        return price\n"
REPLACE = (
    "        for item in self.items:\n            if item:\n                price += item.price\n        return price\n"
)
TRUTH = FILE.replace("            price += item.price\n", "            if item:\n                price += item.price\n")


def dedented(text: str, by: int) -> str:
    return "".join(line[by:] if line.strip() else line for line in text.splitlines(keepends=True))


def tabbed(text: str) -> str:
    return text.replace("    ", "\t")


def test_the_very_lines() -> None:
    assert result(FILE, SEARCH, REPLACE) == (TRUTH, "exact")


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: dedented(text, 8),
        lambda text: dedented(text, 4),
        lambda text: "".join(f"    {line}" for line in text.splitlines(keepends=True)),
        tabbed,
        lambda text: text.replace("\n", "  \n"),
        lambda text: f"\n{text}\n",
        lambda text: "".join(f"{at + 70:3} | {line}" for at, line in enumerate(text.splitlines(keepends=True))),
    ],
)
def test_damage_to_both_halves_is_undone(damage: object) -> None:
    assert callable(damage)
    assert result(FILE, damage(SEARCH), damage(REPLACE)) == (TRUTH, "whitespace")


def test_typographic_quotes_are_undone_in_new_lines_too() -> None:
    found, how = result(FILE, "        self.notes = “none”\n", "        self.notes = “some”\n")
    assert (found, how) == (FILE.replace('"none"', '"some"'), "whitespace")


def test_typographic_quotes_that_nothing_explains_are_refused_in_code() -> None:
    assert refused(FILE, "        self.items = []\n", "        self.items = [“a”]\n").kind == "conflict"
    prose = fitted("a\nb\n", "a\n", "“a”\n", prose=True)
    assert isinstance(prose, ReplacedText)


def test_what_stands_in_two_places_is_refused_with_their_lines() -> None:
    found = refused(FILE, "    def clear(self):\n", "    def empty(self):\n")
    assert (found.kind, found.lines) == ("ambiguous", (11, 17))


@pytest.mark.parametrize("search", ["}\n", "  }\n", "    }\n"])
def test_what_stands_elsewhere_too_but_for_blanks_is_refused(search: str) -> None:
    nested = "a {\n  b {\n    c\n  }\n}\n"
    assert refused(nested, search, "};\n").kind == "ambiguous"


def test_blanks_at_line_ends_that_may_be_meant_are_refused() -> None:
    file = "one  \ntwo\n"
    assert refused(file, "one \ntwo \n", "one \nthree \n").kind == "conflict"
    assert result("one\ntwo\n", "one \ntwo \n", "one \nthree \n")[0] == "one\nthree\n"


def test_only_typography_that_the_model_put_in_is_undone() -> None:
    search, replace = "        self.notes = “none”\n", "        self.notes = “none”  # none — yet\n"
    assert refused(FILE, search, replace).kind == "conflict"
    file = FILE.replace("import os", "import os  # — first")
    assert result(file, search, replace)[0] == file.replace('"none"', '"none"  # none — yet')


def test_what_stands_nowhere_is_refused_with_the_nearest_lines() -> None:
    found = refused(FILE, "        return 17\n        yield later\n", "        pass\n")
    assert found.kind == "not found"


def test_a_part_of_a_line_is_not_a_place() -> None:
    assert refused("value = compute()\n", "value = comp\n", "value = 1\n").kind == "not found"


def test_left_out_lines_stay() -> None:
    search = "class Cart:\n    ...\n    def clear(self):\n        self.items = []\n"
    replace = "class Cart:\n    ...\n    def clear(self):\n        self.items.clear()\n"
    expected = FILE.replace("        self.items = []\n", "        self.items.clear()\n")
    assert result(FILE, search, replace) == (expected, "elided")


def test_lines_left_out_of_one_half_only_are_refused() -> None:
    search = "class Cart:\n    # ... existing code ...\n        return price\n"
    assert refused(FILE, search, "class Cart:\n    pass\n").kind == "elided"


@pytest.mark.parametrize(
    "lazy", ["# ... rest of the code ...", "// existing code", "/* ... */", "# the rest of the function"]
)
def test_a_replacement_that_leaves_lines_out_is_refused(lazy: str) -> None:
    assert refused(FILE, SEARCH, f"        price = 1\n        {lazy}\n").kind == "elided"


def test_dots_that_are_code_are_written() -> None:
    assert result("def f():\n    pass\n", "    pass\n", "    ...\n")[0] == "def f():\n    ...\n"


def test_dots_in_prose_are_written_and_words_that_leave_out_are_not() -> None:
    assert isinstance(fitted("a\nb\n", "a\n", "a\n# ...\n", prose=True), ReplacedText)
    assert isinstance(fitted("a\nb\n", "a\n", "# ... rest of the file ...\n", prose=True), Refusal)


def test_a_misquoted_line_that_stays_stays_the_files_own() -> None:
    search = f"        price = 0\n{SEARCH}".replace("self.items", "self.item_list")
    replace = search.replace("return price\n", "return price + 1\n")
    expected = FILE.replace("        return price\n", "        return price + 1\n")
    assert result(FILE, search, replace) == (expected, "fuzzy")


def test_a_misquoted_line_that_is_to_change_is_refused() -> None:
    search = SEARCH.replace("price += item.price", "price += item.cost")
    found = refused(FILE, search, search.replace("price += item.cost", "price += 2 * item.cost"))
    assert found.kind in ("conflict", "not found")


def test_lines_forgotten_beside_the_change_are_refused() -> None:
    search = '    def clear(self):\n        self.notes = "none"\n\n\nclass Shelf:\n'
    replace = '    def clear(self):\n        self.more = 1\n        self.notes = "none"\n\n\nclass Shelf:\n'
    assert refused(FILE, search, replace).kind in ("conflict", "ambiguous", "not found")


def test_already_there() -> None:
    assert refused(FILE, SEARCH, SEARCH).kind == "no change"


def test_line_ends_and_a_missing_last_one_stay() -> None:
    crlf = FILE.replace("\n", "\r\n").removesuffix("\r\n")
    found = fit(read_text(b"\xef\xbb\xbf" + crlf.encode()), Replace("a.py", SEARCH, REPLACE))
    assert isinstance(found, ReplacedText)
    assert found.text.data() == b"\xef\xbb\xbf" + TRUTH.replace("\n", "\r\n").removesuffix("\r\n").encode()


def test_indentation_of_one_line_is_not_guessed() -> None:
    file = "if a:\n        b()\n"
    assert refused(file, "    b()\n", "    b()\n      c()\n").kind == "conflict"


def test_dividers_in_the_text_are_told_apart_by_the_file() -> None:
    file = "Title\n=======\n\ntext\n"
    change = Replace("a.rst", "Title\n", "text\n=======\nTitle\n=======\n", (("Title\n=======\n", "Title\n"),))
    found = fit(read_text(file.encode()), Replace("a.rst", "T\n", "x\n", (("Title\n=======\n", "Title!\n"),)))
    assert isinstance(found, ReplacedText)
    assert found.text.strings[0] == "Title!"
    assert isinstance(fit(read_text(file.encode()), change), Refusal)


LINES = st.lists(st.sampled_from(["a", "b", "  a", "  b", "\ta", "", "}", "c c", "x = 1"]), min_size=1, max_size=14)


@settings(max_examples=3 * settings.default.max_examples)
@given(LINES, LINES, LINES)
def test_never_in_two_places_and_nothing_else_touched(file: list[str], search: list[str], replace: list[str]) -> None:
    text = read_text("".join(f"{line}\n" for line in file).encode())
    change = Replace("a", *("".join(f"{line}\n" for line in lines) for lines in (search, replace)))
    found = fit(text, change)
    windows = [at for at in range(len(file)) if file[at : at + len(search)] == search]
    if isinstance(found, Refusal):
        return
    new = found.text.strings
    assert len(windows) <= 1
    if found.how == "exact":
        (at,) = windows
        assert new == [*file[:at], *replace, *file[at + len(search) :]]
    # Whatever changed is one stretch: the lines before and after it are the file's.
    before = next(
        (at for at, (one, two) in enumerate(zip(file, new, strict=False)) if one != two), min(len(file), len(new))
    )
    assert new[:before] == file[:before]


@pytest.mark.parametrize(
    "added",
    [
        "        if self.notes:\n            self.items = []\n",
        "    # four blanks\n",
    ],
)
def test_a_first_line_that_lost_its_indentation_says_nothing_of_the_others(added: str) -> None:
    """The other lines are quoted right, so that new lines are as the proposal has them."""
    quoted = "    def clear(self):\n        self.items = []\n"
    file = f"class Cart:\n{quoted}        self.notes = 1\n"
    found, how = result(file, quoted.lstrip(), quoted.lstrip() + added)
    assert (found, how) == (file.replace(quoted, quoted + added), "whitespace")


def test_a_new_first_line_ends_as_the_lines_that_stay_after_it() -> None:
    assert result("a\nb\nc\nd\r\ne\r\n", "d\ne\n", "new\nd\ne\n")[0] == "a\nb\nc\nnew\r\nd\r\ne\r\n"


def test_blanks_at_the_end_of_a_line_are_no_change_beside_a_line_that_is_misquoted() -> None:
    lines = [f"{name} = compute({name})\n" for name in ("alpha", "beta", "gamma", "delta")]
    stranger = "stranger line here\n"
    search = "".join([lines[0], stranger, *lines[1:]])
    found = refused("".join(lines), search, search.replace("(alpha)\n", "(alpha)  \n"))
    assert (found.kind, "differs from the file where the change is made" in found.message) == ("conflict", True)
