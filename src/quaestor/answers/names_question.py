"""Telling that a question asks what a name or a file is, and nothing else of it. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from quaestor.search.asked_names import NAME, bare_name, looks_like_a_file, looks_like_code


@dataclass(frozen=True, slots=True)
class NameQuestion:
    """What somebody wants explained.

    Attributes:
        target: the name or the path as it is written.
        kind: the word that says what it is (``class``, ``file``); empty where none does.
    """

    target: str
    kind: str = ""


_LONGEST = 300
_KIND = (
    r"(?:(?:the|a|an|this|our)\s+)?(?:(class|function|method|module|file|script|package|struct|trait|interface|enum|type|macro|constant"
    r"|variable|document|page|decorator|protocol|component|header)\s+)?(?:called\s+|named\s+)?"
)
_END = r"\s*[?.!]*\s*$"
_I = re.IGNORECASE
_ASKED = tuple(
    re.compile(pattern, _I)
    for pattern in (
        rf"^\W*(?:what|who)(?:\s+exactly)?(?:\s+is|['’]s|\s+are)\s+{_KIND}({NAME})(?:\s+(?:for|about"
        rf"|good for|used for|meant for))?{_END}",
        rf"^\W*what(?:\s+exactly)?\s+(?:does|do|can)\s+{_KIND}({NAME})\s+(?:do|contain|hold|define|mean|provide|export|implement|represent){_END}",
        rf"^\W*what(?:\s+is|['’]s)\s+(?:in|inside|defined in|the (?:purpose|point|role|job|definition"
        rf"|meaning) of)\s+{_KIND}({NAME}){_END}",
        rf"^\W*(?:please\s+)?(?:explain|describe|summari[sz]e|show(?: me)?|define|open|tell me about"
        rf"|definition of|purpose of|documentation (?:of|for))\s+{_KIND}({NAME}){_END}",
        rf"^\W*where(?:\s+is|\s+are|['’]s)\s+{_KIND}({NAME})\s+(?:defined|declared|implemented|located){_END}",
        rf"^\W*({NAME})\s+(?:what (?:is|does) (?:it|this|that)(?: do)?|definition|explained|purpose){_END}",
        rf"^\W*(?:was (?:ist|macht|tut)|qu['’]est-ce que|que fait|qué (?:es|hace))\s+({NAME}){_END}",
    )
)


def read_name_question(text: str) -> NameQuestion | None:
    """Return what a question wants explained, or None where it asks for more, or for something that is not a name.

    A plain word counts only behind a word that says what it is: ``what is the class client``.
    """
    text = text.strip()
    if not text or len(text) > _LONGEST or "\n" in text:
        return None
    if not re.search(r"\s", text.rstrip("? ")):
        return NameQuestion(bare_name(text)) if _is_name(text) else None
    for pattern in _ASKED:
        found = pattern.search(text)
        if found is None:
            continue
        *kinds, name = found.groups()
        kind = (kinds[0] if kinds and kinds[0] else "").lower()
        if _is_name(name) or (kind and bare_name(name)):
            return NameQuestion(bare_name(name), kind)
    return None


def _is_name(text: str) -> bool:
    return looks_like_code(text) or looks_like_a_file(text)
