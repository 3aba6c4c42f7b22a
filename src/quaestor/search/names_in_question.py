"""Finds the names and paths in a question, and recognises a question that asks what one of them is. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from quaestor.chunking.languages import knows_extension

_PART = r"[^\W\d][\w$]*"
NAME = (
    r"(?:`[^`\n]{1,200}`|(?<![\w$./\\@-])(?:[A-Za-z]:)?[/\\]?(?:[\w.@~+-]+[/\\])+[\w.@~+-]*\w"
    rf"|(?<![\w$@-])[@$#&*~]?\.?{_PART}(?:(?:::|->|\.|#|:|/)[~$@]?{_PART})*(?:\[\])?[!?*]?(?:\([^()\s]{{0,60}}\))?)"
)
"""A name or a path as people write it in a sentence: ``Client.send``, ``src/a.py``, ``get!``, ``getSlot(byte[])``."""
_NAME = re.compile(NAME)
_MARKED = re.compile(
    r"[^\W_]_+[^\W_]|^_+\w|\w_+$|[a-z\d][A-Z]|[A-Z]{2,}[a-z]|::|->|\w#\w|\w\.\w|\w:\w|\(|\w!$|[a-z]\d+[a-z]"
)
_ABBREVIATIONS = frozenset({"e.g", "i.e", "etc", "vs", "a.k.a", "node.js", "vue.js", "next.js", "github", "javascript"})
_LONGEST = 300
_MOST_LETTERS = 4000


def bare_name(text: str) -> str:
    """Return a name without a sentence's marks around it: backticks, arguments, a full stop."""
    plain = text.strip().strip("`'\"“”").rstrip("?.,;:")
    return re.sub(r"\([^()]*\)$|\[\]$", "", plain).strip()


def looks_like_code(text: str) -> bool:
    """Return whether a word is written like code and unlike prose: ``send_all``, ``SendAll``, ``a.b``, ``send()``."""
    plain = text.strip()
    if plain.startswith("`"):
        return True
    if len(plain) > _LONGEST or bare_name(plain).lower() in _ABBREVIATIONS:
        return False
    return _MARKED.search(plain.rstrip("?.,;:'’")) is not None or looks_like_a_file(plain)


def looks_like_a_file(text: str) -> bool:
    """Return whether a word is a path, or the name of a file."""
    plain = bare_name(text)
    return knows_extension(plain) or ("/" in plain.strip("/") and " " not in plain)


def names_of_code(text: str) -> tuple[str, ...]:
    """Return the names and paths of a question that are written as code, each once, in order."""
    words = (one.group() for one in _NAME.finditer(text[:_MOST_LETTERS]))
    names = (bare_name(one) for one in words if looks_like_code(one))
    return tuple(dict.fromkeys(filter(None, names)))  # of `...` nothing is left


@dataclass(frozen=True, slots=True)
class NameQuestion:
    """The name or file that a question asks to have explained.

    Attributes:
        target: the name or the path as it is written.
        kind: the word before the name that says what it is (``class``, ``file``), or "".
    """

    target: str
    kind: str = ""


_KINDS = (
    r"(class|function|method|module|file|script|package|struct|trait|interface|enum|type|macro|constant|variable|document|page"
    r"|decorator|protocol|component|header)"
)
# 03_classification.ipynb, 0001_initial.py: no version ends with letters behind a stop.
_NUMBERED_FILE = r"(?<![\w./-])\d[\w-]*(?:\.[\w-]+)*\.[A-Za-z]\w{1,5}(?!\w)"
_THING = (
    rf"(?:(?:the|a|an|this|our)\s+)?(?:{_KINDS}\s+)?(?:called\s+|named\s+)?({_NUMBERED_FILE}|{NAME})"
    rf"(?:\s+{_KINDS}(?=\W*$|\s+(?:do|for|used|good|meant)\b))?"
)
"""A thing with the word for its kind before or after it: ``the class Client``, ``the Client class``."""
_FILES_OF_A_PROGRAM = frozenset(
    "cache config configuration data database history lock log pid settings state temp temporary".split()
)
"""Words for a program's files by their purpose: a question for the config file does not ask for a module ``config``."""
_POLITE = r"(?:(?:please|so|ok|can you|could you|would you)\s+)*(?:tell me\s+)?"
_END = r"\s*[?.!]*\s*$"
_I = re.IGNORECASE
_ASKED = tuple(
    re.compile(rf"^\W*{_POLITE}{pattern}{_END}", _I)
    for pattern in (
        rf"(?:what|who)(?:\s+exactly)?(?:\s+is|['’]s|\s+are)\s+{_THING}"
        rf"(?:\s+(?:for|about|good for|used for|meant for|responsible for))?",
        rf"what(?:\s+exactly)?\s+(?:does|do|can)\s+{_THING}\s+(?:do|contain|hold|define|mean|provide|export|implement"
        rf"|represent|stand for)",
        rf"what(?:\s+is|['’]s)\s+(?:in|inside|defined in|the (?:purpose|point|role|job|definition|meaning"
        rf"|responsibility|use|idea) (?:of|behind))\s+{_THING}",
        rf"(?:explain|describe|summari[sz]e|show(?: me)?|define|open|tell me about|definition of|purpose of"
        rf"|documentation (?:of|for))\s+{_THING}",
        rf"where(?:\s+(?:is|are|can i find|do i find|do we have)|['’]s)\s+{_THING}"
        rf"(?:\s+(?:defined|declared|implemented|located))?",
        rf"where\s+does\s+{_THING}\s+(?:live|come from)",
        rf"how\s+(?:is|are)\s+{_THING}\s+(?:structured|organi[sz]ed|laid out|built up)",
        rf"{_THING}\s+(?:what (?:is|does) (?:it|this|that)(?: do)?|definition|explained|purpose)",
        rf"(?:was (?:ist|macht|tut)|qu['’]est-ce que|que fait|qué (?:es|hace))\s+{_THING}",
    )
)


def read_name_question(text: str) -> NameQuestion | None:
    """Return the name that a question wants explained; None if it asks for more, or names nothing.

    A plain word counts as a name only with its kind (``what is the class client``) or with a capital letter.
    """
    text = text.strip()
    if not text or len(text) > _LONGEST or "\n" in text:
        return None
    if not re.search(r"\s", text.rstrip("? ")):
        return NameQuestion(bare_name(text)) if _is_name(text) else None
    for pattern in _ASKED:
        match = pattern.search(text)
        if match is None:
            continue
        before, name, behind = match.groups()
        kind = (before or behind or "").lower()
        if kind == "file" and name.lower() in _FILES_OF_A_PROGRAM:
            return None
        if _is_name(name) or (bare_name(name) and (kind or name[0].isupper())):
            return NameQuestion(bare_name(name), kind)
    return None


def asks_about_a_word(text: str) -> bool:
    """Return whether a question asks about a word whose capital letter alone makes it a name: "What is Shop?"."""
    request = read_name_question(text)
    return request is not None and not request.kind and not _is_name(request.target)


def _is_name(text: str) -> bool:
    return looks_like_code(text) or looks_like_a_file(text)
