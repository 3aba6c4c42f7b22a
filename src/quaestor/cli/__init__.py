"""The command line: one file per command, each imported only when it runs.

This module knows the commands' names and one-line descriptions, and how errors become exit codes.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

import click

from quaestor import __version__
from quaestor.cli.bare_numpy import import_numpy
from quaestor.cli.output import forget_output, prepare_streams, safe
from quaestor.errors import QuaestorError

if TYPE_CHECKING:
    from collections.abc import Sequence

USAGE = 2
UNUSABLE = 4
INTERRUPTED = 130
_OBJECTS_BETWEEN_LOOKS = 100_000
# What is over in a fraction of a second, of which NumPy's import is a good part.
_SEARCHING = frozenset({"search", "related", "ask"})

COMMANDS = {
    "index": "Build the index of a folder, or bring it up to date.",
    "search": "Find code and prose by words and by meaning.",
    "related": "Find definitions, callers, tests, neighbours of a name.",
    "ask": "Answer a question from the corpus, with checked sources.",
    "chat": "Hold a conversation about the corpus.",
    "edit": "Change files as told, after showing the difference.",
    "undo": "Take the last edit back.",
    "sessions": "List, show, resume, export or delete conversations.",
    "serve": "Serve a page, and an API that OpenAI's clients can use.",
    "mcp": "Serve corpora to coding agents over MCP.",
    "install": "Tell a coding agent how to start the MCP server.",
    "uninstall": "Take that back.",
    "users": "Add, list, renew or revoke users of the server.",
    "usage": "Tell what requests to models took and cost.",
    "tune": "Adapt the bundled embedder to a corpus, if that helps.",
    "stats": "Tell what an index holds: documents, chunks, words, tokens.",
    "eval": "Measure how well a corpus is searched; compare ways.",
    "config": "Show settings and where each value comes from.",
    "prompts": "Show every word that is sent to a model.",
    "doctor": "Check the installation and say what is missing.",
    "completion": "Print the shell completion script.",
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called, so that --help is instant."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in reading order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        if cmd_name in _SEARCHING:
            import_numpy()
        command = import_module(f"quaestor.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; a reader of the output who has gone ends it as Ctrl-C does."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise click.Abort from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from their descriptions alone."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="quaestor %(version)s")
def cli() -> None:
    """Ask your code and your documents: offline, with sources that are checked.

    A folder is optional everywhere; without one, the current repository is meant.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with the code that tells what happened."""
    # Our products are small: more threads only wait for each other (200 ms a search on a busy machine), and
    # starting them delays every command. It counts only before NumPy is loaded.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Loading makes many objects and hardly any rubbish: looking for it every 700 objects takes 3% of a search,
    # and so does looking once through all that was imported.
    gc.set_threshold(_OBJECTS_BETWEEN_LOOKS)
    leave(run(arguments))


def leave(code: int) -> NoReturn:
    """End the process with a code.

    What is to be done at exit is done; then the interpreter is not taken apart object by object, which takes longer
    than a search does. While other threads run, it ends as Python does.
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
    colour = False if os.environ.get("NO_COLOR") else None
    try:
        code = cli.main(args=arguments, prog_name="quaestor", standalone_mode=False, color=colour)
        sys.stdout.flush()
    except QuaestorError as error:
        return _failed(str(error), error.exit_code, colour)
    except click.ClickException as error:
        error.show()
        return USAGE
    except (KeyboardInterrupt, click.Abort, BrokenPipeError):
        forget_output()
        return INTERRUPTED
    except OSError as error:
        place = f" ({str(error.filename)!r})" if error.filename else ""
        reason = error.strerror or str(error)
        return _failed(f"The system refused: {reason}{place}. Mend that and run again.", UNUSABLE, colour)
    return code if isinstance(code, int) else 0


def _failed(message: str, code: int, colour: bool | None) -> int:
    click.echo(f"{click.style('error:', fg='red', bold=True)} {safe(message)}", err=True, color=colour)
    return code
