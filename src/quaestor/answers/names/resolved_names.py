"""Resolves a name or a path in a question to a name or a document of the corpus, with its relatives."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from posixpath import dirname

from quaestor.answers.drafts import in_code
from quaestor.chunking.languages import KEYED, PROSE
from quaestor.core.errors import NotFoundError, UsageError
from quaestor.core.light_imports import lazy_regex
from quaestor.core.terms import find_words, same_in_any_style, styles_of, terms, terms_of_word
from quaestor.core.wording import amount
from quaestor.corpus import Corpus
from quaestor.corpus.document_paths import near_paths
from quaestor.related import Related, RelatedKind, Relative
from quaestor.search.names_in_question import looks_like_a_file
from quaestor.search.path_roles import profile_path
from quaestor.search.spelling import replace_unknown

_WORDING = frozenset(
    "error message getmessage string tostring what new init __init__ __str__ constructor initialize __construct".split()
)
_MAKES_FAULT = lazy_regex(r"^[a-z_]\w*(?:[Ee]rror|[Ee]xception|[Ff]ailure|[Ff]ault)$")
"""A function that makes an error for its callers to raise: ``timeoutError(...)``."""
_RAISED = lazy_regex(r"\b(?:raise|throw|panic|return\s+(?:Err|Promise\.reject|nil,))\b")
_ATTRIBUTE = lazy_regex(r"\s*#\[")
_VARIANT = lazy_regex(r"\s*([A-Z]\w+)")
_BOUND = lazy_regex(
    r"\s*(?:(?:const|var|let|val|public|private|internal|static|final|readonly|export|type|string|[Ee]rror|String)\s+)*"
    r"([A-Z][A-Z0-9]*_[A-Z0-9_]+|\w*[Ee]rr(?:or)?[A-Z]\w*|[A-Z]\w*(?:Error|Exception))\b[^=:(\"']{0,40}(?::?=|:)(?![=:])"
)
"""The name of an error or a constant, with the value that is bound to it."""
_ENDED = lazy_regex(r"[;}]\s*$")
_CATALOGUE_KEY = lazy_regex(r"\s*[\"']?([A-Za-z][\w.-]{2,100})[\"']?\s*(?:=|:)(?=\s|$)")
_LONGEST_VALUE = 12
_NEAR = 3
_LONGEST_LINE = 2_000
_CAUGHT = lazy_regex(r"=>|[!=]=|\b(?:case|except|catch|rescue|instanceof|is|Is|As|import|expect|assert\w*)\b")
"""Signs in a line that compares or catches an error."""
_SLIP = 0.9
"""The least similarity, 0 to 1, of a misspelt path to the path that it means."""
_COMMENTED = lazy_regex(r"^[ \t]*(?://|#|\*|/\*)[^\n]*|\"\"\".{,600}?\"\"\"", re.MULTILINE | re.DOTALL)
_NAMES_CODE = KEYED | {"xml"}
"""Languages in which a name of code is a plain word."""
_MOST_OF_TEXTS, _FEWEST_LETTERS = 400, 3
_FEWEST_WORDS = 5
"""The fewest words of a comment that says more than an error's name."""
_LONGEST_END = 8
_MOST_NAMESAKES = 5
_MOST_METHODS = 12
_INTERFACE = lazy_regex(r"\binterface\s*\{")
_METHOD = lazy_regex(r"^[ \t]+([A-Za-z_]\w*)\(", re.MULTILINE)
_MOST_ENDS = 10
_DEFINING = 50
_SINGLE_COLON = lazy_regex(r"(?<=\w):(?=[^\W\d])")
_QUALIFIED = lazy_regex(r"\w(?:::|\.)\w")
_NUMBERED = lazy_regex(r"(?P<series>[a-z]{2,12}|)[ _-]?0*(?P<number>\d{1,6})(?![a-z\d])")
_SERIES, _SERIES_OF_PROJECT = 3, 10
"""The fewest numbered documents that make a series; more if it bears the corpus's own name, whose numbers are versions.
"""
_ENTRY = lazy_regex(r"/(?:__init__|index|mod|lib|init|package)\.\w+$")


