"""Recognises questions about who uses a name. Pure.

A name that is written as code may stand nearly anywhere in the question; a plain word (``who calls send?``) must follow
a word about code and end the question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from quaestor.search.names_in_question import NAME, bare_name, looks_like_a_file, looks_like_code, names_of_code

UseKind = Literal["uses", "tests", "callees"]


@dataclass(frozen=True, slots=True)
class CallersQuestion:
    """A question about the uses of a name.

    Attributes:
        target: the name or the path as it is written.
        kind: ``uses`` of it, the ``tests`` that use it, or its ``callees``, which it uses itself.
        plain: whether the name is a plain word, which counts only if the corpus defines it.
        without_tests: whether tests are not asked for.
        outside: a path in which uses are not asked for; ``.`` for the file that defines the name.
        inside: the file, folder, class or function in which alone they are asked for; empty for everywhere.
        other_words: the question's other words; files whose paths hold them come first.
    """

    target: str
    kind: UseKind = "uses"
    plain: bool = False
    without_tests: bool = False
    outside: str = ""
    inside: str = ""
    other_words: str = ""


_LONGEST = 400
_MESSAGE = re.compile(r"\"(?:[^\"\s]*\s){2}[^\"\n]*\"|“(?:[^“”\s]*\s){2}[^“”\n]*”")
"""Three or more quoted words: a program's message, not a name."""
_VERBS = (
    r"(?:calls?|called|calling|uses?|used|using|invokes?|invoked|instantiates?|constructs?|creates?|imports?|imported"
    r"|includes?|requires?|references?|referenced|depends? (?:up)?on|rel(?:y|ies) (?:up)?on|consults?|touch(?:es)?"
    r"|subclass(?:es)?|inherits? from|extends?|overrides?|implements?|consumes?|raises?|throws?|catch(?:es)?|triggers?)"
)
_STRONG = r"(?:calls?|invokes?|instantiates?|imports?)"
_SOME = r"(?:(?:actually|really|all|directly|else|ever|end up|ends up|still|also)\s+)*"
_WHO = r"\b(?:who|what|which|where)\b"
_ARTICLE = r"(?:(?:an?|the|this|our|function|method|class|macro|module|file|constant|variable|type|struct|trait)\s+)*"
_KINDS_OF_PLACE = (
    r"(?:file|module|folder|directory|package|class|crate|function|method|namespace|component|tests?|code)"
)
_PLACE = rf"\s+(?:in|inside|within|under|from)\s+(?:(?:the|our|this|that)\s+)?({NAME})(?:\s+{_KINDS_OF_PLACE})?"
_END = r"\s*(?:\([^()]*\))?\s*(?:[?.!]|$)"
_END_OR_PLACE = rf"(?:{_PLACE.replace('(' + NAME + ')', NAME)})?{_END}"
_I = re.IGNORECASE
_KEBAB = r"\w+(?:-\w+)+(?:[!*]|\?(?=\s*\?))?"
"""A name as Lisp and shells write it; elsewhere it is a plain word."""
_WORD = rf"(?:{_KEBAB}|\w+)"

