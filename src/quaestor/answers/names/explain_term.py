"""Explains a term of the documents by the place that defines it.

The term is the only telling word of such a question, so a search would find the passages that repeat it most often.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from quaestor.answers.drafts import CorpusLines, Draft
from quaestor.answers.names.explain_file import explain_file
from quaestor.answers.names.resolved_names import resolve_numbered
from quaestor.answers.names.term_definitions import (
    DefiningLines,
    Form,
    defines_nothing,
    definitions_of,
    end_of_list,
    is_abbreviation,
    may_define,
    names_the_term,
)
from quaestor.answers.overview.prose_lines import paragraphs
from quaestor.answers.quotes.passage_order import MINUTES
from quaestor.answers.way import Question, WayAnswer
from quaestor.chunking.languages import PROSE
from quaestor.core.documents import Document
from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.core.terms import terms
from quaestor.corpus import Corpus
from quaestor.search.background_documents import CHANGELOG, GENERATED, LEGAL, VENDORED
from quaestor.search.language import language_of
from quaestor.search.path_roles import profile_path

_LONGEST = 120
_MOST_CHUNKS = 3000
_MOST_WORDS = 4
_GLOSSARY = lazy_regex(r"glossar|terminology|vocabulary|acronym|abbreviation|definitions", re.IGNORECASE)
_TERM = r"[\"'“‘«`]?(?P<term>[^\W_](?:[\w.+#&/'’ -]*[\w+#])?)[\"'”’»`]?"
_WHERE = lazy_regex(
    r",?\s+(?:according\s+to|as\s+per|as\s+used\s+in|in|on)\s+(?:these|this|the)\s+"
    r"(?:pages?|docs?|documents?|documentation|site|book|project|repo(?:sitory)?|handbook|guide)\s*\??$",
    re.IGNORECASE,
)
_NUMBER = r"(?P<term>[A-Za-z]{2,12}[ _-]?\d{1,6})"
_ARTICLE = r"(?:(?:an?|the)\s+)?"
# "This project" and "the main parts" are no terms.
_WORD_OF_IDEOGRAPHS = (
    r"(?P<term>[A-Za-z][\w.+#/ -]*?"
    r"|(?![这那此该本它他她我你哪谁什何誰これそのあの])[\u30a0-\u30ff\u3400-\u9fff][^\W_]{0,11})"
)
_ASKED = tuple(
    lazy_regex(rf"^\W*{pattern}\s*[?？.!。]*\s*$", re.IGNORECASE)
    for pattern in (
        rf"what\s+(?:is|are|does|do)\s+{_NUMBER}\s+(?:about|for|say|define|propose|specify|describe|contain|change|do)",
        rf"(?:please\s+)?(?:summari[sz]e|explain|describe)\s+{_NUMBER}",
        rf"what(?:\s+exactly)?(?:\s+(?:is|are)|['’]s)\s+(?:meant\s+by\s+)?{_ARTICLE}{_TERM}",
        rf"what\s+(?:does|do)\s+{_ARTICLE}{_TERM}\s+(?:mean|stand\s+for|refer\s+to)(?:\s+here)?",
        rf"(?:please\s+)?(?:define|(?:the\s+)?(?:definition|meaning)\s+of)\s+{_ARTICLE}{_TERM}",
        rf"(?:was\s+(?:ist|sind|bedeutet|heißt)|wofür\s+steht)\s+(?:(?:ein|eine|der|die|das)\s+)?{_TERM}",
        r"(?:qu['’]est-ce\s+qu(?:e\s+|['’])|c['’]est\s+quoi\s+|que\s+signifie(?:nt)?\s+)"
        rf"(?:un\s+|une\s+|le\s+|la\s+|les\s+|l['’])?{_TERM}",
        rf"qué\s+(?:es|son|significa)\s+(?:(?:un|una|el|la|los|las)\s+)?{_TERM}",
        rf"什么是\s*{_TERM}",
        rf"{_WORD_OF_IDEOGRAPHS}\s*(?:是什么|是指什么|是什么意思|指的是什么)",
        rf"{_WORD_OF_IDEOGRAPHS}\s*(?:とは|って)(?:何|なん|なに)?(?:のことですか|ですか|でしょうか)?",
    )
)
_PERIODS = tuple(
    lazy_regex(rf"^\W*{pattern}\s*[?？.!]*\s*$", re.IGNORECASE)
    for pattern in (
        rf"when\s+(?:does|do|did|will)\s+{_ARTICLE}{_TERM}\s+(?:begin|start|end)s?",
        rf"wann\s+(?:beginnt|beginnen|endet|enden)\s+(?:(?:das|der|die)\s+)?{_TERM}",
    )
)
_SAYS_DATE = lazy_regex(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|mai|juni"
    r"|juli|oktober|dezember)\s+\d|\d(?:st|nd|rd|th)?\.?\s+(?:of\s+)?(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|o[ck]t|nov|de[cz])"
    r"|\b(?:calendar\s+year|kalenderjahr)\b",
    re.IGNORECASE,
)
_SIDE = (
    r"(?:(?:an?|the|eine[mnr]?|der|die|das|dem|den|une?|l[ae]s?|el|los|una)\s+|l['’])?"
    r"[\"'“‘«`]?(?P<{}>[^\W_][\w.+#&/'’ -]*?)[\"'”’»`]?"
)
_FIRST, _SECOND = _SIDE.format("first"), _SIDE.format("second")
_COMPARED = tuple(
    lazy_regex(rf"^\W*{pattern}\s*[?？.!。]*\s*$", re.IGNORECASE)
    for pattern in (
        rf"what(?:['’]s|\s+is|\s+are)\s+(?:the\s+)?differences?\s+between\s+{_FIRST}\s+and\s+{_SECOND}",
        rf"how\s+(?:does|do|is|are)\s+{_FIRST}\s+(?:differ|different)\s+from\s+{_SECOND}",
        rf"{_FIRST}\s+(?:vs\.?|versus)\s+{_SECOND}",
        rf"(?:was\s+ist\s+der|worin\s+(?:besteht|liegt)\s+der|welcher)\s+unterschied\s+zwischen\s+{_FIRST}\s+und\s+{_SECOND}",
        rf"quelles?\s+(?:est\s+la\s+|sont\s+les\s+)?différences?\s+(?:y\s+a-t-il\s+)?entre\s+{_FIRST}\s+et\s+{_SECOND}",
        rf"(?:cuál|qué)\s+(?:es\s+la\s+)?diferencia\s+(?:hay\s+)?entre\s+{_FIRST}\s+y\s+{_SECOND}",
    )
)


def explain_term(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Explain a term, or two terms that are compared; None if nothing in the corpus defines them."""
    language = language_of(question.text)
    if pair := read_comparison(question.text):
        corpus.try_refresh()
        return corpus.retry_reopened(lambda: _answer_by_difference(*pair, corpus, language))
    term, period = read_term_question(question.text), _read_period(question.text)
    if not (term or period):
        return None
    corpus.try_refresh()
    if period:
        return corpus.retry_reopened(lambda: _answer_by_definition(period, corpus, language, _SAYS_DATE))
    return corpus.retry_reopened(
        lambda: _answer_by_number(term, corpus) or _answer_by_definition(term, corpus, language)
    )


