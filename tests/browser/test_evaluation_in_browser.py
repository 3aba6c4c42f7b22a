"""The report of an evaluation in a real browser: nothing sticks out, everybody can read it, nothing in it runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser_parts import DESKTOP, LOOKS, Page
from selenium.webdriver import Chrome

from evaluation.result_parts import found
from quaestor.evaluation.reports.report import report


@pytest.fixture
def written(chromium: Chrome, tmp_path: Path) -> Iterator[Page]:
    (tmp_path / "report.html").write_text(report(found()), "utf-8")
    chromium.get_log("browser")
    page = Page(chromium, tmp_path.as_uri())
    yield page
    complaints = page.complaints()
    chromium.get("about:blank")
    assert complaints == []


# The longest of all pages is looked at once in every run; the others are in both sizes and colours.
@pytest.mark.parametrize(
    ("size", "scheme"),
    [pytest.param(*one.values, id=one.id, marks=[] if one.id == "phone-dark" else pytest.mark.slow) for one in LOOKS],
)
def test_it_can_be_read(written: Page, size: tuple[int, int], scheme: str) -> None:
    written.size(*size).colours(scheme).open("/report.html")
    for part in written.all("details"):
        written.run("arguments[0].open = true", part)
    assert written.sideways() <= 0
    assert written.violations() == []
    assert len(written.all("svg[role=img]")) > 20


def test_nothing_in_it_runs(written: Page) -> None:
    written.size(*DESKTOP).open("/report.html")
    assert written.run("return document.scripts.length + document.images.length") == 0
    assert "<script>alert(1)</script>" in written.text("h1")
