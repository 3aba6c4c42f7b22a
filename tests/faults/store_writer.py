"""A process that writes to a store, transaction after transaction, until it is killed.

Usage: python store_writer.py FOLDER NAME FIRST COUNT OVERLAY [FILE_LIMIT_BYTES]

Transaction ``n`` puts the same three documents, each with ``n`` in all its texts and its number of chunks,
and sets the metadata ``NAME`` to ``n``; so a whole state is told from a torn one. Prints each ``n`` once it
is committed.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "contracts"))

from store_factories import entry, open_embedded

from quaestor.core.errors import QuaestorError
from quaestor.stores.embedded import Thresholds


def run(folder: Path, name: str, first: int, count: int, sizes: Thresholds) -> None:
    store = open_embedded(folder, sizes)
    for number in range(first, first + count):
        with store.writing() as writer:
            for place in "abc":
                texts = [f"{name} version{number} part{part}" for part in range(number % 5 + 2)]
                entry(f"{name}/{place}.py", texts).put(writer)
            writer.set_metadata(name, str(number))
        print(number, flush=True)


if __name__ == "__main__":
    folder, name, first, count, overlay, *limit = sys.argv[1:]
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit[0]), int(limit[0])))
    try:
        run(Path(folder), name, int(first), int(count), Thresholds(overlaid=int(overlay)))
    except QuaestorError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
