"""Orders passages of prose by how likely they answer a question, and drops hits that only repeat it.

A search ranks a test's list of questions or a command's example first, because it holds all words of the question.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from quaestor.answers.quotes.quotable_stretches import PROSE
from quaestor.core.documents import Hit
from quaestor.core.light_imports import lazy_regex
from quaestor.core.questions import asks_amount, says_amount
from quaestor.core.terms import content_terms, find_words, has_unspaced
from quaestor.embedding.static import StaticEmbedder
from quaestor.llm.prompts.numbered_passages import Passage
from quaestor.search.language import language_of, without_grammar
from quaestor.search.path_roles import profile_path
from quaestor.search.spelling import ASK_ANYTHING, SAY_NOTHING

if TYPE_CHECKING:
    from numpy.typing import NDArray

Encode: TypeAlias = "Callable[[Sequence[str]], NDArray[np.float32]]"
"""Maps texts to rows of unit length, as ``Embedder.encode`` does."""

_OF_ODDS, _OF_DOCUMENT = 3.0, 1.5
_OF_LIKENESS, _OF_TOLD, _OF_WORDS, _OF_HEADINGS = 6.0, 2.6, 5.0, 1.0
_OF_NUMBERS, _OF_AMOUNT = 2.0, 0.7
"""Weights of a passage's traits: the ranker's odds; its document's share of the odds; its paragraph most like the
question; its paragraph with most of the question's words; the similarity of its words; the similarity of its headings;
the question's numbers, because in a list of versions all but one entry are about others; and a number where an amount
is asked for. They are weights of a softmax over ten passages, learned from the part ``learn`` of the questions about
documents and rounded."""
_HEADED, _HEADED_NEAR, _NEAR_GUIDE = 0.4, 0.05, 1.2
"""The least share of the question, by the rarity of its words, in the headings of a guide: of any section, and of one
that is at most ``_NEAR_GUIDE`` points behind the first passage."""
_HEADINGS_OF_GUIDE = 2
_NEAR_WITH_AMOUNT = 4.0
"""How far behind the best a passage may be that comes first because it states the amount that is asked for."""
_COUNTED = lazy_regex(r"\bhow\s+(?:many|much)\s+(?P<noun>[\w'-]+(?:\s+[\w'-]+)?)", re.IGNORECASE)
"""What an amount is asked of."""
_BEFORE_COUNTED, _AFTER_COUNTED = 4, 3
"""The words before and after it among which an amount of it stands, itself included in the latter."""
_NEAR_COUNTED = 3.0
"""How far behind one that states some amount a passage may be that comes first because it says how many there are."""
_NEAR_HEADED = 2.5
"""How far behind the best a passage may be that comes first because a single word heads one of its paragraphs."""
_NEAR_MINUTES = 2.0
"""How far behind minutes another document may be that comes before them."""
MINUTES = lazy_regex(r"(?<![^\W_])(?:meetings?|minutes|agendas?)(?![^\W_])", re.IGNORECASE)
"""In the path of minutes, whose headings name what was talked about; what holds now, other documents say."""
_ASKS_MINUTES = lazy_regex(
    r"\b(?:meetings?|minutes|agendas?|discuss\w*|decided|attend\w*|present|said|propos\w+|when|who|why|\d{4})\b",
    re.IGNORECASE,
)
_ASKS_LIMIT = lazy_regex(
    r"\bhow\s+(?:old|large|big|far|fast|small)\b|^\W*(?:since\s+|seit\s+|bis\s+|depuis\s+|desde\s+)?(?:when|wann|quand|cuándo)\b"
    r"|\bwhich\s+year\b"
    r"|\b(?:maximum|minimum|limit|default|number\s+of|size|percent\w*|version)\b",
    re.IGNORECASE,
)
_AMOUNT = lazy_regex(r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|once|twice)\b", re.IGNORECASE)
_NUMBER = lazy_regex(r"(?<![\w.])v?(\d+(?:\.\d+)*)(?!\w|\.\d)")
_WORD = lazy_regex(r"[^\W\d_][\w'-]+|\d[\d.]*")
_BLANK_LINES = lazy_regex(r"\n\s*\n")
_FEWEST_WORDS = 4

# A message such as "Are you sure?" is looked for where it stands.
_QUESTION = lazy_regex(
    r"\b(?:how|what|which|where|who|why|when|wie|was|welche\w*|wo|wer|warum|wann|comment|que|qu'\w+|quel\w*|où|qui|pourquoi"
    r"|cómo|qué|cuál\w*|dónde|quién|cuándo)\b|[吗呢么谁哪何か][？?]?$|什么|怎么|どう|なぜ|どこ",
    re.IGNORECASE,
)
_FEWEST_LISTED = 3
_LISTED = lazy_regex(r"""["'`“][^"'`“”\n]*\w[^"'`“”\n]*[?？]\\?["'`”]""")
_ANSWERED = lazy_regex(r"\banswer(?:s|ed)?\b", re.IGNORECASE)
_ASKS_FOR_QUESTIONS = lazy_regex(r"\b(?:questions?|asks?|asked)\b", re.IGNORECASE)
_QUOTED = r"""["'`“‘«]\W{0,3}"""


_SEPARATED = lazy_regex(
    r"\bwie\s+(?P<verb>[^\W\d_]+)\s+(?P<between>(?:ich|man|wir)\b.*\s)(?P<prefix>ab|an|auf|aus|ein|frei|her|hin|los|mit|nach|um"
    r"|vor|weg|zu|zurück)\W*$",
    re.IGNORECASE,
)
"""A question with a German verb in two: "Wie richte ich den Zugang ein?" asks how to "einrichten"."""
_LETTERS_OF_ROOT = 4
_HEADED_PARAGRAPH = lazy_regex(
    r"^[ \t]*(?:[-*+][ \t]+)?(?P<mark>[*_]{1,2})(?P<title>[^*_\n]{2,80}?)"
    r"(?:[.:?!][ \t]*(?P=mark)|(?P=mark)[ \t]*(?:[.:]|[-–—][ \t]|$))",
    re.MULTILINE,
)
"""The beginning of a paragraph with a heading of its own: emphasized, and ended by a mark or alone on its line."""
_HEADING = lazy_regex(r"^#{1,6} |^[^\n]+\n[-=~]{4,}$", re.MULTILINE)
_NEGATIVE = lazy_regex(
    r"\b(?:not|no|never|without|cannot|except|\w+n['’]t|nicht|kein\w*|nie|ohne|pas|sans|jamais|sin|nunca)\b|[不没沒無无]|ない|ません",
    re.IGNORECASE,
)
_GRAMMAR_UNSPACED = lazy_regex(
    r"[\u3040-\u309f\W_]+|如何|怎[么樣样]|什[么麼]|为何|哪[里儿些个]?|多少|请问|可以|应该|需要|有没有|[何的是吗呢么我你您在要能会了请]"
)
"""Kana of grammar, words of questions and particles; nothing stands between these and others."""
_FEWEST_UNSPACED, _MOST_UNSPACED_LEFT = 3, 2


def label_terms(passage: Passage) -> frozenset[str]:
    """Return the content terms of a passage's path, title and heading or symbol."""
    return content_terms(" ".join(filter(None, (passage.path, passage.title, passage.symbol))))


def rarity_of(wanted: frozenset[str], passages: Sequence[Passage]) -> Mapping[str, float]:
    """Return each wanted term's share of the question; it is larger the fewer passages hold the term."""
    counts = Counter(
        term for passage in passages for term in wanted & (content_terms(passage.text) | label_terms(passage))
    )
    weights = {term: math.log(1 + (len(passages) + 1) / (counts[term] + 0.5)) for term in wanted}
    total = math.fsum(weights.values()) or 1.0
    return {term: weight / total for term, weight in weights.items()}


def order_by_paragraphs(
    question: str, passages: Sequence[Passage], hits: Sequence[Hit], rarity: Mapping[str, float], encode: Encode
) -> tuple[Sequence[Passage], Sequence[Hit]]:
    """Return passages and hits, the likeliest to answer first if most of them are prose, else in their order.

    A search compares the question with whole chunks, but the answer may be one paragraph of several; and of two
    documents, the one with more hits answers more often. A document may say "remove" where the question says "delete",
    so each word of the question counts by the most similar word. Each hit's score becomes a logarithm of odds. For a
    question in another language than English the order stays, because similarity is known for English words only.
    Minutes of meetings come behind other documents, unless the question asks what was talked about. If it asks for an
    amount, a passage that states one comes first, in any language. The section that has the question for its heading
    comes before all, also among code if the question is of several words; a paragraph headed by a single word before
    those that are hardly better.
    """
    if len(hits) != len(passages):
        return passages, hits
    of_prose = [one.language.lower() in PROSE for one in passages]
    worth, ranks = [hit.score for hit in hits], [*range(len(hits))]
    mostly_prose = 2 * sum(of_prose) > len(passages)
    if mostly_prose:
        worth, ranks = _order_of_prose(question, passages, hits, rarity, encode)
    fewest = {rank: 1 if worth[ranks[0]] - worth[rank] <= _NEAR_HEADED else 2 for rank in ranks}
    headed = (rank for rank in ranks if of_prose[rank] and is_headed(question, passages[rank], fewest[rank]))
    first = next(headed, None) if mostly_prose or len(rarity) > 1 else None
    if first is None and not mostly_prose:
        return passages, hits
    ranks.sort(key=lambda rank: rank != first)
    scores = sorted(worth, reverse=True)
    ordered = [hits[rank]._replace(score=score) for rank, score in zip(ranks, scores, strict=True)]
    return [passages[rank] for rank in ranks], ordered


def _order_of_prose(
    question: str, passages: Sequence[Passage], hits: Sequence[Hit], rarity: Mapping[str, float], encode: Encode
) -> tuple[list[float], list[int]]:
    """Return the worth of each passage, and the ranks of the passages in a new order."""
    foreign = language_of(question)
    found = [*accumulate((hit.score for hit in hits), min)]
    worth = found if foreign else [*_worth(question, passages, hits, rarity, encode)]
    ranks = sorted(range(len(hits)), key=lambda rank: -worth[rank])
    if not _ASKS_MINUTES.search(question):
        first = _first_but_minutes(ranks, worth, passages)
        ranks.sort(key=lambda rank: rank != first)
    if asks_amount(question):
        first = _first_with_amount(question, ranks, worth, passages)
        ranks.sort(key=lambda rank: rank != first)
    return worth, ranks


def _worth(
    question: str, passages: Sequence[Passage], hits: Sequence[Hit], rarity: Mapping[str, float], encode: Encode
) -> Sequence[float]:
    """Return the worth of each passage, as a logarithm of odds."""
    parts = [(rank, part) for rank, one in enumerate(passages) for part in _paragraphs(one.text)]
    headings = [(one.symbol or one.title or one.path).replace(" > ", " ") for one in passages]
    vectors = encode([question, *headings, *(part for _, part in parts)])
    likenesses = [float(value) for value in vectors[1:] @ vectors[0]]
    alike, shares, amount = [0.0] * len(passages), [0.0] * len(passages), [False] * len(passages)
    labels = [label_terms(one) for one in passages]
    wants_amount = asks_amount(question) or _ASKS_LIMIT.search(question) is not None
    for (rank, part), likeness in zip(parts, likenesses[len(passages) :], strict=True):
        alike[rank] = max(alike[rank], likeness)
        share = share_of((content_terms(part) | labels[rank]) & rarity.keys(), rarity)
        if share > shares[rank]:
            shares[rank], amount[rank] = share, wants_amount and _AMOUNT.search(part) is not None
    best = max(hit.score for hit in hits)
    total = math.fsum(math.exp(hit.score - best) for hit in hits)
    odds = [math.exp(hit.score - best) / total for hit in hits]
    near = word_nearness(question, [one.text for one in passages], rarity)
    of_document = defaultdict[str, float](float)
    for hit, share in zip(hits, odds, strict=True):
        of_document[hit.path] += share
    numbers = frozenset(_NUMBER.findall(question))
    return [
        _OF_ODDS * odds[rank]
        + _OF_LIKENESS * alike[rank]
        + _OF_TOLD * shares[rank]
        + _OF_WORDS * near[rank]
        + _OF_HEADINGS * likenesses[rank]
        + _OF_AMOUNT * amount[rank]
        + _OF_DOCUMENT * of_document[hit.path]
        + _OF_NUMBERS * len(numbers & _numbers_of(passages[rank])) / max(1, len(numbers))
        for rank, hit in enumerate(hits)
    ]


def _first_with_amount(question: str, ranks: Sequence[int], worth: Sequence[float], passages: Sequence[Passage]) -> int:
    """Return the rank of the best passage or, if that states no amount, of one nearly as good that does.

    "How much vacation" is answered by "20 days of vacation" rather than by an amount of something else.
    """
    near = [rank for rank in ranks if worth[ranks[0]] - worth[rank] <= _NEAR_WITH_AMOUNT]
    stating = [rank for rank in near if says_amount(question, passages[rank].text)] or ranks[:1]
    as_good = (rank for rank in stating if worth[stating[0]] - worth[rank] <= _NEAR_COUNTED)
    return next((rank for rank in as_good if _says_how_many(question, passages[rank].text)), stating[0])


def _says_how_many(question: str, text: str) -> bool:
    """Return whether an amount stands within a few words of what a question asks how many there are of."""
    asked = _COUNTED.search(question)
    counted, words = content_terms(asked["noun"]) if asked else frozenset[str](), text.split()
    places = (at for at, word in enumerate(words) if not counted.isdisjoint(content_terms(word)))
    return any(says_amount("", " ".join(words[max(0, at - _BEFORE_COUNTED) : at + _AFTER_COUNTED])) for at in places)


def _first_but_minutes(ranks: Sequence[int], worth: Sequence[float], passages: Sequence[Passage]) -> int:
    """Return the rank of the best passage or, if that is from minutes, of one nearly as good that is not."""
    near = (rank for rank in ranks if worth[ranks[0]] - worth[rank] <= _NEAR_MINUTES)
    return next((rank for rank in near if not MINUTES.search(passages[rank].path)), ranks[0])


def is_headed(question: str, passage: Passage, fewest: int = 2) -> bool:
    """Return whether a heading of a passage has all the words of a question, and hardly another: such a text answers.

    Words are the same if they begin alike, as "Rechnungen" and "Rechnung". A single word must be the whole heading.
    Letters, contracts and notes often head their paragraphs within the line: "**Lost keys.** Ask the porter ...". These
    headings count if the question has at least ``fewest`` words: of one word more is often said elsewhere.
    """
    line = _line_of(question)
    if _is_heading_of(line, passage.symbol or passage.title or ""):
        return True
    return len(_words_saying(line)) >= fewest and headed_paragraph(question, passage.text) is not None


def headed_paragraph(question: str, text: str) -> tuple[int, int] | None:
    """Return start and end of the paragraph whose heading in the line is the question, with what follows on it."""
    line, found = _line_of(question), [*_HEADED_PARAGRAPH.finditer(text)]
    at = next((at for at, one in enumerate(found) if _is_heading_of(line, one["title"])), None)
    if at is None:
        return None
    start = found[at].start()
    ends = [one.start() for one in (*found[at + 1 : at + 2], _HEADING.search(text, start)) if one]
    return start, len(text[: min(ends, default=len(text))].rstrip())


def _line_of(question: str) -> str:
    """Return the first line of a question, with a German verb in one."""
    return _SEPARATED.sub(r"\g<between>\g<prefix>\g<verb>", question.partition("\n")[0])


def _is_heading_of(line: str, headings: str) -> bool:
    if (_NEGATIVE.search(line) is None) != (_NEGATIVE.search(headings) is None):
        return False  # "Can I run it without Docker?" is not "Run it with Docker"
    if has_unspaced(line):
        return _holds_runs(line, headings)
    asked, headed = _words_saying(line), _words_saying(headings.rpartition(" > ")[2])
    roots = [word[: max(_LETTERS_OF_ROOT, -(-2 * len(word) // 3))] for word in asked]
    extra = [word for word in headed if not word.startswith(tuple(roots))]
    held = all(any(word.startswith(root) for word in headed) for root in roots)
    return held and bool(roots) and len(extra) <= len(roots) // 2


def _holds_runs(question: str, headings: str) -> bool:
    """Return whether the headings above a passage have all that stands between a question's words of grammar.

    "红烧肉怎么做？" is the heading 红烧肉的做法, and アンケートはどう回答しますか is アンケート記入方法 > 回答方法.
    """
    runs = [run for run in _GRAMMAR_UNSPACED.split(question.lower()) if run]
    last = _GRAMMAR_UNSPACED.sub("", headings.lower().rpartition(" > ")[2])
    held = all(run in headings.lower() for run in runs) and sum(map(len, runs)) >= _FEWEST_UNSPACED
    left = reduce(lambda text, run: text.replace(run, ""), runs, last)
    return held and len(left) < len(last) and len(left) <= _MOST_UNSPACED_LEFT


def _words_saying(text: str) -> list[str]:
    words = (word.lower() for word in find_words(without_grammar(text)))
    return [word for word in dict.fromkeys(words) if len(word) > 1 and word not in SAY_NOTHING | ASK_ANYTHING]


def word_nearness(question: str, texts: Sequence[str], rarity: Mapping[str, float]) -> Sequence[float]:
    """Return how similar each text is to the question word by word, 0 to 1, by the bundled embedder."""
    embedder = StaticEmbedder.bundled()
    weight_by_row: Counter[int] = Counter()
    for word in dict.fromkeys(_WORD.findall(question.lower())):
        weight = max((rarity.get(term, 0.0) for term in content_terms(word)), default=0.0)
        rows = embedder.pieces.rows(word).tolist()
        weight_by_row.update({row: weight / len(rows) for row in rows if weight})
    rows_by_text = [np.unique(embedder.pieces.rows(text)) for text in texts]
    every = np.unique(np.concatenate(rows_by_text)).astype(np.intp)
    if not weight_by_row or not len(every):
        return [0.0] * len(texts)
    nearness = embedder.cosines(every, np.array([*weight_by_row], np.int32)).clip(min=0)
    shares = np.array([*weight_by_row.values()]) / sum(weight_by_row.values())
    return [float(nearness[np.searchsorted(every, rows)].max(axis=0, initial=0) @ shares) for rows in rows_by_text]


def weight_of_texts(question: str, rarity: Mapping[str, float], *, prose: bool) -> Callable[[str], float]:
    """Return a function from a text to how much of a question it holds, 0 to 1.

    A section of prose may say "sick" where the question says "ill", so in English its words only have to be near.
    """
    if prose and not language_of(question):
        return lambda text: word_nearness(question, [text], rarity)[0]
    return lambda text: share_of(content_terms(text) & rarity.keys(), rarity)


def _numbers_of(passage: Passage) -> frozenset[str]:
    """Return the numbers and versions in a passage and in its headings."""
    return frozenset(_NUMBER.findall("\n".join(filter(None, (passage.title, passage.symbol, passage.text)))))


def _paragraphs(text: str) -> Sequence[str]:
    """Return the paragraphs of a text that have some words, or the whole text if none has."""
    return [part for part in _BLANK_LINES.split(text) if len(part.split()) >= _FEWEST_WORDS] or [text]


def share_of(terms: Iterable[str], rarity: Mapping[str, float]) -> float:
    """Return the share of the question that some terms cover; the sum is exact, whatever their order."""
    return math.fsum([rarity[term] for term in terms])


def guide_share(passage: Passage, rarity: Mapping[str, float], behind: float) -> float:
    """Return the shares of the question that a document's section and its headings hold together; 0 for no guide."""
    profile = profile_path(passage.path)
    if passage.language.lower() not in PROSE or profile.background or profile.test:
        return 0.0
    headings = " ".join((passage.symbol or "").split(" > ")[-_HEADINGS_OF_GUIDE:])
    headed = share_of(content_terms(headings) & rarity.keys(), rarity)
    is_guide = headed >= (_HEADED if behind > _NEAR_GUIDE else _HEADED_NEAR)
    return headed + share_of_section(passage, rarity) if is_guide else 0.0


def share_of_section(passage: Passage, rarity: Mapping[str, float]) -> float:
    """Return the share of the question that a passage holds, its path and headings included."""
    return share_of((content_terms(passage.text) | label_terms(passage)) & rarity.keys(), rarity)


def without_restated(question: str, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return hits without those that only repeat the question or list questions; all hits if there are no others.

    In prose only quoted questions count, because a heading that is the question stands above its answer.
    """
    words = re.findall(r"\w+", question)
    if (question.isascii() and len(words) < _FEWEST_WORDS) or not _QUESTION.search(question):
        return tuple(hits)
    restated = re.compile(r"\W+".join(map(re.escape, words)), re.IGNORECASE)
    quoted = re.compile(_QUOTED + restated.pattern, re.IGNORECASE)
    lists = not _ASKS_FOR_QUESTIONS.search(question)
    answering = tuple(hit for hit in hits if not _restates(hit, restated, quoted, lists=lists))
    return answering or tuple(hits)


def _restates(hit: Hit, restated: re.Pattern[str], quoted: re.Pattern[str], *, lists: bool) -> bool:
    text = hit.text
    if hit.document.language.lower() in PROSE:
        return quoted.search(text) is not None
    if _ANSWERED.search(text):
        return False
    return restated.search(text) is not None or (lists and _lists_questions(text))


def _lists_questions(text: str) -> bool:
    """Return whether at least half of the lines with words are questions in quotation marks."""
    lines = [line for line in text.splitlines() if any(map(str.isalnum, line))]
    questions = sum(_LISTED.search(line) is not None for line in lines)
    return questions >= _FEWEST_LISTED and 2 * questions >= len(lines)
