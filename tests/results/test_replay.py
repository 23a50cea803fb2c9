"""A replay walks the same pages in order, for who may see the data, of people who agreed, and tells no rating early."""

from __future__ import annotations

import json
import re

import pytest
from django.test import Client

from study.accounts.adapter import user_with_address
from study.accounts.flows import add_member, unblind
from study.accounts.models import AuditRow, Role
from study.people.consenting.consent import choose
from study.people.models import Participant
from study.results.replaying import Walk
from study.sandbox.models import Desk, PageFact, TraceEvent
from tests.fieldwork.hour import Hour

pytestmark = pytest.mark.django_db
FRAME = re.compile(r'<iframe[^>]* src="([^"]+)"')


def agree_to_replay() -> None:
    for participant in Participant.objects.filter(consents__isnull=False):
        choose(participant, "replay", given=True)


@pytest.fixture
def worked(cohort, ben, client) -> Hour:
    """Ben at work: a list, a filtered list, a search, a report, a record, and an answer typed and saved."""
    hour = Hour.begin(cohort, ben, client)
    hour.orient()
    desk = hour.open_question()
    for where in ("o/Case/?c=Status&o=eq&v=Closed&sort=-CreatedDate", "search/?q=Tent", "report/Case/?g=Status"):
        assert hour.get(f"{desk}{where}", follow=True).status_code == 200, where
    case = hour.get(f"{desk}o/Case/").context["view"].rows[0].record_id
    hour.get(f"{desk}r/{case}/")
    assert hour.save("attempt/1", {"answer": "half a thought", "confidence": 40}).status_code == 200
    agree_to_replay()
    return hour


def events_of(hour: Hour) -> list[TraceEvent]:
    return list(TraceEvent.objects.filter(desk__attempt__visit=hour.visit).order_by("at", "pk"))


def test_the_walk_shows_the_same_pages_in_order_with_the_same_queries(study, worked, desk_of_ada):
    """What was asked then is asked again: event for event the same kind, object, record, query and number."""
    own = events_of(worked)
    base = f"/studies/{study.code}/visits/{worked.code}-1/replay/"
    course = desk_of_ada.get(base)
    assert course.status_code == 200
    steps = course.context["walk"].steps
    assert [step.event.pk for step in steps] == [one.pk for one in own]
    for step in steps:
        page = desk_of_ada.get(f"{base}{step.number}/")
        shown = desk_of_ada.get(FRAME.search(page.content.decode())[1].replace("&amp;", "&"))
        assert shown.status_code == 200
        assert shown["X-Frame-Options"] == "SAMEORIGIN"
        assert "frame-ancestors 'self'" in shown["Content-Security-Policy"]
        again = TraceEvent.objects.order_by("-pk")[0]
        assert again.desk.purpose == "staff"
        assert again.desk.today == step.event.desk.today
        for name in ("kind", "object", "record", "query", "n", "address"):
            assert getattr(again, name) == getattr(step.event, name), (step.number, name)
    # One desk of Ada's serves the whole walk, and turning pages is one look.
    assert Desk.objects.filter(purpose="staff").count() == 1
    assert AuditRow.objects.filter(act="replay.viewed", target=f"{worked.code}-1").count() == 1
    # A participant's own page stands in no other page.
    assert worked.client.get(f"/crm/{own[0].desk.code}/")["X-Frame-Options"] == "DENY"


def test_a_step_says_what_was_asked_how_long_and_what_was_saved(study, worked, desk_of_ada):
    record = TraceEvent.objects.filter(kind="record", desk__attempt__visit=worked.visit).get()
    PageFact.objects.create(desk=record.desk, sequence=record.sequence, visible_ms=12_400, copied=[record.record])
    number = [one.pk for one in events_of(worked)].index(record.pk) + 1
    page = desk_of_ada.get(f"/studies/{study.code}/visits/{worked.code}-1/replay/{number}/")
    text = page.content.decode()
    assert "half a thought" in text
    assert "12 s in view" in text
    assert worked.attempt(1).place.instance.question in text
    assert record.record in text
    assert f"replay/{number - 1}/" in text
    assert 'rel="next"' not in text
    assert desk_of_ada.get(f"/studies/{study.code}/visits/{worked.code}-1/replay/{number + 1}/").status_code == 404


