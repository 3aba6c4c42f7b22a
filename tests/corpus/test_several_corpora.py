"""Several corpora, searched as one: real folders, real indexes."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from several_parts import KITCHEN, NET, SHOP, built, write

from hostile_queries import HOSTILE
from quaestor import Hit, Index, Indexes
from quaestor.core.config import Settings
from quaestor.core.errors import IndexUnusableError, NotFoundError, UsageError
from quaestor.corpus.several_corpora import SeveralCorpora, short_names
from quaestor.search.retriever import Mode
from quaestor.stores import Where
from scripted_server import Reply, ScriptedServer

WORDS = [
    "send_with_retry",
    "request sent again",
    "src/config.py",
    "config",
    "README.md",
    "how long does the dough rest?",
    "TimeoutError: the server stays busy",
    "over the wire",
    "src/retry.py:4",
    "prices",
    "since 2022",
    "by Ana Gomez",
]
MODES: list[Mode] = ["ranked", "fusion", "lexical", "dense"]


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Index]]:
    folder = tmp_path_factory.mktemp("several")
    made = {"net": NET, "kitchen": KITCHEN, "shop": SHOP}
    held = {name: built(write(folder / name, files), folder / "home") for name, files in made.items()}
    yield held
    for index in held.values():
        index.close()


def places(hits: list[Hit]) -> list[tuple[str, int, int, str, float]]:
    return [(hit.path, hit.start_line, hit.end_line, hit.text, pytest.approx(hit.score, abs=1e-5)) for hit in hits]


def _comparable(hit: Hit) -> Hit:
    """Return a hit without what a search of several corpora adds, and what a refresh between two searches changes."""
    return hit._replace(corpus="", score=0, features={}, document=hit.document._replace(stamp=0))


@given(
    st.one_of(st.sampled_from(HOSTILE), st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)),
    st.sampled_from(["net", "kitchen", "shop"]),
    st.integers(1, 12),
    st.sampled_from(MODES),
    st.sampled_from([None, Where(paths=("src/**",)), Where(languages=("markdown",)), Where(since="2022")]),
)
@settings(max_examples=2 * settings.default.max_examples)
def test_one_corpus_is_searched_as_if_alone(
    corpora: dict[str, Index], query: str, name: str, k: int, mode: Mode, where: Where | None
) -> None:
    alone, asked = corpora[name].find(query, k, mode=mode, where=where)
    together, understood = SeveralCorpora({name: corpora[name]}).find(query, k, mode=mode, where=where)
    assert list(map(_comparable, together)) == list(map(_comparable, alone))
    assert [hit.score for hit in together] == pytest.approx([hit.score for hit in alone], abs=1e-5)
    assert {hit.corpus for hit in together} <= {name}
    assert understood == asked


@given(
    st.one_of(st.sampled_from(HOSTILE), st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)),
    st.integers(1, 20),
    st.sampled_from(MODES),
)
@settings(max_examples=2 * settings.default.max_examples)
def test_each_hit_can_be_read_in_its_corpus(corpora: dict[str, Index], query: str, k: int, mode: Mode) -> None:
    several = SeveralCorpora(corpora)
    hits, _ = several.find(query, k, mode=mode)
    assert len(hits) <= k
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len({(hit.corpus, hit.path, hit.start_line) for hit in hits}) == len(hits)
    for hit in hits:
        excerpt = several[hit.corpus].read_lines(hit.path, hit.start_line, hit.end_line)
        assert "\n".join(excerpt.lines).strip() == hit.text.strip()
        assert hit.fresh
    assert several.freshness.fresh
    assert not several.failures


def test_files_of_one_path_are_two(corpora: dict[str, Index]) -> None:
    several = SeveralCorpora(corpora)
    hits = several.search("src/config.py", 10)
    assert {(hit.corpus, hit.path) for hit in hits[:2]} == {("net", "src/config.py"), ("kitchen", "src/config.py")}
    assert {(hit.corpus) for hit in several.search("README.md", 10) if hit.path == "README.md"} == {"net", "kitchen"}


def test_filters_hold_in_each_corpus(corpora: dict[str, Index]) -> None:
    several = SeveralCorpora(corpora)
    found = several.search("config request wire", 10, where=Where(paths=("notes/**",)))
    assert {(hit.corpus, hit.path) for hit in found} == {("kitchen", "notes/pancakes.md"), ("shop", "notes/wire.md")}
    assert several.search("config src/config.py", 10, where=Where(paths=("nowhere/**",))) == []
    assert {hit.corpus for hit in several.search("rest", 10, since="2022")} == {"shop"}
    assert {hit.corpus for hit in several.search("rest", 10, by="Ana Gomez")} == {"kitchen"}
    hits, asked = several.find("notes by Ana Gomez on the wire", 10)
    assert asked.phrases == ("by Ana Gomez",)
    assert {hit.corpus for hit in hits} == {"kitchen"}
    with pytest.raises(UsageError):
        several.search("rest", since="tomorrow")


def test_an_irrelevant_corpus_pushes_no_name_out(corpora: dict[str, Index], tmp_path: Path) -> None:
    words = ["ledger", "request", "send", "retry", "attempts", "server", "busy", "settings", "merge", "timeout"]
    others = {
        f"part{number % 40}/file{number}.py": (
            f"def {words[number % 10]}_{words[number // 10 % 10]}_{number}(value):\n"
            f"    return {words[number // 100]}(value, {number})  # send the request, then retry\n"
        )
        for number in range(1000)
    }
    with built(write(tmp_path / "many", others), tmp_path / "home") as many:
        several = SeveralCorpora({"many": many, **corpora})
        for name, path in (("send_with_retry", "src/retry.py"), ("merge_settings", "src/config.py")):
            best = several.search(name, 5)[0]
            assert (best.corpus, best.path) == ("net", path)
        assert several.search("preheat_oven", 5)[0].corpus == "kitchen"
        assert several.search("how long does the dough rest?", 5)[0].corpus == "kitchen"
        asked = several.search("where is a request sent again while the server is busy?", 10)
        assert ("net", "src/retry.py") in [(hit.corpus, hit.path) for hit in asked]


def test_each_corpus_is_kept_fresh(tmp_path: Path) -> None:
    net, kitchen = write(tmp_path / "net", NET), write(tmp_path / "kitchen", KITCHEN)
    with Indexes.build(net, kitchen, settings=Settings(home=str(tmp_path / "home"))) as indexes:
        assert list(indexes) == ["net", "kitchen"]
        (kitchen / "waffles.md").write_text("# Waffles\n\nBake waffles until they are crisp.\n", encoding="utf-8")
        (net / "src/retry.py").write_text("def send_once(request):\n    return request\n", encoding="utf-8")
        assert indexes.search("crisp waffles")[0].path == "waffles.md"
        assert indexes.search("send_once")[0].corpus == "net"
        assert "send_with_retry" not in [hit.symbol for hit in indexes.search("send_with_retry")]
        assert indexes.freshness.fresh


def test_without_time_each_hit_says_whether_it_is_fresh(tmp_path: Path) -> None:
    roots = {
        name: write(tmp_path / name, {f"f{number}.txt": f"word{number} {name}\n" for number in range(300)})
        for name in ("one", "other")
    }
    chosen = Settings(home=str(tmp_path / "home"))
    Indexes.build(*roots.values(), settings=chosen).close()
    with Indexes.open(*roots.values(), settings=chosen._replace(refresh_seconds=0)) as indexes:
        for place in roots["other"].iterdir():
            place.write_text("word another\n", encoding="utf-8")
        hits = indexes.search("one other another", 1000, mode="lexical")
        assert {hit.corpus for hit in hits} == {"one", "other"}
        for hit in hits:
            data = (roots[hit.corpus] / hit.path).read_bytes()
            assert hit.fresh is (hashlib.sha256(data).hexdigest() == hit.document.sha256)
        assert indexes.freshness.fresh is all(index.freshness.fresh for index in indexes.values())


def test_a_corpus_that_fails_costs_only_itself(tmp_path: Path) -> None:
    net, kitchen = write(tmp_path / "net", NET), write(tmp_path / "kitchen", KITCHEN)
    with Indexes.build(net, kitchen, settings=Settings(home=str(tmp_path / "home"))) as indexes:
        with indexes["kitchen"].store.writing() as writer:
            writer.set_embedder("another", 3)
        assert {hit.corpus for hit in indexes.search("config", 10)} == {"net"}
        assert isinstance(indexes.failures["kitchen"], IndexUnusableError)
        assert list(indexes.last_searched) == ["net"]
        assert indexes.remarks[0].startswith("kitchen: ")
        with indexes["net"].store.writing() as writer:
            writer.set_embedder("another", 3)
        with pytest.raises(IndexUnusableError):
            indexes.search("config")


def test_a_corpus_is_searched_once(tmp_path: Path) -> None:
    net = write(tmp_path / "net", NET)
    (tmp_path / "link").symlink_to(net)
    with Indexes.build(net, tmp_path / "link", str(net), settings=Settings(home=str(tmp_path / "home"))) as indexes:
        assert list(indexes) == ["net"]
        assert [hit.path for hit in indexes.search("send_with_retry", 10)].count("src/retry.py") == 1


def test_a_file_of_two_corpora_is_found_in_the_innermost(tmp_path: Path) -> None:
    net = write(tmp_path / "net", NET)
    chosen = Settings(home=str(tmp_path / "home"))
    with Indexes.build(net, net / "src", net / "src" / "retry.py", settings=chosen) as indexes:
        assert list(indexes) == ["net", "src", "retry.py"]
        found = [(hit.corpus, hit.path) for hit in indexes.search("send_with_retry config", 20)]
        assert len(found) == len(set(found))
        assert ("src", "config.py") in found
        assert ("net", "src/config.py") not in found
        assert [place for place in found if place[1].endswith("retry.py")] == [("src", "retry.py")]
        # What the inner one does not let through is found in the outer.
        found = [(hit.corpus, hit.path) for hit in indexes.search("config", 20, where=Where(paths=("src/**",)))]
        assert ("net", "src/config.py") in found


def test_corpora_of_several_embedders_are_ranked_together(tmp_path: Path) -> None:
    """The scripted server's vectors are of other dimensions, and say nothing of meaning."""
    with ScriptedServer() as server:
        remote = Settings(
            home=str(tmp_path / "home"),
            embedder="openai:text-embedding-3-small",
            embedder_base_url=server.base_url,
            embedder_price=1.0,
        )
        with (
            built(write(tmp_path / "net", NET), tmp_path / "home") as net,
            Index.build(write(tmp_path / "kitchen", KITCHEN), settings=remote, max_cost=math.inf) as kitchen,
        ):
            assert net.embedder.name != kitchen.embedder.name
            several = SeveralCorpora({"net": net, "kitchen": kitchen})
            assert several.reach == "all"
            assert several.search("how long does the dough rest?", 3)[0].corpus == "kitchen"
            assert several.search("send_with_retry", 3)[0].corpus == "net"
            nearest = several.search("fry a thin cake of flour and milk in butter", 3, mode="dense")[0]
            assert (nearest.corpus, nearest.path) == ("kitchen", "notes/pancakes.md")
            server.embeddings = lambda _: Reply(status=401, error="no such key")
            assert several.search("where does the batter rest?", 3)[0].corpus == "kitchen"
            assert several.reach == "some"
            assert any("words alone" in remark for remark in several.remarks)


