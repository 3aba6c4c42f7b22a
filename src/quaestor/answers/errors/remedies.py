"""Finds what documents say of a fault: the section that has a message's fixed words, or an error's name or code.

People write such a section for what they have seen: with other values in it, in a heading, a sentence or a block of
output. So it has most of the message's words, in order and close together. Of several sections, one that says enough
to be an explanation comes before one that only mentions the fault, and one that is about it before all others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from errno import errorcode
from itertools import chain

from quaestor.answers.drafts import CorpusLines
from quaestor.answers.errors.message_templates import ANY_FAULT
from quaestor.answers.errors.template_agreement import agreement, words_of
from quaestor.answers.overview.prose_lines import Part, end_of_blocks, end_of_front_matter, parts_of, start_of_lead
from quaestor.answers.quotes.paragraphs import LIST_ITEM
from quaestor.answers.settings.explain_option import OF_CONTENTS, entry_about, section_about
from quaestor.chunking.languages import PROSE
from quaestor.chunking.manual_headings import MANUALS
from quaestor.core.documents import Hit
from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import find_words, terms, terms_of_word
from quaestor.corpus import Corpus
from quaestor.related.stored_files import IndexedFile
from quaestor.search.background_documents import CHANGELOG, TRANSLATION
from quaestor.search.names_in_question import looks_like_code, names_of_code
from quaestor.search.path_roles import folders_to_sources, profile_path
from quaestor.stores import FieldBoosts, StoredChunk, Where

_FAULT = re.compile(r"(?:[Ee]rror|[Ee]xception|Failure|Fault|Warning)s?$|^Unable[A-Z]")
_CAPITALS = re.compile(r"(?<![\w.-])[A-Z][A-Z\d]*(?:_[A-Z\d]+)*(?![\w.-])")
_FAULT_CODE = re.compile(r"(?:^|_)(?:ERR|E)_|_ERR(?:OR)?$|^[A-Z]{1,6}\d{3,7}$")
_MOST_NAMES, _FEWEST_OF_ENTRY, _MOST_SAID = 4, 5, 12
_IN_PROSE = Where(languages=tuple(sorted(PROSE)))
_BODY = FieldBoosts(1.0, 0.0, 0.5)
_CHUNKS, _RAREST, _EACH_NAME = 60, 16, 60
_WRAPPED = 3
"""The most lines of a document over which a message may be wrapped."""
_LONGEST_LINE = 1000
_LIGHT = 0.15
"""The weight of a word that says nothing: a stop word, a number."""
_FEWEST, _FEWEST_HEAVY = 3, 2
_LEAST_OF_MESSAGE, _LEAST_OF_SPAN = 0.7, 0.6
_VERBATIM = 0.9
_MOST_LINES, _MOST_CHARACTERS = 30, 3000
_FEWEST_SHOWN, _MOST_LEAD, _LED = 5, 12, 2
_ENOUGH, _SOME = 14, 7
"""With so many words beside its own, a section explains a fault; with fewer than ``_SOME``, it only leads to others."""
_MOST_OF_PARENT, _MOST_ADVICE = 150, 3
_CODE = 4
"""From this indentation on, text that is no item of a list is code."""
_REMEDIES = frozenset(
    """fix fixes fixed fixing solution solutions solve solved solves workaround workarounds avoid avoided resolve
    resolved resolves instead ensure upgrade downgrade reinstall remedy cure lösung beheben beheb abhilfe solución
    résoudre""".split()
)
_ADVICE = _REMEDIES | frozenset(
    """try check run set use add remove install enable disable change configure replace make must should need needs can
    caused causes cause because means happens""".split()
)
_OF_TROUBLE = "troubl faq error issue problem pitfall gotcha question debug fail warning exception exit".split()


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that documents may explain.

    Attributes:
        lines: the words of a message's lines, of which a section has one; values among them weigh nothing.
        weights: the weight of each word.
        names: names of errors and codes, one of which a section has as it is written.
        besides: further terms that a question has; they tell sections on one name from each other.
        context: words in lower case, one of which stands in the line of a name that is no name elsewhere, as ``404``.
    """

    lines: tuple[tuple[str, ...], ...] = ()
    weights: Mapping[str, float] | None = None
    names: tuple[str, ...] = ()
    besides: frozenset[str] = frozenset()
    context: frozenset[str] = frozenset()

    @property
    def words(self) -> frozenset[str]:
        """All words of the fault."""
        return frozenset(word for one in (*self.lines, *map(words_of, self.names)) for word in one)

    def context_in(self, text: str) -> bool:
        """Return whether a line has one of the words of the context, if there are any."""
        return not self.context or not self.context.isdisjoint(words_of(text))


