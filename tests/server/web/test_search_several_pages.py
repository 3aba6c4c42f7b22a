"""The search page over several corpora, without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from html_parts import seen
from served import Running, get, post, serving, write

GARDEN = {"guide.md": "# Garden guide\n\n## Beans\n\nBeans are sown in May, and watered at dusk.\n"}


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("pages")
    with serving(write(folder / "kitchen"), write(folder / "garden", GARDEN), home=folder / "home") as server:
        yield server


def found(server: Running, query: str) -> list[tuple[str, str]]:
    """Return the corpus and the path of each hit, as its link names them; each link leads to the lines."""
    shown = seen(get(f"{server.url}/search?{query}").text)
    links = [link for link in shown.values("href") if link.startswith("/passage?")]
    for link in links:
        assert get(server.url + link).status_code == 200
    asked = [parse_qs(urlsplit(link).query) for link in links]
    return [(one["corpus"][0], one["path"][0]) for one in asked]


def test_without_a_choice_all_are_searched(two: Running) -> None:
    for query in ("q=guide", "q=guide&corpus=", "q=guide&corpus=*", "q=guide&corpus=kitchen&corpus=garden"):
        assert {("kitchen", "guide.md"), ("garden", "guide.md")} <= set(found(two, query))
    assert {corpus for corpus, _ in found(two, "q=guide&corpus=garden")} == {"garden"}


def test_a_choice_stays_and_hits_name_their_corpora(two: Running) -> None:
    shown = seen(get(f"{two.url}/search?q=guide&corpus=garden&corpus=kitchen").text)
    boxes = {known["value"]: "checked" in known for _, known in shown.elements if known.get("type") == "checkbox"}
    assert boxes == {"kitchen": True, "garden": True}
    assert "badge corpus" in shown.values("class")
    alone = seen(get(f"{two.url}/search?q=guide&corpus=garden").text)
    boxes = {known["value"]: "checked" in known for _, known in alone.elements if known.get("type") == "checkbox"}
    assert boxes == {"kitchen": False, "garden": True}
    assert "badge corpus" not in alone.values("class")


def test_what_all_of_them_can_be_asked_is_of_each_and_answered(two: Running) -> None:
    def offered(query: str) -> list[str]:
        shown = seen(get(f"{two.url}/parts/starters?{query}").text).text
        return [line.replace("`", "") for line in map(str.strip, shown.split("\n")) if line]

    alone = offered("corpus=kitchen"), offered("corpus=garden")
    both = offered("corpus=kitchen&corpus=garden&corpus=attic")
    assert 2 <= len(both) <= 4
    assert all(set(both) & set(one) for one in alone)
    for question in both:
        asked = post(f"{two.url}/ask", data={"question": question, "corpus": ["kitchen", "garden"]})
        assert "cite verified" in get(two.url + asked.headers["location"].partition("#")[0]).text, question


def test_a_corpus_that_there_is_not(two: Running) -> None:
    assert get(f"{two.url}/search?q=guide&corpus=kitchen&corpus=attic").status_code == 404


def test_one_corpus_offers_no_choice(tmp_path: Path) -> None:
    with serving(write(tmp_path / "kitchen"), home=tmp_path / "home") as server:
        shown = get(f"{server.url}/search?q=dough").text
        assert "checkbox" not in shown
        assert "badge corpus" not in shown
        assert found(server, "q=dough")[0] == ("kitchen", "guide.md")


def test_a_corpus_that_fails_costs_only_itself(tmp_path: Path) -> None:
    roots = write(tmp_path / "kitchen"), write(tmp_path / "garden", GARDEN)
    with serving(*roots, home=tmp_path / "home") as server:
        with server.served.corpora.get("garden").store.writing() as writer:
            writer.set_embedder("another", 3)
        answer = get(f"{server.url}/search?q=dough")
        assert answer.status_code == 200
        assert "Not searched: garden." in seen(answer.text).text
        assert found(server, "q=dough")[0] == ("kitchen", "guide.md")


def test_a_corpus_without_documents_says_so_instead_of_offering_questions(tmp_path: Path) -> None:
    with serving(write(tmp_path / "kitchen", {"seal.bin": "\0"}), home=tmp_path / "home") as server:
        shown = get(f"{server.url}/parts/starters?corpus=kitchen").text
    assert "There are no documents here yet." in shown
    assert 'href="/folders"' in shown


def test_where_one_of_several_does_not_answer_the_others_are_offered(two: Running) -> None:
    def asked(question: str, *corpora: str) -> str:
        begun = post(f"{two.url}/ask", data={"question": question, "corpus": list(corpora)}).headers["location"]
        return " ".join(seen(get(two.url + begun.partition("#")[0]).text).text.split())

    assert "Only kitchen was asked. Ask everything here in a new conversation." in asked("xyzzy plugh?", "kitchen")
    assert "was asked." not in asked("xyzzy plugh?", "kitchen", "garden")
    assert "was asked." not in asked("When are beans sown?", "garden")
    begun = seen(get(f"{two.url}/?corpus=").text)
    assert not [one for _, one in begun.elements if one.get("type") == "checkbox" and "checked" in one]
    assert "Ask about everything here" in " ".join(begun.text.split())


def test_places_that_are_found_and_not_quoted_lead_to_their_lines(two: Running) -> None:
    asked = post(f"{two.url}/ask", data={"question": "How long does the dough rest?", "corpus": ["kitchen", "garden"]})
    shown = seen(get(two.url + asked.headers["location"].partition("#")[0]).text)
    links = [known["href"] for _, known in shown.elements if "data-panel" in known and "/sources/" in known["href"]]
    assert links
    assert all(get(two.url + link).status_code == 200 for link in links)
