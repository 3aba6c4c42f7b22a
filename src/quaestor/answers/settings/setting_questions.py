"""Reads questions about one setting: what is asked of which thing, and how well a name fits the thing. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import cache

from quaestor.answers.settings.setting_declarations import words_of_name
from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import content_terms, stems_of

_THING = r"(?:(?:the|a|an|its|it's|my|any|all) )*([\w.-]+(?: [\w.-]+){0,4}?)"
_WHERE = (
    r"(?: (?:of|in|for|on|from|with) (?:it|the config(?:uration)?(?: ?file)?|the settings))?(?: completely| entirely)?"
)
_HOW = r"(?:how (?:do|can|should|would|to|could|does) (?:(?:i|you|we|one) )?|can (?:i|you|we|one) )"
_SETTING = (
    r"(?:(?:command[- ]line|config(?:uration)?|environment|env) )*(?:options?|settings?|flags?|variables?|parameters?"
    r"|keys?|switch(?:es)?|directives?|propert(?:y|ies))"
)
_SET = (
    r"(?:configure|change|adjust|customi[sz]e|specify|override|tune|control|set(?! an?\b)|increase|decrease|raise|lower"
    r"|reduce|limit|choose)"
)
_USE = r"(?:used?|listen|run|have|bind|start|serve)(?: to| on)?"
_POSSIBLE = r"(?:possible|allowed|valid|legal|accepted|supported|available|permitted)"


class Asks(IntEnum):
    """What is asked of a setting: its default, what it may be, how it is turned on or off, where or how it is set."""

    DEFAULT = 0
    VALUES = 1
    SWITCH = 2
    WHERE = 3
    SET = 4


_FRAMES = {
    Asks.DEFAULT: (
        rf"what(?:'s| is| are) (?:the |its )*default (?:(?:values? |settings? )?(?:of|for) )?{_THING}{_WHERE}",
        rf"what (?:is|are) {_THING} (?:set to )?by default",
        rf"what (?:does|do) {_THING} default to",
        rf"(?:on )?(?:which|what) {_THING} (?:does|is|are|will) (?:it )?{_USE} by default",
        rf"(?:on )?(?:which|what) (port) (?:does|will) it {_USE}(?: by default)?",
        rf"how (?:many|much|long|large|big|often) (?:is |are )?{_THING}"
        r"(?: (?:is|are|does|do|will|it|there|be|made|used|kept|done|allowed|take|have|use))* by default",
    ),
    Asks.VALUES: (
        rf"(?:what|which) (?:{_POSSIBLE} )?(?:values?|choices) (?:may|can|does|do|could|are|is) "
        rf"(?:{_POSSIBLE} )?(?:be )?(?:(?:used|set|given|passed) )?(?:(?:in|for|to) )?"
        rf"{_THING}(?: (?:take|have|accept|be|be set to|support|allow|use|know|get))?",
        rf"what are (?:the |all )*(?:{_POSSIBLE} )?(?:values|choices) (?:of|for) {_THING}",
        rf"what are (?:the |all )*{_POSSIBLE} (?:options|settings) (?:of|for) {_THING}",
        rf"what (?:can|may|could) {_THING} be(?: set to)?",
        rf"(?:what|which) {_THING} (?:are|is|can be) (?:possible|allowed|valid|accepted|configur(?:ed|able)|chosen)",
    ),
    Asks.SWITCH: (
        rf"{_HOW}(?:turn|switch) (?:off|on) {_THING}{_WHERE}",
        rf"{_HOW}(?:turn|switch) {_THING} (?:off|on){_WHERE}",
        rf"{_HOW}(?:disable|enable|deactivate|activate|silence|suppress|skip|hide) {_THING}{_WHERE}",
        rf"(?:which|what) {_SETTING} (?:turns? (?:off|on)|(?:dis|en)ables?|(?:de)?activates?|suppress(?:es)?|hides?)"
        rf" {_THING}{_WHERE}",
    ),
    Asks.WHERE: (
        rf"where (?:is|are) {_THING} (?:configured|set|controlled|specified){_WHERE}",
        rf"where (?:do|can) (?:i|you|we) (?:set|configure|specify) {_THING}{_WHERE}",
    ),
    Asks.SET: (
        rf"{_HOW}{_SET} {_THING}{_WHERE}",
        rf"how (?:is|are) {_THING} (?:configured|set|controlled|specified){_WHERE}",
        rf"(?:which|what) {_SETTING} (?:set|control|change|configure|determine|limit|define|specifie|specify)s?"
        rf" {_THING}{_WHERE}",
        rf"(?:is|are) {_THING} configurable",
    ),
}
"""How questions are put, in lower case with single spaces; the one group is the thing."""
NO_SETTING = frozenset("version help licens".split())
"""Stems of options that only show something."""
_NO_THING = frozenset("it this that them these those everything something anything one up".split())
SETS_BY = frozenset("set with configure".split())
SWITCHES_BY = frozenset("enable disable without toggle suppress".split())
_OFF = frozenset("no disable disabled without hide suppress skip".split())
_SHORTEST_ROOT = 2
NEUTRAL = frozenset(
    stems_of(
        """default defaults value values option options opt opts config configuration configure configuring
        configurable cfg conf setting settings env flag flags arg args param params cli cmd my k g m s seconds
        secs sec ms millis in the of to for and a set get with change changing custom customise customize
        customizing customising how server app global user core main self support supported using use your you
        override overriding control controlling section number amount no by preference
        preferences variable variables parameter parameters argument arguments""".split()
    )
)
SWITCHING = frozenset(
    stems_of(
        """enable enabled enables enabling disable disabled disables disabling no not without use skip allow is
        should show hide on off turn turning want switch perform activate deactivate dont do with suppress""".split()
    )
)
_SAME = {
    **{"ssl": "tls", "db": "databas", "color": "colour", "addr": "address", "logger": "log", "auth": "authent"},
    **{"dir": "directori", "folder": "directori", "path": "directori", "passwd": "password", "pwd": "password"},
    **{"max": "maximum", "min": "minimum"},
}
"""Names by which programs call one thing, by their stems."""
CALLED_ELSE = {
    frozenset({"log", "level"}): (("verbos",), ""),
    frozenset({"port"}): (("listen", "address", "bind", "host", "http"), r":\d{2,5}\b(?!:)"),
}
"""What else may set a thing, by its stems: names, and a pattern of values that hold it, as an address holds a port."""


class SettingQuestion(NamedTuple):
    """What is asked of which thing.

    Attributes:
        wanted: the stems of its words.
        roots: the beginnings of these.
        setter: the beginning of a name for what sets it.
        joined: its words as one.
        asks: what is asked of it.
        holds: what the value must hold, as a pattern.
    """

    wanted: frozenset[str]
    roots: re.Pattern[str]
    setter: re.Pattern[str]
    joined: str
    asks: Asks
    holds: str = ""


@cache
def _frame(asks: Asks) -> re.Pattern[str]:
    return re.compile("|".join(_FRAMES[asks]))


def read_setting_question(text: str) -> SettingQuestion | None:
    """Return what a question asks; None for any other question. Pure."""
    for asks in Asks:
        if match := _frame(asks).fullmatch(text):
            thing = next(one for one in match.groups() if one)
            parts = words_of_name(thing)
            stems = stems_of_names(parts)
            wanted = frozenset(stems) - NEUTRAL
            fits = wanted and _NO_THING.isdisjoint(parts) and content_terms(thing)
            joined = "".join(part for part, stem in zip(parts, stems, strict=False) if stem not in NEUTRAL)
            return question_about(wanted, joined, asks) if fits else None
    return None


def question_about(wanted: frozenset[str], joined: str, asks: Asks, holds: str = "") -> SettingQuestion:
    """Make a question about a thing, from the stems of its words and its words joined to one."""
    any_name = (other for one in sorted(wanted) for other in other_names(one))
    any_root = "|".join(re.escape(one[: max(_SHORTEST_ROOT, len(one) - 1)]) for one in any_name)
    setter = rf"\b(?:{'|'.join(sorted(SETS_BY | SWITCHES_BY))})_?\w*(?:{any_root})"
    patterns = re.compile(any_root, re.IGNORECASE), re.compile(setter, re.IGNORECASE)
    return SettingQuestion(wanted, *patterns, joined, asks, holds)


def turns_off(name: str) -> bool:
    """Return whether a name says that something is turned off: ``LOG_DISABLE_PROGRESS_BAR``."""
    return not _OFF.isdisjoint(words_of_name(name))


def stems_of_names(parts: Sequence[str]) -> list[str]:
    """Return the stems of some words; of a thing that has two names, always the same one."""
    return [_SAME.get(one, one) for one in stems_of(parts)]


def other_names(stem: str) -> tuple[str, ...]:
    """Return a stem and those of other names of the same thing."""
    return stem, *(one for one, other in _SAME.items() if other == stem)


def extra_words(name: str, asked: SettingQuestion, own: frozenset[str], said: str = "") -> int | None:
    """Return how many telling words a name has beside those of the thing; None if it lacks one of these.

    Those that stand in what is ``said`` of it are not lacking.
    """
    parts = words_of_name(name)
    stems = stems_of_names(parts)
    neutral = NEUTRAL | own | (SWITCHING if asked.asks is Asks.SWITCH else frozenset())
    if asked.wanted <= {*stems, *stems_of_names(words_of_name(said))}:
        return len({*stems} - asked.wanted - neutral)
    rest = [part for part, stem in zip(parts, stems, strict=False) if stem not in neutral]
    return 0 if asked.joined in ("".join(rest), "".join(parts)) else None
