"""Tuning on made corpora: one whose headings and texts have words of their own, and one that cannot be tuned."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import numpy as np
import pytest

from quaestor import Index
from quaestor.assemble import index_folder
from quaestor.core.config import Settings
from quaestor.core.errors import LimitError, UsageError
from quaestor.embedding.static import StaticEmbedder
from quaestor.embedding.tuned_embedder import TunedRows
from quaestor.evaluation.made_questions import texts_of
from quaestor.evaluation.metrics import Question
from quaestor.tuning.learn_rows import learn_rows, pairs_of, rows_to_keep
from quaestor.tuning.tune_embedder import ScoredQuestion, TuningResult, Values, figures_object, rows_of, tune
from quaestor.tuning.tuning_bench import PARTS, Bench, Clock, _split_questions, ground_of, part_of

# What headings call by one word, texts call by another: nobody knows who has not read the corpus.
ASKED = "harbour lantern orchard granite thimble sparrow cavern trumpet velvet glacier compass saddle".split()
ASKED += "anvil basket candle dolphin ember fossil girdle".split()
SAID = "invoice kernel mutex schema packet lexer socket daemon bitmap cursor heap quorum".split()
SAID += "token thread buffer stack opcode vertex shader".split()


def lay_out(root: Path, documents: int) -> Path:
    root.mkdir()
    chance = random.Random(3)
    pairs = list(itertools.combinations(range(len(ASKED)), 2))
    chance.shuffle(pairs)
    for number, (one, other) in enumerate(pairs[:documents]):
        filler = " ".join(chance.choices("the rest of it was done as before and nobody minded at all".split(), k=20))
        body = f"It is always the {SAID[one]} first.\nThen comes the {SAID[other]}, with a {SAID[one]} beside it.\n"
        text = f"# About {ASKED[one]} and {ASKED[other]}\n\n{body}{body}\n{filler}.\n{filler}.\n"
        (root / f"note{number}.md").write_text(text)
    return root


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Settings]:
    place = tmp_path_factory.mktemp("strange")
    return lay_out(place / "corpus", 160), Settings(home=str(place / "home"))


def test_a_corpus_with_words_of_its_own_is_tuned_and_left_alone(strange: tuple[Path, Settings]) -> None:
    root, settings = strange
    seen: list[tuple[int, int, str]] = []
    with Index.build(root, settings=settings) as index:
        before = (index.store.generation(), index.embedder.name)
        tuned = tune(index, settings, most=80, seconds=600, progress=lambda *state: seen.append(state))
        again = tune(index, settings, most=80, seconds=600)
        assert (index.store.generation(), index.embedder.name) == before
    assert tuned.better
    assert tuned.replaced.embedder().name == again.replaced.embedder().name, "the same seed, the same embedder"
    rows = rows_of(tuned)
    for documents in ("learned", "new"):
        whole = next(row for row in rows if row.documents == documents)
        assert whole.gain.estimate.low > 0 and whole.questions == len(tuned.questions)
    assert whole.gain.estimate.mean == pytest.approx(whole.after.mean - whole.before.mean)
    figures = figures_object(tuned)
    assert figures["better"] and len(rows) == 4 + 2 * len({one.question.category for one in tuned.questions})
    assert seen[-1][0] == seen[-1][1] and all(done <= total for done, total, _ in seen[1:])
    assert not list(index_folder(root, settings).glob("tuned-*"))


def test_no_text_of_a_part_is_learned_from_when_it_is_asked_about(
    strange: tuple[Path, Settings], tmp_path: Path
) -> None:
    root, settings = strange
    with (
        Index.build(root, settings=settings) as index,
        ground_of(index, settings, tmp_path, most=80, seed=0) as ground,
    ):
        assert {part_of(path) for path in ground.texts} == set(range(PARTS))
        assert sum(len(ground.questions_of(part)) for part in range(PARTS)) == len(ground.questions)
        bench = Bench(ground, 0, Clock(600, lambda done, total, doing: None))
        asked = {question.text for question in ground.questions}
        assert not asked & {pair.query for pair in bench.pairs(range(PARTS), ground.taught)}
        for part in range(PARTS):
            held = {path for path in ground.texts if part_of(path) == part}
            pairs = bench.pairs(set(range(PARTS)) - {part}, (*ground.questions, *ground.taught))
            assert pairs and not held & {pair.path for pair in pairs}
            for question in ground.questions_of(part):
                assert {target.path for target in question.targets} <= held
                assert question.text not in {pair.query for pair in pairs}
                (text,) = (ground.copy.read(target.path) for target in question.targets)
                assert text is not None and question.text.encode() not in text, "its answer does not hold the question"


def test_words_that_the_corpus_has_not_stay_as_they_were(strange: tuple[Path, Settings]) -> None:
    root, settings = strange
    with Index.build(root, settings=settings) as index:
        pairs = pairs_of(texts_of(index).values(), 0)
    rows, vectors = learn_rows(pairs, 0)
    tuned, bundled = rows_to_keep(rows, vectors, 1.0).embedder(), StaticEmbedder.bundled()
    assert np.array_equal(tuned.encode(["unrelated zebra"]), bundled.encode(["unrelated zebra"]))
    assert not np.allclose(tuned.encode(["harbour"]), bundled.encode(["harbour"]), atol=0.01)
    apart = (
        rows_to_keep(rows, vectors, 0.0).embedder().encode(["harbour lantern"]) @ bundled.encode(["harbour lantern"]).T
    )
    assert apart[0, 0] > 0.999, "nothing of the way is nowhere"


def test_what_is_too_small_is_told_so(tmp_path: Path) -> None:
    root, settings = lay_out(tmp_path / "small", 9), Settings(home=str(tmp_path / "home"))
    with Index.build(root, settings=settings) as index:
        with pytest.raises(UsageError, match=r"too small to tune: 9 documents gave .* 80 are needed"):
            tune(index, settings)
        assert index.store.generation() == 1


def test_one_document_is_no_documents(tmp_path: Path) -> None:
    root, settings = lay_out(tmp_path / "one", 1), Settings(home=str(tmp_path / "home"))
    with (
        Index.build(root, settings=settings) as index,
        pytest.raises(UsageError, match="too small to tune: 1 document gave "),
    ):
        tune(index, settings)


def test_time_that_is_up_ends_it(strange: tuple[Path, Settings]) -> None:
    root, settings = strange
    with Index.build(root, settings=settings) as index, pytest.raises(LimitError, match="nothing was changed"):
        tune(index, settings, most=80, seconds=0.001)


GAINS = [0.1, 0.12, 0.08, 0.11] * 20  # beyond chance
HARDLY = [0.9, -0.8] * 40  # better on average, and as likely by chance
NONE = [0.0] * 80
LOSES = [-0.01] * 80


def outcome(*, dense: list[float], new: list[float], learned: list[float], prose: bool) -> TuningResult:
    """Return a tuning whose questions gained so much."""
    rows = TunedRows(np.zeros(0, np.int32), np.zeros((0, 1), np.int8), np.zeros(0, np.float32))
    asked = tuple(
        ScoredQuestion(Question(str(number), "?", ()), Values(0.0, of_new, of_learned), Values(0.0, alone, alone))
        for number, (alone, of_new, of_learned) in enumerate(zip(dense, new, learned, strict=True))
    )
    return TuningResult(asked, (1.0, 1.0), 1.0, rows, pairs=64, documents=80, sampled=0, prose=prose, seconds=1.0)


@pytest.mark.parametrize("prose", [True, False])
def test_what_is_kept_gains_by_vectors_and_as_a_whole(prose: bool) -> None:
    assert outcome(dense=GAINS, new=GAINS, learned=GAINS, prose=prose).better
    assert outcome(dense=GAINS, new=GAINS, learned=HARDLY, prose=prose).better
    assert outcome(dense=GAINS, new=HARDLY, learned=GAINS, prose=prose).better is prose, "of code, beyond chance"
    for dense in (HARDLY, NONE, LOSES):
        assert not outcome(dense=dense, new=GAINS, learned=GAINS, prose=prose).better
    for worse in (NONE, LOSES):
        assert not outcome(dense=GAINS, new=worse, learned=GAINS, prose=prose).better
        assert not outcome(dense=GAINS, new=GAINS, learned=worse, prose=prose).better


def test_every_kind_is_asked_as_often_as_can_be() -> None:
    made = [
        Question(f"{kind}{number}", "?", (), kind) for kind, count in (("a", 9), ("b", 2)) for number in range(count)
    ]
    asked, taught = _split_questions(made, 6)
    assert sorted(question.id for question in asked) == ["a0", "a1", "a2", "a3", "b0", "b1"]
    assert [question.id for question in taught] == ["a4", "a5", "a6", "a7", "a8"]
