"""The demo: what it holds, how often it may be started, and the one line in which each failure ends."""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections import namedtuple
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings as project
from django.core.management import CommandError, call_command
from django.db import OperationalError

from study.accounts.models import Study
from study.accounts.serving import CannotServe, Together, free_port, port_is_free, wait_until_up
from study.fieldwork.models import Attempt, Rating
from study.fieldwork.simulation.run import CannotSimulate, Outcome
from study.people.models import Cohort, Participant
from study.results import demo
from study.results.management.commands import demo as command
from study.results.management.commands.demo import MARKER, hold, is_full, reset
from study.sandbox.models import Desk
from tests.fieldwork.hour import Hour

# --- the folder


def test_a_second_demo_on_the_same_folder_is_refused(tmp_path):
    lock = hold(tmp_path / "demo.lock")
    other = subprocess.run(
        [sys.executable, "-c", HOLD, str(tmp_path / "demo.lock")],
        cwd=project.BASE_DIR, capture_output=True, text=True, check=False,
        env=os.environ | {"REALIA_VAR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "study.settings"},
    )  # fmt: skip
    assert other.returncode == 1
    assert other.stderr.strip().splitlines()[-1] == (
        f"Another demo is running on {tmp_path} (process {os.getpid()}). Stop it first."
    )
    lock.close()
    hold(tmp_path / "demo.lock").close()


HOLD = """
import sys
from pathlib import Path
import django
django.setup()
from study.results.management.commands.demo import CommandError, hold
try:
    hold(Path(sys.argv[1]))
except CommandError as error:
    sys.exit(str(error))
"""


def test_reset_removes_what_the_demo_made(tmp_path):
    for name in (MARKER, "realia.sqlite3", "demo.lock"):
        (tmp_path / name).touch()
    (tmp_path / "orgs").mkdir()
    (tmp_path / "orgs" / "one.sqlite3").touch(mode=0o400)
    reset(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["demo.lock"]


def test_reset_leaves_a_folder_alone_that_no_demo_marked(tmp_path):
    (tmp_path / "realia.sqlite3").write_text("a real study")
    with pytest.raises(CommandError, match="no demo made"):
        reset(tmp_path)
    assert (tmp_path / "realia.sqlite3").read_text() == "a real study"


def test_reset_does_not_follow_a_link_out_of_the_folder(tmp_path):
    mine, folder = tmp_path / "mine", tmp_path / "demo"
    mine.mkdir()
    folder.mkdir()
    (mine / "thesis.txt").touch()
    (folder / MARKER).touch()
    (folder / "orgs").symlink_to(mine)
    reset(folder)
    assert (mine / "thesis.txt").exists()
    assert not (folder / "orgs").exists()


# --- one line for each failure


@pytest.fixture
def folder(settings, tmp_path, monkeypatch):
    """A data folder of the test's own, and no setting up."""
    settings.REALIA_VAR = tmp_path
    monkeypatch.setattr(command.Command, "set_up", lambda self, port: None)
    return tmp_path


def test_a_busy_port_is_named_with_another_one(folder):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert not port_is_free(port)
        with pytest.raises(CommandError, match=f"Port {port} is in use.*PORT={port + 1}"):
            call_command("demo", port=port)
    assert port_is_free(port)


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "The disk is full"),
        (OperationalError("database or disk is full"), "The disk is full"),
        (sqlite3.OperationalError("database or disk is full"), "The disk is full"),
        (CannotServe("The server did not come up."), "did not come up"),
        (CannotSimulate("Simulated experts did not finish: P-1"), "did not finish"),
        (KeyboardInterrupt(), "goes on from here"),
    ],
)
def test_a_failure_while_setting_up_is_one_line(folder, monkeypatch, raised, said):
    def set_up(self, port):
        raise raised

    monkeypatch.setattr(command.Command, "set_up", set_up)
    with pytest.raises(CommandError, match=said) as failed:
        call_command("demo", port=free_port(), stdout=StringIO())
    assert "\n" not in str(failed.value)


def test_an_unknown_fault_is_not_taken_for_a_full_disk(folder, monkeypatch):
    assert not is_full(OSError(errno.EACCES, "Permission denied"))

    def set_up(self, port):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(command.Command, "set_up", set_up)
    with pytest.raises(PermissionError):
        call_command("demo", port=free_port())


def test_too_little_space_is_said_before_anything_is_built(settings, tmp_path, monkeypatch):
    settings.REALIA_VAR = tmp_path
    monkeypatch.setitem(project.DATABASES["default"], "NAME", str(tmp_path / "realia.sqlite3"))
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10, 10, 50_000_000))
    with pytest.raises(CommandError, match="Too little space"):
        call_command("demo", setup_only=True)


