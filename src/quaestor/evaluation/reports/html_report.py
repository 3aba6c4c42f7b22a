"""HTML and plots from typed parts: text is escaped, and only results of ``tag`` are markup.

A plot is inline SVG: horizontal positions are in per cent, so that letters keep their size on a phone. Each has a title
and a description; every number is in a table of the page, too.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from quaestor.evaluation.statistics import Estimate

# What no page shows, and what turns the direction of writing.
_HIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_VOID = frozenset({"br", "circle", "col", "line", "meta", "path", "rect"})

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_ALIKE = 1e-9
_LOGARITHMIC_FROM = 12.0


class Markup(str):
    """A string that is HTML already; only this module makes some."""

    __slots__ = ()


Child = str | None | Iterable["Child"]
"""Text, markup, nothing, or several of them."""


def tag(name: str, /, *children: Child, **attributes: str | float | bool | None) -> Markup:
    """Return an element.

    Args:
        name: the name of the element.
        children: text, which is escaped, or markup.
        attributes: the attributes, whose values are escaped; an underscore at the end of a name is dropped, others are
            hyphens; None and False leave an attribute out, True gives it no value.
    """
    attribute_text = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Markup(f"<{name}{attribute_text}/>")
    return Markup(f"<{name}{attribute_text}>{join(children)}</{name}>")


def join(children: Child) -> Markup:
    """Return text and markup one after the other."""
    if children is None:
        return Markup()
    if isinstance(children, Markup):
        return children
    if isinstance(children, str):
        return Markup(html.escape(plain(children)))
    return Markup("".join(join(child) for child in children))


def page(title: str, style: str, *body: Child) -> str:
    """Return a whole page that loads nothing and runs nothing.

    Args:
        title: the title of the page.
        style: a style sheet of our own.
        body: its content.
    """
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag(
            "meta",
            http_equiv="Content-Security-Policy",
            content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
        ),
        tag("title", title),
        tag("style", Markup(style)),
    )
    return f"<!doctype html>\n{tag('html', head, tag('body', *body), lang='en')}\n"


def plain(text: str) -> str:
    """Return text without invisible characters and direction marks."""
    return _HIDDEN.sub("\ufffd", text.replace("\r\n", "\n"))


def _attribute(key: str, value: str | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.removesuffix("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{html.escape(plain(str(value)))}"'


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis.

    Attributes:
        low: the number at its beginning.
        high: the number at its end, greater than ``low``.
        ticks: the numbers that are named.
        logarithmic: whether equal distances are equal ratios.
    """

    low: float
    high: float
    ticks: tuple[float, ...]
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """Return a number's position on the axis, from 0 to 1."""
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def linear(low: float, high: float, count: int = 5) -> Scale:
    """Return an axis that covers ``low`` to ``high`` and begins and ends at round numbers."""
    if high - low <= _ALIKE * max(1.0, abs(low), abs(high)):
        low, high = (low - 0.5, low + 0.5) if low else (0.0, 1.0)
    step = _round_step((high - low) / count)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = tuple(number * step for number in range(first, last + 1))
    return Scale(ticks[0], ticks[-1], ticks)


def of_costs(values: Sequence[float]) -> Scale:
    """Return an axis for costs: from zero; logarithmic where the greatest is many times the least."""
    low, high = min(values), max(values)
    if low <= 0 or high / low < _LOGARITHMIC_FROM:
        return linear(0, high * 1.08, count=4)
    first, last = math.floor(math.log10(low * 0.9)), math.ceil(math.log10(high * 1.1))
    ticks = tuple(10.0**power for power in range(first, last + 1))
    return Scale(ticks[0], ticks[-1], ticks, logarithmic=True)


def _round_step(about: float) -> float:
    power = 10.0 ** math.floor(math.log10(about))
    return next(step * power for step in _STEPS if step * power >= about * (1 - 1e-9))


_HEIGHT = 210
_LANE = 22
_COLOURS = 8
_RADIUS = 8
_NARROW = 240  # pixels: about the width of a plot on a phone
_SHIFTS = [side * step for step in range(0, 4000, 2 * _RADIUS) for side in (1, -1)]


@dataclass(frozen=True, slots=True)
class Point:
    """A mean on a plot.

    Attributes:
        name: a letter or two, written on it.
        number: the number that chooses its colour.
        value: the mean with its interval.
        description: its description.
        cost: its horizontal position, on a plot against costs.
    """

    name: str
    number: int
    value: Estimate
    description: str
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Lane:
    """A line of a plot of lanes: its label and its point.

    Attributes:
        label: text before it.
        point: its mean and interval.
        after: text after it.
    """

    label: str
    point: Point
    after: str = ""


def against_cost(
    identifier: str, title: str, quality: str, points: Sequence[Point], written: Callable[[float], str]
) -> Markup:
    """Return a plot of quality against a cost, with intervals.

    Args:
        identifier: the plot's identifier, unique on the page.
        title: the title, which says what the plot shows.
        quality: the name of the metric.
        points: the points, at least one.
        written: returns a cost in words.
    """
    across = of_costs([point.cost for point in points])
    upwards = linear(min(point.value.low for point in points), max(point.value.high for point in points))
    parts = [
        *(_level(upwards, tick) for tick in upwards.ticks),
        *(
            tag("text", written(tick), x=_percent(across.at(tick)), y=_HEIGHT + 18, class_="tick middle")
            for tick in across.ticks
        ),
    ]
    aside = _dodge([(across.at(point.cost), _down(upwards, point.value.mean)) for point in points])
    for point, shift in zip(points, aside, strict=True):
        x = _percent(across.at(point.cost))
        ends = (_down(upwards, point.value.low), _down(upwards, point.value.high))
        drawn = [
            tag("line", x1=x, x2=x, y1=ends[0], y2=ends[1], class_=f"interval {_colour(point.number)}"),
            _dot(x, _down(upwards, point.value.mean), point, f"{point.description}: {written(point.cost)}"),
        ]
        parts.append(tag("g", *drawn, transform=f"translate({shift} 0)" if shift else None))
    text = "; ".join(f"{point.name}: {point.value.mean:.3f} at {written(point.cost)}" for point in points)
    whole = _image(identifier, title, f"{quality} against {title.lower()}. {text}.", _HEIGHT, parts)
    kind = " (logarithmic)" if across.logarithmic else ""
    return tag("figure", tag("figcaption", title + kind), tag("div", whole, class_="plot axes"))


