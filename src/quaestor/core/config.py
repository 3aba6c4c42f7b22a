"""The values of settings: read from all origins and checked, each with its origin.

Flags override the environment, then come the project's file, the user's file, and the defaults.
A project file belongs to the author of the repository, so it may only tune: it cannot set most settings, and can only
lower limits. Its attempts to set others are recorded, to be reported.
"""

from __future__ import annotations

import math
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from quaestor.core.errors import UsageError
from quaestor.core.light_imports import NamedTuple
from quaestor.core.settings import RULES, Rule, Settings, variables_of

__all__ = [
    "RULES",
    "Configuration",
    "Refusal",
    "Rule",
    "Settings",
    "config_folder",
    "data_home",
    "load_configuration",
    "read_toml",
    "without_credentials",
]

PROJECT_FILE = "quaestor.toml"
PYPROJECT_FILE = "pyproject.toml"

# No person writes a larger one.
_LARGEST = 1 << 18
_SHOWN = 80
_MOST_DOTS = 200
_LARGEST_NUMBER = 1 << 63

_CREDENTIALS = r"(?i)^([a-z][a-z0-9+.-]*://)[^/?#]*@"


class Refusal(NamedTuple):
    """A setting that a project file tried to set and may not."""

    name: str
    path: str
    reason: str


class Configuration(NamedTuple):
    """Settings with the origin of each value, and refused settings of a project file."""

    settings: Settings
    origins: Mapping[str, str]
    refusals: tuple[Refusal, ...] = ()

    def shown_settings(self) -> Iterator[tuple[str, str, str]]:
        """Yield the name, the value as text with secrets masked, and the origin of every setting."""
        for name, rule in RULES.items():
            value = getattr(self.settings, name)
            text = _mask(str(value)) if rule.secret and value else without_credentials(_as_text(value))
            yield name, text, self.origins[name]


def load_configuration(
    flags: Mapping[str, object] | None = None,
    *,
    project: Path | None = None,
    environ: Mapping[str, str] | None = None,
    user_file: Path | None = None,
) -> Configuration:
    """Read all origins and merge them.

    Args:
        flags: settings given on the command line or by a caller; None values count as not given.
        project: the folder whose ``quaestor.toml`` or ``[tool.quaestor]`` is read.
        environ: the environment variables; the process's own by default.
        user_file: the user's settings file; by default, in the platform's usual folder.

    Raises:
        UsageError: a file cannot be parsed, a name is unknown, or a value has the wrong type.
    """
    environ = os.environ if environ is None else environ
    settings, origins = Settings(), dict.fromkeys(RULES, "default")
    refusals: list[Refusal] = []
    path = config_folder(environ) / "config.toml" if user_file is None else user_file
    settings = _merge(settings, origins, _read_toml(path, ()), f"user file {path}")
    if project is not None:
        settings = _merge_project(settings, origins, refusals, project)
    settings = _merge(settings, origins, _from_environment(environ), "environment")
    flag_values = {name: value for name, value in (flags or {}).items() if value is not None}
    settings = _merge(settings, origins, flag_values, "flag")
    return Configuration(settings, origins, tuple(refusals))


def _merge(settings: Settings, origins: dict[str, str], values: Mapping[str, object], origin: str) -> Settings:
    for name, value in values.items():
        if name not in RULES:
            raise UsageError(f"Unknown setting {name!r} in {origin}. `quaestor config show` lists all settings.")
        settings = settings._replace(**{name: _convert_value(name, value, origin)})  # type: ignore[arg-type]
        origins[name] = f"environment {' or '.join(variables_of(name))}" if origin == "environment" else origin
    return settings


def _merge_project(settings: Settings, origins: dict[str, str], refusals: list[Refusal], project: Path) -> Settings:
    for file, table in ((project / PROJECT_FILE, ()), (project / PYPROJECT_FILE, ("tool", "quaestor"))):
        try:
            values = _read_toml(file, table)
        except UsageError as error:
            # A repository's author must not be able to make commands fail.
            refusals.append(Refusal("(file)", str(file), str(error)))
            continue
        allowed: dict[str, object] = {}
        for name, value in values.items():
            reason = _refusal(name, value, settings, f"project file {file}")
            if reason:
                refusals.append(Refusal(name[:_SHOWN], str(file), reason))
            else:
                allowed[name] = value
        settings = _merge(settings, origins, allowed, f"project file {file}")
        if values:
            return settings
    return settings


def _refusal(name: str, value: object, settings: Settings, origin: str) -> str | None:
    """Return why a project file may not set a setting to a value, or None if it may."""
    if name not in RULES:
        return "there is no such setting"
    rule = RULES[name].project
    if rule == "closed":
        return "a project file may not set this; set it by flag, environment or your own settings file"
    try:
        checked = _convert_value(name, value, origin)
    except UsageError as error:
        return str(error).removesuffix(".")
    current = getattr(settings, name)
    if rule == "lower" and isinstance(checked, (int, float)) and checked > current:
        return f"a project file may only lower this, and it is {current}"
    return None


