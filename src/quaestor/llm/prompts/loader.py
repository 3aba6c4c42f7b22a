"""Loads prompts strictly: missing and unknown values raise errors, and values are never parsed as templates.

A prompt is a Markdown file. ``{{name}}`` is a placeholder. An HTML comment at the very top is for people and is not
part of the prompt.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

from quaestor.core.errors import NotFoundError, UsageError
from quaestor.core.light_imports import NamedTuple

_PLACEHOLDER = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}")
_REMARK = re.compile(r"\A\s*<!--.*?-->\s*", re.DOTALL)


class Prompt(NamedTuple):
    """A text for a model, with placeholders.

    Attributes:
        name: the file's name without its extension.
        template: the text with its placeholders.
    """

    name: str
    template: str

    @property
    def placeholders(self) -> frozenset[str]:
        """The names of the values that ``render`` needs."""
        return frozenset(_PLACEHOLDER.findall(self.template))

    @property
    def sha256(self) -> str:
        """The template's SHA-256 hash in lower-case hexadecimal, for the record of what was sent."""
        return hashlib.sha256(self.template.encode()).hexdigest()

    def render(self, **values: str) -> str:
        """Return the text with every placeholder replaced; braces within values stay unchanged.

        Raises:
            UsageError: a value is missing, or there is no placeholder for it.
        """
        missing = sorted(self.placeholders - values.keys())
        unknown = sorted(values.keys() - self.placeholders)
        if missing or unknown:
            problems = [f"needs {', '.join(missing)}"] * bool(missing) + [f"knows no {', '.join(unknown)}"] * bool(
                unknown
            )
            raise UsageError(f"prompt {self.name!r} {' and '.join(problems)}; give exactly its placeholders")
        return _PLACEHOLDER.sub(lambda match: values[match[1]], self.template)


def names() -> tuple[str, ...]:
    """Return the names of all prompts, sorted."""
    return tuple(sorted(file.stem for file in Path(__file__).parent.glob("*.md")))


@cache
def load(name: str) -> Prompt:
    """Return a prompt by name.

    Raises:
        NotFoundError: there is no such prompt.
        UsageError: the file has braces that are not a placeholder.
    """
    if name not in names():
        raise NotFoundError(f"there is no prompt {name!r}; there are {', '.join(names())}")
    return parse(name, Path(__file__).with_name(f"{name}.md").read_text(encoding="utf-8"))


def parse(name: str, source: str) -> Prompt:
    """Return the prompt in a file's text.

    Raises:
        UsageError: the text has braces that are not a placeholder.
    """
    template = _REMARK.sub("", source).strip()
    rest = _PLACEHOLDER.sub("", template)
    if "{{" in rest or "}}" in rest:
        raise UsageError(
            f"prompt {name!r} has braces that are not a placeholder; write them as {{{{lower_case_name}}}}"
        )
    return Prompt(name, template)
