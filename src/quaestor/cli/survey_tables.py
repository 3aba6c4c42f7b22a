"""Prints a survey: the documents that are or would be indexed, and the files left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from quaestor.cli.output import echo, one_line, size, style
from quaestor.files.indexing_values import Bin, Range
from quaestor.indexing.indexer import SkippedPath, Survey

_BAR = 30


def print_survey(root: Path, survey: Survey, verbose: bool) -> None:
    """Print a survey."""
    echo(style(one_line(str(root)), bold=True))
    echo(f"documents   {survey.documents:,} ({_tally(survey.languages)})")
    echo(f"chunks      {survey.chunks:,} (documents by chunker: {_tally(survey.chunkers)})")
    echo(f"words       {_range(survey.words)}")
    for line in bars(survey.words.histogram):
        echo(f"            {line}")
    echo(f"size        {size(survey.bytes)}")
    if survey.notes:
        echo("notes       " + "; ".join(f"{count:,} {one_line(note)}" for note, count in survey.notes.items()))
    print_skipped(survey.skipped_by_reason, survey.skipped if verbose else ())


def print_skipped(reasons: Mapping[str, int], skipped: Iterable[SkippedPath]) -> None:
    """Print how many files were left out for each reason, and the path of each file in ``skipped``."""
    if reasons:
        echo("left out    " + _tally(reasons))
    for entry in skipped:
        detail = f": {entry.detail}" if entry.detail else ""
        echo(f"  {one_line(entry.path)}  ({entry.reason}{one_line(detail)})")


def _tally(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"


def _range(words: Range) -> str:
    return (
        f"{words.total:,} in all; {words.least:,} least, {words.mean:,.0f} mean, {words.median:,.0f} median,"
        f" {words.most:,} most in a document"
    )


def bars(histogram: Sequence[Bin]) -> list[str]:
    """Return a histogram as lines with a range of words, the number of documents in it, and a bar."""
    most = max((one.number for one in histogram), default=1)
    labels = [_label(one) for one in histogram]
    width = max(map(len, labels), default=0)
    digits = max((len(f"{one.number:,}") for one in histogram), default=0)
    return [
        f"{label:>{width}}  {one.number:>{digits},}  {'█' * -(-one.number * _BAR // most)}".rstrip()
        for label, one in zip(labels, histogram, strict=True)
    ]


def _label(one: Bin) -> str:
    if one.last is None:
        return f"{one.first:,} and more"
    return f"{one.first:,}" if one.first == one.last else f"{one.first:,} to {one.last:,}"
