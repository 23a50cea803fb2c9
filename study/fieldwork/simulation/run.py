"""A cohort of simulated experts: over HTTP, invited by mail and served by a server of their own, several at a time;
or through the flows, one after another with drawn time.
"""

from __future__ import annotations

import email
import json
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from email import policy
from pathlib import Path

from django.conf import settings
from django.db import connections, transaction
from django.utils import timezone

from study.accounts.models import Study
from study.accounts.serving import Together, collect_static, free_port, wait_until_up, web_command
from study.fieldwork.ratings import ORG
from study.fieldwork.simulation.experts import Expert, Rates, make_experts, object_effects, truth
from study.fieldwork.simulation.hands import Unexpected
from study.fieldwork.simulation.http_client import Browser
from study.fieldwork.simulation.ledger import Ledger
from study.fieldwork.simulation.moments import Moments
from study.fieldwork.simulation.over_http import OverHttp
from study.fieldwork.simulation.through_flows import ThroughFlows
from study.fieldwork.simulation.walk import ENDS, FAILED, Walk
from study.people.mail.letters import send_one
from study.people.models import Cohort, CohortState, Letter, Participant
from study.people.protocol import file_of, protocol_of
from study.people.ways.invitations import invite

AT_ONCE = 4
BETWEEN = b"\n" + b"-" * 79 + b"\n"
LINK = re.compile(r"/i/\S+?/(?=\s|$)")
HTTP, FLOWS = WAYS = ("http", "flows")
TOLD_EVERY = 50
Tell = Callable[[str], None]


class CannotSimulate(Exception):
    """Why nothing was simulated, with what to do."""


@dataclass
class Outcome:
    """What became of the experts."""

    ends: dict[str, int] = field(default_factory=dict)
    saves: int = 0
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list)

    def count(self, end: str) -> None:
        self.ends[end] = self.ends.get(end, 0) + 1

    def took(self, walk: Walk, end: str, problem: str) -> None:
        self.count(end)
        if problem:
            self.problems.append(f"{walk.code or walk.expert.address}: {problem}")

    @property
    def rate(self) -> float:
        """Experts a minute."""
        return 60 * sum(self.ends.values()) / self.seconds if self.seconds else 0.0

    def line(self) -> str:
        said = ", ".join(f"{end} {self.ends.get(end, 0)}" for end in ENDS)
        return f"{said}, acknowledged saves {self.saves}, seconds {self.seconds:.0f}"


def cohort_of(study: Study, code: str) -> Cohort:
    """The open cohort to fill. Raises CannotSimulate when there is none, or a person has joined the study."""
    if Participant.objects.counted().filter(study=study, simulated=False, joined_at__isnull=False).exists():
        raise CannotSimulate(f"People have joined {study.code}. Simulated experts need a study of their own.")
    cohorts = study.cohorts.filter(state=CohortState.OPEN)
    cohort = (cohorts.filter(code=code) if code else cohorts).first()
    if cohort is None:
        raise CannotSimulate(f"{study.code} has no open cohort {code}. manage.py cohort_open opens one.")
    return cohort


def simulate(
    study: Study,
    cohort: Cohort,
    *,
    count: int,
    seed: int,
    rates: Rates,
    screened_out: int = 0,
    through: str = HTTP,
    tell: Tell = lambda line: None,
) -> Outcome:
    """``count`` experts and ``screened_out`` others go through their hour. Raises CannotSimulate."""
    room = cohort.target - Participant.objects.filter(cohort=cohort).holding_a_place().count()
    if count > room:
        raise CannotSimulate(f"Cohort {cohort.code} has room for {room}. Raise its target, or simulate fewer.")
    begun = time.monotonic()
    first = 1 + Participant.objects.filter(study=study, simulated=True).count()
    experts = make_experts(count, seed, rates, screened_out=screened_out, first=first)
    file = file_of(protocol_of(cohort))
    plans = [plan for code in cohort.arm_codes for plan in file.arm(code).plans]
    effects = object_effects([ORG, *dict.fromkeys(api for plan in plans for api in plan.rate)], seed)
    ledger = Ledger(settings.REALIA_VAR / f"ledger-{study.code}.jsonl")
    way = serve_and_walk if through == HTTP else walk_the_flows
    outcome, walks = way(study, cohort, experts, ledger, effects, tell)
    codes = {walk.expert.address: walk.code for walk in walks}
    told = truth(experts, effects, seed, rates, codes) | {"through": through}
    keep_truth(settings.REALIA_VAR / f"truth-{study.code}.json", told)
    outcome.saves, outcome.seconds = ledger.lines, time.monotonic() - begun
    return outcome


def keep_truth(path: Path, told: dict[str, object]) -> None:
    """What this run drew; runs before it stand under ``earlier``, newest first: their people are still here."""
    before = json.loads(path.read_text()) if path.exists() else {}
    earlier = [before, *before.pop("earlier", [])] if before else []
    path.write_text(json.dumps(told | {"earlier": earlier}, indent=2))


