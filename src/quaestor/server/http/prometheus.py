"""The server's metrics for Prometheus, which contain no user names and no words of questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from quaestor.server.open_corpora import Corpora

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """The server's metrics.

    If a server has several processes, each counts in files of its own in one folder, and any of them reports the sums.
    A process's counts remain after it ends. ``prometheus_client`` reads the folder's path from the environment variable
    ``PROMETHEUS_MULTIPROC_DIR`` when it is imported.

    Args:
        corpora: the served corpora.
        folder: the folder of the processes' counts; None for a single process.

    Attributes:
        requests: finished requests by method, route and status.
        in_flight: requests under way.
        seconds: durations of whole requests by route.
        first_token: seconds until the first word of an answer was sent, by route.
        tokens: tokens by model and kind, prompt or completion.
        errors: error responses by code.
    """

    def __init__(self, corpora: Corpora, folder: Path | None = None) -> None:
        self.registry = CollectorRegistry()
        self._exported = self.registry if folder is None else CollectorRegistry()
        self.requests = Counter(
            "quaestor_requests", "Finished requests.", ("method", "route", "status"), registry=self.registry
        )
        self.in_flight = Gauge(
            "quaestor_requests_in_flight",
            "Requests under way.",
            registry=self.registry,
            multiprocess_mode="livesum",
        )
        self.seconds = Histogram(
            "quaestor_request_seconds",
            "Duration of a request in seconds.",
            ("route",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.first_token = Histogram(
            "quaestor_first_token_seconds",
            "Seconds until the first word of an answer was sent.",
            ("route",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.tokens = Counter(
            "quaestor_tokens", "Tokens of language models.", ("model", "kind"), registry=self.registry
        )
        self.errors = Counter("quaestor_errors", "Error responses.", ("code",), registry=self.registry)
        if folder is not None:
            MultiProcessCollector(self._exported, str(folder))  # type: ignore[no-untyped-call]
        self._exported.register(_Corpora(corpora))

    def text(self) -> bytes:
        """Return all metrics in Prometheus's text format."""
        return generate_latest(self._exported)


class _Corpora(Collector):
    """Collects the progress of each corpus's first index when metrics are requested."""

    def __init__(self, corpora: Corpora) -> None:
        self._corpora = corpora

    def describe(self) -> Iterable[Metric]:
        return ()

    def collect(self) -> Iterator[Metric]:
        ready = GaugeMetricFamily("quaestor_corpus_ready", "Whether a corpus can be searched.", labels=("corpus",))
        done = GaugeMetricFamily("quaestor_corpus_files_read", "Files read for the first index.", labels=("corpus",))
        total = GaugeMetricFamily("quaestor_corpus_files", "Files to read for the first index.", labels=("corpus",))
        for state in self._corpora.states():
            ready.add_metric((state.name,), float(state.ready))
            done.add_metric((state.name,), state.done)
            total.add_metric((state.name,), state.total)
        yield from (ready, done, total)
