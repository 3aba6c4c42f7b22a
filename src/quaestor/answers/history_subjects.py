"""What a question about history is about: a file or folder, a name that is defined, or words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quaestor.core.errors import UsageError
from quaestor.core.light_imports import NamedTuple
from quaestor.corpus import Corpus
from quaestor.corpus.find_relatives import split_place
from quaestor.history.git import Git
from quaestor.history.log import file_lines, presence

_WORD = re.compile(r"[\w$]+")
_TEST = re.compile(
    r"(?:^|/)(?:tests?|spec|specs|__tests__|examples?|benchmarks?|docs?)/|(?:^|/)test_|_test\.|\.test\.|\.spec\."
)
_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*(?:\(\))?")
_LITERAL = re.compile(r"^-{1,2}[\w-]+$|^[\w$]*(?:_\w|[a-z][A-Z]|\d)[\w$.-]*$|^[A-Z][A-Z_]{2,}$|^[\w.-]+\.\w+$")
_KIND = re.compile(
    r"^(?:function|method|class|module|option|flag|setting|parameter|argument|command|file|field|attribute|type)\s+"
    r"|\s+(?:function|method|class|module|option|flag|setting|parameter|argument|command|file|field|attribute|type|keyword)$",
    re.IGNORECASE,
)
_STOP = frozenset(
    "the a an of in to for and or on with by from at is was were be as it this that support feature code new option"
    " argument parameter setting function method class ability possibility handling any some our your my its via"
    " into".split()
)


class Subject(NamedTuple):
    """What a question is about. What is not known of it is empty.

    Attributes:
        text: as it is written.
        path: a file or folder, as git names it.
        needle: of a name that is defined, what its definition's line holds of it: ``def send``.
        lines: of a definition or a place, the lines in the newest commit, 1-based; (0, 0) for none.
        literal: a text that stands in code as it is written.
        words: that messages and changelogs would use.
    """

    text: str
    path: str = ""
    needle: str = ""
    lines: tuple[int, int] = (0, 0)
    literal: str = ""
    words: tuple[str, ...] = ()


def subject_of(text: str, corpus: Corpus, git: Git) -> Subject:
    """Return what a text means in a corpus and its history."""
    bare = _KIND.sub("", text).strip("`'\" ")
    words = tuple(dict.fromkeys(word for word in _words(text) if word.lower() not in _STOP))
    literal = bare.removesuffix("()") if _LITERAL.match(bare.removesuffix("()")) else ""
    found = Subject(text, literal=literal, words=words)
    if not bare:
        return found
    return _as_file(found, bare, corpus, git) or _as_name(found, bare, corpus, git) or found


def _words(text: str) -> Sequence[str]:
    return [word for word in re.findall(r"[\w$][\w$./+#-]*[\w$+#]|[\w$]", text) if len(word) > 1 or word.isdigit()]


def _as_file(subject: Subject, text: str, corpus: Corpus, git: Git) -> Subject | None:
    """Return a subject that is a file, a folder or a line of a file, now or in the newest commit."""
    path, line = split_place(text)
    path = path.removeprefix("./").strip("/")
    if not path or " " in path:
        return None
    for candidate in (path, *_documents_like(path, corpus)):
        inner = git.repository.inner(candidate)
        if presence(git, inner) != "none":
            return subject._replace(path=inner, lines=(line, line) if line else (0, 0))
    return None


def _documents_like(path: str, corpus: Corpus) -> list[str]:
    """Return documents whose paths end with one, the shortest first; only for what looks like a file's."""
    if "." not in path and "/" not in path:
        return []
    ends = [one for one in corpus.store.documents() if one == path or one.endswith("/" + path)]
    return sorted(ends, key=lambda one: (one.count("/"), one))[:2]


def _as_name(subject: Subject, text: str, corpus: Corpus, git: Git) -> Subject | None:
    """Return a subject that is defined in the corpus, found in the newest commit."""
    if not _NAME.fullmatch(text):
        return None
    try:
        found = corpus.related(text.removesuffix("()"), ("definitions",), 8)
    except UsageError:
        return None
    name = re.split(r"\.|::|#|->", text.removesuffix("()"))[-1]
    for one in sorted(found.of("definitions"), key=lambda one: _TEST.search(one.path) is not None):
        path, lines = git.repository.inner(one.path), one.text.split("\n")
        at = next((number for number, line in enumerate(lines) if _holds(line, name)), None)
        if at is None:
            continue
        place = _placed(file_lines(git, path), lines[at].rstrip("\r"), one.start_line + at)
        if place:
            needle = _needle(lines[at], name)
            return subject._replace(path=path, needle=needle, lines=(place, place + len(lines) - at - 1))
    return None


def _holds(line: str, name: str) -> bool:
    return name in _WORD.findall(line)


def _placed(lines: Sequence[str], wanted: str, near: int) -> int:
    """Return the number of the line that is like one, the nearest to a number; 0 if there is none."""
    places = [number for number, line in enumerate(lines, 1) if line.rstrip("\r") == wanted]
    return min(places, key=lambda number: abs(number - near), default=0)


def _needle(line: str, name: str) -> str:
    """Return the name with the word before it, as it stands in the line: ``class Client``; else with what follows."""
    found = re.search(rf"(?:([A-Za-z_]+[ \t]+|\)[ \t]+))?(?<![\w$]){re.escape(name)}(?![\w$])(\s*[(:=<{{])?", line)
    if found is None:
        return name
    return f"{found[1]}{name}" if found[1] else f"{name}{found[2] or ''}"
