"""Small corpora for searches over several."""

from __future__ import annotations

from pathlib import Path

from index_of_files import write_files as write  # noqa: F401 - for the tests of several
from quaestor import Index
from quaestor.core.config import Settings

NET = {
    "README.md": "# Net\n\nRequests over a wire.\n\n## Retries\n\nA request is sent three times before we give up.\n",
    "src/retry.py": (
        '"""Sending again."""\n\n\ndef send_with_retry(request, attempts=3):\n'
        '    """Send a request; try again after a failure."""\n'
        "    for attempt in range(attempts):\n        if send(request):\n            return True\n"
        "        sleep(2**attempt)\n    raise TimeoutError('the server stays busy')\n"
    ),
    "src/config.py": "TIMEOUT = 3\n\n\ndef merge_settings(one, other):\n    return {**one, **other}\n",
}
KITCHEN = {
    "README.md": "# Kitchen\n\n## Sourdough\n\nThe dough rests for eighteen hours in the refrigerator.\n",
    "notes/pancakes.md": (
        "---\nauthor: Ana Gomez\ndate: 2021-03-04\n---\n# Pancakes\n\nRest the batter for half an hour, then fry it.\n"
    ),
    "src/config.py": "OVEN = 230\n\n\ndef preheat_oven(degrees):\n    return degrees >= OVEN\n",
}
SHOP = {
    "shop/cart.go": "package shop\n\n// Total adds up the prices.\nfunc (c *Cart) Total() int {\n\treturn 1\n}\n",
    "notes/wire.md": (
        "---\nauthor: Julia Evans\ndate: 2023-01-02\n---\n# Wires\n\nA request for payment is sent over the wire.\n"
    ),
}


def built(folder: Path, home: Path, **settings: object) -> Index:
    """Return the index of a folder."""
    return Index.build(folder, settings=Settings(home=str(home), **settings))  # type: ignore[arg-type]
