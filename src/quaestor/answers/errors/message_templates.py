"""Finds the code that prints a message: the template whose fixed parts occur in the message in order."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from quaestor.answers.drafts import CorpusLines, innermost_definition, qualified_name, stretch
from quaestor.answers.errors.template_agreement import (
    Agreement,
    agreement,
    lines_with,
    prints,
    words_of,
    words_of_line,
    words_of_value,
)
from quaestor.answers.errors.traces import Trace
from quaestor.chunking.languages import PROSE, knows_extension
from quaestor.core.documents import Document
from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.core.terms import STOP_WORDS, terms_of_word
from quaestor.corpus import Corpus
from quaestor.search.background_documents import TRANSLATION
from quaestor.search.names_in_question import looks_like_a_file, names_of_code
from quaestor.search.path_roles import folders_to_sources, profile_path
from quaestor.search.query import read_query
from quaestor.stores import FieldBoosts, StoredChunk

FrameLines: TypeAlias = Mapping[str, Sequence[int]]
"""The documents that frames of a trace point at, innermost first, with the lines."""

ANY_FAULT = frozenset({"Error", "Exception", "Err", "Result", "Ok", "None", "RuntimeError"})
"""Names that any program may raise."""
_BODY = FieldBoosts(1.0, 0.0, 0.0)
_CHUNKS = 100
_RAREST = 24
_PAIRED, _EACH_PAIR = 6, 20
_LINES, _EACH_LINE = 6, 20
_MOST_FRAMED = 4
_MOST_WORDS = 160
_LONGEST_TEMPLATE = 5
"""The most lines of source over which one message may be spread."""
_COMPARED = 40
_LONGEST_PRINTED = 300
_FAR = 30
_FEWEST = 3
_LEAST_OF_TEMPLATE, _LEAST_OF_MESSAGE, _LEAST_OF_LINE = 0.55, 0.3, 0.5
_LEAST_ELSEWHERE = 0.6
_LEAST_OF_SENTENCE, _LEAST_OF_SPAN, _MOST_OF_TEMPLATE = 0.5, 0.5, 0.75
_FEWEST_OF_UNMARKED, _MOST_OF_UNMARKED = 4, 0.9
"""The fewest words, and the least share of the message, that must agree in a sentence without fault or quotation marks.
"""
_AS_WELL = 0.85
_VERBATIM = 5
"""From this many words of a message in a row on, they do not agree by chance."""
_IN_A_ROW = 4
"""From this many on, neither do all words of a template that stand in the message in a row."""
_NO_CHANCE = 7
"""A template of this many words, all of them in the message, needs no quotation marks or colon beside them."""
_WHOLE = 0.999
_SILENT, _SILENT_VERBATIM = 0.85, 0.98
"""Factors for a template beside which nothing prints or raises, and for one that is the message word for word."""
_FAULT = 1.25
"""The factor for a line of a log that reports a fault."""
_MOST_PLACES = 6
_TESTING = lazy_regex(
    r"^(?i:(?:unit|integration)?[-_]?(?:tests?|specs?|snapshots?|fixtures?))$|[a-z](?:Tests?|Specs?)$|^[Tt]ests?[A-Z]"
)
_CLASS = lazy_regex(r"(?<![\w\\.:])(?:[A-Za-z_]\w{0,60}(?:\\|::|\.)){1,12}\w{0,60}(?:Error|Exception)\b(?=:\s|\s*$)")
"""The name of an error with its packages: ``shop.queues.QueueError``."""
_QUOTED_PART = lazy_regex(r"\"[^\n]{8,}\"|“[^“”\n]{8,}”|`[^`\n]{8,}`|(?<!\w)'[^\n]{12,}'(?!\w)")
_PATH = lazy_regex(r"(?<!\S)\W?(?:~|[A-Za-z]:)?[/\\][\w.@~+/\\-]+")
"""A path from the root. It is a value: its names say nothing of the code that prints it."""
_LEVEL = lazy_regex(r"^[^A-Za-z]*(?:T[\d:.,+Z]+\W+)?(?:ERROR|ERR!?|WARN(?:ING)?|FATAL|CRITICAL|SEVERE|INFO|DEBUG)\b\W*")
"""What a log writes before a message: the time and the level."""
_EMPTY = 0.15
"""The weight of a stop word."""
_RAISES = lazy_regex(
    r"\b(?:raise|throw|panic|abort|die|fail\w*|croak|confess|error\w*|err|bail|reject|warn\w*|exit|assert\w*|exception|invariant"
    r"|revert|require|ensure|log\w*|print\w*|echo|fatal\w*|stop|message|msg|reason)\b|Error|Exception|Err\(|!\(",
    re.IGNORECASE,
)
_TELLS_OF_FAULTS = lazy_regex(
    r"error|exception|fail|fatal|panic|warn|invalid|cannot|can't|could not|couldn't|unable|unknown"
    r"|unexpected|not found|missing|denied"
    r"|refus|crash|abort|trace|broken|mismatch|must |expected|not supported|unsupported|does not"
    r"|doesn't|is not|already|exceed|deprecated|\bno (?:longer|such|more)\b|\bout of\b|\btoo \w+|\bwrong"
    r"|\bbad \w+|\bno (?:\w+ ){1,2}(?:running|provided|configured|available|given|set)\b",
    re.IGNORECASE,
)
_REPORTS = lazy_regex(r"\blog\b|\bsays?\b|\bmessage\b|\bcomplain|\bprint|\bI get\b|\bgot\b", re.IGNORECASE)
"""Words that people write before a message, and elsewhere."""
_ASKS = lazy_regex(
    r"^\W*(?:how|where|which|what|who|when|why|(?:can(?!['’]t)|does|do|is|are|should|could)(?!\s+not\b))\b",
    re.IGNORECASE,
)
_STATES = lazy_regex(r"[^\n?]*\w[.!]\s")
"""A statement before a question, as in "The page is unknown. Did you call it twice?"; a program asks that."""
_QUOTED = lazy_regex(r"\"[^\"\n]{8,}\"|“[^“”\n]{8,}”")
_MARKED = lazy_regex(rf"{_QUOTED.pattern}|`[^`\n]{{8,}}`|(?<!\w)'[^'\n]{{12,}}'(?!\w)|: \S+ \S+ \S+")
"""Signs that a message begins here; code and lists of things may look the same."""


class Template(NamedTuple):
    """A place that prints a message, or describes it.

    Attributes:
        path: the document.
        first: the first line to quote, 1-based.
        last: the last line to quote, inclusive.
        symbol: the definition or section that holds it.
        line: the line where the message's words begin.
    """

    path: str
    first: int
    last: int
    symbol: str | None
    line: int


class MessagePlaces(NamedTuple):
    """The places found for a message.

    Attributes:
        origin: the place that prints it; None if none is certain.
        further: further places that match equally well.
    """

    origin: Template | None = None
    further: tuple[Template, ...] = ()


class _Match(NamedTuple):
    """Lines of a document that agree with a message in some of its words, with the score of the match.

    ``named`` is whether the message names the file.
    """

    document: Document
    first: int
    last: int
    worth: float
    words: int
    named: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """The words of a pasted message.

    Attributes:
        words: all of its words, in order.
        lines: the words of each line, and of the parts of a line that may be the whole message.
        weights: the weight of each word.
        frames: the documents that frames of the trace point at, with their lines.
        sentence: whether it is one line of ordinary prose, which may merely mention a fault.
        marked: whether quotation marks or a colon show where the message begins.
        head: the words before the first colon; what stands behind it may be a value.
    """

    words: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    weights: Mapping[str, float]
    frames: FrameLines
    sentence: bool
    marked: bool
    head: tuple[str, ...] = ()

    @property
    def longest(self) -> float:
        """The weight of the heaviest line."""
        return max(sum(self.weights[word] for word in set(line)) for line in self.lines)


def is_pasted(text: str) -> bool:
    """Return whether a text may hold a message that a program printed; a cheap test, which says yes in doubt."""
    if read_query(text).kind == "trace" or "\n" in text.strip():
        return True
    if _ASKS.match(text):
        return bool(_QUOTED.search(text) or (_MARKED.search(text) and reports_fault(text)))
    if reports_fault(text):
        return True
    if text.rstrip().endswith("?"):
        return _STATES.match(text) is not None
    # A message says the file that it is about behind a colon: "recursion in extends: path base.yml is given twice".
    return _MARKED.search(text) is not None or not any(map(_is_file_here, names_of_code(text)))


def reports_fault(text: str) -> bool:
    """Return whether a text reports a fault, or quotes a program."""
    return bool(_TELLS_OF_FAULTS.search(text) or _REPORTS.search(text))


def _is_file_here(name: str) -> bool:
    """Return whether a name is a file that the question points at, not one that the message mentions."""
    return looks_like_a_file(name) and not name.startswith(("/", "~", ".", "_", "@"))


def find_templates(corpus: Corpus, message: Message | None, lines: CorpusLines) -> MessagePlaces:
    """Return the places that print a message."""
    if message is None:
        return MessagePlaces()
    chunks = [chunk for chunk in _candidates(corpus, message) if chunk.document.language not in PROSE]
    matches = _matches(chunks, message)
    # A test that quotes a message is no place that prints it.
    matches = [match for match in matches if _is_catalogue(match.document) or not stands_behind(match.document.path)]
    if not matches:
        return MessagePlaces()
    # What lacks a word that the best has prints another message: "bad rope colour" beside "bad rope length".
    best = matches[0]
    alike = [match for match in matches if match.worth >= _AS_WELL * best.worth and match.words >= best.words]
    places = _places(alike[:_MOST_PLACES], lines)
    return MessagePlaces(places[0], tuple(places[1:2]))


def find_printed(corpus: Corpus, messages: Sequence[str], lines: CorpusLines) -> MessagePlaces:
    """Return the places with a literal that is all of a message, values aside: two words are enough then."""
    lines_said = [*_stretches(messages)]
    inner = [line.partition(mark)[2].removesuffix(")") for line in lines_said for mark in (" - ", " (")]
    parts = (part.strip() for part in (*lines_said, *inner))
    texts = [part for part in dict.fromkeys(parts) if 0 < len(part) <= _LONGEST_PRINTED][:_RAREST]
    words = dict.fromkeys(word for text in texts for word in words_of(text) if word not in STOP_WORDS)
    by_text = ([term for word in words_of(text) for term in terms_of_word(word)[:1]] for text in texts)
    found = {one for terms in by_text for one, _ in corpus.store.lexical(terms, _CHUNKS // 2, None, _BODY)}
    weights = _word_weights(corpus, [*words])
    rarest = sorted((word for word in words if weights[word] > _EMPTY), key=lambda word: -weights[word])[:_PAIRED]
    for pair in combinations([terms_of_word(word)[0] for word in rarest if terms_of_word(word)], 2):
        found.update(corpus.store.holding(pair, _CHUNKS))
    matches = list[_Match]()
    for stored in corpus.store.get(found).values():
        if stored.document.language in PROSE or stands_behind(stored.document.path):
            continue
        source = stored.chunk.text.split("\n")
        for at in lines_with([*words], stored.chunk.text):
            if worth := max((prints(source[at], text) for text in texts), default=0):
                line = stored.chunk.span.start_line + at
                matches.append(_Match(stored.document, line, line, worth, worth))
    places = _places(sorted(matches, key=_order)[:_MOST_PLACES], lines)
    return MessagePlaces(places[0], tuple(places[1:2])) if places else MessagePlaces()


def read_message(corpus: Corpus, trace: Trace, frames: FrameLines) -> Message | None:
    """Return the message of a trace; None if it has too few words.

    Args:
        corpus: the corpus, which tells how much each word says.
        trace: the text that was pasted.
        frames: the documents that its frames point at, with their lines.
    """
    # What an error is called, with its packages, code writes in many places that print nothing.
    messages = [_CLASS.sub(" ", message) for message in trace.messages]
    # Nobody prints one name and nothing else, as "org/shop/Stock" behind the name of an error: it is a value.
    candidates = (line for line in _stretches(messages) if sum(map(bool, map(words_of, line.split()))) > 1)
    lines = tuple(words for line in candidates if len(words := words_of(line)) >= _FEWEST)
    if not lines:
        return None
    words = tuple(word for message in messages for word in words_of(message))
    words = words if len(words) <= _MOST_WORDS else (*words[: _MOST_WORDS // 2], *words[-_MOST_WORDS // 2 :])
    sentence = not frames and len(trace.messages) == 1 and read_query(trace.messages[0]).kind != "trace"
    weights = _word_weights(corpus, (*words, *(word for line in lines for word in line)))
    marked, head = _MARKED.search("\n".join(trace.messages)) is not None, trace.messages[0].partition(": ")[0]
    return Message(words, lines, weights, frames, sentence, marked, words_of(head))


def _stretches(messages: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a message, each without paths and level, its quoted parts, the part after its first colon."""
    for line in messages:
        yield line
        yield from (bare for bare in (_PATH.sub(" ", line), _LEVEL.sub("", line)) if bare != line)
        yield from (
            quoted.strip("\"“”`'") for quoted in dict.fromkeys((*_QUOTED_PART.findall(line), *_QUOTED.findall(line)))
        )
        _, colon, rest = line.partition(": ")
        if colon:
            yield rest


