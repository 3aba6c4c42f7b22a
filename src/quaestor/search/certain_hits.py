"""Certain hits, which need no ranking: a name's definition, the file at a path, quoted words, a name's uses.

No weight is learned for these: a search for a name must show its only definition first, as ``ctags`` does, however well
something else fits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from quaestor.core.terms import same_in_any_style, searched_terms, styles_of
from quaestor.search.background_documents import GENERATED, earlier_editions, is_subject, kinds_asked_for
from quaestor.search.chunk_traits import DATA_ROW, GENERATED_ROW, PROSE_ROW, VALUES_ROW, Traits
from quaestor.search.file_features import CandidateFiles, best_agreement, path_agreement
from quaestor.search.query import Query
from quaestor.search.sought_kind import sought_kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEP = 100.0
"""The bonus of a certain hit, and the penalty of background; learned scores are far smaller. Certain background gets
half: a vendored copy comes after the definition that it was copied from."""

OUT_OF_PLACE = 8.0
"""The penalty of code and data in a corpus of documents: enough to come after documents that may answer."""

_OF_DOCUMENTS = 0.7
_OF_DOCUMENTS_AND_DATA, _TIMES_OF_CODE = 0.5, 4
"""The share of documents among the candidates from which on a corpus counts as one of documents: in any case, and if
there are so many times as many documents as code."""
_FEWEST_CANDIDATES = 20

NAMED_AT = 3
"""The lowest place of the definition of a name that a question writes out. It seldom answers, because most people who
name a function ask what it calls or what calls it. If the question says what it is ("the ``reset`` method"), it comes
first."""

# A name, and behind it what it is.
_CALLED = re.compile(
    r"(?<![\w.:#>-])([\w.:#>-]++)[`'()]*\s+"
    r"(?:class|method|function|constructor|decorator|struct|interface|trait|macro|enum|mixin|fixture)\b"
)

_MOST_NAMED = 3
"""A name with more definitions than this is not certain."""

FEWEST_OF_HEADING = 2
"""The fewest words of a heading that is taken for the question."""

_MOST_STANDING = 10
"""Quoted words in more chunks than this are not certain."""

_LINE = re.compile(r"(?::\d+)+$")
# What stands right before a name that is defined there, and right after it, in languages that no grammar tells us of.
_BEFORE = re.compile(
    r"(?:^|[^\w.\"'-])(?:proc|function|func|fun|fn|def\w*|sub|subroutine|method|class|struct|union|enum|interface|trait|type"
    r"|typedef|protocol|module|namespace|package|macro|record|object)[ \t]+(?:[\w:.]+(?:::|[.:#]))?$",
    re.IGNORECASE,
)
_AFTER = re.compile(r"[ \t]*(?:::[ \t]|(?:=|:=|<-|:)[ \t]*(?:async[ \t]+)?(?:function|lambda|fn)\b)")
_LONGEST_BEFORE = 80


def certainty_steps(
    query: Query, traits: Sequence[Traits], files: CandidateFiles, behind: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """Return for each candidate ``STEP`` if it is certain, ``-STEP`` if it is background that nobody asked for, else 0.

    Args:
        query: what is asked.
        traits: the traits of the candidates.
        files: the candidates by file.
        behind: which of their files are background; see ``background_among``.
    """
    certain, late = _certain_candidates(query, traits, files), behind[files.owner]
    if certain.any() and not query.whole and _asks_more(query):
        # A changelog may say just what somebody quotes in a question about the code.
        certain &= ~late
    shares = np.where(late, np.where(certain, 0.5, -1.0), np.where(certain, 1.0, 0.0))
    return (STEP * shares).astype(np.float32)


def steps_of_code(query: Query, fixed: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return ``-OUT_OF_PLACE`` for code and data among the candidates in a corpus of documents; else 0.

    Beside documents lie the scripts that build or show them, and their data: whatever their words, they answer few
    questions. None is put behind if code is asked for.

    Args:
        query: what is asked.
        fixed: what no query changes of the candidates; see ``chunk_traits.fixed_matrix``.
    """
    prose = (fixed[PROSE_ROW] > 0) | (fixed[VALUES_ROW] > 0)
    steps = np.zeros(len(prose), np.float32)
    count, of_prose = len(prose), np.count_nonzero(prose)
    of_code = np.count_nonzero(~prose & (fixed[DATA_ROW] == 0))
    enough = _OF_DOCUMENTS_AND_DATA if of_prose >= _TIMES_OF_CODE * of_code else _OF_DOCUMENTS
    sought = query.kind != "text" or query.written_names or sought_kind(query) == "code"
    if of_prose / max(1, count) >= enough and count >= _FEWEST_CANDIDATES and not sought:
        steps[~prose] = -OUT_OF_PLACE
    return steps


