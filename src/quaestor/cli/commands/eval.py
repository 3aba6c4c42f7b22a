"""``quaestor eval``: measures how well a corpus is searched, and which configuration is best."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

import click

from quaestor.assemble import TUNED, Index, ingest_settings, make_embedder
from quaestor.assemble.embedders_by_name import allowance_of
from quaestor.cli.costs import agreed_cost
from quaestor.cli.options import json_option
from quaestor.cli.output import echo, one_line, print_json, print_table, remark, size, style
from quaestor.cli.progress import asking_progress, indexing_progress
from quaestor.cli.scope import configure, find_root
from quaestor.core.config import Settings, data_home
from quaestor.core.errors import UsageError
from quaestor.core.wording import amount
from quaestor.evaluation.datasets import DataSet, Part, read_data_set
from quaestor.evaluation.grid import Configuration, grid
from quaestor.evaluation.made_questions import KINDS
from quaestor.evaluation.metric_scores import MAIN, metric_name
from quaestor.evaluation.own_questions import own_data_set
from quaestor.evaluation.reports import results_object, write_results
from quaestor.evaluation.results import SURE, Results, Row, results_of
from quaestor.evaluation.run import DEPTH, Place, Run, Watcher, estimate
from quaestor.evaluation.statistics import Estimate

_FOLDER = "evaluations"

_WIDEST = 110


@click.command("eval")
@click.argument("data_set", required=False, type=click.Path(path_type=Path))
@click.option("--self", "of_itself", is_flag=True, help="Make questions from the corpus itself.")
@click.option("--corpus", type=str, metavar="FOLDER", help="The corpus of DATA_SET; for code search, its checkouts.")
@click.option("--embedder", "embedders", multiple=True, metavar="NAME", help="Embedder to compare; may be repeated.")
@click.option(
    "--chunker",
    "chunkers",
    multiple=True,
    metavar="NAME",
    help="Chunker to compare, such as auto or lines:40; may be repeated.",
)
@click.option(
    "--retriever",
    "retrievers",
    multiple=True,
    type=click.Choice(["hybrid", "lexical", "dense"]),
    default=["hybrid"],
    show_default=True,
    help="Retriever to compare: words, meaning or both; may be repeated.",
)
@click.option(
    "--ranker",
    "rankers",
    multiple=True,
    type=click.Choice(["on", "off"]),
    default=["on"],
    show_default=True,
    help="Whether hits of the hybrid retriever are ranked (on) or only fused (off).",
)
@click.option(
    "-k",
    "--k",
    "cutoffs",
    multiple=True,
    type=click.IntRange(1, DEPTH),
    default=[10],
    help="The k of recall@k; may be repeated.",
)
@click.option(
    "--questions",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    help="With --self: number of questions of each kind.",
)
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="With --self: only this kind of question."
)
@click.option("--seed", type=int, default=0, show_default=True, help="With --self: seed of all random choices.")
@click.option(
    "--split", default="test", show_default=True, metavar="NAME", help="For a BEIR data set: which judgements to use."
)
@click.option("--only", multiple=True, metavar="NAME", help="For code search: only this repository; may be repeated.")
@click.option("-y", "--yes", is_flag=True, help="Pay for embedding without asking.")
@click.option("--max-cost", type=click.FloatRange(0), help="Pay no more than this, in the prices' currency.")
@click.option("--price", type=click.FloatRange(0), help="Price of embedding a million tokens.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Folder for the report and the tables.")
@json_option
def command(  # noqa: PLR0913, PLR0917 - one for each option
    data_set: Path | None,
    of_itself: bool,
    corpus: str | None,
    embedders: Sequence[str],
    chunkers: Sequence[str],
    retrievers: Sequence[str],
    rankers: Sequence[str],
    cutoffs: Sequence[int],
    questions: int,
    kinds: Sequence[str],
    seed: int,
    split: str,
    only: Sequence[str],
    yes: bool,
    max_cost: float | None,
    price: float | None,
    out: Path | None,
    as_json: bool,
) -> int:
    """Measure how well a corpus is searched, and compare embedders, chunkers, retrievers.

    DATA_SET is a folder in BEIR's layout, one in that of the code-search benchmark, or a JSONL file of questions. With
    --self, questions are made from the corpus itself. Every combination of the options is tried. Results are kept: the
    same command continues where it was stopped.

    A paid embedder is used only after you confirm, or with --yes, and never for more than --max-cost.
    """
    if of_itself == (data_set is not None):
        raise UsageError("Give either a data set or --self. `quaestor eval --self` makes questions of this folder.")
    # The baseline is the corpus's own settings, if there is one corpus; a data set with its own corpora has none.
    root = find_root(corpus) if data_set is None or data_set.is_file() else None
    settings = configure(root, embedder_price=price).settings
    place = Place(data_home(settings) / _FOLDER)
    chosen = grid(
        list(dict.fromkeys(embedders)) or [_own_embedder(settings)],
        list(dict.fromkeys(chunkers)) or [settings.chunker],
        retrievers,  # type: ignore[arg-type]
        [name == "on" for name in dict.fromkeys(rankers)],
    )
    _check(chosen, settings, of_itself=of_itself)
    if of_itself:
        assert root is not None
        data = _own_questions(root, settings, place, each=questions, seed=seed, kinds=kinds)
    else:
        assert data_set is not None
        data = _read(data_set, corpus, place, split, only)
    settings_of = _settings_of(settings, root, price)
    cost = estimate(Run(place, settings_of), data, chosen, settings_of)
    allowance = None if cost is None else allowance_of(agreed_cost(cost, settings, yes=yes, most=max_cost))
    watcher = Watcher(indexing_progress(), asking_progress())
    outcome = Run(place, settings_of, watcher, allowance).of(data, chosen)
    if not outcome.cells:
        raise UsageError(" ".join(outcome.problems))
    results = results_of(data, outcome, tuple(dict.fromkeys(cutoffs)))
    written = write_results(results, out or place.reports / _plain(data.name))
    for problem in results.problems:
        remark(f"warning: {problem}")
    if as_json:
        print_json(results_object(results, written))
    else:
        _print_results(results, written)
    return 0


def _check(configurations: Iterable[Configuration], settings: Settings, *, of_itself: bool) -> None:
    """Refuse configurations that cannot be tried, before any work begins."""
    for one in configurations:
        if one.embedder == TUNED:
            if of_itself:
                raise UsageError(
                    f"{TUNED!r} cannot be judged by --self: it was tuned on such questions. Give a data set; "
                    "the figures of `quaestor tune` were measured on held-out questions."
                )
            continue
        chosen = settings._replace(embedder=one.embedder, chunker=one.chunker)
        ingest_settings(chosen)
        make_embedder(chosen)


def _own_questions(
    root: Path, settings: Settings, place: Place, *, each: int, seed: int, kinds: Collection[str]
) -> DataSet:
    with Index.build(root, settings=settings, progress=indexing_progress()) as index:
        return own_data_set(index, place.copies, each=each, seed=seed, kinds=kinds)


def _read(data_set: Path, corpus: str | None, place: Place, split: str, only: Sequence[str]) -> DataSet:
    checkouts = None if corpus is None else Path(corpus).expanduser()
    return read_data_set(data_set, find_root(corpus), copies=place.copies, checkouts=checkouts, split=split, only=only)


def _own_embedder(settings: Settings) -> str:
    return "static" if settings.embedder == "auto" else settings.embedder


def _settings_of(settings: Settings, root: Path | None, price: float | None) -> Callable[[Part], Settings]:
    """Return a function that returns the settings of a part's corpus, including those of its project file.

    Args:
        settings: the settings of the only corpus, which may have been copied.
        root: the folder of that corpus; None if each part is a corpus of its own.
        price: the embedder's price per million tokens; None if not given.
    """
    known: dict[str, Settings] = {}

    def settings_of(part: Part) -> Settings:
        if part.name not in known:
            own = part.copied or part.root == root
            known[part.name] = settings if own else configure(part.root, embedder_price=price).settings
            if part.copied:
                known[part.name] = known[part.name]._replace(ignore=("!*",))
        return known[part.name]

    return settings_of


def _plain(name: str) -> str:
    return (
        "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in name)[:60].strip(".-") or "report"
    )


def _print_results(results: Results, written: Mapping[str, Path]) -> None:
    """Print the configurations, the significance of their differences, and the report's path."""
    data_set = results.data_set
    echo(style(one_line(data_set.name), bold=True) + f": {amount(results.question_count, 'question')}")
    for sentence in data_set.about:
        _print_wrapped(sentence)
    echo()
    _print_rows(results)
    if results.comparisons:
        echo()
        _print_comparisons(results)
    echo()
    _print_wrapped(results.verdict)
    _print_wrapped(f"95% confidence intervals in brackets. Times on this machine ({results.machine}).")
    echo(f"Report: {one_line(str(written['report']))}")


