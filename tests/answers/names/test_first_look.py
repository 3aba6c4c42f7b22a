"""What is shown of a definition and of a file bears its name, whatever stands in the lines before it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.names.explain_name import explain_name
from quaestor.answers.way import Question, WayAnswer
from quaestor.answers.ways import answer_by_way

LONG = "".join(f"    take_{number}(at);\n" for number in range(60))
IN_C = f"""#include "queue.h"

static void queue_fill(queue *at);

struct queue_entry {{
    int queue;
}};

static void
queue_fill(queue *at)
{{
{LONG}}}

int
queue_main(void)
{{
    queue_fill(0);
    return 0;
}}
"""
IN_KOTLIN = f"""package shop

/**
 * Where orders are kept until they are sent.
 */
@Suppress("TooManyFunctions")
@Singleton
class OrderStore(
    private val left: Int,
    private val right: Int,
) : Store {{
{"".join(f"    fun take{number}(): Int = {number}{chr(10)}{chr(10)}" for number in range(40))}}}
"""
SENDING = "".join(
    f"    public function send{number}($at)\n    {{\n        return $at;\n    }}\n" for number in range(20)
)
IN_PHP = f"""<?php
/**
 * @link https://shop.example.org/some/page/about/it
 * @copyright Copyright (c) 2008 Mona Petit
 * @license https://shop.example.org/license/
 */

namespace shop;

/**
 * Sends what was ordered.
 */
