"""Small trees of files, about which whole answers and overviews are kept in the folder ``in_full``."""

from __future__ import annotations

from collections.abc import Mapping

import ferry_files
import overview_parts
import test_callers_in_places
import test_configuration
import test_document_parts
import test_explained_errors
import test_files_explained
import test_first_look
import test_listings
import test_maintainers
import test_named_faults
import test_named_settings
import test_numbered_documents
import test_options_explained
import test_overview_in_full
import test_project_facts
import test_term_definitions
import test_uses_of_one_kind
from overviews_in_full import OVERVIEWS
from projects_in_full import PROJECTS
from shop_repository import FILES, MORE
from trees_of_settings import PORTER

README = """# Ferry

Ferry carries letters across bad networks.

## Installation

With pip:

```sh
pip install ferry
```

Or with Homebrew:

```sh
brew install ferry
```

## Contributing

See the guide.
"""
GUIDE = """# Contributing

Thank you for your help.
Ask before you write much.

## Code of Conduct

Contributors are kind.

## Pull requests

Fork it, and send one change at a time.

## Tests

    $ pytest -q
"""


def _numbered(form: str, most: int) -> str:
    return "".join(form.format(number) for number in range(1, most + 1))


# More of everything than an answer shows.
MANY = {
    "src/errors.py": _numbered("class Fault{}Error(Exception):\n    pass\n\n\n", 90),
    "src/env.py": "import os\n\n" + _numbered('A{0} = os.environ["MANY_{0}"]\n', 70),
    "src/cli.py": _numbered('parser.add_argument("--way-{}", help="which way it goes")\n', 70),
    "src/codes.py": _numbered("def end_{0}():\n    sys.exit(7)\n\n\n", 5) + _numbered("LAST_{0} = exit({0})\n", 6),
    "src/deep.py": "def deep(at):\n    return at\n\n\n" + _numbered("def use_{}(at):\n    return deep(at)\n\n\n", 16),
    **{
        f"src/use{n}.py": f"from src.deep import deep\n\n\ndef other_{n}(at):\n    return deep(at)\n"
        for n in range(1, 6)
    },
    **{
        f"tests/test_{n}.py": f"from src.deep import deep\n\n\ndef test_deep_{n}():\n    deep({n})\n"
        for n in range(1, 6)
    },
    **{
        f"boxes/{n}.py": f"class Box:\n    size = {n}\n\n    def fold(self):\n        return {n}\n" for n in range(1, 9)
    },
    "src/all.py": "from src.deep import deep\n\n\ndef all_of_it(at):\n"
    + _numbered("    step_{}(at)\n", 24)
    + "\n\n"
    + _numbered("def step_{}(at):\n    return at\n\n\n", 24),
    **{f"plays/{name}.yml": "- hosts: all\n" for name in ("a", "b", "c", "d/e", "d/README")},
    **{f"db/migrations/{n:04}_step.sql": f"CREATE TABLE t{n} (id integer);\n" for n in range(1, 4)},
    "db/old/migrations/0001_first.sql": "CREATE TABLE first (id integer);\n",
}

_PLAIN = 'parser.add_argument("--{}")\n'
_SAID = 'parser.add_argument("--{}", help="what is done with each")\n'


def _options(said: int, plain: int) -> str:
    words = [f"way-{number}" for number in range(said + plain)]
    lines = [(_SAID if at < said else _PLAIN).format(word) for at, word in enumerate(words)]
    return "# the options\n\n\n\n" + "\n\n\n".join(lines)


# Several of each, in files whose order tells which comes first.
FLEET = {
    "CODEOWNERS": "* @all\n/hold/ @hold\n",
    "docs/CODEOWNERS": "/hold @docs\n",
    **{f"cli/{name}.py": _options(said, 9 - said) for said, name in enumerate("abcdefg")},
    "cli/h.py": _options(0, 20),
    "a/migrations/0001_a.sql": "CREATE TABLE a (id integer);\n",
    **{f"b/migrations/000{n}_b.sql": f"CREATE TABLE b{n} (id integer);\n" for n in (1, 2, 3)},
    **{f"c/migrations/000{n}_c/up.sql": f"CREATE TABLE c{n} (id integer);\n" for n in (1, 2)},
    "d/migrations/0001_d.sql": "CREATE TABLE d (id integer);\n",
    "src/SchemaMigrator.kt": "class SchemaMigrator\n",
    "tests/migrations/0001_t.sql": "CREATE TABLE t (id integer);\n",
    "hold/crate.py": "CRATE_LIMIT = 4\n\n\nclass Crate:\n    pass\n",
    "deck/crate.py": "class Crate:\n    def open_lid(self):\n        return self.open_lid\n",
    "hold/use.py": "from hold.crate import CRATE_LIMIT, Crate\n\n\ndef fill():\n    return Crate(), CRATE_LIMIT\n",
    "tests/test_fill.py": "from hold.use import fill\n\n\ndef test_fill():\n    assert fill()\n    assert fill()\n",
    "docs/settings.md": "# Settings\n\n## CRATE_LIMIT\n\nHow many crates are held at most.\n\n## other\n\nNo.\n",
    "docs/index.md": "# Fleet\n\n## anchor-depth\n\nHow deep the anchor may lie below the ship.\n",
    "src/depth.py": "def depth(settings):\n    return settings['anchor-depth']\n",
    "hold/lift.py": "def lift_it():\n    fill()\n",
    "deck/lift.py": "def lift_it():\n    open_lid()\n",
    "old/OWNERS": "approvers:\n  - bo\n",
    "old/deep/OWNERS": "# none\n",
    "old/deep/er/x.py": "X = 1\n",
    "src/long.py": (
        "#!/usr/bin/env python\n# SPDX-License-Identifier: MIT\n\n# What is long is read slowly by all.\n"
        "import os\n\n\ndef short():\n    return os.name\n\n\nclass Long:\n"
        + _numbered("    def part_{0}(self):\n        return {0}\n\n", 20)
    ),
    "src/words.py": "'''Words, one after the other, and no more.'''\n\n\nclass Words:\n    '''Holds words.'''\n"
    + _numbered("\n    def word_{0}(self):\n        return {0}\n", 20),
    "src/ends.py": _numbered("def end_{0}(at):\n    return at\n\n\n", 11) + "LAST = end_1(2)\n",
    "go/fleet.go": "package go\n\n// Sail sails.\nfunc Sail() {}\n",
    "go/other.go": "package go\n\nfunc other() { Sail() }\n",
    "go/other_test.go": "package go\n\nfunc TestSail() { Sail() }\n",
    "web/api.ts": "export function load(): void {}\n\nexport const saved = () => load();\n",
    "web/page.ts": "import { load, saved } from './api';\n\nload();\nsaved();\n",
}


