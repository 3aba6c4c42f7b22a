"""The command line as click reads it: options, help, completion, what is wrong with a line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module

import click

from quaestor import __version__
from quaestor.cli import COMMANDS, USAGE
from quaestor.cli.examples import examples_of

# What is over in a fraction of a second, of which NumPy's import is a good part.


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called, so that --help is instant."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in reading order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"quaestor.cli.commands.{cmd_name}").command
        assert isinstance(command, click.Command)
        command.epilog = examples_of(cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that a line calls; one that is not known is answered with those that are near."""
        name = args[0]
        if name in COMMANDS or name.startswith("-"):
            return super().resolve_command(ctx, args)
        near = get_close_matches(name, COMMANDS, n=3, cutoff=0.6)
        meant = f"Did you mean {' or '.join(map(repr, near))}?" if near else "`quaestor --help` lists them."
        raise click.UsageError(f"There is no command {name!r}. {meant}", ctx)

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


def run_group(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code.

    Raises:
        KeyboardInterrupt: Ctrl-C, or nobody reads the output any more.
        QuaestorError: the command failed.
        OSError: the system refused something.
    """
    colour = False if os.environ.get("NO_COLOR") else None
    try:
        code = cli.main(args=arguments, prog_name="quaestor", standalone_mode=False, color=colour)
    except click.ClickException as error:
        error.show()
        return USAGE
    except click.Abort:
        raise KeyboardInterrupt from None
    return code if isinstance(code, int) else 0
