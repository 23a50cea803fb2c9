"""A list of a large object is shown at once; its exact counts follow."""

from __future__ import annotations

import re
from typing import Any

import pytest

from study.sandbox.engine.errors import QueryTimeout
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.gui import views_lists
from study.sandbox.models import TraceEvent
from tests.sandbox.gui_desk import Room


@pytest.fixture
def slow(gui: Room, monkeypatch: pytest.MonkeyPatch) -> Room:
    """An Org that counts as large, in which nothing is counted within a moment."""
    monkeypatch.setattr(views_lists, "LARGE", 10)
    for name in ("count", "kept"):
        real = getattr(Snapshot, name)

        def late(self: Snapshot, spec: Any, today: Any, seconds: float = 5.0, real: Any = real) -> Any:
            if seconds < 1:
                raise QueryTimeout(seconds)
            return real(self, spec, today, seconds)

        monkeypatch.setattr(Snapshot, name, late)
    return gui


def test_the_rows_come_first_and_ask_for_the_counts(slow: Room) -> None:
    response = slow.get("o/Case/", **{"s.Status": "New"})
    page = response.content.decode()
    assert len(response.context["view"].rows) == 18
    assert "counting" in page
    assert re.search(r'<div id="counting" hx-get="[^"]*s\.Status=New&amp;count=1" hx-trigger="load"', page)
    assert [facet.counted for facet in response.context["facets"]] == [False] * len(response.context["facets"])
    assert not re.search(r"<em>\d", page)


def test_what_follows_holds_every_exact_count_and_is_no_second_event(slow: Room) -> None:
    first = slow.get("o/Case/", **{"s.Status": "New"})
    later = slow.client.get(first.context["view"].counted, headers={"HX-Request": "true"})
    page = later.content.decode()
    for name in ("list-count", "filters", "pager"):
        assert f'id="{name}"' in page
    assert "<b>18</b> of" in page
    assert 'id="counting"' not in page
    assert all(facet.counted for facet in later.context["facets"])
    assert [(event.kind, event.n) for event in TraceEvent.objects.order_by("sequence")] == [("list", None)]


def test_without_scripts_the_count_is_a_link_away(slow: Room) -> None:
    first = slow.get("o/Case/", **{"s.Status": "New"})
    assert f'<a href="{first.context["view"].counted.replace("&", "&amp;")}">counting</a>' in first.content.decode()
    assert "<b>18</b> of" in slow.client.get(first.context["view"].counted).content.decode()


def test_pages_can_be_turned_before_they_are_counted(slow: Room) -> None:
    conditions = {"c": "Subject", "o": "ne", "v": "Nothing of the kind"}
    first = slow.get("o/Case/", **conditions)
    view = first.context["view"]
    assert (len(view.rows), view.known, view.pages, view.last_page) == (50, None, 2, "")
    last = slow.client.get(view.next).context["view"]
    assert (len(last.rows), last.next, last.page) == (20, "", 2)


def test_a_whole_object_needs_no_counting(slow: Room) -> None:
    assert slow.get("o/Case/").context["view"].known == 70


def test_a_small_object_is_counted_at_once(gui: Room) -> None:
    response = gui.get("o/Case/", **{"s.Status": "New"})
    assert response.context["view"].known == 18
    assert 'id="counting"' not in response.content.decode()
    assert TraceEvent.objects.get().n == 18
