"""Writing the results into a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from quaestor.evaluation.results import Results
from quaestor.evaluation.writing.report import report
from quaestor.evaluation.writing.report_json import results_object
from quaestor.evaluation.writing.text_tables import configurations_table, questions_table


def write_results(results: Results, folder: Path) -> Mapping[str, Path]:
    """Write everything into a folder, over what was written there before; return each file by what it is."""
    folder.mkdir(parents=True, exist_ok=True)
    written = {
        "report": folder / "report.html",
        "configurations": folder / "configurations.csv",
        "questions": folder / "questions.csv",
        "results": folder / "results.json",
    }
    contents = {
        "report": report(results),
        "configurations": configurations_table(results),
        "questions": questions_table(results),
        "results": json.dumps(results_object(results, written), indent=1, ensure_ascii=False) + "\n",
    }
    for what, path in written.items():
        path.write_text(contents[what], "utf-8", errors="replace")
    return written
