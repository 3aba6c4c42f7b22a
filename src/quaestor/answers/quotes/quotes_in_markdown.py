"""Writes quotes as an answer in Markdown, each with its place, its symbol or section, and its citation mark."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from quaestor.answers.quotes.blocks import COMMENT, Block, blocks_of
from quaestor.answers.quotes.paragraphs import FENCE, Piece, pieces_of
from quaestor.answers.quotes.passage_order import Encode
from quaestor.answers.quotes.quotable_stretches import is_prose
from quaestor.answers.quotes.readable_markup import as_shown
from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.core.terms import content_terms
from quaestor.core.wording import WITHOUT_MODEL
from quaestor.llm.prompts.numbered_passages import Passage, where
from quaestor.search.language import language_of, without_grammar

LEAD = f"{WITHOUT_MODEL}, so the answer is quoted from what matches best:"
UNSURE = f"{WITHOUT_MODEL}, so what comes nearest is quoted. It may not answer the question:"
FURTHER = "Further passages, each less likely to answer:"
OTHERS = "Also found, not quoted:"
SAME = f"{WITHOUT_MODEL}, and nothing matches better than what is quoted above:"
_GAP = "⋯"
_MOST_AGAIN = 100
"""The most characters shown of a quote that an earlier answer shows whole."""
_LONGEST_PART = 500
_LONGEST_LABEL = 90
_MOST_NAMED = 3
_COLUMNS = lazy_regex(r"^[^|].*(?:[^\s.?!:,;] {2}|\S {3}) *[^\s|]")
_LIST_MARK = lazy_regex(r"^\s*(?:(?:[-*+•]|\d+[.)])\s+|>\s*)*")
_AS_CODE = "    "
_SENTENCE = re.compile(r"\S.*?(?:[.!?]['\")\]*_`]*(?=\s)|(?=\n\s*\n)|(?=\n\s*(?:[-*+|]|\d+[.)])\s)|\Z)", re.DOTALL)


class Quote(NamedTuple):
    """A verbatim part of a passage.

    Attributes:
        n: the passage's number.
        path: the document's path.
        start_line: first line, 1-based.
        end_line: last line, inclusive.
        text: the quoted words, verbatim.
        code: whether they are lines of code.
        continues: whether the quote before is the beginning of the same definition, with lines left out between.
        label: the symbol or the section that it is from; empty if that is not known.
        language: the language of the document.
        passage: the text of its passage.
        further: whether it is much less likely to answer than the first quote.
    """

    n: int
    path: str
    start_line: int
    end_line: int
    text: str
    code: bool
    continues: bool = False
    label: str = ""
    language: str = ""
    passage: str = ""
    further: bool = False


def label_of(title: str, page: str, section: str) -> str:
    """Return where a quote of prose stands, on one line; on a page, a title that leaves no room is left out."""
    title, section = (" ".join(re.sub(r"[\[\]`<>*]", " ", name).split()) for name in (title, section))
    label = " > ".join(dict.fromkeys(filter(None, (title, page, section))))
    if page and len(label) > _LONGEST_LABEL:
        label = f"{page} > {section}"
    return label if len(label) <= _LONGEST_LABEL else f"{label[:_LONGEST_LABEL]}…"


def label_of_code(passage: Passage, defines: Sequence[str], lines: tuple[int, int], *, found: bool) -> str:
    """Return the names of the definitions that a quote of code shows, or of the one that it is a part of.

    Args:
        passage: the passage that is quoted from.
        defines: the names that the passage defines, in order.
        lines: the quote's first and last line in the document.
        found: whether the quote lies in the chunk that the passage is named for.
    """
    first, last = (line - passage.start_line for line in lines)
    places = _places_of(passage, defines)
    shown = [one for one in places if first <= one.head <= last]
    around = [one for one in places if one.head < first and last <= one.last][-1:]
    symbol = passage.symbol or ""
    main = next((one for one in places if one.name == symbol.rpartition(".")[2] or one.name == symbol), None)
    if not shown and not around:
        return symbol if found else ""
    indented = [passage.text.split("\n")[one.head][:1].isspace() for one in shown or around]
    names = [
        _qualified(one, main, symbol, within=within) for one, within in zip(shown or around, indented, strict=True)
    ]
    return symbol if names[0] == symbol else ", ".join(dict.fromkeys(names[:_MOST_NAMED]))


class _Definition(NamedTuple):
    """A name, the line in the passage that defines it, and the last line of its definition."""

    name: str
    head: int
    last: int


def _places_of(passage: Passage, defines: Sequence[str]) -> list[_Definition]:
    """Return the definitions in a passage of code whose lines are plain, in order."""
    lines = passage.text.split("\n")
    heads = sorted(_heads_of(blocks_of(passage.text, passage.language), lines))
    places: list[_Definition] = []
    for name in defines:
        word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        least = places[-1].head if places else 0
        later = [(head, last) for head, last in heads if head >= least]
        # The type that a function returns may stand in a line of its own.
        found = next(
            (
                one
                for below in (0, 1)
                for one in later
                if word.search("".join(lines[one[0] + below : one[0] + below + 1]))
            ),
            None,
        )
        if found is not None:
            places.append(_Definition(name, *found))
    return places


def _heads_of(blocks: Sequence[Block], lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first line below the comment of each block, and its last line; of the blocks within it, too."""
    for block in blocks:
        head = block.first
        while head < block.last and (COMMENT.match(lines[head]) or not lines[head].strip()):
            head += 1
        yield head, block.last
        yield from _heads_of(block.inner, lines)