def read_term_question(text: str) -> str:
    """Return the term that a question asks the meaning of; empty for any other question. Pure."""
    if len(text) > _LONGEST:
        return ""
    plain = _WHERE.sub("", text.strip())
    match = next((match for pattern in _ASKED if (match := pattern.match(plain))), None)
    term = "" if match is None else " ".join(match["term"].replace("’", "'").split())
    return term if len(term.split()) <= _MOST_WORDS else ""


def _read_period(text: str) -> str:
    """Return the period of "when does the fiscal year begin?"; empty for any other question."""
    match = next((match for one in _PERIODS if (match := one.match(text))), None) if len(text) <= _LONGEST else None
    return "" if match is None else " ".join(match["term"].split())


def read_comparison(text: str) -> tuple[str, str] | None:
    """Return the two terms whose difference a question asks for; None for any other question. Pure."""
    plain = _WHERE.sub("", text.strip()) if len(text) <= _LONGEST else ""
    match = next((match for pattern in _COMPARED if (match := pattern.match(plain))), None)
    pair = ("", "") if match is None else (" ".join(match["first"].split()), " ".join(match["second"].split()))
    return pair if all(0 < len(term.split()) <= _MOST_WORDS for term in pair) else None


def _answer_by_number(term: str, corpus: Corpus) -> WayAnswer | None:
    path = resolve_numbered(corpus, term)
    return None if path is None else explain_file(corpus, path)


def _answer_by_definition(
    term: str, corpus: Corpus, language: str, says: re.Pattern[str] | None = None
) -> WayAnswer | None:
    """Return the best definition of a term, or the best in which a pattern occurs."""
    lines = CorpusLines(corpus)
    places = _places_of(term, corpus, lines, language)
    if says is not None:
        texts = (lines.hit(one.path, one.lines.start_line, one.lines.end_line).text for one in places)
        places = [place for place, text in zip(places, texts, strict=True) if says.search(text)]
    if not places:
        return None
    draft = Draft()
    for place in (places[0], *_written_out(term, places)):
        draft.quote(lines.hit(place.path, place.lines.start_line, _with_its_list(lines, place)))
    return draft.finish("term")


def _answer_by_difference(first: str, second: str, corpus: Corpus, language: str) -> WayAnswer | None:
    """Return the definitions of two terms, which may share their last word: "send only and receive only folders"."""
    shared = second.rsplit(maxsplit=1)[-1]
    found = _answer_by_two_definitions(first, second, corpus, language)
    if found is None and " " in second and not first.endswith(shared):
        found = _answer_by_two_definitions(f"{first} {shared}", second, corpus, language)
    return found


