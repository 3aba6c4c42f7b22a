"""Choosing questions from documents, and removing their text from a copy of the corpus.

Comments ask for their code, commit subjects for files, headings for sections. Each question names the lines to remove
from the copy. Documents are read as text, as they were indexed.
"""

from __future__ import annotations

import posixpath
import random
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from pathlib import Path

from quaestor.chunking.languages import PROSE
from quaestor.core.documents import Chunk
from quaestor.corpus import Corpus
from quaestor.evaluation.made_questions.clean_queries import (
    comment_query,
    prose_query,
    sentence_query,
    subject_query,
    without_sentence,
)
from quaestor.evaluation.made_questions.surface_syntax import (
    LANGUAGES,
    Block,
    comment_blocks,
    defined_name,
    definition_above,
    docstrings,
    indent_of,
)
from quaestor.evaluation.metrics import Question, Target
from quaestor.history.git import Git, NoHistoryError, Repository
from quaestor.search.background_documents import GENERATED, VENDORED
from quaestor.search.path_roles import profile_path


@dataclass(frozen=True, slots=True)
class Section:
    """A section, or the part of it in a chunk.

    Attributes:
        title: its heading, without markup.
        first: its first line, 0-based.
        last: its last line, inclusive.
    """

    title: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class SourceText:
    """One document.

    Attributes:
        path: relative to the source's root, with ``/``.
        language: the language as it was recognised.
        lines: the lines of its text without line ends.
        sections: its sections, if it is prose.
    """

    path: str
    language: str
    lines: tuple[str, ...]
    sections: tuple[Section, ...]


def texts_of(corpus: Corpus) -> dict[str, SourceText]:
    """Return a corpus's documents by path, without vendored and generated ones."""
    texts: dict[str, SourceText] = {}
    for path, document in sorted(corpus.store.documents().items()):
        chunks = corpus.store.chunks_of(path)
        if not chunks or profile_path(path).background in (VENDORED, GENERATED) or document.note:
            continue
        text = "".join(stored.chunk.text for stored in chunks)
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        texts[path] = SourceText(
            path, document.language, tuple(lines), tuple(_sections(stored.chunk for stored in chunks))
        )
    return texts


def _sections(chunks: Iterable[Chunk]) -> Iterator[Section]:
    """Yield each section once: a long one has several chunks."""
    for (kind, title, _), parts in groupby(chunks, lambda chunk: (chunk.kind, chunk.symbol, chunk.scope)):
        if kind == "section" and title:
            spans = [chunk.span for chunk in parts]
            yield Section(title, spans[0].start_line - 1, spans[-1].end_line - 1)


_NO_LETTERS = re.compile(r"[\W_]+")


def letters(text: str) -> str:
    """Return a text's letters and digits in lower case, so that texts are compared regardless of layout."""
    return _NO_LETTERS.sub("", text).lower()


class Words:
    """The words of all documents, as one text to search in.

    Args:
        texts: the texts by path.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._paths = list(texts)
        parts = [letters(text) for text in texts.values()]
        self._all = "\0".join(parts)
        self._starts: list[int] = []
        start = 0
        for part in parts:
            self._starts.append(start)
            start += len(part) + 1

    def occur_elsewhere(self, query: str, besides: Collection[str]) -> bool:
        """Return whether a query's words occur in this order in any other document."""
        wanted = letters(query)
        at = self._all.find(wanted) if wanted else -1
        while at >= 0:
            number = bisect_right(self._starts, at) - 1
            if self._paths[number] not in besides:
                return True
            following = number + 1
            at = self._all.find(wanted, self._starts[following]) if following < len(self._starts) else -1
        return False


KINDS = ("docstring", "heading", "sentence", "link", "commit")
"""Sources of questions: comments and docstrings, headings, sentences, words of links, subjects of commits."""

_OF_ONE_DOCUMENT = 3


@dataclass(frozen=True, slots=True)
class MadeSet:
    """Questions about a copy of a corpus.

    Attributes:
        questions: the questions in a fixed order.
        texts: every document of the copy by path.
    """

    questions: tuple[Question, ...]
    texts: Mapping[str, str]

    def lay_out(self, place: Path) -> None:
        """Write the copy below the folder ``place``."""
        for path, text in self.texts.items():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_text(text, "utf-8", errors="replace", newline="\n")


