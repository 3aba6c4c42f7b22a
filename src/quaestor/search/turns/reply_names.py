"""What a reply names: identifiers and paths, and the reply shortened to what is worth searching for.

A reply is untrusted text, so everything here is linear in its length and nothing is looked up.
"""

from __future__ import annotations

import re

# getKey, get_key, HTTPTransport, DEFAULT_LIMITS, JsonReader.push, std::vector, poll_cb(), `eject`
_IDENTIFIER = re.compile(
    r"`([^\W\d]\w{0,99})`|\b(\w{0,100}[a-z0-9][A-Z]\w{0,100}|\w{1,100}_\w{1,100}|_\w{2,100}|[A-Z]{2,50}[a-z]\w{0,100})\b"
    r"|(?<=\.|:)([^\W\d]\w{1,99})(?=\(|\b)|\b([^\W\d]\w{1,99})(?=\(|\.\w|::)"
)
# "push" in JsonReader.push is not a file ending: without a folder only the usual ones are taken for one.
_ENDING = (
    "adoc|bash|cc?|cfg|cjs|conf|cpp|cs|css|cxx|erl|exs?|go|hpp|hs|html?|h|ini|ipynb|java|jsx?|json|kts?|lua|mdx?|mjs|mli?|"
    "php|pl|proto|pyi?|rb|rs|rst|scala|sh|sql|swift|tcl|toml|tsx?|txt|vue|xml|ya?ml|zig"
)
_PATH = re.compile(
    rf"(?<![\w@./-])(?:[\w@.-]{{1,100}}(?:/[\w@.-]{{1,100}}){{1,20}}\.[A-Za-z]\w{{0,9}}|[\w@-]{{1,100}}\.(?:{_ENDING}))\b(?!\()"
)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)

_SHORT_REPLY = 400  # characters; a reply this short is all substance
_MOST_NAMES = 24


def without_code(text: str) -> str:
    """Return a text without its fenced blocks of code."""
    return _FENCE.sub("\n", text)


def identifiers(text: str) -> list[str]:
    """Return the distinct identifiers of a text, in order, those outside of fenced code first."""
    prose = without_code(text)
    stems = {word for path in _PATH.findall(prose) for word in re.findall(r"\w+", path)}
    found = [*_identifiers(prose), *_identifiers(text)]
    return [name for name in dict.fromkeys(found) if name not in stems]


def _identifiers(text: str) -> list[str]:
    return ["".join(groups) for groups in _IDENTIFIER.findall(_PATH.sub(" ", text))]


def digest(reply: str) -> str:
    """Return what to search for of a reply: all of a short one; of a long one its beginning and what it names."""
    if len(reply) <= _SHORT_REPLY:
        return reply
    prose = without_code(reply).strip() or reply
    start = prose[:_SHORT_REPLY].rpartition(" ")[0] or prose[:_SHORT_REPLY]
    names = dict.fromkeys([*_PATH.findall(reply), *identifiers(reply)])
    rest = [name for name in names if name not in start][:_MOST_NAMES]
    return f"{start}\n{' '.join(rest)}".strip()
