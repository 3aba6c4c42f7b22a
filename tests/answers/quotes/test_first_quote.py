"""Which passage is quoted first, where the question says what it is for: a default, or a test."""

from __future__ import annotations

import pytest
from overview_parts import Make
from quote_parts import hit

from quaestor.answers.quotes.pick_quotes import answer
from quaestor.answers.quotes.quotes_in_markdown import FURTHER
from quaestor.core.questions import says_default
from quaestor.llm.prompts.numbered_passages import Passage, number


@pytest.mark.parametrize(
    ("path", "head", "row"),
    [
        ("contacts.csv", "name,role,phone,city\n", "{},{},+1 555 {:04},{}\n"),
        (
            "contacts.md",
            "# Contacts\n\n| Name | Role | Phone | City |\n|---|---|---|---|\n",
            "| {} | {} | +1 555 {:04} | {} |\n",
        ),
    ],
)
def test_a_row_of_a_long_table_among_documents_answers_alone(made: Make, path: str, head: str, row: str) -> None:
    names = {150: "Zimmermann", 233: "Abernathy"}
    rows = "".join(row.format(names.get(n, f"Ada {n}"), "support", n, "Oaxaca") for n in range(300))
    rooms = ("boats", "oars", "sails", "ropes", "anchors")
    notes = {
        f"notes/{room}-{n}.md": f"# About {room}\n\nWho looks after {room} has a phone in the shed, number {n}.\n"
        for room in rooms
        for n in range(8)
    }
    with made({path: head + rows, **notes}) as index:
        question = "What is the phone number of Abernathy?"
        hits = index.search(question, 10)
        quotes = answer(question, number(hits), refused=index.doubt(question, hits).refuses, hits=hits).quotes
    assert quotes[0].path == path
    assert "Abernathy" in quotes[0].text or "Abernathy" in quotes[1].text
    assert quotes[0].text.count("\n") < 3


def test_a_default_is_told_by_the_name_whatever_else_is_asked_and_by_all_of_its_paragraph() -> None:
    warns = 'void check() {\n  warn("idleTime {} is little, default {} is taken", t, D);\n}'
    limits = Passage(1, "Limits.java", 1, 3, warns, language="java")
    told = "``idleTime``\n" + "How long a boat may lie idle.\n" * 9 + "*Default: 600000 (10 minutes)*\n"
    gives = Passage(2, "README.md", 1, 11, told, language="markdown")
    hits = [hit(one, 9.0 - 3 * rank) for rank, one in enumerate((limits, gives))]
    question = "What is the default of idleTime and the smallest value allowed?"
    assert answer(question, [limits, gives], refused=False, hits=hits).quotes[0].path == "README.md"


@pytest.mark.parametrize(
    "text",
    [
        "## timeout\n\nType: `number`\nDefault: `10000`\n\nOf each attempt.",
        "/**\nOf an attempt.\n\n@default 10000\n*/\ntimeout?: number;",
        "DEFAULT_TIMEOUT = 10",
        "  --timeout int   seconds (default 10)",
        'parser.add("--timeout", default=10)',
        "=item B<timeout> (values: [none/short], default: none)",
    ],
)
def test_who_asks_for_a_default_gets_first_what_gives_it(text: str) -> None:
    waits = Passage(1, "timeout.py", 1, 2, "def timeout(request):\n    wait(request, default())\n", language="python")
    gives = Passage(2, "options.txt", 1, 9, text, language="markdown")
    hits = [hit(waits, 9.0), hit(gives, 5.0)]
    asked = answer("What is the default timeout?", [waits, gives], refused=False, hits=hits)
    assert asked.quotes[0].path == "options.txt"
    other = answer("What is the default size?", [waits, gives], refused=False, hits=hits)
    assert other.quotes[0].path == "timeout.py"
    elsewhere = answer("Where is the timeout?", [waits, gives], refused=False, hits=hits)
    assert elsewhere.quotes[0].path == "timeout.py"


@pytest.mark.parametrize(
    ("lines", "gives"),
    [
        (["`wait`", "", *"abcde", "Default: 5"], False),
        (["`wait`", "", *"abcd", "Default: 5"], True),
        (["`wait`", *"abcdefgh", "Default: 5"], True),
        (["`wait`", *"ab", "", *"cdefg", "Default: 5"], False),
        (["Default: 5", "a", "b", "`wait`"], True),
        (["Default: 5", "a", "b", "c", "`wait`"], False),
        (["`wait` (default: 5)"], True),
        (["`wait`", "five (default: 5)"], False),
        (["`wait`", "It waits."], False),
    ],
)
def test_a_default_is_that_of_what_stands_beside_it(lines: list[str], gives: bool) -> None:
    assert says_default("\n".join(lines), {"wait", "default"}) == gives
    assert not says_default("\n".join(lines), {"default"})


