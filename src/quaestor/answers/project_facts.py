"""Answering under which licence all of it stands, and what it depends on, from the files that say so.

"What are the dependencies?" holds one word that tells anything, and a search finds whatever says that word most often.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from quaestor.answers.drafts import CorpusLines, Draft
from quaestor.answers.overview.overview_question import plain_question
from quaestor.answers.way import Question, WayAnswer
from quaestor.corpus import Corpus

_Finder: TypeAlias = Callable[[str, CorpusLines], Iterator[tuple[int, int]]]
"""Yields the first and last lines of a file that tell what is asked."""
_LONGEST = 120
_IT = (
    r"(?:it|this|(?:this|the|that|our|your)\s+(?:\w+\s+)?(?:project|repo(?:sitory)?|code\s?base|code|library|package"
    r"|program|tool|software|app(?:lication)?))"
)
_LICENCE = re.compile(
    rf"(?:what|which)\s+(?:kind\s+of\s+)?licen[cs]e\s+(?:is\s+{_IT}(?:\s+(?:under|published|released|distributed))*(?:\s+under)?"
    rf"|does\s+{_IT}\s+(?:use|have)|{_IT}\s+(?:is\s+under|has|uses))"
    rf"|(?:what|which)(?:\s+is|'s)\s+the\s+licen[cs]e(?:\s+(?:of|for)\s+{_IT})?|(?:how|under\s+(?:what|which)\s+(?:licen[cs]e|terms))"
    rf"\s+is\s+{_IT}\s+(?:licen[cs]ed|published|released|distributed)|licen[cs]e"
    r"|(?:unter\s+)?welche[r]?\s+lizenz\s+(?:steht|hat)\s+(?:das|es|dieses\s+projekt)"
    r"|(?:sous\s+)?quelle\s+(?:est\s+(?:la\s+)?)?licence(?:\s+est\s+ce\s+projet)?"
    r"|(?:bajo\s+)?(?:qué|cuál\s+es\s+la)\s+licencia(?:\s+(?:está|tiene)\s+(?:esto|este\s+proyecto))?"
)
_THINGS = r"(?:third[- ]party\s+|external\s+|other\s+|runtime\s+|direct\s+)*(?:dependenc(?:y|ies)|libraries|packages)"
_DEPENDS = re.compile(
    rf"(?:what|which)(?:\s+are|'re)?\s+(?:its|the|all\s+the)\s+{_THINGS}(?:\s+(?:of|for|in)\s+{_IT})?"
    rf"|(?:what|which)\s+{_THINGS}\s+(?:does|do|are)\s+(?:{_IT}|there|needed)(?:\s+(?:have|use|need|depend\s+on|require))?"
    rf"|what\s+(?:else\s+)?(?:does\s+{_IT}\s+(?:depend\s+on|require)|{_IT}\s+(?:depends\s+on|requires))"
    rf"|(?:list|show)(?:\s+me)?\s+(?:its|the|all(?:\s+the)?)?\s*dependencies(?:\s+(?:of|for)\s+{_IT})?|dependencies"
)
_LICENCE_FILE = re.compile(
    r"(?:licen[cs]e|copying|unlicense)(?:[.-](?:md|txt|rst|mit|apache|bsd|lgpl|gpl))?", re.IGNORECASE
)
_HEAD_OF_LICENCE = 6
_FIELD = re.compile(
    r"""\s*["']?(?:spdx-)?licen[cs]es?["']?\s*[:=]\s*\S|.*\.licen[cs]es?\s*=|\s*<licen[cs]es?>""", re.IGNORECASE
)
_MANIFESTS = re.compile(
    r"package\.json|pyproject\.toml|setup\.(?:cfg|py)|cargo\.toml|composer\.json|pubspec\.ya?ml|mix\.exs|pom\.xml"
    r"|build\.gradle(?:\.kts)?|[\w-]+\.(?:gemspec|cabal|nimble|rockspec)|description|package\.swift",
    re.IGNORECASE,
)
_MOST_LINES = 30
_MOST_BLOCKS = 8