def test_only_those_who_agreed_can_be_walked_through(study, worked, desk_of_ada):
    base = f"/studies/{study.code}/visits/{worked.code}-1/replay/"
    for participant in Participant.objects.all():
        choose(participant, "replay", given=False)
    assert "did not agree" in desk_of_ada.get(base).content.decode()
    assert "did not agree" in desk_of_ada.get(f"/studies/{study.code}/visits/").content.decode()
    assert desk_of_ada.get(f"{base}1/")["Location"] == base
    agree_to_replay()
    Participant.objects.update(data_choice="take_out")
    assert "have been taken out" in desk_of_ada.get(base).content.decode()
    assert not AuditRow.objects.filter(act="replay.viewed").exists()
    assert not Desk.objects.filter(purpose="staff").exists()
    Participant.objects.update(data_choice="", preview=True)
    assert desk_of_ada.get(base).status_code == 404


def test_only_who_may_see_the_data_walks(study, worked, ada):
    for role, status in ((Role.RESEARCHER, 200), (Role.COORDINATOR, 403), (Role.VIEWER, 403)):
        user = user_with_address(f"{role}@example.test")
        add_member(study, user, role, by=ada)
        browser = Client()
        browser.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        base = f"/studies/{study.code}/visits/{worked.code}-1/replay/"
        assert {browser.get(base).status_code, browser.get(f"{base}1/").status_code} == {status}, role
    assert worked.client.get(base).status_code == 404
    for made_up in (f"{worked.code}-2", f"{worked.code}-x", "P-ZZZZ-1", worked.code):
        browser.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
        assert browser.get(f"/studies/{study.code}/visits/{made_up}/replay/").status_code == 404, made_up


def test_while_blind_a_replay_tells_no_rating_and_no_reason(study, finished, desk_of_ada, ada):
    """M13: saves of the rating part stand in a step only once the ratings are open."""
    agree_to_replay()
    finished_saves = finished.visit.saves
    look = TraceEvent.objects.filter(desk=finished.visit.desks.get(purpose="rating").desk).latest("pk")
    for n, (field, value) in enumerate((("rating/Org", {"choice": "5"}), ("rationale/Org/right", "Too tidy by half."))):
        finished_saves.create(save_id=f"s{n}", field=field, base=0, version=1, value=value, at=look.at)
    number = len(Walk(finished.visit).steps)
    url = f"/studies/{study.code}/visits/{finished.code}-1/replay/{number}/"
    blind = desk_of_ada.get(url).content.decode()
    assert "Too tidy" not in blind
    assert "rating/Org" not in blind
    unblind(study, by=ada, reason="Everybody has finished.")
    assert "Too tidy" in desk_of_ada.get(url).content.decode()


def test_the_export_page_writes_traces_as_jobs_and_hands_them_out(study, finished, desk_of_ada):
    """P-27, P-40: a job with a download of its own; blind or not, since no rating is in it."""
    for kind in ("csv", "ocel"):
        desk_of_ada.post(f"/studies/{study.code}/export/trace/", {"format": kind})
    assert desk_of_ada.post(f"/studies/{study.code}/export/trace/", {"format": "xes"}).status_code == 404
    from study.accounts.jobs import tick

    tick()
    page = desk_of_ada.get(f"/studies/{study.code}/export/").content.decode()
    found = re.findall(r'href="(/studies/[^"]+/export/\d+/)"', page)
    assert len(found) == 2
    taken = desk_of_ada.get(found[0])
    assert taken["Content-Disposition"].endswith('.json.gz"')
    import gzip

    assert json.loads(gzip.decompress(b"".join(taken.streaming_content)))["events"]
    assert AuditRow.objects.filter(act="trace.downloaded").count() == 1
