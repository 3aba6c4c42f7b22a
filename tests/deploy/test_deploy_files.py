"""A cluster accepts the files of `deploy/`; they ask for no needless rights, and whatever they name exists."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import semble_grammars
import yaml
from click import Context

from quaestor.accounts.database import AccountsUnusableError
from quaestor.cli.click_group import cli
from quaestor.core.errors import IndexUnusableError, UpstreamError
from quaestor.core.settings import RULES, variables_of

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
MANIFESTS = sorted(path for path in (DEPLOY / "kubernetes").glob("*.yaml") if path.name != "kustomization.yaml")
IMAGE_COMMAND = ["serve", "/corpus", "--host", "0.0.0.0", "--workers", "2", "--log-requests"]


def objects() -> Iterator[dict[str, Any]]:
    for path in MANIFESTS:
        yield from yaml.safe_load_all(path.read_text(encoding="utf-8"))


def pods() -> Iterator[dict[str, Any]]:
    """Yield what each workload's pods are made from."""
    for one in objects():
        spec = one.get("spec", {})
        template = spec.get("jobTemplate", {}).get("spec", {}).get("template") or spec.get("template")
        if template:
            yield template["spec"]


def compose() -> dict[str, Any]:
    found = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.name)
def test_a_cluster_takes_every_manifest(path: Path) -> None:
    for one in yaml.safe_load_all(path.read_text(encoding="utf-8")):
        kubernetes_validate.validate(one, "1.33", strict=True)


def test_every_manifest_is_applied_but_the_example() -> None:
    named = yaml.safe_load((DEPLOY / "kubernetes" / "kustomization.yaml").read_text(encoding="utf-8"))["resources"]
    assert {*named, "secret.example.yaml"} == {path.name for path in MANIFESTS}


def test_pods_have_no_right_that_they_do_not_need() -> None:
    found = list(pods())
    assert len(found) == 2
    for pod in found:
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] > 0
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in pod["containers"]:
            rights = container["securityContext"]
            assert rights["readOnlyRootFilesystem"] is True
            assert rights["allowPrivilegeEscalation"] is False
            assert rights["capabilities"] == {"drop": ["ALL"]}
            assert container["resources"]["limits"]["memory"]
            mounts = {mount["mountPath"]: mount.get("readOnly", False) for mount in container["volumeMounts"]}
            assert mounts == {"/corpus": True, "/var/lib/quaestor": False, "/tmp": False}


def test_the_compose_server_has_no_right_that_it_does_not_need() -> None:
    server = compose()["services"]["server"]
    assert server["read_only"] is True
    assert server["cap_drop"] == ["ALL"]
    assert server["security_opt"] == ["no-new-privileges:true"]
    assert all(volume["read_only"] for volume in server["volumes"])
    assert all(port.startswith("127.0.0.1:") for port in server["ports"])
    assert compose()["networks"][compose()["services"]["postgres"]["networks"][0]] == {"internal": True}
    assert "ports" not in compose()["services"]["postgres"]


def test_all_servers_of_compose_search_one_index() -> None:
    """A folder without a remote names it after the machine, and each container is one of its own unless it is named."""
    server = compose()["services"]["server"]
    assert server["hostname"]
    assert server["environment"]["QUAESTOR_CORPUS"] == "${QUAESTOR_CORPUS:-}"


def test_the_container_runs_as_nobody_in_particular() -> None:
    lines = (DEPLOY / "Containerfile").read_text(encoding="utf-8").split("\n")
    last = lines[max(place for place, line in enumerate(lines) if line.startswith("FROM ")) :]
    assert "USER 10001:10001" in last
    assert not any(re.search(r"\b(apt-get|apk|gcc|build-essential)\b", line) for line in lines)
    assert "10001" in compose()["services"]["server"]["tmpfs"][1]
    assert json.loads(next(line for line in last if line.startswith("CMD ["))[4:]) == IMAGE_COMMAND


