"""``quaestor edit``: turns an instruction into a diff and, with consent, into a change."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from quaestor.accounts import Purpose
from quaestor.assemble import Index, check_endpoint, make_journal, make_model, make_objection
from quaestor.chat.edit_turn import EditProposed
from quaestor.cli.options import count_option, json_option, model_options, path_argument, window_option
from quaestor.cli.output import print_json, remark
from quaestor.cli.progress import indexing_progress
from quaestor.cli.proposed_edits import (
    Consent,
    apply_and_print,
    ask_consent,
    ask_for_proposal,
    edit_settings_of,
    offer_undo,
    plan_object,
    print_diff,
    print_refusals,
    run_check,
    terminal_consent,
)
from quaestor.cli.scope import configure, find_corpus
from quaestor.core.config import Settings
from quaestor.core.errors import UsageError
from quaestor.core.messages import Usage
from quaestor.edits import Journal, Plan, Proposal, parse, patch, plan, recover

NOT_DONE = 1


@dataclass(frozen=True, slots=True)
class _EditOptions:
    """The options that decide what is done with a proposal."""

    consent: Consent
    as_json: bool
    patch_file: str | None
    check: str | None


@click.command("edit")
@click.argument("instruction", required=False)
@path_argument
@model_options("without it, --reply gives the changes")
@click.option("--yes", is_flag=True, help="Apply without asking.")
@click.option(
    "--allow-sensitive",
    is_flag=True,
    help="Allow changes to hidden, ignored and secret files, and to files that builds run.",
)
@click.option("--patch", "patch_file", metavar="FILE", help="Write the diff to FILE ('-': stdout); change nothing.")
@click.option("--check", metavar="COMMAND", help="Run this command after the edit, and offer to undo if it fails.")
@click.option("--reply", metavar="FILE", help="Take the changes from FILE ('-': stdin) instead of a model.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["auto", "blocks", "whole"]),
    default="auto",
    show_default=True,
    help="How the model writes changes: as blocks, as whole files, or chosen by the model's name.",
)
@click.option("--any-syntax", is_flag=True, help="Allow changes after which a file no longer parses.")
@count_option(Settings().passages)
@window_option
@json_option
def command(  # noqa: PLR0913, PLR0917 - one argument an option
    instruction: str | None,
    path: str | None,
    model: str | None,
    base_url: str | None,
    yes: bool,
    allow_sensitive: bool,
    patch_file: str | None,
    check: str | None,
    reply: str | None,
    form: str,
    any_syntax: bool,
    count: int | None,
    window: int | None,
    as_json: bool,
) -> int:
    """Change files as instructed, after showing the diff.

    Nothing is written without consent, typed in the terminal or given by --yes. Exit code 1 means that nothing was
    changed: no change was proposed, it was refused, consent was not given, or its check failed.
    """
    if reply is not None and path is None:
        instruction, path = None, instruction
    root = find_corpus(path)
    settings = configure(root, model=model, base_url=base_url, passages=count, window=window).settings
    root = root if root.is_dir() else root.parent
    journal = make_journal(root, settings)
    _recover(journal)
    objection = make_objection(root, settings)

    def plan_edit(proposal: Proposal) -> Plan:
        return plan(root, proposal, objection=objection, check_syntax=not any_syntax)

    whole = None if form == "auto" else form == "whole"
    if reply is not None:
        words = _read(reply)
        proposal = parse(words, whole=whole is True)
        proposed = EditProposed(words, proposal, plan_edit(proposal), "", Usage(0, 0, reported=False))
    else:
        if not instruction or not instruction.strip():
            raise UsageError("There is no instruction. Say what to change, in quotes, or give --reply FILE.")
        check_endpoint(settings)
        with Index.ready(root, settings=settings, progress=indexing_progress()) as index:
            asker = make_model(settings, Purpose(kind="edit", source=str(index.root)))
            settings_of_edit = edit_settings_of(settings, whole)
            try:
                proposed = asyncio.run(
                    ask_for_proposal(index, asker, instruction, settings_of_edit, plan_edit, quiet=as_json)
                )
            except KeyboardInterrupt:
                remark("\nstopped; nothing was changed")
                raise
    wanted = _EditOptions(terminal_consent(ordinary=yes, sensitive=allow_sensitive), as_json, patch_file, check)
    return _ProposalHandler(root, journal, instruction or "", proposed, wanted).finish_edit()


def _recover(journal: Journal) -> None:
    if restored := recover(journal):
        remark(f"an earlier edit was interrupted; restored: {', '.join(restored)}")


def _read(name: str) -> str:
    if name == "-":
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    return Path(name).expanduser().read_bytes().decode("utf-8", "replace")


class _ProposalHandler:
    """Handles a proposal: shows it, writes it as a patch, applies it, checks it."""

    def __init__(
        self, root: Path, journal: Journal, instruction: str, proposed: EditProposed, wanted: _EditOptions
    ) -> None:
        self._root = root
        self._journal = journal
        self._instruction = instruction
        self._proposed = proposed
        self._wanted = wanted
        self._record: int | None = None
        self._check: int | None = None
        self._undone = False

    def finish_edit(self) -> int:
        """Handle the proposal as the options say; return the exit code."""
        code = self._finish()
        if self._wanted.as_json:
            print_json(self._object())
        return code

    def _finish(self) -> int:
        plan = self._proposed.plan
        if not self._proposed.proposal:
            remark("no change was proposed")
            return NOT_DONE
        if plan.refusals:
            print_refusals(plan)
            return NOT_DONE
        if self._wanted.patch_file is not None:
            _write_patch(plan, self._wanted.patch_file)
            return 0
        if not self._wanted.as_json:
            print_diff(plan)
        elif not self._wanted.consent.ordinary:
            return 0  # another program decides
        if not ask_consent(plan, self._wanted.consent):
            return NOT_DONE
        self._record = apply_and_print(plan, self._journal).number
        return self._run_check()

    def _run_check(self) -> int:
        if self._wanted.check is None:
            return 0
        self._check = run_check(self._wanted.check, self._root, quiet=self._wanted.as_json)
        if self._check:
            self._undone = offer_undo(self._journal, self._wanted.consent)
        return NOT_DONE if self._check else 0

    def _object(self) -> dict[str, Any]:
        check = None if self._check is None else {"command": self._wanted.check, "exit_code": self._check}
        return {
            "instruction": self._instruction,
            "answer": self._proposed.reply,
            **plan_object(self._proposed.plan),
            "applied": self._record is not None and not self._undone,
            "record": self._record,
            "check": check,
            "model": self._proposed.model,
            "usage": asdict(self._proposed.usage),
        }


def _write_patch(plan: Plan, name: str) -> None:
    data = patch(plan)
    if name == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        Path(name).expanduser().write_bytes(data)
        remark(f"the diff is in {name}; no file was changed")
