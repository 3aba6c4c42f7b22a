"""Finds entry points: commands that manifests declare, main functions, and a library's public modules."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from posixpath import dirname, normpath

from quaestor.answers.overview.material import Material, depth_in
from quaestor.answers.overview.overview_text import Entry, Source, Statement
from quaestor.chunking.languages import PROSE
from quaestor.search.path_roles import profile_path

_MOST = 14
_DEEPEST = 4
_SCRIPT_TABLE = re.compile(r"^\[(?:project\.(?:gui-)?scripts|tool\.poetry\.scripts)\]\s*$")
_ASSIGNED = re.compile(r"""^\s*["']?([\w.-]+)["']?\s*=\s*["']?([\w.]+)(?::[\w.]+)?""")
_CONSOLE = re.compile(r"""["']?(?<![\w.-])([\w.-]+)\s*=\s*([\w.]+):[\w.]+""")
_CARGO_BIN = re.compile(r"^\[\[bin\]\]")
_CARGO_FIELD = re.compile(r'^(name|path)\s*=\s*"([^"]+)"')
_CABAL = re.compile(r"^executable\s+(\S+)", re.IGNORECASE)
_CABAL_FIELD = re.compile(r"^\s+(main-is|hs-source-dirs):\s*(.*\S)", re.IGNORECASE)
_GEM = re.compile(r"executables?\s*(?:=|<<|\+=)\s*(.+)")
_JSON_FIELD = re.compile(r'^\s*"(bin|main|module|exports|types)"\s*:')
_ESCRIPT = re.compile(r"main_module:\s*([\w.]+)|^\s*mod:\s*\{\s*([\w.]+)")
_ANDROID_CLASS = re.compile(r'android:name="([\w.]*[A-Z]\w*)"')
_NAME = re.compile(r"""(?:name:\s*|\s*app:\s*:|\s*"name":\s*"(?:@[\w-]+/)?)([\w-]+)""")
_HEAD = 30
"""A manifest's name is searched for in this many lines."""
_CMD = re.compile(r"^\s*(?:CMD|ENTRYPOINT)\s+(.+)$")
_MAINS = {
    "go": re.compile(r"^func main\(\)", re.MULTILINE),
    "java": re.compile(r"^[ \t]*(?:(?:public|static|final)\s+){2,3}void\s+main\s*\(", re.MULTILINE),
    "kotlin": re.compile(r"^fun\s+main\s*\(", re.MULTILINE),
    "scala": re.compile(r"^[ \t]*(?:def\s+main\s*\(|(?:case\s+)?object\b.*\bextends\s+App\b|@main\b)", re.MULTILINE),
    "csharp": re.compile(
        r"^[ \t]*(?:\w+[ \t]+)?static\s+(?:async\s+)?(?:void|int|Task(?:<int>)?)\s+Main\s*\("
        r"|^[^/\n]*\b(?:WebApplication|Host|DistributedApplication)\.Create\w*Builder\(",
        re.MULTILINE,
    ),
    "c": re.compile(r"^(?:int|void)\s+main\s*\(", re.MULTILINE),
    "cpp": re.compile(r"^(?:auto|int)\s+main\s*\(", re.MULTILINE),
    "swift": re.compile(r"^@main\b", re.MULTILINE),
    "zig": re.compile(r"^pub\s+fn\s+main\s*\(", re.MULTILINE),
    "dart": re.compile(r"^(?:Future<void>|void|main)\s*main?\s*\(", re.MULTILINE),
    "haskell": re.compile(r"^main\s*::", re.MULTILINE),
}
_CONDITION = re.compile(r"^\s*#\s*(if\w*|elif|else|endif)\b(.*)")
_OF_TESTS = re.compile(r"(?:^|[\W_])(?:SELF_?)?(?:TESTS?|BENCH\w*|EXAMPLES?|DEMO)(?:$|[\W_])", re.IGNORECASE)
_MAIN_FILES = "main.go main.c main.cc main.cpp main.cxx main.java main.kt main.scala program.cs".split()
_PROGRAMS = frozenset({"__main__.py", "main.rs", "main.swift", "manage.py", "main.dart"})
# Where requests, and commands, come into a web application: Laravel, Symfony, Rails, Rack.
_WEB = ("artisan bin/console public/index.php routes/web.php routes/api.php config/routes.rb config.ru").split()
_ASIDE = re.compile(r"(?:example|sample|demo|tutorial)|docs?$|documentation$", re.IGNORECASE)
"""Folders of example programs."""
_HEADERS = (".h", ".hh", ".hpp", ".hxx")
_MOST_HEADERS = 4
_FACES = (
    "lib.rs src/lib.rs index.js index.mjs index.ts src/index.ts src/index.js src/index.mjs mod.ts src/main.ts init.lua"
).split()


