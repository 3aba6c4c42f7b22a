"""Finds the folders and files that the documents describe, and what they say of each.

Lists, tables, headings and drawn trees are searched for paths of this corpus. A nested item is looked for in the
folder of the item around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from posixpath import dirname, splitext

from quaestor.answers.overview.material import Material
from quaestor.answers.overview.overview_text import Source, Statement
from quaestor.answers.overview.prose_lines import plain, says_something
from quaestor.chunking.languages import knows_extension

_MOST_DOCUMENTS = 24
_MOST_LINES = 1500
_MAPS = frozenset(
    """architecture anatomy structure layout codebase internals hacking development developing developer developers
    contributing contributors code files modules overview design agents claude copilot-instructions guide crates
    packages developer_information participating""".split()
)
# Deep in a tree the others are words of users' documents: a page on layout, the chapters of a guide.
_FOR_DEVELOPERS = _MAPS - frozenset("layout code files modules overview design agents guide packages".split())
_EXPLAINING = "architecture anatomy structure codebase internals design hacking development contributing".split()
_LEADING = frozenset("readme agents claude architecture hacking development contributing contribute".split())
# The marks before an item: of a list, a table, a drawn tree, a heading.
_MARKER = re.compile(r"^([\s│├└─|`+\\-]*?)((?:[-*+•|>]|\d{1,2}[.)]|[│├└─]+|#{1,6}|\\--|\|--|`--)?\s*)(\[[ x]\]\s*)?")
_TOKEN = re.compile(r"(?<![\w./@:+-])\.?/?[\w@+.-]*\w(?:/[\w@+.-]+)*/?")
_URL = re.compile(r"https?://(?:github\.com|gitlab\.com)/[\w.-]+/[\w.-]+/(?:-/)?(?:tree|blob)/[\w.-]+/")
_OTHER_URL = re.compile(r"https?://[^\s)>\]]+")
_STRONG_BEFORE = re.compile(r"[`*(\[\"'/_]$|file:`$")
_BETWEEN = re.compile(r"^[\s`*_|,)\]'\"&]*+(?:\([^)]*\)[\s`*_|,]*+)?(?:and\b|or\b|,|/)?[\s`*_(\['\"]*$")
_KIND = re.compile(r"^(?:folders?|directory|directories|module|package|file|crate)[.,:]?\s+[(]?")
_LETTERS = re.compile(r"\w+")
_JOINS = re.compile(r"[,/&|]|\b(?:and|or)\b")
_SEPARATOR = re.compile(r"^[\s`*_)\]|'\"/\\#]*(?:[:–—=-]+|\.\.+)?[\s`*_|]*")
# What goes on in a sentence: ", which would be ignored)".
_RUNNING = re.compile(
    r"^[\s`*_)\]'\"]*(?:,\s*)?(?:which|that|who|and|or|but|so|then|than|as well|too|instead|if|when|where"
    r"|has|have|had|was|were|will|should|would|must|did)\b",
    re.I,
)
_CALL = re.compile(r"^\s*[(]")
# What is indented as code is not a heading, but a comment.
_BULLET = re.compile(r"^\s*(?:[-*+•|]|\d{1,2}[.)]|[│├└])|^ {0,3}#{1,6}\s")
# A backtick draws only before a line: elsewhere it begins a name in running text.
_DRAWN = re.compile(r"^\s*(?:[│├└|]|`-)")
# client/   - the app, main.py   # its entry: the next line of a list without marks.
_NEXT_PATH = re.compile(
    r"\s*(?:[\w.*-]+(?:/[\w.*-]*)+(?:\s+(?:-|—|–|#|<-|←)\s|\s*$)|[\w*-]+\.\w+\s+(?:-|—|–|#|<-|←)\s)"
)
_PROMPTS = ("$ ", "% ", ">>> ")
# Options after a name make a command of it: "| tqdm --bytes --total 9".
_OPTION = re.compile(r"\s+--?\w")
_OPENS = {")": "(", "]": "["}
_FEATURE = re.compile(r"\s*(?:[-*+|]|\d+\.)\s*[`*_\"']*feat\b")
_LEADERS = 3
_MOST_WRAPPED = 3


@dataclass(frozen=True, slots=True)
class NamedPath:
    """A folder or a file that a document names.

    Attributes:
        path: the path of the folder or file.
        weight: how much the mention counts, above 0; 1 for a list item in a document of the root.
        says: its description, or None.
    """

    path: str
    weight: float
    says: Statement | None


@dataclass(slots=True)  # mutable: changed while a tree is read
class _Level:
    indent: int
    path: str


def named_paths(material: Material) -> dict[str, NamedPath]:
    """Return the paths that documents name, in order; of several mentions, the one with the highest weight counts."""
    by_path: dict[str, NamedPath] = {}
    for path, weight in _maps(material):
        for one in _PathReader(material, path, weight).read_names():
            known = by_path.get(one.path)
            if known is None:
                by_path[one.path] = one
            else:
                best = max(known, one, key=lambda each: each.weight)
                by_path[one.path] = NamedPath(one.path, min(best.weight + 0.02, 1.2), known.says or one.says)
    return by_path


def guides_to_the_whole(material: Material) -> list[str]:
    """Return the documents that explain to developers how the whole is built, those by architecture first."""
    guides = [
        (_EXPLAINING.index(stem), path.count("/"), path)
        for path in material.documents
        if (stem := path.rpartition("/")[2].split(".")[0].lower()) in _EXPLAINING
        and path.count("/") <= 1
        and material.profile(path).prose
        and not (material.stands_behind(path) or material.profile(path).test or material.profile(path).example)
    ]
    return [path for *_, path in sorted(guides)]


def _maps(material: Material) -> list[tuple[str, float]]:
    """Return the documents that may describe the layout, each with its weight."""
    ranked = []
    for path, document in material.documents.items():
        profile = material.profile(path)
        if (
            not (profile.prose or document.language == "text")
            or material.stands_behind(path)
            or profile.test
            or profile.example
        ):
            continue
        stem = path.rpartition("/")[2].split(".")[0].lower()
        depth = path.count("/")
        if depth == 0 and (stem in _LEADING or stem in _MAPS):
            ranked.append((path, 1.0))
        elif depth <= 5 and (_MAPS if depth <= 1 else _FOR_DEVELOPERS) & {stem, *re.split(r"[-_ ]|\d+", stem)}:
            ranked.append((path, 0.9 if profile.folders and profile.folders[0].lower().startswith("doc") else 0.6))
        elif depth <= 5 and depth and path.split("/")[-2].lower() in _FOR_DEVELOPERS:
            ranked.append((path, 0.7))
    ranked.sort(key=lambda one: (-one[1], one[0].count("/"), one[0]))
    return ranked[:_MOST_DOCUMENTS]


class _PathReader:
    """Reads one document for paths."""

    def __init__(self, material: Material, path: str, weight: float) -> None:
        self._material = material
        self._path = path
        self._weight = weight
        self._lines = material.lines(path)[:_MOST_LINES]
        self._stack: list[_Level] = []
        self._recent: list[str] = []

    def read_names(self) -> Iterator[NamedPath]:
        fence = ""
        kinds = _kinds_of_commits(self._lines)
        for number, line in enumerate(self._lines, 1):
            marks = line.strip()[:3]
            if marks in ("```", "~~~"):
                fence = "" if fence == marks else fence or marks
                self._stack = []
            elif line.strip() and number not in kinds:
                command = line.lstrip().startswith(_PROMPTS)
                yield from self._on_line(number, line, code=bool(fence) or command)

    def _on_line(self, number: int, line: str, *, code: bool) -> Iterator[NamedPath]:
        text = _OTHER_URL.sub(
            lambda match: " " * len(match[0]), _URL.sub(lambda match: " " * (len(match[0]) - 1) + "/", line)
        )
        marker = _MARKER.match(text)
        begin = marker.end() if marker else 0
        indent = begin if marker and not line.lstrip().startswith("|") else 0
        while self._stack and self._stack[-1].indent >= indent:
            self._stack.pop()
        leading: list[tuple[str, int]] = []
        lead_end, begins = begin, False
        for match in _TOKEN.finditer(text, begin):
            before = text[lead_end : match.start()]
            joined = _BETWEEN.match(before) is not None and _JOINS.search(before) is not None
            words = len(_LETTERS.findall(before))
            leads = len(leading) < _LEADERS and (
                joined if leading else words <= (3 if self._is_strong(text, match) else 0)
            )
            path = self._path_named_by(
                match[0], strong=self._is_strong(text, match), leads=leads and _BULLET.match(line) is not None
            )
            if path is None or _CALL.match(text[match.end() : match.end() + 2]) or text.startswith(":`", match.end()):
                continue  # `docs:` is a kind of commit
            if leads:
                leading.append((path, match.end()))
                lead_end = match.end()
                begins = begins or (len(leading) == 1 and not words)
            else:
                yield NamedPath(path, 0.3 * self._weight, None)
        if leading:
            drawn = _follows_in_columns(line, leading[0][1]) or _DRAWN.match(line) is not None
            in_list = drawn or (not code and _BULLET.match(line) is not None)
            yield from self._read_leading_name(number, line, indent, leading, listed=in_list, begins=begins)

    def _read_leading_name(
        self, number: int, line: str, indent: int, leading: Sequence[tuple[str, int]], *, listed: bool, begins: bool
    ) -> Iterator[NamedPath]:
        # Only what begins an item is what the item is about.
        statement = self._statement_about(number, line, leading[-1][1], indent) if listed and begins else None
        for path, _ in leading:
            yield NamedPath(path, self._weight * (1.0 if listed else 0.5), statement)
        first = leading[0][0]
        if first in self._material.folders:
            self._stack.append(_Level(indent, first))
            self._recent = [first, *(one for one in self._recent if one != first)][:4]

    def _is_strong(self, text: str, match: re.Match[str]) -> bool:
        return _STRONG_BEFORE.search(text[max(0, match.start() - 6) : match.start()]) is not None

    def _path_named_by(self, token: str, *, strong: bool, leads: bool) -> str | None:
        """Return the folder or file that a word names; None if it is no path of this corpus."""
        name = token.removeprefix("./").strip("/").rstrip(".,:;")
        if len(name) < 2 and not (strong and name):
            return None
        marked = strong or leads
        if not marked and "/" not in token and not knows_extension(name) and name not in self._material.documents:
            return None
        if self._stack and not token.startswith("/"):
            for level in reversed(self._stack):
                if path := self._existing_path(f"{level.path}/{name}"):
                    return path
        if ("/" in token or marked or knows_extension(name)) and (path := self._existing_path(name)):
            # "test" alone may be any word; a folder of that name is meant where it is marked as a name.
            return path if "/" in token or marked or path not in self._material.folders else None
        for folder in (*self._recent, dirname(self._path)):
            if (marked or "/" in token) and folder and (path := self._existing_path(f"{folder}/{name}")):
                return path
        return self._by_end(name, marked=marked)

    def _existing_path(self, path: str) -> str | None:
        return path if path in self._material.folders or path in self._material.documents else None

    def _by_end(self, name: str, *, marked: bool) -> str | None:
        places = self._material.places
        if "/" in name:
            last = name.rpartition("/")[2]
            return self._only(path for path in places.get(last.lower(), ()) if path.endswith(f"/{name}"))
        if not marked or len(name) < 4:
            return None
        is_distinctive = knows_extension(name) or "_" in name or "-" in name
        if path := self._only(places.get(name.lower(), ()) if is_distinctive else ()):
            return path
        if "." in name and not knows_extension(name):
            parts = name.replace(".", "/")
            last = parts.rpartition("/")[2].lower()
            named = (*places.get(last, ()), *self._material.stems.get(last, ()))
            return self._only({path for path in named if splitext(f"/{path}")[0].endswith(f"/{parts}")})
        return self._only(self._material.stems.get(name.lower(), ())) if is_distinctive else None

    def _only(self, paths: Iterable[str]) -> str | None:
        """Return the shallowest path that is neither vendored nor a test; None if two are equally shallow."""
        candidates = sorted(
            (path for path in paths if not self._material.stands_behind(f"{path}/x")), key=lambda path: path.count("/")
        )
        candidates = [path for path in candidates if not self._material.profile(f"{path}/x").test] or candidates
        if len(candidates) > 1 and candidates[0].count("/") == candidates[1].count("/"):
            return None
        return candidates[0] if candidates else None

    def _statement_about(self, number: int, line: str, end: int, indent: int) -> Statement | None:
        """Return the description of the path that ends at an offset in a line, from that line or else the next one."""
        # What goes on within its backticks is a command: "`manage.py compress` - makes bundles".
        if _OPTION.match(line, end) or (line.count("`", 0, end) % 2 and line[end : end + 1] == " "):
            return None
        table = line.lstrip().startswith("|")
        last = number if table else self._end_of_sentence(number)
        rest = _SEPARATOR.sub("", " ".join([line[end:], *map(str.strip, self._lines[number:last])]), count=1)
        cell = rest.split(" | ")[0] if table else rest
        text = _without_marks(plain(_SEPARATOR.sub("", cell, count=1)))
        if len(text.split()) >= 2 and not text.startswith("<") and not text.endswith(":") and not _goes_on(rest, text):
            return Statement(text, Source(self._path, number, last), verbatim=last == number and text in line)
        for below in range(number + 1, min(number + 6, len(self._lines) + 1)):
            following = self._lines[below - 1]
            if not following.strip() or following.strip().startswith(("[", "<", "!", "=")):
                continue
            deeper = len(following) - len(following.lstrip()) > indent - 2 or line.startswith("#")
            text = _without_marks(plain(following))
            if not deeper or _BULLET.match(following) or not says_something(text) or text.endswith(":"):
                return None
            return Statement(text, Source(self._path, below, below), verbatim=text in following)
        return None

    def _end_of_sentence(self, number: int) -> int:
        """Return the line that ends the sentence of a list item, which may be wrapped over a few lines."""
        last = number
        while (
            last < min(len(self._lines), number + _MOST_WRAPPED)
            and not self._lines[last - 1].rstrip().endswith((".", ":", "!", "?"))
            and self._lines[last].startswith((" ", "\t"))
            and self._lines[last].strip()
            and not _BULLET.match(self._lines[last])
            and not _NEXT_PATH.match(self._lines[last])
            and not _DRAWN.match(self._lines[last])
        ):
            last += 1
        return last


def _kinds_of_commits(lines: Sequence[str]) -> frozenset[int]:
    """Return the numbers of the lines of lists in which "docs" and "test" are kinds of commits, as "feat" is."""
    listed: set[int] = set()
    for blank, group in groupby(enumerate(lines, 1), key=lambda one: not one[1].strip()):
        block = list(group)
        if not blank and any(_FEATURE.match(line) for _, line in block):
            listed.update(number for number, _ in block)
    return frozenset(listed)


def _goes_on(rest: str, text: str) -> bool:
    """Return whether the text after a path continues a sentence that began before it and so is no description."""
    return _RUNNING.match(rest) is not None or text.count("(") < text.count(")")


def _without_marks(text: str) -> str:
    """Return a description without the punctuation around it."""
    text = text.replace("\\ ", "").lstrip("*_[(-–—,;:.\\ ").rstrip("*_ ")
    while text.endswith((")", "]")) and text.count(_OPENS[text[-1]]) < text.count(text[-1]):
        text = text[:-1].rstrip("*_ ")
    return _KIND.sub("", text)


def _follows_in_columns(line: str, end: int) -> bool:
    """Return whether the text after a word is a column of its own, as in ``atuin-kv    Key-value store``."""
    return bool(re.match(r"\s{2,}\S|\s*(?:#|—|–|--|<-|←)\s", line[end:]))
