"""The code-search layout gives the very values that the benchmark's own script gives."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHOP = "".join(
    f"def {verb}_{noun}(order):\n    '''{verb} the {noun} of an order.'''\n    return order.{noun}.{verb}(order)\n\n\n"
    for verb in ("send", "cancel", "check", "count", "print")
    for noun in ("parcel", "invoice", "price", "address", "refund")
)
QUESTIONS = [
    {"query": "where are parcels sent", "relevant": ["lib/shop.py"], "category": "semantic"},
    {
        "query": "check_price",
        "relevant": [{"path": "lib/shop.py", "start_line": 61, "end_line": 63}],
        "category": "symbol",
    },
    {
        "query": "how to print addresses",
        "relevant": ["lib/notes.md"],
        "secondary": ["lib/shop.py"],
        "category": "semantic",
    },
    {"query": "paying back", "relevant": ["lib/back.py", "lib/notes.md"], "category": "architecture"},
]


def test_every_question_is_worth_what_the_benchmark_says(tmp_path: Path) -> None:
    lib = tmp_path / "repos" / "shop" / "lib"
    lib.mkdir(parents=True)
    (lib / "shop.py").write_text(SHOP)
    (lib / "back.py").write_text("def pay_back(customer, refund):\n    customer.account += refund\n")
    (lib / "notes.md").write_text(
        "# Notes\n\nAddresses are printed on labels.\n\n## Refunds\n\nWe pay back within a week.\n"
    )
    data = tmp_path / "set"
    (data / "annotations").mkdir(parents=True)
    listed = {"name": "shop", "language": "python", "revision": "1", "benchmark_root": "lib"}
    (data / "repos.json").write_text(json.dumps([listed]))
    (data / "annotations" / "shop.json").write_text(json.dumps(QUESTIONS))
    environment = {**os.environ, "QUAESTOR_HOME": str(tmp_path / "home")}
    repos, out = tmp_path / "repos", tmp_path / "out"
    options = [
        "--annotations",
        data,
        "--repos",
        repos,
        "--systems",
        "quaestor",
        "quaestor:fusion",
        "--out",
        out / "b.json",
    ]
    script = ROOT / "benchmarks" / "code_search.py"
    subprocess.run([sys.executable, script, *options], env=environment, check=True, capture_output=True)
    ours = ["eval", data, "--corpus", repos, "--ranker", "on", "--ranker", "off", "--out", out]
    subprocess.run([sys.executable, "-m", "quaestor", *ours], env=environment, check=True, capture_output=True)
    theirs = json.loads((out / "b.json").read_text())["queries"]
    with (out / "questions.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["question"] for row in rows] == [one["query"] for one in theirs]
    for row, one in zip(rows, theirs, strict=True):
        assert float(row["A ndcg@10"]) == one["quaestor"][0]
        assert float(row["B ndcg@10"]) == one["quaestor:fusion"][0]
    assert 0 < sum(float(row["A ndcg@10"]) for row in rows) <= len(rows)
