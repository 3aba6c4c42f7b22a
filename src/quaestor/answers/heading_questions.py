"""Turning a heading into the question that a reader asks whom its section answers. Pure: words in, words out.

"Installing Ferry" and "Ferry installation" become "How do I install Ferry?", "Queues vs. jobs" becomes "What is the
difference between queues and jobs?". A heading that is not an act stays a noun: "What should I know about trains?".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

_VERBS = """
access add adjust allow analyze apply approve archive arrange ask assign attach attend authenticate authorize
avoid back benchmark bind book boot branch break bring browse bump build bundle buy cache calculate call
cancel catch change check choose clean clear clone close collect combine commit communicate compare compile
complete compose compress compute configure confirm connect consume contact contain contribute control convert
copy count cover create customize cut debug declare decode define delete deliver deploy describe design detach
detect determine develop diagnose disable discover display distribute divide document download draft draw drop
edit embed emit enable encode encrypt end enforce ensure enter escape evaluate exclude execute expand
experiment explain export expose express extend extract fetch fill filter find finish fix follow fork format
gather generate get give group grow handle hide hire host identify ignore implement import improve include
index inherit initialize inject inspect install integrate interpret introduce invite invoke iterate join keep
label launch lay lead learn leave limit link lint list listen load localize locate lock log look loop lower
make manage map mark mask match measure merge migrate minimize mock modify monitor move name navigate nest
normalize notify observe obtain offer open operate optimize order organize override pack package paginate
parse pass paste patch pause perform persist pick pin plan plot poll prefer prepare present preserve preview
print process profile program protect provide prune publish pull push put query queue raise read rebase
receive recommend record recover redirect reduce refactor refer refresh register reject release reload remove
rename render repeat replace report request require reserve reset resize resolve respond restart restore
restrict resume retrieve retry return reuse reverse revert review rewrite roll rotate round route run sample
save scale scan schedule scope search secure seed select send separate serialize serve set share ship show
sign skip solve sort specify speed spend split stage start stop store stream structure style submit subscribe
supply support suppress swap switch sync synchronize tag take talk teach tell test throttle time toggle trace
track train transfer transform translate travel trigger troubleshoot tune turn type uninstall understand undo
update upgrade upload use validate verify version view visit visualize wait walk watch work wrap write
""".split()
_NOUNS = {
    "installation": "install",
    "configuration": "configure",
    "setup": "set up",
    "deployment": "deploy",
    "usage": "use",
    "upgrade": "upgrade",
    "migration": "migrate",
    "uninstallation": "uninstall",
    "customization": "customize",
    "basic usage": "use",
    "getting started": "get started with",
    "quick start": "get started with",
    "quickstart": "get started with",
}
_ACTS = frozenset({"installation", "configuration", "setup", "deployment"})
_OF_SUBJECTS = frozenset({"install", "configure", "use", "upgrade", "deploy", "test", "build", "run", "uninstall"})
"""What is done with the whole thing that a document is about."""
_ALSO_NOUNS = frozenset(
    """
