"""Pairs from documentation and other prose: heading path -> section, a sentence -> the rest of its passage."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from quaestor.evaluation.made.clean import prose_query, sentences
from quaestor.tuning.training_pairs import Pair

_MARKDOWN = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
_ASCIIDOC = re.compile(r"^(={1,6})\s+(\S.*?)\s*$")
_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+])\1{2,}\s*$")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_TAGS = re.compile(r"<[^>]{1,300}>")
_EMPTY_TITLES = frozenset(
    {
        *("changelog", "contributing", "example", "examples", "installation", "introduction", "license", "motivation"),
        *("note", "notes", "options", "overview", "parameters", "references", "see also", "summary", "usage"),
    }
)
_MOST = 1_500
_SHORT = 350
_FEWEST = 150


def prose_pairs(text: str, path: str, language: str, chance: random.Random, draws: int = 1) -> Iterator[Pair]:
    """Yield the pairs of one document; of its headings and sentences as many as are drawn."""
    sections = [
        # A narrative has no titles: there, also passages as short as the messages of a conversation.
        (titles, [_asking(passage) for passage in _passages(body)], [] if titles else _short(body))
        for titles, body in _sections(_FRONT_MATTER.sub("", text), language)
    ]
    for _ in range(draws):
        for titles, passages, short in sections:
            for passage, asking in passages:
                if titles and (query := _title_query(titles, chance)):
                    yield Pair("heading", query, passage, path, language)
                yield from _sentence_pair(titles, passage, asking, path, language, chance)
            for passage, asking in short:
                yield from _sentence_pair(titles, passage, asking, path, language, chance)


def _short(body: str) -> list[tuple[str, list[str]]]:
    return [_asking(passage) for passage in _passages(body, _SHORT)]


def _asking(passage: str) -> tuple[str, list[str]]:
    """Return a passage with those of its sentences that may ask for it."""
    return passage, [sentence for sentence in sentences(passage) if 40 < len(sentence) < 240]


def _title_query(titles: list[str], chance: random.Random) -> str | None:
    """Return the last heading alone when it says enough, else with those above it."""
    last = titles[-1].strip()
    alone = last.lower() not in _EMPTY_TITLES and len(last.split()) >= 3 and chance.random() < 0.6
    return prose_query(last if alone else " ".join(titles[-3:]), fewest=2)


def _sentence_pair(
    titles: list[str], passage: str, asking: list[str], path: str, language: str, chance: random.Random
) -> Iterator[Pair]:
    """The inverse cloze task (Lee et al. 2019): one sentence asks for the passage that it was taken from."""
    if len(asking) < 3:
        return
    chosen = chance.choice(asking)
    query = prose_query(chosen, fewest=5)
    rest = " ".join(passage.split()).replace(chosen, " ")
    if query and len(rest) >= _FEWEST:
        yield Pair("sentence", query, f"{titles[-1]}\n{rest}" if titles else rest, path, language)


def _sections(text: str, language: str) -> Iterator[tuple[list[str], str]]:
    """Yield the heading path and the text of each section."""
    if language in {"html", "xml"}:
        yield [], _TAGS.sub("", re.sub(r"</(?:p|h\d|li|div)>", "\n\n", text))
        return
    titles: list[tuple[int, str]] = []
    body: list[str] = []
    lines = text.splitlines()
    fenced = False
    for number, line in enumerate(lines):
        fenced ^= bool(_FENCE.match(line))
        heading = None if fenced else _heading(lines, number)
        if heading:
            yield [title for _, title in titles], "\n".join(body)
            body = []
            titles = [*[(level, title) for level, title in titles if level < heading[0]], heading]
        elif body or not _UNDERLINE.match(line):
            body.append(line)
    yield [title for _, title in titles], "\n".join(body)


def _heading(lines: list[str], number: int) -> tuple[int, str] | None:
    line = lines[number]
    if found := _MARKDOWN.match(line) or _ASCIIDOC.match(line):
        return len(found[1]), found[2]
    following = lines[number + 1] if number + 1 < len(lines) else ""
    underline = _UNDERLINE.match(following)
    if underline and 3 < len(line.strip()) <= len(following.strip()) + 2 and line[:1].isalnum():
        return 1 + "=-~^\"'`#*+".index(underline[1]), line.strip()
    return None


def _passages(body: str, most: int = _MOST) -> list[str]:
    """Join paragraphs to passages of up to about ``most`` characters; drop what is too short."""
    passages: list[str] = []
    current = ""
    for paragraph in re.split(r"\n\s*\n", body):
        if current and len(current) + len(paragraph) > most:
            passages.append(current)
            current = ""
        current = f"{current}\n\n{paragraph.strip()}".strip()
    passages.append(current)
    return [passage[: most + 500] for passage in passages if len(passage) >= _FEWEST]
