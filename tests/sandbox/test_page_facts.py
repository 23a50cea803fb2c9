"""What a page says of itself: kept beside the trace, checked against the server's clock, and used for no limit."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from study.sandbox.desks import close_desk, open_desk
from study.sandbox.models import PageFact, TraceEvent
from study.sandbox.page_facts import Report, Unreadable, device_class
from tests.sandbox.gui_desk import Room, gui  # noqa: F401

pytestmark = pytest.mark.django_db
MARK = re.compile(rb'<meta name="page-event" content="(\d*)"')


def report(room: Room, sequence: Any, **more: Any) -> int:
    sent = {"sequence": sequence, "visible": 1500, "focused": 1200, "idle": 0, "copied": "", "width": 1280} | more
    return int(room.client.post(f"/crm/{room.desk.code}/facts/", sent).status_code)


def test_a_page_carries_the_number_of_its_event(gui: Room) -> None:  # noqa: F811
    case = gui.some("Case", 1)[0]
    for where, kind in (("", "home"), ("o/Case/", "list"), (f"r/{case}/", "record"), ("search/?q=a", "search")):
        answer = gui.client.get(f"/crm/{gui.desk.code}/{where}")
        event = TraceEvent.objects.filter(desk=gui.desk).order_by("-sequence")[0]
        assert event.kind == kind
        assert MARK.search(answer.content)[1] == str(event.sequence).encode()  # type: ignore[index]
        assert (answer["X-Page-Event"], event.address) == (str(event.sequence), where)
    # A part that is fetched while typing is no page; a page that was not found answers nothing.
    assert "X-Page-Event" not in gui.client.get(f"/crm/{gui.desk.code}/search/suggest/?q=a").headers
    assert MARK.search(gui.client.get(f"/crm/{gui.desk.code}/r/500000000000000/").content)[1] == b""  # type: ignore[index]


def test_desks_of_staff_are_not_measured(gui: Room, ada: Any, study: Any) -> None:  # noqa: F811
    """Nobody of the team reports on themselves, and a report sent all the same stays nowhere."""
    desk = open_desk(org=gui.desk.org, user=ada, purpose="staff")
    browser = Client()
    browser.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    answer = browser.get(f"/crm/{desk.code}/o/Case/")
    assert answer.status_code == 200
    assert b"page-event" not in answer.content
    assert b"crm-facts" not in answer.content
    sent = {"sequence": 1, "visible": 1, "focused": 1, "idle": 0}
    assert browser.post(f"/crm/{desk.code}/facts/", sent).status_code == 204
    assert PageFact.objects.count() == 0


def test_reports_add_up_and_never_shrink(gui: Room) -> None:  # noqa: F811
    """One row per page: the same report again, and an older one that comes late, change nothing."""
    gui.get("o/Case/")
    one, two = gui.some("Case", 2)
    assert report(gui, 1, copied=f"{one[:15]} Troubleshooting {one}") == 204
    assert report(gui, 1, visible=3000, focused=2000, idle=500, copied=two, width=400) == 204
    assert report(gui, 1) == 204
    fact = PageFact.objects.get()
    assert (fact.visible_ms, fact.focused_ms, fact.idle_ms, fact.width, fact.odd) == (3000, 2000, 500, 1280, False)
    # Ids of records in their long form, and never another word of fifteen letters.
    assert fact.copied == [one, two]


def test_p19_odd_client_times_are_a_flag_and_not_used(gui: Room) -> None:  # noqa: F811
    """P-19: longer than the page exists, or a part longer than the whole, is marked; what was plausible stays."""
    gui.get("o/Case/")
    TraceEvent.objects.update(at=timezone.now() - timedelta(seconds=60))
    assert report(gui, 1, visible=30_000, focused=30_000) == 204
    for odd in ({"visible": 86_400_000}, {"visible": 5_000, "focused": 6_000}, {"visible": 5_000, "idle": 5_001}):
        assert report(gui, 1, **odd) == 204
    fact = PageFact.objects.get()
    assert (fact.odd, fact.visible_ms, fact.focused_ms) == (True, 30_000, 30_000)


def test_only_the_person_of_the_desk_reports_and_only_on_its_own_events(gui: Room, cleo: Any) -> None:  # noqa: F811
    gui.get("o/Case/")
    stranger = Client()
    stranger.force_login(cleo, backend="django.contrib.auth.backends.ModelBackend")
    sent = {"sequence": 1, "visible": 1, "focused": 1, "idle": 0}
    assert stranger.post(f"/crm/{gui.desk.code}/facts/", sent).status_code == 404
    assert report(gui, 2) == 400
    for wrong in ("", "-1", "1.5", "9" * 13, "x"):
        assert report(gui, 1, visible=wrong) == 400
    assert report(gui, 1, copied="x" * 20_000) == 413
    careful = Client(enforce_csrf_checks=True)
    careful.force_login(gui.desk.user, backend="django.contrib.auth.backends.ModelBackend")  # type: ignore[arg-type]
    assert careful.post(f"/crm/{gui.desk.code}/facts/", sent).status_code == 403
    token = re.search(rb'data-token="(\w+)"', careful.get(f"/crm/{gui.desk.code}/").content)[1]  # type: ignore[index]
    assert (
        careful.post(f"/crm/{gui.desk.code}/facts/", sent | {"csrfmiddlewaretoken": token.decode()}).status_code == 204
    )
    # The last page reports as it is left, when its desk has been closed by the answer.
    close_desk(gui.desk)
    assert report(gui, 1, visible=4000) == 204
    assert PageFact.objects.get().visible_ms == 4000


@pytest.mark.parametrize(("width", "name"), [(375, "phone"), (768, "tablet"), (1024, "desktop"), (None, ""), (0, "")])
def test_the_device_is_told_by_the_width_of_the_window(width: int | None, name: str) -> None:
    assert device_class(width) == name


def test_a_report_that_no_page_sends_is_not_read() -> None:
    with pytest.raises(Unreadable):
        Report.read({"sequence": "1"})
    read = Report.read(
        {"sequence": "1", "visible": "0", "focused": "0", "idle": "0", "width": "30000", "copied": "a b"}
    )
    assert (read.width, read.copied) == (None, ())
