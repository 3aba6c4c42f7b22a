"""Which entries of a folder are ignored: nested ignore files, read when first needed, and their pattern language.

The first file with a matching pattern decides: the nearest folder's first; within a folder ``.quaestorignore``, then
``.ignore``, then ``.gitignore``; then the repository's ``info/exclude``, then the user's own file. Patterns given as a
setting come before all files.

Patterns follow git's own matcher (``wildmatch``), byte for byte: names are compared as bytes, written here as
Latin-1 text. One file's lines become two regular expressions. A pattern is matched against the entry itself only; the
walk never enters an ignored folder, so everything in it is ignored, too. Stars become atomic groups, so that
no pattern of a hostile repository takes more than polynomial time.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from enum import Enum
from pathlib import Path

from quaestor.core.light_imports import NamedTuple
from quaestor.files.git_folder import exclude_file, repository_root, user_ignore_file
from quaestor.history.git_boundary import read_small

# No path is longer on any system, and compiling a regular expression of four megabytes takes minutes.
_LONGEST_LINE = 16_384
_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"\x21-\x7e",
    "lower": "a-z",
    "print": r"\x20-\x7e",
    "punct": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    "space": r" \t\n\r\x0b\x0c",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
_SPECIAL = re.compile(r"[*?\[\\]")
_NEVER = "(?!)"
_STAR, _STARS, _FOLDERS = "*", "**", "**/"


class _NeverMatchesError(Exception):
    """The pattern is malformed; in git such a pattern matches nothing."""


class Pattern(NamedTuple):
    """One line of an ignore file.

    Attributes:
        negated: whether it includes again what an earlier line ignored.
        folders_only: whether it matches folders only.
        by_name: whether it is compared with the last part of the path rather than with the whole.
        regex: must match in full.
    """

    negated: bool
    folders_only: bool
    by_name: bool
    regex: str


def as_bytes_text(name: str) -> str:
    """Return a file's name as the text that patterns are matched against: one character for each byte."""
    return name if name.isascii() else os.fsencode(name).decode("latin-1")


class PatternSet:
    """The patterns of one ignore file; the last one that matches decides."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        newest_first = list(patterns)[::-1]
        self._by_name = _Alternatives(newest_first, by_name=True)
        self._by_path = _Alternatives(newest_first, by_name=False)

    @classmethod
    def parse(cls, text: bytes) -> PatternSet:
        """Return the patterns of an ignore file's bytes; malformed lines match nothing, as in git."""
        lines = text.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        parsed = (parse_line(line.removesuffix(b"\r").decode("latin-1")) for line in lines)
        return cls(pattern for pattern in parsed if pattern is not None)

    def decide(self, path: str, name: str, *, folder: bool) -> bool | None:
        """Return True for ignored, False for included again, None if no pattern matches.

        Args:
            path: relative to the ignore file's folder, from ``as_bytes_text``.
            name: the last part of ``path``.
            folder: whether it is a folder.
        """
        rank, negated = self._by_name.first(name, folder)
        path_rank, path_negated = self._by_path.first(path, folder)
        if path_rank < rank:
            rank, negated = path_rank, path_negated
        return None if rank == _Alternatives.NONE else not negated


class _Alternatives:
    """Patterns of one kind as one regular expression, newest first."""

    NONE = 1 << 62

    def __init__(self, newest_first: list[Pattern], *, by_name: bool) -> None:
        self._patterns = [(rank, p) for rank, p in enumerate(newest_first) if p.by_name == by_name]
        # The slash at the end marks a folder and may not be matched by a pattern: */* does not match "a/".
        ends = ((p.regex, "(?<!/)/" if p.folders_only else "(?<!/)/?") for _, p in self._patterns)
        self._regex = re.compile("|".join(f"({regex}{end})" for regex, end in ends), re.DOTALL)

    def first(self, text: str, folder: bool) -> tuple[int, bool]:
        if not self._patterns:
            return self.NONE, False
        match = self._regex.fullmatch(f"{text}/" if folder else text)
        if match is None or match.lastindex is None:
            return self.NONE, False
        rank, pattern = self._patterns[match.lastindex - 1]
        return rank, pattern.negated


def parse_line(line: str) -> Pattern | None:
    """Return the pattern in a line without its line end, or None for a blank line or a comment."""
    if not line or line.startswith("#") or len(line) > _LONGEST_LINE:
        return None
    line = _without_trailing_spaces(line)
    negated = line.startswith("!")
    if negated:
        line = line[1:]
    folders_only = line.endswith("/")
    if folders_only:
        line = line[:-1]
    by_name = "/" not in line
    if not line:
        return None
    try:
        regex = _translate_name(line) if by_name else _translate_path(line.removeprefix("/"))
    except _NeverMatchesError:
        regex = _NEVER
    return Pattern(negated, folders_only, by_name, regex)


