"""A participant who stands at the ratings, with records opened in the work: everything before is made short."""

from __future__ import annotations

from django.test import Client
from django.utils import timezone

from tests.fieldwork.hour import Hour, make_cohort


def at_the_ratings(study, org, user, client: Client, text: str | None = None, ticks: tuple[str, ...] = ()) -> Hour:
    """``text``: another protocol; ``ticks``: optional statements agreed to."""
    from study.assignment.flows import consent_and_begin, open_cohort
    from study.fieldwork import working
    from study.fieldwork.models import Attempt
    from study.people import flows
    from study.people.models import Participant, Stage
    from study.people.protocol import file_of, protocol_of
    from study.people.sample.cohorts import create_cohort
    from tests.people.walk import freeze

    if text is None:
        cohort = make_cohort(study, org)
    else:
        freeze(study, text)
        cohort = create_cohort(
            study, code="north", name="North", arm="main", target=10, contact_email="noor@example.test", by=None
        )
        open_cohort(cohort, by=None)
    one = flows.new_participant(cohort, user=user, stage=Stage.ELIGIBLE, joined_at=cohort.created_at)
    protocol = protocol_of(cohort)
    needed = [statement.id for statement in file_of(protocol).consent.statements]
    consent_and_begin(one, protocol, [*needed, *ticks])
    hour = Hour(one.code, client)
    visit = hour.visit
    working.start_work(visit)
    working.open_attempt(Attempt.objects.select_related("place__instance").get(visit=visit, position=1))
    type(visit).objects.filter(pk=visit.pk).update(work_ended_at=timezone.now())
    Participant.objects.filter(pk=one.pk).update(stage=Stage.RATING)
    client.force_login(user)
    return hour


def open_in_work(hour: Hour, object_name: str, number: int = 0) -> str:
    """Open a record at the desk of the first question, as if during the work; its Id."""
    from study.sandbox import trace
    from study.sandbox.opened import snapshot_of

    desk = hour.attempt(1).desk
    record = [row["Id"] for row in snapshot_of(desk.org).records(object_name)][number]
    trace.record(desk, "record", object_name, record)
    return record


def matrix_protocol() -> str:
    """The recommended protocol with the published form of the ratings: one page, one box, can't judge first."""
    from study.protocols.library import builtin_text

    text = builtin_text("realia-hour")
    start, end = text.index("  look:\n    records:"), text.index("  cannot_judge:\n")
    text = text[:start] + text[end:]
    for old, new in (
        ("rating:\n  evidence: true\n", "rating:\n  layout: matrix\n"),
        ("    placement: apart\n", "    placement: first\n"),
        ("  rationale:\n", "  rationale:\n    boxes: one\n    why: Why?\n"),
        (
            "      - {code: not_enough, text: What I saw is not enough to say.}\n",
            "      - {code: not_seen, text: I did not see any.}\n",
        ),
    ):
        if text.count(old) != 1:
            raise AssertionError(f"The protocol no longer has one {old!r}.")
        text = text.replace(old, new)
    return text
