"""From pair files to weights and their card, end to end, on a toy corpus."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from missing_packages import run_without
from quaestor.embedding.static import StaticEmbedder
from quaestor.tuning import text_bags as bags
from quaestor.tuning.training_pairs import Pair, write_pairs
from training import card, distil, fit, judge, vocabulary
from training.corpora import Place
from training.heldout import held_out

ASKED = "open close read write send wait join split sort merge".split()
CODED = "fopen fclose fread fwrite emit sleep concat partition order combine".split()


def toy_corpus(folder: Path) -> None:
    """Sixteen repositories whose comments say in one word what their code says in another."""
    folder.mkdir()
    for number in range(16):
        chance = random.Random(number)
        pairs = []
        for _ in range(160):
            chosen = chance.sample(range(10), 3)
            query = " ".join(ASKED[one] for one in chosen)
            text = " ".join([*(CODED[one] for one in chosen), *chance.sample(["foo", "bar", "baz", "qux"], 2)])
            pairs.append(Pair("doc", query, text, "a/b.py", "python"))
        write_pairs(folder / f"me+thing{number}.jsonl.gz", pairs)


def test_training_from_files_learns_what_carries_over_to_other_repositories(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"me/thing{number}" for number in range(16)]
    assert 0 < held_out(names).sum() < 8
    toy_corpus(tmp_path / "pairs")
    places = {name: tmp_path / name for name in ("bags.npz", "start.npz", "vocabulary.txt", "ancestor.txt", "out")}
    places["ancestor.txt"].write_text("read\nwrite\n##er\n", "utf-8")
    common = ["--vocabulary", str(places["vocabulary.txt"])]
    vocabulary.main(
        [
            str(tmp_path / "pairs"),
            "--ancestor",
            str(places["ancestor.txt"]),
            "--out",
            str(places["vocabulary.txt"]),
            "--counts",
            str(tmp_path / "counts.npy"),
        ]
    )
    bags.main([str(tmp_path / "pairs"), *common, "--out", str(places["bags.npz"])])
    rows = len(places["vocabulary.txt"].read_text("utf-8").split("\n"))
    table = np.random.default_rng(0).normal(size=(rows, 16)).astype(np.float32)
    np.savez(places["start.npz"], table=table, weights=distil.first_weights(np.load(tmp_path / "counts.npy")))
    small = fit.Recipe(batch=64, vector_rate=0.05, epochs=6, path_share=0.0)
    pairs = bags.load(places["bags.npz"])
    before = fit.read_start(places["start.npz"])
    out = held_out(pairs.names)
    judges = fit.samples(pairs, out)
    trained = fit.fit(fit.training_part(pairs, out, {}), before, small)
    assert fit.reciprocal_ranks(judges, trained)["all"] > fit.reciprocal_ranks(judges, before.table())["all"] + 0.2
    fit.main(
        [
            "--bags",
            str(places["bags.npz"]),
            "--start",
            str(places["start.npz"]),
            *common,
            "--member",
            "8:0:0.01",
            "--out",
            str(places["out"]),
        ]
    )
    assert StaticEmbedder.load(places["out"]).name in capsys.readouterr().out


def test_repeated_kinds_are_seen_more_often(tmp_path: Path) -> None:
    toy_corpus(tmp_path / "pairs")
    (tmp_path / "vocabulary.txt").write_text("\n".join([*ASKED, *CODED, *(f"[{n}]" for n in range(256))]), "utf-8")
    pairs = bags.bag_files(sorted((tmp_path / "pairs").glob("*.gz")), tmp_path / "vocabulary.txt", 1)
    nothing = np.zeros(len(pairs.names), bool)
    assert len(fit.training_part(pairs, nothing, {"doc": 3})) == 3 * len(pairs)
    assert len(fit.training_part(pairs, nothing, {"me/thing1": 2})) == len(pairs) * 23 // 16
    assert len(fit.training_part(pairs, ~nothing, {})) == 0


def test_a_card_lists_the_sources(tmp_path: Path) -> None:
    folder = tmp_path / "weights"
    folder.mkdir()
    np.save(folder / "table.npy", np.ones((1, 2), np.int8))
    np.save(folder / "scales.npy", np.ones(1, np.float32))
    (folder / "vocabulary.txt").write_text("a", "utf-8")
    (folder / "model.json").write_text(json.dumps({"name": "toy-2", "hashed": 0}), "utf-8")
    (tmp_path / "sources.tsv").write_text("me/b\tabc\tMIT\t7\t9\nme/a\tdef\tISC\t5\t9\n", "utf-8")
    (tmp_path / "about.md").write_text("It is a toy.", "utf-8")
    card.main(
        ["--sources", str(tmp_path / "sources.tsv"), "--about", str(tmp_path / "about.md"), "--embedder", str(folder)]
    )
    text = (folder / "card.md").read_text("utf-8")
    assert text.startswith("# toy-2\n")
    assert "It is a toy." in text
    assert "12 pairs of 2 repositories" in text
    assert text.index("me/a | def | ISC") < text.index("me/b | abc | MIT")


def test_distilling_without_its_extra_says_so(tmp_path: Path) -> None:
    code = """
from quaestor.core.errors import UsageError
from training import distil
try:
    distil.embed_rows(["a"])
except UsageError as error:
    print(error)
"""
    assert "'torch': install the extra `quaestor[training]`" in run_without("torch", tmp_path / "packages", code)


def test_projection_keeps_the_strongest_directions() -> None:
    chance = np.random.default_rng(0)
    vectors = (chance.normal(size=(200, 6)) * [9, 8, 0.1, 0.1, 0.1, 0.1]).astype(np.float32)
    table = distil.project(vectors, 2)
    assert table.shape == (200, 2)
    assert np.linalg.norm(table, axis=1).mean() == pytest.approx(1, abs=1e-5)
    assert np.corrcoef(np.linalg.norm(table, axis=1), np.linalg.norm(vectors - vectors.mean(0), axis=1))[0, 1] > 0.99


def test_rare_rows_weigh_more() -> None:
    weights = distil.first_weights(np.array([1e6, 10.0, 0.0]))
    assert weights[0] < weights[1] < weights[2] == 0


def test_judging_reads_the_figures_as_defined() -> None:
    found = [Place("src/a.py", 1, 9), Place("src/b.py", 1, 9), Place("src/b.py", 10, 20)]
    assert judge.ndcg(found, [Place("a.py", 0, 0)]) == 1
    assert judge.ndcg(found, [Place("src/b.py", 15, 16)]) == pytest.approx(0.5)
    assert judge.ndcg(found, [Place("c.py", 0, 0)]) == 0
    assert judge.recall(found, [Place("a.py", 5, 6), Place("c.py", 1, 2)]) == (0.0, 1.0)
    assert not Place("ba.py", 1, 9).covers(Place("a.py", 0, 0))
