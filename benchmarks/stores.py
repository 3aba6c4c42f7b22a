"""Compares the store in PostgreSQL with the embedded one: rankings, load, disk, times, and many corpora at once.

    python benchmarks/stores.py overlap DIR... --store ADDRESS --queries 40
    python benchmarks/stores.py sizes DIR... --store ADDRESS --sizes 10000 100000
    python benchmarks/stores.py corpora DIR... --store ADDRESS --corpora 100
    python benchmarks/stores.py words DIR... --store ADDRESS --sizes 10000 100000
    python benchmarks/stores.py push DIR... --store ADDRESS --files 5000

``--store`` is the address of an empty database that nobody uses. Every query is asked of both stores, one after the
other, so that other work on the machine affects both. With ``--keep``, the stores stay in the folder ``--place`` and in
the database, and the same command later measures without making them. See README.md here.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from shutil import copy2
from tempfile import TemporaryDirectory
from typing import Any

import _machine
import numpy as np
from _postings_layouts import compare_layouts
from _query_kinds_made import make
from scale import BYTES_A_CHUNK, gather, say, take

from quaestor.assemble import Index
from quaestor.assemble.stores_by_name import open_database, open_store
from quaestor.core.config import Settings
from quaestor.embedding.static import question_vector
from quaestor.indexing.commit import keep_missing
from quaestor.search.retriever import Retriever
from quaestor.stores import Store
from quaestor.stores.copy_index import copy_store
from quaestor.stores.embedded import THRESHOLDS
from quaestor.stores.embedded.store import EmbeddedStore
from quaestor.stores.postgres.nearest import index_name
from quaestor.stores.postgres.postgres_store import PostgresStore

HERE = Path(__file__).parent
K = 10
TRIES = 5  # of each query, the fastest counts: whatever else runs on the machine then tells least
RANKED = 300  # what a search asks of each retriever


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse(arguments)
    report: dict[str, Any] = {
        "benchmark": f"stores {options.what}",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": _machine.describe(),
        "load_before": os.getloadavg(),
        "rows": [],
    }
    with working_folder(options) as place:
        for row in WAYS[options.what](options, Path(place)):
            report["rows"].append(row)
            say(json.dumps(row))
    report["load_after"] = os.getloadavg()
    print(table(report["rows"]))
    out = options.out or HERE / "results" / f"stores_{options.what}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Compare PostgreSQL with the embedded store.")
    parser.add_argument("what", choices=WAYS)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="a repository")
    parser.add_argument("--store", required=True, help="the address of an empty database")
    parser.add_argument("--queries", type=int, default=40, help="of each of five kinds, for each repository")
    parser.add_argument("--sizes", nargs="+", type=int, default=[10_000, 100_000], help="chunks, about")
    parser.add_argument("--corpora", type=int, default=100)
    parser.add_argument("--files", type=int, default=5000, help="of the repository that is pushed to")
    parser.add_argument("--place", type=Path, help="a folder with room for the files and their index")
    parser.add_argument("--keep", action="store_true", help="leave what was made in --place; another run takes it")
    parser.add_argument("--out", type=Path, help="JSON file (default: in benchmarks/results)")
    options = parser.parse_args(arguments)
    if options.keep and not options.place:
        parser.error("--keep needs --place")
    return options


def working_folder(options: argparse.Namespace) -> AbstractContextManager[str]:
    """Return the folder to work in: the one that was named where it is to be kept, else one that goes."""
    if options.keep:
        return nullcontext(str(options.place))
    return TemporaryDirectory(prefix="stores-", dir=options.place)


def overlap(options: argparse.Namespace, place: Path) -> Iterator[dict[str, Any]]:
    """Yield for each repository how many of the ten best both stores name."""
    for folder in options.folders:
        queries = [one.text for one in make(folder, options.queries)]
        with both(folder, folder.name, options.store, place) as (index, pair, _):
            found = [top(index, store, queries) for store in pair]
            shares = [len(set(one) & set(other)) / (len(one) or 1) for one, other in zip(*found, strict=True)]
            same = [one == other for one, other in zip(*found, strict=True)]
            yield {
                "repository": folder.name,
                "chunks": pair[0].stats().chunks,
                "queries": len(queries),
                "top10_overlap": round(statistics.fmean(shares), 4),
                "same_order": round(statistics.fmean(same), 4),
            }


def sizes(options: argparse.Namespace, place: Path) -> Iterator[dict[str, Any]]:
    """Yield for each size what both stores take."""
    pool, queries = gather(options.folders), questions(options)
    for size in options.sizes:
        root = place / f"corpus-{size}"
        if not root.exists():
            take(pool, int(size * BYTES_A_CHUNK), root)
        with both(root, root.name, options.store, place) as (index, pair, loading):
            yield {**measure(index, pair, queries), **loading, "client_mb": peak_megabytes()}


def corpora(options: argparse.Namespace, place: Path) -> Iterator[dict[str, Any]]:
    """Yield the times on one corpus while others come to lie beside it."""
    queries = questions(options)
    root = place / "corpus"
    take(gather(options.folders), int(options.sizes[0] * BYTES_A_CHUNK), root)
    with both(root, "corpus-0", options.store, place) as (index, pair, loading):
        reached = 1
        for count in sorted({1, 10, options.corpora}):
            for number in range(reached, count):
                other = settings(place, options.store, f"corpus-{number}")
                store = open_store(root, other, index.embedder.name, index.embedder.dimensions, create=True)
                copy_store(pair[0], store, lambda *_: None)
                store.close()
            reached = count
            yield {"corpora": count, **measure(index, pair, queries), **loading}


def words(options: argparse.Namespace, place: Path) -> Iterator[dict[str, Any]]:
    """Yield what each way of keeping words in the database takes."""
    pool, queries = gather(options.folders), questions(options)
    for size in options.sizes:
        root = place / f"corpus-{size}"
        take(pool, int(size * BYTES_A_CHUNK), root)
        with both(root, root.name, options.store, place) as (index, pair, _):
            retriever = Retriever(pair[0], index.embedder, index.retriever.ranker)
            asked = [retriever.read(query).terms for query in queries]
            assert isinstance(pair[1], PostgresStore)
            yield from compare_layouts(open_database(options.store), pair[1], [terms for terms in asked if terms])


def push(options: argparse.Namespace, place: Path) -> Iterator[dict[str, Any]]:
    """Yield what a job takes that runs for every push of one commit: a new process, on a checkout that holds it."""
    root = place / "checkout"
    for path, name, _ in gather(options.folders)[: options.files]:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        copy2(path, root / name)
    as_somebody = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    files = sorted(path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
    for what in ("everything", "nothing", *["a commit of ten files"] * 3):
        if what.startswith("a commit"):
            files.pop(0).unlink()
            for path in random.sample(files, 8):
                path.write_bytes(path.read_bytes() + f"\n# {time.time_ns()}\n".encode())
            (root / f"new_{time.time_ns()}.py").write_text("def added():\n    return 1\n", encoding="utf-8")
        subprocess.run([*as_somebody, "add", "--all", "--force"], check=True)
        subprocess.run([*as_somebody, "commit", "-q", "--allow-empty", "-m", what], check=True)
        for name, store in (("embedded", "embedded"), ("postgres", options.store)):
            yield {"pushed": what, "store": name, **pushed(root, place / name, store)}


def pushed(root: Path, home: Path, store: str) -> dict[str, Any]:
    """Return what one ``quaestor index`` of a checkout indexed, and its seconds by the clock and of processors."""
    environment = {**os.environ, "QUAESTOR_HOME": str(home), "QUAESTOR_CORPUS": "push"}
    command = [sys.executable, "-m", "quaestor", "index", str(root), "--store", store, "--json"]
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    told = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment).stdout)
    seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "documents": told["index"]["documents"],
        **{name: len(told[name]) for name in ("added", "changed", "removed")},
        "seconds": round(seconds, 1),
        "processor_s": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1),
    }


WAYS: dict[str, Callable[[argparse.Namespace, Path], Iterator[dict[str, Any]]]] = {
    "overlap": overlap,
    "sizes": sizes,
    "corpora": corpora,
    "words": words,
    "push": push,
}


def settings(place: Path, store: str = "embedded", corpus: str = "") -> Settings:
    """Return settings that touch nothing of the user's."""
    return Settings(home=str(place / "home"), store=store, corpus=corpus)


