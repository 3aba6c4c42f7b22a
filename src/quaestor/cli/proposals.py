"""Changes that a conversation proposes: shown, and made only with consent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from quaestor.assemble import Index, make_journal, make_objection
from quaestor.cli.consent import agreed, apply_and_say, plan_object, print_diff, terminal_consent, undo_and_say
from quaestor.cli.edit_requests import asked, edit_settings_of
from quaestor.core.config import Settings
from quaestor.core.errors import UsageError
from quaestor.edits import Journal, Plan, Proposal, plan, recover

if TYPE_CHECKING:
    from quaestor.accounts.metered import MeteredModel


class Changing:
    """Edits of one source in the course of a conversation.

    Args:
        root: the source's folder, or the file that it consists of.
        settings: of the command.
    """

    def __init__(self, root: Path, settings: Settings) -> None:
        self._root = root if root.is_dir() else root.parent
        self._settings = settings

    async def asked(self, index: Index, model: MeteredModel, instruction: str, *, quiet: bool) -> Proposal:
        """Have a model propose a change."""
        settings = edit_settings_of(self._settings, whole=False)
        return (await asked(index, model, instruction, settings, self._plan, quiet=quiet)).proposal

    def apply(self, proposal: Proposal) -> None:
        """Show what is proposed, ask, and do it.

        Raises:
            UsageError: it cannot be done.
        """
        made = self._plan(proposal)
        if made.refusals:
            raise UsageError("; ".join(refusal.message for refusal in made.refusals))
        print_diff(made)
        if agreed(made, terminal_consent()):
            journal = self._journal()
            recover(journal)
            apply_and_say(made, journal)

    def shown(self, proposal: Proposal) -> dict[str, Any]:
        """Return what is proposed as JSON; nothing is changed."""
        return plan_object(self._plan(proposal))

    def undo(self) -> None:
        """Undo the last edit of this source.

        Raises:
            UsageError: there is no edit to undo, or its files have changed since.
        """
        undo_and_say(self._journal())

    def _plan(self, proposal: Proposal) -> Plan:
        return plan(self._root, proposal, objection=make_objection(self._root, self._settings))

    def _journal(self) -> Journal:
        return make_journal(self._root, self._settings)
