"""Writes the model card beside the weights: ``python -m training.card --sources sources.tsv --about ABOUT.md``.

The sources, with commit and licence, come from the gatherer's list. The text in ``--about``, by a person, comes before
them.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from quaestor.embedding import static
from quaestor.embedding.static import StaticEmbedder
from training.heldout import held_out

WEIGHTS = Path(static.__file__).parent / "weights"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="training.card", description="Write the model card.")
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--about", type=Path, required=True)
    parser.add_argument("--embedder", type=Path, default=WEIGHTS)
    options = parser.parse_args(arguments)
    about, sources = options.about.read_text("utf-8"), options.sources.read_text("utf-8")
    (options.embedder / "card.md").write_text(card(options.embedder, about, sources), "utf-8")
    return 0


def card(embedder: Path, about: str, sources: str) -> str:
    """Return the card's Markdown; ``sources`` has rows of name, commit, licence, pairs and bytes."""
    rows = sorted((line.split("\t") for line in sources.splitlines()), key=lambda row: row[0].lower())
    used = Counter(row[2] for row in rows)
    kept_out = held_out([row[0] for row in rows])
    size = sum(file.stat().st_size for file in embedder.iterdir() if file.suffix in {".npy", ".txt", ".json"})
    table = [
        f"| {name} | {commit} | {licence} | {pairs} | {'held out' if out else ''} |"
        for (name, commit, licence, pairs, _), out in zip(rows, kept_out, strict=True)
    ]
    name = StaticEmbedder.load(embedder).name
    return "\n".join(
        [
            f"# {name}",
            "",
            f"{size / 1e6:.1f} MB. {about.strip()}",
            "",
            "## Sources",
            "",
            f"{sum(int(row[3]) for row in rows):,} pairs of {len(rows)} repositories; licences: "
            + ", ".join(f"{licence} {count}" for licence, count in used.most_common())
            + ". Those held out served to decide when and what to stop, and were not trained on.",
            "",
            "| repository | commit | licence | pairs | |",
            "|---|---|---|---|---|",
            *table,
            "",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