def test_there_must_be_something_to_search(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        Indexes.build()
    with pytest.raises(NotFoundError):
        Indexes.build(write(tmp_path / "net", NET), tmp_path / "nowhere")


@given(
    st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(lambda parts: Path("/", *parts)), min_size=1)
)
def test_short_names_tell_corpora_apart(roots: list[Path]) -> None:
    named = short_names(roots)
    assert list(named.values()) == list(dict.fromkeys(roots))
    assert all(str(root).endswith(name) for name, root in named.items())


def test_what_another_corpus_says_too_is_named_with_it(tmp_path: Path) -> None:
    text = "# Retries\n\nA request is sent three times, with pauses that grow, before we give up and tell the caller.\n"
    one, other = write(tmp_path / "one", {"retries.md": text}), write(tmp_path / "other", {"notes/sending.md": text})
    with Indexes.build(one, other, settings=Settings(home=str(tmp_path / "home"))) as indexes:
        [hit] = indexes.search("how often is a request sent before we give up?")
        assert (hit.corpus, hit.path, hit.also) == ("one", "retries.md", ("other: notes/sending.md:1",))
        assert all(not hit.also for hit in indexes["other"].search("how often is a request sent?"))


def test_quoted_words_of_any_corpus_come_first(corpora: dict[str, Index]) -> None:
    several = SeveralCorpora(corpora)
    assert several.search('"the dough rests for eighteen hours"', 3)[0].corpus == "kitchen"
    assert several.search('where is "the server stays busy" raised', 3)[0].path == "src/retry.py"


@given(st.sampled_from(WORDS), st.permutations(["net", "kitchen", "shop"]))
@settings(max_examples=30)
def test_the_order_of_corpora_does_not_matter(corpora: dict[str, Index], query: str, order: list[str]) -> None:
    def found(names: list[str]) -> set[tuple[str, str]]:
        hits = SeveralCorpora({name: corpora[name] for name in names}).search(query, 50)
        return {(hit.corpus, hit.path) for hit in hits}

    assert found(order) == found(["net", "kitchen", "shop"])
