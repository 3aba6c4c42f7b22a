"""Recall: which earlier messages are relevant to the newest question.

Two signals: BM25 over stems, and the similarity of embeddings if there is an embedder; both indexes grow with the
conversation. Three refinements for conversations, by their gain on the development set of ``benchmarks/memory.py``:

- A message's words count for its neighbours as well, because an answer seldom repeats the question's words. Lexical
scores spread to nearby messages, fading with distance, more to later ones than to earlier ones.
- A question that names a speaker is mostly about that speaker's messages.
- Words of the best messages widen the query a little (pseudo-relevance feedback, after Lavrenko and Croft
  2001).

Single messages are recalled rather than whole neighbourhoods: the same tokens then hold more of the evidence spread
over a conversation.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from quaestor.core.messages import Message
from quaestor.core.terms import words
from quaestor.embedding import Embedder
from quaestor.window.conversation_costs import shared_beginning
from quaestor.window.summary import content_terms_in

if TYPE_CHECKING:
    from numpy.typing import NDArray


Scores: TypeAlias = "NDArray[np.float64]"

_DENSE_WEIGHT = 0.7
_SPEAKER_WEIGHT = 1.2
_REACH = 5
_TO_LATER = 0.6
_TO_EARLIER = 0.42
_FADING = 0.55
_FEEDBACK_MESSAGES = 5
_FEEDBACK_TERMS = 10
_FEEDBACK_WEIGHT = 0.15
_FEEDBACK_SPREAD = 0.1
# A name that begins fewer messages than this may be any word before a colon.
_SPEAKER_MESSAGES = 3
# A question with fewer words of its own leans on the turn before it.
_OWN_TERMS = 2
_BORROWED_WEIGHT = 0.5
# What is read of one message; beyond it, more words only blur it.
_LEXICAL_LETTERS = 20_000
_DENSE_LETTERS = 2_000

_K1 = 1.2
_B = 0.75


class Recall:
    """Scores the messages of a conversation against its newest question; keeps its index between questions.

    Give one ``Recall`` to each session: its index follows the conversation as it grows. Another conversation
    is indexed afresh, which costs time and changes no result.

    Args:
        embedder: adds similarity of meaning; None compares words only.
        describe: words to index beside a message's own, such as its date or the title of its session.
    """

    def __init__(self, embedder: Embedder | None = None, describe: Callable[[Message], str] | None = None) -> None:
        self._describe = describe
        self._messages: list[Message] = []
        self._speakers: list[str | None] = []
        self._speaking: Counter[str] = Counter()
        self._terms = MessageTerms()
        self._vectors = None if embedder is None else _MessageVectors(embedder)
        self._latest: tuple[list[Message], Message, NDArray[np.float32]] | None = None
        self._lock = Lock()

    @property
    def indexed_count(self) -> int:
        """The number of messages that are indexed."""
        return len(self._messages)

    def count_indexed(self, messages: list[Message]) -> int:
        """Return how many of ``messages``, from the first one on, are indexed already."""
        return shared_beginning(self._messages, messages)

    def score(self, messages: Sequence[Message], question: int) -> NDArray[np.float32]:
        """Return how much each of ``messages[:question]`` bears on ``messages[question]``.

        Scores are sums of standard scores: above 0 means more than the average message.
        """
        earlier = list(messages[:question])
        with self._lock:
            if self._latest is None or self._latest[0] != earlier or self._latest[1] != messages[question]:
                self._follow(earlier)
                self._latest = (earlier, messages[question], self._score(messages[question]))
            return self._latest[2]

    def _follow(self, messages: list[Message]) -> None:
        """Bring the index up to date with a conversation."""
        known = shared_beginning(self._messages, messages)
        self._terms.cut(known)
        self._speaking.subtract(filter(None, self._speakers[known:]))
        del self._speakers[known:]
        new = messages[known:]
        texts = [self._text(message) for message in new]
        for message, text in zip(new, texts, strict=True):
            self._terms.add(content_terms_in(text[:_LEXICAL_LETTERS]))
            speaker = speaker_of(message)
            self._speakers.append(speaker)
            self._speaking.update([speaker] if speaker else ())
        if self._vectors is not None:
            self._vectors.cut(known)
            self._vectors.add([text[:_DENSE_LETTERS] for text in texts])
        self._messages = messages

    def _text(self, message: Message) -> str:
        described = self._describe(message) if self._describe else ""
        calls = (f"{call.name} {call.arguments}" for call in message.tool_calls)
        return " ".join(filter(None, (described, message.name, message.content[:_LEXICAL_LETTERS], *calls)))

    def _score(self, question: Message) -> NDArray[np.float32]:
        if not self._messages:
            return np.zeros(0, dtype=np.float32)
        query, text = self._query(question.content[:_LEXICAL_LETTERS])
        total = _standardise(self._lexical_scores(query))
        if self._vectors is not None:
            total += _DENSE_WEIGHT * _standardise(self._vectors.score(text[:_DENSE_LETTERS]))
        total += _SPEAKER_WEIGHT * self._speaker_scores(question.content)
        return total.astype(np.float32)

    def _query(self, text: str) -> tuple[dict[str, float], str]:
        """Return the terms with their weights, and the text to embed."""
        query = dict.fromkeys(content_terms_in(text), 1.0)
        if len(query) >= _OWN_TERMS:
            return query, text
        before = " ".join(message.content[:_DENSE_LETTERS] for message in self._messages[-2:])
        return {**dict.fromkeys(content_terms_in(before), _BORROWED_WEIGHT), **query}, f"{text} {before}"

    def _lexical_scores(self, query: Mapping[str, float]) -> Scores:
        scores = smooth_over_neighbours(self._terms.score(query))
        best = _top_messages(scores, _FEEDBACK_MESSAGES)
        if scores[best[0]] <= 0:
            return scores
        return smooth_over_neighbours(self._terms.score({**self._expansion_terms(query, best, scores), **query}))

    def _expansion_terms(self, query: Mapping[str, float], best: NDArray[Any], scores: Scores) -> dict[str, float]:
        """Return the rare terms of the best messages, weighted by how much those messages bear on the query."""
        rare = max(2.0, _FEEDBACK_SPREAD * len(self._terms))
        weights: dict[str, float] = {}
        for number in best.tolist():
            share = float(scores[number] / scores[best[0]])
            for term in self._terms.terms_of(number):
                if term not in query and self._terms.document_frequency(term) < rare:
                    weights[term] = weights.get(term, 0.0) + share * self._terms.rarity(term)
        chosen = sorted(weights.items(), key=lambda item: -item[1])[:_FEEDBACK_TERMS]
        return {term: _FEEDBACK_WEIGHT * weight / chosen[0][1] for term, weight in chosen}

    def _speaker_scores(self, question: str) -> Scores:
        """Return 1 for every message of a speaker whom the question names, if there are several speakers."""
        known = {speaker for speaker, number in self._speaking.items() if number >= _SPEAKER_MESSAGES}
        speakers = _speakers_named(question, known)
        if not speakers or speakers == known:
            return np.zeros(len(self._speakers))
        return np.array([speaker in speakers for speaker in self._speakers], dtype=np.float64)


def _top_messages(scores: Scores, number: int) -> NDArray[np.intp]:
    """Return the places of the best scores, best first."""
    places = np.argpartition(-scores, min(number, len(scores)) - 1)[:number]
    best: NDArray[np.intp] = places[np.lexsort((places, -scores[places]))]
    return best


def smooth_over_neighbours(scores: Scores) -> Scores:
    """Return scores with a share of each message's score added to its neighbours."""
    total = scores.copy()
    for distance in range(1, min(_REACH, len(scores) - 1) + 1):
        fading = _FADING ** (distance - 1)
        total[distance:] += _TO_LATER * fading * scores[:-distance]
        total[:-distance] += _TO_EARLIER * fading * scores[distance:]
    return total


