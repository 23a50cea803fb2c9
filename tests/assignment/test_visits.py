"""Visits in the database: places, the log, previews, places given back, and the cohort's limit."""

import threading
from collections import Counter

import pytest
from django.db import connection, connections

from study.accounts.models import Study
from study.assignment import exposure, flows
from study.assignment.models import AssignmentEvent, Place, PlaceState, Visit
from study.people import flows as people
from study.people.models import CohortState, End, Participant, Stage
from study.people.protocol import file_of, protocol_of
from tests.people.walk import TICKS, make_org

pytestmark = pytest.mark.django_db


def eligible(cohort, **more):
    return people.new_participant(cohort, stage=Stage.ELIGIBLE, joined_at=cohort.created_at, **more)


def begin(cohort, **more):
    one = eligible(cohort, **more)
    visit = flows.consent_and_begin(one, protocol_of(cohort), TICKS)
    one.refresh_from_db()
    return one, visit


def test_a_visit_stores_what_it_was_made_from(cohort, org):
    one, visit = begin(cohort)
    assert (visit.arm, visit.org, visit.protocol, visit.period) == ("main", org, protocol_of(cohort), 1)
    rated = file_of(protocol_of(cohort)).arm("main").rate
    assert sorted(visit.object_order) == sorted(rated)
    assert sorted(visit.box_order) == ["off", "right"]
    places = list(visit.places.all())
    assert [place.position for place in places] == [1, 2, 3, 4, 5]
    assert len({place.task for place in places}) == 5
    assert all(place.instance.task == place.task for place in places)
    assert sorted(Counter(place.stratum for place in places).values()) == [1, 2, 2]
    events = list(AssignmentEvent.objects.order_by("sequence"))
    assert [e.sequence for e in events] == [1, 2, 3, 4, 5]
    assert {(e.event, e.seed) for e in events} == {("assigned", visit.seed)}
    assert flows.load_of(visit).minutes == 30
    assert flows.begin_visit(one) == visit
    assert Visit.objects.count() == 1


def test_places_stay_balanced_over_people(cohort):
    """G2 in the database: over ten people the counts inside each role differ by at most one."""
    for _ in range(10):
        begin(cohort)
    counts = exposure.task_counts(cohort.study, "main")
    for stratum in file_of(protocol_of(cohort)).tasks.strata:
        per = [counts.get(task, 0) for task in stratum.tasks]
        assert max(per) - min(per) <= 1
    assert sum(counts.values()) == 50


def test_the_log_and_the_seeds_rebuild_every_place(cohort):
    """G4: from the log alone, in order, the same draws come out."""
    from study.assignment import design

    visits = [begin(cohort)[1] for _ in range(6)]
    flows.release(visits[2])
    visits += [begin(cohort)[1] for _ in range(3)]
    pool = exposure.pool_of(file_of(protocol_of(cohort)).tasks, visits[0].org, cohort.study)
    task_of = {place.instance_id: place.task for place in Place.objects.all()}
    tasks, instances, done = Counter(), Counter(), set()
    for event in AssignmentEvent.objects.order_by("sequence").select_related("visit"):
        sign = {"assigned": 0, "released": -1, "completed": 0}[event.event]
        tasks[task_of[event.instance_id]] += sign
        instances[event.instance_id] += sign
        if event.event != "assigned" or event.visit_id in done:
            continue
        drawn = design.in_order(design.draw(pool, tasks, instances, event.seed), len(done))
        done.add(event.visit_id)
        assert [one.instance for one in drawn] == list(event.visit.places.values_list("instance_id", flat=True))
        tasks.update(one.task for one in drawn)
        instances.update(one.instance for one in drawn)
    assert len(done) == 9
    counts = exposure.instance_counts(cohort.study, visits[0].org)
    assert exposure.replayed_counts(AssignmentEvent.objects.all()) == counts


def test_places_of_those_who_leave_come_back_once(cohort):
    """P-13: finished work is kept, the rest reopens, and the newcomer gets it."""
    one, visit = begin(cohort)
    first, second = visit.places.all()[:2]
    assert flows.complete_place(first)
    assert not flows.complete_place(first)
    flows.complete_place(second)
    people.end(one, End.LAPSED, "went silent")
    states = list(visit.places.values_list("state", flat=True))
    assert states == ["completed", "completed", "released", "released", "released"]
    assert flows.release(visit) == 0
    assert AssignmentEvent.objects.filter(event="released").count() == 3
    counts = exposure.instance_counts(cohort.study, visit.org)
    assert counts == {first.instance_id: 1, second.instance_id: 1}


