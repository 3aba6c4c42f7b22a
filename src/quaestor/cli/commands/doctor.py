"""``quaestor doctor``: checks the installation, the model's endpoint, the index, and the permissions of files."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from quaestor import __version__
from quaestor.assemble import Index, make_embedder, make_endpoint
from quaestor.assemble.stores_by_name import EMBEDDED, is_shared
from quaestor.assemble.tuned_index import checked_tuning
from quaestor.chunking import cut
from quaestor.cli.health_checks import (
    BROKEN,
    TO_CORRECT,
    UNREACHABLE,
    check_accounts,
    check_edits,
    check_index,
    check_model,
    check_permissions,
    check_port,
    check_sessions,
    check_store,
)
from quaestor.cli.options import json_option, model_options, path_argument, store_option
from quaestor.cli.output import echo, print_json, safe, style
from quaestor.cli.scope import configure, find_root
from quaestor.core.config import Settings, data_home, make_private
from quaestor.core.errors import QuaestorError
from quaestor.embedding.remote import RemoteEmbedder
from quaestor.embedding.transformer import EXTRA
from quaestor.llm.tokens import tokenizer_for

if TYPE_CHECKING:
    from quaestor.llm.models.openai_compatible import OpenAICompatibleModel
    from quaestor.llm.models.probe import Probe


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check.

    Attributes:
        name: the check's name.
        ok: whether it passed.
        finding: what was found, with the next step if it failed.
        code: the exit code if it failed.
    """

    name: str
    ok: bool
    finding: str
    code: int = 0

    def as_json(self) -> dict[str, object]:
        """Return it as an object of ``--json``."""
        return {"name": self.name, "ok": self.ok, "found": self.finding, "code": self.code}


@click.command("doctor")
@path_argument
@click.option("--probe", is_flag=True, help="Also contact the model's endpoint, and test what it supports.")
@store_option
@model_options()
@json_option
def command(
    path: str | None, probe: bool, store: str | None, model: str | None, base_url: str | None, as_json: bool
) -> int:
    """Test each part of the installation, check stored data for damage, and print what to do.

    Exit codes: 0, all checks passed; 2, something must be corrected (a file's permissions, a port, a setting); 3, the
    model's endpoint does not answer; 4, the installation, the index or other stored data is damaged.
    """
    root = find_root(path)
    settings = configure(root, store=store, model=model, base_url=base_url).settings
    checks = [_run_check(name, part, settings) for name, part in _PARTS.items()]
    checks += [_run_check(name, partial(part, root), settings) for name, part in _PARTS_OF_CORPUS.items()]
    if probe:
        checks += _capability_checks(settings)
    if as_json:
        print_json({"ok": all(check.ok for check in checks), "checks": [check.as_json() for check in checks]})
    else:
        for check in checks:
            mark = style("ok  ", fg="green") if check.ok else style("FAIL", fg="red")
            echo(f"{mark} {check.name:10} {safe(check.finding)}")
    return max(check.code for check in checks)


def _run_check(name: str, part: Callable[[Settings], str], settings: Settings) -> Check:
    try:
        return Check(name, True, part(settings))
    except QuaestorError as error:
        return Check(name, False, str(error), error.exit_code)
    except Exception as error:
        return Check(name, False, f"{type(error).__name__}: {error}", BROKEN)


def _program(settings: Settings) -> str:
    return f"quaestor {__version__}, Python {sys.version.split()[0]}"


def _data(settings: Settings) -> str:
    home = data_home(settings)
    make_private(home)
    with TemporaryDirectory(dir=home):
        return f"{home} can be written"


def _grammars(settings: Settings) -> str:
    chunker = cut(b"def answer():\n    return 42\n", "answer.py").chunker
    if chunker != "tree-sitter":
        raise RuntimeError(
            "Python is cut by lines: let SEMBLE_GRAMMARS_CACHE_DIR name a folder that can be written and is not "
            "mounted with 'noexec', or reinstall semble-grammars"
        )
    return "code is cut by its definitions"


def _embedder(settings: Settings) -> str:
    embedder = make_embedder(settings)
    if isinstance(embedder, RemoteEmbedder):
        return f"{embedder.name}, not contacted"
    length = float((embedder.encode(["where do we retry"])[0] ** 2).sum())
    if not 0.99 < length < 1.01:
        raise RuntimeError("the embedder gives no unit vectors: reinstall quaestor")
    return f"{embedder.name}, {embedder.dimensions} dimensions"