def make_questions(
    texts: Mapping[str, SourceText],
    repository: Repository | None,
    *,
    each: int = 150,
    seed: int = 0,
    kinds: Container[str] = KINDS,
    about: Callable[[str], bool] = lambda path: True,
) -> MadeSet:
    """Return questions, the same for the same corpus and seed.

    Args:
        texts: the corpus.
        repository: the repository of the corpus, for its history.
        each: the most questions of each category.
        seed: the seed of random choices.
        kinds: the categories to include.
        about: returns whether questions may be about a document.
    """
    chance = random.Random(seed)
    by_kind: dict[str, list[_QuestionDraft]] = defaultdict(list)
    for path in chance.sample(sorted(texts), len(texts)):
        if about(path):
            for one in _of_document(texts[path], texts, chance):
                by_kind[one.category].append(one)
    of_commits = _of_history(repository, texts) if repository and "commit" in kinds else ()
    history = [one for one in of_commits if all(about(path) for path, _, _ in one.targets)]
    by_kind["commit"] = chance.sample(history, len(history))
    words = Words({path: "\n".join(text.lines) for path, text in texts.items()})
    chosen = [
        one
        for category in sorted(by_kind)
        if category in kinds
        for one in islice((one for one in by_kind[category] if _is_fair(one, texts, words)), each)
    ]
    questions = (
        Question(f"made-{number}", one.query, tuple(Target(*target) for target in one.targets), one.category)
        for number, one in enumerate(chosen)
    )
    changes: dict[str, dict[int, str]] = defaultdict(dict)
    for one in chosen:
        changes[one.place].update(one.instead)
    return MadeSet(
        tuple(questions), {path: _replace_lines(text, changes.get(path, {})) for path, text in texts.items()}
    )


def _is_fair(one: _QuestionDraft, texts: Mapping[str, SourceText], words: Words) -> bool:
    """Return whether a question's words occur only in its answers once they are removed from their source."""
    own = texts.get(one.place)
    answers = {path for path, first, _ in one.targets if first is None}
    if words.occur_elsewhere(one.query, answers | {one.place}):
        return False
    return own is None or own.path in answers or letters(one.query) not in letters(_replace_lines(own, one.instead))


def _of_document(text: SourceText, paths: Mapping[str, SourceText], chance: random.Random) -> Iterator[_QuestionDraft]:
    questions = list(_of_code(text))
    yield from chance.sample(questions, min(_OF_ONE_DOCUMENT, len(questions)))
    used_lines: set[int] = set()
    for one in _of_prose(text, paths, chance):
        # Two questions of one paragraph would undo each other's change.
        if used_lines.isdisjoint(one.instead):
            used_lines.update(one.instead)
            yield one


def _replace_lines(text: SourceText, instead: Mapping[int, str]) -> str:
    return "\n".join(instead.get(number, line) for number, line in enumerate(text.lines))


@dataclass(frozen=True, slots=True)
class _QuestionDraft:
    """A question with its answer.

    Attributes:
        category: ``docstring``, ``heading``, ``sentence``, ``link`` or ``commit``.
        query: the question.
        targets: (document, first line, last line) of each answer, 1-based and inclusive; no lines for a whole document.
        place: the document that holds the question, or "".
        instead: replacements of lines (0-based) of that document.
    """

    category: str
    query: str
    targets: tuple[tuple[str, int | None, int | None], ...]
    place: str = ""
    instead: Mapping[int, str] = field(default_factory=dict)


_FEWEST_LINES = 4
_MOST_LINES = 120
_ATTRIBUTES = 3  # lines of decorators and the like between a comment and its definition


def _of_code(text: SourceText) -> Iterator[_QuestionDraft]:
    """Yield the questions of a source file; tests and examples have none, because they repeat the code's own words."""
    profile = profile_path(text.path)
    if text.language not in LANGUAGES or profile.test or profile.example:
        return
    lines = list(text.lines)
    for block in (*comment_blocks(lines, text.language), *docstrings(lines, text.language)):
        first = _definition(lines, block, text.language)
        query = None if first is None else comment_query(lines[block.first : block.last + 1])
        if first is None or query is None:
            continue
        last = _last_indented_line(
            lines, max(first, block.last + 1 if block.inside else first), indent_of(lines[first])
        )
        gone = range(block.first, block.last + 1)
        remaining = [
            line for number, line in enumerate(lines[first : last + 1], first) if line.strip() and number not in gone
        ]
        if len(remaining) >= _FEWEST_LINES and query.lower() not in " ".join(" ".join(remaining).split()).lower():
            yield _QuestionDraft(
                "docstring", query, ((text.path, first + 1, last + 1),), text.path, dict.fromkeys(gone, "")
            )


def _definition(lines: list[str], block: Block, language: str) -> int | None:
    """Return the line on which the definition begins that a comment belongs to, if it belongs to one."""
    if block.inside:
        first = definition_above(lines, block.first, language)
        return first if defined_name(lines[first], language) else None
    below = range(block.last + 1, min(len(lines), block.last + 1 + _ATTRIBUTES))
    return next((number for number in below if defined_name(lines[number], language)), None)


def _last_indented_line(lines: Sequence[str], start: int, indent: int) -> int:
    """Return the last line of the block that begins at ``start`` and is indented further than ``indent``."""
    last, deeper = start, False
    for number in range(start, min(len(lines), start + _MOST_LINES)):
        line = lines[number]
        if not line.strip():
            continue
        inside = indent_of(line) > indent
        if number > start and not inside:
            return number if (deeper and line.strip()[:1] in "})]") or line.strip() == "end" else last
        deeper = deeper or inside
        last = number
    return last


