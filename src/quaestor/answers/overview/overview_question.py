"""Recognises the questions that an overview answers, and those about how the project is built and tested. Pure.

Such a question has no subject but the whole project: "what is this project" has none, "what is this parameter for" and
"what is httpx" have one. In English its words decide; in other languages whole questions are matched, with a short list
of names for the whole.

People ask for an overview in more ways than anybody could list, but with few words: those for the whole (``project``,
``docs``), for its parts, for its shape, and for reading. So a question asks for an overview if it has no words but
these and stop words, and asks for the shape, the parts, a beginning, or what the whole is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable

from quaestor.core.light_imports import lazy_regex

# What is pasted may be a megabyte, and " please" again and again takes the square of it.
_LONGEST = 2_000
_LONGEST_SHORT = 120
_POLITE = lazy_regex(
    r"^(?:(?:hi|hello|hey|ok|okay|so|and|please|pls|quick question|hallo|bonjour|hola|bitte|por favor)[,!.:]*\s+"
    r"|(?:can|could|would|will) you (?:please |kindly )?|(?:i(?:'d| would) like|i want|i need) (?:you to "
    r"|to (?:know|see|have) )?"
    r"|tell me (?:please )?|explain (?:to me )?(?=(?:what|how|where)\b)|do you know (?=what|how|where))+",
)
_TRAILING = lazy_regex(
    r"(?:\s+(?:please|pls|thanks|thank you|exactly|in general|in short|briefly|bitte|s'il (?:te|vous) pla[iî]t))+$"
)
_DAS = (
    r"(?:dieses?|das|dem|diesem|diese[rn]?|der|die)(?: ganzen?)? (?:projekt|repo|repository|bibliothek|paket"
    r"|code|quellcode|quelltext|codebasis"
    r"|anwendung|programm|werkzeug|tool|framework|software|ordner|verzeichnis|dokumenten?|texten?|sammlung|dateien)"
)
_GERMAN = (
    rf"was (?:ist|sind|macht|kann|enthält|enthalten) (?:das(?: hier| alles)?|dies|{_DAS})(?: hier)?",
    rf"worum geht es(?: hier| in {_DAS})?",
    r"wo (?:fange|beginne|soll|sollte|kann|muss) ich(?: am besten)?(?: (?:an|anfangen|beginnen))?(?: zu lesen"
    r"| mit dem lesen| lesen)?(?: anfangen| beginnen)?",
    rf"wie (?:ist|sind) (?:das|{_DAS})(?: hier)? (?:aufgebaut|gegliedert|organisiert|strukturiert|aufgeteilt)",
    rf"(?:gib|zeig|zeige|mach) (?:mir |uns )?(?:einen |eine )?(?:kurzen |kurze |groben )?(?:überblick|übersicht"
    rf"|zusammenfassung|landkarte)(?: (?:über|von|zu) {_DAS})?",
    rf"(?:überblick|übersicht)(?: (?:über|von|zu) {_DAS})?",
    rf"(?:was|welche) sind die (?:haupt|wichtigsten )(?:teile|bestandteile|komponenten|module|ordner|dateien"
    rf"|pakete)(?: (?:von|in) {_DAS}| {_DAS})?",
    rf"was steht (?:hier|in {_DAS})",
    rf"welche (?:kapitel|teile|themen) (?:gibt es|hat {_DAS}|enthält {_DAS})(?: hier| insgesamt)?",
    r"(?:was ist |wie ist )?die (?:struktur|architektur|gliederung) (?:(?:von|in) )?(?:des|der|diese[srm]|dem)"
    r"(?: ganzen)? (?:projekts?|repos?|repositorys?|bibliothek|pakets?|codes?|quellcodes?|anwendung|programms?)",
)
_CE = (
    r"(?:ce|cet|cette|ces|le|la|les|du|des)(?: (?:projet|dépôt|repo|bibliothèque|paquet|code|programme|outil"
    r"|application|logiciel|dossier"
    r"|documents|fichiers|textes|framework))"
)
_FRENCH = (
    rf"(?:qu'est-ce que (?:c'est(?: que {_CE})?|{_CE})|c'est quoi(?: {_CE})?)",
    rf"(?:que (?:fait|font|contient|contiennent)|à quoi sert) {_CE}",
    rf"de quoi (?:s'agit-il|parlent? {_CE}|traitent? {_CE})",
    rf"par où (?:commencer|dois-je commencer|je commence|commence-t-on)(?: (?:à lire|la lecture"
    rf"|pour lire)(?: {_CE})?)?",
    rf"comment (?:{_CE} est-il|est|sont) (?:{_CE} )?(?:organisée?s?|structurée?s?|agencée?s?)(?: {_CE})?",
    rf"(?:donne|donnez|montre|montrez)-(?:moi|nous) (?:un aperçu|une vue d'ensemble|un résumé)(?: (?:de |du "
    rf"|des )?{_CE})?",
    r"(?:aperçu|vue d'ensemble)(?: du (?:projet|code|dépôt))?",
    rf"(?:quelle est |explique )?(?:la structure|l'architecture|l'organisation) (?:de )?{_CE}",
    rf"quel(?:le)?s sont les (?:principales parties|principaux (?:composants|modules|fichiers|dossiers)"
    rf"|parties principales)(?: (?:de |du )?{_CE})?",
)
_ESTE = (
    r"(?:este|esta|estos|estas|el|la|los|las|del)(?: (?:proyecto|repositorio|repo|biblioteca|librería|paquete"
    r"|código|programa|herramienta"
    r"|aplicación|carpeta|documentos|archivos|textos|framework))"
)
_SPANISH = (
    rf"(?:qué|que) (?:es|hace|contiene|contienen|son) (?:esto|{_ESTE})",
    rf"de (?:qué|que) (?:trata|va|se trata|tratan)(?: (?:esto|{_ESTE}))?",
    rf"(?:por )?(?:dónde|donde) (?:empiezo|empezar|comienzo|comenzar|debo empezar|puedo empezar"
    rf"|debería empezar)(?: a leer(?: {_ESTE})?)?",
    rf"(?:cómo|como) (?:está|esta|están|se) (?:organizad[oa]s?|estructurad[oa]s?|organiza|estructura)(?: {_ESTE})?",
    rf"(?:dame|muéstrame|quiero) (?:un resumen|una visión general|un panorama|una vista general)(?: (?:de )?{_ESTE})?",
    r"(?:resumen|visión general) del (?:proyecto|repositorio|código)",
    rf"(?:(?:cuál|cual) es )?la (?:estructura|arquitectura|organización) (?:de )?{_ESTE}",
    rf"(?:cuáles|cuales) son (?:las partes principales|los (?:componentes|módulos) principales)(?: (?:de )?{_ESTE})?",
    rf"(?:qué|que) hay (?:aquí|en {_ESTE})",
)
_CHINESE = (
    r"(?:请问)?(?:这|本|此|该)(?:个|些|本|份|篇)?(?:项目|仓库|代码库|代码|库|程序|工具|软件|文档|文件|资料|书|教程|手册|指南)?(?:里|里面|中)?(?:是|有|讲)(?:的是)?(?:什么|干什么的|做什么的|干嘛的|做啥的|什么项目|哪些内容|什么内容|什么东西)(?:的)?",
    r"(?:我)?(?:应该|该|要)?(?:从)?(?:哪里|哪儿|何处)(?:开始|入手)(?:读|看|阅读)?(?:代码|源码|这个项目)?",
    r"(?:这个|该|本)?(?:项目|仓库|代码库|代码)的?(?:整体)?(?:结构|架构|布局|组织)(?:是什么|是怎样的|是怎么样的|如何|是如何组织的)?",
    r"(?:这个|该|本)?(?:项目|仓库|代码库|代码)是?(?:如何|怎么|怎样)组织的",
    r"(?:请)?(?:给我|给出|来)?(?:一个|一份|个)?(?:这个|该|本)?(?:项目|仓库|代码库)?(?:的)?(?:概览|概述|总览|概况)",
    r"(?:这|该)?(?:本|个|份)?(?:书|教程|手册|指南|文档)?(?:一共|总共)?(?:有|包含|包括)(?:哪些|多少|什么)(?:个)?(?:章节|章|主题|部分)",
    r"(?:这个|该|本)?(?:项目|仓库|代码库)?(?:的)?主要(?:部分|模块|组件|目录)(?:有哪些|是什么|是哪些)",
)
_JAPANESE = (
    r"(?:これ|この(?:プロジェクト|リポジトリ|ライブラリ|コード|プログラム|ツール|文書|ドキュメント))(?:は|って|とは)(?:何|なん|なに)(?:ですか|でしょうか|の(?:ため|こと)ですか|をする(?:もの|プロジェクト|ライブラリ)?ですか)?",
    r"(?:この(?:プロジェクト|リポジトリ|コード)は)?(?:どこ|何|どのファイル)から(?:読み始め|読め|始め|読み)(?:れば|たら|ば)(?:いい|よい|良い)?(?:ですか|でしょうか|の)?",
    r"(?:この)?(?:プロジェクト|リポジトリ|コード|ドキュメント)の(?:全体|主な)?(?:構成|構造|概要|全体像)(?:は|を|を教えて(?:ください)?|は(?:どう|何|どのよう).*)?",
    r"(?:この(?:プロジェクト|リポジトリ|コード)は)どのように(?:構成|整理)されて(?:いますか|いるのですか|いる)",
    r"概要(?:を教えて(?:ください)?|を見せて(?:ください)?)?",
    r"主な(?:部分|構成要素|モジュール|コンポーネント)は(?:何|なん)(?:ですか)?",
)
_QUESTIONS = lazy_regex("|".join(f"(?:{one})" for one in (*_GERMAN, *_FRENCH, *_SPANISH, *_CHINESE, *_JAPANESE)))
_WHAT_IT_IS = lazy_regex(
    "|".join(f"(?:{one})" for one in (*_GERMAN[:2], *_FRENCH[:3], *_SPANISH[:2], _CHINESE[0], _JAPANESE[0]))
)
_BEGINS_ELSEWHERE = lazy_regex(
    r"^wo (?:fange|beginne|soll|kann|muss)|^par où|^(?:por )?d[oó]nde (?:emp|com|deb|pued)"
    r"|(?:哪里|哪儿|何处)(?:开始|入手)|から(?:読|始)"
)
_AND = lazy_regex(r"[,?.;]*\s+(?:und|et|y)\s+|[?.;]+\s+")
# What stands for something said before, where anything was said before.
_POINTING = lazy_regex(r"was ist (?:das|dies)|c'est quoi")
_ABOUT_ALL = lazy_regex(
    r"what(?: is|'s) (?:all )?this (?:all )?about|worum geht es hier|de quoi (?:s'agit-il|ça parle)"
)
"""Questions that always ask about the whole corpus; the page offers them as first questions."""
_MOST_NAME = 4
"""The most words of a name of the whole."""

OWN = "thisproject"
"""The placeholder for the name of the whole."""

# What several words say, as one.
_PHRASES = tuple(
    (lazy_regex(rf"\b(?:{pattern})(?!\w)"), word)
    for pattern, word in (
        (r"code[- ]base", "codebase"),
        (r"source code", "source"),
        (r"command[- ]line", "cli"),
        (r"(?:are|is)(?: it| they)? (?:made|built|composed)(?: up)? of|consists? of", "consist"),
        (r"la(?:id|yed)[- ]?out|put together|set up|built up|made up", "structured"),
        (r"fit together|work together", "structured"),
        (r"lay of the land|big picture|bird'?s[- ]eye(?: view)?|show (?:me|us) around", "overview"),
        (r"tl;?dr|repo map|code map|run[- ]?down", "overview"),
        (r"(?<=and )(?:the |its )?entry ?-?points? (?:of|to|into) (?:the|its) [\w-]+", "entrypoints"),
        (r"entry ?-?points?|main entry", "entrypoints"),
        (r"top[- ]level", "main"),
        (r"high[- ]level|one[- ]page", "general"),
        (r"building blocks|sub-?systems|sub-?projects", "parts"),
        (r"walk[- ]?through|walk (?:me|us) through", "describe"),
        (r"(?:find|know|learn) (?:my|your|our|the|one's)? ?way around", "begin structure of"),
        (r"never (?:seen|used|met)|don'?t know|do not know", "new"),
        (r"(?:which|what) (?:source )?file(?= (?:should|do|must|can|could|to)\b)", "where"),
        (r"(?:each|every)(?= (?:folder|directory|package|module|file)\b)", "main"),
    )
)
_OF_A_KIND = lazy_regex(
    r"\bthis (?:gem|crate|extension|add-?on|role|utility|daemon|bot|game|theme|engine|server|client|module|sdk)\b"
)
"""The whole by its kind, which elsewhere is the name of a part: "the server"."""
WHOLE = frozenset(
    """project repo repository library lib package plugin book lesson course tutorial guide manual handbook service
    website code codebase source sources app application program tool framework software folder directory corpus
    collection documentation docs documents files texts papers notes pages material site system thing implementation
    monorepo workspace wiki specification specifications specs spec standard""".split()
)
_PARTS = frozenset(
    """parts components modules packages folders directories pieces files layers crates entrypoints topics subjects
    themes documents docs sections areas chapters episodes lessons volumes classes guides pages
    notebooks proposals texts contents tests specs specifications standards articles posts""".split()
)
_NAMED_SHAPE = frozenset(
    "overview summary map tour outline introduction description orientation structure layout architecture design"
    " organisation organization".split()
)
_SHAPED = frozenset("organised organized arranged structured divided split composed consist architected".split())
_MAIN = frozenset(
    "main major key important core principal central essential biggest largest different general overall".split()
)
_SIZE = frozenset("whole entire complete short quick brief rough good best concise compact most new".split())
_BEGIN = frozenset("begin begins beginning start starts starting first".split())
_READ = frozenset("read reading look looking explore dig dive study understand understanding open oriented".split())
_DESCRIBE = frozenset("summarise summarize describe explain introduce outline sketch".split())
_SHOW = frozenset("list show give get getting tell make draw write provide offer see know need want like help".split())
_PURPOSE = frozenset(
    """about for purpose goal aim point idea gist problem solve solves deal deals cover covers covered contain contains
    hold holds include includes treat treats discuss discusses intended meant audience kind kinds sort type written
    language languages programming format used doing done offer big large do does did say says called work works
    public api everything documented found learn""".split()
)
_ITS_CONTENT = frozenset("contain contains hold holds cover covers covered include includes inside within".split())
_PERSON = frozenset(
    "newcomer newcomers beginner beginners newbie developer developers somebody someone person people".split()
)
_WORDS = frozenset(
    """a an the this that these those it its them they their i me my we us our you your one is are am be can could
    would should shall must will do does did has have having been if so and or of in on at to from with into through
    inside within by as all any what what's whats where where's which who how how's when there here not before yet
    also please thanks thank hello hi hey ok okay quick question exactly briefly just only then now sentence
    sentences word words two few place way ways according stages steps order cli i'm it's that's i'd i've whom up out
    more less than each itself mind want together actual many cloned downloaded""".split()
)
_KNOWN = frozenset().union(
    WHOLE,
    _PARTS,
    _NAMED_SHAPE,
    _SHAPED,
    _MAIN,
    _SIZE,
    _BEGIN,
    _READ,
    _DESCRIBE,
    _SHOW,
    _PURPOSE,
    _PERSON,
    _WORDS,
    {OWN},
)


def asks_for_overview(question: str, *, first: bool = True, own: Collection[str] = ()) -> bool:
    """Return whether a question is for an overview of all that there is.

    Args:
        question: the question in English, German, French, Spanish, Chinese or Japanese.
        first: whether it is the first question; in a later one, a bare "this" means the subject of the conversation.
        own: the project's own names in lower case; a question what one of them is asks about the whole.
    """
    if len(question) > _LONGEST:
        return False
    text = plain_question(question)
    first = first or _ABOUT_ALL.fullmatch(text) is not None
    parts = [part for part in _AND.split(text) if part]
    if parts and all(map(_QUESTIONS.fullmatch, parts)):
        return first or _POINTING.fullmatch(text) is None
    for name in own:
        text = re.sub(rf"{NO_NAME_BEFORE}{re.escape(name)}{NO_NAME_BEHIND}", OWN, text)
    return _is_about_the_whole(_words_of(text), first=first)


def asks_where_to_begin(question: str) -> bool:
    """Return whether a question that ``asks_for_overview`` accepts asks where to begin reading."""
    text = plain_question(question)
    words = _words_of(text)
    return _asks_for_beginning(frozenset(words), " ".join(words)) or _BEGINS_ELSEWHERE.search(text) is not None


def asks_for_more_than_what_it_is(question: str) -> bool:
    """Return whether an English question for an overview asks for the shape, the parts or where to begin."""
    words = _words_of(plain_question(question))
    word_set, text = frozenset(words), " ".join(words)
    shape = _asks_for_shape(word_set, about_whole=True)
    return shape or _ASKED_PARTS.search(text) is not None or _asks_for_beginning(word_set, text)


def asks_only_what_it_is(question: str) -> bool:
    """Return whether a question that ``asks_for_overview`` accepts asks what the whole is, not what is in it."""
    text = plain_question(question)
    words = frozenset(_words_of(text))
    asks = _asks_what_it_is(words) and _ITS_CONTENT.isdisjoint(words)
    return (asks and not asks_for_more_than_what_it_is(question)) or _WHAT_IT_IS.fullmatch(text) is not None


NO_NAME_BEFORE, NO_NAME_BEHIND = r"(?<![\w./:@])", r"(?!\w|(?:[./:#]|->)+\w|\()"
"""Around the name of a project where it is no part of another, as in ``Acme.Orders`` and ``acme/orders``."""


def name_in_overview_question(question: str) -> str:
    """Return the name, in lower case, in a question that an overview answers if that name means the whole project.

    Empty if a question has no such name, or asks for more.
    """
    text = plain_question(question[:_LONGEST])
    further = _words_of_its_own(_words_of(text))
    if not 0 < len(further) <= _MOST_NAME:
        return ""
    together = r"\W+".join(map(re.escape, further))
    match = re.search(rf"{NO_NAME_BEFORE}{together}{NO_NAME_BEHIND}", text)
    return match[0] if match and asks_for_overview(text, own=(match[0],)) else ""


def names_a_whole(question: str, name: str) -> bool:
    """Return whether a question calls a named thing a whole: "the Acme handbook", "Acme's documentation"."""
    return re.search(rf"{re.escape(name)}(?:'s)? {any_of(WHOLE)}\b", plain_question(question)) is not None


def without_whole(title: str) -> str:
    """Return a title in lower case without the words for a whole: ``acme`` of ``acme's documentation``."""
    return " ".join(word.removesuffix("'s") for word in re.findall(r"[\w'.+-]+", title) if word not in WHOLE)


