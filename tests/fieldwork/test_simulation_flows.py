"""Simulated experts through the flows: the same decisions as over HTTP, with drawn time, and the links as stated."""

from __future__ import annotations

import json
import math
import statistics
from collections import Counter

import pytest
from django.core.management import CommandError, call_command

from study.assignment.models import Visit
from study.fieldwork.models import Rating, Rationale
from study.fieldwork.simulation import distributions as given
from study.fieldwork.simulation.experts import Rates, make_experts, object_effects
from study.fieldwork.simulation.http_client import Browser
from study.fieldwork.simulation.ledger import Ledger
from study.fieldwork.simulation.links import linked_answer
from study.fieldwork.simulation.moments import Moments
from study.fieldwork.simulation.over_http import OverHttp
from study.fieldwork.simulation.run import invite_all, simulate
from study.fieldwork.simulation.through_flows import ThroughFlows
from study.fieldwork.simulation.walk import COMPLETED, Walk
from study.fieldwork.simulation.washout import pass_washout
from study.people.models import Letter, Participant
from study.people.protocol import file_of, protocol_of
from study.protocols.library import builtin_text
from study.protocols.reading import parse
from study.sandbox.models import Desk, TraceEvent
from tests.fieldwork.after import with_cards
from tests.fieldwork.arms import CROSSOVER, cohort_for, protocol_with, second_org
from tests.fieldwork.hour import make_cohort, make_small_org


def said_in(visit):
    """Everything this person gave, without times and codes."""
    return {
        "attempts": list(
            visit.attempts.values_list(
                "outcome", "answer", "reason", "confidence", "frequency_at_work", "one_clear_answer", "correct"
            )
        ),
        "ratings": {
            row.target: (row.first, row.final, row.changes, row.cannot_judge_reason) for row in visit.ratings.all()
        },
        "texts": {
            (row.rating.target, row.side): (row.text, row.tags)
            for row in Rationale.objects.filter(rating__visit=visit).select_related("rating")
        },
        "closing": {row.item: row.value for row in visit.closing.all()},
        "moves": {row.move: row.left_at is None for row in visit.moves.all()},
        "evidence": visit.pins.count(),
    }


def take_away(person):
    """A person with everything, so that the next one is given the same."""
    desks = list(Desk.objects.filter(user=person.user).values_list("pk", flat=True))
    person.delete()
    Desk.objects.filter(pk__in=desks).delete()


def test_one_expert_says_the_same_over_http_and_through_the_flows(
    transactional_db, live_server, study, tmp_path, monkeypatch
):
    monkeypatch.setattr("study.assignment.making.secrets.randbits", lambda bits: 4711)
    cohort = make_cohort(study, make_small_org())
    (expert,) = make_experts(1, 7, Rates(cannot_judge=0.2, skip=0.2, aware=1, left_open=0.2))
    effects = object_effects(["Org", *file_of(protocol_of(cohort)).arm("main").rate], 7)
    link = invite_all(study, cohort, [expert])[expert.address]
    first = Walk(expert, OverHttp(Browser(live_server.url), link), Ledger(tmp_path / "http"), effects)
    assert first.go() == COMPLETED
    over_http, person = said_in(first.visit), Participant.objects.get(code=first.code)
    assert (person.end, person.stage, person.simulated, person.channel) == ("complete", "done", True, "simulated")
    assert person.study.simulated
    assert person.completion_code
    assert Letter.objects.get(participant=person).state == "sent"
    assert first.visit.comprehension_tries == 1
    for target, (_first, final, _changes, _reason) in over_http["ratings"].items():
        assert final in ("", "cannot_judge", "rather_not_say", str(expert.score(target, effects[target])))
    take_away(person)
    moments = Moments(cohort.created_at)
    second = Walk(expert, ThroughFlows(cohort, moments), Ledger(tmp_path / "flows"), effects)
    with moments.running():
        assert second.go() == COMPLETED
    assert said_in(second.visit) == over_http
    lines = [(tmp_path / way).read_text().split("\n")[:-1] for way in ("http", "flows")]
    ledgers = [[(row["field"], row["value"], row["version"]) for row in map(json.loads, each)] for each in lines]
    assert ledgers[0] == ledgers[1]
    assert len(ledgers[0]) > 40
    assert {"1", "2", "3", "4", "5"} & {row[1] for row in over_http["ratings"].values()}


@pytest.fixture
def run(cohort, settings):
    """A function: experts of these rates through the flows; their outcome, (person, visit) in order, the truth."""

    def walk(count, rates, seed=7):
        study = cohort.study
        outcome = simulate(study, cohort, count=count, seed=seed, rates=rates, through="flows")
        assert outcome.problems == []
        told = json.loads((settings.REALIA_VAR / f"truth-{study.code}.json").read_text())
        of = {visit.participant.code: visit for visit in Visit.objects.select_related("participant")}
        return outcome, [(one, of[one["participant"]]) for one in told["experts"]], told

    return walk


