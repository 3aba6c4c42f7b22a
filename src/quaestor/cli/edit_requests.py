"""Asking a model for an edit, and showing what it says of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

from quaestor.chat.editing import Correcting, EditSettings, Looking, Proposed, propose_edit
from quaestor.cli.answer_drawing import waiting
from quaestor.cli.output import one_line, remark
from quaestor.core.config import Settings
from quaestor.core.errors import UsageError
from quaestor.corpus import Corpus
from quaestor.edits import Plan, Proposal

if TYPE_CHECKING:
    from quaestor.accounts.metered import MeteredModel

# What begins a block: a fence, a mark of a search block, a line that deletes or moves a file.
_FIRST_BLOCK = re.compile(r"^[ \t]*(?:```|~~~|<{5,}|\*\*\* )", re.MULTILINE)


def edit_settings_of(settings: Settings, whole: bool | None = None) -> EditSettings:
    """Return how an edit is asked for; ``whole`` chooses the form of changes, None by the model's name."""
    usual = EditSettings()
    # A change takes more words than an answer, where the window has the room.
    reserve = max(settings.reserve, usual.reserve if settings.window >= usual.window else 0)
    return EditSettings(settings.passages, settings.window, reserve, whole=whole)


async def asked(
    corpus: Corpus,
    model: MeteredModel | None,
    instruction: str,
    settings: EditSettings,
    planned: Callable[[Proposal], Plan],
    *,
    quiet: bool,
) -> Proposed:
    """Return what the model proposes; unless ``quiet``, what it says of it is shown on stderr, without the blocks.

    The difference shows the changes themselves, once.

    Raises:
        UsageError: there is no model.
        QuaestorError: as ``propose_edit``.
    """
    if model is None:
        raise UsageError("Edits need a model. Give --model and --base-url, or take a reply from --reply FILE.")
    try:
        with waiting(f"{model.name} writes the change", quiet=quiet):
            async with aclosing(propose_edit(corpus, model, instruction, settings, planned)) as events:
                async for event in events:
                    match event:
                        case Looking(needs=needs):
                            remark(f"looks further: {', '.join(map(one_line, needs))}")
                        case Correcting(reasons=reasons):
                            remark("\n".join(f"cannot be applied: {reason}" for reason in reasons))
                        case Proposed():
                            proposed = event
    finally:
        await model.aclose()
    if not quiet and (words := words_before_changes(proposed)):
        remark(words)
    return proposed


def words_before_changes(proposed: Proposed) -> str:
    """Return the text of a reply before its first block of changes; the whole reply without one."""
    if not proposed.proposal:
        return proposed.reply.strip()
    said = _FIRST_BLOCK.split(proposed.reply, maxsplit=1)[0].rstrip()
    paths = {change.path for change in proposed.proposal.changes}
    head, _, last = said.rpartition("\n")
    return (head if last.strip(" `*#:") in paths else said).strip()