def _qualified(one: _Definition, main: _Definition | None, symbol: str, *, within: bool) -> str:
    """Return a name with that of its owner, as far as the passage's symbol tells it.

    Args:
        one: the definition.
        main: the one that the passage is named for.
        symbol: its qualified name.
        within: whether the definition stands within another, by its indentation.
    """
    if main is None or one == main:
        return one.name if main is None else symbol
    if main.head < one.head <= main.last:
        return f"{symbol}.{one.name}"
    owner = symbol.removesuffix(main.name)
    if one.head <= main.head <= one.last:
        return owner.rstrip(".") or one.name
    return owner + one.name if within else one.name


def text_of_quotes(
    quotes: Sequence[Quote],
    earlier: Sequence[str] = (),
    question: str = "",
    *,
    lead: str = LEAD,
    encode: Encode | None = None,
    others: Sequence[Passage] = (),
) -> str:
    """Return quotes in Markdown; one that an earlier answer shows is cut to its paragraph that fits this question.

    The quotes from which on all are less likely to answer are set apart, unless the lead already doubts the first. The
    places of ``others`` are listed below them.
    """
    likely = max((at for at, quote in enumerate(quotes, 1) if not quote.further), default=len(quotes))
    shown = [_in_markdown(quote) for quote in quotes]
    again = [any(text in answer for answer in earlier) for text in shown]
    texts = [
        _in_markdown(_shorten(quote, question, encode), ", quoted above") if repeated else text
        for quote, text, repeated in zip(quotes, shown, again, strict=True)
    ]
    apart = [FURTHER] if likely < len(texts) and lead == LEAD else []
    below = ["\n".join([OTHERS, *map(_place_in_list, others)])] if others else []
    return "\n\n".join([SAME if all(again) else lead, *texts[:likely], *apart, *texts[likely:], *below])


def _place_in_list(passage: Passage) -> str:
    """Return where a passage stands, with its symbol or its section, as an item of a list."""
    symbol = " ".join((passage.symbol or "").replace("`", "").split())
    section = label_of(passage.title or "", "", symbol.rpartition(" > ")[2])
    label = section if is_prose(passage) else symbol and f"`{symbol}`"
    return f"- `{where(passage)}`" + (f" ({label})" if label else "")


