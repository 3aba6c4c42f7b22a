"""Explains a message or a trace: what raises it, which frames in this corpus lead there, what documents say about it.

A frame is found by the end of its path, and by its function if the line number is outdated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from quaestor.answers.drafts import (
    CorpusLines,
    Draft,
    in_code,
    innermost_definition,
    line_of_name,
    qualified_name,
    stretch,
)
from quaestor.answers.errors.message_templates import (
    ANY_FAULT,
    MessagePlaces,
    Template,
    find_printed,
    find_templates,
    fixed_words,
    is_pasted,
    read_message,
    reports_fault,
    stands_behind,
    statement_to,
)
from quaestor.answers.errors.traces import Frame, read_trace
from quaestor.answers.names.resolved_names import described_error, raises_by_key, raises_of, raises_of_bound, uses_of
from quaestor.answers.way import Question, WayAnswer
from quaestor.chunking.definitions import Definition
from quaestor.chunking.languages import KEYED, PROSE
from quaestor.core.documents import Hit
from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import content_terms, split_identifier, terms
from quaestor.corpus import Corpus
from quaestor.related import Relative
from quaestor.related.stored_files import IndexedFile
from quaestor.search.names_in_question import names_of_code
from quaestor.search.path_roles import profile_path

_MOST_FRAMES = 2
_MOST_USES = 10
_MOST_RAISING = 40
_MOST_NAMES = 4
_SHORT = 6
_FAULT = re.compile(r"(?:[Ee]rror|[Ee]xception|Failure|Fault)s?$|^Unable[A-Z]")
_NAMES_FAULT = re.compile(
    r"\b(?:raise[sd]?|throws?|thrown|errors?|exceptions?|fail(?:s|ed|ure)?|panicked)\b", re.IGNORECASE
)
_RAISES = re.compile(r"\b(?:raise|throw|panic!?|fatalError|preconditionFailure|abort|die|error!|bail!)\b\W")
"""Words of a line that raises the message in it."""
_LONGEST = 200_000

_MOST_LOOKED_AT = 24
_MOST_HERE = 8
_MOST_ENDS = 60
_PACKAGE = re.compile(r"^[ \t]*package[ \t]+([\w.]+)[ \t]*(?:;[ \t]*)?$", re.MULTILINE)
_HEAD, _MOST_HEAD = 8_000, 10
_CLASS_AND_METHOD = 2
# What is written in one of these is run as another.
_SCRIPTS = ("ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts", "vue", "svelte")


def answer_error(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer a question that holds a message or a trace; None if this corpus has neither its text nor its frames."""
    text = question.text[:_LONGEST].strip()
    trace = read_trace(text)
    if not (trace.frames or is_pasted(text)):
        return None
    corpus.try_refresh()
    return corpus.retry_reopened(lambda: _explain_where_known(text, corpus))


def _explain_where_known(text: str, corpus: Corpus) -> WayAnswer | None:
    from quaestor.answers.errors.remedies import Fault, names_of_faults, section_on_message  # noqa: PLC0415 - few are pasted

    trace, lines = read_trace(text), CorpusLines(corpus)
    message = "\n".join(trace.messages)
    errors = names_of_faults(message)
    frames = _frames_here(corpus, trace.frames, lines, errors)
    frame_lines: dict[str, list[int]] = {}
    for frame in frames:
        frame_lines.setdefault(frame.path, []).append(frame.line)
    read = read_message(corpus, trace, frame_lines)
    places = find_templates(corpus, read, lines)
    if places.origin is None and (reports_fault(text) or "\n" in text):
        places = find_printed(corpus, trace.messages, lines)
    raising: tuple[Relative, ...] = ()
    if not frames and places.origin is None:
        raising = _places_that_raise(corpus, message)
    traced = frames and (len(trace.frames) > 1 or trace.frames[0].names)
    if places.origin is not None and not traced:
        frames = ()  # where the log is written, or the message is from
    known = bool(places.origin is not None or raising or traced)
    fixed = () if read is None or places.origin is None else fixed_words(read, places.origin, lines)
    said = Fault(names=errors) if read is None else Fault(read.lines, read.weights, errors)
    told = section_on_message(fixed, said, corpus, lines, surely=not known)
    if not known:
        telling = told and (errors or reports_fault(text)) and not _stands_in_code(text, corpus)
        return _tell_only(told) if telling else None
    return _ErrorAnswer(corpus, lines, places, frames, message).answer(raising, told, errors)