def _is_catalogue(document: Document) -> bool:
    """Return whether a document is a catalogue of messages, as ``config/locales/en.yml`` is, and no test."""
    profile = profile_path(document.path)
    translation = profile.background == TRANSLATION and document.language not in PROSE
    return (document.language == "properties" or translation) and not (profile.test or profile.example)


def stands_behind(path: str) -> bool:
    """Return whether a document is a test, an example, vendored, generated or a changelog, by its path."""
    profile = profile_path(path)
    if profile.test or profile.example or profile.background:
        return True
    return any(_TESTING.search(folder) for folder in path.split("/")[:-1])


def _word_weights(corpus: Corpus, words: Sequence[str]) -> Mapping[str, float]:
    """Return the weight of each word, which is higher the fewer chunks hold it; a word that none holds is a value."""
    terms = {word: (terms_of_word(word) or (word,))[0] for word in dict.fromkeys(words)}
    counts = corpus.store.counts(sorted(set(terms.values())))
    return {word: _weight_of_word(word, max(counts.frequencies[term]), counts.chunks) for word, term in terms.items()}


def _weight_of_word(word: str, holding: int, chunks: int) -> float:
    if word in STOP_WORDS or word.isdigit() or len(word) == 1:
        return _EMPTY
    return 0.3 + math.log(1 + chunks / holding) if holding else 0.0


