"""``quaestor mcp``: serves corpora as tools for coding agents."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import click

from quaestor.cli.output import remark
from quaestor.core.errors import UsageError
from quaestor.mcp.fast_start import OpeningExchange, standard_wire
from quaestor.server.free_port import listen_at

if TYPE_CHECKING:
    from quaestor.mcp.mcp_tools import ServedTool

_HOST = "127.0.0.1"


@click.command("mcp")
@click.argument("paths", nargs=-1, type=str)
@click.option("--http", is_flag=True, help="Serve streamable HTTP on this machine instead of stdio.")
@click.option("--port", type=click.IntRange(1, 65535), default=8757, show_default=True, help="Port for --http.")
@click.option("--store", metavar="STORE", help="Store of the index: 'embedded', or 'postgresql://USER@HOST/DATABASE'.")
def command(paths: tuple[str, ...], http: bool, port: int, store: str | None) -> None:
    """Serve folders to coding agents over MCP; without PATHS, the client's working folder, or the current repository.

    Serving begins at once; missing indexes are made in the background.
    """
    if find_spec("mcp") is None:
        raise _missing_package("mcp")
    for path in paths:
        if not Path(path).expanduser().exists():
            # An address, or a mistake that is reported at once. Checking the disk is quick; `find_root` loads slowly.
            _find(path)
    with ExitStack() as open_ones:
        if http:
            _over_http(paths, port, store, open_ones)
        else:
            _over_stdio(paths, store, open_ones)


def _over_stdio(paths: Sequence[str], store: str | None, open_ones: ExitStack) -> None:
    has_started = False

    def make(named: Sequence[Path]) -> Sequence[ServedTool]:
        from quaestor.cli.scope import is_anywhere  # noqa: PLC0415 - the client is answered first

        nonlocal has_started
        folders = paths or [str(folder) for folder in named if not is_anywhere(folder)]
        tools = _begin_to_serve([_find(path) for path in folders], store, open_ones)
        has_started = True
        return tools

    opening = None
    if sys.platform != "win32":  # there, `select` cannot wait for pipes
        opening = OpeningExchange(open_ones.enter_context(standard_wire()))
        opening.converse(make, asking=not paths)
    # Modules that the first call needs are loaded in parallel with the SDK.
    threading.Thread(target=_prepare, daemon=True).start()
    _sdk_server().serve_stdio(make, opening, asking=not paths)
    if not has_started and not paths:
        # Print why nothing was served: no client was told, because none was there or it asked for nothing.
        _started_in()


def _over_http(paths: Sequence[str], port: int, store: str | None, open_ones: ExitStack) -> None:
    # Before the SDK is imported or anything is indexed, so that an occupied port is reported at once.
    at = open_ones.enter_context(listen_at(_HOST, port))
    server = _sdk_server()
    tools = _begin_to_serve([_find(path) for path in paths], store, open_ones)
    remark(f"http://{_HOST}:{port}/mcp")
    server.serve_http(tools, _HOST, at)


def _sdk_server() -> ModuleType:
    try:
        # Importing the SDK takes a second; meanwhile, `fast_start` has answered the client.
        return import_module("quaestor.mcp.sdk_server")
    except ModuleNotFoundError as error:
        raise _missing_package(error.name) from error


def _missing_package(package: str | None) -> UsageError:
    return UsageError(
        f"The MCP server needs the package {package!r}, which is not installed. Run "
        "`uv tool install 'quaestor[mcp]'`, or `pip install '.[mcp]'` in a checkout."
    )


def _begin_to_serve(roots: Sequence[Path], store: str | None, open_ones: ExitStack) -> Sequence[ServedTool]:
    """Begin to serve folders, or the folder in which the server was started if there are none; return their tools."""
    from quaestor.cli.scope import configure  # noqa: PLC0415 - the client is answered first
    from quaestor.mcp.mcp_tools import tools_of  # noqa: PLC0415
    from quaestor.server.open_corpora import Corpora  # noqa: PLC0415

    folders = list(roots) or [_started_in()]
    corpora = Corpora(folders, lambda root: configure(root, store=store).settings, in_processes=True)
    return tools_of(open_ones.enter_context(corpora))


def _prepare() -> None:
    from quaestor.mcp.mcp_tools import prepare  # noqa: PLC0415 - the client is answered first

    prepare()


def _find(path: str) -> Path:
    from quaestor.cli.scope import find_root  # noqa: PLC0415 - slow to import

    return find_root(path)


def _started_in() -> Path:
    """Return the folder in which the server was started.

    Raises:
        UsageError: it is the home folder or the root of the disk, because the client starts servers anywhere.
    """
    from quaestor.cli.scope import find_root, is_anywhere  # noqa: PLC0415 - the client is answered first

    root = find_root(None)
    if is_anywhere(root):
        raise UsageError(
            f"The server was started in {str(root)!r}, which is not a repository, without a folder to serve. Run "
            "`quaestor install CLIENT PATH`, or `quaestor mcp PATH`."
        )
    return root
