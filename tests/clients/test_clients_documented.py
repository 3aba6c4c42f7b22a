"""The table of docs/clients.md has the clients and the features that `make clients` runs."""

from __future__ import annotations

import re
from pathlib import Path

from client_programs import FEATURES, all_clients

DOCUMENT = Path(__file__).parents[2] / "docs/clients.md"


def test_the_documented_table_is_that_of_the_suite() -> None:
    rows = [line.strip("| ").split(" | ") for line in DOCUMENT.read_text(encoding="utf-8").split("\n") if "|" in line]
    head, table = rows[0], {row[0]: row[1:] for row in rows[2 : 2 + len(FEATURES)]}
    clients = all_clients(Path())
    assert head == [client.name for client in clients]
    assert list(table) == list(FEATURES.values())
    for feature, title in FEATURES.items():
        has = [feature in client.features for client in clients]
        assert [bool(re.match("passes$|refused: ", cell)) for cell in table[title]] == has, title
