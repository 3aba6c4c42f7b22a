"""Finds who calls what in a Python repository, by Python's own parser and scope rules; nothing of ours is used.

An unqualified name means what the innermost scope binds it to: a definition, an import, or something of its own (a
parameter, a variable). ``x.name`` means the symbol if ``x`` is a module of the repository. If ``x`` is anything but a
module, it counts as a method of that name, because types are not known here either.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Place = tuple[str, int]
Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef | ast.Module
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A function, method or class that is defined once in the repository.

    Attributes:
        place: path and line of its ``def`` or ``class``.
        member: whether it stands in a class.
        calls: path and line of the name in each true call.
    """

    name: str
    place: Place
    member: bool
    calls: frozenset[Place] = frozenset()


@dataclass(slots=True)
class _Bound:
    """What a name is bound to in one scope: any of these."""

    definitions: list[ast.AST] = field(default_factory=list)
    imports: list[tuple[str, str]] = field(default_factory=list)  # (module, name in it or "")
    other: bool = False


def symbols(root: Path, paths: Iterable[str]) -> list[Symbol]:
    """Return every symbol that is defined exactly once, with its true calls; those without a call too."""
    trees = dict(parsed(root, paths))
    defined: dict[str, list[tuple[str, ast.AST, bool]]] = defaultdict(list)
    for path, tree in trees.items():
        for parent in ast.walk(tree):
            for node in ast.iter_child_nodes(parent):
                if isinstance(node, _DEFINITIONS):
                    defined[node.name].append((path, node, isinstance(parent, ast.ClassDef)))
    once = {name: found[0] for name, found in defined.items() if len(found) == 1}
    calls: dict[str, set[Place]] = defaultdict(set)
    modules = _modules(trees)
    stems = frozenset(part for path in trees for part in path.removesuffix(".py").split("/"))
    for path, tree in trees.items():
        for name, line in _Calls(tree, once, modules, stems).find():
            calls[name].add((path, line))
    return [
        Symbol(name, (path, node.lineno), member, frozenset(calls[name]))  # type: ignore[attr-defined]
        for name, (path, node, member) in sorted(once.items())
    ]


def parsed(root: Path, paths: Iterable[str]) -> Iterator[tuple[str, ast.Module]]:
    """Yield the paths of files that are Python of today, with their trees."""
    for path in paths:
        try:
            yield path, ast.parse((root / path).read_bytes())
        except (SyntaxError, ValueError, OSError):
            continue


def _modules(trees: Mapping[str, ast.Module]) -> frozenset[str]:
    """Return the first names of all modules of the repository: packages and files that no package holds."""
    packages = {path.rpartition("/")[0] for path in trees if path.endswith("__init__.py")}
    found = set()
    for path in trees:
        folder, _, name = path.rpartition("/")
        if folder not in packages:
            found.add(name.removesuffix(".py"))
    for package in packages:
        parent, _, name = package.rpartition("/")
        if parent not in packages:
            found.add(name)
    return frozenset(found)


