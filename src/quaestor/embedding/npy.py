"""Arrays in ``.npy`` files, mapped.

NumPy's own reader takes the header for an expression of Python and imports what parses those, which takes longer than
a search.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HEADER = re.compile(
    rb"\x93NUMPY\x01\0..\{'descr': '([<|][iuf]\d)', 'fortran_order': False, 'shape': \((\d[\d, ]*)\), \} *\n", re.DOTALL
)
_LONGEST_HEADER = 256


def map_array(path: Path) -> NDArray[Any]:
    """Return the array in a file as ``numpy.save`` writes arrays of plain numbers (format 1.0), read-only.

    Raises:
        OSError: it cannot be read.
        ValueError: it holds something else, or not all of it.
    """
    with path.open("rb") as file:
        header = _HEADER.match(file.read(_LONGEST_HEADER))
        if header is None:
            raise ValueError(f"{path.name!r} is no array of plain numbers")
        shape = tuple(int(length) for length in header[2].split(b",") if length.strip())
        return np.asarray(np.memmap(file, header[1].decode(), "r", header.end(), shape))
