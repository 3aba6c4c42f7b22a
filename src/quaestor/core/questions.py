"""What a question asks for, as far as its wording shows."""

from __future__ import annotations

import re

from quaestor.core.terms import content_terms

_SEVERAL = re.compile(
    r"^\W*(?:list|name|recommend)\b|\ball (?:the )?\w+s\b|\b(?:where|what|which) (?:\w+ )?should (?:i|we|one)\b"
    r"|\b(?:which|what) (?:\w+ )?\w+s (?:are|do|can|were|have|could|should|must|will|may|exist)\b",
    re.IGNORECASE,
)
_ASKING = (
    r"how|where|what|which|who|whose|why|when|wie|wo|was|welche[rsnm]?|wer|warum|wann|comment|où|ce\s+qu[ei']|quel(?:le)?s?"
    r"|pourquoi|qui|quand|cómo|dónde|qué|cuál(?:es)?|por\s+qué|quién|cuándo"
)
_LEARN = r"(?:know|understand|learn|find\s+out|figure\s+out|see|hear)"
_FRAME = re.compile(
    rf"""^\W*(?:(?:hi|hello|hey|ok|okay|so|please|sorry|quick\s+question|hallo|bonjour|hola)\b[\s,!.:]*)*
    (?:(?:can|could|would|will)\s+(?:you|someone|anyone|somebody|anybody)\s+(?:please\s+|kindly\s+)?
        (?:tell|show|explain|describe|help)(?:\s+to)?(?:\s+(?:me|us))?(?:\s+(?:to\s+)?{_LEARN})?
    |(?:please\s+)?(?:tell|show|explain)(?:\s+to)?\s+(?:me|us)
    |i\s*(?:'d|’d|\s+would)\s+(?:like|love)\s+to\s+{_LEARN}
    |i(?:\s*['’]m|\s+am)\s+(?:trying|wondering|looking)(?:\s+to\s+{_LEARN})?|i\s+(?:want|need|try|wish)\s+to\s+{_LEARN}
    |(?:do|does)\s+(?:you|anyone|anybody|someone)\s+know|any\s+idea
    |where\s+(?:do|should|can|would|could)\s+(?:i|we|one)\s+(?:start|begin|look)(?:\s+(?:reading|looking|to\s+read|to\s+look))?
        (?:\s+first)?,?(?:\s+if\s+(?:i|we)\s+want|\s+in\s+order)?\s+to\s+{_LEARN}
    |(?:können|könnten|kannst|könntest)\s+(?:sie|du|ihr)\s+(?:mir|uns)\s+(?:bitte\s+)?(?:sagen|erklären|zeigen)
    |ich\s+(?:möchte|würde\s+gern(?:e)?|will)\s+(?:wissen|verstehen)
    |(?:pouvez-vous|pourriez-vous|peux-tu|pourrais-tu)\s+(?:me\s+|m['’])?(?:dire|expliquer|montrer)
    |(?:puedes|puede|podrías|podría)\s+(?:decirme|explicarme|mostrarme)
    )[\s,:]+(?=(?:{_ASKING})\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_LONGEST_FRAMED = 400


def asks_for_several(question: str) -> bool:
    """Return whether a question asks for several things, each of which may be in a different place."""
    return _SEVERAL.search(question) is not None


def without_frame(question: str) -> str:
    """Return a question without its introduction: "can you tell me", "I'd like to know", "any idea".

    These words say nothing about the subject, and make a question less similar to its answer. "Where do
    I start reading to understand how options are parsed" asks for the place where options are parsed.
    """
    found = _FRAME.match(question) if len(question) <= _LONGEST_FRAMED else None
    rest = question[found.end() :] if found else ""
    return rest if content_terms(rest) else question