# The name stands where the group is. Each is tried with a name of code, and the plain ones with any word.
_DIRECT = (
    re.compile(
        rf"{_WHO}(?:\s+else)?(?:\s+(?!happens?\s|if\s|when\s)[\w-]+){{0,6}}?\s+{_SOME}{_VERBS}\s+{_ARTICLE}({NAME})", _I
    ),
    re.compile(
        rf"\b(?:callers?|call sites?|usages?|uses|users|references|invocations)\s+(?:of|to|for)\s+{_ARTICLE}({NAME})",
        _I,
    ),
    re.compile(rf"({NAME})(?:'s)?\s+(?:callers?|call sites?|usages?|references)\b", _I),
    re.compile(
        rf"({NAME})\s+(?:is\s+|gets\s+)?(?:called|used|invoked|referenced|imported)\s+(?:by|from|in|where|anywhere)\b",
        _I,
    ),
    re.compile(
        rf"\bwhere(?:ver)?\s+(?:else\s+)?(?:is|are|do we|do you|does \w+|do they)\s+{_ARTICLE}({NAME})\s+(?:\w+\s+)?"
        rf"(?:call(?:ed)?|used?|invoked?|imported?|instantiated?|referenced?|constructed?|created)\b",
        _I,
    ),
    re.compile(
        rf"\b(?:is|are)\s+{_ARTICLE}({NAME})\s+(?:still\s+|ever\s+|even\s+)*(?:called|used"
        rf"|referenced)\s+(?:anywhere|somewhere|at all)",
        _I,
    ),
)
_PLAIN = (
    re.compile(
        rf"^\W*(?:who|what|which (?:\w+ ){{0,2}}?(?:functions?|methods?|code|classes|modules?|files?"
        rf"|places?))\s+{_SOME}{_STRONG}\s+{_ARTICLE}`?({_WORD})`?(?:\(\))?{_END_OR_PLACE}",
        _I,
    ),
    re.compile(
        rf"^\W*(?:find |list |show |all )*(?:the )?(?:callers?|call sites?"
        rf"|usages?)\s+of\s+{_ARTICLE}`?({_WORD})`?(?:\(\))?{_END_OR_PLACE}",
        _I,
    ),
    re.compile(
        rf"^\W*where\s+(?:else )?(?:is|are)\s+{_ARTICLE}`?({_WORD})`?(?:\(\))?\s+(?:called|invoked|imported"
        rf"|instantiated){_END_OR_PLACE}",
        _I,
    ),
    re.compile(rf"^\W*(?:who|what)\s+{_SOME}{_VERBS}\s+{_ARTICLE}`?({_KEBAB})`?(?:\(\))?{_END_OR_PLACE}", _I),
    re.compile(rf"^\W*where\s+(?:else )?is\s+{_ARTICLE}`?({_KEBAB})`?\s+(?:used|referenced){_END_OR_PLACE}", _I),
)
_INSIDE = re.compile(rf"{_PLACE}{_END}", _I)
_EVERYWHERE = frozenset(
    """this it that here there where production general practice total case code project repo repository codebase
    library""".split()
)
# The thing was named before: "I changed X; who uses it?"
_IT = re.compile(rf"{_WHO}(?:\s+[\w-]+){{0,3}}?\s+{_VERBS}\s+(?:it|this|that|them)\b|^\W*{NAME}\s*[:,-]\s*who\b", _I)
_FILE_USED = re.compile(
    rf"{_WHO}(?:\s+[\w-]+){{0,3}}?\s+(?:uses?|imports?|includes?|requires?|depends? on|rel(?:y|ies) on)\s+it\b", _I
)
_AFFECTED = re.compile(
    r"\b(?:which|what|who)\b.{0,60}\b(?:affected|hit|broken|break|breaks)\b.{0,20}\bif\b"
    r"|\bif\b.{0,80}\b(?:callers?|users?|call sites?)\b",
    _I,
)
_AUXILIARY = r"(?:do|does|did|is|are|was|were|be|can|could|should|must|may|might|will|would)"
# Many verbs lead to a name: "which scripts log in through LoginAPI", "which clauses lead to init_dir"; but not where
# somebody does it: "which handlers must I pass to set_handlers", "which bindings can be used on svelte:document".
_THROUGH = re.compile(
    rf"^\W*(?:who|which)\s+(?:(?!(?:I|we|you|one|{_AUXILIARY})\s)[\w-]+\s+){{2,5}}?(?:with|through|via|by|into|to|on)\s+({NAME})(?:\s*\([^()]*\))?\s*[?.]?\s*$",
    _I,
)
# The same in German, French and Spanish, and in Chinese and Japanese where blanks set the name apart.
_ELSEWHERE = re.compile(
    rf"\bwer (?:ruft|benutzt|verwendet|nutzt)\s+({NAME})|\bwo (?:wird"
    rf"|werden)\s+({NAME})\s+(?:\w+\s+)?(?:aufgerufen|benutzt|verwendet|genutzt)"
    rf"|\bqui (?:appelle|utilise)\s+({NAME})|\boù\b.{{0,20}}\b(?:appelée?s?|utilisée?s?)\s+({NAME})"
    rf"|\bquién(?:es)? (?:llaman?(?: a)?|usan?|utilizan?)\s+({NAME})|\bdónde se (?:usa|utiliza|llama(?: a)?)\s+({NAME})"
    rf"|(?:谁|哪里|哪些|什么)\w*(?:调用|使用|用到)了?\s+({NAME})|({NAME})\s+(?:は|を)\w*(?:どこ|誰)",
    _I,
)
_TESTS = re.compile(
    rf"\b(?:which|what|are there(?: any)?|where are(?: the)?|show(?: me)?(?: the)?"
    rf"|find(?: the)?)?\s*\b(?:unit )?(?:tests?|specs?)\b"
    rf"(?:\s+\w+){{0,2}}?\s+(?:for|of|cover(?:s|ing)?|exercis(?:e|es|ing)|call(?:s|ing)?|check(?:s|ing)?|test(?:s|ing)?|use[sd]?|touch(?:es)?)\s+{_ARTICLE}({NAME})"
    rf"|^\W*(?:what|who|where (?:is|are))\s+{_ARTICLE}(?:tests\s+)?({NAME})\s*(?:tested"
    rf"|covered)?\s*(?:by tests)?{_END}",
    _I,
)
_TESTED = re.compile(
    rf"^\W*what\s+tests\s+{_ARTICLE}({NAME}){_END}|\bwhere\s+(?:is|are)\s+{_ARTICLE}({NAME})\s+(?:tested|covered){_END}",
    _I,
)
_CALLEES = re.compile(
    rf"\b(?:what|which (?:\w+ )?(?:functions|methods|procedures|helpers))\s+(?:does|do|are"
    rf"|is)\s+{_ARTICLE}({NAME})\s+(?:all\s+)?(?:calls?|invokes?)\b"
    rf"|\bcallees\s+of\s+({NAME})|\bwhat\s+(?:is|gets)\s+called\s+(?:by|from|in)\s+({NAME})",
    _I,
)
_NOT_TESTS = re.compile(
    r"\b(?:outside|apart from|except|excluding|other than|besides|not in|without)\s+(?:of\s+)?(?:its\s+"
    r"|the\s+|any\s+)?(?:unit\s+)?(?:tests?|specs?)\b"
    r"|\bin production\b|\b(?:main|production) (?:sources?|code)\b|\bnon-test\b",
    _I,
)
_OUTSIDE = re.compile(
    r"\b(?:outside|apart from|except|excluding|other than)\s+(?:of\s+|in\s+|from\s+)?(?:(?:its|the"
    r"|that)\s+(?:own\s+)?(?:module|file|package|class)|([\w./\\-]+\.\w+))",
    _I,
)
_HOW = re.compile(r"^\W*(?:how|why|when)\b|\bhow (?:do|does|can|could|should|to|is|are)\b|\bwhy\b", _I)


