"""The table of parsers whose time `benchmarks/parser_times.py` measures."""

from __future__ import annotations

import pytest

from benchmarks._parser_table import PARSERS


@pytest.mark.parametrize("name", PARSERS)
def test_each_parser_of_the_table_reads(name: str) -> None:
    PARSERS[name].read("# a\n\n[1] `b` c: 2\n")
