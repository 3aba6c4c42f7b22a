"""A setting that is found by what is said of it, and questions that must not be answered so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.settings.described_settings import find_described_setting
from quaestor.answers.way import Question, WayAnswer
from quaestor.answers.ways import answer_by_way

SHIP = {
    "README.md": "# Shop\n\nSells rope by the yard.\n",
    "shop/main.py": (
        "import argparse\n\n\ndef parse():\n"
        "    parser = argparse.ArgumentParser()\n"
        "    parser.add_argument(\n"
        "        '-2',\n"
        "        '--no-page',\n"
        "        action='store_true',\n"
        "        dest='no_page',\n"
        "        help='do not open the browser when the server starts',\n"
        "    )\n"
        "    parser.add_argument('--port', type=int, default=80, help='port of the server')\n"
        "    return parser.parse_args()\n"
    ),
    "shop/stock.py": "def count(ropes):\n    return sum(rope.length for rope in ropes)\n",
    "conf/shop.conf": (
        "[global]\n# How often stock statistics are refreshed, in seconds\ninterval=2\n"
        "# Name of the log file\n#log=shop.log\n#\n# Prices are rounded up to whole cents\n#whole=true\n"
    ),
}


def lines_of(found: WayAnswer | None) -> list[str]:
    return [] if found is None else [f"{hit.path}:{hit.start_line}-{hit.end_line}" for hit in found.hits]


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("How do I change how often the statistics are refreshed?", "conf/shop.conf:1-3"),
        ("Don't open the browser when it starts", "shop/main.py:6-12"),
        ("Which setting rounds prices up to whole cents?", "conf/shop.conf:6-8"),
        ("Are prices rounded to whole cents, and where can I set it?", "conf/shop.conf:6-8"),
        ("I want prices rounded to whole cents", "conf/shop.conf:6-8"),
    ],
)
def test_the_setting_that_is_described_so_comes_first(tmp_path: Path, question: str, place: str) -> None:
    with index_of(tmp_path, SHIP) as index:
        assert lines_of(find_described_setting(question, index)) == [place]
        answer = answer_by_way(Question(question), index)
        assert answer is not None and answer.known
        assert lines_of(answer)[0] == place


@pytest.mark.parametrize(
    "question",
    [
        "Where is it decided how often the statistics are refreshed?",
        "Why are the statistics refreshed so often?",
        "How often are the statistics refreshed by each worker?",
        "The statistics are refreshed too often",
        "How do I keep the statistics in a relational database?",
        "How do I refresh the window?",
        "How do I count ropes in the stock?",
        "statistics refreshed",
        "How do I change how often the statistics are refreshed, " + "again and " * 8 + "again?",
    ],
)
def test_other_questions_and_less_than_a_description_are_no_questions_for_a_setting(
    tmp_path: Path, question: str
) -> None:
    with index_of(tmp_path, SHIP) as index:
        assert find_described_setting(question, index) is None


def test_a_follow_up_is_not_taken_for_a_question_for_a_setting(tmp_path: Path) -> None:
    text = "How do I change how often the statistics are refreshed?"
    with index_of(tmp_path, SHIP) as index:
        first, later = (answer_by_way(Question(text, earlier), index) for earlier in ((), ("What is sold?",)))
        assert first is not None and first.way == "setting"
        assert later is None or later.way != "setting"


def test_what_a_search_finds_stands_below_without_the_lines_shown(tmp_path: Path) -> None:
    code = "def refresh_statistics(shop):\n    # Statistics are refreshed as often as is set.\n    shop.refresh()\n"
    with index_of(tmp_path, {**SHIP, "shop/refresh.py": code}) as index:
        answer = answer_by_way(Question("How do I change how often the statistics are refreshed?"), index)
        assert answer is not None
        lines = [(hit.path, line) for hit in answer.hits for line in range(hit.start_line, hit.end_line + 1)]
        assert len(lines) == len(set(lines))
        text = answer.text(range(1, 9))
        assert text.startswith("What is said of this setting comes nearest to the question:\n\n`conf/shop.conf:1-3`")
        assert "[1]\n\nWhat a search finds besides:\n\n`shop/refresh.py:1-3`" in text


def test_a_setting_stands_alone_where_a_search_finds_nothing_else(tmp_path: Path) -> None:
    with index_of(tmp_path, SHIP) as index:
        answer = answer_by_way(Question("How do I change how often the statistics are refreshed?"), index)
        assert answer is not None and lines_of(answer) == ["conf/shop.conf:1-3"]
        assert "besides" not in answer.text([1])


@pytest.mark.parametrize(
    "described",
    [
        "- `whole` means that all prices are rounded up to whole cents by the shop\n",
        ".. code-block:: whole\n\n    prices rounded up to whole cents, default\n",
        "> `whole` rounds prices up to whole cents, which is the default\n",
        "```\n# whole = true\nprices rounded up to whole cents\n```\n",
    ],
)
def test_lists_sentences_and_code_of_documents_are_no_settings(tmp_path: Path, described: str) -> None:
    files = {**SHIP, "conf/shop.conf": "[global]\nport=80\n", "docs/prices.md": f"# Prices\n\n{described}"}
    with index_of(tmp_path, files) as index:
        assert find_described_setting("Which setting rounds prices up to whole cents?", index) is None


@pytest.mark.parametrize(
    "described",
    [
        "- `whole`: prices are rounded up to whole cents. Default: no.\n",
        "- `--whole` rounds prices up to whole cents\n",
        "| `SHOP_WHOLE` | rounds prices up to whole cents |\n",
    ],
)
def test_options_defaults_and_variables_of_documents_are_settings(tmp_path: Path, described: str) -> None:
    files = {**SHIP, "conf/shop.conf": "[global]\nport=80\n", "docs/prices.md": f"# Prices\n\n{described}"}
    with index_of(tmp_path, files) as index:
        assert lines_of(find_described_setting("Which setting rounds prices up to whole cents?", index)) == [
            "docs/prices.md:3-3"
        ]


def test_documents_alone_have_no_settings(tmp_path: Path) -> None:
    files = {f"notes/{name}.md": f"# {name}\n\n- `--whole` rounds prices up to whole cents\n" for name in "abcd"}
    with index_of(tmp_path, files) as index:
        assert find_described_setting("Which setting rounds prices up to whole cents?", index) is None


@pytest.fixture(scope="module")
def ship(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("ship") / "root", SHIP) as index:
        yield index


@given(
    words=st.lists(st.sampled_from("how do I set which option prices whole cents ' ? -- ` refreshed É 中 1".split()))
)
def test_every_question_has_one_setting_or_none(ship: Index, words: list[str]) -> None:
    assert len(lines_of(find_described_setting(" ".join(words), ship))) <= 1