def entry_points(material: Material) -> list[Entry]:
    """Return the entry points of a folder's program or library, those that manifests declare first; at most 14."""
    entries: dict[str, Entry] = {}
    for read in (_declared_entries, _programs, _main_functions, _scripts, _faces, _containers):
        for entry in read(material):
            entries.setdefault(entry.name, entry)
    # What a command runs is told with the command.
    for target in {name.partition(" → ")[2] for name in entries}:
        entries.pop(target, None)
    # A library may have none but the programs that test it, and where these are asked for they are its own.
    own_entries = [one for one in entries.values() if not _is_test(one.name) or _is_test(f"{material.folder}/x")]
    own = [one for one in own_entries if not _is_aside(one.name)]
    # Where there is a library, its examples are no way into it.
    return (own if own or material.has_program else own_entries)[:_MOST]


def _is_test(name: str) -> bool:
    return profile_path(name.partition(" → ")[2] or name).test


def _is_aside(name: str) -> bool:
    """Return whether an entry belongs to tests or examples."""
    path = name.partition(" → ")[2] or name
    profile = profile_path(path)
    aside = any(map(_ASIDE.match, path.split("/")[:-1]))
    return profile.test or profile.example or aside or path.startswith(".") or "{{" in path


def _declared_entries(material: Material) -> Iterator[Entry]:
    readers: dict[str, Callable[[Material, str], Iterator[Entry]]] = {
        "pyproject.toml": _of_pyproject,
        "setup.cfg": _of_setup,
        "setup.py": _of_setup,
        "package.json": _of_package,
        "cargo.toml": _of_cargo,
    }
    for name, read in readers.items():
        for path in material.paths_named(name, 3)[:20]:
            yield from read(material, path)
    for path in [
        one
        for one in material.documents
        if one.endswith((".cabal", ".gemspec")) and depth_in(one, material.folder) <= 1
    ]:
        yield from (_of_cabal if path.endswith(".cabal") else _of_gemspec)(material, path)
    for path in material.paths_named("androidmanifest.xml", 4):
        yield from _of_android(material, path)
    for path in material.paths_named("mix.exs", 1):
        for number, line in enumerate(material.lines(path), 1):
            if match := _ESCRIPT.search(line):
                yield _stated_entry(match[1] or match[2], path, number, line)


def _of_pyproject(material: Material, path: str) -> Iterator[Entry]:
    inside = False
    for number, line in enumerate(material.lines(path), 1):
        if line.startswith("["):
            inside = _SCRIPT_TABLE.match(line) is not None
        elif inside and (match := _ASSIGNED.match(line)):
            yield _command(material, match[1], match[2], path, number, line)


def _of_setup(material: Material, path: str) -> Iterator[Entry]:
    inside = False
    for number, line in enumerate(material.lines(path), 1):
        if re.search(r"(?:console|gui)_scripts", line):
            inside = True
        match = _CONSOLE.search(line) if inside else None
        if match and match[1] not in ("console_scripts", "gui_scripts"):
            yield _command(material, match[1], match[2], path, number, line)
        elif inside and (not line.strip() or line.strip().startswith(("]", "["))) and "scripts" not in line:
            inside = False


def _command(material: Material, name: str, module: str, path: str, number: int, line: str) -> Entry:
    """Return a command with the file of the module that it runs."""
    end = module.replace(".", "/")
    base = dirname(path)
    options = [
        f"{prefix}{end}{tail}" for prefix in ("", "src/", "lib/") for tail in (".py", "/__init__.py", "/__main__.py")
    ]
    target = next((one for option in options if (one := f"{base}/{option}" if base else option) in material.all), None)
    return _stated_entry(f"{name} → {target}" if target else name, path, number, line)


