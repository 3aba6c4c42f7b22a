"""Files that are run, or say what is run, without anybody calling them: by builds, tests, shells, editors and git.

Pure; told from the name alone. Whoever may write one of these runs what they like at the next ``make`` or ``pytest``.
"""

from __future__ import annotations

import re
from fnmatch import translate
from functools import cache

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
    """Return whether a file of this name is run, or says what is run, without being called."""
    folded = path.casefold()
    *folders, name = folded.split("/")
    return folded in _AT_ROOT or not _FOLDERS.isdisjoint(folders[-1:]) or _names().fullmatch(name) is not None


@cache
def _names() -> re.Pattern[str]:
    names = " ".join((_BUILDS, _PYTHON, _SCRIPT, _COMPILED, _GIT_HOOKS, _EDITORS)).split()
    return re.compile("|".join(map(translate, names)))
