"""The server for the clients: the real one over a small corpus, with a scripted model behind it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from served import Running, serving, write

from scripted_server import Call, Recorded, Reply, ScriptedServer

CITED = 'It is tried three times [1: "MAX_ATTEMPTS = 3"].'
LISTED = "\n\nSources:\n- [1] retry.py:1, found there"
RAIN = "It rains in Graz."
EDIT = """retry.py
```python
<<<<<<< SEARCH
MAX_ATTEMPTS = 3
=======
MAX_ATTEMPTS = 4
>>>>>>> REPLACE
```
"""


def script(request: Recorded) -> Reply | str:
    """Reply to what a request is about."""
    if request.body.get("response_format"):
        return '{"tries": 3}'
    if tools := request.body.get("tools"):
        if request.messages[-1]["role"] == "tool":
            return RAIN
        name = tools[0]["function"]["name"]
        return Reply(calls=[Call(name, ['{"city": "Graz"}' if name == "weather" else '{"tries": 3}'])])
    return EDIT if "SEARCH/REPLACE" in str(request.messages) else CITED


@contextmanager
def clients_server(folder: Path) -> Iterator[Running]:
    """Serve a small corpus to clients."""
    with (
        ScriptedServer(script) as upstream,
        serving(
            write(folder / "kitchen"),
            home=folder / "home",
            model="tiny",
            base_url=upstream.base_url,
            subroutines="off",
        ) as server,
    ):
        yield server
