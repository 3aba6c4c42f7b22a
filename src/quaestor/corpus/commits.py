"""A corpus's commits and tags, read as its documents are.

Searches come by here: what knows git is imported by whoever asks for history.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.core.passages import Document
from quaestor.files.git_folder import common_folder, git_folder, repository_root
from quaestor.files.walk_rules import left_out

if TYPE_CHECKING:
    from quaestor.files.source_settings import IngestSettings
    from quaestor.history.repository import Repository

_KINDS = ("commit ", "tag ")
LANGUAGE = "diff"


def is_object(path: str) -> bool:
    """Return whether a path names a commit or a tag and no file."""
    if not path.startswith(_KINDS):
        return False
    from quaestor.history import history_json as objects  # noqa: PLC0415 - see above

    return objects.is_object(path)


def object_document(path: str, text: str, title: str | None = None, author: str = "", date: str = "") -> Document:
    """Return a commit or tag as a document."""
    from hashlib import sha256  # noqa: PLC0415 - see above

    data = text.encode()
    return Document(
        path, sha256(data).hexdigest(), len(data), 0, LANGUAGE, title=title, author=author or None, date=date or None
    )


def read_object(repository: Repository, path: str) -> bytes | None:
    """Return the text of a commit or tag; None where there is none, or no git."""
    from quaestor.history.git import Git, NoHistoryError  # noqa: PLC0415 - see above
    from quaestor.history.history_json import object_text  # noqa: PLC0415

    try:
        with Git(repository) as git:
            text = object_text(git, path)
    except NoHistoryError:
        return None
    return None if text is None else text.encode()


def repository_of(root: Path, settings: IngestSettings) -> Repository | None:
    """Return the repository that a source is in, limited to the source and to what may be indexed; None without."""
    folder = root if root.is_dir() else root.parent
    top = repository_root(folder)
    if top is None:
        return None
    from quaestor.history.repository import Repository  # noqa: PLC0415 - see above

    inside = root.relative_to(top).as_posix()
    prefix = "" if inside == "." else inside + "/" * root.is_dir()
    own = git_folder(top / ".git")

    @lru_cache(maxsize=4096)
    def shows(path: str) -> bool:
        return ".." not in path.split("/") and left_out(folder, path, settings) is None

    return Repository(own, common_folder(own), prefix, shows)