clean clear complete express escape lower open secure separate troubleshoot
access archive book branch cache change check design document draft edit end filter fix fork format group host
index label launch limit link list load lock log look map mark match measure name order package patch plan
plot poll present process profile program query queue record release report request return review roll round
route sample scale scope search set share sign sort speed split stage start stop store stream structure style
support switch tag talk test time trace track train transfer travel trigger type update upgrade use version
view work
""".split()
)
"""Verbs that begin a heading as nouns or adjectives more often: "Release notes", "Secure programming"."""
_NO_OBJECT = re.compile(
    r"(?:.*\b(?:guide|guides|guidelines?|notes?|overview|checklists?|polic(?:y|ies)|tips|tutorial|reference|practices|standards|rules"
    r"|blocks)\b.*|(?:&|and\b|or\b).*|.*\b(?:on|of|in|to|for|with|by|and|the|a|an|is|as))",
    re.IGNORECASE,
)
_CUT_OFF = re.compile(
    r"^(?:on|of|in|to|for|from|with|by|and|this|that)\b|\b(?:on|of|in|to|for|with|by|and|the|a|an|is|as)$"
)
"""What is done to no such thing: "Troubleshooting guide", "Building blocks"; and what was cut off."""
_POINTING = re.compile(r"\b(?:this|that|these|those|it|they)\b", re.IGNORECASE)
_FEWEST_ASKING = 4
_ASKS = re.compile(r"(?:how|what|when|where|which|who|why|can|do|does|is|are|should|may|must)\b", re.IGNORECASE)
_OBJECT = re.compile(r"(?:an?|the|your|this|these)\s", re.IGNORECASE)
_TO = re.compile(r"(?P<asks>how|what|when|where|which \w+) to (?P<rest>\S.*)", re.IGNORECASE)
_DIFFERENCE = re.compile(r"(?P<one>\S.*?)\s+(?:vs\.?|versus)\s+(?P<other>\S.*)", re.IGNORECASE)
_MOST_WORDS = 9
_MOST_OF_SUBJECT = 4


def question_of(heading: str, subject: str = "", names: Collection[str] = ()) -> str:
    """Return the question that a heading's section answers; empty where it makes none.

    Args:
        heading: without markup and numbering.
        subject: what the document is about, for a heading that names only an act: ``Installation``.
        names: words that are written with a capital letter within a sentence, as ``names_in`` finds them.
    """
    asks = heading.endswith("?")
    if asks and (not _ASKS.match(heading) or _POINTING.search(heading) or len(heading.split()) < _FEWEST_ASKING):
        return ""
    if len(heading.split()) > _MOST_WORDS or not heading[:1].isalnum():
        return ""
    small = re.sub(r"\b[A-Z][a-z]+\b", lambda one: one[0] if one[0] in names else one[0].lower(), heading)
    if asks:
        return small[:1].upper() + small[1:]
    known = subject if len(subject.split()) <= _MOST_OF_SUBJECT and not _ASKS.match(subject) else ""
    return next(filter(None, _forms(small, known)), "")


def names_in(lines: Iterable[str]) -> frozenset[str]:
    """Return names: words that sentences, but not headings, write with a capital letter more often than small."""
    text = "\n".join(line for line in lines if not line.startswith(("#", "=")))
    capital = Counter(re.findall(r"(?<=[a-z,] )[A-Z][a-z]+\b", text))
    small = Counter(re.findall(r"\b[a-z]+\b", text))
    return frozenset(word for word, count in capital.items() if count > small[word.lower()])


def thing_asked_about(question: str) -> str:
    """Return the thing of which a question made of a heading asks what there is to know; empty for any other."""
    return question.removeprefix(_KNOW).removesuffix("?") if question.startswith(_KNOW) else ""


_KNOW = "What should I know about "


def _forms(heading: str, subject: str) -> Iterator[str]:
    """Yield questions, the most telling first; empty ones where a form does not fit."""
    if found := _TO.fullmatch(heading):
        asks = "How do I" if found["asks"].lower() == "how" else f"{found['asks'].capitalize()} should I"
        rest = found["rest"] if " " in found["rest"] else f"{found['rest']} {subject}" * bool(subject)
        yield f"{asks} {rest}?" * bool(rest)
    if found := _DIFFERENCE.fullmatch(heading):
        yield f"What is the difference between {found['one']} and {found['other']}?"
    yield _act(heading, subject)
    plain = heading.lower() not in _NOUNS and not _ASKS.match(heading) and not _CUT_OFF.search(heading)
    if plain and not re.search(r"[,:;]|\b(?:that|which)\b", heading):
        yield f"{_KNOW}{heading}?"


def _act(heading: str, subject: str) -> str:
    """Return how one does what a heading names; empty where it names no act."""
    done = _NOUNS.get(heading.lower())
    if done is not None:
        return f"How do I {done} {subject}?" if subject else ""
    first, _, rest = heading.partition(" ")
    if _NO_OBJECT.fullmatch(rest):
        return ""
    thing, _, last = heading.rpartition(" ")
    if thing and last.lower() in _ACTS:
        return f"How do I {_NOUNS[last.lower()]} {thing}?"
    verb = _OF_GERUND.get(first.lower(), "")
    if not rest:
        return f"How do I {verb} {subject}?" if verb in _OF_SUBJECTS and subject else ""
    if first.lower() in _BASES and (first.lower() not in _ALSO_NOUNS or _OBJECT.match(rest)):
        verb = first.lower()
    return f"How do I {verb} {rest}?" if verb else ""


def _gerunds(verb: str) -> Iterator[str]:
    """Yield what may be a verb's gerund; what is none is not a word either: ``writting``."""
    yield f"{verb}ing"
    yield f"{verb}{verb[-1]}ing"
    if verb.endswith("e"):
        yield f"{verb[:-1]}ing"


_BASES = frozenset(_VERBS)
_OF_GERUND = {gerund: verb for verb in _VERBS for gerund in _gerunds(verb)}
