"""Answers from the document that a question points at, by its path, its number or what such documents are called.

"Is there a changelog?", "what does retry.py do on a timeout?", "who wrote proposal 0002?", "who started the project?"
and "how do I add an integration?" point at a file, at pages called *History* and at a section on making one more. A
search would rank other places with the question's words above these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from quaestor.answers.drafts import CorpusLines, Draft, in_code
from quaestor.answers.names.resolved_names import resolve_numbered, resolve_path
from quaestor.answers.overview.document_statistics import holds_documents
from quaestor.answers.overview.overview_answer import with_own_name
from quaestor.answers.overview.overview_question import short_question
from quaestor.answers.overview.prose_lines import headings
from quaestor.answers.project.facts import IT, lines_of
from quaestor.answers.quotes.pick_quotes import answer
from quaestor.answers.way import Question, WayAnswer
from quaestor.chunking.languages import PROSE
from quaestor.core.documents import Hit
from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.core.terms import content_terms, find_words, terms
from quaestor.corpus import Corpus
from quaestor.llm.prompts.numbered_passages import number
from quaestor.search.names_in_question import looks_like_a_file, names_of_code
from quaestor.search.path_roles import profile_path
from quaestor.search.query import read_query
from quaestor.stores import Where

_PASSAGES = 8
_LONGEST = 500
_NUMBERED = lazy_regex(r"(?<![\w.-])[A-Za-z]{2,12}[ _-]?\d{1,6}(?![\w.]\w)")
"""A series and a number, as ``RFC 2904``."""
_MOST_NUMBERED = 3
_WHO = r"(?:authors?|editors?|champions?|sponsors?|owners?|maintainers?|contributors?)"
_OF_HEAD = lazy_regex(
    rf"^\W*(?:who\s+(?:wrote|authored|proposed|created|made|published|(?:is|are|was|were)\s+(?:the\s+)?{_WHO})"
    r"|when\s+(?:was|were)\s+(?:it\s+)?(?:\w+ed|written|made)"
    rf"|(?:what(?:'s|\s+is|\s+was)\s+)?(?:the\s+)?(?:status|state|title|date|{_WHO})\b)",
    re.IGNORECASE,
)
"""The lines that the head of such a document may have."""
_LONGEST_HEAD = 24
_TITLE = 5
"""A document's title is the first heading within this many lines."""
_ORIGIN = lazy_regex(
    rf"who\s+(?:first\s+|originally\s+)?(?:wrote|started|created|founded|invented|made|built|developed|is\s+behind)\s+{IT}(?:\s.*)?"
    rf"|(?:when|how|why|by\s+whom)\s+(?:was|did)\s+{IT}\s+(?:\w+\s+)?(?:start(?:ed)?|beg[iu]n|founded|created|born|come\s+about)(?:\s.*)?"
    rf"|what\s+was\s+{IT}\s+(?:\w+\s+)?called\s+(?:at\s+first|first|before|earlier|in\s+the\s+beginning)(?:\s.*)?"
    rf"|(?:what(?:\s+is|'s)\s+|tell\s+me\s+)?the\s+(?:history|origins?)\s+of\s+{IT}"
)
_TELLS_ORIGIN = lazy_regex(
    r"(?:(?:project|brief|short|a|our|the)\s+)*(?:history|origins?|credits|authors?|acknowledge?ments|about(?:\s+(?:us|this))?)"
    r"(?:\s+(?:and|&|of)\s+.*)?",
    re.IGNORECASE,
)
"""Titles of pages about the origin of a project."""
_VERSION = lazy_regex(r"\W*v?\d+\.\d+")
_HEAD_OF_PAGE = 40
_ASKS_ORIGIN = (
    "who ",
    "when ",
    "how ",
    "why ",
    "by whom ",
    "what was ",
    "what is the ",
    "what's the ",
    "tell me the ",
    "the ",
)
_MOST_PAGES = 8
_DEEPEST = 2
_KIND = r"(?:(?:an?|another|new|my|our|own|custom|additional|more|further|the)\s+)+(?P<{}>[\w-]+(?:\s+[\w-]+){{0,2}}?)"
_THERE = r"(?:\s+(?:to|for|in)\s+(?:it|this|the)(?:\s+\w+)?)?"
_ASKS_TO_ADD = lazy_regex(
    r"(?:how\s+(?:do|can|could|would|should|must)\s+(?:i|we|you|one)|how\s+to|what\s+(?:do|must|should)\s+i\s+(?:need\s+to\s+)?do\s+to)"
    r"\s+(?:add|create|write|make|define|implement|register|contribute|introduce|develop|build)\s+"
    rf"{_KIND.format('what')}{_THERE}"
    rf"|how\s+(?:is|are)\s+{_KIND.format('made')}\s+(?:added|created|written|made|defined|implemented|developed){_THERE}"
)
_MAKING = lazy_regex(
    r"\b(?:add|creat|new|writ|mak|develop|implement|contribut|extend|how to|custom|own|regist)", re.IGNORECASE
)
_ARE_MADE = frozenset(terms("translation translating localization localisation internationalization"))
"""Things whose name is also the verb for adding one: to translate is to add a translation."""
_MOST_READ, _LONGEST_SECTION, _FEWEST_WORDS = 1000, 40, 8
_PRINTED = lazy_regex(r"\bat \S+ line \d+\.?\s*$")
"""The place that Perl appends to a message; the question is not about that file."""
_GLOB = lazy_regex(r"[*?\[\]!\\]")


