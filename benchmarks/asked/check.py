"""Checks files of questions: their form, and that each piece of evidence is where it is said to be.

    python benchmarks/asked/check.py --repositories DIR FILE...

A checkout is in ``DIR/OWNER__NAME`` at the file's commit.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

KINDS = {
    "code": "how where configure error trace architecture callers identifier path typo language".split(),
    "mechanisms": ["mechanism"],
    "prose": "paraphrase fact multi keywords typo language".split(),
    "short_code": ["words", "question"],
    "short_prose": ["words", "question"],
}
STYLES = {"newcomer", "expert", "hurried", "storyteller", "reviewer", "support", "engineer"}
LONGEST_QUOTE = 120


def problems(data: dict[str, Any], checkout: Path) -> Iterator[str]:
    """Yield a sentence for each thing that is wrong with a file of questions."""
    corpus = data["corpus"]
    if data["writer"] not in STYLES:
        yield f"writer {data['writer']!r} is none of {sorted(STYLES)}"
    if not re.fullmatch(r"[0-9a-f]{40}", data["commit"]):
        yield f"commit {data['commit']!r} is not a full hash"
    texts = [question["question"] for question in data["questions"]]
    for thing, count in (Counter(texts) + Counter(question["id"] for question in data["questions"])).items():
        if count > 1:
            yield f"{thing!r} stands {count} times"
    for question in data["questions"]:
        name = question["id"]
        if question["kind"] not in KINDS[corpus]:
            yield f"{name}: kind {question['kind']!r} is none of {KINDS[corpus]}"
        if not question["question"].strip() or not question["answer"].strip():
            yield f"{name}: question or answer is empty"
        if not 1 <= len(question["evidence"]) <= 8:
            yield f"{name}: {len(question['evidence'])} pieces of evidence"
        for place in question["evidence"]:
            if data["files"] and not re.fullmatch(data["files"], place["path"]):
                yield f"{name}: {place['path']!r} does not match {data['files']!r}"
            if trouble := _trouble(place, checkout):
                yield f"{name}: {trouble}"


def _trouble(place: dict[str, Any], checkout: Path) -> str:
    path, start, end, quote = place["path"], place["start_line"], place["end_line"], place["quote"]
    file = checkout / path
    if not file.is_file():
        return f"{path!r} is not in the checkout"
    lines = file.read_text(encoding="utf-8", errors="replace").split("\n")
    if not 1 <= start <= end <= len(lines):
        return f"{path}:{start}-{end} is outside the file's {len(lines)} lines"
    if not 8 <= len(quote) <= LONGEST_QUOTE and quote != lines[start - 1].strip():
        return f"{path}:{start}: the quote has {len(quote)} characters"
    if not any(quote in line for line in lines[start - 1 : end]):
        found = [number for number, line in enumerate(lines, 1) if quote in line][:5]
        return f"{path}:{start}-{end} does not hold {quote!r} (it stands in lines {found})"
    return ""


def main() -> int:
    """Check the files that are named."""
    parser = argparse.ArgumentParser(description="Check files of questions.")
    parser.add_argument("--repositories", type=Path, required=True, help="folder with one checkout OWNER__NAME")
    parser.add_argument("files", type=Path, nargs="+")
    options = parser.parse_args()
    wrong = 0
    for file in options.files:
        data = json.loads(file.read_text(encoding="utf-8"))
        found = list(problems(data, options.repositories / file.stem))
        wrong += len(found)
        kinds = Counter(question["kind"] for question in data["questions"])
        print(f"{file.stem}: {len(data['questions'])} questions ({', '.join(f'{k} {n}' for k, n in kinds.items())})")
        for problem in found:
            print(f"  {problem}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
