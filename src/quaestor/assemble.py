"""From configuration to concrete objects: the only place that names them."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from quaestor.chunking import ChunkSettings
from quaestor.config import Settings, data_home, load_configuration
from quaestor.corpus import Corpus
from quaestor.embedding import Embedder
from quaestor.errors import IndexUnusableError, UsageError
from quaestor.ingest.files import checked_root, folder_of, walk
from quaestor.ingest.indexer import CountTokens, Indexer, IngestSettings, Progress, Survey
from quaestor.retrieval.ranker import Ranker
from quaestor.sites import crawl, is_address, is_site, pages_of
from quaestor.stores.embedded import EmbeddedStore

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from quaestor.accounts.ledger import Ledger
    from quaestor.accounts.metered import MeteredModel
    from quaestor.accounts.money import Price
    from quaestor.accounts.purpose import Purpose
    from quaestor.accounts.users import Users
    from quaestor.chat.events import Event
    from quaestor.chat.session import Sessions
    from quaestor.chat.settings import ConversationSettings
    from quaestor.edits import Journal, Objection
    from quaestor.models import Model
    from quaestor.models.openai_compatible import OpenAICompatibleModel
    from quaestor.subroutines import Registry

# Telling a model of its subroutines may take this part of the window, unless they are asked for.
_SHARE_OF_TELLING = 4


class Index(Corpus):
    """A corpus of its own, opened by path: the public face of Quaestor's retrieval.

    Use it as a context, or call ``close``.
    """

    _settings: Settings

    def model_named(self, name: str) -> Model:
        """Return a model by its name at the endpoint that the settings name; OpenAI's own if they name none.

        Raises:
            UsageError: the name is empty, or the settings of the endpoint are wrong.
        """
        model = make_model(replace(self._settings, model=name))
        if model is None:
            raise UsageError(f"{name!r} is no name of a model; give one, or None for answers made of quotes")
        return model

    @classmethod
    def build(
        cls,
        path: str | Path,
        *,
        settings: Settings | None = None,
        progress: Progress | None = None,
        rebuild: bool = False,
        site: Mapping[str, object] | None = None,
    ) -> Self:
        """Build the index of a folder, a file or a site, or bring it up to date, and open it.

        Args:
            path: the folder or file, or the address of a site, which is crawled as it was the time before.
            settings: as loaded by ``load_configuration``; read from environment and files by default.
            progress: called as the work goes on.
            rebuild: throw away what is there and begin anew.
            site: fields of ``CrawlSettings``, for a site; those not given are as the time before.

        Raises:
            NotFoundError: the path does not exist.
            UpstreamError: the site gave nothing.
            IndexUnusableError: the index is corrupt, newer, or made with another embedder.
        """
        if is_address(path):
            settings = settings or load_configuration().settings
            crawl(str(path), data_home(settings), site or {}, rebuild=rebuild)
        root, settings = _located(path, settings)
        if rebuild:
            EmbeddedStore.erase(index_folder(root, settings))
        index = cls._opened(root, settings, create=True)
        index._first(progress)
        return index

    @classmethod
    def open(cls, path: str | Path, *, settings: Settings | None = None) -> Self:
        """Open an index that exists.

        Raises:
            IndexUnusableError: there is none, or it is corrupt, newer, or made with another embedder.
        """
        root, settings = _located(path, settings)
        if not index_folder(root, settings).exists():
            raise IndexUnusableError(f"There is no index of {str(root)!r} yet. Run `quaestor index {root}`.")
        return cls._opened(root, settings, create=False)

    @classmethod
    def ready(cls, path: str | Path, *, settings: Settings, progress: Progress | None = None) -> Self:
        """Open an index for searching, building it first only if it holds nothing yet.

        What has changed since is taken in by the search itself, within the time that it is allowed.

        Raises:
            NotFoundError: the path does not exist.
            IndexUnusableError: the index is corrupt, newer, or made with another embedder.
        """
        root, settings = _located(path, settings)
        index = cls._opened(root, settings, create=True)
        if not index.store.generation():
            index._first(progress)
        return index

    def _first(self, progress: Progress | None) -> None:
        """Bring a new index up to date, or close it."""
        try:
            self.refresh(progress=progress)
        except BaseException:
            self.close()
            raise

    @classmethod
    def _opened(cls, root: Path, settings: Settings, *, create: bool) -> Self:
        embedder = make_embedder(settings)
        store = make_store(root, settings, embedder, create=create)
        indexer = Indexer(root, store, embedder, ingest_settings(settings, root))
        index = cls(root, store, embedder, indexer, Ranker.bundled(), refresh_seconds=settings.refresh_seconds)
        index._settings = settings
        return index


def make_embedder(settings: Settings) -> Embedder:
    """Return the embedder that the settings name."""
    if settings.embedder == "bundled":
        from quaestor.embedding.static import StaticEmbedder  # noqa: PLC0415 - reads the weights

        return StaticEmbedder.bundled()
    raise UsageError(f"There is no embedder {settings.embedder!r}. Use 'bundled'.")


def make_store(root: Path, settings: Settings, embedder: Embedder, *, create: bool) -> EmbeddedStore:
    """Return the store that the settings name, for one source."""
    if settings.store != "embedded":
        raise UsageError(f"There is no store {settings.store!r}. Use 'embedded'.")
    return _open_store(index_folder(root, settings), embedder, create=create)


def _open_store(folder: Path, embedder: Embedder, *, create: bool) -> EmbeddedStore:
    try:
        return EmbeddedStore.open(folder, embedder=embedder.name, dimensions=embedder.dimensions, create=create)
    except OSError as error:
        raise IndexUnusableError(
            f"The index in {str(folder)!r} cannot be reached ({error.strerror or error}). "
            "Set QUAESTOR_HOME to a folder that can be written."
        ) from error


def make_model(
    settings: Settings, purpose: Purpose | None = None, *, ledger: Ledger | None = None
) -> MeteredModel | None:
    """Return the language model that the settings name, or None when answers are to be quotes.

    Args:
        settings: its name, endpoint, price, and the limits on what it may cost.
        purpose: whose the requests are, and what for, for the ledger.
        ledger: where they are recorded; None: the one in the data folder.

    Raises:
        UsageError: a setting of the endpoint is wrong, or the file of prices.
    """
    endpoint = make_endpoint(settings)
    if endpoint is None:
        return None
    from quaestor.accounts.limits import Limits  # noqa: PLC0415
    from quaestor.accounts.metered import MeteredModel  # noqa: PLC0415
    from quaestor.accounts.prices import load_prices  # noqa: PLC0415
    from quaestor.accounts.purpose import Purpose  # noqa: PLC0415 - only with a model

    return MeteredModel(
        endpoint,
        ledger or make_ledger(settings),
        load_prices(settings),
        Limits.of(settings),
        purpose or Purpose(),
        window=settings.window,
    )


def make_endpoint(settings: Settings) -> OpenAICompatibleModel | None:
    """Return the language model that the settings name without the ledger, to look at it; None for none.

    Raises:
        UsageError: a setting of the endpoint is wrong.
    """
    if not settings.model and not settings.base_url:
        return None
    if not settings.model:
        raise UsageError(f"An endpoint is set ({settings.base_url!r}) but no model. Give --model NAME.")
    if settings.protocol not in ("chat", "completion"):
        raise UsageError(f"There is no protocol {settings.protocol!r}. Use 'chat' or 'completion'.")
    completing = settings.protocol == "completion"
    return _completion_model(settings) if completing else _chat_model(settings)


def _chat_model(settings: Settings) -> OpenAICompatibleModel:
    from quaestor.models.capabilities import capabilities_at, overridden  # noqa: PLC0415 - only with a model
    from quaestor.models.openai_compatible import OPENAI_URL, OpenAICompatibleModel  # noqa: PLC0415
    from quaestor.tokens import counter_for  # noqa: PLC0415 - only with a model

    return OpenAICompatibleModel(
        settings.model,
        base_url=settings.base_url,
        api_key=settings.api_key,
        timeout=settings.timeout,
        counter=counter_for(settings.tokenizer) if settings.tokenizer else None,
        capabilities=overridden(
            capabilities_at(settings.base_url or OPENAI_URL), tools=settings.tools, prefill=settings.prefill
        ),
    )


def _completion_model(settings: Settings) -> OpenAICompatibleModel:
    from quaestor.models.chatml_counter import ChatMLCounter  # noqa: PLC0415 - only with such a model
    from quaestor.models.completion import CompletionModel, encoding_for  # noqa: PLC0415
    from quaestor.tokens import tokenizer_for  # noqa: PLC0415

    known = settings.tokenizer or settings.model
    return CompletionModel(
        settings.model,
        encoding=encoding_for(known),
        base_url=settings.base_url,
        api_key=settings.api_key,
        timeout=settings.timeout,
        counter=ChatMLCounter(tokenizer_for(known)),
    )


def make_subroutines(index: Corpus, model: Model | None, settings: Settings, *, edits: bool = False) -> Registry | None:
    """Return what a model may call; None if nothing, or if telling it how would take too much of the window.

    Args:
        index: what it may search and read.
        model: who is told; None for none.
        settings: whether it may at all.
        edits: whether it may propose changes as well, if there is room for that.

    Raises:
        UsageError: the setting is none of its words.
    """
    if settings.subroutines not in ("on", "off", "auto"):
        raise UsageError(f"Setting 'subroutines' cannot be {settings.subroutines!r}. Use 'on', 'off' or 'auto'.")
    if settings.subroutines == "off" or model is None:
        return None
    from quaestor.subroutines import registry_of  # noqa: PLC0415 - only with a model

    registries = [registry_of(index, edits=wanted) for wanted in dict.fromkeys((edits, False))]
    if settings.subroutines == "on":
        return registries[0]
    return next((one for one in registries if _told(model, one, settings) * _SHARE_OF_TELLING <= settings.window), None)


def _told(model: Model, registry: Registry, settings: Settings) -> int:
    """Return the tokens that it takes to tell a model of its subroutines."""
    from quaestor.chat.protocols import protocol_for  # noqa: PLC0415 - only with a model
    from quaestor.models.counting import counter_of  # noqa: PLC0415
    from quaestor.prompts import load  # noqa: PLC0415

    protocol, counter = protocol_for(model.capabilities, registry), counter_of(model)
    words = protocol.brief() + load("plan").template * (settings.premeditation == "on")
    return counter.text(words) + counter.tools(protocol.tools)


def _price(settings: Settings) -> Price | None:
    if not settings.model:
        return None
    from quaestor.accounts.prices import load_prices  # noqa: PLC0415 - only with a model

    return load_prices(settings).of(settings.model)


def conversation_settings(settings: Settings, *, summaries: bool = False) -> ConversationSettings:
    """Return the part of the settings that conversations read.

    Raises:
        UsageError: a setting is none of its words.
    """
    from quaestor.chat.settings import ConversationSettings  # noqa: PLC0415 - only for conversations

    for name in ("premeditation", "examples"):
        if getattr(settings, name) not in ("on", "off"):
            raise UsageError(f"Setting {name!r} cannot be {getattr(settings, name)!r}. Use 'on' or 'off'.")
    price = _price(settings)
    return ConversationSettings(
        reserve=settings.reserve,
        passages=settings.passages,
        temperature=settings.temperature,
        summaries=summaries,
        seconds=settings.turn_seconds,
        tokens=settings.turn_tokens,
        calls=settings.turn_calls,
        cost=settings.turn_cost or None,
        prompt_price=float(price.prompt) if price else 0.0,
        completion_price=float(price.completion) if price else 0.0,
        premeditation=settings.premeditation == "on",
        examples=settings.examples == "on",
    )


def answering(corpus: Corpus, model: Model | None, question: str, settings: Settings) -> AsyncGenerator[Event]:
    """Return the steps of answering one question as the settings say; see ``answer_question``."""
    from quaestor.chat.answer import answer_question  # noqa: PLC0415 - only for questions

    return answer_question(
        corpus,
        model,
        question,
        replace(conversation_settings(settings), grounded=True),
        limit=settings.window,
        subroutines=make_subroutines(corpus, model, settings),
    )


def make_sessions(settings: Settings) -> Sessions:
    """Return the sessions that the settings name."""
    from quaestor.chat.session import Sessions  # noqa: PLC0415 - only for conversations

    return Sessions(data_home(settings) / "sessions")


def make_ledger(settings: Settings) -> Ledger:
    """Return the record of requests to models in the data folder that the settings name."""
    from quaestor.accounts import FILE  # noqa: PLC0415 - only with a model
    from quaestor.accounts.ledger import Ledger  # noqa: PLC0415

    return Ledger.open(data_home(settings) / FILE)


def make_users(settings: Settings) -> Users:
    """Return the users of a server whose data folder the settings name."""
    from quaestor.accounts import FILE  # noqa: PLC0415 - only for accounts
    from quaestor.accounts.users import Users  # noqa: PLC0415

    return Users.open(data_home(settings) / FILE)


def make_journal(root: Path, settings: Settings) -> Journal:
    """Return the record of edits of one source, in the data folder under the same name as its index."""
    from quaestor.edits import Journal  # noqa: PLC0415 - only for edits

    return Journal(data_home(settings) / "edits" / index_folder(root, settings).name)


def make_objection(root: Path, settings: Settings) -> Objection:
    """Return what tells the paths of a source that a person is asked about once more before they are edited."""
    from quaestor.ingest.single import left_out  # noqa: PLC0415 - only for edits

    ingest = ingest_settings(settings)

    def objection(path: str) -> str | None:
        reason = left_out(root, path, ingest)
        return None if reason is None else f"it is not indexed: {reason}"

    return objection


def survey_folder(root: Path, settings: Settings, count_tokens: CountTokens) -> Survey:
    """Return what indexing would read and make; the index is neither needed nor touched."""
    from quaestor.ingest.survey import survey  # noqa: PLC0415 - cuts files, which takes long to import

    place = checked_root(root)
    chosen = ingest_settings(settings, place)
    return survey(str(folder_of(place)), chosen, walk(place, chosen), count_tokens)


def ingest_settings(settings: Settings, root: Path | None = None) -> IngestSettings:
    """Return the part of the settings that ingest reads; pages of a site are not ours to ignore by files above them."""
    pages = root is not None and is_site(root, data_home(settings))
    return IngestSettings(
        ignore=("!*", *settings.ignore) if pages else settings.ignore,
        pages=pages,
        max_file_bytes=settings.max_file_bytes,
        chunks=ChunkSettings(settings.chunk_target, settings.chunk_limit),
    )


def index_folder(root: Path, settings: Settings) -> Path:
    """Return where a source's index lies: named after it, and keyed by its real path."""
    key = hashlib.blake2b(str(root.resolve()).encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", root.name)[:40] or "root"
    return data_home(settings) / "indexes" / f"{name}-{key}"


def locate(path: str | Path, settings: Settings | None = None) -> Path:
    """Return the real path of a folder or file that is indexed; of a site, where its pages lie.

    Args:
        path: of a folder or file, or a site's address.
        settings: where sites lie; read from environment and files by default.

    Raises:
        NotFoundError: it does not exist, or the site was not crawled yet: nothing is fetched here.
        UsageError: it is an address of no page on the web, or neither a folder nor a file.
    """
    if not is_address(path):
        return checked_root(Path(path).expanduser())
    return checked_root(pages_of(str(path), data_home(settings or load_configuration().settings)))


def _located(path: str | Path, settings: Settings | None) -> tuple[Path, Settings]:
    root = locate(path, settings)
    if settings is None:
        settings = load_configuration(project=root if root.is_dir() else root.parent).settings
    return root, settings
