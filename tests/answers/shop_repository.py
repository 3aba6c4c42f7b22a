"""A small repository in several languages, and answers to questions about it."""

from __future__ import annotations

from pathlib import Path

from tool_parts import FILES, write

from quaestor import Index
from quaestor.answers.citations.verify import verify
from quaestor.answers.way import Question, WayAnswer
from quaestor.answers.ways import answer_by_way
from quaestor.core.config import Settings
from quaestor.llm.prompts.numbered_passages import number

QUEUES = '''"""Queues and who may use them."""


class QueueNotFound(KeyError):
    """Nobody declared the queue."""


def find(name, queues):
    """Return the queue of a name."""
    if name not in queues:
        raise QueueNotFound(
            f"Queue {name!r} missing from "
            f"the declared queues of {queues.owner}"
        )
    return queues[name]
'''
STOCK = """package shop;

public class Stock {
    int take(int wanted) {
        if (wanted > left) {
            throw new IllegalStateException("Only " + left + " pieces are left in stock, " + wanted + " were wanted");
        }
        return left - wanted;
    }
}
"""
TROUBLE = """# Trouble

## Queues

Where a queue is missing from the declared queues, add it to queues.yml and start again.
"""
CHALLENGE = """def submit(payload):
    try:
        return send(payload)
    except ValueError:
        return "submitChallenge failed, could not parse response"
"""
REPLIES = """def refuse():
    return error(
        "NOSAVE the stock is kept in memory only. Orders that change it are refused, for this shop is configured to "
        "report failures of its disk (stop-orders-on-failure). Please look into the log for details about them."
    )


@command
def script_is_refused(reply):
    if failed:
        raise Refused("NOSAVE the stock is kept in memory only.")
"""
FULL = '''def carry(letter):
    """Carry a letter.

    Raises:
        RiverError: the ferry is full of letters.
    """
    return board(letter)


def board(letter):
    """Take a letter on board."""
    if FERRY.full:
        raise RiverError("the ferry is full of letters")
    return letter
'''
BREAD = '''class StaleError(ValueError):
    """It is old."""


def look_at_bread(bread):
    if bread.age > 3:
        raise StaleError(bread)


class FerryStopped(Exception):
    """Breaks a wait off."""
'''
QUAY = """from shop.bread import FerryStopped, StaleError


def call(boat):
    if boat.late:
        raise FerryStopped(boat)
    if boat.gone:
        raise StaleError(boat)
"""
HARBOUR = """class Faults {
  static create(code: number, command: string): Error {
    return new Error(`The harbour lost its ${code} lock of the boat. ${command}`);
  }
}

function launch(boat: Boat) {
  return Boats.create(boat, "launch");
}
"""
SAILING = """function moor(boat: Boat) {
  throw Faults.create(2, "moor");
}

function refit(boat: Boat) {
  throw Faults.create(3, "refitThere");
}

function borrow(boat: Boat) {
  return Boats.create(boat);
}
"""
ANCHOR = "\n".join(["def weigh(anchor):", *(f"    anchor.up({number})" for number in range(60)), ""])
POOL = """package shop;

class Pool {
  Boat borrow(long wait) {
    Boat boat = take(wait);
    if (boat == null) {
      throw lateException(wait);
    }
    return boat;
  }

  /**
   * Words why no boat came.
   *
   * How long somebody waited is told, and how many boats there are, since whoever reads it
   * wants to know whether there are too few of them, and whether it was long enough.
   *
   * @param wait how long
   */
  private RiverException lateException(long wait) {
    int boats = count();
    int out = countOut();
    int free = boats - out;
    int waiting = countWaiting();
    if (free > 0) {
      log("a boat lies idle");
    }
    return new RiverException(
        name + " - Boat is not available at the quay, request timed out after " + wait + "ms");
  }
}

class Quays {
  private Pool pool = new Pool();

  Boat first() {
    return pool.borrow(5);
  }

  Boat second() {
    Boat boat = first();
    boat.ring();
    return boat;
  }

  Boat third() {
    return second();
  }
}
"""
RAFT = """def inherit(path):
    raise Looped(f"possible loop in the charts: path {path} is given several times")
"""
MORE: dict[str, str | bytes] = {
    "aport/src/charts.py": RAFT,
    "src/charts.py": RAFT,
    "sea/faults.ts": HARBOUR,
    "sea/sailing.ts": SAILING,
    "shop/anchor.py": ANCHOR,
    "shop/bread.py": BREAD,
    "shop/quay.py": QUAY,
    "shop/replies.py": REPLIES,
    "shop/ferry.py": FULL,
    "shop/challenge.py": CHALLENGE,
    "shop/queues.py": QUEUES,
    "java/shop/Stock.java": STOCK,
    "java/shop/Pool.java": POOL,
    "docs/trouble.md": TROUBLE,
    "tests/test_queues.py": "from shop.queues import find\n\n\ndef test_find():\n    find('mails', {})\n",
}


def open_repository(folder: Path) -> Index:
    """Build an index of the repository within a folder, and open it."""
    return Index.build(write(folder / "repository", {**FILES, **MORE}), settings=Settings(home=str(folder / "home")))


def checked_answer(index: Index, text: str, *earlier: str) -> WayAnswer:
    """Return the answer to a question, after a check that its quotes all stand where it says."""
    answer = answer_by_way(Question(text, earlier), index)
    assert answer is not None
    checked = verify(text_of(answer), number(answer.hits), index.read)
    assert [one.status for one in checked.citations] == ["verified"] * len(checked.citations)
    assert {one.n for one in checked.citations} == set(range(1, len(answer.hits) + 1))
    return answer


def places(answer: WayAnswer) -> list[tuple[str, int]]:
    return [(hit.path, hit.start_line) for hit in answer.hits]


def text_of(answer: WayAnswer) -> str:
    return answer.text(range(1, len(answer.hits) + 1))
