"""The flow adds up whatever happened to people, its readers agree, and the forecast is that of another computation."""

from __future__ import annotations

import csv
import io
import random
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from study.accounts.adapter import user_with_address
from study.accounts.flows import add_member
from study.accounts.models import Role
from study.people import flows
from study.people.models import End, Participant, Stage
from study.people.sample import excluding
from study.people.sample.cohort_board import bars
from study.people.sample.consort import Course, Flow, Step, courses, flow
from study.people.sample.flow_words import lines
from study.people.sample.forecast import FEWEST, forecast, waits
from study.results.flow import participant_flow

STAGES, ENDS = list(Stage.values), ["", *End.values]
drawn_courses = st.builds(
    Course,
    furthest=st.sampled_from(STAGES),
    end=st.sampled_from(ENDS),
    joined=st.booleans(),
    arm=st.sampled_from(["a", "b"]),
    analysed=st.sampled_from([None, True, False]),
    exclusion=st.sampled_from(["", "", "duplicate"]),
    taken_out=st.booleans(),
)


def parts(step: Step) -> int:
    return step.on + step.here + sum(step.lost.values())


def adds_up(found: Flow) -> bool:
    steps = (found.approached, found.assessed, found.allocated, found.started)
    chain = all(one.on == two.n for one, two in pairwise(steps))
    whole = all(parts(step) == step.n for step in (*steps, found.analysed))
    positive = all(n > 0 for step in (*steps, found.analysed) for n in step.lost.values())
    least = min(step.here for step in (*steps, found.analysed)) >= 0
    return chain and whole and positive and least and found.analysed.n == found.started.n


@settings(max_examples=60)
@given(st.lists(drawn_courses, max_size=30))
def test_every_flow_adds_up_and_its_arms_are_the_whole(people):
    found = flow(people)
    assert found.approached.n == len(people)
    assert adds_up(found)
    assert all(adds_up(own) for own in found.arms.values())
    for name in ("allocated", "started", "analysed"):
        assert sum(getattr(own, name).n for own in found.arms.values()) == getattr(found, name).n
        assert sum(getattr(own, name).on for own in found.arms.values()) == getattr(found, name).on
    assert sum(own.analysed_left for own in found.arms.values()) == found.analysed_left <= found.analysed.on
    told = lines(found, {})
    assert (
        sum(line.n for line in told if line.level == 0 and line.step in ("started", "analysis")) == 2 * found.started.n
    )


def history(cohort, draw: random.Random) -> Participant:
    """One person led by the flows themselves until chance stops them."""
    invited = draw.random() < 0.7
    one = flows.new_participant(
        cohort, stage=Stage.INVITED if invited else Stage.JOINED, joined_at=None if invited else cohort.created_at
    )
    way = [Stage.INVITED, Stage.JOINED, Stage.ELIGIBLE, Stage.CONSENTED, Stage.WORKING, Stage.RATING, Stage.LOCKED]
    ends = {Stage.INVITED: [End.WITHDRAWN, End.EXCLUDED], Stage.JOINED: [End.SCREENED_OUT, End.FULL],
            Stage.ELIGIBLE: [End.NO_CONSENT, End.FULL], Stage.LOCKED: [End.COMPLETE]}  # fmt: skip
    for here, there in zip(way, [*way[1:], None], strict=True):
        if one.stage != here:
            continue
        if draw.random() < 0.15 or (there is None and draw.random() < 0.8):
            flows.end(one, draw.choice(ends.get(here, [End.WITHDRAWN, End.LAPSED])))
            break
        if there is None or draw.random() < 0.05:
            break
        flows.advance(one, here, there)
        if there == Stage.JOINED:
            Participant.objects.filter(pk=one.pk).update(joined_at=cohort.created_at)
            one.refresh_from_db()
        if there == Stage.CONSENTED:
            Participant.objects.filter(pk=one.pk).update(arm=draw.choice("ab"))
    # Whether enough was rated is what fieldwork says; here chance does.
    if one.stage in ("locked", "done"):
        Participant.objects.filter(pk=one.pk).update(analysed=draw.random() < 0.8)
    one.refresh_from_db()
    if one.end and one.joined_at and draw.random() < 0.15:
        excluding.exclude(one, excluding.reasons(one)[0].code, by=None)
    return one


