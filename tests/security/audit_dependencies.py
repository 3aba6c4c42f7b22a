"""Is what is installed what is pinned, and are weaknesses known of it? ``make audit``.

    python audit_dependencies.py [--lock FILE] [--osv URL] [--pypi URL] [--advisories FOLDER]

Each installed package must have the version of the lock, and each of its files the hash that was noted when it was
installed (pip installs nothing whose hash is not in the lock). Then two databases are asked about every entry of the
lock, and a third that lies here, a clone of PyPA's or of safety-db (``make audit ADVISORIES=FOLDER``). Exit code 1:
something differs, or a weakness is known. 2: no database could be read, so that nothing is known. What could not be
reached is named either way.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import urllib.error
import urllib.request
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import Distribution, FileHash, distributions
from pathlib import Path
from typing import Any

import yaml
from packaging.specifiers import SpecifierSet
from packaging.version import Version

_ENTRY = re.compile(r"^([a-z0-9][a-z0-9._-]*)==([^ ;\\]+)", re.MULTILINE)
_SECONDS = 20
_AT_ONCE = 500

Entry = tuple[str, str]
"""The name of a package and a version that is pinned."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lock", type=Path, default=Path(__file__).parents[2] / "requirements.lock")
    parser.add_argument("--osv", default="https://api.osv.dev")
    parser.add_argument("--pypi", default="https://pypi.org")
    parser.add_argument("--advisories", type=Path, help="a clone of pypa/advisory-database or pyupio/safety-db")
    options = parser.parse_args(arguments)
    pinned = entries(options.lock.read_text(encoding="utf-8"))
    differing = list(differences(pinned))
    for line in differing:
        print(f"differs: {line}")
    here = {plain(one.name): one for one in distributions()}
    names = {name for name, _ in pinned}
    print(f"{len(names)} packages are pinned, {len(names & here.keys())} of them are installed")
    asked = [(options.osv, osv_weaknesses), (options.pypi, pypi_weaknesses)]
    asked += [(str(options.advisories), advised_weaknesses)] if options.advisories else []
    answers = [found for url, ask in asked if (found := _answered(url, ask, pinned)) is not None]
    weak = {line for answer in answers for line in answer}
    for line in sorted(weak):
        print(f"weakness: {line}")
    if differing or weak:
        return 1
    return 0 if answers else 2


def entries(lock: str) -> list[Entry]:
    """Return what a lock pins; of a package several versions, where Pythons or systems differ."""
    return [(plain(name), version) for name, version in _ENTRY.findall(lock)]


def differences(pinned: Sequence[Entry]) -> Iterator[str]:
    """Yield how what is installed differs from what is pinned and from what was unpacked."""
    for one in distributions():
        versions = [version for name, version in pinned if name == plain(one.name)]
        if not versions:
            continue
        if one.version not in versions:
            yield f"{one.name} {one.version} is installed, {' or '.join(versions)} is pinned"
        yield from (f"{one.name}: {path}" for path in _changed(one))


def _changed(one: Distribution) -> Iterator[str]:
    """Yield the files of a package that are gone, or not as they were unpacked."""
    for file in one.files or ():
        if file.hash is None:
            continue
        try:
            data = Path(str(file.locate())).read_bytes()
        except OSError as error:
            yield f"{file} ({error.strerror})"
            continue
        if _is(data, file.hash):
            continue
        size = file.size or 0
        # Where a proxy reads what goes through it, its certificate is added to certifi's.
        is_longer = size and _is(data[:size], file.hash)
        more = f" alone: {len(data) - size} bytes follow" if is_longer else ""
        yield f"{file} is not what was installed{more}"


def _is(data: bytes, known: FileHash) -> bool:
    return urlsafe_b64encode(hashlib.new(known.mode, data).digest()).decode().rstrip("=") == known.value


