"""Answers with the part of the documents that a question names: a section, a page, a list.

"What does section 4.2 say?" shares no word with that section, and "which events are there?" one with every place that
mentions events: a search finds what refers to them. Here the headings and the numbers of clauses decide, and the lines
that introduce a list. Where none fits for certain, there is no answer, and a search is made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from quaestor.answers.drafts import CorpusLines, Draft, in_code
from quaestor.answers.overview.document_statistics import holds_documents
from quaestor.answers.overview.overview_question import plain_question
from quaestor.answers.overview.prose_lines import Paragraph, Part, paragraphs, parts_of, plain
from quaestor.answers.quotes.paragraphs import TABLE_RULE, end_of_clause, end_of_items, next_line, paragraph_up_to
from quaestor.answers.way import Question, WayAnswer
from quaestor.chunking.headings import article_title
from quaestor.chunking.languages import PROSE
from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.core.terms import content_terms, find_words, searched_terms, terms
from quaestor.core.wording import amount
from quaestor.corpus import Corpus
from quaestor.related.stored_files import IndexedFile
from quaestor.search.path_roles import profile_path

_LONGEST = 160
_MOST_READ = 3000
"""Chunks that are looked through for a number or a word."""
_MOST_QUOTED = 3
_MOST_NAMED = 8
_MOST_LINES = 60
"""Lines of a part that are quoted; of a longer one, its beginning."""
_MOST_CHARACTERS = 4000
_MOST_SECTIONS, _BEGINNING, _SHORT = 8, 4, 40
"""Sections and lines of a page that are quoted to summarise it; a page of no more lines is quoted whole."""

_LABELS = (
    r"sections?|§+|sec\.|abschnitt|sección",
    r"articles?|art\.|artikel|artículo",
    r"chapters?|kapitel|chapitre|capítulo",
    r"rules?|regel|règle|regla",
    r"paragraphs?|para\.|paragraf|absatz|paragraphe|párrafo",
)
"""What numbered parts are called, each word with those of other languages."""
_OTHER_LABELS = (
    r"clauses?|regulations?|requirements?|principles?|guidelines?|parts?|teil|appendix|annex|anhang|annexe|anexo"
)
_NUMBER = r"[a-z]?\d{1,4}(?:[a-z]\d{0,3}){0,3}(?:[.-](?:\d{1,4}[a-z]?|[a-z])){0,6}|[ivxlc]{1,8}|[a-z]"
_THE = r"(?:(?:the|our|this|der|die|das|la|le|el)\s+|l')?"
_OF = (
    r"(?:\s+(?:of|in|from|within|der|des|im|in\s+der|du|de\s+la|de|del)\s+"
    rf"{_THE}(?P<{{}}>\S.*?))?"
)
_SAYS = (
    r"(?:\s+(?:says?|states?|requires?|regulates?|covers?|means?|contains?|defines?|demands?|allows?|forbids?|is))?"
    r"(?:\s+about(?:\s+\S.*)?)?"
)
_ASKED_NUMBER = lazy_regex(
    r"(?:(?:what\s+(?:does|do|is\s+(?:said\s+)?in|stands\s+in|is)|what's\s+in|(?:please\s+)?(?:show|quote|read|explain"
    r"|summari[sz]e|describe|cite)(?:\s+me)?|tell\s+me(?:\s+about)?|was\s+(?:steht|sagt|regelt|besagt|bestimmt)(?:\s+in)?"
    rf"|que\s+(?:dit|prévoit|contient)|qué\s+(?:dice|establece|contiene))\s+)?{_THE}"
    rf"(?P<label>{'|'.join(_LABELS)}|{_OTHER_LABELS})\s*(?P<number>{_NUMBER}){_OF.format('of')}{_SAYS}{_OF.format('also_of')}"
)
_PAGE = (
    r"(?:page|document|chapter|section|article|guide|policy|file|slide|sheet|seite|kapitel|dokument|abschnitt|chapitre"
    r"|página|capítulo)"
)
_ASKED_PAGE = lazy_regex(
    r"(?:please\s+)?(?:summari[sz]e|sum\s+up|outline|show(?:\s+me)?|what\s+does|what(?:'s|\s+is)(?:\s+in)?|fasse"
    r"|give\s+(?:me\s+)?an?\s+(?:short\s+|brief\s+)?(?:summary|outline)\s+of|worum\s+geht\s+es\s+(?:auf|in)"
    rf"|was\s+steht\s+(?:auf|in)|résume[rz]?|resume)\s+{_THE}"
    rf"(?:(?P<kind>{_PAGE})(?:\s+(?:on|about|called|named|titled|entitled|for|über|zu|sur|sobre))?\s+{_THE}(?P<title>.+?)"
    r"|(?P<named>.+?\s+(?:page|chapter|section|article|guide|policy|document|seite|kapitel|chapitre)))"
    r"(?:\s+(?:says?|about|contains?|covers?|tells?(?:\s+me)?|zusammen))?"
)
_SECTIONS = frozenset(("section", "chapter", "abschnitt", "kapitel", "chapitre", "capítulo"))

_BEFORE = (
    r"(?:(?:all|the|our|official|available|supported|different|various|possible|main|current|valid|existing)\s+){0,3}"
)


def _things(name: str) -> str:
    """Return a pattern for things in the plural, as a group of this name."""
    return (
        rf"{_BEFORE}(?:(?:kinds?|types?|sorts?|forms?)\s+of\s+)?{_BEFORE}"
        rf"(?P<{name}>(?:[a-z][\w-]*\s+){{0,3}}?[a-z][\w-]*(?:s|ia|people|media|data))"
    )


def _of_what(name: str) -> str:
    return rf"(?:\s+(?:of|for|in|at|on|from|within)\s+(?:the\s+|our\s+|this\s+|an?\s+)?(?P<of_{name}>\S.*?))?"


_ASKED_LIST = lazy_regex(
    rf"(?:which|what)\s+{_things('there')}\s+(?:are\s+there|exist|are\s+(?:available|supported|offered|allowed"
    rf"|permitted|recogni[sz]ed|official)){_of_what('there')}"
    rf"|what\s+are\s+(?=the\s|our\s|all\s){_things('are')}{_of_what('are')}"
    rf"|(?:please\s+)?(?:list|name|show(?:\s+me)?)\s+{_things('listed')}{_of_what('listed')}"
    rf"|(?:welche\s+(?P<gibt>\w+)\s+gibt\s+es|quel(?:le)?s\s+(?P<y_a>\w+)\s+y\s+a-t-il|qué\s+(?P<hay>\w+)\s+hay)"
    rf"|(?:which|what)\s+{_things('has')}\s+(?:does|do)\s+(?P<of_has>\S.*?)\s+(?:have|offer|support|provide)"
)


def _words(text: str) -> frozenset[str]:
    """Return the stems of a text's words without words of grammar; none of an empty text."""
    return frozenset(searched_terms(text.lower()))


