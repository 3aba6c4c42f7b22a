"""Any endpoint that speaks OpenAI's ``/v1/embeddings``: hosted services, llama.cpp, vLLM, Ollama, another Quaestor.

Texts are cut to the length that the model reads and sent in requests within the server's limits, several at once. Each
request, and each retry, is reserved with the meter before it is sent and settled afterwards: a request that may have
been charged counts as charged.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Any

import httpx2
import numpy as np

from quaestor.core.errors import IndexUnusableError, UpstreamError
from quaestor.embedding import Vectors
from quaestor.embedding.remote import Allowance, EmbeddedTexts, Meter, RemoteEmbedder, Use
from quaestor.embedding.requests_and_replies import (
    NoVectorsError,
    Piece,
    RequestLimits,
    as_pieces,
    in_requests,
    read_tokens,
    read_vectors,
    shorten,
)
from quaestor.llm.endpoints import OPENAI_URL
from quaestor.llm.endpoints.client import TROUBLE, RetryPolicy, ask, blocking_client, endpoint_at, translate_error
from quaestor.llm.endpoints.failures import (
    TooLongError,
    UnreachableError,
    refuses_so_many,
    shown_url,
    worth_retrying,
)
from quaestor.llm.tokens import Tokenizer

PREFIX = "openai:"
KNOWN_DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}

_AT_ONCE = 4
_REMEMBERED = 256
_SHORTENINGS = 12
# A search waits for it and can fall back on words; an index can wait for a busy server.
_SEARCH_SECONDS = 10.0
_SEARCHING = RetryPolicy(retries=1, first=0.25, longest=2.0)
_INDEXING = RetryPolicy(retries=6, first=0.5, longest=60.0)


def name_of(model: str, base_url: str = "") -> str:
    """Return the name of an embedder: the model's name, followed by its server's unless that is OpenAI's own.

    Two servers may use one name for different weights.
    """
    at_openai = not base_url or base_url.rstrip("/") == OPENAI_URL
    return f"{PREFIX}{model}" if at_openai else f"{PREFIX}{model} at {shown_url(base_url).rstrip('/')}"


class HttpEmbedder(RemoteEmbedder):
    """An embedding model behind an OpenAI-compatible endpoint; threads may share it.

    Args:
        model: the model's name at the endpoint.
        base_url: the API's root; empty means OpenAI's own.
        api_key: sent as a bearer token; empty sends none.
        tokenizer: counts the tokens of texts, or an upper bound.
        meter: keeps account of the requests.
        dimensions: the dimensions of the vectors, if known; else a word is embedded to find out.
        limits: the limits of requests; None uses the known limits of the model.
        timeout: seconds of silence after which the server counts as gone.

    Raises:
        UsageError: ``base_url`` is not an http or https URL, or the key cannot be sent.

    Attributes:
        name: the embedder's name, see ``name_of``.
        tokenizer: counts the tokens of texts.
    """

    def __init__(  # noqa: PLR0913 - one for each thing that endpoints differ in
        self,
        model: str,
        *,
        tokenizer: Tokenizer,
        meter: Meter,
        base_url: str = "",
        api_key: str = "",
        dimensions: int | None = None,
        limits: RequestLimits | None = None,
        timeout: float = 120.0,
    ) -> None:
        self.name = name_of(model, base_url)
        self.tokenizer = tokenizer
        self._endpoint = endpoint_at(base_url, model, api_key)
        self._meter = meter
        self._dimensions = dimensions
        self._asking = Allowance(None)
        self._limits = limits or RequestLimits.of_model(model)
        self._timeout = timeout
        self._form: str | None = "base64"
        self._client: httpx2.Client | None = None
        self._lock = threading.Lock()
        self._recent: OrderedDict[str, Vectors] = OrderedDict()

    def __repr__(self) -> str:
        return f"HttpEmbedder({self._endpoint.model!r}, base_url={self._endpoint.url})"

    @property
    def dimensions(self) -> int:
        """The length of each vector; if it is unknown, the server is asked once.

        Raises:
            UpstreamError: the server is down, refuses, or answers nonsense.
        """
        if self._dimensions is None:
            failure = self._encode(["dimensions"], "index", self._asking).failure
            if failure is not None:
                raise failure
        assert self._dimensions is not None
        return self._dimensions

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text; the last few hundred texts are remembered.

        Raises:
            UpstreamError: the server is down, refuses, or answers nonsense.
            BudgetError: it could cost more than a limit leaves; it was not sent.
            IndexUnusableError: the model's vectors have other dimensions than before.
        """
        wanted = list(dict.fromkeys(texts))
        with self._lock:
            known = {text: self._recent[text] for text in wanted if text in self._recent}
        missing = [text for text in wanted if text not in known]
        encoded = self._encode(missing, "search", None) if missing else None
        if encoded is not None:
            if encoded.failure is not None:
                raise encoded.failure
            known.update(zip(missing, encoded.vectors, strict=True))
            self._remember(dict(zip(missing, encoded.vectors, strict=True)))
        rows = [known[text] for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self.dimensions), np.float32)

    def encode_within(self, texts: Sequence[str], allowance: Allowance) -> EmbeddedTexts:
        """Return the vectors of as many texts as possible; nothing that was paid for is lost.

        After a failure or Ctrl-C no further request is sent, and those under way are waited for.
        """
        # What it took to learn the dimensions, before anybody could say what may be spent, belongs to the first work.
        asking, self._asking = self._asking, Allowance(None)
        allowance.correct(0, asking.spent)
        return self._encode(texts, "index", allowance)

    def close(self) -> None:
        """Close pooled connections; the embedder can be used again."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _remember(self, vectors: dict[str, Vectors]) -> None:
        with self._lock:
            self._recent.update(vectors)
            while len(self._recent) > _REMEMBERED:
                self._recent.popitem(last=False)

    def _encode(self, texts: Sequence[str], use: Use, allowance: Allowance | None) -> EmbeddedTexts:
        pieces = as_pieces(texts, self._limits, self.tokenizer.count)
        work = _Work(use, allowance)
        self._do(list(in_requests(pieces, self._limits)), work)
        # Nothing is known of their length only where no request was answered, and then that is the failure's affair.
        vectors = np.zeros((len(texts), self._dimensions or 0), np.float32)
        # An empty text has a vector of zeros without any request.
        done = np.array([not text.strip() for text in texts], dtype=np.bool_)
        for run, rows in work.done:
            places = [piece.place for piece in run]
            vectors[places], done[places] = rows, True
        return EmbeddedTexts(vectors, done, sum(piece.cut for run, _ in work.done for piece in run), work.failure)

    def _do(self, runs: Sequence[list[Piece]], work: _Work) -> None:
        """Send requests, several at a time."""
        if len(runs) <= 1:
            for run in runs:
                self._send(run, work)
            return
        with ThreadPoolExecutor(min(_AT_ONCE, len(runs)), thread_name_prefix="embed") as threads:
            futures = [threads.submit(self._send, run, work) for run in runs]
            try:
                wait(futures)
            except KeyboardInterrupt as interrupt:
                work.end(interrupt)

    def _send(self, run: list[Piece], work: _Work) -> None:
        """Send one request, with retries, and record its outcome; raise nothing."""
        tried = shortened_times = 0
        retries = _SEARCHING if work.use == "search" else _INDEXING
        while not work.ended.is_set():
            try:
                work.done.append((run, self._attempt(run, work)))
                return None
            except TooLongError as failure:
                if shortened_times == _SHORTENINGS:
                    return work.end(failure)
                shortened_times += 1
                run = self._shorten_longest(run, failure.limit)
            except UpstreamError as failure:
                if len(run) > 1 and refuses_so_many(failure):
                    return self._send_halves(run, work)
                seconds = retries.wait(tried, failure.retry_after) if worth_retrying(failure) else None
                if seconds is None or work.ended.wait(seconds):
                    return work.end(failure)
                tried += 1
            except BaseException as failure:
                return work.end(failure)
        return None

    def _send_halves(self, run: list[Piece], work: _Work) -> None:
        half = len(run) // 2
        with self._lock:
            self._limits = replace(self._limits, texts=min(self._limits.texts, half))
        self._send(run[:half], work)
        self._send(run[half:], work)

    def _shorten_longest(self, run: list[Piece], limit: int | None) -> list[Piece]:
        """Return a run whose longest texts are cut, after the server refused them as too long."""
        limits = self._limits.shorter(max(piece.tokens for piece in run), limit)
        if limit is not None:
            with self._lock:
                self._limits = limits
        return [shorten(piece, limits, self.tokenizer.count) for piece in run]

    def _attempt(self, run: list[Piece], work: _Work) -> Vectors:
        """Send a request once, recorded with the meter, and return its vectors."""
        tokens = sum(piece.tokens for piece in run)
        entry = self._meter.reserve(tokens, work.use, work.allowance)
        took, reported, whole = tokens, False, False
        try:
            answer = self._post([piece.text for piece in run], work.use)
            limit = read_tokens(answer)
            took, reported = (tokens if limit is None else limit), limit is not None
            vectors = self._check_vectors(answer, len(run))
            whole = True
        except UpstreamError as failure:
            if not reported and (failure.status is not None or isinstance(failure, UnreachableError)):
                took = 0
            raise
        finally:
            entry.settle(took, "done" if whole else "failed", reported=reported)
        return vectors

    def _post(self, texts: Sequence[str], use: Use) -> Any:
        """Return the server's JSON; leave out a parameter that it refuses."""
        try:
            return self._post_once(texts, use)
        except UpstreamError as failure:
            if self._form is None or failure.status not in (400, 422) or not _is_about_form(failure):
                raise
            self._form = None
            return self._post_once(texts, use)

    def _post_once(self, texts: Sequence[str], use: Use) -> Any:
        timeout = min(self._timeout, _SEARCH_SECONDS) if use == "search" else self._timeout
        body: dict[str, Any] = {"model": self._endpoint.model, "input": list(texts)}
        if self._form is not None:
            # A third of the bytes that numbers take; servers that do not know it send numbers all the same.
            body["encoding_format"] = self._form
        try:
            return ask(self._new_client(), self._endpoint, "/embeddings", body, timeout)
        except TROUBLE as error:
            raise translate_error(error, self._endpoint, timeout=timeout) from None
        except ValueError as error:
            raise self._unreadable_reply(str(error)) from None

    def _check_vectors(self, answer: Any, count: int) -> Vectors:
        try:
            vectors = read_vectors(answer, count)
        except NoVectorsError as error:
            raise self._unreadable_reply(str(error)) from None
        with self._lock:
            if self._dimensions is None:
                self._dimensions = vectors.shape[1]
        if vectors.shape[1] != self._dimensions:
            raise IndexUnusableError(
                f"{self._endpoint.url} now gives vectors of {vectors.shape[1]} dimensions for {self._endpoint.model!r},"
                f" and {self._dimensions} before: it is another model. `quaestor index --rebuild` makes an"
                " index with it."
            )
        return vectors

    def _unreadable_reply(self, reply: str) -> UpstreamError:
        return UpstreamError(
            f"{self._endpoint.url} did not answer in the form of OpenAI's embeddings for {self._endpoint.model!r}"
            f" (got: {self._endpoint.clean(reply)}); check that this is an embedding model, and that the address is the"
            " API's root (it usually ends in /v1)"
        )

    def _new_client(self) -> httpx2.Client:
        with self._lock:
            if self._client is None:
                self._client = blocking_client(self._endpoint, self._timeout)
            return self._client


class _Work:
    """The state of embedding some texts; threads share it.

    Attributes:
        done: the requests that were answered, with their vectors.
        failure: the first failure, after which nothing more is sent.
        ended: whether there was a failure.
    """

    def __init__(self, use: Use, allowance: Allowance | None) -> None:
        self.use: Use = use
        self.allowance = allowance
        self.done: list[tuple[list[Piece], Vectors]] = []
        self.failure: BaseException | None = None
        self.ended = threading.Event()

    def end(self, failure: BaseException) -> None:
        """Record a failure, after which nothing more is sent."""
        if self.failure is None:
            self.failure = failure
        self.ended.set()


def _is_about_form(failure: UpstreamError) -> bool:
    return "encoding_format" in str(failure) or "base64" in str(failure)