def test_a_complete_visit_keeps_all_its_places(cohort):
    one, visit = begin(cohort)
    people.end(one, End.COMPLETE)
    assert set(visit.places.values_list("state", flat=True)) == {PlaceState.COMPLETED}
    one.refresh_from_db()
    assert one.stage == Stage.DONE
    assert one.completion_code


def test_previews_and_early_leavers_are_counted_nowhere(cohort, ada):
    """P-14: four previews and three people who leave at consent leave no trace in the balance."""
    for _ in range(4):
        preview = people.preview_participant(cohort, ada)
        people.advance(preview, Stage.JOINED, Stage.ELIGIBLE)
        flows.consent_and_begin(preview, protocol_of(cohort), TICKS)
    for _ in range(3):
        people.end(eligible(cohort), End.NO_CONSENT)
    assert Visit.objects.count() == 4
    assert exposure.task_counts(cohort.study, "main") == {}
    assert not AssignmentEvent.objects.exists()
    for _ in range(10):
        begin(cohort)
    assert cohort.participants.holding_a_place().count() == 10
    assert sum(exposure.task_counts(cohort.study, "main").values()) == 50
    assert eligible(cohort) not in cohort.participants.holding_a_place()


def test_never_more_than_the_target_begin(cohort):
    """P-12: the eleventh is told courteously, before any work; a lower target puts nobody out."""
    for _ in range(10):
        one, visit = begin(cohort)
        assert visit
    late, none = begin(cohort)
    assert none is None
    assert (late.end, bool(late.completion_code), late.consents.count()) == (End.FULL, True, 0)
    cohort.target = 3
    cohort.save()
    one.refresh_from_db()
    assert (one.end, one.stage) == ("", Stage.CONSENTED)
    people.end(one, End.WITHDRAWN)
    assert begin(cohort)[1] is None
    cohort.target = 10
    cohort.save()
    assert begin(cohort)[1] is not None


def test_a_paused_cohort_lets_nobody_begin(cohort):
    one = eligible(cohort)
    cohort.state = CohortState.PAUSED
    cohort.save()
    with pytest.raises(people.NotOpen):
        flows.consent_and_begin(one, protocol_of(cohort), TICKS)
    one.refresh_from_db()
    assert one.stage == Stage.ELIGIBLE
    assert not one.consents.exists()


def test_without_instances_consent_is_not_taken(cohort, org):
    """Nothing half done: the stage, the consent and the place come together or not at all."""
    org.instances.update(benched=True)
    one = eligible(cohort)
    with pytest.raises(flows.CannotBegin):
        flows.consent_and_begin(one, protocol_of(cohort), TICKS)
    one.refresh_from_db()
    assert (one.stage, one.consents.count(), one.visits.count()) == (Stage.ELIGIBLE, 0, 0)


def test_orgs_of_an_arm_are_given_out_in_turn(study, org):
    """M4: with two Orgs every second visit is in the other one."""
    from study.people.sample.cohorts import create_cohort
    from study.protocols.library import builtin_text
    from tests.people.walk import freeze

    make_org("second", hash_="cd" * 32)
    text = builtin_text("realia-hour").replace('["name:demo-service"]', '["name:demo-service", "cdcdcdcdcdcdcd"]')
    freeze(study, text)
    cohort = create_cohort(study, code="c", name="", arm="main", target=9, contact_email="n@example.test", by=None)
    flows.open_cohort(cohort, by=None)
    names = [begin(cohort)[1].org.name for _ in range(6)]
    assert names == ["demo-service", "second"] * 3


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_six_press_begin_in_the_same_second(cohort):
    """P-12: nine of ten places are taken and six people begin at once; exactly one of them gets in.

    G5: no two of them read the same counts, so the log has no gap and no number twice.
    """
    for _ in range(9):
        begin(cohort)
    waiting = [eligible(cohort) for _ in range(6)]
    outcomes, barrier = [], threading.Barrier(6)

    def run(pk):
        try:
            barrier.wait()
            outcomes.append(flows.consent_and_begin(Participant.objects.get(pk=pk), protocol_of(cohort), TICKS))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(one.pk,)) for one in waiting]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert connection.vendor == "postgresql"
    assert len(outcomes) == 6
    assert sum(visit is not None for visit in outcomes) == 1
    assert cohort.participants.holding_a_place().count() == 10
    assert cohort.participants.filter(end=End.FULL).count() == 5
    numbers = list(AssignmentEvent.objects.order_by("sequence").values_list("sequence", flat=True))
    assert numbers == list(range(1, 51))
    assert Study.objects.count() == 1
