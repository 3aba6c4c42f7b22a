"""The learned ranker: its weights fit the features, its shares add up, and no file floods the list."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.documents import Chunk, Document, Span
from quaestor.core.errors import IndexUnusableError
from quaestor.search.certain_hits import STEP
from quaestor.search.chunk_traits import Traits, fixed_matrix
from quaestor.search.features import FEATURES, Candidates, compute_features
from quaestor.search.file_features import group_by_file
from quaestor.search.query import read_query
from quaestor.search.ranker import Ranker, diversify
from quaestor.search.retriever import rank
from quaestor.stores import StoredChunk


class Candidate(NamedTuple):
    stored: StoredChunk
    lexical: float
    dense: float
    body: float = 0.0


def together(terms: Sequence[str], *found: Candidate) -> Candidates:
    chunks, *scores = zip(*found, strict=True) if found else ((), (), (), ())
    arrays = (np.array(own, np.float32) for own in scores)
    traits = [*map(Traits, chunks)]
    return Candidates(traits, *arrays, dict.fromkeys(terms, 1.0), group_by_file(traits), fixed_matrix(traits))


def stored(path: str, symbol: str | None = None, defines: tuple[str, ...] = (), number: int = 0) -> StoredChunk:
    document = Document(path, "0" * 64, 100, 0, "python")
    return StoredChunk(number, document, Chunk(Span(0, 10, 1, 2), "text", symbol, "function", (), defines), number)


def features_of(query: str, *candidates: Candidate) -> dict[str, list[float]]:
    read = read_query(query)
    matrix = compute_features(read, together(read.terms, *candidates))
    return {name: matrix[:, column].tolist() for column, name in enumerate(FEATURES)}


def test_bundled_weights_fit_the_features() -> None:
    ranker = Ranker.bundled()
    assert ranker.of_code.shape == ranker.of_prose.shape == (len(FEATURES),)
    assert ranker.decay >= 0


def test_no_learned_score_comes_near_a_step() -> None:
    ranker = Ranker.bundled()
    for weights in (ranker.of_code, ranker.of_prose):
        # Features lie between 0 and 1: this is the distance of the best possible score from the worst.
        assert float(np.abs(weights).sum()) < STEP


def test_weights_are_written_as_they_are_read() -> None:
    ranker = Ranker.bundled()
    again = Ranker.from_json(ranker.to_json())
    assert again.name == ranker.name
    assert again.of_code == pytest.approx(ranker.of_code)
    assert again.of_prose == pytest.approx(ranker.of_prose)


def test_weights_for_other_features_are_refused() -> None:
    data = {"name": "x", "features": ["other"], "of_code": [1], "of_prose": [1], "decay": 0}
    with pytest.raises(IndexUnusableError, match="other features"):
        Ranker.from_json(json.dumps(data))


@pytest.mark.parametrize("query", ["HandlerStack", "where do we retry a request"])
def test_shares_add_up_to_the_score(query: str) -> None:
    read = read_query(query)
    candidate = Candidate(stored("a/retry.py", "HandlerStack", ("HandlerStack",)), 3.0, 0.4, 2.0)
    matrix = compute_features(read, together(read.terms, candidate))
    ranker = Ranker.bundled()
    score = float(ranker.scores(matrix)[0])
    assert sum(ranker.shares(matrix)[0].values()) == pytest.approx(score, rel=1e-4, abs=1e-4)


def test_a_definition_is_told_from_a_use() -> None:
    definition = Candidate(stored("stack.py", "HandlerStack", ("HandlerStack", "push")), 1.0, 0.1)
    use = Candidate(stored("client.py", "send", ("send",), 1), 2.0, 0.2)
    found = features_of("HandlerStack", definition, use)
    assert found["symbol_whole"] == [1, 0]
    assert found["qualified"] == [0, 0]
    assert features_of("stack.HandlerStack", definition, use)["qualified"] == [1, 0]


def test_the_path_is_read() -> None:
    source = Candidate(stored("src/retry/policy.py"), 1.0, 0.1)
    test = Candidate(stored("tests/test_retry.py", number=1), 1.0, 0.1)
    found = features_of("retry policy", source, test)
    assert found["test_unasked"] == [0, 1]
    assert features_of("which test retries", source, test)["test_unasked"] == [0, 0]
    assert found["stem_coverage"] == [0.5, 0.5]
    assert found["folder_coverage"] == [0.5, 0.0]


def test_documents_are_told_from_code_where_the_question_does() -> None:
    found = (Candidate(stored("docs/cache.md"), 1.0, 0.1), Candidate(stored("cache.py", number=1), 1.0, 0.1))
    wished, where, how = (
        features_of(text, *found)
        for text in (
            "How can I empty the cache?",
            "Where is the cache emptied?",
            "How is a full cache of rows emptied?",
        )
    )
    assert (wished["prose_sought"], wished["prose_unsought"]) == ([1, 0], [0, 0])
    assert (where["prose_sought"], where["prose_unsought"]) == ([0, 0], [1, 0])
    assert (how["prose_sought"], how["prose_unsought"]) == ([0, 0], [0, 0])


def test_a_namesake_further_down_is_shadowed() -> None:
    found = features_of("fields", Candidate(stored("p/fields.py"), 1, 0), Candidate(stored("p/v1/fields.py"), 1, 0))
    assert found["shadowed"] == [0, 1]


def test_no_candidates_give_an_empty_matrix() -> None:
    assert compute_features(read_query("x"), together(())).shape == (0, len(FEATURES))


entries = st.lists(st.tuples(st.floats(-50, 50), st.sampled_from("abcd")), max_size=40)


@given(entries, st.sampled_from([0.0, 0.5, 4.0]), st.integers(1, 20))
def test_spread_is_sorted_and_lowers_only_further_chunks(found: list[tuple[float, str]], decay: float, k: int) -> None:
    scores, paths = [one[0] for one in found], [one[1] for one in found]
    chosen = diversify(scores, paths, decay, k)
    assert len(chosen) == min(k, len(found))
    assert [score for _, score in chosen] == sorted((score for _, score in chosen), reverse=True)
    for index, score in chosen:
        assert score <= scores[index]
        best = max(value for value, path in zip(scores, paths, strict=True) if path == paths[index])
        if scores[index] == best and paths.count(paths[index]) == 1:
            assert score == scores[index]


def test_a_file_cannot_flood_the_list() -> None:
    scores = [10.0, 9.9, 9.8, 9.7, 8.0, 7.5]
    paths = ["big.py", "big.py", "big.py", "big.py", "other.py", "third.py"]
    shown = [paths[index] for index, _ in diversify(scores, paths, 4.0, 3)]
    assert shown == ["big.py", "other.py", "third.py"]


def test_a_copied_message_is_told_word_by_word() -> None:
    query = read_query("could not open the configuration file 42")
    chunk = Chunk(Span(0, 10, 1, 2), 'raise Failure("Could not open the configuration file %s")', "load", "function")
    holding = Candidate(StoredChunk(0, Document("a.py", "0" * 64, 100, 0, "python"), chunk, 0), 1.0, 0.1)
    matrix = compute_features(query, together(query.terms, holding, Candidate(stored("b.py", number=1), 1.0, 0.1)))
    assert matrix[:, FEATURES.index("phrase")].tolist() == [1, 0]
    assert matrix[:, FEATURES.index("words")].tolist() == pytest.approx([1, 0])


def test_prose_has_weights_of_its_own_and_stands_beside_its_neighbours() -> None:
    page, after = stored("docs/a.md"), stored("docs/a.md", number=1)
    matrix = compute_features(
        read_query("how to retry"), together(["retri"], Candidate(page, 2.0, 0.4), Candidate(after, 1.0, 0.8))
    )
    ranker = Ranker.bundled()
    assert ranker.scores(matrix) == pytest.approx(matrix @ ranker.of_prose)
    assert matrix[:, FEATURES.index("neighbour_lexical")].tolist() == pytest.approx([0.5, 1.0])


def test_words_of_texts_are_compared_by_meaning() -> None:
    def page(text: str, number: int) -> Candidate:
        document = Document("docs/a.md", "0" * 64, 100, 0, "markdown")
        chunk = Chunk(Span(0, 10, 1, 2), text, None, "section", (), ())
        return Candidate(StoredChunk(number, document, chunk, number), 1.0, 0.1)

    pages = [page("How images are removed.", 0), page("How invoices are printed.", 1)]
    assert features_of("deletePictures", *pages)["likeness"] == [0, 0]


def test_a_brief_query_asks_for_a_subject() -> None:
    found = Candidate(stored("src/retry.py"), 1.0, 0.1)
    assert features_of("retry policy", found)["brief_stem_coverage"] == [0.5]
    long = (
        "how is a retry of a request that failed after its third redirect told from another one in logs of old workers"
    )
    assert features_of(long, found)["brief_stem_coverage"] == [0]
    assert features_of(long, found)["stem_coverage"][0] > 0


words = st.sampled_from(
    'retry timeout Client.send send http/client.py test_x vendor "send again" déjà 再送 42 () how'.split()
)

anything = st.lists(
    st.tuples(
        st.sampled_from(["a.py", "b/test_a.py", "docs/c.md", "x/y/z/Client.java", "d.json"]),
        st.sampled_from([None, "send", "Client", "Guide"]),
        st.text(max_size=60),
        st.floats(0, 90),
        st.floats(-1, 1),
    ),
    min_size=1,
    max_size=8,
)


def candidates_of(found: list[tuple[str, str | None, str, float, float]]) -> list[Candidate]:
    candidates = []
    for number, (path, symbol, text, lexical, dense) in enumerate(found):
        document = Document(path, "0" * 64, 10**9, 0, "markdown" if path.endswith(".md") else "python")
        chunk = Chunk(Span(0, 10, 1, 2), text * 500, symbol, "function", (), (symbol,) if symbol else ())
        candidates.append(Candidate(StoredChunk(number, document, chunk, number), lexical, dense, lexical / 2))
    return candidates


@given(st.lists(words, min_size=1, max_size=9), anything)
def test_every_feature_lies_between_0_and_1(
    asked: list[str], found: list[tuple[str, str | None, str, float, float]]
) -> None:
    read = read_query(" ".join(asked))
    matrix = compute_features(read, together(read.terms, *candidates_of(found)))
    outside = {
        name: matrix[:, column].tolist()
        for column, name in enumerate(FEATURES)
        if matrix[:, column].min() < 0 or matrix[:, column].max() > 1 + 1e-5
    }
    assert not outside


@given(st.lists(words, min_size=1, max_size=9), anything, st.sets(st.integers(0, 4)))
def test_background_and_the_rest_have_the_features_that_they_have_alone(
    asked: list[str], found: list[tuple[str, str | None, str, float, float]], background: set[int]
) -> None:
    read, every = read_query(" ".join(asked)), candidates_of(found)
    candidates = together(read.terms, *every)
    behind = np.array([number in background for number in range(len(candidates.files.paths))])
    matrix = compute_features(read, candidates, behind)
    late = behind[candidates.files.owner]
    for part in (late, ~late):
        alone = [one for one, own in zip(every, part.tolist(), strict=True) if own]
        np.testing.assert_allclose(matrix[part], compute_features(read, together(read.terms, *alone)), atol=1e-5)


@pytest.mark.parametrize(("front", "behind", "most"), [(70, 40, (64, 16)), (0, 70, (64, 64)), (70, 0, (64, 64))])
def test_of_what_stands_behind_fewer_are_compared_by_meaning(front: int, behind: int, most: tuple[int, int]) -> None:
    paths = [f"src/a{number}.py" for number in range(front)] + [f"vendor/a{number}.py" for number in range(behind)]
    query = read_query("where is the text read from a file")
    found = [Candidate(stored(path, number=number), 1.0, 0.5) for number, path in enumerate(paths)]
    # What is compared and not the least of its part has a likeness: every tenth chunk says nothing of the question.
    texts = ["cloud" if number % 10 == 9 else "text" for number in range(len(paths))]
    found = [
        one._replace(stored=one.stored._replace(chunk=one.stored.chunk._replace(text=text)))
        for one, text in zip(found, texts, strict=True)
    ]
    late = np.array([number >= front for number in range(len(paths))])
    likeness = compute_features(query, together(query.terms, *found), late)[:, FEATURES.index("likeness")]
    for part, count in zip((slice(0, front), slice(front, None)), most, strict=True):
        said = [text == "text" for text in texts[part]][:count]
        assert np.flatnonzero(likeness[part]).tolist() == np.flatnonzero(said).tolist()


@given(st.integers(1, 3), st.lists(st.sampled_from(["same words " * 3, "others"]), min_size=1, max_size=14))
def test_every_candidate_stands_in_one_hit_however_many_are_compared(k: int, texts: list[str]) -> None:
    long = " ".join(f"word{number}" for number in range(20))
    found = [
        Candidate(stored(f"{at}.py", number=at)._replace(chunk=Chunk(Span(0, 10, 1, 2), text + long)), 20.0 - at, 0.0)
        for at, text in enumerate(texts)
    ]
    candidates = together(["x"], *found)

    def shown(rows: Sequence[int]) -> list[tuple[int, Chunk]]:
        return [(place, candidates.traits[row].stored.chunk) for place, row in enumerate(rows)]

    hits = rank(Ranker.bundled(), read_query("x"), candidates, k, shown)
    assert sorted(row for one in hits for row in (one.row, *one.duplicates)) == list(range(len(texts)))
    assert [one.hit.path for one in hits] == [candidates.files.paths[one.row] for one in hits]
    scores = [one.hit.score for one in hits]
    assert scores == sorted(scores, reverse=True)
