"""The table of `make clients`: the outcome of each feature for each client."""

from __future__ import annotations

import pytest
from client_programs import CELL, FEATURES


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what passed and what was refused, with the reason, in Markdown."""
    cells = {
        value[:2]: value[2]
        for report in terminalreporter.getreports("passed")
        for name, value in report.user_properties
        if name == CELL
    }
    if not cells:
        return
    clients = list(dict.fromkeys(client for client, _ in cells))
    terminalreporter.write_line(f"\n| | {' | '.join(clients)} |\n|---|{'---|' * len(clients)}")
    for feature, title in FEATURES.items():
        row = (cells.get((client, feature), "–") for client in clients)
        terminalreporter.write_line(f"| {title} | {' | '.join(row)} |")
