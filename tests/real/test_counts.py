"""What a real server counts, beside what we counted: ``benchmarks/usage.py`` as it is run by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from real_servers import ROOT, RealServer

pytestmark = pytest.mark.real


def rows(server: RealServer, tmp_path: Path, *arguments: str) -> list[dict[str, object]]:
    out = tmp_path / "usage.json"
    command = [sys.executable, str(ROOT / "benchmarks" / "usage.py"), "--base-url", server.base_url]
    command += ["--model", server.model, "--server", server.name, "--out", str(out), *arguments]
    environment = {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=600)
    print(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    found: list[dict[str, object]] = json.loads(out.read_text(encoding="utf-8"))["rows"]
    return found


@pytest.mark.parametrize("name", ["llama_cpp_python", "transformers_serve"])
def test_nothing_is_counted_too_low_elsewhere(
    request: pytest.FixtureRequest, tokenizer_file: Path, tmp_path: Path, name: str
) -> None:
    found = rows(request.getfixturevalue(name), tmp_path, "--tokenizer", str(tokenizer_file))
    refused = [row for row in found if row["refused"]]
    assert len(found) - len(refused) > 20
    assert all("context length" in str(row["refused"]) for row in refused)


def test_a_bound_is_never_too_low(llama: RealServer, tmp_path: Path) -> None:
    assert len(rows(llama, tmp_path, "--protocols", "chat")) > 10


def test_nothing_is_counted_too_low(llama: RealServer, tokenizer_file: Path, tmp_path: Path) -> None:
    found = rows(llama, tmp_path, "--tokenizer", str(tokenizer_file))
    assert len(found) > 25
    assert not [row for row in found if row["refused"]]
    plain = [row for row in found if row["protocol"] == "completion" and "special" not in str(row["case"])]
    exact = [row["case"] for row in plain if row["difference"] == 1]
    assert set(exact) >= {"one word", "names", "few-shot examples", "code", "CJK", "emoji", "blanks", "numbers"}
