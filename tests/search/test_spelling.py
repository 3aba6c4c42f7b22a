"""Words of a query that stand nowhere in a corpus, and the nearest that do."""

from __future__ import annotations

import random
from collections.abc import Iterator
from difflib import get_close_matches
from string import ascii_lowercase

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from quaestor import Index
from quaestor.core.config import Settings
from quaestor.core.terms import STOP_WORDS, terms_of_word
from quaestor.embedding.static import StaticEmbedder
from quaestor.search.query import read_query
from quaestor.search.spelling import (
    UnknownWord,
    atlantic_spellings,
    correct_spelling,
    replace_unknown,
    similar_words,
    slips,
)

_SEED = 15
_WORDS = 120


@pytest.fixture(scope="module")
def words() -> list[str]:
    """Random words of English, no two of one stem."""
    chosen = random.Random(_SEED).sample(
        [one for one in StaticEmbedder.bundled().words if 8 <= len(one) <= 12 and one.isascii() and one.isalpha()],
        _WORDS,
    )
    return list({terms_of_word(word): word for word in chosen if word not in STOP_WORDS}.values())


@pytest.fixture(scope="module")
def names(words: list[str]) -> list[str]:
    """Random identifiers, each of two of the words."""
    return [f"{one}_{other}" for one, other in zip(words[::2], words[1::2], strict=False)]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, words: list[str], names: list[str]) -> Iterator[Index]:
    place = tmp_path_factory.mktemp("spelling")
    (place / "corpus").mkdir()
    for number, word in enumerate(words):
        (place / "corpus" / f"{number}.md").write_text(f"# {number}\n\nIt was {word} at the time, they said.\n")
    for number, name in enumerate(names):
        (place / "corpus" / f"m{number}.py").write_text(f"def {name}():\n    return {number}\n")
    (place / "corpus" / "failover.py").write_text(
        "def failover(server):\n    return server.serialize()\n\n\nclass Mockito:\n    colors = 1\n\n\nserverPool = 1\n"
    )
    with Index.build(place / "corpus", settings=Settings(home=str(place / "home"))) as index:
        yield index


def edited(word: str, at: int, letter: str, kind: str) -> str:
    """Return a word with one slip behind its first letter."""
    at = 1 + at % (len(word) - 1)
    if kind == "left out":
        return word[:at] + word[at + 1 :]
    if kind == "too much":
        return word[:at] + letter + word[at:]
    if kind == "wrong":
        return word[:at] + letter + word[at + 1 :]
    at = max(at, 2)
    return word[: at - 1] + word[at : at + 1] + word[at - 1] + word[at + 1 :]


