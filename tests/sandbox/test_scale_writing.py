"""Writing an Org: in any order, told about as it goes on, and whole or not at all."""

from __future__ import annotations

import io
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management.base import OutputWrapper

from study.sandbox.engine import snapshot_tables
from study.sandbox.engine import workshop as places
from study.sandbox.engine.errors import SnapshotError
from study.sandbox.engine.ids import make_id
from study.sandbox.engine.progress import ProgressLine
from study.sandbox.engine.snapshot import open_snapshot, write_snapshot
from study.sandbox.engine.snapshot_write import STAGES
from study.sandbox.engine.spool import Spool
from study.sandbox.engine.workshop import remove_leftovers, stoppable, workshop
from study.sandbox.exchange import org_jobs
from tests.sandbox.small_org import TODAY, small_registry, small_tables

ROOT = Path(__file__).resolve().parents[2]


def cases(*numbers: int) -> list[dict[str, Any]]:
    return [{"Id": make_id("500", n), "Subject": f"Broken {n}"} for n in numbers]


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot_tables, "BATCH", 7)


@pytest.mark.parametrize("order", ["rising", "falling", "mixed", "one late", "first last"])
def test_records_may_come_in_any_order_and_as_iterators(tmp_path: Path, order: str) -> None:
    numbers = list(range(100))
    if order == "falling":
        numbers.reverse()
    elif order == "mixed":
        random.Random(3).shuffle(numbers)
    elif order == "one late":
        numbers.append(numbers.pop(3))
    elif order == "first last":
        numbers = [*numbers[1:], numbers[0]]
    sound = write_snapshot(tmp_path / "a", small_registry(), {"Case": cases(*range(100))})
    info = write_snapshot(tmp_path / "b", small_registry(), {"Case": iter(cases(*numbers))})
    assert info.hash == sound.hash
    assert [row["Id"] for row in open_snapshot(info.path).records("Case")] == [make_id("500", n) for n in range(100)]
    connection = sqlite3.connect(info.path)
    assert connection.execute('SELECT group_concat(rid) FROM (SELECT rid FROM "Case" ORDER BY "Id")').fetchone() == (
        ",".join(str(n) for n in range(1, 101)),
    )
    connection.close()


@pytest.mark.parametrize("order", [(1, 2, 2, 3), (9, 2, 5, 2), (*range(30), 3)])
def test_an_id_that_comes_twice_is_named(tmp_path: Path, order: tuple[int, ...]) -> None:
    again = next(n for n in order if order.count(n) == 2)
    with pytest.raises(SnapshotError, match=f"^Case: two records have the Id {make_id('500', again)}.$"):
        write_snapshot(tmp_path / "x", small_registry(), {"Case": cases(*order)})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", [0, 5, 29])
def test_a_missing_id_is_told_wherever_it_stands(tmp_path: Path, place: int) -> None:
    rows = cases(*range(30))
    rows[place]["Id"] = ""
    with pytest.raises(SnapshotError, match=r"^Case: a record has no Id\.$"):
        write_snapshot(tmp_path / "x", small_registry(), {"Case": iter(rows)})
    assert list(tmp_path.iterdir()) == []


class Stopped(BaseException):
    pass


@pytest.mark.parametrize("fault", [Stopped, KeyboardInterrupt, OSError, GeneratorExit])
def test_what_breaks_off_leaves_nothing_behind(tmp_path: Path, fault: type[BaseException]) -> None:
    def records() -> Iterator[dict[str, Any]]:
        yield from cases(*range(20))
        assert len(list(tmp_path.glob("*.part"))) == 2
        raise fault

    with pytest.raises(fault):
        write_snapshot(tmp_path / "x", small_registry(), {"Case": records()})
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_said_in_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, before[1]))
    try:
        with pytest.raises(SnapshotError, match="no room to write the Org"):
            write_snapshot(tmp_path / "x", small_registry(), small_tables())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert list(tmp_path.iterdir()) == []


