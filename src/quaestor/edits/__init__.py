"""From a model's reply to changed files: parse, confine, match, check, show, apply, undo.

    parse(reply) -> Proposal        what the model wants; pure
    plan(root, proposal) -> Plan    every byte before and after, or typed refusals; reads files and writes none
    diff(plan) -> str               one unified diff; pure
    apply(plan, journal)            all files or none, against the bytes they were read with
    undo(journal)                   back to those bytes, where nobody has changed the files since

No change is ever made at a place that had to be guessed: what fits nowhere, or in two places, is refused.
This package knows nothing of models, nor of who consents.
"""

from __future__ import annotations

from quaestor.edits.changes import Change, Create, Delete, Problem, Proposal, Rename, Replace, Whole
from quaestor.edits.plans import FileChange, How, Kind, Plan, Refusal

__all__ = [
    "Change",
    "Create",
    "Delete",
    "FileChange",
    "How",
    "Kind",
    "Plan",
    "Problem",
    "Proposal",
    "Refusal",
    "Rename",
    "Replace",
    "Whole",
]