def _transformer(settings: Settings) -> str:
    try:
        versions = [f"{package} {version(package)}" for package in ("onnxruntime", "tokenizers")]
    except PackageNotFoundError as error:
        return f"none: without {error.name!r} only other embedders can be used ({EXTRA})"
    return f"{', '.join(versions)}: --embedder onnx:FOLDER can be used"


def _check_tuning(root: Path, settings: Settings) -> str:
    if is_shared(settings):
        return "none: what a database holds is not tuned"
    tuning = checked_tuning(root, settings)
    if not tuning.embedder:
        return "none: `quaestor tune` adapts the bundled embedder to this corpus, if that helps"
    return f"{tuning.embedder}: {tuning.line()}"


def _tokens(settings: Settings) -> str:
    tokenizer = tokenizer_for(settings.model or "gpt-4o")
    tokenizer.count("hello")
    return f"{tokenizer.name}, {'exact' if tokenizer.exact else 'an upper bound'}"


def _check_indexing(settings: Settings) -> str:
    with TemporaryDirectory() as folder, TemporaryDirectory() as home:
        (Path(folder) / "answer.py").write_text("def answer():\n    return 42\n", encoding="utf-8")
        # The user's data stays untouched: neither the data folder nor a database in the settings is used.
        alone = settings._replace(home=home, embedder="static", store=EMBEDDED, corpus="", ray="")
        with Index.build(folder, settings=alone) as index:
            hits = index.search("answer", 1)
    if not hits:
        raise RuntimeError("a file that was just indexed is not found")
    return "a file was indexed and found"


def _capability_checks(settings: Settings) -> list[Check]:
    """Return checks of the endpoint's capabilities, each with the setting that suits it."""
    try:
        model = make_endpoint(settings)
        if model is None:
            return [Check("endpoint", False, "no model is set: give --model and --base-url", TO_CORRECT)]
        probe = asyncio.run(_probe_model(model))
    except QuaestorError as error:
        return [Check("endpoint", False, str(error), UNREACHABLE)]
    return [
        Check("endpoint", True, f"replied in {probe.seconds:.1f} s"),
        _window(probe.window, settings),
        Check("stop", True, _OUTCOMES["stop"][probe.keeps_stop]),
        Check("prefill", True, _OUTCOMES["prefill"][probe.continues_assistant]),
        Check("tools", True, _OUTCOMES["tools"][probe.native_tools]),
    ]


async def _probe_model(model: OpenAICompatibleModel) -> Probe:
    from quaestor.llm.models.probe import probe  # noqa: PLC0415 - only when asked for

    try:
        return await probe(model)
    finally:
        await model.aclose()


def _window(window: int | None, settings: Settings) -> Check:
    if window is None:
        return Check("window", True, f"the server does not say; {settings.window} is set")
    if window < settings.window:
        advice = f"{window} tokens, and {settings.window} is set: set window = {window}"
        return Check("window", False, advice, TO_CORRECT)
    return Check("window", True, f"{window} tokens; {settings.window} is set")


_OUTCOMES: dict[str, dict[bool | None, str]] = {
    "stop": {
        True: "the stop sequence is left in replies, and cut out here",
        False: "the stop sequence is left out of replies",
        None: "the reply did not show what becomes of a stop sequence",
    },
    "prefill": {
        True: 'a begun reply is continued: prefill = "yes" is right',
        False: 'a begun reply is not continued: prefill = "no" is right',
        None: "the reply did not show whether a begun one is continued; leave prefill unchanged",
    },
    "tools": {
        True: 'native calls work: tools = "native" is right',
        False: 'native calls are refused: tools = "text" is right',
        None: 'the model made no native call: tools = "text" is safe',
    },
}

_PARTS: dict[str, Callable[[Settings], str]] = {
    "program": _program,
    "data": _data,
    "grammars": _grammars,
    "embedder": _embedder,
    "extra": _transformer,
    "tokens": _tokens,
    "indexing": _check_indexing,
    "store": check_store,
    "sessions": check_sessions,
    "accounts": check_accounts,
    "model": check_model,
    "secrets": check_permissions,
    "port": check_port,
}
_PARTS_OF_CORPUS: dict[str, Callable[[Path, Settings], str]] = {
    "index": check_index,
    "edits": check_edits,
    "tuning": _check_tuning,
}