# What begins a list of dependencies, and what a further line of it looks like.
_BLOCKS: tuple[tuple[str, str, str], ...] = (
    (r"package\.json", r'\s*"(?:dependencies|peerDependencies)"\s*:\s*\{', r"\s*\S"),
    (r"composer\.json", r'\s*"require"\s*:\s*\{', r"\s*\S"),
    (r"pyproject\.toml", r"dependencies\s*=\s*\[|\[tool\.poetry\.dependencies\]", r"\s*[^\s\[]"),
    (r"setup\.(?:cfg|py)", r"\s*install_requires\s*=", r"\s+\S"),
    (r"requirements\.txt", r"[A-Za-z]", r"\S"),
    (r"cargo\.toml", r"\[(?:workspace\.)?dependencies\]", r"[^\[]"),
    (r"go\.mod", r"require\b", r"\s*\S"),
    (
        r"gemfile|[\w-]+\.gemspec",
        r"\s*(?:gem\s|\w+\.add_(?:runtime_)?dependency)",
        r"\s*(?:gem\s|\w+\.add_\w*dependency)",
    ),
    (r"mix\.exs", r"\s*defp?\s+deps\b", r"\s*\S"),
    (r"build\.gradle(?:\.kts)?", r"dependencies\s*\{", r"\s*\S"),
    (r"pom\.xml", r"\s*<dependencies>", r"\s*\S"),
    (r"[\w-]+\.cabal|package\.ya?ml", r"\s*(?:build-depends|dependencies)\s*:", r"\s*\S"),
    (r"pubspec\.ya?ml", r"dependencies\s*:", r"\s+\S"),
    (r"package\.swift", r"\s*dependencies\s*:\s*\[", r"\s*\S"),
    (r"configure\.(?:ac|in)", r"\s*(?:PKG_CHECK_MODULES|AC_CHECK_LIB)\b", r"\s*(?:PKG_CHECK_MODULES|AC_CHECK_LIB)\b"),
    (r"cmakelists\.txt", r"\s*find_package\s*\(", r"\s*find_package\s*\("),
    (r"description", r"(?:Imports|Depends)\s*:", r"\s+\S"),
)


_LINE_BY_LINE = re.compile(r"gemfile$|configure\.|cmakelists", re.IGNORECASE)


def tell_project_facts(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer what the licence or the dependencies of all of it are; None for any other question, or if none tells."""
    text = plain_question(question.text) if len(question.text) <= _LONGEST else ""
    if not _LICENCE.fullmatch(text) and not _DEPENDS.fullmatch(text):
        return None
    corpus.take_in()
    find = _licence if _LICENCE.fullmatch(text) else _dependencies
    return corpus.reopening(lambda: _quoted(corpus, find))


def _quoted(corpus: Corpus, find: _Finder) -> WayAnswer | None:
    lines, draft = CorpusLines(corpus), Draft()
    for path in sorted((path for path in corpus.store.documents() if "/" not in path), key=_by_rank):
        if path.lower() == "gemfile" and draft.hits:
            continue  # what is needed for work on it, beside what it needs itself
        for first, last in islice(find(path, lines), _MOST_BLOCKS):
            draft.quote(lines.hit(path, first, last))
    return draft.finished("facts") if draft.hits else None


def _by_rank(path: str) -> tuple[bool, str]:
    return path.lower() == "gemfile", path


def _licence(path: str, lines: CorpusLines) -> Iterator[tuple[int, int]]:
    """Yield the first lines of a licence, and the line of a manifest that names it."""
    texts = _lines(path, lines) if _LICENCE_FILE.fullmatch(path) or _MANIFESTS.fullmatch(path) else ()
    if _LICENCE_FILE.fullmatch(path):
        said = [number for number, line in enumerate(texts, 1) if line.strip()]
        yield from [(said[0], said[:_HEAD_OF_LICENCE][-1])] if said else []
    else:
        yield from [(number, number) for number, line in enumerate(texts, 1) if _FIELD.match(line)][:1]


def _dependencies(path: str, lines: CorpusLines) -> Iterator[tuple[int, int]]:
    """Yield where a file lists what is depended on."""
    for name, begins, goes_on in _BLOCKS:
        if re.fullmatch(name, path, re.IGNORECASE):
            listed = list(_listed(_lines(path, lines), re.compile(begins), re.compile(goes_on)))
            # A list of several lines is all of it; further ones are of tests and the like.
            whole = next(([one] for one in listed if one[1] > one[0]), listed)
            yield from listed if _LINE_BY_LINE.match(path) else whole


def _listed(texts: Sequence[str], begins: re.Pattern[str], goes_on: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    at = 0
    while at < len(texts):
        if not begins.match(texts[at]):
            at += 1
            continue
        first, depth = at, _opened(texts[at])
        while at + 1 < len(texts) and at - first < _MOST_LINES and _goes_on(texts[first : at + 1], depth):
            if not goes_on.match(texts[at + 1]):
                break
            at += 1
            depth += _opened(texts[at])
        yield first + 1, at + 1
        at += 1


def _opened(line: str) -> int:
    return sum(line.count(one) for one in "([{") - sum(line.count(one) for one in ")]}")


def _goes_on(texts: Sequence[str], depth: int) -> bool:
    """Return whether a list may have a further line: under a heading, or until what it opens is closed."""
    said = "\n".join(texts)
    return depth > 0 or said.startswith("[") or not any(one in said for one in "([{")


def _lines(path: str, lines: CorpusLines) -> Sequence[str]:
    file = lines.file(path)
    return () if file is None else file.lines
