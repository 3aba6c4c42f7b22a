"""Completes questions that say less than they ask, or asks back: ``and how do I turn that off?``

What is missing is in the conversation, or is what people mean who type a topic alone: "tests". If nothing tells it, a
search for the few words would find passages by chance, so there is none. A model gets the question without passages and
asks back in its own words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from quaestor.answers.way import Question, WayAnswer
from quaestor.core.light_imports import lazy_regex
from quaestor.core.terms import EMPTY_WORDS, find_words
from quaestor.corpus import Corpus
from quaestor.search.names_in_question import names_of_code
from quaestor.search.turns.continuity import continuity, informative_words

ASKED_BACK = (
    "What do you mean by {}? Nothing was said of it before: "
    "ask again with the name of the thing, a file, or the words of a message."
)
_GOES_ON = 0.7
"""The continuity from which on a question is read together with the one before."""
_LONGEST_BEFORE = 200
_LONGEST = 12
"""The most words of a question that may lack context."""
_POINTING = lazy_regex(
    r"\b(?:it|its|that|this|these|those|they|them|(?<!is )(?<!are )there|one|ones|former|latter|other|others|same"
    r"|above|previous|mentioned|he|she)\b",
    re.IGNORECASE,
)
_BARE = lazy_regex(
    r"^\W*(?:(?:and|but|so|ok|okay|well|hm+|then)\W*)?(?:why|how|how so|why not|what|where|when|who|which"
    r"|and|more|really|go on|continue|explain"
    r"|what else|anything else|else|for example|an example|example|details|tell me more|more details"
    r"|what now|help|how come|since when)"
    r"(?:\s+(?:exactly|then|please|is that|is it|so|though|not))*\W*$",
    re.IGNORECASE,
)
# "that default" names no more than "that" does; "that timeout" tells what to look for.
_POINTED_AT = lazy_regex(
    r"\b(that|this|those|these)\s+(?:default|value|setting|option|flag|limit|number|name|behaviou?r|message|error|warning"
    r"|exception|method|function|class|parameter|argument|field|feature|step|case)s?\b(?:\s+values?\b)?",
    re.IGNORECASE,
)
# Here the corpus as a whole is pointed at.
_WHOLE = lazy_regex(
    r"\bwhat(?:\s+is|['’]s)\s+(?:this|it|that)(?:\s+(?:for|about|all about|good for))?\W*$"
    r"|\bwhat\s+(?:does|can)\s+(?:this|it)\s+do\b"
    r"|\bhow\s+does\s+(?:this|it)\s+(?:\w+\s+)?work\b|\b(?:use|start|run|install|build|test|try|begin)\s+(?:with\s+)?(?:this|it)\b",
    re.IGNORECASE,
)
# Words that people say with such questions and that name nothing.
_SAY_NOTHING = EMPTY_WORDS | frozenset(
    """turn turned turning switch off on enable enabled disable disabled change changed work working doesn don
    isn won't cant can't won didn wasn aren broken fix fixed fails failed fail failing stop stopped start set
    thing things stuff bit part way ways example examples instead back again another different same previous
    last first second time times problem issue wrong right good bad better best possible sure ok okay thanks
    thank hello hi hey please help exactly really actually else still yet already ever one ones two mean meant
    about do does did happen happened happening make sense keep put remove removed delete tried undo
    difference long often much ll ve re shouldn couldn wouldn""".split()
)


def ask_back(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Return an answer that asks what is meant, if a conversation begins with a question that refers back."""
    if question.earlier or not is_without_context(question.text):
        return None
    pointing = _POINTING.search(question.text)
    return WayAnswer(
        "asking back", (ASKED_BACK.format(f"“{pointing[0]}”" if pointing else "that"),), known=False, search=False
    )


def is_without_context(text: str) -> bool:
    """Return whether no word of a question says what it is about, as in "how do I turn that off?". Pure."""
    words = find_words(text)
    if not words or len(words) > _LONGEST or names_of_code(text) or not text.isascii() or _WHOLE.search(text):
        return False
    if _BARE.match(text):
        return True
    return _POINTING.search(text) is not None and all(map(_is_empty_word, find_words(_POINTED_AT.sub(r"\1", text))))


def with_context(text: str, earlier: Sequence[str]) -> str:
    """Return a question; if it says hardly more than "that", put before it the last question with a subject. Pure."""
    if not _needs_context(text, earlier):
        return text
    subject = next((question for question in reversed(earlier) if not is_without_context(question)), "")
    return f"{subject}\n{text}" if subject else text


