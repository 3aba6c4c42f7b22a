"""What belongs to a name or a document: its definitions, callers, tests and neighbours.

The package reads syntax trees and one store; it does not know questions, answers or files on disk.
Begin with ``relative_finder``.
"""

from __future__ import annotations

from quaestor.related.relative_finder import RelativeFinder
from quaestor.related.relatives import KINDS, Related, RelatedKind, Relative, Role, Target

__all__ = ["KINDS", "Related", "RelatedKind", "Relative", "RelativeFinder", "Role", "Target"]