EDITS = {
    "at": st.integers(0, 40),
    "letter": st.sampled_from(ascii_lowercase),
    "kind": st.sampled_from(["left out", "too much", "wrong", "swapped"]),
}
PROPERTY = settings(
    max_examples=2 * settings.default.max_examples,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@PROPERTY
@given(number=st.integers(0, 10_000), **EDITS)
def test_a_word_with_one_slip_finds_its_place(
    index: Index, words: list[str], number: int, at: int, letter: str, kind: str
) -> None:
    word = words[number % len(words)]
    slip = edited(word, at, letter, kind)
    [term] = terms_of_word(word)
    # A slip that is itself a word of English is left as it is; so is one that only makes a plural of the word.
    assume(len(StaticEmbedder.bundled().pieces.rows(slip)) > 1 and slip.removesuffix("s") != word)
    assume(
        not any(slip.endswith(end) or slip.startswith(begin) for end in ("s", "er", "est") for begin in ("re", "un"))
    )
    assume(not index.store.frequencies(terms_of_word(slip))[terms_of_word(slip)[0]])
    hits, asked = index.find(f"what was {slip} at the time", 5)
    [unknown] = asked.unknown
    assert unknown.word == slip
    assert term in {terms_of_word(one)[0] for one in unknown.nearest}
    if terms_of_word(unknown.nearest[0])[0] == term:
        assert word in hits[0].text or any(word in hit.text for hit in hits)


@PROPERTY
@given(number=st.integers(0, 10_000), **EDITS)
def test_an_identifier_with_one_slip_finds_its_definition(
    index: Index, names: list[str], number: int, at: int, letter: str, kind: str
) -> None:
    name = names[number % len(names)]
    slip = edited(name, at, letter, kind)
    assume(slip.strip("_") not in names and slip not in {name, f"{name}s"})
    # Without its underscore it is one long word.
    assume("_" in slip.strip("_"))
    hits, asked = index.find(slip, 3)
    assert [one.nearest for one in asked.unknown] == [(name,)]
    assert hits[0].symbol == name


@PROPERTY
@given(chosen=st.lists(st.integers(0, 10_000), min_size=1, max_size=8))
def test_a_query_of_words_that_stand_is_searched_as_it_is(index: Index, words: list[str], chosen: list[int]) -> None:
    text = " ".join(words[number % len(words)] for number in chosen)
    assert correct_spelling(index.store, read_query(text)) == (text, (), False)


@pytest.mark.parametrize(
    ("query", "unknown"),
    [
        ("how does failver work", [("failver", ("failover",)), ("work", ())]),
        ("failver", [("failver", ("failover",))]),
        ("how does `failver` serialise", [("failver", ("failover",)), ("serialise", ("serialize",))]),
        # In code, in quotes and for what has a capital only a name will do; numbers and what English has are kept.
        ("does `srever` exist", [("srever", ()), ("exist", ())]),
        ("Is it done by Srever 4711?", [("Srever", ()), ("4711", ())]),
        ("Is it done by Mokito?", [("Mokito", ("Mockito",))]),
        ("a founder of the failover", [("founder", ())]),
        # Other languages are let be, and so is what was pasted.
        ("wie wird der failver gemacht", []),
        ("où est le failver", []),
        ("failver " * 61, []),
        ("Traceback (most recent call last):\n  File 'x.py', line 3, in failver", []),
    ],
)
def test_what_stands_nowhere_is_named(index: Index, query: str, unknown: list[tuple[str, tuple[str, ...]]]) -> None:
    assert [tuple(one) for one in correct_spelling(index.store, read_query(query)).unknown] == unknown


def test_a_query_of_which_nothing_stands_finds_nothing(index: Index) -> None:
    hits, asked = index.find("zxqwvk blorptang")
    assert list(hits) == []
    assert [one.word for one in asked.unknown] == ["zxqwvk", "blorptang"]
    assert index.find("zxqwvk failover")[0][0].path == "failover.py"
    assert index.find("zxqwvk failver")[0][0].path == "failover.py"
    # A filter does not make a word unknown.
    assert index.find("???")[1].unknown == ()


def test_a_query_is_read_anew_when_the_index_changes(tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("changing")
    (place / "corpus").mkdir()
    (place / "corpus" / "a.md").write_text("# Failover\n\nA failover is done.\n")
    with Index.build(place / "corpus", settings=Settings(home=str(place / "home"))) as index:
        assert [one.nearest for one in index.find("failver")[1].unknown] == [("failover",)]
        (place / "corpus" / "b.md").write_text("# Failver\n\nAnother thing, a failver.\n")
        hits, asked = index.find("failver")
        assert (asked.unknown, hits[0].path) == ((), "b.md")


def test_words_are_mended_where_they_stand() -> None:
    unknown = [UnknownWord("failver", ("failover",))]
    assert replace_unknown("is failver_x failver?", unknown) == "is failver_x failover?"


@pytest.mark.parametrize(
    ("query", "unknown"),
    [
        # What is surely a word of English is taken for it, though the corpus has neither; what may be two words is not.
        ("what is the diffrence to a failover", [("diffrence", ("difference",))]),
        ("wich failover recieves", [("wich", ("which",)), ("recieves", ("receives",))]),
        ("which oldwr failover", [("oldwr", ("older",))]),
        ("a wating failover", [("wating", ())]),
        ("is a failover by kubernetes or by traefik", [("kubernetes", ()), ("traefik", ())]),
        # A misspelt part of a name is mended by the words that stand here.
        ("who throws FailverSeen", [("throws", ()), ("FailverSeen", ("FailoverSeen",))]),
        # A name is written as it stands here.
        ("where is serverPoll", [("serverPoll", ("serverPool",))]),
    ],
)
def test_a_certain_slip_is_mended_though_the_corpus_lacks_the_word(
    index: Index, query: str, unknown: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert [tuple(one) for one in correct_spelling(index.store, read_query(query)).unknown] == unknown


def test_slips_are_near_and_likely_ones_are_worth_more() -> None:
    worth = dict(slips("eror"))
    assert worth["error"] > worth["erosr"]
    assert {"error", "reor", "ero"} <= worth.keys()
    assert "eros" not in worth  # another word
    assert "code" in dict(slips("kode"))
    assert {"serialize"} == set(atlantic_spellings("serialise"))
    assert {"color", "colour"} <= {*atlantic_spellings("colour"), *atlantic_spellings("color")}


@given(
    st.sampled_from([word for word in StaticEmbedder.bundled().words if word.isascii() and word.isalpha()]), st.data()
)
def test_similar_words_are_the_closest_of_all_english_ones(word: str, data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(1, len(word)), max_size=2))
    for place in places:
        word = word[:place] + data.draw(st.sampled_from(ascii_lowercase)) + word[place + 1 :]
    near = [one for one in StaticEmbedder.bundled().words if one[0] == word[0] and abs(len(one) - len(word)) <= 2]
    assert list(similar_words(word)) == get_close_matches(word, filter(str.isalpha, near), n=3, cutoff=0.82)
