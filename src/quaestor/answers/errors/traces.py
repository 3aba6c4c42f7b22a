"""Reads a pasted trace or log: the frames that point into files, and the lines that say what went wrong. Pure.

The frames of all languages are read in the same way. A place is a path followed by a line number, whatever separates
the two. The function is a name beside it, or in the line before if the place is alone in its line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from quaestor.chunking.languages import knows_extension
from quaestor.core.light_imports import NamedTuple, lazy_regex

# No start is tried within what an earlier one would have taken, and what a name took is not given back.
_PLACE = lazy_regex(
    r"(?<![\w@~+-])(?<![\w@~+-]\.)((?:[A-Za-z]:)?(?:[\w.@~+-]*+[/\\])*+[\w@~+-][\w.@~+-]*\.[A-Za-z]\w{0,9})"
    r"(?:\"?,? lines? |\"? on line |:line |\"?\},\s*\{line,\s?|[:(])(\d{1,7})"
)
_FRAME = lazy_regex(
    r"^\s*(?:at\b|by\s+0x|File \"|#\s?\d+|from\b|in\b|\d+:\s|-\s|\(\w[\w-]* [\d.]+\w*\)|\[?\{\w+,\w+,\d+|@\s+0x"
    r"|\w[\w.-]*\s+0x|\d+\s+\S+\s+0x|stack:|[^\s:]+:\d+:in\b)"
    r"|^\s*(?:[A-Za-z]:)?[\w./\\@~+-]+:\d+(?::\d+|: ?_?in\b.*|\s\+0x\w+|:?\s*)$|\bcalled at\b|^\s*\S*@\S*:\d+:\d+\s*$"
)
# A function of Go stands in the line before its place: github.com/x/y.(*Raft).runFSM(0xc00, {...})
_GO = lazy_regex(r"^(?:[\w.-]+/)*[\w.-]+\.[\w.()*]+\(.*\)$")
_NAME = lazy_regex(r"[^\W\d][\w$]*[!?]?")
_PANIC = lazy_regex(r"\bpanicked at\b")
# Python and R put the innermost frame last.
_LAST = lazy_regex(r"^[ \t]*File \"[^\n\"]*\", line \d+|^Backtrace:\n[ \t]+(?:▆\n[ \t]+)?1\. ", re.MULTILINE)
_ECHO = lazy_regex(r"^\s{4,}\S")
_MARKS = lazy_regex(r"^\s*[~^]+\s*$")
_ELSEWHERE = lazy_regex(
    r"(?:^|[/\\])(?:site-packages|dist-packages|node_modules|gems|pkg[/\\]mod|vendor|deps|\.cargo[/\\]registry|rustc"
    r"|usr[/\\](?:local[/\\])?(?:lib|include|share)|lib[/\\]python[\d.]+|jdk|libexec|Program Files)(?=[/\\])|^<"
)
_NO_FUNCTIONS = frozenset(
    {"at", "by", "in", "File", "from", "block", "levels", "function", "async", "static", "called", "anonymous"}
)
# What a line begins with in a log that was copied out of quotes, once or twice; \temp is a folder.
_ESCAPED_TAB = lazy_regex(r"^\\{1,2}t(?=(?:at|from|in|File|\.\.\.)\s|[\s#\d(])")
_PHP = lazy_regex(r"^#\d+ [^\n(]{1,400}\(\d+\): ", re.MULTILINE)
_RUBY = lazy_regex(r"(\s*\S.{0,400}:\d+:in [`'][^`'\n]{1,200}'): (.+)")
"""The first line of Ruby's trace, which is the innermost frame and the message."""
_OF_PROCESS = lazy_regex(r"^==\d+== ?")
"""The prefix of each line of Valgrind and the sanitizers."""
_SAID = lazy_regex(r"\"((?:[^\"\\]|\\.)*+)\"")
_FEWEST_BLANKS = 2
_MOST_LINES = 300
_LONGEST_LINE = 600
_MOST_NAMES = 30


class Frame(NamedTuple):
    """One step of a trace.

    Attributes:
        path: the path in the trace, with ``/``; empty if the step names only a function.
        line: the line, 1-based; None if the step names none.
        names: the identifiers beside the place, in order: a qualified name's last part is the function.
        code: the line of source that the trace shows, without blanks at its ends; empty if it shows none.
    """

    path: str
    line: int | None
    names: tuple[str, ...]
    code: str = ""

    @property
    def is_installed(self) -> bool:
        """Whether the path is in a folder of installed packages; this corpus's own package may be one of them."""
        return _ELSEWHERE.search(self.path) is not None


class Trace(NamedTuple):
    """A text that reports an error.

    Attributes:
        frames: the frames, innermost first.
        messages: the other lines of the text, without the places in them.
    """

    frames: tuple[Frame, ...]
    messages: tuple[str, ...]


