"""Questions to begin with: they come from the corpus, and each of them is answered with a checked quote."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from convert.made_documents import docx, paragraph
from index_of_files import index_of, write_files
from quaestor import Index
from quaestor.answers.project.starters import Starter, starters
from quaestor.core.config import Settings
from quaestor.server.single_questions import Starters, outcome_of

LIBRARY = {
    "README.md": "# Ferry\n\nFerry is a small library that carries requests across bad networks.\n\n"
    "## Sending again\n\nA request that fails is sent again up to three times, each time after a longer pause.\n",
    "ferry/client.py": "from ferry.retry import send_with_retry\n\n\nclass FerryClient:\n"
    '    """Sends requests, and tells when one is lost."""\n\n    def send(self, request):\n'
    "        return send_with_retry(request)\n",
    "ferry/retry.py": "def send_with_retry(request):\n"
    '    """Send a request up to three times."""\n    return request\n',
}
PROGRAM = {
    "main.go": "package main\n\n// runTicker prints the time each second until it is told to stop.\n"
    "func runTicker(stop chan bool) {\n\tfor {\n\t}\n}\n\nfunc main() {\n\trunTicker(nil)\n}\n",
    "clock/clock.go": "package clock\n\n// Face is what a clock shows.\ntype Face struct {\n\tHours int\n}\n",
}
HANDBOOK = {
    "README.md": "# Handbook\n\nHow we work together in this company, written by all of us.\n\n## Time off\n\n"
    "Everybody takes thirty days a year, and says so a week before.\n",
    "travel.md": "# Travel\n\n## Trains\n\nWe take the train wherever it takes less than eight hours.\n\n## Hotels\n\n"
    "A hotel may cost as much as one sleeps well in.\n",
    "CHANGELOG.md": "# Changelog\n\n## 1.0.0\n\nFirst version.\n",
    "CODE_OF_CONDUCT.md": "# Code of conduct\n\n## Being kind\n\nWe are kind to each other, whatever happens.\n",
}
RECIPES = {
    "bread.md": "# Bread\n\n## How long does dough rest?\n\nThe dough rests for eighteen hours in the refrigerator.\n",
    "soup.md": "# Soup\n\n## Pea soup\n\nPeas are soaked overnight and cooked for an hour with an onion.\n",
}
MANUAL = {
    "README.md": "# Crossing\n\nRequests are carried across bad networks, come what may.\n",
    "ferry.md": "# Ferry\n\n## Installation\n\nInstall Ferry with the package manager that came with the system.\n",
    "plain.md": "No heading stands here, and yet it is a document like all others.\n",
}
FERRY = {
    "README.md": "# Ferry\n\nFerry carries requests across bad networks.\n\n"
    "## Tagged releases\n\nEach has a number.\n\n## Queues\n\nA queue holds requests that wait for the network.\n\n"
    "## Running with Docker\n\nStart the image with the name of a network.\n",
    "ferry/client.py": "def carried(request):\n    return request\n\n\n"
    'def carry_again(request):\n    """Carry a request that was lost once more."""\n    return request\n'
    + "    carried(request)\n"
    * 20,
}
WRITTEN = {
    "guide.md": "# Guide\n\n## Trains\n\n" + "We take the train wherever it takes less than eight hours.\n" * 20,
    "travel.md": "# Travel\n\n## Booking a hotel\n\n" + "Book a hotel with the form of the company.\n" * 20,
    "count.py": "def nights_of(trip):\n    return trip.nights\n",
}
NOTES = {"notes.txt": "The heron stands at the pond each morning and takes a goldfish.\n"}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (LIBRARY, "What does `send_with_retry` do?"),
        (PROGRAM, "What does `runTicker` do?"),
        (PROGRAM, "What does the struct `Face` do?"),
        (HANDBOOK, "Tell me about trains."),
        (MANUAL, "How do I install Ferry?"),
        (RECIPES, "How long does dough rest?"),
        (NOTES, None),
    ],
    ids=["library", "program", "of a plain name", "handbook", "act", "recipes", "notes"],
)
def test_each_starter_is_answered_with_a_verified_quote(
    tmp_path: Path, files: dict[str, str], expected: str | None
) -> None:
    settings = Settings(home=str(tmp_path / "home"))
    with Index.build(write_files(tmp_path / "corpus", files), settings=settings) as index:
        found = Starters().of(index, settings)
        assert (expected in found) if expected else found == ()
        assert not any(word in one for one in found for word in ("1.0.0", "kind"))
        for question in found:
            outcome = asyncio.run(outcome_of(index, None, question, settings))
            assert "verified" in {one.status for one in outcome.citations}, question


ROWING = {
    "README.md": "# Ferry\n\nFerry carries requests.\n\n```py\n"
    "Window(Crossing(Ferryman(MOST_BOATS))).carry_over(1) or FerryError()\n```\n",
    "ferry/limits.py": "MOST_BOATS = 3\n",
    "ferry/faults.py": 'class FerryError(Exception):\n    """Says what sank."""\n',
    "ferry/ferryman.py": "def Ferryman(one):\n    return one\n",
    "ferry/crossing.py": 'class Crossing:\n    """Carries one request."""\n',
    "ferry/carry.py": "def carry_over(one):\n    return one\n",
    "ferry/deck.py": 'class Deck:\n    """Holds what waits."""\n' + "    waiting_now = 1\n" * 99,
    "example_app/window.py": 'class Window:\n    """Shows it."""\n' + "    shown_now = 1\n" * 300,
    "setup.py": "def read_version(path):\n    return path\n" + "# packs it\n" * 400,
    "ferry/flags.py": 'def flags(one):\n    """Return the flags."""\n    return one\n' + "# of many kinds\n" * 500,
}


NOT_ASKED_ABOUT = ("Window", "read_version", "flags", "Ferryman", "MOST_BOATS", "FerryError")


def test_what_the_readme_names_comes_before_what_is_largest(tmp_path: Path) -> None:
    with index_of(tmp_path / "corpus", ROWING) as index:
        found = [one.question for one in starters(index) if "`" in one.question]
    assert found[:2] == ["What does the class `Crossing` do?", "What does `carry_over` do?"]
    assert "What does the class `Deck` do?" in found
    assert not any(name in one for one in found for name in NOT_ASKED_ABOUT)


def test_what_the_readme_names_most_often_is_asked_about_first(tmp_path: Path) -> None:
    readme = "# Ferry\n\nCall `bring_back`, or `carry_over` where the river is wide: `carry_over` waits.\n"
    code = {f"ferry/{name}.py": f"def {name}(one):\n    return one\n" for name in ("bring_back", "carry_over")}
    with index_of(tmp_path / "corpus", {"README.md": readme} | code) as index:
        found = [one.question for one in starters(index) if "What does `" in one.question]
    assert found == ["What does `carry_over` do?", "What does `bring_back` do?"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "# Fähre\n\nDie Fähre bringt die Anfragen über den Fluss und wieder zurück.\n\n"
            "## Das Entgelt der Fahrt\n\nEs wird an der Kasse bezahlt und ist nicht hoch.\n",
            ("Worum geht es hier?", 'Was steht hier zu "Das Entgelt der Fahrt"?'),
        ),
        (
            "# Bac\n\nLe bac porte les requêtes de l'autre côté de la rivière, et les rapporte.\n\n"
            "## Le prix du passage\n\nIl est payé à la caisse et il n'est pas très élevé.\n",
            ("De quoi s'agit-il ?", "Que faut-il savoir sur « Le prix du passage » ?"),
        ),
        (
            "# Balsa\n\nLa balsa lleva las peticiones al otro lado del río y las trae de vuelta.\n\n"
            "## El precio del pasaje\n\nSe paga en la caja y no es muy alto para los que viajan.\n",
            ("¿De qué trata esto?", "¿Qué hay que saber sobre «El precio del pasaje»?"),
        ),
        (
            "# 渡船\n\n渡船把请求送到河的对岸，然后再送回来，每天四次，风大的时候停航。\n\n"
            "## 船票的价格\n\n船票在窗口购买，价格不高，孩子免费，老人半价，团体另有优惠。\n",
            ("这是什么项目？", "请介绍船票的价格。"),
        ),
    ],
    ids=["de", "fr", "es", "zh"],
)
def test_documents_are_asked_in_their_language(tmp_path: Path, text: str, expected: tuple[str, ...]) -> None:
    with index_of(tmp_path / "corpus", {"README.md": text}) as index:
        assert [one.question for one in starters(index)] == list(expected)


def test_a_question_in_german_is_answered(tmp_path: Path) -> None:
    text = (
        "# Fähre\n\nDie Fähre bringt die Anfragen über den Fluss.\n\n## Das Entgelt\n\nEs wird an der Kasse bezahlt.\n"
    )
    settings = Settings(home=str(tmp_path / "home"))
    with Index.build(write_files(tmp_path / "corpus", {"README.md": text}), settings=settings) as index:
        assert Starters().of(index, settings) == ("Worum geht es hier?", 'Was steht hier zu "Das Entgelt"?')


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        # What is explained, how something is done, and only then what there is to know.
        (
            FERRY,
            [
                "What is this about?",
                "How do I build and test it?",
                "What does `carry_again` do?",
                "How do I run Ferry with docker?",
                "What changed in the last release?",
                "Tell me about queues.",
            ],
        ),
        # Documents with a little code in them are asked about as documents.
        (WRITTEN, ["How do I book a hotel?", "Tell me about trains.", "What does `nights_of` do?"]),
    ],
    ids=["program", "documents"],
)
def test_the_most_telling_come_first(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    with index_of(tmp_path / "corpus", files) as index:
        assert [one.question for one in starters(index) if one.question in expected] == expected
        assert "Tell me about tagged releases." not in {one.question for one in starters(index)}


def definition(name: str, comment: str = "") -> str:
    body = "".join(f"    step_{number} = trip.step({number}, further=True)\n" for number in range(30))
    return f"{comment}def {name}(trip):\n{body}    return trip\n\n\n"


def test_definitions_with_a_comment_are_asked_about_first_and_where_they_stand(tmp_path: Path) -> None:
    """Of a file, and of files; what nobody wrote yet is no comment."""
    files = {
        "big.py": definition("carry_far", "# TODO: describe\n") + definition("carry_near") + "carry_near(1)\n" * 40,
        "mid.py": definition("send_far")
        + definition("send_near", "# Sends a trip to the next harbour.\n")
        + "send_far(1)\n" * 20,
        **{f"notes{number}.md": f"Harbour {number} is open.\n" * 60 for number in range(6)},
    }
    with index_of(tmp_path / "corpus", files) as index:
        found = [(one.question, one.path) for one in starters(index) if "`" in one.question]
    assert found == [
        ("What does `send_near` do?", "mid.py"),
        ("What does `carry_near` do?", "big.py"),
        ("Who uses `carry_far`?", ""),
        ("Who uses `send_far`?", ""),
    ]


def test_of_many_documents_the_largest_are_asked_about_and_longer_things_first(tmp_path: Path) -> None:
    sections = "## Trains\n\nThey run.\n\n## Night trains\n\nThey sleep.\n\n## Booking a train\n\nAsk the desk.\n"
    files = {f"d{number}.md": f"# Harbour {number}\n\n" + "It is open.\n" * number for number in range(1, 30)}
    with index_of(tmp_path / "corpus", files | {"z.md": sections + "Rails rust.\n" * 400}) as index:
        found = list(starters(index))
    assert [(one.question, one.first, one.last) for one in found if one.path == "z.md"] == [
        ("How do I book a train?", 9, 412),
        ("Tell me about night trains.", 5, 8),
        ("Tell me about trains.", 1, 4),
    ]
    assert {"d29.md", "d28.md"} <= {one.path for one in found}


def test_sections_lose_their_numbers_and_a_readme_that_names_the_project_gives_the_subject(tmp_path: Path) -> None:
    readme = "# The Corpus guide\n\nIt is short.\n\n## 1. Installation\n\nPut it there.\n"
    guide = "# Harbours\n\nThey are open.\n\n## 2.1 Loading a boat:\n\nCarry it.\n"
    with index_of(tmp_path / "corpus", {"README.md": readme, "harbours.md": guide}) as index:
        found = [one.question for one in starters(index)]
    assert "How do I install The Corpus guide?" in found
    assert "How do I load a boat?" in found


def test_a_heading_of_two_documents_makes_a_question_and_one_of_three_none(tmp_path: Path) -> None:
    files = {f"d{number}.md": f"# Pier {number}\n\nOpen.\n\n## Night tariffs\n\nHigh.\n" for number in range(3)}
    for count, asked in ((2, True), (3, False)):
        with index_of(tmp_path / f"corpus{count}", dict([*files.items()][:count])) as index:
            assert ("Tell me about night tariffs." in {one.question for one in starters(index)}) == asked


def test_a_section_answers_with_any_line_that_it_shares() -> None:
    starter = Starter("?", "a.md", 3, 5)
    assert [starter.is_answered_by("a.md", *lines) for lines in ((1, 2), (1, 3), (5, 9), (6, 9))] == [0, 1, 1, 0]
    assert not starter.is_answered_by("b.md", 3, 5)
    assert Starter("?").is_answered_by("b.md", 3, 5)


def test_a_starter_whose_answer_begins_elsewhere_is_not_offered(tmp_path: Path) -> None:
    subjects = ("Hotels", "Fares", "Meals", "Beds", "Stations")
    files = {
        "a.md": "# Trips\n\nTrips are long.\n\n## Night trains\n\n" + "Ask for trains. " * 200,
        "b.md": "# Night trains\n\nNight trains run to Rome.\n",
        **{f"{name}.md": f"# {name}\n\n" + f"{name} are good. " * 90 for name in subjects},
    }
    with index_of(tmp_path / "corpus", files) as index:
        question = "Tell me about night trains."
        assert {one.path for one in starters(index) if one.question == question} == {"a.md"}
        outcome = asyncio.run(outcome_of(index, None, question, Settings()))
        assert outcome.citations[0].path == "b.md"
        assert question not in Starters().of(index, Settings())


def test_starters_are_of_the_documents_with_most_text_however_large_their_files_are(tmp_path: Path) -> None:
    trees = ("oak", "elm", "ash", "fir", "yew", "bay")
    text = "They grow beside the old road.\n" * 20
    root = write_files(tmp_path / "corpus", {f"{name}.md": f"# {name} trees\n\n{text}" for name in trees})
    form = {"picture": random.Random(7).randbytes(20_000).hex()}
    (root / "form.docx").write_bytes(docx(paragraph("Empty forms", "Heading1") + paragraph("Fill it in."), **form))
    with Index.build(root, settings=Settings(home=str(tmp_path / "home"))) as index:
        assert {f"{name}.md" for name in trees} == {one.path for one in starters(index)}


def test_nobody_is_asked_about_tests_and_an_index_page_is_a_readme(tmp_path: Path) -> None:
    files = {
        "index.md": "# Welcome\n\nRequests are carried across bad networks.\n\n## Installation\n\nAsk the desk.\n",
        "docs/readme.md": "# About these pages\n\nThey are written by hand.\n",
        "ferry.py": definition("carry_far", "# Carries a trip far.\n"),
        "tests/test_ferry.py": definition("check_far", "# Checks that a trip went far.\n") * 3,
    }
    with index_of(tmp_path / "corpus", files) as index:
        found = [one.question for one in starters(index)]
    assert found[0] == "What is this about?"
    assert "What does `carry_far` do?" in found
    assert not [one for one in found if "check_far" in one]
    assert "Tell me about welcome." not in found, "that is what the whole is about"
    del files["docs/readme.md"]
    with index_of(tmp_path / "other", files) as index:
        assert next(starters(index)).question == "What is this about?"
