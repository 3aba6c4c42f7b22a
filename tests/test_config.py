"""Settings: five origins, one order, and what a project file may not do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.config import RULES, Configuration, Settings, data_home, load_configuration, without_credentials
from quaestor.core.errors import UsageError

DEFAULTS = Settings()


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return tmp_path / "user.toml"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def load(
    user: Path, project: Path | None = None, environ: dict[str, str] | None = None, **flags: object
) -> Configuration:
    return load_configuration(flags, project=project, environ=environ or {}, user_file=user)


def test_every_setting_has_a_rule_and_a_meaning() -> None:
    assert list(RULES) == list(Settings._fields)
    assert all(rule.help for rule in RULES.values())


def test_defaults(user: Path, project: Path) -> None:
    configuration = load(user, project)
    assert configuration.settings == DEFAULTS
    assert set(configuration.origins.values()) == {"default"}


def test_each_origin_wins_over_the_next(user: Path, project: Path) -> None:
    user.write_text("results = 1\n")
    assert load(user, project).settings.results == 1
    (project / "quaestor.toml").write_text("results = 2\n")
    assert load(user, project).settings.results == 2
    environ = {"QUAESTOR_RESULTS": "3"}
    assert load(user, project, environ).settings.results == 3
    configuration = load(user, project, environ, results=4)
    assert configuration.settings.results == 4
    assert configuration.origins["results"] == "flag"
    assert load(user, project, environ, results=None).settings.results == 3


def test_origins_name_the_place(user: Path, project: Path) -> None:
    user.write_text('model = "m"\n')
    (project / "pyproject.toml").write_text("[tool.quaestor]\npassages = 3\n")
    origins = load(user, project, {"OPENAI_BASE_URL": "http://x"}).origins
    assert origins["model"] == f"user file {user}"
    assert origins["passages"] == f"project file {project / 'pyproject.toml'}"
    assert "OPENAI_BASE_URL" in origins["base_url"]


def test_our_own_variable_wins_over_the_common_one(user: Path) -> None:
    environ = {"OPENAI_BASE_URL": "http://common", "QUAESTOR_BASE_URL": "http://ours"}
    assert load(user, environ=environ).settings.base_url == "http://ours"


def test_an_empty_variable_counts_as_not_set(user: Path) -> None:
    assert load(user, environ={"QUAESTOR_RESULTS": ""}).settings.results == DEFAULTS.results


def test_a_list_from_the_environment(user: Path) -> None:
    assert load(user, environ={"QUAESTOR_IGNORE": "*.log:build/"}).settings.ignore == ("*.log", "build/")


CLOSED = [name for name, rule in RULES.items() if rule.project == "closed"]
LOWER = [name for name, rule in RULES.items() if rule.project == "lower"]


def test_what_is_closed_to_projects() -> None:
    assert {"home", "model", "base_url", "api_key", "embedder", "store"} <= set(CLOSED)


@pytest.mark.parametrize("name", CLOSED)
def test_a_project_may_not_set_what_is_closed(user: Path, project: Path, name: str) -> None:
    (project / "quaestor.toml").write_text(f'{name} = "evil"\nresults = 3\n')
    configuration = load(user, project)
    assert getattr(configuration.settings, name) == getattr(DEFAULTS, name)
    assert configuration.settings.results == 3
    assert [refusal.name for refusal in configuration.refusals] == [name]


@pytest.mark.parametrize("name", LOWER)
def test_a_project_may_only_lower_a_limit(user: Path, project: Path, name: str) -> None:
    value = getattr(DEFAULTS, name)
    (project / "quaestor.toml").write_text(f"{name} = {value + 1}\n")
    configuration = load(user, project)
    assert getattr(configuration.settings, name) == value
    assert [refusal.name for refusal in configuration.refusals] == [name]
    (project / "quaestor.toml").write_text(f"{name} = {value - 1}\n")
    configuration = load(user, project)
    assert getattr(configuration.settings, name) == value - 1
    assert configuration.refusals == ()


def test_lower_is_lower_than_what_the_user_set(user: Path, project: Path) -> None:
    user.write_text("window = 2000\n")
    (project / "quaestor.toml").write_text("window = 3000\n")
    assert load(user, project).settings.window == 2000


def test_the_first_project_file_with_settings_counts(user: Path, project: Path) -> None:
    (project / "quaestor.toml").write_text("results = 2\n")
    (project / "pyproject.toml").write_text("[tool.quaestor]\nresults = 3\npassages = 3\n")
    settings = load(user, project).settings
    assert (settings.results, settings.passages) == (2, DEFAULTS.passages)


@pytest.mark.parametrize(
    "content",
    [
        "results = [",
        'results = "many"',
        "results = true",
        "results = 2.5",
        "results = -1",
        "results = 0",
        "window = inf",
        "timeout = nan",
        "ignore = 3",
        "ignore = [1]",
        "unknown = 1",
        "results = 99999999999999999999999999999.5e300",
    ],
)
def test_a_bad_project_file_is_reported_and_a_bad_user_file_raises(user: Path, project: Path, content: str) -> None:
    (project / "quaestor.toml").write_text(content)
    configuration = load(user, project)
    assert configuration.settings == DEFAULTS
    assert len(configuration.refusals) == 1
    user.write_text(content)
    with pytest.raises(UsageError):
        load(user)


@given(st.binary(max_size=200))
def test_no_project_file_stops_anybody(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "quaestor.toml").write_bytes(content)
    assert load(folder / "none.toml", folder).settings == DEFAULTS


@pytest.mark.parametrize("content", ["tool = 3", "[tool]\nquaestor = 3", "tool = []", "[tool.other]\na = 1"])
def test_a_pyproject_without_our_table(user: Path, project: Path, content: str) -> None:
    (project / "pyproject.toml").write_text(content)
    assert load(user, project) == load(user)


@pytest.mark.parametrize(
    ("variable", "value"), [("QUAESTOR_RESULTS", "many"), ("QUAESTOR_TEMPERATURE", "nan"), ("QUAESTOR_WINDOW", "1")]
)
def test_a_bad_variable_raises(user: Path, variable: str, value: str) -> None:
    with pytest.raises(UsageError, match=re.escape(repr(value))):
        load(user, environ={variable: value})


def test_an_unknown_flag_raises(user: Path) -> None:
    with pytest.raises(UsageError, match="'colour'"):
        load(user, colour="red")


@given(st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=60))
def test_a_secret_is_never_shown(tmp_path_factory: pytest.TempPathFactory, secret: str) -> None:
    configuration = load(tmp_path_factory.getbasetemp() / "none.toml", api_key=secret)
    [shown] = [value for name, value, _ in configuration.shown_settings() if name == "api_key"]
    assert shown.startswith("•••")
    assert len(shown) <= 3 + len(secret) // 4


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://host/v1", "http://host/v1"),
        ("https://name:word@host:8080/v1", "https://•••@host:8080/v1"),
        ("https://name@host", "https://•••@host"),
        ("https://a:b@c@host/x@y", "https://•••@host/x@y"),
        ("http://host/v1?mail=a@b", "http://host/v1?mail=a@b"),
        ("plain text", "plain text"),
    ],
)
def test_credentials_are_not_shown(url: str, shown: str) -> None:
    assert without_credentials(url) == shown


def test_where_data_lies(user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert data_home(load(user, environ={"QUAESTOR_HOME": str(tmp_path)}).settings) == tmp_path
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_home(Settings(home="~/quaestor")) == tmp_path / "quaestor"
    assert data_home(Settings()).name == "quaestor"


def test_a_chunker_is_one_of_the_known_ones_wherever_it_is_set(user: Path, project: Path) -> None:
    (project / "quaestor.toml").write_text('chunker = "lines:40"\n')
    assert load(user, project).settings.chunker == "lines:40"
    (project / "quaestor.toml").write_text('chunker = "shell"\n')
    configuration = load(user, project)
    assert configuration.settings.chunker == "auto"
    [refusal] = configuration.refusals
    assert refusal.name == "chunker"
    with pytest.raises(UsageError, match="cannot be 'lines:0'"):
        load(user, chunker="lines:0")
