"""What belongs to a name or a document: its definitions, callers, tests and neighbours."""

from __future__ import annotations

from quaestor.related.relations import Relations
from quaestor.related.relatives import KINDS, Related, RelatedKind, Relative, Role, Target

__all__ = ["KINDS", "Related", "RelatedKind", "Relations", "Relative", "Role", "Target"]
