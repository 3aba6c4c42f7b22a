"""From a model's reply to changed files: parse, confine, match, check, show, apply, undo.

    parse(reply) -> Proposal        what the model wants; pure
    plan(root, proposal) -> Plan    every byte before and after, or typed refusals; reads files and writes none
    diff(plan) -> str               one unified diff; pure
    apply(plan, journal)            all files or none, against the bytes they were read with
    undo(journal)                   back to those bytes, if nobody has changed the files since

No change is made at a guessed place: one that fits nowhere, or in two places, is refused.
The package does not know models or who consents. Begin with ``make_plan``.
"""

from __future__ import annotations

from quaestor.edits.apply_plan import Applied, ChangedError, apply, recover, undo
from quaestor.edits.journal import Journal, JournalError
from quaestor.edits.make_plan import Objection, plan
from quaestor.edits.parse import parse
from quaestor.edits.plans import (
    Change,
    Create,
    Delete,
    FileChange,
    How,
    Kind,
    Plan,
    Problem,
    Proposal,
    Refusal,
    Rename,
    Replace,
    Whole,
    diff,
    patch,
)

__all__ = [
    "Applied",
    "Change",
    "ChangedError",
    "Create",
    "Delete",
    "FileChange",
    "How",
    "Journal",
    "JournalError",
    "Kind",
    "Objection",
    "Plan",
    "Problem",
    "Proposal",
    "Refusal",
    "Rename",
    "Replace",
    "Whole",
    "apply",
    "diff",
    "parse",
    "patch",
    "plan",
    "recover",
    "undo",
]