@dataclass(frozen=True, slots=True)
class ResolvedName:
    """A resolved name with its relatives.

    Attributes:
        name: the name or the path in the corpus.
        related: its definitions, uses and so on; None if the name does not occur.
        corrected: whether ``name`` was taken for a similar name that does not occur.
        nearest: similar names, if the name does not occur.
        namesakes: all paths that end like the name, the chosen one first, if there are several.
    """

    name: str
    related: Related | None
    corrected: bool = False
    nearest: tuple[str, ...] = ()
    namesakes: tuple[str, ...] = ()


_SINGLE_WORD = lazy_regex(r"[^\W_]\w*")


def resolve_name(corpus: Corpus, name: str, kinds: Sequence[RelatedKind], limit: int) -> ResolvedName | None:
    """Resolve a name, a path or the end of a path; None for a path that matches no document."""
    if looks_like_a_file(name):
        if (path := resolve_path(corpus, name) or resolve_module(corpus, name)) is not None:
            return ResolvedName(path, corpus.related(path, kinds, limit))
        if namesakes := paths_ending(corpus, name):
            return ResolvedName(namesakes[0], corpus.related(namesakes[0], kinds, limit), namesakes=tuple(namesakes))
        if (path := nearest_path(corpus, name)) is not None:
            return ResolvedName(path, corpus.related(path, kinds, limit), corrected=True)
        if "/" in name:
            return None
    name = _SINGLE_COLON.sub(".", name)
    if _QUALIFIED.search(name) and (path := resolve_module(corpus, name)) is not None:
        return ResolvedName(path, corpus.related(path, kinds, limit))
    return resolve_symbol(corpus, name, kinds, limit)


def named_after_file(corpus: Corpus, target: str, resolved: ResolvedName | None, limit: int) -> ResolvedName | None:
    """Return the name that a file is named after if no import names the file, as in Swift and C#."""
    if resolved is None or not looks_like_a_file(target):
        return None
    used = resolved.related is not None and (resolved.related.of("callers") or resolved.related.of("tests"))
    stem = (resolved.name or target).rpartition("/")[2].partition(".")[0]
    other = None if used or not stem else resolve_name(corpus, stem, ("definitions", "callers", "tests"), limit)
    if other is None or other.corrected or other.related is None:
        return None
    return other if other.related.target.name and other.related.of("definitions") else None


def implementers(corpus: Corpus, definitions: Iterable[Relative], limit: int) -> list[Relative]:
    """Return the types of Go that have all methods of an interface, whose name they need not state."""
    interface = next((one for one in definitions if one.language == "go" and _INTERFACE.search(one.text)), None)
    methods = _METHOD.findall(interface.text)[:_MOST_METHODS] if interface is not None else []
    owners: set[tuple[str, str]] | None = None
    for method in methods:
        places = corpus.related(method, ("definitions",), limit).of("definitions")
        having = {(dirname(one.path), (one.symbol or "").rpartition(".")[0]) for one in places if one.language == "go"}
        owners = having if owners is None else owners & having
    found = list[Relative]()
    for folder, name in sorted(owners or ()):
        homes = corpus.related(name, ("definitions",), limit).of("definitions") if name else ()
        here = next((one for one in homes if dirname(one.path) == folder), None)
        if here is not None:
            kind: RelatedKind = "tests" if profile_path(here.path).test else "callers"
            found.append(replace(here, kind=kind, role="base"))
    return found


def resolve_symbol(corpus: Corpus, name: str, kinds: Sequence[RelatedKind], limit: int) -> ResolvedName:
    """Resolve the name of a definition; a module's only if nothing is defined by that name."""
    related = _find_related(corpus, name, kinds, limit)
    if related is None or not related.relatives:
        # At the end of a question it cannot be told from the question's own mark.
        related = _find_related(corpus, f"{name}?", kinds, limit) or related
        if not (related and related.relatives):
            other = _private_name(corpus, name, kinds, limit) or _in_another_style(corpus, name, kinds, limit)
            if other is not None:
                return other
    if related is None:
        return _nearest(corpus, name, kinds, limit)
    if not related.of("definitions") and (path := resolve_module(corpus, name)) is not None:
        return ResolvedName(path, corpus.related(path, kinds, limit))
    return ResolvedName(str(related.target), related)


