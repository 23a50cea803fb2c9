"""The benchmark tells a slow engine, a slow page and different answers from good ones."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from study.generator.flows import write_shapes
from study.sandbox.bench_lines import Line, Lines
from study.sandbox.engine.snapshot import Snapshot, open_snapshot
from study.sandbox.management.commands import bench_sandbox
from study.sandbox.models import Desk, Org
from study.sandbox.orgs import register_org

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_shapes(tmp_path_factory.mktemp("bench") / "shapes.sqlite", 1_500, 1).path


@pytest.fixture
def org(written: Path, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Org:
    settings.REALIA_VAR = tmp_path
    # What is measured here are verdicts, not this machine.
    monkeypatch.setattr(bench_sandbox, "PAGE_MS", {"55k": 60_000.0})
    monkeypatch.setattr(bench_sandbox, "TRACE_MS", 60_000.0)
    monkeypatch.setattr(bench_sandbox, "COUNTS_FROM_MS", 500.0)
    monkeypatch.setattr(bench_sandbox, "QUICK_RUNS", 1)
    monkeypatch.setattr(bench_sandbox, "WARM", 0)
    snapshot = open_snapshot(written)
    (tmp_path / "orgs").mkdir()
    info = write_shapes(tmp_path / "orgs" / "made.sqlite", 1_500, 1)
    assert info.hash == snapshot.hash
    return register_org(info, "bench")


def busy(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def slowed(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, seconds: float) -> None:
    real: Callable[..., Any] = getattr(owner, name)

    def late(*args: Any, **kwargs: Any) -> Any:
        busy(seconds)
        return real(*args, **kwargs)

    monkeypatch.setattr(owner, name, late)


def test_every_line_is_measured_and_the_goals_are_judged(org: Org, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("bench_sandbox", "--org", "bench", "--quick")
    out = capsys.readouterr().out
    for name in ("list", "count", "record", "grouped report", "having report", "search", "type-ahead", "SOQL"):
        assert any(line.startswith(name + "  ") for line in out.splitlines()), name
    assert out.count("\nmet ") == 3
    assert not Desk.objects.exists()


def test_a_slowed_engine_misses_its_goal(org: Org, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(bench_sandbox, "COUNTS_FROM_MS", 5.0)
    slowed(monkeypatch, Snapshot, "run", 0.03)
    with pytest.raises(CommandError, match="A goal was missed"):
        call_command("bench_sandbox", "--org", "bench", "--quick")
    missed = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("MISSED"))
    assert "grouped report" in missed
    assert "having report" in missed


def test_slow_pages_and_a_slow_trace_miss_their_goals(org: Org, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(bench_sandbox, "PAGE_MS", {"55k": 0.01})
    monkeypatch.setattr(bench_sandbox, "TRACE_MS", 0.0)
    with pytest.raises(CommandError, match="A goal was missed"):
        call_command("bench_sandbox", "--org", "bench", "--quick")
    missed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("MISSED")]
    assert len(missed) == 2
    assert "page: a record" in missed[0]


def test_sides_that_answer_differently_are_not_compared(written: Path) -> None:
    line = Line("odd", lambda drawn: [1, 2], lambda drawn: [1])
    with pytest.raises(CommandError, match="odd: the engine answers 2, SQL by hand 1"):
        bench_sandbox.side_by_side(line, [{}, {}, {}])


def test_both_sides_give_the_same_rows(written: Path) -> None:
    lines = Lines(open_snapshot(written))
    by_name = {line.name: line for line in lines.all()}
    for drawn in lines.drawn(15):
        for name in ("list", "sorted by a lookup's name", "having report"):
            assert [row[0] for row in by_name[name].engine(drawn)] == [row[0] for row in by_name[name].sql(drawn)], name
        grouped = [row[:2] for row in by_name["grouped report"].engine(drawn)]
        assert grouped == [row[:2] for row in by_name["grouped report"].sql(drawn)]
        assert by_name["count"].engine(drawn) == by_name["count"].sql(drawn)
        assert by_name["search"].engine(drawn) == by_name["search"].sql(drawn)


def test_an_org_that_lacks_what_is_measured_is_refused(gui: Any) -> None:
    with pytest.raises(CommandError, match="No Org is called nowhere"):
        call_command("bench_sandbox", "--org", "nowhere")
