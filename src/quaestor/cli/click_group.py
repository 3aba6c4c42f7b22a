"""The command line in click: the list of commands, help with examples, completion, and usage errors."""

from __future__ import annotations

import os
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from itertools import takewhile

import click

from quaestor import __version__
from quaestor.core.errors import NotFoundError
from quaestor.core.wording import command as quoted_command

USAGE = 2

COMMANDS = {
    "index": "Build the index of a folder, or bring it up to date.",
    "search": "Find code and prose by words and by meaning.",
    "related": "Find a name's definitions, callers, tests and neighbours.",
    "overview": "Show what a corpus is: its entry points and main parts.",
    "history": "Show what changed, when, why and by whom, from git.",
    "ask": "Answer a question from the corpus, with checked sources.",
    "chat": "Hold a conversation about the corpus.",
    "edit": "Change files as instructed, after showing the diff.",
    "undo": "Undo the last edit.",
    "sessions": "List, show, resume, export or delete conversations.",
    "serve": "Serve a page, and an API that OpenAI's clients can use.",
    "mcp": "Serve corpora to coding agents over MCP.",
    "install": "Tell a coding agent how to start the MCP server.",
    "uninstall": "Remove Quaestor from a coding agent's settings.",
    "users": "Add, list, renew or revoke users of the server.",
    "usage": "Show the tokens and cost of requests to models.",
    "tune": "Adapt the bundled embedder to a corpus, if that helps.",
    "store": "List, check, clean up, copy or delete stored indexes.",
    "stats": "Show what an index holds: documents, chunks, words, tokens.",
    "eval": "Measure how well a corpus is searched; compare settings.",
    "config": "Show settings and where each value comes from.",
    "prompts": "Show every word that is sent to a model.",
    "doctor": "Check the installation and say what is missing.",
    "completion": "Print the shell completion script.",
}
EXAMPLES: dict[str, tuple[str, ...]] = {
    "index": (
        "quaestor index",
        "quaestor index ~/notes --watch",
        "quaestor index https://docs.example.org --dry-run",
        "quaestor index https://docs.example.org --include '/guide/*' --max-pages 500",
    ),
    "search": (
        "quaestor search 'where are requests retried'",
        "quaestor search 'retry after a timeout' ~/src/client ~/src/server -k 5",
        "quaestor search 'session expiry' --path 'src/**' --lang python",
        "quaestor search parse_header --json",
    ),
    "related": (
        "quaestor related send_with_retry",
        "quaestor related Client.send --kind callers -k 50",
        "quaestor related src/retry.py:12",
    ),
    "overview": (
        "quaestor overview",
        "quaestor overview ~/src/client --tokens 600",
        "quaestor overview --folder src/server --json",
    ),
    "history": (
        "quaestor history",
        "quaestor history 'when and why was send_with_retry added?'",
        "quaestor history src/retry.py --since 2024 -n 20",
        "quaestor history 'what changed between 1.1 and 1.2' ~/src/client --json",
    ),
    "ask": (
        "quaestor ask 'how do I turn off retries?'",
        "quaestor ask 'what calls send_with_retry?' ~/src/client",
        "quaestor ask 'what does @src/retry.py do after a timeout?'",
        "quaestor ask 'why is it slow?' --model llama3.2 --base-url http://localhost:11434/v1",
    ),
    "chat": (
        "quaestor chat",
        "quaestor chat ~/notes --continue",
        "quaestor chat --model llama3.2 --base-url http://localhost:11434/v1",
        "quaestor chat --dry-run 'where is the cache?'",
    ),
    "edit": (
        "quaestor edit 'rename MAX_ATTEMPTS to MAX_TRIES' --model llama3.2 --base-url http://localhost:11434/v1",
        "quaestor edit 'add a type hint to send' --check 'make test'",
        "quaestor edit --reply answer.md --patch change.diff",
    ),
    "store": (
        "quaestor store corpora --store postgresql://quaestor@db.example.org/quaestor",
        "quaestor store copy ~/src/client postgresql://quaestor@db.example.org/quaestor",
        "quaestor store check ~/src/client",
    ),
    "undo": ("quaestor undo", "quaestor undo ~/src/client"),
    "sessions": (
        "quaestor sessions list",
        "quaestor sessions show 3f2a --turn 2",
        "quaestor sessions export 3f2a --markdown -o talk.md",
    ),
    "serve": (
        "quaestor serve --open",
        "quaestor serve ~/src/client ~/notes --port 8080",
        "quaestor serve --model llama3.2 --base-url http://localhost:11434/v1",
    ),
    "mcp": ("quaestor mcp", "quaestor mcp ~/src/client ~/notes", "quaestor mcp --http --port 9000"),
    "install": ("quaestor install claude-code", "quaestor install cursor ~/src/client --dry-run"),
    "uninstall": ("quaestor uninstall claude-code", "quaestor uninstall cursor --dry-run"),
    "users": ("quaestor users add anna", "quaestor users list", "quaestor users revoke anna"),
    "usage": ("quaestor usage", "quaestor usage --by model --since 2026-01-01"),
    "tune": ("quaestor tune --dry-run", "quaestor tune ~/notes", "quaestor tune --undo"),
    "stats": ("quaestor stats", "quaestor stats ~/notes --verbose"),
    "eval": ("quaestor eval --self", "quaestor eval questions.jsonl --corpus ~/notes --chunker lines:40"),
    "config": ("quaestor config show", "quaestor config show ~/notes --json"),
    "prompts": ("quaestor prompts show", "quaestor prompts show chat"),
    "doctor": ("quaestor doctor", "quaestor doctor --probe --model llama3.2 --base-url http://localhost:11434/v1"),
    "completion": ("quaestor completion bash >> ~/.bashrc", "quaestor completion fish | source"),
}


