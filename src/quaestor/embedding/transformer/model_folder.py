"""Reading a folder with a transformer as sentence-transformers and the hubs lay it out.

``model.onnx`` or ``onnx/model.onnx``, ``tokenizer.json``, and JSON files that say how token vectors become one vector
(``1_Pooling/config.json``), the prefixes of queries and documents (``config_sentence_transformers.json``), and how much
of a text is read (``sentence_bert_config.json``). Nothing is loaded here.

Of the ONNX file only the few fields that name other files are read (``onnx.proto``); all else is skipped by its length,
so that gigabytes of weights are not read. The folder's author may be hostile: everything is checked.

A transformer's name is a hash of all that decides its vectors, so that a folder may be moved and renamed. It is cached
in a small file with the folder's path and its files' sizes and times: a cold search would otherwise read hundreds of
megabytes to find that nothing changed.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from quaestor.core.errors import UsageError
from quaestor.embedding.transformer import NAME, PREFIX

Pooling = Literal["mean", "cls", "max", "lasttoken"]

_POOLINGS: Mapping[str, Pooling] = {
    "mean": "mean",
    "cls": "cls",
    "max": "max",
    "lasttoken": "lasttoken",
    "pooling_mode_mean_tokens": "mean",
    # The same direction, and only that counts.
    "pooling_mode_mean_sqrt_len_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "lasttoken",
}
_JSON_BYTES = 4_000_000
_LONGEST = 512
"""The default number of tokens of a text that are read; most models were made for it."""
_MOST_TOKENS = 32_768
_SUFFIX = ".onnx"
_KNOWN_MODULES = frozenset({"Transformer", "Pooling", "Normalize"})

_TENSOR, _ENTRY, _LOCATION = "tensor", "entry", "location"

# Message -> field number -> message that it holds. ModelProto.graph is 7, GraphProto.initializer is 5, and so on.
_FOLLOWED: Mapping[str, Mapping[int, str]] = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "graph": {1: "node", 5: _TENSOR, 15: "sparse"},
    "function": {7: "node"},
    "node": {5: "attribute"},
    "attribute": {5: _TENSOR, 6: "graph", 10: _TENSOR, 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: _TENSOR, 2: _TENSOR},
    _TENSOR: {13: _ENTRY},
}
_DEEPEST = 100
_LONGEST_ENTRY = 8192


@dataclass(frozen=True, slots=True)
class Transformer:
    """The contents of a model folder.

    Attributes:
        folder: real path.
        model: the ONNX file.
        weights: external weight files that it names.
        tokenizer: the ``tokenizer.json``.
        pooling: how token vectors become one vector.
        query: prefix of queries.
        document: prefix of indexed texts.
        longest: most tokens of a text that are read.
        pad: the token that fills a batch.
        further: modules after the pooling, which only the graph itself can run.
    """

    folder: Path
    model: Path
    weights: tuple[Path, ...]
    tokenizer: Path
    pooling: Pooling
    query: str
    document: str
    longest: int
    pad: int
    further: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[Path, ...]:
        """The files whose bytes decide its vectors."""
        return (self.model, *self.weights, self.tokenizer)

    @property
    def spec(self) -> str:
        """The value of the setting ``embedder`` that chooses it."""
        return f"{PREFIX}{self.folder}"


def read_folder(place: str | Path) -> Transformer:
    """Read a folder with a transformer.

    Args:
        place: the folder, or one of the ONNX files in it.

    Raises:
        UsageError: something that is needed is missing or cannot be read; says which file, and what to do.
    """
    folder, named_model = _find_model(Path(place).expanduser())
    model = named_model or _model_in(folder)
    tokenizer = folder / "tokenizer.json"
    if not tokenizer.is_file():
        raise UsageError(
            f"{str(folder)!r} has no 'tokenizer.json', by which texts become tokens. Save it beside the model:"
            " AutoTokenizer.from_pretrained(…).save_pretrained(FOLDER) writes it, as `optimum-cli export onnx` does."
        )
    config = _json(folder / "config.json")
    if not isinstance(config, dict):
        raise UsageError(f"{str(folder)!r} has no 'config.json' of a model. Copy it from where the model came from.")
    query, document = _prompts(folder)
    further, pooling_place = _modules(folder)
    return Transformer(
        folder=folder,
        model=model,
        weights=_weights(model),
        tokenizer=tokenizer,
        pooling=_pooling(folder / pooling_place / "config.json", prompted=bool(query or document)),
        query=query,
        document=document,
        longest=_longest(folder, config),
        pad=_count(config.get("pad_token_id"), most=1 << 31) or 0,
        further=further,
    )


def _find_model(folder: Path) -> tuple[Path, Path | None]:
    """Return the model folder, and the model file if the path names it."""
    with suppress(OSError):  # a name that is too long to be one
        if folder.suffix == _SUFFIX and folder.is_file():
            return _folder_of(folder), _real(folder)
        if folder.is_dir():
            return _real(folder), None
    raise UsageError(
        f"There is no folder {str(folder)!r}. Give the folder of a transformer: {PREFIX}FOLDER, with model.onnx and"
        " tokenizer.json in it."
    )


def _real(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return path


def _folder_of(model: Path) -> Path:
    """Return the folder of a model that was named by its file: that above ``onnx`` where the tokenizer is there."""
    beside = _real(model.parent)
    return beside.parent if beside.name == "onnx" and not (beside / "tokenizer.json").is_file() else beside


def _model_in(folder: Path) -> Path:
    """Return the model of a folder: the whole one, else the only one."""
    for whole in (folder / "model.onnx", folder / "onnx" / "model.onnx"):
        if whole.is_file():
            return whole
    models = sorted(path for place in (folder, folder / "onnx") for path in place.glob(f"*{_SUFFIX}") if path.is_file())
    if len(models) == 1:
        return models[0]
    if models:
        names = ", ".join(repr(str(path.relative_to(folder))) for path in models[:8])
        raise UsageError(
            f"{str(folder)!r} holds several models ({names}) and no 'model.onnx'. Name one: {PREFIX}{models[0]}"
        )
    raise UsageError(
        f"{str(folder)!r} has no 'model.onnx', and no 'onnx/model.onnx'. `optimum-cli export onnx --model NAME FOLDER`"
        " makes such a folder; many hubs have an 'onnx' folder ready to be copied."
    )


def _weights(model: Path) -> tuple[Path, ...]:
    """Return the files of weights that a model names, all of them within its folder."""
    try:
        external = external_files(model)
    except NoModelError as error:
        raise UsageError(f"{str(model)!r} is not an ONNX model ({error}). Copy or export it again.") from None
    except OSError as error:
        raise UsageError(f"{str(model)!r} cannot be read ({error.strerror or error}).") from None
    return tuple(_weight(model, name) for name in external)


def _weight(model: Path, name: str) -> Path:
    beside = _real(model.parent)
    path = _real(beside / name)
    if "\0" in name or not path.is_relative_to(beside):
        raise UsageError(
            f"{str(model)!r} needs weights in {name[:200]!r}, which lies outside its folder: that is refused. If it is"
            " a link to where a hub keeps its files, copy the folder with links resolved (`cp -rL`)."
        )
    if not path.is_file():
        raise UsageError(f"{str(model)!r} needs {name[:200]!r} beside it, which is missing. Copy it there, too.")
    return path


def _json(path: Path) -> Any:
    """Return a JSON file's object, or None if the file is missing.

    Raises:
        UsageError: it is no JSON object, or too large for such a file.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_JSON_BYTES + 1)
        if len(data) > _JSON_BYTES:
            raise ValueError(f"larger than {_JSON_BYTES:,} bytes")
        return json.loads(data)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{str(path)!r} cannot be read ({str(error)[:120]}). Copy it again.") from None