def _without_trailing_spaces(line: str) -> str:
    """Remove trailing spaces that no backslash protects."""
    end, at = 0, 0
    while at < len(line):
        if line[at] == "\\":
            at += 2
            end = min(at, len(line))
            continue
        at += 1
        if line[at - 1] != " ":
            end = at
    return line[:end]


def _translate_name(pattern: str) -> str:
    if pattern.startswith("*") and not _SPECIAL.search(pattern, 1):
        return f"[^/]*{re.escape(pattern[1:])}"
    return _join(_tokens(pattern, paths=False))


def _translate_path(pattern: str) -> str:
    """Translate a pattern with a slash.

    Git compares the part before the first special character literally and passes only the rest to its matcher, so two
    stars right after that part count as if they were at the beginning.
    """
    special = _SPECIAL.search(pattern)
    if special is None:
        return re.escape(pattern)
    literal, rest = pattern[: special.start()], pattern[special.start() :]
    return re.escape(literal) + _join(_tokens(rest, paths=True))


def _tokens(pattern: str, *, paths: bool) -> list[tuple[str, str]]:
    """Return (kind, regular expression) pairs; the kind is that of a star or a slash, or empty."""
    tokens: list[tuple[str, str]] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "*":
            kind, at = _stars(pattern, at, paths=paths)
            tokens.append((kind, ""))
        elif char == "?":
            tokens.append(("", "[^/]"))
            at += 1
        elif char == "[":
            regex, at = _bracket(pattern, at + 1)
            tokens.append(("", regex))
        elif char == "\\":
            if at + 1 == len(pattern):
                raise _NeverMatchesError
            tokens.append(("/" if pattern[at + 1] == "/" else "", re.escape(pattern[at + 1])))
            at += 2
        else:
            tokens.append(("/" if char == "/" else "", re.escape(char)))
            at += 1
    return tokens


def _stars(pattern: str, at: int, *, paths: bool) -> tuple[str, int]:
    end = at
    while end < len(pattern) and pattern[end] == "*":
        end += 1
    opens = at == 0 or pattern[at - 1] == "/"
    rest = pattern[end:]
    if not paths or end - at == 1 or not opens or not (not rest or rest.startswith(("/", "\\/"))):
        return _STAR, end
    return (_FOLDERS, end + 1) if rest.startswith("/") else (_STARS, end)


def _bracket(pattern: str, at: int) -> tuple[str, int]:
    """Translate the set that opens before ``at``; return it and the offset after it."""
    negated = pattern[at : at + 1] in ("!", "^")
    at += negated
    members: list[str] = []
    previous = ""
    first = True
    while first or pattern[at : at + 1] != "]":
        first = False
        if at >= len(pattern):
            raise _NeverMatchesError
        char = pattern[at]
        if char == "\\":
            at += 1
            previous = _at(pattern, at)
            members.append(_member(previous))
        elif char == "-" and previous and pattern[at + 1 : at + 2] not in ("", "]"):
            at += 1
            if pattern[at] == "\\":
                at += 1
            last = _at(pattern, at)
            if previous <= last:
                members.append(f"{_member(previous)}-{_member(last)}")
            previous = ""
        elif pattern.startswith("[:", at) and (character_class := _named_class(pattern, at)):
            members.append(character_class[0])
            at, previous = character_class[1], ""
        else:
            previous = char
            members.append(_member(char))
        at += 1
    return _set(members, negated=negated), at + 1


def _at(pattern: str, at: int) -> str:
    if at >= len(pattern):
        raise _NeverMatchesError
    return pattern[at]


def _member(char: str) -> str:
    return f"\\x{ord(char):02x}"


def _named_class(pattern: str, at: int) -> tuple[str, int] | None:
    """Return the members of ``[:name:]`` at an offset and that of its last bracket; None for an unknown class."""
    close = pattern.find("]", at + 2)
    if close < 0:
        raise _NeverMatchesError
    if close - 1 < at + 2 or pattern[close - 1] != ":":
        return None
    name = pattern[at + 2 : close - 1]
    if name not in _CLASSES:
        raise _NeverMatchesError
    return _CLASSES[name], close


def _set(members: list[str], *, negated: bool) -> str:
    inside = "".join(members)
    if negated:
        return f"[^/{inside}]"
    return f"(?!/)[{inside}]" if inside else _NEVER


def _join(tokens: list[tuple[str, str]]) -> str:
    """Join tokens; a star before another star keeps its shortest match, which always suffices."""
    out: list[str] = []
    at = 0
    while at < len(tokens):
        kind, regex = tokens[at]
        at += 1
        if kind == _STAR:
            end = _until(tokens, at, (_STAR, _STARS, _FOLDERS, "/"))
            piece = "".join(regex for _, regex in tokens[at:end])
            nearest = end < len(tokens) and tokens[end][0] == _STAR
            out.append(f"(?>[^/]*?{piece})" if nearest else f"[^/]*{piece}")
            at = end
        elif kind == _FOLDERS:
            end = _until(tokens, at, (_STARS, _FOLDERS))
            piece = _join(tokens[at:end])
            nearest = end < len(tokens)
            out.append(f"(?>(?:.*?/)??{piece})" if nearest else f"(?:.*/)?{piece}")
            at = end
        elif kind == _STARS:
            out.append(".*")
        else:
            out.append(regex)
    return "".join(out)