def _find_related(corpus: Corpus, name: str, kinds: Sequence[RelatedKind], limit: int) -> Related | None:
    try:
        return corpus.related(name, kinds, limit)
    except (NotFoundError, UsageError):  # no such name, or marks alone: `()`
        return None


def _private_name(corpus: Corpus, name: str, kinds: Sequence[RelatedKind], limit: int) -> ResolvedName | None:
    """Resolve a name to the private one with an underscore before it."""
    related = _find_related(corpus, f"_{name}", kinds, limit) if _SINGLE_WORD.fullmatch(name) else None
    return ResolvedName(f"_{name}", related, corrected=True) if related and related.of("definitions") else None


def _nearest(corpus: Corpus, name: str, kinds: Sequence[RelatedKind], limit: int) -> ResolvedName:
    """Resolve a name to a similarly spelled one; if none is similar enough, only suggest names."""
    unknown = corpus.spelling(name).unknown
    mended = replace_unknown(name, unknown)
    nearest = tuple(dict.fromkeys(near for one in unknown for near in one.nearest))
    if mended != name:
        mended = mended[:1].upper() + mended[1:] if name[:1].isupper() else mended
        mended = _as_defined(corpus, mended) or _as_written(corpus, mended) or mended
    if mended != name and (related := _find_related(corpus, mended, kinds, limit)) is not None:
        return ResolvedName(mended, related, corrected=True)
    return ResolvedName(name, None, nearest=nearest)


def _in_another_style(corpus: Corpus, name: str, kinds: Sequence[RelatedKind], limit: int) -> ResolvedName | None:
    """Resolve a name to the only defined name made of the same words: ``send_all`` for ``SendAll``."""
    styled = {one for one in _defined_as(corpus, styles_of(name)) if same_in_any_style(one, name)}
    other = _find_related(corpus, one, kinds, limit) if len(styled) == 1 and (one := styled.pop()) != name else None
    return None if other is None else ResolvedName(str(other.target), other, corrected=True)


def _as_defined(corpus: Corpus, name: str) -> str:
    """Return the only defined name that differs just in capitals; of several the only one that begins as it does."""
    names = {one for one in _defined_as(corpus, (name.lower(),)) if one.lower() == name.lower()}
    names = names if len(names) == 1 else {one for one in names if one[0].isupper() == name[0].isupper()}
    return names.pop() if len(names) == 1 else ""


def _as_written(corpus: Corpus, name: str) -> str:
    """Return the form in which code writes a name most often, whatever its capitals; empty if it does not occur."""
    pattern = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])", re.IGNORECASE)
    # Within text a name of several words is one term as a whole, and any other name is its stem.
    found = corpus.store.holding([name.lower()], _DEFINING) or corpus.store.holding(terms(name)[:1], _DEFINING)
    chunks = corpus.store.get(found).values()
    forms = Counter(form for one in chunks for form in pattern.findall(one.chunk.text))
    return max(forms, key=lambda form: (form[0].isupper() == name[0].isupper(), forms[form]), default="")


def _defined_as(corpus: Corpus, names: Sequence[str]) -> Iterator[str]:
    """Yield all names defined by the chunks that define any of some names given in lower case."""
    if names:
        for stored in corpus.store.get(corpus.store.defining(names, _DEFINING)).values():
            yield from stored.chunk.defines


