"""Which messages are relevant to a question."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from quaestor.core.messages import Message
from quaestor.window import Recall, SharedRecall
from quaestor.window.recall import MessageTerms, _MessageVectors, _top_messages, smooth_over_neighbours, speaker_of


class Letters:
    """An embedder that is a function of its input: how often each letter occurs."""

    name = "letters"
    dimensions = 26

    def __init__(self) -> None:
        self.encoded = 0

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.encoded += len(texts)
        rows = np.array([[text.lower().count(chr(97 + n)) for n in range(26)] for text in texts], dtype=np.float32)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def said(*lines: str) -> list[Message]:
    return [Message("user" if n % 2 == 0 else "assistant", line) for n, line in enumerate(lines)]


FILLER = [f"Small talk number {n} on rain and wind." for n in range(30)]


def best(messages: list[Message], recall: Recall | None = None) -> int:
    return int(np.argmax((recall or Recall()).score(messages, len(messages) - 1)))


def test_inflected_words_are_found() -> None:
    assert best(said(*FILLER[:9], "We painted a lake.", *FILLER[9:], "Who was painting lakes?")) == 9


def test_an_answer_is_found_by_the_question_before_it() -> None:
    messages = said(*FILLER[:10], "Which colour is the kayak?", "Oh, turquoise!", *FILLER[10:], "colour of the kayak")
    scores = Recall().score(messages, len(messages) - 1)
    assert sorted(np.argsort(-scores)[:2].tolist()) == [10, 11]


def test_a_named_speaker_is_preferred() -> None:
    messages = [Message("user", f"I like tea, remark {n}.", name="Anna" if n % 2 else "Ben") for n in range(20)]
    scores = Recall().score([*messages, Message("user", "What does Ben like?")], 20)
    assert scores[::2].mean() > scores[1::2].mean() + 1


def test_speakers_may_be_written_into_the_text() -> None:
    assert speaker_of(Message("user", "Anna: hello")) == "anna"
    assert speaker_of(Message("user", "[3 May] Ben Smith: hello")) == "ben smith"
    assert speaker_of(Message("user", "see http://x")) is None
    assert speaker_of(Message("user", "hello", name="Ann")) == "ann"


def test_a_follow_up_leans_on_the_turn_before() -> None:
    lines = [
        *FILLER[:5],
        "The parser lives in grammar.py",
        *FILLER[5:],
        "Tell me of the parser",
        "It reads.",
        "And where?",
    ]
    assert best(said(*lines)) in (5, len(lines) - 3, len(lines) - 2)


def test_meaning_counts_beside_words() -> None:
    messages = said(*FILLER, "zzz qqq", "zz qq")
    assert best(messages, Recall(Letters())) == len(FILLER)


def test_dates_can_be_indexed_too() -> None:
    messages = said(*FILLER[:9], "Breakfast was fine.", *FILLER[9:], "What happened in May?")
    dated = Recall(describe=lambda message: "MAY" if "Breakfast" in message.content else "")
    assert best(messages, dated) == 9


def test_only_new_messages_are_embedded() -> None:
    embedder = Letters()
    recall = Recall(embedder)
    messages = said(*FILLER, "rain?")
    recall.score(messages, len(messages) - 1)
    assert embedder.encoded == len(FILLER) + 1
    grown = [*messages, Message("assistant", "Yes."), Message("user", "wind?")]
    recall.score(grown, len(grown) - 1)
    assert embedder.encoded == len(FILLER) + 1 + 3
    recall.score(grown, len(grown) - 1)
    assert embedder.encoded == len(FILLER) + 1 + 3, "the same question is not scored twice"


def test_another_past_is_indexed_afresh() -> None:
    recall = Recall(Letters())
    recall.score(said(*FILLER, "rain?"), len(FILLER))
    changed = said(*FILLER[:20], "Another line.", *FILLER[21:], "rain?")
    assert np.array_equal(recall.score(changed, len(FILLER)), Recall(Letters()).score(changed, len(FILLER)))


def test_empty_texts_and_questions() -> None:
    assert Recall().score([Message("user", "")], 0).shape == (0,)
    assert not Recall().score(said("", "", ""), 2).any()


def test_forgetting_leaves_nothing_behind() -> None:
    terms = MessageTerms()
    for text in ("a b", "b c c", "d"):
        terms.add(text.split())
    before = terms.score({"b": 1.0})
    terms.add(["b", "e"])
    terms.cut(3)
    assert np.array_equal(terms.score({"b": 1.0}), before)
    assert terms.document_frequency("e") == 0
    assert terms.terms_of(1) == {"b": 1, "c": 2}


def test_scores_flow_further_to_later_messages() -> None:
    spreaded = smooth_over_neighbours(np.array([0.0, 0.0, 1.0, 0.0, 0.0]))
    assert spreaded[2] > spreaded[3] > spreaded[1] > spreaded[0] > 0


def test_conversations_that_take_turns_are_indexed_once_each() -> None:
    embedder = Letters()
    recall = SharedRecall(embedder, places=2)
    one, other = said(*FILLER, "rain?"), said("Another start.", *FILLER, "wind?")
    for _ in range(3):
        for messages in (one, other):
            scores = recall.score(messages, len(messages) - 1)
            assert np.array_equal(scores, Recall(Letters()).score(messages, len(messages) - 1))
    assert embedder.encoded == len(one) + len(other)
    recall.score(said("A third one.", "Yes.", "And so?"), 2)
    recall.score(one, len(one) - 1)
    assert embedder.encoded > 2 * len(one) + len(other), "the one used longest ago made room"


def test_naming_everybody_prefers_nobody() -> None:
    """Not even those who speak under a name to those who speak under none."""
    names = ("Anna", "Ben", None)
    messages = [Message("user", f"I like tea, remark {n}.", name=names[n % 3]) for n in range(30)]
    scores = Recall().score([*messages, Message("user", "Does it matter to Anna and Ben?")], 30)
    of_anna, of_ben, of_nobody = (scores[place + 3 :: 3].mean() for place in range(3))
    assert max(of_anna, of_ben) < of_nobody + 2
    # Whereas one who is named is preferred by more than that.
    alone = Recall().score([*messages, Message("user", "Does it matter to Anna?")], 30)
    assert alone[3::3].mean() > alone[5::3].mean() + 2


def test_words_beside_a_message_are_indexed_with_it() -> None:
    messages = said(*FILLER, "What happened on Thursday?")
    days = {FILLER[7]: "Thursday"}
    described = Recall(describe=lambda message: days.get(message.content, ""))
    assert best(messages, described) == 7
    assert not Recall().score(messages, 30).any()


def test_the_best_messages_come_first_and_earlier_ones_of_those_that_fit_equally() -> None:
    assert _top_messages(np.array([1.0, 4.0, 2.0, 4.0, 3.0]), 3).tolist() == [1, 3, 4]
    assert _top_messages(np.array([1.0, 4.0]), 9).tolist() == [1, 0]


def test_rare_words_of_the_best_messages_widen_the_query() -> None:
    """The kayak's message names a zeppelin, so that another message about zeppelins bears on kayaks a little."""
    messages = said(
        *FILLER[:4], "The kayak beside the zeppelin", *FILLER[4:20], "A zeppelin came", *FILLER[20:], "kayak?"
    )
    scores = Recall().score(messages, len(messages) - 1)
    assert int(np.argmax(scores)) == 4
    assert scores[21] > scores[12]


