"""The steps of ``manage.py smoke`` in a folder of their own, and what is asked of the result."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

from study.accounts.serving import STOP_SECONDS
from study.generator.flows import STARTER_SCALE
from study.results.recount import recount, result_differences
from study.results.smoke import (
    Unreadable,
    bundle_hash,
    bundle_values,
    ledger_differences,
    plain,
    read_ledger,
    table,
)

STUDY, OWNER = "smoke", "ada@example.test"
STEP_SECONDS = 900
"""Longest time for one step; a step that hangs is a failure."""
LAST_LINES = 15
MOST_SHOWN = 10
# What of the caller's surroundings could lead a step to other data, another database or a real mail server.
DROPPED = ("REALIA_", "DATABASE_", "CACHE_", "CELERY_", "EMAIL_", "DJANGO_SETTINGS_MODULE", "SABOTAGE")

_DROP_ONE_RATING = """
from study.fieldwork.models import Rating
row = Rating.objects.filter(kind="object", final__in=list("12345")).order_by("visit__participant__code", "position")[0]
print(f"took out the rating {row.final} of {row.visit.participant.code} for {row.target}")
row.delete()
"""
_CHANGE_ONE_WORD = """
from study.fieldwork.models import Rationale
row = Rationale.objects.exclude(text="").order_by("rating__visit__participant__code", "pk")[0]
first, blank, rest = row.text.partition(" ")
Rationale.objects.filter(pk=row.pk).update(text=f"{first}s{blank}{rest}")
print(f"changed a word of {row.rating.visit.participant.code} for {row.rating.target}, {row.side}")
"""
# Done to the database after the simulation; the empty one is done to results.json.
SABOTAGES = {"drop-one-rating": _DROP_ONE_RATING, "change-one-word": _CHANGE_ONE_WORD, "change-one-result": ""}


class Arm(NamedTuple):
    """An arm of a built-in protocol: its code, the Org its file names, and the world and scale it is made from."""

    code: str
    org: str
    world: str
    scale: float = 1.0


# The protocols that can be run, each with everything its file asks for.
PROTOCOLS = {
    "realia-hour": (Arm("main", "demo-service", "service", STARTER_SCALE),),
    "crmarena": (Arm("b2c", "crmarena", "service"),),
    "crmarena-pro": (Arm("b2b", "crmarena-pro-b2b", "b2b"), Arm("b2c", "crmarena-pro-b2c", "b2c")),
}


class Failed(Exception):
    """The smoke run does not end well; ``lines`` say why, the last one in short."""

    def __init__(self, *lines: str) -> None:
        super().__init__(lines[-1])
        self.lines = lines


@dataclass(frozen=True)
class Step:
    """A command in a process of its own: what it is called, and its words after the interpreter."""

    label: str
    words: tuple[str, ...]


@dataclass
class Smoke:
    """One run. ``tell`` takes the lines of progress."""

    folder: Path
    tell: Callable[[str], None]
    experts: int = 20
    seed: int = 7
    sabotage: str = ""
    protocol: str = "realia-hour"
    scale: float | None = None

    def run(self) -> str:
        """Everything in order; the closing line. Raises Failed."""
        for step in self.steps():
            self.take(step)
        if self.sabotage == "change-one-result":
            self.tell(change_one_result(self.results))
        return self.verdict()

    @property
    def ledger(self) -> Path:
        return self.folder / "var" / f"ledger-{STUDY}.jsonl"

    @property
    def results(self) -> Path:
        return self.folder / "report" / "results.json"

    @property
    def bundle(self) -> Path:
        return self.folder / "bundle"

    @property
    def arms(self) -> tuple[Arm, ...]:
        return PROTOCOLS[self.protocol]

    def sized(self, arm: Arm) -> tuple[str, str]:
        """The scale of an arm's Org, unless all of this run have another."""
        return "--scale", f"{arm.scale if self.scale is None else self.scale:g}"

    def steps(self) -> Iterator[Step]:
        yield manage("migrate", "-v", "0")
        yield manage("collectstatic", "--noinput", "-v", "0")
        for arm in self.arms:
            yield manage("org_generate", arm.world, "--seed", str(self.seed), "--name", arm.org, *self.sized(arm))
        yield manage("study_create", STUDY, "--owner", OWNER)
        yield manage("protocol_import", STUDY, self.protocol)
        yield manage("protocol_freeze", STUDY, "--with-gaps")
        target = str(max(40, 2 * self.experts))
        for arm in self.arms:
            new = ("--create", "--arm", arm.code, "--target", target, "--contact", OWNER)
            yield manage("cohort_open", STUDY, arm.code, *new)
        for arm in self.arms:
            these = ("--cohort", arm.code, "--experts", str(self.experts), "--seed", str(self.seed))
            yield manage("simulate", STUDY, *these)
        if SABOTAGES.get(self.sabotage):
            yield Step(
                f"sabotage: {self.sabotage}", ("manage.py", "shell", "--no-imports", "-c", SABOTAGES[self.sabotage])
            )
        yield manage("study_unblind", STUDY, "--by", OWNER, "--reason", "The smoke run is over.")
        yield manage("export_bundle", STUDY, "--out", str(self.bundle))
        yield Step("export_bundle again", ("manage.py", "export_bundle", STUDY, "--out", f"{self.bundle}2"))
        yield Step("analysis report", ("-m", "analysis", "report", str(self.bundle), "--out", str(self.results.parent)))

    def take(self, step: Step) -> None:
        """Run one step and say how long it took. Raises Failed with its last lines."""
        began = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, *step.words], cwd=settings.BASE_DIR, env=surroundings(self.folder / "var"), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            said, _ = process.communicate(timeout=STEP_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failed(f"{step.label}: not done after {STEP_SECONDS} seconds.") from None
        finally:
            put_down(process)
        lines = said.strip().splitlines()
        if process.returncode:
            raise Failed(*lines[-LAST_LINES:], f"{step.label} ended with {process.returncode}.")
        self.tell(f"{step.label:<28} {time.monotonic() - began:6.1f} s   {lines[-1] if lines else ''}".rstrip())

    def verdict(self) -> str:
        """The closing line of a run in which everything agrees. Raises Failed for any other."""
        try:
            faults = list(self.faults())
            closing = self.closing()
        except Unreadable as error:
            raise Failed(str(error)) from None
        if not faults and self.sabotage:
            raise Failed(f"SABOTAGE={self.sabotage} was done and nothing noticed it. The checks above prove nothing.")
        if faults:
            more = [f"… and {len(faults) - MOST_SHOWN} more"] if len(faults) > MOST_SHOWN else []
            raise Failed(
                *faults[:MOST_SHOWN], *more, f"not OK: {len(faults)} fault{'s' if len(faults) > 1 else ''} found."
            )
        return closing

    def faults(self) -> Iterator[str]:
        """Everything that is not as it has to be, one line each."""
        first, again = bundle_hash(self.bundle), bundle_hash(Path(f"{self.bundle}2"))
        if first != again:
            yield f"the second export has another hash: {first} and {again}"
        completed = self.completed()
        expected = self.experts * len(self.arms)
        if completed != expected:
            yield f"{completed} of {expected} experts completed"
        ledger = read_ledger(self.ledger)
        if not ledger:
            yield f"{self.ledger.name} is empty: nothing was acknowledged"
        for difference in ledger_differences(ledger, bundle_values(self.bundle)):
            yield f"ledger and bundle: {difference}"
        for line in result_differences(self.said(), recount(self.bundle)):
            yield f"results and recount: {line}"

    def completed(self) -> int:
        return sum(plain(row["end"]) == "complete" for row in table(self.bundle, "participants"))

    def said(self) -> dict[str, list[dict[str, object]]]:
        """The content of results.json. Raises Unreadable."""
        try:
            found: dict[str, list[dict[str, object]]] = json.loads(self.results.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise Unreadable(f"{self.results.name}: {error}") from error
        return found

    def closing(self) -> str:
        fields = [name for _, name in bundle_values(self.bundle)]
        ratings = sum(name.startswith("rating/") for name in fields)
        rationales = sum(name.startswith("rationale/") for name in fields)
        return (
            f"completed {self.completed()}, ratings {ratings}, rationales {rationales}, "
            f"estimates {len(self.said()['estimates'])}, ledger = bundle, results = recount, "
            f"bundle {bundle_hash(self.bundle)}, OK"
        )


def put_down(process: subprocess.Popen[str]) -> None:
    """End a step that still runs; it is asked first, since it may have a server of its own to stop."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(STOP_SECONDS + 2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def manage(command: str, *words: str) -> Step:
    return Step(command, ("manage.py", command, *words))


def surroundings(var: Path) -> dict[str, str]:
    """The environment of every step: a data folder and a database of this run only."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(DROPPED)}
    return kept | {"REALIA_VAR": str(var), "REALIA_EPHEMERAL": "1"}


def change_one_result(results: Path) -> str:
    """Sabotage: one more approval of one object in results.json. Returns what was done."""
    found = json.loads(results.read_text(encoding="utf-8"))
    row = next(row for row in found["estimates"] if row["estimand"] == "object_approval")
    row["k"] += 1
    results.write_text(json.dumps(found), encoding="utf-8")
    return f"sabotage: k of {row['id']} is now {row['k']}"
