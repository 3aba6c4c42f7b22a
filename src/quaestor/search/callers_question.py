"""Recognises questions about who uses a name. Pure.

A name that is written as code may stand nearly anywhere in the question; a plain word (``who calls send?``) must follow
a word about code and end the question.
"""

from __future__ import annotations

import re
from typing import Literal

from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.search.language import language_of
from quaestor.search.names_in_question import (
    NAME,
    bare_name,
    looks_like_a_file,
    looks_like_code,
    names_of_code,
    plain_name,
    says_only,
    set_apart,
    shape_around,
    shape_of,
    vocabulary,
)

UseKind = Literal["uses", "tests", "callees"]
Relation = Literal["", "subtypes", "imports", "raises", "catches", "returns"]


class CallersQuestion(NamedTuple):
    """A question about the uses of a name.

    Attributes:
        target: the name or the path as it is written.
        kind: ``uses`` of it, the ``tests`` that use it, or its ``callees``, which it uses itself: what a file imports.
        relation: the only uses that are asked for: its subtypes (what inherits from it or implements it), or the places
            that import, raise, catch or return it; empty for all.
        plain: whether the name is a plain word, which counts only if the corpus defines it.
        without_tests: whether tests are not asked for.
        outside: a path in which uses are not asked for; ``.`` for the file that defines the name.
        inside: the file, folder, class or function in which alone they are asked for; empty for everywhere.
        other_words: the question's other words; files whose paths hold them come first.
    """

    target: str
    kind: UseKind = "uses"
    relation: Relation = ""
    plain: bool = False
    without_tests: bool = False
    outside: str = ""
    inside: str = ""
    other_words: str = ""


