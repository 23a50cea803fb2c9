"""The pilot's report: what its people show beside the protocol's limits, and nothing of their ratings' values."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from study.accounts.adapter import user_with_address
from study.assignment.models import AssignmentEvent
from study.fieldwork.models import Attempt, HelpRequest, Rating
from study.people.sample.cohorts import create_cohort
from study.protocols.design import Limit
from study.results.pilot import Measured, pilot_report
from tests.fieldwork.hour import Hour, make_cohort, make_small_org

pytestmark = pytest.mark.django_db


@pytest.fixture
def cohort(study):
    """A pilot of three: two at their ratings, one who left at the third question."""
    from study.assignment.flows import open_cohort

    make_cohort(study, make_small_org())
    row = create_cohort(
        study, code="first", name="", arm="main", target=5, contact_email="n@example.test", pilot=True, by=None
    )
    open_cohort(row, by=None)
    for n in range(3):
        hour = Hour.begin(row, user_with_address(f"p{n}@example.test"), Client())
        visit = hour.visit
        visit.work_started_at = timezone.now()
        visit.comprehension = {"tries": [{}] * (2 if n == 2 else 1)}
        visit.comprehension_tries = 2
        visit.save()
        for place in visit.places.all():
            if n == 2 and place.position > 2:
                break
            Attempt.objects.create(
                visit=visit, place=place, position=place.position, outcome="answered", started_at=timezone.now(),
                active_seconds=60 * (place.position + n),
                one_clear_answer="yes" if place.position > 1 else "data_missing",
            )  # fmt: skip
    return row


def rate(cohort, choices):
    """The same choices by the first two people, three minutes a card."""
    shown = timezone.now()
    for one in cohort.participants.order_by("pk")[:2]:
        for n, final in enumerate(choices):
            Rating.objects.create(
                visit=one.visits.get(), kind="object", target=one.visits.get().object_order[n], final=final,
                shown_at=shown, final_at=shown + timedelta(minutes=3),
            )  # fmt: skip


def by_code(study):
    return {one.code: one for one in pilot_report(study).measures}


def test_what_is_found_stands_beside_its_limit(study, cohort):
    HelpRequest.objects.create(visit=cohort.participants.first().visits.get(), kind="stuck")
    found = by_code(study)
    assert (found["task_minutes"].value, found["task_minutes"].n, found["task_minutes"].verdict) == (3.5, 12, "go")
    for code, value, verdict in (
        ("reached_3", 2 / 3, "no go"),
        ("reached_5", 2 / 3, "go"),
        ("unclear", 3 / 12, "no go"),
        ("help", 1 / 3, "go"),
        ("comprehension", 0, "no go"),
    ):
        assert (found[code].value, found[code].verdict) == (pytest.approx(value), verdict), code
    assert (found["card_minutes"].value, found["card_minutes"].verdict) == (None, "can't tell")
    report = pilot_report(study)
    assert (report.verdict, report.begun, report.wanted) == ("no go", 3, 5)
    assert sum(line.n for line in report.tasks) == 12
    assert not AssignmentEvent.objects.exists()


def test_of_ratings_only_cannot_judge_is_read(study, cohort, ada, client):
    """M13: two studies whose ratings differ in nothing but their values have the same page."""
    rate(cohort, ["5", "5", "cannot_judge"])
    client.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    url = reverse("pilot", args=[study.code])
    page = client.get(url).content.decode().split("<main", 1)[1]
    assert "3.0 min, can&#x27;t judge 0 %" in page
    assert "No go." in page
    found = by_code(study)
    assert (found["card_minutes"].value, found["card_minutes"].n) == (3, 6)
    assert 0.3 <= found["cannot_judge"].value <= 1
    Rating.objects.filter(final="5").update(final="1", first="1")
    assert client.get(url).content.decode().split("<main", 1)[1] == page


def test_the_command_says_the_same(study, cohort):
    out = StringIO()
    call_command("pilot_report", study.code, stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[0] == "spring: 3 of 5 began, 3 in the pilot"
    third = next(line for line in lines if line.startswith("Came to the third question"))
    assert " ".join(third.split()) == "Came to the third question 67 % n = 3 at least 100 % no go"
    assert lines[-1] == "no go"


def test_a_study_without_a_pilot_says_so(study, cohort, ada, client):
    client.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    cohort.participants.update(pilot=False)
    page = client.get(reverse("pilot", args=[study.code])).content.decode()
    assert "Nobody is in the pilot yet" in page
    assert pilot_report(study).verdict == "not yet"


@pytest.mark.parametrize(
    ("value", "low", "high", "said"),
    [(0.5, 0.5, None, "go"), (0.49, 0.5, None, "no go"), (0.5, None, 0.5, "go"), (0.51, 0.2, 0.5, "no go"),
     (None, 0.5, None, "can't tell")],
)  # fmt: skip
def test_a_limit_is_kept_at_its_edge(value, low, high, said):
    limit = Limit(measure="reached_4", at_least=low, at_most=high)
    assert Measured("reached_4", value, 4, limit=limit).verdict == said
