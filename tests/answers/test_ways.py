"""Ways to answer, over a small repository in several languages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tool_parts import FILES, write

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.citations.verify import verify
from quaestor.answers.message_templates import is_pasted
from quaestor.answers.way import Question, WayAnswer
from quaestor.answers.ways import answer_by_way
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
TRACE = """Traceback (most recent call last):
  File "/home/mona/app/main.py", line 4, in <module>
    find("mails", queues)
  File "/home/mona/.venv/lib/python3.12/site-packages/shop/queues.py", line 991, in find
    raise QueueNotFound(
shop.queues.QueueNotFound: Queue 'mails' missing from the declared queues of mona"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("ways")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("QUAESTOR_HOME", str(folder / "home"))
        with Index.build(write(folder / "repository", {**FILES, **MORE})) as index:
            yield index


def found(index: Index, text: str, *earlier: str) -> WayAnswer:
    """Return the answer, whose quotes all stand where it says."""
    answer = answer_by_way(Question(text, earlier), index)
    assert answer is not None
    checked = verify(answer.text(range(1, len(answer.hits) + 1)), number(answer.hits), index.read)
    assert [one.status for one in checked.citations] == ["verified"] * len(checked.citations)
    assert {one.n for one in checked.citations} == set(range(1, len(answer.hits) + 1))
    return answer


def places(answer: WayAnswer) -> list[tuple[str, int]]:
    return [(hit.path, hit.start_line) for hit in answer.hits]


def said(answer: WayAnswer) -> str:
    return answer.text(range(1, len(answer.hits) + 1))


def test_callers_are_counted_quoted_and_tests_stand_behind(index: Index) -> None:
    answer = found(index, "who calls send_with_retry?")
    assert answer.way == "callers"
    assert places(answer) == [
        ("shop/orders.py", 6),
        ("shop/orders.py", 9),
        ("shop/retry.py", 23),
        ("tests/test_retry.py", 5),
        ("shop/retry.py", 8),
    ]
    assert "is used at 3 places in 2 files and at 1 place in 1 file in tests" in said(answer)
    assert "(`Client.fetch`)" in said(answer)


def test_tests_come_first_where_they_are_asked_for(index: Index) -> None:
    assert places(found(index, "which tests cover send_with_retry?"))[0] == ("tests/test_retry.py", 5)
    assert all(
        not path.startswith("tests/") for path, _ in places(found(index, "who uses send_with_retry outside tests?"))
    )


def test_what_a_file_is_used_by_and_what_a_function_calls(index: Index) -> None:
    assert ("shop/orders.py", 1) in places(found(index, "what depends on shop/retry.py?"))
    assert "`seconds_of` (`shop/clock.py:4`)" in said(found(index, "what does send_with_retry call?"))


def test_a_name_with_a_slip_is_taken_for_the_nearest(index: Index) -> None:
    answer = found(index, "who calls send_with_rertry?")
    assert "`send_with_rertry` occurs nowhere here; this is about `send_with_retry`" in said(answer)


def test_a_name_that_stands_nowhere_is_said_to(index: Index) -> None:
    answer = found(index, "who calls reticulate_splines?")
    assert not answer.known
    assert "occurs nowhere" in said(answer)


def test_a_plain_word_that_is_no_name_here_is_searched_for(index: Index) -> None:
    assert answer_by_way(Question("who calls sourdough?"), index) is None


def test_a_trace_of_another_machine_with_stale_lines(index: Index) -> None:
    answer = found(index, TRACE)
    assert answer.way == "errors"
    assert places(answer)[0] == ("shop/queues.py", 8)
    assert ("docs/trouble.md", 5) in places(answer)


def test_what_makes_an_error_is_raised_where_it_is_called_and_stale_frames_show_what_they_called(index: Index) -> None:
    message = "river-2 - Boat is not available at the quay, request timed out after 31ms"
    assert places(found(index, message)) == [("java/shop/Pool.java", 4), ("java/shop/Pool.java", 12)]
    trace = f"""shop.RiverException: {message}
\tat shop.Pool.lateException(Pool.java:90)
\tat shop.Pool.borrow(Pool.java:4)
\tat shop.Quays.first(Pool.java:95)
\tat shop.Quays.second(Pool.java:96)
\tat shop.Quays.third(Pool.java:97)
"""
    answer = found(index, trace)
    assert places(answer)[:2] == [("java/shop/Pool.java", 4), ("java/shop/Pool.java", 12)]
    assert "Before these it ran through `java/shop/Pool.java:47` (`Quays.third`)." in said(answer)


@pytest.mark.parametrize(
    "text",
    [
        "Queue 'invoices' missing from the declared queues of nobody",
        "I get \"Queue 'invoices' missing from the declared queues of nobody\", what now?",
    ],
)
def test_a_message_is_found_by_its_fixed_parts(index: Index, text: str) -> None:
    assert places(found(index, text))[0] == ("shop/queues.py", 8)


def test_a_message_that_is_pasted_in_part_comes_from_every_place_that_prints_it(index: Index) -> None:
    answer = found(index, "NOSAVE the stock is kept in memory only")
    assert sorted(places(answer)) == [("shop/replies.py", 1), ("shop/replies.py", 8)]


def test_a_message_comes_from_where_it_is_raised_and_not_from_where_that_is_documented(index: Index) -> None:
    assert places(found(index, "RiverError: the ferry is full of letters"))[:2] == [("shop/ferry.py", 10)]


@pytest.mark.parametrize(
    "text",
    [
        "What is the ferry like: full of letters, and who is on board?",
        "carry letters on a ferry",
        "make room on a ferry full of letters",
        "ferry full letters board limit",
        "stock kept in memory orders that change it",
        "list pieces left in stock by shop",
    ],
)
def test_a_wish_or_a_list_of_words_that_a_message_has_too_is_no_message(index: Index, text: str) -> None:
    assert answer_by_way(Question(text), index) is None


def test_of_the_places_that_raise_an_error_the_one_comes_first_that_the_other_words_tell_of(index: Index) -> None:
    assert places(found(index, "StaleError in the quay"))[0] == ("shop/quay.py", 4)
    assert places(found(index, "StaleError while looking at stale bread"))[0] == ("shop/bread.py", 5)


def test_a_class_that_is_named_without_a_fault_is_not_asked_to_be_raised(index: Index) -> None:
    assert answer_by_way(Question("FerryStopped with letters of the quay"), index) is None


def test_a_message_that_is_put_together_of_pieces(index: Index) -> None:
    answer = found(index, "java.lang.IllegalStateException: Only 3 pieces are left in stock, 12 were wanted")
    assert places(answer)[0][0] == "java/shop/Stock.java"


CARGO = {
    "hold/errors.go": 'package hold\n\nimport "errors"\n\n'
    'var ErrOverladen = errors.New("the hold is laden beyond its waterline")\n',
    "hold/load.go": "package hold\n\nfunc Load(crates int) error {\n\tif crates > 9 {\n\t\treturn ErrOverladen\n\t}\n"
    "\treturn nil\n}\n\nfunc Try() bool {\n\treturn errors.Is(Load(1), ErrOverladen)\n}\n",
    "deck/src/error.rs": '#[derive(Error)]\npub enum Error {\n    #[error("no plank fits the gap at {0}")]\n'
    "    PlankMissing(String),\n}\n",
    "deck/src/lay.rs": "fn lay(gap: &str) -> Result<(), Error> {\n    Err(Error::PlankMissing(gap.into()))\n}\n\n"
    "fn see(e: Error) -> bool {\n    match e {\n        Error::PlankMissing(_) => true,\n    }\n}\n",
    "mast/errors.js": "const codes = {\n  MAST_ERR_SPLIT: createError(\n    'MAST_ERR_SPLIT',\n"
    "    \"Mast '%s' split below its third yard\"\n  ),\n}\nmodule.exports = codes\n",
    "mast/raise.js": "const { MAST_ERR_SPLIT } = require('./errors')\n\nfunction raiseMast (mast) {\n"
    "  if (mast.split) throw new MAST_ERR_SPLIT(mast)\n}\n",
    "chart/find.py": "def find(name, folders):\n"
    '    raise ChartError("Unable to find chart %r (looked into: %s)." % (name, folders))\n',
    "chart/words.md": "Charts, folders, harbours, sea, north, south, isles and coasts: all of them are drawn.\n",
    "tide/turn.swift": "func turnTide(_ phase: String) {\n    guard phase.isEmpty else {\n"
    "        refuse(\"'turnTide' cannot be asked for inside '\\\\(phase)', only outside of it\")\n    }\n}\n\n"
    'func turnTwice() {\n    turnTide("a")\n}\n',
    "rope/tie.c": 'void tie(int n) {\n  fprintf(stderr, "rope: error: cannot splice frayed end\\n");\n}\n\n'
    'char *knot(int k) {\n  return text("Cannot knot %s with %s", of(k), of(k));\n}\n',
}


@pytest.mark.parametrize(
    ("message", "raised"),
    [
        ("the hold is laden beyond its waterline", [("hold/load.go", 3), ("hold/errors.go", 5)]),
        ("Error: no plank fits the gap at stern", [("deck/src/lay.rs", 1), ("deck/src/error.rs", 1)]),
        ("MAST_ERR_SPLIT: Mast 'fore' split below its third yard", [("mast/raise.js", 3), ("mast/errors.js", 1)]),
    ],
)
def test_an_error_is_raised_by_the_name_that_its_message_is_bound_to(
    tmp_path: Path, message: str, raised: list[tuple[str, int]]
) -> None:
    with index_of(tmp_path / "cargo", CARGO) as index:
        answer = found(index, message)
        assert places(answer) == raised
        assert said(answer).startswith("It is raised here:")


@pytest.mark.parametrize(
    ("message", "printed"),
    [
        # Mostly values, which other files hold.
        ('Unable to find chart "north/isles.sea" (looked into: /harbours/coasts, /south/isles).', ("chart/find.py", 1)),
        # What a program says of itself before each message is no part of this one.
        # What a message quotes is no class of errors: that something calls it tells nothing.
        ("Fatal error: 'turnTide' cannot be asked for inside 'ebb', only outside of it", ("tide/turn.swift", 1)),
        ('rope: error (at bow): Cannot knot number with string ("name")', ("rope/tie.c", 5)),
    ],
)
def test_all_fixed_words_of_a_message_tell_what_prints_it(
    tmp_path: Path, message: str, printed: tuple[str, int]
) -> None:
    with index_of(tmp_path / "cargo", CARGO) as index:
        assert places(found(index, message))[0] == printed


def test_what_uses_a_name_in_a_test_beside_it_stands_behind(tmp_path: Path) -> None:
    """In Rust a test needs no module of its own."""
    code = "pub fn plane(board: u8) -> u8 {\n    board\n}\n\n#[test]\nfn boards_are_planed() {\n    plane(1);\n}\n"
    files = {"src/plane.rs": code, "src/deck.rs": "use crate::plane::plane;\n\nfn deck() {\n    plane(2);\n}\n"}
    with index_of(tmp_path / "yard", files) as index:
        answer = found(index, "who calls plane?")
        assert places(answer) == [("src/deck.rs", 4), ("src/plane.rs", 7), ("src/plane.rs", 1)]
        assert "and at 1 place in 1 file in tests" in said(answer)


def test_what_is_caught_is_no_word_of_a_message(index: Index) -> None:
    """Neither ``except ValueError:`` nor what is printed below it is what failed here."""
    assert answer_by_way(Question('ValueError: Failed to parse the cron expression "* * *"'), index) is None


def test_frames_of_other_software_alone_are_searched_for(index: Index) -> None:
    frame = '  File "/usr/lib/python3.12/json/decoder.py", line 355, in raw_decode\n    raise X'
    text = f"Traceback (most recent call last):\n{frame}\nX: y"
    assert answer_by_way(Question(text), index) is None


def test_a_message_is_raised_where_its_values_say_and_not_by_another_class(index: Index) -> None:
    answer = found(index, "Error: The harbour lost its 3 lock of the boat. refitThere")
    assert places(answer)[0] == ("sea/sailing.ts", 5)
    assert "function borrow" not in said(answer)


def test_a_message_about_a_file_comes_from_what_prints_it_before_its_ports(index: Index) -> None:
    answer = found(index, "possible loop in the charts: path base.yml is given several times")
    assert said(answer).startswith("The message comes from here:")
    assert places(answer) == [("src/charts.py", 1), ("aport/src/charts.py", 1)]


def test_of_a_long_function_a_stale_line_shows_the_head(index: Index) -> None:
    frames = ['  File "/home/mona/shop/anchor.py", line 900, in weigh', '  File "/home/mona/x.py", line 3, in y']
    answer = found(index, "\n".join(["Traceback (most recent call last):", *frames, "ValueError: gone"]))
    assert places(answer) == [("shop/anchor.py", 1)]


def test_a_long_trace_has_a_short_answer(index: Index) -> None:
    frame = '  File "/home/mona/.venv/lib/python3.12/site-packages/shop/queues.py", line {}, in find\n    a()\n'
    text = "Traceback (most recent call last):\n" + "".join(frame.format(number) for number in range(2500))
    assert len(found(index, text).hits) <= 5


def test_what_a_file_or_a_name_is(index: Index) -> None:
    answer = found(index, "what does /opt/venv/site-packages/shop/queues.py do?")
    assert answer.way == "names"
    assert places(answer) == [("shop/queues.py", 1)]
    assert "`find` (8)" in said(answer)
    answer = found(index, "what is QueueNotFound?")
    assert places(answer) == [("shop/queues.py", 4)]
    answer = found(index, "docs/trouble.md")
    assert places(answer) == [("docs/trouble.md", 5)]
    assert "`Queues` (3)" in said(answer)


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("queueNotFound", "QueueNotFound"),
        ("queue_not_found", "QueueNotFound"),
        ("what is QUEUE_NOT_FOUND?", "QueueNotFound"),
        ("QueueNotFuond", "QueueNotFound"),
        ("where is SendWithRetry defined?", "send_with_retry"),
    ],
)
def test_a_name_in_another_style_or_with_a_slip_is_said_to_be_and_explained(
    index: Index, asked: str, name: str
) -> None:
    answer = found(index, asked)
    assert f"is defined nowhere here; the nearest name is `{name}`." in said(answer)
    assert answer.hits[0].symbol == name


