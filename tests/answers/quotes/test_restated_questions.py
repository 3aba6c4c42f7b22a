"""A text that only repeats a question is not an answer, and is passed over."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing

import pytest

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.quotes.passage_order import without_restated
from quaestor.assemble import answer_steps
from quaestor.chat.events import TurnOutcome
from quaestor.core.config import Settings
from quaestor.core.documents import Chunk, Document, Hit, Span

QUESTION = "How is a letter kept dry on the way?"
LIST = """QUESTIONS = [
    "Where does the ferry land?",
    "Who may cross the river at night?",
    "What does a letter cost?",
]
"""
CARRY = '''"""Carrying letters."""


def wrap(letter):
    """Keep a letter dry: it goes into waxed paper on the way."""
    return WaxedPaper(letter)
'''
FILES = {
    "tests/test_asking.py": f'def test_asking(ask):\n    """A letter on its way."""\n    assert ask("{QUESTION}")\n',
    "benchmarks/asked.json": f'{{\n "questions": [\n  {{"text": "{QUESTION}", "kind": "how"}}\n ]\n}}\n',
    "README.md": f'# Ferry\n\nTry it:\n\n```sh\nferry ask "{QUESTION}"\n```\n',
    "src/carry.py": CARRY,
}


def hit(text: str, language: str = "python") -> Hit:
    return Hit(Document("a", "0" * 64, len(text), 0, language), Chunk(Span(0, len(text), 1, 1), text), 1.0)


TOLD = hit(CARRY)


@pytest.mark.parametrize(
    "repeats",
    [
        hit(f'assert ask("{QUESTION}")'),
        hit(f"    # how is a letter\n    # kept dry, on the way\n    '{QUESTION}',"),
        hit(f'Try `ferry ask "{QUESTION}"`.', "markdown"),
        hit(LIST),
    ],
)
def test_what_repeats_the_question_is_passed_over(repeats: Hit) -> None:
    assert without_restated(QUESTION, [repeats, TOLD]) == (TOLD,)
    assert without_restated(QUESTION, [repeats]) == (repeats,), "where there is nothing else, it is shown"


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        (QUESTION, hit(f"## {QUESTION}\n\nIt goes into waxed paper.", "markdown")),
        (QUESTION, hit(f'- question: "{QUESTION}"\n  answer: It goes into waxed paper.', "yaml")),
        ("Do you want to send the letter now?", hit('confirm("Do you want to send the letter now?")')),
        ("the letter got wet on the way", hit('raise Wet("the letter got wet on the way")')),
        ("Which questions are asked of the ferry?", hit(LIST)),
        ("What is it?", hit('print("What is it?")')),
    ],
)
def test_what_answers_it_stays(question: str, answers: Hit) -> None:
    assert without_restated(question, [answers, TOLD]) == (answers, TOLD)


@pytest.fixture(scope="module")
def ferry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("restated") / "ferry", FILES) as index:
        yield index


def test_the_answer_is_quoted_and_not_the_question(ferry: Index) -> None:
    async def asked() -> TurnOutcome:
        outcome = TurnOutcome()
        async with aclosing(answer_steps(ferry, None, QUESTION, Settings())) as events:
            async for event in events:
                outcome.take(event)
        return outcome

    assert ferry.search(QUESTION, 1)[0].path != "src/carry.py"
    outcome = asyncio.run(asked())
    assert [one.path for one in outcome.citations] == ["src/carry.py"]
