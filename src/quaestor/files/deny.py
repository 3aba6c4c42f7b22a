"""Files and folders that are left out by their names or first bytes.

Names and bytes in, decisions out; only ``extra_is_installed`` looks at what this machine has. Every entry of the lists
is one that a person would be surprised, or harmed, to find in an answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from fnmatch import translate
from functools import cached_property
from importlib.util import find_spec
from typing import Literal

Reason = Literal[
    "ignored",
    "secret",
    "version control",
    "dependencies",
    "cache",
    "build output",
    "binary",
    "too large",
    "link",
    "special",
    "unreadable",
    "vanished",
    "name",
    "failed",
    "needs an extra",
]
"""Why a file or folder is left out.

``link``: a symbolic link; its target is indexed at its own place, if that is inside the root.
``special``: a pipe, socket or device. ``name``: two names become the same text. ``failed``: reading it
failed in this program. ``needs an extra``: the package that reads such files is not installed.
"""


_WILD = re.compile(r"[*?[]")


def _words(text: str) -> list[str]:
    return text.split()


_VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", "_darcs", "CVS", ".sl", ".fossil"})

_DEPENDENCIES = frozenset(
    _words(
        """node_modules bower_components jspm_packages .venv site-packages .eggs .yarn .pnpm-store .bundle
    .dart_tool .pub-cache .gradle .m2 .terraform elm-stuff .stack-work dist-newstyle"""
    )
)

_CACHES = frozenset(
    _words(
        """__pycache__ .mypy_cache .pytest_cache .ruff_cache .hypothesis .tox .nox .ipynb_checkpoints .next
    .nuxt .svelte-kit .parcel-cache .turbo .sass-cache .zig-cache zig-cache zig-out DerivedData .idea
    .vs"""
    )
)

_SECRET_FOLDERS = frozenset({".ssh", ".gnupg", ".aws", ".kube", ".azure", ".gcloud", ".password-store"})

# Names of folders that are left out only if a certain file is beside them.
_BESIDE: dict[str, frozenset[str]] = {
    "target": frozenset({"Cargo.toml", "pom.xml", "build.sbt", "project.clj"}),
    "_build": frozenset({"mix.exs", "dune-project", "rebar.config"}),
    "deps": frozenset({"mix.exs"}),
    "Pods": frozenset({"Podfile"}),
    "Carthage": frozenset({"Cartfile"}),
    "obj": frozenset({"packages.lock.json"}),
}

# Files within a folder that mark it as a cache.
_INSIDE: dict[str, Reason] = {
    "pyvenv.cfg": "dependencies",
    "CACHEDIR.TAG": "cache",
    "CMakeCache.txt": "cache",
}


class Globs:
    """Globs for lower-case names. Most need no regular expression: compiling sixty takes longer than a search."""

    def __init__(self, globs: Sequence[str]) -> None:
        plain = [glob for glob in globs if not _WILD.search(glob.strip("*")) and glob.count("*") < 2]
        self._patterned = [glob for glob in globs if glob not in plain]
        self._names = frozenset(glob for glob in plain if "*" not in glob)
        self._ends = tuple(glob[1:] for glob in plain if glob.startswith("*"))
        self._starts = tuple(glob[:-1] for glob in plain if glob.endswith("*"))

    def match(self, name: str) -> bool:
        """Return whether any glob matches a lower-case name."""
        simple = name in self._names or name.endswith(self._ends) or name.startswith(self._starts)
        return simple or self._pattern.match(name) is not None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile("|".join(map(translate, self._patterned)) or r"(?!)")


_SECRETS = Globs(
    _words(
        """.env .env.* *.env .envrc *.pem *.key *.p12 *.pfx *.pkcs12 *.jks *.keystore *.bks *.kdbx *.ppk
    *.keytab *.gpg *.age *.p8 id_rsa* id_dsa* id_ecdsa* id_ed25519* .netrc _netrc .pgpass .my.cnf
    .htpasswd .git-credentials .npmrc .pypirc .yarnrc.yml .dockercfg .dockerconfigjson credentials
    credentials.json credentials.y*ml credentials.toml credentials.ini credentials.csv credentials.xml
    credentials.txt credentials.db credentials.properties *.credentials secrets secrets.json
    secrets.y*ml secrets.toml secrets.ini secrets.properties *.secret client_secret*.json
    service[-_]account*.json kubeconfig *.kubeconfig *.tfstate *.tfstate.* *.tfvars .vault-token
    vault_pass* .vault_pass* *.ovpn *.mobileprovision .*_history local.settings.json"""
    )
)
_NOT_SECRETS = Globs(
    _words(
        """.env.example .env.example.* .env.sample .env.template .env.dist .env.defaults .env.schema *.tfvars.example
    *.pub"""
    )
)

_IMAGES_SOUND_FONTS = """png jpg jpeg gif bmp ico icns tif tiff webp avif heic psd xcf ai eps sketch mp3 wav
    ogg flac aac m4a wma mid mp4 m4v mov avi mkv webm wmv flv mpg mpeg ttf otf woff woff2 eot"""
_ARCHIVES = """zip gz tgz bz2 xz zst lz4 lzma 7z rar tar jar war ear whl egg gem nupkg deb rpm apk ipa dmg
    iso cab msi crx"""
_MACHINE_CODE = """o a so dylib dll exe lib obj pdb class pyc pyo pyd beam wasm elc rlib rmeta bc dex ko efi
    bin nib"""
_DATA = """db sqlite sqlite3 mdb accdb myd ibd parquet feather arrow avro orc npy npz pkl pickle h5 hdf5 pt
    pth onnx safetensors gguf tflite joblib mat rdb"""
_PRINT = "doc xls ppt mobi djvu"
_OTHER = "blend fbx glb stl 3ds max dwg skp unitypackage uasset swf fla swp swo ds_store lockb"
_PACKED = frozenset("zip gz tgz bz2 tbz xz txz zst lz4 lzma 7z rar tar".split())
_SAVED_AS = {
    **dict.fromkeys(("xls",), ".xlsx or .csv"),
    **dict.fromkeys(("ppt",), ".pptx or .pdf"),
    **dict.fromkeys(("doc", "djvu", "mobi"), ".docx, .pdf or .md"),
}
_BINARY_SUFFIXES = frozenset(" ".join((_IMAGES_SOUND_FONTS, _ARCHIVES, _MACHINE_CODE, _DATA, _PRINT, _OTHER)).split())

# A long book has 3 MB; no other text written by a person has.
_PROSE_SUFFIXES = frozenset(_words("txt text md markdown mdx rst adoc asciidoc org tex html htm xhtml"))
_PROSE_FACTOR = 8
# Only the text of these is read, a small part of their bytes (see ``convert``).
_CONVERTED = frozenset("pdf docx xlsx pptx epub odt ods odp rtf eml mbox".split())
_CONVERTED_FACTOR = 32
_CONVERTED_TEXTS = frozenset({"ipynb", "jsonl", "ndjson"})

# Generated from sources that are indexed themselves, and useless to a reader.
# These two are compiled when a new file is found, which most searches do not.
_BUILD_OUTPUT = r"(?i)\.(?:[cm]?js|css|[cm]?ts)\.map$|\.min\.(?:[cm]?js|css)$"
# A key at the beginning, after a byte order mark or what programs write above a key; PuTTY has its own format.
_PRIVATE_KEY = (
    rb"(?:\xef\xbb\xbf)?\s*(?:(?:Bag|Key) Attributes\b[^\n]*\n(?:[ \t][^\n]*\n)*){0,4}"
    rb"(?:-----BEGIN [A-Z ]*PRIVATE KEY|PuTTY-User-Key-File-\d)"
)
WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_SNIFFED = 8192


def deny_folder(name: str, siblings: AbstractSet[str]) -> Reason | None:
    """Return why a folder of this name is not entered; ``siblings`` are the names beside it."""
    if name in _VERSION_CONTROL:
        return "version control"
    if name in _DEPENDENCIES or name.endswith(".egg-info"):
        return "dependencies"
    if name in _CACHES:
        return "cache"
    if name in _SECRET_FOLDERS:
        return "secret"
    if name in _BESIDE and not _BESIDE[name].isdisjoint(siblings):
        return "dependencies"
    return None


def deny_content_of_folder(names: AbstractSet[str]) -> Reason | None:
    """Return why a folder that holds these names is left out: one of them marks it as a cache."""
    for mark, reason in _INSIDE.items():
        if mark in names:
            return reason
    return None


def deny_file(name: str, folder: str = "") -> Reason | None:
    """Return why a file of this name, in a folder of that name, is not read."""
    if name in _VERSION_CONTROL:
        return "version control"
    if is_secret(name) or (folder == ".docker" and name == "config.json"):
        return "secret"
    if suffix_of(name) in _BINARY_SUFFIXES or name == ".DS_Store":
        return "binary"
    return "build output" if re.search(_BUILD_OUTPUT, name) else None


def advice_for(name: str) -> str:
    """Return how the text of a binary file can be had nevertheless, by its name; "" if it cannot."""
    suffix = suffix_of(name)
    if suffix in _PACKED:
        return "an archive: unpack it and index the folder"
    return f"save it as {_SAVED_AS[suffix]} to have it read" if suffix in _SAVED_AS else ""


def is_secret(name: str) -> bool:
    """Return whether a file of this name is likely to hold keys or passwords."""
    lowered = name.lower()
    return _SECRETS.match(lowered) and not _NOT_SECRETS.match(lowered)


def suffix_of(name: str) -> str:
    """Return the text after the last dot, in lower case, or ""."""
    return name.rpartition(".")[2].lower() if "." in name else ""


def largest(name: str, limit: int) -> int:
    """Return the size limit in bytes of a file of this name; prose, PDF and Office files may be larger."""
    suffix = suffix_of(name)
    if suffix in _CONVERTED:
        return limit * _CONVERTED_FACTOR
    return limit * _PROSE_FACTOR if suffix in _PROSE_SUFFIXES or suffix in _CONVERTED_TEXTS else limit


def deny_content(data: bytes) -> Reason | None:
    """Return why these bytes are left out: NULs without a wide encoding's mark, or a private key."""
    head = data[:_SNIFFED]
    if b"\0" in head and not head.startswith(WIDE_MARKS):
        return "binary"
    return "secret" if re.match(_PRIVATE_KEY, head) else None


EXTRAS: dict[str, tuple[str, str]] = {
    "pdf": ("pypdf", "documents"),
    "docx": ("mammoth", "documents"),
    "xlsx": ("openpyxl", "documents"),
    "pptx": ("pptx", "documents"),
}
"""For each suffix, the package that reads such files and the extra that installs it."""


def extra_is_installed(suffix: str) -> bool:
    """Return whether the package that reads files of this suffix is installed."""
    return suffix in EXTRAS and find_spec(EXTRAS[suffix][0]) is not None