def uses_of(corpus: Corpus, symbol: str, limit: int) -> tuple[Relative, ...]:
    """Return the uses of a qualified name or, if it has none, of its owner; calls first, without tests."""
    parts = symbol.split(".")
    makes = _MAKES_FAULT.match(parts[-1]) is not None
    # Every error has a method that words it; what makes an error is no part of one.
    owner = ".".join(parts[:-1])
    names = (owner,) if parts[-1].lower() in _WORDING else (symbol, "" if makes else owner)
    for name in filter(None, dict.fromkeys(names)):
        related = _find_related(corpus, name, ("callers",), limit)
        if related is not None:
            homes = {one.path for one in corpus.related(name, ("definitions",), limit).of("definitions")}
            calls = (
                one
                for one in related.of("callers")
                if one.role == "call" and (one.path not in homes or (makes and _RAISED.search(one.text)))
            )
            own_calls = tuple(one for one in calls if not calls_another(one.text, name))
            if own_calls:
                return own_calls
    return ()


def raises_of_bound(corpus: Corpus, path: str, lines: Sequence[str], line: int, limit: int) -> tuple[Relative, ...]:
    """Return the places that raise an error by the name that its message is bound to, without tests.

    ``ErrGone = errors.New("gone")``, ``GONE: createError("gone")`` and ``#[error("gone")] Gone`` hold an error's
    message; people who ask about the message want to know where the error is raised.

    Args:
        corpus: the corpus to search.
        path: the document that holds the message.
        lines: the lines of that document.
        line: where the message begins, 1-based.
        limit: the most places to look at.
    """
    name = name_of_message(lines, line)
    related = _find_related(corpus, name, ("callers",), limit) if name else None
    if related is None:
        return ()
    places = (one for one in related.of("callers") if (one.path, one.start_line) != (path, line))
    used = (one for one in places if one.role in ("call", "reference"))
    return tuple(one for one in used if not _CAUGHT.search(one.text))


def name_of_message(lines: Sequence[str], line: int) -> str:
    """Return the name that a message is bound to in its line or just above it, or below an attribute; "" for none."""
    first = max(0, line - _NEAR)
    # A pattern for a name takes the square of a long one.
    lines = [*[""] * first, *(one[:_LONGEST_LINE] for one in lines[first : line + _NEAR])]
    if _ATTRIBUTE.match(lines[line - 1]):
        below = (one for one in lines[line : line + _NEAR] if not _ATTRIBUTE.match(one))
        return _first_group(_VARIANT.match(next(below, "")))
    for above in range(line, first, -1):
        if match := _BOUND.match(lines[above - 1]):
            return match[1]
        if above < line and _ENDED.search(lines[above - 1]):
            break
    return ""


def raises_by_key(corpus: Corpus, lines: Sequence[str], line: int, limit: int) -> tuple[Relative, ...]:
    """Return the places that raise what a catalogue of messages has a text for, without tests.

    If a class of errors names its key (``error_key(:gone)``), those that raise the class; else the places that name it.

    Args:
        corpus: the corpus to search.
        lines: the lines of the catalogue.
        line: where the text begins, 1-based.
        limit: the most places to look at.
    """
    key = _key_of(lines, line)
    named = re.compile(rf"[:'\"`.]{re.escape(key)}(?![\w-])")
    uses: list[Relative] = []
    for stored in corpus.store.get(corpus.store.holding(terms(key), limit)).values() if key else ():
        path, document = stored.document.path, stored.document
        if document.language in PROSE | KEYED or any(profile_path(path).flags):
            continue
        for at, text in enumerate(stored.chunk.text.split("\n"), stored.chunk.span.start_line):
            if named.search(text):
                symbol = stored.chunk.symbol
                uses.append(
                    Relative("callers", "reference", path, at, at, text, symbol, document.language, document.sha256)
                )
    return tuple(uses)


def _key_of(lines: Sequence[str], line: int) -> str:
    """Return the key to which a line of a catalogue belongs: its own, or that of a line above that is indented less."""
    text = lines[line - 1]
    indent = len(text) - len(text.lstrip())
    for at in range(line, max(0, line - _LONGEST_VALUE), -1):
        match, above = _CATALOGUE_KEY.match(lines[at - 1]), lines[at - 1]
        if match and (at == line or len(above) - len(above.lstrip()) < indent):
            return match[1].rpartition(".")[2]
    return ""


