"""Turns a heading into the question that its section answers.

"Installing Ferry" and "Ferry installation" become "How do I install Ferry?", "Queues vs. jobs" becomes "What is the
difference between queues and jobs?".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

_VERBS = """
access add adjust allow analyze apply approve archive arrange ask assign attach attend authenticate authorize avoid
back benchmark bind book boot branch break bring browse bump build bundle buy cache calculate call cancel catch change
check choose clean clear clone close collect combine commit communicate compare compile complete compose compress
compute configure confirm connect consume contact contain contribute control convert copy count cover create customize
cut debug declare decode define delete deliver deploy describe design detach detect determine develop diagnose disable
discover display distribute divide document download draft draw drop edit embed emit enable encode encrypt end enforce
ensure enter escape evaluate exclude execute expand experiment explain export expose express extend extract fetch fill
filter find finish fix follow fork format gather generate get give group grow handle hide hire host identify ignore
implement import improve include index inherit initialize inject inspect install integrate interpret introduce invite
invoke iterate join keep label launch lay lead learn leave limit link lint list listen load localize locate lock log
look loop lower make manage map mark mask match measure merge migrate minimize mock modify monitor move name navigate
nest normalize notify observe obtain offer open operate optimize order organize override pack package paginate parse
pass paste patch pause perform persist pick pin plan plot poll prefer prepare present preserve preview print process
profile program protect provide prune publish pull push put query queue raise read rebase receive recommend record
recover redirect reduce refactor refer refresh register reject release reload remove rename render repeat replace
report request require reserve reset resize resolve respond restart restore restrict resume retrieve retry return reuse
reverse revert review rewrite roll rotate round route run sample save scale scan schedule scope search secure seed
select send separate serialize serve set share ship show sign skip solve sort specify speed spend split stage start
stop store stream structure style submit subscribe supply support suppress swap switch sync synchronize tag take talk
teach tell test throttle time toggle trace track train transfer transform translate travel trigger troubleshoot tune
turn type uninstall understand undo update upgrade upload use validate verify version view visit visualize wait walk
watch work wrap write
""".split()
_NOUNS = {
    "installation": "install",
    "configuration": "configure",
    "setup": "set up",
    "deployment": "deploy",
    **dict.fromkeys(("usage", "basic usage"), "use"),
    "upgrade": "upgrade",
    "migration": "migrate",
    "uninstallation": "uninstall",
    "customization": "customize",
    **dict.fromkeys(("getting started", "quick start", "quickstart"), "get started with"),
}
_ACTS = frozenset({"installation", "configuration", "setup", "deployment"})
_OF_SUBJECTS = frozenset({"install", "configure", "use", "upgrade", "deploy", "test", "build", "run", "uninstall"})
"""Verbs for acts on the whole thing that a document is about."""
_HOW = re.compile(r"(?:with(?:in|out)?|from|on|in|at|by|via|using|under|as)\b", re.IGNORECASE)
"""Words after which a heading says how, not with what: "Running with Docker"."""
_ALSO_NOUNS = frozenset(
    """
