"""A small program in several languages, whose settings stand in all the forms that are read."""

from __future__ import annotations

PORTER = {
    "README.md": """# Porter

Porter carries crates through a harbour.

## Configuration

Porter reads `porter.toml` from the folder that it is started in, then the environment. What stands in the environment
wins. See [the settings](docs/settings.md).

## Usage

Start it with `porter --crates 3`.
""",
    "docs/settings.md": """# Settings

All keys of `porter.toml`:

| Key | Default | What it sets |
|---|---|---|
| `crates` | `12` | crates that are carried at once |
| `idle_timeout` | `30` | seconds after which a porter goes home |
| `greeting` | `"Ahoy"` | what is said first |

## Colours

Set `colours = false` to print without colours, or start it with `--no-colours`.

## Logging

`log_level` is one of `debug`, `info` and `error`. The default is `info`.

## Proxies

Behind a proxy, set `HTTPS_PROXY`.
""",
    "docs/development.md": "# Development\n\n## Configuration of the editor\n\nSet the tab width to 4.\n",
    "porter.toml.example": """# crates that are carried at once
crates = 12
idle_timeout = 30  # seconds

[lamp]
bright = true
# colour of the lamp: red or green
colour = "red"

[tls]
certificate = "porter.pem"
""",
    ".env.example": "PORTER_TOKEN=\nPORTER_CRATES=12\n",
    "porter/settings.py": '''"""The settings of a porter."""

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

DEFAULT_GREETING = "Ahoy"


@dataclass
class Settings:
    """What a porter may be told.

    Attributes:
        crates: crates at once.
    """

    crates: int = 12
    idle_timeout: float = 30.0
    greeting: str = DEFAULT_GREETING
    colours: bool = True
    log_level: str = "info"


def load_settings(path: Path = Path("porter.toml")) -> Settings:
    """Read the file, then the environment."""
    values = tomllib.loads(path.read_text())
    token = os.environ.get("PORTER_TOKEN")
    crates = int(os.getenv("PORTER_CRATES", "12"))
    # os.environ["PORTER_OLD"] was read once
    return Settings(**values)
''',
    "porter/main.py": '''"""The command line."""

import argparse

from porter.settings import load_settings


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--crates", type=int, default=12, help="crates at once")
    parser.add_argument(
        "--no-colours",
        action="store_true",
        help="print without colours",
    )
    parser.add_argument("--wait", type=float, default=1.5, help="seconds between two crates")
    return parser.parse_args()


def carry(crates, breath=0.25):
    for crate in range(crates):
        rest(breath, retries=7)


def rest(breath, retries=3):
    load_settings()
''',
    "engine/src/main.rs": """//! The engine of the harbour.

#[derive(Parser)]
struct Arguments {
    /// How many horses the engine has
    #[arg(long, env = "PORTER_HORSES", default_value_t = 40)]
    horses: u32,
}

fn start() {
    std::process::Command::new("steam").env("PORTER_STEAM", "1");
}
""",
    "crane/main.go": """// Command crane lifts crates.
package main

import (
	"flag"
	"os"
)

const defaultHeight = 25

var height = flag.Int("height", defaultHeight, "metres that the crane lifts")
var quiet = flag.Bool("quiet", false, "say nothing")

func main() {
	flag.Parse()
	os.Setenv("PORTER_CRANE", "1")
	home := os.Getenv("CRANE_HOME")
	println(home)
}
""",
    "scripts/tide.sh": """#!/bin/sh
# waits for the tide
TIDE_HOURS=${TIDE_HOURS:-6}
MOON=full
echo "${MOON:-new}"
""",
    "tests/test_settings.py": """from porter.settings import Settings


def test_idle():
    assert Settings(idle_timeout=99).idle_timeout == 99
""",
}
