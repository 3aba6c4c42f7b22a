"""Makes edit cases from real commits: a file, a reply that changes it, and the expected file.

A hunk of a commit becomes a search and replace block with as many lines around it as make it unique. Then the block is
damaged, both halves alike, as by a model that misremembers the file. Cases that must be refused are made from the same
hunks. Nothing is random: hashes of the lines decide which of them are damaged.
"""

from __future__ import annotations

import subprocess
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

_SUFFIXES = frozenset(
    """py pyi js jsx mjs ts tsx go rs java kt rb php c h cc cpp hpp cs swift scala lua ex exs sh md rst txt toml yaml
    yml json css html vue""".split()
)
_LARGEST = 200_000
_LONGEST_HUNK = 40
_AROUND = 3
_AROUND_MOST = 12


@dataclass(frozen=True, slots=True)
class Hunk:
    """One hunk of one commit.

    Attributes:
        repository: its name.
        commit: hash.
        path: of the file.
        before: lines of the file before the commit, without line ends.
        after: lines with this hunk alone applied.
        later: lines of the file as the commit left it.
        start: first line that changes, from 0.
        stop: the line after the last one that goes.
        new: lines that come.
        ends: whether the file ends in a line feed.
    """

    repository: str
    commit: str
    path: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    later: tuple[str, ...]
    start: int
    stop: int
    new: tuple[str, ...]
    ends: bool


@dataclass(frozen=True, slots=True)
class Case:
    """One block for one file.

    Attributes:
        name: of the damage.
        hunk: where it comes from.
        file: lines of the file that is edited.
        search: lines of the block's first half.
        replace: lines of its second half.
        truth: lines of the file afterwards; None: the block must be refused.
    """

    name: str
    hunk: Hunk
    file: tuple[str, ...]
    search: tuple[str, ...]
    replace: tuple[str, ...]
    truth: tuple[str, ...] | None


ONLY_NEW = "quotation left sound"
"""The name of cases in which the damage does not show in what is quoted of the file, but in what is to be written."""

Block = tuple[list[str], list[str]]


def hunks(repository: Path, wanted: int) -> Iterator[Hunk]:
    """Yield hunks of a bare repository's newest commits, one a commit, spread evenly over up to 3,000 of them."""
    listing = _git(repository, "log", "--no-merges", "--diff-filter=M", "--no-renames", "-n", "3000", "--format=%H")
    commits = listing.decode().split()
    found = 0
    # Every seventh and so on: neighbouring commits are often about the same lines.
    for commit in sorted(commits, key=lambda one: zlib.crc32(one.encode())):
        hunk = _hunk_of(repository, commit)
        if hunk is not None:
            yield hunk
            found += 1
            if found == wanted:
                return


def name_of(repository: Path) -> str:
    """Return the name of a repository: its folder's, or that of the folder that holds its git directory."""
    return (repository.parent if repository.name in ("repo", ".git") else repository).name.replace("+", "/")


def _hunk_of(repository: Path, commit: str) -> Hunk | None:
    names = _git(repository, "diff-tree", "-r", "--no-commit-id", "--diff-filter=M", "--name-only", "-z", commit)
    paths = sorted(
        name for name in names.decode("utf-8", "replace").split("\0") if name.rpartition(".")[2] in _SUFFIXES
    )
    if not paths or len(paths) > 40:
        return None
    path = paths[_pick(commit, len(paths))]
    before, after = _blob(repository, f"{commit}^", path), _blob(repository, commit, path)
    if before is None or after is None:
        return None
    old, new = before.split("\n"), after.split("\n")
    ends = not old[-1]
    old, new = old[: -1 if ends else None], new[: -1 if not new[-1] else None]
    codes = [code for code in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if code[0] != "equal"]
    if not codes or len(codes) > 60:
        return None
    _, i1, i2, j1, j2 = codes[_pick(path + commit, len(codes))]
    if i2 - i1 > _LONGEST_HUNK or j2 - j1 > _LONGEST_HUNK:
        return None
    result = (*old[:i1], *new[j1:j2], *old[i2:])
    return Hunk(name_of(repository), commit, path, tuple(old), result, tuple(new), i1, i2, tuple(new[j1:j2]), ends)


def _blob(repository: Path, commit: str, path: str) -> str | None:
    try:
        data = _git(repository, "cat-file", "blob", f"{commit}:{path}")
        text = data.decode("utf-8")
    except (subprocess.CalledProcessError, UnicodeDecodeError):
        return None
    return text if len(data) <= _LARGEST and text and "\0" not in text and "\r" not in text else None