def test_speakers_of_a_conversation_that_was_left_are_forgotten() -> None:
    def talk(*names: str) -> list[Message]:
        return [Message("user", f"I like tea, remark {n}.", name=name) for n, name in enumerate(names * 4)]

    question = Message("user", "What do Anna and Ben like?")
    recall = Recall()
    recall.score([*talk("Anna", "Ben", "Cleo"), question], 12)
    second = [*talk("Ben", "Dora"), question]
    np.testing.assert_allclose(recall.score(second, 8), Recall().score(second, 8))
    recall.score([*talk("Anna"), question], 4)
    third = [*talk("Ben"), question]
    np.testing.assert_allclose(recall.score(third, 4), Recall().score(third, 4))


def test_scores_have_one_type() -> None:
    messages = said(*FILLER, "rain")
    assert Recall().score(messages, 30).dtype == Recall().score(messages, 0).dtype == np.float32


def test_a_word_in_one_of_two_messages_of_average_length_scores_its_rarity() -> None:
    """BM25 by hand: a message of average length that has a word once counts the word's rarity."""
    terms = MessageTerms()
    terms.add(["kayak", "lake"])
    terms.add(["rain", "wind"])
    rarity = np.log1p((2 - 1 + 0.5) / (1 + 0.5))
    assert terms.score({"kayak": 1.0}) == pytest.approx([rarity, 0.0])
    assert terms.score({"kayak": 0.5, "rain": 2.0}) == pytest.approx([rarity / 2, 2 * rarity])


def test_vectors_of_more_messages_than_there_was_room_for_stay_in_their_places() -> None:
    vectors = _MessageVectors(Letters())
    texts = [f"{'ab'[n % 2] * 3}{'c' * n}" for n in range(150)]
    for start in (0, 60, 70):  # the second time there is room for twice as many, the third time for more yet
        vectors.add(texts[start : {0: 60, 60: 70, 70: 150}[start]])
    found = vectors.score("abc")
    assert len(vectors) == 150
    assert found.dtype == np.float32
    assert found == pytest.approx(Letters().encode(texts) @ Letters().encode(["abc"])[0], abs=1e-6)
