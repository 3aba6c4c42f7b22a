"""Reads a query: its kind, the names that it mentions, and its terms."""

from __future__ import annotations

import re
from typing import Literal

from quaestor.chunking.languages import knows_extension
from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import STOP_WORDS, find_words, has_unspaced, searched_terms

QueryKind = Literal["symbol", "path", "trace", "text"]

# A pasted file of 100 kB is a query too; what stands at its two ends says what is asked.
_LONGEST = 8_000
_LONGEST_UNSPACED_NAME = 8

_NAME = r"[^\W\d]\w*"
_SYMBOL = re.compile(rf"^[@#&*!]?{_NAME}(?:(?:::|->|\.|#|\\|/){_NAME})*[!?]?(?:\(\))?$")
# Anybody's text is read by these. No start is tried within what an earlier one would have taken, and what a word took
# is not given back: a word of thousands of letters would take seconds, and a server's other answers wait for that.
_COMPOUND = re.compile(
    rf"(?<![^\W\d]){_NAME}+(?:(?:::|->|\.|#|\\){_NAME}+)+"
    r"|\b\w*[a-z0-9][A-Z]\w*|\b[A-Z]+[a-z]\w*[A-Z]\w*|\b\w+_\w+|`" + _NAME + "`"
)
_PATH = re.compile(r"^[\w.@~+-]*(?:[/\\][\w.@~+-]+)*[/\\]?(?::\d+)*$")
# A file as people and programs point at it: a/b.py, b.py:12, File "a/b.py", line 12, (Bar.java:42), src/main.rs:3:9.
_PLACE = re.compile(
    r"(?<![\w@~+-])(?<![\w@~+-]\.)(?<![\w.@~+-][/\\])"
    r"((?:[\w.@~+-]++[/\\])*[\w@~+-][\w.@~+-]*\.[A-Za-z]\w{0,9})(?:\"?,? lines? (\d{1,7})|[:(](\d{1,7}))?"
)
# A module as people write it, or a path without its ending: httpx._client, http::client, src/http/client.
_MODULE = re.compile(rf"(?<![\w/.:@-]){_NAME}+(?:(?:\.|::|[/\\]){_NAME}+)+(?![\w/(]|\.\w)")
_MOST_PLACES = 20
# Words in quotation marks, and how many words a text must have for a stretch of it to be told from chance.
_QUOTED = re.compile(
    r"\"([^\"\n]{6,300})\"|“([^”\n]{6,300})”|«([^»\n]{6,300})»|`([^`\n]{6,300})`|(?<!\w)'([^'\n]{6,300})'(?!\w)"
)
_FEWEST_QUOTED = 2
_LONGEST_WHOLE = 300
_MOST_QUOTES = 5
# An option of a command line: -x, -uuu, --no-ignore. One word of a trace or a listing is not what somebody asks for.
_OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*+")
_MOST_OPTIONS = 5
# A cheap look first: reading a question for whose uses it asks takes longer than all else here.
_MAY_ASK_FOR_USES = re.compile(
    r"^\W*(?:who|which)\b|call|\bus(?:e|ing|age)|invo|depend|affected|consult", re.IGNORECASE
)
_LONGEST_FOR_USES = 160
# Languages whose names end with a sign, and what code and folders call them: the only term of "C++" is "c".
_SIGNED_LANGUAGES = {"c++": "cpp", "c#": "csharp", "f#": "fsharp"}
_SIGNED = re.compile(r"(?<![\w+#])(?:c\+\+|[cf]#)(?![\w+#])", re.IGNORECASE)
_TRACE = re.compile(
    r"Traceback \(most recent|^[^\S\n]*at [\w.$<>]+\s?\(|^[^\S\n]*File \".+\", line \d+|panicked at|^goroutine \d+|"
    r"\b\w+(?:Error|Exception|Fault)\b[:(]|\berror(?:\[\w+\])?:|\bfatal:|\bsegmentation fault",
    re.MULTILINE,
)


class Place(NamedTuple):
    """A file that a query points at.

    Attributes:
        path: the path, or the end of one, with ``/``, lower-case; without an ending where it was written as a module.
        line: the line, if one is named.
    """

    path: str
    line: int | None


class Query(NamedTuple):
    """A query that has been read.

    Attributes:
        text: the text of the query, shortened in the middle if it is very long.
        kind: ``symbol`` (a bare or qualified name), ``path``, ``trace`` (an error message or a stack trace) or
            ``text`` (anything else, questions above all).
        names: identifiers to look up definitions for, lower-case, most specific first.
        terms: its lexical terms without stop words, in order, with repetitions.
        places: files that it points at, first mentioned first.
        qualified: pairs of an owner and a name (``Client.send``), lower-case.
        quotes: stretches of several words that it quotes, as they stand in it.
        original: the question in another language, if ``text`` is its translation.
        translated: the English words of such a question.
        whole: the query without surrounding punctuation, if all of it may be one name or path; else empty.
        written_names: identifiers within a question, as they are written: the name alone, or its owner and the name.
        options: options of a command line within a question (``--no-ignore``), as they are written.
        used_name: the identifier whose callers or uses are asked for; else empty.
    """

    text: str
    kind: QueryKind
    names: tuple[str, ...]
    terms: tuple[str, ...]
    places: tuple[Place, ...] = ()
    qualified: tuple[tuple[str, str], ...] = ()
    quotes: tuple[str, ...] = ()
    original: str = ""
    translated: tuple[str, ...] = ()
    whole: str = ""
    written_names: tuple[tuple[str, ...], ...] = ()
    options: tuple[str, ...] = ()
    used_name: str = ""


