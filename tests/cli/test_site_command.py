"""A site from its address to a cited answer; after the crawl, without it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_parts import Run

from quaestor import Index
from quaestor.core.errors import NotFoundError
from servers.site import Answer, SiteServer

PAGES = {
    "/": "<title>Kitchen</title><main><h1>Kitchen</h1><p>A blog on bread.</p><a href=/posts/dough>Dough</a></main>",
    "/posts/dough": "<meta name=author content='Ann Lee'><meta property='article:published_time' content='2021-04-05'>"
    "<article><h1>Sourdough</h1><p>The dough rests for eighteen hours in the refrigerator.</p></article>",
}


def serve(path: str, _headers: object) -> Answer | None:
    return Answer(PAGES[path]) if path in PAGES else None


def test_a_site_is_fetched_once_and_asked_without_a_network(quaestor: Run, home: Path) -> None:
    with SiteServer(serve) as server:
        url = server.url
        first = quaestor("index", url, "--allow-private", "--delay", "0", "--json")
        assert first.code == 0, first.err
        told = json.loads(first.out)
        assert (told["crawl"]["pages"], told["crawl"]["new"], len(told["added"])) == (2, 2, 2)
        second = quaestor("index", url, "--allow-private")
        assert "2 pages (2 unchanged" in second.out
        assert f"\n{url}: 2 documents" in second.out, "the folder of the pages says nothing to a person"
        assert "nothing changed" in second.out
        server.asked.clear()
        found = json.loads(quaestor("search", "how long does the dough rest", url, "--json").out)["hits"][0]
        assert (found["title"], found["url"], found["path"]) == ("Sourdough", f"{url}/posts/dough", "posts/dough.md")
        assert not server.asked
    answer = json.loads(quaestor("ask", "how long does the dough rest?", url, "--json").out)
    assert answer["known"]
    assert {(one["url"], one["status"]) for one in answer["citations"]} == {(f"{url}/posts/dough", "verified")}
    shown = quaestor("search", "dough", url)
    assert f"{url}/posts/dough" in shown.out
    with Index.open(url) as index:
        document = index.document("posts/dough.md")
        assert (document.author, document.date, document.title) == ("Ann Lee", "2021-04-05", "Sourdough")
    # The site is down by now: what is there stays, and the reason is told.
    gone = quaestor("index", url, "--allow-private")
    assert gone.code == 0
    assert "2 pages (2 without a response, kept" in gone.out


def test_only_index_fetches(quaestor: Run) -> None:
    with SiteServer(serve) as server:
        refused = quaestor("search", "dough", server.url)
        assert refused.code == 2
        assert f"quaestor index {server.url}" in refused.err
        with pytest.raises(NotFoundError):
            Index.open(server.url)
        private = quaestor("index", server.url)
        assert private.code == 2
        assert "--allow-private" in private.err
        assert not server.asked


@pytest.mark.parametrize(
    ("options", "again"),
    [((), ()), ((), ("--allow-private",)), (("--include", "/*"), ()), (("--include", "/*"), ("--include", "/*"))],
)
def test_the_pages_of_a_dry_run_are_taken_as_they_are_by_the_next_index_alone(
    quaestor: Run, options: tuple[str, ...], again: tuple[str, ...]
) -> None:
    with SiteServer(serve) as server:
        looked = quaestor("index", server.url, "--dry-run", "--allow-private", *options)
        assert looked.code == 0, looked.err
        server.asked.clear()
        taken = quaestor("index", server.url, *again)
        assert (taken.code, server.asked.total()) == (0, 0), taken.err
        assert "they are used" in taken.err
        assert "eighteen hours" in quaestor("search", "how long does the dough rest", server.url).out
        # From then on the site is asked again, which a private one allows only where that is said.
        assert quaestor("index", server.url).code == 2
        assert quaestor("index", server.url, "--allow-private").code == 0
        assert server.asked.total()


def test_the_pages_of_a_dry_run_are_fetched_anew_with_other_options(quaestor: Run) -> None:
    with SiteServer(serve) as server:
        quaestor("index", server.url, "--dry-run", "--allow-private")
        server.asked.clear()
        assert quaestor("index", server.url, "--allow-private", "--exclude", "/x*").code == 0
        assert server.asked.total()


@pytest.mark.parametrize("url", ["ftp://a.example/x", "gopher://x", "http://user:word@a.example/"])
def test_other_addresses_are_refused(quaestor: Run, url: str) -> None:
    for command in (["index", url], ["search", "x", url]):
        refused = quaestor(*command)
        assert refused.code == 2
        assert "http://" in refused.err


def test_options_of_sites_are_for_sites(quaestor: Run, tmp_path: Path) -> None:
    refused = quaestor("index", str(tmp_path), "--depth", "3")
    assert refused.code == 2
    assert "--depth: for sites only" in refused.err
    refused = quaestor("index", str(tmp_path), "--submodules")
    assert refused.code == 2
    assert "--submodules is for repositories only" in refused.err
    assert quaestor("index", "http://a.example/", "--watch").code == 2


def test_what_a_page_of_a_folder_says_of_its_origin_is_not_believed(quaestor: Run, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text('---\nurl: "https://bank.example/"\n---\n# Dough\n\nWords on dough.\n')
    hits = json.loads(quaestor("search", "dough", str(tmp_path / "notes"), "--json").out)["hits"]
    assert hits[0]["url"] is None


def test_a_site_and_a_folder_are_searched_together(quaestor: Run, repository: Path) -> None:
    with SiteServer(serve) as server:
        quaestor("index", server.url, "--allow-private", "--delay", "0")
        server.asked.clear()
        done = quaestor("search", "how long does the dough rest", server.url, repository, "--json")
        assert (done.code, done.err) == (0, "")
        assert {(hit["corpus"], hit["path"]) for hit in done.json["hits"][:2]} == {
            ("127.0.0.1", "posts/dough.md"),
            ("repository", "docs/guide.md"),
        }
        assert {
            hit["corpus"]
            for hit in quaestor("search", "dough", server.url, repository, "--json", "--since", "2021").json["hits"]
        } == {"127.0.0.1"}
        assert not server.asked


def test_pages_that_are_gone_are_held_back_dropped_when_told_and_put_back(quaestor: Run, home: Path) -> None:
    pages = dict(PAGES)
    with SiteServer(lambda path, _headers: Answer(pages[path]) if path in pages else None) as server:
        index = ("index", server.url, "--delay", "0")
        assert quaestor(*index, "--allow-private").code == 0
        refused = quaestor(*index)
        assert (refused.code, "kept (2 pages)" in refused.err) == (2, True)
        del pages["/posts/dough"]
        held = quaestor(*index, "--allow-private")
        assert (held.code, "--drop" in held.err) == (1, True)
        assert json.loads(quaestor("search", "dough", server.url, "--json").out)["hits"][0]["title"] == "Sourdough"
        dropped = quaestor(*index, "--allow-private", "--drop")
        assert (dropped.code, "--restore" in dropped.out) == (0, True)
        server.asked.clear()
        restored = quaestor(*index, "--restore")
        assert (restored.code, "1 page restored" in restored.err) == (0, True)
        assert json.loads(quaestor("search", "dough", server.url, "--json").out)["hits"][0]["title"] == "Sourdough"
        again = quaestor(*index, "--restore")
        assert (again.code, "seven days" in again.err) == (2, True)
        assert not server.asked
    assert quaestor("index", str(home), "--restore").code == 2


def test_a_site_is_deleted_with_its_pages_only_if_that_is_asked_for(quaestor: Run, home: Path) -> None:
    with SiteServer(serve) as server:
        quaestor("index", server.url, "--allow-private", "--delay", "0")
        url = server.url
    dropped = quaestor("store", "drop", url, "--yes")
    assert (dropped.code, "--fetched deletes" in dropped.err) == (0, True)
    assert json.loads(quaestor("search", "how long does the dough rest", url, "--json").out)["hits"]
    assert quaestor("store", "drop", url, "--fetched", "--yes").code == 0
    assert not list((home / "sites").iterdir())
    assert quaestor("search", "dough", url).code == 2