def _stands_in_code(text: str, corpus: Corpus) -> bool:
    """Return whether code has a message word for word; a search finds it, even if it is too short to be certain."""
    found = corpus.store.get(corpus.store.holding(terms(text), _MOST_LOOKED_AT)).values()
    return any(text in one.chunk.text for one in found if one.document.language not in PROSE)


def _tell_only(told: Sequence[Hit]) -> WayAnswer:
    """Return an answer of what documents say alone."""
    draft = Draft()
    draft.say("No code here was found to print this. The documents say of it:")
    for hit in told:
        draft.quote(hit)
    return draft.finish("errors")


def _places_that_raise(corpus: Corpus, message: str) -> tuple[Relative, ...]:
    """Return the places that raise the error class that a message names.

    Places whose path or code contains most of the message's other words come first: many files may raise an error,
    and these words tell which of them is meant.
    """
    names = dict.fromkeys(re.split(r"::|->|[.\\#$:/]", name)[-1] for name in names_of_code(message))
    for name in [*names][:_MOST_NAMES]:
        is_fault = name not in ANY_FAULT and (_FAULT.search(name) or _NAMES_FAULT.search(message))
        if is_fault and name[:1].isupper() and (places := raises_of(corpus, name, _MOST_RAISING)):
            words = set(content_terms(message)) - set(content_terms(name))
            return tuple(sorted(places, key=lambda place: -len(words & set(terms(f"{place.path} {place.text}")))))
    return ()


