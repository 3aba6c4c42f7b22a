"""Which paths a change may name, judged by the path alone.

Pure; ``linkless_folders`` then walks to it without following links.
"""

from __future__ import annotations

import re
import unicodedata
from fnmatch import translate
from functools import cache

from quaestor.edits.plans import Refusal

_BUILDS = """makefile* gnumakefile* *.mk *.mak justfile *.just rakefile *.rake taskfile*.y*ml cmakelists.txt
    *.cmake cmakepresets.json meson.build meson_options.txt wscript sconstruct sconscript build.ninja build
    build.bazel workspace workspace.bazel module.bazel *.bzl buck configure configure.ac configure.in autogen.sh
    bootstrap.sh earthfile tiltfile dockerfile* *.dockerfile containerfile* docker-compose*.y*ml compose*.y*ml
    docker-bake.* vagrantfile procfile* devcontainer.json *.nix flake.lock *.tf *.tf.json jenkinsfile* skaffold.y*ml
    lefthook*.y*ml"""
_PYTHON = """setup.py setup.cfg pyproject.toml conftest.py noxfile.py tox.ini pytest.ini sitecustomize.py
    usercustomize.py *.pth fabfile.py dodo.py hatch_build.py requirements*.txt requirements*.in constraints*.txt
    pipfile *.lock environment*.y*ml pixi.toml"""
_SCRIPT = """package.json package-lock.json npm-shrinkwrap.json pnpm-lock.yaml pnpm-workspace.yaml bun.lockb
    bunfig.toml *.config.js *.config.cjs *.config.mjs *.config.ts *.config.mts *.config.cts *.conf.js *.conf.cjs
    *.conf.ts gulpfile.* gruntfile.* binding.gyp *.gyp *.gypi deno.json deno.jsonc nx.json turbo.json lerna.json
    composer.json phpunit.xml*"""
_COMPILED = """build.rs cargo.toml go.mod go.work pom.xml *.gradle *.gradle.kts gradle.properties
    *-wrapper.properties gradlew* mvnw* build.xml ivy.xml *.sbt build.sc build.mill *.csproj *.fsproj *.vbproj
    *.vcxproj *.proj *.props *.targets nuget.config global.json package.swift podfile *.podspec cartfile gemfile
    *.gemspec extconf.rb mix.exs rebar.config setup.hs setup.lhs *.cabal cabal.project stack.yaml build.zig
    build.zig.zon project.clj deps.edn bb.edn dune dune-project dune-workspace *.opam makefile.pl build.pl
    *.rockspec build.jl *.nimble shard.yml"""
_GIT_HOOKS = """applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg
    commit-msg post-commit pre-rebase post-checkout post-merge pre-push pre-receive update post-receive post-update
    post-rewrite pre-auto-gc reference-transaction fsmonitor-watchman"""
_EDITORS = "*.code-workspace *.sublime-project *.sublime-build"
# Elsewhere this is a name like any other.
_AT_ROOT = frozenset({"tasks.py"})
_FOLDERS = frozenset({"requirements", "githooks", "git-hooks"})


def is_run(path: str) -> bool:
    """Return whether programs run a file of this name, or read commands from it, without being asked to."""
    folded = _as_disks_see(path)
    *folders, name = folded.split("/")
    return folded in _AT_ROOT or not _FOLDERS.isdisjoint(folders[-1:]) or _names().fullmatch(name) is not None


@cache
def _names() -> re.Pattern[str]:
    names = " ".join((_BUILDS, _PYTHON, _SCRIPT, _COMPILED, _GIT_HOOKS, _EDITORS)).split()
    return re.compile("|".join(map(translate, names)))


_VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", ".sl", "_darcs", "cvs"})
# Git's folder under the short name that Windows gives it.
_SHORT_NAMES = re.compile(r"^git~\d+$")
# Control and format characters, halves of characters, ends of lines and paragraphs.
_IN_NO_NAME = ("Cc", "Cf", "Cs", "Zl", "Zp")
# Letters of Hangul that are there to show nothing.
_FILLERS = "\u115f\u1160\u3164\uffa0"
_DRIVE = re.compile(r"^[A-Za-z]:")
_RUNS_ELSEWHERE = re.compile(
    r"(?:^|/)(?:jenkinsfile|azure-pipelines[^/]*\.ya?ml|appveyor\.ya?ml|bitbucket-pipelines\.ya?ml|cloudbuild\.ya?ml"
    r"|buildspec\.ya?ml|codefresh\.ya?ml|wercker\.ya?ml)$",
    re.IGNORECASE,
)


def confine(path: str) -> str | Refusal:
    """Return a path in its plain form, or why no change may be made there."""
    if not path.strip() or "\\" in path or any(unicodedata.category(letter) in _IN_NO_NAME for letter in path):
        return Refusal(path, "bad path", f"{path!r} is not a path of a file; name it from the root, with '/'")
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
    """Return why a path needs a second consent: it is hidden, say, or run without being called."""
    reasons = []
    seen = _as_disks_see(path)
    if any(part.startswith(".") for part in seen.split("/")):
        reasons.append("its name begins with a dot: settings of tools")
    if _RUNS_ELSEWHERE.search(seen) or seen.startswith((".github/workflows/", ".gitlab-ci", ".circleci/")):
        reasons.append("it runs on a build machine")
    elif is_run(path):
        reasons.append("builds, tests or tools run it, or what it names")
    return tuple(reasons)


def _is_version_control(part: str) -> bool:
    plain = _as_disks_see(part)
    return plain in _VERSION_CONTROL or bool(_SHORT_NAMES.match(plain))


def _as_disks_see(path: str) -> str:
    """Return a path in the form of the file system that distinguishes the fewest names.

    ext4 and F2FS, in folders that ignore case, and macOS's HFS+ ignore characters that nobody sees; NTFS and FAT drop
    dots and blanks at the end, and what NTFS finds behind a colon is a stream of the same file.
    """
    seen = "".join(letter for letter in unicodedata.normalize("NFKD", path) if not _is_ignored(letter)).casefold()
    return "/".join(part.partition(":")[0].rstrip(". ") for part in seen.split("/"))


def _is_ignored(letter: str) -> bool:
    return unicodedata.category(letter) in ("Mn", "Me", "Cf") or letter in _FILLERS
