"""Lists languages with their file names and extensions, and recognises a file by these or by its first lines."""

from __future__ import annotations

import re
from posixpath import basename

PROSE = frozenset(
    "asciidoc latex markdown mediawiki odoc org pod rd restructuredtext roff texinfo text vimhelp".split()
)

BY_NAME: dict[str, str] = {
    ".bash_aliases": "bash",
    ".bash_profile": "bash",
    ".bashrc": "bash",
    ".clang-format": "yaml",
    ".coveragerc": "ini",
    ".editorconfig": "ini",
    ".flake8": "ini",
    ".gitconfig": "ini",
    ".gitmodules": "ini",
    ".profile": "bash",
    ".pylintrc": "ini",
    ".zshrc": "bash",
    "authors": "text",
    "brewfile": "ruby",
    "build": "starlark",
    "build.bazel": "starlark",
    "caddyfile": "caddyfile",
    "changelog": "text",
    "changes": "text",
    "cmakelists.txt": "cmake",
    "containerfile": "dockerfile",
    "contributing": "text",
    "contributors": "text",
    "copying": "text",
    "dockerfile": "dockerfile",
    "fastfile": "ruby",
    "gemfile": "ruby",
    "gnumakefile": "make",
    "go.mod": "go-module",
    "go.work": "go-module",
    "guardfile": "ruby",
    "history": "text",
    "install": "text",
    "jenkinsfile": "groovy",
    "justfile": "just",
    "licence": "text",
    "license": "text",
    "makefile": "make",
    "news": "text",
    "notice": "text",
    "pipfile": "toml",
    "pkgbuild": "bash",
    "podfile": "ruby",
    "procfile": "yaml",
    "pylintrc": "ini",
    "rakefile": "ruby",
    "readme": "text",
    "snakefile": "python",
    "thanks": "text",
    "todo": "text",
    "vagrantfile": "ruby",
    "workspace": "starlark",
}

