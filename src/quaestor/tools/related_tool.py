"""``related``: definitions, callers, tests and neighbours of a name or a document.

Definitions of a name are shown as passages, everything else as one numbered line each, so that much fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from quaestor.corpus import Corpus
from quaestor.llm.prompts import load
from quaestor.llm.prompts.numbered_passages import Passage
from quaestor.related import KINDS, Related, RelatedKind, Relative
from quaestor.tools.tool_results import (
    ShownPassages,
    fit,
    place,
    plural,
    show_passages,
    show_places,
    shown_line,
    shown_name,
)
from quaestor.tools.tool_values import Arguments, Outcome, Parameter, Room, Tool, describe

PARAMETERS = (
    Parameter("target", "string", required=True),
    Parameter("kind", "string", choices=KINDS),
)
_FEW, _MANY = 6, 30
_LONGEST_LINE = 160
# What the headings and the joins may take beyond the sum of their parts.
_SLACK = 0.95
# Tokens below which a section says nothing of use.
_LEAST = 60


def related_of(corpus: Corpus) -> Tool:
    """Return the tool that finds relatives in a corpus."""
    description, parameters = describe("related", PARAMETERS)
    return Tool("related", description, parameters, partial(_run, corpus))


def _run(corpus: Corpus, arguments: Arguments, room: Room) -> Outcome:
    kind = next((one for one in KINDS if one == arguments.get("kind")), None)
    wanted = KINDS if kind is None else (kind,)
    related = corpus.related(str(arguments["target"]), wanted, _FEW if kind is None else _MANY)
    if not related.relatives:
        return Outcome(load("result_no_relatives").render(target=shown_name(str(related.target))))
    numbered = dict(zip(related.relatives, room.numbered([*map(_passage, related.relatives)]), strict=True))
    kinds = [one for one in KINDS if related.of(one)]
    shown = kinds[: max(1, room.budget // _LEAST)]
    remaining = int(room.budget * _SLACK)
    sections: list[ShownPassages] = []
    for number, one in enumerate(shown):
        share = remaining // (len(shown) - number)
        section = _section(related, one, numbered, replace(room, budget=share))
        remaining -= room.count(f"{section.text}\n")
        sections.append(section)
    lines = [section.text for section in sections if section.text]
    if hidden := sum(len(related.of(one)) for one in kinds[len(shown) :]):
        lines.append(load("result_related_cut").render(places=plural(hidden, "place")))
    text = "\n".join(lines) or show_places([numbered[one] for one in related.relatives], room)
    return Outcome(text, tuple(passage for section in sections for passage in section.passages))


def _section(related: Related, kind: RelatedKind, numbered: dict[Relative, Passage], room: Room) -> ShownPassages:
    """Return the relatives of one kind under their heading."""
    heading = _heading(related, kind)
    within = replace(room, budget=room.budget - room.count(f"{heading}\n"))
    relatives = related.of(kind)
    if kind == "definitions" and related.target.name:
        inner = show_passages([numbered[one] for one in relatives], within)
    else:
        inner = _lines(relatives, [numbered[one] for one in relatives], within)
    return ShownPassages(f"{heading}\n{inner.text}", inner.passages) if inner.text else ShownPassages("", ())


def _lines(relatives: Sequence[Relative], passages: Sequence[Passage], room: Room) -> ShownPassages:
    """Return a line for each relative, as many as fit."""
    lines = [_line(*pair) for pair in zip(relatives, passages, strict=True)]
    mark = load("result_related_cut")
    fitted = fit(lines, room.budget, room.count, lambda n: mark.render(places=plural(len(lines) - n, "place")))
    shown = tuple(_first_line(passage) for passage in passages[: fitted.shown])
    return ShownPassages(fitted.text, shown) if fitted.shown else ShownPassages("", ())


def _line(relative: Relative, passage: Passage) -> str:
    line = load("result_related_line" if relative.fresh else "result_related_line_changed")
    text = shown_line(_first_line(passage).text.strip())
    return line.render(
        n=str(passage.n),
        place=place(passage),
        role=relative.role,
        text=text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]}…",
    )


def _first_line(passage: Passage) -> Passage:
    """Return the first line of a passage that says anything."""
    lines = passage.text.split("\n")
    at = next((number for number, line in enumerate(lines) if line.strip()), 0)
    line = passage.start_line + at
    return replace(passage, text=lines[at], start_line=line, end_line=line)


def _heading(related: Related, kind: RelatedKind) -> str:
    count, total = len(related.of(kind)), related.total.get(kind, 0)
    text = load(f"result_related_{kind}").render(target=shown_name(str(related.target)))
    if kind in related.least:
        return load("result_related_least").render(about=text, listed=str(count), total=plural(total, "place"))
    if total <= count:
        return text
    more = load("result_related_more" if related.complete else "result_related_many")
    return more.render(about=text, listed=str(count), total=plural(total, "place"))


def _passage(relative: Relative) -> Passage:
    return Passage(
        n=1,
        path=relative.path,
        start_line=relative.start_line,
        end_line=relative.end_line,
        text=relative.text,
        symbol=relative.symbol,
        language=relative.language,
    )
