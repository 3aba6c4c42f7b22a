"""What defines a term: the forms in which people define things, and the answer with the place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.names.explain_term import read_comparison, read_term_question
from quaestor.answers.names.term_definitions import Form, definitions_of, may_define
from quaestor.answers.way import Question
from quaestor.answers.ways import answer_by_way

FORMS = {
    '*   **LGTM**: Means "Looks Good to Me". It is what a reviewer says.': ("LGTM", Form.ENTRY),
    "- **[18F](https://18f.gsa.gov/)** - 18F develops partnerships with agencies.": ("18F", Form.ENTRY),
    "=== boot.img ===\n\nHolds the kernel and what is loaded before it.": ("boot.img", Form.SECTION),
    "leaf bundle\n: A _leaf bundle_ is a directory that contains an index.": ("leaf bundle", Form.ENTRY),
    "Queue\n    What holds the letters until somebody reads them.": ("queue", Form.ENTRY),
    "carrier:: What takes a letter from one post office to another.": ("carrier", Form.ENTRY),
    "| Tool | Use |\n| --- | --- |\n| Tock | where we all record the hours we worked |": ("Tock", Form.ENTRY),
    "A _shortcode_ is a template that is invoked within markup.": ("shortcodes", Form.SENTENCE),
    "OpenTelemetry is:\n\n- An observability framework.\n- Open source.": ("OpenTelemetry", Form.SENTENCE),
    '<p align="center">Caddy is an extensible server platform.</p>': ("Caddy", Form.SENTENCE),
    "## What is a span?\n\nOne operation within a larger whole of them.": ("span", Form.ASKED),
    "### `workers`\n\nHow many of them are there to load all of it.": ("workers", Form.SECTION),
    "## What is a `span`?\n\nOne operation within a larger whole of them.": ("span", Form.ASKED),
    "## Span 的含义\n\n所谓 `Span`，简单说就是一个操作，里面保存着某个结果。": ("span", Form.ASKED),
    "### 什么是 Span\n\n简单说就是一个操作，里面保存着某个结果。": ("span", Form.ASKED),
    "## Spanとは何か\n\n全体の中のひとつの操作である、と言えます。": ("span", Form.ASKED),
    '   1. The "fiscal year" shall refer to May 1st to April 30th.': ("fiscal year", Form.ENTRY),
    "- 渡し守：船を漕いで人を向こう岸まで渡す役割の人": ("渡し守", Form.ENTRY),
    "渡し守とは、船を漕いで人を向こう岸まで渡す人のことである。": ("渡し守", Form.SENTENCE),
    "<u>渡船（ferry）</u>是一种把人从一边带到另一边的船。": ("渡船", Form.SENTENCE),
    "这里很安静。渡船是把人带过河的船。": ("渡船", Form.WITHIN),
    "## Eager Loading\n\nEverything that belongs together comes at once.": ("eager loading", Form.SECTION),
    "All is quiet here. A crate is one of many things that are shipped.": ("crate", Form.WITHIN),
    "We are the Technology Transformation Services (TTS), and proud of it.": ("TTS", Form.WRITTEN_OUT),
    "The ferry feature lets anybody cross who has a coin.": ("ferry", Form.SERVES),
    "A **ferry** allows people to cross the river.": ("ferry", Form.SENTENCE),
    "_Ferries_ let people cross the river.": ("ferries", Form.SENTENCE),
    "All is quiet. A ferry allows people to cross the river.": ("ferry", Form.SERVES),
    "The main purpose of a buddy is to answer what nobody else does.": ("buddy", Form.SERVES),
    "Complex tables are tables with more than two levels of heads.": ("complex table", Form.SENTENCE),
    "Zweige sind Stränge, die von anderen nichts wissen.": ("Zweige", Form.SENTENCE),
    "Les arbres sont des structures où chaque nœud a un parent.": ("arbres", Form.SENTENCE),
    "Ein _Zweig_ ist ein eigener Strang von Änderungen.": ("Zweig", Form.SENTENCE),
    "Der Begriff ist alt. Ein Speicher bezeichnet alles, was etwas behält.": ("Speicher", Form.WITHIN),
    "Un _paquet_ est un ensemble de fonctions qui vont ensemble.": ("paquet", Form.SENTENCE),
    "L’**arbre** est une structure dont chaque nœud a un parent.": ("arbre", Form.SENTENCE),
    "Una rama es una línea de cambios que avanza sola.": ("rama", Form.SENTENCE),
    "## Was ist ein Kern?\n\nDas, was unverändert bleibt, wenn alles andere wechselt.": ("Kern", Form.ASKED),
    "## Qu’est-ce qu’une voie ?\n\nCe que prend une lettre pour arriver.": ("voie", Form.ASKED),
}
NOT_DEFINED = {
    "渡し守とは誰ですか？": "渡し守",
    "大渡船是一种很大的船。": "渡船",
    "**Baneful (bane)** - When making an attack with it, a bane may follow.": "bane",
    "## Ferry\n\n[More about the ferry and its landing](https://example.org/ferry)": "ferry",
    "## Ferry\n\n_a.k.a. the slow boat across the river_": "ferry",
    "## Ferry\n\n<https://example.org/about/the/old/ferry/across.html>": "ferry",
    "## Ferry\n\n(This page is a draft that nobody has read yet.)": "ferry",
    "The ferry lets.": "ferry",
    "The **ferry landing** lets people cross the river.": "ferry",
    "The purpose of the ferry landing is to keep feet dry.": "ferry",
    "Whoever owns a ferry allows people to cross.": "ferry",
    "Tables are coded properly, and nobody minds them at all.": "tables",
    "Caddy is running on port 80, and all of it is well.": "Caddy",
    "- [Eager Loading](#eager-loading)\n    - [Constraining Eager Loads](#constraining)": "eager loading",
    "* [hugo](/commands/hugo/) - Build": "hugo",
    "We cl up every evening, which is a habit.": "CL",
    "## Clean Core\n\nThis chapter gives an overview of all that the word may mean.": "clean core",
    "## Kern\n\nIn diesem Kapitel erhalten Sie einen Überblick über das Thema.": "Kern",
    "5. **`start(worker)`** - Hook called after all of them are there": "worker",
    "### `workers`\n\nHow many of them are there to load all of it.": "worker",
    "| Setting | Use |\n| --- | --- |\n| `workers` | how many of them are there to load it |": "worker",
    "| way | how long it takes in seconds |\n|---|---|\n| one table a word | as long as twelve of them |": "way",
}


@pytest.mark.parametrize(("text", "expected"), FORMS.items())
def test_each_form_of_a_definition_is_found_whole(text: str, expected: tuple[str, Form]) -> None:
    term, form = expected
    lines = [
        "# Words",
        "",
        "Nothing is said here about anything at all.",
        "",
        *text.split("\n"),
        "",
        "And so on and on.",
    ]
    found = min(definitions_of(term, lines))
    assert (found.form, found.start_line, found.end_line) == (form, 5, len(lines) - 2)
    assert may_define(term).search("\n".join(lines))


@pytest.mark.parametrize(("text", "term"), NOT_DEFINED.items())
def test_what_only_mentions_a_term_does_not_define_it(text: str, term: str) -> None:
    assert not list(definitions_of(term, text.split("\n")))


def test_a_line_below_a_term_that_is_indented_no_deeper_does_not_define_it() -> None:
    below = "Carries people over the river all day."
    assert not list(definitions_of("ferry", ["ferry", below]))
    assert [one.form for one in definitions_of("ferry", ["ferry", f"    {below}"])] == [Form.ENTRY]


@given(st.lists(st.text(max_size=60).map(lambda text: " ".join(text.split())), max_size=12), st.sampled_from([*FORMS]))
def test_whatever_stands_around_it_a_definition_is_lines_that_are_there(around: list[str], text: str) -> None:
    term, _ = FORMS[text]
    lines = [*around, "", *text.split("\n"), "", *around]
    for one in definitions_of(term, lines):
        assert 1 <= one.start_line <= one.end_line <= len(lines)


@pytest.mark.parametrize(
    ("question", "term"),
    [
        ("What is a leaf bundle?", "leaf bundle"),
        ("what does LGTM mean", "LGTM"),
        ("What does PIV stand for?", "PIV"),
        ("What’s meant by “drift”?", "drift"),
        ("Was ist ein Leaf Bundle?", "Leaf Bundle"),
        ("Qu'est-ce qu'un shortcode ?", "shortcode"),
        ("¿Qué es un crate?", "crate"),
        ("什么是 HMR", "HMR"),
        ("HMR 是什么意思？", "HMR"),
        ("HMRとは何ですか？", "HMR"),
        ("渡し守とは何ですか？", "渡し守"),
        ("什么是栈？", "栈"),
        ("渡船是什么？", "渡船"),
        ("这是什么？", ""),
        ("これは何ですか？", ""),
        ("what is Let's Encrypt, according to these pages", "Let's Encrypt"),
        ("what is Let’s   Encrypt?", "Let's Encrypt"),
        ("What does bip-0340 define?", "bip-0340"),
        ("Summarize RFC 2119", "RFC 2119"),
        ("How do I add a leaf bundle?", ""),
        ("What is the difference between a leaf bundle and a branch bundle?", ""),
    ],
)
def test_the_term_is_read_out_of_the_question(question: str, term: str) -> None:
    assert read_term_question(question) == term


HANDBOOK = {
    "README.md": "# Handbook\n\nHow the Technical Training School (TTS) works.\n",
    "agreements.md": "# Agreements\n\nTTS is a fee-for-service organization, like many others.\n",
    "glossary.md": "# Glossary\n\n- **TTS** - The school that helps people\n  to learn what they need.\n",
    "providers.md": "# Service Providers\n\nThe central place where all of it begins.\n",
    "code-of-conduct.md": "# Our Code\n\nA code of conduct is a promise that people make to each other.\n",
    "joining.md": "# Joining\n\n* **CODE_OF_CONDUCT:** The code of conduct sets some ground rules for all.\n",
    "pcm/code-of-conduct.md": "# Code of conduct\n\nCode of conduct na document wey dey for everybody.\n",
    "packages.md": "# Packages\n\nA service provider is a point where packages are joined.\n",
}


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("terms") / "handbook", HANDBOOK) as index:
        yield index


NUMBERED = {
    "bip-0340.mediawiki": "<pre>\n  BIP: 340\n  Title: Signatures that add up\n</pre>\n\n== Abstract ==\n\n"
    "This document proposes a standard for signatures.\n",
    "bip-0003.mediawiki": "<pre>\n  BIP: 3\n  Title: BIP Purpose and Guidelines\n</pre>\n\n== What is a BIP? ==\n\n"
    "BIP stands for Bitcoin Improvement Proposal.\n",
    "nips/01.md": "NIP-01\n======\n\nThis describes the protocol that everybody should implement.\n",
    "text/2904-review.md": "# Review\n\nHow larger changes are made to everything.\n",
}


@pytest.fixture(scope="module")
def proposals(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with index_of(tmp_path_factory.mktemp("proposals") / "rfcs", NUMBERED) as index:
        yield index


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("What does bip-0340 define?", "bip-0340.mediawiki"),
        ("What is BIP 340?", "bip-0340.mediawiki"),
        ("what is BIP3 about", "bip-0003.mediawiki"),
        ("Summarize NIP-1", "nips/01.md"),
        ("What does NIP 01 say?", "nips/01.md"),
    ],
)
def test_a_document_is_known_by_its_series_and_number(proposals: Index, question: str, path: str) -> None:
    assert places(proposals, question)[0][0] == path


def test_the_abstract_of_a_document_comes_first(proposals: Index) -> None:
    assert places(proposals, "What is BIP 340?") == [("bip-0340.mediawiki", 8, 8), ("bip-0340.mediawiki", 2, 4)]


@pytest.mark.parametrize("question", ["What is BIP 341?", "What is XYZ 340?", "What is PEP 2904?"])
def test_another_number_or_series_is_no_document(proposals: Index, question: str) -> None:
    assert answer_by_way(Question(question), proposals) is None


def test_documents_begin_with_the_one_whose_title_says_so(proposals: Index) -> None:
    found = answer_by_way(Question("What are these documents?"), proposals)
    assert found is not None
    assert "Bitcoin Improvement Proposal" in found.text(range(len(found.hits)))


def places(index: Index, question: str) -> list[tuple[str, int, int]]:
    found = answer_by_way(Question(question), index)
    assert found is not None
    assert found.way in {"term", "names"}
    return [(hit.path, hit.start_line, hit.end_line) for hit in found.hits]


def test_a_glossary_comes_first_and_what_an_abbreviation_stands_for_behind_it(documents: Index) -> None:
    assert places(documents, "What is TTS?") == [("glossary.md", 3, 4), ("README.md", 3, 3)]


def test_a_document_of_the_terms_name_comes_before_one_that_mentions_it(documents: Index) -> None:
    assert places(documents, "what is a service provider") == [("providers.md", 1, 3)]


def test_the_document_that_bears_the_terms_name_comes_first_and_a_translation_last(documents: Index) -> None:
    assert places(documents, "What is a code of conduct?") == [("code-of-conduct.md", 3, 3)]


def test_headings_of_minutes_define_nothing(tmp_path: Path) -> None:
    said = "## Ferry\n\nNobody was there who knew more about it.\n"
    for folder, name in (("meetings", "2019-01-02.md"), ("notes", "minutes_3.md"), ("guide", "boats.md")):
        with index_of(
            tmp_path / folder, {f"{folder}/{name}": f"# All of it\n\n{said}", "a.md": "# A\n\nOther.\n"}
        ) as index:
            assert (answer_by_way(Question("What is a ferry?"), index) is None) is (folder != "guide")


def test_what_a_list_of_changes_says_of_a_term_comes_last(tmp_path: Path) -> None:
    changes = "# Releases\n\n- Ferry: it now carries letters as well.\n"
    guide = "# Harbour\n\n## Ferry\n\nThink of a ferry as of a bridge that floats and has a crew.\n"
    with index_of(tmp_path, {"changelog-news.md": changes, "guide/harbour.md": guide}) as index:
        assert places(index, "What is a ferry?")[0][0] == "guide/harbour.md"


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("When does the fiscal year begin?", True),
        ("Wann endet das Geschäftsjahr?", True),
        ("When does the ferry start?", False),
        ("When does the harvest end?", False),
    ],
)
def test_a_period_is_told_by_its_definition_if_that_has_a_date(tmp_path: Path, question: str, found: bool) -> None:
    rules = '# Rules\n\n- The "fiscal year" shall mean May 1st to April 30th.\n- A "ferry" shall mean any boat.\n'
    german = "# Satzung\n\nDas Geschäftsjahr ist das Kalenderjahr, und mehr steht hier nicht.\n"
    with index_of(tmp_path, {"rules.md": rules, "satzung.md": german}) as index:
        answer = answer_by_way(Question(question), index)
        assert (answer is not None) is found


def test_a_section_called_the_name_explains_it_before_a_translation(tmp_path: Path) -> None:
    english = "# Laws\n\n## The TOLL principle\n\nNobody should pay more than once for a crossing.\n"
    german = "# Gesetze\n\n## TOLL-Prinzip\n\nNiemand soll für eine Überfahrt mehr als einmal bezahlen müssen.\n"
    with index_of(tmp_path, {"README.md": english, "translations/de.md": german}) as index:
        assert places(index, "What does TOLL stand for?")[0][0] == "README.md"


def test_what_nobody_defines_is_left_to_the_search(documents: Index) -> None:
    assert answer_by_way(Question("What is a carrier pigeon?"), documents) is None


def test_among_documents_a_word_is_a_term_before_it_is_the_name_of_a_file(tmp_path: Path) -> None:
    pages = {
        "about.md": "# About\n\nFerryman is a firmware for small boats.\n",
        "bells.md": "# Bells\n\nWhen they ring.\n",
        "oars.md": "# Oars\n\nHow many there are.\n",
        "assets/ferryman.css": "/* Colours. */\n.boat { color: red; }\n",
    }
    with index_of(tmp_path / "docs", pages) as index:
        assert places(index, "What is Ferryman?")[0][0] == "about.md"
        assert places(index, "What is ferryman.css?")[0][0] == "assets/ferryman.css"


@pytest.mark.parametrize(
    ("question", "pair"),
    [
        ("What is the difference between a leaf bundle and a branch bundle?", ("leaf bundle", "branch bundle")),
        ("what's the difference between `stow` and “keep”", ("stow", "keep")),
        ("How does a leaf differ from the branch?", ("leaf", "branch")),
        ("leaf vs. branch", ("leaf", "branch")),
        ("Was ist der Unterschied zwischen einem Blatt und dem Zweig?", ("Blatt", "Zweig")),
        ("Quelle est la différence entre l'arbre et une branche ?", ("arbre", "branche")),
        ("¿Cuál es la diferencia entre una hoja y la rama?", ("hoja", "rama")),
        ("What is the difference between them?", None),
        ("What differences are there between the first and the second of all the editions that were sold?", None),
        ("What is a leaf?", None),
    ],
)
def test_two_terms_that_are_compared_are_read_out_of_the_question(question: str, pair: tuple[str, str] | None) -> None:
    assert read_comparison(question) == pair


def test_two_terms_are_told_apart_by_their_definitions_unless_a_section_is_about_both(tmp_path: Path) -> None:
    pages = {
        "glossary.md": "# Glossary\n\n- **Leaf** - What hangs on a branch.\n- **Branch** - What bears the leaves.\n",
        "roots.md": "# Roots\n\nA root is what holds a tree where it stands.\n",
        "both.md": "# Roots and stems\n\nA root holds it, a stem bears it.\n\nA stem is what bears all the branches.\n",
    }
    with index_of(tmp_path / "trees", pages) as index:
        expected = [("glossary.md", 4, 4), ("glossary.md", 3, 3)]
        assert places(index, "What is the difference between a branch and a leaf?") == expected
        assert answer_by_way(Question("What is the difference between a root and a stem?"), index) is None
        assert answer_by_way(Question("What is the difference between a root and a twig?"), index) is None


def test_two_terms_may_share_their_last_word(tmp_path: Path) -> None:
    pages = {
        "doors.md": "# Doors\n\n## Front Door\n\nWhere guests come in.\n\n## Back Door\n\nWhere the coal comes in.\n",
        "house.md": "# House\n\nIt has a front, a back and doors.\n",
    }
    with index_of(tmp_path / "house", pages) as index:
        expected = [("doors.md", 3, 5), ("doors.md", 7, 9)]
        assert places(index, "What is the difference between the front and the back door?") == expected
        assert places(index, "What is the difference between the front door and the back door?") == expected


def test_lines_of_a_block_of_code_define_nothing(tmp_path: Path) -> None:
    code = "".join(f"span.step{number}(function (value) {{ return value; }})\n" for number in range(60))
    page = (
        f"# Calls\n\nThey are made one by one.\n\n```js\n{code}```\n\n## Span 的含义\n\n所谓 `Span`，就是一个操作。\n"
    )
    with index_of(tmp_path / "book", {"calls.md": page, "other.md": "# Other\n\nAnother page.\n"}) as index:
        answer = answer_by_way(Question("What is a span?"), index)
    assert answer is not None
    assert "所谓" in answer.hits[0].text and "function" not in answer.hits[0].text
