"""Finds the words of a query that a corpus lacks, and the most similar ones that it has, one error away.

The lexical index holds keys of terms and no list of words, so all slips of a word are generated and looked up at once.
A word that occurs in the corpus is never changed, nor is an English word: "founder" is not a misspelling of "founded".
English words are those for which the bundled embedder has a vector. What is surely a misspelling of one is taken for it
even if the corpus lacks both: the question means the same, and its other words are judged with it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from itertools import pairwise
from string import ascii_lowercase, digits

from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import STOP_WORDS, find_words, split_identifier, stems_of, terms_of_word
from quaestor.embedding.static import StaticEmbedder
from quaestor.search.language import language_of
from quaestor.search.query import Query
from quaestor.stores import Store

_IN_NAMES = f"{ascii_lowercase}{digits}_"
# What a slip is worth, in units of the logarithm of a frequency: people swap letters and leave one out more often than
# they strike a wrong one.
_SWAPPED, _LEFT_OUT, _TOO_MUCH, _WRONG = 5.0, 4.0, 3.5, 1.0
_ALIKE = 2.0
"""The bonus of a correction of a doubled letter, or of one that sounds like the right one or lies beside it."""
_SOUNDS = frozenset(frozenset(pair) for pair in "ae ai ei iy ou eo uw ck cs kq sz fv dt gj mn xs bp vw qc".split())
_KEYS = frozenset(frozenset(pair) for row in ("qwertyuiop", "asdfghjkl", "zxcvbnm") for pair in pairwise(row))
"""Letters side by side on a keyboard."""
_LONG_WORD = 6
"""In a shorter word, any other letter makes another word, unless it is beside the right one or sounds like it."""
_BESIDE_KEY = 5

_WORD = re.compile(r"[^\W\d]\w*|\d+")
# Quotations aside, a match begins where a word does: tried at each letter, a long word takes the square of its length.
_DIGITS = re.compile(r"\d")
_CODE = re.compile(
    r"`[^`\n]*`|\"[^\"\n]*\"|“[^“”\n]*”|«[^«»\n]*»|(?<![^\s`\"”»])[^\s`\"”»]*(?:[/\\]|::|->|@)\S*|\b\w+\(\)|\b\w+(?:\.\w+)+|"
    r"(?<![\w-])--?\w[\w-]*"
)
_CAPITAL = re.compile(r"\b[A-Z]\w+")
_PART = re.compile(r"[A-Z]?[a-z]{4,}")
"""A word within a name in CamelCase or snake_case."""
_BEGINS = re.compile(r"(?:^|[.?!:]\s)[\s\"'(]*\Z")
_BEFORE = 40
"""The number of characters before a word that show whether it begins a sentence."""
_FOREIGN = re.compile(r"(?=[^\W\d_])[^\x00-\x7f]")
_SHORTEST = 4
_LONGEST = 40
"""The most letters of a word that a person typed."""
_REMEMBERED = 256
_MOST_WORDS = 60
"""From this number of words on, a text is pasted and not a question."""
_NEAREST = 3
_NEAR = 3.0
"""The most by which a word may be less likely than the nearest one and still be named."""
_UNHEARD_OF = 4.0
"""The penalty of a word that is not English."""
_CERTAIN = 3.0
"""The least score of a correction to such a word."""
_TWO = 2
_LONG = 8
_LOOKED_AT = 20
_SIMILAR = 0.82
_LONG_NAME = 6
_SURELY = 1.5
"""The least by which a word is likelier than the next one if it is surely meant."""
_ENDS = (("s", 5), ("er", 7), ("est", 8))
"""Endings, each with the least length of the whole word."""
_BEGINNINGS = ("re", "un")
_MISSPELT = frozenset(
    """acces accomodate acount actio addoption adress binded colum commmon comparision compatability defaut excepti
    exceptio explicity fiel funcion functio inital intead lengt lits nesw occured occurence ouput preceeded
    preceeding precendence proces propery recieve recieved reponse reques respons retur seach seperate setp
    shoud sopts standaard succesful succesfully supress swtch unecessary""".split()
)
"""Misspellings that code has so often that they have vectors."""
SAY_NOTHING = STOP_WORDS | frozenset(
    """about above after again against all almost along already also although always am among another any anyone
    anything because before being below between beyond both cannot doing don done down during each either else even
    ever every everything exactly few further get gets give given goes here instead just least less let like made make
    many may maybe mean means might more most much must need needs never nobody none nothing now off once one only
    onto other otherwise out over own per perhaps put quite rather really same say says see seem several shall she
    since some somebody someone something still supposed take takes tell thing things though through too toward two
    today under unless until up upon very via vs want wants way well went whatever whenever whether whole within without
    won yesterday yet""".split()
)
"""Words that need no remark if they do not occur."""
OF_ANY_CODE = frozenset(stems_of("calculate check choose compute decide determine manage pick remember select".split()))
"""What all code does, whatever it calls it: a question is about what is computed or chosen."""
ASK_ANYTHING = frozenset(
    """change changed changing turn turned decide decides people possible let set setting choose pick
    want support supported switch switched switching work works""".split()
)
"""Words with which people ask for anything."""


def slips(word: str, *, name: bool = False) -> Iterator[tuple[str, float]]:
    """Yield lower-case words of which ``word`` may be a misspelling, and how likely the slip is; some more than once.

    The first letter is right, unless it changed places with the second or sounds like another.

    Args:
        word: the word in lower case.
        name: whether it is an identifier, which has digits and underscores as well.
    """
    letters = _IN_NAMES if name else ascii_lowercase
    for at in range(1, len(word) + 1):
        before, after = word[:at], word[at:]
        for letter in letters:
            doubled = letter in (before[-1], after[:1])
            yield f"{before}{letter}{after}", _LEFT_OUT + _ALIKE * doubled
        if len(before) > 1:
            yield before[:-2] + before[-1] + before[-2] + after, _SWAPPED
        if after:
            doubled = after[0] in (before[-1], after[1:2])
            yield before + after[1:], _TOO_MUCH + _ALIKE * doubled
    for at, wrong in enumerate(word):
        for letter in letters:
            pair = frozenset((letter, wrong))
            alike = pair in _SOUNDS or (at > 0 and len(word) >= _BESIDE_KEY and pair in _KEYS)
            if letter != wrong and (alike or (at > 0 and (name or len(word) >= _LONG_WORD))):
                yield word[:at] + letter + word[at + 1 :], _WRONG + _ALIKE * alike


def atlantic_spellings(word: str) -> Iterator[str]:
    """Yield the British or American spelling of a word: ``serialise`` and ``serialize``."""
    for one, other in (("is", "iz"), ("ys", "yz")):
        for first, second in ((one, other), (other, one)):
            for ending in ("e", "ing", "ation"):
                if (at := word.rfind(first + ending)) > 1:
                    yield f"{word[:at]}{second}{word[at + len(first) :]}"
    for first, second in (("our", "or"), ("or", "our")):
        if (at := word.rfind(first)) > 1:
            yield f"{word[:at]}{second}{word[at + len(first) :]}"


class UnknownWord(NamedTuple):
    """A word of a query that the corpus lacks.

    Attributes:
        word: the word as it is written.
        nearest: similar words that the corpus has, the nearest first, or else the English word that it surely is; the
            first of them is searched for instead.
    """

    word: str
    nearest: tuple[str, ...] = ()


class _SimilarWord(NamedTuple):
    word: str
    term: str
    worth: float
    likely: float


class Spelling(NamedTuple):
    """A query with its corrected words.

    Attributes:
        text: the text to search for: the query with the nearest words in place of unknown ones.
        unknown: the words that occur nowhere in the corpus, in order.
        all_unknown: whether no word of the query occurs anywhere in it.
    """

    text: str
    unknown: tuple[UnknownWord, ...] = ()
    all_unknown: bool = False


class Spellings:
    """Caches corrections of queries until the store's generation changes, which is passed to ``follow``."""

    def __init__(self) -> None:
        self._generation = -1
        self._known: dict[str, Spelling] = {}

    def of(self, store: Store, query: Query) -> Spelling:
        """Return a query with its words corrected by ``correct_spelling``; cached."""
        known = self._known
        if query.text not in known:
            known[query.text] = correct_spelling(store, query)
        return known[query.text]

    def note(self, query: Query) -> None:
        """Record that the store contains all words of a query."""
        self._known.setdefault(query.text, Spelling(query.text))

    def follow(self, generation: int) -> None:
        """Remove outdated entries, and all entries if they are too many."""
        if generation != self._generation or len(self._known) >= _REMEMBERED:
            self._known, self._generation = {}, generation