def raise_written_names(query: Query, traits: Sequence[Traits], scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the scores, with those of chunks that a question names raised to at least the ``NAMED_AT``-th highest.

    A question names the definitions of the names in it, and the best place for its command-line options. If it says
    what kind of thing a name is, that definition is raised above everything that is not certain.

    Args:
        query: what is asked.
        traits: the traits of the candidates.
        scores: the scores of the candidates, with their steps; background stays where it is.
    """
    if not (query.written_names or query.options) or len(scores) <= NAMED_AT:
        return scores
    written = _definitions_written_out(query, traits) & (scores > -STEP / 2)
    written |= _best_with_options(query.options, traits, scores)
    least = np.partition(scores, -NAMED_AT)[-NAMED_AT]
    higher = np.where(written, np.maximum(scores, least), scores)
    subject = np.flatnonzero(_definition_of_subject(query, traits) & (np.abs(scores) < STEP / 2))
    if len(subject):
        uncertain = higher[higher < STEP / 2]
        higher[subject[np.argmax(scores[subject])]] = np.nextafter(uncertain.max(), np.float32(STEP))
    return _with_namesakes_behind(query.written_names, traits, higher)


def raise_headed_section(query: Query, traits: Sequence[Traits], scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the scores, with the best section whose heading is the question raised above all that is not certain.

    "How do I add a tag?" asks for the section *Adding tags*. A heading of more sections than ``_MOST_NAMED``, as *Basic
    usage*, tells nothing.
    """
    wanted = frozenset(query.terms)
    if query.kind != "text" or len(wanted) < FEWEST_OF_HEADING or sought_kind(query) == "code":
        return scores
    rows = [row for row, known in enumerate(traits) if known.path.prose and wanted <= known.terms]
    headings = {row: _terms_of_headings(traits[row]) for row in rows if scores[row] > -STEP / 2}
    headed = [row for row, terms in headings.items() if wanted in map(frozenset, terms)]
    if not 0 < len(headed) <= _MOST_NAMED:
        return scores
    higher = scores.copy()
    # "Convert notes to pages" is not "convert pages to notes".
    best = max(headed, key=lambda row: ([*query.terms] in headings[row], scores[row]))
    if higher[best] < STEP / 2:
        higher[best] = np.nextafter(higher[higher < STEP / 2].max(), np.float32(STEP))
    return higher


def _terms_of_headings(known: Traits) -> list[list[str]]:
    """Return the terms of the heading of each section that begins in a chunk, in their order."""
    chunk = known.stored.chunk
    return [searched_terms(name) for name in chunk.defines or (chunk.symbol or "",)]


def _with_namesakes_behind(
    names: Sequence[tuple[str, ...]], traits: Sequence[Traits], scores: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return scores in which a name's definition with another owner stands behind that with the owner in the question.

    A question for ``Pipe::flush`` does not ask for ``Queue::flush``, however well its words fit. Background does not
    count.
    """
    lower = scores.copy()
    for *owners, name in names:
        rows = [row for row, known in enumerate(traits) if owners and name in known.exact]
        owned = [row for row in rows if not traits[row].owners.isdisjoint(map(str.lower, owners))]
        if owned and (best := lower[owned].max()) > -STEP / 2:
            others = sorted(set(rows) - set(owned))
            lower[others] = np.minimum(lower[others], np.nextafter(best, np.float32(-np.inf)))
    return lower


def path_and_line(whole: str) -> tuple[str, int | None]:
    """Return the path and the line that ``path:line`` names; of ``path:line:column`` the line."""
    numbers = _LINE.search(whole)
    if numbers is None or not numbers.start():
        return whole, None
    return whole[: numbers.start()], int(numbers[0].split(":")[1][:9])


def _certain_candidates(query: Query, traits: Sequence[Traits], files: CandidateFiles) -> NDArray[np.bool_]:
    certain = np.zeros(len(traits), dtype=np.bool_)
    if query.whole:
        certain = _named_by_query(query, traits, files)
    if not certain.any() and query.kind in ("symbol", "path"):
        certain = _chunks_at_places(query, traits, files)
    for quote in query.quotes:
        certain |= _holds_quoted_words(quote, traits)
    if query.used_name:
        certain |= _uses_name(query.used_name, traits)
    return certain


def _named_by_query(query: Query, traits: Sequence[Traits], files: CandidateFiles) -> NDArray[np.bool_]:
    """Return which chunks the query names; exact spelling is preferred to a difference in case."""
    path = _at_whole_path(query, traits, files)
    if path.any() and (query.kind == "path" or "/" in query.whole or "." in query.whole):
        return path
    exact = np.array([query.whole in known.exact for known in traits])
    for mask in (exact, path):
        if mask.any():
            return mask
    plain = _definitions_by_pattern(query.whole, traits)
    return plain if plain.any() else _definitions_of_query(query, traits)


def _at_whole_path(query: Query, traits: Sequence[Traits], files: CandidateFiles) -> NDArray[np.bool_]:
    """Return which chunks have the beginning, or the named line, of the file whose path the query is or ends with."""
    end, line = path_and_line(query.whole)
    fits = np.array([_path_fit(end, path) for path in files.paths])
    best = fits.max()
    shown = np.zeros(len(traits), dtype=np.bool_)
    if best:
        rows = np.flatnonzero((fits == best)[files.owner]).tolist()
        shown[rows] = [traits[row].holds_line(line) for row in rows]
    return shown


def _path_fit(end: str, path: str) -> int:
    """Return how well a path fits: 4 if it is equal, 2 if it ends so, 1 less if the case differs; else 0."""
    if path == end:
        return 4
    if path.endswith(f"/{end}"):
        return 2
    lowered, wanted = path.lower(), end.lower()
    return 3 if lowered == wanted else int(lowered.endswith(f"/{wanted}"))


def _definitions_of_query(query: Query, traits: Sequence[Traits]) -> NDArray[np.bool_]:
    """Return which chunks define the name that is the query, spelled exactly and with its owner if there are any."""
    whole = _definitions_of_name(query.whole, traits)
    if whole.any():
        return whole
    written = re.findall(r"\w+", query.whole) if query.kind == "symbol" else []
    if len(written) > 1:
        owner = written[-2].lower()
        owned = np.array([owner in known.owners for known in traits], dtype=np.bool_)
        owned &= _definitions_of_name(written[-1], traits)
        return owned
    return _definitions_of_name(written[0], traits) if written and written[0] != query.whole else whole


def _definitions_of_name(name: str, traits: Sequence[Traits]) -> NDArray[np.bool_]:
    exact: NDArray[np.bool_] = np.array([name in known.exact for known in traits])
    if exact.any():
        return exact
    lowered = name.lower()
    mask = np.array([lowered in map(str.lower, known.exact) for known in traits])
    return mask if mask.any() or not styles_of(name) else _definitions_in_any_style(name, traits)


def _definitions_in_any_style(name: str, traits: Sequence[Traits]) -> NDArray[np.bool_]:
    """Return which chunks define the name in another style: ``sendAll`` if ``send_all`` is asked for."""
    return np.array([any(same_in_any_style(name, one) for one in known.exact) for known in traits])


def _definitions_by_pattern(name: str, traits: Sequence[Traits]) -> NDArray[np.bool_]:
    """Return which chunks of code look as if they defined a name, for languages without a grammar."""
    mask = [not known.path.prose and _looks_defined(name, known.stored.chunk.text) for known in traits]
    chosen = np.array(mask, dtype=np.bool_)
    return chosen if chosen.sum() <= _MOST_STANDING else np.zeros_like(chosen)


def _looks_defined(name: str, text: str) -> bool:
    place = text.find(name)
    while place >= 0:
        end = place + len(name)
        is_separate = (
            not (text[place - 1 : place].isalnum() or text[end : end + 1].isalnum()) and text[end : end + 1] != "_"
        )
        if is_separate and text[place - 1 : place] != "_":
            line = max(text.rfind("\n", 0, place) + 1, place - _LONGEST_BEFORE)
            if _BEFORE.search(text[line:place]) or _AFTER.match(text, end):
                return True
        place = text.find(name, end)
    return False


def _definitions_written_out(query: Query, traits: Sequence[Traits]) -> NDArray[np.bool_]:
    """Return which chunks define a name written in the question: those with its owner, if there are any."""
    return _definitions_of_any(query.written_names, traits)


def _definition_of_subject(query: Query, traits: Sequence[Traits]) -> NDArray[np.bool_]:
    """Return which chunks define the only name that the question calls a class, a method or the like."""
    called = {tuple(re.findall(r"\w{2,}", name)[-2:]) for name in _CALLED.findall(query.text)}
    subjects = [parts for parts in query.written_names if parts in called]
    return _definitions_of_any(subjects if len(subjects) == 1 else (), traits)


def _definitions_of_any(names: Sequence[tuple[str, ...]], traits: Sequence[Traits]) -> NDArray[np.bool_]:
    """Return which chunks define any of some names, if they are few: those with its owner, if there are any."""
    mask = np.zeros(len(traits), dtype=np.bool_)
    for *owners, name in names:
        rows = [row for row, known in enumerate(traits) if name in known.exact]
        if not rows and styles_of(name):
            rows = np.flatnonzero(_definitions_in_any_style(name, traits)).tolist()
        owned = [row for row in rows if not traits[row].owners.isdisjoint(map(str.lower, owners))]
        if len(owned or rows) <= _MOST_NAMED:
            mask[owned or rows] = True
    return mask


def _best_with_options(
    options: Sequence[str], traits: Sequence[Traits], scores: NDArray[np.float32]
) -> NDArray[np.bool_]:
    """Return the best of the chunks that contain most of the options exactly, if they are few."""
    mask = np.zeros(len(traits), dtype=np.bool_)
    if not options:
        return mask
    patterns = [re.compile(rf"(?<![\w-]){re.escape(option)}(?![\w-])") for option in options]
    options_by_chunk = np.array(
        [sum(bool(pattern.search(known.stored.chunk.text)) for pattern in patterns) for known in traits]
    )
    most = (
        np.flatnonzero(options_by_chunk == options_by_chunk.max()) if options_by_chunk.any() else options_by_chunk[:0]
    )
    if 0 < len(most) <= _MOST_STANDING:
        best = most[np.argmax(scores[most])]
        mask[best] = scores[best] > -STEP / 2
    return mask


def _chunks_at_places(query: Query, traits: Sequence[Traits], files: CandidateFiles) -> NDArray[np.bool_]:
    """Return which chunks contain the beginning, or the named line, of the files that fit the query's path best."""
    mask = np.zeros(len(traits), dtype=np.bool_)
    for place in query.places:
        fits = np.array([path_agreement(place.path, path) for path in files.paths])[files.owner]
        best = fits.max()
        if best < 1 and not ("/" not in place.path and best > 0):
            continue
        for row in np.flatnonzero(fits == best).tolist():
            mask[row] |= traits[row].holds_line(place.line)
    return mask


def _holds_quoted_words(quote: str, traits: Sequence[Traits]) -> NDArray[np.bool_]:
    """Return which chunks contain quoted words exactly, except for white space, if they are few."""
    words = quote.split()
    together, longest = " ".join(words), max(words, key=len)
    texts = [known.stored.chunk.text for known in traits]
    # To put a blank for all white space takes longest, and few texts have every word.
    rows = [row for row, text in enumerate(texts) if longest in text and all(word in text for word in words)]
    mask = np.zeros(len(traits), dtype=np.bool_)
    mask[rows] = [together in " ".join(texts[row].split()) for row in rows]
    return mask if mask.sum() <= _MOST_STANDING else np.zeros_like(mask)


def _uses_name(name: str, traits: Sequence[Traits]) -> NDArray[np.bool_]:
    """Return which chunks of code use a name and do not define it; tests only if nothing else uses it."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    rows = [not known.path.prose and name not in known.exact for known in traits]
    uses = [row and word.search(known.stored.chunk.text) is not None for row, known in zip(rows, traits, strict=True)]
    mask = np.array(uses, dtype=np.bool_)
    sources = mask & ~np.array([known.test or known.path.example for known in traits], dtype=np.bool_)
    return sources if sources.any() else mask


def _asks_more(query: Query) -> bool:
    """Return whether a query contains more than its quotes."""
    rest = query.text
    for quote in query.quotes:
        rest = rest.replace(quote, " ")
    return bool(searched_terms(rest))


def background_among(query: Query, fixed: NDArray[np.float32], files: CandidateFiles) -> NDArray[np.bool_]:
    """Return which files are background of a kind, or translations into a language, that was not asked for.

    Args:
        query: what is asked.
        fixed: what no query changes of the candidates; see ``chunk_traits.fixed_matrix``.
        files: the candidates by file.

    Returns:
        Shape ``(files,)``.
    """
    wanted_kinds = kinds_asked_for(query.text) | kinds_asked_for(query.original) | {""}
    background = np.array(
        [
            one.background not in wanted_kinds and not is_subject(one.background, one.depth, one.stem, query.text)
            for one in files.profiles
        ],
        np.bool_,
    )
    if GENERATED not in wanted_kinds:
        background[files.owner[fixed[GENERATED_ROW] > 0]] = True
    if not files.corpora:  # files of several corpora are no editions of one another
        background[earlier_editions(files.paths, query.text)] = True
    if query.places:
        background &= best_agreement(query.places, files) < 1
    return background
