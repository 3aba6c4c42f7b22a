"""A process that asks or refreshes again and again, and says what it takes of memory, disk and descriptors.

    python long_runner.py CORPUS HOME (ask|refresh) ROUNDS

Prints a line of JSON after each tenth of the rounds: bytes of memory, bytes on disk, open descriptors.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
from pathlib import Path

from quaestor import Conversation, Index
from quaestor.core.config import Settings


def taken(home: Path) -> dict[str, int]:
    """Return what this process and its data folder take now."""
    gc.collect()
    anonymous = [
        line for line in Path("/proc/self/status").read_text("ascii").splitlines() if line.startswith("RssAnon")
    ]
    return {
        "memory": int(anonymous[0].split()[1]) * 1024,
        "disk": sum(path.stat().st_size for path in home.rglob("*") if path.is_file()),
        "descriptors": len(list(Path("/proc/self/fd").iterdir())),
    }


async def answer(index: Index, question: str) -> None:
    async for _ in Conversation(index, None).send(question):
        pass


def ask(index: Index, number: int) -> None:
    """Search for words that were never searched for before; each tenth time a whole answer is made."""
    question = f"where is word{number % 500} explained beside word{number % 311} and thing{number}"
    if number % 10:
        index.find(question, 10)
    else:
        asyncio.run(answer(index, question))


def refresh(index: Index, number: int) -> None:
    """Change a file, so that what it was made of goes, and have it found again."""
    place = index.root / f"part{number % 7}.md"
    lines = place.read_text("utf-8").splitlines()
    lines[-1] = f"This was written in round number{number}, and word{number % 500} with it."
    place.write_text("\n".join(lines), encoding="utf-8")
    index.refresh()
    assert index.search(f"number{number}", 1)[0].path == place.name


if __name__ == "__main__":
    root, home, what, rounds = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    with Index.build(root, settings=Settings(home=str(home))) as opened:
        for at in range(rounds):
            (ask if what == "ask" else refresh)(opened, at)
            if (at + 1) % max(rounds // 10, 1) == 0:
                print(json.dumps(taken(home)), flush=True)