class _Calls:
    """Finds the true calls of one file."""

    def __init__(
        self,
        tree: ast.Module,
        once: Mapping[str, tuple[str, ast.AST, bool]],
        modules: frozenset[str],
        stems: frozenset[str],
    ) -> None:
        self._tree = tree
        self._once = once
        self._modules = modules
        self._stems = stems
        self._bound: dict[ast.AST, dict[str, _Bound]] = {}
        self._wildcard = any(
            isinstance(node, ast.ImportFrom)
            and any(alias.name == "*" for alias in node.names)
            and self._is_ours("." * node.level + (node.module or ""))
            for node in ast.walk(tree)
        )

    def find(self) -> Iterator[tuple[str, int]]:
        yield from self._visit(self._tree, ())

    def _visit(self, node: ast.AST, scopes: tuple[ast.AST, ...]) -> Iterator[tuple[str, int]]:
        if isinstance(node, ast.Call):
            found = self._called(node.func, scopes)
            if found is not None:
                yield found
        if isinstance(node, (*_DEFINITIONS, ast.Lambda, ast.Module, *_COMPREHENSIONS)):
            self._bound[node] = _bindings(node)
            inner = (*scopes, node)
            outside = _outside(node)
            for child in ast.iter_child_nodes(node):
                yield from self._visit(child, scopes if child in outside else inner)
            return
        for child in ast.iter_child_nodes(node):
            yield from self._visit(child, scopes)

    def _called(self, func: ast.expr, scopes: tuple[ast.AST, ...]) -> tuple[str, int] | None:
        if isinstance(func, ast.Name):
            name = self._meaning(func.id, scopes)
            return (name, func.lineno) if name else None
        if isinstance(func, ast.Attribute) and func.attr in self._once:
            module = self._module_of(func.value, scopes)
            member = self._once[func.attr][2]
            ours = self._is_ours(module) if module is not None else member
            return (func.attr, func.end_lineno or func.lineno) if ours else None
        return None

    def _meaning(self, name: str, scopes: tuple[ast.AST, ...]) -> str | None:
        """Return the symbol that a bare name means."""
        bound = self._binding(name, scopes)
        if bound is None:
            return name if self._wildcard and name in self._once else None
        if any(name in self._once and self._once[name][1] is node for node in bound.definitions):
            return name
        for module, original in bound.imports:
            if original in self._once and not self._once[original][2] and self._is_ours(module):
                return original
        return None

    def _module_of(self, base: ast.expr, scopes: tuple[ast.AST, ...]) -> str | None:
        """Return the module that an expression is; None if it is not a module, as far as can be told."""
        if isinstance(base, ast.Attribute):
            outer = self._module_of(base.value, scopes)
            return f"{outer}.{base.attr}" if outer is not None and base.attr.islower() else None
        if not isinstance(base, ast.Name):
            return None
        bound = self._binding(base.id, scopes)
        if bound is None or bound.definitions or bound.other or not bound.imports:
            return None
        module, original = bound.imports[0]
        if not original:
            return module
        # `from package import name`: of the corpus it is a module only if there is a file or folder of that name. Of
        # elsewhere modules are written small.
        ours = self._is_ours(module)
        is_module = original in self._stems if ours else original.islower()
        return f"{module}.{original}" if is_module else None

    def _binding(self, name: str, scopes: tuple[ast.AST, ...]) -> _Bound | None:
        for depth, scope in enumerate(reversed(scopes)):
            # A class's names are seen in its own body only.
            if isinstance(scope, ast.ClassDef) and depth:
                continue
            if name in self._bound[scope]:
                return self._bound[scope][name]
        return None

    def _is_ours(self, module: str) -> bool:
        return module.startswith(".") or module.split(".", maxsplit=1)[0] in self._modules


def _outside(scope: ast.AST) -> set[ast.AST]:
    """Return the parts of a scope's node that are evaluated outside of it: decorators, defaults, bases, annotations."""
    if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
        return {*scope.decorator_list, *([scope.returns] if scope.returns else [])}
    if isinstance(scope, ast.ClassDef):
        return {*scope.decorator_list, *scope.bases, *scope.keywords}
    return set()


def _bindings(scope: ast.AST) -> dict[str, _Bound]:
    found: dict[str, _Bound] = defaultdict(_Bound)
    elsewhere: Counter[str] = Counter()
    if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        arguments = scope.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        for argument in every:
            if argument is not None:
                found[argument.arg].other = True
    for node in _own_nodes(scope):
        if isinstance(node, _DEFINITIONS):
            found[node.name].definitions.append(node)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.split(".")[0]].imports.append(
                    (alias.name if alias.asname else alias.name.split(".")[0], "")
                )
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                module = "." * node.level + (node.module or "")
                found[alias.asname or alias.name].imports.append((module, alias.name))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            found[node.id].other = True
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found[node.name].other = True
        elif isinstance(node, ast.Global | ast.Nonlocal):
            elsewhere.update(node.names)
    return {name: bound for name, bound in found.items() if name not in elsewhere}


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a scope without those of scopes within it, but with the names that those define."""
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*_DEFINITIONS, ast.Lambda, *_COMPREHENSIONS)):
            waiting.extend(ast.iter_child_nodes(node))
