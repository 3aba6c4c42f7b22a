"""From the name of an embedder to the embedder: the only place that knows these names.

A name is the value of the setting ``embedder`` or the option ``--embedder``. An index stores the embedder's own name
(``Embedder.name``), which also identifies its weights or its server; ``spec_of`` maps it back to a setting.
"""

from __future__ import annotations

import math
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.accounts import Purpose
from quaestor.assemble.stores_by_name import recorded_embedder
from quaestor.core.config import Settings, data_home
from quaestor.core.errors import UsageError
from quaestor.core.light_imports import NamedTuple
from quaestor.embedding import Embedder
from quaestor.embedding.remote import Allowance, RemoteEmbedder, UnaskedEmbedder
from quaestor.embedding.static import StaticEmbedder
from quaestor.embedding.transformer import MINILM, NAME, PREFIX
from quaestor.embedding.tuning_names import is_tuned
from quaestor.llm.endpoints import OPENAI_URL

if TYPE_CHECKING:
    from quaestor.accounts.ledger import Ledger
    from quaestor.accounts.prices import Quote
    from quaestor.llm.tokens import Tokenizer

STATIC = "static"
OPENAI = "openai:"
_ASKED = "asked"  # names of remote embedders that the user has named
_NAMES = "'auto', 'static', 'minilm', 'onnx:FOLDER', 'openai:MODEL'"


class IndexEmbedder(NamedTuple):
    """The embedder that an index was made with.

    Attributes:
        name: the embedder's own name.
        dimensions: the length of its vectors.
    """

    name: str
    dimensions: int


def index_embedder(root: Path, settings: Settings) -> IndexEmbedder | None:
    """Return the name and dimensions of the embedder of a source's index; None if there is no index."""
    recorded = recorded_embedder(root, settings)
    return None if recorded is None else IndexEmbedder(*recorded)


def register_of(settings: Settings) -> Path:
    """Return the folder that records where transformers were last found."""
    return data_home(settings) / "embedders"


def spec_of(name: str) -> str:
    """Return the setting that chooses the embedder with this name; for a transformer, the name itself."""
    if name.startswith(NAME):
        return name
    return name.partition(" at ")[0] if name.startswith(OPENAI) else STATIC


def names_transformer(settings: Settings) -> bool:
    """Return whether the settings name a transformer on this machine."""
    return settings.embedder == MINILM or settings.embedder.startswith(PREFIX)


def resolve_auto(settings: Settings, recorded: IndexEmbedder | None = None) -> str:
    """Return the embedder's name with ``auto`` resolved: that of the index, and the bundled one for a new index."""
    if settings.embedder == "auto":
        return STATIC if recorded is None else _spec_of_known(recorded.name, settings)
    if settings.embedder.startswith(PREFIX):
        # Kept with an index, and read again from other folders.
        return f"{PREFIX}{Path(settings.embedder.removeprefix(PREFIX)).expanduser().absolute()}"
    if settings.embedder == MINILM:
        from quaestor.embedding.transformer.minilm import minilm_folder  # noqa: PLC0415 - only for this one

        return f"{PREFIX}{minilm_folder(register_of(settings)).absolute()}"
    return STATIC if settings.embedder == "bundled" else settings.embedder


def _spec_of_known(name: str, settings: Settings) -> str:
    """Return the setting that chooses the embedder of this name; for a transformer, its last known folder."""
    if not name.startswith(NAME):
        return spec_of(name)
    from quaestor.embedding.transformer.model_folder import transformer_of_name  # noqa: PLC0415 - only for these

    seen = transformer_of_name(name, register_of(settings))
    return name if seen is None else f"{PREFIX}{seen.place}"


def _transformer(name: str, settings: Settings, recorded: IndexEmbedder | None) -> Embedder:
    """Return the transformer that an index was made with, from its last known folder, or that of a given folder."""
    from quaestor.embedding.transformer.embedder import OnnxEmbedder  # noqa: PLC0415 - only for these

    if recorded is not None and recorded.name.startswith(NAME) and settings.embedder == "auto":
        return OnnxEmbedder.by_name(recorded.name, recorded.dimensions, register_of(settings))
    embedder = OnnxEmbedder.of_folder(name.removeprefix(PREFIX), register_of(settings))
    same = recorded is not None and recorded.name == embedder.name
    return (
        OnnxEmbedder.by_name(recorded.name, recorded.dimensions, register_of(settings))
        if recorded and same
        else embedder
    )


def make_embedder(
    settings: Settings, recorded: IndexEmbedder | None = None, *, source: str = "", folder: Path | None = None
) -> Embedder:
    """Return the embedder that the settings name; nothing is contacted, and no transformer is loaded.

    Args:
        settings: name the embedder; for a remote one also its address, key, price and limits on its cost.
        recorded: the embedder of the present index; None if there is no index yet.
        source: the name of the corpus, for the ledger.
        folder: the folder of the index, with the rows of an embedder tuned to it.

    Raises:
        IndexUnusableError: the index was tuned, and the tuned rows are missing.
        UsageError: there is no embedder of that name, or a setting of its endpoint is wrong.
    """
    name = resolve_auto(settings, recorded)
    if name == STATIC and recorded is not None and folder is not None and is_tuned(recorded.name):
        from quaestor.embedding.tuned_embedder import load  # noqa: PLC0415 - reads the weights

        return load(folder, recorded.name)
    if name == STATIC:
        return StaticEmbedder.bundled()
    if name.startswith((PREFIX, NAME)):
        return _transformer(name, settings, recorded)
    remote = remote_model(settings, recorded)
    if remote is None:
        raise UsageError(f"There is no embedder {settings.embedder!r}. Use one of {_NAMES}.")
    if not _may_ask(remote.name, settings) and recorded is not None:
        return UnaskedEmbedder(remote.name, recorded.dimensions, name)
    return remote.embedder(settings, recorded, source)


