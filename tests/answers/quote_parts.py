"""Shared by the tests of quotes."""

from __future__ import annotations

from quaestor.core.documents import Chunk, Document, Hit, Span
from quaestor.llm.prompts.numbered_passages import Passage

GUIDE = """# Waiting

You can set how long every request waits on the client:

```python
client = Client(timeout=10.0)
```

The default is five seconds.
"""
SOURCE = "def set_wait(client, seconds):\n    client.wait = seconds  # how long every request waits\n"
MIXED = (
    Passage(1, "client.py", 1, 2, SOURCE, symbol="set_wait", language="python"),
    Passage(2, "docs/waiting.md", 1, 9, GUIDE, title="Waiting", language="markdown"),
)
FIVE = Passage(2, "five.md", 1, 1, "The default is five.", language="markdown")


def hit(passage: Passage, score: float, found: Span | None = None) -> Hit:
    document = Document(passage.path, "", 0, 0, passage.language)
    chunk = Chunk(Span(0, 1, passage.start_line, passage.end_line), passage.text)
    return Hit(document, chunk, score, ranked_span=found)
