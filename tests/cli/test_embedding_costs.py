"""The cost of embedding is shown and confirmed before anything is paid, and limits are never exceeded."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_parts import Run, aged, contents, in_terminal, write

from quaestor.llm.tokens import tokenizer_for
from servers.embedder import MODEL, on_record, sent
from servers.script import Reply
from servers.scripted import ScriptedServer
from servers.site import Answer, SiteServer

NAME = f"openai:{MODEL}"
PAGES = {
    "/": "<title>Kitchen</title><main><h1>Kitchen</h1><p>A blog on bread.</p><a href=/posts/dough>Dough</a></main>",
    "/posts/dough": "<article><h1>Sourdough</h1><p>The dough rests for eighteen hours in the cold.</p></article>",
}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    """An endpoint that the environment names."""
    with ScriptedServer() as running:
        monkeypatch.setenv("QUAESTOR_EMBEDDER_BASE_URL", running.base_url)
        yield running
    assert not running.failures


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    texts = {f"{number}.md": f"# Village {number}\n\nThe harbour of village {number}.\n" for number in range(700)}
    return aged(write(tmp_path / "notes", dict(texts)))


def test_a_dry_run_tells_everything_and_sends_nothing(
    quaestor: Run, repository: Path, server: ScriptedServer, home: Path
) -> None:
    done = quaestor("index", "--dry-run", repository, "--embedder", NAME, "--price", "0.02")
    assert done.code == 0, done.err
    for said in (
        "documents   3 (",
        " mean, ",
        " median, ",
        "█",
        "exact, cl100k_base",
        "price       0.02 USD a million tokens (embedder_price)",
        "cost        0.0000",
        "time        about 1.0 s (if each of 1 requests takes 1 s, 4 at a time)",
    ):
        assert said in done.out, said
    assert not server.requests
    assert not home.exists()


def test_tokens_and_cost_are_those_that_are_paid(
    quaestor: Run, repository: Path, server: ScriptedServer, home: Path
) -> None:
    told = quaestor("index", "--dry-run", "--json", repository, "--embedder", NAME, "--price", "1").json["estimate"]
    assert (told["exact"], told["remote"], told["known"]) == (True, True, 0)
    assert told["price"] == {"per_million_tokens": 1.0, "currency": "USD", "origin": "embedder_price", "date": None}
    done = quaestor("index", repository, "--embedder", NAME, "--price", "1", "--yes", "--json")
    assert done.code == 0, done.err
    assert done.json["embedded"] == told["texts"]
    embedded = [text for text in sent(server) if text != "dimensions"]
    assert len(embedded) == told["texts"]
    assert sum(map(tokenizer_for(MODEL).count, embedded)) == told["tokens"]
    assert done.json["cost"] <= told["cost"]
    again = quaestor("index", "--dry-run", "--json", repository, "--price", "1").json["estimate"]
    assert (again["texts"], again["known"], again["cost"]) == (0, told["texts"], 0.0)


def test_openais_own_prices_are_known_with_their_date(
    quaestor: Run, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = quaestor("index", "--dry-run", repository, "--embedder", NAME)
    assert "0.02 USD a million tokens (OpenAI's list of 20" in done.out
    unknown = quaestor("index", "--dry-run", repository, "--embedder", "openai:nomic-embed")
    assert "price       not known; give --price" in unknown.out
    assert "an upper bound" in unknown.out
    monkeypatch.setenv("QUAESTOR_EMBEDDER_BASE_URL", "http://127.0.0.1:9/v1")
    elsewhere = quaestor("index", "--dry-run", repository, "--embedder", NAME)
    assert "price       not known" in elsewhere.out, "what another server asks is not known"


def test_prices_in_the_file_carry_its_date(quaestor: Run, repository: Path, home: Path) -> None:
    text = f'date = 2026-03-04\n[models."{MODEL}"]\nprompt = 0.5\ncompletion = 0\n'
    write(home, {"prices.toml": text})
    done = quaestor("index", "--dry-run", repository, "--embedder", NAME)
    assert f"0.5 USD a million tokens ({home / 'prices.toml'} of 2026-03-04)" in done.out


def test_without_a_terminal_nothing_is_paid_unless_that_was_agreed_to(
    quaestor: Run, repository: Path, server: ScriptedServer, home: Path
) -> None:
    refused = quaestor("index", repository, "--embedder", NAME, "--price", "1")
    assert refused.code == 2
    assert "Give --yes" in refused.sentence
    assert not server.requests
    unknown = quaestor("index", repository, "--embedder", NAME)
    assert "at an unknown price" in unknown.sentence
    assert quaestor("index", repository, "--embedder", NAME, "--yes").code == 0
    assert quaestor("index", repository).code == 0, "there is nothing left to pay"


def test_what_is_free_needs_no_question(quaestor: Run, repository: Path, server: ScriptedServer) -> None:
    done = quaestor("index", repository, "--embedder", NAME, "--price", "0", "--json")
    assert (done.code, done.json["pending"], done.json["cost"]) == (0, [], 0.0)


def test_a_bound_is_never_passed_and_the_same_command_goes_on(
    quaestor: Run, notes: Path, server: ScriptedServer, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUAESTOR_EMBEDDER_PRICE", "1")
    done = quaestor("index", notes, "--embedder", NAME, "--yes", "--max-cost", "0.006", "--json")
    assert done.code == 5
    assert "may be spent" in done.json["failure"]
    assert 0 < done.json["embedded"] < 700
    assert 0 < done.json["cost"] <= 0.006
    assert len(done.json["pending"]) == 700 - done.json["embedded"]
    row = on_record(home)
    assert row.cost is not None
    assert row.cost <= 6000
    found = quaestor("search", "harbour village 3", notes, "--json")
    assert found.code == 0
    assert found.json["index"]["by_meaning"] == "some"
    assert "documents are found by words alone until they are embedded" in found.err
    assert f"quaestor index {notes}" in found.err
    assert quaestor("index", notes, "--yes").code == 0
    assert max(Counter(text for text in sent(server) if "Village" in text).values()) == 1
    assert quaestor("search", "harbour village 3", notes, "--json").json["index"]["by_meaning"] == "all"


def test_a_bound_needs_a_price(quaestor: Run, repository: Path, server: ScriptedServer) -> None:
    refused = quaestor("index", repository, "--embedder", NAME, "--yes", "--max-cost", "1")
    assert refused.code == 2
    assert "--price" in refused.sentence
    assert not server.requests


def test_a_bound_of_nothing_searches_by_words_alone(quaestor: Run, repository: Path, server: ScriptedServer) -> None:
    done = quaestor("index", repository, "--embedder", NAME, "--price", "1", "--max-cost", "0")
    assert done.code == 5
    assert "waiting     3 documents" in done.out
    assert quaestor("search", "send_with_retry", repository, "--json").json["hits"][0]["path"] == "src/retry.py"


def test_a_server_that_is_down_is_said_and_words_find(quaestor: Run, repository: Path, server: ScriptedServer) -> None:
    assert quaestor("index", repository, "--embedder", NAME, "--yes").code == 0
    server.embeddings = lambda _: Reply(status=401, error="no such key")
    found = quaestor("search", "send_with_retry", repository, "--json")
    assert found.json["hits"][0]["path"] == "src/retry.py"
    assert found.json["index"]["by_meaning"] == "none"
    assert "no such key" in found.err
    write(repository, {"src/more.py": "MORE = 1\n"})
    failed = quaestor("index", repository, "--yes", "--json")
    assert failed.code == 3
    assert failed.json["pending"] == ["src/more.py"]


def test_a_limit_refuses_a_search_before_it_costs(
    quaestor: Run, repository: Path, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert quaestor("index", repository, "--embedder", NAME, "--yes").code == 0
    monkeypatch.setenv("QUAESTOR_LIMIT_DAY_TOKENS", "10")
    before = len(server.requests)
    refused = quaestor("search", "where is a request sent again", repository)
    assert refused.code == 5
    assert "limit_day_tokens" in refused.sentence
    assert len(server.requests) == before


def test_a_projects_file_may_not_choose_an_embedder(quaestor: Run, repository: Path, server: ScriptedServer) -> None:
    chosen = f'embedder = "{NAME}"\nembedder_base_url = "{server.base_url}"\nembedder_price = 0\nrefresh_cost = 9\n'
    write(repository, {"quaestor.toml": chosen})
    done = quaestor("index", repository)
    assert done.code == 0
    assert done.err.count("a project file may not set this") == 4
    assert not server.requests


def test_statistics_for_another_embedder_leave_the_index_as_it_is(
    quaestor: Run, repository: Path, server: ScriptedServer, home: Path
) -> None:
    quaestor("index", repository)
    before = contents(home)
    told = quaestor("stats", repository, "--embedder", NAME, "--price", "0.02", "--json").json
    assert told["estimate"]["embedder"] == f"{NAME} at {server.base_url}"
    assert told["words"]["histogram"]
    assert told["words"]["least"] <= told["words"]["median"] <= told["words"]["most"]
    assert contents(home) == before
    assert not server.requests


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("n", 2)])
def test_in_a_terminal_it_is_asked(repository: Path, server: ScriptedServer, answer: str, code: int) -> None:
    command = [sys.executable, "-m", "quaestor", "index", str(repository), "--embedder", NAME, "--price", "1"]
    ended, said = in_terminal(command, f"{answer}\n")
    assert ended == code, said
    assert "Embed " in said
    assert " USD at most" in said
    assert bool(server.requests) is (answer == "y")


def test_pages_that_a_dry_run_fetched_are_not_fetched_again(quaestor: Run) -> None:
    def serve(path: str, _headers: object) -> Answer | None:
        return Answer(PAGES[path]) if path in PAGES else None

    with SiteServer(serve) as site:
        told = quaestor("index", "--dry-run", "--json", site.url, "--allow-private", "--delay", "0").json
        assert (told["documents"], told["crawl"]["pages"]) == (2, 2)
        assert told["estimate"]["cost"] == 0
        site.asked.clear()
        again = quaestor("index", "--dry-run", "--json", site.url)
        assert (again.code, again.json["documents"]) == (0, 2)
        assert quaestor("index", site.url, "--json").json["added"] == ["index.md", "posts/dough.md"]
        assert not site.asked
        quaestor("index", site.url, "--allow-private")
        assert site.asked, "from then on it is fetched as ever"