class _ErrorAnswer:
    """An unfinished answer: the places that print the message, and the frames in this corpus, innermost first."""

    def __init__(
        self, corpus: Corpus, lines: CorpusLines, places: MessagePlaces, frames: tuple[_FrameHere, ...], message: str
    ) -> None:
        self._corpus = corpus
        self._lines = lines
        self._message = message
        self._places = places
        self._frames = frames
        self._draft = Draft()
        self._quoted: list[tuple[str, int, int]] = []
        self._symbols: set[tuple[str, str | None]] = set()

    def answer(
        self, raising_places: Sequence[Relative], told: Sequence[Hit] = (), errors: Sequence[str] = ()
    ) -> WayAnswer:
        """Return the answer.

        Args:
            raising_places: places that raise an error which the message names.
            told: what documents say of it.
            errors: the names of errors in the message.
        """
        raised = self._places.origin
        if self._frame_defines_message() or self._frames_come_first():
            self._quote_frames()
        elif raised is not None:
            raising_places = raising_places or self._places_raising(raised)
        self._quote_raising(raising_places)
        places = [place for place in (raised, *self._places.further) if place is not None]
        places = [place for place in places if not self._is_quoted(place.path, place.first)]
        if places:
            self._draft.say("The message comes from here:")
        for place in places:
            self._quote_template(place)
        self._quote_frames()
        self._quote_described(errors)
        if told:
            self._draft.say("The documents say of it:")
        for hit in told:
            self._draft.quote(hit)
        return self._draft.finish("errors")

    def _quote_described(self, errors: Sequence[str]) -> None:
        """Quote the head of the first error that the message names, if a comment of it says more than its name."""
        own = described_error(self._corpus, errors[0]) if errors else None
        if own is not None and not self._is_quoted(own.path, own.start_line):
            self._draft.say(f"{in_code(errors[0])} is described here:")
            self._quote(own.path, own.start_line, min(own.end_line, own.start_line + _MOST_HEAD), own.symbol)

    def _places_raising(self, origin: Template) -> tuple[Relative, ...]:
        """Return the places that raise the error class or the name that the message belongs to."""
        file = self._lines.file(origin.path)
        if file is not None and file.document.language in KEYED:
            return self._raised_by_key(raises_by_key(self._corpus, file.lines, origin.line, _MOST_USES))
        if file is not None and _RAISES.search(statement_to(file.lines, origin.line)):
            return ()
        bound = raises_of_bound(self._corpus, origin.path, file.lines, origin.line, _MOST_USES) if file else ()
        if bound or not _is_fault(origin, self._message):
            return bound
        return uses_of(self._corpus, origin.symbol or "", _MOST_USES)

    def _raised_by_key(self, uses: tuple[Relative, ...]) -> tuple[Relative, ...]:
        """Return the places that raise the class of errors that names a text's key; else those that name the key."""
        holders = (innermost_definition(self._lines.definitions(use.path), use.start_line) for use in uses)
        raised = (raises_of(self._corpus, holder.name, _MOST_USES) for holder in holders if holder is not None)
        return next(filter(None, raised), uses)

    def _frame_defines_message(self) -> bool:
        """Return whether an error class that the innermost frame names defines the message's text."""
        raised = self._places.origin
        if raised is None or not self._frames or not _is_fault(raised, self._message):
            return False
        frame = self._frames[0]
        shown = self._lines.hit(frame.path, frame.first, frame.last).text
        return frame.path != raised.path or (
            not frame.first <= raised.first <= frame.last
            and any(name in shown for name in (raised.symbol or "").split("."))
        )

    def _quote_frames(self) -> None:
        """Quote the frames that lead to the place that raises the message, or, without one, the frames alone."""
        frames = [frame for frame in self._frames if not self._quotes_line_of(frame)]
        if not frames:
            return
        self._draft.say(
            "The trace leads there from here:" if self._quoted else "Innermost of what is here, the trace points at:"
        )
        shown, further = 0, list[_FrameHere]()
        for frame in frames:
            if self._quotes_line_of(frame):
                continue
            if shown < _MOST_FRAMES:
                self._quote(frame.path, frame.first, frame.last, frame.symbol)
                shown += 1
            else:
                further.append(frame)
        if further:
            places = (f"{in_code(f'{frame.path}:{frame.line}')}{_in_brackets(frame.symbol)}" for frame in further)
            self._draft.say(f"Before these it ran through {', '.join(places)}.")

    def _quotes_line_of(self, frame: _FrameHere) -> bool:
        """Return whether a frame's line, or another part of its function, is quoted."""
        shown = frame.symbol is not None and (frame.path, frame.symbol) in self._symbols
        return shown or self._is_quoted(frame.path, frame.line)

    def _frames_come_first(self) -> bool:
        """Return whether the frames come first, because none of their files holds the message's text."""
        raised = self._places.origin
        return raised is not None and bool(self._frames) and all(frame.path != raised.path for frame in self._frames)

    def _quote_raising(self, raising: Sequence[Relative]) -> None:
        """Quote where an error is raised."""
        places = [place for place in raising if not stands_behind(place.path)]
        # A value of the message may name its place: "Missing lock for job 7. moveToFinished".
        names = names_of_code(self._message)
        places.sort(key=lambda place: not any(name in place.text for name in names))
        if places:
            self._draft.say("It is raised here:")
        for place in places[:_MOST_FRAMES]:
            holder = innermost_definition(self._lines.definitions(place.path), place.start_line)
            file = self._lines.file(place.path)
            if file is not None and not self._is_quoted(place.path, place.start_line):
                self._quote(place.path, *stretch(file, holder, place.start_line), qualified_name(holder))

    def _quote_template(self, place: Template) -> None:
        self._quote(place.path, place.first, place.last, place.symbol)

    def _quote(self, path: str, first: int, last: int, symbol: str | None) -> None:
        hit = self._lines.hit(path, first, last, symbol)
        self._quoted.append((path, hit.start_line, hit.end_line))
        self._symbols.add((path, symbol))
        self._draft.quote(hit)

    def _is_quoted(self, path: str, line: int) -> bool:
        return any(path == quoted and first <= line <= last for quoted, first, last in self._quoted)


def _in_brackets(symbol: str | None) -> str:
    return f" ({in_code(symbol)})" if symbol else ""


def _is_fault(place: Template, message: str) -> bool:
    """Return whether a place is part of a class of errors: by its name, or because the message begins with it."""
    names = (place.symbol or "").split(".")
    return any(_FAULT.search(name) or (len(name) > _SHORT and _begins_with(name, message)) for name in names)


def _begins_with(name: str, message: str) -> bool:
    """Return whether a message, or a part of it, begins with a name; what it quotes is a value."""
    return re.search(rf"(?<![\w'\"`]){re.escape(name)}\b(?:[('\"]|:(?!:))", message) is not None