def _first_group(match: re.Match[str] | None) -> str:
    return match[1] if match else ""


def calls_another(text: str, name: str) -> bool:
    """Return whether a text only calls a name on other classes: ``Pool.create`` is no use of ``Faults.create``."""
    *owners, called_name = name.split(".")
    called = re.findall(rf"\b([A-Z]\w*)(?:\.|::|->){re.escape(called_name)}\b", text) if owners else []
    return bool(called) and {owners[-1], "Self"}.isdisjoint(called)


def places_as_text(corpus: Corpus, name: str) -> list[tuple[str, int]]:
    """Return the paths and lines where a name stands as a text, by which a framework or code may call what it names.

    In code that is a string or a symbol of its own, in configurations any word.
    """
    if len(name) < _FEWEST_LETTERS:
        return []
    whole = re.escape(name)
    word = re.compile(rf"(?<![\w-]){whole}(?![\w-])")
    string = re.compile(rf"([\"'`])(?:[\w.\\/]+(?:[@#:.]|::|->))?{whole}(?:\(\))?\1|(?<![\w:]):{whole}(?![\w?!=])")
    places = []
    for stored in corpus.store.get(corpus.store.holding(terms_of_word(name)[:1], _MOST_OF_TEXTS)).values():
        document, profile = stored.document, profile_path(stored.document.path)
        if document.language in PROSE or profile.background:
            continue
        pattern = word if document.language in _NAMES_CODE else string
        for at, line in enumerate(stored.chunk.text.split("\n"), stored.chunk.span.start_line):
            if len(line) <= _LONGEST_LINE and pattern.search(line):
                places.append((profile.flags, document.path, at))
    return [(path, at) for _, path, at in sorted({*places})]


def raises_of(corpus: Corpus, name: str, limit: int) -> tuple[Relative, ...]:
    """Return the places that raise a name, without tests; of one that is not defined here, those of a variant."""
    related = _find_related(corpus, name, ("definitions", "callers"), limit)
    if related is None:
        return ()
    owner = r"\b" if related.of("definitions") else r"\w::"
    pattern = re.compile(
        rf"\b(?:raise|throw|revert|panic|abort|fail|Err|die|croak|error|exit)\b.*{owner}{re.escape(name)}\b"
    )
    return tuple(one for one in related.of("callers") if pattern.search(one.text.partition("\n")[0]))


def described_error(corpus: Corpus, name: str) -> Relative | None:
    """Return the definition of an error with what a comment above it or its docstring says; None if neither says much.

    A test's own errors tell nothing of the program's.
    """
    related = _find_related(corpus, re.split(r"::|[.\\]", name)[-1], ("definitions",), _MOST_NAMESAKES)
    own = [one for one in related.of("definitions") if not any(profile_path(one.path).flags)] if related else []
    described = (one for one in own if len(find_words(" ".join(_COMMENTED.findall(one.text)))) >= _FEWEST_WORDS)
    return next(described, None)


def resolve_path(corpus: Corpus, path: str) -> str | None:
    """Return the document that a path or its end names; a path of another machine is matched by its end."""
    wanted = path.replace("\\", "/").strip().removeprefix("./").strip("/")
    if corpus.store.document(wanted) is not None:
        return wanted
    parts = wanted.split("/")
    if path.strip().startswith("/") and corpus.store.document(parts[-1]) is not None:
        # The copy of a whole project lies anywhere, as `/app/main.go` does; a file in a folder of it shows the folder.
        whole = ("/".join(parts[at:]) for at in range(1, len(parts)))
        return next(one for one in whole if corpus.store.document(one) is not None)
    # A file's name alone is the end of too many paths to be one of another machine's.
    ends = ["/".join(parts[at:]) for at in range(max(1, len(parts) - 1))][-_LONGEST_END:]
    endings = (ending for end in ends if (ending := paths_ending(corpus, end)))
    ending = _most_similar_paths(wanted, next(endings, []))
    if len(ending) > 1 and "/" not in wanted and profile_path(ending[0]).flags == profile_path(ending[1]).flags:
        # A file's name that several bear: the one in the root, or none.
        return next((one for one in ending if "/" not in one), None)
    return ending[0] if ending else None