class _Section(NamedTuple):
    """A section that tells of a fault; they sort with the best first."""

    behind: bool
    strength: float
    brief: bool
    besides: int
    elsewhere: bool
    unmended: bool
    off_heading: bool
    advice: int
    aside: tuple[bool, ...]
    depth: int
    path: str
    at: int
    first: int
    last: int
    title: str


def section_on(
    fault: Fault, corpus: Corpus, lines: CorpusLines, *, surely: bool = False, headed: bool = False
) -> tuple[Hit, ...]:
    """Return the section that tells of a fault, in one or two pieces; none if no document does.

    Args:
        fault: the fault.
        corpus: the corpus to search.
        lines: the lines of the corpus.
        surely: whether the section must be about what goes wrong, since no code is known to raise it.
        headed: whether its heading must have the fault, since the fault's name may mean anything else.
    """
    places = list(chain.from_iterable(_sections(stored, fault, lines) for stored in _candidates(fault, corpus)))
    # A changelog or an example mentions much: what it says counts if it alone has the message itself.
    places = [one for one in places if not one.behind or (surely and fault.lines and one.strength <= -_VERBATIM)]
    if surely or headed:
        places = [one for one in places if not one.off_heading or (not headed and _is_about_trouble(one, fault))]
    best = min(places, default=None)
    if best is None:
        return ()
    file = lines.file(best.path)
    assert file is not None
    return tuple(lines.hit(best.path, *piece, best.title or None) for piece in _shown(file.lines, best, fault.words))


def section_on_message(
    fixed: tuple[tuple[str, ...], ...],
    message: Fault,
    corpus: Corpus,
    lines: CorpusLines,
    *,
    surely: bool,
) -> tuple[Hit, ...]:
    """Return the section that has a message; failing that, what is said of an error that the message names.

    Args:
        fixed: the words of its template, if that is known; else none.
        message: the words of its lines, and the names of errors in it.
        corpus: the corpus to search.
        lines: the lines of the corpus.
        surely: as in ``section_on``.
    """
    known = replace(message, lines=fixed[:_MOST_SAID], names=())
    found = section_on(known, corpus, lines, surely=surely) if fixed else ()
    # Of a long log, the lines that say most are compared.
    weights = message.weights or {}
    heaviest = sorted(message.lines, key=lambda one: -sum(weights.get(word, 0.0) for word in set(one)))[:_MOST_SAID]
    message = replace(message, lines=tuple(heaviest))
    codes = (documented(name, corpus, lines) for name in message.names if name.isupper())
    found = found or next(filter(None, codes), ())
    found = found or (section_on(replace(message, names=()), corpus, lines, surely=True) if message.lines else ())
    classes = (documented(name, corpus, lines) for name in message.names if not name.isupper())
    return found or next(filter(None, classes), ())


def documented(name: str, corpus: Corpus, lines: CorpusLines) -> tuple[Hit, ...]:
    """Return what documents say of an error: the section or the entry about it, else a section that names it."""
    stated, fault = section_about(corpus, lines, name), Fault(names=(name,))
    headed = section_on(fault, corpus, lines, headed=True) if stated is None else ()
    stated = stated or (None if headed else entry_about(corpus, lines, name))
    if stated is not None and _says_more(stated) and not profile_path(stated.path).background:
        return (stated,)
    return headed or section_on(fault, corpus, lines, surely=True)


def _says_more(hit: Hit) -> bool:
    """Return whether an entry or a section says anything besides names, as a list of all errors does not."""
    first, *rest = hit.text.split("\n")
    below = rest[0] if rest and _indent(rest[0]) > _indent(first) else ""
    return hit.symbol is not None or len(find_words(f"{first}\n{below}")) >= _FEWEST_OF_ENTRY


