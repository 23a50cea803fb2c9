"""Pinned and overlapping questions of a protocol, and the same questions again in a retest, in the database."""

from collections import Counter

import pytest

from study.assignment import exposure, flows
from study.assignment.models import Place
from study.assignment.readiness import can_open
from study.people import flows as people
from study.people.models import End
from study.people.protocol import file_of, protocol_of
from study.people.sample.cohorts import create_cohort
from study.protocols.library import builtin_text
from tests.assignment.test_assignment_replay import replay
from tests.assignment.test_visits import begin
from tests.people.walk import freeze

pytestmark = pytest.mark.django_db
LOAD = "  load: {at_least: 25, at_most: 32}\n"


def cohort_with(study, tasks, code="c"):
    assert LOAD in builtin_text("realia-hour")
    freeze(study, builtin_text("realia-hour").replace(LOAD, LOAD + tasks))
    return create_cohort(study, code=code, name="", arm="main", target=30, contact_email="n@example.test", by=None)


def test_everybody_gets_what_is_pinned_and_overlap_keeps_to_few(study, org):
    cohort = cohort_with(study, "  pinned: [case_routing-1]\n  overlap: 1\n")
    flows.open_cohort(cohort, by=None)
    for n in range(9):
        one, visit = begin(cohort)
        assert visit.places.filter(instance__key="case_routing-1").exists()
        if n == 4:
            people.end(one, End.WITHDRAWN)
    assert Place.objects.values("instance").distinct().count() == Place.objects.values("task").distinct().count() == 8
    counts = exposure.task_counts(study, "main")
    for stratum in file_of(protocol_of(cohort)).tasks.strata:
        spread = [counts.get(task, 0) for task in stratum.tasks if task != "case_routing"]
        assert max(spread) - min(spread) <= 3
    assert replay(study)[-1] == "identical"


def test_what_cannot_be_pinned_keeps_a_cohort_shut(study, org):
    """An unknown key, two of one kind, more than the quota of a stratum."""
    cohort = cohort_with(study, "  pinned: [case_routing-1, case_routing-2, nothing-0]\n")
    said = [problem.text for problem in can_open(cohort)]
    assert any("nothing-0" in text for text in said)
    assert any("nobody gets a kind twice" in text for text in said)
    cohort = cohort_with(study, "  pinned: [case_routing-1, handle_time-2]\n", code="d")
    assert ["everybody gets 1 questions, but 2 are pinned" in problem.text for problem in can_open(cohort)] == [True]


def test_overlap_takes_the_same_ones_whoever_comes(study, org):
    tasks = file_of(freeze(study, builtin_text("realia-hour").replace(LOAD, LOAD + "  overlap: 2\n"))).tasks
    first = exposure.pool_of(tasks, org, study)
    assert all(len(ids) == 2 for ids in first.instances.values())
    assert exposure.pool_of(tasks, org, study) == first
    study.code = "autumn"
    assert exposure.pool_of(tasks, org, study).instances != first.instances
    assert Counter(map(len, exposure.pool_of(tasks, org, study).instances.values())) == {2: 8}


def test_a_retest_gives_the_same_questions_again(study, org, ada):
    """The same instances in another order where the row says so, and the log rebuilds it."""
    from study.assignment.drawing import draw_visit
    from study.assignment.models import Visit

    cohort = cohort_with(study, "")
    flows.open_cohort(cohort, by=None)
    file, arm = file_of(protocol_of(cohort)), file_of(protocol_of(cohort)).arm("main")
    begin(cohort)
    _one, visit = begin(cohort)
    drawn = draw_visit(study, file, "main", arm.plan(), org, 5, same=list(visit.places.all()))
    assert {one.instance for one in drawn.places} == set(visit.places.values_list("instance_id", flat=True))
    assert drawn.detail["same"] == [[p.stratum, p.task, p.instance_id] for p in visit.places.all()]
    assert Visit.objects.count() == 2