class _FrameHere(NamedTuple):
    """A frame that points into this corpus.

    Attributes:
        path: the document.
        line: the frame's line in the present file, 1-based, as far as it can be determined.
        first: the first of the lines to quote.
        last: the last of them, inclusive.
        symbol: the definition that holds it.
    """

    path: str
    line: int
    first: int
    last: int
    symbol: str | None


def _frames_here(
    corpus: Corpus, frames: Sequence[Frame], lines: CorpusLines, errors: Sequence[str] = ()
) -> tuple[_FrameHere, ...]:
    """Return the frames that lie in this corpus, innermost first, each definition once, up to a limit.

    Args:
        corpus: the corpus.
        frames: the frames of a trace, innermost first.
        lines: the lines of the corpus.
        errors: the names of errors in its message, one of which the innermost frame raises.
    """
    frames_here: dict[tuple[str, str | None], _FrameHere] = {}
    # Recursion repeats frames: of a long trace its two ends tell most.
    distinct = list(dict.fromkeys(frames))
    half = _MOST_LOOKED_AT // 2
    considered = distinct if len(distinct) <= _MOST_LOOKED_AT else [*distinct[:half], *distinct[-half:]]
    for inner, frame in zip((None, *considered), considered, strict=False):
        callee = inner.names[-1] if inner is not None and inner.names else ""
        here = _frame_here(corpus, frame, lines, callee, errors if inner is None else ())
        if here is not None:
            frames_here.setdefault((here.path, here.symbol or str(here.line)), here)
    return tuple(frames_here.values())[:_MOST_HERE]


def _frame_here(
    corpus: Corpus, frame: Frame, lines: CorpusLines, callee: str, errors: Sequence[str]
) -> _FrameHere | None:
    for path in [*_paths(corpus, frame)][:3] if frame.path else _homes(corpus, frame):
        file = lines.file(path)
        if file is None:
            continue
        definitions = lines.definitions(path)
        package = _is_of_its_package(file, frame)
        definition = _definition_of_frame(definitions, frame) if package is not False else None
        known_by_name = definition is not None and not (frame.is_installed and path.count("/") > 1)
        if known_by_name or package or (not _is_bare(frame) and _path_fits(frame, path)):
            return _frame_at(file, frame, definitions, definition, callee, errors)
    return None


def _paths(corpus: Corpus, frame: Frame) -> Iterator[str]:
    """Yield the documents that a frame's path may mean, the best match first."""
    name = frame.path.rpartition("/")[2]
    stem, _, ending = name.rpartition(".")
    names = [name, *(f"{stem}.{other}" for other in _SCRIPTS if ending in _SCRIPTS and other != ending)]
    paths = {path for name in names for path in corpus.store.paths_ending(name, _MOST_ENDS)}
    yield from sorted(
        paths,
        key=lambda path: (
            -_count_common_names(frame.path, path),
            [-count for count in _packages(frame, path)],
            profile_path(path).flags,
            path,
        ),
    )


def _homes(corpus: Corpus, frame: Frame) -> list[str]:
    """Return the documents that define the function of a frame without a path, if their path names its owner."""
    if not frame.names:
        return []
    chunks = corpus.store.get(corpus.store.defining([frame.names[-1]], 20)).values()
    exact = [stored for stored in chunks if frame.names[-1] in (stored.chunk.symbol, *stored.chunk.defines)]
    owners = {part.lower() for name in frame.names[:-1] for part in (name, *split_identifier(name))}
    paths = [
        stored.document.path
        for stored in exact
        if owners & {part.lower() for part in (*stored.chunk.scope, *profile_path(stored.document.path).terms)}
    ]
    return sorted(set(paths), key=lambda path: (profile_path(path).flags, path))[:1]


def _count_common_names(frame_path: str, path: str) -> int:
    """Return how many names at the end two paths have in common; a script's ending does not count."""
    shared = 0
    for name, other_name in zip(reversed(_parts(frame_path)), reversed(_parts(path)), strict=False):
        if name != other_name:
            break
        shared += 1
    return shared


def _parts(path: str) -> list[str]:
    folder, _, name = path.lower().strip("/").rpartition("/")
    stem, _, ending = name.rpartition(".")
    return (
        [*folder.split("/"), stem if ending in _SCRIPTS else name] if folder else [stem if ending in _SCRIPTS else name]
    )


