"""Requests an edit from a model, shows it, asks for consent, and applies it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quaestor.assemble import Index, make_journal, make_objection
from quaestor.chat.edit_turn import ContextRequested, CorrectionRequested, EditProposed, EditSettings, propose_edit
from quaestor.cli.answer_drawing import waiting
from quaestor.cli.output import echo, one_line, remark, safe, style
from quaestor.core.config import Settings
from quaestor.core.errors import UsageError
from quaestor.core.wording import amount
from quaestor.corpus import Corpus
from quaestor.edits import Applied, FileChange, Journal, Plan, Proposal, apply, diff, plan, recover, undo

if TYPE_CHECKING:
    from quaestor.accounts.metered_model import MeteredModel

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


@dataclass(frozen=True, slots=True)
class Consent:
    """Consent that options give beforehand.

    Attributes:
        ordinary: whether changes of ordinary files are allowed.
        sensitive: whether changes of hidden, ignored and secret files, and of files that run by themselves, are
            allowed.
        may_ask: whether a person can be asked.
    """

    ordinary: bool = False
    sensitive: bool = False
    may_ask: bool = True


def terminal_consent(*, ordinary: bool = False, sensitive: bool = False) -> Consent:
    """Return the consent that options give; a person can be asked if stdin and stderr are terminals."""
    return Consent(ordinary, sensitive, sys.stdin.isatty() and sys.stderr.isatty())


def print_diff(plan: Plan) -> None:
    """Print a plan as a unified diff, coloured in a terminal."""
    for line in diff(plan).split("\n")[:-1]:
        text = one_line(line.rstrip("\r")) if "\t" not in line else one_line(line.expandtabs(4))
        heading = line.startswith(("diff ", "--- ", "+++ ", "rename ", "new file", "deleted file"))
        colour = None if heading else _COLOURS.get(line[:1])
        echo(style(text, bold=True) if heading else style(text, fg=colour))


def print_refusals(plan: Plan) -> None:
    """Print why a plan is refused."""
    for refusal in plan.refusals:
        echo(f"{style('refused:', fg='red', bold=True)} {safe(refusal.message)}", err=True)


def ask_consent(plan: Plan, consent: Consent) -> bool:
    """Ask for missing consent; return whether the plan may be applied. If no person can be asked, it may not."""
    for file in plan.sensitive:
        reasons = "; ".join(file.objections)
        if not consent.sensitive and not _yes(f"{one_line(file.path)}: {reasons}. Change it anyway?", consent):
            remark(f"{file.path!r} needs a second consent ({reasons}): --allow-sensitive gives it")
            return False
    if consent.ordinary:
        return True
    if not consent.may_ask:
        remark("nothing was changed: without a terminal to ask in, --yes must give consent")
        return False
    agreed = _yes(f"Apply this to {amount(len(plan.files), 'file')}?", consent)
    if not agreed:
        remark("nothing was changed")
    return agreed


def apply_and_print(plan: Plan, journal: Journal) -> Applied:
    """Apply a plan and print what was done."""
    applied = apply(plan, journal)
    remark(f"changed {', '.join(applied.paths)}; `quaestor undo` reverts this")
    return applied


def undo_and_print(journal: Journal) -> Applied:
    """Revert the last edit and print what was done."""
    undone = undo(journal)
    remark(f"restored: {', '.join(undone.paths)}")
    return undone


def run_check(command: str, root: Path, *, quiet: bool) -> int:
    """Run the command of ``--check`` in the root; return its exit code."""
    remark(f"running {command}")
    # Only the person on the command line can set this command: no model and no file of the project can.
    done = subprocess.run(command, shell=True, cwd=root, check=False, stdout=sys.stderr if quiet else None)
    remark(f"it ended with exit code {done.returncode}")
    return done.returncode


def offer_undo(journal: Journal, consent: Consent) -> bool:
    """Offer to revert an edit whose check failed; return whether it was reverted."""
    if not consent.may_ask:
        remark("the check failed; `quaestor undo` reverts the edit")
        return False
    if not _yes("The check failed. Undo the edit?", consent):
        return False
    undo_and_print(journal)
    return True


def plan_object(plan: Plan) -> dict[str, Any]:
    """Return a plan as JSON values."""
    return {
        "files": [_file_object(file) for file in plan.files],
        "refusals": [
            {"path": one.path, "kind": one.kind, "message": one.message, "lines": list(one.lines)}
            for one in plan.refusals
        ],
        "diff": diff(plan),
    }


def _file_object(file: FileChange) -> dict[str, Any]:
    kinds = {(True, False): "new", (False, True): "deleted"}
    kind = "renamed" if file.renamed_from else kinds.get((file.before is None, file.after is None), "changed")
    return {
        "path": file.path,
        "change": kind,
        "renamed_from": file.renamed_from,
        "before_sha256": None if file.before is None else sha256(file.before).hexdigest(),
        "after_sha256": None if file.after is None else sha256(file.after).hexdigest(),
        "matched": list(file.how),
        "objections": list(file.objections),
    }


def _yes(question: str, consent: Consent) -> bool:
    return consent.may_ask and click.confirm(question, default=False, err=True)


# Matches the beginning of a block: a fence, the marker of a search block, or a line that deletes or moves a file.
_FIRST_BLOCK = re.compile(r"^[ \t]*(?:```|~~~|<{5,}|\*\*\* )", re.MULTILINE)


def edit_settings_of(settings: Settings, whole: bool | None = None) -> EditSettings:
    """Return the settings for requesting an edit; ``whole`` asks for whole files, None decides by the model's name."""
    usual = EditSettings()
    # A change needs a longer reply than an answer, if the window has room.
    reserve = max(settings.reserve, usual.reserve if settings.window >= usual.window else 0)
    return EditSettings(settings.passages, settings.window, reserve, whole=whole)


