"""Timing from an event log: every number here can be worked out by hand."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from io import StringIO
from math import exp
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from study.generator.event_log import read_log
from study.generator.groundwork.world_file import read_plan
from study.generator.recipe import Recipe
from study.generator.timing_fit import TimingError, fit, fitted_timing

MONDAY = datetime(2024, 1, 1, 9)


def lines(beginnings: list[datetime], hours: list[float]) -> str:
    """A log of two events a case, in the order of a heap: nothing may depend on it."""
    rows = ["case,activity,time,resource"]
    for number, (at, taken) in enumerate(zip(beginnings, hours, strict=True)):
        rows.append(f"{number},closed,{at + timedelta(hours=taken)},ann")
        rows.append(f"{number},opened,{at},ann")
    return "\n".join(rows) + "\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """20 cases on Mondays at 9, 10 on Tuesdays at 9, 3 on Wednesdays at 14 and 2 on Fridays at 15, all in January."""
    beginnings = [MONDAY] * 20 + [MONDAY + timedelta(days=1)] * 10
    beginnings += [MONDAY + timedelta(days=2, hours=5)] * 3 + [MONDAY + timedelta(days=4, hours=6)] * 2
    # Half take e hours, half e cubed: the logarithms are 1 and 3, their mean 2 and their deviation 1 (nearly: 18, 17).
    path = tmp_path / "log.csv"
    path.write_text(lines(beginnings, [exp(1)] * 18 + [exp(3)] * 17))
    return path


def test_weights_are_those_worked_out_by_hand(log: Path) -> None:
    found = fit(read_log(log))
    # Five cases fell on the five other weekdays, fewer than ten: Tuesday, the smallest of the rest, joins them, and
    # the six share 15. Monday has 20, the mean of the seven is 5: 20 / 5 = 4 and 2.5 / 5 = 0.5.
    assert found.weekdays == (4.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5)
    # Nine o'clock has 30; the 23 other hours together 5, fewer than ten, so all 24 are one cell.
    assert found.hours == (1.0,) * 24
    # One month only: nothing is known about the others.
    assert found.seasons == (1.0,) * 12
    assert found.sigma == 1.0
    # exp((18 × 1 + 17 × 3) / 35) = exp(69 / 35)
    assert found.hours_taken == round(exp(69 / 35), 2) == 7.18


def test_months_are_weighed_by_their_days(tmp_path: Path) -> None:
    # 31 days of January with 31 cases, 29 of February with 58: one a day, then two a day.
    january = [datetime(2024, 1, 1, 8) + timedelta(days=n) for n in range(31)]
    february = [datetime(2024, 2, 1, 8) + timedelta(days=n // 2) for n in range(58)]
    path = tmp_path / "log.csv"
    path.write_text(lines(january + february, [1.0 + n % 3 for n in range(89)]))
    assert fit(read_log(path)).seasons[:3] == (0.667, 1.333, 1.0)


def test_a_plan_takes_the_timing_over(log: Path) -> None:
    plan = Recipe("b2b", 1, timing=log).plan
    assert plan.ingredients.fitted
    assert plan.timing.weekdays[0] == 4.0
    assert plan.timing.opens == read_plan("b2b").timing.opens
    assert plan.fingerprint != read_plan("b2b").fingerprint


def test_the_command_writes_what_a_world_can_use(log: Path, tmp_path: Path) -> None:
    out, said = tmp_path / "timing.yaml", StringIO()
    call_command("timing_fit", str(log), "--out", str(out), stdout=said)
    assert "35 cases, median 7.18 hours, sigma 1" in said.getvalue()
    plan = read_plan("b2b")
    assert fitted_timing(out, plan) == fitted_timing(log, plan)
    assert "ann" not in out.read_text()


def test_ocel_is_read_by_its_leading_type(tmp_path: Path) -> None:
    events, objects = [], [{"id": "clerk", "type": "resource"}]
    for number in range(12):
        objects.append({"id": f"t{number}", "type": "ticket"})
        for hour in (9, 11):
            links = [{"objectId": f"t{number}", "qualifier": "about"}]
            links += [{"objectId": "clerk", "qualifier": "by"}] if hour == 11 else []
            events.append(
                {"id": f"{number}-{hour}", "type": "x", "time": f"2024-05-0{1 + number % 9}T{hour:02d}:00:00+02:00",
                 "relationships": links}
            )  # fmt: skip
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"events": events, "objects": objects}))
    cases = read_log(path)
    assert len(cases) == 12
    assert {case.hours for case in cases} == {2.0}
    # The clock on the wall counts, not UTC.
    assert {case.began.hour for case in cases} == {9}


def test_ocel_as_csv_is_read_too(tmp_path: Path) -> None:
    rows = ["ocel:eid,ocel:timestamp,ocel:activity,ocel:type:order,ocel:type:item"]
    rows += [f'{n},2024-05-01T1{n % 2}:00:00,x,"[\'o{n // 2}\']","[]"' for n in range(20)]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(rows))
    cases = read_log(path)
    assert len(cases) == 10
    assert {case.hours for case in cases} == {1.0}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("case,activity,when\n1,a,2024-01-01\n", "no column time"),
        ("case,activity,time\n1,a,yesterday\n", "line 2: 'yesterday' is no time"),
        ("case,activity,time\n,a,2024-01-01\n", "line 2: the case is empty"),
        ("case,activity,time\n1,a,2024-01-01\n", "1 cases; timing takes 10"),
        ('{"events": 3}', "no OCEL log"),
    ],
)
def test_what_is_wrong_with_a_log_is_said(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "log.csv"
    path.write_text(text)
    with pytest.raises(TimingError, match=said):
        fitted_timing(path, read_plan("b2b"))
    with pytest.raises(CommandError, match=said):
        call_command("timing_fit", str(path), "--out", str(tmp_path / "out.yaml"))
