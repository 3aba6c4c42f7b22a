"""NumPy as a cold command imports it: it computes the same, and other versions are left as they are."""

from __future__ import annotations

import subprocess
import sys

import numpy

from quaestor.cli.bare_numpy import KNOWN

BARE = """
import sys
from quaestor.cli.bare_numpy import import_numpy
import_numpy()
import numpy as np
"""
COMPUTED = """
import inspect, pickle, numpy.typing, numpy.random, numpy.fft, numpy.ma, numpy.testing
rng = np.random.default_rng(1)
square = rng.normal(size=(5, 5))
left = np.linalg.svd(square)
print(numpy.typing.NDArray, left, np.linalg.eigh(square).eigenvalues, np.einsum("ij,jk", square, square))
print(np.packbits(square > 0), np.argpartition(square, 2), np.ma.masked_less(square, 0), np.array2string(square))
print(sorted(vars(np)), np.zeros(3).ctypes.shape[0], np.arange(3).dumps(), pickle.dumps(np.arange(3)))
print(inspect.signature(np.mean), np.info(np.mean), np.get_include(), inspect.cleandoc(" a"))
"""


def told(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60).stdout


def test_it_computes_the_same() -> None:
    assert told(BARE + COMPUTED) == told("import numpy as np" + COMPUTED)


def test_it_is_bare() -> None:
    assert told(BARE + "print(np.array.__doc__, 'numpy._typing' in sys.modules)") == "None False\n"


def test_what_it_seldom_needs_is_not_imported() -> None:
    seldom = "{'inspect', 'ctypes', 'pickle', 'platform', 'textwrap', 'ast'}"
    assert told(BARE + f"print({seldom} & set(sys.modules))") == "set()\n"


def test_beside_another_thread_only_what_is_its_own_is_left_out() -> None:
    thread = "import sys, threading; threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
    assert told(thread + BARE + "print('numpy._typing' in sys.modules, 'pickle' in sys.modules)") == "False True\n"


def test_the_installed_version_is_known() -> None:
    # If not: look whether NumPy still needs neither part, then add the version.
    assert ".".join(numpy.__version__.split(".")[:2]) in KNOWN


def test_another_version_is_left_as_it_is() -> None:
    code = "import sys; from quaestor.cli import bare_numpy as it; it.KNOWN = (); it.import_numpy()"
    assert told(code + "; print('numpy' in sys.modules)") == "False\n"


def test_no_module_of_a_search_asks_for_the_types() -> None:
    assert told(BARE + "import quaestor.cli.commands.search; print('numpy._typing' in sys.modules)") == "False\n"
