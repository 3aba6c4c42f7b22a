"""The reports of an evaluation: no text in them is executed, whoever wrote the questions and the corpus."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.result_parts import HOSTILE, found
from quaestor.evaluation.reports import configurations_table, questions_table, results_object, write_results
from quaestor.evaluation.reports.html_report import Markup, join, linear, of_costs, plain, tag
from quaestor.evaluation.reports.report import report
from quaestor.evaluation.results import Results

TAGS = set(
    "article body circle code desc details div figcaption figure g h1 h2 h4 h5 head header html li line main meta ol p"
    " pre section small span strong style summary svg table tbody td text th thead title tr ul".split()
)


class Read(HTMLParser):
    """A page as a browser sees it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.values: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.handle_startendtag(tag, attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.values += [value or "" for _, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def results() -> Results:
    return found()


def test_a_page_holds_our_own_elements_only(results: Results) -> None:
    page = Read(report(results))
    assert page.tags <= TAGS
    assert page.open == []
    assert not any(name.startswith("on") or name in ("href", "src", "style", "srcset") for name in page.attributes)
    for text in HOSTILE:
        assert plain(text)[:200] in page.text
    assert not any(hidden in page.text for hidden in "\x1b\u202e\u2066\x00\ud800")


def test_a_page_loads_nothing(results: Results) -> None:
    text = report(results)
    assert "default-src 'none'; style-src 'unsafe-inline'" in text.replace("&#x27;", "'")
    assert "url(" not in text
    assert "@import" not in text
    text.encode()


@given(st.text())
def test_text_stays_text_and_says_the_same(text: str) -> None:
    page = Read(tag("p", text, title=text))
    assert page.tags == {"p"}
    assert page.text == plain(text)
    assert page.values == [plain(text)]


def test_only_what_was_made_here_is_markup() -> None:
    assert join(["<b>", tag("b", "x"), None, Markup("<i>")]) == "&lt;b&gt;<b>x</b><i>"
    assert tag("a-b", class_="c", aria_label='"', hidden=True, gone=None, no=False) == (
        '<a-b class="c" aria-label="&quot;" hidden></a-b>'
    )


def test_one_configuration_and_one_category_make_a_page_too() -> None:
    results = found(["only question"], ["static"])
    assert "Differences" in Read(report(results)).text
    alone = Results(results.data_set, results.rows[:1], (), (), results.cutoffs, results.machine, results.date)
    text = Read(report(alone)).text
    assert "Quality against cost" not in text
    assert "A (static · auto · ranked) has an NDCG@10 of" in text


def test_no_cell_of_a_table_is_a_formula(results: Results) -> None:
    for table in (configurations_table(results), questions_table(results)):
        rows = list(csv.reader(io.StringIO(table)))
        assert len({len(row) for row in rows[:1] + rows[1:2]}) == 1
        for cell in (cell for row in rows for cell in row):
            assert not cell.startswith(("=", "@", "+"))
    asked = [row[2] for row in csv.reader(io.StringIO(questions_table(results)))]
    assert "'=HYPERLINK(1)" in asked
    assert "ordinary words" in asked


def test_tables_hold_every_number(results: Results) -> None:
    rows = list(csv.DictReader(io.StringIO(configurations_table(results))))
    whole = [row for row in rows if not row["category"]]
    assert len(whole) == len(results.rows) == 8
    assert len(rows) == 8 * (1 + len(results.categories))
    assert float(whole[0]["ndcg@10"]) == pytest.approx(results.rows[0].means["ndcg@10"].mean, abs=1e-4)
    assert float(whole[3]["index_seconds"]) == 10.0


def test_everything_is_written_into_one_folder(results: Results, tmp_path: Path) -> None:
    written = write_results(results, tmp_path / "a" / "b")
    assert sorted(path.name for path in written.values()) == [
        *["configurations.csv", "questions.csv", "report.html", "results.json"]
    ]
    kept = json.loads(written["results"].read_text("utf-8", errors="surrogatepass"))
    assert kept["configurations"][0]["name"] == "A"
    assert {one["differ_in"] for one in kept["comparisons"]} == {"embedder", "chunker", "search"}
    assert kept["data_set"]["questions"] == len(HOSTILE)
    assert json.loads(json.dumps(results_object(results, written)))["metric"] == "ndcg@10"


@given(st.floats(0, 1), st.floats(0, 1))
def test_an_axis_holds_what_it_is_for(low: float, high: float) -> None:
    scale = linear(min(low, high), max(low, high))
    assert 2 <= len(scale.ticks) <= 12
    for value in (low, high):
        assert -1e-6 <= scale.at(value) <= 1 + 1e-6


@given(st.lists(st.floats(1e-6, 1e9), min_size=1, max_size=9))
def test_an_axis_of_costs_holds_all_of_them(costs: list[float]) -> None:
    scale = of_costs(costs)
    places = [scale.at(cost) for cost in sorted(costs)]
    assert all(-1e-6 <= place <= 1 + 1e-6 for place in places)
    assert places == sorted(places)
    assert len(scale.ticks) < 30
