"""Which paths a change may name, told from the path alone.

Pure; `folders.py` then walks to it without following links.
"""

from __future__ import annotations

import re
import unicodedata

from quaestor.edits.plans import Refusal
from quaestor.edits.runnable_files import is_run

_VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", ".sl", "_darcs", "cvs"})
# Git's folder under the short name that Windows gives it.
_SHORT_NAMES = re.compile(r"^git~\d+$")
_DRIVE = re.compile(r"^[A-Za-z]:")
_RUNS_ELSEWHERE = re.compile(
    r"(?:^|/)(?:jenkinsfile|azure-pipelines[^/]*\.ya?ml|appveyor\.ya?ml|bitbucket-pipelines\.ya?ml|cloudbuild\.ya?ml"
    r"|buildspec\.ya?ml|codefresh\.ya?ml|wercker\.ya?ml)$",
    re.IGNORECASE,
)


def confined(path: str) -> str | Refusal:
    """Return a path in its plain form, or why no change may be made there."""
    if not path.strip() or "\\" in path or any(unicodedata.category(letter) in ("Cc", "Cf", "Cs") for letter in path):
        return Refusal(path, "bad path", f"{path!r} is no path of a file; name it from the root, with '/'")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    plain = "/".join(parts)
    if path.startswith("/") or plain.startswith("~") or _DRIVE.match(plain):
        return Refusal(path, "outside", f"{path!r} is not relative to the root; name files from the root")
    if ".." in parts:
        return Refusal(path, "outside", f"{path!r} may lead out of the root; name files from the root, without '..'")
    if not parts or path.endswith("/"):
        return Refusal(path, "bad path", f"{path!r} names a folder; name a file")
    if any(_is_version_control(part) for part in parts):
        return Refusal(path, "forbidden", f"{path!r} belongs to version control, which is never edited")
    return plain


def objections(path: str) -> tuple[str, ...]:
    """Return why a person is to be asked about a path in particular: hidden, or run without being called."""
    found = []
    if any(part.startswith(".") for part in path.split("/")):
        found.append("its name begins with a dot: settings of tools")
    if _RUNS_ELSEWHERE.search(path) or path.casefold().startswith((".github/workflows/", ".gitlab-ci", ".circleci/")):
        found.append("it runs on a build machine")
    elif is_run(path):
        found.append("builds, tests or tools run it, or what it names")
    return tuple(found)


def _is_version_control(part: str) -> bool:
    # Some file systems fold case, and drop dots and blanks at the end.
    plain = part.casefold().rstrip(". ")
    return plain in _VERSION_CONTROL or bool(_SHORT_NAMES.match(plain))
