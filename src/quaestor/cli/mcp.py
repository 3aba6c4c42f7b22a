"""``quaestor mcp``: corpora as tools for coding agents."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from quaestor.cli.options import configure, find_root
from quaestor.cli.output import remark
from quaestor.errors import UsageError

_HOST = "127.0.0.1"


@click.command("mcp")
@click.argument("paths", nargs=-1, type=str)
@click.option("--http", is_flag=True, help="Serve streamable HTTP on this machine instead of stdio.")
@click.option("--port", type=click.IntRange(1, 65535), default=8757, show_default=True, help="With --http.")
def command(paths: tuple[str, ...], http: bool, port: int) -> None:
    """Serve folders to coding agents over MCP; without PATHS, the current repository.

    Serving begins at once; what is not indexed yet is indexed behind.
    """
    from quaestor.serving.corpora import Corpora  # noqa: PLC0415 - half a second that --help need not wait
    from quaestor.serving.listening import listening  # noqa: PLC0415
    from quaestor.serving.mcp.tools import tools_of  # noqa: PLC0415

    try:
        from quaestor.serving.mcp.server import make_server, serve_http, serve_stdio  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise UsageError(
            f"The MCP server needs the package {error.name!r}, which is not installed. Run "
            "`uv tool install 'quaestor[mcp]'`, or `pip install '.[mcp]'` in a checkout."
        ) from error

    roots = [find_root(path) for path in paths] or [_started_in()]
    # Before anything is indexed: a port that is taken is said at once.
    at = listening(_HOST, port) if http else None
    with Corpora(roots, lambda root: configure(root).settings, apart=True) as corpora:
        server = make_server(tools_of(corpora))
        if at is None:
            asyncio.run(serve_stdio(server))
            return
        with at:
            remark(f"http://{_HOST}:{port}/mcp")
            asyncio.run(serve_http(server, _HOST, at))


def _started_in() -> Path:
    """Return the folder that the server is started in.

    Raises:
        UsageError: it is the home folder or the whole disk: a client started the server just anywhere.
    """
    root = find_root(None)
    if root in (Path.home(), Path(root.anchor)) and not (root / ".git").exists():
        raise UsageError(
            f"The server was started in {str(root)!r}, which is no repository, and was not told what to serve. Run "
            "`quaestor install CLIENT PATH`, or `quaestor mcp PATH`."
        )
    return root