def names_of_faults(message: str) -> tuple[str, ...]:
    """Return the names of errors in a message: of classes, of the system (``ENOENT``), and codes (``TS2304``).

    A message that is one word written like code is such a name, whatever it ends in.
    """
    if message and looks_like_code(message) and not any(map(str.isspace, message)):
        return (message,)
    written = (one for one in names_of_code(message) if _FAULT.search(one) and one not in ANY_FAULT)
    classes = (one if own in ANY_FAULT else own for one in written if (own := re.split(r"::|[.\\]", one)[-1]))
    codes = (one for one in _CAPITALS.findall(message) if one in errorcode.values() or _FAULT_CODE.search(one))
    return tuple(dict.fromkeys((*codes, *classes)))[:_MOST_NAMES]


def _candidates(fault: Fault, corpus: Corpus) -> list[StoredChunk]:
    """Return the chunks of documents that may tell of a fault."""
    store, weights = corpus.store, fault.weights or {}
    words = sorted({word for line in fault.lines for word in line if weights.get(word, 0) > _LIGHT})
    words.sort(key=lambda word: -weights[word])
    sought = [term for word in words[:_RAREST] for term in terms_of_word(word)[:1]]
    wanted = dict.fromkeys(one for one, _ in store.lexical(sought, _CHUNKS, _IN_PROSE, _BODY)) if sought else {}
    for name in fault.names:
        wanted.update(dict.fromkeys(store.holding(terms(name), _EACH_NAME, _IN_PROSE)))
    return [one for one in store.get(wanted).values() if _may_tell(one.document.path)]


def _may_tell(path: str) -> bool:
    """Return whether a document may be read for remedies: no test or its data, no other project's, no licence."""
    profile = profile_path(path)
    return not (profile.test or profile.data) and profile.background in ("", CHANGELOG, TRANSLATION)


def _sections(stored: StoredChunk, fault: Fault, lines: CorpusLines) -> Iterator[_Section]:
    """Yield the sections of a chunk that tell of a fault."""
    file = lines.file(stored.document.path)
    parts: list[Part] | None = None
    for at, strength in _lines_telling(stored, fault) if file is not None else ():
        assert file is not None
        parts = _parts_of(file) if parts is None else parts
        yield _section_at(file, parts, at, strength, fault)


def _parts_of(file: IndexedFile) -> list[Part]:
    """Return the sections of a document; of a manual, whose headings are commands, each up to the next heading."""
    find = MANUALS.get(file.document.language)
    if find is None:
        return [*parts_of(file.lines)]
    data = file.text.encode("utf-8", "replace")
    heads = [(data.count(b"\n", 0, one.start) + 1, one.title) for one in find(data, 0)]
    ends = [*(at - 1 for at, _ in heads[1:]), len(file.lines)]
    return [Part(title, at + 1, end, ()) for (at, title), end in zip(heads, ends, strict=True)]


def _lines_telling(stored: StoredChunk, fault: Fault) -> Iterator[tuple[int, float]]:
    """Yield the lines of a chunk that have a message or a name, each with how much of it, 0 to 1."""
    texts = stored.chunk.text.split("\n")
    named = [_name_pattern(name) for name in fault.names]
    for number, text in enumerate(texts):
        if OF_CONTENTS.match(text) or not text.strip() or len(text) > _LONGEST_LINE:
            continue
        at = stored.chunk.span.start_line + number
        if any(pattern.search(text) for pattern in named) and fault.context_in(text):
            yield at, 1.0
        elif fault.lines and (strength := _best_agreement(texts, number, fault)):
            yield at, strength


def _name_pattern(name: str) -> re.Pattern[str]:
    """Return a pattern for a name as it is written, or for a phrase in any letters; "#404" is no status."""
    return re.compile(rf"(?<![\w$#]){re.escape(name)}(?![\w$-])", re.IGNORECASE if " " in name else 0)


