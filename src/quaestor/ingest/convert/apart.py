"""Converting in a process of its own, with a limit on its time and its memory.

PDF and Word files are read by other people's parsers, and a hostile file can keep such a parser busy for hours or
have it fill the machine. What exceeds the limits costs that file only.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from contextlib import suppress

from quaestor.ingest.convert.failures import ConversionError
from quaestor.ingest.convert.values import Converted

SECONDS = 120.0
MEMORY_BYTES = 2_000_000_000


def convert_apart(kind: str, data: bytes, seconds: float = SECONDS) -> Converted:
    """Return a document as Markdown, converted by the function ``from_KIND`` of the module ``KIND``.

    Raises:
        ConversionError: as that function; or it took too long or too much memory.
    """
    command = [sys.executable, "-m", "quaestor.ingest.convert.apart", kind]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(
            command, input=data, capture_output=True, timeout=seconds, check=False, env=environment, cwd=os.sep
        )
    except subprocess.TimeoutExpired:
        raise ConversionError("too large", f"it took more than {seconds:,.0f} seconds to read") from None
    if done.returncode:
        raise ConversionError("failed", f"reading it ended with code {done.returncode}; it may need too much memory")
    answer = pickle.loads(done.stdout)  # from our own program
    if isinstance(answer, ConversionError):
        raise answer
    assert isinstance(answer, Converted)
    return answer


def main(kind: str) -> None:
    """Convert what standard input holds and pickle the outcome to standard output."""
    _limit_memory()
    answer: Converted | ConversionError
    try:
        answer = _function(kind)(sys.stdin.buffer.read())
    except ConversionError as error:
        answer = error
    except MemoryError:
        answer = ConversionError("too large", "it takes too much memory to read")
    sys.stdout.buffer.write(pickle.dumps(answer))


def _function(kind: str):  # type: ignore[no-untyped-def]
    if kind == "pdf":
        from quaestor.ingest.convert.pdf import from_pdf  # noqa: PLC0415 - an extra

        return from_pdf
    from quaestor.ingest.convert.docx import from_docx  # noqa: PLC0415 - an extra

    return from_docx


def _limit_memory() -> None:
    with suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 - not on Windows

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


if __name__ == "__main__":
    main(sys.argv[1])
