"""Small projects of several ecosystems, each with its manifest, its README and a program."""

from __future__ import annotations

from collections.abc import Mapping

_RUST = {
    "Cargo.toml": '[package]\nname = "oars"\nversion = "0.1.0"\nrust-version = "1.80"\nlicense = "MIT"\n'
    'description = "Rows a boat over calm water"\n\n[[bin]]\nname = "row"\npath = "src/row.rs"\n\n'
    '[dependencies]\nserde = "1"\n\n[workspace]\nmembers = ["crates/wood"]\n',
    "README.md": "# Oars\n\n[![ci](https://x.example/ci.svg)](https://x.example)\n\n"
    "Oars is a tool that rows boats.\n\n"
    "## Install\n\nFrom crates.io:\n\n```sh\ncargo install oars\n```\n\n## Usage\n\n```sh\noars --help\n```\n\n"
    "## Building\n\nIt takes a minute.\n\n    cargo build --release\n",
    "src/lib.rs": "//! Boats that are rowed.\n\npub mod row;\npub mod sea;\n",
    "src/row.rs": "use crate::sea::Sea;\n\nfn main() {\n    row();\n}\n\n/// Rows.\npub fn row() {}\n",
    "src/sea.rs": "/* Copyright 2020 Mona Petit */\n\n// The sea, where all of it floats.\n\npub struct Sea;\n",
    "src/bin/moor.rs": "fn main() {}\n",
    "crates/wood/Cargo.toml": '[package]\nname = "wood"\ndescription = "What oars are made of"\n',
    "crates/wood/src/lib.rs": "pub struct Plank;\n",
    "examples/sea.rs": "fn main() {}\n",
    "tests/rows.rs": "#[test]\nfn rows() {}\n",
    "justfile": "check:\n    cargo clippy\n\ntest *args:\n    cargo test {{args}}\n",
    ".github/workflows/ci.yml": "jobs:\n  ci:\n    steps:\n      - run: npm ci\n      - run: cargo test --all\n"
    "      - run: |\n          cargo fmt --check\n          cargo clippy -- -D warnings\n      - run: cargo doc\n",
}
_JAVASCRIPT = {
    "package.json": '{\n  "name": "@shop/sails",\n  "description": "Sails that fill by themselves",\n'
    '  "bin": {\n    "sails": "./bin/sails.js"\n  },\n  "main": "lib/index.js",\n  "license": "ISC",\n'
    '  "engines": {"node": ">=20"},\n  "scripts": {\n    "build": "tsc -p .",\n    "start": "node bin/sails.js",\n'
    '    "test": "vitest run",\n    "lint:style": "eslint ."\n  },\n  "dependencies": {\n    "wind": "^2"\n  }\n}\n',
    "yarn.lock": "# yarn\n",
    "bin/sails.js": "#!/usr/bin/env node\nrequire('../lib/index.js').fill();\n",
    "lib/index.js": "'use strict';\n\n/**\n * Fills the sails.\n */\nexports.fill = function fill() {};\n",
    "lib/wind.js": "// The wind, as it is told.\nconst index = require('./index.js');\n"
    "module.exports = { blow() {} };\n",
    "readme.markdown": "<h1 align=center>Sails</h1>\n\n> Sails that fill by themselves.\n\nAdd them to a boat.\n\n"
    "Getting Started\n---------------\n\n```\nyarn add @shop/sails\n```\n\nTesting\n-------\n\n"
    "Run `yarn test` first.\n",
    "CONTRIBUTING.md": "# Contributing to Sails\n\nPull requests are welcome here, as ever.\n\n- `lib/` - the code\n"
    "- `bin/sails.js`: what is run by people\n\n## Submitting a pull request\n\nOne change at a time, please.\n",
    "docker-compose.yml": "services:\n  sea:\n    image: node:20\n",
    "LICENSE.md": "ISC License\n\nCopyright 2024 Mona Petit\n\n\nPermission to use it is given.\n\nTo all.\n"
    "\nFor free.\n",
    "__tests__/fill.test.js": "test('fills', () => {});\n",
}
_ELIXIR = {
    "mix.exs": 'defmodule Bells.MixProject do\n  use Mix.Project\n\n  @description "Rings bells at the quay"\n\n'
    "  def project do\n"
    '    [app: :bells, elixir: "~> 1.15", escript: [main_module: Bells.CLI], deps: deps()]\n  end\n\n'
    '  defp deps do\n    [\n      {:tower, "~> 1.0"}\n    ]\n  end\nend\n',
    "README.md": "# Bells\n\nRings bells.\n\n## Installation\n\n```elixir\ndef deps do\n"
    '  [{:bells, "~> 1.0"}]\nend\n```\n\n'
    "## Requirements\n\n- Elixir 1.15 or later\n- a tower\n",
    "lib/bells.ex": 'defmodule Bells do\n  @moduledoc """\n  Bells, and who may ring them.\n  """\n\n'
    "  def ring, do: :ok\nend\n",
    "lib/bells/cli.ex": 'defmodule Bells.CLI do\n  @moduledoc "The command line."\n\n  alias Bells\n\n'
    "  def main(_), do: Bells.ring()\nend\n",
    "test/bells_test.exs": 'defmodule BellsTest do\n  use ExUnit.Case\n\n  test "rings" do\n'
    "    assert Bells.ring() == :ok\n  end\nend\n",
    "config/config.exs": 'import Config\n\nconfig :bells, loud: System.get_env("BELLS_LOUD")\n',
}
_HASKELL = {
    "nets.cabal": "name: nets\nsynopsis: Nets to catch fish with\nlicense: BSD-3-Clause\n"
    "tested-with: GHC == 9.6\n\nlibrary\n"
    "  build-depends: base, rope\n  hs-source-dirs: src\n\nexecutable nets\n  main-is: Main.hs\n"
    "  hs-source-dirs: app\n",
    "app/Main.hs": "module Main where\n\nimport Nets\n\nmain :: IO ()\nmain = cast\n",
    "src/Nets.hs": "{- |\nModule      : Nets\nDescription : Nets that are cast\nLicense     : BSD3\n-}\n"
    "module Nets where\n\n"
    "-- | Casts a net.\ncast :: IO ()\ncast = pure ()\n",
    "README.rst": "Nets\n====\n\nNets is a library for fishers.\n\nBuilding\n--------\n\n::\n\n"
    "    cabal build all\n\n"
    "License\n-------\n\nBSD.\n",
    "stack.yaml": "resolver: lts-22\n",
}
_ANDROID = {
    "settings.gradle.kts": 'rootProject.name = "Harbour"\ninclude(":app")\n',
    "build.gradle.kts": 'plugins {\n    kotlin("jvm") version "2.0"\n}\n',
    "app/build.gradle.kts": 'android {\n    minSdk = 26\n}\n\ndependencies {\n    implementation("sea:quay:1")\n}\n',
    "app/src/main/AndroidManifest.xml": '<manifest>\n  <application android:name=".HarbourApp">\n'
    '    <activity android:name=".ui.QuayActivity">\n      <intent-filter>\n'
    '        <action android:name="android.intent.action.MAIN" />\n      </intent-filter>\n    </activity>\n'
    '    <activity android:name=".Other" />\n  </application>\n</manifest>\n',
    "app/src/main/java/QuayActivity.kt": "package harbour\n\n/** Shows the quay. */\nclass QuayActivity\n",
    "app/src/main/java/HarbourApp.kt": "package harbour\n\nclass HarbourApp\n",
    "gradlew": "#!/bin/sh\nexec java\n",
    "README.md": '# Harbour\n\n<a href="https://x.example"><img alt="Get it on F-Droid" src="b.png"></a>\n\n'
    "An app that shows which ships lie in the harbour.\n\n## Build\n\n```\n./gradlew assembleDebug\n```\n",
    "CODE_OF_CONDUCT.md": "# Code of Conduct\n\nBe kind to each other, always.\n",
}
_C = {
    "configure.ac": "AC_INIT([anchor], [1.0])\nPKG_CHECK_MODULES([ROPE], [rope])\nAC_OUTPUT\n",
    "Makefile.am": "bin_PROGRAMS = anchor\n",
    "README": "Anchor\n======\n\nAnchor holds a ship where it is.\n\nTo build it, type:\n\n"
    "\t./configure && make\n\nTesting\n-------\n\n"
    "  make check\n",
    "INSTALL": "Installing anchor\n\n1. ./configure\n2. make install\n",
    "COPYING": "GNU GENERAL PUBLIC LICENSE\nVersion 2, June 1991\n",
    "src/anchor.c": "/*\n * anchor.c - lowers and weighs the anchor\n *\n * Copyright 2001 Mona Petit\n */\n"
    '#include "anchor.h"\n\n'
    "#ifdef ANCHOR_TEST\nint main(void)\n{\n  return 0;\n}\n#endif\n\nvoid weigh(int deep)\n{\n  deep++;\n}\n",
    "src/anchor.h": "#ifndef ANCHOR_H\n#define ANCHOR_H\nvoid weigh(int deep);\n#endif\n",
    "src/main.c": '#include "anchor.h"\n\nint\nmain(int argc, char **argv)\n{\n  weigh(argc);\n  return 0;\n}\n',
    "include/rope.h": "/* Ropes of all lengths. */\n\nint rope(void);\n",
    "NEWS": "1.0\n- It holds.\n",
    "AUTHORS": "Mona Petit\n",
    "tests/check.sh": "#!/bin/sh\nexit 0\n",
}
_ROLES = {
    "README.md": "# Roles\n\nRoles that set up lighthouses.\n\n## Requirements\n\nAnsible 2.15 or newer.\n",
    "meta/main.yml": "galaxy_info:\n  min_ansible_version: '2.15'\n  author: Mona Petit\n",
    "tasks/main.yml": "# Sets the lamp up.\n- name: lamp\n  debug:\n",
    "defaults/main.yml": "lamp_bright: true\nlamp_turns: 3  # each minute\n",
    "handlers/main.yml": "- name: turn\n  debug:\n",
    "galaxy.yml": "authors:\n  - Mona Petit\n",
    "requirements.yml": "collections:\n  - name: sea.light\n",
}
_PYTHON = {
    "setup.py": "from setuptools import setup\n\nsetup(\n    name='logbook',\n"
    "    description='Keeps what was seen at sea',\n"
    "    license='BSD',\n    author='Mona Petit',\n    python_requires='>=3.9',\n    install_requires=[\n"
    "        'ink>=1',\n"
    "    ],\n    entry_points={\n        'console_scripts': [\n            'log = logbook.pen:write',\n"
    "            'read = logbook:read',\n        ],\n    },\n)\n",
    "setup.cfg": "[options.entry_points]\nconsole_scripts =\n    keep = logbook.keep:main\n\n[metadata]\n"
    "description = Keeps what was seen\n",
    "requirements.txt": "ink>=1\npaper\n",
    "tox.ini": "[tox]\nenvlist = py39, py312\n\n[testenv]\ncommands = pytest {posargs}\n",
    "logbook/__init__.py": "'''A logbook.\n\nIt is kept by hand.\n'''\nfrom logbook.keep import keep\n",
    "logbook/pen.py": "# -*- coding: utf-8 -*-\n# The pen that all of it is written with.\n"
    "from logbook.keep import keep\n\n\ndef write():\n    keep()\n",
    "logbook/keep.py": "def keep():\n    return 1\n\n\ndef main():\n    keep()\n",
    "logbook/data/words.json": "{}\n",
    "manage.py": "import logbook\n",
    "scripts/release.sh": "#!/bin/sh\n# Publishes a release.\ntwine upload\n",
    "docs/index.rst": "Logbook\n=======\n\nA logbook is a book in which a crew writes what it saw.\n\n"
    ".. toctree::\n\n   usage\n",
    "docs/usage.rst": "Usage\n=====\n\nWrite into it each evening, before it is dark.\n",
    "docs/conf.py": "project = 'logbook'\n",
    "Dockerfile": 'FROM python:3.12\nCMD ["python", "manage.py", "run"]\n',
    "vendor/ink/ink.py": "def ink():\n    return 0\n",
    "AUTHORS.rst": "Authors\n=======\n\nMona Petit and others who wrote into it.\n",
}

PROJECTS: Mapping[str, Mapping[str, str]] = {
    "oars": _RUST,
    "sails": _JAVASCRIPT,
    "bells": _ELIXIR,
    "nets": _HASKELL,
    "harbour": _ANDROID,
    "anchor": _C,
    "lighthouse": _ROLES,
    "logbook": _PYTHON,
}
