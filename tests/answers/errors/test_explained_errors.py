"""What is answered to an error that is pasted: its message or its trace, and where it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from shop_repository import checked_answer, open_repository, places, text_of

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.errors.message_templates import is_pasted
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_by_way

TRACE = """Traceback (most recent call last):
  File "/home/mona/app/main.py", line 4, in <module>
    find("mails", queues)
  File "/home/mona/.venv/lib/python3.12/site-packages/shop/queues.py", line 991, in find
    raise QueueNotFound(
shop.queues.QueueNotFound: Queue 'mails' missing from the declared queues of mona"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with open_repository(tmp_path_factory.mktemp("ways")) as index:
        yield index


def test_a_trace_of_another_machine_with_stale_lines(index: Index) -> None:
    answer = checked_answer(index, TRACE)
    assert answer.way == "errors"
    assert places(answer)[0] == ("shop/queues.py", 8)
    assert ("docs/trouble.md", 5) in places(answer)


def test_what_makes_an_error_is_raised_where_it_is_called_and_stale_frames_show_what_they_called(index: Index) -> None:
    message = "river-2 - Boat is not available at the quay, request timed out after 31ms"
    assert places(checked_answer(index, message)) == [("java/shop/Pool.java", 4), ("java/shop/Pool.java", 12)]
    trace = f"""shop.RiverException: {message}
\tat shop.Pool.lateException(Pool.java:90)
\tat shop.Pool.borrow(Pool.java:4)
\tat shop.Quays.first(Pool.java:95)
\tat shop.Quays.second(Pool.java:96)
\tat shop.Quays.third(Pool.java:97)
"""
    answer = checked_answer(index, trace)
    assert places(answer)[:2] == [("java/shop/Pool.java", 4), ("java/shop/Pool.java", 12)]
    assert "Before these it ran through `java/shop/Pool.java:47` (`Quays.third`)." in text_of(answer)


@pytest.mark.parametrize(
    "text",
    [
        "Queue 'invoices' missing from the declared queues of nobody",
        "I get \"Queue 'invoices' missing from the declared queues of nobody\", what now?",
    ],
)
def test_a_message_is_found_by_its_fixed_parts(index: Index, text: str) -> None:
    assert places(checked_answer(index, text))[0] == ("shop/queues.py", 8)


def test_a_message_that_is_pasted_in_part_comes_from_every_place_that_prints_it(index: Index) -> None:
    answer = checked_answer(index, "NOSAVE the stock is kept in memory only")
    assert sorted(places(answer)) == [("shop/replies.py", 1), ("shop/replies.py", 8)]


def test_a_message_comes_from_where_it_is_raised_and_not_from_where_that_is_documented(index: Index) -> None:
    assert places(checked_answer(index, "RiverError: the ferry is full of letters"))[:2] == [("shop/ferry.py", 10)]


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
    assert places(checked_answer(index, "StaleError in the quay"))[0] == ("shop/quay.py", 4)
    assert places(checked_answer(index, "StaleError while looking at stale bread"))[0] == ("shop/bread.py", 5)


def test_a_class_that_is_named_without_a_fault_is_not_asked_to_be_raised(index: Index) -> None:
    assert answer_by_way(Question("FerryStopped with letters of the quay"), index) is None


def test_a_message_that_is_put_together_of_pieces(index: Index) -> None:
    answer = checked_answer(index, "java.lang.IllegalStateException: Only 3 pieces are left in stock, 12 were wanted")
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


def test_a_variant_in_a_panic_is_raised_where_it_is_returned(tmp_path: Path) -> None:
    panic = "thread 'main' panicked at 'called `Result::unwrap()` on an `Err` value: PlankMissing(3)'"
    with index_of(tmp_path / "cargo", CARGO) as index:
        assert places(checked_answer(index, panic))[0] == ("deck/src/lay.rs", 1)


def test_a_frame_whose_function_has_gone_shows_where_its_class_raises_the_error(tmp_path: Path) -> None:
    lines = [f"    int at{number}() {{ return {number}; }}\n" for number in range(40)]
    source = f"""package shop;

public class Ropes {{
    Ropes(int count) {{
        this.count = count;
    }}

{"".join(lines)}
    void tie() {{
        if (count == 0) {{
            throw new RopeException(this);
        }}
    }}
}}
"""
    trace = "shop.RopeException: 0\n\tat shop.Ropes.knot(Ropes.java:9)\n\tat shop.Main.main(Main.java:3)"
    with index_of(tmp_path / "ropes", {"shop/Ropes.java": source}) as index:
        assert places(checked_answer(index, trace))[0] == ("shop/Ropes.java", 49)


def test_a_name_behind_an_error_is_a_value_and_printed_by_nothing(tmp_path: Path) -> None:
    files = {"build.gradle": 'def needed = ["org.shop.sail:sail-canvas", "org.shop.rope"]\n'}
    with index_of(tmp_path / "sails", files) as index:
        message = "java.lang.NoClassDefFoundError: org/shop/sail/SailCanvas"
        assert answer_by_way(Question(message), index) is None


def test_the_error_that_a_message_names_is_shown_with_what_its_comment_says(tmp_path: Path) -> None:
    files = {
        "quay.py": "from errors import MooredError\n\n\ndef leave(boat):\n"
        '    raise MooredError("the boat is moored to its post")\n',
        "errors.py": 'class MooredError(Exception):\n    """Cast off all ropes before you leave the quay."""\n',
    }
    with index_of(tmp_path / "quay", files) as index:
        answer = checked_answer(index, "MooredError: the boat is moored to its post")
        assert places(answer) == [("quay.py", 4), ("errors.py", 1)]
        assert "`MooredError` is described here:" in text_of(answer)


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
        answer = checked_answer(index, message)
        assert places(answer) == raised
        assert text_of(answer).startswith("It is raised here:")


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
        assert places(checked_answer(index, message))[0] == printed


def test_what_is_caught_is_no_word_of_a_message(index: Index) -> None:
    """Neither ``except ValueError:`` nor what is printed below it is what failed here."""
    assert answer_by_way(Question('ValueError: Failed to parse the cron expression "* * *"'), index) is None


def test_frames_of_other_software_alone_are_searched_for(index: Index) -> None:
    frame = '  File "/usr/lib/python3.12/json/decoder.py", line 355, in raw_decode\n    raise X'
    text = f"Traceback (most recent call last):\n{frame}\nX: y"
    assert answer_by_way(Question(text), index) is None


def test_a_message_is_raised_where_its_values_say_and_not_by_another_class(index: Index) -> None:
    answer = checked_answer(index, "Error: The harbour lost its 3 lock of the boat. refitThere")
    assert places(answer)[0] == ("sea/sailing.ts", 5)
    assert "function borrow" not in text_of(answer)


def test_a_message_about_a_file_comes_from_what_prints_it_before_its_ports(index: Index) -> None:
    answer = checked_answer(index, "possible loop in the charts: path base.yml is given several times")
    assert text_of(answer).startswith("The message comes from here:")
    assert places(answer) == [("src/charts.py", 1), ("aport/src/charts.py", 1)]


def test_of_a_long_function_a_stale_line_shows_the_head(index: Index) -> None:
    frames = ['  File "/home/mona/shop/anchor.py", line 900, in weigh', '  File "/home/mona/x.py", line 3, in y']
    answer = checked_answer(index, "\n".join(["Traceback (most recent call last):", *frames, "ValueError: gone"]))
    assert places(answer) == [("shop/anchor.py", 1)]


def test_a_long_trace_has_a_short_answer(index: Index) -> None:
    frame = '  File "/home/mona/.venv/lib/python3.12/site-packages/shop/queues.py", line {}, in find\n    a()\n'
    text = "Traceback (most recent call last):\n" + "".join(frame.format(number) for number in range(2500))
    assert len(checked_answer(index, text).hits) <= 5


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


BERTHS = """package quay

func berth(kind string, page int) error {
	if kind == "" {
		return fmt.Errorf("unknown boat kind: %s", kind)
	}
	if page < 0 {
		panic("The page of berths was incalculable. Perhaps it was called with zero?")
	}
	return nil
}

func rope(name string) error {
	if name == "bow" {
		return errors.New("The bow rope must have more than one strand before the ferry may leave.")
	}
	return errors.New("Tying the rope " + name + " before the berth has been taken.")
}

func line(name string) error {
	return errors.New("The stern rope must have more than one strand before the ferry may leave.")
}
"""


@pytest.mark.parametrize(
    ("message", "first"),
    [
        ("unknown boat kind: raft", [3]),
        ("The page of berths was incalculable. Perhaps it was called with zero?", [3]),
        ("The stern rope must have more than one strand before the ferry may leave.", [20]),
        ("Tying the rope grey before the berth has been taken", [13]),
    ],
)
def test_a_message_comes_from_the_one_place_that_has_all_of_its_fixed_words(
    tmp_path: Path, message: str, first: Sequence[int]
) -> None:
    beside = {f"{number}.md": "A raft, a bow rope, a stern rope and a berth.\n" for number in range(9)}
    beside["grey.md"] = "Ropes are grey.\n"
    with index_of(tmp_path, {"quay.go": BERTHS} | beside) as index:
        answer = answer_by_way(Question(message), index)
    assert answer is not None and places(answer) == [("quay.go", line) for line in first]


def test_of_several_that_print_the_same_the_one_that_the_log_names_comes_first(tmp_path: Path) -> None:
    says = "def hear(message):\n    log.warning('Heard a gull that nobody expected: %s', message)\n"
    with index_of(tmp_path, {f"shop/{name}.py": says for name in ("anchor", "mast", "quay")}) as index:
        for name in ("mast", "quay"):
            log = f"12:00:01 [warning] Heard a gull that nobody expected: kree (module=Shop.{name.title()})"
            assert places(checked_answer(index, log))[0] == (f"shop/{name}.py", 1)


def test_the_place_that_perl_prints_is_not_asked_about(tmp_path: Path) -> None:
    files = {
        "lib/Quay.pm": "package Quay;\n\nsub land {\n  die 'Gulls of size 2 required to land' unless $_[0];\n}\n1;\n",
        "lib/Ferry.pm": "package Ferry;\n\nsub go {\n  Quay::land(@_);\n}\n1;\n",
    }
    with index_of(tmp_path, files) as index:
        answer = checked_answer(index, "Gulls of size 2 required to land at /opt/lib/Ferry.pm line 4.")
        assert answer.way == "errors"
        assert ("lib/Quay.pm", 3) in places(answer)


@pytest.mark.parametrize(
    "message",
    [
        "01-02 Warn ${mast} - Could not climb mast North Exception: System.IO.Fog: The top is not to be seen",
        r"Uncaught Shop\Mast\ClimbError: the captain says of the crew that could not climb mast 7",
    ],
)
def test_a_short_template_is_sure_if_it_stands_in_a_message_in_a_row(tmp_path: Path, message: str) -> None:
    files = {
        "shop/mast.cs": 'class Mast {\n void Up() {\n  Log.Warn(e, "${mast} - Could not climb mast {0}", N);\n }\n}\n',
        "shop/names.php": "<?php\nuse Shop\\Mast\\ClimbError;\n$all = ['Shop', 'Mast', 'ClimbError'];\n",
    }
    with index_of(tmp_path, files) as index:
        assert places(checked_answer(index, message))[0][0] == "shop/mast.cs"


CATALOGUE = """en:
  ferry:
    errors:
      quay_closed: |-
        The quay with the name '%{name}' was closed for
        this season of gulls.
      rope_short: "The rope of %{name} is too short to reach the quay"
      # The anchor was never lifted from the bottom of the sea
"""
RAISED_BY_KEY = """module Errors
  class QuayClosed < Base
    error_key(:quay_closed)
  end
end

def land(name)
  raise Errors::QuayClosed, name: name if closed?
end

def tie(name)
  alert(t("ferry.errors.rope_short", name: name))
end
"""


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("The quay with the name 'North' was closed for\nthis season of gulls.", ("lib/ferry.rb", 7)),
        ("The rope of Anna is too short to reach the quay", ("lib/ferry.rb", 11)),
    ],
)
def test_a_message_of_a_catalogue_is_raised_where_its_key_is_used(
    tmp_path: Path, message: str, expected: tuple[str, int]
) -> None:
    files = {"config/locales/en.yml": CATALOGUE, "lib/ferry.rb": RAISED_BY_KEY, "shop.yml": "name: ferry\n"}
    with index_of(tmp_path, files) as index:
        answer = checked_answer(index, message)
        assert places(answer)[0] == expected
        assert places(answer)[1][0] == "config/locales/en.yml"
        assert answer_by_way(Question("The anchor was never lifted from the bottom of the sea, error"), index) is None


def test_what_configures_a_program_is_no_catalogue(tmp_path: Path) -> None:
    text = "says: The rope of Anna is too short to reach the quay (really)\n"
    with index_of(tmp_path, {"shop.yml": text, "run.py": "print(1)\n"}) as index:
        assert answer_by_way(Question("Error: The rope of Bea is too short to reach the quay"), index) is None


def test_a_stale_line_in_a_comment_is_taken_for_the_head_below_it(tmp_path: Path) -> None:
    comment = "".join(f"     * Tells number {number} of the tides.\n" for number in range(12))
    body = "".join(f"        tides.add({number});\n" for number in range(30))
    java = f"class Tide {{\n    /**\n{comment}     */\n    void rise() {{\n{body}    }}\n}}\n"
    with index_of(tmp_path, {"shop/Tide.java": java}) as index:
        trace = "shop.Flood: high water\n\tat shop.Tide.rise(Tide.java:4)\n\tat shop.Main.main(Main.java:9)\n"
        (hit,) = checked_answer(index, trace).hits
        assert "tides.add(0)" in hit.text
