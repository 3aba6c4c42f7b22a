"""What settings leave out, where it is more than they leave in: a repository may have made them to hide something."""

from __future__ import annotations

from quaestor.files.ingest_report import BY_SETTING, Changes

AS_IF_NOT_SET = "QUAESTOR_IGNORE='#' in the environment reads them nevertheless"
"""How to read what the setting ``ignore`` leaves out: a pattern that is a comment takes the place of the project's."""


def hidden_by_settings(changes: Changes) -> tuple[str, ...]:
    """Return what is to be said of files that settings leave out, if they are more than those that are indexed."""
    indexed = changes.unchanged + len(changes.added) + len(changes.changed) + len(changes.touched)
    ignored = ignored_by_setting(changes)
    large = sum(entry.reason == "too large" for entry in changes.skipped)
    said = []
    if ignored > indexed:
        said.append(f"The setting 'ignore' leaves out {ignored:,} files and folders. {AS_IF_NOT_SET}.")
    if large > indexed:
        said.append(
            f"The setting 'max_file_bytes' leaves out {large:,} files. A greater one reads them:"
            " QUAESTOR_MAX_FILE_BYTES=2000000, say, in the environment."
        )
    return tuple(said)


def ignored_by_setting(changes: Changes) -> int:
    """Return how many files and folders are left out by the setting ``ignore``; a folder counts once."""
    return sum(entry.detail == BY_SETTING for entry in changes.skipped)
