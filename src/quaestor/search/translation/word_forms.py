"""Words of German, French and Spanish brought to forms by which they are compared."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from quaestor.core.terms import without_accents

_WORD = re.compile(r"[^\W\d_]+")
_STEMMERS = {"de": "german", "fr": "french", "es": "spanish"}
# What Snowball leaves of a verb differs by person and tense; its bare root mostly does not.
_ENDINGS = {
    "de": re.compile(r"(?:test|tet|ten|est|end|te|et|en|st|n|t|e)$"),
    "fr": re.compile(
        r"(?:aient|erait|eront|èrent|issent|issant|ées|ent|ant|ons|ait|era|ira|ées|ez|ée|és|er|ir|re|it|is|é|e|s|u|ue|us)$"
    ),
    "es": re.compile(
        r"(?:iendo|ieron|aron|ando|aban|ados|adas|idos|idas|aba|ían|ado|ada|ido|ida|ará|erá|irá|ía|ar|er|ir|an|en|as|es|ó"
        r"|ió|o|a|e)$"
    ),
}
_GERMAN_PARTICIPLE = re.compile(
    r"^(ab|an|auf|aus|bei|ein|fest|frei|fort|her|heraus|herunter|hinzu|hoch|los|mit|nach|um|vor|weg|wieder|zu|zurück"
    r"|zusammen)?ge(?=\w{3})"
)
_GERMAN_TO = re.compile(
    r"^(ab|an|auf|aus|bei|ein|fest|frei|fort|her|heraus|herunter|hinzu|hoch|los|mit|nach|um|vor|weg|wieder|zurück"
    r"|zusammen)zu(?=\w{4})"
)
_SHORTEST_ROOT = 4


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, cut at apostrophes and hyphens."""
    return _WORD.findall(text.lower())


@cache
def _stemmer(language: str) -> Any:
    import Stemmer  # noqa: PLC0415 - as the terms do; named here for its languages

    return Stemmer.Stemmer(_STEMMERS[language], 0)


def forms(word: str, language: str) -> tuple[str, ...]:
    """Return the forms by which a word in lower case is compared, the surest first; none has accents."""
    stem = _stemmer(language).stemWord
    # People leave accents out, and what a stemmer cuts off may hang by them.
    found = [stem(word)] if word.isascii() else [without_accents(stem(word)), stem(without_accents(word))]
    alike = _without_ge(word) if language == "de" else [word]
    found += [root for one in alike if (root := _root(one, language))]
    return tuple(dict.fromkeys(found))


def _without_ge(word: str) -> list[str]:
    """Return a German word, and what it is without the ``ge`` of a participle or the ``zu`` of an infinitive."""
    found = [word]
    for pattern in (_GERMAN_PARTICIPLE, _GERMAN_TO):
        shorter = pattern.sub(lambda match: match.group(1) or "", word)
        if shorter != word:
            found.append(shorter)
    return found


def _root(word: str, language: str) -> str:
    root = _ENDINGS[language].sub("", word)
    root = root if root.isascii() else without_accents(root)
    return f"{root}-" if len(root) >= _SHORTEST_ROOT else ""