def read_query(text: str) -> Query:
    """Read a query. Any text is a legal query; one without a single word has no terms."""
    text = _shorten(text.replace("\x00", " ")).strip()
    kind = _kind(text)
    compounds = _compounds(text, kind)
    return Query(
        text,
        kind=kind,
        names=tuple(dict.fromkeys(name.lower() for parts in compounds for name in reversed(parts))),
        terms=(*searched_terms(text), *_signed_languages(text)),
        places=_places(text),
        qualified=tuple((parts[0].lower(), parts[1].lower()) for parts in compounds if len(parts) > 1),
        quotes=_quotes(text),
        whole=_whole(text),
        written_names=tuple(dict.fromkeys(compounds)) if kind == "text" else (),
        options=tuple(dict.fromkeys(_OPTION.findall(text)))[:_MOST_OPTIONS] if kind == "text" else (),
        used_name=_name_whose_uses(text) if kind == "text" else "",
    )


def without_name(question: str, name: str) -> str:
    """Return a question without the corpus's own name.

    Within redis, "how does redis free a value" means "how does it free a value", but the name would raise the files
    that are named after the project. Identifiers and paths keep it, and so does a question that would have no other
    telling word.
    """
    if not name or name.lower() not in question.lower():
        return question
    shorter = re.sub(rf"(?<![\w./:@-]){re.escape(name)}(?:['’]s)?(?![\w/:(@-]|\.\w)", "", question, flags=re.IGNORECASE)
    content_words = {word.lower() for word in find_words(shorter)} - STOP_WORDS
    return shorter.strip() if content_words else question


def _name_whose_uses(text: str) -> str:
    """Return the identifier, without its owner, whose callers or uses a question asks for; empty if it does not."""
    if len(text) > _LONGEST_FOR_USES or not _MAY_ASK_FOR_USES.search(text):
        return ""
    from quaestor.search.callers_question import read_callers_question  # noqa: PLC0415 - few questions need its patterns

    question = read_callers_question(text)
    if question is None or question.kind != "uses" or question.plain or knows_extension(question.target):
        return ""
    return next(reversed(re.findall(r"\w+", question.target)), "")


def _shorten(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return text[: _LONGEST // 2] + "\n" + text[-_LONGEST // 2 :]


def _kind(text: str) -> QueryKind:
    if _TRACE.search(text):
        return "trace"
    if _PATH.match(text) and ("/" in text.strip("/") or knows_extension(re.sub(r"(?::\d+)+$", "", text))):
        return "path"
    if _SYMBOL.match(text) and _looks_like_a_name(text):
        return "symbol"
    return "text"


def _looks_like_a_name(text: str) -> bool:
    """Return whether a text is like ``HandlerStack`` or ``send``; a question in some scripts has no space, either."""
    return " " not in text and not (has_unspaced(text) and len(text) > _LONGEST_UNSPACED_NAME)


def _signed_languages(text: str) -> tuple[str, ...]:
    """Return the names that code gives to the languages in a text whose names end with a sign: ``cpp`` for C++."""
    return tuple(dict.fromkeys(_SIGNED_LANGUAGES[name.lower()] for name in _SIGNED.findall(text)))


def _places(text: str) -> tuple[Place, ...]:
    places: dict[Place, None] = {}
    for path, after_word, after_colon in _PLACE.findall(text):
        line = after_word or after_colon
        if knows_extension(path):
            parts = [part for part in path.lower().replace("\\", "/").split("/") if part not in (".", "..", "~")]
            places[Place("/".join(parts), int(line) if line else None)] = None
    for module in _MODULE.findall(text):
        if not knows_extension(module):
            places[Place(re.sub(r"\.|::|\\", "/", module.lower()), None)] = None
    all_places = tuple(places)
    # The frames of a trace that tell most stand at one of its ends, in some languages at the last.
    return (
        all_places
        if len(all_places) <= _MOST_PLACES
        else (*all_places[: _MOST_PLACES // 2], *all_places[-_MOST_PLACES // 2 :])
    )


def _compounds(text: str, kind: QueryKind) -> list[tuple[str, ...]]:
    """Return the last two parts, or the only one, of the names to look up: of a symbol query, or of compound ones."""
    compounds = [text] if kind == "symbol" else _COMPOUND.findall(text)[:20]
    # A file's name is not a qualified one: of _client.py only _client is looked up.
    bare = (name if kind == "symbol" or not knows_extension(name) else name.rpartition(".")[0] for name in compounds)
    split = ([part for part in re.split(r"\W+", qualified) if len(part) > 1] for qualified in bare)
    return [tuple(parts[-2:]) for parts in split if parts]


def _whole(text: str) -> str:
    """Return the text where it may be one name or path: a word, or words that a slash or a dot joins in one line."""
    if len(text) > _LONGEST_WHOLE or "\n" in text or not text:
        return ""
    pathlike = "/" in text.strip("/") or knows_extension(text)
    if " " in text and (not pathlike or text.endswith("?")):
        return ""
    plain = text.replace("\\", "/") if "/" not in text else text
    return plain.removesuffix("()").removeprefix("./").rstrip("/")


def _quotes(text: str) -> tuple[str, ...]:
    quotes = (next(filter(None, groups)).strip() for groups in _QUOTED.findall(text))
    return tuple(dict.fromkeys(quote for quote in quotes if len(find_words(quote)) >= _FEWEST_QUOTED))[:_MOST_QUOTES]