def _dict(path: Path) -> dict[str, Any]:
    value = _json(path)
    return value if isinstance(value, dict) else {}


def _modules(folder: Path) -> tuple[tuple[str, ...], str]:
    """Return the modules that nothing here can do, and the name of the pooling's folder."""
    modules = _json(folder / "modules.json")
    pooling, further = "1_Pooling", []
    for module in modules if isinstance(modules, list) else ():
        path, kind = (str(module.get(key, "")) for key in ("path", "type")) if isinstance(module, dict) else ("", "")
        last = kind.rpartition(".")[2]
        if last == "Pooling" and path and Path(path).name == path:
            pooling = path
        if last not in _KNOWN_MODULES:
            further.append(path or last or "?")
    return tuple(further), pooling


def _pooling(path: Path, *, prompted: bool) -> Pooling:
    """Return how token vectors become one; their mean where nothing says."""
    config = _dict(path)
    mode = config.get("pooling_mode")
    chosen = [str(mode)] if mode else [key for key in config if _is_on(config, key)]
    known = [_POOLINGS[one] for one in chosen if one in _POOLINGS]
    if len(chosen) > 1 or len(known) < len(chosen):
        raise UsageError(
            f"{str(path)!r} asks for the pooling {', '.join(map(repr, chosen))}; supported are"
            f" {', '.join(get_args(Pooling))}, one at a time. Use another model, or export it with its pooling included"
            " (`optimum-cli export onnx --library sentence_transformers`)."
        )
    if prompted and config.get("include_prompt") is False:
        raise UsageError(f"{str(path)!r} leaves the prompt out of the pooling, which is not supported. Use another.")
    return known[0] if known else "mean"


def _is_on(config: Mapping[str, Any], key: str) -> bool:
    return key.startswith("pooling_mode_") and config[key] is True


def _prompts(folder: Path) -> tuple[str, str]:
    """Return the prefixes of queries and of documents."""
    config = _dict(folder / "config_sentence_transformers.json")
    prompts = config.get("prompts")
    texts = {key: text for key, text in prompts.items() if isinstance(text, str)} if isinstance(prompts, dict) else {}
    usual = texts.get(str(config.get("default_prompt_name")), "")
    document = next((texts[key] for key in ("document", "passage", "corpus") if key in texts), usual)
    return texts.get("query", usual), document