def nearest_path(corpus: Corpus, path: str) -> str | None:
    """Return the document that a path with a typing error means: ``src/threadpol.c``; None if that is not certain."""
    depth = path.count("/") + 1
    ends = {"/".join(one.split("/")[-depth:]): one for one in near_paths(path, corpus.store.documents())}
    alike = [end for end in ends if _likeness(end, path) >= _SLIP]
    return ends[alike[0]] if len(alike) == 1 else None


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one.lower(), other.lower()).ratio()


def _most_similar_paths(path: str, paths: Sequence[str]) -> list[str]:
    """Return the paths that share the longest ending with a path."""
    ends = [_in_common(path.lower()[::-1], one.lower()[::-1]) for one in paths]
    return [path for path, end in zip(paths, ends, strict=True) if end == max(ends)]


def _in_common(one: str, other: str) -> int:
    """Return the length of the beginning that two texts share."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def paths_ending(corpus: Corpus, end: str) -> list[str]:
    """Return the documents whose paths have an ending, sources and short paths first."""
    paths = corpus.store.paths_ending(end, _MOST_ENDS)
    return sorted(paths, key=lambda one: (profile_path(one).flags, len(one), one))


def say_namesakes(target: str, paths: Sequence[str]) -> str:
    """Return in words which files have a name, and that the answer is about the first of them."""
    shown = ", ".join(map(in_code, paths[:_MOST_NAMESAKES]))
    more = f" and {len(paths) - _MOST_NAMESAKES} more" if len(paths) > _MOST_NAMESAKES else ""
    return f"{amount(len(paths), 'file')} here are called {in_code(target)}: {shown}{more}. This is about the first."


def resolve_module(corpus: Corpus, name: str) -> str | None:
    """Return the only document that a module's name means: ``httpx._client``, ``http::client``, ``utils``."""
    ending = "/" + "/".join(part for part in re.split(r"::|[.\\/#]", name) if part).lower()
    paths = [
        path
        for path in corpus.store.documents()
        if any(f"/{one.rpartition('.')[0] or one}".lower().endswith(ending) for one in (_ENTRY.sub("", path), path))
        and not profile_path(path).prose
    ]
    paths.sort(key=lambda one: (profile_path(one).flags, one.count("/"), one))
    same = len(paths) > 1 and profile_path(paths[0]).flags == profile_path(paths[1]).flags
    return None if not paths or (same and "/" not in ending[1:]) else paths[0]


def resolve_numbered(corpus: Corpus, name: str, *, closely: bool = False) -> str | None:
    """Return the document that a series and a number mean: ``BIP 340``, ``bip-0340``, ``PEP8``, ``RFC 2904``.

    Its name begins with both, or is the number, in a folder or corpus named after the series. With ``closely``, the
    series must have several documents in a folder of its own. So ``rebar3`` and ``Swift 3`` mean no document, nor does
    ``Helm 2`` in a corpus named after Helm.
    """
    match = _NUMBERED.fullmatch(name.strip().lower())
    if match is None or not match["series"]:
        return None
    candidates, numbers = [], set[int]()
    for path, document in corpus.store.documents().items():
        folder, _, file = f"{corpus.root.name}/{path}".lower().rpartition("/")
        folder = folder.rpartition("/")[2] if closely else folder
        own = _NUMBERED.match(file)
        if own is None or document.language not in PROSE:
            continue
        if own["series"] == match["series"] or (
            not own["series"] and match["series"] in re.split(r"s?(?:\W|_|$)", folder)
        ):
            numbers.add(int(own["number"]))
            if int(own["number"]) == int(match["number"]):
                candidates.append((profile_path(path).flags, path.count("/"), path))
    own_name = match["series"] in re.split(r"\W|_", corpus.root.name.lower())
    enough = not closely or len(numbers) >= (_SERIES_OF_PROJECT if own_name else _SERIES)
    return min(candidates)[2] if candidates and enough else None
