"""Every word that we author for a model: one Markdown file each beside this one, and a strict loader.

``numbered_passages`` shows passages to a model. The package does not know which model reads them.
Begin with ``loader``.
"""

from __future__ import annotations

from quaestor.llm.prompts.loader import Prompt, load, names

__all__ = ["Prompt", "load", "names"]
