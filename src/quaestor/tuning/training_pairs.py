"""Training pairs: their files, and making them from code and prose."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from quaestor.core.terms import split_identifier
from quaestor.evaluation.made_questions.clean_queries import comment_query, prose_query, sentences
from quaestor.evaluation.made_questions.surface_syntax import (
    Block,
    comment_blocks,
    defined_name,
    definition_above,
    docstrings,
    indent_of,
)

Kind = Literal["doc", "comment", "name", "test", "error", "commit", "heading", "sentence"]


@dataclass(frozen=True, slots=True)
class Pair:
    """A query, and the text that answers it.

    Attributes:
        kind: the origin of the query, one of ``KINDS``.
        query: a comment, a split name, a heading and the like; never part of ``text``.
        text: the passage, shaped like a chunk of an index.
        path: the passage's file, relative to its repository.
        language: the language of the passage.
    """

    kind: Kind
    query: str
    text: str
    path: str
    language: str


def write_pairs(file: Path, pairs: Iterable[Pair]) -> int:
    """Write pairs as gzipped JSON lines; return their number."""
    count = 0
    with gzip.open(file, "wt", encoding="utf-8", compresslevel=1) as out:
        for pair in pairs:
            out.write(json.dumps(asdict(pair), ensure_ascii=False) + "\n")
            count += 1
    return count


def read_pairs(file: Path) -> Iterator[Pair]:
    """Yield the pairs of a file that ``write_pairs`` wrote."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield Pair(**json.loads(line))


_MOST = 1_500
_FEWEST_OF_CODE = 120
_ATTRIBUTE = re.compile(r"^\s*(?:@\w|#\[|\[\w+[^\]]*\]\s*$|@doc false|@spec|template\s*<)")
_TEST = re.compile(
    r"""^\s*(?:it|test|describe|context|specify|t\.Run|should|@DisplayName|@test|scenario|feature|subtest)"""
    r"""(?:\.\w+)?\s*\(?\s*(["'`])(?P<title>.{12,160}?)\1"""
)
_RAISED = re.compile(
    r"""(?:raise|throw|panic!?|error|Errorf?|errors\.New|Exception|bail!|fail|fatal|abort|die|warn|err)\w*\W.*?"""
    r"""(["'`])(?P<message>[^"'`]{18,160})\1"""
)
_FORMAT = re.compile(r"%[-+#0-9.]*[a-zA-Z]|\$?\{[^}]*\}|#\{[^}]*\}|\\n|:\?")


def code_pairs(text: str, path: str, language: str, chance: random.Random) -> Iterator[Pair]:
    """Yield every pair of one file."""
    lines = text.splitlines()
    for block in [*comment_blocks(lines, language), *docstrings(lines, language)]:
        if pair := _comment_pair(lines, block, path, language, chance):
            yield pair
    for number, line in enumerate(lines):
        if pair := _titled_pair(lines, number, line, path, language, chance):
            yield pair


def _comment_pair(lines: list[str], block: Block, path: str, language: str, chance: random.Random) -> Pair | None:
    query = comment_query(lines[block.first : block.last + 1])
    if query is None:
        return None
    if block.inside:
        start = definition_above(lines, block.first, language)
        head, after = lines[start : block.first], block.last + 1
    else:
        start, head, after = block.last + 1, [], block.last + 1
    if after >= len(lines) or not lines[after].strip():
        return None
    body = [*head, *_body(lines, after, indent_of(lines[start]), inside=block.inside, chance=chance)]
    first = next((line for line in body if not _ATTRIBUTE.match(line)), "")
    kind: Kind = "doc" if block.inside or defined_name(first, language) else "comment"
    return _pair(kind, query, body, path, language)


def _titled_pair(
    lines: list[str], number: int, line: str, path: str, language: str, chance: random.Random
) -> Pair | None:
    """Return a pair whose query is in the line itself: a test's title, an error's message or a definition's name."""
    if match := _TEST.match(line):
        body = [
            line.replace(match["title"], ""),
            *_body(lines, number + 1, indent_of(line), inside=True, chance=chance),
        ]
        query = prose_query(match["title"])
        return _pair("test", query, body, path, language) if query else None
    if match := _RAISED.search(line):
        start = max(0, number - chance.randint(4, 20))
        body = [
            *lines[start:number],
            line.replace(match["message"], ""),
            *lines[number + 1 : number + chance.randint(3, 12)],
        ]
        query = prose_query(_FORMAT.sub(" ", match["message"]))
        return _pair("error", query, body, path, language) if query else None
    name = defined_name(line, language)
    parts = split_identifier(name) if name else ()
    if not name or len(parts) < 2 or chance.random() < 0.3:
        return None
    body = _body(lines, number + 1, indent_of(line), inside=True, chance=chance)
    return _pair("name", " ".join(parts), [line.replace(name, ""), *body], path, language)