class Sender
{{
{SENDING}
}}
"""
FILES = {
    "src/queue.c": IN_C,
    "src/OrderStore.kt": IN_KOTLIN,
    "src/shop/Sender.php": IN_PHP,
    "shop/src/client.py": "def of_the_shop():\n    return 1\n",
    "shop-eio/src/client.py": "def of_the_other():\n    return 2\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("looked") / "made", FILES) as index:
        yield index


def asked(index: Index, text: str) -> WayAnswer:
    answer = answer_by_way(Question(text), index)
    assert answer is not None
    return answer


def test_a_type_in_a_line_of_its_own_is_not_all_that_is_shown_of_a_definition(index: Index) -> None:
    answer = asked(index, "who calls queue_fill?")
    assert [hit.text.strip() for hit in answer.hits] == ["queue_fill(0);", "static void\nqueue_fill(queue *at)"]


def test_a_declaration_is_no_use(index: Index) -> None:
    found = index.related("queue_fill")
    assert [(one.role, one.symbol) for one in found.of("callers")] == [("call", "queue_main")]
    assert found.total["callers"] == 1


def test_a_long_definition_is_shown_with_its_name_and_all_that_it_takes(index: Index) -> None:
    [hit] = asked(index, "what is OrderStore?").hits
    assert hit.text.startswith("/**\n * Where orders")
    assert hit.text.endswith(") : Store {")


def test_a_field_called_like_a_file_is_not_what_the_file_is_about(index: Index) -> None:
    answer = asked(index, "src/queue.c")
    assert [hit.symbol for hit in answer.hits] == ["queue_fill"]


def test_addresses_at_the_head_of_a_file_tell_nothing_of_it(index: Index) -> None:
    answer = asked(index, "what does src/shop/Sender.php do?")
    assert [hit.symbol for hit in answer.hits] == ["Sender"]
    assert "Sends what was ordered" in answer.hits[0].text


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("eio/src/client.py", "of_the_other"),
        ("shop-eio/src/client.py", "of_the_other"),
        ("shop/src/client.py", "of_the_shop"),
        ("/opt/build/shop-eio/src/client.py", "of_the_other"),
    ],
)
def test_of_files_alike_the_one_that_ends_with_more_letters_of_the_path_is_meant(
    index: Index, path: str, name: str
) -> None:
    found = explain_name(Question(path), index)
    assert found is not None
    assert name in found.hits[0].text


IN_SWIFT = "".join(f"  func row{number}() {{\n    oars += {number}\n  }}\n" for number in range(30))
OF_APPLE = {
    "Sources/Oars.swift": f"public class Oars {{\n  var oars = 0\n{IN_SWIFT}}}\n",
    "Sources/Boat.swift": 'let oars = Oars()\n\nfunc sink() {\n  fatalError("The boat has sunk below")\n}\n',
    "Sources/Sea.swift": "func sail() {\n  sink()\n}\n",
    "Boat.slnx": "<Solution>\n  <Project />\n</Solution>\n" * 20,
    "src/rope_coil.cc": "#define KNOT(a) \\\n  { \\\n    tie(a); \\\n  }\n\nnamespace sea::deck {\n\n"
    "// Coils the rope.\nRopeCoil::RopeCoil() {\n"
    + "  turn();\n" * 50
    + "}\n\nvoid\nRopeCoil::turn() {\n  KNOT(1);\n}\n\n}\n",
    "cluster/cluster.go": "package cluster\n\nfunc Join() {}\n",
    "main.go": 'package main\n\nimport "example.org/boats/cluster"\n\nfunc main() { cluster.Join() }\n',
    "go.mod": "module example.org/boats\n\ngo 1.25\n",
    "README.md": "# Boats\n\nBoats sail.\n\n## Requirements\n\n- Redis: Redis 7.0+ or Valkey\n",
    "configure.ac": "AC_INIT\nAX_CXX_COMPILE_STDCXX(20, noext, mandatory)\n",
    "rowing.hs": "row :: Int -> Int\nrow 0 = 1\nrow n = n\n\nstroke = row 2\n",
    "deal.c": "/*\n *  deal.c\n *  Ferry\n *\n *  Created by Nobody on 6/11/09.\n *\n *  Licensed under nothing.\n */\n"
    '#include "a.h"\n\n/* Dealing rules: each sailor gets an equal share of the fish. */\n\n' + "int fish;\n" * 60,
}


@pytest.fixture(scope="module")
def boats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("boats") / "made", OF_APPLE) as index:
        yield index


def told(index: Index, question: str) -> WayAnswer:
    answer = answer_by_way(Question(question), index)
    assert answer is not None
    return answer


def test_a_file_that_no_import_names_is_used_where_its_class_is(boats: Index) -> None:
    answer = told(boats, "Who uses Oars.swift?")
    assert answer.known
    assert "No import here names `Oars.swift`, so this is about `Oars`" in answer.pieces[0]
    assert answer.hits[0].path == "Sources/Boat.swift"


def test_the_equations_of_one_function_are_one_definition(boats: Index) -> None:
    pieces = "".join(map(str, told(boats, "Who calls row in rowing.hs?").pieces))
    assert "3 definitions" not in pieces
    assert "By name alone" not in pieces


def test_a_long_class_is_shown_up_to_the_end_of_a_member(boats: Index) -> None:
    shown = told(boats, "What does Sources/Oars.swift do?").hits[0].text
    assert shown.startswith("public class Oars {")
    assert shown.rstrip().endswith("\n  }")
    assert shown.count("func") == shown.count("\n  }")


def test_what_raises_a_message_itself_is_where_it_comes_from(boats: Index) -> None:
    answer = told(boats, 'Where does "The boat has sunk below" come from?')
    assert [hit.path for hit in answer.hits] == ["Sources/Boat.swift"]


def test_what_an_editor_wrote_above_a_file_does_not_explain_it(boats: Index) -> None:
    assert told(boats, "What does deal.c do?").hits[0].text.startswith("/* Dealing rules")


def test_no_import_is_missed_where_there_are_none(boats: Index) -> None:
    for file in ("Sources/Oars.swift", "Boat.slnx"):
        assert not any("import" in str(piece) for piece in told(boats, f"What does {file} do?").pieces)


def test_a_path_with_a_slip_is_taken_for_the_nearest(boats: Index) -> None:
    answer = told(boats, "What does Sources/Oras.swift do?")
    assert (
        str(answer.pieces[0]).strip() == "`Sources/Oras.swift` is not here; the nearest path is `Sources/Oars.swift`."
    )
    assert answer.hits[0].path == "Sources/Oars.swift"
    answer = told(boats, "Who uses Sources/Oras.swift?")
    assert "`Oars`" in str(answer.pieces[0])
    assert answer.hits[0].path == "Sources/Boat.swift"
    other = answer_by_way(Question("What does Sources/Anchor.swift do?"), boats)
    assert other is None or "nearest" not in str(other.pieces[0])


def test_what_a_namespace_of_a_namespace_holds_is_what_its_file_defines(boats: Index) -> None:
    answer = told(boats, "What does src/rope_coil.cc do?")
    assert answer.hits[0].text.startswith("// Coils the rope.")
    assert "`sea.deck.RopeCoil.turn`" in "".join(map(str, answer.pieces))


def test_a_file_in_go_is_imported_with_its_folder(boats: Index) -> None:
    answer = told(boats, "Who uses cluster/cluster.go?")
    assert [hit.path for hit in answer.hits] == ["main.go"]
    assert "`cluster/cluster.go` is imported at 1 place" in str(answer.pieces[0])


def test_where_a_thing_is_written_its_folder_shows(boats: Index) -> None:
    assert "**Overview of cluster/: 1 document**" in str(told(boats, "Where is the cluster implemented?").pieces[0])
    found = answer_by_way(Question("Where is the anchor implemented?"), boats)
    assert found is None or found.way != "overview"


@pytest.mark.parametrize(
    ("question", "path"),
    [("Which version of Redis does it need?", "README.md"), ("Which version of C++ does it need?", "configure.ac")],
)
def test_versions_that_no_manifest_of_a_language_tells(boats: Index, question: str, path: str) -> None:
    assert [hit.path for hit in told(boats, question).hits] == [path]