def _of_package(material: Material, path: str) -> Iterator[Entry]:
    file, lines = material.read(path), material.lines(path)
    try:
        read = json.loads(file.text) if file else None
    except (ValueError, RecursionError):
        return
    if not isinstance(read, dict):
        return
    where = {match[1]: number for number, line in enumerate(lines, 1) if (match := _JSON_FIELD.match(line))}
    programs = read.get("bin")
    commands = programs if isinstance(programs, dict) else {str(read.get("name", "")).rpartition("/")[2]: programs}
    for name, target in islice(commands.items(), _MOST):
        if isinstance(target, str) and name:
            number = next(
                (at for at, line in enumerate(lines, 1) if target in line and at >= where.get("bin", 1)),
                where.get("bin", 1),
            )
            yield _stated_entry(f"{name} → {_beside(path, target)}", path, number, lines[number - 1])
    for field in ("main", "module"):
        target = read.get(field)
        if isinstance(target, str) and _beside(path, target) in material.all:
            yield _stated_entry(_beside(path, target), path, where.get(field, 1), lines[where.get(field, 1) - 1])


def _of_cargo(material: Material, path: str) -> Iterator[Entry]:
    inside, name = False, ""
    for number, line in enumerate(material.lines(path), 1):
        if line.startswith("["):
            inside = _CARGO_BIN.match(line) is not None
            name = ""
        elif inside and (match := _CARGO_FIELD.match(line)):
            if match[1] == "name":
                name = match[2]
            elif (target := _beside(path, match[2])) in material.all:
                yield _stated_entry(f"{name} → {target}" if name else target, path, number, line)


def _of_cabal(material: Material, path: str) -> Iterator[Entry]:
    lines = material.lines(path)
    begins = [number for number, line in enumerate(lines) if line[:1].strip()]
    for first, end in pairwise([*begins, len(lines)]):
        fields = {
            match[1].lower(): (match[2], number)
            for number in range(first + 1, end)
            if (match := _CABAL_FIELD.match(lines[number]))
        }
        stanza = _CABAL.match(lines[first])
        if stanza and "main-is" in fields:
            file, number = fields["main-is"]
            folder, _ = fields.get("hs-source-dirs", ("", 0))
            places = [one for one in material.places.get(file.rpartition("/")[2].lower(), ()) if one.endswith(file)]
            own = [one for one in places if one == _beside(path, f"{folder}/{file}".lstrip("/"))]
            target = min(own or places, key=len, default="")
            yield _stated_entry(f"{stanza[1]} → {target}" if target else stanza[1], path, number + 1, lines[number])


def _of_android(material: Material, path: str) -> Iterator[Entry]:
    """Yield the activity that the launcher of a device starts, and the class of the application."""
    activity: tuple[str, int, str] | None = None
    for number, line in enumerate(material.lines(path), 1):
        if "<activity" in line:
            activity = None
        if match := _ANDROID_CLASS.search(line):
            activity = activity or (match[1], number, line)
        if activity and "android.intent.action.MAIN" in line:
            name, at, text = activity
            stem = name.rpartition(".")[2]
            target = next(
                (one for kind in ("kt", "java") for one in material.places.get(f"{stem}.{kind}".lower(), ())), ""
            )
            yield _stated_entry(f"{stem} → {target}" if target else stem, path, at, text)
            activity = None


def _of_gemspec(material: Material, path: str) -> Iterator[Entry]:
    for number, line in enumerate(material.lines(path), 1):
        if match := _GEM.search(line):
            for name in re.findall(r"""["']([\w.-]+)["']""", match[1]):
                target = next((one for one in (f"exe/{name}", f"bin/{name}") if one in material.documents), None)
                if target:
                    yield _stated_entry(target, path, number, line)


def _programs(material: Material) -> Iterator[Entry]:
    """Yield the files that are programs by their names."""
    for name in sorted(_PROGRAMS):
        for path in material.paths_named(name, _DEEPEST):
            yield _file(material, path)
    base = f"{material.folder}/" if material.folder else ""
    for path in (f"{base}{name}" for name in _WEB):
        if path in material.documents:
            yield _file(material, path)
    for path in material.documents:
        if (
            re.search(r"(?:^|/)src/bin/[^/]+\.rs$", path)
            and depth_in(path, material.folder) <= _DEEPEST
            and not material.stands_behind(path)
        ):
            yield _file(material, path)


def _main_functions(material: Material) -> Iterator[Entry]:
    """Yield the files in which a main function is defined, the shallowest first."""
    languages = {document.language for document in material.documents.values()}
    if not languages & _MAINS.keys():
        return
    # Where hundreds of tests define one, those of programs are found by their files' names.
    paths = {stored.document.path for stored in material.chunks_with(("main",), 400)}
    paths.update(path for name in _MAIN_FILES for path in material.paths_named(name, _DEEPEST))
    # Beside a program of C lie the small ones that make its tables.
    sizes = {path: one.size if one.language in ("c", "cpp") else 0 for path, one in material.documents.items()}
    for path in sorted(paths, key=lambda one: (one.count("/"), -sizes[one], one)):
        pattern = _MAINS.get(material.documents[path].language)
        lines = [] if pattern is None or material.stands_behind(path) else material.lines(path)
        if pattern and (place := pattern.search("\n".join(lines))):
            # In C, the type may stand in a line of its own.
            number = place.string.count("\n", 0, place.start() + max(place[0].find("main"), 0)) + 1
            if not _is_within_test(lines[:number]):
                yield _stated_entry(path, path, number, lines[number - 1])