def _pair(kind: Kind, query: str, body: list[str], path: str, language: str) -> Pair | None:
    text = "\n".join(body).strip("\n")[:_MOST]
    if len(text) < _FEWEST_OF_CODE or query in text or max(map(len, body)) > 400:
        return None
    return Pair(kind, query, text, path, language)


def _body(lines: list[str], start: int, indent: int, *, inside: bool, chance: random.Random) -> list[str]:
    """Return the lines from ``start`` to the end of the block at ``indent``, or a few lines more if it is short."""
    wanted = chance.choice((0, 0, 500, 750, 1_000))
    size, deeper = 0, inside
    for number in range(start, len(lines)):
        line = lines[number]
        columns = indent_of(line)
        ended = bool(line.strip()) and number > start and (columns < indent or (deeper and columns <= indent))
        if size > _MOST or (ended and size >= wanted):
            closing = [line] if size <= _MOST and line.strip()[:3] in {"}", "});", "end", ")", "};", "},"} else []
            return [*lines[start:number], *closing]
        deeper = deeper or columns > indent
        size += len(line) + 1
    return lines[start:]


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
_SHORT = 350
_FEWEST_OF_PROSE = 150


def prose_pairs(text: str, path: str, language: str, chance: random.Random, draws: int = 1) -> Iterator[Pair]:
    """Yield the pairs of one document; ``draws`` limits the headings and sentences that become queries."""
    sections = [
        # A narrative has no titles: there, also passages as short as the messages of a conversation.
        (titles, [_passage_with_queries(passage) for passage in _passages(body)], [] if titles else _short(body))
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
    return [_passage_with_queries(passage) for passage in _passages(body, _SHORT)]


def _passage_with_queries(passage: str) -> tuple[str, list[str]]:
    """Return a passage with the sentences that may serve as its queries."""
    return passage, [sentence for sentence in sentences(passage) if 40 < len(sentence) < 240]


def _title_query(titles: list[str], chance: random.Random) -> str | None:
    """Return the last heading alone when it says enough, else with those above it."""
    last = titles[-1].strip()
    alone = last.lower() not in _EMPTY_TITLES and len(last.split()) >= 3 and chance.random() < 0.6
    return prose_query(last if alone else " ".join(titles[-3:]), fewest=2)


def _sentence_pair(
    titles: list[str], passage: str, asking: list[str], path: str, language: str, chance: random.Random
) -> Iterator[Pair]:
    """Yield the pair of a sentence and the passage that it was taken from: the inverse cloze task (Lee et al. 2019)."""
    if len(asking) < 3:
        return
    chosen = chance.choice(asking)
    query = prose_query(chosen, fewest=5)
    rest = " ".join(passage.split()).replace(chosen, " ")
    if query and len(rest) >= _FEWEST_OF_PROSE:
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
    if match := _MARKDOWN.match(line) or _ASCIIDOC.match(line):
        return len(match[1]), match[2]
    following = lines[number + 1] if number + 1 < len(lines) else ""
    underline = _UNDERLINE.match(following)
    if underline and 3 < len(line.strip()) <= len(following.strip()) + 2 and line[:1].isalnum():
        return 1 + "=-~^\"'`#*+".index(underline[1]), line.strip()
    return None


def _passages(body: str, most: int = _MOST) -> list[str]:
    """Join paragraphs to passages of up to about ``most`` characters; drop short ones."""
    passages: list[str] = []
    current = ""
    for paragraph in re.split(r"\n\s*\n", body):
        if current and len(current) + len(paragraph) > most:
            passages.append(current)
            current = ""
        current = f"{current}\n\n{paragraph.strip()}".strip()
    passages.append(current)
    return [passage[: most + 500] for passage in passages if len(passage) >= _FEWEST_OF_PROSE]
