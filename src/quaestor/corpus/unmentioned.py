"""What a question speaks of, and the corpus or the hits do not mention: its names, and its words.

A name is recognised by how it is written (``Kafka``, ``HTTP/3``, ``insertAndGetId``), without a list of names. Words
count by how rare they are; a similar word, by the bundled embedder, stands for a missing one.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from quaestor.chunking.languages import PROSE, knows_extension
from quaestor.core.documents import Hit
from quaestor.core.terms import (
    STOP_WORDS,
    find_words,
    has_unspaced,
    searched_terms,
    split_identifier,
    terms_of_word,
)
from quaestor.embedding.static import StaticEmbedder
from quaestor.search.file_features import is_path_in
from quaestor.search.language import without_grammar
from quaestor.search.query import read_query
from quaestor.search.spelling import ASK_ANYTHING, OF_ANY_CODE, SAY_NOTHING, UnknownWord, is_foreign
from quaestor.stores import Store, StoredChunk, TermCounts

_BEST_FOR_WORDS = 3
"""The number of first hits in which the share that hits hold, and synonyms, are searched for."""
_LETTERS_OF_ROOT = 4
_FEWEST_LETTERS = 5
"""The fewest letters of a word that a longer one mentions."""
UNSAID_BY_ANSWERS = 0.15
"""The share that hits do not cover if they only just answer: people ask in words other than those of the text."""
_TELLING = 0.8
"""Length of the vector of a word that tells one question from another: 0.59 of "file", 0.86 of "disk"."""
_SUBJECT = 0.25
"""The share of a question from which on one of its words is what is asked for."""
_MOST_BESIDE = 4
"""The most words of a question that may ask for one word and nothing else: "where is the cache?"."""
_SELDOM, _SYNONYM = 0.01, 0.45
"""The share of chunks that may hold a missing word; the similarity from which on another word stands for it."""
_TOKEN = re.compile(r"[^\s,;?!()\[\]{}\"“”`]+")
_EDGES = ".:'’*<>"
_LATIN = re.compile(r"[^\x00-\x7f]+")
_POSSESSIVE = re.compile(r"['’]s?$")
_PLURAL = re.compile(r"[A-Z]{2,}s")
# Parts of one token that are things of their own: TCP/IP, Client::send, key:value, ADL-based.
_BETWEEN = re.compile(r"::|[-:/=]")
_CHAIN = re.compile(r"\w+(?:\.\w+){2,}")
_COUNTED = re.compile(r"[^\W\d_]+/\d+(?:\.\d+)*")
_ABBREVIATED = re.compile(r"(?:\w\.)+\w?")
_OF_EXAMPLES = ("example.com", "example.net", "example.org")
"""Domains that are reserved for examples name nothing of a corpus."""
_KEYS = re.compile(r"(?:Ctrl|Control|Alt|Shift|Cmd|Meta)[-+]\w+$", re.IGNORECASE)
"""Keys that are pressed together name nothing of a corpus."""
_DAYS = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december""".split()
)
_FAULT = re.compile(r"(?:Error|Exception|Warning)s?$")
_LONGEST = 40
"""From this number of words on, a text is more than a question: a trace, a log, a page."""
_ENGLISH = 0.2
"""Share of English function words from which on a capital within a sentence marks a name."""
_LOOKED_AT = 50
_ABSOLUTE = re.compile(r"[/~\\]|[A-Za-z]:[/\\]")


def share_unknown(question: str, unknown: Sequence[UnknownWord]) -> float:
    """Return the share, 0 to 1, of a question's words that occur nowhere and resemble no word that does.

    Stop words do not count: ``how do I boil an egg`` has two words, and a corpus of code neither.
    """
    words = {word.lower() for word in find_words(question) if len(word) > 1} - SAY_NOTHING
    absent = {one.word.lower() for one in unknown if not one.nearest}
    return len(words & absent) / max(1, len(words))


