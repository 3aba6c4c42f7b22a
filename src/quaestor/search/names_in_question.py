"""Finds the names and paths in a question, and recognises a question that asks what one of them is. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, TypeAlias

from quaestor.chunking.languages import knows_extension
from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.search.language import language_of

_PART = r"[^\W\d][\w$]*"
NAME = (
    r"(?:`[^`\n]{1,200}`|(?<![\w$./\\@-])(?:[A-Za-z]:)?[/\\]?(?:[\w.@~+-]+[/\\])+[\w.@~+-]*\w"
    rf"|(?<![\w$@-])[@$#&*~]?\.?{_PART}(?:(?:::|->|\.|#|:|/)[~$@]?{_PART})*(?:\[\])?[!?*]?(?:\([^()\s]{{0,60}}\)"
    rf"|/\d{{1,2}}(?![\w./]))?)"
)
"""A name or a path as people write it in a sentence: ``Client.send``, ``src/a.py``, ``get!``, ``getSlot(byte[])``."""
_NAME = lazy_regex(NAME)
_CJK = r"[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]"
_GO_METHOD = lazy_regex(r"\(\*(\w{1,80})\)\.(?=\w)")
_BESIDE_CJK = lazy_regex(rf"(?<=[!-~])(?={_CJK})|(?<={_CJK})(?=[!-~])")
_MARKED = lazy_regex(
    r"[^\W_]_+[^\W_]|^_+\w|\w_+$|[a-z\d][A-Z]|[A-Z]{2,}[a-z]|::|->|[\w!?]/\d{1,2}$|\w#\w|\w\.\w|\w:\w|\(|\w!$"
    r"|[a-z]\d+[a-z]"
)
_ARGUMENTS = lazy_regex(r"\([^()]*\)$|\[\]$")
_ARITY = lazy_regex(r"([^\W\d][\w.:#]*[!?]?)/\d{1,2}")
"""A function with the number of its arguments, as Elixir and Erlang name it: ``lists:map/2``."""
_ABBREVIATIONS = frozenset({"e.g", "i.e", "etc", "vs", "a.k.a", "node.js", "vue.js", "next.js", "github", "javascript"})
_LONGEST = 300
_MOST_LETTERS = 4000


def bare_name(text: str) -> str:
    """Return a name without a sentence's marks around it: backticks, arguments, a full stop."""
    plain = text.strip().strip("`'\"“”").rstrip("?.,;:")
    counted = _ARITY.fullmatch(plain)
    return counted[1] if counted else _ARGUMENTS.sub("", plain).strip()


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


def set_apart(text: str) -> str:
    """Return a text with a space between its Chinese or Japanese and what else it has: ``send_all 在哪里``.

    A method as Go writes it, ``(*Client).Send``, becomes ``Client.Send``.
    """
    text = _GO_METHOD.sub(r"\1.", text)
    return text if text.isascii() else _BESIDE_CJK.sub(" ", text)


def names_of_code(text: str) -> tuple[str, ...]:
    """Return the names and paths of a question that are written as code, each once, in order."""
    words = (one.group() for one in _NAME.finditer(set_apart(text[:_MOST_LETTERS])))
    names = (bare_name(one) for one in words if looks_like_code(one))
    return tuple(dict.fromkeys(filter(None, names)))  # of `...` nothing is left