def test_a_database_of_somebody_else_is_not_touched(settings, tmp_path, monkeypatch):
    settings.REALIA_VAR = tmp_path
    monkeypatch.setitem(project.DATABASES["default"], "NAME", "realia_of_the_institute")
    with pytest.raises(CommandError, match="Unset DATABASE_URL"):
        call_command("demo", setup_only=True)


# --- processes


def test_together_stops_what_it_started_also_what_does_not_listen(tmp_path, settings, monkeypatch):
    settings.REALIA_VAR = tmp_path
    monkeypatch.setattr("study.accounts.serving.STOP_SECONDS", 1)
    together = Together()
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
    together.start([sys.executable, "-c", deaf], tmp_path / "deaf.log")
    together.start([sys.executable, "-c", "import time; time.sleep(60)"], tmp_path / "other.log")
    while "up" not in (tmp_path / "deaf.log").read_text():
        time.sleep(0.05)
    together.stop()
    assert [process.poll() for process in together.processes] == [-signal.SIGKILL, -signal.SIGTERM]


def test_a_server_that_does_not_come_up_names_its_log(tmp_path, settings):
    settings.REALIA_VAR = tmp_path
    together = Together()
    together.start([sys.executable, "-c", "raise SystemExit(3)"], tmp_path / "web.log")
    with pytest.raises(CannotServe, match=re.escape(str(tmp_path / "web.log"))):
        wait_until_up(free_port(), together, seconds=10)


# --- what it holds


@pytest.fixture
def experts(monkeypatch):
    """Instead of simulated experts: how often they were asked for, and what they leave behind."""
    asked = []

    def simulate(study, cohort, **more):
        asked.append(more["count"])
        return Outcome()

    monkeypatch.setattr(demo, "simulate", simulate)
    return asked


def test_every_step_can_be_taken_again(org, experts):
    first = [work() for label, work in demo.steps() if label != "Its results"]
    rows = {model: model.objects.count() for model in (Study, Cohort, Participant)}
    assert [work() for label, work in demo.steps() if label != "Its results"] == first
    assert {model: model.objects.count() for model in rows} == rows
    assert experts == [demo.EXPERTS]
    done, still_open = Study.objects.get(code="demo-done"), Study.objects.get(code="demo-open")
    assert (done.blind, still_open.blind) == (False, True)
    assert done.cohorts.get().state == "closed"
    main = still_open.cohorts.get(code="main")
    assert (main.state, main.target) == ("open", 30)


def test_there_is_a_way_in_for_each_kind_of_person(org, client):
    demo.build_open()
    ways = dict(demo.links())
    assert [label.split()[0] for label in ways] == ["participant", "researcher", "coordinator"]
    for path in ways.values():
        assert client.get(path).status_code == 200
    for label, seen in (("researcher (Ada)", 200), ("coordinator (Noor)", 200)):
        client.logout()
        client.post(ways[label])
        assert client.get("/studies/demo-open/").status_code == seen
        client.logout()
        # The link works once.
        client.post(ways[label])
        assert client.get("/studies/demo-open/").status_code != seen


def test_an_interrupted_simulation_starts_over(org, experts, ben, client):
    study, cohort = demo.study_with_cohort("demo-done", "Demo, completed", target=25, open_link=False)
    hour = Hour.begin(cohort, ben, client)
    Participant.objects.filter(code=hour.code).update(simulated=True)
    ledger = Path(project.REALIA_VAR) / "ledger-demo-done.jsonl"
    ledger.write_text("{}\n")
    assert Desk.objects.filter(study=study).count() == 0
    hour.get("orientation/")
    hour.orient()
    hour.open_question()
    demo.build_done()
    assert experts == [20]
    assert not Participant.objects.filter(study=study).exists()
    assert not Attempt.objects.exists()
    assert not Rating.objects.exists()
    assert not Desk.objects.filter(study=study).exists()
    assert not ledger.exists()


def test_experts_who_failed_are_a_failure(org, monkeypatch):
    monkeypatch.setattr(demo, "simulate", lambda *words, **more: Outcome(problems=["P-1: URLError"]))
    with pytest.raises(CannotSimulate, match="P-1: URLError"):
        demo.build_done()
    assert Study.objects.get(code="demo-done").blind


def test_people_are_never_cleared_away(org, ben, client):
    study, cohort = demo.study_with_cohort("demo-done", "Demo, completed", target=25, open_link=False)
    hour = Hour.begin(cohort, ben, client)
    hour.get("orientation/")
    demo.clear_simulated(study)
    assert Participant.objects.get(code=hour.code).stage == "consented"
    assert Desk.objects.filter(study=study).exists()