def plain_question(question: str) -> str:
    """Return the first 2,000 characters of a question in lower case, without greetings and punctuation around it."""
    text = unicodedata.normalize("NFC", question[:_LONGEST]).replace("’", "'").lower()
    text = " ".join(text.split()).strip(" ?!.:;,¿¡？！。…'\"«»")
    text = _OF_A_KIND.sub("this project", _POLITE.sub("", text.replace(" ?", "")))
    return _TRAILING.sub("", text).strip(" ,")


def short_question(question: str) -> str:
    """Return a plain question; empty if it has more than 120 letters, as questions about all of a project never do."""
    return plain_question(question) if len(question) <= _LONGEST_SHORT else ""


def any_of(words: Iterable[str]) -> str:
    """Return a pattern of any of some words, the longest first."""
    return f"(?:{'|'.join(sorted(words, key=len, reverse=True))})"


_ADJECTIVES = rf"(?:{any_of(_MAIN | _SIZE)} )*"
_A_PART = frozenset(one.removesuffix("s") for one in _PARTS)
# One of many: "a package", "my code", "the docs folder", "the plugin system" is a thing of its own.
_ONE_OF_MANY = lazy_regex(
    rf"\b(?:a|an|any|each|my) {_ADJECTIVES}{any_of(WHOLE | _A_PART)}\b"
    rf"|\bthe {any_of(_A_PART | {'plugin'})} system\b"
    rf"|\b(?:the|in) {any_of(WHOLE | _PARTS)} (?:folder|directory|page|file)\b"
)
_NAMED_WHOLE = lazy_regex(
    rf"\b(?:this|that|these|those|the|your|our) {_ADJECTIVES}(?:{OWN} )?{any_of(WHOLE)}\b"
    rf"|\b(?:{OWN}|here|everything)\b"
)
_POINTING_WORDS = lazy_regex(r"\b(?:this|these|that|those)\b")
_ASKED_PARTS = lazy_regex(
    rf"\b{any_of(_MAIN)} (?:{any_of(_MAIN | WHOLE)} )*(?:and )?{any_of(_PARTS)}\b"
    rf"|\b(?:what|which|how many) (?:kinds? of |sorts? of )?{any_of(_PARTS)}(?: and {any_of(_PARTS)})? .*"
    r"\b(?:there|here|consist|have|has|in|make|contain|hold|covers?|treats?|discuss(?:es)?|deals?)\b|\bentrypoints\b"
    r"|\b(?:what|which) (?:programming )?languages? .*\bwritten\b"
    r"|\b(?:where(?:'s| is| are)|in which folder is) the (?:actual )?(?:source|code|tests|docs|documentation)\b"
    r"|\b(?:(?:what|which) are|list) (?:all )?(?:the|its) "
    r"(?:chapters|lessons|episodes|topics|parts|modules|packages|components|crates|folders|directories)$"
    r"|\bmain (?:folder|directory|package|module|file)\b"
)
_BARE = _NAMED_SHAPE | _SHAPED | _MAIN | _SIZE | WHOLE | _PARTS | _SHOW | _DESCRIBE | frozenset(
    "a an the of in on for about to me us i we can could would you please and is are do does what what's how".split()
)  # fmt: skip


