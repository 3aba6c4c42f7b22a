"""Files of a small project, and helpers that read an overview of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from quaestor import Index
from quaestor.answers.overview.overview_text import Overview

README = """<p align="center"><img src="logo.png"></p>

# Shop

[![build](https://example.org/badge.svg)](https://example.org)

> **Note**: read the guide first.

- [Install](#install)
- [Usage](#usage)

Shop is a small library that sends orders to a warehouse and tries again when that fails.

## Install

Run pip install shop and wait for it to be done with everything.
"""
FILES = {
    "README.md": README,
    "CONTRIBUTING.md": """# Contributing

- `src/shop/` - the library
  - `retry.py` - decides when an order is sent again
- `tools/`: scripts for releases

Run the tests:

    $ pytest -q tests
""",
    "pyproject.toml": """[project]
name = "shop"
description = "Orders, sent."

[project.scripts]
shop = "shop.cli:main"

[build-system]
build-backend = "hatchling.build"
""",
    "Makefile": "test:\n\tpytest\n\nbuild:\n\tpython -m build\n",
    ".github/workflows/ci.yml": "jobs:\n  test:\n    steps:\n      - run: tox run\n",
    "src/shop/__init__.py": '"""Orders for a warehouse."""\n\nfrom shop.retry import send\n',
    "src/shop/cli.py": '"""The command line."""\n\nfrom shop.retry import send\n\n\ndef main():\n    send()\n',
    "src/shop/retry.py": "# Copyright 2020 Somebody. All rights reserved.\n\ndef send():\n    return 1\n",
    "src/shop/orders/__init__.py": '"""What is ordered, and by whom."""\n\nfrom shop.retry import send\n',
    "src/shop/orders/order.py": "class Order:\n    pass\n",
    "src/shop/__main__.py": "from shop.cli import main\n\nmain()\n",
    "tests/test_retry.py": "from shop.retry import send\n\n\ndef test_it():\n    assert send()\n",
    "tools/release.py": "def release():\n    pass\n",
}
Make = Callable[..., Index]
OverviewOf = Callable[[Mapping[str, str]], str]

ORDERS = {"shop/orders.py": "def send(order):\n    return order\n"}


def lines_of(found: Overview, title: str) -> dict[str, str]:
    """Return what a section says, by name."""
    [section] = [one for one in found.sections if one.title == title]
    return {one.name or ", ".join(one.further): one.says.text if one.says else "" for one in section.entries}