def share_held(question: str, hits: Sequence[Hit]) -> float:
    """Return the share of a question, 0 to 1, that the best of the first hits holds, word by word.

    Words are the same if they begin alike, as "kündigen" and "kündigt". The fewer hits hold a word, the larger its
    share. Only the first line counts, for what it was translated to stands below it.
    """
    words = {word.lower() for word in find_words(without_grammar(question.partition("\n")[0])) if len(word) > 2}
    roots = {word[: max(_LETTERS_OF_ROOT, -(-2 * len(word) // 3))] for word in words}
    roots_by_hit = [_roots_in(hit, roots) for hit in hits]
    counts = Counter(root for each in roots_by_hit for root in each)
    weights = {root: math.log(1 + (len(hits) + 1) / (counts[root] + 0.5)) for root in roots}
    total = math.fsum(weights.values()) or 1.0
    return max(
        (math.fsum(weights[root] for root in each) / total for each in roots_by_hit[:_BEST_FOR_WORDS]), default=0.0
    )


def _roots_in(hit: Hit, roots: AbstractSet[str]) -> frozenset[str]:
    text = "\n".join(filter(None, (hit.document.title, hit.path, hit.symbol, hit.text)))
    words = {word.lower() for word in find_words(text)}
    return frozenset(root for root in roots if any(word.startswith(root) for word in words))


def share_uncovered(question: str, hits: Sequence[Hit], counts: Sequence[TermCounts]) -> float:
    """Return the share of a question, 0 to 1, of the one word that the first hit covers least.

    A near miss is about the subject, but not about what is asked of it: "how are messages compressed" finds messages,
    and no word similar to "compressed". The rarer a word, the larger its share. In languages other than English no word
    is similar; then the share that is usual for answers is returned.

    Args:
        question: the question as it was searched.
        hits: the hits of a search for it, best first.
        counts: the counts of its terms in the stores that were searched.
    """
    shares = _shares_of_words(question, counts)
    if not hits or not shares or is_foreign(question):
        return UNSAID_BY_ANSWERS
    text = _text_with_names(hits[0])
    text_terms = set(searched_terms(text))
    return max(
        share * (1 - min(1.0, near)) * text_terms.isdisjoint(searched_terms(word))
        for (word, share), near in zip(shares.items(), _nearest(shares, map(str.lower, find_words(text))), strict=True)
    )


def says_only_word(question: str, hit: Hit) -> bool:
    """Return whether a short question has one word that says anything, and a hit has that word in any form.

    "Pagination", "how many threads?": nothing is asked of the word that a text with it may lack.
    """
    if len(find_words(question)) > _MOST_BESIDE or len(words := list(_content_words(question))) != 1:
        return False
    return set(searched_terms(words[0])).issubset(searched_terms(_text_with_names(hit)))


def _nearest(words: Iterable[str], others: Iterable[str]) -> list[float]:
    """Return the similarity of each word to the most similar of the others; 0 if there are none."""
    one, other = list(words), list(set(others))
    vectors = StaticEmbedder.bundled().encode([*one, *other])
    return [float(near) for near in (vectors[: len(one)] @ vectors[len(one) :].T).max(axis=1, initial=0)]


def missing_words(
    question: str, hits: Sequence[Hit], counts: Sequence[TermCounts], original: str = ""
) -> tuple[str, ...]:
    """Return the words that a question is about, and that the hits mention neither in this form nor by a synonym.

    "Where is the payload encrypted?" finds payloads, and no hit mentions encryption. A word counts if it says much
    wherever it stands, if it makes up much of the question, and if hardly any chunk mentions it; a longer word that it
    is a part of mentions it ("resizing" stands in "autoresizing"). Of a translated question no English for a word of
    the original may be mentioned; none is missing where its own words are searched.
    """
    if not hits or read_query(question).kind != "text" or (original in question if original else is_foreign(question)):
        return ()
    seldom = _seldom_words(_meanings(question, original), _chunks_by_term(question, counts), counts)
    held = {term for hit in hits if seldom for term in searched_terms(_text_with_names(hit))}
    missing = [words for words, terms in seldom.items() if held.isdisjoint(terms)]
    said = [word for hit in hits[:_BEST_FOR_WORDS] if missing for word in find_words(_text_with_names(hit))]
    parts = [part for word in said for part in (word.lower(), *split_identifier(word))]
    text = " ".join(parts)
    absent = (words for words in missing if not any(len(word) >= _FEWEST_LETTERS and word in text for word in words))
    return tuple(words[0] for words in absent if max(_nearest(words, parts)) < _SYNONYM)


def _meanings(question: str, original: str) -> Iterable[tuple[str, ...]]:
    """Return a question's words, or of a translated one the English for each word that the glossary knows."""
    words = list(_content_words(question))
    if not original:
        return ((word,) for word in words)
    from quaestor.search.translation import meanings  # noqa: PLC0415 - a question in English needs no glossary

    found = (tuple(word for word in find_words(" ".join(english)) if word in words) for english in meanings(original))
    return filter(None, dict.fromkeys(found))


def _seldom_words(
    meanings: Iterable[tuple[str, ...]], chunks_by_term: Mapping[str, int], counts: Sequence[TermCounts]
) -> dict[tuple[str, ...], list[str]]:
    """Return the words that make up much of a question, and that hardly any chunk holds, each with its terms."""
    embedder = StaticEmbedder.bundled()
    weights = {words: min(map(embedder.weight, words)) for words in meanings if all(map(str.isalpha, words))}
    least, most = max(_TELLING, _SUBJECT * math.fsum(weights.values())), _SELDOM * sum(one.chunks for one in counts)
    rare = {term for term, chunks in chunks_by_term.items() if chunks <= most} - OF_ANY_CODE
    terms = {words: searched_terms(" ".join(words)) for words, weight in weights.items() if weight >= least}
    return {words: own for words, own in terms.items() if rare.issuperset(own)}


def _text_with_names(hit: Hit) -> str:
    return "\n".join(filter(None, (hit.path, *hit.chunk.scope, hit.symbol, hit.text)))


def _chunks_by_term(question: str, counts: Sequence[TermCounts]) -> dict[str, int]:
    """Return how many chunks have each term of a question, in the field where most have it."""
    return {term: sum(max(one.frequencies.get(term, (0,))) for one in counts) for term in terms_of_words(question)}


def terms_of_words(question: str) -> tuple[str, ...]:
    """Return the terms of a question's words, without words that say nothing about its subject."""
    return tuple(dict.fromkeys(term for word in _content_words(question) for term in searched_terms(word)))


def _content_words(question: str) -> Iterator[str]:
    words = [word for word in dict.fromkeys(find_words(question.lower())) if len(word) > 1 and word not in SAY_NOTHING]
    return iter([word for word in words if word not in ASK_ANYTHING] or words)


def _shares_of_words(question: str, counts: Sequence[TermCounts]) -> dict[str, float]:
    """Return the weight of each word of a question, by how rare it is; the weights add up to 1."""
    chunks, chunks_by_term = sum(one.chunks for one in counts), _chunks_by_term(question, counts)
    weights = {
        word: max(math.log(1 + chunks / (0.5 + chunks_by_term[term])) for term in terms)
        for word in _content_words(question)
        if (terms := searched_terms(word))
    }
    total = math.fsum(weights.values())
    return {word: weight / total for word, weight in weights.items() if total}


def unmentioned_names(store: Store, question: str) -> tuple[str, ...]:
    """Return the names in a question that occur in no chunk, title or path, regardless of case and separators.

    In prose an acronym must be in capitals: a board with an ``ARM`` is not an arm. ``asyncio.run`` occurs wherever its
    parts do, ``build.rs`` only where a file of this name is mentioned.
    """
    return tuple(name for name in names_in(question) if not _is_mentioned(store, name))


def names_in(question: str) -> tuple[str, ...]:
    """Return the names in a question, as they are written: ``Kafka``, ``HTTP/3``, ``build.rs``, ``insertAndGetId``.

    A name has a capital within the sentence (where the question is English), one after its first letter, a digit beside
    letters, an underscore, or a dot within. Faults (``KeyError``), days, months, numbers, keys (``Ctrl-C``),
    web addresses and abbreviations do not count. Of a text that is much longer than a question, nothing is returned.
    """
    if has_unspaced(question):
        question = _LATIN.sub(" ", question)  # no blank parts a name from what stands around it
    tokens = question.split()
    if not 0 < len(tokens) <= _LONGEST:
        return ()
    plain = [token.strip(".,;:?!'\"()").lower() for token in tokens]
    capitals = sum(token[:1].isupper() for token in tokens)
    english = sum(word in STOP_WORDS for word in plain) >= _ENGLISH * len(tokens) and 2 * capitals <= len(tokens)
    return tuple(dict.fromkeys(_names(question, english)))


def _names(question: str, english: bool) -> Iterator[str]:
    begins = True
    for match in _TOKEN.finditer(question):
        token = match.group()
        word = _POSSESSIVE.sub("", token.strip(_EDGES))
        is_name = not _ABBREVIATED.fullmatch(word) and not _KEYS.match(word)
        is_name = is_name and not any(domain in word.lower() for domain in _OF_EXAMPLES)
        if is_name and "://" not in word and "@" not in word:
            for part in [word] if _is_whole(word) else _BETWEEN.split(word):
                if _is_name(part, english and not begins):
                    yield part[:-1] if _PLURAL.fullmatch(part) else part
        begins = token[-1] in ".:" or question[match.end() : match.end() + 1] in ("?", "!")


def _is_whole(word: str) -> bool:
    """Return whether a token with a slash is one name: a version or a path."""
    return _COUNTED.fullmatch(word) is not None or ("/" in word and "." in word and ":" not in word)


def _is_name(word: str, within: bool) -> bool:
    word = re.sub("['’]", "", word)
    letters = sum(letter.isalpha() for letter in word)
    if letters < 2 or _FAULT.search(word) or _CHAIN.fullmatch(word) or word.lower().removesuffix("s") in _DAYS:
        return False
    if within and word[0].isupper():
        return True
    return any(letter.isupper() for letter in word[1:]) or letters < len(word)


def _is_mentioned(store: Store, name: str) -> bool:
    if _is_absolute(name) or is_path_in(store, name):
        return True
    if "." in name and "/" not in name and not knows_extension(name):
        return all(_is_mentioned(store, part) for part in name.split(".") if part)
    parts = [part for word in find_words(name) for part in split_identifier(word)]
    terms = [terms_of_word(part)[-1] for part in parts]
    frequencies = store.frequencies(terms)
    if not all(frequencies.get(term) for term in terms):
        return False
    acronym = name.isupper() and name.isalpha()
    if not acronym and (len(terms) < 2 or _is_one_word_here(store, name)):
        return True
    near = [identifier for identifier, _ in store.lexical(terms, _LOOKED_AT)]
    holders = store.get(dict.fromkeys([*near, *store.holding(terms, _LOOKED_AT)])).values()
    if not acronym:
        # However it is written: get_user, getUser, get-user; but not get1User, nor http 31 or http%3A for http/3.
        end = r"(?![^\W_])" if parts[-1].isdigit() else r"(?!\d)"
        written = re.compile(r"[\W_]?".join(map(re.escape, parts)) + end, re.IGNORECASE)
        return any(written.search(_indexed_text(one)) for one in holders)
    capitals = re.compile(rf"(?<![A-Z]){re.escape(name)}(?![A-Z](?![a-z]))")
    return any(one.document.language not in PROSE or capitals.search(_indexed_text(one)) for one in holders)


def _is_one_word_here(store: Store, name: str) -> bool:
    """Return whether a name is one word, such as ``hasElements``, that some chunk contains, in any case.

    The index knows it whole. Chunks with its parts alone, which may be common, can crowd out the few that have it.
    """
    words = find_words(name)
    if len(words) != 1 or words[0] != name:
        return False
    whole = terms_of_word(name)[0]
    return bool(store.frequencies([whole]).get(whole))


def _is_absolute(name: str) -> bool:
    """Return whether a name is a path or address on some machine, and so not the subject of a question."""
    return _ABSOLUTE.match(name) is not None


def _indexed_text(stored: StoredChunk) -> str:
    """Return the texts of a chunk that the index holds: its text, names and path."""
    document, chunk = stored.document, stored.chunk
    return " ".join(filter(None, (document.path, document.title, *chunk.scope, chunk.symbol, chunk.text)))
