"""Prints measures of the source tree: files and names, rooms and arrows, cycles, functions, late imports, mutants.

A room is a package of ``src/quaestor``; an arrow goes from a room to another one that it imports anywhere, within
functions and for types included. Lines of a function run from its ``def`` to its end, without the docstring.
"""

from __future__ import annotations

import argparse
import ast
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Module:
    """A module of ours, by its dotted name within the package.

    Attributes:
        name: ``search.query``; a package's is that of its folder.
        path: its file.
        tree: its syntax.
    """

    name: str
    path: Path
    tree: ast.Module


def main() -> None:
    """Print the figures of a source tree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", nargs="?", type=Path, default=HERE.parent / "src", help="its src; ours by default")
    source = parser.parse_args().source
    package = source / "quaestor"
    modules = {name: Module(name, path, ast.parse(path.read_text("utf-8"))) for name, path in _named_files(package)}
    lengths = sorted(_length(function) for module in modules.values() for function in _functions(module.tree))
    rooms = {name.partition(".")[0] for name in modules if (package / name.partition(".")[0]).is_dir()} - {""}
    late = _late_imports(modules)
    print(f"files                              {len(modules):7,}")
    print(f"files whose name another has, too  {_shared_names(modules):7,}   (but __init__.py)")
    print(f"lines                              {sum(map(_lines, modules.values())):7,}")
    print(f"rooms                              {len(rooms):7,}")
    print(f"arrows between rooms               {len(_arrows(modules, rooms)):7,}")
    print(f"modules in circles                 {_in_circles(modules):7,}   (imports within functions included)")
    print(f"functions                          {len(lengths):7,}")
    print(f"  lines of one, 90th percentile    {lengths[len(lengths) * 9 // 10]:7,}")
    print(f"  lines of the longest             {lengths[-1]:7,}")
    print(f"imports of ours within functions   {late:7,}")
    mutants = source.parent / "benchmarks" / "results" / "mutants.json"
    for scope, found in json.loads(mutants.read_text("utf-8")).items() if mutants.exists() else ():
        fresh = "".join(f", {one['share']:.3f} of a fresh sample" for one in found.get("fresh", {}).values())
        print(f"mutants killed, {scope:19}{found['share']:7.3f}   ({found['mutants']} of {found['made']} tried{fresh})")


def _named_files(package: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(package.rglob("*.py")):
        yield ".".join(path.relative_to(package).with_suffix("").parts).removesuffix("__init__").rstrip("."), path


def _lines(module: Module) -> int:
    return len(module.path.read_text("utf-8").splitlines())


def _shared_names(modules: Mapping[str, Module]) -> int:
    names = Counter(module.path.name for module in modules.values() if module.path.name != "__init__.py")
    return sum(times for times in names.values() if times > 1)


def _functions(tree: ast.Module) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def _length(function: Function) -> int:
    lines = (function.end_lineno or function.lineno) - function.lineno + 1
    if ast.get_docstring(function) is None:
        return lines
    docstring = function.body[0]
    return lines - ((docstring.end_lineno or docstring.lineno) - docstring.lineno + 1)


def _imported(node: ast.AST, modules: Mapping[str, Module]) -> Iterator[str]:
    """Yield which modules of ours an import names: a submodule, or the module that something is taken from."""
    if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "quaestor":
        base = (node.module or "").removeprefix("quaestor").lstrip(".")
        for alias in node.names:
            submodule = f"{base}.{alias.name}".lstrip(".")
            yield submodule if submodule in modules else base


def _arrows(modules: Mapping[str, Module], rooms: set[str]) -> set[tuple[str, str]]:
    every = (
        (module.name.partition(".")[0], other.partition(".")[0])
        for module in modules.values()
        for node in ast.walk(module.tree)
        for other in _imported(node, modules)
    )
    return {(one, other) for one, other in every if one != other and {one, other} <= rooms}


def _in_circles(modules: Mapping[str, Module]) -> int:
    """Return how many modules are left when those that import none of the others are taken away, again and again."""
    needs = {
        name: {other for node in ast.walk(module.tree) for other in _imported(node, modules)} - {name, ""}
        for name, module in modules.items()
    }
    while leaves := {name for name, others in needs.items() if not others & needs.keys()}:
        needs = {name: others for name, others in needs.items() if name not in leaves}
    return len(needs)


def _late_imports(modules: Mapping[str, Module]) -> int:
    """Return how many statements within functions import modules of ours."""
    found = {
        (module.name, node.lineno)
        for module in modules.values()
        for function in _functions(module.tree)
        for node in ast.walk(function)
        if any(_imported(node, modules)) and isinstance(node, ast.ImportFrom)
    }
    return len(found)


if __name__ == "__main__":
    main()