def _candidates(corpus: Corpus, message: Message) -> list[StoredChunk]:
    weights = message.weights
    rarest = sorted((word for word in set(message.words) if weights[word] > _EMPTY), key=lambda word: -weights[word])
    terms = [term for word in rarest[:_RAREST] for term in terms_of_word(word)[:1]]
    store = corpus.store
    wanted = dict.fromkeys(identifier for identifier, _ in store.lexical(terms, _CHUNKS, None, _BODY)) if terms else {}
    # Beside a long text, or the path that it is about, one line of it finds what prints that line.
    for words in message.lines[:_LINES] if len(message.lines) > 1 else ():
        line_terms = [term for word in words if weights[word] > _EMPTY for term in terms_of_word(word)[:1]]
        wanted.update(dict.fromkeys(identifier for identifier, _ in store.lexical(line_terms, _EACH_LINE, None, _BODY)))
        wanted.update(dict.fromkeys(store.holding(line_terms, _CHUNKS)))
    # Where a message is one sentence of a long function, chunks that repeat its words stand before it.
    for pair in combinations(terms[:_PAIRED], 2):
        wanted.update(dict.fromkeys(store.holding(pair, _EACH_PAIR)))
    chunks = dict(store.get(wanted))
    for path in [*message.frames][:_MOST_FRAMED]:
        chunks.update((chunk.id, chunk) for chunk in store.chunks_of(path))
    return list(chunks.values())


