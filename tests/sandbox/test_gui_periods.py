"""Periods as people type them, date words for one and for several, and related lists that show a part only."""

from __future__ import annotations

import html
import json

import pytest

from study.sandbox.gui.terms import as_period, date_words
from tests.sandbox.fixtures.atlas import atlas_id
from tests.sandbox.gui_desk import Room


@pytest.mark.parametrize(
    ("typed", "written"),
    [("Q2 2023", "2023-Q2"), ("q2 2023", "2023-Q2"), ("2023-q2", "2023-Q2"), ("April 2023", "2023-04"),
     ("november 2023", "2023-11"), ("2023", "2023"), ("2023-04-17", "2023-04-17"), ("soon", "soon")],
)  # fmt: skip
def test_a_period_is_understood_as_typed(typed: str, written: str) -> None:
    assert as_period(typed) == written


def test_a_typed_period_filters_and_nonsense_is_refused(atlas_gui: Room) -> None:
    quarter = {"c": "CreatedDate", "o": "during"}
    assert atlas_gui.total("Case", **quarter, v="q3 2023") == atlas_gui.total("Case", **quarter, v="2023-Q3") > 0
    refused = atlas_gui.get("o/Case/", **quarter, v="Q5 2023")
    assert refused.status_code == 400
    assert "is not a period" in refused.content.decode()


def test_lists_and_reports_offer_periods_for_dates_only(atlas_gui: Room) -> None:
    for page in ("o/Case/", "report/Case/"):
        shown = atlas_gui.get(page).content.decode()
        assert '<option value="during" data-type="p">in the year, quarter or month</option>' in shown
    (kinds,) = {part.split("'")[0] for part in shown.split("data-ops='")[1:]}
    fitting = json.loads(html.unescape(kinds))
    assert {kind for kind, ops in fitting.items() if "during" in ops} == {"date", "datetime"}


def test_one_month_is_one_month() -> None:
    assert date_words("past_months", "1") == "in the past 1 month, up to today"
    assert date_words("past_months", "11") == "in the past 11 months, up to today"
    assert date_words("last_n_days", "1") == "in the last 1 day and today"
    assert date_words("today", "") == "today"


def test_a_related_list_says_what_it_leaves_out(atlas_gui: Room) -> None:
    assert "The first 5 of 6: show all Tasks" in atlas_gui.text(f"r/{atlas_id('stage')}/")
    assert "show all Orders" not in atlas_gui.text(f"r/{atlas_id('quell')}/")