def _words_of(text: str) -> list[str]:
    """Return the words of a question in lower case; a known phrase is one word."""
    for pattern, word in _PHRASES:
        text = pattern.sub(word, text)
    return [word.removesuffix("'s") if word not in _KNOWN else word for word in re.findall(r"[\w']+", text)]


def _words_of_its_own(words: Iterable[str]) -> list[str]:
    """Return the words that no question for an overview has, except for the name of the whole."""
    return [word for word in words if word not in _KNOWN]


def _is_about_the_whole(words: list[str], *, first: bool) -> bool:
    """Return whether words ask for an overview.

    Args:
        words: the words of the question, with ``OWN`` for the name of the whole.
        first: whether it is the first question; in a later one, a bare "this" means the subject of the conversation.
    """
    word_set, text = frozenset(words), " ".join(words)
    if not word_set <= _KNOWN or _ONE_OF_MANY.search(text):
        return False
    names_whole = _NAMED_WHOLE.search(text) is not None
    pointed = names_whole or (first and (_POINTING_WORDS.search(text) is not None or "it" in word_set))
    return (
        _asks_for_shape(word_set, about_whole=pointed)
        or _ASKED_PARTS.search(text) is not None
        or _asks_for_beginning(word_set, text)
        or (pointed and _asks_what_it_is(word_set))
    )


