"""Asking a model for an edit, and showing its words as they come."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

from quaestor.chat.editing import Correcting, EditSettings, Proposed, propose_edit
from quaestor.chat.events import Text
from quaestor.cli.output import echo, remark, safe
from quaestor.config import Settings
from quaestor.corpus import Corpus
from quaestor.edits import Plan, Proposal
from quaestor.errors import UsageError

if TYPE_CHECKING:
    from quaestor.accounts.metered import MeteredModel


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
    """Return what the model proposes; its words are shown on stderr unless ``quiet``.

    Raises:
        UsageError: there is no model.
        QuaestorError: as ``propose_edit``.
    """
    if model is None:
        raise UsageError("Edits need a model. Give --model and --base-url, or take a reply from --reply FILE.")
    try:
        async with aclosing(propose_edit(corpus, model, instruction, settings, planned)) as events:
            async for event in events:
                match event:
                    case Text(text=text) if not quiet:
                        echo(safe(text), nl=False, err=True)
                    case Correcting(reasons=reasons):
                        remark("\n" + "\n".join(f"cannot be applied: {reason}" for reason in reasons))
                    case Proposed():
                        if not quiet:
                            echo(err=True)
                        return event
    finally:
        await model.aclose()
    raise AssertionError("an edit ends with what is proposed")
