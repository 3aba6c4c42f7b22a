"""German, French and Spanish: what each word of a text is in English."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quaestor.search.translation.glossary import English, Glossary, glossary_of
from quaestor.search.translation.translated_words import Piece
from quaestor.search.translation.word_forms import forms

# Names stay as they are: with a digit, a dot, a slash or an underscore inside, or a capital behind a small letter.
_TOKEN = re.compile(r"`[^`\n]+`|[^\s\"“”„«»]+")
_NAME = re.compile(r"[`_@#$\\/<>=(){}\[\]|*+~^%&]|\d|\w[.:]\w|[a-zäöü][A-Z]|^-|::|->")
_EDGES = "\"'“”„«»‚‘’.,;:!?¿¡()[]…–—-"
_CLAUSE_ENDS = ",.;:!?"
# What German verbs part with: "schaltet … ab" is "abschalten".
_PARTICLES = frozenset(
    "ab an auf aus bei ein fest frei fort heraus herunter hinzu hoch los mit nach um vor weg wieder zu zurück".split()
)
_WORD = re.compile(r"[^\W\d_]+")
_SHORTEST_PART = 3
_LONGEST_COMPOUND = 40
_JOINTS = ("s", "es", "n", "en", "er", "e", "")


def pieces(text: str, language: str) -> Iterator[Piece]:
    """Yield the pieces of a text in order: names as they are, words with their English."""
    glossary = glossary_of(language)
    run: list[str] = []
    for token in _TOKEN.findall(text):
        bare = token.strip(_EDGES)
        if _NAME.search(bare) or token.startswith("`"):
            yield from _of_words(run, glossary, language)
            run = []
            yield Piece(token, None)
            continue
        run += _WORD.findall(bare)
        if token[-1] in _CLAUSE_ENDS:
            yield from _of_words(run, glossary, language)
            run = []
    yield from _of_words(run, glossary, language)


def _of_words(words: list[str], glossary: Glossary, language: str) -> Iterator[Piece]:
    known = [forms(word.lower(), language) for word in words]
    at = 0
    while at < len(words):
        for count in range(min(glossary.longest, len(words) - at), 1, -1):
            english = glossary.phrases.get(tuple(found[0] for found in known[at : at + count]))
            if english is not None:
                yield Piece(" ".join(words[at : at + count]), english)
                at += count
                break
        else:
            yield _of_word(words[at], known[at], glossary, language)
            at += 1
    if language == "de" and words and words[-1].lower() in _PARTICLES:
        yield from _of_parted(words[-1].lower(), words[:-1], glossary)


def _of_parted(particle: str, words: list[str], glossary: Glossary) -> Iterator[Piece]:
    """Yield the verb that stands in a clause, and the particle of it at the clause's end."""
    for word in reversed(words):
        known = next(
            (glossary.forms[form] for form in forms(particle + word.lower(), "de") if form in glossary.forms), None
        )
        if known:
            yield Piece(f"{word} {particle}", known)
            return


def _of_word(word: str, known: tuple[str, ...], glossary: Glossary, language: str) -> Piece:
    if word.isupper() and len(word) > 1:
        return Piece(word, None)  # HTTP, API
    english = glossary.words.get(word.lower())
    if english is None:
        english = next((found for form in known if (found := glossary.forms.get(form)) is not None), None)
    if english is None and language == "de":
        english = _of_compound(word.lower(), glossary)
    return Piece(word, english)


def _of_compound(word: str, glossary: Glossary) -> English | None:
    """Return the English of a German compound: the likeliest word of each of its parts, of which all are known."""
    parts = _parts(word, glossary, {}) if len(word) <= _LONGEST_COMPOUND else None
    return (" ".join(english[0] for english in parts),) if parts else None


def _parts(word: str, glossary: Glossary, tried: dict[str, list[English] | None]) -> list[English] | None:
    """Return the English of the fewest known parts that make up a word, None where there are none."""
    if word not in tried:
        tried[word] = None
        whole = _known(word, glossary)
        splits = [[whole]] if whole else []
        for end in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
            first = _known_first(word[:end], glossary)
            rest = _parts(word[end:], glossary, tried) if first else None
            if first and rest:
                splits.append([first, *rest])
        tried[word] = min(splits, key=len, default=None)
    return tried[word]


def _known_first(part: str, glossary: Glossary) -> English | None:
    """Return the English of a part that others follow: with what joins them taken off, or an ending put on."""
    for joint in _JOINTS:
        bare = part.removesuffix(joint) if joint else part
        if (not joint or part.endswith(joint)) and len(bare) >= _SHORTEST_PART and (found := _known(bare, glossary)):
            return found
    # Schreib-, Les-: the roots of verbs, and Sprach-, Grenz-: nouns without their last letter.
    return glossary.words.get(part + "en") or glossary.words.get(part + "e") or None


def _known(part: str, glossary: Glossary) -> English | None:
    found = glossary.words.get(part)
    if found is None and len(part) > _SHORTEST_PART:
        found = next((one for form in forms(part, "de") if (one := glossary.forms.get(form))), None)
    return found or None