def _answered(url: str, ask: Callable[[str, Sequence[Entry]], list[str]], pinned: Sequence[Entry]) -> list[str] | None:
    """Return what a database knows; None, and a line that says so, where it could not be asked about all."""
    try:
        known = ask(url, pinned)
    except (OSError, ValueError, LookupError, TypeError) as error:
        print(f"NOT REACHED: {url} ({error}); nothing is known from there")
        return None
    print(f"{url} was asked about {len(pinned)} versions: {len(known)} weaknesses")
    return known


def osv_weaknesses(url: str, pinned: Sequence[Entry]) -> list[str]:
    """Return what the database of open source vulnerabilities knows of some versions."""
    found = []
    for start in range(0, len(pinned), _AT_ONCE):
        some = pinned[start : start + _AT_ONCE]
        queries = [{"package": {"name": name, "ecosystem": "PyPI"}, "version": version} for name, version in some]
        results = _json(f"{url}/v1/querybatch", {"queries": queries})["results"]
        for (name, version), result in zip(some, results, strict=True):
            found += [f"{name} {version}: {one['id']}" for one in result.get("vulns", ())]
    return found


def pypi_weaknesses(url: str, pinned: Sequence[Entry]) -> list[str]:
    """Return what the package index knows of some versions; withdrawn reports do not count."""
    found = []
    for name, version in pinned:
        known = _json(f"{url}/pypi/{name}/{version}/json")["vulnerabilities"]
        found += [f"{name} {version}: {one['id']}" for one in known if not one.get("withdrawn")]
    return found


def advised_weaknesses(folder: str, pinned: Sequence[Entry]) -> list[str]:
    """Return what a folder of advisories knows of some versions; withdrawn ones do not count."""
    found, newest = [], ""
    files = sorted(Path(folder).rglob("PYSEC-*.yaml"))
    for file in Path(folder).rglob("insecure.json"):
        return listed_weaknesses(file, pinned)
    if not files:
        raise LookupError("no advisories are there")
    for file in files:
        one = yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)
        newest = max(newest, str(one["modified"])[:10])
        if "withdrawn" in one:
            continue
        for name, version in pinned:
            if any(_is_affected(each, name, version) for each in one["affected"]):
                found.append(f"{name} {version}: {one['id']}")
    print(f"{len(files)} advisories lie in {folder}, the newest of {newest}: later ones are not known there")
    return found


def listed_weaknesses(file: Path, pinned: Sequence[Entry]) -> list[str]:
    """Return what safety-db's list of insecure versions knows."""
    listed = json.loads(file.read_bytes())
    made = datetime.fromtimestamp(listed.pop("$meta")["timestamp"], UTC).date()
    known: dict[str, list[str]] = {}
    for name, specifiers in listed.items():
        known.setdefault(plain(name), []).extend(specifiers)
    print(f"{len(known)} packages lie in {file}, of {made}: what became known later is not there")
    return [
        f"{name} {version}: {one}"
        for name, version in pinned
        for one in known.get(name, ())
        if SpecifierSet(one).contains(version, prereleases=True)
    ]


def _is_affected(affected: Any, name: str, version: str) -> bool:
    if plain(affected["package"]["name"]) != name:
        return False
    return version in affected.get("versions", ()) or any(
        _is_in(version, each["events"]) for each in affected.get("ranges", ()) if each["type"] == "ECOSYSTEM"
    )


def _is_in(version: str, events: Sequence[Any]) -> bool:
    """Return whether a version lies between the events of a range, which are in order."""
    here, within = Version(version), False
    for event in events:
        if "introduced" in event and here >= Version(event["introduced"]):
            within = True
        elif ("fixed" in event and here >= Version(event["fixed"])) or (
            "last_affected" in event and here > Version(event["last_affected"])
        ):
            within = False
    return within


def _json(url: str, body: object = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json", "accept": "application/json"})
    with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
        return json.load(answer)


def plain(name: str) -> str:
    """Return a package's name as indexes know it."""
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    sys.exit(main())
