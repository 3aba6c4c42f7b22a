"""The signs that hits do not answer a question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.documents import Chunk, Document, Hit, Span
from quaestor.corpus.answerability import Doubt, doubt_about, doubt_of, likeness
from quaestor.corpus.unmentioned import missing_words, share_uncovered, share_unknown, terms_of_words
from quaestor.search.spelling import UnknownWord
from quaestor.stores import TermCounts

QUESTION = "how does the client go on where a server is down?"
SCORES = st.lists(st.floats(-5, 20), min_size=10, max_size=10).map(lambda scores: sorted(scores, reverse=True))


def hits_of(scores: list[float], language: str = "python") -> list[Hit]:
    document = Document("a.py", "0" * 64, 10, 0, language)
    return [Hit(document, Chunk("text", Span(0, 4, 1, 1)), score) for score in scores]


def worth(question: str, scores: list[float], *names: str) -> float:
    found = doubt_of(question, hits_of(scores), names, alike=0.4).worth
    assert found is not None
    return found


@given(SCORES, st.floats(0, 10))
def test_a_better_first_hit_never_refuses_more(scores: list[float], more: float) -> None:
    assert worth(QUESTION, [scores[0] + more, *scores[1:]]) >= worth(QUESTION, scores)


@given(SCORES, st.floats(0, 10))
def test_a_longer_lead_never_refuses_more(scores: list[float], less: float) -> None:
    assert worth(QUESTION, [scores[0], *(score - less for score in scores[1:])]) >= worth(QUESTION, scores)


@given(SCORES)
def test_a_name_that_stands_nowhere_never_refuses_less(scores: list[float]) -> None:
    assert worth(QUESTION, scores, "Kafka") < worth(QUESTION, scores)


@given(SCORES, st.floats(0, 1), st.floats(0, 1))
def test_more_words_that_stand_nowhere_never_refuse_less(scores: list[float], one: float, other: float) -> None:
    few, many = (doubt_of(QUESTION, hits_of(scores), (), absent, alike=0.4).worth for absent in sorted((one, other)))
    assert few is not None
    assert many is not None
    assert many <= few


@given(SCORES, st.floats(-1, 1), st.floats(-1, 1))
def test_a_nearer_meaning_never_refuses_more(scores: list[float], one: float, other: float) -> None:
    far, near = (doubt_of(QUESTION, hits_of(scores), (), alike=alike).worth for alike in sorted((one, other)))
    assert far is not None
    assert near is not None
    assert far <= near


def test_a_near_miss_is_told_from_an_answer_by_its_meaning() -> None:
    scores = [6.0, *[4.5] * 9]
    assert doubt_of(QUESTION, hits_of(scores), (), alike=0.6).refuses is False
    assert doubt_of(QUESTION, hits_of(scores), (), alike=0.1).refuses is True
    # A name has no meaning to compare.
    assert doubt_of("fail_over", hits_of(scores), (), alike=0.1) == doubt_of(
        "fail_over", hits_of(scores), (), alike=0.6
    )


def test_what_says_the_same_is_alike() -> None:
    document = Document("a.md", "0" * 64, 10, 0, "markdown")
    near, far = (
        Hit(document, Chunk(Span(0, 4, 1, 1), text), 1.0)
        for text in ("Where a server is down, the client tries the next one.", "The licence is free of charge.")
    )
    assert likeness(QUESTION, [near, far]) > likeness(QUESTION, [far, near])
    assert likeness(QUESTION, []) == 0


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Was kostet die Fahrt mit dem Boot?", "Die Boote werden im Winter in der Halle gelagert und gestrichen."),
        ("Combien coûte la location du bateau ?", "Les bateaux sont repeints dans le hangar pendant tout l'hiver."),
    ],
)
def test_that_two_texts_are_in_one_other_language_makes_them_no_more_alike(question: str, text: str) -> None:
    document = Document("a.md", "0" * 64, 10, 0, "markdown")

    def found(*texts: str) -> float:
        return likeness(question, [Hit(document, Chunk(Span(0, 4, 1, 1), text), 1.0) for text in texts])

    grammar = {"Was": "Das ist nicht, was die mit dem ist.", "Combien": "Combien est-il pour la du dans le les ?"}
    assert found(text) == found(f"{text} {grammar[question.partition(' ')[0]]}")
    assert found("The boat trip costs ten euros.") != found(text)  # carried over to English, the search found it
    assert found(text) < found(f"{text} {question}") == found(text, f"{text} {question}")
    # What was translated stands below the question, and is not looked for in documents of its language.
    assert likeness(f"{question}\nwhat costs boat", [Hit(document, Chunk(Span(0, 4, 1, 1), text), 1.0)]) == found(text)


@given(st.lists(st.sampled_from(["boot", "fahrt", "kosten", "winter"]), max_size=6), st.integers(0, 3))
def test_more_words_of_a_question_make_a_hit_no_less_alike(words: list[str], kept: int) -> None:
    question = "Was kostet im Winter die Fahrt mit dem Boot, und wer zahlt sie?"
    document = Document("a.md", "0" * 64, 10, 0, "markdown")
    fewer, more = (
        Hit(document, Chunk(Span(0, 4, 1, 1), f"Die Halle ist nicht mit dem Auto zu erreichen. {' '.join(said)}"), 1.0)
        for said in (words[:kept], words)
    )
    assert 0 <= likeness(question, [fewer]) <= likeness(question, [more]) <= 1


def test_prose_is_as_near_as_its_nearest_paragraph() -> None:
    said = "Where a server is down, the client tries the next one.\n"
    beside = "\nThe licence is free of charge, and so is the paint of each of the garden's chairs.\n" * 8

    def found(text: str, language: str) -> float:
        document = Document("a", "0" * 64, 10, 0, language)
        return likeness(QUESTION, [Hit(document, Chunk(Span(0, 4, 1, 1), text), 1.0)])

    assert found(said + beside, "markdown") == pytest.approx(found(said, "markdown"), abs=0.01)
    assert found(said + beside, "python") < found(said, "python") - 0.1


def test_an_item_of_a_list_is_as_like_as_it_is_by_itself() -> None:
    document = Document("rules.md", "", 0, 0, "markdown")

    def found(*texts: str) -> float:
        return likeness(
            "how far away must spectators stay", [Hit(document, Chunk(Span(0, 4, 1, 1), "\n".join(texts)), 1.0)]
        )

    item = "- 7b) Spectators stay at least two meters away from the boats."
    others = [f"- 7{letter}) The lighting of the hall number {letter} is neutral and bright." for letter in "cdefgh"]
    assert found(*others, item) == pytest.approx(found(item))
    assert found(*others) < found(*others, item)
    assert found(" ".join([*others, item])) < found(*others, item)


def test_a_table_of_values_is_as_near_as_its_nearest_row() -> None:
    table = Document("a.csv", "0" * 64, 10, 0, "csv")
    rows = "\n".join(f"red paint {n},{n}" for n in range(40))

    def found(text: str, columns: str | None) -> float:
        hit = Hit(table, Chunk(Span(0, 4, 1, 1), text, columns), 1.0)
        return likeness("What is the phone number of Abernathy?", [hit, *hits_of([0.5] * 9, "markdown")])

    named = found(f"{rows}\nAda Abernathy,12", "name, phone")
    assert named == pytest.approx(found("Ada Abernathy,12", "name, phone"), abs=0.01)
    assert named > found(rows, "name, phone") + 0.1
    assert named > found(f"{rows}\nAda Abernathy,12", None) + 0.1


def test_a_document_among_code_is_as_near_as_its_nearest_paragraph() -> None:
    said = "## Where a server is down\n\nThe client tries the next one.\n"
    beside = "\nThe licence is free of charge, and so is the paint of each of the garden's chairs.\n" * 8
    guide = Document("a.md", "0" * 64, 10, 0, "markdown")
    code = hits_of([1.0] * 9)

    def found(text: str) -> float:
        return likeness(QUESTION, [Hit(guide, Chunk(Span(0, 4, 1, 1), text), 1.0), *code])

    assert found(said + beside) > found(beside) + 0.2
    assert found(said + beside) == pytest.approx(found(said), abs=0.1)


def test_few_everyday_words_that_stand_nowhere_refuse_nothing_that_is_near() -> None:
    scores = [2.0, *[-0.6] * 9]
    assert doubt_of(QUESTION, hits_of(scores, "markdown"), (), 0.4, alike=0.5).refuses is False
    assert doubt_of(QUESTION, hits_of(scores, "markdown"), (), 0.4, alike=0.2).refuses is True


@pytest.mark.parametrize(
    ("question", "unknown", "share"),
    [
        ("how do I boil an egg", ["boil", "egg"], 1.0),
        ("how is a session closed", [], 0.0),
        ("which session uses zstd", ["zstd"], 0.5),
        ("how do I", [], 0.0),
    ],
)
def test_the_share_of_words_that_stand_nowhere(question: str, unknown: list[str], share: float) -> None:
    assert share_unknown(question, [UnknownWord(word) for word in unknown]) == pytest.approx(share)
    assert share_unknown(question, [UnknownWord(word, ("near",)) for word in unknown]) == 0


def unsaid(question: str, text: str) -> float:
    document = Document("a.md", "0" * 64, 10, 0, "markdown")
    counts = TermCounts(100, (100,), dict.fromkeys(terms_of_words(question), (4,)))
    return share_uncovered(question, [Hit(document, Chunk(Span(0, 4, 1, 1), text), 1.0)], [counts])


def test_a_word_that_a_hit_says_nothing_near_to_is_left_unsaid() -> None:
    text = "A message of the harbour is sent at noon."
    assert unsaid("how are messages of the harbour sent", text) == 0
    missed = unsaid("how are messages of the harbour compressed", text)
    near = unsaid("how are messages of the harbour transmitted", text)
    assert 0 < near < missed < 0.34
    assert unsaid("how are messages compressed", text) > missed


def test_in_another_language_nothing_counts_as_unsaid() -> None:
    text = "A message of the harbour is sent at noon."
    assert unsaid("¿cómo se envían los mensajes del puerto?", text) == unsaid("", text) == unsaid("how do I", text)


def payload_hits(text: str) -> list[Hit]:
    document = Document("queue/job.py", "0" * 64, 10, 0, "python")
    texts = ["class Job keeps the payload.", "The worker reads the payload.", *["A job runs."] * 7, text]
    return [Hit(document, Chunk(Span(0, 4, 1, 1), one), 4.0) for one in texts]


def missing(question: str, text: str = "A job ends.", **frequencies: int) -> tuple[str, ...]:
    asked = {term: (frequencies.get(term, 20),) for term in terms_of_words(question)}
    return missing_words(question, payload_hits(text), [TermCounts(1000, (9000,), asked)])


def test_what_a_question_is_about_is_missing_where_no_hit_mentions_it() -> None:
    assert missing("Where is the payload encrypted?", encrypt=0) == ("encrypted",)
    assert missing("Where is the payload encrypted?", "An encrypted job.", encrypt=1) == ()
    assert missing("Where is the payload encrypted?", encrypt=10) == ("encrypted",)
    # Where more than a hundredth of the chunks mention it, another passage may answer.
    assert missing("Where is the payload encrypted?", encrypt=11) == ()
    assert missing_words("Where is the payload encrypted?", [], []) == ()


def test_a_longer_word_mentions_the_word_within_it() -> None:
    first, *others = payload_hits("A job ends.")
    hits = [Hit(first.document, Chunk(Span(0, 4, 1, 1), "autoresizingMask = unencryptedly"), 4.0), *others]
    counts = [TermCounts(1000, (9000,), dict.fromkeys(("resiz", "encrypt", "compress"), (0,)))]
    assert missing_words("Where is the payload encrypted?", others, counts) == ("encrypted",)
    assert missing_words("Where is the payload encrypted?", hits, counts) == ()
    assert missing_words("Where is the payload resizing?", hits, counts) == ()
    assert missing_words("Where is the payload compressed?", hits, counts) == ("compressed",)


def test_what_makes_up_little_of_a_question_or_says_little_is_not_missing() -> None:
    question = "After an upgrade the worker of another tenant reads my encrypted payload twice, who schedules its job?"
    assert missing(question, encrypt=0) == ()
    assert missing("Where is the payload kept?", keep=0) == ()
    assert missing("Where is the payload computed?", comput=0) == ()
    assert missing("How are payloads managed?", manag=0) == ()
    assert missing("Where does payload 2147483647 end?", **{"2147483647": 0}) == ()


def test_a_translated_word_is_missing_only_if_nothing_that_it_may_mean_is_mentioned() -> None:
    english = "where message print output version encrypt encryption"

    def lacking(text: str, sought: str = english, **frequencies: int) -> tuple[str, ...]:
        asked = {term: (frequencies.get(term, 0),) for term in terms_of_words(sought)}
        original = "Wo wird die Ausgabe der Nachricht verschlüsselt?"
        return missing_words(sought, payload_hits(text), [TermCounts(1000, (9000,), asked)], original)

    common = {"messag": 20, "output": 20}
    assert lacking("A job ends.", **common) == ("encrypt",)
    assert lacking("A job with its encryption.", **common) == ()
    assert lacking("A job ends.", **common, encrypt=11) == ()
    # Where documents of its own language are searched as well, its English words need not be mentioned.
    assert lacking("A job ends.", f"Wo wird die Ausgabe der Nachricht verschlüsselt?\n{english}", **common) == ()


@pytest.mark.parametrize(
    "question", ["Wo wird der Payload verschlüsselt?", "queue/encrypted.py", "où est le payload encrypted ?"]
)
def test_words_of_other_languages_and_paths_are_not_missing(question: str) -> None:
    assert missing(question, **dict.fromkeys(terms_of_words(question), 0)) == ()


def test_a_word_is_not_missing_where_one_of_the_best_hits_has_a_synonym() -> None:
    question = "Which telephone gets the payload?"
    counts = [TermCounts(1000, (9000,), {"telephon": (0,), "payload": (20,), "get": (20,)})]
    hits = payload_hits("the phone of a job")
    assert missing_words(question, hits, counts) == ("telephone",)
    assert missing_words(question, [hits[-1], *hits[:-1]], counts) == ()


def test_a_missing_word_speaks_against_an_answer() -> None:
    question, hits = "Where is the payload encrypted?", payload_hits("A job ends.")

    def found(frequency: int) -> Doubt:
        counts = TermCounts(1000, (9000,), {"payload": (20,), "encrypt": (frequency,)})
        return doubt_about(question, hits, (), (), [counts])

    lacking, present = found(0), found(11)
    assert (lacking.missing, present.missing) == (("encrypted",), ())
    assert lacking.worth is not None
    assert present.worth is not None
    assert lacking.worth < present.worth - 3
    assert doubt_about(question, hits[:9], (), (), [TermCounts(9, (90,), {})]) == Doubt()


@pytest.mark.parametrize(
    ("question", "text", "refuses"),
    [
        ("payload", "class Job keeps its payloads.", False),
        ("How many payloads?", "class Job keeps the payload.", False),
        ("where is the payload?", "class Job runs.", True),
        ("payload size", "class Job keeps the payload.", True),
        ("where does it first keep the payload?", "class Job keeps the payload.", True),
        ("is it Payload2?", "class Job keeps the payload.", True),
    ],
)
def test_a_short_question_of_one_word_is_answered_by_a_hit_that_says_it(
    question: str, text: str, refuses: bool
) -> None:
    document = Document("queue/job.py", "0" * 64, 10, 0, "python")
    hits = [Hit(document, Chunk(Span(0, 4, 1, 1), text), 0.5)] * 10
    counts = TermCounts(1000, (9000,), dict.fromkeys(terms_of_words(question), (20,)))
    names = ("Payload2",) if "Payload2" in question else ()
    found = doubt_about(question, hits, names, (), [counts])
    assert found.refuses == refuses
    assert found.is_unsure == (not refuses)


@pytest.mark.parametrize(("language", "counts"), [("markdown", True), ("python", False)])
def test_what_the_first_hit_of_prose_leaves_unsaid_speaks_against_it(language: str, counts: bool) -> None:
    scores = [2.0, *[-0.6] * 9]
    few, many = (doubt_of(QUESTION, hits_of(scores, language), (), alike=0.4, uncovered=share) for share in (0.05, 0.4))
    assert few.worth is not None
    assert many.worth is not None
    assert (few.worth > many.worth) == counts
    assert (few.refuses, many.refuses) == ((False, True) if counts else (few.refuses, few.refuses))


def test_what_is_translated_is_still_asked_in_another_language() -> None:
    english, other = (
        doubt_of(QUESTION, hits_of([6.0, *[4.5] * 9]), ("Till",), 0.5, alike=0.4, translated=translated)
        for translated in (False, True)
    )
    assert other.names == ()
    assert (english.worth or 0) < (other.worth or 0)


@given(SCORES, st.sampled_from(["Mailgun", "PostgreSQL", "HTTP/3", "PDF"]))
def test_whatever_is_found_is_of_something_else_where_a_name_stands_nowhere(scores: list[float], name: str) -> None:
    found = doubt_of(QUESTION, hits_of([100.0, *scores[1:]]), (name,), alike=1.0)
    assert found.refuses is True
    assert found.names == (name,)


@pytest.mark.parametrize("value", ["500ms", "lib/common.sh", "0x7fa2.left", "AA12"])
def test_a_value_in_a_message_may_be_of_another_machine(value: str) -> None:
    assert doubt_of(QUESTION, hits_of([12.0, *[4.0] * 9]), (value,), alike=0.6).refuses is False


@pytest.mark.parametrize("name", ["GraphQL", "insert_all", "HTTP/3"])
def test_a_name_that_is_no_word_tells_in_any_language(name: str) -> None:
    found = doubt_of(f"wie geht das mit {name}?", hits_of([12.0, *[7.0] * 9]), (name, "Till"), alike=0.4)
    assert found.names == (name,)
    assert found.refuses is True


def test_what_stands_out_is_an_answer_and_what_does_not_is_none() -> None:
    assert doubt_of(QUESTION, hits_of([12.0, *[7.0] * 9]), (), alike=0.4).refuses is False
    assert doubt_of(QUESTION, hits_of([4.0, *[3.7] * 9]), (), alike=0.4).refuses is True
    # A certain place is one, however the rest is scored.
    assert doubt_of("failover", hits_of([106.0, *[105.0] * 9]), (), alike=0.4).refuses is False


def test_what_is_hardly_an_answer_is_given_unsurely() -> None:
    doubts = [doubt_of(QUESTION, hits_of([first, *[first - 0.8] * 9]), (), alike=0.4) for first in (4.0, 7.0, 12.0)]
    assert [(doubt.refuses, doubt.is_unsure) for doubt in doubts] == [(True, False), (False, True), (False, False)]


def test_of_few_hits_only_names_tell() -> None:
    assert doubt_of(QUESTION, hits_of([1.0, 1.0]), (), alike=0.4) == Doubt()
    assert doubt_of(QUESTION, hits_of([1.0, 1.0]), ("Kafka",), alike=0.4).refuses is True
    assert doubt_of(QUESTION, [], (), alike=0.4).refuses is None


@pytest.mark.parametrize(
    "question",
    [
        "Traceback (most recent call last):\n  File 'till.py', line 3, in Till\nKeyError: 'Till'",
        "wie wird der Till gemacht?",
        "où est le Till ?",
    ],
)
def test_names_in_messages_and_other_languages_tell_nothing(question: str) -> None:
    assert doubt_of(question, hits_of([12.0, *[7.0] * 9]), ("Till",), alike=0.4).names == ()


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("How do people change the depth?", ("depth",)),
        ("Is it possible to turn the wheel?", ("wheel",)),
        ("Does it support changing?", ("support", "chang")),
    ],
)
def test_words_with_which_people_ask_for_anything_say_nothing_beside_others(
    question: str, terms: tuple[str, ...]
) -> None:
    assert terms_of_words(question) == terms
