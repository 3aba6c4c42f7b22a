"""``quaestor serve``: corpora over HTTP, for people and for programs."""

from __future__ import annotations

import asyncio
import webbrowser

import click

from quaestor.cli.options import configure, find_root, model_options
from quaestor.cli.output import remark
from quaestor.errors import ForbiddenError, UsageError

_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@click.command("serve")
@click.argument("paths", nargs=-1, type=str)
@model_options
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--port", type=click.IntRange(1, 65535), default=8756, show_default=True)
@click.option("--allow-host", "names", multiple=True, help="A name under which the server may be reached.")
@click.option("--open", "opens", is_flag=True, help="Open the page in a browser.")
def command(
    paths: tuple[str, ...],
    model: str | None,
    base_url: str | None,
    host: str,
    port: int,
    names: tuple[str, ...],
    opens: bool,
) -> None:
    """Serve folders over HTTP; without PATHS, the current repository.

    Serving begins at once; what is not indexed yet is indexed behind. Others than this machine need a token: see
    `quaestor users`.
    """
    from quaestor.serving.corpora import Corpora  # noqa: PLC0415 - half a second that --help need not wait
    from quaestor.serving.listening import listening  # noqa: PLC0415

    try:
        from quaestor.serving.http.app import create_app  # noqa: PLC0415
        from quaestor.serving.http.building import open_users, served_of  # noqa: PLC0415
        from quaestor.serving.http.logs import log_as_json  # noqa: PLC0415
        from quaestor.serving.http.server import serve  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise UsageError(
            f"The server needs the package {error.name!r}, which is not installed. Run "
            "`uv tool install 'quaestor[serve]'`, or `pip install '.[serve]'` in a checkout."
        ) from error

    settings = configure(None, model=model, base_url=base_url).settings
    beyond = host not in _LOOPBACK
    if beyond and not open_users(settings).configured():
        raise ForbiddenError(
            f"{host!r} can be reached by others, and there are no users. Add one with `quaestor users add NAME`."
        )
    roots = [find_root(path) for path in paths] or [find_root(None)]
    # Before anything is indexed: a port that is taken is said at once.
    with (
        listening(host, port) as at,
        Corpora(roots, lambda root: configure(root, model=model, base_url=base_url).settings, apart=True) as corpora,
    ):
        app = create_app(served_of(corpora, settings, beyond=beyond, hosts=(host, *names)))
        address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        remark(address)
        if opens:
            webbrowser.open(address)
        log_as_json()
        asyncio.run(serve(app, at))
