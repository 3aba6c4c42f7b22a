"""Which passages an answer quotes, and in what order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quote_parts import FIVE, MIXED, hit

from quaestor.answers.quotes.passage_order import headed_paragraph, is_headed, order_by_paragraphs
from quaestor.answers.quotes.pick_quotes import answer
from quaestor.embedding.static import StaticEmbedder
from quaestor.llm.prompts.numbered_passages import Passage


@pytest.mark.parametrize(("behind", "quoted"), [(0.0, 4), (2.6, 2), (2.8, 1), (9.0, 1)])
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


@pytest.mark.parametrize(
    ("question", "heading", "headed"),
    [
        ("Wie richte ich den Zugang für Eltern ein?", "Zugang für Eltern einrichten", True),
        ("Wie richte ich den Elternzugang ein?", "Handbuch > Elternzugang einrichten", True),
        ("Wie richte ich den Elternzugang ein?", "Elternzugang einrichten > Bilder", False),
        ("Wie melde ich mich an?", "Anmelden", True),
        ("Wie melde ich mich an?", "Anmelden von Kindern für ein Lager", False),
        ("Wie lange dauert die Überfahrt?", "Die Überfahrt", False),
        ("Where are the harbour rules?", "Rules of the harbour", True),
        ("Where are the harbour rules?", "Rules", False),
        ("¿Cómo puedo cambiar la contraseña?", "Cambiar contraseña", True),
        ("What is it?", "It", False),
        ("Can I cross the river without a ferry?", "Crossing the river by ferry", False),
        ("Can I cross the river without a ferry?", "Crossing the river without a ferry", True),
        ("Wie melde ich mich nicht an?", "Anmelden", False),
        ("红烧肉怎么做？", "菜谱 > 红烧肉的做法", True),
        ("软件怎么安装？", "安装软件", True),
        ("软件怎么安装？", "安装硬件", False),
        ("软件怎么安装？", "安装软件 > 常见错误与排查", False),
        ("アンケートはどうやって回答しますか？", "アンケート記入方法 > 回答方法", True),
        ("アンケートはどうやって回答しますか？", "アンケート記入方法 > 2回目以降", False),
        ("いつですか？", "いつ", False),
    ],
)
def test_a_heading_with_all_words_of_the_question_is_its_heading(question: str, heading: str, headed: bool) -> None:
    assert is_headed(question, replace(FIVE, symbol=heading)) is headed


@pytest.mark.parametrize(
    ("question", "text", "headed"),
    [
        ("refunds", "We charge a fee.\n\n**Refunds.** There are none.", True),
        ("Do you give refunds?", "**Refunds**. There are none.", True),
        ("Wie ist die Anmeldung?", "- __Anmeldung:__ bis Montag", True),
        ("lost keys", "**Lost keys** \n\nAsk the porter.", True),
        ("lost keys", "* **Lost keys** – ask the porter.", True),
        ("lost keys", "_Lost keys:_ ask the porter.", True),
        ("lost keys", "**Lost keys**-ring", False),
        ("lost keys", "**Lost keys** are kept by the porter.", False),
        ("refunds", "**Refunds and fees.** There are both.", False),
        ("refunds", "Some ask for **refunds.**", False),
        ("Can I cross without a ferry?", "**Crossing with a ferry.** Pay a coin.", False),
    ],
)
def test_a_paragraph_may_have_the_question_for_its_heading_within_the_line(
    question: str, text: str, *, headed: bool
) -> None:
    assert is_headed(question, replace(FIVE, symbol="Harbour", text=text), 1) is headed


def test_of_a_passage_only_the_paragraph_that_the_question_heads_is_quoted() -> None:
    told = "**Lost keys.** Ask the porter.\n\nHe lives in the tower."
    passage = replace(FIVE, text=f"**Boats.** There are two.\n\n{told}\n\n**Found keys.** Thank you.", symbol="Harbour")
    found = answer("Lost keys?", [passage], StaticEmbedder.bundled().encode, refused=False, hits=[hit(passage, 1.0)])
    assert [quote.text for quote in found.quotes] == [told]
    section = replace(passage, text=f"{told}\n\n## Fees\n\nNone are taken.")
    found = answer("Lost keys?", [section], StaticEmbedder.bundled().encode, refused=False, hits=[hit(section, 1.0)])
    assert [quote.text for quote in found.quotes] == [told]


@given(
    st.lists(
        st.sampled_from(["**Lost keys.** Gone.", "- __Boats:__ two", "## Fees", "Fees\n----", "Ask.", ""]), max_size=9
    )
)
def test_a_headed_paragraph_is_whole_lines_up_to_the_next_heading(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = headed_paragraph("lost keys", text)
    assert (found is not None) == ("**Lost keys.** Gone." in lines)
    if found is not None:
        assert text[found[0] - 1 : found[0]] in ("", "\n")
        assert not {"- __Boats:__ two", "## Fees"} & {*text[slice(*found)].split("\n")}


def test_what_is_said_in_passing_under_a_single_word_answers_only_where_little_answers_better() -> None:
    passage = replace(FIVE, symbol="Harbour", text="**Refunds.** There are none.")
    other = replace(FIVE, n=1, path="one.md", text="We give refunds to those who paid twice, and refunds to the crew.")
    assert is_headed("lost keys", replace(passage, text="**Lost keys.** None."))
    assert not is_headed("refunds", passage)
    encode = StaticEmbedder.bundled().encode
    assert answer("refunds", [passage], encode, refused=True, hits=[hit(passage, 1.0)]).known
    for score, path in ((1.0, "one.md"), (8.9, "five.md")):
        both = answer("refunds", [other, passage], encode, refused=False, hits=[hit(other, 9.0), hit(passage, score)])
        assert both.quotes[0].path == path


@pytest.mark.parametrize("among", ["markdown", "yaml"])
@pytest.mark.parametrize(("heading", "known"), [("Lagerfeuer anzünden", True), ("Vom Feuer im Wald", False)])
def test_what_has_the_question_for_its_heading_comes_first_and_is_not_refused(
    heading: str, known: bool, among: str
) -> None:
    said = "Das Lager hat ein Feuer am Bach."
    others = [Passage(n, f"{n}.md", 1, 1, said, symbol="Das Lager", language=among) for n in (1, 2)]
    text = "Man nimmt trockenes Holz und ein Streichholz, und bläst."
    headed = Passage(3, "feuer.md", 1, 1, text, symbol=heading, language="markdown")
    passages = [*others, headed]
    hits = [hit(passage, 5.0 - rank) for rank, passage in enumerate(passages)]
    question, encode = "Wie zünde ich ein Lagerfeuer an?", StaticEmbedder.bundled().encode
    found = answer(question, passages, encode, refused=True, hits=hits)
    assert found.known is known
    assert [quote.path for quote in found.quotes[:1]] == ["feuer.md"] * known


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_question_has_or_lacks_any_heading(question: str, heading: str) -> None:
    assert is_headed(question, replace(FIVE, symbol=heading)) in (True, False)


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


@pytest.mark.parametrize(
    ("question", "counts"),
    [
        ("How many guests may sleep in the barn?", True),
        ("How long may guests sleep in the barn?", False),
    ],
)
def test_how_many_there_are_is_told_by_an_amount_beside_what_is_counted(question: str, *, counts: bool) -> None:
    texts = {
        "late.md": "Those guests who sleep in the barn are asked to make no noise there, and to be out by 11.",
        "many.md": "In the barn, 40 guests sleep well, if they have blankets.",
    }
    assert first_path(question, texts, 0.1) == ("many.md" if counts else "late.md")


@pytest.mark.parametrize(
    ("question", "behind", "first"),
    [
        ("How much does a reservation of the boat cost?", 0.5, "tells.md"),
        ("Wie viele Gäste kommen zum Fest?", 3.0, "tells.md"),
        ("Wie viele Gäste kommen zum Fest?", 5.0, "talks.md"),
        ("Welche Gäste kommen zum Fest?", 3.0, "talks.md"),
    ],
)
def test_who_asks_for_an_amount_gets_first_what_states_one_nearly_as_good(
    question: str, behind: float, first: str
) -> None:
    english = question.startswith("How")
    talks = "The cost of a reservation of a boat is shared." if english else "Zum Fest kommen Gäste und Kinder."
    tells = "A reservation costs 4 euros." if english else "Es kommen 40 Leute."
    passages = [
        Passage(1, "talks.md", 1, 1, talks, language="markdown"),
        Passage(2, "tells.md", 1, 1, tells, language="markdown"),
    ]
    hits = [hit(one, 9.0 - behind * rank) for rank, one in enumerate(passages)]
    rarity = {"boat": 0.3, "cost": 0.3, "reserv": 0.4}
    ordered, scored = order_by_paragraphs(question, passages, hits, rarity, StaticEmbedder.bundled().encode)
    assert (ordered[0].path, scored[0].path) == (first, first)
    assert scored[0].score >= scored[1].score


@pytest.mark.parametrize(
    ("question", "path", "first"),
    [
        ("How is a boat rented?", "meetings/2019.md", 2),
        ("How is a boat rented?", "boats/minutes_of_march.md", 2),
        ("How is a boat rented?", "boats/meet.md", 1),
        ("What was decided about how a boat is rented?", "meetings/2019.md", 1),
        ("When was a boat rented?", "meetings/2019.md", 1),
    ],
)
def test_minutes_stand_behind_what_is_nearly_as_good(question: str, path: str, first: int) -> None:
    passages = [
        Passage(n, path, 1, 1, "A boat is rented by the day.", symbol="Boats", language="markdown")
        for n, path in enumerate([path, "guide.md", "meetings/2020.md"], 1)
    ]
    hits = [hit(one, 9.0) for one in passages]
    ordered, _ = order_by_paragraphs(question, passages, hits, {"boat": 1.0}, StaticEmbedder.bundled().encode)
    assert ordered[0].n == first
    ordered, _ = order_by_paragraphs(question, passages[::2], hits[::2], {}, StaticEmbedder.bundled().encode)
    assert ordered[0].n == 1


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


@pytest.mark.parametrize("language", ["markdown", "python"])
def test_of_short_passages_four_are_quoted(language: str) -> None:
    passages = [Passage(n, f"{n}.md", 1, 1, f"The gate number {n} is closed.", language=language) for n in range(1, 7)]
    found = answer("which gate is closed", passages, refused=False, hits=[hit(one, 5.0) for one in passages])
    assert len(found.quotes) == 4


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


def test_a_question_for_several_things_is_answered_from_several_places() -> None:
    text = "Every vault has a key, and a key is kept for a year."
    passages = [Passage(n, f"{n}.md", 1, 1, f"{text} {n}", language="markdown") for n in (1, 2)]
    assert len(answer("how long is a key of a vault kept?", passages).quotes) == 1
    hits = [hit(one, 5.0) for one in passages]
    assert len(answer("list all places where a key of a vault is kept", passages, hits=hits).quotes) == 2


@pytest.mark.parametrize(
    ("question", "first"),
    [("What is the period of notice?", "b.md"), ("Was ist die Kündigungsfrist?", "a.md")],
)
def test_passages_are_ordered_by_what_is_similar_in_english_only(question: str, first: str) -> None:
    told = Passage(
        1, "a.md", 1, 1, "Employment ends with the month, das Arbeitsverhältnis auch.\n", language="markdown"
    )
    asked = Passage(2, "b.md", 1, 1, f"{question} It is four weeks, vier Wochen.\n", language="markdown")
    passages, encode = [told, asked], StaticEmbedder.bundled().encode
    found = answer(question, passages, encode, refused=False, hits=[hit(told, 2.0), hit(asked, 1.9)])
    assert found.quotes[0].path == first


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


DO_IT = Passage(1, "client.py", 1, 2, "def cancel(request):\n    request.drop()\n", symbol="cancel", language="python")
CANCELLING = Passage(
    2, "guide.md", 9, 9, "Call `abort` of the controller.\n", symbol="Guide > Cancellation", language="markdown"
)


@pytest.mark.parametrize(
    ("question", "heading", "paths"),
    [
        ("How do I cancel a request?", "Guide > Cancellation", ["client.py", "guide.md"]),
        ("how to cancel a request", "Guide > Cancelling requests", ["guide.md", "client.py"]),
        ("Can I cancel requests?", "Guide > Cancelling requests", ["guide.md", "client.py"]),
        ("Does it cancel requests?", "Requests > Cancellation", ["guide.md", "client.py"]),
        ("Does the client cancel requests?", "Requests > Cancellation", ["client.py"]),
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


@pytest.mark.parametrize(("path", "first"), [("guide.md", "guide.md"), ("CHANGELOG.md", "client.py")])
@pytest.mark.parametrize("behind", [1.0, 5.0])
def test_a_guide_whose_text_does_it_comes_first_if_it_is_hardly_behind(path: str, first: str, behind: float) -> None:
    text = "Call `abort` to cancel an upload of the client halfway.\n"
    guide = replace(CANCELLING, path=path, symbol="Uploads", text=text)
    hits = [hit(DO_IT, 9.0), hit(guide, 9.0 - behind)]
    found = answer("How do I cancel uploads of the client halfway?", [DO_IT, guide], refused=False, hits=hits)
    assert found.quotes[0].path == (first if behind < 2 else "client.py")