def _longest(folder: Path, config: Mapping[str, Any]) -> int:
    length = _count(_dict(folder / "sentence_bert_config.json").get("max_seq_length"))
    length = length or _count(_dict(folder / "tokenizer_config.json").get("model_max_length"))
    most = _count(config.get("max_position_embeddings"))
    return min(length or most or _LONGEST, most or _MOST_TOKENS)


def _count(value: object, most: int = _MOST_TOKENS) -> int | None:
    """Return a number of tokens that can be one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= most else None


class NoModelError(ValueError):
    """The bytes are not an ONNX model."""


def external_files(model: Path) -> list[str]:
    """Return the paths of external weight files, as the model names them, each once.

    Raises:
        NoModelError: it is not an ONNX model.
        OSError: it cannot be read.
    """
    with model.open("rb") as file:
        if not file.seek(0, 2):
            raise NoModelError("it is empty")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return list(dict.fromkeys(_places(data, "model", 0, len(data), 0)))


def _places(data: mmap.mmap, message: str, start: int, end: int, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        raise NoModelError("graphs are nested without end")
    followed = _FOLLOWED[message]
    for number, begin, stop in _fields(data, start, end):
        kind = followed.get(number)
        if kind == _ENTRY:
            if stop - begin > _LONGEST_ENTRY:
                raise NoModelError("the name of a file of weights is too long")
            entry = {key: data[a:b] for key, a, b in _fields(data, begin, stop)}
            if entry.get(1) == _LOCATION.encode():
                yield entry.get(2, b"").decode("utf-8", "replace")
        elif kind is not None:
            yield from _places(data, kind, begin, stop, depth + 1)


def _fields(data: mmap.mmap, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield the number, the begin and the end of each field that has a length; other fields are skipped."""
    at = start
    while at < end:
        key, at = _varint(data, at, end)
        kind = key & 7
        if kind == 0:
            _, at = _varint(data, at, end)
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        elif kind == 2:
            length, at = _varint(data, at, end)
            if length > end - at:
                raise NoModelError("it is cut short")
            yield key >> 3, at, at + length
            at += length
        else:
            raise NoModelError("it is not a protocol buffer")
    if at != end:
        raise NoModelError("it is cut short")


def _varint(data: mmap.mmap, at: int, end: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= end:
            raise NoModelError("it is cut short")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise NoModelError("it is not a protocol buffer")


_DIGITS = 16


class KnownTransformer(NamedTuple):
    """A transformer that was hashed before.

    Attributes:
        name: hash of all that decides its vectors.
        place: the path of its model.
        looks: sizes and times of its files when they were hashed.
        dimensions: length of its vectors, or 0 if unknown.
    """

    name: str
    place: str
    looks: list[Any]
    dimensions: int = 0


def with_name(transformer: Transformer, register: Path) -> KnownTransformer:
    """Return a transformer with its name; its files are hashed only if their sizes or times have changed since.

    Raises:
        OSError: a file cannot be read.
    """
    looks = _file_stats(transformer)
    place = str(transformer.model)
    known_before = next(
        (known for known in _all_known(register) if known.place == place and known.looks == looks), None
    )
    if known_before is not None:
        return known_before
    name = f"{NAME}{_digest(transformer)[:_DIGITS]}"
    before = transformer_of_name(name, register)
    now = KnownTransformer(name, place, looks, 0 if before is None else before.dimensions)
    keep(now, register)
    return now


def transformer_of_name(name: str, register: Path) -> KnownTransformer | None:
    """Return the transformer of a name; None if it was never seen here."""
    try:
        return KnownTransformer(**json.loads((register / f"{name}.json").read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def keep(transformer: KnownTransformer, register: Path) -> None:
    """Remember a transformer; where nothing can be written it is hashed again next time."""
    with suppress(OSError):
        register.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=register, suffix=".new", delete=False, encoding="utf-8") as new:
            json.dump(transformer._asdict(), new)
        os.replace(new.name, register / f"{transformer.name}.json")  # noqa: PTH105 - the name is a string


def _all_known(register: Path) -> Iterator[KnownTransformer]:
    for file in sorted(register.glob(f"{NAME}*.json")):
        transformer = transformer_of_name(file.stem, register)
        if transformer is not None:
            yield transformer


def _settings(transformer: Transformer) -> list[str | int]:
    return [transformer.pooling, transformer.query, transformer.document, transformer.longest, transformer.pad]


def _file_stats(transformer: Transformer) -> list[Any]:
    """Return the files' sizes and times, of inode changes, too, which differ whenever a file changes."""
    statuses = [path.stat() for path in transformer.files]
    return [_settings(transformer), [[one.st_size, one.st_mtime_ns, one.st_ctime_ns] for one in statuses]]


def _digest(transformer: Transformer) -> str:
    whole = hashlib.sha256(json.dumps(_settings(transformer)).encode())
    for path in transformer.files:
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()
