"""Dates as documents and people write them."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.bylines import WRITTEN, after, date_bound, date_of_path, iso_date
from quaestor.core.errors import UsageError

DAYS = st.dates(date(1500, 1, 1), date(2199, 12, 30))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2021-03-04", "2021-03-04"),
        ("2021-03-04T10:00:00+02:00", "2021-03-04"),
        ("2021-03-04 10:00", "2021-03-04"),
        ("2021/3/4", "2021-03-04"),
        ("20210304", "2021-03-04"),
        ("22-Feb-2021", "2021-02-22"),
        ("01-Jan-2001, 05-Feb-2002", "2001-01-01"),
        ("March 4, 2021", "2021-03-04"),
        ("4th of March, 2021", "2021-03-04"),
        ("Thu, 04 Mar 2021 10:00:00 +0000", "2021-03-04"),
        ("13.4.2021", "2021-04-13"),
        ("04/13/2021", "2021-04-13"),
        ("03/04/2021", "2021"),
        ("Sept. 2020", "2020-09"),
        ("2021-03", "2021-03"),
        ("2021", "2021"),
        ("v2.2021", None),
        ("2021-13-01", None),
        ("0 BC", None),
        ("", None),
    ],
)
def test_the_first_date_of_a_text(text: str, expected: str | None) -> None:
    assert iso_date(text) == expected


@given(DAYS, st.sampled_from(["%Y-%m-%d", "%d %B %Y", "%d-%b-%Y", "%B %d, %Y", "%Y%m%d", "%Y/%m/%d", "%a, %d %b %Y"]))
def test_a_day_is_read_back_however_it_is_written(day: date, form: str) -> None:
    assert iso_date(day.strftime(form)) == day.isoformat()


@given(DAYS, st.sampled_from(["%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%B %Y", "%Y"]))
def test_the_expression_for_dates_takes_the_whole_of_one(day: date, form: str) -> None:
    assert re.fullmatch(WRITTEN, day.strftime(form), re.IGNORECASE)


@given(st.text())
def test_whatever_is_read_is_a_date(text: str) -> None:
    found = iso_date(text)
    if found is not None:
        year, month, day = (found + "-01-01").split("-")[:3]
        date(int(year), int(month), int(day))


@given(DAYS)
def test_what_follows_a_day_a_month_and_a_year(day: date) -> None:
    assert after(day.isoformat()) == (day + timedelta(days=1)).isoformat()
    month, year = f"{day:%Y-%m}", f"{day:%Y}"
    assert day.isoformat() < after(month) and (day.month == 12 or after(month)[:4] == year)
    assert after(year) == f"{day.year + 1:04}"
    assert day.isoformat() < after(year)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("posts/2021-03-04-title.md", "2021-03-04"),
        ("2021-03-04.md", "2021-03-04"),
        ("2021/03/04/x/index.html", "2021-03-04"),
        ("blog/2021/03/x.md", "2021-03"),
        ("blog/2021/13/x.md", None),
        ("blog/2021/x.md", None),
        ("x2021-03-04.md", None),
        ("2021-03-41-x.md", None),
        ("a.md", None),
    ],
)
def test_dates_in_paths(path: str, expected: str | None) -> None:
    assert date_of_path(path) == expected


def test_bounds() -> None:
    assert date_bound("March 2020") == "2020-03"
    assert date_bound(" ") == ""
    with pytest.raises(UsageError, match=r"'last year' is not a date. Give a year"):
        date_bound("last year")