def correct_spelling(store: Store, query: Query) -> Spelling:
    """Return a query with its words corrected for a store.

    A pasted text, a trace and a question in another language than English stay as they are.
    """
    if all(store.frequencies(query.terms).values()) or is_foreign(query.text):
        return Spelling(query.text)
    places = list(_WORD.finditer(query.text))
    content_words = list(dict.fromkeys(one.group() for one in places if one.group().lower() not in SAY_NOTHING))
    counts = store.frequencies([term for word in content_words for term in terms_of_word(word)])
    is_known = {word: [counts.get(term, 0) > 0 for term in terms_of_word(word)] for word in content_words}
    strange = bool(content_words) and not any(map(any, is_known.values()))
    if len(places) > _MOST_WORDS or query.kind == "trace":
        return Spelling(query.text, all_unknown=strange)
    names = only_names(query.text)
    unknown: dict[str, UnknownWord] = {}
    for word in content_words:
        if not all(is_known[word]):
            nearest = _nearest(store, word, name=word in names)
            strange = strange and not nearest
            # A name that is written with other separators stands by its parts.
            if nearest or not all(is_known[word][-len(split_identifier(word)) :]):
                unknown[word] = UnknownWord(word, nearest or _surely_meant(store, word, name=word in names))
    return Spelling(replace_unknown(query.text, unknown.values()), tuple(unknown.values()), strange)


