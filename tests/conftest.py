"""What holds for every test."""

from __future__ import annotations

import signal

# A shell starts what it runs in the background with Ctrl-C ignored, and children inherit that. The tests of Ctrl-C are
# about programs that a person started.
signal.signal(signal.SIGINT, signal.default_int_handler)
