"""Of a long passage, the part that tells most is quoted, whole statements and sentences of it, and named."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quote_parts import hit

from quaestor.answers.quotes.paragraphs import Piece
from quaestor.answers.quotes.pick_quotes import answer
from quaestor.answers.quotes.quotes_in_markdown import Quote, label_of_code
from quaestor.answers.quotes.telling_parts import _announces
from quaestor.core.documents import Hit
from quaestor.embedding.static import StaticEmbedder
from quaestor.llm.prompts.numbered_passages import Passage

ENCODE = StaticEmbedder.bundled().encode
BOAT = '''class Boat:
    def paint(self, colour, coats=2):
        """Paint the hull of the boat.

        The colour is any name that the shop has.
        """
        for _ in range(coats):
            self.hull.apply(
                colour,
                thin=False,
            )
        self.hull.dry()

    def anchor(self, depth):
        """Drop the anchor at a depth in metres.

        The chain is let out slowly.
        """
        self.chain.release(depth * 3)
        self.stop()

    def feed(self, crew):
        """Cook supper for the crew."""
        for sailor in crew:
            sailor.eat(
                self.galley.cook(sailor.taste),
            )
'''
FILLER = "".join(f"    step_{number} = prepare({number})\n" for number in range(30))
LONG = f'''def cast_off(boat, tide):
    """Leave the harbour."""
{FILLER}    if tide.is_low():
        boat.wait_for_high_water(
            tide.next_high(),
        )
    return boat
'''
GUIDE = """## Knots

Ropes are kept dry. They hang in the shed, where nobody steps on them.

Sails are folded in autumn, and the covers are washed before that.
It takes two people and a whole afternoon.

To tie a bowline, do this:

1. Make a loop near the end.
2. Pass the end through the loop.
3. Pull it tight.

The shed is locked at night. Whoever needs a key asks the harbour master.
The harbour master lives next door.