_EXTENSIONS: dict[str, str] = {
    "aspx": "aspx ascx master",
    "asciidoc": "adoc asc asciidoc rdoc",
    "astro": "astro",
    "bash": "sh bash zsh ksh bats ebuild eclass",
    "batch": "bat cmd",
    "blade": "",
    "c": "c h",
    "cabal": "cabal",
    "caddyfile": "",
    "clojure": "clj cljs cljc edn bb",
    "cmake": "cmake",
    "cpp": "cc cpp cxx c++ hh hpp hxx h++ ipp inl tpp txx ino cu cuh cppm ixx",
    "csharp": "cs csx",
    "css": "css",
    "csv": "csv tsv",
    "dart": "dart",
    "ejs": "ejs",
    "elixir": "ex exs",
    "erb": "erb rhtml eex leex heex",
    "erlang": "erl hrl escript",
    "fortran": "f90 f95 f03 f08 for ftn",
    "freemarker": "ftlh",
    "gettext": "po pot",
    "go": "go",
    "go-module": "",
    "graphql": "graphql gql graphqls",
    "groovy": "groovy gradle gvy",
    "gotemplate": "tmpl gotmpl gohtml tpl",
    "haml": "haml",
    "handlebars": "hbs handlebars mustache",
    "haskell": "hs hs-boot hsc",
    "hcl": "tf tfvars hcl nomad",
    "html": "html htm xhtml",
    "ini": "ini cfg conf cnf service timer socket mount desktop nspawn netdev",
    "java": "java",
    "javascript": "js jsx mjs cjs es6",
    "jinja": "j2 jinja jinja2 njk",
    "liquid": "liquid",
    "json": "json json5 jsonc jsonl ndjson geojson webmanifest",
    "jsp": "jsp jspx",
    "jsonnet": "jsonnet libsonnet",
    "julia": "jl",
    "jupyter": "ipynb",
    "just": "just",
    "kotlin": "kt kts",
    "latex": "tex ltx",
    "latex-style": "sty cls",
    "less": "less",
    "lua": "lua",
    "make": "mk mak",
    "markdown": "md markdown mdown mkd mkdn mdx qmd rmd ronn scd",
    "mediawiki": "mediawiki wiki mw",
    "nix": "nix",
    "objc": "m mm",
    "ocaml": "ml mli",
    "odoc": "mld",
    "org": "org",
    "perl": "pl pm t",
    "php": "php php3 php4 php5 php7 phtml",
    "pod": "pod",
    "powershell": "ps1 psm1 psd1",
    "properties": "properties env",
    "proto": "proto",
    "pug": "pug jade",
    "python": "py pyi pyw pyx pxd",
    "r": "r",
    "racket": "rkt",
    "razor": "cshtml vbhtml razor",
    "rd": "rd",
    "restructuredtext": "rst rest",
    "roff": "man mdoc roff",
    "ruby": "rb rake gemspec ru podspec rbi",
    "rust": "rs",
    "scala": "scala sc sbt mill",
    "scheme": "scm ss",
    "scss": "scss sass",
    "slim": "slim",
    "solidity": "sol",
    "solution": "sln",
    "sql": "sql psql ddl",
    "starlark": "bzl star bazel",
    "svelte": "svelte",
    "swift": "swift",
    "texinfo": "texi texinfo txi",
    "text": "txt text log",
    "toml": "toml",
    "tsx": "tsx",
    "twig": "twig",
    "typescript": "ts mts cts",
    "typst": "typ",
    "velocity": "vm",
    "vim": "vim",
    "vimhelp": "",
    "vue": "vue",
    "xml": """xml xsd xsl xslt svg plist csproj fsproj vbproj vcxproj props targets nuspec resx slnx xaml storyboard
        xib""",
    "yaml": "yaml yml cff sublime-syntax",
    "zig": "zig zon",
}
_OF_CODE_WITHOUT_GRAMMAR: dict[str, str] = {
    "ada": "adb ads",
    "agda": "agda",
    "assembly": "s asm nasm",
    "awk": "awk gawk",
    "bicep": "bicep bicepparam",
    "coffeescript": "coffee",
    "common-lisp": "lisp lsp asd",
    "crystal": "cr",
    "d": "d di",
    "elm": "elm",
    "emacs-lisp": "el",
    "fish": "fish",
    "fsharp": "fs fsi fsx",
    "gdscript": "gd",
    "gleam": "gleam",
    "glsl": "glsl vert frag",
    "haxe": "hx",
    "hlsl": "hlsl",
    "idris": "idr",
    "jq": "jq",
    "lean": "lean",
    "m4": "m4 ac",
    "moonscript": "moon",
    "nim": "nim nims",
    "nushell": "nu",
    "odin": "odin",
    "pascal": "pas dpr lpr",
    "puppet": "pp",
    "purescript": "purs",
    "reason": "re rei",
    "rescript": "res resi",
    "tcl": "tcl tk",
    "teal": "tl",
    "vala": "vala vapi",
    "verilog": "sv svh vh v",
    "vhdl": "vhd vhdl",
    "visual-basic": "vb bas",
    "wgsl": "wgsl",
}
TEMPLATES = frozenset(
    """aspx blade ejs erb freemarker gotemplate haml handlebars html jinja jsp liquid pug razor slim twig
    velocity""".split()
)
"""Languages that are cut along named parts; see ``templates.cut_template``."""
KEYED = frozenset({"ini", "json", "properties", "toml", "yaml"})
"""Languages that are cut along keys; see ``keys.cut_keys``."""
WITHOUT_GRAMMAR = frozenset(_OF_CODE_WITHOUT_GRAMMAR)
"""Code that is cut along the lines that begin a definition; see ``code.cut_by_defining_lines``."""

_ALL_EXTENSIONS = _EXTENSIONS | _OF_CODE_WITHOUT_GRAMMAR
BY_EXTENSION = {extension: language for language, all_ in _ALL_EXTENSIONS.items() for extension in all_.split()}
KNOWN = frozenset(_ALL_EXTENSIONS)


def knows_extension(name: str) -> bool:
    """Return whether a file name has the extension of a known language."""
    return "." in name and name.rpartition(".")[2].lower() in BY_EXTENSION


_BY_INTERPRETER: dict[str, str] = {
    "ash": "bash",
    "bash": "bash",
    "bats": "bash",
    "bun": "typescript",
    "dash": "bash",
    "deno": "typescript",
    "elixir": "elixir",
    "escript": "erlang",
    "groovy": "groovy",
    "julia": "julia",
    "ksh": "bash",
    "lua": "lua",
    "luajit": "lua",
    "make": "make",
    "node": "javascript",
    "nodejs": "javascript",
    "perl": "perl",
    "php": "php",
    "pwsh": "powershell",
    "pypy": "python",
    "python": "python",
    "racket": "racket",
    "rscript": "r",
    "ruby": "ruby",
    "runghc": "haskell",
    "runhaskell": "haskell",
    "scala": "scala",
    "sh": "bash",
    "swift": "swift",
    "ts-node": "typescript",
    "zsh": "bash",
}

