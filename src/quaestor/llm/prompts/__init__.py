"""All text that we write for models: one Markdown file per prompt in this folder, and a strict loader.

``numbered_passages`` formats passages for a model. The package does not know which model reads them.
Begin with ``loader``.
"""

from __future__ import annotations

from quaestor.llm.prompts.loader import Prompt, load, names

__all__ = ["Prompt", "load", "names"]