def _asks_for_shape(words: frozenset[str], *, about_whole: bool) -> bool:
    if not words & (_NAMED_SHAPE | _SHAPED):
        return False
    return about_whole or (words <= _BARE and bool(words & (WHOLE | _PARTS | {"overview", "tour"})))


def _asks_for_beginning(words: frozenset[str], text: str) -> bool:
    """Return whether a question asks where, or with which file, to begin reading; not how something is started."""
    if "cli" in words or not words & {"where", "where's", "which", "what", "what's"} or not words & _BEGIN:
        return False
    return "first" not in words or bool(words & (_READ | (_BEGIN - {"first"}))) or "look at" in text


def _asks_what_it_is(words: frozenset[str]) -> bool:
    if words & (_BEGIN | _READ):
        return False
    return (
        bool(words & (_DESCRIBE | {"what", "what's"}))
        or {"who", "for"} <= words
        or ("how" in words and bool(words & {"work", "works", "big"}))
    )


THE_WHOLE = rf"(?:it|this|everything|the server|{OWN}|(?:this|the|that) {any_of(WHOLE)}(?: {any_of(WHOLE)})?)"
"""What people call the whole of a project."""
_ENTRY = lazy_regex(
    r"(?:where|what|which|where's|what's)(?: file)?(?: is| are)? (?:the |its )?"
    r"(?:main(?: (?:function|method|file|program|module))?|(?:main )?entry ?-?points?(?: file)?)"
    rf"(?: (?:of|to|for|in|into) {THE_WHOLE})?(?: located| defined)?"
    rf"|where does (?:{THE_WHOLE}|execution|the (?:execution|program|app|application)) (?:start|begin)(?: running)?"
)
_WRITTEN_IN = lazy_regex(
    r"(?:what|which) (?:programming )?languages? "
    rf"(?:(?:is|are|was) {THE_WHOLE} (?:written|implemented|coded|programmed|made|built) in"
    rf"|(?:does|do) {THE_WHOLE} use|(?:is|are) used(?: (?:here|in {THE_WHOLE}))?)"
    rf"|what is {THE_WHOLE} (?:written|implemented|coded|programmed) in"
    rf"|in (?:what|which) (?:programming )?languages? is {THE_WHOLE} (?:written|implemented)"
)


def asks_for_entry(text: str) -> bool:
    """Return whether a plain question, with the project's own name as ``OWN``, asks where the program begins."""
    return _ENTRY.fullmatch(text) is not None


def asks_for_languages(text: str) -> bool:
    """Return whether a plain question, with the project's own name as ``OWN``, asks for its programming languages."""
    return _WRITTEN_IN.fullmatch(text) is not None
