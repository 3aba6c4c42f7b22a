"""The learned ranker: its weights fit the features, its shares add up, and no file floods the list."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.errors import IndexUnusableError
from quaestor.passages import Chunk, Document, Span
from quaestor.retrieval.features import FEATURES, Candidates, compute_features
from quaestor.retrieval.file_features import group_by_file
from quaestor.retrieval.query import read_query
from quaestor.retrieval.ranker import Group, Matrix, Ranker, group_of, spread
from quaestor.stores import StoredChunk


class Candidate(NamedTuple):
    stored: StoredChunk
    lexical: float
    dense: float
    body: float = 0.0


def together(terms: Sequence[str], *found: Candidate) -> Candidates:
    chunks, *scores = zip(*found, strict=True) if found else ((), (), (), ())
    arrays = (np.array(own, np.float32) for own in scores)
    return Candidates(chunks, *arrays, dict.fromkeys(terms, 1.0), group_by_file(chunks))


def stored(path: str, symbol: str | None = None, defines: tuple[str, ...] = (), number: int = 0) -> StoredChunk:
    document = Document(path, "0" * 64, 100, 0, "python")
    return StoredChunk(number, document, Chunk(Span(0, 10, 1, 2), "text", symbol, "function", (), defines), number)


def features_of(query: str, *candidates: Candidate) -> dict[str, list[float]]:
    read = read_query(query)
    matrix = compute_features(read, together(read.terms, *candidates))
    return {name: matrix[:, column].tolist() for column, name in enumerate(FEATURES)}


def earners(ranker: Ranker, matrix: Matrix, group: Group, paths: Sequence[str]) -> list[int]:
    files = np.array([sorted(set(paths)).index(path) for path in paths], dtype=np.intp)
    return ranker.earners(matrix, ranker.scores(matrix, group), group, files).tolist()


def test_bundled_weights_fit_the_features() -> None:
    ranker = Ranker.bundled()
    assert ranker.of_symbols.shape == ranker.of_texts.shape == (len(FEATURES),)
    assert ranker.decay >= 0


def test_weights_for_other_features_are_refused() -> None:
    groups = ("of_symbols", "of_places", "of_quotes", "of_texts", "of_prose", "of_quoted_prose", "of_places_within")
    weights = {name: [1] for name in groups}
    data = {"name": "x", "features": ["other"], "decay": 0, "prose_decay": 0, **weights}
    with pytest.raises(IndexUnusableError, match="other features"):
        Ranker.from_json(json.dumps(data))


@pytest.mark.parametrize("query", ["HandlerStack", "where do we retry a request"])
def test_shares_add_up_to_the_score(query: str) -> None:
    read = read_query(query)
    candidate = Candidate(stored("a/retry.py", "HandlerStack", ("HandlerStack",)), 3.0, 0.4, 2.0)
    matrix = compute_features(read, together(read.terms, candidate))
    ranker, group = Ranker.bundled(), group_of(read, matrix)
    score = float(ranker.scores(matrix, group)[0])
    assert sum(ranker.shares(matrix, group)[0].values()) == pytest.approx(score, rel=1e-4, abs=1e-4)


def test_a_definition_is_told_from_a_use() -> None:
    definition = Candidate(stored("stack.py", "HandlerStack", ("HandlerStack", "push")), 1.0, 0.1)
    use = Candidate(stored("client.py", "send", ("send",), 1), 2.0, 0.2)
    found = features_of("HandlerStack", definition, use)
    assert found["is_name"] == [1, 0]
    assert found["defines_name"] == [1, 0]
    assert found["query_symbol"] == [1, 1]


def test_the_path_is_read() -> None:
    source = Candidate(stored("src/retry/policy.py"), 1.0, 0.1)
    test = Candidate(stored("tests/test_retry.py", number=1), 1.0, 0.1)
    found = features_of("retry policy", source, test)
    assert found["test"] == [0, 1]
    assert found["stem_coverage"] == [0.5, 0.5]
    assert found["folder_coverage"] == [0.5, 0.0]


def test_a_namesake_further_down_is_shadowed() -> None:
    found = features_of("fields", Candidate(stored("p/fields.py"), 1, 0), Candidate(stored("p/v1/fields.py"), 1, 0))
    assert found["shadowed"] == [0, 1]


def test_no_candidates_give_an_empty_matrix() -> None:
    assert compute_features(read_query("x"), together(())).shape == (0, len(FEATURES))


entries = st.lists(
    st.tuples(st.floats(-50, 50), st.sampled_from("abcd"), st.sampled_from([0.0, 0.5, 4.0])), max_size=40
)


@given(entries, st.integers(1, 20))
def test_spread_is_sorted_and_lowers_only_further_chunks(found: list[tuple[float, str, float]], k: int) -> None:
    scores, paths, decays = [one[0] for one in found], [one[1] for one in found], [one[2] for one in found]
    chosen = spread(scores, paths, decays, k)
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
    shown = [paths[index] for index, _ in spread(scores, paths, [4.0] * 6, 3)]
    assert shown == ["big.py", "other.py", "third.py"]


def test_scores_are_those_of_the_query_kind() -> None:
    row = np.zeros((1, len(FEATURES)), dtype=np.float32)
    row[0, FEATURES.index("is_name")] = 1
    ranker = Ranker.bundled()
    assert ranker.scores(row, "symbol")[0] == pytest.approx(float(ranker.of_symbols[FEATURES.index("is_name")]))
    assert ranker.scores(row, "text")[0] == pytest.approx(float(ranker.of_texts[FEATURES.index("is_name")]))


def test_a_copied_message_is_ranked_as_a_quote() -> None:
    query = read_query("could not open the configuration file 42")
    chunk = Chunk(Span(0, 10, 1, 2), 'raise Failure("Could not open the configuration file %s")', "load", "function")
    holding = Candidate(StoredChunk(0, Document("a.py", "0" * 64, 100, 0, "python"), chunk, 0), 1.0, 0.1)
    matrix = compute_features(query, together(query.terms, holding, Candidate(stored("b.py", number=1), 1.0, 0.1)))
    assert matrix[:, FEATURES.index("phrase")].tolist() == [1, 0]
    assert group_of(query, matrix) == "quote"
    assert group_of(query, matrix[1:]) == "text"


def test_prose_has_weights_of_its_own_and_stands_beside_its_neighbours() -> None:
    page, after = stored("docs/a.md"), stored("docs/a.md", number=1)
    matrix = compute_features(
        read_query("how to retry"), together(["retri"], Candidate(page, 2.0, 0.4), Candidate(after, 1.0, 0.8))
    )
    ranker = Ranker.bundled()
    assert ranker.scores(matrix, "text") == pytest.approx(matrix @ ranker.of_prose)
    assert ranker.scores(matrix, "quote") == pytest.approx(matrix @ ranker.of_quoted_prose)
    assert matrix[:, FEATURES.index("neighbour_dense")].tolist() == pytest.approx([0.8, 0.4])
    assert matrix[:, FEATURES.index("neighbour_lexical")].tolist() == pytest.approx([0.5, 1.0])


def test_words_are_compared_by_meaning_where_most_candidates_are_prose() -> None:
    def page(text: str, number: int) -> Candidate:
        document = Document("docs/a.md", "0" * 64, 100, 0, "markdown")
        chunk = Chunk(Span(0, 10, 1, 2), text, None, "section", (), ())
        return Candidate(StoredChunk(number, document, chunk, number), 1.0, 0.1)

    pages = [page("How images are removed.", 0), page("How invoices are printed.", 1)]
    code = [Candidate(stored(f"{name}.py", number=number), 1.0, 0.1) for number, name in enumerate("abc", 2)]
    assert features_of("deleting pictures", *pages)["likeness"] == [1, 0]
    assert features_of("deleting pictures", *pages, *code[:1])["likeness"] == [1, 0, 0]
    assert features_of("deleting pictures", *pages, *code)["likeness"] == [0] * 5


def test_a_file_stands_by_its_best_chunk_and_shows_what_answers_best_in_it() -> None:
    matrix = np.zeros((3, len(FEATURES)), dtype=np.float32)
    matrix[:, FEATURES.index("first_in_file")] = [1, 0, 0]
    matrix[:, FEATURES.index("dense")] = [0, 1, 0]
    first, dense = (np.array([name == other for other in FEATURES]) for name in ("first_in_file", "dense"))
    ranker = Ranker.bundled()._replace(of_texts=first * 1.0, of_prose=first * 1.0, of_places_within=dense * 1.0)
    assert earners(ranker, matrix, "text", ["a.py", "a.py", "b.py"]) == [1, 0, 2]
    assert earners(ranker, matrix, "text", ["a.py", "b.py", "a.py"]) == [0, 1, 2]
    assert earners(ranker, matrix, "symbol", ["a.py", "a.py", "b.py"]) == [0, 1, 2]
    matrix[:, FEATURES.index("prose")] = 1
    assert earners(ranker, matrix, "text", ["a.md", "a.md", "b.md"]) == [0, 1, 2]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.floats(-9, 9), st.floats(-9, 9)), max_size=12))
def test_every_score_of_a_file_is_earned_once(rows: list[tuple[str, bool, float, float]]) -> None:
    matrix = np.zeros((len(rows), len(FEATURES)), dtype=np.float32)
    for name, column in (("prose", 1), ("lexical", 2), ("dense", 3)):
        matrix[:, FEATURES.index(name)] = [row[column] for row in rows]
    paths = [row[0] for row in rows]
    found = earners(Ranker.bundled(), matrix, "text", paths)
    assert sorted(found) == list(range(len(rows)))
    assert [paths[earner] for earner in found] == paths


@pytest.mark.parametrize(("text", "group"), [("how do I set a timeout", "how"), ("where is the timeout set", "text")])
def test_documents_gain_where_somebody_asks_how_to_use_a_thing(text: str, group: str) -> None:
    matrix = np.zeros((2, len(FEATURES)), dtype=np.float32)
    matrix[0, FEATURES.index("prose")] = 1
    assert group_of(read_query(text), matrix) == group
    ranker = Ranker.bundled()._replace(how_to=2.5)
    gained = ranker.scores(matrix, "how") - ranker.scores(matrix, "text")
    assert gained.tolist() == pytest.approx([2.5, 0.0])
    assert ranker.shares(matrix, "how")[0]["prose"] == pytest.approx(float(ranker.scores(matrix, "how")[0]))
