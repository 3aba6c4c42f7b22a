"""Finds the sections of the README and of guides that tell how a project is built, tested and run."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, islice

from quaestor.answers.overview.build_and_test import AIMS, COMMAND, FROM_A_REGISTRY, GUIDES, Aim
from quaestor.answers.overview.material import Material
from quaestor.answers.overview.overview_text import Source
from quaestor.answers.overview.prose_lines import end_of_blocks, headings
from quaestor.core.light_imports import lazy_regex

_TYPED = lazy_regex(r"^(?:\s*\$ |\s{2,}|)((?=\S*/|\S+ -)[a-z.][\w./-]*(?: [\w./:*@-]+)*)\s*$")
"""A script with its arguments, in a line of its own or in code marks: ``bin/test --fast``."""
_SEPARATE_TESTS = r"\b(?:integration|e2e|end-to-end|browser|load|performance|speed|bench\w*|manual(?:ly)?)\b"
"""Kinds of tests that "the tests" does not mean."""
_HEADINGS: dict[Aim, tuple[re.Pattern[str], ...]] = {
    "build": (
        lazy_regex(
            r"^(?!.*\bdoc(?:s|umentation)\b|.*\bbuilding an? (?!release|local|dev|debug|custom|static|package|binary))"
            r".*\b(?:build(?:ing)?|compil(?:e|ing|ation)|from source)\b(?!.*\bstatus)",
            re.IGNORECASE,
        ),
        lazy_regex(r"\b(?:install(?:ation|ing)?|development|set ?up|getting started)\b", re.IGNORECASE),
    ),
    "test": (lazy_regex(rf"^(?!.*{_SEPARATE_TESTS}).*\b(?:tests?|testing|test ?suite|specs)\b", re.IGNORECASE),),
    "run": (
        lazy_regex(
            r"\b(?:run(?:ning)?|play(?:ing)?|start(?:ing)?(?! with)|launch(?:ing)?|serv(?:e|ing))\b(?!.*\btests?\b)",
            re.IGNORECASE,
        ),
        lazy_regex(
            r"^\W*(?:(?:basic |how to )?us(?:e|age)|quick ?start|getting started|development|local(?:ly)?)\b",
            re.IGNORECASE,
        ),
        lazy_regex(r"\binstall(?:ation|ing)?\b", re.IGNORECASE),
    ),
}
"""Headings of sections that describe each aim, the most telling first."""
_OF_WORK = lazy_regex(
    r"(?i)^(?!.*\b(?:principles?|philosophy|policy|roadmap|status|team)\b).*\b(?:develop(?:ment|ing)?|hacking"
    r"|from (?:source|a checkout)|local(?:ly)?|set(?:ting)?[- ]?up|getting started)\b"
)
"""Headings of sections that tell how one begins to work on the project."""
_LONGEST_HEADING, _LONGEST_SECTION, _MOST_SECTIONS = 60, 20, 2
_SHOWS_A_COMMAND = lazy_regex(r"`|^(?: {4}|\t)\s*\S|^\s*\$ |^\.\. code", re.MULTILINE)

_ON_ONE_TEST = lazy_regex(
    r"\b(?:runn?|execut|test)(?:s|ing|e)?\b[^.;]{0,40}?\b(?:single|individual|specific|particular|(?:only|just) one)"
    r"\s+(?:\w+\s+)?(?:tests?|specs?|suite|scenario)\b|\b(?:single|individual|specific)\s+tests?\b[^.;]{0,30}\brun\b",
    re.IGNORECASE,
)
"""What tells how a single test is run: a sentence, a heading or a comment above the command."""
_LINES_ON_ONE_TEST = 8
_RUNS_ONE_TEST = {
    "cargo.toml": "cargo test NAME",
    "go.mod": "go test -run NAME ./...",
    "build.gradle": "gradle test --tests NAME",
    "build.gradle.kts": "gradle test --tests NAME",
    "pom.xml": "mvn test -Dtest=NAME",
    "package.swift": "swift test --filter NAME",
    "mix.exs": "mix test FILE:LINE",
    "pubspec.yaml": "dart test --name NAME",
    "pytest.ini": "pytest -k NAME",
    "pyproject.toml": "pytest -k NAME",
    "cmakelists.txt": "ctest -R NAME",
    "meson.build": "meson test NAME",
}
"""How the usual tool for a manifest runs a single test."""


def guide_sections(material: Material, aim: Aim | None, *, works: bool = False) -> list[Source]:
    """Return the sections of the README and of guides that describe how an aim is reached; at most two.

    Args:
        material: the documents of the project.
        aim: what somebody wants to do; None for building and testing, with one section of each.
        works: whether somebody wants to begin to work on the project; the guides for contributors tell this best.
    """
    if works:
        paths = _guides(material, "test")
        found = chain.from_iterable(_sections(material.lines(path), path, _OF_WORK, "run") for path in paths)
        return [*islice(found, _MOST_SECTIONS)] or guide_sections(material, aim)
    if aim is None:
        each = (guide_sections(material, one)[:1] for one in ("build", "test"))
        return list(dict.fromkeys(chain(*each)))
    for rank, heading in enumerate(_HEADINGS[aim]):
        sections = [
            one
            for path in _guides(material, aim)
            for one in _sections(material.lines(path), path, heading, aim)
            if aim != "build" or _builds(material.lines(path)[one.start_line - 1 : one.end_line], stated=not rank)
        ]
        if sections:
            return sections[:_MOST_SECTIONS]
    return []


def sections_on_one_test(material: Material) -> list[Source]:
    """Return the places in guides that tell how a single test is run, with the command below them; at most two."""
    return [
        *islice(
            chain.from_iterable(_places_on_one_test(path, material) for path in _guides(material, "test")),
            _MOST_SECTIONS,
        )
    ]


def _places_on_one_test(path: str, material: Material) -> Iterator[Source]:
    lines = material.lines(path)
    for at in [at for at, line in enumerate(lines, 1) if _ON_ONE_TEST.search(line)]:
        last = end_of_blocks(lines, at, min(at + _LINES_ON_ONE_TEST, len(lines)), len(lines))
        if _SHOWS_A_COMMAND.search("\n".join(lines[at - 1 : last])):
            yield Source(path, at, last)
            return


def usual_for_one_test(material: Material) -> str:
    """Say that no guide tells how a single test is run, and how the tool for a manifest in the root does it."""
    found = ((path, command) for name, command in _RUNS_ONE_TEST.items() for path in material.paths_named(name, 0))
    told = next((f" With a `{path}`, the usual command is `{command}`." for path, command in found), "")
    if "gradlew" in material.all:
        told = told.replace("`gradle ", "`./gradlew ")
    return f"No guide here tells how a single test is run.{told}"


def _builds(lines: Sequence[str], *, stated: bool) -> bool:
    """Return whether a section shows how what is checked out is built, and not how something published is installed.

    Args:
        lines: the section.
        stated: whether its heading says that it is about building; then any command that is not known will do.
    """
    # A tool's name in running text is no call of it.
    marked = [inner for line in lines for inner in (line, *re.findall(r"`([^` ]+ [^`]+)`", line))]
    published = [bool(FROM_A_REGISTRY.search(one)) for one in marked]
    commands = [match[1] for one in marked if (match := COMMAND.match(one)) and not FROM_A_REGISTRY.search(one)]
    return any(map(AIMS["build"].search, commands)) or (stated and not any(published))


def _sections(lines: Sequence[str], path: str, heading: re.Pattern[str], aim: Aim) -> Iterator[Source]:
    """Yield the sections with a matching heading and a command, including their subsections, cut to a length."""
    heads = [(at, title, _level(lines[at - 1])) for at, title in headings(lines) if title]
    fits = [len(title) <= _LONGEST_HEADING and heading.search(title) is not None for _, title, _ in heads]
    if sum(fits) > 1:
        fits[0] = False  # the title of a whole guide
    end = 0
    for number, (at, _, level) in enumerate(heads):
        if at <= end or not fits[number] or _is_below_separate_tests(heads, number):
            continue
        end = next((other - 1 for other, _, of in heads[number + 1 :] if of <= level), len(lines))
        own = next((other - 1 for other, *_ in heads[number + 1 :] if other <= end), end)
        if sum(COMMAND.match(line) is not None for line in lines[at:own]) > 1:
            end = own  # it needs no subsections, which may be about anything
        last = _whole_blocks(lines, at, min(end, at + _LONGEST_SECTION), {other for other, _, _ in heads})
        if last > at and _shows(lines[at:last], aim):
            first = next(one for one in range(at + 1, last + 1) if lines[one - 1].strip(" =-^"))
            yield Source(path, first, last)


def _shows(lines: Sequence[str], aim: Aim) -> bool:
    """Return whether lines show a command; for tests one that runs some, as a library may have a guide to testing."""
    if aim != "test":
        return _SHOWS_A_COMMAND.search("\n".join(lines)) is not None
    marked = [inner for line in lines for inner in (line, *re.findall(r"`([^`]+)`", line))]
    commands = (COMMAND.match(one) or _TYPED.match(one) for one in marked)
    return any(match is not None and AIMS["test"].search(match[1]) for match in commands)


def _is_below_separate_tests(heads: Sequence[tuple[int, str, int]], number: int) -> bool:
    """Return whether a heading, given by its number, is below one about tests that are run separately."""
    level = heads[number][2]
    for _, title, above in reversed(heads[:number]):
        if above < level:
            level = above
            if re.search(_SEPARATE_TESTS, title, re.IGNORECASE):
                return True
    return False


def _whole_blocks(lines: Sequence[str], head: int, last: int, heads: Collection[int]) -> int:
    """Return the last line of a section to show: it cuts no block of code and is no heading."""
    fences = [at for at in range(head + 1, last + 1) if lines[at - 1].lstrip().startswith(("```", "~~~"))]
    if len(fences) % 2:
        closing = range(last + 1, min(len(lines), last + _LONGEST_SECTION) + 1)
        mark = lines[fences[-1] - 1].lstrip()[:3]
        last = next((at for at in closing if lines[at - 1].lstrip().startswith(mark)), fences[-1] - 1)
    while last > head and (not lines[last - 1].strip(" =-^") or last in heads):
        last -= 1
    return last


def _level(line: str) -> int:
    """Return the level of a heading by its marks; 1 for one that is underlined."""
    return max(len(line) - len(line.lstrip("#")), len(line) - len(line.lstrip("=")), 1)


_FURTHER_GUIDES = lazy_regex(
    r"(?:install|build|compil|test|develop|contribut|hacking|getting|run|usage|quick)", re.IGNORECASE
)
_FOLDERS_OF_GUIDES = ("", ".github", "docs", "doc")


def _guides(material: Material, aim: Aim) -> list[str]:
    """Return the README and the guides for users and contributors, those likeliest to describe an aim first."""
    folders = (f"{material.folder}/{one}".strip("/") for one in _FOLDERS_OF_GUIDES)
    paths = [path for folder in dict.fromkeys(folders) for path in material.beside(folder)]
    stems = {
        path: path.rpartition("/")[2].lower().split(".")[0]
        for path in paths
        if material.profile(path).prose or "." not in path
    }
    guides = [path for path, stem in stems.items() if stem in GUIDES or _FURTHER_GUIDES.match(stem)]
    # Tests are of those who work on it: the guide for them tells best.
    return sorted(guides, key=lambda path: ((stems[path] == "readme") == (aim == "test"), path.count("/"), path))