def _print_wrapped(text: str) -> None:
    echo(click.wrap_text(one_line(text), width=min(shutil.get_terminal_size().columns, _WIDEST)))


def _print_rows(results: Results) -> None:
    head = [
        "",
        "embedder",
        "chunker",
        "search",
        *map(metric_name, results.metrics),
        "index",
        "size",
        "chunks",
        "query p50",
    ]
    print_table(head, [_cells(results, row) for row in results.rows], range(4, len(head)))


def _cells(results: Results, row: Row) -> list[str]:
    own, costs = row.scored.configuration, row.scored.costs
    means = [_interval(row.means[MAIN]), *(f"{row.means[name].mean:.3f}" for name in results.metrics[1:])]
    chunks = f"{costs.chunks:,} × {size(round(costs.chunk_bytes))}"
    seconds = "–" if costs.index_seconds is None else f"{costs.index_seconds:.1f} s"
    spent = [seconds, size(costs.index_bytes), chunks, f"{costs.query_p50 * 1000:.1f} ms"]
    return [row.name, own.embedder, own.chunker, own.search, *means, *spent]


def _print_comparisons(results: Results) -> None:
    head = ["", "differ in", "difference", "p", "better", "worse", ""]
    lines = []
    for one in results.comparisons:
        names = f"{results.row_of(one.step.before).name} → {results.row_of(one.step.after).name}"
        sure = "" if one.adjusted < SURE else "may be chance"
        cells = [_interval(one.difference.estimate, sign="+"), f"{one.adjusted:.4f}"]
        lines.append([names, one.step.what, *cells, str(one.better), str(one.worse), sure])
    print_table(head, lines, range(2, 6))


def _interval(value: Estimate, sign: str = "") -> str:
    return f"{value.mean:{sign}.3f} [{value.low:{sign}.3f}, {value.high:{sign}.3f}]"
