"""Which lines are taken of manifests, guides and lists of declarations, at the limits of each rule."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from overview_parts import material_of

from quaestor.answers.overview.overview_text import Source
from quaestor.answers.project import facts, guides, install_guides, listings, maintainers, named_documents
from quaestor.answers.project.facts import _brackets_opened
from quaestor.answers.project.install_guides import _InstallGuides
from quaestor.answers.project.listings import Declaration

ANYTHING, PIP, NEEDS = re.compile(r"\S"), re.compile("pip"), re.compile("Needs")


@pytest.mark.parametrize(
    ("numbers", "runs"),
    [
        ([1, 5, 10], [(1, 5), (10, 10)]),
        ([1, 6], [(1, 1), (6, 6)]),
        ([*range(1, 30)], [(1, 24), (25, 29)]),
        ([7], [(7, 7)]),
    ],
)
def test_what_is_declared_close_together_is_quoted_together(
    numbers: Sequence[int], runs: Sequence[tuple[int, int]]
) -> None:
    assert [*listings._runs(numbers)] == runs


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("a {\n b\n}\nc\n", "\n b\n"),
        ("  a:\n    b\n  c\n", "\n    b\n"),
        ("a:\n  b\n", "\n  b\n"),
        ("x\n a: 1\n  b\n c\n", " 1\n  b\n"),
        ("a\nx\n  b {\n    c\n  }\nd\n", "\n    c\n"),
        ("x\n\ta {\n\n\t\tb\n\t}\n", "\n\n\t\tb\n"),
    ],
)
def test_a_block_ends_before_what_is_indented_no_deeper(text: str, block: str) -> None:
    opened = re.search("[{:]", text)
    assert opened is not None
    assert text[opened.end() : listings._end_of_block(text, opened.end())] == block


def test_folders_of_migrations_are_described_by_their_ends() -> None:
    assert listings._describe_folder("m", ["1"]) == "- `m/`: 1 migration, `1`"
    assert listings._describe_folder("m", ["1", "1", "2"]) == "- `m/`: 2 migrations, `1` to `2`"


def test_a_declaration_is_named_with_its_manner_or_its_value() -> None:
    given = [("x", ""), ("/p", "get"), ("E", "3"), ("E", "-1"), ("", ""), ("", "get")]
    assert [listings._label(Declaration(0, "a.py", 1, name, how)) for name, how in given] == [
        "`x`",
        "`GET /p`",
        "`E` = 3",
        "`E` = -1",
        "`/`",
        "`GET`",
    ]


@pytest.mark.parametrize(
    ("many", "complete", "said"),
    [
        (1, True, "The code declares 1 error in 1 file, as far as"),
        (2, True, "The code declares 2 errors in 2 files, as far as"),
        (2, False, "The code declares at least 2 errors in 2 files, as far as"),
    ],
)
def test_what_was_not_looked_at_is_said_to_be_beyond(many: int, *, complete: bool, said: str) -> None:
    kind = next(one for one in listings.kinds() if one.noun == "error")
    found = [Declaration(0, f"{number}.py", 1, f"E{number}", "") for number in range(many)]
    assert listings._describe_declarations(kind, found, complete=complete).startswith(said)


def test_eighty_declarations_are_listed_and_the_others_counted() -> None:
    kind = next(one for one in listings.kinds() if one.noun == "error")
    found = [Declaration(0, "a.py", number, f"E{number:,}", "") for number in range(1, 1082)]
    for most, end in ((80, "`E80` (80)"), (81, "\n- and 1 more"), (1081, "\n- and 1,001 more")):
        assert listings._describe_declarations(kind, found[:most], complete=True).endswith(end)


def test_runs_of_lines_are_told_by_their_ends() -> None:
    assert [*facts._runs([1, 2, 3, 5, 6, 9])] == [(1, 3), (5, 6), (9, 9)]
    assert [*facts._runs([])] == []


@pytest.mark.parametrize(
    ("lines", "end"),
    [
        (["a:", " b", " c", "d"], 3),
        (["a: 1", " b"], 1),
        (["a:", "b"], 1),
        (["a:", *[" x"] * 9], 9),
        (["a:", "\tb"], 2),
        (["a:"], 1),
    ],
)
def test_a_field_that_ends_with_a_colon_goes_on_below(lines: Sequence[str], end: int) -> None:
    assert facts.end_of_field(lines, 1) == end


@pytest.mark.parametrize(
    ("lines", "at", "is_heading"),
    [
        (["* A", "", "b"], 1, True),
        (["", "* A", ""], 2, True),
        (["x", "* A", ""], 2, False),
        (["", "* A", "x"], 2, False),
        (["", "*A", ""], 2, False),
        (["", "", "* A"], 3, True),
    ],
)
def test_a_starred_heading_stands_alone(lines: Sequence[str], at: int, *, is_heading: bool) -> None:
    assert facts._is_starred_heading(lines, at) == is_heading


@pytest.mark.parametrize(
    ("rule", "path", "owns"),
    [
        ("* @a", "x/y", True),
        ("# x", "x", False),
        ("*.py @a", "x/y.py", True),
        ("/src/ @a", "src/y", True),
        ("/src @a", "lib/src", False),
        ("src @a", "lib/src/x", True),
        ("src/pay @a", "src/pay/x/y", True),
        ("src/pay @a", "lib/src/pay", False),
        ("x", "x", False),
        ("x  ", "x", False),
        ("/ @a", "x", False),
        ("SRC/ @A", "src/a", True),
    ],
)
def test_a_rule_of_owners_speaks_of_a_path(rule: str, path: str, *, owns: bool) -> None:
    assert maintainers._owns(rule, path) == owns


@pytest.mark.parametrize(
    ("lines", "ranges"),
    [
        (["deps = [", "1,", "]", "x"], [(1, 3)]),
        (["x", "deps", "y"], [(2, 3)]),
        (["deps(", "", "1)"], [(1, 1)]),
        (["deps = [", *["1,"] * 40, "]"], [(1, 31)]),
        (["deps = [1]", "deps = [2]"], [(1, 1), (2, 2)]),
        (["deps x[a]", "y"], [(1, 2)]),
        (["deps()", "y"], [(1, 2)]),
        (["deps"], [(1, 1)]),
        (["x"], []),
    ],
)
def test_a_list_goes_on_within_its_brackets_or_below_its_heading(
    lines: Sequence[str], ranges: Sequence[tuple[int, int]]
) -> None:
    assert [*facts._list_ranges(lines, re.compile("deps"), re.compile(r"\s*\S"))] == ranges


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["# A", "", "## Needs", "", "a", "", "b", "", "## C", "d"], [(5, 7)]),
        (["* Needs", "", "a"], [(3, 3)]),
        (["## Needs", *["x"] * 20], [(2, 16)]),
        (["## Needs", "", "## B"], []),
        (["Needs", "-----", "", "a"], [(4, 4)]),
        (["## Needs all", "a"], []),
    ],
)
def test_a_section_is_quoted_without_blank_ends(lines: Sequence[str], found: Sequence[tuple[int, int]]) -> None:
    assert [*facts.sections_headed(lines, NEEDS)] == found


FILLED, AFTER = ["y"] * 60, ["z"] * 40


@pytest.mark.parametrize(
    ("lines", "first", "last", "shows", "excerpt"),
    [
        (FILLED, 1, 60, ANYTHING, (1, 28)),
        (FILLED, 3, 8, ANYTHING, (3, 8)),
        (["y"], 1, 1, PIP, None),
        (["", "", "", "pip a", "", "x"], 1, 6, PIP, (4, 6)),
        (["", *FILLED[:27], "pip a", *AFTER], 1, 69, PIP, (2, 29)),
        # A command that comes late is shown with the heading above it, if that is near, or with what leads to it.
        ([*FILLED[:30], "## B", *FILLED[:11], "pip a", "z"], 1, 44, PIP, (31, 44)),
        ([*FILLED[:30], "## B", *FILLED[:12], "pip a", "z"], 1, 45, PIP, (1, 30)),
        ([*FILLED[:30], "", "Do:", "", "pip a", "z"], 1, 35, PIP, (32, 35)),
        ([*FILLED[:27], "```", "pip a", "```"], 1, 30, PIP, (1, 30)),
    ],
)
def test_an_excerpt_is_the_beginning_or_stands_around_a_late_command(
    lines: Sequence[str], first: int, last: int, shows: re.Pattern[str], excerpt: tuple[int, int] | None
) -> None:
    found = install_guides.excerpt("a", lines, first, last, shows)
    assert found == (None if excerpt is None else Source("a", *excerpt))


@pytest.mark.parametrize(
    ("path", "called"),
    [
        ("install.md", True),
        ("docs/install/index.md", True),
        ("docs/install/README.md", True),
        ("install/_index.md", True),
        ("a/install.x.md", True),
        ("index.md", False),
        ("readme.md", False),
        ("docs/install/other.md", False),
        ("docs/other/install.md", True),
    ],
)
def test_a_page_is_called_as_its_file_or_as_the_folder_whose_index_it_is(path: str, *, called: bool) -> None:
    assert install_guides.is_called(path, re.compile("install")) == called


@pytest.mark.parametrize(
    ("lines", "begins"),
    [
        ([], 0),
        (["# A"], 0),
        (["# A", "", "x"], 3),
        (["# A", "", "Some words are said here."], 3),
        (["# Code of conduct", "", "All are kind to all here.", "", "# B", "", "Then more words are said."], 7),
        (["# Code of conduct", "", "All are kind to all here."], 3),
        (["# A", "===", "y"], 3),
    ],
)
def test_a_guide_begins_with_something_else_than_a_code_of_conduct(lines: Sequence[str], begins: int) -> None:
    assert guides._beginning(lines) == begins


BADGE = '<img alt="Get it on X">'


@pytest.mark.parametrize(
    ("lines", "led"),
    [
        (["", "Ferry", "", "x", BADGE], []),
        (["", "", "Ferry", "x", BADGE], [5]),
        ([BADGE, "", "Ferry", ""], [1]),
        ([BADGE, "", "", "Ferry"], []),
        (["Ferry", "<img>"], []),
        (["Ferryboat", BADGE], []),
        (["", "See [how to install it](x.md)", "See [how to install it](y.md)"], [2]),
        (["See [how to install it](#x)"], []),
        (["# Ferry", "## Plugins", "See [how to install it](x.md)"], []),
    ],
)
def test_a_link_or_a_badge_beside_a_name_of_the_project_leads_to_a_guide(
    lines: Sequence[str], led: Sequence[int]
) -> None:
    guides = _InstallGuides(material_of({"README.md": "\n".join(lines)}), frozenset({"ferry"}))
    assert [*guides.links("README.md")] == [Source("README.md", at, at) for at in led]


@pytest.mark.parametrize(
    ("lines", "heads", "at", "end"),
    [
        (["# A", "x", "## B", "y", "# C"], [1, 3, 5], 0, 4),
        (["# A", "x", "## B", "y", "# C"], [1, 3, 5], 1, 4),
        (["## A", "x", "## B", "y"], [1, 3], 0, 2),
        (["# A", *["x"] * 60], [1], 0, 41),
        (["A", "---", "x", "B", "==="], [1, 4], 0, 3),
    ],
)
def test_a_section_ends_before_the_next_of_its_level(
    lines: Sequence[str], heads: Sequence[int], at: int, end: int
) -> None:
    assert named_documents._end_of_section(lines, [(line, "") for line in heads], at) == end


def test_a_heading_has_the_level_of_its_marks_or_of_its_underline() -> None:
    lines = [["# A"], ["### A"], ["== A"], ["A", "==="], ["A", "---"], ["A", "~~~"], ["A", "^^^"], ["A", "x"], ["A"]]
    assert [named_documents._level(one, 1) for one in lines] == [1, 3, 2, 1, 2, 3, 4, 1, 1]


def test_what_a_line_opens_and_does_not_close() -> None:
    assert [_brackets_opened(one) for one in ("f(", "])}", "X(", "XX", "{[(}])")] == [1, -3, 1, 0, 0]


def test_what_a_pattern_repeats_is_bounded_and_at_least_as_often_as_before() -> None:
    assert listings._bounded(r"\w+ \w* [a-z]+ a+") == r"\w{1,100} \w{0,100} [a-z]{1,100} a+"
