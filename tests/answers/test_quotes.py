"""Answers made of quotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from quote_parts import hit

from quaestor.answers.citations.verify import verify
from quaestor.answers.quotes import NOTHING, answer, speaks
from quaestor.core.documents import Span
from quaestor.embedding.static import StaticEmbedder
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
FIVE = Passage(2, "five.md", 1, 1, "The default is five.", language="markdown")


def test_a_sentence_comes_with_the_code_that_it_announces() -> None:
    [first, *_] = answer("What can I set?", MIXED[1:]).quotes
    assert first.text.startswith("You can set")
    assert "Client(timeout=10.0)\n```" in first.text
    assert (first.start_line, first.label) == (3, "Waiting")


@pytest.mark.parametrize(("behind", "quoted"), [(0.0, 3), (2.0, 2), (2.4, 1), (9.0, 1)])
def test_what_was_found_nearly_as_good_is_quoted_too(behind: float, quoted: int) -> None:
    question = "every request waits so many seconds; what is the default"
    passages = (MIXED[0], FIVE, *(replace(FIVE, n=n, path=f"{n}.md", text=f"The default is {n}.") for n in (3, 4)))
    hits = [hit(passage, 9.0 - rank * behind) for rank, passage in enumerate(passages)]
    assert len(answer(question, passages, hits=hits).quotes) == quoted


def test_what_the_search_found_far_behind_is_not_quoted() -> None:
    question = "set how long every request waits, and its default"
    far = answer(question, MIXED, hits=[hit(MIXED[0], 9.0), hit(MIXED[1], 2.0)])
    assert [quote.path for quote in far.quotes] == ["client.py"]
    near = answer(question, MIXED, hits=[hit(MIXED[0], 9.0), hit(MIXED[1], 8.9)])
    assert [quote.path for quote in near.quotes] == ["client.py", "docs/waiting.md"]


GUESTS = """## Guests

People who stay with us bring flowers, and we give them tea in the garden.

Dogs may stay overnight in the barn if they are quiet.

## Tea

Tea is green on weekdays, and black on Sundays."""
RULES = """## Rules