def _until(tokens: list[tuple[str, str]], at: int, kinds: tuple[str, ...]) -> int:
    while at < len(tokens) and tokens[at][0] not in kinds:
        at += 1
    return at


IGNORE_NAMES = (".quaestorignore", ".ignore", ".gitignore")
"""Names of ignore files, by priority."""

NESTED_EXCLUDE = ".git/info/exclude"
"""The exclude file of a repository inside the root, relative to that repository's folder."""

_LARGEST = 4 << 20


class Verdict(Enum):
    """The patterns' decision on an entry."""

    KEPT = "brought back by a pattern"
    GIT = "ignored by one of git's files"
    OURS = "ignored by a file or setting that git does not know"


class Level:
    """The ignore rules of one folder, in addition to those of its parent."""

    __slots__ = ("_above", "_files", "_folder", "_name", "_sets")

    def __init__(self, above: Level | None, name: str, folder: str, files: Sequence[str] = ()) -> None:
        self._above = above
        self._name = as_bytes_text(name)
        self._folder = folder
        self._files = files
        self._sets: Sequence[tuple[PatternSet, Verdict]] | None = None

    def below(self, name: str, folder: str, files: Sequence[str]) -> Level:
        """Return the rules of a subfolder with these ignore files; ``folder`` is its path."""
        return Level(self, name, folder, files)

    def with_sets(self, sets: Sequence[PatternSet]) -> Level:
        """Add git's patterns, already parsed, and return self."""
        self._sets = [(patterns, Verdict.GIT) for patterns in sets]
        return self

    def decide(self, name: str, *, folder: bool) -> Verdict | None:
        """Return the decision of the nearest pattern that matches an entry of this folder, or None."""
        path = name = as_bytes_text(name)
        level: Level | None = self
        while level is not None:
            for patterns, verdict in level._load_patterns():
                ignored = patterns.decide(path, name, folder=folder)
                if ignored is not None:
                    return verdict if ignored else Verdict.KEPT
            if level._name:
                path = f"{level._name}/{path}"
            level = level._above
        return None

    def _load_patterns(self) -> Sequence[tuple[PatternSet, Verdict]]:
        if self._sets is None:
            self._sets = [
                (_load(Path(self._folder, name)), Verdict.GIT if ".git" in name else Verdict.OURS)
                for name in self._files
            ]
        return self._sets


def _load(path: Path) -> PatternSet:
    """Return the patterns of a regular file; as in git, a link is not followed."""
    return PatternSet([]) if path.is_symlink() else PatternSet.parse(read_small(path, _LARGEST))


def _parse(patterns: Iterable[str]) -> PatternSet:
    return PatternSet.parse(b"\n".join(os.fsencode(pattern) for pattern in patterns))


def outer_files(root: Path) -> list[Path]:
    """Return the ignore files outside ``root`` that apply inside it, whether or not they exist."""
    repository = repository_root(root)
    files = []
    if repository is not None:
        files += [folder / name for folder in _folders_between(repository, root) for name in IGNORE_NAMES]
        files.append(exclude_file(repository))
    user = user_ignore_file()
    return files if user is None else [*files, user]


def root_level(root: Path, files: Sequence[str]) -> Level:
    """Return the rules of ``root`` with these ignore files, in addition to all that apply above it."""
    repository = repository_root(root)
    outermost = [_load(exclude_file(repository))] if repository is not None else []
    user = user_ignore_file()
    if user is not None:
        # People keep their settings elsewhere and link to them, so links are followed here.
        outermost.append(PatternSet.parse(read_small(user, _LARGEST)))
    level = Level(None, "", "").with_sets(outermost)
    for folder in _folders_between(repository, root) if repository is not None else []:
        level = level.below("" if folder == repository else folder.name, str(folder), IGNORE_NAMES)
    return level.below(root.name if repository not in (None, root) else "", str(root), files)


def _folders_between(repository: Path, root: Path) -> list[Path]:
    """Return the folders from the repository's root down to the parent of ``root``."""
    above = [folder for folder in root.parents if folder == repository or repository in folder.parents]
    return above[::-1]


class SettingPatterns:
    """Patterns from the settings, which win over every ignore file."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = _parse(patterns) if patterns else None

    def decide(self, path: str, name: str, *, folder: bool) -> Verdict | None:
        """Return the patterns' decision; ``path`` is relative to the root."""
        if self._patterns is None:
            return None
        ignored = self._patterns.decide(as_bytes_text(path), as_bytes_text(name), folder=folder)
        return None if ignored is None else Verdict.OURS if ignored else Verdict.KEPT