_LONGEST = 400
_MESSAGE = lazy_regex(r"\"(?:[^\"\s]*\s){2}[^\"\n]*\"|“(?:[^“”\s]*\s){2}[^“”\n]*”")
"""Three or more quoted words: a program's message, not a name."""
_VERBS = (
    r"(?:calls?|called|calling|uses?|used|using|invokes?|invoked|instantiates?|constructs?|creates?|imports?|imported"
    r"|includes?|requires?|references?|referenced|depends? (?:up)?on|rel(?:y|ies) (?:up)?on|consults?|touch(?:es)?"
    r"|subclass(?:es)?|inherits? from|extends?|overrides?|implements?|consumes?|raises?|throws?|catch(?:es)?"
    r"|triggers?)"
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
    lazy_regex(
        rf"{_WHO}(?:\s+else)?(?:\s+(?!happens?\s|if\s|when\s)[\w-]+){{0,6}}?\s+{_SOME}{_VERBS}\s+{_ARTICLE}({NAME})", _I
    ),
    lazy_regex(
        rf"\b(?:callers?|call sites?|usages?|uses|users|references|invocations)\s+(?:of|to|for)\s+{_ARTICLE}({NAME})",
        _I,
    ),
    lazy_regex(rf"({NAME})(?:'s)?\s+(?:callers?|call sites?|usages?|references)\b", _I),
    lazy_regex(
        rf"({NAME})\s+(?:is\s+|gets\s+)?(?:called|used|invoked|referenced|imported)\s+(?:by|from|in|where|anywhere)\b",
        _I,
    ),
    lazy_regex(
        rf"\bwhere(?:ver)?\s+(?:else\s+)?(?:is|are|do we|do you|does \w+|do they)\s+{_ARTICLE}({NAME})\s+(?:\w+\s+)?"
        rf"(?:call(?:ed)?|used?|invoked?|imported?|instantiated?|referenced?|constructed?|created)\b",
        _I,
    ),
    lazy_regex(
        rf"\b(?:is|are)\s+{_ARTICLE}({NAME})\s+(?:still\s+|ever\s+|even\s+)*(?:called|used"
        rf"|referenced)\s+(?:anywhere|somewhere|at all)",
        _I,
    ),
)
_PLAIN = (
    lazy_regex(
        rf"^\W*(?:who|what|which (?:\w+ ){{0,2}}?(?:functions?|methods?|code|classes|modules?|files?"
        rf"|places?))\s+{_SOME}{_STRONG}\s+{_ARTICLE}`?({_WORD})`?(?:\(\))?{_END_OR_PLACE}",
        _I,
    ),
    lazy_regex(
        rf"^\W*(?:find |list |show |all )*(?:the )?(?:callers?|call sites?"
        rf"|usages?)\s+of\s+{_ARTICLE}`?({_WORD})`?(?:\(\))?{_END_OR_PLACE}",
        _I,
    ),
    lazy_regex(
        rf"^\W*where\s+(?:else )?(?:is|are)\s+{_ARTICLE}`?({_WORD})`?(?:\(\))?\s+(?:called|invoked|imported"
        rf"|instantiated){_END_OR_PLACE}",
        _I,
    ),
    lazy_regex(rf"^\W*(?:who|what)\s+{_SOME}{_VERBS}\s+{_ARTICLE}`?({_KEBAB})`?(?:\(\))?{_END_OR_PLACE}", _I),
    lazy_regex(rf"^\W*where\s+(?:else )?is\s+{_ARTICLE}`?({_KEBAB})`?\s+(?:used|referenced){_END_OR_PLACE}", _I),
)
_INSIDE = lazy_regex(rf"{_PLACE}{_END}", _I)
_TEST_PLACES = frozenset({"test", "tests", "spec", "specs"})
_EVERYWHERE = frozenset(
    """this it that here there where production general practice total case code project repo repository codebase
    library""".split()
)
# The thing was named before: "I changed X; who uses it?"
_IT = lazy_regex(rf"{_WHO}(?:\s+[\w-]+){{0,3}}?\s+{_VERBS}\s+(?:it|this|that|them)\b|^\W*{NAME}\s*[:,-]\s*who\b", _I)
_FILE_USED = lazy_regex(
    rf"{_WHO}(?:\s+[\w-]+){{0,3}}?\s+(?:uses?|imports?|includes?|requires?|depends? on|rel(?:y|ies) on)\s+it\b", _I
)
_AFFECTED = lazy_regex(
    r"\b(?:which|what|who)\b.{0,60}\b(?:affected|hit|broken|break|breaks)\b.{0,20}\bif\b|\bif\b.{0,80}\b(?:callers?"
    r"|users?|call sites?)\b",
    _I,
)
_AUXILIARY = r"(?:do|does|did|is|are|was|were|be|can|could|should|must|may|might|will|would)"
# Many verbs lead to a name: "which scripts log in through LoginAPI", "which clauses lead to init_dir"; but not where
# somebody does it: "which handlers must I pass to set_handlers", "which bindings can be used on svelte:document".
_THROUGH = lazy_regex(
    rf"^\W*(?:who|which)\s+(?:(?!(?:I|we|you|one|{_AUXILIARY})\s)[\w-]+\s+){{2,5}}?(?:with|through|via|by|into|to"
    rf"|on)\s+({NAME})(?:\s*\([^()]*\))?\s*[?.]?\s*$",
    _I,
)
_TESTS = lazy_regex(
    rf"\b(?:which|what|are there(?: any)?|where are(?: the)?|show(?: me)?(?: the)?"
    rf"|find(?: the)?)?\s*\b(?:unit )?(?:tests?|specs?)\b"
    rf"(?:\s+\w+){{0,2}}?\s+(?:for|of|cover(?:s|ing)?|exercis(?:e|es|ing)|call(?:s|ing)?|check(?:s|ing)?|test(?:s"
    rf"|ing)?|use[sd]?|touch(?:es)?)\s+{_ARTICLE}({NAME})",
    _I,
)
_TESTED = lazy_regex(
    rf"^\W*(?:what|who)\s+tests\s+{_ARTICLE}({NAME}){_END}|\bwhere\s+(?:is|are)\s+{_ARTICLE}({NAME})\s+(?:tested"
    rf"|covered){_END}",
    _I,
)
_CALLEES = lazy_regex(
    rf"\b(?:what|which (?:\w+ )?(?:functions|methods|procedures|helpers))\s+(?:does|do|are"
    rf"|is)\s+{_ARTICLE}({NAME})\s+(?:all\s+)?(?:calls?|invokes?)\b"
    rf"|\bcallees\s+of\s+({NAME})|\bwhat\s+(?:is|gets)\s+called\s+(?:by|from|in)\s+({NAME})",
    _I,
)
_NOT_TESTS = lazy_regex(
    r"\b(?:outside|apart from|except|excluding|other than|besides|not in|without)\s+(?:of\s+)?(?:its\s+|the\s+"
    r"|any\s+)?(?:unit\s+)?(?:tests?|specs?)\b|\bin production\b|\b(?:main|production) (?:sources?|code)\b"
    r"|\bnon-test\b",
    _I,
)
_OUTSIDE = lazy_regex(
    r"\b(?:outside|apart from|except|excluding|other than)\s+(?:of\s+|in\s+|from\s+)?(?:(?:its|the"
    r"|that)\s+(?:own\s+)?(?:module|file|package|class)|([\w./\\-]+\.\w+))",
    _I,
)
_USE = vocabulary(
    "call calls called calling caller callers site sites use uses used using user users usage usages invo* reference*"
    " refers depend depends depending dependents rely relies consum* import* includ* require requires required"
    " instantiat* construct constructs constructed create* creating instance instances object objects new implement"
    " implements implementing implementations implementers implementors inherit* subclass* subtype* extend extends"
    " extended extending deriv* descend* raise raises raised raising throw throws thrown throwing catch catches"
    " catching caught trigger* unused dead needed aufruf* aufgerufen ruf ruft rufen verwend* benutz* nutz* genutzt"
    " referenz* importier* instan* erzeug* erstell* implementier* erb* abgeleitet* leitet leiten ableit* unterklasse*"
    " erweiter* überschreib* wirft werfen geworfen fäng* fangen abgefangen gebraucht braucht brauchen hängt hängen"
    " abhäng* appel* utilis* employ* emploi* import* référenc* instanci* crée* implément* hérit* dériv* étend* sous"
    " lev* lève* lanc* dépend* attrap* llam* us usa usan usar uso usos usado* usada* usando utiliz* invoc* crea crean"
    " creado creada hered* extiend* subclase* lanza* depende* captur*",
    "调用者?|使用|用到|引用|导入|实例化?|创建|实现|继承自?|派生|子类|抛出|捕获|依赖|(?<!什么)用(?![途处])|呼び?出|呼"
    "|使|利用|参照|元|インポート|インスタンス|化|生成|作成|実装|継承|投|送出|キャッチ|捕捉|依存",
)
_CHANGE = vocabulary(
    "chang* renam* remov* delet* drop drops modif* break breaks breaking broken affect* impact* safe safely signature"
    " edit update refactor* touch happen happens else gets parameter argument new änder* lösch* entfern* umbenenn*"
    " umbenannt kaputt bricht betroffen signatur gefahrlos passiert geht modifi* supprim* renomm* casse* impact*"
    " cambi* borr* elimin* renombr* rompe* afecta* firma pasa danger",
    "修改|更改|改|变|删除?|删|重命名|影响|破坏|坏|签名|安全|变更|変更|変|削除|消|影響|壊|名前|安全",
)
_TESTING = vocabulary(
    "test tests tested testing spec specs cover* exercis* check checks getestet testen testet abgedeckt deck* prüf*"
    " testé* testent couv* prueba* cubr* cubiert*",
    "测试|覆盖|テスト",
)
_HYPOTHETICAL = lazy_regex(
    r"\b(?:if|safe|can i|may i|could i|should i|affected|broken|wenn|falls|kann|darf|betroffen|si|peux|puis|puedo)\b"
    r"|如果|若|可以|能|会|影响|たら|れば|ると|ても|影響"
)
_ACTIVE = lazy_regex(
    r"\b(?:does|do|did|can|could|may|might|will|would|should) § (?:\w+ ){0,2}?(?:call|use|invoke|import|include"
    r"|require|depend|rely|throw|raise|catch|extend|implement|inherit|create|instantiate|construct|reference"
    r"|override)\b|\bis § (?:an? )?(?:subclass|subtype|derived|descend)(?!ed)|(?<!est-ce )\bque § |^\W*(?:was"
    r"|qué) (?:verwendet|benutzt|nutzt|ruft|importiert|usa|utiliza|llama|importa) §|\bcalled (?:by|from|in|within"
    r"|inside) §|\bvon § (?:aufgerufen|benutzt|verwendet)|\b(?:appel|utilis)\w+ par §|\b(?:llamad|usad)\w+ por §|被 ?§"
    r"|§ ?(?:会|可能|都|还)*(?:调用|使用|用到|导入|引用|抛出|继承|实现|依赖)(?!者)|§ ?は[^§]*を[^§]*(?:呼|使|利用"
    r"|インポート|投げ|継承|実装)|§ ?から呼"
)
"""What the name itself uses, calls or is derived from."""
_CALLS = lazy_regex(
    r"call|\buse|invoke|import|depend|rely|ruft|aufgerufen|appel|llam|dépend|导入|依赖|调用|呼|インポート|依存"
)
_NO_USES = lazy_regex(
    r"^\W*(?:can|could|may) (?:i|we|you) (?:\w+ )?(?:use|call|import|create|extend|implement)\b"
    r"|^\W*should (?!i\b|we\b)|\bhappens (?:if|when) (?:\w+ ){0,3}(?:calls?|uses?|invokes?) §|\b(?:is|are|does"
    r"|it's) § implemented|^\W*who (?:\w+ )?created §|where [^§]*§ (?:\w+ )?implemented|どのよう|どう|なぜ|いつ"
)
_SAID_OF_CODE = lazy_regex(
    r"\b(?:call|calls|calling|invo\w+|import\w*|instantiat\w+|callers? (?:of|does)|call sites of"
    r"|us(?:age|e)s of|who uses|invocations of) §"
    r"|§ (?:\w+ ){0,2}(?:used|called|invoked|imported|instantiated|callers|usages)\b"
)
"""What is said of code alone, so that a plain word may be its name."""
_OWN_USE = lazy_regex(r"\W*(?:do|does|did|is|are)\s+(?:it|this|that|the|we|you|they)\b.* us(?:e|ing) §")
_RETURNED = lazy_regex(r"\b(?:return|returns|returning) §|§ (?:\w+ )?returned\b|返回了? ?§|§ ?を返")
"""What others do with the name: "which functions return Client?"."""
_HOW_MANY = lazy_regex(r"\bhow (?:many(?: times)?|often)\b|^\W*how(?= is .{1,200}\btested\b)", _I)
_RELATIONS: tuple[tuple[Relation, re.Pattern[str]], ...] = (
    (
        "subtypes",
        lazy_regex(
            r"inherit|subclass|subtype|implement|extend|deriv|descend|\berb(?:t|en)\b|ableit|abgeleit|leite[tn]"
            r"|unterklass|erweiter|hérit|sous|étend|dériv|implément|hered|extiend|subclase|继承|派生|子类|实现|継承"
            r"|実装"
        ),
    ),
    ("imports", lazy_regex(r"import|导入|インポート")),
    ("raises", lazy_regex(r"\brais|\bthrow|wirft|werfen|geworfen|\blev|lève|\blan[zc]|抛出|投|送出")),
    ("returns", lazy_regex(r"return|返")),
    ("catches", lazy_regex(r"catch|caught|fäng|fang|attrap|captur|捕获|捕捉|キャッチ")),
)
_HOW = lazy_regex(r"^\W*(?:how|why|when)\b|\bhow (?:do|does|can|could|should|to|is|are)\b|\bwhy\b", _I)