def _packages(frame: Frame, path: str) -> tuple[int, int]:
    """Return how many folders before a file are packages of the frame's qualified name, and how many occur in it."""
    folders = path.rpartition("/")[0]
    before = (_count_common_names("/".join(frame.names[:end]), folders) for end in range(1, len(frame.names)))
    return max(before, default=0), len({name.lower() for name in frame.names} & set(folders.lower().split("/")))


def _is_bare(frame: Frame) -> bool:
    """Return whether a frame names a file without its folder, as in Java, or no file at all."""
    return "/" not in frame.path.strip("/") and bool(frame.names)


def _is_of_its_package(file: IndexedFile, frame: Frame) -> bool | None:
    """Return whether a frame without a folder belongs to a file's package; None if that is uncertain."""
    if not _is_bare(frame) or not frame.path or len(frame.names) <= _CLASS_AND_METHOD:
        return None
    package = _PACKAGE.search(file.text, 0, _HEAD)
    return None if package is None else package[1].split(".")[-1] in frame.names


def _path_fits(frame: Frame, path: str) -> bool:
    """Return whether a frame's path alone shows that it means this document and no file of other software."""
    shared = _count_common_names(frame.path, path)
    whole = min(len(_parts(frame.path)), len(_parts(path)))
    if frame.is_installed:
        return shared > 1
    return shared > 1 or (shared == whole and not frame.path.startswith("/"))


def _definition_of_frame(definitions: Sequence[Definition], frame: Frame) -> Definition | None:
    """Return the definition of the last name of a frame that is defined here; of several, the nearest to its line."""
    for name in reversed(frame.names):
        same = [one for one in definitions if one.name == name]
        if same:
            line = frame.line or 0
            owned = [definition for definition in same if set(definition.scope) & set(frame.names)] or same
            return min(owned, key=lambda definition: _lines_away(definition, line))
    return None


def _lines_away(definition: Definition, line: int) -> int:
    return max(definition.span.start_line - line, line - definition.span.end_line, 0)


def _frame_at(
    file: IndexedFile,
    frame: Frame,
    definitions: Sequence[Definition],
    definition: Definition | None,
    callee: str,
    errors: Sequence[str],
) -> _FrameHere:
    if definition is not None and frame.names and definition.name != frame.names[-1]:
        # The function has gone, and only its class is left.
        raising = [at for at, text in enumerate(file.lines, 1) if _raises_one(text, errors)]
        definition = innermost_definition(definitions, raising[0]) if raising else definition
    line = _line_now(file, frame, definition, callee, errors)
    inner = innermost_definition(definitions, line)
    if definition is not None and (inner is None or not definition.span.start_line <= line <= definition.span.end_line):
        inner = definition
    first, last = stretch(file, inner, line)
    return _FrameHere(file.document.path, line, first, last, qualified_name(inner))


def _line_now(
    file: IndexedFile, frame: Frame, definition: Definition | None, callee: str, errors: Sequence[str] = ()
) -> int:
    """Return the frame's line in the present file: that of its code, its call or what it raises, or a near one."""
    stated = min(max(frame.line or 1, 1), max(len(file.lines), 1))
    if frame.code:
        same = [at for at, line in enumerate(file.lines, 1) if line.strip() == frame.code]
        if same:
            return min(same, key=lambda at: (not _holds_line(definition, at), abs(at - stated)))
    if definition is None:
        return stated
    head = line_of_name(file.lines, definition.span.start_line, definition.span.end_line, definition.name)
    call = re.compile(rf"(?<![\w$]){re.escape(callee)}\s*[(<!]|(?<![\w$]){re.escape(callee)}::<")
    body = range(head + 1, definition.span.end_line + 1)
    calls = [at for at in body if callee and call.search(file.lines[at - 1])]
    calls = calls or [at for at in body if _raises_one(file.lines[at - 1], errors)]
    if calls:
        return min(calls, key=lambda at: abs(at - stated))
    # A function's head tells what runs there; its last lines, which may lie nearer, and its comment tell nothing.
    return stated if head <= stated and _holds_line(definition, stated) else head


def _raises_one(line: str, errors: Sequence[str]) -> bool:
    """Return whether a line raises one of some errors."""
    names = (re.split(r"::|[.\\]", name)[-1] for name in errors)
    return any(name in line for name in names) and _RAISES.search(line) is not None


def _holds_line(definition: Definition | None, line: int) -> bool:
    return definition is None or definition.span.start_line <= line <= definition.span.end_line
