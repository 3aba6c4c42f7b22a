"""Recognises a permissive licence by its text; nothing else is trained on."""

from __future__ import annotations

import re

# Copyleft first: a file that carries both is not permissive for us.
_COPYLEFT = (
    "gnu general public license",
    "gnu lesser general public",
    "gnu library general public",
    "gnu affero",
    "mozilla public license",
    "eclipse public license",
    "reciprocal public license",
    "server side public license",
    "business source license",
    "elastic license",
    "european union public licence",
)
_REFUSED = (
    *_COPYLEFT,
    "sharealike",
    "share-alike",
    "noncommercial",
    "non-commercial",
    "noderivatives",
)
# Licence, then phrases of which every one must occur.
_PERMISSIVE: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Apache-2.0", ("apache license", "version 2.0")),
    ("MIT", ("permission is hereby granted, free of charge", "without restriction")),
    ("ISC", ("permission to use, copy, modify, and", "distribute this software for any purpose")),
    ("BSD-3-Clause", ("redistributions of source code", "endorse or promote")),
    ("BSD-2-Clause", ("redistributions of source code", "binary form")),
    ("Zlib", ("provided 'as-is', without any express or implied", "origin of this software")),
    ("Unlicense", ("free and unencumbered software", "public domain")),
    ("BSL-1.0", ("boost software license",)),
    ("CC0-1.0", ("cc0 1.0 universal",)),
    ("CC0-1.0", ("creative commons", "cc0")),
    ("CC-BY-4.0", ("creative commons attribution 4.0",)),
    ("CC-BY-4.0", ("attribution 4.0 international",)),
    ("CC-BY-3.0", ("creative commons attribution 3.0",)),
    ("CC-BY-3.0", ("cc-by 3.0",)),
    ("CC-BY-3.0", ("attribution 3.0 unported",)),
    ("PSF-2.0", ("python software foundation license",)),
    ("MIT", ("mit license",)),
    ("Apache-2.0", ("apache-2.0",)),
)
_SPACES = re.compile(r"[\s#*/;]+")
_GRANT = 4_000  # characters: a licence names itself near its start, and appendices name others


def is_copyleft(text: str) -> bool:
    """Whether a licence file grants its work under copyleft or another licence that restricts what comes of it."""
    return any(phrase in _plain(text)[:_GRANT] for phrase in _COPYLEFT)


def recognise_licence(text: str) -> str | None:
    """Return the SPDX identifier of a permissive licence, or ``None`` for any other text."""
    plain = _plain(text)
    if any(phrase in plain[:_GRANT] for phrase in _REFUSED):
        return None
    for name, phrases in _PERMISSIVE:
        if all(phrase in plain for phrase in phrases):
            return name
    return None


def _plain(text: str) -> str:
    return _SPACES.sub(" ", text.lower()).replace("“", '"').replace("’", "'")
