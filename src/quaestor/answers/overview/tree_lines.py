"""Choosing how much of the main parts is shown, and drawing them as a tree of folders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from posixpath import dirname

from quaestor.answers.overview.described import defined_names, description
from quaestor.answers.overview.introduction import shortened
from quaestor.answers.overview.main_parts import Part
from quaestor.answers.overview.material import Material
from quaestor.answers.overview.named_paths import Named
from quaestor.answers.overview.statements import Entry, Statement

# How long what is said of a part may be; where room is short, all of them are shortened before any part is left out.
_LENGTHS = (100, 70, 48, 30)
# Of this importance are what documents list as a part and the folders of the root that hold much.
_WANTED = 0.9
_MARK_TOKENS = 4  # of a citation mark with what parts it from the words
_NAMES = 4
_MOST_FURTHER = 24

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The parts that are shown, each with what is said of it."""

    says: Mapping[str, Statement | None]
    folders: frozenset[str]


def tree(material: Material, found: Sequence[Part], named: Mapping[str, Named], room: int, count: Count) -> list[Entry]:
    """Return the most important parts as lines of a tree that take about ``room`` tokens at most.

    Args:
        material: the documents.
        found: the parts, most important first.
        named: what documents say of them.
        room: tokens.
        count: tokens of a text.
    """
    chooser = _Chooser(material, named, room, count)
    wanted = [part for part in found if part.importance >= _WANTED]
    longest = next((length for length in _LENGTHS if chooser.fits(wanted, length)), 0)
    return list(_drawn(chooser.chosen(found, longest), material.folder, found))


class _Chooser:
    """Adds parts, the most important first, for as long as there is room."""

    def __init__(self, material: Material, named: Mapping[str, Named], room: int, count: Count) -> None:
        self._material = material
        self._named = named
        self._room = room
        self._count = count
        self._said: dict[str, Statement | None] = {}

    def fits(self, parts: Sequence[Part], longest: int) -> bool:
        """Return whether all of some parts can be shown with what is said of them up to a length."""
        return (
            sum(self._name_tokens(part.path) + self._tokens(self._says(part, longest)) for part in parts) <= self._room
        )

    def chosen(self, parts: Sequence[Part], longest: int) -> _Chosen:
        left = self._room
        says: dict[str, Statement | None] = {}
        for part in parts:
            name = self._name_tokens(part.path)
            said = self._says(part, longest) if longest else None
            more = self._tokens(said)
            if name > left:
                break
            # The last of the room is for names: a part that is only named can be asked for.
            says[part.path] = (
                said if name + more <= 0.85 * left or (part.importance >= _WANTED and name + more <= left) else None
            )
            left -= name + (more if says[part.path] else 0)
        return _Chosen(says, self._material.folders)

    def _says(self, part: Part, longest: int) -> Statement | None:
        if part.path not in self._said:
            self._said[part.path] = self._whole(part.path)
        said = self._said[part.path]
        if said is None or longest <= 0:
            return None
        if said.brief is not None:
            return replace(said, brief=shortened(said.brief, longest))
        text = shortened(said.text, longest)
        return replace(said, text=text, verbatim=said.verbatim and not text.endswith("…"))

    def _whole(self, path: str) -> Statement | None:
        told = self._named[path].says if path in self._named else None
        return told or description(self._material, path) or defined_names(self._material, path, _NAMES)

    def _name_tokens(self, path: str) -> int:
        return self._count(path.rpartition("/")[2]) + 3

    def _tokens(self, said: Statement | None) -> int:
        return 0 if said is None else self._count(said.text if said.brief is None else said.brief) + _MARK_TOKENS


def _drawn(chosen: _Chosen, root: str, found: Sequence[Part]) -> Iterator[Entry]:
    """Yield the lines of the tree below a folder, the most important of each folder first."""
    order = {part.path: number for number, part in enumerate(found)}
    children: dict[str, list[str]] = defaultdict(list)
    for path in _with_ancestors(chosen.says, root):
        children[dirname(path) or ""].append(path)
    # A folder is as important as the most important thing in it.
    best: dict[str, int] = {}
    for path in chosen.says:
        above = path
        while above and above != root:
            best[above] = min(best.get(above, len(order)), order[path])
            above = dirname(above)
    yield from _below(root, "", 0, children, best, chosen)


def _below(
    folder: str, shown: str, depth: int, children: Mapping[str, Sequence[str]], best: Mapping[str, int], chosen: _Chosen
) -> Iterator[Entry]:
    further: list[str] = []
    for path in sorted(children.get(folder, ()), key=lambda one: best[one]):
        name = shown + path.rpartition("/")[2]
        is_folder = path in chosen.folders
        within = children.get(path, ())
        if is_folder and path not in chosen.says and len(within) == 1:
            # A folder of which nothing is known but that it holds the next one shares its line.
            yield from _below(path, f"{name}/", depth, children, best, chosen)
        elif within or chosen.says.get(path):
            yield Entry(f"{name}/" if is_folder else name, chosen.says.get(path), depth)
            yield from _below(path, "", depth + 1, children, best, chosen)
        else:
            further.append(f"{name}/" if is_folder else name)
    if further:
        yield Entry(depth=depth, further=tuple(further[:_MOST_FURTHER]))


def _with_ancestors(paths: Mapping[str, object], root: str) -> Iterator[str]:
    """Yield paths and all folders above them, below the root, each once."""
    seen: set[str] = set()
    for path in paths:
        above = path
        while above and above != root and above not in seen:
            seen.add(above)
            yield above
            above = dirname(above)
