"""The server's metrics for Prometheus. None of them names a user or contains a word of a question."""

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
    """The server's counters.

    Several processes of a server each count in files of their own, in one folder, and any of them reports the sum; the
    counts of a process remain after its end. The package reads the folder from the environment when it is imported:
    ``PROMETHEUS_MULTIPROC_DIR``.

    Args:
        corpora: the served corpora.
        folder: of the processes' counts; None for a single process.

    Attributes:
        requests: by method, route and status.
        in_flight: requests under way.
        seconds: of whole requests, by route.
        first_token: seconds until the first word of an answer was sent, by route.
        tokens: by model and direction, prompt or completion.
        errors: by code.
    """

    def __init__(self, corpora: Corpora, folder: Path | None = None) -> None:
        self.registry = CollectorRegistry()
        self._told = self.registry if folder is None else CollectorRegistry()
        self.requests = Counter(
            "quaestor_requests", "Requests that are over.", ("method", "route", "status"), registry=self.registry
        )
        self.in_flight = Gauge(
            "quaestor_requests_in_flight",
            "Requests under way.",
            registry=self.registry,
            multiprocess_mode="livesum",
        )
        self.seconds = Histogram(
            "quaestor_request_seconds", "Seconds of a request.", ("route",), buckets=_SECONDS, registry=self.registry
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
        self.errors = Counter("quaestor_errors", "Answers that are errors.", ("code",), registry=self.registry)
        if folder is not None:
            MultiProcessCollector(self._told, str(folder))  # type: ignore[no-untyped-call]
        self._told.register(_Corpora(corpora))

    def text(self) -> bytes:
        """Return all of it in Prometheus's text format."""
        return generate_latest(self._told)


class _Corpora(Collector):
    """The progress of each corpus, determined when it is requested."""

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