def _best_agreement(texts: Sequence[str], number: int, fault: Fault) -> float:
    """Return how much of a message begins on a line, 0 if it is too little or its words are too far apart."""
    weights, best = fault.weights or {}, 0.0
    line_words = frozenset(words_of(texts[number]))
    for message in fault.lines:
        if not any(weights.get(word, 0) > _LIGHT for word in line_words.intersection(message)):
            continue
        for length in range(1, _WRAPPED + 1):
            with_line, below = (texts[first : number + length] for first in (number, number + 1))
            share = _agreement(message, with_line, weights)
            if share > best and share > _agreement(message, below, weights):
                best = share
    return best


def _agreement(message: Sequence[str], texts: Sequence[str], weights: Mapping[str, float]) -> float:
    """Return the share of a message that lines say in its order; 0 if it may be chance."""
    line_words = words_of("\n".join(texts)[:_LONGEST_LINE])
    whole = sum(weights.get(word, 0.0) for word in message)
    common = frozenset(message).intersection(line_words)
    heavy = [word for word in common if weights.get(word, 0) > _LIGHT]
    # To find their order takes longest, and few lines have enough of the words in any order.
    most = sum(weights.get(word, 1.0) for word in message if word in common)
    if len(heavy) < _FEWEST_HEAVY or most < 0.99 * _LEAST_OF_MESSAGE * whole:
        return 0.0
    near = agreement(line_words, message, weights)
    if near.words < _FEWEST or not whole or near.of_span < _LEAST_OF_SPAN:
        return 0.0
    share = min(1.0, near.weight / whole)
    # If a text lacks words of a message, or has others between them, more telling words must agree.
    apart = (share < _VERBATIM) + min(near.between, 2)
    return share if share >= _LEAST_OF_MESSAGE and len(heavy) >= _FEWEST_HEAVY + apart else 0.0


def _section_at(file: IndexedFile, parts: Sequence[Part], at: int, strength: float, fault: Fault) -> _Section:
    """Return the section that holds a line, with what tells how well it explains the fault."""
    part, fault_words, path = _part_at(file, parts, at, fault.words), fault.words, file.document.path
    text, profile = file.lines[part.first - 1 : part.last], profile_path(path)
    title = " > ".join((*part.above, part.title))
    return _Section(
        bool(profile.background) or profile.example,
        -round(strength, 1),
        _count_besides(text, fault_words) < _ENOUGH,
        -len(fault.besides.intersection(terms(" ".join([title, *text])))),
        not _is_of_trouble(f"{path} {title} {_without(fault.names, file.lines[at - 1])}"),
        not _says_remedy(file.lines[at - 1 : min(part.last, at + _MOST_LINES)], fault_words),
        at >= part.first,
        -min(_MOST_ADVICE, len(_ADVICE.intersection(words_of(" ".join(text))))),
        profile.flags,
        folders_to_sources(path),
        path,
        at,
        part.first,
        part.last,
        title,
    )


def _part_at(file: IndexedFile, parts: Sequence[Part], at: int, fault_words: frozenset[str]) -> Part:
    """Return the innermost section around a line, or the document.

    One that says nothing but the fault, as below a heading "Problem", goes on to the end of the section around it.
    """
    holding = [one for one in parts if _line_of_heading(one, file.lines) <= at <= one.last]
    if not holding:
        return Part(file.document.title or "", end_of_front_matter(file.lines) + 1, len(file.lines), ())
    part = holding[-1]
    says_more = _count_besides(file.lines[part.first - 1 : part.last], fault_words) >= _SOME
    if at < part.first or len(holding) == 1 or says_more:
        return part
    parent = holding[-2]
    return parent._replace(first=part.first) if parent.last - parent.first <= _MOST_OF_PARENT else part


def _line_of_heading(part: Part, lines: Sequence[str]) -> int:
    """Return the line of a section's heading, which may be underlined."""
    above = part.first - 1
    return above - (not find_words(lines[above - 1])) if above > 0 else 1


def _count_besides(texts: Sequence[str], fault_words: frozenset[str]) -> int:
    """Return how many words some lines have beside those of the fault."""
    return sum(word.lower() not in fault_words for word in find_words("\n".join(texts)))


def _is_about_trouble(told: _Section, fault: Fault) -> bool:
    """Return whether a section has a message word for word or more of the question, or is named after faults."""
    return not told.elsewhere or told.besides < 0 or bool(fault.lines and told.strength <= -_VERBATIM)


