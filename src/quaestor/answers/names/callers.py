"""Answers who calls or uses a name, which tests cover it, and what it calls: all places counted, some quoted.

Uses are found by name, in the syntax trees of the files that contain the name. If several definitions share the name,
the answer says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from posixpath import dirname

from quaestor.answers.drafts import CorpusLines, Draft, in_code, innermost_definition
from quaestor.answers.names.explain_file import imported_for
from quaestor.answers.names.resolved_names import (
    ResolvedName,
    calls_another,
    implementers,
    named_after_file,
    places_as_text,
    resolve_name,
    resolve_symbol,
    say_namesakes,
)
from quaestor.answers.way import Question, WayAnswer
from quaestor.core.documents import Hit
from quaestor.core.terms import content_terms, split_identifier, terms_of_word
from quaestor.core.wording import amount
from quaestor.corpus import Corpus
from quaestor.related import Related, RelatedKind, Relative
from quaestor.related.imports import imports_of
from quaestor.related.occurrences import occurrences
from quaestor.related.uses import ROLES
from quaestor.search.callers_question import CallersQuestion, Relation, read_callers_question
from quaestor.search.path_roles import profile_path

_LIMIT = 200
"""The most places of each kind; parsing the files of so many takes a fraction of a second."""
_MOST_SHOWN = 12
_MOST_SHOWN_BESIDE = 3
_MOST_OF_FILE = 4
_MOST_LISTED = 60
_MOST_DEFINED = 12
_MOST_FILES = 3
_MOST_DEFINITIONS = 5
_MOST_CALLEES = 20
_DEFINING = 10
_WHOLE = 40
_FIRST_LINES = 10
_FAR = 6
"""Lines between two import statements of which the second no longer stands at the head of a file."""
_RELATED: Mapping[Relation, tuple[str, str]] = {
    "subtypes": ("extends or implements", "is extended or implemented"),
    "imports": ("imports", "is imported"),
    "raises": ("raises", "is raised"),
    "catches": ("catches", "is caught"),
    "returns": ("returns", "is returned"),
}
"""The verb of each relation, active and passive."""
_LINES: Mapping[Relation, re.Pattern[str]] = {
    "imports": re.compile(r"\s*(?:import|from|include|#\s*include|use|using|require|alias|open|load|source|library)\b"),
    "raises": re.compile(r"\b(?:rais\w+|throws?|revert|panic|abort|fail|Err|die|croak|return)\b"),
    "returns": re.compile(r"\breturn\b|->|=>"),
    "catches": re.compile(r"\b(?:except|catch|rescue|is_a|instanceof|isinstance|Is|As|on)\b|=>|\b(?:case|when)\b"),
}
"""A line that uses a name in this relation."""
_RUST_TEST = re.compile(r"\s*#\[(?:\w+::)*(?:test|rstest|bench|test_case|cfg\(test\))\b")
_WORD = re.compile(r"\w+")
_ANNOTATION = re.compile(r"\s*(?:#\[|@\w|\[[A-Z]\w)")
_BY_ANNOTATION = " By what is written above its name, a framework or a supertype may call it."
_CALL = re.compile(r"(?<![\w$])([^\W\d][\w$]*[!?]?)\s*(?:!?\(|\[\]\()")


def answer_with_callers(question: Question, corpus: Corpus) -> WayAnswer | None:
    """Answer a question about the uses of a name or a file; None for any other, or if the corpus lacks the name."""
    request = read_callers_question(question.text)
    if request is None:
        return None
    # A module that is named by its path has no subtypes: what it defines has.
    resolve = resolve_symbol if request.relation == "subtypes" else resolve_name
    resolved = resolve(corpus, request.target, ("definitions", "callers", "tests"), _LIMIT)
    path = resolved.related.target.path if resolved is not None and resolved.related is not None else None
    resolved = _with_its_folder(corpus, resolved)
    named_after = named_after_file(corpus, request.target, resolved, _LIMIT)
    resolved = named_after or resolved
    if resolved is None or resolved.related is None:
        return None if resolved is None or request.plain else _used_nowhere(request.target, resolved)
    if request.plain and not resolved.related.of("definitions"):
        return None
    draft = _CallersAnswer(request, resolved, CorpusLines(corpus), file=request.target if named_after else "")
    if request.relation == "subtypes":
        draft.implementers = implementers(corpus, resolved.related.of("definitions"), _LIMIT)
    if not (request.relation or request.inside or request.outside or resolved.related.of("callers")):
        draft.texts = places_as_text(corpus, resolved.related.target.name or "")
    if request.kind == "callees":
        return draft.callees(corpus, path or "")
    # A test that is only named alike, as in Go, imports nothing.
    tests = [one for one in resolved.related.of("tests") if one.role != "named alike"]
    imported = resolved.related.target.name or resolved.related.of("callers") or tests
    answer = (None if imported or path is None else draft.uses_of_contents(corpus, path)) or draft.uses()
    return answer or (None if request.plain else _only_mentioned(request.target, corpus))


def _with_its_folder(corpus: Corpus, resolved: ResolvedName | None) -> ResolvedName | None:
    """Return a file with the uses of its folder, where that is what is imported, as in Go."""
    if resolved is None or resolved.related is None or resolved.related.target.name:
        return resolved
    path = resolved.related.target.path or ""
    other = imported_for(corpus, path)
    if not path.endswith(".go") or other == path:
        return resolved
    return replace(resolved, related=corpus.related(other, ("callers", "tests"), _LIMIT))


def _used_nowhere(name: str, resolved: ResolvedName) -> WayAnswer:
    near = f" The nearest names here: {', '.join(map(in_code, resolved.nearest))}." if resolved.nearest else ""
    draft = Draft()
    draft.say(f"Nothing uses {in_code(name)}: it occurs nowhere in this corpus.{near}")
    return draft.finish("callers", known=False)


def _only_mentioned(name: str, corpus: Corpus) -> WayAnswer | None:
    """Return the lines that mention a name which no code uses or defines, as a changelog does; None if none does."""
    word, lines, draft = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)"), CorpusLines(corpus), Draft()
    places = sorted(
        (stored.document.path, at)
        for stored in corpus.store.get(corpus.store.holding(terms_of_word(name)[:1], _LIMIT)).values()
        for at, line in enumerate(stored.chunk.text.split("\n"), stored.chunk.span.start_line)
        if word.search(line)
    )
    if not places:
        return None
    draft.say(f"No code in this corpus uses or defines {in_code(name)}. It is mentioned here:")
    for path, at in places[:_MOST_DEFINITIONS]:
        draft.quote(lines.hit(path, at, at))
    return draft.finish("callers")


@dataclass(frozen=True, slots=True)
class _PlacesOfKind:
    """Places of one kind: some with their lines, and the number of all others."""

    places: Sequence[Relative]
    more: int


class _CallersAnswer:
    """An unfinished answer, made from the question, the relatives of the name and the corpus's lines.

    ``file`` is the requested file if the answer is about the name that the file is named after; else empty.

    Attributes:
        implementers: types that implement the name without naming it.
        texts: the paths and lines where the name stands as a text, by which it may be called.
    """

    def __init__(self, request: CallersQuestion, resolved: ResolvedName, lines: CorpusLines, file: str = "") -> None:
        assert resolved.related is not None
        self._request = request
        self._file = file
        self._name = resolved.name
        self._taken_for = resolved.name if resolved.corrected else ""
        self._related: Related = resolved.related
        self._lines = lines
        self._definitions = _without_equations(self._related.of("definitions") if self._related.target.name else ())
        self._draft = Draft()
        if resolved.namesakes:
            self._draft.say(say_namesakes(request.target, resolved.namesakes))
        self._elsewhere = False
        self._unrelated = False
        self.implementers: Sequence[Relative] = ()
        self.texts: Sequence[tuple[str, int]] = ()

    def uses(self) -> WayAnswer | None:
        """Return who uses the name; None if neither a use nor a definition is known."""
        code, tests = self._requested_uses()
        if not (code.places or tests.places or self._definitions or self._related.target.path):
            return None
        if self._request.without_tests:
            tests = _PlacesOfKind((), 0)
        self._draft.say(self._say_how_often(code, tests))
        parts: list[tuple[_PlacesOfKind, RelatedKind]] = [(code, "callers"), (tests, "tests")]
        if self._request.kind == "tests":
            parts.reverse()
        most = _MOST_SHOWN
        for of_kind, kind in parts:
            self._quote(of_kind, most, kind)
            # If only tests use it, there is nothing else to show.
            most = _MOST_SHOWN_BESIDE if of_kind.places else most
        if self.texts:
            self._draft.say(f"It stands as a text at {amount(len(self.texts), 'place')}, by which it may be called:")
        for path, at in self.texts[:_MOST_FILES]:
            self._draft.quote(self._lines.hit(path, at, at))
        self._quote_definition(unused=not (code.places or tests.places))
        return self._draft.finish("callers")

    def uses_of_contents(self, corpus: Corpus, path: str) -> WayAnswer | None:
        """Return which files use what a file defines, where no import names it; None if none does.

        Files of one folder in Go and of one module in C# use each other without an import. A name that others define as
        well tells nothing.
        """
        outer = [one for one in self._lines.definitions(path) if not one.scope or one.kind == "method"]
        used: dict[str, list[Relative]] = {}
        for definition in outer[:_MOST_DEFINED]:
            related = corpus.related(definition.name, ("definitions", "callers", "tests"), _LIMIT)
            places = [one for one in (*related.of("callers"), *related.of("tests")) if one.path != path]
            if all(one.path == path for one in related.of("definitions")):
                used[definition.name] = [one for one in places if one.role != "named alike"]
        told = {name: places for name, places in used.items() if places}
        if not told:
            return None
        names = "; ".join(
            f"{in_code(name)} ({', '.join(map(in_code, _paths(told[name])[:_MOST_FILES]))})" for name in told
        )
        self._draft.say(
            f"No import here names {in_code(path)}. Other files use what it defines: {names}. Told by name."
        )
        for places in [*told.values()][:_MOST_DEFINITIONS]:
            for hit in self._hits(places[:1]):
                self._draft.quote(hit)
        return self._draft.finish("callers")

    def callees(self, corpus: Corpus, path: str) -> WayAnswer | None:
        """Return which of the corpus's own definitions a definition calls; None if the name has no definition.

        If the ``path`` of a file is given, return which files of the corpus that file imports.
        """
        if not self._definitions:
            return self._imported(corpus, path) if path else None
        home = self._definitions[0]
        known = {name: place for name in _names_called(home.text) if (place := self._defined_at(corpus, name))}
        self._draft.say(self._say_callees(known))
        last = min(home.end_line, home.start_line + _WHOLE - 1)
        self._draft.quote(self._lines.hit(home.path, home.start_line, last, home.symbol))
        if len(self._definitions) > 1:
            self._draft.say(self._other_definitions(self._definitions[1:]))
        return self._draft.finish("callers")

    def _imported(self, corpus: Corpus, path: str) -> WayAnswer | None:
        """Return which files of the corpus a file imports, with its first import statements; None if it has none."""
        file = self._lines.file(path)
        statements = (
            sorted({one.line for one in imports_of(file.text, file.document.language)}) if file is not None else []
        )
        if not statements:
            return None
        neighbours = corpus.related(path, ("neighbours",), _LIMIT).of("neighbours")
        imported = (one.path for one in neighbours if one.role == "imported")
        # Go imports folders, represented by their last file.
        paths = [in_code(dirname(one) if one.endswith(".go") else one) for one in imported]
        known = (
            f"{amount(len(paths), 'folder' if path.endswith('.go') else 'file')} of this corpus: {', '.join(paths)}"
            if paths
            else "no file of this corpus"
        )
        self._draft.say(f"{in_code(path)} imports {known}.")
        last = next((a for a, b in pairwise(statements) if b - a > _FAR), statements[-1])
        self._draft.quote(self._lines.hit(path, statements[0], min(last, statements[0] + _WHOLE)))
        return self._draft.finish("callers")

    def _say_callees(self, places: Mapping[str, str]) -> str:
        name = in_code(self._name)
        if not places:
            return f"{name} calls nothing that this corpus defines."
        names = "; ".join(f"{in_code(name)} ({in_code(place)})" for name, place in [*places.items()][:_MOST_CALLEES])
        more = len(places) - _MOST_CALLEES
        beyond = f"; and {more} more" if more > 0 else ""
        return f"{name} calls {amount(len(places), 'name')} that this corpus defines: {names}{beyond}. Told by name."

    def _defined_at(self, corpus: Corpus, name: str) -> str:
        """Return where a name is defined, as ``path:line``; empty where it is not."""
        chunks = corpus.store.get(corpus.store.defining([name], _DEFINING)).values()
        exact = [one for one in chunks if name == one.chunk.symbol or name in one.chunk.defines]
        best = min(exact, key=lambda one: (profile_path(one.document.path).flags, one.document.path), default=None)
        if best is None:
            return ""
        path = best.document.path
        spans = (one.span for one in self._lines.definitions(path) if one.name == name)
        return f"{path}:{next(spans, best.chunk.span).start_line}"

    def _requested_uses(self) -> tuple[_PlacesOfKind, _PlacesOfKind]:
        """Return the uses in code and in tests that were asked for, those that the question describes first."""
        every = [*self._related.of("callers"), *(one for one in self._related.of("tests") if one.role != "named alike")]
        known = {(place.path, place.start_line) for place in every}
        every += [place for place in self.implementers if (place.path, place.start_line) not in known]
        if self._request.relation == "imports" and self._related.target.name:
            every = [place for group in _grouped_by_file(every) for place in self._imports(group)]
        wanted = [place for place in every if not self._is_outside(place.path) and not self._is_of_another(place)]
        uses = sorted(wanted, key=self._order)
        inside = [place for place in uses if self._is_inside(place)]
        self._elsewhere = bool(self._request.inside) and not inside and bool(uses)
        uses = inside or uses
        related = [place for place in uses if self._is_related(place)]
        self._unrelated = not related
        uses = related or uses
        tests = [place for place in uses if place.kind == "tests" or self._is_inner_test(place)]
        code = [place for place in uses if place not in tests]
        total = self._related.total
        more = [max(0, total.get(kind, 0) - len(self._related.of(kind))) for kind in ("callers", "tests")]
        if (inside and self._request.inside) or (related and self._request.relation):
            more = [0, 0]  # how many of those that were not looked at are wanted is not known
        return _PlacesOfKind(code, more[0]), _PlacesOfKind(tests, more[1])

    def _imports(self, group: Sequence[Relative]) -> Sequence[Relative]:
        """Return a file's first import of the name, which is no relative if it is used as well; else the uses."""
        file = self._lines.file(group[0].path)
        places = occurrences(file.text, file.document.language, self._related.target.name) if file is not None else None
        imports = [place for place in places or () if place.role == "import"]
        if file is None or not imports:
            return group
        return [file.relative(group[0].kind, "import", place.start_line, place.end_line, None) for place in imports[:1]]

    def _is_related(self, place: Relative) -> bool:
        """Return whether a place does what is asked for to the name: imports it, inherits from it, raises it."""
        relation, line = self._request.relation, place.text.partition("\n")[0]
        if relation == "subtypes":
            return place.role == "base"
        if relation == "imports" and (place.role == "import" or not self._related.target.name):
            return True
        return not relation or _LINES[relation].search(line) is not None

    def _is_inner_test(self, place: Relative) -> bool:
        """Return whether a place stands in a test within a file of source, as in Rust."""
        if place.language != "rust":
            return False
        if (place.symbol or "").partition(".")[0] in ("test", "tests"):
            return True
        file = self._lines.file(place.path)
        holder = innermost_definition(self._lines.definitions(place.path), place.start_line)
        if file is None or holder is None:
            return False
        return any(map(_RUST_TEST.match, file.lines[holder.span.start_line - 1 : place.start_line]))

    def _is_outside(self, path: str) -> bool:
        outside = self._request.outside
        if outside == ".":
            return any(path == one.path for one in self._definitions)
        return bool(outside) and f"/{path}".endswith(f"/{outside.lstrip('./')}")

    def _is_of_another(self, place: Relative) -> bool:
        """Return whether a line names another owner: ``Vec::new`` is no use of ``Client::new``."""
        target = self._related.target
        typed = bool(target.name and target.scope) and target.scope[-1][:1].isupper()
        return typed and calls_another(place.text.partition("\n")[0], str(target))

    def _is_inside(self, place: Relative) -> bool:
        """Return whether a place lies in the file, the folder or the definition that the question names."""
        wanted = self._request.inside.strip("./").lower()
        path = place.path.lower()
        names = {*path.split("/"), *re.split(r"\W+", (place.symbol or "").lower())}
        stems = {name.partition(".")[0] for name in path.split("/")}
        return not wanted or f"/{path}".endswith(f"/{wanted}") or f"/{wanted}/" in f"/{path}" or wanted in names | stems

    def _order(self, place: Relative) -> tuple[bool, bool, bool, int, bool, int]:
        """Return a sort key for places: those that the question describes come first, tests and vendored code last."""
        profile = profile_path(place.path)
        shared_words = len(content_terms(place.path.replace("/", " ")) & content_terms(self._request.other_words))
        role = ROLES.index(place.role) if place.role in ROLES else len(ROLES)
        home = any(definition.path == place.path for definition in self._definitions)
        return bool(profile.background), profile.example, not self._names_its_owner(place), -shared_words, home, role

    def _names_its_owner(self, place: Relative) -> bool:
        """Return whether the line also names the owner: ``dist.check_hwm()`` for ``dist_t::check_hwm``."""
        scope = self._related.target.scope
        line = place.text.partition("\n")[0].lower().replace("_", "")
        return bool(scope) and any(part in line for part in split_identifier(scope[-1]) if len(part) > 1)

    def _say_how_often(self, code: _PlacesOfKind, tests: _PlacesOfKind) -> str:
        """Return in words how often the name is used, and in how many files."""
        least = not self._related.complete
        counts = [_amount(code, least=least)] if code.places else []
        if tests.places:
            counts.append(f"{_amount(tests, least=least)} in tests")
        name = in_code(self._name)
        target = in_code(self._request.target)
        prefix = f"{target} occurs nowhere here; this is about {name}. " if self._taken_for else ""
        if self._file:
            prefix = f"No import here names {in_code(self._file)}, so this is about {name}, after which it is named. "
        verb = "is imported" if self._related.target.path and not self._related.target.name else "is used"
        if self._request.relation:
            does, done = _RELATED[self._request.relation]
            verb = verb if self._unrelated else done
            if self._unrelated:
                prefix = f"{prefix}Nothing in this corpus {does} {name}, as far as its syntax tells. "
                if not counts:
                    return prefix.rstrip()
        if not counts:
            beside = " outside it" if self._request.outside else " outside tests" if self._request.without_tests else ""
            if self.texts:
                return f"{prefix}No code in this corpus uses {name} outside of texts."
            by = _BY_ANNOTATION if self._definitions and _ANNOTATION.match(self._definitions[0].text) else ""
            return f"{prefix}Nothing in this corpus uses {name}{beside}, as far as its name tells.{by}"
        if self._elsewhere:
            prefix = f"{prefix}Nothing in {in_code(self._request.inside)} uses {name}, as far as its name tells. "
        elif self._request.inside:
            counts = [f"{one} in {in_code(self._request.inside)}" for one in counts]
        beyond = " By name alone: another thing of this name may be among them." if len(self._definitions) > 1 else ""
        if self.implementers:
            beyond = " Types that have all its methods, by their names, are among them."
        return f"{prefix}{name} {verb} at {' and at '.join(counts)}.{beyond}"

    def _quote(self, places: _PlacesOfKind, most: int, kind: RelatedKind) -> None:
        """Quote places file by file, and list those that are not quoted."""
        groups, left, hidden = _grouped_by_file(places.places), most, dict[str, list[int]]()
        most_of_file = _MOST_OF_FILE if len(places.places) > most else most
        for group in groups:
            quoted = group[: min(most_of_file, left)]
            for hit in self._hits(quoted):
                self._draft.quote(hit)
            left -= len(quoted)
            if more := group[len(quoted) :]:
                hidden[group[0].path] = sorted({place.start_line for place in more})
        self._list(hidden, sum(map(len, groups)) - (most - left) + places.more, kind)

    def _list(self, lines: Mapping[str, Sequence[int]], count: int, kind: RelatedKind) -> None:
        """Say where else the name is used; ``count`` places, of which the first ``_MOST_LISTED`` are given by line."""
        listed, left = list[str](), _MOST_LISTED
        for path, numbers in lines.items():
            if left > 0:
                listed.append(f"{in_code(path)} ({', '.join(map(str, numbers[:left]))})")
            left -= len(numbers)
        if not count:
            return
        command = f"quaestor related {self._related.target} --kind {kind} -k 1000"
        beyond = (
            f"{'. ' if listed else ''}{in_code(command)} lists all."
            if left < 0 or count > sum(map(len, lines.values()))
            else "."
        )
        self._draft.say(f"And {count:,} more: {', '.join(listed)}{beyond}")

    def _hits(self, group: Sequence[Relative]) -> Iterable[Hit]:
        """Yield the places of one file as hits; those that overlap are one."""
        quoted: set[int] = set()
        for place in group:
            hit = self._lines.statement(place.path, place.start_line, place.symbol)
            lines = range(hit.start_line, hit.end_line + 1)
            if quoted.isdisjoint(lines):
                quoted.update(lines)
                yield hit

    def _quote_definition(self, *, unused: bool) -> None:
        """Say where the name is defined; quote its only definition or, if it is not used, its first one or the file."""
        if len(self._definitions) > 1:
            self._draft.say(self._other_definitions(self._definitions))
        elif self._definitions:
            self._draft.say("It is defined here:")
        if len(self._definitions) == 1 or (self._definitions and unused):
            home = self._definitions[0]
            self._draft.quote(self._lines.head(home.path, home.start_line, home.end_line, home.symbol))
        elif unused and (path := self._related.target.path) is not None:
            self._draft.say("It begins like this:")
            self._draft.quote(self._lines.hit(path, 1, _FIRST_LINES))

    def _other_definitions(self, others: Sequence[Relative]) -> str:
        places = ", ".join(
            in_code(f"{one.path}:{one.start_line}") + (f" ({in_code(one.symbol)})" if one.symbol else "")
            for one in others[:_MOST_DEFINITIONS]
        )
        more = len(others) - _MOST_DEFINITIONS
        return f"{amount(len(others), 'definition')} of this name: {places}{f' and {more} more' if more > 0 else ''}."