def test_times_are_drawn_and_stand_in_every_row(run):
    """An hour of drawn time passes in a moment; orders hold, clocks count, and the trace lies inside."""
    _outcome, ((person, visit),), told = run(1, Rates())
    assert (visit.participant.end, visit.participant.simulated, visit.participant.study.simulated) == (
        "complete",
        True,
        True,
    )
    moments = [
        visit.begun_at,
        visit.oriented_at,
        visit.work_ended_at,
        visit.rating_started_at,
        visit.locked_at,
        visit.done_at,
    ]
    assert moments == sorted(moments)
    assert 20 < (visit.done_at - visit.begun_at).total_seconds() / 60 < 120
    for rating in visit.ratings.all():
        assert rating.shown_at < rating.first_at <= rating.final_at < rating.locked_at
    clocks = dict(visit.clocks.values_list("part", "active_seconds"))
    assert set(clocks) == {"orientation", "work", "rating", "closing"}
    assert clocks["work"] == pytest.approx((visit.work_ended_at - visit.work_started_at).total_seconds(), abs=3)
    for attempt in visit.attempts.select_related("desk"):
        events = TraceEvent.objects.filter(desk=attempt.desk)
        assert events.count() > 3
        assert all(attempt.started_at <= event.at <= attempt.ended_at for event in events)
        assert attempt.active_seconds == pytest.approx((attempt.ended_at - attempt.started_at).total_seconds(), abs=3)
        assert attempt.desk.opened_at == attempt.started_at
    assert visit.fluency_seconds > 60
    assert all(r.opened_look >= 1 for r in visit.ratings.filter(kind="object"))
    assert told["through"] == "flows"
    assert person["severity"] != 0


def test_pages_after_the_lock_are_shown_before_the_time_they_take(db, study, org):
    """Careful people do not meet the flag for two pages under two seconds an item (stats 6)."""
    cohort = cohort_for(study, ["main"], with_cards("reference"))
    assert simulate(study, cohort, count=2, seed=7, rates=Rates(), through="flows").problems == []
    for visit in Visit.objects.filter(participant__study=study):
        cards = list(visit.ratings.filter(kind="record").order_by("shown_at"))
        assert len(cards) == 12
        assert all((card.final_at - card.shown_at).total_seconds() > 2 for card in cards)
        pages = {}
        for answer in visit.closing.all():
            pages.setdefault(answer.shown_at, []).append(answer.saved_at)
        assert len(pages) > 5
        assert max(len(saved) for saved in pages.values()) >= 8
        hurried = [saved for shown, saved in pages.items() if (max(saved) - shown).total_seconds() < 2 * len(saved)]
        assert len(hurried) < 2


def test_careless_kinds_do_what_is_stated(run):
    """Each kind leaves what the flags look for: one point, no record opened, even points, one text (stats 6)."""
    shares = dict.fromkeys(given.KINDS, 0.25)
    _outcome, people, _told = run(4, Rates(careless=shares, cannot_judge=0, rather_not=0), seed=7)
    kinds = Counter(person["kind"] for person, _visit in people)
    assert set(kinds) == set(given.KINDS)
    for person, visit in people:
        finals = set(visit.ratings.values_list("final", flat=True))
        texts = set(Rationale.objects.filter(rating__visit=visit).values_list("text", flat=True))
        opened = sum(visit.ratings.values_list("opened_look", flat=True))
        if person["kind"] == "straightliner":
            assert len(finals) == 1
        elif person["kind"] == "speeder":
            assert opened == 0
            assert set(visit.ratings.filter(kind="object").values_list("unfamiliar", flat=True)) == {True}
            assert (visit.done_at - visit.begun_at).total_seconds() < 300
        elif person["kind"] == "random":
            assert len(finals) >= 3
        else:
            assert len(texts) == 1
            assert Rationale.objects.filter(rating__visit=visit).count() == 2 * visit.ratings.count()
        assert opened > 0 or person["kind"] == "speeder"


def test_people_leave_and_cards_stay_open_as_stated(run):
    outcome, people, _told = run(2, Rates(dropout=1, left_open=0), seed=44)
    assert outcome.ends == {"dropped": 2}
    assert [person["stop"] for person, _visit in people] == ["question 2", "cards"]
    reached = {"question 2": "working", "cards": "rating"}
    for person, visit in people:
        assert (visit.participant.stage, visit.participant.end) == (reached[person["stop"]], "")
        if person["stop"] == "cards":
            assert 0 < visit.ratings.exclude(final="").count() < visit.ratings.count()
    _outcome, after, _told = run(1, Rates(left_open=1, cannot_judge=0, rather_not=0), seed=11)
    visit = Visit.objects.order_by("-pk").first()
    assert after[-1][1].pk == visit.pk
    assert set(visit.ratings.filter(kind="object").values_list("final", flat=True)) == {""}
    assert visit.locked_at is not None


