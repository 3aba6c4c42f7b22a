"""``quaestor tune`` as a command: what it prints, keeps, undoes and refuses."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

sys.path.insert(0, str(Path(__file__).parents[1] / "tuning"))

from test_tuning import lay_out

from quaestor.cli.click_group import cli
from quaestor.core.errors import UsageError


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("QUAESTOR_HOME", str(tmp_path / "home"))
    return lay_out(tmp_path / "corpus", 160)


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, arguments, standalone_mode=False)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.return_value or 0, result.stdout


def embedder(corpus: Path) -> str:
    return str(json.loads(run("stats", str(corpus), "--json")[1])["index"]["embedder"])


def test_what_is_kept_is_searched_shown_and_undone(corpus: Path) -> None:
    bundled = embedder(corpus)
    code, text = run("tune", str(corpus), "--questions", "80", "--seconds", "600", "--json")
    figures = json.loads(text)
    assert code == 0 and figures["kept"] and figures["metric"] == "ndcg@10"
    assert embedder(corpus) != bundled
    line = f"{figures['rows'][0]['before']['mean']:.3f} before, {figures['rows'][0]['after']['mean']:.3f} after"
    assert line in run("stats", str(corpus))[1]
    assert line in run("doctor", str(corpus))[1]
    assert json.loads(run("stats", str(corpus), "--json")[1])["tuned"]["figures"]["rows"] == figures["rows"]
    assert run("tune", str(corpus), "--undo")[1].endswith("bundled embedder again (160 chunks).\n")
    assert embedder(corpus) == bundled
    assert "is not tuned" in run("tune", str(corpus), "--undo")[1]


@pytest.mark.slow
def test_a_dry_run_measures_and_keeps_nothing(corpus: Path) -> None:
    code, text = run("tune", str(corpus), "--questions", "80", "--seconds", "600", "--dry-run")
    assert code == 0 and "learned, all" in text and "new, all" in text and "this was a dry run" in text
    assert "+" not in embedder(corpus)


def test_what_cannot_be_is_refused_and_nothing_is_changed(corpus: Path) -> None:
    for name in list(corpus.iterdir())[9:]:
        name.unlink()
    with pytest.raises(UsageError, match="too small to tune"):
        run("tune", str(corpus))
    with pytest.raises(UsageError, match="cannot be combined"):
        run("tune", str(corpus), "--undo", "--dry-run")
    assert "+" not in embedder(corpus)