def read_callers_question(text: str) -> CallersQuestion | None:
    """Return what a question asks about the uses of a name, or None if it asks for something else."""
    text = _MESSAGE.sub(" ", text).strip()
    if not text or len(text) > _LONGEST or text.count("\n") > 2:
        return None
    for read in (_callees_question, _tests_question, _uses_question):
        if (question := read(text)) is not None:
            return question
    return None


def _callees_question(text: str) -> CallersQuestion | None:
    name = _name_as_code(_CALLEES.search(text))
    return CallersQuestion(name, "callees") if name else None


def _tests_question(text: str) -> CallersQuestion | None:
    name = _name_as_code(_TESTED.search(text)) or _name_as_code(_TESTS.search(text))
    return CallersQuestion(name, "tests") if name and not _HOW.search(text) and not _NOT_TESTS.search(text) else None


def _uses_question(text: str) -> CallersQuestion | None:
    plain = False
    name = _directly_named(text)
    if not name:
        name = next((match[1] for pattern in _PLAIN if (match := pattern.search(text))), "")
        plain = bool(name)
    if not name or name.lower() in _NO_NAMES:
        return None
    outside = _OUTSIDE.search(text)
    return CallersQuestion(
        target=name,
        plain=plain,
        without_tests=_NOT_TESTS.search(text) is not None,
        outside=(outside[1] or ".") if outside else "",
        inside=_place_named(text, name),
        other_words=text.replace(name, " "),
    )


def _place_named(text: str, name: str) -> str:
    """Return the place in which uses of a name are asked for, empty for everywhere."""
    match = _INSIDE.search(text, text.find(name) + len(name))
    place = bare_name(match[1]) if match else ""
    return "" if place.lower() in _EVERYWHERE else place


_NO_NAMES = frozenset("it this that them these those he she they one what which who me us you".split())


def _directly_named(text: str) -> str:
    if _HOW.search(text):
        return ""
    for pattern in (*_DIRECT, _THROUGH, _ELSEWHERE):
        for match in pattern.finditer(text):
            if name := _name_as_code(match):
                return name
    names = [name for name in names_of_code(text) if name[0] != "."]
    files = [name for name in names if looks_like_a_file(name)]
    symbols = [name for name in names if name not in files]
    if symbols and _IT.search(text):
        return symbols[-1]
    if files and _FILE_USED.search(text):
        return files[-1]
    return symbols[0] if len(symbols) == 1 and _AFFECTED.search(text) else ""


def _name_as_code(match: re.Match[str] | None) -> str:
    """Return the name that a pattern found, if it is written as code."""
    name = next(filter(None, match.groups()), "") if match else ""
    return bare_name(name) if looks_like_code(name) else ""