Nobody may keep the gate open overnight, for there are wolves, and they come from the hills where dogs once lived."""


@pytest.mark.parametrize(("language", "first"), [("markdown", "guests.md"), ("python", "rules.md")])
def test_of_prose_the_passage_with_the_nearest_paragraph_is_quoted_first(language: str, first: str) -> None:
    rules = Passage(1, "rules.md", 1, 3, RULES, language=language)
    guests = Passage(2, "guests.md", 1, 9, GUESTS, language=language)
    hits = [hit(rules, 5.0), hit(guests, 4.2)]
    encode = StaticEmbedder.bundled().encode
    found = answer("may my dogs stay overnight?", [rules, guests], encode, refused=False, hits=hits)
    assert found.quotes[0].path == first


def test_of_passages_about_several_versions_the_one_of_the_version_in_the_question_is_quoted_first() -> None:
    said = "Ferry {} was released in {}, and carries more letters than before."
    passages = [
        Passage(n, "releases.md", n, n, said.format(version, month), language="markdown")
        for n, version, month in ((1, "1.1", "March"), (2, "1.4", "May"), (3, "v1.3.", "June"), (4, "11.3", "July"))
    ]
    hits = [hit(one, 7.0 - 1.2 * one.n) for one in passages]
    found = answer("when was 1.3 released", passages, StaticEmbedder.bundled().encode, refused=False, hits=hits)
    assert found.quotes[0].start_line == 3


def test_of_documents_found_as_good_the_one_that_more_was_found_of_is_quoted_first() -> None:
    said = "The gate is closed at {} in winter, and opened again at seven in the morning."
    passages = [
        Passage(n, path, n, n, said.format(hour), language="markdown")
        for n, path, hour in ((1, "a.md", "five"), (2, "b.md", "six"), (3, "b.md", "four"))
    ]
    hits = [hit(passages[0], 5.0), hit(passages[1], 4.9), hit(passages[2], 4.9)]
    found = answer("when is the gate closed", passages, StaticEmbedder.bundled().encode, refused=False, hits=hits)
    assert found.quotes[0].path == "b.md"


def first_path(question: str, texts: dict[str, str], behind: float) -> str:
    passages = [Passage(n, path, 1, 1, text, language="markdown") for n, (path, text) in enumerate(texts.items(), 1)]
    hits = [hit(one, 5.0 - behind * one.n) for one in passages]
    return answer(question, passages, StaticEmbedder.bundled().encode, refused=False, hits=hits).quotes[0].path


def test_a_word_of_the_question_is_answered_by_one_that_means_the_same() -> None:
    texts = {
        "show.md": "Show a ticket for the ferry.",
        "buy.md": "At the harbour stands a red house, where guests buy a ticket for the ferry and eat soup in winter.",
    }
    assert first_path("purchase a ticket for the ferry", texts, 0.3) == "buy.md"


def test_where_an_amount_is_asked_for_the_passage_that_says_one_is_quoted_first() -> None:
    texts = {
        "why.md": "Guests stay in the barn where they keep quiet.",
        "many.md": "Guests stay in the barn where there are 14 beds.",
    }
    assert first_path("how many guests stay in the barn", texts, 0.1) == "many.md"


def test_of_passages_that_say_as_much_the_one_under_headings_like_the_question_is_quoted_first() -> None:
    said = "Bring the blue form to the harbour office."
    passages = [
        Passage(n, "harbour.md", n, n, said, symbol=symbol, language="markdown")
        for n, symbol in ((1, "Harbour > Selling fish"), (2, "Harbour > Mooring ships"))
    ]
    hits = [hit(one, 5.0) for one in passages]
    encode = StaticEmbedder.bundled().encode
    found = answer("which form does a boat need for an anchorage", passages, encode, refused=False, hits=hits)
    assert found.quotes[0].start_line == 2


def test_words_of_grammar_of_another_language_answer_nothing() -> None:
    texts = {
        "titre.md": "Publier un document.",
        "degres.md": "On distingue trois degrés, où les faits sont ceux qui figurent dans un tableau ou un autre.",
        "noms.md": "Publier des noms exige l'accord de chaque personne.",
    }
    passages = [Passage(n, path, 1, 1, text, language="markdown") for n, (path, text) in enumerate(texts.items(), 1)]
    question = "Peut-on publier les noms de personnes qui sont dans un document ?"
    found = answer(question, passages, refused=False, hits=[hit(one, 5.0) for one in passages])
    assert [quote.path for quote in found.quotes] == ["titre.md", "noms.md"]


@pytest.mark.parametrize(("language", "quoted"), [("markdown", 4), ("python", 3)])
def test_of_short_passages_of_prose_a_fourth_is_quoted(language: str, quoted: int) -> None:
    passages = [Passage(n, f"{n}.md", 1, 1, f"The gate number {n} is closed.", language=language) for n in range(1, 7)]
    found = answer("which gate is closed", passages, refused=False, hits=[hit(one, 5.0) for one in passages])
    assert len(found.quotes) == quoted


def test_where_enough_is_quoted_no_more_follows() -> None:
    said = "The default is five seconds, and may be changed at any time by {}. " * 28
    long = [Passage(n, f"{n}.md", 1, 1, said.format(*[n] * 28), language="markdown") for n in (1, 3)]
    found = answer("what is the default", (*long, FIVE), hits=[hit(one, 9.0) for one in (*long, FIVE)])
    assert [quote.path for quote in found.quotes] == ["1.md", "3.md"]


def test_a_second_passage_is_quoted_however_long_the_first_is_and_no_third() -> None:
    step = "    wait(seconds)  # the default is five seconds\n"
    long = [Passage(n, f"{n}.py", 1, 60, f"def of_{n}():\n{step * 59}", language="python") for n in (1, 3)]
    found = answer("what is the default", (*long, FIVE), refused=False, hits=[hit(one, 9.0) for one in (*long, FIVE)])
    assert len(found.quotes[0].text) > 2800
    assert {quote.path for quote in found.quotes} == {"1.py", "3.py"}


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


@pytest.mark.parametrize(("language", "line"), [("python", "    step({})\n"), ("markdown", "Step {} comes next.\n\n")])
def test_the_longest_first_passage_is_quoted_whole_and_verifies(language: str, line: str) -> None:
    lines = list(accumulate((line.format(number) for number in range(500)), initial="def drain():\n"))
    text = max((one for one in lines if len(one) <= DEFINITION), key=len).rstrip("\n")
    passage = Passage(1, "a.x", 5, 5 + text.count("\n"), text, language=language)
    found = answer("where does it drain", [passage, FIVE], refused=False, hits=[hit(passage, 9.0), hit(FIVE, 8.9)])
    assert found.quotes[0].text == text
    checked = verify(found.text, [passage, FIVE], lambda path: ("\n" * 4 + text).encode(), claims=False)
    assert (checked.citations[0].status, checked.citations[0].end_line) == ("verified", passage.end_line)


def test_of_a_passage_the_lines_are_quoted_that_were_found() -> None:
    filler = " ".join(["The vault is opened once and is kept open until the process ends."] * 12)
    text = f"## One\n\nA queue. {filler}\n\n## Two\n\nA queue. {filler}\n"
    passage = Passage(1, "a.md", 1, 7, text, title="Vaults", language="markdown")
    for first, label in ((1, "Vaults > One"), (5, "Vaults > Two")):
        [quote] = answer("queue", [passage], hits=[hit(passage, 1.0, Span(0, 1, first, first + 2))]).quotes
        assert quote.label == label


def test_code_that_asks_the_question_itself_is_no_further_quote() -> None:
    question = "How long does a vault stay open?"
    first = Passage(
        1, "a.py", 1, 2, "def open_vault():\n    return 'A vault stays open for an hour.'\n", language="python"
    )
    asking = Passage(2, "b.py", 1, 1, f'QUESTIONS = ["{question}", "vault"]\n', language="python")
    hits = [hit(first, 2.0), hit(asking, 1.9)]
    assert [quote.path for quote in answer(question, [first, asking], refused=False, hits=hits).quotes] == ["a.py"]
    other = answer("How long does any vault stay open?", [first, asking], refused=False, hits=hits)
    assert [quote.path for quote in other.quotes] == ["a.py", "b.py"]


def test_a_licence_is_no_further_quote_of_anything_else() -> None:
    question = "Who owns what the author and the user agree on?"
    first = Passage(1, "a.md", 1, 1, "The author and the user agree on who owns it.\n", language="markdown")
    licence = Passage(2, "docs/LICENSE.md", 1, 1, "The author owns it, and the user agrees.\n", language="markdown")
    told = answer(question, [first, licence], refused=False, hits=[hit(first, 2.0), hit(licence, 1.9)])
    assert [quote.path for quote in told.quotes] == ["a.md"]
    alone = answer(question, [licence, first], refused=False, hits=[hit(licence, 2.0), hit(first, 1.9)])
    assert [quote.path for quote in alone.quotes] == ["docs/LICENSE.md", "a.md"]


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


def test_a_question_for_several_things_is_answered_from_several_places() -> None:
    text = "Every vault has a key, and a key is kept for a year."
    passages = [Passage(n, f"{n}.md", 1, 1, f"{text} {n}", language="markdown") for n in (1, 2)]
    assert len(answer("how long is a key of a vault kept?", passages).quotes) == 1
    hits = [hit(one, 5.0) for one in passages]
    assert len(answer("list all places where a key of a vault is kept", passages, hits=hits).quotes) == 2


@pytest.mark.parametrize(
    ("question", "first"),
    [("How long is the period of notice?", "b.md"), ("Wie lange ist die Kündigungsfrist?", "a.md")],
)
def test_passages_are_ordered_by_what_is_similar_in_english_only(question: str, first: str) -> None:
    told = Passage(
        1, "a.md", 1, 1, "Employment ends with the month, das Arbeitsverhältnis auch.\n", language="markdown"
    )
    asked = Passage(2, "b.md", 1, 1, f"{question} It is four weeks, vier Wochen.\n", language="markdown")
    passages, encode = [told, asked], StaticEmbedder.bundled().encode
    found = answer(question, passages, encode, refused=False, hits=[hit(told, 2.0), hit(asked, 1.9)])
    assert found.quotes[0].path == first


def test_a_long_block_is_cut_between_its_lines() -> None:
    lines = "\n".join(f"step({number})" for number in range(200))
    passage = Passage(1, "guide.md", 1, 205, f"Run the steps like this:\n\n```\n{lines}\n```\n", language="markdown")
    [quote] = answer("how do I run the steps?", [passage]).quotes
    assert len(quote.text) <= 1000
    assert quote.text.endswith(")")


@pytest.mark.parametrize(
    "links",
    [
        "## See also\n\n- [Build a boiler](https://example.org/a)\n- [Boiler](https://example.org/b), a crate\n",
        "# Boilers\n\nTo build a boiler:\n\n- [Boiler](#boiler)\n- [Steam](#steam), when needed\n- Other parts\n",
    ],
)
@pytest.mark.parametrize(
    ("question", "paths"),
    [("When should I build a boiler?", ["why.md"]), ("Where is a boiler described?", ["links.md", "why.md"])],
)
def test_a_list_of_links_is_quoted_where_links_are_asked_for(question: str, paths: list[str], links: str) -> None:
    listed = Passage(1, "links.md", 1, 1 + links.count("\n"), links, language="markdown")
    told = Passage(2, "why.md", 1, 1, "Build a boiler where steam is described as needed.\n", language="markdown")
    found = answer(question, [listed, told], refused=False, hits=[hit(listed, 2.0), hit(told, 1.9)])
    assert [quote.path for quote in found.quotes] == paths
    far = answer(question, [listed, told], refused=False, hits=[hit(listed, 9.0), hit(told, 1.9)])
    assert far.quotes[0].path == "links.md"


def test_definitions_beside_each_other_are_all_named() -> None:
    text = "def median(values):\n    return 0\n\n\ndef outliers(values):\n    return median(values)\n"
    passage = Passage(1, "a.py", 1, 6, text, symbol="outliers", language="python")
    both = hit(passage, 2.0, Span(0, 1, 5, 6))
    both = both._replace(chunk=both.chunk._replace(defines=("median", "outliers", "elsewhere")))
    [quote] = answer("what is a median", [passage], refused=False, hits=[both]).quotes
    assert quote.label == "median, outliers"
    assert "(`median`, `outliers`):" in answer("what is a median", [passage], refused=False, hits=[both]).text


DO_IT = Passage(1, "client.py", 1, 2, "def cancel(request):\n    request.drop()\n", symbol="cancel", language="python")
CANCELLING = Passage(
    2, "guide.md", 9, 9, "Call `abort` of the controller.\n", symbol="Guide > Cancellation", language="markdown"
)


@pytest.mark.parametrize(
    ("question", "heading", "paths"),
    [
        ("How do I cancel a request?", "Guide > Cancellation", ["client.py", "guide.md"]),
        ("how to cancel a request", "Guide > Cancelling requests", ["guide.md", "client.py"]),
        ("Where do I cancel a request?", "Guide > Cancellation", ["client.py"]),
        ("How do I cancel a request?", "Guide > Encryption", ["client.py"]),
    ],
)
def test_who_asks_how_to_do_a_thing_gets_the_guide_beside_the_code(
    question: str, heading: str, paths: list[str]
) -> None:
    passages = [DO_IT, replace(CANCELLING, symbol=heading)]
    found = answer(question, passages, refused=False, hits=[hit(passages[0], 9.0), hit(passages[1], 4.0)])
    assert [quote.path for quote in found.quotes] == paths


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