def _standardise(scores: NDArray[Any]) -> Scores:
    """Return scores with mean 0 and deviation 1, or zeros where all are alike."""
    deviation = float(scores.std())
    if deviation < 1e-9:
        return np.zeros(len(scores))
    standard: Scores = (scores.astype(np.float64) - scores.mean()) / deviation
    return standard


class SharedRecall:
    """Serves several conversations with one index each; a new one replaces the least recently used.

    Results are the same as those of a new ``Recall``; the cache saves time only.

    Args:
        embedder: the embedder as for ``Recall``.
        places: number of conversations in the cache.
    """

    def __init__(self, embedder: Embedder | None = None, places: int = 8) -> None:
        self._embedder = embedder
        self._places = places
        self._recalls: list[Recall] = []
        self._lock = Lock()

    def score(self, messages: Sequence[Message], question: int) -> NDArray[np.float32]:
        """Return how much each of ``messages[:question]`` bears on ``messages[question]``."""
        return self._index_for(list(messages[:question])).score(messages, question)

    def _index_for(self, messages: list[Message]) -> Recall:
        """Return the index that holds most of ``messages``, or a new one if reusing any would lose more."""
        with self._lock:
            best = max(self._recalls, key=lambda recall: recall.count_indexed(messages), default=None)
            # One that shares only a beginning, such as a system message, belongs to another conversation.
            if best is None or 2 * best.count_indexed(messages) < best.indexed_count:
                best = Recall(self._embedder)
            others = [recall for recall in self._recalls if recall is not best]
            self._recalls = [*others, best][-self._places :]
            return best


