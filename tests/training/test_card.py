"""The model card says of the shipped weights what is so: where they come from, how large they are, what they reach."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from quaestor.embedding.static import StaticEmbedder
from training.card import WEIGHTS, card
from training.licences import _PERMISSIVE
from training.refused_repositories import refusal

DOCS = Path(__file__).parents[2] / "docs" / "embedder.md"
_ROW = re.compile(r"\| (\S+/\S+) \| ([0-9a-f]{40}) \| (\S+) \| (\d+) \| (held out)? \|")


@pytest.fixture(scope="module")
def shipped() -> str:
    return (WEIGHTS / "card.md").read_text("utf-8")


@pytest.fixture(scope="module")
def sources(shipped: str) -> list[re.Match[str]]:
    table = shipped.partition("## Sources")[2].partition("|---|---|---|---|---|\n")[2].splitlines()
    rows = [_ROW.fullmatch(line) for line in table if line]
    assert None not in rows
    return [row for row in rows if row]


def test_it_names_the_weights_and_their_size(shipped: str) -> None:
    assert shipped.startswith(f"# {StaticEmbedder.bundled().name}\n")
    assert StaticEmbedder.bundled().name == json.loads((WEIGHTS / "model.json").read_text())["name"]
    size = sum(file.stat().st_size for file in WEIGHTS.iterdir() if file.suffix in {".npy", ".txt", ".json"})
    assert f"\n{size / 1e6:.1f} MB. " in shipped
    assert size <= 20_000_000


def test_every_source_has_its_commit_and_a_permissive_licence_and_judges_nothing(
    shipped: str, sources: list[re.Match[str]]
) -> None:
    permissive = {name for name, _ in _PERMISSIVE}
    assert len({row[1].lower() for row in sources}) == len(sources) > 300
    assert {row[3] for row in sources} <= permissive
    assert not [row[1] for row in sources if refusal([row[1]])]
    assert f"{sum(int(row[4]) for row in sources):,} pairs of {len(sources)} repositories" in shipped


def test_it_tells_the_seeds(shipped: str) -> None:
    assert re.findall(r"run (\d+), seed (\d+), rate (\S+?)[;.]", shipped) == [
        ("256", "0", "2e-3"),
        ("512", "1", "1e-3"),
    ]


def test_its_figures_are_those_of_the_documentation(shipped: str) -> None:
    figures = shipped.partition("## Figures")[2].partition("## Sources")[0]
    documented = DOCS.read_text("utf-8").replace("*", "")
    rows = [line.split(" | ") for line in figures.splitlines() if line.startswith("| ") and re.search(r"\.\d", line)]
    assert len(rows) == 4
    for name, start, ours in rows:
        what = name.replace("mean over 41 repositories", "mean over repositories")
        line = next(line for line in documented.splitlines() if line.startswith(what))
        assert line.split(" | ")[1] == start
        assert line.split(" | ")[3] == ours


def test_the_command_writes_the_same_sources(shipped: str, sources: list[re.Match[str]]) -> None:
    rows = "".join(f"{row[1]}\t{row[2]}\t{row[3]}\t{row[4]}\t1\n" for row in reversed(sources))
    written = card(WEIGHTS, "About.", rows)
    assert written.partition("## Sources")[2] == shipped.partition("## Sources")[2]