_BY_MODE: dict[str, str] = {
    "adoc": "asciidoc",
    "c++": "cpp",
    "cs": "csharp",
    "js": "javascript",
    "makefile": "make",
    "md": "markdown",
    "py": "python",
    "rb": "ruby",
    "rs": "rust",
    "rst": "restructuredtext",
    "sh": "bash",
    "shell-script": "bash",
    "ts": "typescript",
    "zsh": "bash",
}
_FIRST_BYTES = 1024
_TAIL = 512
# Compiled for the first file that its name does not identify.
_SHEBANG = rb"#!\s*(?:\S*/)?([^/\s]+)(?:[ \t]+(.*))?"
_EMACS = rb"(?i)-\*-(?:.*?mode:\s*)?\s*([\w+#-]+)\s*(?:;.*)?-\*-"
_VIM = rb"\b(?:vim?|ex):.*?\b(?:ft|filetype|syntax)=(\w+)"
_CPP_HEADER = (
    rb"(?m)^\s*(?:class\s+\w|namespace\b|template\s*<|using\s+\w|public:|private:|protected:|#include\s*<\w+>)"
    rb"|\bstd::|\boperator\s*[=<>+*\-(\[]"
)
_OBJC = rb"(?m)^\s*(?:@(?:interface|implementation|protocol|import|class)\b|#import\b)"
_SNIFFED = 1 << 16
_ASCIIDOC_HEADING = rb"(?m)^={2,5} [^\s=][^\n]{0,200}[^\s=][ \t]*\r?$"
_FEWEST_HEADINGS = 2
# Vim looks for a help file by the tag in its first line.
_VIM_HELP = rb"\*[\w.-]+\.txt\*[ \t\r\n]"
# Comments and requests, then the request that gives a manual page its title.
_MAN_PAGE = rb"(?:[.'\\][^\n]*\n|[ \t\r]*\n){0,200}?\.[ \t]*(?:TH|Dd|Dt)[ \t]"


def recognise(data: bytes, path: str) -> str:
    """Return the language of a file from its path and its first and last bytes; ``text`` if unknown."""
    name = basename(path).lower()
    if name in BY_NAME:
        return BY_NAME[name]
    stem, dot, extension = name.rpartition(".")
    language = BY_EXTENSION.get(extension) if dot else None
    language = "blade" if name.endswith(".blade.php") else language
    inner = _inner(stem) if language in TEMPLATES - {"html"} else None
    language = inner if inner in PROSE - {"text"} else language  # guide.html.md.erb, README.md.j2
    if language == "text" or language is None:
        by_name = BY_NAME.get(stem) or _by_prefix(name)
        language_found = (language and by_name) or language or by_name or _by_content(data) or _inner(stem) or "text"
        return _manual(data) if language_found == "text" else language_found
    if extension == "h":
        return _header(data)
    if extension == "m":
        return "objc" if re.search(_OBJC, data[:_SNIFFED]) else "matlab"
    if extension == "t" and not data.startswith(b"#!") and b"use " not in data[:_FIRST_BYTES]:
        return "text"
    return language


def _inner(stem: str) -> str | None:
    """Return the kind of prose or configuration by the last extension but one: ``README.md.in``, ``app.ini.sample``."""
    language = BY_EXTENSION.get(stem.rpartition(".")[2]) if "." in stem else None
    return language if language in PROSE or language in KEYED else None


def _manual(data: bytes) -> str:
    """Return the format of a text by its content, because AsciiDoc, manual pages and Vim's help have any name."""
    if re.match(_VIM_HELP, data[:_SNIFFED]):
        return "vimhelp"
    return "roff" if re.match(_MAN_PAGE, data[:_SNIFFED]) else "asciidoc" if _is_asciidoc(data) else "text"


def _is_asciidoc(data: bytes) -> bool:
    """Return whether a text has headings in AsciiDoc's form: ``== Use``, not ``== Use ==``."""
    return len(re.findall(_ASCIIDOC_HEADING, data[:_SNIFFED])) >= _FEWEST_HEADINGS


