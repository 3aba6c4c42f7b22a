"""The command line: one file per command, each imported only when it runs.

This module turns errors into exit codes. The package does not know
how an answer is made; it reads options, calls other packages, and prints. Begin with ``click_group``, which parses a
command line, then any file in ``commands``; ``fast_search`` runs plain searches without click.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
from typing import TYPE_CHECKING, NoReturn

from quaestor.cli.fast_search import is_plain, run_plain
from quaestor.cli.output import echo, forget_output, prepare_streams, safe, style
from quaestor.core.errors import QuaestorError

if TYPE_CHECKING:
    from collections.abc import Sequence

UNUSABLE = 4
INTERRUPTED = 130
_OBJECTS_BETWEEN_LOOKS = 100_000


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its exit code."""
    # Our matrices are small: more BLAS threads only wait for each other (200 ms per search on a busy machine), and
    # starting them delays every command. The variable must be set before NumPy is loaded.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Imports create many objects and hardly any garbage: collecting after every 700 objects takes 3% of a search,
    # and so does a single collection over everything imported.
    gc.set_threshold(_OBJECTS_BETWEEN_LOOKS)
    leave(run(arguments))


def leave(code: int) -> NoReturn:
    """End the process with an exit code.

    Exit handlers run; then the process ends without freeing its objects, which would take longer than a search. If
    other threads are running, Python ends it normally.
    """
    if threading.active_count() > 1:
        sys.exit(code)
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        code = INTERRUPTED
    os._exit(code)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    prepare_streams()
    try:
        code = _run(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except QuaestorError as error:
        return _print_failure(str(error), error.exit_code)
    except (KeyboardInterrupt, BrokenPipeError):
        forget_output()
        return INTERRUPTED
    except OSError as error:
        place = f" ({str(error.filename)!r})" if error.filename else ""
        reason = error.strerror or str(error)
        return _print_failure(f"The system refused: {reason}{place}. Fix that and run the command again.", UNUSABLE)
    return code


def _run(arguments: Sequence[str]) -> int:
    if is_plain(arguments):
        return run_plain(arguments)
    from quaestor.cli.click_group import run_group  # noqa: PLC0415 - click, which a plain search does not need

    return run_group(arguments)


def _print_failure(message: str, code: int) -> int:
    echo(f"{style('error:', fg='red', bold=True)} {safe(message)}", err=True)
    return code
