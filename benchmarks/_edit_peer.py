"""Aider's matching of search and replace blocks, loaded from its wheel; none of its code is part of this project.

Only the module for blocks is loaded. Its other imports (the chat, terminals, models) are replaced by empty modules, so
that its many dependencies need not be installed.
"""

from __future__ import annotations

import sys
import types
import zipfile
from collections.abc import Callable
from pathlib import Path

_BLOCKS = "aider/coders/editblock_coder.py"


class Peer:
    """Aider's parsing and matching.

    Attributes:
        version: of the wheel.
    """

    def __init__(self, wheel: Path) -> None:
        self.version = wheel.name.split("-")[1]
        with zipfile.ZipFile(wheel) as archive:
            source = archive.read(_BLOCKS).decode()
        for name, attribute in (
            ("aider", "utils"),
            ("aider.dump", "dump"),
            ("aider.coders", ""),
            ("aider.coders.base_coder", "Coder"),
            ("aider.coders.editblock_prompts", "EditBlockPrompts"),
        ):
            module = types.ModuleType(name)
            if attribute:
                setattr(module, attribute, type(attribute, (), {}))
            sys.modules[name] = module
        loaded = types.ModuleType("aider.coders.editblock_coder")
        loaded.__package__ = "aider.coders"
        exec(compile(source, _BLOCKS, "exec"), loaded.__dict__)  # the peer is what is measured
        self._blocks: Callable[..., object] = loaded.__dict__["find_original_update_blocks"]
        self._replace: Callable[..., str | None] = loaded.__dict__["do_replace"]

    def applied(self, place: Path, path: str, text: str, reply: str) -> str | None:
        """Return the file's new text as aider would write it; None if it refuses.

        Args:
            place: the file on disk, which only has to exist.
            path: as the reply names it.
            text: of the file.
            reply: the model's words.
        """
        try:
            edits = list(self._blocks(reply, valid_fnames=[path]))  # type: ignore[call-overload]
        except ValueError:
            return None
        for _, before, after in edits:
            new = self._replace(str(place), text, before, after, ("```", "```"))
            if not new:
                return None
            text = new
        return text if edits else None