def _without(names: Sequence[str], line: str) -> str:
    """Return what a sentence says beside some names; nothing if there are none, or the line is no sentence."""
    for name in names:
        line = line.replace(name, " ")
    return line if names and len(find_words(line)) >= _SOME else ""


def _is_of_trouble(named: str) -> bool:
    """Return whether a path, a title or a line is about what goes wrong."""
    lowered = named.lower()
    return any(word in lowered for word in _OF_TROUBLE)


def _shown(lines: Sequence[str], told: _Section, said: frozenset[str]) -> list[tuple[int, int]]:
    """Return the lines to quote of a section: all if it is short, else what is near the fault, and the remedy."""
    if not told.off_heading or told.at < told.first:
        start = told.first
    else:
        entry = _entry_around(lines, told, said)
        if entry is not None:
            return [entry]
        start = max(start_of_lead(lines, told.at, told.first), told.at - _MOST_LEAD)
    if _fits(lines, told.first, told.last):
        return [(told.first, told.last)]
    end = _end_of_excerpt(lines, start, told.last)
    if _says_remedy(lines[max(start, told.at) - 1 : end - _LED], said):
        return [(start, end)]
    # A line that only leads to what to do, as "Solution:", is quoted with it.
    rest = range(max(told.at, end - _LED) + 1, told.last + 1)
    later = next((at for at in rest if _says_remedy(lines[at - 1 : at], said)), 0)
    if not later:
        return [(start, end)]
    first = later if later <= end else max(end + 1, start_of_lead(lines, later, end + 1))
    return [(start, min(end, first - 1)), (first, _end_of_excerpt(lines, first, told.last))]


def _says_remedy(texts: Sequence[str], said: frozenset[str]) -> bool:
    """Return whether some lines have a word of mending that is not one of the message's own."""
    return not (_REMEDIES - said).isdisjoint(words_of(" ".join(texts)))


def _fits(lines: Sequence[str], first: int, last: int) -> bool:
    return last - first < _MOST_LINES and sum(map(len, lines[first - 1 : last])) <= _MOST_CHARACTERS


def _end_of_excerpt(lines: Sequence[str], first: int, last: int) -> int:
    """Return the last line of an excerpt that is quick to read and ends with a paragraph."""
    if _fits(lines, first, last):
        return last
    end, room = first, _MOST_CHARACTERS
    for at in range(first, min(last, first + _MOST_LINES) + 1):
        room -= len(lines[at - 1])
        if room < 0 and at > first:
            break
        end = at
    blank = next((at for at in range(end, first + _FEWEST_SHOWN, -1) if not lines[at - 1].strip()), end)
    return end_of_blocks(lines, first, blank, last)


def _entry_around(lines: Sequence[str], told: _Section, said: frozenset[str]) -> tuple[int, int] | None:
    """Return the first and last line of the item or the term that a line belongs to, the innermost that advises."""
    least = _indent(lines[told.at - 1]) + 1
    for head in range(told.at, told.first - 1, -1):
        line = lines[head - 1]
        if not line.strip() or _indent(line) >= least:
            continue
        least = _indent(line)
        end = _end_of_entry(lines, head, told.last)
        # What is indented more than a term is a block of code.
        begins = LIST_ITEM.match(line) or (least < _CODE and head < end and _indent(lines[head]) > least)
        own = lines[head - 1 : end]
        is_term = head == told.at and (head == 1 or not lines[head - 2].strip())
        advises = not (_ADVICE - said).isdisjoint(words_of(" ".join(own))) and _count_besides(own, said) >= _ENOUGH
        if begins and (advises or (is_term and _count_besides(own, said) >= _SOME)) and _fits(lines, head, end):
            return head, end
    return None


def _end_of_entry(lines: Sequence[str], head: int, last: int) -> int:
    """Return the last line of what begins on a line: up to the next item, or the next text that is indented no more."""
    indent, end = _indent(lines[head - 1]), head
    for at in range(head + 1, last + 1):
        line = lines[at - 1]
        begins = LIST_ITEM.match(line) or not lines[at - 2].strip() or _indent(lines[at - 2]) > indent
        if line.strip() and _indent(line) <= indent and begins:
            break
        end = at if line.strip() else end
    return end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