def serve_and_walk(
    study: Study, cohort: Cohort, experts: list[Expert], ledger: Ledger, effects: dict[str, float], tell: Tell
) -> tuple[Outcome, list[Walk]]:
    """Invite, serve on a free port, and let some walk at a time."""
    links, outcome = invite_all(study, cohort, experts), Outcome()
    collect_static()
    port, together = free_port(), Together()
    try:
        together.start(web_command(port, workers=2), settings.REALIA_VAR / "simulation-web.log")
        wait_until_up(port, together)
        base = f"http://127.0.0.1:{port}"
        walks = [Walk(one, OverHttp(Browser(base), links[one.address]), ledger, effects) for one in experts]
        walk_all(walks, outcome, tell)
    finally:
        together.stop()
    return outcome, walks


def walk_the_flows(
    study: Study, cohort: Cohort, experts: list[Expert], ledger: Ledger, effects: dict[str, float], tell: Tell
) -> tuple[Outcome, list[Walk]]:
    """One expert after another, each in one transaction; their hour begins when it is worked out, and runs ahead."""
    Study.objects.filter(pk=study.pk).update(simulated=True)
    study.refresh_from_db()
    outcome, walks, begun = Outcome(), [], time.monotonic()
    for done, expert in enumerate(experts, start=1):
        moments = Moments(timezone.now())
        walk = Walk(expert, ThroughFlows(cohort, moments), ledger, effects)
        walks.append(walk)
        with moments.running():
            outcome.took(walk, *one_flow(walk))
        if done % TOLD_EVERY == 0 or done == len(experts):
            tell(f"{done} of {len(experts)}: {60 * done / (time.monotonic() - begun):.0f} experts a minute")
    return outcome, walks


def one_flow(walk: Walk) -> tuple[str, str]:
    """One expert's hours; somebody for whom they go wrong leaves no rows. Its end, and a problem."""
    try:
        with transaction.atomic():
            return walk.go(), ""
    except (Unexpected, ValueError) as error:
        return FAILED, f"{type(error).__name__}: {error}"


def walk_all(walks: list[Walk], outcome: Outcome, tell: Tell) -> None:
    """Some walks at a time; when interrupted, those under way stop at their next page and no other begins."""
    pool = ThreadPoolExecutor(AT_ONCE)
    running = {pool.submit(one_hour, walk): walk for walk in walks}
    try:
        for done, future in enumerate(as_completed(running), start=1):
            walk, (end, problem) = running[future], future.result()
            outcome.took(walk, end, problem)
            tell(f"{done} of {len(walks)}: {walk.code} {end}")
    finally:
        for walk in walks:
            walk.hands.stop()
        pool.shutdown(cancel_futures=True)


def one_hour(walk: Walk) -> tuple[str, str]:
    """One expert's hour in a thread of its own, which leaves no database connection behind: its end, and a problem."""
    try:
        return walk.go(), ""
    except (Unexpected, ValueError, OSError) as error:
        return FAILED, f"{type(error).__name__}: {error}"
    finally:
        connections.close_all()


def invite_all(study: Study, cohort: Cohort, experts: list[Expert]) -> dict[str, str]:
    """Invite through the same flow as people, send the letters to files, and read each one's link there."""
    # Whatever the installation sends by, letters to invented people stay on this disk.
    settings.EMAIL_BACKEND = "study.people.mail.letter_files.EmailBackend"
    settings.EMAIL_FILE_PATH = settings.REALIA_VAR / "mail"
    # In one transaction, so that a running worker never finds one of these letters due.
    with transaction.atomic():
        invited = invite(cohort, "\n".join(expert.address for expert in experts), by=None)
        Participant.objects.filter(pk__in=[one.pk for one in invited]).update(simulated=True, channel="simulated")
        Study.objects.filter(pk=study.pk).update(simulated=True)
        for pk in Letter.objects.filter(participant__in=invited, state="due").values_list("pk", flat=True):
            send_one(pk)
    links = links_in(settings.REALIA_VAR / "mail")
    missing = [expert.address for expert in experts if expert.address not in links]
    if missing:
        raise CannotSimulate(f"No letter to {missing[0]} was written; {len(missing)} are missing.")
    return links


def links_in(folder: Path) -> dict[str, str]:
    """The newest invitation link of each address among the letters of a folder."""
    found: dict[str, str] = {}
    for path in sorted(folder.glob("*.log"), key=lambda path: path.stat().st_mtime_ns):
        # Letters of one second may share a file, one after the other.
        for raw in path.read_bytes().split(BETWEEN):
            message = email.message_from_bytes(raw.strip(b"\n"), policy=policy.default)
            plain = message.get_body(("plain",))
            body = plain.get_content() if plain is not None else ""
            if link := LINK.search(body):
                found[str(message["To"])] = link[0]
    return found
