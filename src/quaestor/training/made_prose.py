"""Searches made from documentation: what prose asks of prose, with answers known without any judge.

Each kind has its own slant, so that together they favour neither words nor meaning: a *sentence* that is taken out of
the paragraph that it came from (the words are gone, the meaning is left; the inverse cloze task of Lee et al., 2019),
some of the *words* of a sentence that stays, some words of a *heading*, the sentence around a *link*, which tells in an
author's own words what the linked section is about, and a *quote*, words that stand side by side. People ask in fewer
words than authors write, so of sentences and links there is a *short* form too.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from quaestor.evaluation.made.clean import askable, prose_query, sentence_query, without_sentence
from quaestor.terms import STOP_WORDS, find_words
from quaestor.training.made import Made

SUFFIXES = frozenset({".md", ".rst", ".adoc", ".txt"})
_LARGEST = 400_000
_PARAGRAPH = re.compile(r"^(?=[A-Za-z`*\"'(])(?:[^\n]*\S[^\n]*\n){2,}", re.MULTILINE)
_LABEL = re.compile(r"^\.\. _([\w .:-]+):\s*$|^\[\[([\w.-]+)\]\]\s*$|^(#{1,6} [^\n]+)$", re.MULTILINE)
_LINK = re.compile(
    r":ref:`(?:[^`<]*<)?([\w .:-]+)>?`|<<([\w.-]+)(?:,[^>]*)?>>|xref:[\w/.-]*#([\w.-]+)\[|\]\([\w./-]*#([\w-]+)\)"
)
_LONGEST_SECTION = 80  # lines
_WORD_KEPT = 0.5
_HEADING_KEPT = 0.75
_SHORT = (4, 8)  # words that say something
_SMALL_WORD_KEPT = 0.5
_QUOTED = (3, 11)  # words


def lay_out(folder: Path, place: Path, each: int, seed: int) -> list[Made]:
    """Copy a folder's documents to ``place``, without the sentences that are asked, and return up to ``each`` of every
    kind of search; the same for the same folder and seed.

    A search for a link must not find the place of the link itself, so the paragraph around it is left out of the copy.
    """
    chance = random.Random(seed)
    texts = {path.relative_to(folder).as_posix(): text for path in _documents(folder) if (text := _read(path))}
    labels = {label: (path, line) for path, text in texts.items() for label, line in _labels(text)}
    found: list[Made] = []
    for path in chance.sample(sorted(texts), len(texts)):
        texts[path], made = _take(path, texts[path], labels, chance)
        found += made
    for path, text in texts.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text, encoding="utf-8")
    kinds = dict.fromkeys(made.category for made in found)
    return [made for kind in kinds for made in [one for one in found if one.category == kind][:each]]


def _documents(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in SUFFIXES and path.is_file() and not path.is_symlink() and path.stat().st_size <= _LARGEST:
            yield path


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None


def _labels(text: str) -> Iterator[tuple[str, int]]:
    """Yield what links call a place, with its line."""
    for found in _LABEL.finditer(text):
        name = found[1] or found[2] or _slug(found[3].lstrip("#"))
        yield name, text.count("\n", 0, found.start()) + 1


def _slug(heading: str) -> str:
    return re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())


def _take(path: str, text: str, labels: dict[str, tuple[str, int]], chance: random.Random) -> tuple[str, list[Made]]:
    """Return a document without what is asked, and the searches: at most one of a kind."""
    made: dict[str, Made] = {}
    paragraphs = list(_PARAGRAPH.finditer(text))
    chance.shuffle(paragraphs)
    gone: list[tuple[int, int, str]] = []
    for found in paragraphs:
        first = text.count("\n", 0, found.start()) + 1
        last = first + found[0].count("\n") - 1
        lacking = [kind for kind in ("link", "sentence", "words") if kind not in made]
        for kind in lacking:
            asked = _ask(kind, found[0], labels)
            if asked is None:
                continue
            query, rest, target = asked
            where = target or (path, first, last)
            made[kind] = Made(kind, _thinned(query, kind, chance), *where)
            gone.append((found.start(), found.end(), rest))
            break
    for start, end, rest in sorted(gone, reverse=True):
        text = text[:start] + rest + text[end:]
    return text, list(made.values())


def _ask(
    kind: str, paragraph: str, labels: dict[str, tuple[str, int]]
) -> tuple[str, str, tuple[str, int, int] | None] | None:
    """Return a query, what is left of the paragraph, and the answer's place if it is elsewhere."""
    if kind == "link":
        for sentence in askable(paragraph):
            link = _LINK.search(sentence)
            place = labels.get("".join(filter(None, link.groups()))) if link else None
            query = prose_query(_LINK.sub(" ", sentence), fewest=5)
            if place and query:
                blank = "\n" * paragraph.count("\n")
                return query, blank, (place[0], place[1], place[1] + _LONGEST_SECTION)
        return None
    asked = sentence_query(paragraph)
    if asked is None:
        return None
    sentence, query = asked
    if kind == "words":
        return query, paragraph, None
    left = without_sentence(paragraph, sentence, paragraph.count("\n"))
    return query, "\n".join((*left, "")), None


def _thinned(query: str, kind: str, chance: random.Random) -> str:
    if kind != "words":
        return query
    words = query.split()
    kept = [word for word in words if chance.random() < _WORD_KEPT]
    return " ".join(kept if len(kept) > 3 else words)


def heading_searches(headings: Sequence[Made], each: int, seed: int) -> list[Made]:
    """Return searches by some of the words of headings of at least three words."""
    chance = random.Random(seed)
    found: list[Made] = []
    for made in chance.sample(list(headings), len(headings)):
        words = made.query.split()
        kept = [word for word in words if chance.random() < _HEADING_KEPT]
        if len(words) >= 3 and len(kept) >= 2 and len(found) < each:
            found.append(Made("heading", " ".join(kept), made.path, made.start_line, made.end_line))
    return found


def short_searches(searches: Sequence[Made], seed: int) -> list[Made]:
    """Return searches by sentences and for links in as few words as people ask in."""
    chance = random.Random(seed)
    return [
        replace(made, category=f"short {made.category}", query=_shortened(made.query, chance))
        for made in searches
        if made.category in ("sentence", "link")
    ]


def _shortened(query: str, chance: random.Random) -> str:
    words = query.split()
    telling = [at for at, word in enumerate(words) if not STOP_WORDS.issuperset(map(str.lower, find_words(word)))]
    kept = set(chance.sample(telling, min(len(telling), chance.randint(*_SHORT))))
    small = set(range(len(words))).difference(telling)
    return " ".join(
        word for at, word in enumerate(words) if at in kept or (at in small and chance.random() < _SMALL_WORD_KEPT)
    )


def quote_searches(passages: Sequence[Made], each: int, seed: int) -> list[Made]:
    """Return searches by words that stand side by side in a passage.

    Args:
        passages: places, with their text as the query.
        each: how many to return at most.
        seed: of all chance.
    """
    chance = random.Random(seed)
    found: list[Made] = []
    for made in chance.sample(list(passages), len(passages)):
        words = made.query.split()
        if len(words) > 2 * _QUOTED[1] and len(found) < each:
            start, many = chance.randrange(len(words) - _QUOTED[1]), chance.randint(*_QUOTED)
            quote = words[start : start + many]
            if sum(map(str.isalpha, quote)) >= _QUOTED[0]:
                found.append(replace(made, category="quote", query=" ".join(quote)))
    return found
