"""Makes the scripted server available here, whichever tests are collected."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripted_server import scripted_server  # noqa: F401 - a fixture
