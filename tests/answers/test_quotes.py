"""Answers made of quotes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from quaestor.answers.quotes import NOTHING, ExtractiveModel, answer, speaks
from quaestor.citations.verify import verify
from quaestor.models import Finished, Request, TextDelta
from quaestor.prompts.passages import Passage

RETRY = '''class RetryPolicy:
    """Decides whether a failed request is sent again, and after how long."""

    def __init__(self, most: int = 3) -> None:
        self.most = most

    def delay(self, attempt: int) -> float:
        """Return the seconds to wait before an attempt: doubled each time, at most a minute."""
        return min(60.0, 0.5 * 2**attempt)


def parse_config(path):
    return toml.load(path)
'''
TRAVEL = """# Mexico

We spent two weeks there. For breakfast, try the chilaquiles at the
market in Oaxaca; they are the best we had. The museum was closed.

## Money

Cards are accepted in cities. Carry cash in the villages.

- Tip ten percent in restaurants.
- Taxis: agree on the price first!
"""
PASSAGES = (
    Passage(1, "net/retry.py", 10, 23, RETRY, symbol="RetryPolicy", language="python"),
    Passage(2, "blog/mexico.md", 1, 11, TRAVEL, title="Mexico", language="markdown"),
)
FILES = {"net/retry.py": "\n" * 9 + RETRY, "blog/mexico.md": TRAVEL}


def best(question: str) -> str:
    found = answer(question, PASSAGES)
    assert found.known, found
    return found.quotes[0].text


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How long do we wait before another attempt?", "seconds to wait before an attempt"),
        ("where is RetryPolicy defined", "class RetryPolicy:"),
        ("parse_config", "def parse_config(path):"),
        ("What should I eat for breakfast in Mexico?", "try the chilaquiles at the\nmarket in Oaxaca"),
        ("How much do I tip in a restaurant?", "Tip ten percent in restaurants."),
        ("do I need cash in villages", "Carry cash in the villages."),
    ],
)
def test_best_quote(question: str, words: str) -> None:
    assert words in best(question)


@pytest.mark.parametrize("question", ["How do I knit a scarf?", "", "???", "what is it", "the"])
def test_weak_evidence_is_no_answer(question: str) -> None:
    found = answer(question, PASSAGES)
    assert not found.known
    assert found.quotes == ()
    assert found.text == NOTHING
    assert not speaks(question, PASSAGES)


def test_no_passages() -> None:
    assert not answer("anything at all", ()).known


@pytest.mark.parametrize(
    "question",
    [
        "breakfast in Oaxaca and how long to wait before an attempt",
        "seconds to wait before an attempt, ten percent in restaurants",
    ],
)
def test_every_quote_is_cited_and_verifies(question: str) -> None:
    found = answer(question, PASSAGES)
    checked = verify(found.text, PASSAGES, lambda path: FILES[path].encode())
    assert len(found.quotes) > 1
    assert [(c.n, c.status, c.start_line, c.end_line) for c in checked.citations] == [
        (quote.n, "verified", quote.start_line, quote.end_line) for quote in found.quotes
    ]
    assert checked.unsupported == ()


def test_quoted_fences_stay_inside() -> None:
    text = "def explain():\n    ```\n    fenced [1] words\n    ```\n"
    found = answer("explain fenced words", [Passage(1, "a.py", 1, 4, text, language="python")])
    assert "````python" in found.text
    [citation] = verify(found.text, [Passage(1, "a.py", 1, 4, text)], lambda path: text.encode()).citations
    assert citation.status == "verified"


def test_code_is_quoted_once_from_each_passage_and_long_enough_to_say_something() -> None:
    body = "".join(f"    step_{number}()\n" for number in range(20))
    passages = [
        Passage(n, f"{n}.py", 1, 22, f"def drain{n}():\n{body}    flush_queue()", language="python") for n in (1, 2)
    ]
    found = answer("where is the queue flushed?", passages)
    assert [quote.n for quote in found.quotes] == [1, 2]
    for quote in found.quotes:
        assert quote.text.splitlines()[-1].strip() == "flush_queue()"
        assert quote.end_line - quote.start_line == 7


def test_an_embedder_finds_what_shares_no_word() -> None:
    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        rows = [[1.0, 0.0] if "chilaquiles" in text or "hungry" in text else [0.0, 1.0] for text in texts]
        return np.array(rows, dtype=np.float32)

    assert not answer("I am hungry", PASSAGES).known
    assert "chilaquiles" in answer("I am hungry", PASSAGES, encode).quotes[0].text
    assert not speaks("I am hungry", PASSAGES)
    assert speaks("I am hungry", PASSAGES, encode)


def test_where_words_tell_no_embedder_is_asked_whether_passages_speak_of_a_question() -> None:
    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        raise AssertionError(texts)

    assert speaks("do I need cash in villages", PASSAGES, encode)


def test_as_a_model() -> None:
    async def run() -> list[object]:
        model = ExtractiveModel("do I need cash in villages", PASSAGES)
        return [delta async for delta in model.stream(Request(()))]

    *texts, end = asyncio.run(run())
    joined = "".join(delta.text for delta in texts if isinstance(delta, TextDelta))
    assert joined == answer("do I need cash in villages", PASSAGES).text
    assert isinstance(end, Finished)
    assert end.reason == "stop"


@settings(deadline=None)
@given(
    st.text(max_size=60),
    st.lists(st.tuples(st.text(max_size=300), st.sampled_from(["python", "markdown", "text", "go"])), max_size=3),
)
def test_quotes_are_verbatim(question: str, given_texts: list[tuple[str, str]]) -> None:
    passages = [
        Passage(n, f"{n}.x", 5, 5 + text.count("\n"), text, language=kind)
        for n, (text, kind) in enumerate(given_texts, 1)
    ]
    words = " ".join(text for text, _ in given_texts)[:80]
    found = answer(f"{question} {words}", passages)
    assert speaks(f"{question} {words}", passages) or not found.known
    for quote in found.quotes:
        passage = passages[quote.n - 1]
        assert quote.text
        assert quote.text in passage.text
        assert passage.start_line <= quote.start_line <= quote.end_line <= passage.end_line


GUIDE = """# Waiting

