"""Charts: what is drawn, that it is safe in a page under a strict policy, and that its colours can be seen."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from study.sandbox.gui.charting import PARTS, Point, chart_svg, ticks, with_rest
from tests.test_architecture import contrast, palette

CSS = (Path(__file__).resolve().parents[2] / "static/css/crm-reports.css").read_text()
MONTHS = [Point(f"Month {n}", (float(n * n % 7),), str(n * n % 7)) for n in range(12)]
LABELS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40)
VALUES = st.none() | st.floats(-1e12, 1e12, allow_nan=False)


def drawings(svg: str) -> list[ElementTree.Element]:
    """The wide and the narrow drawing."""
    return list(ElementTree.fromstring(f"<page>{svg}</page>"))


def marks(drawing: ElementTree.Element, css: str) -> list[ElementTree.Element]:
    return [mark for mark in drawing.iter() if css in (mark.get("class") or "").split()]


@given(
    kind=st.sampled_from(["bar", "line", "donut"]),
    rows=st.lists(st.tuples(LABELS, st.lists(VALUES, min_size=3, max_size=3)), max_size=30),
    series=st.booleans(),
    stacked=st.booleans(),
)
def test_any_numbers_make_a_sound_drawing(
    kind: str, rows: list[tuple[str, list[float | None]]], series: bool, stacked: bool
) -> None:
    points = [Point(label, tuple(values)) for label, values in rows]
    names = ["One", "<Two>", "Thr&ee"] if series and kind != "donut" else []
    svg = chart_svg(kind, "Cases by <owner>", points, names, stacked=stacked)
    assert svg == chart_svg(kind, "Cases by <owner>", points, names, stacked=stacked)
    assert not re.search(r'style=|<script|\sid=|nan|inf"|on\w+=', re.sub(r">[^<]*<|aria-label=\"[^\"]*\"", "", svg))
    for drawing in drawings(svg):
        assert drawing.get("role") == "img"
        assert (drawing.get("aria-label") or "").startswith("Cases by <owner>: ")


def test_bars_begin_at_zero_and_are_as_long_as_their_numbers() -> None:
    for drawing in drawings(
        chart_svg("bar", "Cases", [Point("A", (10.0,), "10"), Point("B", (5.0,), "5"), Point("C", (0.0,), "0")])
    ):
        bars = marks(drawing, "bar-fill")
        widths = [float(bar.get("width", 0)) for bar in bars]
        assert widths[0] == pytest.approx(widths[1] * 2, abs=0.2)
        assert widths[2] == 0
        assert len({bar.get("x") for bar in bars}) == 1
        assert [text.text for text in marks(drawing, "ch-number")] == ["10", "5", "0"]


def test_negative_bars_hang_to_the_left_of_zero() -> None:
    wide, _narrow = drawings(chart_svg("bar", "Change", [Point("A", (4.0,)), Point("B", (-2.0,))]))
    up, down = marks(wide, "bar-fill")
    assert float(down.get("x", 0)) + float(down.get("width", 0)) == pytest.approx(float(up.get("x", 0)), abs=0.2)


def test_a_stack_is_as_long_as_its_parts_together() -> None:
    points = [Point("A", (3.0, None, 5.0)), Point("B", (0.0, 8.0, 0.0))]
    wide, _narrow = drawings(chart_svg("bar", "Cases", points, ["x", "y", "z"]))
    parts = [bar for bar in wide.iter("{*}rect") if bar.get("height") != "11.0"]
    parts = parts or [bar for bar in wide.iter("rect") if bar.get("height") != "11.0"]
    ends = {float(bar.get("x", 0)) + float(bar.get("width", 0)) for bar in parts[1:]}
    assert len(parts) == 3
    assert max(ends) - min(ends) < 0.2


def test_a_line_breaks_where_there_is_nothing() -> None:
    points = [Point("a", (1.0,)), Point("b", (2.0,)), Point("c", (None,)), Point("d", (3.0,)), Point("e", (1.0,))]
    wide, _narrow = drawings(chart_svg("line", "Hours", points))
    assert len(marks(wide, "ch-line")) == 2
    assert len(marks(wide, "bar-fill")) == 4


def test_a_donut_has_eight_parts_at_most_and_loses_nothing() -> None:
    points = [Point(f"P{n}", (float(n),)) for n in range(12)]
    parts = with_rest(points, "Other")
    assert len(parts) == PARTS
    assert parts[-1].label == "Other"
    assert sum(part.value for part in parts) == sum(range(12))
    wide, _narrow = drawings(chart_svg("donut", "Cases", parts))
    assert len(marks(wide, "ch-slice")) == PARTS
    said = " ".join(text.text or "" for text in marks(wide, "ch-number"))
    assert "(16.7%)" in said


def test_nothing_to_draw_draws_nothing() -> None:
    assert chart_svg("bar", "Cases", []) == chart_svg("bar", "Cases", [Point("A", (None,))]) == ""
    assert chart_svg("pie", "Cases", MONTHS) == ""


@given(st.floats(-1e9, 0), st.floats(0, 1e9))
def test_ticks_are_round_and_hold_everything(low: float, high: float) -> None:
    found = ticks(low, high)
    if high - low > 1e-6:
        assert found[0] <= low + 1e-6 * (high - low)
        assert found[-1] >= high - 1e-6 * (high - low)
    assert 2 <= len(found) <= 12
    assert found == sorted(found)


@pytest.mark.parametrize("sheet", ["#FFFFFF", "#171E26"])
def test_parts_can_be_seen_on_both_sheets(sheet: str) -> None:
    colours = {name: value for name, value in palette(CSS).items() if name.startswith("--part-")}
    assert len(colours) == PARTS
    assert {
        name: round(contrast(value, sheet), 2) for name, value in colours.items() if contrast(value, sheet) < 3
    } == {}


def test_the_axis_of_shares_is_in_percent() -> None:
    svg = chart_svg("bar", "Share of Leads", [Point("A", (0.75,), "75%"), Point("B", (0.5,), "50%")])
    assert ">40%<" in svg
    assert ">0.40<" not in svg
    assert ">0.40<" in chart_svg("bar", "Hours", [Point("A", (0.75,), "0.75"), Point("B", (0.5,), "0.50")])
