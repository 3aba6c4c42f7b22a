"""Prints how far a second reader, who saw only the questions, agrees with their writers.

    python benchmarks/asked/agreement.py

The second reader's places are in ``second_reader.json``, best first. Lines agree if they overlap or lie within three
lines of each other: a definition and the comment above it are one place.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NEAR = 3


def main() -> None:
    """Print the agreement about code and about prose, in long and in short questions."""
    rows = json.loads((HERE / "second_reader.json").read_text("utf-8"))
    second = {(row["repository"], row["id"]): row["evidence"] for row in rows}
    print(f"{'':10}questions   best place is among the evidence   any of up to three   best place's file")
    for corpus in ("code", "mechanisms", "prose", "short_code", "short_prose"):
        if not (pairs := list(answered(corpus, second))):
            continue
        best = mean([any(agree(own[0], place) for place in first) for first, own in pairs])
        some = mean([any(agree(one, place) for one in own for place in first) for first, own in pairs])
        file = mean([any(own[0]["path"] == place["path"] for place in first) for first, own in pairs])
        print(f"{corpus:11}{len(pairs):8}   {best:32.3f}   {some:19.3f}   {file:17.3f}")


def answered(corpus: str, second: dict[tuple[str, str], list[Any]]) -> Any:
    """Yield both readers' places for each question that the second one read."""
    for file in sorted((HERE / corpus.partition("_")[0]).glob("*.json")):
        data = json.loads(file.read_text("utf-8"))
        for question in data["questions"] if data["corpus"] == corpus else ():
            if own := second.get((data["repository"], question["id"])):
                yield question["evidence"], own


def agree(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether two places are of one file and near each other."""
    apart = max(one["start_line"] - other["end_line"], other["start_line"] - one["end_line"])
    return bool(one["path"] == other["path"] and apart <= NEAR)


def mean(values: list[bool]) -> float:
    """Return the share of true values."""
    return sum(values) / len(values)


if __name__ == "__main__":
    main()
