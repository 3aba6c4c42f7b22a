"""Chinese and Japanese: what each run of letters of a text is in English."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quaestor.core.terms import has_unspaced, runs_of_scripts
from quaestor.search.translation.glossary import Glossary, glossary_of
from quaestor.search.translation.translated_words import Piece

_KATAKANA = re.compile("[\u30a1-\u30ff]+")
_HIRAGANA = re.compile("[\u3041-\u309f]+")
_ONE_KATAKANA = re.compile("[\u30a1-\u30ff]")


def pieces(text: str, language: str) -> Iterator[Piece]:
    """Yield the pieces of a text in order: names as they are, words with their English, and what lies between them."""
    glossary = glossary_of(language)
    for run in runs_of_scripts(text):
        if has_unspaced(run):
            yield from _of_run(run, glossary)
        else:
            yield from (Piece(token, None) for token in run.split())


def _of_run(run: str, glossary: Glossary) -> Iterator[Piece]:
    """Yield the longest words that the glossary knows, from left to right, and what is left of the run."""
    left, at = "", 0
    while at < len(run):
        length = next(
            (n for n in range(min(glossary.longest, len(run) - at), 0, -1) if _stands(run, at, n, glossary)), 0
        )
        if not length:
            left, at = left + run[at], at + 1
            continue
        if left:
            yield _left(left)
            left = ""
        yield Piece(run[at : at + length], glossary.words[run[at : at + length]])
        at += length
    if left:
        yield _left(left)


def _stands(run: str, at: int, length: int, glossary: Glossary) -> bool:
    """Tell whether a word that the glossary knows stands at a place; one in katakana stands by itself."""
    word = run[at : at + length]
    if word not in glossary.words:
        return False
    if not _KATAKANA.fullmatch(word):
        return True
    before, after = run[at - 1 : at] if at else "", run[at + length : at + length + 1]
    alone = not _ONE_KATAKANA.match(before) and not _ONE_KATAKANA.match(after)
    return alone or length > 2  # アプリケーションサーバー is two words of katakana, カラム no colour


def _left(left: str) -> Piece:
    """Return what the glossary does not know; hiragana between words are grammar."""
    return Piece(left, () if _HIRAGANA.fullmatch(left) else None)