def _may_ask(name: str, settings: Settings) -> bool:
    """Return whether the user's own settings name an embedder behind an endpoint; an index may come from anyone."""
    register = register_of(settings) / _ASKED
    try:
        known = register.read_text("utf-8").splitlines()
    except (OSError, ValueError):
        known = []
    if settings.embedder == "auto":
        return bool(settings.embedder_base_url or settings.embedder_api_key) or name in known
    if name not in known:
        with suppress(OSError):  # it is asked now; it will have to be named again
            register.parent.mkdir(parents=True, exist_ok=True)
            with register.open("a", encoding="utf-8") as file:
                file.write(f"{name}\n")
    return True


class RemoteModel(NamedTuple):
    """An embedding model behind an endpoint, as the settings name it; making one contacts nobody.

    Attributes:
        name: the embedder's own name.
        model: its name at the endpoint.
        base_url: the address of the endpoint; empty for OpenAI's own.
        key: sent as a bearer token.
        tokenizer: counts its tokens, or an upper bound of them.
        quote: the price of its tokens.
    """

    name: str
    model: str
    base_url: str
    key: str
    tokenizer: Tokenizer
    quote: Quote

    def embedder(
        self, settings: Settings, recorded: IndexEmbedder | None, source: str, ledger: Ledger | None = None
    ) -> Embedder:
        """Return the embedder itself."""
        from quaestor.accounts.limits import Limits  # noqa: PLC0415 - only for these
        from quaestor.accounts.metered_model import EmbeddingMeter, UsageRecorder  # noqa: PLC0415
        from quaestor.accounts.prices import load_prices  # noqa: PLC0415
        from quaestor.assemble.models_from_settings import make_ledger  # noqa: PLC0415
        from quaestor.embedding.http import KNOWN_DIMENSIONS, HttpEmbedder  # noqa: PLC0415

        record = UsageRecorder(ledger or make_ledger(settings), load_prices(settings), Limits.of(settings))
        known = recorded.dimensions if recorded is not None and recorded.name == self.name else None
        return HttpEmbedder(
            self.model,
            base_url=self.base_url,
            api_key=self.key,
            tokenizer=self.tokenizer,
            meter=EmbeddingMeter(self.model, self.quote.price, record, Purpose(source=source)),
            dimensions=known or (None if self.base_url else KNOWN_DIMENSIONS.get(self.model)),
            timeout=settings.timeout,
        )


def remote_model(settings: Settings, recorded: IndexEmbedder | None = None) -> RemoteModel | None:
    """Return the embedding model behind an endpoint that the settings name; None if they name another embedder.

    Raises:
        UsageError: the file of prices, or the tokenizer, cannot be read.
    """
    name = resolve_auto(settings, recorded)
    model = name.removeprefix(OPENAI)
    if not name.startswith(OPENAI) or not model:
        return None
    from quaestor.accounts.prices import embedding_quote, load_prices  # noqa: PLC0415 - only for these
    from quaestor.embedding.http import name_of  # noqa: PLC0415
    from quaestor.llm.tokens import tokenizer_for  # noqa: PLC0415

    address = settings.embedder_base_url or settings.base_url
    address = "" if address.rstrip("/") == OPENAI_URL else address
    quote = embedding_quote(settings, load_prices(settings), model, at_openai=not address)
    tokenizer = tokenizer_for(settings.embedder_tokenizer or model)
    return RemoteModel(name_of(model, address), model, address, _key(settings), tokenizer, quote)


def _key(settings: Settings) -> str:
    """Return the key of the embedder's endpoint; the model's key goes to the model's endpoint only."""
    if settings.embedder_api_key:
        return settings.embedder_api_key
    own = settings.embedder_base_url.rstrip("/")
    return settings.api_key if not own or own == (settings.base_url or OPENAI_URL).rstrip("/") else ""


def refresh_cost(settings: Settings, embedder: Embedder) -> int:
    """Return what embedding changed files may cost without consent, in millionths of the currency's unit."""
    if not isinstance(embedder, RemoteEmbedder):
        return 0
    from quaestor.accounts.money import millionths  # noqa: PLC0415 - only for these

    return millionths(settings.refresh_cost)


def allowance_of(most: float) -> Allowance:
    """Return an allowance in units of the prices' currency; ``math.inf`` means no limit."""
    from quaestor.accounts.money import millionths  # noqa: PLC0415 - only for remote embedders

    return Allowance(None if math.isinf(most) else millionths(most))