_COMMITS = 2000
_SECONDS = 20.0
_MOST_FILES = 3
_MOST_BYTES = 1 << 26


def _of_history(repository: Repository, paths: Container[str]) -> Iterator[_QuestionDraft]:
    """Yield the questions of a repository's newest commits that changed few of its present files."""
    folder = repository.prefix[: repository.prefix.rfind("/") + 1]
    command = ["log", "--no-merges", f"-n{_COMMITS}", "--diff-filter=AM", "--name-only", "-l1000"]
    command += [f"--relative={folder}", "-z", "--format=%x01%s%x02"]
    try:
        with Git(repository, _SECONDS) as git:
            output = git.run(*command, seconds=_SECONDS, most=_MOST_BYTES)
    except NoHistoryError:
        return
    log = output.data if output.is_complete else b""
    seen: set[str] = set()
    for commit in log.decode("utf-8", "replace").split("\x01")[1:]:
        subject, _, names = commit.partition("\x02")
        files = [name.strip("\n") for name in names.split("\0") if name.strip("\n")]
        query = subject_query(subject)
        if query and query not in seen and 0 < len(files) <= _MOST_FILES and all(name in paths for name in files):
            seen.add(query)
            yield _QuestionDraft("commit", query, tuple((name, None, None) for name in files))


_HEADING_WITHIN = 3  # lines from the start of a section
_FEWEST_WORDS = 3
_ADORNMENT = re.compile(r"^\s*([=\-~^\"'`#*+.:_])\1{2,}\s*$")
_PARAGRAPH = re.compile(r"^[A-Za-z`*\"'(]")
_LINK = re.compile(r"\[([^\]\[]{8,120})\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


def _of_prose(text: SourceText, paths: Container[str], chance: random.Random) -> Iterator[_QuestionDraft]:
    """Yield at most one question of each kind of a document of prose.

    Args:
        text: the document.
        paths: every document of the corpus, for links.
        chance: chooses the heading, the sentence and the link.
    """
    if text.language not in PROSE:
        return
    sections = list(text.sections)
    chance.shuffle(sections)
    paragraphs = list(_paragraphs(text.lines))
    chance.shuffle(paragraphs)
    makers = (
        (_heading(text, section) for section in sections),
        (_sentence(text, *paragraph) for paragraph in paragraphs),
        (_link(text, number, paths) for number in range(len(text.lines))),
    )
    for questions in makers:
        if (question := next(filter(None, questions), None)) is not None:
            yield question


def _heading(text: SourceText, section: Section) -> _QuestionDraft | None:
    query = prose_query(section.title)
    if query is None or len(query.split()) < _FEWEST_WORDS or section.last - section.first < _HEADING_WITHIN:
        return None
    plain = letters(section.title)
    near = range(section.first, min(section.first + _HEADING_WITHIN, len(text.lines)))
    line = next((number for number in near if plain and plain in letters(text.lines[number])), None)
    if line is None:
        return None
    below = range(line + 1, min(line + 2, len(text.lines)))
    underline = [number for number in below if _ADORNMENT.match(text.lines[number])]
    gone = dict.fromkeys([*range(section.first, line + 1), *underline], "")
    return _QuestionDraft("heading", query, ((text.path, line + 1, section.last + 1),), text.path, gone)


def _paragraphs(lines: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each paragraph of running text of two lines or more, or one long one."""
    start: int | None = None
    for number, line in enumerate((*lines, "")):
        if line.strip():
            start = number if start is None else start
        elif start is not None:
            if _PARAGRAPH.match(lines[start]):
                yield start, number - 1
            start = None


def _sentence(text: SourceText, first: int, last: int) -> _QuestionDraft | None:
    """Return the longest sentence of a paragraph as a question for the rest of it (Lee et al. 2019)."""
    paragraph = " ".join(text.lines[first : last + 1])
    pair = sentence_query(paragraph)
    if pair is None:
        return None
    sentence, query = pair
    kept = without_sentence(paragraph, sentence, last - first + 1)
    instead = dict(zip(range(first, last + 1), kept, strict=True))
    return _QuestionDraft("sentence", query, ((text.path, first + 1, last + 1),), text.path, instead)


def _link(text: SourceText, number: int, paths: Container[str]) -> _QuestionDraft | None:
    """Return the words of a link to another document of the corpus as a question for that document."""
    for match in _LINK.finditer(text.lines[number]):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(text.path), match[2]))
        query = prose_query(match[1])
        if query is None or path == text.path or path not in paths or len(query.split()) < _FEWEST_WORDS:
            continue
        line = text.lines[number]
        changed = f"{line[: match.start(1)]}here{line[match.end(1) :]}"
        return _QuestionDraft("link", query, ((path, None, None),), text.path, {number: changed})
    return None
