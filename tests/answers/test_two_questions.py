"""Questions that ask for the whole and for another thing: both are answered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.citations.verify import verify
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_by_way
from quaestor.llm.prompts.numbered_passages import number

INTRODUCTION = "Ferry carries letters across the river, whatever the weather."
HELPING = """# Helping

Build it:

    $ ./configure
    $ ./configure --to=$HOME \\
        --quiet
    $ make

Try it:

    $ bundle exec rspec
"""
ASKED = """ASKED = [
    "What is this and how do I build and test it?",
    "What is this and how do I install it?",
]
"""
FILES = {
    "README.md": f"# Ferry\n\n{INTRODUCTION}\n\n## Installing Ferry\n\nFetch the archive and unpack it.\n",
    "CONTRIBUTING.md": HELPING,
    "src/carry.py": 'def carry(letter):\n    """Take a letter across."""\n    return letter\n',
    "src/rope.py": 'class Rope:\n    """What ties the ferry."""\n',
    "src/mooring.py": "from src.rope import Rope\n\nROPE = Rope()\n",
    "src/quay.py": "from src.carry import carry\n\n\ndef land():\n    carry('news')\n",
    "tests/asked.py": ASKED,
}


@pytest.fixture(scope="module")
def ferry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("two") / "ferry", FILES) as index:
        yield index


def told(index: Index, question: str, *earlier: str) -> str:
    """Return the answer, of which each citation holds; empty where no way answers."""
    found = answer_by_way(Question(question, earlier), index)
    if found is None:
        return ""
    text = found.text(range(1, len(found.hits) + 1))
    checked = verify(text, number(found.hits), index.read)
    assert [one.status for one in checked.citations] == ["verified"] * len(found.hits)
    return text


@pytest.mark.parametrize(
    "question",
    [
        "What is this and how do I build and test it?",
        "What is this project? How do I build it from source, and how can I run the tests?",
    ],
)
def test_what_it_is_and_how_it_is_built(ferry: Index, question: str) -> None:
    text = told(ferry, question)
    assert INTRODUCTION in text
    assert "“./configure” [2]" in text and "“make” [3]" in text and "“bundle exec rspec” [4]" in text
    assert "asked.py" not in text and len(text) < 400


@pytest.mark.parametrize(
    "question",
    [
        "what is Ferry, and how do I run the specs",
        "Was ist das und wie führe ich die Tests aus?",
        "这个项目是什么，怎么运行测试？",
    ],
)
def test_what_it_is_and_how_it_is_tested(ferry: Index, question: str) -> None:
    text = told(ferry, question)
    assert INTRODUCTION in text and "“bundle exec rspec” [2]" in text and "make" not in text


@pytest.mark.parametrize(
    "question",
    ["How do I build this and where do I start reading?", "Explain how the code is organised and how I test it"],
)
def test_an_overview_is_given_whole_where_its_shape_is_asked_for(ferry: Index, question: str) -> None:
    text = told(ferry, question)
    assert INTRODUCTION in text and "**Main parts**" in text and "“./configure”" in text
    assert text.count("**Build and test**") == 1


@pytest.mark.parametrize(
    ("question", "uses"),
    [
        ("What is src/carry.py for and who uses it?", "from src.carry import carry"),
        ("What does `src/carry.py` do, and where is it imported?", "from src.carry import carry"),
        ("what is carry() and what calls it", "carry('news')"),
    ],
)
def test_what_a_name_is_and_who_uses_it(ferry: Index, question: str, uses: str) -> None:
    text = told(ferry, question)
    assert text.index("Take a letter across.") < text.index(uses)


def test_what_all_of_it_is_and_does_is_no_name(ferry: Index) -> None:
    assert INTRODUCTION in told(ferry, "What is this project and what does it depend on?")


def test_what_else_is_asked_is_quoted(ferry: Index) -> None:
    text = told(ferry, "What is this and how do I install it?")
    assert text.index(INTRODUCTION) < text.index("Fetch the archive and unpack it.")


def test_what_else_is_asked_and_not_held_is_said(ferry: Index) -> None:
    text = told(ferry, "What is this and how do I connect it to Kafka?")
    assert INTRODUCTION in text and text.endswith("enough to quote.\n")


@pytest.mark.parametrize(
    "question",
    [
        "My letter got wet and was thrown away. Where would I look first?",
        "What is this parameter and how do I set it?",
        "what is this and why?",
    ],
)
def test_one_question_in_two_clauses_stays_one(ferry: Index, question: str) -> None:
    assert INTRODUCTION not in told(ferry, question)


def test_later_in_a_conversation_this_is_something_said(ferry: Index) -> None:
    assert INTRODUCTION not in told(ferry, "What is this and how do I build it?", "What does carry do?")


def test_a_later_question_is_about_the_subject_of_the_one_before(ferry: Index) -> None:
    uses = told(ferry, "who uses it?", "what does `carry` do?")
    assert uses == told(ferry, "who uses `carry`?")
    assert "src/quay.py" in uses
    assert told(ferry, "what does it do?", "who uses `carry`?") == told(ferry, "what does `carry` do?")


def test_what_a_setting_is_and_its_default_stand_below_each_other(tmp_path: Path) -> None:
    files = {
        "shop/till.rb": "# Lets in a number of customers at most,\n# whoever they are.\n"
        "def most_customers(most)\n  @most_customers = most\nend\n",
        "shop/config.rb": "class Config\n  def initialize\n    @colours = true\n    @most_customers = 12\n  end\nend\n",
    }
    with index_of(tmp_path / "shop", files) as index:
        answer = told(index, "What is most_customers and its default?")
        assert "def most_customers(most)" in answer and "@most_customers = 12" in answer
        assert "@most_customers = 12" not in told(index, "What is most_customers?")
        assert "def most_customers(most)" in told(index, "What is most_customers and which values can it have?")
        assert told(index, "What is Config and its default?") == told(index, "What is Config?")


def test_what_a_name_in_plain_letters_is_and_who_uses_it(ferry: Index) -> None:
    text = told(ferry, "What does Rope do and who uses it?")
    assert text.startswith("`src/rope.py:1-2` (`Rope`):")
    assert "`Rope` is used at 1 place in 1 file." in text and "src/mooring.py:3" in text