def lanes(identifier: str, title: str, groups: Sequence[tuple[str, Sequence[Lane]]], *, zero: bool = False) -> Markup:
    """Return a plot of means with intervals, in groups of lanes that share an axis.

    Args:
        identifier: the plot's identifier, unique on the page.
        title: the title, which says what the plot shows.
        groups: a name, which may be empty, and lanes.
        zero: whether zero is on the axis and marked.
    """
    values = [lane.point.value for _, own in groups for lane in own]
    low, high = min(value.low for value in values), max(value.high for value in values)
    scale = linear(min(low, 0.0), max(high, 0.0)) if zero else linear(low, high)
    rows = []
    for group, (name, own) in enumerate(groups):
        if name:
            rows.append(tag("p", name, class_="group"))
        for number, lane in enumerate(own):
            plot = _lane(f"{identifier}-{group}-{number}", lane, scale, zero=zero)
            rows.append(_row(tag("span", lane.label, class_="label"), plot, tag("span", lane.after, class_="after")))
    axis = _row(tag("span", class_="label"), _axis(scale), tag("span", class_="after"))
    return tag("figure", tag("figcaption", title), tag("div", *rows, axis, class_="lanes"))


def _row(label: Markup, plot: Markup, after: Markup) -> Markup:
    return tag("div", label, tag("div", plot, class_="plot"), after, class_="lane")


def _axis(scale: Scale) -> Markup:
    """Return the numbers below a plot of lanes."""
    ticks = (tag("text", _short(tick), x=_percent(scale.at(tick)), y=12, class_="tick middle") for tick in scale.ticks)
    return tag("svg", *ticks, width="100%", height=16, aria_hidden="true")


def _lane(identifier: str, lane: Lane, scale: Scale, *, zero: bool) -> Markup:
    point, middle = lane.point, _LANE / 2
    ends = (_percent(scale.at(point.value.low)), _percent(scale.at(point.value.high)))
    parts = [
        *(
            tag(
                "line",
                x1=_percent(at),
                x2=_percent(at),
                y1=0,
                y2=_LANE,
                class_="zero" if zero and tick == 0 else "grid",
            )
            for tick in scale.ticks
            for at in (scale.at(tick),)
        ),
        tag("line", x1=ends[0], x2=ends[1], y1=middle, y2=middle, class_=f"interval {_colour(point.number)}"),
        _dot(_percent(scale.at(point.value.mean)), middle, point, point.description),
    ]
    value = point.value
    text = f"{value.mean:.3f}, between {value.low:.3f} and {value.high:.3f}"
    return _image(identifier, f"{point.description}: {text}", "", _LANE, parts)


def _image(identifier: str, title: str, description: str, height: float, parts: Sequence[Markup]) -> Markup:
    names = f"{identifier}-title" + (f" {identifier}-told" if description else "")
    return tag(
        "svg",
        tag("title", title, id=f"{identifier}-title"),
        tag("desc", description, id=f"{identifier}-told") if description else None,
        *parts,
        role="img",
        aria_labelledby=names,
        width="100%",
        height=height,
    )


def _dot(x: str, y: float, point: Point, text: str) -> Markup:
    letter = tag("text", point.name, x=x, y=y + 3.5, class_="letter middle") if point.name else None
    return tag(
        "g",
        tag("title", text),
        tag("circle", cx=x, cy=y, r=_RADIUS if point.name else 5, class_=f"dot {_colour(point.number)}"),
        letter,
    )


def _dodge(places: Sequence[tuple[float, float]]) -> list[int]:
    """Return how many pixels each dot is moved aside, so that none hides another.

    Args:
        places: share of the width, and pixels downwards, of each.
    """
    placed: list[tuple[float, float]] = []
    shifts = []
    for share, y in places:
        x = share * _NARROW
        shift = next(
            shift
            for shift in _SHIFTS
            if all(math.hypot(x + shift - other, y - above) >= 2 * _RADIUS for other, above in placed)
        )
        placed.append((x + shift, y))
        shifts.append(shift)
    return shifts


def _level(scale: Scale, tick: float) -> Markup:
    y = _down(scale, tick)
    return tag(
        "g",
        tag("line", x1=0, x2="100%", y1=y, y2=y, class_="grid"),
        tag("text", _short(tick), x=-8, y=y + 4, class_="tick end"),
    )


def _down(scale: Scale, value: float) -> float:
    return round(_HEIGHT * (1 - scale.at(value)), 1)


def _percent(share: float) -> str:
    return f"{100 * share:.2f}%"


def _colour(number: int) -> str:
    return f"c{number % _COLOURS}"


def _short(number: float) -> str:
    return f"{number:.3f}".rstrip("0").rstrip(".") or "0"