You can set how long every request waits on the client:

```python
client = Client(timeout=10.0)
```

The default is five seconds.
"""
SOURCE = "def set_wait(client, seconds):\n    client.wait = seconds  # how long every request waits\n"
MIXED = (
    Passage(1, "client.py", 1, 2, SOURCE, symbol="set_wait", language="python"),
    Passage(2, "docs/waiting.md", 1, 9, GUIDE, title="Waiting", language="markdown"),
)


def test_a_sentence_comes_with_the_code_that_it_announces() -> None:
    [first, *_] = answer("How do I set how long a request waits?", MIXED).quotes
    assert first.path == "docs/waiting.md"
    assert first.text.startswith("You can set")
    assert first.text.endswith("```")
    assert "Client(timeout=10.0)" in first.text
    assert (first.start_line, first.end_line) == (3, 7)


def test_documents_answer_how_to_use_a_thing_and_code_how_it_works() -> None:
    assert answer("How can I set how long requests wait?", MIXED).quotes[0].path == "docs/waiting.md"
    assert answer("Where is it set how long every request waits?", MIXED).quotes[0].path == "client.py"


def test_beside_code_alone_one_stretch_of_prose_explains_it() -> None:
    quotes = answer("Where is it set how long every request waits?", MIXED).quotes
    assert [quote.path for quote in quotes] == ["client.py", "docs/waiting.md"]


def test_a_long_block_is_not_quoted_with_its_announcement() -> None:
    lines = "\n".join(f"step({number})" for number in range(40))
    passage = Passage(1, "guide.md", 1, 45, f"Run the steps like this:\n\n```\n{lines}\n```\n", language="markdown")
    assert all(quote.text.count("\n") < 20 for quote in answer("how do I run the steps?", [passage]).quotes)