def _without_equations(definitions: Iterable[Relative]) -> list[Relative]:
    """Return definitions; of those in consecutive lines, such as a Haskell function's equations, only the first."""
    first_ones: list[Relative] = []
    last: Relative | None = None
    for definition in definitions:
        below = last is not None and definition.start_line == last.end_line + 1
        if last is None or not below or (definition.path, definition.symbol) != (last.path, last.symbol):
            first_ones.append(definition)
        last = definition
    return first_ones


def _amount(places: _PlacesOfKind, *, least: bool) -> str:
    """Return in words how many places there are and, if all are known, in how many files."""
    files = f" in {amount(len({place.path for place in places.places}), 'file')}" if not places.more else ""
    return f"{amount(len(places.places) + places.more, 'place', least=least)}{files}"


def _paths(places: Iterable[Relative]) -> list[str]:
    return list(dict.fromkeys(place.path for place in places))


def _grouped_by_file(places: Iterable[Relative]) -> list[list[Relative]]:
    groups: dict[str, list[Relative]] = {}
    for place in places:
        groups.setdefault(place.path, []).append(place)
    return list(groups.values())


def _names_called(text: str) -> list[str]:
    """Return the names that a definition calls, in order, without its own name and its parameters."""
    signature, _, body = text.partition("\n")
    own_names = frozenset(_WORD.findall(signature))
    return [name for name in dict.fromkeys(_CALL.findall(body or text)) if name not in own_names]
