"""The settings: their defaults, meanings, and who may set them. ``config`` finds their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from quaestor.core.light_imports import NamedTuple

ProjectRule = Literal["closed", "open", "lower"]


class Rule(NamedTuple):
    """The rule for one setting.

    Attributes:
        help: one line for people.
        project: whether a project file may set it: not at all, freely, or only to a lower number.
        also: further environment variables, used if its own is not set; see ``variables_of``.
        secret: whether its value is masked when shown.
        least: the smallest number allowed.
        form: a regular expression that must match the whole text.
    """

    help: str
    project: ProjectRule = "closed"
    also: tuple[str, ...] = ()
    secret: bool = False
    least: float | None = None
    form: str | None = None


class Settings(NamedTuple):
    """The value of every setting; all defaults are here."""

    home: str = ""
    model: str = ""
    further_models: str = ""
    base_url: str = ""
    api_key: str = ""
    protocol: str = "chat"
    tokenizer: str = ""
    tools: str = "auto"
    prefill: str = "auto"
    temperature: float = 0.1
    window: int = 8192
    reserve: int = 1000
    timeout: float = 120.0
    subroutines: str = "auto"
    premeditation: str = "on"
    examples: str = "off"
    turn_calls: int = 8
    turn_seconds: float = 600.0
    turn_tokens: int = 200_000
    turn_cost: float = 0.0
    prompt_price: float = 0.0
    completion_price: float = 0.0
    prices: str = ""
    limit_day_cost: float = 0.0
    limit_day_tokens: int = 0
    limit_month_cost: float = 0.0
    limit_month_tokens: int = 0
    all_day_cost: float = 0.0
    all_day_tokens: int = 0
    all_month_cost: float = 0.0
    all_month_tokens: int = 0
    requests_per_minute: float = 600.0
    source_list: str = "auto"
    embedder: str = "auto"
    embedder_base_url: str = ""
    embedder_api_key: str = ""
    embedder_tokenizer: str = ""
    embedder_price: float = -1.0
    refresh_cost: float = 0.001
    store: str = "embedded"
    corpus: str = ""
    ray: str = ""
    page_edits: str = "off"
    add_within: tuple[str, ...] = ()
    add_sites: tuple[str, ...] = ()
    git_within: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    max_file_bytes: int = 2_000_000
    chunker: str = "auto"
    chunk_target: int = 1000
    chunk_limit: int = 2000
    results: int = 10
    passages: int = 10
    refresh_seconds: float = 2.0


RULES: Mapping[str, Rule] = {
    "home": Rule("folder for indexes and sessions; empty: the platform's user data folder"),
    "model": Rule("model name at the endpoint; empty: no model, answers are quotes"),
    "further_models": Rule("other models at the endpoint that a person may choose on the page, separated by commas"),
    "base_url": Rule("OpenAI-compatible endpoint, such as http://127.0.0.1:8080/v1", also=("OPENAI_BASE_URL",)),
    "api_key": Rule("key for the endpoint", also=("OPENAI_API_KEY",), secret=True),
    "protocol": Rule("the endpoint's protocol: 'chat', or 'completion' for plain completions with ChatML"),
    "tokenizer": Rule("path of the model's tokenizer.json, for exact counts; empty: counts by the model's name"),
    "tools": Rule("how the model calls subroutines: 'native', 'text', or 'auto': by the endpoint's capabilities"),
    "prefill": Rule("whether the endpoint continues a partial reply: 'yes', 'no', or 'auto': by its capabilities"),
    "temperature": Rule("randomness of replies; 0 is the least", least=0),
    "window": Rule("the model's window, tokens", "lower", least=256),
    "reserve": Rule("tokens kept free for the reply", "lower", least=1),
    "timeout": Rule("seconds to wait for a model", "lower", least=1),
    "subroutines": Rule(
        "whether the model may call subroutines: 'on', 'off', or 'auto': if their descriptions fit into the window"
    ),
    "premeditation": Rule("whether the model first states a plan, which its answer does not show: 'on' or 'off'"),
    "examples": Rule("whether the model is shown an example of an answer, which helps small ones: 'on' or 'off'"),
    "turn_calls": Rule("calls of subroutines that a turn may make", "lower", least=0),
    "turn_seconds": Rule("seconds that a turn may take", "lower", least=1),
    "turn_tokens": Rule("tokens that a turn may send and receive", "lower", least=1),
    "turn_cost": Rule("limit of a turn's cost, in the prices' currency; 0: no limit", least=0),
    "prompt_price": Rule(
        "price of a million tokens sent to the model; if either price is above 0, both override the price file", least=0
    ),
    "completion_price": Rule("price of a million tokens received from the model", least=0),
    "prices": Rule("price file; empty: prices.toml beside your settings file"),
    "limit_day_cost": Rule("money that each user may spend a day, in the prices' currency; 0: no limit", least=0),
    "limit_day_tokens": Rule("tokens that each user may send and receive a day; 0: no limit", least=0),
    "limit_month_cost": Rule("money that each user may spend a month, in the prices' currency; 0: no limit", least=0),
    "limit_month_tokens": Rule("tokens that each user may send and receive a month; 0: no limit", least=0),
    "all_day_cost": Rule("money that all users may spend a day together; 0: no limit", least=0),
    "all_day_tokens": Rule("tokens that all users together may send and receive a day; 0: no limit", least=0),
    "all_month_cost": Rule("money that all users may spend a month together; 0: no limit", least=0),
    "all_month_tokens": Rule("tokens that all users together may send and receive a month; 0: no limit", least=0),
    "requests_per_minute": Rule("requests that a server accepts from each user in a minute; 0: no limit", least=0),
    "source_list": Rule(
        "whether answers over OpenAI's API end with a list of their sources: 'on', 'off', or 'auto': if a client has"
        " no other place for them",
        form=r"on|off|auto",
    ),
    "embedder": Rule(
        "the embedder: 'static', which comes with Quaestor; 'minilm' or 'onnx:FOLDER', a transformer"
        " on this machine; 'openai:MODEL', a model at an endpoint; or 'auto': the one that the index was made with"
    ),
    "embedder_base_url": Rule("endpoint of an embedding model; empty: that of base_url"),
    "embedder_api_key": Rule("key of that endpoint; empty: api_key, if it is the same endpoint", secret=True),
    "embedder_tokenizer": Rule(
        "how an embedding model's tokens are counted: a model's name or the path of a tokenizer.json; empty: by its"
        " own name"
    ),
    "embedder_price": Rule("price of a million embedded tokens; 0: free; below 0: the price file's"),
    "refresh_cost": Rule(
        "limit of the cost of embedding changed files when a search updates the index, in the prices' currency",
        least=0,
    ),
    "store": Rule(
        "where indexes are stored: 'embedded', in files on this machine, or a database: 'postgresql://USER@HOST/DATABASE'"
    ),
    "corpus": Rule("name of the index in a database; empty: the repository's remote, else the machine and folder"),
    "ray": Rule("address of a Ray cluster that cuts and embeds for `quaestor index`; empty: this machine does"),
    "page_edits": Rule(
        "whether this machine's only user may apply proposed changes on the page: 'on' or 'off'", form="on|off"
    ),
    "add_within": Rule("folders within which this machine's only user may add others on the page"),
    "add_sites": Rule(
        "hosts whose sites and repositories this machine's only user may add on the page, such as"
        " 'docs.example.org', '*.example.org', or '*' for every public one"
    ),
    "git_within": Rule(
        "folders elsewhere to which a repository's .git may lead although they do not name it, such as those of a clone"
        " that shares its objects"
    ),
    "ignore": Rule("patterns of files to leave out, as in .gitignore", "open"),
    "max_file_bytes": Rule("size limit of files, in bytes; larger ones are left out", "lower", least=1),
    "chunker": Rule(
        "how documents are cut: 'auto', 'syntax', 'headings' or 'lines'; a size overrides the two below: 'lines:40'",
        "open",
        form=r"(?:auto|syntax|headings)(?::[1-9]\d{2,5})?|lines(?::[1-9]\d{0,3})?",
    ),
    "chunk_target": Rule("bytes up to which neighbouring chunks are merged", "open", least=100),
    "chunk_limit": Rule("largest size of a chunk, in bytes", "open", least=200),
    "results": Rule("hits to show", "open", least=1),
    "passages": Rule("passages to answer from", "open", least=1),
    "refresh_seconds": Rule("seconds to update an index before a search", "lower", least=0),
}


def variables_of(name: str) -> tuple[str, ...]:
    """Return the environment variables that set a setting; the first that is set wins."""
    return (f"QUAESTOR_{name.upper()}", *RULES[name].also)