FIRST_STEPS = (
    "quaestor overview",
    "quaestor ask 'which routes are there?'",
    "quaestor search 'where are requests retried'",
    "quaestor serve --open",
)
_TAKE_WORDS = frozenset({"ask", "edit", "history"})


def examples_of(name: str) -> str:
    """Return the examples of a command for the end of its help; ``\\b`` keeps click from wrapping the lines."""
    return _lines_below("Examples:", EXAMPLES[name])


def _lines_below(title: str, lines: Sequence[str]) -> str:
    return "\n".join(["\b", title, *(f"  {line}" for line in lines)])


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
        """Return the command that a line names.

        Raises:
            UsageError: there is no such command; the message suggests similar ones.
        """
        name = args[0]
        if name in COMMANDS or name.startswith("-"):
            return super().resolve_command(ctx, args)
        near = get_close_matches(name, COMMANDS, n=3, cutoff=0.6)
        advice = f"Did you mean {' or '.join(map(repr, near))}?" if near else "`quaestor --help` lists them."
        if " " in name:
            advice = f"To ask that, write {quoted_command('ask', name)}."
        raise click.UsageError(f"There is no command {name!r}. {advice}", ctx)

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; a closed output pipe ends it like Ctrl-C."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise click.Abort from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with their descriptions, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_lines_below("Begin with:", FIRST_STEPS),
)
@click.version_option(__version__, "-V", "--version", message="quaestor %(version)s")
def cli() -> None:
    """Ask your code and your documents: offline, with sources that are checked.

    A folder is optional everywhere; the default is the current repository.
    """


def run_group(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code.

    Raises:
        KeyboardInterrupt: Ctrl-C, or the output was closed.
        QuaestorError: the command failed.
        OSError: a system call failed.
    """
    colour = False if os.environ.get("NO_COLOR") else None
    try:
        code = cli.main(args=arguments, prog_name="quaestor", standalone_mode=False, color=colour)
    except click.ClickException as error:
        if "unexpected extra argument" in error.message and (advice := _advice_on_quotes(arguments)):
            error = click.UsageError(f"{error.message}. {advice}", getattr(error, "ctx", None))
        error.show()
        return USAGE
    except NotFoundError as error:
        advice = _advice_on_quotes(arguments)
        raise (NotFoundError(f"{error} {advice}") if advice else error) from None
    except click.Abort:
        raise KeyboardInterrupt from None
    return code if isinstance(code, int) else 0


def _advice_on_quotes(arguments: Sequence[str]) -> str:
    """Return advice for a question without quotes, whose second word was taken for a folder; "" if it is not one."""
    words = list(takewhile(lambda one: not one.startswith("-"), arguments[1:]))
    if arguments[0] not in _TAKE_WORDS or len(words) < 2 or "/" in words[1]:
        return ""
    return f"If {' '.join(words)[:80]!r} belongs together, put it in quotes."
