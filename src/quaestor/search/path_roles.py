"""Reads a path: its words, and the file's role in a repository (test, example, prose and so on)."""

from __future__ import annotations

import re
from functools import lru_cache

from quaestor.core.light_imports import NamedTuple
from quaestor.core.terms import terms
from quaestor.search.background_documents import background_of

# Names of folders and files, told by sets: eight patterns would take longer to compile than a search takes.
_TEST_FOLDERS = frozenset(
    """test tests __tests__ spec specs t testing testdata testthat fixtures e2e mock mocks __mocks__
    fuzz fuzzing regress selftest selftests unittest unittests testcase testcases testsuite testsuites testutil
    testutils""".split()
)
# commonTest, integration-tests, Core.Tests, test_utils; not latest, nor bloc_test, as products for tests are called.
_TEST_FOLDER = re.compile(r"[a-z]Tests?$|[-_. ][Tt]ests(?=$|\.)|^[Tt]ests?[-_. ]|^test[A-Z]")
_TEST_ENDS = tuple(mark + word for mark in "_.-" for word in ("test", "tests", "spec", "specs"))
_TEST_CLASSES = ("Test", "Tests", "Spec", "Suite", "TestCase")
_TESTS_OF_ROOT = frozenset({"test", "tests"})
_EXAMPLE_FOLDERS = frozenset(
    mark + name
    for name in """example examples sample samples demo demos doc_src docs_src tutorial tutorials playground bench
    benches benchmark benchmarks benchsuite jmh snippets""".split()
    for mark in ("", "_")
)
# Core.Benchmarks, http-examples; not pending_examples, as what a program does may be called.
_KINDS_OF_EXAMPLES = "bench benches benchmark benchmarks demo demos example examples sample samples".split()
_EXAMPLE_ENDS = ("_bench", "_benches", *(mark + name for mark in ".-" for name in _KINDS_OF_EXAMPLES))
_JVM, _MAIN = frozenset({"java", "kotlin", "scala", "groovy"}), (["main"], ["test"])
# What these folders hold of prose is no example and no test: documents to read, about testing, or a specification.
_OF_DOCUMENTS = frozenset("doc_src docs_src tutorial tutorials testing spec specs".split())
_SOURCES = frozenset({"src", "lib"})
# How many of the folders above a file speak for it: where a checkout lies tells nothing of what is in it.
_SPEAKING = 3
_SCRIPTS = [f"{kind}{language}s{x}" for kind in ("", "c", "m") for language in "jt" for x in ("", "x")]
_ENTRIES = frozenset(
    {
        "__init__.py",
        "__init__.pyi",
        "package-info.java",
        "mod.rs",
        "lib.rs",
        "init.lua",
        *(f"index.{script}" for script in _SCRIPTS),
    }
)
_DATA = frozenset(
    "json toml yaml yml lock cfg ini xml csv tsv mod sum svg plist properties snap po pot xlf xliff".split()
)
# What builds, checks, releases or documents a program, or starts its build: none of it runs when the program does.
_BESIDE_FOLDERS = frozenset(
    """script scripts buildsrc build-logic doc docs documentation website ci dev devel hack packaging release
    releases contrib rake tasks step_definitions completion completions .github .gitlab .circleci
    .ci .buildkite playwright cypress""".split()
)
_PROGRAM_FOLDERS = _SOURCES | frozenset("app cmd internal pkg".split())
_BESIDE_FILES = frozenset(
    """build.rs build.zig build.sbt cake.cs package.swift setup.py noxfile.py conftest.py fabfile.py wscript
    sconstruct gemfile rakefile guardfile podfile fastfile appfile dangerfile vagrantfile brewfile capfile
    mix.exs project.clj makefile.pl build.pl extconf.rb gruntfile.js gulpfile.js rebar.config.script
    configure.ac step_definitions.rb""".split()
)
_BESIDE_FILES_OF_ROOT = frozenset("conf.py tasks.py runtests.py runtests.sh build.py build.sh".split())
_BESIDE_NAME = re.compile(r"\.(?:rake|gradle|gradle\.kts|cmake|nix|gemspec|podspec|cake)$")
_OF_TOOL = re.compile(r"\.(?:config|conf)\.[cm]?[jt]s$")
"""A file that configures a tool, unless it lies among the sources."""
_NOT_IN_STEMS = bytes(code for code in range(128) if not chr(code).isalnum())
_PROSE = frozenset(
    """md mdx markdown rmd qmd rst txt adoc asciidoc asc rdoc mediawiki wiki mw org htm html pod pdf docx pptx
    odt odp rtf eml mbox epub ipynb tex ltx texi texinfo txi rd ronn scd man mdoc mld 1 2 3 4 5 6 7 8""".split()
)


class PathProfile(NamedTuple):
    """The words and roles of a path.

    Attributes:
        path: the path.
        ending: what stands behind the last stop of the file name, in lower case; empty without one.
        stem: the file name without extensions, lower-case letters and digits only.
        stem_terms: the terms of the file name.
        folders: the nearest folders.
        folder_terms: the terms of these folders.
        terms: all of these terms.
        depth: the number of folders.
        test, example, declaration, prose, data: whether the file has this role.
        background: the kind of a document that ranks behind others, see ``background_documents``; empty for any other.
    """

    path: str
    ending: str
    stem: str
    stem_terms: frozenset[str]
    folders: tuple[str, ...]
    folder_terms: frozenset[str]
    terms: frozenset[str]
    depth: int
    test: bool
    example: bool
    declaration: bool
    prose: bool
    data: bool
    background: str

    @property
    def flags(self) -> tuple[bool, ...]:
        """Return whether it is test, example, background, declaration, prose and data: sources come before these."""
        return (self.test, self.example, bool(self.background), self.declaration, self.prose, self.data)