def _git(repository: Path, *arguments: str) -> bytes:
    command = ["git", "-c", "safe.directory=*", "-C", str(repository), *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout


# --- cases --------------------------------------------------------------------------------------------------------


def cases(hunk: Hunk) -> Iterator[Case]:
    """Yield every case that a hunk allows."""
    around = _unique(hunk, _AROUND)
    if around is not None:
        clean = _block(hunk, around)
        for name, damage in _DAMAGES.items():
            damaged = damage(*clean) if _keeps(name, hunk) else None
            if damaged is None or (name != "clean" and damaged == clean):
                continue
            yield _case(name if name == "clean" or _shows(name, hunk, clean, damaged) else ONLY_NEW, hunk, damaged)
    wide = _unique(hunk, _AROUND_MOST)
    if wide is not None:
        block = _block(hunk, wide)
        for name, change in (("elided", _elided), ("dropped lines", _dropped), ("repeated line", _repeated)):
            damaged = change(hunk, wide, *block)
            if damaged is not None:
                yield _case(name if not _windows(hunk.before, damaged[0]) else ONLY_NEW, hunk, damaged)
    yield from _to_refuse(hunk)


def _shows(name: str, hunk: Hunk, clean: Block, damaged: Block) -> bool:
    """Return whether every part of the damage shows in the quoted lines: else the new lines may be meant as written."""
    search = damaged[0]
    if "curly" in name and not any(_curly(line) != line for line in clean[0]):
        return False
    if "trailing" in name and not any(line != line.rstrip() for line in search if line.strip()):
        return False
    return not _windows(hunk.before, search)


def _keeps(name: str, hunk: Hunk) -> bool:
    """Return whether what the commit does survives the damage: blanks at line ends, and blank lines, may be it."""
    changed = (*hunk.before[hunk.start : hunk.stop], *hunk.new)
    if "trailing" in name and any(line != line.rstrip() for line in changed):
        return False
    if "dedented" in name and not all(line.strip() or not line for line in changed):
        return False
    if "tabs" in name:
        kinds = {line[: len(line) - len(line.lstrip())] for line in changed} | {"\t" if _has_tabs(hunk) else " "}
        return all(line.strip() or not line for line in changed) and len(set("".join(kinds))) == 1
    if name == "blank lines lost":
        return all(line.strip() for line in changed)
    return True


def _has_tabs(hunk: Hunk) -> bool:
    """Return whether the lines that the block is made of are indented with tabs."""
    return any(line.startswith("\t") for line in hunk.before[max(0, hunk.start - _AROUND) : hunk.stop + _AROUND])


def _case(name: str, hunk: Hunk, block: Block, truth: bool = True) -> Case:
    return Case(name, hunk, hunk.before, tuple(block[0]), tuple(block[1]), hunk.after if truth else None)


def _unique(hunk: Hunk, around: int) -> int | None:
    """Return how many lines around the hunk make it unique; None if forty do not."""
    while around <= 40:
        search = _block(hunk, around)[0]
        if search and len(_windows(hunk.before, search)) == 1:
            return around
        around += 1
    return None


def _block(hunk: Hunk, around: int) -> Block:
    low, high = max(0, hunk.start - around), min(len(hunk.before), hunk.stop + around)
    head, tail = hunk.before[low : hunk.start], hunk.before[hunk.stop : high]
    return [*head, *hunk.before[hunk.start : hunk.stop], *tail], [*head, *hunk.new, *tail]


def _windows(file: Sequence[str], search: Sequence[str]) -> list[int]:
    size = len(search)
    return [at for at in range(len(file) - size + 1) if list(file[at : at + size]) == list(search)]


def _pick(text: str, count: int) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass")) % count


# --- damage to both halves ----------------------------------------------------------------------------------------


def _both(line: Callable[[str], str]) -> Callable[[list[str], list[str]], Block]:
    return lambda search, replace: ([line(one) for one in search], [line(one) for one in replace])


def _deeper(line: str) -> str:
    return f"    {line}" if line.strip() else line


def _dedented(search: list[str], replace: list[str]) -> Block | None:
    said = [line for line in (*search, *replace) if line.strip()]
    common = min((len(line) - len(line.lstrip()) for line in said), default=0)
    return ([line[common:] for line in search], [line[common:] for line in replace]) if common else None


def _trailing(line: str) -> str:
    return line + " " * (zlib.crc32(line.encode()) % 4) if line.strip() else line


def _curly(line: str) -> str:
    out, open_ = [], False
    for letter in line:
        if letter == '"':
            out.append("”" if open_ else "“")
            open_ = not open_
        else:
            out.append("’" if letter == "'" else letter)
    return "".join(out)


def _tabs(line: str) -> str:
    body = line.lstrip(" \t")
    indent = line[: len(line) - len(body)]
    if "\t" in indent:
        return indent.replace("\t", "    ") + body
    return "\t" * (len(indent) // 4) + " " * (len(indent) % 4) + body


def _expanded(line: str) -> str:
    return line.expandtabs(4)


def _numbered(search: list[str], replace: list[str]) -> Block:
    start = 1 + _pick("".join(search), 400)
    return (
        [f"{start + at:4} | {line}" for at, line in enumerate(search)],
        [f"{start + at:4} | {line}" for at, line in enumerate(replace)],
    )


def _stripped(search: list[str], replace: list[str]) -> Block | None:
    if not search or not replace or search[0] == search[0].lstrip():
        return None
    return [search[0].lstrip(), *search[1:]], [replace[0].lstrip(), *replace[1:]]


def _blank_lines_lost(search: list[str], replace: list[str]) -> Block:
    return [line for line in search if line.strip()], [line for line in replace if line.strip()]


def _blank_lines_around(search: list[str], replace: list[str]) -> Block:
    return ["", *search, ""], ["", *replace, ""]


def _twice(one: Callable[..., Block | None], two: Callable[..., Block | None]) -> Callable[..., Block | None]:
    def damage(search: list[str], replace: list[str]) -> Block | None:
        first = one(search, replace)
        return two(*first) if first is not None else None

    return damage


_DAMAGES: dict[str, Callable[[list[str], list[str]], Block | None]] = {
    "clean": lambda search, replace: (search, replace),
    "indented deeper": _both(_deeper),
    "dedented": _dedented,
    "first line stripped": _stripped,
    "tabs for blanks": _both(_tabs),
    "tabs expanded": _both(_expanded),
    "trailing blanks": _both(_trailing),
    "curly quotes": _both(_curly),
    "line numbers": _numbered,
    "blank lines lost": _blank_lines_lost,
    "blank lines around": _blank_lines_around,
    "dedented, trailing blanks": _twice(_dedented, _both(_trailing)),
    "tabs, curly quotes": _twice(_both(_tabs), _both(_curly)),
}


def _elided(hunk: Hunk, around: int, search: list[str], replace: list[str]) -> Block | None:
    """Put dots for the lines before the hunk, but for the first two and the nearest."""
    head = min(around, hunk.start)
    if head < 5:
        return None
    dots = ["..."]
    return (
        [*search[:2], *dots, *search[head - 1 :]],
        [*replace[:2], *dots, *replace[head - 1 :]],
    )


def _dropped(hunk: Hunk, around: int, search: list[str], replace: list[str]) -> Block | None:
    """Leave one line that does not change out, without a word."""
    head = min(around, hunk.start)
    if head < 4:
        return None
    at = 1 + _pick("".join(search), head - 1)
    return [*search[:at], *search[at + 1 :]], [*replace[:at], *replace[at + 1 :]]


def _repeated(hunk: Hunk, around: int, search: list[str], replace: list[str]) -> Block | None:
    """Write one line that does not change twice."""
    head = min(around, hunk.start)
    places = [at for at in range(head) if search[at].strip()]
    if not places:
        return None
    at = places[_pick("".join(replace), len(places))]
    return [*search[: at + 1], *search[at:]], [*replace[: at + 1], *replace[at:]]


def _misquoted(line: str) -> str:
    """Change one word of a line, as a model does that writes from recollection."""
    words = line.split(" ")
    longest = max(range(len(words)), key=lambda at: len(words[at]))
    return " ".join([*words[:longest], words[longest] + "s", *words[longest + 1 :]])


# --- what must be refused, and what may be ------------------------------------------------------------------------


def _to_refuse(hunk: Hunk) -> Iterator[Case]:
    old = list(hunk.before[hunk.start : hunk.stop])
    said = [line for line in old if line.strip()]
    around = _unique(hunk, _AROUND)
    if said and len(_windows(hunk.before, old)) > 1:
        yield _case("ambiguous", hunk, (old, list(hunk.new)), truth=False)
    if around is None:
        return
    search, replace = _block(hunk, around)
    head = min(around, hunk.start)
    keys = {" ".join(line.split()) for line in hunk.later}
    if said and not any(" ".join(line.split()) in keys for line in said):
        yield Case("stale", hunk, hunk.later, tuple(search), tuple(replace), None)
    copied = (*hunk.before, "", *hunk.before)
    yield Case("file with a twin", hunk, copied, tuple(search), tuple(replace), None)
    if len(hunk.new) >= 4:
        comment = "#" if hunk.path.endswith((".py", ".rb", ".sh", ".yml", ".yaml", ".toml", ".ex", ".exs")) else "//"
        indent = hunk.new[1][: len(hunk.new[1]) - len(hunk.new[1].lstrip())]
        lazy = [*replace[: head + 1], f"{indent}{comment} ... rest of the code ...", *replace[head + len(hunk.new) :]]
        yield _case("replacement elided", hunk, (search, lazy), truth=False)
    if head >= 2:
        at = next((at for at in range(head) if search[at].strip()), None)
        if at is not None and at < head - 1:
            wrong = _misquoted(search[at])
            yield _case("a line misquoted", hunk, ([*_set(search, at, wrong)], [*_set(replace, at, wrong)]))
    if said:
        at = head + next(at for at, line in enumerate(old) if line.strip())
        yield _case("a changed line misquoted", hunk, (_set(search, at, _misquoted(search[at])), replace))


def _set(lines: list[str], at: int, line: str) -> list[str]:
    return [*lines[:at], line, *lines[at + 1 :]]