def _shorten(quote: Quote, question: str, encode: Encode | None) -> Quote:
    """Return a quote shortened to the sentence that fits a question best, or to its beginning.

    A sentence fits by the question's rarest words in it and in its heading, and by its similarity. Where the heading
    alone has these words, what follows in its section is shown as well.
    """
    parts = [] if quote.code else list(_sentences_of(quote))
    texts = [quote.text[part.start : part.end] for part in parts]
    wanted = content_terms(without_grammar(question))
    terms_by_part = [wanted & content_terms(f"{part.heading}\n{text}") for part, text in zip(parts, texts, strict=True)]
    counts = Counter(term for terms in terms_by_part for term in terms)
    # In other languages than English a cosine says nothing.
    vectors = encode([question, *texts]) if encode and parts and not language_of(question) else None
    fits = [
        sum(1 / counts[term] for term in terms) / max(1, len(wanted))
        + (0.0 if vectors is None else float(vectors[at] @ vectors[0]))
        for at, terms in enumerate(terms_by_part, 1)
    ]
    if any(fits):
        best = fits.index(max(fits))
        alone = not wanted.isdisjoint(content_terms(texts[best]))
        return quote._replace(text=texts[best] if alone else _with_following(quote.text, parts[best:]))
    line = quote.text.split("\n", 1)[0]
    cut = line[:_MOST_AGAIN]
    return quote._replace(text=cut if cut == line else cut.rpartition(" ")[0] or cut)


def _sentences_of(quote: Quote) -> Iterator[Piece]:
    for piece in pieces_of(quote.text, begins=False, language=quote.language):
        for match in _SENTENCE.finditer(quote.text, piece.start, piece.end):
            if len(match[0]) <= _LONGEST_PART:
                yield piece._replace(start=match.start(), end=match.end())


def _with_following(text: str, parts: Sequence[Piece]) -> str:
    """Return the text from the first part on, as much of its section as is quick to read."""
    first, end = parts[0], parts[0].end
    for part in parts:
        if part.section != first.section or part.end - first.start > _LONGEST_PART:
            break
        end = part.end
    return text[first.start : end]


def _place(quote: Quote) -> str:
    return where(Passage(quote.n, quote.path, quote.start_line, quote.end_line, ""))


def _in_markdown(quote: Quote, besides: str = "") -> str:
    """Return a quote in Markdown with its place, a remark, and its citation mark."""
    label = f"`{quote.label}`".replace(", ", "`, `") if quote.code else quote.label
    head = _GAP if quote.continues else f"`{_place(quote)}`" + (f" ({label})" if quote.label else "") + f"{besides}:"
    if not quote.code:
        return "\n".join([head, "", *(f"> {line}" for line in _lines_of_prose(quote)), "", f"[{quote.n}]"])
    longest = max((len(run) for run in re.findall(r"`+", quote.text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{head}\n\n{fence}{quote.language}\n{quote.text}\n{fence}\n[{quote.n}]"


def _shown(quote: Quote) -> str:
    return as_shown(quote.text, quote.passage, quote.language) if quote.passage else quote.text


def _lines_of_prose(quote: Quote) -> list[str]:
    """Return the lines of a quote of a document; those that Markdown would run together are indented as code."""
    shown = _shown(quote)
    lines = shown.split("\n")
    before = quote.passage[: max(0, quote.passage.find(quote.text))]
    indentation = before.rpartition("\n")[2]
    if not indentation.strip():
        lines[0] = indentation + lines[0]  # a quote begins with the first word of its line
    within = sum(FENCE.match(line) is not None for line in before.split("\n")) % 2
    if any(map(FENCE.match, lines)) or not (within or _is_in_columns(lines)):
        return _with_whole_fences(shown)
    least = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [f"{_AS_CODE}{line[least:]}".rstrip() for line in lines]


def _is_in_columns(lines: Sequence[str]) -> bool:
    """Return whether lines are set in columns by blanks, as a list of options is: most of them, or some of a block."""
    words = [line for line in lines if line.strip()]
    columns = sum(_COLUMNS.search(_LIST_MARK.sub("", line)) is not None for line in words)
    return columns > 1 and (columns * 2 > len(words) or all(line.startswith(_AS_CODE) for line in words))


def _with_whole_fences(text: str) -> list[str]:
    """Return a quote's lines, with an unmatched fence opened or closed, so that what follows is not taken for code."""
    lines = text.split("\n")
    marks = [match for line in lines if (match := FENCE.match(line))]
    if len(marks) % 2 == 0:
        return lines
    # What opens a block names its language more often than not; what closes one never does.
    has_language = any(mark.string[mark.end() :].strip() for mark in (marks[0], marks[-1]))
    return [*lines, marks[-1][1]] if has_language else [marks[0][1], *lines]