_FILLERS = _words(
    "list lists available supported current official possible different various type types kind kinds form"
    " forms following all our main existing valid"
)
"""What a heading or a line may say of things besides their name."""
_MARKER = lazy_regex(r"\s*(?:[-*+•]+\s+)?(?:\(?\w{1,5}[.)]+\s+)?")
_LEADER = lazy_regex(r"(?:\. ?){4}")
_FIRST_CELL = lazy_regex(r"\s*\|\s*([^|]+?)\s*\|")
_MOST_EXTRA = 2
"""Words that the line above a list may hold besides the things that it lists."""
_SHORTEST, _ENDING = 3, 3
"""Letters of a word that are looked for at least, and how long its ending may be."""
_BESIDE = lazy_regex(r"\b(?:in|at|for|on|from|to|with|by|during|about|of|within|per|between)\s")
_KINDS_OF = lazy_regex(r"\b(?:kinds?|types?|sorts?|forms?|lists?|sets?|each|all|some|any|number|one)\s+of\s")
_KIND = lazy_regex(r"\b(?:kind|type|sort|form|list)s?\b", re.IGNORECASE)
_NEAR = 12
"""Lines below a heading within which its list begins."""

_ASKED_HOW = lazy_regex(
    r"(?:how\s+(?:do|can|should|would|must|could)\s+(?:i|we|you|one|people|someone)|how\s+to|how\s+(?:does|do|is|are)"
    r"|what\s+(?:is|are)\s+(?:the|our|your)\s+(?:steps?|process|procedures?|way)\s+(?:to|for|of|when)"
    r"|(?P<about>what\s+(?:is|are)\s+(?:the|our|your)\s+(?:rules?|policy|policies|guidelines?)\s+(?:on|about|for|of|when"
    r"|regarding)|what\s+(?:does\s+it|do\s+they|do\s+the\s+\w+)\s+say\s+(?:about|on)"
    r"|(?:tell\s+me\s+)?(?:more\s+)?about))\s+(?P<what>\S.*?)(?:\s+(?:work|done|handled|made))?"
)
_HOW = _words("how steps step guide procedure process policy rules guidelines")