_SLOW = """
import sys, time
from pathlib import Path
from types import SimpleNamespace
from study.sandbox.engine.snapshot_write import write_snapshot
from study.sandbox.engine.workshop import stoppable, workshop
from tests.sandbox.small_org import small_registry
from tests.sandbox.test_scale_writing import cases

def records():
    for number in range(10**9):
        if number == 5_000:
            print("well under way", flush=True)
        if number > 5_000:
            time.sleep(0.001)
        yield from cases(number)

folder = Path(sys.argv[1])
with stoppable(), workshop(folder) as made:
    write_snapshot(made / "org.sqlite", small_registry(), {"Case": records()}).path.rename(folder / "org.sqlite")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_killed_load_leaves_nothing_half_made(tmp_path: Path, number: signal.Signals) -> None:
    """A real process, stopped in the middle: no Org; what only SIGKILL can leave goes with the next load."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "study.settings"}
    code = f"import django; django.setup()\n{_SLOW}"
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        env=environment, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == "well under way\n"
        assert [path.suffix for path in tmp_path.iterdir()] == [".part"]
        with workshop(tmp_path):
            # Another load leaves the one at work alone.
            assert len(list(tmp_path.iterdir())) == 2
        process.send_signal(number)
        process.wait(20)
    left = list(tmp_path.iterdir())
    assert [path.suffix for path in left] == ([".part"] if number == signal.SIGKILL else [])
    with workshop(tmp_path) as here:
        assert list(tmp_path.iterdir()) == [here]
    assert list(tmp_path.iterdir()) == []


def test_leftovers_older_than_a_day_go_whoever_made_them(tmp_path: Path) -> None:
    for name, age in (("old.part", 90_000), ("young.part", 60), ("org.sqlite", 90_000)):
        (tmp_path / name).write_text("x")
        then = time.time() - age
        os.utime(tmp_path / name, (then, then))
    (tmp_path / "just-made.part").mkdir()
    assert remove_leftovers(tmp_path) == [tmp_path / "old.part"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["just-made.part", "org.sqlite", "young.part"]


def test_being_told_to_stop_is_an_interruption(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), stoppable():
        os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before
    assert places.SUFFIX == ".part"


def test_progress_goes_through_all_stages_and_never_back(tmp_path: Path) -> None:
    heard: list[tuple[int, int | None, str]] = []
    tables = small_tables()
    records = sum(map(len, tables.values()))
    write_snapshot(
        tmp_path / "x",
        small_registry(),
        tables,
        today=TODAY,
        progress=lambda done, total, stage: heard.append((done, total, stage)),
        records=records,
    )
    assert list(dict.fromkeys(stage for *_, stage in heard)) == [stage for stage in STAGES if stage != "hash"]
    for stage in STAGES:
        done = [(n, total) for n, total, one in heard if one == stage]
        assert done == sorted(done)
        assert all(total is not None and n <= total for n, total in done)
    assert [n for n, _, stage in heard if stage == "rows"][-1] == records


def test_the_line_tells_percent_and_time_left() -> None:
    now = [0.0]
    out = io.StringIO()
    line = ProgressLine(OutputWrapper(out), clock=lambda: now[0])
    for second in range(12):
        now[0] = float(second)
        line(second * 100, 2_400, "rows")
    line.close()
    assert out.getvalue().splitlines() == [
        "10 %, records written: 500 of 2,400, about 45 s left",
        "20 %, records written: 1,000 of 2,400, about 40 s left",
    ]
    assert line.line(7, None, "rows", 3) == "records written: 7"
    assert line.line(1, 2, "check", 600) == "96 %, check of the file, about 22 s left"


def test_an_upload_tells_how_long_it_may_still_take(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    heard: list[tuple[Any, ...]] = []
    monkeypatch.setattr(org_jobs, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    told = org_jobs._told(SimpleNamespace(progress=lambda *said: heard.append(said)))  # type: ignore[arg-type]
    for done in range(0, 2_400, 100):
        told(done, 2_400, "rows")
        clock[0] += 0.5
    assert heard[0] == (0, 2_400, "writing records")
    assert heard[6] == (1_200, 2_400, "writing records, about 19 s left")


def test_on_a_terminal_one_line_is_kept_up_to_date() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    now, out = [0.0], Terminal()
    line = ProgressLine(OutputWrapper(out), clock=lambda: now[0])
    for tenth in range(10):
        now[0] = tenth / 10
        line(tenth, 10, "rows")
    line.close()
    assert "\n" not in out.getvalue()
    assert out.getvalue().count("\r") == 4 + 2


def test_a_spool_gives_back_what_was_put_in_as_often_as_asked() -> None:
    spool = Spool()
    for number in range(2_500):
        spool.add(number, {"Id": str(number), "Nothing": None})
    first, second = spool.numbered(), iter(spool)
    pairs = [(next(first), next(second)) for _ in range(2_500)]
    assert pairs[2_222] == ((2_222, {"Id": "2222", "Nothing": None}), {"Id": "2222", "Nothing": None})
    assert len(spool) == len(list(spool)) == 2_500
