"""Draws growth as small log-log panels, written as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

WIDTH, HEIGHT = 300, 220
LEFT, TOP, RIGHT, BOTTOM = 56, 34, 12, 34
COLUMNS = 3
COLOURS = ("#1f6f8b", "#d1495b", "#7a9e3b")
STYLE = "text{font:11px sans-serif;fill:#555}.t{font-weight:bold;fill:#333}.g{stroke:#ddd}.l{fill:none;stroke-width:2}"

Curve = tuple[str, str]
"""A label and the name of the figure that it shows."""

PANELS: tuple[tuple[str, tuple[Curve, ...]], ...] = (
    ("index from nothing, s", (("", "index_seconds"),)),
    ("index on disk, MB", (("", "disk_mb"),)),
    ("peak memory, MB", (("indexing", "index_peak_mb"), ("searching", "search_peak_mb"))),
    ("query, ms, without the check", (("p50", "query_p50_ms"), ("p95", "query_p95_ms"))),
    ("query, ms, with the check", (("p50", "checked_p50_ms"), ("p95", "checked_p95_ms"))),
    ("one file changed, s", (("refresh", "refresh_seconds"), ("check alone", "check_seconds"))),
)


def draw(sizes: Sequence[Mapping[str, Any]]) -> str:
    """Return one SVG document of all panels; ``sizes`` ascend by ``chunks``."""
    rows = math.ceil(len(PANELS) / COLUMNS)
    width, height = COLUMNS * WIDTH, rows * HEIGHT
    places = [(WIDTH * (number % COLUMNS), HEIGHT * (number // COLUMNS)) for number in range(len(PANELS))]
    panels = "\n".join(
        f'<g transform="translate({x},{y})">{_panel(title, curves, sizes)}</g>'
        for (x, y), (title, curves) in zip(places, PANELS, strict=True)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f'<style>{STYLE}</style><rect width="100%" height="100%" fill="#fff"/>\n{panels}\n</svg>\n'
    )


def _panel(title: str, curves: Sequence[Curve], sizes: Sequence[Mapping[str, Any]]) -> str:
    values = [float(size[name]) for size in sizes for _, name in curves]
    across = _Axis([float(size["chunks"]) for size in sizes], LEFT, WIDTH - RIGHT)
    upward = _Axis(values, HEIGHT - BOTTOM, TOP)
    parts = [f'<text class="t" x="{LEFT}" y="18">{escape(title)}</text>']
    for value in upward.ticks():
        y = upward.place(value)
        parts.append(f'<line class="g" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    for value in across.ticks():
        x = across.place(value)
        parts.append(f'<line class="g" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>')
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - 16}" text-anchor="middle">{_short(value)}</text>')
    for number, (label, name) in enumerate(curves):
        points = [(across.place(float(size["chunks"])), upward.place(float(size[name]))) for size in sizes]
        colour = COLOURS[number]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline class="l" stroke="{colour}" points="{path}"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
        parts.append(f'<text x="{LEFT + 8}" y="{TOP + 14 + 14 * number}" style="fill:{colour}">{escape(label)}</text>')
    return "".join(parts)


def _short(value: float) -> str:
    return f"{value / 1e6:g} M" if value >= 1e6 else f"{value / 1e3:g} k"


class _Axis:
    """From a value to its place, by its logarithm, with whole powers of ten at the ends."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        positive = [value for value in values if value > 0] or [1.0]
        self._low = math.floor(math.log10(min(positive)) + 0.05)
        self._high = max(self._low + 1, math.ceil(math.log10(max(positive)) - 0.05))
        self._start, self._end = start, end

    def place(self, value: float) -> float:
        share = (math.log10(max(value, 10.0**self._low)) - self._low) / (self._high - self._low)
        return self._start + share * (self._end - self._start)

    def ticks(self) -> list[float]:
        return [10.0**power for power in range(self._low, self._high + 1)]