def _by_prefix(name: str) -> str | None:
    """Return the language of names such as ``Dockerfile.dev`` and ``.env.example``, or None."""
    if name.startswith(".env"):
        return "properties"
    first = name.partition(".")[0]
    return BY_NAME[first] if first in {"dockerfile", "makefile", "jenkinsfile", "containerfile"} else None


def _by_content(data: bytes) -> str | None:
    head = data[:_FIRST_BYTES].removeprefix(b"\xef\xbb\xbf")
    if head.startswith(b"#!") and (interpreter := _interpreter(head)):
        return interpreter
    if head.startswith(b"<?php"):
        return "php"
    if head.startswith(b"<?xml"):
        return "xml"
    for match in (re.search(_EMACS, head), re.search(_VIM, head), re.search(_VIM, data[-_TAIL:])):
        if match:
            mode = match[1].decode("ascii", "replace").lower()
            mode = _BY_MODE.get(mode, mode)
            if mode in KNOWN:
                return mode
    return None


def _interpreter(head: bytes) -> str | None:
    match = re.match(_SHEBANG, head.split(b"\n", 1)[0])
    if not match:
        return None
    words = [match[1], *(match[2] or b"").split()]
    if words[0] == b"env":
        words = [word for word in words[1:] if not word.startswith(b"-") and b"=" not in word]
    if not words:
        return None
    name = words[0].decode("ascii", "replace").lower().rpartition("/")[2]
    return _BY_INTERPRETER.get(name) or _BY_INTERPRETER.get(name.rstrip("0123456789."))


def _header(data: bytes) -> str:
    if re.search(_OBJC, data[:_SNIFFED]):
        return "objc"
    return "cpp" if re.search(_CPP_HEADER, data[:_SNIFFED]) else "c"


_LOCK_FILES = frozenset(
    {
        "bun.lock",
        "cargo.lock",
        "composer.lock",
        "deno.lock",
        "flake.lock",
        "gemfile.lock",
        "go.sum",
        "mix.lock",
        "npm-shrinkwrap.json",
        "package-lock.json",
        "package.resolved",
        "packages.lock.json",
        "pdm.lock",
        "pipfile.lock",
        "pnpm-lock.yaml",
        "podfile.lock",
        "poetry.lock",
        "pubspec.lock",
        "uv.lock",
        "yarn.lock",
    }
)
_MINIFIED_NAME = re.compile(r"[.-]min\.(?:js|css|mjs|cjs)$|\.bundle\.js$|\.map$")
_GENERATED_NAME = re.compile(
    r"(?:\.pb\.(?:go|cc|h)|_pb2(?:_grpc)?\.pyi?|\.g\.(?:dart|cs)|\.designer\.cs|\.freezed\.dart|\.generated\.\w+)$"
)
_MARKER = re.compile(
    rb"@generated\b|\bcode generated\b.{0,80}\bdo not edit\b|\bdo not edit\b.{0,40}\bgenerated\b"
    rb"|\b(?:auto-?\s?generated|automatically generated|machine generated)\b.{0,80}"
    rb"\b(?:do not|don't|not be) (?:edit|modif)"
    rb"|<auto-generated",
    re.IGNORECASE | re.DOTALL,
)
# As the first that a file says of itself. Django's settings say so too, further down, and are edited by hand.
_GENERATED_BY = re.compile(
    rb"(?:[^\n]*\n){0,2}?[^\w\n]*(?:this (?:file|code|header|source|module|page) (?:is|was|has been) |man page )?"
    rb"(?:automatically |auto-?\s?)?generated (?:by|from|using)\b",
    re.IGNORECASE,
)
_HEAD = 1500
_LONG_LINE = 5000
_MEAN_LINE = 400
_SAMPLE = 1 << 16


def why_not_parse(data: bytes, path: str) -> str | None:
    """Return why a source file should be cut by lines, or None."""
    name = basename(path).lower()
    if name in _LOCK_FILES:
        return "lock file"
    if _MINIFIED_NAME.search(name):
        return "minified"
    if _GENERATED_NAME.search(name) or _MARKER.search(data, 0, _HEAD):
        return "generated"
    sample = data[:_SAMPLE]
    lines = sample.count(b"\n") + 1
    if len(sample) / lines > _MEAN_LINE and len(sample) > _LONG_LINE:
        return "minified (very long lines)"
    return None


def says_generated(data: bytes) -> bool:
    """Return whether a file's first three lines say that a program wrote it: ``Generated by wayland-scanner``."""
    return _GENERATED_BY.match(data, 0, _HEAD) is not None