def test_both_visits_of_a_crossover_are_played(db, study, org):
    second_org()
    cohort = cohort_for(study, ["cross"], protocol_with(CROSSOVER))
    outcome = simulate(study, cohort, count=1, seed=7, rates=Rates(), through="flows")
    assert (outcome.ends, outcome.problems) == ({"completed": 1}, [])
    for person in Participant.objects.filter(study=study):
        first, second = person.visits.order_by("period")
        assert (second.begun_at - first.done_at).total_seconds() >= 24 * 3600
        assert {first.condition, second.condition} == {"north", "south"}
        scores = [list(v.ratings.order_by("target").values_list("final", flat=True)) for v in (first, second)]
        assert scores[0] != scores[1]
        assert person.end == "complete"


def test_only_the_time_of_simulated_people_is_moved(hour):
    with pytest.raises(ValueError, match="passes by itself"):
        pass_washout(hour.visit)


# --- what is stated holds


ITEMS = {
    item.id: item
    for position in ("after_each_task", "after_ratings")
    for module in parse(builtin_text("realia-hour")).modules_at(position)
    for item in module.items
}


def crowd(count=1500, **rates):
    return make_experts(count, 7, Rates(**rates))


def answers(name, people, *, suffix="", effects=None):
    item = ITEMS[name].model_copy(update={"id": f"{name}{suffix}"})
    return [linked_answer(item, one, "after/1", effects or {}) for one in people]


def correlation(left, right):
    return statistics.correlation([float(x) for x in left], [float(y) for y in right])


def test_links_between_person_and_answers_are_those_stated():
    """Instrument 2.8: each block of the report has a truth it can be checked against."""
    people = crowd()
    severity = [one.severity for one in people]
    own = [ITEMS["own"].codes.index(code) for code in answers("own", people, suffix="_Case", effects={"Case": -0.4})]
    org = [one.score("Case", -0.4) - 1 for one in people]
    assert statistics.mean(own) - statistics.mean(org) == pytest.approx(0.51, abs=0.12)
    assert correlation(own, org) > 0.25
    covered = [code in ("fully", "software_only") for code in answers("coverage", people, suffix="_1")]
    assert statistics.mean(covered) == pytest.approx(statistics.mean(one.coverage for one in people), abs=0.04)
    assert correlation(covered, severity) > 0.15
    easy = [int(point) for point in answers("umux_easy", people)]
    slow = [math.log(one.fluency) for one in people]
    assert correlation(easy, slow) < -0.1 < 0.2 < correlation(easy, severity)
    assert correlation(map_int(answers("rushed", people)), slow) > 0.3
    often = Counter(answers("frequency_at_work", people))
    assert often["not_my_area"] / len(people) == pytest.approx(given.NOT_MY_AREA, abs=0.03)
    ai = [code == "ai_model" for code in answers("origin_guess", people)]
    assert correlation(ai, severity) < -0.1
    assert Counter(answers("use_answers", people))["no"] / len(people) < 0.04


def map_int(values):
    return [int(value) for value in values]


def test_shares_of_kinds_and_stops_are_those_stated():
    people = crowd(4000, dropout=0.3, careless={"speeder": 0.1, "paster": 0.2})
    kinds = Counter(one.kind for one in people)
    assert kinds["speeder"] / 4000 == pytest.approx(0.1, abs=0.02)
    assert kinds["paster"] / 4000 == pytest.approx(0.2, abs=0.02)
    assert kinds[given.CAREFUL] / 4000 == pytest.approx(0.7, abs=0.03)
    stops = Counter(one.stop for one in people if one.stop)
    assert sum(stops.values()) / 4000 == pytest.approx(0.3, abs=0.03)
    # Rising with time: the last third of the hour loses more than the first two together lose in their half.
    thirds = [sum(stops[name] for name in given.STOPS[n : n + 3]) for n in (0, 3, 6)]
    assert thirds == sorted(thirds)
    assert set(stops) == set(given.STOPS)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--careless", "sleeper=0.1"], "no careless kind"),
        (["--careless", "speeder"], "such as speeder=0.1"),
        (["--careless", "speeder=0.8", "--careless", "paster=0.4"], "between 0 and 1"),
    ],
)
def test_careless_shares_that_cannot_be_are_refused(cohort, words, said):
    with pytest.raises(CommandError, match=said):
        call_command("simulate", "spring", *words)
    assert not Participant.objects.exists()
    assert not Rating.objects.exists()