def _is_within_test(lines: Sequence[str]) -> bool:
    """Return whether lines of C end where a condition for tests is open: ``#ifdef SHOP_TEST``."""
    opened: list[str] = []
    for match in filter(None, map(_CONDITION.match, lines)):
        if match[1] == "endif":
            opened = opened[:-1]
        elif match[1].startswith("if"):
            opened.append(match[2])
        elif opened:
            opened[-1] = match[2]
    return any(_OF_TESTS.search(one) for one in opened)


def _scripts(material: Material) -> Iterator[Entry]:
    """Yield the files of a folder for programs, such as ``bin``."""
    for path in material.documents:
        folder, _, name = path.rpartition("/")
        if (
            folder.removeprefix(material.folder).strip("/") in ("bin", "exe")
            and "test" not in name
            and not _is_data(material, path)
        ):
            yield _file(material, path)


def _is_data(material: Material, path: str) -> bool:
    return material.profile(path).data or ("." in path and material.documents[path].language in PROSE)


def _faces(material: Material) -> Iterator[Entry]:
    """Yield the files that a library is imported by."""
    base = f"{material.folder}/" if material.folder else ""
    names = [*_FACES, *_own_names(material)]
    for name in names:
        if f"{base}{name}" in material.documents:
            yield _file(material, f"{base}{name}")
    headers = [path for path in material.beside(f"{base}include") if path.endswith(_HEADERS)]
    yield from (_file(material, path) for path in headers[:_MOST_HEADERS])
    yield from (_file(material, path) for path in _packages(material))


def _packages(material: Material) -> Iterator[str]:
    """Yield the outermost Python packages that are at least a fifth as large as the largest."""
    sizes: dict[str, int] = {}
    for path in material.paths_named("__init__.py", 2):
        profile = profile_path(path)
        base = dirname(dirname(path))
        if f"{base}/manage.py".lstrip("/") in material.documents:
            continue  # the parts of a site that Django serves are imported by nobody else
        above = f"{base}/__init__.py".lstrip("/")
        says = material.documents[path].size and not (profile.test or profile.example)
        if above not in material.documents and says:
            sizes[path] = sum(
                one.size for name, one in material.documents.items() if name.startswith(f"{dirname(path)}/")
            )
    yield from (path for path, size in sizes.items() if 5 * size >= max(sizes.values()))


def _own_names(material: Material) -> Iterator[str]:
    """Yield the files that bear a library's name, such as ``lib/NAME.rb``, by its manifest."""
    for path in material.beside(material.folder):
        name = path.rpartition("/")[2]
        stem = name.removesuffix(".gemspec") if name.endswith(".gemspec") else ""
        if name in ("pubspec.yaml", "mix.exs", "package.json"):
            named = filter(None, map(_NAME.match, material.lines(path)[:_HEAD]))
            stem = next((match[1] for match in named), "")
        if stem:
            yield from (
                f"{folder}/{stem}.{end}" for folder in ("lib", "src") for end in ("rb", "dart", "ex", "ts", "js", "go")
            )


def _containers(material: Material) -> Iterator[Entry]:
    for path in material.paths_named("dockerfile", 1):
        for number, line in enumerate(material.lines(path), 1):
            if _CMD.match(line):
                yield _stated_entry(path, path, number, line)


def _file(material: Material, path: str) -> Entry:
    from quaestor.answers.overview.path_descriptions import description  # noqa: PLC0415 - it imports what reads manifests

    return Entry(path, description(material, path))


def _stated_entry(name: str, path: str, number: int, line: str) -> Entry:
    text = " ".join(line.split()).strip(" ,")[:120]
    # The line itself is evidence; its place is enough where room counts.
    brief = "" if path == name else path
    return Entry(name, Statement(text, Source(path, number, number), verbatim=text in line, brief=brief))


def _beside(path: str, target: str) -> str:
    folder = dirname(path)
    return normpath(f"{folder}/{target}" if folder else target)