def _matches(chunks: Sequence[StoredChunk], message: Message) -> list[_Match]:
    """Return the lines that surely agree with a message, best first."""
    message_words = frozenset(message.words)
    windows = [window for chunk in chunks for window in _windows(chunk, message_words, message.weights)]
    windows.sort(key=lambda window: -window[0])
    compared = (_match(message, *window[1:]) for window in windows[:_COMPARED])
    matches = [match for match in compared if match is not None]
    return sorted(matches, key=_order)


def _order(match: _Match) -> tuple[float, bool, bool, int, str]:
    path = match.document.path
    return -round(match.worth, 6), not match.named, not knows_extension(path), folders_to_sources(path), path


def _match(message: Message, stored: StoredChunk, first: int, last: int, template: Sequence[str]) -> _Match | None:
    """Return how lines of a chunk agree with a message; None if the agreement may be chance."""
    # Messages are pasted in part: what the template says beyond them speaks not against it.
    template = next((line for line in message.lines if _holds_verbatim(template, line)), template)
    agreed = agreement(message.words, template, message.weights)
    by_line = [(agreement(line, template, message.weights), line) for line in message.lines]
    best, line = max(by_line, key=lambda pair: pair[0].weight)
    by_frame = not message.frames or stored.document.path in message.frames
    if not (_is_head(message, template) or _is_sure(message, agreed, best, by_frame=by_frame)):
        return None
    fault = _FAULT if _tells_of_fault(line) else 1.0
    silent = _SILENT_VERBATIM if template in message.lines and best.weight >= _WHOLE * message.longest else _SILENT
    # A log may say which module speaks: of several that say the same, it is that one.
    named = profile_path(stored.document.path).stem in message.words
    worth = fault * _worth(stored, agreed, first, last, message.frames, silent)
    return _Match(stored.document, first, last, worth, agreed.words, named)