async def ask_for_proposal(
    corpus: Corpus,
    model: MeteredModel | None,
    instruction: str,
    settings: EditSettings,
    planned: Callable[[Proposal], Plan],
    *,
    quiet: bool,
) -> EditProposed:
    """Ask the model for a proposal and return it; unless ``quiet``, show its text on stderr, without the blocks.

    The changes themselves are shown once, as a diff.

    Raises:
        UsageError: there is no model.
        QuaestorError: as ``propose_edit``.
    """
    if model is None:
        raise UsageError("Edits need a model. Give --model and --base-url, or a model's reply by --reply FILE.")
    try:
        with waiting(f"{model.name} writes the change", quiet=quiet):
            async with aclosing(propose_edit(corpus, model, instruction, settings, planned)) as events:
                async for event in events:
                    match event:
                        case ContextRequested(needs=needs):
                            remark(f"looks further: {', '.join(map(one_line, needs))}")
                        case CorrectionRequested(reasons=reasons):
                            remark("\n".join(f"cannot be applied: {reason}" for reason in reasons))
                        case EditProposed():
                            proposed = event
    finally:
        await model.aclose()
    if not quiet and (words := words_before_changes(proposed)):
        remark(words)
    return proposed


def words_before_changes(proposed: EditProposed) -> str:
    """Return the text of a reply before its first block of changes; the whole reply if there is none."""
    if not proposed.proposal:
        return proposed.reply.strip()
    text = _FIRST_BLOCK.split(proposed.reply, maxsplit=1)[0].rstrip()
    paths = {change.path for change in proposed.proposal.changes}
    head, _, last = text.rpartition("\n")
    return (head if last.strip(" `*#:") in paths else text).strip()


class ConversationEditor:
    """Edits one source during a conversation.

    Args:
        root: the source's folder or, if it is a single file, that file.
        settings: the command's settings.
    """

    def __init__(self, root: Path, settings: Settings) -> None:
        self._root = root if root.is_dir() else root.parent
        self._settings = settings

    async def propose(self, index: Index, model: MeteredModel, instruction: str, *, quiet: bool) -> Proposal:
        """Ask a model for a change and return its proposal."""
        settings = edit_settings_of(self._settings, whole=False)
        return (await ask_for_proposal(index, model, instruction, settings, self._plan, quiet=quiet)).proposal

    def apply(self, proposal: Proposal) -> None:
        """Show the proposal, ask for consent, and apply it.

        Raises:
            UsageError: it cannot be applied.
        """
        plan = self._plan(proposal)
        if plan.refusals:
            raise UsageError("; ".join(refusal.message for refusal in plan.refusals))
        print_diff(plan)
        if ask_consent(plan, terminal_consent()):
            journal = self._journal()
            recover(journal)
            apply_and_print(plan, journal)

    def proposal_object(self, proposal: Proposal) -> dict[str, Any]:
        """Return the proposal as JSON values; nothing is changed."""
        return plan_object(self._plan(proposal))

    def undo(self) -> None:
        """Undo the last edit of this source.

        Raises:
            UsageError: there is no edit to undo, or its files have changed since.
        """
        undo_and_print(self._journal())

    def _plan(self, proposal: Proposal) -> Plan:
        return plan(self._root, proposal, objection=make_objection(self._root, self._settings))

    def _journal(self) -> Journal:
        return make_journal(self._root, self._settings)