@pytest.mark.django_db
def test_histories_led_by_the_flows_add_up_for_page_monitor_and_board(cohort, study):
    """P-14: previews and a pilot among them are in none of the three."""
    draw = random.Random(20261031)
    for _ in range(45):
        history(cohort, draw)
    # A second visit sets the stage back; nobody becomes less far for it.
    back = cohort.participants.filter(stage=Stage.LOCKED, end="").first()
    flows.begin_again(back, "visit 2")
    people = Participant.objects.counted().filter(study=study)
    rows = courses(people)
    assert all(one.reached(Stage.LOCKED) for one in courses(people.filter(pk=back.pk)))
    found = flow(rows)
    assert adds_up(found)
    assert (found.approached.n, found.started.on) == (45, people.filter(end=End.COMPLETE).count())
    steps = {step.code: step for step in participant_flow(study)}
    shown = {bar.shade: bar.n for bar in bars(rows, 10)}
    assert [steps["invited"].n, steps["joined"].n, steps["working"].n, steps["done"].n] == [
        found.approached.n, found.assessed.n, found.started.n, found.started.on,
    ]  # fmt: skip
    assert [shown[1], shown[2], shown[4], shown[5]] == [
        found.approached.n, found.assessed.n, found.started.n, found.started.on,
    ]  # fmt: skip
    assert steps["eligible"].n == shown[3]
    started = people.filter(stage_events__stage=Stage.WORKING).distinct()
    left_out = started.filter(excluded_at__isnull=False).count()
    assert sum(n for reason, n in found.analysed.lost.items() if reason.startswith("rule:")) == left_out > 0
    for more in ({"preview": True}, {"pilot": True}):
        extra = history(cohort, random.Random(1))
        Participant.objects.filter(pk=extra.pk).update(**more)
    assert flow(courses(people)) == found


@pytest.mark.django_db
def test_the_page_and_its_files_say_the_same(cohort, study, ada):
    """Every role may see numbers; arms are told apart to coordinators once nobody can join any more (M1)."""
    for arm in "aab":
        one = flows.new_participant(cohort, stage=Stage.JOINED, joined_at=cohort.created_at)
        flows.advance(one, Stage.JOINED, Stage.CONSENTED)
        Participant.objects.filter(pk=one.pk).update(arm=arm)
    flows.end(one, End.WITHDRAWN)
    clients = {}
    for role in (Role.COORDINATOR, Role.VIEWER):
        user = user_with_address(f"{role}@example.test")
        add_member(study, user, role, by=None)
        clients[role] = Client()
        clients[role].force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    page = clients[Role.VIEWER].get("/studies/spring/flow/").content.decode()
    assert "Arm a" in page
    hidden = clients[Role.COORDINATOR].get("/studies/spring/flow/").content.decode()
    assert "Arm a" not in hidden
    assert "could guess" in hidden
    table = clients[Role.COORDINATOR].get("/studies/spring/flow/flow.csv", {"cohort": "north"}).content.decode()
    rows = list(csv.DictReader(io.StringIO(table)))
    assert {row["arm"] for row in rows} == {""}
    counts = {(row["step"], row["what"]): int(row["n"]) for row in rows}
    assert counts["allocated", "n"] == counts["allocated", "here"] + counts["allocated", "withdrawn"] == 3
    cohort.state = "closed"
    cohort.save()
    text = clients[Role.COORDINATOR].get("/studies/spring/flow/flow.txt").content.decode()
    assert "Arm b" in text
    assert "    withdrawn: 1" in text
    assert clients[Role.VIEWER].get("/studies/spring/flow/flow.pdf").status_code == 404
    assert clients[Role.VIEWER].get("/studies/spring/flow/", {"cohort": "made-up"}).status_code == 404


def test_the_forecast_agrees_with_another_computation():
    """The beta prime quantiles are those of an F variable, and of a simulation of paces and waits."""
    import numpy as np
    from scipy.special import fdtri

    opened = datetime(2026, 9, 1, tzinfo=UTC)
    now = opened + timedelta(days=28)
    done, target = 8, 20
    seen = forecast(done, target=target, opened=opened, now=now)
    assert (seen.too_early, seen.open, seen.per_week) == (False, 12, 2.0)
    for moment, share in ((seen.early, 0.1), (seen.middle, 0.5), (seen.late, 0.9)):
        days = (moment - now) / timedelta(days=1)
        assert days == pytest.approx(28 * 12 / 8 * fdtri(2 * 12, 2 * 8, share), rel=1e-6)
    rng = np.random.default_rng(6)
    pace = rng.gamma(done, 1 / 28, 200_000)
    waited = rng.gamma(12, 1 / pace)
    assert np.quantile(waited, [0.1, 0.5, 0.9]) == pytest.approx(
        [(moment - now) / timedelta(days=1) for moment in (seen.early, seen.middle, seen.late)], rel=0.02
    )
    assert seen.early < seen.middle < seen.late


def test_the_forecast_says_nothing_too_early_and_nothing_when_done():
    opened = datetime(2026, 9, 1, tzinfo=UTC)
    now = opened + timedelta(days=7)
    early = forecast(FEWEST - 1, target=20, opened=opened, now=now)
    assert (early.too_early, early.missing, early.middle) == (True, 1, None)
    assert not forecast(FEWEST, target=20, opened=opened, now=now).too_early
    full = forecast(20, target=20, opened=opened, now=now)
    assert (full.open, full.middle, full.too_early) == (0, None, False)
    assert forecast(9, target=20, opened=now, now=now).middle is None, "no time has passed"
    first_hours = forecast(9, target=20, opened=now - timedelta(hours=3), now=now)
    assert (first_hours.too_early, first_hours.per_week) == (True, None), "a pace of hours is none of weeks"
    assert waits(100_000, 5, timedelta(days=400), (0.9,)) == [timedelta(days=3650)]
