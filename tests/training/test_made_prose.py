"""Searches made from documentation: what is asked is gone from the copy, and the answer stays where it was."""

from __future__ import annotations

from pathlib import Path

from quaestor.training.made import Made
from quaestor.training.made_prose import heading_searches, lay_out, quote_searches, short_searches

PAGE = """# Deploying

A service is deployed by copying its folder to the server. The supervisor notices the new folder within a minute and
starts it without any further step. Nothing else has to be done by hand for this to work.

Before the first deployment the server has to know the service, as is told under
[registering a service](other.md#registering-a-service) at some length. It takes a minute or two when done by hand.
"""
OTHER = """# Services

## Registering a service

Write its name into the list of services and tell the supervisor to read the list again. It answers with a number.
The number is what the service is known by from then on in every log and in every table of the supervisor.
"""


def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "docs" / "other.md").write_text(OTHER, encoding="utf-8")
    return tmp_path / "docs"


def test_the_asked_sentence_is_gone_and_the_lines_stay(tmp_path: Path) -> None:
    docs = folder(tmp_path)
    made = lay_out(docs, tmp_path / "copy", 10, seed=0)
    sentences = [one for one in made if one.category == "sentence"]
    assert sentences
    for one in sentences:
        copy = (tmp_path / "copy" / one.path).read_text(encoding="utf-8")
        assert one.query not in " ".join(copy.split())
        assert copy.count("\n") == (docs / one.path).read_text(encoding="utf-8").count("\n")
        assert one.query in " ".join((docs / one.path).read_text(encoding="utf-8").split())
        assert copy.splitlines()[one.start_line - 1].strip()


def test_a_link_asks_for_the_section_it_points_at(tmp_path: Path) -> None:
    docs = folder(tmp_path)
    [link] = [one for one in lay_out(docs, tmp_path / "copy", 10, seed=0) if one.category == "link"]
    assert (link.path, link.start_line) == ("other.md", 3)
    assert "server" in link.query
    assert "registering" not in (tmp_path / "copy" / "page.md").read_text(encoding="utf-8")


def test_the_same_folder_gives_the_same_searches(tmp_path: Path) -> None:
    docs = folder(tmp_path)
    assert lay_out(docs, tmp_path / "one", 10, seed=3) == lay_out(docs, tmp_path / "two", 10, seed=3)


def test_headings_lose_some_words() -> None:
    headings = [Made("heading", f"how to register service number {n}", "a.md", n, n) for n in range(30)]
    made = heading_searches(headings, 10, seed=0)
    assert len(made) == 10
    assert all(
        set(one.query.split()) <= set("how to register service number".split()) | {str(one.start_line)} for one in made
    )


def test_short_searches_are_some_of_the_words_in_their_order() -> None:
    long = "The supervisor notices the new folder within a minute and starts the service without any further step"
    made = [Made("sentence", long, "a.md", 1, 2), Made("words", "one two", "a.md", 1, 2)]
    [short] = short_searches(made, seed=0)
    assert short.category == "short sentence"
    assert len(short.query) < len(long)
    rest = iter(long.split())
    assert all(word in rest for word in short.query.split())
    assert short_searches(made, seed=0) == [short]


def test_quotes_stand_in_the_passage() -> None:
    text = " ".join(["The server answers with a number that is used in every log of it"] * 3)
    passages = [Made("quote", text, "a.md", 1, 2), Made("quote", "too short to quote", "b.md", 1, 1)]
    [quote] = quote_searches(passages, 5, seed=0)
    assert quote.query in text
    assert (quote.path, quote.start_line) == ("a.md", 1)