def _convert_value(name: str, value: object, origin: str) -> object:
    """Return the value in the setting's own type."""
    expected = type(Settings._field_defaults[name])
    try:
        converted = _CONVERTERS[expected](value)
    except (TypeError, ValueError, OverflowError):
        kind = "list of text" if expected is tuple else expected.__name__
        raise UsageError(f"Setting {name!r} in {origin} must be {kind}, not {_short_repr(value)}.") from None
    form = RULES[name].form
    if form is not None and isinstance(converted, str) and not re.fullmatch(form, converted):
        raise UsageError(
            f"Setting {name!r} in {origin} cannot be {_short_repr(value)}. `quaestor config show` says what it can be."
        )
    least = RULES[name].least
    if least is not None and isinstance(converted, (int, float)) and converted < least:
        raise UsageError(f"Setting {name!r} in {origin} must be at least {least:g}, not {value!r}.")
    return converted


def _short_repr(value: object) -> str:
    """Return the beginning of a value's ``repr``, or the name of its type if it has no ``repr``."""
    try:
        return f"{value!r:.{_SHOWN}}"
    except (ValueError, RecursionError):
        return f"such a {type(value).__name__}"


def _to_text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _to_number(kind: Callable[[str | float], float]) -> Callable[[object], float]:
    def convert(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise TypeError
        number = kind(value)
        if not math.isfinite(number) or abs(number) >= _LARGEST_NUMBER:
            raise ValueError
        if isinstance(value, float) and number != value:
            raise ValueError
        return number

    return convert


def _to_texts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part for part in value.split(os.pathsep) if part)
    if isinstance(value, (list, tuple)) and all(isinstance(part, str) for part in value):
        return tuple(value)
    raise TypeError


_CONVERTERS: Mapping[type, Callable[[object], object]] = {
    str: _to_text,
    int: _to_number(int),
    float: _to_number(float),
    tuple: _to_texts,
}


def _from_environment(environ: Mapping[str, str]) -> dict[str, object]:
    values: dict[str, object] = {}
    for name in RULES:
        value = next((environ[variable] for variable in variables_of(name) if environ.get(variable)), None)
        if value is not None:
            values[name] = value
    return values


def _read_toml(path: Path, table: tuple[str, ...]) -> Mapping[str, object]:
    try:
        text = _read_text(path)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"Settings file {str(path)!r} cannot be read: {error}. Fix or remove it.") from None
    if any(key not in text for key in table):
        return {}  # most projects' files configure other tools
    try:
        content: object = read_toml(text)
    except ValueError as error:  # a number with too many digits, too
        raise UsageError(f"Settings file {str(path)!r} is not TOML: {error}. Fix or remove it.") from None
    for key in table:
        content = content.get(key, {}) if isinstance(content, dict) else {}
    return content if isinstance(content, dict) else {}


def _read_text(path: Path) -> str:
    """Return the text of a small regular file; a link is followed, a pipe or a device never read.

    Raises:
        OSError: the file does not exist, or is not a regular file.
        ValueError: it is too large, or not UTF-8.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError("it is not a regular file")
    # If a pipe has just replaced the file, opening it does not block.
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0))) as file:
        data = file.read(_LARGEST + 1) or b""
    if len(data) > _LARGEST:
        raise ValueError(f"it is larger than {_LARGEST:,} bytes")
    return data.decode("utf-8")


def config_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Return the folder of the user's own settings file and file of prices."""
    environ = os.environ if environ is None else environ
    if home := environ.get("QUAESTOR_HOME"):
        return Path(home).expanduser()
    from platformdirs import user_config_path  # noqa: PLC0415 - costs 10 ms, not needed with QUAESTOR_HOME

    return user_config_path("quaestor")


def data_home(settings: Settings) -> Path:
    """Return the folder that holds indexes and sessions."""
    if settings.home:
        return Path(settings.home).expanduser()
    from platformdirs import user_data_path  # noqa: PLC0415 - costs 10 ms, not needed with QUAESTOR_HOME

    return user_data_path("quaestor")


def without_credentials(url: str) -> str:
    """Return a URL, or any other text, without the user name and password that a URL may carry."""
    return re.sub(_CREDENTIALS, r"\1•••@", url)


def _mask(secret: str) -> str:
    """Return the last four characters of a long secret, to tell two secrets apart; nothing of a short one."""
    return "•••" + (secret[-4:] if len(secret) >= 16 else "")


def _as_text(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "(none)"
    return str(value) if value != "" else "(not set)"


def read_toml(text: str, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """Return the tables of a TOML text.

    Args:
        text: the text with or without a byte order mark.
        parse_float: converts the digits of a number with a fraction.

    Raises:
        tomllib.TOMLDecodeError: the text is not TOML; it is a ValueError.
        ValueError: it is nested too deeply, a line has too many dots, or a number too many digits.
    """
    # The parser takes quadratic time in the dots of a key, which is within one line.
    if any(line.count(".") > _MOST_DOTS for line in text.split("\n")):
        raise ValueError(f"a line has more than {_MOST_DOTS} dots")
    import tomllib  # noqa: PLC0415 - costs 10 ms, and most runs read no TOML

    try:
        return tomllib.loads(text.removeprefix("\ufeff"), parse_float=parse_float)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def make_private(folder: Path) -> None:
    """Create a folder, and its missing parents, so that only this user can enter them.

    An existing folder keeps its permissions: if a user opened it to others, that was intended.

    Raises:
        OSError: it cannot be created, or something else is there.
    """
    if not folder.parent.exists():
        make_private(folder.parent)
    # With ``parents``, only the last of several missing folders would get this mode.
    folder.mkdir(mode=0o700, exist_ok=True)
