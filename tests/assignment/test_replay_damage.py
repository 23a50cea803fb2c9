"""Whatever is changed behind the log's back, in whichever table, the replay names it and never passes it over."""

from datetime import timedelta

import pytest
from django.utils import timezone

from study.assignment import flows
from study.assignment.benching import bench, unbench
from study.assignment.models import Allocation, AllocationSeed, AssignmentEvent, Visit
from study.benchmark.models import InstanceSet
from study.people import flows as people
from study.people.models import End, Participant, Stage
from study.people.sample.cohorts import create_cohort
from study.protocols.models import Protocol
from tests.assignment.test_arms import begin, eligible
from tests.assignment.test_assignment_replay import difference, replay, spoiled
from tests.fieldwork.arms import CROSSOVER, at, cohort_for, protocol_with, single
from tests.people.walk import freeze, make_org

pytestmark = pytest.mark.django_db


@pytest.fixture
def spring(study, ada, monkeypatch):
    """Two cohorts, the second under a second version with other tasks and arms; crossover; benches; a late import."""
    first, second = make_org(), make_org("second", hash_="cd" * 32)
    text = protocol_with(CROSSOVER + single("plain"), "\nallocation: {blocks: [1, 2], cells: [S3]}\n")
    north = cohort_for(study, ["cross", "plain"], text)
    made = [begin(eligible(north, S3=cell)) for cell in ("y3_5", "y1_2") * 3]
    bench(study, first.instances.order_by("key").first(), reason="Nobody understands it.", by=ada)
    freeze(study, text.replace("monthly_trend_analysis, ", "").replace("blocks: [1, 2]", "blocks: [2]"))
    fixed = create_cohort(
        study, code="fixed", name="", arms=["plain"], target=9, contact_email="n@example.test", by=None
    )
    flows.open_cohort(fixed, by=None)
    made += [begin(eligible(fixed)) for _ in range(2)]
    more = InstanceSet.objects.create(org=second, source="more", sha256="1" * 64)
    for row in list(second.instances.order_by("key"))[:6]:
        row.pk, row.key, row.instance_set = None, f"a-{row.key}", more
        row.save()
    unbench(study, first.instances.order_by("key").first(), reason="Said better now.", by=ada)
    people.end(made[1].participant, End.WITHDRAWN)
    Participant.objects.exclude(pk=made[1].participant_id).update(stage=Stage.LOCKED)
    over = [visit for visit in made if visit.condition and visit != made[1]]
    for visit in over:
        visit.participant.refresh_from_db()
        assert flows.end_visit(visit)
    at(monkeypatch, timezone.now() + timedelta(days=3))
    assert all(flows.begin_next(visit.participant) for visit in over)
    assert replay(study)[-1] == "identical"
    return study


def test_every_kind_of_damage_is_named(spring):
    again = Visit.objects.filter(period=2).order_by("pk").first()
    row = Allocation.objects.filter(participant=again.participant).get()
    told = AssignmentEvent.objects.filter(event="allocated", detail__participant=row.participant.code)
    (said,) = told
    code, orders = row.participant.code, ["south", "north"]
    turned = orders if row.order != orders else orders[::-1]
    newest = Protocol.objects.order_by("-number").first()
    rows, visit = Allocation.objects.filter(pk=row.pk), Visit.objects.filter(pk=again.pk)
    log = AssignmentEvent.objects
    for damage, named in (
        (lambda: rows.update(arm="plain"), f"in the rows ({code}): arm of the allocation; expected cross, found plain"),
        (lambda: rows.update(order=turned), f"in the rows ({code}): order of the allocation"),
        (lambda: rows.update(block=9), f"in the rows ({code}): block of the allocation"),
        (lambda: rows.update(cell="S3=none"), f"in the rows ({code}): cell of the allocation"),
        (lambda: rows.delete(), f"in the rows ({code}): allocation; expected a row, found none"),
        (lambda: AllocationSeed.objects.update(seed=5), "seed of the cohort and cell"),
        (lambda: AllocationSeed.objects.all().delete(), "the cohort north has no seed"),
        (lambda: told.update(seed=said.seed + 1), "seed of the cohort and cell"),
        (lambda: told.update(detail=said.detail | {"block": 7}), "block; expected"),
        (lambda: told.update(detail={}), "what the row tells; expected words it can be read by"),
        (lambda: told.update(detail=said.detail | {"cohort": "no", "number": 1}), "the study has no cohort no"),
        (lambda: visit.update(protocol=newest), "version of the protocol; expected 1, found 2"),
        (lambda: visit.update(period=3), "number of the visit; expected 2, found 3"),
        (lambda: visit.update(block="north:1"), f"({code}, visit {again.pk}): block; expected"),
        (lambda: visit.update(allocation="fixed"), "how the arm was given; expected randomised, found fixed"),
        (lambda: log.filter(visit=again, position=1).update(detail=["x"]), "what the row tells"),
        (lambda: log.filter(event="benched").update(event="unbenched"), "what can be benched"),
    ):
        with spoiled():
            damage()
            found = difference(spring)
            assert found.startswith("first difference ")
            assert named in found
    assert replay(spring)[-1] == "identical"


def test_somebody_deleted_leaves_a_gap_that_is_nobodys(spring):
    """The rows of somebody whose data were deleted are gone from the log: how many is said, and nothing is guessed."""
    visit = Visit.objects.order_by("pk")[2]
    first = AssignmentEvent.objects.filter(visit=visit).order_by("sequence").first().sequence
    Participant.objects.get(pk=visit.participant_id).delete()
    assert difference(spring).startswith(
        f"first difference at row {first} of the log: 5 rows of the log are missing; "
        f"expected row {first}, found row {first + 5} (P-"
    )


def test_an_import_under_way_is_in_nobodys_pool(spring):
    """A set says when its import began; draws between that and its end did not see it, and the log knows."""
    began = AssignmentEvent.objects.order_by("sequence").first().at - timedelta(microseconds=1)
    InstanceSet.objects.filter(source="more").update(created_at=began)
    assert replay(spring)[-1] == "identical"