_CUSTOMARY = {
    "changelog": "changelog changelogs changes history news releases releasenotes whatsnew",
    "contributingguide": "contributing contribute",
    "codeofconduct": "codeofconduct conduct",
    "securitypolicy": "security",
    "roadmap": "roadmap",
    "architecturedocument": "architecture design",
}
"""Files that many projects have, by what people call them, with the stems of their names."""
_CALLED_OTHERWISE = {
    "releasenotes": "changelog",
    "changes": "changelog",
    "contributionguide": "contributingguide",
    "contributionguidelines": "contributingguide",
    "contributingguidelines": "contributingguide",
    "contributorguide": "contributingguide",
    "architecture": "architecturedocument",
}
_ASKS_FOR_FILE = re.compile(
    r"(?:is there|do(?:es)? (?:it|they|you|this(?: \w+)?) have|where(?: is|'s| are| can i find| do i find)|show me)"
    r"(?: (?:an?|any|the|its|your|some))? (?P<what>[a-z -]{4,30}?)(?: file| document)?"
    r"(?: here| of (?:it|this(?: \w+)?))?"
)
_LINES_OF_HEAD = 8


def answer_with_customary_file(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer whether there is a changelog or another file that many projects have; None for any other question."""
    match = _ASKS_FOR_FILE.fullmatch(short_question(question.text))
    what = re.sub(r"\W", "", match["what"]) if match is not None else ""
    stems = _CUSTOMARY.get(_CALLED_OTHERWISE.get(what, what), "").split()
    if match is None or not stems:
        return None
    corpus.try_refresh()
    return corpus.retry_reopened(lambda: _show_customary(stems, corpus))


def _show_customary(stems: Sequence[str], corpus: Corpus) -> WayAnswer:
    """Show the beginning of the shallowest file of that name, or say that there is none."""
    named = (profile_path(path) for path in corpus.store.documents())
    fitting = [
        (stems.index(one.stem), one.depth, one.path)
        for one in named
        if one.stem in stems
        and one.depth <= _DEEPEST
        and not (one.test or one.example)
        and _is_written(one.path, one.prose)
    ]
    draft = Draft()
    if not fitting:
        told = " What changed, git may tell: ask for the last release." if stems[0] == "changelog" else ""
        draft.say(f"No file here is called {' or '.join(map(in_code, stems))}.{told}")
        return draft.finish("file", known=False)
    path = min(fitting)[-1]
    draft.say(f"{in_code(path)} is there. It begins like this:")
    draft.quote(CorpusLines(corpus).hit(path, 1, _LINES_OF_HEAD))
    return draft.finish("file")


def _is_written(path: str, prose: bool) -> bool:
    """Return whether a file is a document by its ending, or by having none."""
    return prose or "." not in path.rpartition("/")[2]


def answer_within_file(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer a question that names one file of this corpus and asks about its content; None for any other.

    A document of a series may be named by its number: "who wrote proposal 0002?"
    """
    read = None if _PRINTED.search(question.text) else read_file_question(question.text)
    if read is None:
        return _in_numbered(question.text, corpus)
    corpus.try_refresh()
    path = corpus.retry_reopened(lambda: resolve_path(corpus, read[0]))
    return None if path is None or _GLOB.search(path) else _quote(corpus, path, read[1])


def answer_origin(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Quote pages such as "History" on how the project began; None for any other question.

    "Who started the project?" shares no word with such a page, so a search does badly.
    """
    text = short_question(question.text)
    if not text.startswith(_ASKS_ORIGIN) or not _ORIGIN.fullmatch(with_own_name(text, corpus, "this project")):
        return None
    corpus.try_refresh()
    pages = corpus.retry_reopened(lambda: sorted(_pages_of_origin(corpus), key=lambda path: (path.count("/"), path)))
    if not pages:
        return None
    where = Where(paths=tuple(f"/{path}" for path in pages[:_MOST_PAGES]))
    return _quote_hits(corpus, corpus.search(text, _PASSAGES, where=where), text)


def _pages_of_origin(corpus: Corpus) -> Iterator[str]:
    """Yield the documents that are called "History", "About" and the like, where most files are documents."""
    if not holds_documents(corpus):
        return
    lines = CorpusLines(corpus)
    for path, document in corpus.store.documents().items():
        names = (document.title or "", re.sub(r"[-_]", " ", path.rpartition("/")[2].partition(".")[0]))
        if document.language not in PROSE or not any(map(_TELLS_ORIGIN.fullmatch, names)):
            continue
        # A history of versions tells what changed, not how it began.
        if not any(_VERSION.match(title) for _, title in headings(lines_of(path, lines)[:_HEAD_OF_PAGE])):
            yield path


def answer_how_to_add(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Quote the section on how one more thing of a kind is made; None for any other question, or without a section.

    "How do I add an integration?" finds *Developing a new integration* as a whole; a search finds the paragraph of it
    that says "integration" most often.
    """
    match = _ASKS_TO_ADD.fullmatch(short_question(question.text))
    wanted = content_terms(match["what"] or match["made"]) if match is not None else frozenset()
    if not wanted:
        return None
    corpus.try_refresh()
    section = corpus.retry_reopened(lambda: min(_sections_on_adding(wanted, corpus), default=None))
    if section is None:
        return None
    draft = Draft()
    draft.quote(CorpusLines(corpus).hit(section.path, section.first, section.last, section.title))
    return draft.finish("section")


class _Section(NamedTuple):
    """A section of a document; they sort with the one that most likely tells how to add something first."""

    aside: tuple[bool, ...]
    extra: int
    depth: int
    path: str
    first: int
    last: int
    title: str


def _sections_on_adding(wanted: frozenset[str], corpus: Corpus) -> Iterator[_Section]:
    lines = CorpusLines(corpus)
    for path in corpus.store.paths_of(corpus.store.holding(wanted, _MOST_READ)):
        profile, file = profile_path(path), lines.file(path)
        if file is None or file.document.language not in PROSE or profile.background:
            continue
        heads = list(headings(file.lines))
        for at, (line, title) in enumerate(heads):
            named = content_terms(title)
            makes = _MAKING.search(title) is not None
            if wanted <= named and (makes or wanted & _ARE_MADE):
                last = _end_of_section(file.lines, heads, at)
                if len(find_words(" ".join(file.lines[line:last]))) >= _FEWEST_WORDS:
                    yield _Section(profile.flags[:3], len(named - wanted), profile.depth, path, line, last, title)


def _end_of_section(lines: Sequence[str], heads: Sequence[tuple[int, str]], at: int) -> int:
    """Return the last line of a section with those below it, up to a limit."""
    begins, level = heads[at][0], _level(lines, heads[at][0])
    ends = next((line - 1 for line, _ in heads[at + 1 :] if _level(lines, line) <= level), len(lines))
    return min(ends, begins + _LONGEST_SECTION)


def _level(lines: Sequence[str], line: int) -> int:
    """Return the level of a heading: how many marks it begins with, or by what underlines it."""
    text = lines[line - 1]
    marks = len(text) - len(text.lstrip("#="))
    below = lines[line].strip()[:1] if line < len(lines) else ""
    return marks or ("=-~^".find(below) + 1) or 1


def _in_numbered(text: str, corpus: Corpus) -> WayAnswer | None:
    short = len(text) <= _LONGEST and "\n" not in text.strip()
    names = list(dict.fromkeys(_NUMBERED.findall(text))) if short and read_query(text).kind == "text" else []
    if not 0 < len(names) <= _MOST_NUMBERED:
        return None
    corpus.try_refresh()
    by_name = corpus.retry_reopened(lambda: {name: resolve_numbered(corpus, name, closely=True) for name in names})
    paths = {path for path in by_name.values() if path is not None}
    rest = " ".join(_NUMBERED.sub(" ", text).split())
    if len(paths) != 1 or not content_terms(rest):
        return None
    path = paths.pop()
    return _head(corpus, path) if _OF_HEAD.search(rest) else _quote(corpus, path, rest)


def _head(corpus: Corpus, path: str) -> WayAnswer | None:
    """Quote what a document says of itself before its first section: its title, who wrote it, its status."""
    lines, draft = CorpusLines(corpus), Draft()
    file = lines.file(path)
    if file is None:
        return None
    begins = (line for line, _ in headings(file.lines[:_LONGEST_HEAD]) if line > _TITLE)
    draft.quote(lines.hit(path, 1, min(next(begins, _LONGEST_HEAD + 1) - 1, len(file.lines), _LONGEST_HEAD)))
    return draft.finish("file")


def read_file_question(text: str) -> tuple[str, str] | None:
    """Return the only file that a question names, and the rest of the question; None if it is not about one file.

    Pure. A file's name alone that begins the question is enough; elsewhere a folder must be named as well, for
    "how does pyproject.toml change the build" asks about the build.
    """
    if len(text) > _LONGEST or "\n" in text.strip() or read_query(text).kind == "trace":
        return None
    files = [name for name in names_of_code(text) if looks_like_a_file(name) and "." in name.rpartition("/")[2]]
    if len(files) != 1:
        return None
    [file] = files
    rest = " ".join(text.replace(file, " ").split())
    begins = text.strip().lstrip("`").startswith(file)
    return (file, rest.strip(" -–—:,?`")) if (begins or "/" in file) and content_terms(rest) else None


def _quote(corpus: Corpus, path: str, question: str) -> WayAnswer | None:
    hits = corpus.search(question, _PASSAGES, where=Where(paths=(f"/{path}",)))
    return _quote_hits(corpus, hits, question)


def _quote_hits(corpus: Corpus, hits: Sequence[Hit], question: str) -> WayAnswer | None:
    quotes = answer(question, number(hits), corpus.meaning.local_embedder.encode, refused=False, hits=hits)
    if not quotes.quotes:
        return None
    lines, draft = CorpusLines(corpus), Draft()
    symbols = dict(enumerate((hit.symbol for hit in hits), 1))
    for quote in quotes.quotes:
        draft.quote(lines.hit(quote.path, quote.start_line, quote.end_line, symbols.get(quote.n)))
    return draft.finish("file")
