"""Measures how fast a Ray cluster on this machine prepares a repository for its index, with 1, 2 and 4 nodes.

    python benchmarks/ray_throughput.py DIR [--nodes 1 2 4]

Everything is in temporary folders. Needs the extra `ray`. The first row is this machine without a cluster, with a
process for each core; nodes beyond the machine's cores can add nothing. See README.md here.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import _machine

from quaestor.assemble import Index
from quaestor.core.config import Settings
from stores import table

HERE = Path(__file__).parent


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Measure indexing by a Ray cluster.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="a repository")
    parser.add_argument("--nodes", nargs="+", type=int, default=[1, 2, 4])
    parser.add_argument("--out", type=Path, default=HERE / "results" / "ray_throughput.json", help="JSON file")
    options = parser.parse_args(arguments)
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_raylet_start_wait_time_s"] = "300"  # noqa: SIM112 - as Ray calls it
    before = os.getloadavg()
    rows = [{"nodes": "none", **indexed(options.folder, "")}]
    for count in options.nodes:
        with cluster(count) as address:
            rows.append({"nodes": count, **indexed(options.folder, address)})
    report: dict[str, Any] = {
        "benchmark": "ray_throughput",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": _machine.describe(),
        "repository": options.folder.name,
        "load_before": before,
        "load_after": os.getloadavg(),
        "rows": rows,
    }
    options.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(table(rows))


@contextmanager
def cluster(nodes: int) -> Iterator[str]:
    """Hold a cluster whose head works on nothing, and so many nodes that have a core."""
    from ray.cluster_utils import Cluster  # noqa: PLC0415 - after Ray was told to report to nobody

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        for _ in range(nodes):
            made.add_node(num_cpus=1)
        yield made.address
    finally:
        made.shutdown()


def indexed(folder: Path, address: str) -> dict[str, Any]:
    """Index a folder into an empty place; the second time counts, when every process has what it needs."""
    with TemporaryDirectory(prefix="ray-") as home:
        settings = Settings(home=home, ray=address)
        for _ in range(2):
            began = time.perf_counter()
            with Index.build(folder, settings=settings, rebuild=True) as index:
                seconds = time.perf_counter() - began
                held, changes = index.stats(), index.last_changes
    return {
        "documents": held.documents,
        "chunks": held.chunks,
        "seconds": round(seconds, 1),
        "megabytes_a_second": round(changes.bytes / 1e6 / seconds, 2),
        "chunks_a_second": round(held.chunks / seconds),
    }


if __name__ == "__main__":
    main()