def replace_unknown(text: str, unknown: Iterable[UnknownWord]) -> str:
    """Return a text in which the most similar words replace those that the store lacks."""
    nearest = {one.word: one.nearest[0] for one in unknown if one.nearest}
    return _WORD.sub(lambda match: nearest.get(match.group(), match.group()), text) if nearest else text


def is_foreign(text: str) -> bool:
    """Return whether a text may be in another language than English."""
    return bool(_FOREIGN.search(text)) or bool(language_of(text))


def only_names(text: str) -> frozenset[str]:
    """Return the words that are code, quoted, or names by their capitals; only defined names may replace them."""
    names = {word for stretch in _CODE.findall(text) for word in find_words(stretch)}
    for one in _CAPITAL.finditer(text):
        if one.group().isupper() or not _BEGINS.search(text, max(0, one.start() - _BEFORE), one.start()):
            names.add(one.group())
    return frozenset(names)


def _nearest(store: Store, word: str, *, name: bool) -> tuple[str, ...]:
    """Return the words of a store that are most similar to one that it lacks."""
    letters = word.replace("_", "")
    compound = len(split_identifier(word)) > 1
    readable = letters.isalpha() or ((name or compound) and letters.isalnum() and not letters[:1].isdigit())
    if not (word.isascii() and readable and _SHORTEST <= len(word) <= _LONGEST):
        return ()
    lower = word.lower()
    worths = dict.fromkeys(atlantic_spellings(lower), 0.0)
    if compound:
        if len(word) < _LONG_NAME:
            return ()
        worths |= _slips(lower, name=True)
        return _as_written(
            store, _likeliest(_words_in_store(store, worths, {one: one.strip("_") for one in worths})), word
        )
    if name:
        worths |= {} if _is_english(lower) else _slips(lower)
        return _as_written(
            store, _likeliest(_defined_names(store, _words_in_store(store, worths, _terms(worths)))), word
        )
    if not _is_english(lower):
        worths |= _slips(lower)
    near = _ordinary_english(store, _words_in_store(store, worths, _terms(worths)))
    if not near and len(lower) >= _LONG and not (_is_english(lower) or _meant(lower)):
        worths = dict.fromkeys(similar_words(lower), 0.0)
        near = _words_in_store(store, worths, _terms(worths))
    return _likeliest(near)


