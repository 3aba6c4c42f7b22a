"""Answers who maintains a project, and who owns one of its paths, by quoting the files that say so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice

from quaestor.answers.drafts import CorpusLines, Draft, end_of_statement
from quaestor.answers.overview.overview_answer import with_own_name
from quaestor.answers.overview.overview_question import short_question
from quaestor.answers.project.facts import (
    MANIFESTS,
    README,
    WORK,
    end_of_field,
    lines_of,
    name_of_file,
    quote_once,
    sections_headed,
)
from quaestor.answers.way import Question, WayAnswer
from quaestor.core.light_imports import lazy_regex
from quaestor.corpus import Corpus

_MAINTAINS = lazy_regex(
    r"(?:who(?:'s|\s+(?:is|are))?\s+(?:the\s+)?(?:main\s+|current\s+|code\s+)?(?:maintain(?:s|ing)|owns?|responsible\s+for"
    rf"|(?:maintainers?|owners?|codeowners)(?:\s+(?:of|for))?)|by\s+whom\s+is)(?:\s+(?P<what>{WORK}|\S+))?(?:\s+maintained)?"
)
_NAMES_MAINTAINERS = lazy_regex(
    r"(?:maintainers|codeowners|owners|owners_aliases)(?:\.(?:md|txt|rst|toml))?", re.IGNORECASE
)
_MAINTAINERS = lazy_regex(
    r"\W*(?:the\s+)?(?:(?:current|core|active)\s+)*(?:maintainers?|core\s+team|code\s*owners)\W*", re.I
)
"""Headings of a README above the names of maintainers."""
_SAYS_MAINTAINER = lazy_regex(
    r"\b(?:is|being|and)\s+(?:\w+\s+){0,2}maintained\s+(?:\w+\s+){0,2}by\s+(?!third)|\bmaintainers?(?:\s+(?:is|are)\b|:)",
    re.IGNORECASE,
)
_BY_FIELD = lazy_regex(
    r"""\s*["']?(?:maintainers?|authors?)["']?\s*(?:=|:)(?!:)|\s*\w+\.(?:authors?)\s*=""", re.IGNORECASE
)
_MOST_OWNERS = 20


def answer_maintainers(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Quote what files say of who maintains the project, or owns one of its paths; None for any other question."""
    text = short_question(question.text)
    match = (
        _MAINTAINS.fullmatch(with_own_name(text, corpus, "this project")) if text.startswith(("who", "by ")) else None
    )
    if match is None:
        return None
    corpus.try_refresh()
    if match["what"] is None or re.fullmatch(WORK, match["what"]):
        return corpus.retry_reopened(lambda: _quote_maintainers(corpus))
    return corpus.retry_reopened(lambda: _quote_owners(match["what"].strip("`/"), corpus))


def _quote_maintainers(corpus: Corpus) -> WayAnswer | None:
    lines, draft = CorpusLines(corpus), Draft()
    paths = [one for one in corpus.store.documents() if one.count("/") == one.startswith((".github/", "docs/"))]
    for path in sorted(paths, key=lambda one: (not _NAMES_MAINTAINERS.fullmatch(name_of_file(one)), one)):
        for first, last in islice(_maintainers(path, lines), 1):
            quote_once(lines.hit(path, first, last), draft)
    return draft.finish("facts") if draft.hits else None


def _maintainers(path: str, lines: CorpusLines) -> Iterator[tuple[int, int]]:
    """Yield the lines of a file that name maintainers."""
    name, texts = name_of_file(path), lines_of(path, lines)
    if _NAMES_MAINTAINERS.fullmatch(name):
        filled = [at for at, line in enumerate(texts, 1) if line.strip() and (path.endswith(".md") or line[0] != "#")]
        yield from [(filled[0], min(filled[-1], filled[0] + _MOST_OWNERS - 1))] if filled else []
    elif README.fullmatch(name):
        yield from sections_headed(texts, _MAINTAINERS)
        yield from [(at, at) for at, line in enumerate(texts, 1) if _SAYS_MAINTAINER.search(line)]
    elif MANIFESTS.fullmatch(name) or name == "galaxy.yml":
        fields = (at for at, line in enumerate(texts, 1) if _BY_FIELD.match(line))
        yield from ((at, max(end_of_statement(texts, at), end_of_field(texts, at))) for at in fields)


def _quote_owners(path: str, corpus: Corpus) -> WayAnswer | None:
    """Quote the last rule of CODEOWNERS that speaks of a path, or the nearest file OWNERS above the path."""
    if not any(f"{one}/".lower().startswith(f"{path}/") for one in corpus.store.documents()):
        return None
    lines, draft = CorpusLines(corpus), Draft()
    for owners in ("CODEOWNERS", ".github/CODEOWNERS", "docs/CODEOWNERS"):
        for at in [at for at, line in enumerate(lines_of(owners, lines), 1) if _owns(line, path)][-1:]:
            draft.quote(lines.hit(owners, at, at))
    if not draft.hits:
        above = (*(f"{path.rsplit('/', up)[0]}/OWNERS" for up in range(path.count("/") + 1)), "OWNERS")
        nearest = next((one for one in above if lines.file(one) is not None), "")
        for first, last in _maintainers(nearest, lines):
            draft.quote(lines.hit(nearest, first, last))
    return draft.finish("facts") if draft.hits else None


def _owns(rule: str, path: str) -> bool:
    """Return whether a line of CODEOWNERS speaks of a path, as git's ignore rules would."""
    pattern, _, owners = rule.lower().partition(" ")
    bare = pattern.strip("/")
    if not owners.strip() or not bare or pattern.startswith("#"):
        return False
    if "/" in pattern.rstrip("/"):
        return fnmatchcase(path, bare) or fnmatchcase(path, f"{bare}/*")
    return any(fnmatchcase(part, bare) for part in path.split("/"))
