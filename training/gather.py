"""Gathers training pairs from clones of repositories: ``python -m training.gather DIR... --out FOLDER``.

Writes one ``OWNER+NAME.jsonl.gz`` per source and ``sources.tsv`` (name, commit, licence, pairs, bytes read). Evaluation
repositories and sources without a permissive licence are refused, each with its reason on stderr.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from quaestor.chunking.languages import PROSE, recognise
from quaestor.core.errors import QuaestorError
from quaestor.evaluation.made_questions.surface_syntax import LANGUAGES
from quaestor.tuning.training_pairs import Pair, code_pairs, prose_pairs, write_pairs
from training.commits import commit_pairs
from training.overlap import lines_of_folders, overlaps
from training.sources import Blob, list_blobs, open_source, read_blobs

_SKIPPED = (
    "vendor/",
    "node_modules/",
    "third_party/",
    "thirdparty/",
    "dist/",
    ".min.",
    "generated",
    "fixtures/",
    "_pb2",
    ".pb.",
)
_TRANSLATED = ("/zh", "/ja/", "/ko/", "/fr/", "/es/", "/de/", "/pt", "/ru/", "/it/", "locale", "i18n", "translations")
_LARGEST = 300_000  # bytes of one file
_judged: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of one source is used: bytes of code, bytes of prose, pairs, commits."""

    code: int = 6_000_000
    prose: int = 3_000_000
    pairs: int = 12_000
    commits: int = 600


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="training.gather", description="Gather training pairs.")
    parser.add_argument("folders", nargs="*", type=Path, help="clones, bare or not")
    parser.add_argument("--listed", type=Path, help="file of lines: owner/name, tab, folder")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--judged", nargs="*", type=Path, default=[], help="checkouts of evaluation corpora: drop overlaps"
    )
    parser.add_argument("--processes", type=int, default=3)
    options = parser.parse_args(arguments)
    places: list[tuple[str | None, Path]] = [(None, folder) for folder in options.folders]
    if options.listed:
        rows = (line.split("\t") for line in options.listed.read_text("utf-8").splitlines() if line)
        places += [(name, Path(folder)) for name, folder in rows]
    gather(places, options.out, options.judged, options.processes)
    return 0


def gather(places: Iterable[tuple[str | None, Path]], out: Path, judged: Iterable[Path], processes: int) -> None:
    """Gather from every place into the folder ``out``."""
    out.mkdir(parents=True, exist_ok=True)
    lines = lines_of_folders(judged)
    jobs = [(name, folder, out) for name, folder in places]
    with (
        (out / "sources.tsv").open("a", encoding="utf-8") as sources,
        ProcessPoolExecutor(processes, initializer=_remember, initargs=(lines,)) as pool,
    ):
        for row in pool.map(_gather_one, jobs, chunksize=1):
            print(row, file=sys.stderr if row.startswith("!") else sources, flush=True)


def _remember(lines: frozenset[int]) -> None:
    global _judged  # noqa: PLW0603 -- one copy per process instead of one per job
    _judged = lines


def _gather_one(job: tuple[str | None, Path, Path]) -> str:
    """Return a row for ``sources.tsv``, or a line that begins with ``!`` and says why there is none."""
    name, folder, out = job
    try:
        source = open_source(folder, name)
        chance = random.Random(source.name)
        pairs = list(_distinct(_source_pairs(source.git_dir, Limits(), chance)))
    except (QuaestorError, OSError, ValueError, subprocess.CalledProcessError) as error:
        return f"! {name or folder}: {error}"
    file = out / f"{source.name.replace('/', '+')}.jsonl.gz"
    chance.shuffle(pairs)
    pairs = pairs[: Limits().pairs]
    count = write_pairs(file, pairs)
    return f"{source.name}\t{source.commit}\t{source.licence}\t{count}\t{sum(len(pair.text) for pair in pairs)}"


def _source_pairs(git_dir: Path, limits: Limits, chance: random.Random) -> Iterator[Pair]:
    for blob, language, data in _texts(git_dir, limits, chance):
        text = data.decode("utf-8", "replace")
        extract = code_pairs if language in LANGUAGES else prose_pairs
        yield from extract(text, blob.path, language, chance)
    yield from commit_pairs(git_dir, limits.commits)


def _texts(git_dir: Path, limits: Limits, chance: random.Random) -> Iterator[tuple[Blob, str, bytes]]:
    """Yield a random choice of the files worth reading, up to the limits."""
    blobs = [blob for blob in list_blobs(git_dir) if 0 < blob.size <= _LARGEST and not _skipped(blob.path)]
    chance.shuffle(blobs)
    left = {True: limits.code, False: limits.prose}
    chosen = []
    for blob in blobs:
        language = recognise(b"", blob.path)
        is_code = language in LANGUAGES
        readable = is_code or language in PROSE or blob.path.endswith(".xhtml")
        if readable and blob.path.rpartition(".")[1] and left[is_code] > blob.size:
            left[is_code] -= blob.size
            chosen.append(blob)
    for blob, data in read_blobs(git_dir, chosen):
        if b"\0" not in data[:1024]:
            yield blob, recognise(data, blob.path), data


def _skipped(path: str) -> bool:
    lower = f"/{path.lower()}"
    return any(part in lower for part in _SKIPPED) or any(part in lower for part in _TRANSLATED)


def _distinct(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Drop repeated queries and passages, and passages that are judged elsewhere."""
    queries: dict[str, int] = {}
    texts: set[int] = set()
    for pair in pairs:
        times = queries.get(pair.query, 0)
        key = hash((pair.kind, pair.text[:300]))
        if times >= 2 or key in texts or overlaps(pair.text, _judged):
            continue
        queries[pair.query] = times + 1
        texts.add(key)
        yield pair


if __name__ == "__main__":
    sys.exit(main())