def questions(options: argparse.Namespace) -> list[str]:
    return [one.text for folder in options.folders[:4] for one in make(folder, max(options.queries // 4, 1))]


@contextmanager
def both(
    root: Path, corpus: str, address: str, place: Path
) -> Iterator[tuple[Index, tuple[Store, Store], dict[str, Any]]]:
    """Hold an index with the embedded store that it lies in, and a copy of that in the database."""
    started = time.perf_counter()
    with Index.build(root, settings=settings(place)) as index:
        indexed = time.perf_counter() - started
        shared = settings(place, address, corpus)
        other = open_store(root, shared, index.embedder.name, index.embedder.dimensions, create=True)
        started = time.perf_counter()
        if index.store.stats().chunks != other.stats().chunks:
            copy_store(index.store, other, lambda *_: None)
        copied = time.perf_counter()
        keep_missing(other, str(root))
        taken = {
            "index_s": round(indexed, 1),
            "copy_s": round(copied - started, 1),
            "bytes_s": round(time.perf_counter() - copied, 1),
            "embedded_mb": round(index.store.stats().store_bytes / 1e6, 1),
            "postgres_mb": round(other.stats().store_bytes / 1e6, 1),
            **held_in_memory(other),
        }
        try:
            yield index, (index.store, other), taken
        finally:
            other.close()


def peak_megabytes() -> int:
    """Return the most memory that this process had; the embedded store's share is in it."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000


def held_in_memory(store: Store) -> dict[str, float]:
    """Return the megabytes of vectors, of words, which each process of ours maps, and of the documents' bytes."""
    assert isinstance(store, PostgresStore)
    corpus = store._corpus
    index = f"quaestor.{index_name(corpus, store._dimensions)}"
    [(vectors, words, kept)] = store._database.read(
        lambda connection: connection.execute(
            "SELECT coalesce(pg_relation_size(to_regclass(%s)), 0), "
            "(SELECT coalesce(sum(octet_length(data)), 0) FROM quaestor.segments WHERE corpus_id = %s), "
            "(SELECT coalesce(sum(octet_length(data)), 0) FROM quaestor.contents WHERE corpus_id = %s)",
            (index, corpus, corpus),
        ).fetchall()
    )
    return {
        "hnsw_mb": round(int(vectors) / 1e6, 1),
        "words_mb": round(int(words) / 1e6, 1),
        "bytes_mb": round(int(kept) / 1e6, 1),
    }


def top(index: Index, store: Store, queries: Sequence[str]) -> list[list[tuple[str, int]]]:
    """Return the ten best of each query, as paths with first lines."""
    retriever = Retriever(store, index.embedder, index.retriever.ranker)
    return [[(hit.path, hit.start_line) for hit in retriever.search(query, K)] for query in queries]


def measure(index: Index, pair: tuple[Store, Store], queries: Sequence[str]) -> dict[str, Any]:
    """Return the times of both stores, query by query in turn, and how much of the exact vectors' best is found.

    Beside the milliseconds by the clock stand those of processors, of this process and of the server's: they say more
    on a machine that does other things as well.
    """
    row: dict[str, Any] = {"chunks": pair[0].stats().chunks, "queries": len(queries)}
    retrievers = [Retriever(store, index.embedder, index.retriever.ranker) for store in pair]
    parts: dict[str, Callable[[Retriever, str], object]] = {
        "words": lambda retriever, query: retriever.store.lexical(retriever.read(query).terms, RANKED),
        "vectors": lambda retriever, query: retriever.store.dense(question_vector(index.embedder, query), RANKED),
        "search": lambda retriever, query: retriever.search(query, K),
    }
    for name, part in parts.items():
        taken: list[list[tuple[float, float]]] = [[], []]
        for query in queries:
            for own, retriever in zip(taken, retrievers, strict=True):
                tries = [timed(part, retriever, query) for _ in range(TRIES)]
                own.append((min(time for time, _ in tries), min(processor for _, processor in tries)))
        for own, store in zip(taken, ("embedded", "postgres"), strict=True):
            for unit, values in zip(("ms", "processor_ms"), zip(*own, strict=True), strict=True):
                middle, late = np.percentile(values, [50, 95])
                row[f"{name}_{store}_{unit}"] = f"{middle:.1f} / {late:.1f}"
    row["recall10"] = round(recall(index, pair, queries), 4)
    return row


def timed(part: Callable[[Retriever, str], object], retriever: Retriever, query: str) -> tuple[float, float]:
    """Return how many milliseconds a part of a search took by the clock, and of processors."""
    started, before = time.perf_counter(), processor_seconds(retriever.store)
    part(retriever, query)
    taken = time.perf_counter() - started
    return 1000 * taken, 1000 * (processor_seconds(retriever.store) - before)


def processor_seconds(store: Store) -> float:
    """Return the processor time of this process and of the server's that it asks, if that runs on this machine."""
    own = time.process_time()
    if not isinstance(store, PostgresStore):
        return own
    of_server = Path(f"/proc/{server_process(store)}/schedstat")
    return own + (int(of_server.read_text().split()[0]) / 1e9 if of_server.exists() else 0.0)


def server_process(store: PostgresStore) -> int:
    """Return the number of the server's process that answers this one, which asks one thing at a time."""
    pool = store._database._standby
    connection = pool.take()
    try:
        return connection.info.backend_pid
    finally:
        pool.give(connection)


def recall(index: Index, pair: tuple[Store, Store], queries: Sequence[str]) -> float:
    """Return the share of the ten nearest of all vectors that the database names."""
    exact = EmbeddedStore.open(
        Path(pair[0]._folder),  # type: ignore[attr-defined]
        embedder=index.embedder.name,
        dimensions=index.embedder.dimensions,
        create=False,
        sizes=THRESHOLDS._replace(exact=10**9),
    )
    shares = []
    for query in queries:
        vector = question_vector(index.embedder, query)
        nearest = exact.dense(vector, K)
        if not len(nearest):
            continue
        found = pair[1].dense(vector, K)
        # Copies of one text are equally near: what counts is to be no farther than the tenth.
        least = nearest[len(nearest) - 1][1] - 1e-3
        shares.append(sum(score >= least for _, score in found) / len(nearest))
    exact.close()
    return statistics.fmean(shares)


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Return rows as a table of Markdown."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [names, ["---"] * len(names), *([str(row.get(name, "")) for name in names] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    main()