def test_a_question_about_one_file_is_answered_from_it(index: Index) -> None:
    answer = found(index, "shop/queues.py: when is an error raised?")
    assert {hit.path for hit in answer.hits} == {"shop/queues.py"}


@pytest.mark.parametrize(
    "text",
    ["what is missing.py?", "what is QueueLost?", "explain sourdough", "how long does the dough rest?", "/etc/passwd"],
)
def test_what_is_not_here_is_searched_for(index: Index, text: str) -> None:
    assert answer_by_way(Question(text), index) is None


def test_asking_back_at_the_beginning_only(index: Index) -> None:
    answer = found(index, "and how do I turn that off?")
    assert not answer.known
    assert answer_by_way(Question("and how do I turn that off?", ("what sends again?",)), index) is None


CLIENT = """static int dial(const char *path) {
    int connection = open_path(path);
    if (connection < 0) {
        fprintf(stderr, "no server running on %s\\n", path);
        return 1;
    }
    %s
    return connection;
}
"""


@pytest.mark.parametrize(
    "message",
    [
        "no server running on /tmp/shop/default",
        "terminate called after throwing an instance of Closed\n  what(): no server running on 12",
    ],
)
def test_a_message_is_found_beside_a_path_and_what_is_said_before_it(tmp_path: Path, message: str) -> None:
    before = "terminate called after throwing instance"
    files = {f"{number}.md": f"At {number} {before} tmp shop default tmp shop default.\n" for number in range(120)}
    files |= {f"start/{number}.md": f"A server running, {before} tmp shop {number}.\n" for number in range(60)}
    long = "\n    ".join(f"take(connection, {number}, wharf[{number}]);" for number in range(30))
    with index_of(tmp_path / "shop", files | {"zz/client.c": CLIENT % ("%s", long)}) as index:
        answer = answer_by_way(Question(message), index)
    assert answer is not None and places(answer)[0] == ("zz/client.c", 1)


def test_a_message_may_begin_as_a_question_does() -> None:
    assert is_pasted("can't import user with ID 3 because of user 1")
    assert is_pasted("bad file: config.yaml")
    assert not is_pasted("can I import a user with an ID?")
