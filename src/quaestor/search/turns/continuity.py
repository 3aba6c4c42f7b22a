"""Whether a question continues the topic of the conversation or changes it.

A question that can be understood by itself names its subject; one that continues a topic leaves it out. Signs of that:
it points back (*it*, *that*, *those ones*), it begins in the middle (*and*, *what if*), or it has hardly a telling
word. The signals are those of anaphora and ellipsis. Their weights (log-odds) are set by hand, so that any clear signal
outweighs a long question, and only an announced change of topic outweighs them together; there are too few
conversations to fit weights to. Upper and lower case do not count, nor does embedding similarity, which was no higher
for follow-ups than for changes.

The names in a reply (identifiers and paths) are found here, too. A reply is untrusted text, so that this is linear in
its length.
"""

from __future__ import annotations

import math
import re

from quaestor.core.light_imports import NamedTuple, lazy_regex
from quaestor.core.terms import STOP_WORDS, find_words
from quaestor.core.wording import NOT_ASKED, TRANSLATED, WITHOUT_MODEL
from quaestor.search.language import language_of, without_grammar

# getKey, get_key, HTTPTransport, DEFAULT_LIMITS, JsonReader.push, std::vector, poll_cb(), `eject`
_IDENTIFIER = lazy_regex(
    r"`([^\W\d]\w{0,99})`|\b(\w{0,100}[a-z0-9][A-Z]\w{0,100}|\w{1,100}_\w{1,100}|_\w{2,100}|[A-Z]{2,50}[a-z]\w{0,100})\b"
    r"|(?<=\.|:)([^\W\d]\w{1,99})(?=\(|\b)|\b([^\W\d]\w{1,99})(?=\(|\.\w|::)"
)
# "push" in JsonReader.push is not a file ending: without a folder only the usual ones are taken for one.
_ENDING = (
    "adoc|bash|cc?|cfg|cjs|conf|cpp|cs|css|cxx|erl|exs?|go|hpp|hs|html?|h|ini|ipynb|java|jsx?|json|kts?|lua|mdx?|mjs|mli?|"
    "php|pl|proto|pyi?|rb|rs|rst|scala|sh|sql|swift|tcl|toml|tsx?|txt|vue|xml|ya?ml|zig"
)
_PATH = lazy_regex(
    rf"(?<![\w@./-])(?:[\w@.-]{{1,100}}(?:/[\w@.-]{{1,100}}){{1,20}}\.[A-Za-z]\w{{0,9}}|[\w@-]{{1,100}}\.(?:{_ENDING}))\b(?!\()"
)
_FENCE = lazy_regex(r"^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)

_OUR_OWN = lazy_regex(rf"^(?:{WITHOUT_MODEL}|{NOT_ASKED}|{TRANSLATED})\b.*$", re.MULTILINE)
"""Lines of an answer of quotes that are about the answer: they are no part of the topic."""
_SHORT_REPLY = 400  # characters; a reply this short is all substance
_MOST_NAMES = 24


def without_code(text: str) -> str:
    """Return a text without its fenced blocks of code."""
    return _FENCE.sub("\n", text)


def identifiers(text: str) -> list[str]:
    """Return the distinct identifiers of a text, in order, those outside of fenced code first."""
    prose = without_code(text)
    stems = {word for path in _PATH.findall(prose) for word in re.findall(r"\w+", path)}
    names = [*_identifiers(prose), *_identifiers(text)]
    return [name for name in dict.fromkeys(names) if name not in stems]


def _identifiers(text: str) -> list[str]:
    return ["".join(groups) for groups in _IDENTIFIER.findall(_PATH.sub(" ", text))]


def digest(reply: str) -> str:
    """Return the part of a reply to search for: a short one as a whole; of a long one the beginning and names.

    Nothing is left of a reply that says only that nothing answers.
    """
    reply = _OUR_OWN.sub("", reply).strip()
    if len(reply) <= _SHORT_REPLY:
        return reply
    prose = without_code(reply).strip() or reply
    start = prose[:_SHORT_REPLY].rpartition(" ")[0] or prose[:_SHORT_REPLY]
    names = dict.fromkeys([*_PATH.findall(reply), *identifiers(reply)])
    rest = [name for name in names if name not in start][:_MOST_NAMES]
    return f"{start}\n{' '.join(rest)}".strip()


_OPENER = lazy_regex(
    r"^\W*(?:and|but|or|also|so|then|ok(?:ay)?|what about|how about|what if|same|any|which ones?|why (?:not|so)|"
    r"(?:where|who|what) else|how so)\b",
    re.IGNORECASE,
)
_SWITCH = lazy_regex(
    r"\b(?:another|different|new|separate|unrelated|other|next) (?:question|topic|subject|thing|issue|matter)\b|"
    r"\bunrelated\b|\bchang(?:e|ing) (?:of )?(?:the )?(?:topic|subject)\b|\bmoving on\b|\bby the way\b|\bbtw\b|"
    r"\bswitching (?:to|gears)\b|\bon (?:an|a different|another) note\b|\bsomething else\b|\bforget (?:that|it)\b",
    re.IGNORECASE,
)
_PRONOUN = lazy_regex(r"\b(?:it|its|they|them|their|theirs|those|these|this|he|she|him|her)\b", re.IGNORECASE)
# "that" and "there" point back at the end of a question or after what takes an object; elsewhere they seldom do
# ("a class that has", "is there a limit").
_POINTER = lazy_regex(
    r"\bthat\s*[?!.,;]*$|\bthere\s*[?!.]*$|\b(?:in|from|up|down|over|out) there\b|"
    r"\b(?:is|was|does|did|do|can|could|will|would|of|for|about|to|in|on|with|from|like|by|than|at|after|before|has|"
    r"have|shows?|why|where|how|who|what|and|if|covers?|calls?|uses?|tests?|checks?|'s) that\b",
    re.IGNORECASE,
)
_OPENER_ABROAD = lazy_regex(
    r"^\W*(?:und|aber|oder|auch|dann|wie (?:ist|steht) es mit|was ist mit|was,? wenn|et|mais|ou|alors|qu['’]en est-il"
    r"|y|pero|entonces|qué (?:tal|pasa) con)\b",
    re.IGNORECASE,
)
_POINTER_ABROAD = lazy_regex(
    r"\b(?:da(?:bei|durch|für|gegen|mit|nach|ran|rauf|raus|rin|von|vor|zu)|diese[mnrs]?|dies|dessen|deren|jene[mnrs]?|dort|"
    r"ihn|ihm|ihnen|seine[mnrs]?|cela|ça|ceci|celles?|celui|ceux|lui|leurs?|elles?|esos?|esas?|ellos?|ellas?|ahí|allí)\b"
    r"|\b(?:das|là)\s*[?!.]*$",
    re.IGNORECASE,
)
_LINK_ABROAD = lazy_regex(
    r"\b(?:sonst|andere[mnrs]?|stattdessen|beide[nrs]?|kein(?:e[mnrs]?|s)|ebenso|nochmal|autres?|aussi|sinon|également|plutôt|"
    r"l[ae]quelle?|lesquel(?:le)?s|otr[ao]s?|también|ambos|mism[ao]s?|tampoco)\b",
    re.IGNORECASE,
)
"""The same in German, French and Spanish, without what begins or fills any sentence there (es, sie, il, y)."""
_LINK = lazy_regex(
    r"\b(?:ones?|else|others?|again|instead|either|neither|both|own|also|as well|otherwise|meanwhile|afterwards|none|"
    r"nothing|altogether|same|in the first place|similar|likewise|former|latter)\b|\btoo\s*[?!.]*$",
    re.IGNORECASE,
)
_VAGUE = frozenset(
    "about actually after again all also another any anything anywhere before case code cover covered covers different"
    " done down each else end ever every exactly explain file files find first found function get gets give go goes got"
    " happen happened happens just keep kept know knows less line lines look made make makes many mean means method"
    " more most much need nothing off one ones other out over place please put question run runs say says see show some"
    " something somewhere start take tell tells test tested tests thing things up want way work works".split()
)

_ALONE = 2.5
_OPENING = 3.5
_POINTING = 3.0
_LINKING = 2.0
_SHARING = 0.5
_SWITCHING = -6.0
_MOST_WORDS = 6
_FEW_WORDS = 4
_READ = 400  # characters: what a question is made like shows in its beginning


class Signals(NamedTuple):
    """The signs of whether a question continues the topic.

    Attributes:
        opens: it begins as a sentence does that continues another.
        points: a pronoun has nothing before it in the question that it could stand for.
        links: it compares with or adds to something unsaid.
        switches: it says that the topic changes.
        words: distinct words that say what it is about.
        shares: whether one of them is in the previous exchange.
    """

    opens: bool
    points: bool
    links: bool
    switches: bool
    words: int
    shares: bool


def informative_words(text: str) -> list[str]:
    """Return the distinct lower-case words of a text that say what it is about."""
    plain = _POINTER_ABROAD.sub(" ", without_grammar(text)) if language_of(text) else text
    words = dict.fromkeys(word.lower() for word in find_words(plain))
    return [word for word in words if len(word) > 1 and word not in STOP_WORDS and word not in _VAGUE]


def read_signals(question: str, before: str) -> Signals:
    """Read a question in the context of the previous exchange."""
    text = (without_code(question).strip() or question)[:_READ]
    words = informative_words(text)
    pronoun = _PRONOUN.search(text)
    early = pronoun is not None and len(informative_words(text[: pronoun.start()])) <= 2
    opener, pointer, link = (
        (_OPENER_ABROAD, _POINTER_ABROAD, _LINK_ABROAD) if language_of(text) else (_OPENER, _POINTER, _LINK)
    )
    return Signals(
        opens=opener.search(text) is not None,
        points=early or (pronoun is not None and len(words) <= _FEW_WORDS) or pointer.search(text) is not None,
        links=link.search(text) is not None,
        switches=_SWITCH.search(text) is not None,
        words=len(words),
        shares=not set(words).isdisjoint(informative_words(before)),
    )


def continuity(question: str, before: str) -> float:
    """Return how likely ``question`` continues the topic of ``before``, the previous exchange: 0 to 1."""
    signals = read_signals(question, before)
    odds = (
        _ALONE
        - min(signals.words, _MOST_WORDS)
        + _OPENING * signals.opens
        + _POINTING * signals.points
        + _LINKING * signals.links
        + _SHARING * signals.shares
        + _SWITCHING * signals.switches
    )
    return 1 / (1 + math.exp(-odds))