@pytest.mark.parametrize(
    ("question", "paths"),
    [
        ("How is an enum of ships read?", ["enum.py", "src/reader.py", "tests/test_enum.py"]),
        ("Where is an enum of ships tested?", ["enum.py", "tests/test_enum.py", "src/reader.py"]),
    ],
)
def test_a_test_is_quoted_behind_what_it_tests_unless_it_is_asked_for(question: str, paths: list[str]) -> None:
    texts = {
        "enum.py": "def enum(ships):\n    return ships\n",
        "tests/test_enum.py": "def test_enum():\n    assert read(enum(ships)) == ships\n",
        "src/reader.py": "def reader(ship):\n    return of(ship)\n",
    }
    passages = [Passage(n, path, 1, 2, text, language="python") for n, (path, text) in enumerate(texts.items(), 1)]
    hits = [hit(one, 9.0 - rank / 10) for rank, one in enumerate(passages)]
    assert [quote.path for quote in answer(question, passages, refused=False, hits=hits).quotes] == paths


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("A name may have letters, hyphens and numbers.\n", False),
        ("A name may have letters and hyphens, 39 characters in all.\n", True),
    ],
)
def test_who_asks_how_many_is_not_answered_without_an_amount(text: str, known: bool) -> None:
    passages = [Passage(1, "names.md", 1, 1, text, language="markdown")]
    hits = [hit(passages[0], 9.0)]
    assert answer("How many characters may a name have?", passages, refused=False, hits=hits).known == known
    assert answer("Which characters may a name have?", passages, refused=False, hits=hits).known
    code = [Passage(1, "names.py", 1, 2, "def characters(name):\n    return len(name)\n", language="python")]
    asked = answer("How many characters may a name have?", code, refused=False, hits=[hit(code[0], 9.0)])
    assert asked.known  # code computes what it does not say


def test_a_section_is_kept_for_words_that_mean_the_same_as_those_asked() -> None:
    text = (
        "## Sick on vacation\n\nReport it, and you get these days back.\n\n"
        "## Care for others\n\nWhoever looks after ill parents gets 70% of the salary.\n"
    )
    passage = Passage(1, "leave.md", 40, 46, text, language="markdown")
    question = "What happens if I get ill during my holiday?"
    [first, *_] = answer(question, [passage], refused=False, hits=[hit(passage, 3.0)]).quotes
    assert "you get these days back" in first.text
    assert (
        "you get these days back" not in answer("ill parents", [passage], refused=False, hits=[hit(passage, 3.0)]).text
    )


@pytest.mark.parametrize(
    ("question", "scores", "apart"),
    [
        ("where is a boat moored", (3.0, 2.5), False),
        ("where is a boat moored", (3.0, 1.9), True),
        ("which boats are moored", (3.0, 1.9), False),  # several things are asked for
    ],
)
def test_a_quote_that_is_half_as_likely_is_set_apart(question: str, scores: tuple[float, float], apart: bool) -> None:
    passages = [Passage(n, f"{n}.md", 1, 1, f"The boat {n} is moored at the pier.") for n in (1, 2)]
    hits = [hit(passage, score) for passage, score in zip(passages, scores, strict=True)]
    found = answer(question, passages, hits=hits)
    assert len(found.quotes) == 2
    assert (f"[1]\n\n{FURTHER}\n\n`2.md:1`" in found.text) is apart
    assert FURTHER not in found.unsure().text


def test_code_below_a_guide_is_set_apart() -> None:
    guide = Passage(1, "guide.md", 1, 3, "## Moor a boat\n\nTo moor a boat, throw the rope.", language="markdown")
    code = Passage(2, "boat.py", 1, 2, "def moor(boat):\n    return boat.throw(rope)\n", language="python")
    hits = [hit(guide, 3.0), hit(code, 2.9)]
    assert FURTHER in answer("How do I moor a boat?", [guide, code], hits=hits).text
    assert FURTHER not in answer("Where is a boat moored?", [guide, code], hits=hits).text