access archive bind book boot branch buy cache call catch change check clean clear complete compose contact cut debug
design display document draft drop edit embed end escape export express fetch filter fix fork format group handle hide
hire host import include index insert label launch lead limit link list load lock log look lower map mark match measure
merge mock monitor name open order override package patch pause pin plan plot poll present preview print process
profile program publish pull push query queue raise record redirect register release render repeat replace report
request reset retry return review roll round route sample save scale schedule scope score search secure send separate
serve set share ship show sign skip solve sort speed spend split stage start stop store stream structure style submit
support swap switch sync tag talk test time toggle trace track train transfer transform travel trigger troubleshoot
tune turn type undo update upgrade use version view visit walk watch work wrap
""".split()
)
"""Verbs that begin a heading as nouns or adjectives more often: "Release notes", "Secure programming"."""
_ALSO_ADJECTIVES = frozenset("breaking leading matching programming supporting training opening closing".split())
"""Gerunds that begin a heading as nouns or adjectives as often: "Matching period", "Programming management"."""
_NO_OBJECT = re.compile(
    r"(?:(?:of|is|are|was|were|can|may|must|should|will|has|have|[IVX]+|\d+)\b.*|.*\b(?:guide|guides|guidelines?|information|instructions?|notes?|overview|checklists?|polic(?:y|ies)|tips|tutorial|reference|practices|standards|rules"
    r"|blocks)\b.*|(?:&|and\b|or\b).*|.*\b(?:on|of|in|to|for|with|by|and|the|a|an|is|as))",
    re.IGNORECASE,
)
_CUT_OFF = re.compile(
    r"^(?:on|of|in|to|for|from|with|by|and|or|but|not|so|then|this|that)\b|\b(?:on|of|in|to|for|with|by|and|the|a|an|is|as)$"
)
"""Headings that describe no such act ("Troubleshooting guide", "Building blocks"), or that are cut off."""
_POINTING = re.compile(r"\b(?:this|that|these|those|it|they)\b", re.IGNORECASE)
_FEWEST_ASKING = 4
_ASKS = re.compile(r"(?:how|what|when|where|which|who|why|can|do|does|is|are|should|may|must)\b", re.IGNORECASE)
_OBJECT = re.compile(r"(?:an?|the|your|this|these)\s", re.IGNORECASE)
_TO = re.compile(r"(?P<asks>how|what|when|where|which \w+) to (?P<rest>\S.*)", re.IGNORECASE)
_INTRODUCED = re.compile(r"introducing (?P<thing>(?!your|the\b|our)\S.*)", re.IGNORECASE)
_DIFFERENCE = re.compile(r"(?P<one>\S.*?)\s+(?:vs\.?|versus)\s+(?P<other>\S.*)", re.IGNORECASE)
# What is added to a heading: "Team introductions (10 minutes)".
_ADDED = re.compile(r"\s*\([^()]*\)$")
_MINE = {"your": "my", "yourself": "myself"}
_YOURS = re.compile(r"\b(?:your|yourself)\b", re.IGNORECASE)
_MOST_WORDS = 9
_MOST_OF_SUBJECT = 4


def question_of(heading: str, subject: str = "", names: Collection[str] = ()) -> str:
    """Return the question that a heading's section answers; empty if no form fits.

    Args:
        heading: the heading without markup and numbering.
        subject: the subject of the document, for a heading that names only an act: ``Installation``.
        names: words that are written with a capital letter within a sentence, as ``names_in`` finds them.
    """
    heading = _ADDED.sub("", heading)
    asks = heading.endswith("?")
    if asks and (not _ASKS.match(heading) or _POINTING.search(heading) or len(heading.split()) < _FEWEST_ASKING):
        return ""
    if len(heading.split()) > _MOST_WORDS or not heading[:1].isalnum() or heading.endswith("!"):
        return ""
    small = re.sub(r"\b[A-Z][a-z]+\b", lambda word: word[0] if word[0] in names else word[0].lower(), heading)
    if asks and not _TO.match(small):
        titled = all(word[0].isupper() for word in heading.split() if word[0].isalpha())
        return small[:1].upper() + small[1:] if titled else heading[:1].upper() + heading[1:]
    small = small.rstrip("?")
    known = subject if len(subject.split()) <= _MOST_OF_SUBJECT and not _ASKS.match(subject) else ""
    return _YOURS.sub(lambda word: _MINE[word[0].lower()], next(filter(None, _forms(small, known, heading)), ""))


def names_in(lines: Iterable[str]) -> frozenset[str]:
    """Return names: words that sentences write with a capital letter more often than without; headings do not count."""
    text = "\n".join(line for line in lines if not line.startswith(("#", "=")))
    capital = Counter(re.findall(r"(?<=[a-z,] )[A-Z][a-z]+\b", text))
    small = Counter(re.findall(r"\b[a-z]+\b", text))
    return frozenset(word for word, count in capital.items() if count > small[word.lower()])


def subject_of_question(question: str) -> str:
    """Return the thing that a question made from a heading asks about, as in "Tell me about X."; "" for other forms."""
    for before, after in TELL_IN.values():
        if question.startswith(before) and question.endswith(after):
            return question.removeprefix(before).removesuffix(after)
    return question.removeprefix(_TELL).removesuffix(".") if question.startswith(_TELL) else ""


_TELL = "Tell me about "
TELL_IN = {
    "de": ('Was steht hier zu "', '"?'),
    "fr": ("Que faut-il savoir sur « ", " » ?"),
    "es": ("¿Qué hay que saber sobre «", "»?"),
    "zh": ("请介绍", "。"),
    "ja": ("次を教えてください：", "。"),
}
"""The text before and after a thing, by language."""


def _forms(heading: str, subject: str, written: str) -> Iterator[str]:
    """Yield questions, the most telling first, and "" for each form that does not fit.

    Args:
        heading: the heading in lower case, except for names.
        subject: the subject of the document, or "".
        written: the heading as it is written, for a question that names the section.
    """
    if match := _TO.fullmatch(heading):
        asks = "How do I" if match["asks"].lower() == "how" else f"{match['asks'].capitalize()} should I"
        rest = match["rest"] if " " in match["rest"] else f"{match['rest']} {subject}" * bool(subject)
        yield f"{asks} {rest}?" * bool(rest)
    if match := _DIFFERENCE.fullmatch(heading):
        yield f"What is the difference between {match['one']} and {match['other']}?"
    if match := _INTRODUCED.fullmatch(heading):
        yield f"What is {match['thing']}?"
    yield _act(heading, subject)
    says = not {"is", "are", "was", "were"}.isdisjoint(heading.lower().split())  # "Wrapping is explicit" is no thing
    plain = not says and heading.lower() not in _NOUNS and not (_ASKS.match(heading) or _CUT_OFF.search(heading))
    if plain and not re.search(r"[,:;]|\b(?:that|which)\b|^(?:an?|the)\b", heading, re.IGNORECASE):
        # A title is named as it is written, a plain phrase as within a sentence.
        yield f"{_TELL}{heading if heading[1:] == written[1:] else written}."


def _act(heading: str, subject: str) -> str:
    """Return "How do I ..." for the act that a heading names; empty if it names none."""
    done = _NOUNS.get(heading.lower())
    if done is not None:
        return f"How do I {done} {subject}?" if subject else ""
    first, _, rest = heading.partition(" ")
    adjective = first.lower() in _ALSO_ADJECTIVES and not (_OBJECT.match(rest) or _HOW.match(rest))
    if adjective or _NO_OBJECT.fullmatch(rest):
        return ""
    acted_on, _, last = heading.rpartition(" ")
    # Of a name only: in "Initial configuration" it is not said what is configured.
    if last.lower() in _ACTS and acted_on and all(word != word.lower() for word in acted_on.split()):
        return f"How do I {_NOUNS[last.lower()]} {acted_on}?"
    return _act_on(first, rest, subject)


def _act_on(first: str, rest: str, subject: str) -> str:
    """Return "How do I ..." for a verb or gerund and what stands behind it; empty for a name: "Compose files"."""
    verb = _OF_GERUND.get(first.lower(), "")
    act = verb or first.lower()
    if act in _OF_SUBJECTS and _HOW.match(rest):
        return f"How do I {act} {subject} {rest}?" if subject else ""
    if not rest:
        return f"How do I {verb} {subject}?" if verb in _OF_SUBJECTS and subject else ""
    if first in _BASES and (first not in _ALSO_NOUNS or _OBJECT.match(rest)):
        verb = first
    return f"How do I {verb} {_AND_ACT.sub(_joined_act, rest)}?" if verb else ""


def _joined_act(match: re.Match[str]) -> str:
    """Return a heading's second act as a question has it: "or create" of "Connecting to or creating a database"."""
    return match["joint"] + _OF_GERUND.get(match["act"].lower(), match["act"])


def _gerunds(verb: str) -> Iterator[str]:
    """Yield possible gerunds of a verb; wrong ones, such as ``writting``, are no words and do no harm."""
    yield f"{verb}ing"
    yield f"{verb}{verb[-1]}ing"
    if verb.endswith("e"):
        yield f"{verb[:-1]}ing"


_AND_ACT = re.compile(r"(?<!ing )(?P<joint>\b(?:and|or) (?:then )?)(?P<act>\w+ing)\b", re.IGNORECASE)
_BASES = frozenset(_VERBS)
_OF_GERUND = {gerund: verb for verb in _VERBS for gerund in _gerunds(verb)}