class MessageTerms:
    """An inverted index from terms to messages, after Robertson and Zaragoza (2009)."""

    def __init__(self) -> None:
        self._messages: dict[str, array[int]] = {}
        self._frequencies: dict[str, array[int]] = {}
        self._lengths = array("i")
        self._counts: list[Counter[str]] = []

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, terms: Sequence[str]) -> None:
        """Index the next message."""
        number = len(self._lengths)
        counts = Counter(terms)
        for term, frequency in counts.items():
            self._messages.setdefault(term, array("i")).append(number)
            self._frequencies.setdefault(term, array("i")).append(frequency)
        self._lengths.append(len(terms))
        self._counts.append(counts)

    def cut(self, length: int) -> None:
        """Forget every message from the index ``length`` on."""
        while len(self._lengths) > length:
            for term in self._counts.pop():
                self._messages[term].pop()
                self._frequencies[term].pop()
                if not self._messages[term]:
                    del self._messages[term], self._frequencies[term]
            self._lengths.pop()

    def terms_of(self, number: int) -> Mapping[str, int]:
        """Return the frequency of each term in a message."""
        return self._counts[number]

    def document_frequency(self, term: str) -> int:
        """Return the number of messages that have the term."""
        return len(self._messages.get(term, ()))

    def rarity(self, term: str) -> float:
        """Return the inverse document frequency, never negative."""
        spread = self.document_frequency(term)
        return float(np.log1p((len(self) - spread + 0.5) / (spread + 0.5)))

    def score(self, query: Mapping[str, float]) -> NDArray[np.float64]:
        """Return BM25 for every message; ``query`` gives each term a weight."""
        scores = np.zeros(len(self))
        lengths = np.array(self._lengths, dtype=np.float64)
        norm = _K1 * (1 - _B + _B * lengths / max(lengths.mean(), 1.0)) if len(lengths) else lengths
        for term, weight in query.items():
            if term not in self._messages:
                continue
            # Copies: an array cannot grow while a view of it is alive.
            numbers = np.array(self._messages[term])
            frequencies = np.array(self._frequencies[term], dtype=np.float64)
            saturated = frequencies * (_K1 + 1) / (frequencies + norm[numbers])
            scores[numbers] += weight * self.rarity(term) * saturated
        return scores


class _MessageVectors:
    """One unit vector a message, in an array that doubles when it is full."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._rows = np.zeros((64, embedder.dimensions), dtype=np.float32)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def add(self, texts: Sequence[str]) -> None:
        """Embed the next messages."""
        if not texts:
            return
        vectors = self._embedder.encode(texts)
        needed = self._length + len(texts)
        if needed > len(self._rows):
            grown = np.zeros((max(needed, 2 * len(self._rows)), self._rows.shape[1]), dtype=np.float32)
            grown[: self._length] = self._rows[: self._length]
            self._rows = grown
        self._rows[self._length : needed] = vectors
        self._length = needed

    def cut(self, length: int) -> None:
        """Forget every message from the index ``length`` on."""
        self._length = min(self._length, length)

    def score(self, text: str) -> NDArray[np.float32]:
        """Return the cosine similarity of every message to ``text``."""
        similarity: NDArray[np.float32] = self._rows[: self._length] @ self._embedder.encode([text])[0]
        return similarity


_PREFIX = re.compile(r"\s{0,4}(?:[\[(][^\])\n]{1,60}[\])]\s?)?(?P<name>[^\W\d_][\w .'-]{0,30}?):\s")


def speaker_of(message: Message) -> str | None:
    """Return a message's speaker: its name, or ``Anna`` where the text begins with ``Anna:``, or None."""
    if message.name is not None:
        return message.name.lower()
    match = _PREFIX.match(message.content)
    return match["name"].lower() if match else None


@lru_cache(maxsize=1024)
def _name_words(speaker: str) -> frozenset[str]:
    """Return the words of a speaker's name, without initials."""
    return frozenset(word for word in words(speaker) if len(word) > 1)


def _speakers_named(question: str, speakers: Collection[str]) -> set[str]:
    """Return the speakers whom the question names."""
    words_asked = set(words(question))
    return {speaker for speaker in speakers if _name_words(speaker) & words_asked}
