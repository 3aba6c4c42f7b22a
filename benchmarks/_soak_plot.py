"""Draws a soak: memory, files and disk over its minutes, written as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT = 360, 200
LEFT, TOP, RIGHT, BOTTOM = 56, 34, 12, 34
STYLE = (
    "text{font:11px sans-serif;fill:#555}.t{font-weight:bold;fill:#333}.g{stroke:#ddd}.l{fill:none;stroke-width:1.5}"
)
COLOURS = ("#1f6f8b", "#d1495b")
PANELS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("memory, MB", (("server", "server_mb"), ("MCP", "agent_mb"))),
    ("open files", (("server", "server_files"), ("MCP", "agent_files"))),
    ("threads", (("server", "server_threads"), ("MCP", "agent_threads"))),
    ("data folder, MB", (("", "disk_mb"),)),
    ("operations so far", (("", "operations"),)),
    ("wrong so far", (("", "wrong"),)),
)


def draw(samples: Sequence[Mapping[str, float]]) -> str:
    """Return one SVG document of all panels over the minutes of the samples."""
    places = [(WIDTH * (number % 2), HEIGHT * (number // 2)) for number in range(len(PANELS))]
    panels = "\n".join(
        f'<g transform="translate({x},{y})">{_panel(title, curves, samples)}</g>'
        for (x, y), (title, curves) in zip(places, PANELS, strict=True)
    )
    width, height = 2 * WIDTH, (len(PANELS) + 1) // 2 * HEIGHT
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f'<style>{STYLE}</style><rect width="100%" height="100%" fill="#fff"/>\n{panels}\n</svg>\n'
    )


def _panel(title: str, curves: Sequence[tuple[str, str]], samples: Sequence[Mapping[str, float]]) -> str:
    last = max(one["minute"] for one in samples)
    highest = max(one[name] for one in samples for _, name in curves) or 1
    parts = [f'<text class="t" x="{LEFT}" y="18">{escape(title)}</text>']
    for share in (0.0, 0.5, 1.0):
        y, x = _up(share), _across(share)
        parts.append(f'<line class="g" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{share * highest:,.0f}</text>')
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - 16}" text-anchor="middle">{share * last:.0f} min</text>')
    for number, (label, name) in enumerate(curves):
        colour = COLOURS[number]
        points = (f"{_across(one['minute'] / last):.1f},{_up(one[name] / highest):.1f}" for one in samples)
        parts.append(f'<polyline class="l" stroke="{colour}" points="{" ".join(points)}"/>')
        parts.append(
            f'<text x="{WIDTH - RIGHT}" y="{18 + 12 * number}" text-anchor="end" fill="{colour}">{label}</text>'
        )
    return "".join(parts)


def _across(share: float) -> float:
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _up(share: float) -> float:
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
