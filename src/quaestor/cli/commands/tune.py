"""``quaestor tune``: adapts the bundled embedder to a corpus, and keeps that only if it helps on held-out questions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from quaestor.assemble import Index
from quaestor.assemble.embedders_by_name import STATIC, index_embedder, resolve_auto, spec_of
from quaestor.assemble.transformer_upgrade import upgrade_state
from quaestor.assemble.tuned_index import Progress, keep_tuned, tuning_of, undo_tuned
from quaestor.cli.options import json_option, path_argument
from quaestor.cli.output import echo, one_line, print_json, print_table, style
from quaestor.cli.progress import indexing_progress, progress_of
from quaestor.cli.scope import configure, find_corpus
from quaestor.core.config import Settings
from quaestor.core.errors import UsageError
from quaestor.core.wording import amount
from quaestor.core.wording import command as the_command

if TYPE_CHECKING:
    from quaestor.tuning.tune_embedder import Row, TuningResult


@click.command("tune")
@path_argument
@click.option("--dry-run", is_flag=True, help="Measure only; keep nothing.")
@click.option("--undo", is_flag=True, help="Go back to the bundled embedder.")
@click.option(
    "--seconds",
    type=click.FloatRange(1),
    default=120.0,
    show_default=True,
    help="Give up after this many seconds; nothing is kept.",
)
@click.option(
    "--questions", type=click.IntRange(80, 5000), default=600, show_default=True, help="Questions to test with at most."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of all random choices.")
@json_option
def command(
    path: str | None, dry_run: bool, undo: bool, seconds: float, questions: int, seed: int, as_json: bool
) -> int:
    """Adapt the bundled embedder to a corpus, and keep the result only if it searches better.

    It learns from the corpus itself: comments and their code, names, headings and their sections, sentences and their
    paragraphs, links and commits. It is tested before and after on questions that it did not learn: about documents
    that it learned from, and about documents that it has not seen.
    """
    if undo and dry_run:
        raise UsageError("--undo and --dry-run cannot be combined: --undo measures nothing.")
    root = find_corpus(path)
    settings = configure(root).settings
    if undo:
        return _undo(root, settings, as_json)
    _check_embedder(root, settings)
    from quaestor.tuning.tune_embedder import (  # noqa: PLC0415 - not for --undo
        figures_object,
        rows_of,
        tune,
    )

    with Index.build(root, settings=settings, progress=indexing_progress()) as index:
        before = tuning_of(index.store).embedder
        tuned = tune(index, settings, most=questions, seed=seed, seconds=seconds, progress=progress_of("questions"))
    figures = figures_object(tuned)
    is_kept = tuned.better and not dry_run
    if is_kept:
        keep_tuned(root, settings, tuned.replaced, tuned.trust, figures, _embedding_progress())
    if as_json:
        print_json({"root": str(root), **figures, "kept": is_kept})
    else:
        _print(root, tuned, rows_of(tuned))
        echo(_outcome(root, tuned, is_kept, before))
    return 0


def _check_embedder(root: Path, settings: Settings) -> None:
    """Refuse to tune an index that does not use the bundled embedder, before any long work.

    Raises:
        UsageError: the index has another embedder, or the settings name one.
    """
    only = "and only the bundled embedder can be tuned"
    recorded = index_embedder(root, settings)
    wanted = resolve_auto(settings, recorded)
    if wanted != STATIC and recorded is not None and spec_of(recorded.name) != STATIC:
        raise UsageError(
            f"The index of {str(root)!r} was made with {recorded.name!r}, {only}. "
            f"{the_command('index', root, '--rebuild', '--embedder', 'static')} rebuilds it with that one."
        )
    if wanted != STATIC:
        raise UsageError(f"The settings name the embedder {wanted!r}, {only}. Set 'embedder' to 'static'.")
    if upgrade := upgrade_state(root, settings):
        raise UsageError(
            f"The index of {str(root)!r} is being given the vectors of {upgrade.embedder!r}, {only}. "
            f"{the_command('index', root, '--embedder', 'static')} keeps the bundled one."
        )


def _undo(root: Path, settings: Settings, as_json: bool) -> int:
    count = undo_tuned(root, settings, _embedding_progress())
    if as_json:
        print_json({"root": str(root), "undone": count is not None})
    elif count is None:
        echo(f"The index of {one_line(str(root))} is not tuned.")
    else:
        echo(f"{one_line(str(root))} is searched with the bundled embedder again ({amount(count, 'chunk')}).")
    return 0


def _print(root: Path, tuned: TuningResult, rows: list[Row]) -> None:
    echo(style(one_line(str(root)), bold=True))
    sample_note = f" (a sample: {tuned.sampled:,} more were left out)" if tuned.sampled else ""
    echo(
        f"{amount(len(tuned.questions), 'question')} of {amount(tuned.documents, 'document')}{sample_note}, none of "
        "them learned from. NDCG@10 with 95% intervals:\n"
    )
    table = [
        (
            f"{row.documents}, {row.kind}" + (", vectors alone" if row.what == "dense" else ""),
            f"{row.questions:,}",
            *(f"{one.mean:.3f} [{one.low:.3f}, {one.high:.3f}]" for one in (row.before, row.after)),
            f"{row.gain.estimate.mean:+.3f} [{row.gain.estimate.low:+.3f}, {row.gain.estimate.high:+.3f}]",
        )
        for row in rows
    ]
    print_table(("documents", "questions", "before", "after", "gain"), table, right={1})
    echo()


def _outcome(root: Path, tuned: TuningResult, is_kept: bool, before: str) -> str:
    took = f"{tuned.seconds:.0f} s"
    if is_kept:
        trust = f", and trusted {tuned.trust:g} times as much" if tuned.trust != 1 else ""
        return f"Better, in {took}. The tuned embedder is in use now{trust}; `quaestor tune --undo` removes it."
    if tuned.better:
        return f"Better, in {took}. Nothing was kept: this was a dry run."
    stays = "the tuned embedder of an earlier run" if before else "the bundled embedder"
    return f"Not kept, in {took}: {_why_not(tuned)}. Nothing was changed, and {stays} stays in use."


def _why_not(tuned: TuningResult) -> str:
    if not tuned.vectors_gain:
        return "vectors alone do not answer new documents better beyond chance"
    if tuned.prose:
        return "the whole search does not answer both new and learned documents better"
    return "the whole search does not answer new documents better beyond chance, as it must in code"


def _embedding_progress() -> Progress:
    draw = progress_of("documents")
    return lambda done, total: draw(done, total, "embedding")
