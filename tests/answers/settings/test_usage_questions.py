"""Questions of users are answered by the section, the paragraph or the entry that says how something is done."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from index_of_files import index_of
from quaestor import Index
from quaestor.answers.settings.usage_questions import answer_usage
from quaestor.answers.way import Question, WayAnswer
from quaestor.answers.ways import answer_by_way

README = """# Ferry

Carries parcels between harbours.

## Using it with pallets

Pallets are carried since last year.

## Sending parcels later

Give a day, and the parcel waits. The address is kept meanwhile.

## IPython/Jupyter integration

Import it in a cell.

## Options

| option | what it does |
|---|---|
| `-q` or `--silent` | Suppress log messages |
| `-o [path]` | Open a browser window after the start |
| `--crane` | Weigh each parcel |
| `--no-bells` | Do not ring |

Change the harbour:

```sh
ferry --to Hull
```

Change the harbour of a return:

```sh
ferry --back Cork
```

## Features

- Compatible with Windows and Linux.
- Rust is what it was written in.
"""
GUIDE = """# Guide for otters and penguins

## Sailing with HarbourOS

Steer by the pilot, who comes aboard.

## Ballast and cargo

Fill the tanks before you load cargo.

## Automatic Identification System (AIS)

Others see the ship.

```sh
ferry user rename ann        # Rename the user ann
ferry user drop              # Only ends a rename
```

## Crates

Parcels lie low. A lashing keeps each stowed crate in its place.

Some ships sail
--sideways, which is known to few who steer.
"""
MANUAL = ".TH FERRY 1\n.SH OPTIONS\n.TP\n\\fB\\-w\\fR, \\fB\\-\\-winch\\fR\nHaul the anchor\n.TP\n.B \\-\\-hold\nRest\n"
PAGE = """# Options

**-f**, **\\--flag** *\\<COLOUR\\>*

:   Raise a pennant

It tells whether
\\--raise is given, or a storm is near.

Then:

```sh
ferry run \\
  --sail storm \\
  --wait
```
"""
API = "Lights\n======\n\n.. automodule:: ferry.lights\n   :members:\n"
CODE = '''"""Ferries."""


def carry(parcel, depth=0, disable=False):
    """Carry a parcel.

    Args:
        depth (int): how low it may lie
        disable (bool): whether the horn stays silent
    """
'''
FILES = {
    "README.md": README,
    "docs/guide.md": GUIDE,
    "docs/lights.rst": API,
    "doc/ferry.1": MANUAL,
    "docs/options.md": PAGE,
    "CHANGELOG.md": "# Changes\n\n## Printing labels\n\nNew.\n",
    "tests/test_ferry.py": "# --lamps: light the lamps\n",
    "src/ferry.py": CODE,
    "src/cli.py": (
        "import argparse\n\n\ndef parse():\n    parser = argparse.ArgumentParser()\n"
        '    parser.add_argument("--max-weight", type=int, help="heaviest parcel")\n'
    ),
}


def places(found: WayAnswer | None) -> list[str]:
    return [] if found is None else [f"{hit.path}:{hit.start_line}-{hit.end_line}" for hit in found.hits]


@pytest.fixture(scope="module")
def ferry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    root = tmp_path_factory.mktemp("usage")
    with index_of(root / "ferry", FILES) as index:
        yield index


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Can I use it with pallets?", ["README.md:7-7"]),
        ("Does Ferry work with pallets?", ["README.md:7-7"]),
        ("How do I send a parcel later?", ["README.md:11-11"]),
        ("How can I send parcels?", ["README.md:11-11"]),
        ("How do I keep the address of a parcel?", []),
        ("Does it work in Jupyter?", ["README.md:15-15"]),
        ("How do I silence the logs?", ["README.md:21-21"]),
        ("How do I turn the log messages off?", ["README.md:21-21"]),
        ("Can I open the browser automatically?", ["README.md:22-22"]),
        ("How do I weigh parcels?", ["README.md:23-23"]),
        ("How do I use the crane?", ["README.md:23-23"]),
        ("How do I disable the bells?", ["README.md:24-24"]),
        ("Is it possible to mute the horn?", ["src/ferry.py:9-9"]),
        ("How do I disable the bell tower?", []),
        ("How do I choose another harbour?", ["README.md:26-30"]),
        ("How do I change the harbour of a return?", ["README.md:32-36"]),
        ("Does it support Windows?", ["README.md:40-40"]),
        ("Can I buy it for Windows?", []),
        ("Does it support Rust?", []),
        ("How do I limit the weight?", ["src/cli.py:6-6"]),
        ("Can I use it with HarbourOS?", []),
        ("Does it sail with HarbourOS?", ["docs/guide.md:5-5"]),
        ("How do I make it quiet?", ["README.md:21-21"]),
        ("How do I load cargo?", ["docs/guide.md:9-9"]),
        ("Can I use AIS?", ["docs/guide.md:13-18"]),
        ("How do I rename a user?", ["docs/guide.md:16-16"]),
        ("How do I stow bells?", []),
        ("How do I stow crates?", ["docs/guide.md:22-25"]),
        ("How do I steer sideways?", []),
        ("How do I turn on the lights?", []),
        ("How do I carry a parcel without the horn?", []),
        ("How do I choose the depth?", ["src/ferry.py:8-8"]),
        ("How do I use the depth?", []),
        ("How do I haul the anchor?", ["doc/ferry.1:4-5"]),
        ("How do I use the winch?", ["doc/ferry.1:4-5"]),
        ("Can I raise a pennant?", ["docs/options.md:3-5"]),
        ("How do I raise a storm?", []),
        ("How do I use the sail?", []),
        ("How do I print labels?", []),
        ("How do I light the lamps?", []),
        ("How do I get it?", []),
        ("How does it carry parcels?", []),
        ("Where are parcels sent later?", []),
        ("How do I track parcels?", []),
        ("Can I use it with penguins?", []),
        ("How do I skip files I have?", []),
    ],
)
def test_what_says_how_it_is_done_is_quoted(ferry: Index, question: str, expected: list[str]) -> None:
    assert places(answer_usage(Question(question), ferry)) == expected


def test_a_heading_with_the_verb_comes_before_a_setting_of_that_name(tmp_path: Path) -> None:
    manual = "# Keys\n\n## ferry key change\n\n`ferry key change` asks.\n\n## Giving it\n\n- `SHOP_KEY`: the key\n"
    files = {"docs/keys.md": manual, "src/config.py": 'key = os.environ["SHOP_KEY"]\n', "README.md": "# Ferry\n\nA.\n"}
    with index_of(tmp_path / "ferry", files) as index:
        assert places(answer_by_way(Question("How do I change the key?"), index)) == ["docs/keys.md:5-5"]
        assert places(answer_by_way(Question("How do I set the key?"), index))[0] != "docs/keys.md:5-5"


def test_clauses_about_things_of_the_program_do_not_point_back(ferry: Index) -> None:
    found = answer_by_way(Question("How do I weigh all the parcels it finds?"), ferry)
    assert places(found) == ["README.md:23-23"]


@given(words=st.lists(st.text("bdfgklmprtvz", min_size=5, max_size=9), min_size=2, max_size=6, unique=True))
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_each_heading_of_one_word_is_found(tmp_path: Path, words: list[str]) -> None:
    text = "# Stock\n\n" + "".join(f"## {word.title()}\n\nOf this tells the section on {word}.\n\n" for word in words)
    with index_of(tmp_path / str(abs(hash(text))), {"README.md": text}) as index:
        for number, word in enumerate(words):
            assert places(answer_usage(Question(f"How do I use {word}?"), index)) == [
                f"README.md:{5 + 4 * number}-{5 + 4 * number}"
            ]