def read_trace(text: str) -> Trace:
    """Return the frames and messages of a text; only both ends of a very long text are read."""
    cut = (_OF_PROCESS.sub("", line[:_LONGEST_LINE]) for line in text.splitlines())
    lines = _ends([part for line in cut if line.strip() for part in _parts_of(_ESCAPED_TAB.sub("\t", line))])
    frames: list[Frame] = []
    messages: list[str] = []
    skipped = False
    for at, line in enumerate(lines):
        if skipped:
            skipped = False
            continue
        following = lines[at + 1] if at + 1 < len(lines) else ""
        frame = _frame(line, lines[at - 1] if at else "", following)
        if frame is not None:
            frames.append(frame)
            skipped = bool(frame.code)
        elsewise = frame is not None and not _says_more(line)
        if elsewise:
            # A debugger shows what a function was called with, a message perhaps.
            messages += [] if 'File "' in line else _quoted_texts(line)
        elif not (_MARKS.match(line) or (_GO.match(line.strip()) and _PLACE.search(following))):
            messages.append(" ".join(_PLACE.sub(" ", line).split()))
    if _LAST.search(text):
        frames.reverse()
    if _PHP.search(text):
        frames = _with_their_functions(frames)
    return Trace(tuple(frames), tuple(filter(None, messages)))


def _with_their_functions(frames: Sequence[Frame]) -> list[Frame]:
    """Return PHP's frames with the functions that they lie in: each names the one that it calls."""
    calls = [at for at, one in enumerate(frames) if one.names]
    if calls == [0]:
        return [*frames]
    after = {at: frames[following].names for at, following in pairwise(calls)}
    before = dict.fromkeys(range(calls[0]), frames[calls[0]].names) if calls else {}
    return [one._replace(names={**after, **before}.get(at, ())) for at, one in enumerate(frames)]


def _parts_of(line: str) -> tuple[str, ...]:
    """Return the frame and the message that one line of Ruby's holds; of others the line."""
    match = _RUBY.fullmatch(line)
    return (line,) if match is None else (match[1], match[2])


def _quoted_texts(line: str) -> list[str]:
    """Return the quotations of several words in a line."""
    return [text for text in _SAID.findall(line) if sum(map(str.isspace, text)) >= _FEWEST_BLANKS]


def _ends(lines: list[str]) -> list[str]:
    return lines if len(lines) <= 2 * _MOST_LINES else [*lines[:_MOST_LINES], *lines[-_MOST_LINES:]]


def _frame(line: str, before: str, following: str) -> Frame | None:
    """Return the frame that a line is, or None."""
    place = next((place for place in _PLACE.finditer(line) if knows_extension(place[1])), None)
    if place is None:
        return _function_only(line, following)
    path = re.sub(r"[/\\]+", "/", place[1])
    rest = line[: place.start()] + " " + line[place.end() :]
    names = () if _says_more(line) else _names(rest)
    if not names and not _says_more(line) and (_FRAME.match(before) or _GO.match(before.strip())):
        names = _names(before)
    code = following.strip() if line.lstrip().startswith('File "') and _is_echo(following) else ""
    return Frame(path, int(place[2]), names, code)


def _is_echo(line: str) -> bool:
    return bool(_ECHO.match(line)) and not line.lstrip().startswith('File "')


def _function_only(line: str, following: str) -> Frame | None:
    """Return the frame of a line that names a function and no place: ``4: delta::run_app``, ``#1 Endpoint.send()``."""
    match = re.match(r"^\s*(?:#\d+:?|\d+:|at)\s+(?:0x\w+\s+(?:in\s+)?)?((?:static |async |new )?[\w.:$<>()]+)", line)
    if match is None or _PLACE.search(following) or not re.search(r"\w(?:\.|::)\w", match[1]):
        return None
    return Frame("", None, _names(match[1]))


def _names(text: str) -> tuple[str, ...]:
    """Return the identifiers of a frame, without the arguments of calls."""
    text = re.sub(r"[+]?\b0x\w+", " ", text)
    called = re.sub(r"\((?!\*)[^()]*\)?", " ", text.replace("(*", " ").replace("(<", " "))
    # A method may be called `from` or `in`: behind a stop it is one.
    found = _NAME.finditer(called)
    names = (one[0] for one in found if one[0] not in _NO_FUNCTIONS or called[: one.start()].endswith((".", "::")))
    return tuple(names)[-_MOST_NAMES:]


def _says_more(line: str) -> bool:
    """Return whether a line with a place is a message, too: ``Fatal error: ... in a.php:12``, ``panicked at 'x'``."""
    return not _FRAME.search(line) or _PANIC.search(line) is not None
