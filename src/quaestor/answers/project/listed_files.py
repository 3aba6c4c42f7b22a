"""Lists what the folder or the enumeration has that is called as what a question asks for, and tests of a thing.

"Which playbooks are there?" is answered with the files of ``playbooks/``, "Which log levels are there?" with the
enumeration ``LogLevel``, "Which tests cover retries?" with the tests whose paths or names have these words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice

from quaestor.answers.drafts import CorpusLines, Draft, in_code
from quaestor.answers.overview.overview_answer import with_own_name
from quaestor.answers.overview.overview_question import short_question
from quaestor.answers.project.listings import (
    BEFORE,
    MOST_FILES,
    MOST_READ,
    MOST_SHOWN,
    Declaration,
    declared_in,
    head_of,
    is_aside,
    kinds,
)
from quaestor.answers.settings.explain_option import section_about
from quaestor.answers.way import Question, WayAnswer
from quaestor.chunking.languages import knows_extension
from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.core.terms import content_terms, stems_of, terms
from quaestor.core.wording import amount
from quaestor.corpus import Corpus
from quaestor.search.path_roles import profile_path

_FEWEST_FILES, _MOST_LINES = 3, 40
_THINGS = r"(?P<{}>[a-z][\w-]*(?:\s+[a-z][\w-]*){{0,2}}s)"
_OF_FOLDER = (
    r"(?:\s+(?:are|does|do|is|can|it|there|here|exist|available|supported|included|provided|implemented|have|has|offer"
    r"|provide|support|include|contain|use|i|you|we|one|in|come|ship|with|this|the|project|repo|repository|program))"
)
_A_FOLDER = lazy_regex(
    rf"(?:what|which)(?:\s+are)?{BEFORE}\s+{_THINGS.format('things')}{_OF_FOLDER}+"
    rf"|(?:(?:list|show(?:\s+me)?|are\s+there){BEFORE}|all|available)\s+{_THINGS.format('listed')}{_OF_FOLDER}*"
)
_ASKS_TESTS = lazy_regex(
    r"(?:(?:which|what)(?:\s+are)?|where\s+(?:are|is|do\s+i\s+find)|list|show(?:\s+me)?|are\s+there(?:\s+any)?)\s+(?:all\s+|the\s+)*"
    r"(?:(?:unit|integration|end-to-end|e2e)\s+)?(?:tests?|specs?)(?:\s+(?:files?|cases?|that|which|exist|there|are))*"
    r"\s+(?:covers?|checks?|tests?|exercises?|verif(?:y|ies)|for|of|about)\s+(?P<what>\S+(?:\s+\S+){0,5})"
    r"|(?:where|how)\s+(?:is|are)\s+(?P<other>\S+(?:\s+\S+){0,5})\s+tested"
)


def list_folder(question: Question, corpus: Corpus) -> WayAnswer | None:
    """List the files of the folder, or the enumeration, that is called as what a question asks for; else None."""
    match = _A_FOLDER.fullmatch(with_own_name(short_question(question.text), corpus, "it"))
    if match is None:
        return None
    corpus.try_refresh()
    things = match["things"] or match["listed"]
    return corpus.retry_reopened(lambda: _list_files_of(things, corpus) or _show_enumeration(things, corpus))


def _list_files_of(things: str, corpus: Corpus) -> WayAnswer | None:
    wanted = stems_of(re.split(r"[\s_-]+", things))
    entries: dict[str, dict[str, list[str]]] = {}
    # What is hidden is no thing of its own, but a help for the others.
    for path in sorted(corpus.store.documents(), key=lambda one: ("/." in one, one)):
        parts = path.split("/") if things == "examples" or not is_aside(path) else []
        for at in range(len(parts) - 1):
            if _is_called(parts[at], wanted):
                entries.setdefault("/".join(parts[: at + 1]), {}).setdefault(parts[at + 1], []).append(path)
    folder = min(entries, key=lambda name: (-len(entries[name]), name.count("/"), name), default="")
    if len(entries.get(folder, ())) < _FEWEST_FILES:
        return None
    lines, draft = CorpusLines(corpus), Draft()
    names = [name if paths == [f"{folder}/{name}"] else f"{name}/" for name, paths in entries[folder].items()]
    more = f" and {len(names) - MOST_SHOWN:,} more" if len(names) > MOST_SHOWN else ""
    listed = ", ".join(map(in_code, names[:MOST_SHOWN]))
    draft.say(f"{in_code(f'{folder}/')} holds {len(names):,} files and folders: {listed}{more}.")
    documented = section_about(corpus, lines, things)
    if documented is not None:
        draft.quote(documented)
    for paths in islice(entries[folder].values(), 0 if documented else MOST_FILES):
        path = min(paths, key=lambda path: (path.count("/"), "readme" not in path.lower(), path))
        draft.quote(lines.hit(path, *head_of(path, lines)))
    return draft.finish("listing")


def _show_enumeration(things: str, corpus: Corpus) -> WayAnswer | None:
    """Quote the enumeration that is called as one of some things: ``SafeMode`` for "safe modes"; None without one."""
    one = re.sub(r"ies$", "y", things) if things.endswith("ies") else things[:-1]
    names = {re.sub(r"[\s-]+", mark, word) for mark in ("", "_") for word in (one, things, things.removesuffix("es"))}
    lines, draft = CorpusLines(corpus), Draft()
    chunks = corpus.store.get(corpus.store.defining(sorted(names), MOST_READ)).values()
    for path in sorted({stored.document.path for stored in chunks}, key=lambda path: (path.count("/"), path)):
        for defined in lines.definitions(path) if not is_aside(path) else ():
            if defined.kind == "enum" and defined.name.lower() in names and not draft.hits:
                last = min(defined.span.end_line, defined.span.start_line + _MOST_LINES)
                draft.quote(lines.hit(path, defined.span.start_line, last, defined.name))
    return draft.finish("listing") if draft.hits else None


def list_tests(question: Question, corpus: Corpus) -> WayAnswer | None:
    """List the tests of what a question describes in words; None for any other, or if no test is named after it."""
    match = _ASKS_TESTS.fullmatch(short_question(question.text))
    words = content_terms(match["what"] or match["other"]) if match is not None else frozenset()
    if not words:
        return None
    corpus.try_refresh()
    return corpus.retry_reopened(lambda: _list_tests_of(words, corpus))


def _list_tests_of(words: frozenset[str], corpus: Corpus) -> WayAnswer | None:
    lines, draft = CorpusLines(corpus), Draft()
    kind = next(kind for kind in kinds() if kind.noun == "test")
    holding = corpus.store.paths_of(corpus.store.holding(words, MOST_READ))
    paths = [path for path in corpus.store.documents() if profile_path(path).test and not profile_path(path).prose]
    near = [path for path in paths if path in holding or words & _path_terms(path)]
    fitting = [_fit(words, path, [*declared_in(kind, path, lines)]) for path in near]
    best = max((file.fit for file in fitting), default=0)
    close = sorted(file for file in fitting if file.fit == best and 2 * best >= len(words)) if best else []
    for file in close[:MOST_FILES]:
        draft.say(_describe_tests(file))
        path = file.path
        first = max(file.tests, key=lambda test: (len(words & content_terms(test.name)), -test.line), default=None)
        draft.quote(lines.statement(path, first.line) if first else lines.hit(path, *head_of(path, lines)))
    if others := [in_code(file.path) for file in close[MOST_FILES:]]:
        more = f" and {len(others) - MOST_SHOWN:,} more" if len(others) > MOST_SHOWN else ""
        fit = "fits" if len(others) == 1 else "fit"
        draft.say(f"{amount(len(others), 'more file')} {fit} as well: {', '.join(others[:MOST_SHOWN])}{more}.")
    return draft.finish("listing") if draft.hits else None


def _describe_tests(file: _TestFile) -> str:
    if not file.tests:
        return f"{in_code(file.path)} is a test of that name."
    named = ", ".join(f"{in_code(test.name)} ({test.line})" for test in file.tests[:MOST_SHOWN])
    more = f" and {len(file.tests) - MOST_SHOWN:,} more" if len(file.tests) > MOST_SHOWN else ""
    called = " of that name" if file.by_name else ""
    return f"{in_code(file.path)} has {amount(len(file.tests), 'test')}{called} (lines in brackets): {named}{more}."


class _TestFile(NamedTuple):
    """The tests of a file that a description fits; they sort with the closest first."""

    fit: int
    by_name: bool
    without_tests: bool
    extra: int
    path: str
    tests: tuple[Declaration, ...]


def _fit(words: frozenset[str], path: str, tests: Sequence[Declaration]) -> _TestFile:
    """Return all tests of a file whose path holds most of the words, else those whose names hold most of them."""
    by_path = len(words & _path_terms(path))
    fits = [len(words & (content_terms(test.name) | _path_terms(path))) for test in tests]
    most = max(fits, default=by_path if by_path == len(words) and knows_extension(path) else 0)
    chosen = [test for test, fit in zip(tests, fits, strict=True) if fit == most]
    extra = len(profile_path(path).stem_terms - words)
    return _TestFile(most, most > by_path, not chosen, extra, path, tuple(chosen))


@lru_cache(maxsize=1 << 12)
def _path_terms(path: str) -> frozenset[str]:
    return frozenset(terms(path.replace("/", " ")))


def _is_called(folder: str, wanted: Sequence[str]) -> bool:
    """Return whether a folder is called by some stems: ``network_plugin`` by those of "network plugins"."""
    return stems_of(re.split(r"[\s_.-]+", folder.lower())) == wanted