def _is_head(message: Message, template: Sequence[str]) -> bool:
    """Return whether a template is all that a message says before its colon, as in "unknown kind of boat: raft"."""
    enough = message.sentence and len(message.head) >= _FEWEST
    return enough and tuple(template) == message.head and _tells_of_fault(message.head)


def _holds_verbatim(template: Sequence[str], line: Sequence[str]) -> bool:
    """Return whether a template holds all words of a line in a row, and there are enough of them."""
    return len(line) >= _VERBATIM and f" {' '.join(line)} " in f" {' '.join(template)} "


def _tells_of_fault(words: Sequence[str]) -> bool:
    return _TELLS_OF_FAULTS.search(" ".join(words)) is not None


def _is_sure(message: Message, agreement: Agreement, by_line: Agreement, *, by_frame: bool) -> bool:
    """Return whether an agreement is too good to be chance.

    If there are frames, code that no frame points at must agree better. So must ordinary prose, which may share words
    with a template by chance.
    """
    if agreement.words < _FEWEST or agreement.of_template < _LEAST_OF_TEMPLATE:
        return False
    # Of a message that is mostly values, such as paths, its fixed words are a small part: that all of them stand there
    # in order is no chance.
    in_a_row = by_line.words >= _IN_A_ROW and by_line.of_span >= _WHOLE
    enough = by_line.words >= _VERBATIM or in_a_row
    marked = message.marked or by_line.words >= _NO_CHANCE
    whole = enough and by_line.of_template >= _WHOLE and marked
    return whole or _is_most_of_it(message, by_line, by_frame=by_frame)


def _is_most_of_it(message: Message, by_line: Agreement, *, by_frame: bool) -> bool:
    """Return whether the words that agree are too large a part of a message for chance."""
    if not by_frame:
        return by_line.of_message >= _LEAST_ELSEWHERE
    if message.sentence and not message.marked:
        if by_line.words < _FEWEST_OF_UNMARKED or by_line.of_template < _MOST_OF_TEMPLATE:
            return False
        if not _tells_of_fault(message.words):
            return by_line.of_message >= _MOST_OF_UNMARKED
    if message.sentence:
        whole = by_line.of_message >= _LEAST_OF_SENTENCE
        return whole or (by_line.of_span >= _LEAST_OF_SPAN and by_line.of_template >= _MOST_OF_TEMPLATE)
    return by_line.of_message >= _LEAST_OF_MESSAGE or by_line.weight >= _LEAST_OF_LINE * message.longest


