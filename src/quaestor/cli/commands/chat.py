"""``quaestor chat``: a conversation about the corpus, in the terminal or from a script."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import click

from quaestor.assemble import Index, check_endpoint, make_sessions
from quaestor.cli.conversation_loop import ConversationLoop
from quaestor.cli.options import count_option, filter_options, model_options, path_argument, store_option, window_option
from quaestor.cli.output import echo, print_remarks
from quaestor.cli.progress import indexing_progress
from quaestor.cli.scope import Filters, configure, find_corpus, find_root
from quaestor.core.config import Settings, data_home, make_private
from quaestor.core.errors import UsageError
from quaestor.server.index_process import BackgroundVectors
from quaestor.sessions.transcript import Transcript

BLOCK = '"""'
_HISTORY = 1000

ReadLine = Callable[[str], str | None]
"""Takes a prompt and returns the next line; None at the end of the input."""


@click.command("chat")
@path_argument
@model_options()
@count_option(Settings().passages)
@window_option
@store_option
@filter_options
@click.option("--session", help="Continue this session; the beginning of its name is enough.")
@click.option("--continue", "go_on", is_flag=True, help="Continue the last session about this corpus.")
@click.option("--dry-run", metavar="QUESTION", help="Print the exact next request; send nothing.")
@click.option("--summaries", is_flag=True, help="Let the model summarise messages that no longer fit.")
@click.option("--json", "as_json", is_flag=True, help="Print events on stdout, one JSON object per line.")
def command(  # noqa: PLR0913, PLR0917 - one argument an option
    path: str | None,
    model: str | None,
    base_url: str | None,
    count: int | None,
    window: int | None,
    store: str | None,
    session: str | None,
    go_on: bool,
    dry_run: str | None,
    summaries: bool,
    as_json: bool,
    filters: Filters,
) -> int:
    """Hold a conversation about the corpus.

    If stdin is not a terminal, each line is a question. In a terminal, /help lists the commands.
    """
    flags = {"model": model, "base_url": base_url, "passages": count, "window": window, "store": store}
    if session is None:
        root = find_corpus(path)
        settings = configure(root, **flags).settings
        transcript = _last(root, settings) if go_on else None
    else:
        transcript = make_sessions(configure(None, **flags).settings).open(session)
        root = _root_of(transcript, path)
        settings = configure(root, **flags).settings
    check_endpoint(settings)
    with Index.ready(root, settings=settings, progress=indexing_progress()) as index, ExitStack() as behind:
        if dry_run is None and index.meaning.vector_progress is not None:
            behind.enter_context(BackgroundVectors(root, settings))
        try:
            return _converse(
                ConversationLoop(index, settings, transcript, filters, summaries=summaries, as_json=as_json), dry_run
            )
        finally:
            print_remarks(index.remarks)


def _converse(talk: ConversationLoop, dry_run: str | None) -> int:
    """Hold a conversation and return the exit code."""
    try:
        if dry_run is not None:
            talk.preview(dry_run)
            return 0
        return _in_terminal(talk) if sys.stdin.isatty() else _in_script(talk)
    finally:
        talk.close()


def _in_script(talk: ConversationLoop) -> int:
    for text in _read_questions(_lines_of_stdin):
        if not talk.say(text):
            break
    return talk.code


def _in_terminal(talk: ConversationLoop) -> int:
    talk.greet()
    with _prompt_history(data_home(talk.settings) / "sessions" / "history"):
        for text in _read_questions(_line_of_terminal):
            if not _say_or_stop(talk, text):
                break
    return 0


def _say_or_stop(talk: ConversationLoop, text: str) -> bool:
    try:
        return talk.say(text)
    except KeyboardInterrupt:
        talk.print_what_was_recorded()
        return True


def _last(root: Path, settings: Settings) -> Transcript:
    sessions = make_sessions(settings)
    return sessions.open(sessions.latest(root=str(root)))


def _root_of(transcript: Transcript, path: str | None) -> Path:
    root = find_root(transcript.root or path)
    if path is not None and find_root(path) != root:
        raise UsageError(f"session {transcript.id!r} is about {str(root)!r}, not {path!r}; leave the path out")
    return root


def _read_questions(read: ReadLine, prompt: str = "› ", more: str = "… ") -> Iterator[str]:
    """Yield typed questions: a line, lines joined by a backslash at their ends, or a block between triple quotes."""
    while (line := read(prompt)) is not None:
        text = line.strip()
        if text.startswith(BLOCK):
            text = _block(text.removeprefix(BLOCK), read, more)
        else:
            while text.endswith("\\") and (following := read(more)) is not None:
                text = f"{text[:-1].rstrip()}\n{following.strip()}"
            text = text.removesuffix("\\")
        if text.strip():
            yield text.strip()


def _block(text: str, read: ReadLine, more: str) -> str:
    while not text.rstrip().endswith(BLOCK):
        following = read(more)
        if following is None:
            return text
        text = f"{text}\n{following}"
    return text.rstrip().removesuffix(BLOCK)


def _lines_of_stdin(_: str) -> str | None:
    """Return the next line of a pipe or a file."""
    line = sys.stdin.readline()
    return line.rstrip("\r\n") if line else None


def _line_of_terminal(prompt: str) -> str | None:
    """Return the next typed line; None after Ctrl-D. Ctrl-C only begins a new line."""
    while True:
        try:
            return input(prompt)
        except EOFError:
            echo()
            return None
        except KeyboardInterrupt:
            echo("\n(Ctrl-D or /quit ends)")


@contextmanager
def _prompt_history(place: Path) -> Iterator[None]:
    """Load the history of typed lines, and save it at the end, if Python has ``readline``."""
    try:
        import readline  # noqa: PLC0415 - not everywhere, and it changes how input() works
    except ImportError:
        yield
        return
    with suppress(OSError):
        readline.read_history_file(place)
    readline.set_history_length(_HISTORY)
    try:
        yield
    finally:
        with suppress(OSError):
            make_private(place.parent)
            place.touch(mode=0o600)
            readline.write_history_file(place)