def _needs_context(text: str, earlier: Sequence[str]) -> bool:
    """Return whether a question only points back, or goes on with the one before and has no telling word.

    A question with a telling word is judged by that word, even if nothing here contains it.
    """
    if is_without_context(text):
        return _POINTING.search(text) is not None
    bare = not informative_words(text) and not names_of_code(text)
    return bare and bool(earlier) and continuity(text, earlier[-1]) >= _GOES_ON


_DONE = r"written|thrown|\w+ed"
_SUBJECT = lazy_regex(
    r"\W*(?:and\s+|so\s+)?(?:what|who|how|where|when|why)(?:\s+and\s+(?:why|how|where|when))?"
    r"(?:['’]s|(?:\s+(?:is|are|was|were|does|do|did|has|have|calls?|uses?|imports?|wrote|maintains|owns|depends\s+on))+)"
    r"\s+(?P<subject>(?!(?:it|its|this|that|these|those|they|them|there|i|you|we|he|she|an?|my|your|our)\b)"
    rf"[`\w./:@#$-]+(?:\s+(?!(?:do|does|work|works|for|about|mean|means|{_DONE})\b)[`\w./:@#$-]+){{0,3}})"
    rf"(?:\s+(?:do|does|works?|for|about|means?|good\s+for|{_DONE})(?:\s+(?:for|here))?)?\s*[?.!]*\s*",
    re.IGNORECASE,
)
"""A question with its subject: "what does the pager do?"."""
_POINTS_AT_SUBJECT = lazy_regex(
    rf"\b(?:it|that|this|they|those)\b(?=\s*[?.!]*\s*$|\s+(?:{_DONE}|first|last|do|work|mean)\b)", re.IGNORECASE
)
_MOST_WORDS = 8


def with_subject(question: Question) -> Question | None:
    """Return a short later question with the subject of the one before in place of "it"; None for any other. Pure.

    After "what does the pager do?", "who wrote it?" is "who wrote the pager?".
    """
    if not question.earlier or len(question.text.split()) > _MOST_WORDS:
        return None
    pointing, subject = _POINTS_AT_SUBJECT.search(question.text), _subject_of(question.earlier)
    if pointing is None or not subject:
        return None
    return question._replace(text=f"{question.text[: pointing.start()]}{subject}{question.text[pointing.end() :]}")


def _subject_of(earlier: Sequence[str]) -> str:
    """Return the subject of the newest question that names one; empty if a later one is about something else."""
    for text in reversed(earlier):
        if match := _SUBJECT.fullmatch(text[:_LONGEST_BEFORE]):
            return match["subject"]
        if len(text.split()) > _MOST_WORDS or _POINTS_AT_SUBJECT.search(text) is None:
            break
    return ""


_TOPICS = (
    ("test tests testing suite", "How do I run the tests?"),
    ("build building compile compiling compilation", "How do I build it?"),
    ("run running start locally", "How do I run it?"),
    ("release releases releasing", "How do I make a release?"),
    ("upgrade upgrading", "How do I upgrade?"),
    ("lint linting linter formatting style coding", "Which code style is used?"),
    ("bug bugs issue issues tracker", "How do I report a bug?"),
    ("support community chat contact", "How do I get help?"),
    ("licensing licensed under", "What is the license?"),
    ("deps", "What are its dependencies?"),
    ("maintainer maintainers author authors owner owners", "Who maintains it?"),
    ("config configuration configuring settings", "How is it configured?"),
    ("env vars", "Which environment variables does it read?"),
    ("commands subcommands", "Which commands are there?"),
    ("ci", "What does the CI run?"),
    ("maintained", "What changed last?"),
    ("architecture structure", "Where is the architecture document?", "What are the main parts?"),
)
"""Words that are a topic of every project, and the questions, to be tried in turn, that they stand for."""
_AROUND_TOPIC = frozenset(
    "a an the this its is it still actively of for how to process procedure procedures steps instructions guide project"
    " repo repository code codebase all unit new version file".split()
)
_MOST_OF_TOPIC = 5


def questions_on_topic(text: str) -> Sequence[str]:
    """Return what somebody asks who types only a topic, as "tests" or "release process"; empty for others. Pure."""
    words = find_words(text.lower())
    telling = frozenset(words) - _AROUND_TOPIC
    if not telling or len(words) > _MOST_OF_TOPIC:
        return ()
    return next((questions for topic, *questions in _TOPICS if telling <= frozenset(topic.split())), ())


def _is_empty_word(word: str) -> bool:
    return word.lower() in _SAY_NOTHING or len(word) == 1