@lru_cache(maxsize=1 << 14)
def profile_path(path: str) -> PathProfile:
    """Return the profile of a path; cached."""
    folder, _, name = path.rpartition("/")
    stem = name.split(".", 1)[0] if not name.startswith(".") else name.lstrip(".")
    if name in _ENTRIES and folder:
        # An entry file speaks for its folder.
        stem = folder.rpartition("/")[2]
    parts = path.split("/")
    lower_parts = path.lower().split("/")
    ending = name.removesuffix(".erb").rpartition(".")[2].lower() if "." in name else ""
    stem_terms, folder_terms = _terms_of_name(stem), frozenset().union(*map(_terms_of_name, parts[-1 - _SPEAKING : -1]))
    prose, data = ending in _PROSE, ending in _DATA
    return PathProfile(
        path=path,
        ending=ending,
        stem=stem.lower().encode("ascii", "ignore").translate(None, _NOT_IN_STEMS).decode(),
        stem_terms=stem_terms,
        folders=tuple(parts[-1 - _SPEAKING : -1]),
        folder_terms=folder_terms,
        terms=stem_terms | folder_terms,
        depth=path.count("/"),
        test=any(map(_is_test_folder, _without_documents(parts[:-1]) if prose else _without_name_of_letter(parts)))
        or _is_test(name)
        or (not folder and not prose and stem in _TESTS_OF_ROOT),
        example=_is_example(lower_parts, prose=prose),
        declaration=name.endswith((".d.ts", ".pyi")),
        prose=prose,
        data=data,
        background=background_of(lower_parts, prose=prose or not ending, data=data),
    )


def folders_to_sources(path: str) -> int:
    """Return how many folders are above a path's folder of sources: a port of a package lies deeper than the original.

    ``src/queue.ts`` has none, ``php/src/Queue.php`` one. Without a folder of sources, all folders count.
    """
    folders = path.lower().split("/")[:-1]
    return next((at for at, folder in enumerate(folders) if folder in _SOURCES), len(folders))


@lru_cache(maxsize=1 << 13)
def is_beside_program(path: str) -> bool:
    """Return whether a file only serves work on the program: tests, scripts, build files, what makes its documents."""
    profile = profile_path(path)
    *folders, name = path.lower().split("/")
    own = next((at for at, folder in enumerate(folders) if folder in _PROGRAM_FOLDERS), len(folders))
    return (
        profile.test
        or profile.example
        or bool(profile.background)
        or not _BESIDE_FOLDERS.isdisjoint(folders[:own])
        or folders[:1] == ["build"]
        or name in _BESIDE_FILES
        or (not folders and name in _BESIDE_FILES_OF_ROOT)
        or _BESIDE_NAME.search(name) is not None
        or (own == len(folders) and _OF_TOOL.search(name) is not None)
    )


def _without_documents(folders: list[str]) -> list[str]:
    return [one for one in folders if one.lower() not in _OF_DOCUMENTS]


def _without_name_of_letter(parts: list[str]) -> list[str]:
    """Return a path's folders without one that is called t right below the sources, as a program of that name is."""
    return [one for at, one in enumerate(parts[:-1]) if one != "t" or not at or parts[at - 1] not in _SOURCES]


def _is_example(lower_parts: list[str], *, prose: bool) -> bool:
    """Return whether a path is that of an example; ``src/main/java/org/samples/shop`` names a package."""
    for at, part in enumerate(lower_parts):
        if part in _JVM and lower_parts[at - 1 : at] in _MAIN:
            lower_parts = lower_parts[:at]
            break
    folders = _EXAMPLE_FOLDERS.intersection(lower_parts)
    if not folders:
        return not prose and any(part.endswith(_EXAMPLE_ENDS) for part in lower_parts[:-1])
    return not (prose and folders <= _OF_DOCUMENTS) and not _measures(lower_parts)


def _measures(lower_parts: list[str]) -> bool:
    """Return whether a path's benchmarks are part of a program that measures: ``src/benchmark/run.rs``."""
    places = [at for at, part in enumerate(lower_parts) if part in _EXAMPLE_FOLDERS]
    return all(lower_parts[at].startswith("benchmark") and at > 0 and lower_parts[at - 1] in _SOURCES for at in places)


@lru_cache(maxsize=1 << 13)  # many paths have names of folders in common
def _terms_of_name(name: str) -> frozenset[str]:
    return frozenset(terms(name))


def is_entry(name: str) -> bool:
    """Return whether a file represents its folder, by its name (``__init__.py``, ``mod.rs``)."""
    return name in _ENTRIES


@lru_cache(maxsize=1 << 13)
def _is_test_folder(name: str) -> bool:
    return name.lower() in _TEST_FOLDERS or _TEST_FOLDER.search(name) is not None


def _is_test(name: str) -> bool:
    if name.startswith("test_") or name == "conftest.py":
        return True
    stem, dot, ending = name.rpartition(".")
    return bool(dot and _is_word(ending)) and stem.endswith(_TEST_ENDS + _TEST_CLASSES)


def _is_word(text: str) -> bool:
    return text.replace("_", "a").isalnum()