def _answer_by_two_definitions(first: str, second: str, corpus: Corpus, language: str) -> WayAnswer | None:
    """Return the definitions of two terms in one document; None if a section is about both, which says it better."""
    both = corpus.store.get(corpus.store.holding([*terms(first), *terms(second)], _MOST_CHUNKS)).values()
    wanted = {*terms(first), *terms(second)}
    if any(wanted <= {*terms(stored.chunk.symbol or "")} for stored in both):
        return None
    lines = CorpusLines(corpus)
    of_first, of_second = (_places_of(term, corpus, lines, language) for term in (first, second))
    sure = [(place, other) for place in of_first for other in of_second if place.path == other.path]
    pair = next((forms for forms in sure if max(place.form for place in forms) <= Form.SECTION), None)
    if pair is None:
        return None
    draft = Draft()
    for place in dict.fromkeys(pair):
        draft.quote(lines.hit(place.path, place.lines.start_line, _with_its_list(lines, place)))
    return draft.finish("term")


def _places_of(term: str, corpus: Corpus, lines: CorpusLines, language: str) -> Sequence[_Place]:
    """Return the places that define a term, the best first, those in lists of changes and in translations last."""
    places = {*_in_chunks(term, corpus, lines), *_titled_with(term, corpus, lines)}
    return sorted(places, key=lambda place: (_is_translated(place.path, language), _is_changelog(place.path), place))


def _opened(before: Sequence[str]) -> list[str]:
    """Return the mark of the block of code that is open after some lines; an empty list if there is none."""
    fences = [line.lstrip()[:3] for line in before if line.lstrip().startswith(("```", "~~~"))]
    return fences[-1:] if len(fences) % 2 else []


def _is_translated(path: str, language: str) -> bool:
    """Return whether a document is in another language than English and than the question's."""
    return profile_path(path).background not in {"", CHANGELOG, LEGAL, VENDORED, GENERATED, language}


def _is_changelog(path: str) -> bool:
    return profile_path(path).background == CHANGELOG


def _written_out(term: str, places: Sequence[_Place]) -> Sequence[_Place]:
    """Return the first place that spells an abbreviation out, if the best place does not."""
    written_out = [place for place in places if place.form == Form.WRITTEN_OUT]
    return written_out[:1] if is_abbreviation(term) and places[0].form != Form.WRITTEN_OUT else ()


def _with_its_list(lines: CorpusLines, place: _Place) -> int:
    """Return the last line of a definition, including a list that it introduces, which may be in the next chunk."""
    file, last = lines.file(place.path), place.lines.end_line
    return end_of_list(file.lines, last) if file is not None and file.lines[last - 1].rstrip().endswith(":") else last


class _Place(NamedTuple):
    """A place that defines a term.

    Places sort: the term's own document or a glossary comes first, then the surest form, then the main documents,
    then those in fewer folders.
    """

    elsewhere: bool
    form: Form
    aside: tuple[bool, ...]
    depth: int
    path: str
    lines: DefiningLines


def _in_chunks(term: str, corpus: Corpus, lines: CorpusLines) -> Iterator[_Place]:
    """Yield the places that define a term, from the chunks that hold it."""
    store, may = corpus.store, may_define(term)
    for stored in store.get(store.holding(terms(term), _MOST_CHUNKS)).values():
        if stored.document.language in PROSE and may.search(stored.chunk.text):
            file, first = lines.file(stored.document.path), stored.chunk.span.start_line
            opened = _opened(file.lines[: first - 1] if file is not None else ())
            texts, shift = [*opened, *stored.chunk.text.split("\n")], first - 1 - len(opened)
            heads = not MINUTES.search(stored.document.path)
            for defined in definitions_of(term, texts):
                if _opened(texts[: defined.start_line - 1]) or not (heads or defined.form != Form.SECTION):
                    continue
                in_document = DefiningLines(defined.form, defined.start_line + shift, defined.end_line + shift)
                yield _place(term, stored.document, in_document)


def _titled_with(term: str, corpus: Corpus, lines: CorpusLines) -> Iterator[_Place]:
    """Yield the first paragraph of each document whose title is the term."""
    for path, document in corpus.store.documents().items():
        if document.language in PROSE and document.title and names_the_term(term, document.title):
            file = lines.file(path)
            parts = (
                () if file is None else (one for one in paragraphs(file.lines) if not defines_nothing(one, file.lines))
            )
            first = next(iter(parts), None)
            if first is not None:
                yield _place(term, document, DefiningLines(Form.SECTION, first.start_line, first.end_line))


def _place(term: str, document: Document, lines: DefiningLines) -> _Place:
    profile = profile_path(document.path)
    stem = document.path.rpartition("/")[2].partition(".")[0]
    titles = (re.sub(r"[-_]", " ", stem), *filter(None, [document.title]))
    about_term = _GLOSSARY.search(document.path) or any(names_the_term(term, title) for title in titles)
    return _Place(not about_term, lines.form, profile.flags, profile.depth, document.path, lines)