# What questions about a name of code say beside the name, in English, German, French, Spanish, Chinese and Japanese: a
# question that says nothing else is one of these. Words of Latin letters are matched whole, of others within a text.
_LATIN_GRAMMAR = frozenset(
    """who whose what which where is are was were be been being do does did done the a an of to in into on at from by
    for with as me my i we you they them it its that this these those there here any anyone anybody anything some
    someone somebody something still ever even also all every each actually really currently exactly else directly only
    just now gets get got can could will would shall should must may might please show list find give tell need want
    know see look like have has many much times time everywhere anywhere somewhere and or if so s d m ve re isn aren t
    place places spot spots line lines file files module modules class classes function functions method methods
    procedure procedures package packages crate crates header headers component components type types struct structs
    interface interfaces trait traits protocol protocols enum enums macro macros hook hooks decorator decorators
    constant constants variable variables exception exceptions error errors behaviour behaviours behavior behaviors
    code codebase source sources project repo repository name named symbol folder folders parts part
    wer wen wem was welche welcher welches welchen welchem wo woher von vom aus im sind war wird werden wurde die der
    das dem den des ein eine einer einem einen und oder alle alles jede jeder jedes noch irgendwo irgendwer irgendetwas
    etwas jemand überall überhaupt auch genau ich man mir uns es sie hier gibt zeig zeige liste nenne bitte mal auf ab
    an stelle stellen ort orte datei dateien modul module klasse klassen funktion funktionen methode methoden
    schnittstelle schnittstellen typ typen projekt kann darf wenn falls zu zum zur ist alles sich
    qui que quoi qu quel quelle quels quelles où ou sont ce c cet cette ces le la les l un une des de du dans par en et
    à elle il ils elles encore toujours quelque part tout toute tous toutes est endroit endroits fichier fichiers classe
    fonction fonctions méthode méthodes projet montre montrez moi donne liste trouve je j peux puis on y lieu lieux se
    si fait n pas
    quién quiénes quien qué cuál cuáles cuales dónde donde del el los las una unos unas al por o son está están todavía
    aún sigue siguen siendo todo todos toda todas lugar lugares archivo archivos fichero ficheros módulo módulos clase
    clases función funciones método métodos interfaz código proyecto muéstrame muestra dame puedo desde alguien algo hay
    yo su sus lo""".split()
)
_CJK_GRAMMAR = (
    "谁|哪里|哪儿|哪些|哪个|哪|什么|地方|在|被|了|的|是|有|人|还|吗|呢|所有|全部|请|列出|显示|告诉我|我们|我|函数|方法"
    "|类|接口|模块|文件|代码|这个|该|自|从|到|过|会|如果|中|里|些|一个|多少|几|次|处|都|和|与|项目|目前|仍然|仍|正在"
    "|位置|可以|能|一下|给|想|个|出|どこ|誰|だれ|何|なに|どの|どれ|どんな|関数|メソッド|クラス|インターフェース"
    "|モジュール|ファイル|コード|箇所|場所|一覧|リスト|全て|教え|定数|見せ|知り|以外"
    "|[\u3040-\u309f\u3000-\u303f\uff00-\uffef]"
)


class Vocabulary(NamedTuple):
    """The words that a kind of question about a name consists of.

    Attributes:
        words: words of Latin letters, in lower case.
        beginnings: prefixes of further words.
        cjk: a regular expression for the same words in Chinese and Japanese.
    """

    words: frozenset[str]
    beginnings: tuple[str, ...]
    cjk: str

    def has(self, word: str) -> bool:
        """Return whether a word in lower case is in the vocabulary; of Chinese and Japanese, whether a part is."""
        known = word in self.words or word.startswith(self.beginnings)
        return known or (not word.isascii() and re.search(self.cjk, word) is not None)


def vocabulary(latin: str, cjk: str) -> Vocabulary:
    """Build a vocabulary from words (``defin*``: with any ending) and a pattern for Chinese and Japanese."""
    words = latin.split()
    beginnings = tuple(word[:-1] for word in words if word.endswith("*"))
    return Vocabulary(frozenset(word for word in words if not word.endswith("*")), beginnings, cjk)


NAME_MARK = "§"
"""The placeholder for a name in the shape of a question."""
_KIND_OF_NAME = (
    r"(?:function|method|class|module|file|script|package|struct|trait|interface|enum|type|macro|constant|variable"
    r"|decorator|behaviou?r|protocol|component|header|exception|error|symbol|procedure|hook|funktion|methode|klasse"
    r"|schnittstelle|modul|datei|typ|konstante|fonction|méthode|classe|fichier|función|método|clase|interfaz|módulo"
    r"|archivo|fichero)"
)
_ARTICLES = (
    r"(?:\b(?:the|an?|this|that|our|my|die|der|das|den|dem|des|einer?|la|le|les|un|une|el|los|una)\s+|l\s*['’]\s*)"
)
_NAMED = lazy_regex(rf"{_ARTICLES}*(?:\b{_KIND_OF_NAME}\s+)?(?:called\s+|named\s+)?§(?:\s+{_KIND_OF_NAME}\b)?")
_SPOKEN = lazy_regex(r"§|[^\W\d_]+")


