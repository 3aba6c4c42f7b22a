"""Compares policies of what to search for in a conversation, by kind of turn, with words alone and with our search.

    python benchmarks/conversations.py DATA --repositories DIR

NDCG@10 by file: the files of the fifty best chunks in order, each once, against the files that answer the turn. Beside
it, the share of the annotated places (files and lines) among the ten best chunks of a follow-up, which a model would
read. Questions are searched without the name of the repository, except in the rows ``unnamed``, whose ranked search
does not know that name.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import _machine
from _conversations import KINDS, Repository, Turn, load
from _metrics import CUTOFF, Location, Target, covers, ndcg
from _systems import keep_indexes_apart

from quaestor import Index
from quaestor.core.documents import Hit
from quaestor.search.retriever import Mode
from quaestor.search.turns import POLICIES, Policy, query_of_turn, search_turn

# The search, and whether it knows what users call the corpus.
SEARCHES: dict[str, tuple[Mode, bool]] = {
    "BM25": ("lexical", True),
    "ranked": ("ranked", True),
    "unnamed": ("ranked", False),
}
DEEP = 50
LAST_LINE = 1 << 30
RESULTS = Path(__file__).with_name("results")


@dataclass(frozen=True, slots=True)
class Score:
    """One turn, searched for by one policy.

    Attributes:
        ndcg: NDCG@10 by file.
        places: share of the target places among the ten best chunks.
        seconds: making the query and searching.
        continuity: how likely the policy took the question to go on with its topic.
    """

    search: str
    policy: str
    conversation: str
    turn: int
    kind: str
    ndcg: float
    places: float
    seconds: float
    continuity: float


@dataclass(frozen=True, slots=True)
class Row:
    """Means of one policy over one search."""

    search: str
    policy: str
    ndcg: dict[str, float]
    places_of_followups: float
    p50_ms: float


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Compare policies of what to search for in a conversation.")
    parser.add_argument("data", type=Path, help="a JSON file of conversations")
    parser.add_argument("--repositories", type=Path, required=True, help="has a checkout OWNER__NAME of each")
    parser.add_argument("--out", type=Path, default=RESULTS / "conversations.json")
    options = parser.parse_args(arguments)
    turns = load(options.data)
    with keep_indexes_apart():
        scores = [score for one, own in turns.items() for score in ask(one, own, options.repositories)]
    rows = [row(search, policy, scores) for search in SEARCHES for policy in POLICIES]
    show(rows, scores)
    save(rows, scores, turns, options)


def ask(repository: Repository, turns: Sequence[Turn], repositories: Path) -> Iterator[Score]:
    """Yield the scores of every turn about one repository, for every policy over every search."""
    checkout = repository.folder(repositories)
    if _machine.head(checkout)[0] != repository.commit:
        print(f"{repository.name}: not the annotated commit {repository.commit[:10]}", file=sys.stderr)
    with Index.build(checkout / repository.root) as index:
        for search in SEARCHES:
            for policy in POLICIES:
                for turn in turns:
                    yield score_turn(index, turn, policy, search, repository)
    print(f"{repository.name}: {len(turns)} turns", file=sys.stderr)


def score_turn(index: Index, turn: Turn, policy: Policy, search: str, repository: Repository) -> Score:
    """Return how well one policy finds what answers one turn."""
    mode, named = SEARCHES[search]
    corpus = repository.name.rpartition("/")[2] if named else ""
    began = time.perf_counter()
    query = query_of_turn(turn.messages, policy, corpus=corpus)
    hits = search_turn(index.retriever, query, DEEP, mode=mode)
    seconds = time.perf_counter() - began
    number = sum(message.role == "user" for message in turn.messages)
    return Score(
        search=search,
        policy=policy,
        conversation=turn.conversation,
        turn=number,
        kind=turn.kind,
        ndcg=ndcg(files(hits), [Target(path) for path in dict.fromkeys(target.path for target in turn.targets)]),
        places=places(hits[:CUTOFF], turn.targets),
        seconds=seconds,
        continuity=query.continuity,
    )


def files(hits: Sequence[Hit]) -> list[Location]:
    """Return each file once, in order, as a whole."""
    return [(path, 1, LAST_LINE) for path in dict.fromkeys(hit.path for hit in hits)]


def places(hits: Sequence[Hit], targets: Sequence[Target]) -> float:
    """Return the share of the targets that some hit covers."""
    locations = [(hit.path, hit.start_line, hit.end_line) for hit in hits]
    return statistics.fmean(any(covers(location, target) for location in locations) for target in targets)


def row(search: str, policy: str, scores: Sequence[Score]) -> Row:
    """Return the means of one policy over one search."""
    own = [score for score in scores if (score.search, score.policy) == (search, policy)]
    followups = [score.places for score in own if score.kind.startswith("followup")]
    means = {kind: statistics.fmean(score.ndcg for score in own if score.kind == kind) for kind in KINDS}
    return Row(
        search=search,
        policy=policy,
        ndcg={**means, "all": statistics.fmean(score.ndcg for score in own)},
        places_of_followups=statistics.fmean(followups),
        p50_ms=1000 * statistics.median(score.seconds for score in own),
    )


def show(rows: Sequence[Row], scores: Sequence[Score]) -> None:
    """Print the table."""
    columns = (*KINDS, "all")
    turns = {(score.conversation, score.turn): score.kind for score in scores}
    sizes = {kind: list(turns.values()).count(kind) for kind in KINDS} | {"all": len(turns)}
    print("NDCG@10 by file; places: share of the lines asked for among the ten best chunks of follow-ups\n")
    print(f"{'':18}" + "".join(f"{_short(name):>15}" for name in columns) + f"{'places':>10}{'p50 ms':>9}")
    print(f"{'turns':18}" + "".join(f"{sizes[name]:>15}" for name in columns))
    for one in rows:
        cells = "".join(f"{one.ndcg[name]:>15.3f}" for name in columns)
        print(f"{one.search:8}{one.policy:10}{cells}{one.places_of_followups:>10.3f}{one.p50_ms:>9.1f}")


def _short(kind: str) -> str:
    return {"followup": "follow-up", "followup_after_switch": "after switch"}.get(kind, kind)


def per_turn(scores: Sequence[Score]) -> list[dict[str, Any]]:
    """Return one entry a turn, with ``[ndcg, places]`` for each search and policy."""
    entries: dict[tuple[str, int], dict[str, Any]] = {}
    for score in scores:
        key = (score.conversation, score.turn)
        entry = entries.setdefault(key, {"conversation": key[0], "turn": key[1], "kind": score.kind})
        entry[f"{score.search} {score.policy}"] = [round(score.ndcg, 3), round(score.places, 3)]
        if score.policy == "adaptive":
            entry["continuity"] = round(score.continuity, 3)
    return list(entries.values())


def save(
    rows: Sequence[Row], scores: Sequence[Score], turns: dict[Repository, list[Turn]], options: argparse.Namespace
) -> None:
    """Write everything to a JSON file."""
    result: dict[str, Any] = {
        "benchmark": "conversations",
        "machine": _machine.describe(),
        "data": options.data.name,
        "commits": {one.name: _machine.head(one.folder(options.repositories))[0] for one in turns},
        "rows": [asdict(one) for one in rows],
        "turns": per_turn(scores),
    }
    options.out.parent.mkdir(exist_ok=True)
    options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