def _lines(name: str, most: int) -> str:
    return f"def {name}(at):\n" + "    at += 1\n" * (most - 1)


# What is quoted whole if it is no longer, and one line longer.
EXACT = {
    "src/forty.py": _lines("forty_lines", 40) + "\n\n" + _lines("forty_one_lines", 41),
    "src/whole.py": "\n".join(f"A_{number} = {number}" for number in range(45)),
    "src/more.py": "\n".join(f"B_{number} = {number}" for number in range(46)),
    "src/outline.py": _numbered("def part_{}(): ...\n", 25) + "\n" * 30,
    "src/outlines.py": _numbered("def piece_{}(): ...\n", 26) + "\n" * 30,
    "src/class.py": "class Forty:\n" + "    x = 1\n" * 39 + "\n\nclass FortyOne:\n" + "    x = 1\n" * 40,
    "src/forty_class.py": "# Holds forty of all of them.\n\nclass FortyClass:\n" + "    y = 1\n" * 45,
    "docs/keys.md": "# Keys\n\n## deep_key\n\n"
    + "The key lies deep in here.\n\n" * 20
    + "## other\n\nIt is another key of all.\n",
    "src/keys.py": "deep_key = 1\n",
    "src/licence.py": "# Copyright 2020 Mona Petit\n# All rights reserved.\n\n# Opens what others have locked.\n\n\n"
    + _lines("open_it", 50),
    "src/docstring.py": '"""Locks it.\n\n' + "It is long.\n" * 25 + '"""\n\n\n' + _lines("lock", 30),
    "src/calls.py": "def called(at): ...\n\n\n" + _numbered("def by_{0}(at):\n    called({0})\n\n\n", 4),
    "src/calls_twice.py": "from src.calls import called\n\n\n"
    + _numbered("def twice_{0}(at):\n    called({0})\n\n\n", 5),
    **{
        f"src/calls_{n}.py": f"from src.calls import called\n\n\ndef other_{n}(at):\n    called({n})\n"
        for n in range(1, 7)
    },
    "README.md": "# Exact\n\n"
    + "\n".join(f"Line {number} of the one paragraph." for number in range(14))
    + "\n\nMore.\n",
    "abstract.md": "# Paper\n\nThis paper tells of the ferry and of its crew.\n\n## Abstract\n\n"
    + "We tell of it at length.\n" * 14,
}

TREES: Mapping[str, Mapping[str, str | bytes]] = {
    "shop": {**FILES, **MORE},
    "edges": ferry_files.FILES,
    "places": test_callers_in_places.FILES,
    "cargo": test_explained_errors.CARGO,
    "listings": {
        **test_listings.FILES,
        **test_listings.COMMANDS,
        **test_listings.EXITS,
        **test_listings.FAULTS,
        **test_listings.MODELS,
        **test_listings.SCRIPTS,
        **test_listings.OTHERS,
        **test_listings.TESTS,
    },
    "options": {**test_options_explained.FILES, **test_options_explained.ENVIRONMENT},
    "facts": {**test_project_facts.FILES, **test_maintainers.OWNED, **test_project_facts.GUIDES},
    "versions": {**test_project_facts.TOLD_OF_VERSIONS, **test_project_facts.WORKSPACE},
    "explained": test_files_explained.FILES,
    "looked": test_first_look.FILES,
    "boats": test_first_look.OF_APPLE,
    "handbook": test_term_definitions.HANDBOOK,
    "rfcs": test_term_definitions.NUMBERED,
    "proposals": test_numbered_documents.FILES,
    "club": test_document_parts.FILES,
    "faults": test_named_faults.FILES,
    "tills": {**test_configuration.CODE, "README.md": test_configuration.README},
    "ledger": test_named_settings.FILES,
    "porter": PORTER,
    "kinds": test_uses_of_one_kind.FILES,
    "origin": test_project_facts.PAGES,
    "guides": {
        "README.md": README,
        ".github/CONTRIBUTING.md": GUIDE,
        "pyproject.toml": '[project]\nname = "ferry"\n',
        "ferry.py": '"""Carries letters."""\n\n\ndef row(stroke):\n    return stroke + 1\n',
    },
    "orders": overview_parts.FILES,
    "program": test_overview_in_full.PROGRAM,
    "pages": test_overview_in_full.PAGES,
    "many": MANY,
    "exact": EXACT,
    "fleet": FLEET,
    **PROJECTS,
    **OVERVIEWS,
}
