"""The scope of a command: its corpus, settings and documents.

Plain searches use this module without click (see ``fast_search``), so the options themselves are in ``options``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.cli.output import one_line, remark
from quaestor.core.config import Configuration, load_configuration
from quaestor.core.errors import NotFoundError, UsageError
from quaestor.core.light_imports import NamedTuple
from quaestor.core.wording import amount

if TYPE_CHECKING:
    from quaestor.search.spelling import UnknownWord
    from quaestor.stores import Where

_MOST_REFUSALS = 10


class Filters(NamedTuple):
    """The limits on a command's documents.

    Attributes:
        where: the filter that the options give; None for all documents.
        understand: whether dates and authors in the question may limit the documents, too.
    """

    where: Where | None = None
    understand: bool = True


def find_root(path: str | None) -> Path:
    """Return the corpus's root: the given folder, else the repository around the current folder, else that folder.

    Raises:
        NotFoundError: the path does not exist.
        UsageError: the path or address is malformed.
    """
    if path is not None:
        from quaestor.assemble import locate  # noqa: PLC0415 - imports NumPy; most commands name no source

        return locate(path)
    try:
        here = Path.cwd()
    except FileNotFoundError:
        raise NotFoundError("The current folder no longer exists. Change to another one, or name one.") from None
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


def find_corpus(path: str | None) -> Path:
    """Return the root as ``find_root`` does, for a command that indexes what is not indexed yet.

    Raises:
        UsageError: nobody named it, and it is the home folder or the root of the disk, without an index; or as above.
    """
    root = find_root(path)
    if path is None and is_anywhere(root):
        from quaestor.assemble.source_paths import index_folder  # noqa: PLC0415 - few commands are begun there

        if not index_folder(root, load_configuration({}, project=None).settings).exists():
            raise UsageError(
                f"{str(root)!r} is {'your home folder' if root == Path.home() else 'the whole disk'}, which would be "
                "indexed. Change to another folder, or name one; '.' means all of it."
            )
    return root


def is_anywhere(folder: Path) -> bool:
    """Return whether a folder is the home folder or the root of the disk, which nobody means to index."""
    return folder in (Path.home(), Path(folder.anchor)) and not (folder / ".git").exists()


def configure(root: Path | None, **flags: object) -> Configuration:
    """Load a corpus's settings; print a warning for each setting that its project file may not set."""
    project = root if root is None or root.is_dir() else root.parent
    configuration = load_configuration(flags, project=project)
    for refusal in configuration.refusals[:_MOST_REFUSALS]:
        remark(f"warning: {refusal.path} sets {refusal.name!r}: {refusal.reason}.")
    if further := len(configuration.refusals[_MOST_REFUSALS:]):
        remark(f"warning: {amount(further, 'further setting')} of it may not be set.")
    return configuration


def remark_on(understood: Sequence[str], missed: Sequence[str], translated: Sequence[str] = ()) -> None:
    """Print which words of a question were used as a filter, which could not be, and its English translation."""
    if translated:
        remark(f"searched for: {', '.join(map(one_line, translated))}")
    if understood:
        phrases = ", ".join(f"{one_line(phrase)!r}" for phrase in understood)
        remark(f"understood as a filter: {phrases}; put it in quotes, or use --no-filters, to search for the words")
    if missed:
        phrases = ", ".join(f"{one_line(phrase)!r}" for phrase in missed)
        remark(f"not used as a filter, because nothing would be left: {phrases}")


def remark_on_unknown(unknown: Sequence[UnknownWord]) -> None:
    """Print the words of a question that the corpus lacks, and the words that were searched for instead."""
    if unknown:
        words = ", ".join(_unknown_word_remark(one) for one in unknown)
        remark(f"not found anywhere here: {words}")


def _unknown_word_remark(one: UnknownWord) -> str:
    if not one.nearest:
        return f"{one.word!r}"
    first, *others = one.nearest
    return f"{one.word!r} (searched for {first!r}{''.join(f'; or {other!r}?' for other in others)})"