def read_callers_question(text: str) -> CallersQuestion | None:
    """Return what a question asks about the uses of a name, or None if it asks for something else."""
    text = set_apart(_MESSAGE.sub(" ", text).strip())
    if not text or len(text) > _LONGEST or text.count("\n") > 2:
        return None
    for read in (_callees_question, _question_of_words, _tests_question, _uses_question):
        if (question := read(text)) is not None:
            return question
    return None


def _callees_question(text: str) -> CallersQuestion | None:
    name = _name_as_code(_CALLEES.search(text))
    return CallersQuestion(name, "callees") if name else None


def _question_of_words(text: str) -> CallersQuestion | None:
    """Return what a question asks by all the words beside the name, in any order and in several languages."""
    text_before, inside = _without_place(text)
    rest = _HOW_MANY.sub(" ", _NOT_TESTS.sub(" ", _OUTSIDE.sub(" ", text_before)))
    shape, names = shape_of(rest)
    plain = not names
    if not names and (word := plain_name(rest, _USE)):
        shape = shape_around(rest, word)
        names = (word,) if word[0].isupper() or _SAID_OF_CODE.search(shape) or language_of(text) else ()
    kind = _kind_of_shape(shape) if len(names) == 1 else None
    if kind is None:
        return None
    plain = plain or _OWN_USE.match(shape) is not None
    related = (relation for relation, pattern in _RELATIONS if kind == "uses" and pattern.search(shape))
    relation: Relation = next(related, "")
    return _make_question(text, names[0], kind, plain=plain)._replace(relation=relation, inside=inside)


