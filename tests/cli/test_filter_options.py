"""Dates and authors as options, and in the words of a question, on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_parts import Run, aged

from blog import write_blog

ASKED = "where to eat in Oaxaca"


@pytest.fixture
def blog(tmp_path: Path) -> Path:
    return aged(write_blog(tmp_path / "blog"))


def found(quaestor: Run, blog: Path, *arguments: str) -> set[tuple[str | None, str | None]]:
    """Return authors and years of what a search finds."""
    done = quaestor("search", "--json", "-k", 30, *arguments, blog)
    assert done.err == ""
    return {(hit["author"], hit["date"] and hit["date"][:4]) for hit in done.json["hits"]}


def test_options(quaestor: Run, blog: Path) -> None:
    assert found(quaestor, blog, "--since", "2019", "--by", "Okri", ASKED) == {
        ("Ben Okri", "2019"),
        ("Ben Okri", "2020"),
    }
    assert found(quaestor, blog, "--before", "March 2015", "--lang", "markdown", ASKED) == {
        ("Julia Evans", "2015"),
        ("Ana Núñez", "2015"),
    }
    assert found(quaestor, blog, "--path", "posts/*-mole.md", "--by", "Julia Evans", ASKED) == {("Julia Evans", "2016")}


def test_words_are_obeyed_and_that_is_told(quaestor: Run, blog: Path) -> None:
    done = quaestor("search", "posts by Julia Evans since 2019 on food", blog)
    assert done.code == 0
    assert "Julia Evans · 2019" in done.out
    assert "Okri" not in done.out
    assert "understood as a filter: 'by Julia Evans', 'since 2019'; put it in quotes, or use --no-filters" in done.err
    assert done.out.count("posts/") < quaestor("search", "--no-filters", "posts since 2019 on food", blog).out.count(
        "posts/"
    )
    done = quaestor("search", "food since 2031", blog)
    assert (done.code, "not used as a filter, because nothing would be left: 'since 2031'" in done.err) == (0, True)


def test_why_nothing_is_found(quaestor: Run, blog: Path) -> None:
    done = quaestor("search", "--since", "2031", "food", blog)
    assert done.code == 1
    assert "No document is dated 2031 or later. 12 of 13 have a date" in done.err
    done = quaestor("ask", "--by", "Zed", "where to eat?", blog)
    assert done.code == 1
    assert "No document is by 'Zed'. Authors here: Ana Núñez" in done.err
    assert quaestor("search", "--since", "soon", "food", blog).code == 2


def test_answers_rest_on_what_was_asked_for(quaestor: Run, blog: Path) -> None:
    done = quaestor("ask", "--json", "--by", "Okri", f"{ASKED} since 2018", blog)
    answer = done.json
    assert answer["understood"] == ["since 2018"]
    cited = {citation["path"] for citation in answer["citations"]}
    assert cited and cited <= {
        "posts/grasshoppers.md",
        "posts/2020-03-11-tamales.md",
        "posts/2018-08-17-soup.md",
        "posts/barbacoa.md",
    }
    shown = quaestor("ask", "--before", "2016", f"posts by Ana Núñez: {ASKED}", blog)
    assert "understood as a filter: 'by Ana Núñez'" in shown.err
    assert "tlayudas" in shown.out


def test_a_conversation_keeps_to_its_documents(quaestor: Run, blog: Path) -> None:
    done = quaestor("chat", "--before", "2016", "--dry-run", ASKED, "--json", blog)
    sent = done.out
    assert "tlayudas" in sent
    assert "tamales" not in sent
