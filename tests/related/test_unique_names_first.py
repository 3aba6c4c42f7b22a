"""A name that is defined once in a folder comes first, whatever else mentions it; over small real folders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from index_of_files import index_of
from quaestor import Index
from quaestor.chunking import recognise
from quaestor.chunking.definitions import definitions

SAMPLES = sorted((Path(__file__).parents[1] / "chunking" / "samples").glob("*.sample"))
SLOWLY = settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
_WORDS = "gather filter merge parse render split token socket buffer ledger window cursor".split()

words = st.sampled_from(_WORDS)
names = st.builds(
    lambda one, other, style: style.format(one, other.title(), other),
    words,
    words,
    st.sampled_from(["{0}{1}Zq", "{0}_{2}_zq"]),
)
paths = st.builds(
    lambda folders, stem, end: "/".join((*folders, f"{stem}{end}")),
    st.lists(words, max_size=3),
    words,
    st.sampled_from([".py", ".md", ".txt", ".go", ".json", ".hbs", "", ".test", ".yml"]),
)


@contextmanager
def indexed(files: dict[str, str]) -> Iterator[Index]:
    """Index files that lie in a folder of their own."""
    with TemporaryDirectory() as place, index_of(Path(place, "root"), files) as index:
        yield index


def mentions(name: str, count: int) -> dict[str, str]:
    """Files that mention a name, each in a way of its own, and define it nowhere."""
    calls = "".join(f"def use_{n}():\n    return {name}({n}) + {name}({n + 1})\n\n" for n in range(count))
    return {
        "CHANGELOG.md": "# Changes\n\n" + "".join(f"- {name} was mended ({name}, #{n})\n" for n in range(count)),
        f"docs/{name}.md": f"# {name}\n\n`{name}` is what this page is about: {name}.\n\n## {name}\n\nCall {name}.\n",
        f"docs/de/{name}.md": f"# {name}\n\n`{name}` ist der Gegenstand dieser Seite.\n",
        "src/calls.py": calls,
        f"src/{name}_users.js": f"// {name}, {name}, {name}\nuse({name}, '{name}')\n" * count,
        "tests/test_calls.py": f"def test_it():\n    assert {name}(1) == {name}(1)\n",
    }


@given(name=names, count=st.integers(1, 12), before=st.integers(0, 40), copied=st.booleans(), nested=st.booleans())
@SLOWLY
def test_a_name_that_is_defined_once(name: str, count: int, before: int, copied: bool, nested: bool) -> None:
    comment = "".join(f"# {name} is explained in line {n} of a comment that goes before it.\n" for n in range(before))
    defined = f"{comment}def {name}(value):\n    return value * 2\n"
    if nested:
        inner = "".join(f"    {line}\n" for line in defined.splitlines())
        defined = f"def outer():\n{inner}    return {name}\n"
    files = {**mentions(name, count), "lib/deep/home.py": defined}
    if copied:
        files["vendor/copy/home.py"] = defined.replace("* 2", "* 3")
    with indexed(files) as index:
        first = index.search(name, k=10)[0]
    assert first.path == "lib/deep/home.py"
    assert f"def {name}(" in first.text


# Each sample is tried beside all others, so that a third of them meets all in every run.
@pytest.mark.parametrize(
    "sample",
    [pytest.param(one, id=one.stem, marks=pytest.mark.slow if at % 3 else []) for at, one in enumerate(SAMPLES)],
)
def test_every_name_of_a_sample(sample: Path) -> None:
    """In every language: what is defined once is found first, among mentions and all other samples."""
    text = sample.read_text(encoding="utf-8")
    found = defined_once(sample)
    others = {f"others/{other.stem}": other.read_text(encoding="utf-8") for other in SAMPLES if other != sample}
    mentioned = {f"uses/use_{name}.md": f"# {name}\n\nHow {name} is used: {name}.\n" for name, _ in found}
    with indexed({**others, **mentioned, f"src/{sample.stem}": text}) as index:
        places = {}
        for name, line in found:
            first = index.search(name, k=10)[0]
            if first.path != f"src/{sample.stem}" or not first.start_line <= line <= first.end_line:
                places[name] = f"{first.path}:{first.start_line}-{first.end_line}, not line {line}"
    assert places == {}


def defined_once(sample: Path) -> Sequence[tuple[str, int]]:
    """Return the names of functions and types that no other definition of any sample has, with their lines."""
    everywhere = [
        (one.name, one.kind, one.span.start_line, other)
        for other in SAMPLES
        for one in definitions(other.read_bytes(), recognise(other.read_bytes(), other.stem))
    ]
    counted = [name.lower() for name, *_ in everywhere]
    kinds = {"function", "method", "class", "struct", "enum", "interface", "type", "macro", "module"}
    lines = sample.read_text(encoding="utf-8").splitlines()
    found = []
    for name, kind, start, other in everywhere:
        if other != sample or kind not in kinds or counted.count(name.lower()) > 1 or not name[3:] or " " in name:
            continue
        stands = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        line = next((n for n, text in enumerate(lines, 1) if n >= start and stands.search(text)), None)
        if line is not None:
            found.append((name, line))
    return found


@given(chosen=st.lists(paths, min_size=2, max_size=12, unique_by=str.lower), data=st.data())
@SLOWLY
def test_a_path_and_every_end_of_it_that_is_its_own(chosen: list[str], data: st.DataObject) -> None:
    folders = {path.rpartition("/")[0] for path in chosen}
    kept = [path for path in chosen if not any(f"{folder}/".startswith(f"{path}/") for folder in folders)]
    files = {path: f"{path} {path} speaks of {' and '.join(kept)}\n" * 2 for path in kept}
    files["NOTES.md"] = "# Files\n\n" + "".join(f"- {path}: see {path}\n" for path in kept)
    path = data.draw(st.sampled_from(kept))
    parts = path.split("/")
    ends = ["/".join(parts[start:]) for start in range(len(parts))]
    own = [end for end in ends if sum(f"/{other}".lower().endswith(f"/{end}".lower()) for other in files) == 1]
    with indexed(files) as index:
        for end in {path, *own}:
            assert index.search(end, k=10)[0].path == path, end


@given(
    quoted=st.lists(words, min_size=4, max_size=9).map(" ".join),
    marks=st.sampled_from(['""', "''", "``", "“”", "«»"]),
    others=st.lists(st.lists(words, min_size=4, max_size=30).map(" ".join), max_size=10),
)
@SLOWLY
def test_quoted_words_that_stand_once(quoted: str, marks: str, others: list[str]) -> None:
    files = {f"src/part_{n}.py": f'MESSAGE = "{text}"\n' for n, text in enumerate(others) if quoted not in text}
    shuffled = " ".join(sorted(quoted.split()))
    if quoted not in f"{shuffled} {shuffled}":
        files["docs/about.md"] = f"# {shuffled}\n\n{shuffled}\n"
    files["src/here.py"] = f'def fail():\n    raise ValueError("{quoted}")\n'
    with indexed(files) as index:
        assert index.search(f"{marks[0]}{quoted}{marks[1]}", k=10)[0].path == "src/here.py"