def _surely_meant(store: Store, word: str, *, name: bool) -> tuple[str, ...]:
    """Return the English word that an ordinary word surely is, or a compound name with such words for its parts; else
    nothing."""
    if len(split_identifier(word)) > 1:
        parts = {part: meant for part in _PART.findall(word) if (meant := _part_in_store(store, part))}
        return (_PART.sub(lambda match: parts.get(match[0], match[0]), word),) if parts else ()
    lower = word.lower()
    ordinary = not name and word.isascii() and word.isalpha() and _SHORTEST <= len(word) <= _LONGEST
    return _meant(lower) if ordinary and not _is_english(lower) else ()


def _meant(lower: str) -> tuple[str, ...]:
    """Return the English word that a lower-case word surely is by one slip; else nothing."""
    certain = {one: worth for one, worth in _slips(lower).items() if worth >= _CERTAIN and _has_vector(one)}
    if len(lower) == _SHORTEST:  # "waht", "wich": of words this short only those of grammar are certain
        certain = {one: worth for one, worth in certain.items() if one in SAY_NOTHING}
    words, terms = list(certain), stems_of(list(certain))
    likely = [worth - math.log(_row(word)) for word, worth in certain.items()]
    first = max(range(len(words)), key=likely.__getitem__, default=None)
    others = [score for score, term in zip(likely, terms, strict=True) if first is not None and term != terms[first]]
    return () if first is None or max(others, default=-math.inf) > likely[first] - _SURELY else (words[first],)


def _part_in_store(store: Store, part: str) -> str:
    """Return the word of a store that a misspelt part of a name stands for, with its capital; else nothing."""
    if store.frequencies([term := stems_of([part.lower()])[0]])[term]:
        return ""
    nearest = _nearest(store, part.lower(), name=False)
    return nearest[0].capitalize() if nearest and part[0].isupper() else nearest[0] if nearest else ""


def _slips(word: str, *, name: bool = False) -> dict[str, float]:
    """Return the words of which one may be a misspelling, with how likely the slip is."""
    same = (word.strip("_"), word.removesuffix("s"))
    number = _DIGITS.findall(word)  # sha255 is no slip for sha256
    worths: dict[str, float] = {}
    for slip, worth in slips(word, name=name):
        if len(slip) >= _SHORTEST and slip.strip("_") not in same and _DIGITS.findall(slip) == number:
            worths[slip] = max(worth, worths.get(slip, 0.0))
    return worths


def _terms(words: Collection[str]) -> dict[str, str]:
    """Return the term of each word of ASCII letters and underscores."""
    if all(map(str.isalpha, words)):
        return dict(zip(words, stems_of(list(words)), strict=True))
    return {word: terms[0] for word in words if (terms := terms_of_word(word))}


def _words_in_store(store: Store, worths: Mapping[str, float], terms: Mapping[str, str]) -> list[_SimilarWord]:
    """Return the words whose terms the store has, with how likely each is."""
    counts = store.frequencies(terms.values()) if terms else {}
    return [
        _SimilarWord(word, term, worths[word], worths[word] + math.log(counts[term]))
        for word, term in terms.items()
        if counts.get(term)
    ]


def _defined_names(store: Store, near: Sequence[_SimilarWord]) -> list[_SimilarWord]:
    """Return those that are names of definitions."""
    return [one for one in near if store.defining([one.word], 1)]