class _Place(NamedTuple):
    """A part of a document that a question names; they sort with the likeliest first."""

    aside: bool
    extra: int
    flags: tuple[bool, ...]
    depth: int
    path: str
    first: int
    last: int
    title: str


def answer_with_part(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer a question that names a section, a page or a list of the documents; None for any other question."""
    text = plain_question(question.text) if len(question.text) <= _LONGEST else ""
    asked = [(match, find) for pattern, find in _FORMS if (match := pattern.fullmatch(text))]
    if not asked:
        return None
    corpus.try_refresh()
    return corpus.retry_reopened(lambda: _first_found(asked, corpus))


def _first_found(asked: Sequence[tuple[re.Match[str], _Find]], corpus: Corpus) -> WayAnswer | None:
    lines = CorpusLines(corpus)
    return next(filter(None, (find(match, corpus, lines) for match, find in asked)), None)


def _find_number(match: re.Match[str], corpus: Corpus, lines: CorpusLines) -> WayAnswer | None:
    of = match["of"] or match["also_of"] or ""
    return _quote_places(_numbered(match["label"], match["number"], of, corpus, lines), lines)


def _find_page(match: re.Match[str], corpus: Corpus, lines: CorpusLines) -> WayAnswer | None:
    if match["title"]:
        return _answer_page([match["title"]], match["kind"], corpus, lines)
    if not holds_documents(corpus):
        return None  # a page of a program, for example
    name, _, kind = match["named"].rpartition(" ")
    return _answer_page([match["named"], name], kind, corpus, lines)


def _find_list(match: re.Match[str], corpus: Corpus, lines: CorpusLines) -> WayAnswer | None:
    if not holds_documents(corpus):
        return None  # code declares such things, and documents only mention them
    form = next(name for name in ("there", "are", "listed", "has", "gibt", "y_a", "hay") if match[name])
    return _quote_places(_lists_of(match[form], match.groupdict().get(f"of_{form}") or "", corpus, lines), lines)


def _find_guide(match: re.Match[str], corpus: Corpus, lines: CorpusLines) -> WayAnswer | None:
    if not holds_documents(corpus):
        return None
    what = match["what"]
    page = _page_called([what, f"{what} policy"], corpus, lines) if match["about"] else None
    return _summarise(page, lines) if page else _quote_places(_sections_on(_words(what), corpus, lines), lines)


_Find: TypeAlias = "Callable[[re.Match[str], Corpus, CorpusLines], WayAnswer | None]"
_FORMS: tuple[tuple[re.Pattern[str], _Find], ...] = (
    (_ASKED_NUMBER, _find_number),
    (_ASKED_PAGE, _find_page),
    (_ASKED_LIST, _find_list),
    (_ASKED_HOW, _find_guide),
)


def _quote_places(places: Iterable[_Place], lines: CorpusLines) -> WayAnswer | None:
    """Quote the places that fit best, and name the others; None if there is none."""
    best = sorted(places)
    chosen = [place for place in best if place[:3] == best[0][:3]]
    if not chosen:
        return None
    draft = Draft()
    for place in chosen[:_MOST_QUOTED]:
        draft.quote(lines.hit(place.path, place.first, _last_shown(place, lines), place.title))
    if others := chosen[_MOST_QUOTED:]:
        named = ", ".join(in_code(f"{place.path}:{place.first}") for place in others[:_MOST_NAMED])
        more = f" and {len(others) - _MOST_NAMED:,} more" if len(others) > _MOST_NAMED else ""
        draft.say(f"{amount(len(others), 'more part')} of this name: {named}{more}.")
    return draft.finish("part")


def _last_shown(place: _Place, lines: CorpusLines) -> int:
    """Return the last line of a part that is shown: all of it, or as much as is quick to read."""
    file = lines.file(place.path)
    assert file is not None
    room, last = _MOST_CHARACTERS, place.first
    for at in range(place.first, min(place.last, place.first + _MOST_LINES) + 1):
        room -= len(file.lines[at - 1]) + 1
        if room < 0 and at > place.first:
            break
        last = at
    return last


def _files_holding(words: Iterable[str], corpus: Corpus, lines: CorpusLines, text: str = "") -> Iterator[IndexedFile]:
    """Yield the documents of prose that hold some terms in one chunk: in a title, a lead, or a cell, given a text."""
    may = _may_name(text) if text else re.compile("")
    stored = corpus.store.get(corpus.store.holding(words, _MOST_READ)).values()
    paths = {one.document.path for one in stored if one.document.language in PROSE and may.search(one.chunk.text)}
    yield from filter(None, map(lines.file, sorted(paths)))


def _may_name(text: str) -> re.Pattern[str]:
    """Return a pattern for a heading, a lead or a first cell with the longest word of a text, in any of its forms."""
    word = max(find_words(text), key=len, default="")
    named = rf"\b{re.escape(word[: max(_SHORTEST, len(word) - _ENDING)])}\w*"
    return re.compile(
        rf"^[ \t]*(?:[#=]|<h)[^\n]*{named}|{named}[^\n]*:[ \t*_]*$|^[ \t]*\|[ \t*`]*{named}"
        rf"|^[^\n]*{named}[^\n]*\n[ \t]*[-=~^\"'+]{{3,}}[ \t]*$",
        re.IGNORECASE | re.MULTILINE,
    )


def _place(file: IndexedFile, first: int, last: int, title: str, extra: int = 0, *, aside: bool = False) -> _Place:
    profile = profile_path(file.document.path)
    return _Place(aside, extra, profile.flags, profile.depth, file.document.path, first, last, title)


def _is_of(of: str, file: IndexedFile, *titles: str) -> bool:
    """Return whether a part belongs to what a question says that it is of: its document's or sections' names say so."""
    named = content_terms(" ".join((file.document.path, file.document.title or "", *titles)))
    return content_terms(of) <= named


# Numbered parts.


def _numbered(label: str, number: str, of: str, corpus: Corpus, lines: CorpusLines) -> Iterator[_Place]:
    """Yield the sections and clauses that bear a number."""
    heading = _numbered_heading(label, number)
    words = terms(number) if any(map(str.isdigit, number)) else [*terms(number), *terms(label)]
    for file in _files_holding(words, corpus, lines):
        called = bool(content_terms(label) & content_terms(f"{file.document.path} {file.document.title or ''}"))
        parts = [part for part in parts_of(file.lines) if heading.match(part.title)]
        for part in parts:
            if _is_of(of, file, part.title, *part.above):
                yield _place(file, *_with_heading(part, file), part.title, aside=not called)
        if not parts and _is_of(of, file):
            yield from (_place(file, *article, aside=not called) for article in _articles(heading, file))
        first = _clause(number, file) if not parts and _is_of(of, file) else 0
        if first:
            yield _place(file, first, end_of_clause(file.lines, first), "", aside=not called)


def _numbered_heading(label: str, number: str) -> re.Pattern[str]:
    """Return a pattern for the heading of a part with a number, which may bear the word asked for and no other."""
    same = next((pattern for pattern in _LABELS if re.fullmatch(pattern, label)), re.escape(label))
    may_lack = "?" if any(map(str.isdigit, number)) else ""
    return re.compile(rf"(?:(?:{same})\s*){may_lack}{re.escape(number)}(?=$|[\s.:)\]–—-](?!\d))", re.IGNORECASE)


def _clause(number: str, file: IndexedFile) -> int:
    """Return the line that begins a clause; 0 if none does, or several.

    A plain number numbers items of any list, and "1.2 million" none: the clause before, after or above must be there.
    """
    last = re.search(r"\d+$|[a-z]$", number)
    if number.isdigit() or not any(map(str.isdigit, number)) or last is None:
        return 0
    begins = [at for at, line in enumerate(file.lines, 1) if _begins_clause(number, line) and not _LEADER.search(line)]
    above = number[: last.start()]
    beside = [f"{above}{label}" for label in _neighbours(last[0])] + ([] if above.rstrip(".-").isdigit() else [above])
    ordered = any(_begins_clause(clause.rstrip(".-"), line) for clause in beside if clause for line in file.lines)
    return begins[0] if len(begins) == 1 and ordered else 0


def _begins_clause(number: str, line: str) -> bool:
    begins = rf"\s*(?:[-*+•]\s+)?(?:\*\*|__)?\(?{re.escape(number)}(?:[.:)\]]+|\s)(?:\*\*|__)?\s*\S"
    return re.match(begins, line, re.IGNORECASE) is not None


def _neighbours(last: str) -> Sequence[str]:
    """Return what comes before and after the last part of a number."""
    return [str(int(last) + by) if last.isdigit() else chr(ord(last) + by) for by in (-1, 1)]


def _articles(heading: re.Pattern[str], file: IndexedFile) -> Iterator[tuple[int, int, str]]:
    """Yield the first and last line and the title of each article of a law whose title is no heading: ``§ 5 Boats``."""
    titles = [article_title(line) for line in file.lines]
    for at, title in enumerate(titles):
        listed = any(map(_LEADER.search, file.lines[at : at + 2]))  # in a table of contents
        if title and heading.match(title) and not listed:
            below = range(at + 1, len(titles))
            yield at + 1, next((one for one in below if titles[one] or file.lines[one][:1] == "#"), len(titles)), title


def _with_heading(part: Part, file: IndexedFile) -> tuple[int, int]:
    """Return the first and last line of a section with its heading."""
    first = part.first - 1
    if (
        first > 1
        and plain(file.lines[first - 1]) != part.title
        and not file.lines[first - 1].startswith(("#", "=", "<"))
    ):
        first -= 1
    return max(1, first), max(part.last, first)


# Pages and sections by their names.


def _answer_page(names: Sequence[str], kind: str, corpus: Corpus, lines: CorpusLines) -> WayAnswer | None:
    """Summarise a page by how its sections begin, or quote a section whole; None if none has one of the names."""
    names = [name.strip("\"'“”‘’«» ") for name in names]
    page = _page_called(names, corpus, lines)
    if page is not None and kind not in _SECTIONS:
        return _summarise(page, lines)
    sections = (_quote_places(_sections_called(name, corpus, lines), lines) for name in names)
    return next(filter(None, sections), None) or (None if page is None else _summarise(page, lines))


def _page_called(names: Sequence[str], corpus: Corpus, lines: CorpusLines) -> IndexedFile | None:
    """Return the document that has one of some names, as its title or else as its file's name; None if none has."""
    pages = [
        (not any(_same_name(name, document.title or "") for name in names), _is_readme(path), profile_path(path), path)
        for path, document in corpus.store.documents().items()
        if document.language in PROSE and any(_is_called(name, path, document.title or "") for name in names)
    ]
    best = min(pages, key=lambda page: (page[0], page[1], page[2].flags, page[2].depth, page[3]), default=None)
    return None if best is None else lines.file(best[-1])


def _summarise(page: IndexedFile, lines: CorpusLines) -> WayAnswer:
    """Quote a short page, or how a longer one and its sections begin; name the sections."""
    draft, path, title = Draft(), page.document.path, page.document.title or ""
    parts = [*parts_of(page.lines)]
    under_title = len(parts) > 1 and all(part.above for part in parts[1:])
    sections = [part for part in parts if len(part.above) == under_title]
    whole = [(1, len(page.lines), title)]
    for first, last, heading in _beginnings(page, sections) if len(page.lines) > _SHORT else whole:
        draft.quote(lines.hit(path, first, last, heading))
    named = ", ".join(f"{in_code(section.title)} ({_with_heading(section, page)[0]})" for section in sections)
    listed = f" Its sections: {named} (line numbers in brackets)." if named else ""
    draft.say(f"{in_code(path)}{f', “{title}”,' if title else ''} has {amount(len(page.lines), 'line')}.{listed}")
    return draft.finish("part")


def _beginnings(page: IndexedFile, sections: Sequence[Part]) -> Iterator[tuple[int, int, str]]:
    """Yield the first and last line and the heading of how a page and its first sections begin."""
    texts = [*paragraphs(page.lines)]
    lead = next((paragraph for paragraph in texts if not sections or paragraph.start_line < sections[0].first), None)
    if lead is not None:
        yield lead.start_line, min(lead.end_line, lead.start_line + _BEGINNING), page.document.title or ""
    for part in sections[:_MOST_SECTIONS]:
        first, last = _beginning(part, texts, page.lines)
        yield first, min(last, first + _BEGINNING), part.title


def _beginning(part: Part, texts: Sequence[Paragraph], lines: Sequence[str]) -> tuple[int, int]:
    """Return the first and last line of a section's first paragraph, or of its first lines, if it has none."""
    paragraph = next((paragraph for paragraph in texts if part.first <= paragraph.start_line <= part.last), None)
    if paragraph is not None:
        return paragraph.start_line, paragraph.end_line
    start = next((at for at in range(part.first, part.last + 1) if lines[at - 1].strip()), part.first)
    return start, next((at - 1 for at in range(start + 1, part.last + 1) if not lines[at - 1].strip()), part.last)


def _is_called(name: str, path: str, title: str) -> bool:
    """Return whether a document has a name, as its title or its file's name: ``leave-policy.md``."""
    stem = path.rpartition("/")[2].partition(".")[0]
    return _same_name(name, title) or _same_name(name, re.sub(r"[-_]+", " ", stem))


def _is_readme(path: str) -> bool:
    return path.rpartition("/")[2].lower().startswith("readme")


def _same_name(asked: str, title: str) -> bool:
    return " ".join(terms(asked)) == " ".join(terms(plain(title)))


def _sections_called(title: str, corpus: Corpus, lines: CorpusLines) -> Iterator[_Place]:
    for file in _files_holding(terms(title), corpus, lines, title):
        for part in parts_of(file.lines):
            if _same_name(title, part.title):
                yield _place(file, *_with_heading(part, file), part.title)


def _sections_on(wanted: frozenset[str], corpus: Corpus, lines: CorpusLines) -> Iterator[_Place]:
    """Yield the sections whose names say what a question says, together with the names of what they stand in."""
    for file in _files_holding(sorted(wanted), corpus, lines) if wanted else ():
        for part in parts_of(file.lines):
            named = _words(part.title)
            subject, about = named - _HOW, wanted - _HOW
            above = _words(" ".join((file.document.title or "", *part.above)))
            if subject and subject <= about <= subject | above:
                yield _place(file, *_with_heading(part, file), part.title, len(named ^ wanted))


# Lists and tables.


def _lists_of(things: str, of: str, corpus: Corpus, lines: CorpusLines) -> Iterator[_Place]:
    """Yield the lists and tables of some things: below a heading or in a column of their name, or introduced by it."""
    wanted = _words(things)
    for file in _files_holding(sorted(wanted), corpus, lines, things) if wanted else ():
        for part in parts_of(file.lines):
            several = things in part.title.lower() or _KIND.search(part.title)
            named = several and _names_things(part.title, wanted) and _is_of(of, file, part.title, *part.above)
            if named and (last := _end_of_list_below(file.lines, part)) is not None:
                yield _place(file, _with_heading(part, file)[0], last, part.title)
        yield from _introduced(things, of, file)
        yield from _tabulated(wanted, of, file)


def _names_things(title: str, wanted: frozenset[str]) -> bool:
    """Return whether a heading is the name of some things: whole, or without or within its brackets."""
    within = re.findall(r"\(([^()]*)\)", title)
    names = (title, re.sub(r"\([^()]*\)", " ", title), *within)
    return any(_words(name) - _FILLERS == wanted - _FILLERS for name in names)


def _end_of_list_below(lines: Sequence[str], part: Part) -> int | None:
    """Return the last line of the first list or table below a heading, or of the section; None if it has none."""
    for at in range(part.first, min(part.last, part.first + _NEAR) + 1):
        last = end_of_items(lines, at, part.last)
        if last is not None:
            return last
    return None


def _introduced(things: str, of: str, file: IndexedFile) -> Iterator[_Place]:
    """Yield the lists of a document that a line introduces which ends in a colon and names the things."""
    wanted = _words(things)
    for at, line in enumerate(file.lines, 1):
        if not line.rstrip(" *_").endswith((":", "：")) or line.startswith("#"):
            continue
        lead = re.split(r"(?<=[.!?])\s+", plain(_MARKER.sub("", paragraph_up_to(file.lines, at), count=1)))[-1].lower()
        if not _leads_to(things, lead) or not _is_of(of, file, lead):
            continue
        expected = _words(of) | _words(file.document.title or "") | _FILLERS
        extra = len(_words(lead) - wanted - expected)
        begins = next_line(file.lines, at)
        last = end_of_items(file.lines, begins, len(file.lines)) if begins else None
        if last is not None and extra <= _MOST_EXTRA:
            yield _place(file, at, last, "", 1 + extra)


def _leads_to(things: str, lead: str) -> bool:
    """Return whether a line is about some things, which are not only where, when or for what something is listed."""
    named = re.search(rf"(?P<before>(?:\S+\s+){{0,3}}){re.escape(things)}\b", lead)
    return named is not None and _BESIDE.search(_KINDS_OF.sub("", named["before"])) is None


def _tabulated(wanted: frozenset[str], of: str, file: IndexedFile) -> Iterator[_Place]:
    """Yield the tables of a document whose first column bears the name of the things."""
    for at, line in enumerate(file.lines, 1):
        cell = _FIRST_CELL.match(line)
        ruled = at < len(file.lines) and TABLE_RULE.fullmatch(file.lines[at]) is not None
        if cell and ruled and _words(plain(cell[1])) - _FILLERS == wanted - _FILLERS and _is_of(of, file):
            last = end_of_items(file.lines, at, len(file.lines))
            if last is not None:
                yield _place(file, at, last, "", 1)