def shape_of(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a question in lower case with ``§`` for each name that is written as code, and these names in order.

    The kind of thing beside a name is left out: "Where is the class Shop used?" is "where is § used?".
    """
    names: list[str] = []

    def replace_name(match: re.Match[str]) -> str:
        if not looks_like_code(match[0]) or not bare_name(match[0]):
            return match[0]
        names.append(bare_name(match[0]))
        return f" {NAME_MARK} "

    masked = _NAME.sub(replace_name, set_apart(text.replace(NAME_MARK, " "))).lower()
    return " ".join(_NAMED.sub(NAME_MARK, masked).split()), tuple(names)


def says_only(shape: str, *vocabularies: Vocabulary) -> bool:
    """Return whether a question has a word of the first vocabulary, and only words of the vocabularies or of grammar.

    Without a vocabulary, return whether it has only words of grammar.
    """
    words = [word for word in _SPOKEN.findall(shape) if word != NAME_MARK]
    has_first = not vocabularies or any(map(vocabularies[0].has, words))
    return has_first and all(_is_known(word, vocabularies) for word in words)


def _is_known(word: str, vocabularies: Iterable[Vocabulary]) -> bool:
    if word.isascii() or not re.search(_CJK, word):
        return word in _LATIN_GRAMMAR or any(one.has(word) for one in vocabularies)
    cjk = "|".join([*(one.cjk for one in vocabularies), _CJK_GRAMMAR])
    return re.fullmatch(f"(?:{cjk})+", word) is not None


Aspect: TypeAlias = Literal["", "place", "signature", "returns", "raises", "members", "working"]


class NameQuestion(NamedTuple):
    """The name or file that a question asks to have explained.

    Attributes:
        target: the name or the path as it is written.
        kind: the word before the name that says what it is (``class``, ``file``), or "".
        aspect: what is asked of it: where it is defined, what it takes, what it returns, which errors it raises, or
    what
            it holds; empty for what it is.
        plain: whether the name is a plain word, which counts only if the corpus defines it; beside a kind, only if it
            is spelt exactly so there.
        line: the line of the file that is asked about, 1-based; 0 for all of it.
    """

    target: str
    kind: str = ""
    aspect: Aspect = ""
    plain: bool = False
    line: int = 0


_KINDS = (
    r"(class|function|method|module|file|script|package|struct|trait|interface|enum|type|macro|constant|variable"
    r"|document|page|decorator|protocol|component|header)"
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
    lazy_regex(rf"^\W*{_POLITE}{pattern}{_END}", _I)
    for pattern in (
        rf"(?:what|who)(?:\s+exactly)?(?:\s+is|['’]s|\s+are)\s+{_THING}"
        rf"(?:\s+(?:for|about|good for|used for|meant for|responsible for))?",
        rf"what(?:\s+exactly)?\s+(?:does|do|can)\s+{_THING}\s+(?:do|contain|hold|define|mean|provide|export|implement"
        rf"|represent|stand for)",
        rf"what(?:\s+is|['’]s)\s+(?:in|inside|defined in|the (?:purpose|point|role|job|definition|meaning"
        rf"|responsibility|use|idea) (?:of|behind))\s+{_THING}",
        rf"(?:explain|describe|summari[sz]e|show(?: me)?|find(?: me)?|locate|define|open|tell me about|definition of"
        rf"|purpose of|(?:which|what) (?:file|module) (?:has|holds|contains|defines|declares|implements)"
        rf"|documentation (?:of|for))\s+{_THING}",
        rf"where(?:\s+(?:is|are|can i find|do i find|do we have)|['’]s)\s+{_THING}"
        rf"(?:\s+(?:defined|declared|implemented|located))?",
        rf"where\s+does\s+{_THING}\s+(?:live|come from)",
        rf"how\s+(?:is|are)\s+{_THING}\s+(?:structured|organi[sz]ed|laid out|built up)",
        rf"{_THING}\s+(?:what (?:is|does) (?:it|this|that)(?: do)?|definition|explained|purpose)",
        rf"(?:was (?:ist|macht|tut)|qu['’]est-ce que|que fait|qué (?:es|hace))\s+{_THING}",
    )
)
_ASKS_PLACE = lazy_regex(r"\W*(?:where|definition|find|locate|(?:which|what) (?:file|module))\b", _I)
_ANY = lazy_regex("")
_PLAIN_WORD = lazy_regex(
    r"(?:\b(?P<article>the|an?|this|our|der|die|das|den|dem|des|eine?|le|la|les|une?|el|los|las|una)\s+)?(?<![\w$./-])(?P<word>[A-Za-z][A-Za-z\d_]+)(?![\w$/-]|\.\w)",
    _I,
)
_ASPECTS: dict[Aspect, Vocabulary] = {
    "place": vocabulary(
        "defin* declar* implemented implementation located location live lives contain contains reside* stand found go"
        " jump look definier* deklarier* implementiert steht liegt finde finden enthält défini* déclar* implémenté*"
        " trouve trouver contient définition defin* declar* encuentra encuentro contiene implementad*",
        "定义|声明|实现|位于|定義|宣言|実装",
    ),
    "returns": vocabulary(
        "return returns returned returning type value output result results zurück liefert rückgabe* wert retourn*"
        " renvo* valeur retour devuelv* retorn* tipo valor",
        "返回值?|输出|类型|戻り値|返り値|返す|返し|返され|型",
    ),
    "signature": vocabulary(
        "argument arguments arg args parameter parameters param params signature input inputs take takes accept"
        " accepts expect expects receive receives return returns returned returning prototype type value needed"
        " required argumente parameter* signatur nimmt erwartet akzeptiert bekommt entgegen zurück liefert rückgabe*"
        " wert hat braucht arguments paramètre* prend accepte attend reçoit retourn* renvo* valeur retour argumento*"
        " parámetro* firma recibe toma acepta devuelv* retorn* tipo valor tiene",
        "参数|返回值?|签名|接受|需要|类型|输入|输出|引数|戻り値|返り値|返す|返し|返され|受け取|取り|型|シグネチャ",
    ),
    "raises": vocabulary(
        "raise raises raised throw throws thrown panic panics error errors exception exceptions wirft werfen geworfen"
        " fehler ausnahme ausnahmen auslösen lève lever lance lancer erreur erreurs lanza lanzar errores excepción"
        " excepciones",
        "抛出|异常|错误|例外|エラー|投げ|送出",
    ),
    "members": vocabulary(
        "methods functions fields attributes members property properties variants values constants classes types"
        " defin* declar* provide* offer* expose* export* support* belong* methoden felder attribute eigenschaften hat"
        " besitzt méthodes champs attributs a possède propriétés métodos campos atributos propiedades tiene",
        "方法|字段|属性|成员|メソッド|フィールド|メンバ",
    ),
    "": vocabulary(
        "do does mean means meaning purpose explain* describe* summari* role job responsible about exist exists happen"
        " happens inside contain contains point idea play plays macht machen tut tun bedeutet erklär* beschreib* wofür"
        " wozu zweck dient gut da aufgabe enthält steht passiert contient signifie expliqu* décri* sert rôle but fait"
        " hace contiene significa explica* explíca* describe* sirve propósito para",
        "是什么|作用|用途|用处|功能|解释|说明|介绍|意思|做|干|用|是|とは|何|説明|役割|意味|目的",
    ),
}
_ASKS_FOR: dict[Aspect, re.Pattern[str]] = {
    "place": lazy_regex(
        r"\b(?:where|which|what|find|definition|declaration|look|go|jump|wo|welche\w?|finde|show|où|quel\w*|d[oó]nde"
        r"|qu[ée])\b|哪|どこ|定义|定義"
    ),
    "raises": lazy_regex(
        r"\b(?:what|which|does|do|can|could|may|welche\w?|was|quel\w*|qu|qu[eé])\b|哪|什么|どんな|何|会"
    ),
    "members": lazy_regex(
        r"\b(?:methods|functions|fields|attributes|members|propert\w+|variants|values|constants|classes|types|methoden"
        r"|felder|attribute|eigenschaften|méthodes|champs|attributs|propriétés|métodos|campos|atributos|propiedades)\b"
        r"|方法|字段|属性|成员|メソッド|フィールド|メンバ"
    ),
}
_OF_PLAIN: tuple[Aspect, ...] = ("place", "returns", "signature", "members")
_OTHER_QUESTIONS = frozenset("how when why whether".split())
_OF_DEFINITIONS: frozenset[Aspect] = frozenset({"returns", "signature", "raises"})
_AT_LINE = lazy_regex(
    r"(?P<path>[\w./\\@~+-]*\w\.\w+)(?:(?::|#L|\(|,?\s+(?:(?:on|at|in"
    r"|near)\s+)?lines?\s+)(?P<line>\d{1,7})(?:[:,-]L?\d+)*\)?)|\b(?:(?:on|at"
    r"|in)\s+)?lines?\s+(?P<before>\d{1,7})(?:\s*(?:-|to)\s*\d+)?\s+(?:of|in)\s+(?P<file>[\w./\\@~+-]*\w\.\w+)",
    _I,
)
"""A line of a file: "client.py:120", "client.py#L120", "client.py line 120", "line 120 of client.py"."""
_OF_OTHERS = lazy_regex(
    r"\b(?:who(?! def| dec)|how many|when)\b|\b(?:return(?:s|ing)?|takes?|accepts?|expects?|receives?|needs?"
    r"|rais(?:es?|ing)|throw(?:s|ing)?|provides?|supports?) §|どのよう|どう|なぜ|いつ"
)
"""A question for other names that have to do with this one: "which functions return Client?"."""
_OF_CODE = lazy_regex(
    r"\b(?:arguments?|args|param(?:eter)?s?|signature|prototype|returns?|returned|takes?|accepts?|expects?|defin\w+"
    r"|declar\w+|methods|fields|attributes|members)\b"
)
"""Words used only of code: beside one, a plain word may be a name."""
_WHERE_IS = lazy_regex(r"\W*where(?:['’]?s|\s+is)\b", _I)
_IMPLEMENTED = lazy_regex(
    r"\W*where(?:['’]?s|\s+is|\s+are)\s+(?:the\s+)?(?P<words>[a-z]\w*(?:[\s-]+[a-z]\w*){0,2}?)\s+(?:implemented|programmed)\W*",
    _I,
)
"""A question for the place of something in words that may be the name of a class: "the ban manager"."""
_ONE_OF_MANY = lazy_regex(
    r"\W*what(?:['’]?s|\s+is|\s+does)\s+an?\s+(?P<words>[a-z]\w*(?:[\s-]+[a-z]\w*){0,2}?)(?:\s+do)?\W*", _I
)
_ASKS = lazy_regex(
    r"\b(?:what|where|which|find|show|tell|give|list|know|see|is there|was|wo|zeige?|welche\w?|qu[eé]|quoi|où|montrez?"
    r"|d[oó]nde|muestra|muéstrame|dame)\b|什么|哪|显示|何|どこ|見せ|教え"
)
_HOW_IT_WORKS = lazy_regex(
    r"\bhow (?:exactly )?(?:does|do|is|are) § (?:exactly |actually |really )?(?:work|works|implemented|function)\b"
    r"|\bwie (?:funktioniert|arbeitet) §|\bcomment (?:fonctionne|marche) §|\bcómo funciona §|§ 是?(?:如何|怎么"
    r"|怎样)(?:工作|运行|实现)的?|§ は(?:どのように|どう)(?:動作|動|機能|実装)"
)
_GOES_ON = lazy_regex(r"\W*(?:and|or|und|oder|et|ou|y)\b")


def read_name_question(text: str) -> NameQuestion | None:
    """Return the name that a question wants explained; None if it asks for more, or names nothing.

    A plain word counts as a name only with its kind (``what is the class client``) or with a capital letter.
    """
    text = set_apart(text.strip())
    if not text or len(text) > _LONGEST or "\n" in text:
        return None
    if (at := _AT_LINE.search(text)) is not None and knows_extension(at["path"] or at["file"]):
        rest = f"{text[: at.start()]} {at['path'] or at['file']} {text[at.end() :]}"
        asked = read_name_question(rest)
        return None if asked is None else asked._replace(line=int(at["line"] or at["before"]))
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
            return NameQuestion(bare_name(name), kind, "place" if _ASKS_PLACE.match(text) else "")
    return _question_of_words(text)


def _question_of_words(text: str) -> NameQuestion | None:
    """Return what a question asks of a name by all the words beside it; None if these say anything else."""
    shape, names = shape_of(text)
    if not names:
        return _question_of_plain_word(text, shape)
    if len(names) == 1 and _HOW_IT_WORKS.search(shape) and says_only(_HOW_IT_WORKS.sub(" ", shape)):
        return NameQuestion(names[0], aspect="working")
    if len(names) > 1 or _OF_OTHERS.search(shape):
        return None
    if says_only(shape) and _ASKS.search(shape) and not _GOES_ON.match(shape):
        return NameQuestion(names[0], aspect="place" if _ASKS_FOR["place"].search(shape) else "")
    aspects = (one for one in _ASPECTS if one not in _OF_DEFINITIONS or not looks_like_a_file(names[0]))
    aspects = (one for one in aspects if says_only(shape, _ASPECTS[one]))
    aspect = next((one for one in aspects if _ASKS_FOR.get(one, _ANY).search(shape)), None)
    return None if aspect is None else NameQuestion(names[0], aspect=aspect)


def _question_of_plain_word(text: str, shape: str) -> NameQuestion | None:
    """Return what a question asks of a plain word that may be a name; None if the question is not only about code."""
    if language_of(text):
        words = ((one, plain_name(text, _ASPECTS[one])) for one in _OF_PLAIN)
        return next((NameQuestion(word, aspect=aspect, plain=True) for aspect, word in words if word), None)
    if (match := _IMPLEMENTED.fullmatch(text)) is not None:
        return NameQuestion(_as_class(match["words"]), "class", "place", plain=True)
    if _WHERE_IS.match(text) and (word := plain_name(text)):
        return NameQuestion(word, aspect="place", plain=True)
    for aspect in _OF_PLAIN if _OF_CODE.search(shape) else ():
        word = plain_name(text, _ASPECTS[aspect])
        if word and (aspect != "members" or word[0].isupper()) and not _OF_OTHERS.search(shape_around(text, word)):
            return NameQuestion(word, aspect=aspect, plain=True)
    return None


def read_class_question(text: str) -> NameQuestion | None:
    """Return the class that one of many things may be, as of "what is a gate?"; None for any other question."""
    match = _ONE_OF_MANY.fullmatch(text) if len(text) <= _LONGEST else None
    return None if match is None else NameQuestion(_as_class(match["words"]), "class", plain=True)


def _as_class(words: str) -> str:
    return "".join(word[0].upper() + word[1:] for word in re.split(r"[\s-]+", words))


def plain_name(text: str, *vocabularies: Vocabulary) -> str:
    """Return the one word of a question that is in no vocabulary, and so may be a name; empty if there is none.

    A word behind an article, as in "the timeout", is no name unless it begins with a capital.
    """
    words = [one for one in _PLAIN_WORD.finditer(text) if not _is_known(one["word"].lower(), vocabularies)]
    if len(words) != 1 or words[0]["word"].lower() in _OTHER_QUESTIONS:
        return ""
    [word] = words
    is_name = not word["article"] or word["word"][0].isupper()
    return word["word"] if is_name and says_only(shape_around(text, word["word"]), *vocabularies) else ""


def shape_around(text: str, word: str) -> str:
    """Return the shape of a question in which a plain word is a name."""
    return shape_of(re.sub(rf"\b{re.escape(word)}\b", f"`{word}`", text, count=1))[0]


def asks_about_a_word(text: str) -> bool:
    """Return whether a question asks about a word whose capital letter alone makes it a name: "What is Shop?"."""
    request = read_name_question(text)
    return request is not None and not request.kind and not _is_name(request.target)


def _is_name(text: str) -> bool:
    return bool(bare_name(text)) and (looks_like_code(text) or looks_like_a_file(text))
