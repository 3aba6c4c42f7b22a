"""Telling by its words that a question in English is about all that there is. Pure: words in, truth out.

People ask for an overview in more ways than anybody could list, but with few words: those for the whole (``project``,
``docs``), for its parts, for its shape, and for reading. So a question is one for an overview if it has no other word
than these and those that say nothing, and asks for the shape, the parts, a beginning, or what the whole is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

OWN = "thisproject"
"""What stands for the name of the whole."""

# What several words say, as one.
_PHRASES = tuple(
    (re.compile(rf"\b(?:{pattern})(?!\w)"), word)
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
    )
)
_WHOLE = frozenset(
    """project repo repository library lib package plugin book lesson course tutorial guide manual handbook service
    website code codebase source sources app application program tool framework software folder directory corpus
    collection documentation docs documents files texts papers notes pages material site system thing implementation
    monorepo workspace""".split()
)
_PARTS = frozenset(
    """parts components modules packages folders directories pieces files layers crates entrypoints topics subjects
    themes documents docs sections areas chapters episodes lessons adapters plugins volumes classes guides pages
    proposals texts examples contents tests""".split()
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
    hold holds include includes intended meant audience kind kinds sort type written language languages programming
    format used doing done offer big large do does did say says called work works public api everything documented
    found learn""".split()
)
_PERSON = frozenset(
    "newcomer newcomers beginner beginners newbie developer developers somebody someone person people".split()
)
_WORDS = frozenset(
    """a an the this that these those it its them they their i me my we us our you your one is are am be can could
    would should shall must will do does did has have having been if so and or of in on at to from with into through
    inside within by as all any what what's whats where where's which who how how's when there here not before yet
    also please thanks thank hello hi hey ok okay quick question exactly briefly just only then now sentence
    sentences word words two few place way ways according stages steps order cli i'm it's that's i'd i've up out
    more less than each itself mind want together actual many cloned downloaded""".split()
)
_KNOWN = frozenset().union(
    _WHOLE,
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


def _one_of(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(sorted(words, key=len, reverse=True))})"


_ADJECTIVES = rf"(?:{_one_of(_MAIN | _SIZE)} )*"
# One of many: "a package", "my code", "the docs folder" is a thing of its own.
_ONE_OF_MANY = re.compile(
    rf"\b(?:a|an|any|each|my) {_ADJECTIVES}{_one_of(_WHOLE | {one.removesuffix('s') for one in _PARTS})}\b"
    rf"|\b(?:the|in) {_one_of(_WHOLE | _PARTS)} (?:folder|directory|page|file)\b"
)
_NAMED_WHOLE = re.compile(
    rf"\b(?:this|that|these|those|the|your|our) {_ADJECTIVES}(?:{OWN} )?{_one_of(_WHOLE)}\b"
    rf"|\b(?:{OWN}|here|everything)\b"
)
_POINTING = re.compile(r"\b(?:this|these|that|those)\b")
_ASKED_PARTS = re.compile(
    rf"\b{_one_of(_MAIN)} (?:{_one_of(_MAIN | _WHOLE)} )*(?:and )?{_one_of(_PARTS)}\b"
    rf"|\b(?:what|which|how many) (?:kinds? of |sorts? of )?{_one_of(_PARTS)}(?: and {_one_of(_PARTS)})? .*"
    r"\b(?:there|here|consist|have|has|in|make|contain|hold)\b|\bentrypoints\b"
    r"|\b(?:what|which) (?:programming )?languages? .*\bwritten\b"
    r"|\b(?:where(?:'s| is| are)|in which folder is) the (?:actual )?(?:source|code|tests|docs|documentation)\b"
)
_BARE = _NAMED_SHAPE | _SHAPED | _MAIN | _SIZE | _WHOLE | _PARTS | _SHOW | _DESCRIBE | frozenset(
    "a an the of in on for about to me us i we can could would you please and is are what what's how".split()
)  # fmt: skip


def words_of(text: str) -> list[str]:
    """Return the words of a question in small letters, phrases as one word."""
    for pattern, word in _PHRASES:
        text = pattern.sub(word, text)
    return [word.removesuffix("'s") if word not in _KNOWN else word for word in re.findall(r"[\w']+", text)]


def words_of_its_own(words: Iterable[str]) -> list[str]:
    """Return the words that no question for an overview has, but for the name of the whole."""
    return [word for word in words if word not in _KNOWN]


def is_about_the_whole(words: list[str], *, first: bool) -> bool:
    """Return whether words ask for an overview.

    Args:
        words: of the question, with ``OWN`` for the name of the whole.
        first: whether nothing was asked before; otherwise a bare "this" is what the talk was about.
    """
    held, text = frozenset(words), " ".join(words)
    if not held <= _KNOWN or _ONE_OF_MANY.search(text):
        return False
    named = _NAMED_WHOLE.search(text) is not None
    pointed = named or (first and _POINTING.search(text) is not None)
    return (
        _asks_for_shape(held, pointed=pointed or (first and "it" in held))
        or _ASKED_PARTS.search(text) is not None
        or _asks_for_beginning(held, text)
        or (pointed and _asks_what_it_is(held))
    )


def _asks_for_shape(held: frozenset[str], *, pointed: bool) -> bool:
    if not held & (_NAMED_SHAPE | _SHAPED):
        return False
    return pointed or (held <= _BARE and bool(held & (_WHOLE | _PARTS | {"overview", "tour"})))


def _asks_for_beginning(held: frozenset[str], text: str) -> bool:
    """Return whether it is asked where, or with what, one begins to read; not how something is started."""
    if "cli" in held or not held & {"where", "where's", "which", "what", "what's"} or not held & _BEGIN:
        return False
    return "first" not in held or bool(held & (_READ | (_BEGIN - {"first"}))) or "look at" in text


def _asks_what_it_is(held: frozenset[str]) -> bool:
    if held & (_BEGIN | _READ):
        return False
    return (
        bool(held & (_DESCRIBE | {"what", "what's"}))
        or {"who", "for"} <= held
        or ("how" in held and bool(held & {"work", "works", "big"}))
    )