Paint is bought in spring. It is stored in the cellar, since frost spoils it.
"""


def quotes_of(question: str, *passages: Passage, defines: Sequence[str] = ()) -> tuple[Quote, ...]:
    hits = [hit(one, 9.0 - rank / 10) for rank, one in enumerate(passages)]
    hits = [one._replace(chunk=one.chunk._replace(defines=tuple(defines))) for one in hits]
    return answer(question, passages, ENCODE, refused=False, hits=hits).quotes


def of_code(question: str, text: str, symbol: str, *defines: str) -> tuple[Quote, ...]:
    passage = Passage(1, "boat.py", 11, 10 + text.count("\n"), text, symbol=symbol, language="python")
    return quotes_of(question, passage, defines=defines)


def of_prose(question: str, text: str) -> Quote:
    [quote, *_] = quotes_of(question, Passage(1, "a.md", 21, 20 + text.count("\n"), text, language="markdown"))
    return quote


@pytest.mark.parametrize(
    ("question", "lines", "label"),
    [
        ("How deep is the anchor dropped?", (24, 30), "Boat.anchor"),
        ("Who cooks supper for the sailors?", (32, 37), "Boat.feed"),
        ("How is the hull painted?", (12, 22), "Boat.paint"),
    ],
)
def test_of_several_definitions_the_one_that_answers_is_quoted_and_named(
    question: str, lines: tuple[int, int], label: str
) -> None:
    [quote] = of_code(question, BOAT, "Boat.paint", "paint", "anchor", "feed")
    assert (quote.start_line, quote.end_line, quote.label) == (*lines, label)


def test_of_a_long_definition_its_head_and_the_statement_that_answers_are_quoted() -> None:
    head, statement = of_code("What happens when the tide is low, before high water?", LONG, "cast_off", "cast_off")
    assert head.text == 'def cast_off(boat, tide):\n    """Leave the harbour."""'
    assert statement.continues
    assert statement.text.startswith("    if tide.is_low():")
    assert {head.label, statement.label} == {"cast_off"}


def test_a_short_definition_is_quoted_whole() -> None:
    text = BOAT[: BOAT.index("    def anchor")]
    [quote] = of_code("What is the hull thinned with?", text, "Boat", "Boat", "paint")
    assert quote.text == text.rstrip()
    assert quote.label == "Boat"


def test_a_quote_of_prose_ends_with_the_list_that_it_announces() -> None:
    assert (
        of_prose("How do I tie a bowline?", GUIDE).text
        == GUIDE[GUIDE.index("To tie") : GUIDE.index("The shed")].strip()
    )


def test_a_quote_that_is_a_list_begins_with_what_introduces_it() -> None:
    quote = of_prose("Where does the end pass through the loop?", GUIDE)
    assert quote.text.startswith("To tie a bowline, do this:\n\n1. Make a loop")


@pytest.mark.parametrize("announced", [":\n\n", ", e.g.\n"])
def test_a_block_of_code_is_quoted_with_what_introduces_it_and_the_other_way_round(announced: str) -> None:
    block = "```sh\ntie --bowline rope\n```"
    told = f"Knots are tied by a program{announced}{block}"
    text = GUIDE.replace("To tie a bowline, do this:", told)
    for question in ("Which program ties knots?", "tie --bowline rope"):
        assert told in of_prose(question, text).text


def test_the_lines_of_a_quotation_are_quoted_together() -> None:
    told = "> The harbour master of the town has said that no boat may\n> leave while the wind blows from the north."
    quote = of_prose(
        "What did the harbour master say about wind from the north?", GUIDE.replace("To tie", f"{told}\n\nTo tie")
    )
    assert told in quote.text


def test_what_states_the_amount_that_is_asked_for_is_not_left_out() -> None:
    text = GUIDE.replace("The shed is", "A berth costs 40 euros.\n\nThe shed is")
    for question in ("How much does the harbour master charge for paint?", "How much is a berth?"):
        assert "40 euros" in of_prose(question, text).text


def test_a_question_in_another_language_gets_the_whole_passage() -> None:
    quote = of_prose("Wie wird ein Palstek geknotet, und wo liegt der Schlüssel?", GUIDE)
    assert (quote.start_line, quote.end_line) == (23, 37)


@pytest.mark.parametrize(
    ("lines", "found", "label"),
    [
        ((12, 22), True, "Boat.paint"),
        ((12, 30), True, "Boat.paint"),
        ((24, 30), True, "Boat.anchor"),
        ((24, 37), True, "Boat.anchor, Boat.feed"),
        ((28, 30), False, "Boat.anchor"),
        ((11, 37), True, "Boat.paint"),
    ],
)
def test_code_is_named_by_the_definitions_that_are_quoted(lines: tuple[int, int], found: bool, label: str) -> None:
    passage = Passage(1, "boat.py", 11, 37, BOAT, symbol="Boat.paint", language="python")
    assert label_of_code(passage, ("paint", "anchor", "feed"), lines, found=found) == label


def test_code_without_a_definition_is_named_for_its_chunk_if_it_lies_there() -> None:
    passage = Passage(1, "a.py", 1, 3, "a = 1\nb = 2\nc = 3\n", symbol="Boat.paint", language="python")
    assert label_of_code(passage, (), (2, 2), found=True) == "Boat.paint"
    assert label_of_code(passage, (), (2, 2), found=False) == ""
    inner = Passage(1, "boat.py", 1, 27, BOAT, symbol="Boat", language="python")
    assert label_of_code(inner, ("Boat", "paint", "anchor", "feed"), (14, 20), found=True) == "Boat.anchor"


WORDS = st.lists(st.sampled_from("boat anchor rope tide knot sail paint harbour".split()), min_size=1, max_size=6)
NAMES = WORDS.map("_".join)
STATEMENTS = st.one_of(
    NAMES.map(lambda name: f"{name}()"),
    NAMES.map(lambda name: f"{name}(\n    1,\n    two=2,\n)"),
    NAMES.map(lambda name: f"for one in {name}:\n    one.{name}(\n        3,\n    )\n    one.close()"),
    WORDS.map(lambda words: f"# {' '.join(words)}\nif {'_'.join(words)}:\n    go()\nelse:\n    stop()"),
)


def indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


@st.composite
def modules(draw: st.DrawFn) -> str:
    parts = []
    for number in range(draw(st.integers(1, 4))):
        body = draw(st.lists(STATEMENTS, min_size=1, max_size=12))
        doc = draw(WORDS.map(lambda words: f'"""{" ".join(words).capitalize()}."""'))
        parts.append(f"def {draw(NAMES)}_{number}(x):\n" + "\n".join(map(indented, [doc, *body])))
    return "\n\n\n".join(parts) + "\n"


def answered(question: str, passages: Sequence[Passage]) -> tuple[Quote, ...]:
    hits: list[Hit] = [hit(one, 5.0 - rank) for rank, one in enumerate(passages)]
    return answer(question, passages, ENCODE, refused=False, hits=hits).quotes


def assert_verbatim_and_apart(quotes: Sequence[Quote], passages: Sequence[Passage]) -> None:
    texts = {one.path: one for one in passages}
    shown: dict[str, set[int]] = {}
    for quote in quotes:
        passage = texts[quote.path]
        first, last = quote.start_line - passage.start_line, quote.end_line - passage.start_line
        assert quote.text in "\n".join(passage.text.split("\n")[first : last + 1])
        lines = set(range(first, last + 1))
        assert not lines & shown.setdefault(quote.path, set())
        shown[quote.path] |= lines


@given(st.lists(modules(), min_size=1, max_size=3), WORDS)
def test_code_is_quoted_by_whole_statements(texts: list[str], words: list[str]) -> None:
    passages = [
        Passage(n, f"{n}.py", 7, 7 + text.count("\n"), text, language="python") for n, text in enumerate(texts, 1)
    ]
    quotes = answered(f"how does the {' '.join(words)} work?", passages)
    assert_verbatim_and_apart(quotes, passages)
    for quote in quotes:
        first, last = quote.start_line - 6, quote.end_line - 6
        assert quote.text == "\n".join(texts[quote.n - 1].split("\n")[first - 1 : last])
        for node in ast.walk(ast.parse(texts[quote.n - 1])):
            if isinstance(node, ast.Expr):
                assert node.end_lineno is not None
                assert first <= node.lineno <= node.end_lineno <= last or node.end_lineno < first or last < node.lineno


SENTENCES = WORDS.map(lambda words: f"The {' '.join(words)} is\nready at noon.")
BLOCKS = st.one_of(
    st.lists(SENTENCES, min_size=1, max_size=4).map(" ".join),
    SENTENCES.map(lambda text: "- " + text.replace("\n", "\n  ")),
    SENTENCES.map(lambda text: "> " + text.replace("\n", "\n> ")),
    WORDS.map(lambda words: f"### {' '.join(words)}"),
)


@given(st.lists(st.lists(BLOCKS, min_size=1, max_size=12), min_size=1, max_size=3), WORDS)
def test_prose_is_quoted_by_whole_paragraphs_and_items(documents: list[list[str]], words: list[str]) -> None:
    passages = [
        Passage(n, f"{n}.md", 3, 3 + text.count("\n"), text, language="markdown")
        for n, text in enumerate(map("\n\n".join, documents), 1)
    ]
    quotes = answered(f"where is the {' '.join(words)}?", passages)
    assert_verbatim_and_apart(quotes, passages)
    for quote in quotes:
        blocks = documents[quote.n - 1]
        assert quote.text.endswith(tuple(blocks))
        assert quote.text.startswith(tuple(blocks))


@pytest.mark.parametrize(
    ("above", "between", "below", "introduces"),
    [
        ("Type this", "\n", "```\nrow\n```", True),
        ("Type this:", "\n\n", "```\nrow\n```", True),
        ("Type this", "\n\n", "```\nrow\n```", False),
        ("Type this", "\n", "and that", False),
        ("Type this:", "\n\n", "and that", False),
    ],
)
def test_a_block_is_introduced_by_the_line_above_it_or_by_a_colon(
    above: str, between: str, below: str, introduces: bool
) -> None:
    text = f"{above}{between}{below}"
    pieces = Piece(0, len(above), 0, ""), Piece(len(above) + len(between), len(text), 0, "")
    assert _announces(text, *pieces) == introduces
