"""Converts documents in a separate process with limits on time and memory.

Third-party parsers read PDF and Office files, and books are large: a hostile file can keep a parser busy for
hours or exhaust the machine's memory. Only the file that exceeds the limits is left out.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module

from quaestor.convert.converted_document import ConversionError, ConvertedDocument

_MODULES = {**dict.fromkeys(("odp", "ods", "odt"), "odf"), "mbox": "mail"}
"""Kinds of files whose module has another name."""
SECONDS = 120.0
MEMORY_BYTES = 2_000_000_000


def convert_in_sandbox(kind: str, data: bytes, seconds: float = SECONDS) -> ConvertedDocument:
    """Return a document as Markdown, converted by the function ``from_KIND`` of the module ``KIND``, or of its module.

    Raises:
        ConversionError: that function raised it, or it took too much time or memory.
    """
    command = [sys.executable, "-m", "quaestor.convert.sandbox", kind]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(
            command, input=data, capture_output=True, timeout=seconds, check=False, env=environment, cwd=os.sep
        )
    except subprocess.TimeoutExpired:
        raise ConversionError("too large", f"it took more than {seconds:,.0f} seconds to read") from None
    if done.returncode:
        raise ConversionError("failed", f"reading it ended with code {done.returncode}; it may need too much memory")
    answer = json.loads(done.stdout)
    if "reason" in answer:
        raise ConversionError(answer["reason"], answer["detail"])
    return ConvertedDocument(**answer)


def main(kind: str) -> None:
    """Convert the document in standard input and write the outcome to standard output as JSON."""
    _limit_memory()
    gc.disable()  # the process converts one document, and garbage collection would walk its trees again and again
    try:
        answer = _function(kind)(sys.stdin.buffer.read())._asdict()
    except ConversionError as error:
        answer = {"reason": error.reason, "detail": error.detail}
    except MemoryError:
        answer = {"reason": "too large", "detail": "it takes too much memory to read"}
    sys.stdout.write(json.dumps(answer))
    sys.stdout.flush()
    os._exit(0)  # freeing every object first would take a tenth of a short document's time, and a fifth of a workbook's


def _function(kind: str) -> Callable[[bytes], ConvertedDocument]:
    module = _MODULES.get(kind, kind)
    function = module if module == "odf" else kind
    return getattr(import_module(f"quaestor.convert.{module}"), f"from_{function}")  # type: ignore[no-any-return]


def _limit_memory() -> None:
    with suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 - not on Windows

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


if __name__ == "__main__":
    main(sys.argv[1])
