"""The log and the seeds rebuild every visit, and the first thing that is not as they make it is named."""

from contextlib import contextmanager
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.db.models import F

from study.assignment import flows
from study.assignment.models import AssignmentEvent, Place, Visit
from study.people import flows as people
from study.people.models import End
from tests.assignment.test_visits import begin
from tests.people.walk import freeze, make_org

pytestmark = pytest.mark.django_db


def replay(study):
    out = StringIO()
    call_command("assignment_replay", study.code, stdout=out)
    return out.getvalue().splitlines()


def difference(study):
    with pytest.raises(CommandError) as found:
        replay(study)
    return str(found.value)


@pytest.fixture
def run(cohort):
    """Ten people, of whom the third leaves in the middle and the sixth before the first question."""
    for n in range(10):
        one, visit = begin(cohort)
        if n == 2:
            for place in visit.places.all()[:2]:
                flows.complete_place(place)
            people.end(one, End.WITHDRAWN)
        if n == 5:
            people.end(one, End.LAPSED)
    return cohort.study


def test_all_agree(run):
    lines = replay(run)
    assert lines[0] == "spring: 60 rows of the log, 10 visits"
    assert lines[-1] == "identical"
    assert len(lines) == 5
    assert all(int(line.rsplit(" ", 1)[1]) <= 3 for line in lines[1:-1])


@contextmanager
def spoiled():
    """Whatever is done inside is undone."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def test_a_row_that_was_removed_is_named(run):
    """In the middle it leaves a gap; the last one of all is missed all the same."""
    for sequence in (1, 8, 31):
        visit = AssignmentEvent.objects.get(sequence=sequence).visit
        with spoiled():
            AssignmentEvent.objects.filter(sequence=sequence).delete()
            assert difference(run) == (
                f"first difference at row {sequence} of the log: "
                f"a row of the log is missing; expected row {sequence}, "
                f"found row {sequence + 1} ({visit.participant.code}, visit {visit.pk})"
            )
    AssignmentEvent.objects.get(sequence=60).delete()
    said = "a place is missing; expected assigned, position 5, found the end of the log"
    assert difference(run).startswith("first difference at row 60 of the log")
    assert said in difference(run)


def test_a_row_that_was_changed_is_named(run):
    row = AssignmentEvent.objects.get(sequence=13)
    other = Place.objects.exclude(instance=row.instance).first().instance_id
    AssignmentEvent.objects.filter(pk=row.pk).update(instance=other)
    said = f"first difference at row 13 of the log ({row.visit.participant.code}, visit {row.visit_id}): question; "
    assert difference(run) == said + f"expected {row.instance_id}, found {other}"


def test_two_rows_that_were_swapped_are_named(run):
    AssignmentEvent.objects.filter(sequence__in=[21, 27]).update(sequence=F("sequence") + 1000)
    AssignmentEvent.objects.filter(sequence=1021).update(sequence=27)
    AssignmentEvent.objects.filter(sequence=1027).update(sequence=21)
    assert difference(run).startswith("first difference at row 21 of the log")


def test_a_stored_visit_that_was_changed_is_named(run):
    visit = Visit.objects.order_by("pk")[3]
    for field, value in {
        "seed": visit.seed + 1,
        "object_order": visit.object_order[::-1],
        "box_order": visit.box_order[::-1],
        "condition": "second",
        "org": make_org("other", hash_="ef" * 32),
    }.items():
        with spoiled():
            Visit.objects.filter(pk=visit.pk).update(**{field: value})
            assert f"{visit.participant.code}, visit {visit.pk}" in difference(run)


def test_places_and_log_that_differ_are_named(run):
    """A place completed behind the log's back, one moved to another question, and a visit the log does not know."""
    place = Place.objects.get(pk=Visit.objects.order_by("pk")[7].places.first().pk)
    Place.objects.filter(pk=place.pk).update(state="completed")
    assert "place; expected (1, " in difference(run)
    Place.objects.filter(pk=place.pk).update(state="active", instance=place.instance.org.instances.last())
    assert "in the rows" in difference(run)
    Place.objects.filter(pk=place.pk).update(instance=place.instance)
    assert replay(run)[-1] == "identical"
    visit = Visit.objects.last()
    AssignmentEvent.objects.filter(visit=visit).delete()
    assert difference(run).endswith("rows of the log; expected its places, found none")


def test_a_release_that_came_twice_is_named(run):
    row = AssignmentEvent.objects.filter(event="released").first()
    last = AssignmentEvent.objects.order_by("-sequence").first().sequence
    row.pk, row.sequence = None, last + 1
    row.save()
    assert "state before; expected active, found released" in difference(run)


def test_questions_that_came_later_belong_to_later_draws(cohort, org):
    from study.benchmark.models import Instance, InstanceSet

    for _ in range(3):
        begin(cohort)
    made = InstanceSet.objects.create(org=org, source="more", sha256="1" * 64)
    for row in list(org.instances.all())[:8]:
        row.pk, row.key, row.instance_set = None, f"a-{row.key}", made
        row.save()
    for _ in range(4):
        begin(cohort)
    assert replay(cohort.study)[-1] == "identical"
    Instance.objects.filter(instance_set=made).update(instance_set=org.instance_sets.first())
    assert "its questions to choose from have changed since" in difference(cohort.study)


def test_nothing_was_given_yet(study):
    assert replay(study) == ["spring: 0 rows of the log, 0 visits", "identical"]
    with pytest.raises(CommandError):
        call_command("assignment_replay", "nowhere")


def test_orgs_in_turn_pilots_previews_and_eight_of_sixteen(study, org, ada):
    """Several Orgs given out in turn, three of nine objects each, people of a pilot and previews beside them."""
    from collections import Counter

    from study.people.sample.cohorts import create_cohort
    from study.protocols.library import builtin_text

    make_org("second", hash_="cd" * 32)
    text = builtin_text("realia-hour").replace('["name:demo-service"]', '["name:demo-service", "cdcdcdcdcdcdcd"]')
    text = text.replace("    orient: [Account, Contact,", "    rate_each: 3\n    orient: [Account, Contact,")
    freeze(study, text)
    made = {"arm": "main", "target": 30, "contact_email": "n@example.test", "by": None}
    cohort = create_cohort(study, code="c", name="", **made)
    flows.open_cohort(cohort, by=None)
    for n in range(8):
        cohort.pilot = n == 3
        one, visit = begin(cohort, preview=n == 5)
        assert len(visit.object_order) == 3
        if n == 4:
            people.end(one, End.WITHDRAWN)
    for _ in range(5):
        begin(cohort)
    assert replay(study)[-1] == "identical"
    whole = Visit.objects.filter(participant__pilot=False, participant__preview=False).exclude(places__state="released")
    rated = Counter(api for visit in whole for api in visit.object_order)
    assert len(rated) == 8
    assert max(rated.values()) - min(rated.values()) <= 1
    visit = whole.last()
    Visit.objects.filter(pk=visit.pk).update(object_order=visit.object_order[::-1])
    assert "order of objects" in difference(study)
