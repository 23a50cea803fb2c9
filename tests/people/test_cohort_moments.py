"""Opening and closing moments: typed in a zone, stored in UTC, told exactly, enforced exactly, acted on once (P-20)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from study.accounts.models import AuditRow
from study.assignment.openings import cohort_moments
from study.people import needs_me
from study.people.models import CohortState, End, Stage
from study.people.sample.cohort_board import row_of
from study.people.sample.moments import Terms, read_moment, read_terms, to_type, told, zones
from tests.people.test_quotas import screen
from tests.people.walk import agree, to_consent

NOW = datetime(2026, 9, 1, 12, tzinfo=UTC)
FORM = {"name": "North", "target": "10", "contact_email": "noor@example.test", "channel": ""}


def test_p20_a_local_time_is_one_moment_and_comes_back_as_typed():
    """P-20: days around the clock changes, a zone at UTC+10 and one at UTC−5; what is no single time is refused."""
    for text, zone, utc in (
        ("2026-10-31T23:59", "America/Bogota", datetime(2026, 11, 1, 4, 59, tzinfo=UTC)),
        ("2026-10-31T23:59", "Australia/Brisbane", datetime(2026, 10, 31, 13, 59, tzinfo=UTC)),
        ("2026-10-24T23:59", "Europe/Oslo", datetime(2026, 10, 24, 21, 59, tzinfo=UTC)),
        ("2026-10-25T23:59", "Europe/Oslo", datetime(2026, 10, 25, 22, 59, tzinfo=UTC)),
        ("2026-03-29T03:00", "Europe/Oslo", datetime(2026, 3, 29, 1, 0, tzinfo=UTC)),
    ):
        moment = read_moment(text, zone)
        assert moment == utc
        assert to_type(moment, zone) == text
    assert read_moment(" ", "UTC") is None
    for text, reason in (
        ("2026-03-29T02:30", "go forward"),
        ("2026-10-25T02:30", "go back"),
        ("2026-10-25T02:30+02:00", "without an offset"),
        ("31 October", "no date"),
    ):
        with pytest.raises(ValidationError, match=reason):
            read_moment(text, "Europe/Oslo")
    said = told(datetime(2026, 11, 1, 4, 59, tzinfo=UTC), "America/Bogota")
    assert str(said) == "31 October 2026, 23:59 (America/Bogota) · 1 November 2026, 04:59 UTC"
    assert "Europe/Oslo" in zones()
    assert len(zones()) > 300


def test_what_is_wrong_with_the_terms_is_said_together():
    form = {"zone": "Oslo", "opens_at": "2026-08-01T09:00", "closes_at": "2026-07-01T09:00", "hold_hours": "0",
            "most_started": "some"}  # fmt: skip
    with pytest.raises(ValidationError) as found:
        read_terms(form, NOW)
    assert len(found.value.messages) == 6
    stored = Terms("Europe/Oslo", NOW - timedelta(days=3), NOW + timedelta(days=3), 30, 12, True)
    assert read_terms({"moderated": "1"}, NOW, stored) == stored, "fields that are not sent stay"
    typed = {"zone": "Europe/Oslo", "opens_at": to_type(stored.opens_at, stored.zone), "closes_at": "", "moderated": "",
             "most_started": "", "hold_hours": "48"}  # fmt: skip
    assert read_terms(typed, NOW, stored) == Terms("Europe/Oslo", stored.opens_at, None, None, 48, False)


@pytest.mark.django_db
def test_p20_the_closing_moment_shown_is_the_one_enforced(cohort, invite, ada):
    """P-20: form, board, invitation and hour say one moment; before it people get in, from it on nobody does."""
    desk, early, late = Client(), Client(), Client()
    desk.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    url = "/studies/spring/cohorts/north/change/"
    there = timezone.now() + timedelta(days=20)
    local = f"{there:%Y-%m-%d}T23:59"
    closes = datetime.fromisoformat(local).replace(tzinfo=UTC) + timedelta(hours=5)
    terms = {"zone": "America/Bogota", "closes_at": local, "opens_at": "", "hold_hours": "24", "most_started": ""}
    assert desk.post(url, FORM | terms).status_code == 302
    cohort.refresh_from_db()
    assert (cohort.closes_at, cohort.zone, cohort.hold_hours) == (closes, "America/Bogota", 24)
    assert f'name="closes_at" type="datetime-local" value="{local}"' in desk.get(url).content.decode()
    both = (f"{there.day} {there:%B %Y}, 23:59 (America/Bogota)", f"{closes.day} {closes:%B %Y}, 04:59 UTC")
    first, second, third = invite("p1@example.test", "p2@example.test", "p3@example.test")
    code = to_consent(early, first)
    for page in (
        desk.get("/studies/spring/cohorts/").content.decode(),
        Client().get(second).content.decode(),
        early.get(f"/hour/{code}/consent/").content.decode(),
    ):
        assert all(words in page for words in both)
    # What a mailbox was told holds: an earlier expiry of the link is the moment then, a later one is not shown.
    assert "Last day" not in Client().get(second).content.decode()
    came = to_consent(late, second)
    cohort.participants.update(eligible_at=timezone.now())
    cohort.closes_at = timezone.now() + timedelta(seconds=30)
    cohort.save()
    assert agree(early, code).status_code == 302
    cohort.closes_at = timezone.now()
    cohort.save()
    assert cohort.state == CohortState.OPEN, "nothing has ticked yet"
    agree(late, came)
    ends = dict(cohort.participants.values_list("code", "end"))
    assert (ends[code], ends[came]) == ("", End.FULL)
    assert "closed" in Client().post(third).content.decode()
    assert cohort.participants.get(invitation__email_hash__gt="", stage=Stage.INVITED).joined_at is None


@pytest.mark.django_db
def test_cohorts_open_and_close_at_their_moments_once(cohort, org):
    """The tick: closes what is over, opens what is ready, says once why it cannot, undoes nothing that staff did."""
    from study.people.sample.cohorts import create_cohort, set_state

    now = timezone.now()

    def made(code, **more):
        row = create_cohort(cohort.study, code=code, name="", arm="main", target=5, contact_email="", by=None)
        for name, value in more.items():
            setattr(row, name, value)
        row.save()
        return row

    ready = made("ready", opens_at=now, contact_email="n@example.test")
    mute = made("mute", opens_at=now)
    later = made("later", opens_at=now + timedelta(hours=1), contact_email="n@example.test")
    past = made("past", opens_at=now - timedelta(hours=2), closes_at=now, contact_email="n@example.test")
    paused = made("paused", state=CohortState.PAUSED, opens_at=now, closes_at=now + timedelta(hours=1))
    cohort.closes_at = now
    cohort.save()
    rows = (cohort, ready, mute, later, past, paused)

    def tick():
        counts = cohort_moments(None)
        for row in rows:
            row.refresh_from_db()
        return counts

    assert tick() == {"opened": 1, "closed": 1, "not_ready": 1, "failed": 0}
    assert [row.state for row in rows] == ["closed", "open", "draft", "draft", "draft", "paused"]
    assert tick() == {"opened": 0, "closed": 0, "not_ready": 1, "failed": 0}
    acts = AuditRow.objects.exclude(act__in=["cohort.created", "study.created"]).order_by("pk")
    told_acts = [
        (row.act, row.target, row.actor) for row in acts if row.act.startswith("cohort.") and row.actor is None
    ]
    for act, target in (
        ("cohort.closed", "cohort north"), ("cohort.opened", "cohort ready"), ("cohort.not_opened", "cohort mute"),
    ):  # fmt: skip
        assert told_acts.count((act, target, None)) == 1
    assert "no address for questions" in row_of(mute).not_opened[0]
    waiting = [need for need in needs_me.needs(cohort.study) if need.kind == "not_opened"]
    assert [need.since for need in waiting] == [mute.opens_at]
    mute.contact_email = "n@example.test"
    mute.save()
    assert tick()["opened"] == 1
    assert (mute.state, row_of(mute).not_opened) == ("open", [])
    assert mute.protocol_number == ready.protocol_number == 1
    # A moment that was put off between the look and the act closes nothing.
    ready.closes_at = timezone.now() + timedelta(days=1)
    ready.save()
    assert not set_state(ready, CohortState.CLOSED, by=None, at_moment=now)


@pytest.mark.django_db
def test_a_cohort_whose_moment_has_passed_or_whose_question_is_gone_cannot_open(cohort):
    from study.assignment.readiness import cohort_problems
    from tests.people.test_quotas import YEARS

    cohort.closes_at = timezone.now()
    cohort.quota_axes = [YEARS, YEARS | {"item": "S99"}]
    cohort.save()
    said = [problem.text for problem in cohort_problems(cohort)]
    assert len(said) == 2
    assert "closing moment has passed" in said[0]
    assert "S99" in said[1]
    assert "S3" not in said[1]


@pytest.mark.django_db
def test_before_the_opening_a_link_says_when(cohort, invite):
    cohort.state, cohort.zone = CohortState.DRAFT, "Europe/Oslo"
    cohort.opens_at = timezone.now() + timedelta(days=1)
    cohort.save()
    path = invite("p1@example.test")[0]
    page = Client().post(path).content.decode()
    assert "(Europe/Oslo)" in page
    assert str(told(cohort.opens_at, "Europe/Oslo").utc) in page
    cohort.state = CohortState.OPEN
    cohort.save()
    assert screen(Client(), path).stage == Stage.ELIGIBLE
