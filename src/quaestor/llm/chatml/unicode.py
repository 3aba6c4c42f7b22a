"""Text that every encoding can hold."""

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """Return text with lone surrogates, which are not text, replaced."""
    return _SURROGATE.sub("\ufffd", text)