def test_the_versions_that_the_container_installs_are_pinned_without_hashes() -> None:
    """pip takes no hashes beside a folder, which the source is."""
    said = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    program = re.search(r"^RUN sed -E '(.+)' requirements\.lock > constraints\.txt", said, re.MULTILINE)
    assert program is not None
    assert "--constraint constraints.txt" in said
    done = subprocess.run(
        ["sed", "-E", program[1], str(ROOT / "requirements.lock")], capture_output=True, text=True, check=True
    )
    lines = [line for line in done.stdout.splitlines() if not line.startswith("#")]
    assert len(lines) > 50
    assert all(re.fullmatch(r"[a-z0-9._-]+==[^\s\\]+( ; .+)?", line) for line in lines)


def test_the_container_brings_every_grammar_unpacked(tmp_path: Path) -> None:
    """Nothing may be run from where it could unpack them."""
    built, run = (DEPLOY / "Containerfile").read_text(encoding="utf-8").split("\nFROM ")[1:]
    assert "COPY --from=build /opt/quaestor /opt/quaestor\n" in run
    place = "SEMBLE_GRAMMARS_CACHE_DIR=/opt/quaestor/grammars"
    assert place in built and place in run
    program = re.search(r'^RUN /opt/quaestor/bin/python -c "(.+)"$', built, re.MULTILINE)
    assert program is not None
    environment = {**os.environ, "SEMBLE_GRAMMARS_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program[1]], env=environment, check=True)
    assert len(list(tmp_path.glob("*/*"))) == len(semble_grammars.available_languages())


def commands() -> Iterator[list[str]]:
    """Yield the arguments of every `quaestor` that the files run or tell somebody to run."""
    yield IMAGE_COMMAND
    yield compose()["services"]["server"]["command"]
    for pod in pods():
        yield from (container["args"] for container in pod["containers"])


def test_every_command_and_option_is_one_of_ours() -> None:
    for arguments in commands():
        first, *words = arguments
        command = cli.get_command(Context(cli), first)
        assert command is not None, arguments
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known


def test_every_setting_is_one_of_ours() -> None:
    known = {variable for name in RULES for variable in variables_of(name)}
    texts = [
        path.read_text(encoding="utf-8") for path in (*MANIFESTS, DEPLOY / "compose.yaml", DEPLOY / "Containerfile")
    ]
    named = set(re.findall(r"^\s*(QUAESTOR_[A-Z_]+)[:=]", "\n".join(texts), re.MULTILINE))
    assert {"QUAESTOR_STORE", "QUAESTOR_HOME"} <= named <= known


def counted() -> set[str]:
    """Return the names of what a server counts."""
    pytest.importorskip("prometheus_client")
    from quaestor.server.http.prometheus import Metrics  # noqa: PLC0415 - needs the extra

    class NoCorpora:
        def states(self) -> tuple[()]:
            return ()

    return set(re.findall(r"^# TYPE (\S+)", Metrics(NoCorpora()).text().decode(), re.MULTILINE))  # type: ignore[arg-type]


def test_the_board_shows_what_is_counted() -> None:
    board = json.loads((DEPLOY / "grafana" / "quaestor.json").read_text(encoding="utf-8"))
    asked = {
        name
        for panel in board["panels"]
        for target in panel["targets"]
        for name in re.findall(r"quaestor_[a-z_]+", target["expr"])
    }
    assert {re.sub(r"_bucket$", "", name) for name in asked} == counted()
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])


def test_what_wakes_somebody_up_asks_for_what_is_counted() -> None:
    pytest.importorskip("prometheus_client")
    from quaestor.server.api.corpus_routes import router  # noqa: PLC0415 - needs the extra

    rules = yaml.safe_load((DEPLOY / "prometheus_rules.yaml").read_text(encoding="utf-8"))["groups"][0]["rules"]
    asked = " ".join(rule["expr"] for rule in rules)
    names = {re.sub(r"_bucket$", "", name) for name in re.findall(r"quaestor_[a-z_]+", asked)}
    assert len(names) > 2
    assert names <= counted()
    codes = {code for group in re.findall(r'code=~?"([^"]+)"', asked) for code in group.split("|")}
    assert codes == {AccountsUnusableError.code, IndexUnusableError.code, UpstreamError.code}
    assert f"/api{next(route.path for route in router.routes if route.name == 'search')}" in asked
    scraped = yaml.safe_load((DEPLOY / "prometheus.yaml").read_text(encoding="utf-8"))
    assert scraped["rule_files"] == ["prometheus_rules.yaml"]
    assert f'job="{scraped["scrape_configs"][0]["job_name"]}"' in asked