def _worth(
    stored: StoredChunk, agreement: Agreement, first: int, last: int, frames: FrameLines, silent: float = _SILENT
) -> float:
    """Return the score of a match: how much of the message it covers, and more if a frame points at it.

    It counts ``silent`` times if nothing beside it prints or raises.
    """
    start = stored.chunk.span.start_line
    lines = stored.chunk.text.split("\n")[max(0, first - start - 3) : last - start + 1]
    # What a program prints it prints whole: each fixed word that the message lacks speaks against a template.
    worth = agreement.weight * agreement.of_template**2
    worth *= 1.0 if any(map(_RAISES.search, lines)) else silent
    pointed = frames.get(stored.document.path)
    if pointed is None:
        return worth
    distance = min(max(first - line, line - last, 0) for line in pointed)
    return worth * (1.2 + 0.5 * max(0.0, 1 - distance / _FAR))


def _windows(
    stored: StoredChunk, message_words: frozenset[str], weights: Mapping[str, float]
) -> Iterator[tuple[float, StoredChunk, int, int, tuple[str, ...]]]:
    """Yield the runs of lines of a chunk that hold most of the message."""
    lines = stored.chunk.text.split("\n")
    rare = [word for word in message_words if weights[word] > _EMPTY]
    lines_with_rare_words = lines_with(rare, stored.chunk.text)
    # Reading literals takes a hundred times as long as looking for a word.
    read = words_of_value if _is_catalogue(stored.document) else words_of_line
    texts = [read(line) if at in lines_with_rare_words else () for at, line in enumerate(lines)]
    weights_by_text = [sum(weights[word] for word in set(words) & message_words) for words in texts]
    for at in range(len(texts)):
        if weights_by_text[at] <= 0:
            continue
        for length in range(1, _LONGEST_TEMPLATE + 1):
            if length > 1 and (at + length > len(texts) or weights_by_text[at + length - 1] <= 0):
                break
            together = tuple(word for text in texts[at : at + length] for word in text)
            worth = sum(weights[word] for word in set(together) & message_words)
            missed = sum(weights.get(word, 1.0) for word in set(together) - message_words)
            first = stored.chunk.span.start_line + at
            # However much more a literal says, all of a message may stand in it.
            yield worth - 0.5 * min(missed, worth), stored, first, first + length - 1, together


def _places(matches: Sequence[_Match], lines: CorpusLines) -> list[Template]:
    """Return matches as places, one for each definition."""
    places: dict[tuple[str, str | None], Template] = {}
    for match in matches:
        path = match.document.path
        file = lines.file(path)
        if file is None:
            continue
        holder = innermost_definition(lines.definitions(path), match.first)
        first, last = stretch(file, holder, match.first, match.last)
        symbol = qualified_name(holder)
        places.setdefault((path, symbol), Template(path, first, last, symbol, match.first))
    return list(places.values())


def statement_to(lines: Sequence[str], line: int) -> str:
    """Return a line with those above it that its statement begins in."""
    first = line - 1
    while first and line - first < _LONGEST_TEMPLATE and lines[first - 1].rstrip().endswith(("(", ",", "+", "\\")):
        first -= 1
    return "\n".join(lines[first:line])


def fixed_words(message: Message, origin: Template, lines: CorpusLines) -> tuple[tuple[str, ...], ...]:
    """Return the words of each line of a message that its template has, too: without the values in between."""
    file = lines.file(origin.path)
    template = words_of("\n".join(file.lines[origin.line - 1 : origin.line - 1 + _LONGEST_TEMPLATE]) if file else "")
    known = frozenset(template)
    fixed = (_trimmed([word for word in line if word in known], message.weights) for line in message.lines)
    return tuple(dict.fromkeys(line for line in fixed if len(line) >= _FEWEST))


def _trimmed(words: Sequence[str], weights: Mapping[str, float]) -> tuple[str, ...]:
    """Return words without those at both ends that say nothing, which may be a value's."""
    heavy = [at for at, word in enumerate(words) if weights[word] > _EMPTY]
    return tuple(words[heavy[0] : heavy[-1] + 1]) if heavy else ()