def _without_place(text: str) -> tuple[str, str]:
    """Return a question without the place of code that it ends with, and that place; the question and "" for none.

    "In the codebase" is no such place, nor is a name that is the only one.
    """
    match = _INSIDE.search(text)
    place = bare_name(match[1]) if match is not None else ""
    if match is None or place.lower() in _EVERYWHERE | _TEST_PLACES:
        return text, ""
    is_code = looks_like_code(match[1]) or place[:1].isupper() or not match[0].rstrip("?.! ").endswith(match[1])
    before = text[: match.start()]
    return (before, place) if is_code and (names_of_code(before) or plain_name(before, _USE)) else (text, "")


def _kind_of_shape(shape: str) -> UseKind | None:
    if _NO_USES.search(shape):
        return None
    shape = _RETURNED.sub("used §", shape)
    if _ACTIVE.search(shape):
        return "callees" if _CALLS.search(shape) and says_only(shape, _USE) else None
    if says_only(shape, _TESTING, _USE) and not re.search(r"\bonly\b", shape):
        return "tests"
    changed = _HYPOTHETICAL.search(shape) is not None and says_only(shape, _CHANGE, _USE)
    return "uses" if changed or says_only(shape, _USE) or says_only(shape, _USE, _TESTING) else None


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
    verb = re.search(rf"([\w ]{{3,20}})\s{_ARTICLE}`?{re.escape(name)}", text)
    related = (relation for relation, pattern in _RELATIONS if verb is not None and pattern.search(verb[1]))
    return _make_question(text, name, "uses", plain=plain)._replace(relation=next(related, ""))


def _make_question(text: str, name: str, kind: UseKind, *, plain: bool) -> CallersQuestion:
    outside = _OUTSIDE.search(text)
    return CallersQuestion(
        target=name,
        kind=kind,
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
    for pattern in (*_DIRECT, _THROUGH):
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