def _as_written(store: Store, names: Sequence[str], word: str) -> tuple[str, ...]:
    """Return names with the capitals that a store writes them with, the likeliest for how ``word`` begins.

    By its capitals a name has parts, and is known to be one.
    """
    return tuple(_written(store, name, word[0].isupper()) for name in names)


def _written(store: Store, name: str, capital: bool) -> str:
    # A compound is held as it is, a single word by its stem.
    holders = store.holding([name.strip("_")], _LOOKED_AT) or store.holding(stems_of([name]), _LOOKED_AT)
    written = re.compile(rf"\b{name}\b", re.IGNORECASE)
    forms = Counter(match for one in store.get(holders).values() for match in written.findall(one.chunk.text))
    return max(forms, key=lambda form: (form[0].isupper() == capital, forms[form], form), default=name)


def _ordinary_english(store: Store, near: Sequence[_SimilarWord]) -> list[_SimilarWord]:
    """Return the English words; of others, only likely ones that the corpus writes in this form."""
    known = {one.word for one in near if _has_vector(one.word)}
    likely = [one for one in near if one.word not in known and one.worth >= _CERTAIN]
    likely_names = [one._replace(likely=one.likely - _UNHEARD_OF) for one in likely if _holds_word(store, one)]
    return [*(one for one in near if one.word in known), *likely_names]


def _holds_word(store: Store, near: _SimilarWord) -> bool:
    """Return whether the store has a word itself, and not only another word with its stem."""
    written = re.compile(rf"\b{near.word}\b", re.IGNORECASE)
    holders = store.get(store.holding([near.term], _LOOKED_AT)).values()
    return any(written.search(one.chunk.text) for one in holders)


def _likeliest(near: Sequence[_SimilarWord]) -> tuple[str, ...]:
    """Return the likeliest words, and of the forms of a word one; none that is much less likely than the first."""
    ranked = sorted(near, key=lambda one: (-one.likely, one.word))
    forms: dict[str, str] = {}
    for one in ranked:
        if one.likely >= ranked[0].likely - _NEAR:
            forms.setdefault(one.term, one.word)
    return tuple(forms.values())[:_NEAREST]


def similar_words(word: str) -> Sequence[str]:
    """Return English words that are more than one slip away from a long one."""
    letters = str.maketrans("", "", word)
    # No more letters than it has in common with the word can be in the same order: that leaves few to compare.
    alike = [
        one
        for one in _english_words().get(word[0], ())
        if abs(len(one) - len(word)) <= _TWO
        and 2 * (len(one) - len(one.translate(letters))) >= _SIMILAR * (len(one) + len(word))
    ]
    return get_close_matches(word, alike, n=_NEAREST, cutoff=_SIMILAR)


@cache
def _english_words() -> Mapping[str, Sequence[str]]:
    """Return the words of letters that English has by their first letter."""
    words: dict[str, list[str]] = {}
    for word in filter(str.isalpha, StaticEmbedder.bundled().words):
        words.setdefault(word[0], []).append(word)
    return words


def _is_english(word: str) -> bool:
    """Return whether a word is English, or formed from an English word by a prefix or suffix."""
    ends = () if word.endswith("ss") else _ENDS
    stems = [word] + [word.removesuffix(end) for end, least in ends if word.endswith(end) and len(word) >= least]
    stems += [word[2:]] if word.startswith(_BEGINNINGS) and len(word) > _LONG else []
    return any(map(_has_vector, stems))


def _row(word: str) -> int:
    """Return the row of an English word in the bundled embedder: the more frequent it is, the lower."""
    return 1 + int(StaticEmbedder.bundled().pieces.rows(word)[0])


def _has_vector(word: str) -> bool:
    """Return whether the bundled embedder has a vector for a word as a whole, and it is not a misspelling."""
    return word not in _MISSPELT and len(StaticEmbedder.bundled().pieces.rows(word)) < _TWO
