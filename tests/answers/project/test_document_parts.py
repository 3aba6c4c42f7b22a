"""Questions that name a section, a page or a list of documents are answered with just that part."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from overview_parts import Make

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.project.document_parts import answer_with_part
from quaestor.answers.way import Question

STATUTE = """# Statute of the rowing club

Article 24 of the old statute no longer holds.

## 4.2 Boats

Whoever takes a boat brings it back washed.

## Article 12: Members

- 12a) A member pays by March.
    - 12a1) Pupils pay half.
- 12b) A member may leave at any time.

## Article B: Guests

Guests row with a member, see 4.2 and 12a.

21.5.   The board needs consent for:

* a.    buying a house
* b.    selling a boat

21.6.   The board meets twice a year.
"""
HANDBOOK = """---
type: guide
owner: office
---

# Taking leave

There are two sorts of leave here.

## Booking leave

1. Ask your manager for days.
2. Write them into the calendar.
3. Tell the team.

## Boat types

This table has the boats that may be booked.

| Boat | Seats |
|---|---|
| skiff | 1 |
| gig | 4 |

## Kinds of punishment

Nobody is punished here.

## Distances

These distances are rowed in every race:

- 500 metres
- 1,000 metres

Whoever tires stops.

## Washing

- Take a sponge with warm water.
- Wash the hull from bow to stern.
"""
FILES = {
    "statute.md": STATUTE,
    "guides/leave.md": HANDBOOK,
    "guides/tours.md": "# Tours\n\nThe tours, boats and leave of 2024 were fine.\n\n## Members\n\nNone.\n",
    "guides/prices.md": "# Prices\n\nEach month:\n\n| Locker | Price |\n|---|---|\n| small | 4 |\n| large | 9 |\n",
    "README.md": "# Rowing club\n\nPapers of the club.\n",
    "minutes/may.md": "# May meeting\n\n- Boats: washed.\n",
}


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("parts") / "club", FILES) as index:
        yield index


def quoted(index: Index, question: str) -> list[tuple[str, str, str]]:
    """Return the path, the first and the last line of each quote."""
    found = answer_with_part(Question(question), index)
    hits = [] if found is None else found.hits
    return [(hit.path, hit.text.split("\n")[0].strip(), hit.text.split("\n")[-1].strip()) for hit in hits]


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("What does section 4.2 say?", "## 4.2 Boats", "Whoever takes a boat brings it back washed."),
        ("What does section 4.2 say about washing?", "## 4.2 Boats", "Whoever takes a boat brings it back washed."),
        ("What's in § 4.2 of the statute?", "## 4.2 Boats", "Whoever takes a boat brings it back washed."),
        (
            "What does article 12 of the statute say?",
            "## Article 12: Members",
            "- 12b) A member may leave at any time.",
        ),
        ("Was steht in Artikel 12?", "## Article 12: Members", "- 12b) A member may leave at any time."),
        ("Que dit l'article 12 ?", "## Article 12: Members", "- 12b) A member may leave at any time."),
        ("¿Qué dice el artículo 12?", "## Article 12: Members", "- 12b) A member may leave at any time."),
        ("Please quote rule 12a", "- 12a) A member pays by March.", "- 12a1) Pupils pay half."),
        (
            "what does clause 12b mean",
            "- 12b) A member may leave at any time.",
            "- 12b) A member may leave at any time.",
        ),
        ("What does 21.5 of the statute say?", "", ""),
        ("What does rule 21.5 say?", "21.5.   The board needs consent for:", "* b.    selling a boat"),
        ("What does article B say?", "## Article B: Guests", "21.6.   The board meets twice a year."),
    ],
)
def test_a_numbered_part_is_quoted_whole(club: Index, question: str, first: str, last: str) -> None:
    assert quoted(club, question) == ([("statute.md", first, last)] if first else [])


@pytest.mark.parametrize(
    "question",
    [
        "What does section 24 say?",  # which is only mentioned
        "What does chapter 12 say?",  # which is an article
        "What does section 4 say?",  # which begins as 4.2 does
        "What does section 4.2 of the handbook say?",  # which has none
        "What does rule 2 say?",  # which is an item of a list
    ],
)
def test_a_number_that_no_part_bears_is_not_answered(club: Index, question: str) -> None:
    assert quoted(club, question) == []


@pytest.mark.parametrize(
    "question",
    ["Summarise the page “Taking leave”", "What does the page on taking leave say?", "Summarize the leave guide"],
)
def test_a_page_is_summarised_by_how_its_sections_begin(club: Index, question: str) -> None:
    found = answer_with_part(Question(question), club)
    assert found is not None
    assert [hit.text for hit in found.hits][:2] == [
        "There are two sorts of leave here.",
        "1. Ask your manager for days.\n2. Write them into the calendar.\n3. Tell the team.",
    ]
    assert {hit.path for hit in found.hits} == {"guides/leave.md"}
    assert "`Distances` (" in found.text([1] * len(found.hits))


def test_a_short_page_is_quoted_whole(club: Index) -> None:
    assert quoted(club, "Summarise the page May meeting") == [("minutes/may.md", "# May meeting", "- Boats: washed.")]


def test_a_page_on_what_is_asked_tells_more_than_a_section_elsewhere(made: Make) -> None:
    pages = {
        "index.md": "# Club\n\n## Guests\n\nSee the page on guests.\n",
        "guests.md": "# Whoever visits us\n\nThey row with a member.\n",
    }
    index = made(pages)
    for question in ("Tell me about guests", "What are the rules on guests?", "What is the policy on guests?"):
        assert quoted(index, question) == [("guests.md", "# Whoever visits us", "They row with a member.")]
    assert quoted(index, "What does the section on guests say?") == [
        ("index.md", "## Guests", "See the page on guests.")
    ]


def test_a_section_is_quoted_by_its_name(club: Index) -> None:
    places = quoted(club, "What does the section on booking leave say?")
    assert places == [("guides/leave.md", "## Booking leave", "3. Tell the team.")]


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("Which boats are there?", "## Boat types", "| gig | 4 |"),
        ("Which types of boats are there?", "## Boat types", "| gig | 4 |"),
        ("What boat types exist?", "## Boat types", "| gig | 4 |"),
        ("Which distances are there?", "## Distances", "- 1,000 metres"),
        ("What are the distances of a race?", "These distances are rowed in every race:", "- 1,000 metres"),
        ("List all distances", "## Distances", "- 1,000 metres"),
    ],
)
def test_a_list_is_quoted_whole_with_what_introduces_it(club: Index, question: str, first: str, last: str) -> None:
    assert quoted(club, question) == [("guides/leave.md", first, last)]


def test_a_table_is_known_by_its_first_column(club: Index) -> None:
    assert quoted(club, "What lockers do you have?") == [("guides/prices.md", "| Locker | Price |", "| large | 9 |")]


@pytest.mark.parametrize(
    "question",
    ["Which tours are there?", "Which punishments are there?", "Which oars are there?", "Which races exist?"],
)
def test_what_no_list_holds_is_not_answered(club: Index, question: str) -> None:
    assert quoted(club, question) == []


@pytest.mark.parametrize(
    "question",
    [
        "How do I book leave?",
        "What are the steps to book leave?",
        "how to book a leave",
        "What are the rules on booking leave?",
        "Tell me about booking leave",
    ],
)
def test_a_section_called_as_what_is_asked_tells_how(club: Index, question: str) -> None:
    assert quoted(club, question) == [("guides/leave.md", "## Booking leave", "3. Tell the team.")]


def test_a_section_need_not_repeat_the_name_of_its_page(club: Index) -> None:
    places = quoted(club, "How do I wash when taking leave?")
    assert places == [("guides/leave.md", "## Washing", "- Wash the hull from bow to stern.")]
    assert quoted(club, "How do I wash a gig?") == quoted(club, "How do I wash the code?") == []


def test_a_line_that_only_begins_with_a_number_is_no_clause(made: Make) -> None:
    sent = "# Notes\n\n* 1.2 million letters were sent.\n* Others came back.\n\n"
    notes = f"{sent}# May\n\n2.1. Boats.\n2.2. Oars.\n2.2. Sails.\n"
    index = made({"notes.md": notes})
    assert quoted(index, "What does section 1.2 say?") == quoted(index, "What does section 2.2 say?") == []
    assert quoted(index, "What does section 2.1 say?") == [("notes.md", "2.1. Boats.", "2.2. Sails.")]


def test_an_article_of_a_law_needs_no_heading_and_is_not_sought_in_the_contents(made: Make) -> None:
    contents = "Ruderordnung\n\n§ 1 Boote . . . . . . . 4\n§ 2 Gäste . . . . . . . 5\n"
    articles = "§ 1 Boote\nBoote werden gewaschen.\n\n§ 2 Gäste\nGäste rudern mit\nMitgliedern.\n\n§ 3 Ende\nAus.\n"
    index = made({"ordnung.txt": f"{contents}\n{articles}"})
    assert quoted(index, "Was steht in § 2?") == [("ordnung.txt", "§ 2 Gäste", "Mitgliedern.")]
    assert quoted(index, "Was regelt § 1 der Ordnung?") == [("ordnung.txt", "§ 1 Boote", "Boote werden gewaschen.")]
    assert quoted(index, "Was steht in Artikel 2?") == quoted(index, "Was steht in § 4?") == []


@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("Welche Boote gibt es?", "# Verein\n\n## Boote\n\n- Einer\n- Vierer\n"),
        ("Quels bateaux y a-t-il ?", "# Club\n\n## Bateaux\n\n- Einer\n- Vierer\n"),
        ("¿Qué barcos hay?", "# Club\n\n## Barcos\n\n- Einer\n- Vierer\n"),
    ],
)
def test_lists_are_asked_for_in_other_languages(made: Make, question: str, page: str) -> None:
    [(path, first, last)] = quoted(made({"club.md": page}), question)
    assert (path, first, last) == ("club.md", page.split("\n")[2], "- Vierer")


def test_parts_of_one_name_are_named_beyond_the_third(made: Make) -> None:
    pages = {f"year{number}.md": f"# Year {number}\n\n## 2.1 Costs\n\nOars cost {number}.\n" for number in range(1, 6)}
    found = answer_with_part(Question("What does section 2.1 say?"), made(pages))
    assert found is not None
    assert [hit.path for hit in found.hits] == ["year1.md", "year2.md", "year3.md"]
    assert "2 more parts of this name: `year4.md:3`, `year5.md:3`." in found.text([1, 2, 3])


def test_lists_of_documents_are_not_looked_for_among_code(made: Make) -> None:
    code = {f"src/part{number}.py": f"def part{number}():\n    return {number}\n" for number in range(3)}
    index = made({**code, "README.md": "# Kit\n\n## Parts\n\n- an oar\n- a sail\n"})
    assert quoted(index, "Which parts are there?") == []
    assert quoted(index, "What does the section on parts say?") == [("README.md", "## Parts", "- a sail")]


def test_a_tab_is_no_heading(made: Make) -> None:
    table = "    | Boat | Seats |\n    |---|---|\n    | gig | 4 |\n    | skiff | 1 |\n"
    tabs = f'# Setup\n\n## Boats\n\nThese are here.\n\n=== "Linux"\n\n{table}'
    assert quoted(made({"setup.md": tabs}), "Which boats are there?") == [("setup.md", "## Boats", "| skiff | 1 |")]
