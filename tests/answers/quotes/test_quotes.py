"""What an answer quotes of a passage, with which label, and when it quotes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from quote_parts import FIVE, MIXED, hit

from quaestor.answers.citations.verify import verify
from quaestor.answers.quotes.pick_quotes import NOT_FOUND, NOTHING, answer, speaks
from quaestor.core.documents import Span
from quaestor.llm.prompts.numbered_passages import Passage
from quaestor.search.joined_passages import DEFINITION

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


def test_a_refusal_names_what_no_passage_mentions() -> None:
    refused = answer("How do I knit a scarf?", PASSAGES)
    assert refused.naming(("knit", "scarf")).text == NOT_FOUND.format("'knit' or 'scarf'")
    assert refused.naming(()) == refused
    unmentioned = answer("How do I run Kafka?", PASSAGES, missing=("Kafka",))
    assert unmentioned.naming(("run",)) == unmentioned
    quoted = answer("do I need cash in villages", PASSAGES)
    assert quoted.naming(("cash",)) == quoted


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
    found = answer(question, PASSAGES, hits=[hit(passage, 1.0) for passage in PASSAGES])
    checked = verify(found.text, PASSAGES, lambda path: FILES[path].encode(), claims=False)
    assert len(found.quotes) > 1
    assert [(c.n, c.status, c.start_line, c.end_line) for c in checked.citations] == [
        (quote.n, "verified", quote.start_line, quote.end_line) for quote in found.quotes
    ]


def test_a_template_is_quoted_as_code() -> None:
    template = Passage(1, "pay.html", 1, 3, "<form>\n  <p>{{ waiting time }}</p>\n</form>", language="html")
    found = answer("what is the waiting time?", [template], refused=False)
    assert "```html\n" in found.text
    assert "> <" not in found.text


def test_quoted_fences_stay_inside() -> None:
    text = "def explain():\n    ```\n    fenced [1] words\n    ```\n"
    found = answer("explain fenced words", [Passage(1, "a.py", 1, 4, text, language="python")])
    assert "````python" in found.text
    [citation] = verify(found.text, [Passage(1, "a.py", 1, 4, text)], lambda path: text.encode()).citations
    assert citation.status == "verified"


def test_of_a_long_definition_its_head_is_quoted_and_what_answers() -> None:
    body = "".join(f"    step_{number}()\n" for number in range(40))
    text = f'def drain():\n    """Empty everything."""\n{body}    flush_queue()'
    found = answer("where is the queue flushed?", [Passage(1, "a.py", 1, 43, text, symbol="drain", language="python")])
    head, statements = found.quotes
    assert (head.start_line, head.end_line, head.continues) == (1, 2, False)
    assert statements.text.endswith("    flush_queue()")
    assert statements.continues
    assert found.text.count("⋯") == 1
    checked = verify(found.text, [Passage(1, "a.py", 1, 43, text)], lambda path: text.encode(), claims=False)
    assert [citation.status for citation in checked.citations] == ["verified", "verified"]


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


def test_a_sentence_comes_with_the_code_that_it_announces() -> None:
    [first, *_] = answer("What can I set?", MIXED[1:]).quotes
    assert first.text.startswith("You can set")
    assert "Client(timeout=10.0)\n```" in first.text
    assert (first.start_line, first.label) == (3, "Waiting")


PARTS = st.sampled_from(
    ["A word here.", "\n\n", "\n# Head\n\n", "- item one\n", "| a | b |\n", "    x = 1\n", "def f():\n", "```\n", "}\n"]
)


@settings(deadline=None)
@given(st.lists(PARTS, min_size=1, max_size=30), st.sampled_from(["python", "markdown", "text", "go"]), st.data())
def test_the_first_quote_is_all_that_was_found_first(parts: list[str], language: str, data: st.DataObject) -> None:
    text = "".join(parts)
    passage = Passage(1, "a.x", 7, 7 + text.count("\n"), text, language=language)
    first = data.draw(st.integers(passage.start_line, passage.end_line))
    span = Span(0, 1, first, data.draw(st.integers(first, passage.end_line)))
    found = answer(
        "seconds " + text[:60], (passage, FIVE), refused=False, hits=[hit(passage, 9.0, span), hit(FIVE, 9.0)]
    )
    said = [number for number, line in enumerate(text.split("\n"), 7) if line.strip(" #|`-}") and "# Head" not in line]
    if said:
        quote = found.quotes[0]
        assert quote.path == "a.x"
        assert quote.text in text
        if "# Head" not in text or language not in ("markdown", "text"):  # or else edges may tell too little
            assert quote.start_line <= said[0]
            assert said[-1] <= quote.end_line


@pytest.mark.parametrize(
    ("language", "line", "most"), [("python", "    drain({})\n", 1000), ("markdown", "Step {} drains it.\n\n", 40)]
)
def test_the_longest_first_passage_that_tells_all_through_is_quoted_and_verifies(
    language: str, line: str, most: int
) -> None:
    lines = list(accumulate((line.format(number) for number in range(500)), initial="def drain():\n"))
    text = max((one for one in lines if len(one) <= DEFINITION), key=len).rstrip("\n")
    passage = Passage(1, "a.x", 5, 5 + text.count("\n"), text, language=language)
    found = answer("where does it drain", [passage, FIVE], refused=False, hits=[hit(passage, 9.0), hit(FIVE, 8.9)])
    first = found.quotes[0]
    assert first.text == "\n".join(text.split("\n")[:most])
    checked = verify(found.text, [passage, FIVE], lambda path: ("\n" * 4 + text).encode(), claims=False)
    assert (checked.citations[0].status, checked.citations[0].end_line) == ("verified", first.end_line)


def test_of_a_passage_the_lines_are_quoted_that_were_found() -> None:
    filler = " ".join(["The vault is opened once and is kept open until the process ends."] * 12)
    text = f"## One\n\nA queue. {filler}\n\n## Two\n\nA queue. {filler}\n"
    passage = Passage(1, "a.md", 1, 7, text, title="Vaults", language="markdown")
    for first, label in ((1, "Vaults > One"), (5, "Vaults > Two")):
        [quote] = answer("queue", [passage], hits=[hit(passage, 1.0, Span(0, 1, first, first + 2))]).quotes
        assert quote.label == label


@pytest.mark.parametrize(
    "text",
    [
        "key: value\n```\n\nThen restart the server with the key.",
        "Restart the server with this key:\n\n```yaml\nkey: value\nother: value",
        "key: value\n```\n\nRestart the server, or write:\n\n```yaml\nkey: other\n```",
        "```yaml\nkey: value\n```\n\nRestart the server, or write:\n\n```\nkey: other",
    ],
)
def test_a_quote_that_begins_or_ends_within_a_fence_makes_no_code_of_what_follows(text: str) -> None:
    passage = Passage(1, "a.md", 10, 10 + text.count("\n"), text, language="markdown")
    shown = answer("how do I restart the server with the key", [passage], refused=False).text
    marks = [line for line in shown.split("\n") if line.startswith("> ```")]
    assert len(marks) % 2 == 0
    assert [mark == "> ```" for mark in marks[1::2]] == [True] * (len(marks) // 2)


def test_a_label_is_no_markup_and_no_citation() -> None:
    text = "## Waiting [1] <b>`for`</b> <now\n\nEvery request waits.\n"
    found = answer("Does every request wait?", [Passage(3, "a.md", 1, 3, text, title="T[2]", language="markdown")])
    assert [citation.n for citation in verify(found.text, [], lambda path: None).citations] == []
    assert found.quotes[0].label == "T 2 > Waiting 1 for now"


def test_a_long_block_is_cut_between_its_lines() -> None:
    lines = "\n".join(f"step({number})" for number in range(200))
    passage = Passage(1, "guide.md", 1, 205, f"Run the steps like this:\n\n```\n{lines}\n```\n", language="markdown")
    [quote] = answer("how do I run the steps?", [passage]).quotes
    assert len(quote.text) <= 1000
    assert quote.text.endswith(")")


def test_definitions_beside_each_other_are_all_named() -> None:
    text = "def median(values):\n    return 0\n\n\ndef outliers(values):\n    return median(values)\n"
    passage = Passage(1, "a.py", 1, 6, text, symbol="outliers", language="python")
    both = hit(passage, 2.0, Span(0, 1, 5, 6))
    both = both._replace(chunk=both.chunk._replace(defines=("median", "outliers", "elsewhere")))
    [quote] = answer("what is a median", [passage], refused=False, hits=[both]).quotes
    assert quote.label == "median, outliers"
    assert "(`median`, `outliers`):" in answer("what is a median", [passage], refused=False, hits=[both]).text


def test_a_configuration_file_of_comments_is_quoted_as_code() -> None:
    listen = "# Where the ferry listens. Begin with unix: for a socket.\n# Type: text\n# FERRY_LISTEN=\n\n"
    port = "# The port of the ferry.\n# Type: number\n# FERRY_PORT=80\n"
    example = Passage(1, "ferry.env.example", 1, 7, listen + port, language="text")
    code = Passage(2, "listen.go", 1, 3, "func listen(socket string) {\n\topen(socket)\n}", language="go")
    hits = [hit(example, 9.0), hit(code, 5.0)]
    found = answer("How do I make the ferry listen on a socket?", [example, code], refused=False, hits=hits)
    assert found.quotes[0].path == "ferry.env.example"
    assert found.quotes[0].code and found.quotes[0].text == listen.rstrip()
    readme = replace(
        example, path="README", text="# Ferry\n\nThe ferry listens on a socket.\n\n# Ports\n\nIt has one.\n"
    )
    told = answer("How do I make the ferry listen on a socket?", [readme], refused=False, hits=hits[:1])
    assert not told.quotes[0].code
