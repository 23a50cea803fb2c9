"""What the demo holds: an Org, a study completed by simulated experts, and an open one with a place for you.

Every step looks first whether it is done, so that a second start takes seconds. After an interrupted
one the step that was under way starts over; the simulated experts all do, so that the demo is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from study.accounts.adapter import user_with_address
from study.accounts.flows import add_member, create_study, make_signin_link, unblind
from study.accounts.models import Role, Study, User, new_code
from study.assignment.flows import open_cohort
from study.fieldwork.simulation.experts import Rates
from study.fieldwork.simulation.run import CannotSimulate, cohort_of, simulate
from study.generator.flows import STARTER_SCALE, generate_org
from study.people.mail.reminder_waves import add_wave
from study.people.models import Cohort, CohortState, End, Participant
from study.people.pay.pay_money import Money
from study.people.pay.pay_rules import set_rules
from study.people.protocol import file_of, newest_frozen
from study.people.sample.cohorts import create_cohort, set_state
from study.people.sample.quotas import axis_of, cells_of, set_quota
from study.people.ways.invitations import invite
from study.protocols.flows import freeze_protocol, import_protocol
from study.protocols.library import builtin_text
from study.results import stored
from study.sandbox.models import Desk, Org

ORG = "demo-service"
EXPERTS, SCREENED_OUT, SEED = 20, 3, 7
HOURS = 12
Step = tuple[str, Callable[[], str]]


def steps() -> list[Step]:
    return [
        ("Org demo-service", build_org),
        (f"Study demo-done, {EXPERTS} simulated experts", build_done),
        ("Its results", compute_results),
        ("Study demo-open", build_open),
    ]


def links() -> list[tuple[str, str]]:
    """Label and path for each kind of person; those of staff work once."""
    cohort = Cohort.objects.get(study__code="demo-open", code="main")
    return [
        ("participant (a place in demo-open)", reverse("open_link", args=[cohort.open_link])),
        ("researcher (Ada)", make_signin_link("ada@example.test", minutes=HOURS * 60)),
        ("coordinator (Noor)", make_signin_link("noor@example.test", minutes=HOURS * 60)),
    ]


def build_org() -> str:
    org = Org.objects.filter(name=ORG).first()
    if org is None:
        org = generate_org("service", seed=SEED, name=ORG, scale=STARTER_SCALE).org
    return f"{sum(org.counts.values()):,} records, {org.instances.filter(assignable=True).count()} query instances"


def staff() -> tuple[User, User]:
    """Ada, who owns the studies and may make more, and Noor, who coordinates."""
    ada = user_with_address("ada@example.test", name="Ada Lindqvist", verified=True)
    noor = user_with_address("noor@example.test", name="Noor Abbink", verified=True)
    if not ada.is_operator:
        ada.is_operator = True
        ada.save(update_fields=["is_operator"])
    return ada, noor


def study_with_cohort(code: str, name: str, *, target: int, open_link: bool) -> tuple[Study, Cohort]:
    """A study with the recommended protocol frozen and its one cohort open."""
    ada, noor = staff()
    study = Study.objects.filter(code=code).first() or create_study(code=code, name=name, owner=ada)
    if not study.memberships.filter(user=noor).exists():
        add_member(study, noor, Role.COORDINATOR, by=ada)
    if newest_frozen(study.pk) is None:
        freeze_protocol(import_protocol(study, builtin_text("realia-hour"), ada), ada)
    cohort = study.cohorts.filter(code="main").first() or create_cohort(
        study, code="main", name="Demo cohort", arm="main", target=target, contact_email=noor.email or "", by=ada
    )
    if open_link and not cohort.open_link:
        cohort.open_link = new_code(10).lower()
        cohort.save(update_fields=["open_link"])
    if cohort.state == CohortState.DRAFT:
        open_cohort(cohort, by=ada)
        cohort.refresh_from_db()
    return study, cohort


def build_done() -> str:
    study, cohort = study_with_cohort("demo-done", "Demo, completed", target=EXPERTS + 5, open_link=False)
    if study.blind:
        clear_simulated(study)
        found = simulate(
            study, cohort_of(study, "main"), count=EXPERTS, seed=SEED, rates=Rates(), screened_out=SCREENED_OUT
        )
        if found.problems:
            raise CannotSimulate("Simulated experts did not finish: " + "; ".join(found.problems))
        finish(study, cohort)
    return f"{cohort.participants.filter(end=End.COMPLETE).count()} completed"


@transaction.atomic
def finish(study: Study, cohort: Cohort) -> None:
    ada, _noor = staff()
    study.refresh_from_db()
    set_state(cohort, CohortState.CLOSED, by=ada)
    unblind(study, by=ada, reason="All twenty simulated experts have finished; this is the demo.")


@transaction.atomic
def clear_simulated(study: Study) -> None:
    """Take out the simulated experts of an interrupted run, with their ledger; nobody else is touched."""
    people = Participant.objects.filter(study=study, simulated=True)
    desks = Desk.objects.filter(study=study, user__in=people.values("user"))
    theirs = list(desks.values_list("pk", flat=True))
    people.delete()
    Desk.objects.filter(pk__in=theirs).delete()
    for name in (f"ledger-{study.code}.jsonl", f"truth-{study.code}.json"):
        (settings.REALIA_VAR / name).unlink(missing_ok=True)


def compute_results() -> str:
    study = Study.objects.get(code="demo-done")
    row = study.stored_results.order_by("-pk").first()
    if row is None or row.results.get("state") != stored.state_of(study):
        row = stored.compute(study)
    return f"bundle {row.fingerprint[:12]}"


def build_open() -> str:
    study, cohort = study_with_cohort("demo-open", "Demo, open", target=30, open_link=True)
    if not cohort.participants.exists():
        furnish(study, cohort)
        invite(cohort, "riley@example.test\nsam@example.test", by=None)
    return f"open, {cohort.participants.count()} invited"


@transaction.atomic
def furnish(study: Study, cohort: Cohort) -> None:
    """What a coordinator sets up: pay and a reminder for the open cohort, and a second one with quota cells."""
    _ada, noor = staff()
    paid = {"complete": 6000, "time_up": 6000, "withdrawn": 6000, "technical_fault": 6000}
    little = {"screened_out": 300, "full": 300, "no_consent": 300}
    set_rules(cohort, {reason: Money(amount, "EUR") for reason, amount in {**paid, **little}.items()}, by=noor)
    add_wave(cohort, "invited", {"after_days": "3", "at_time": "10:00"}, by=noor)
    if study.cohorts.filter(code="panel").exists():
        return
    panel = create_cohort(
        study, code="panel", name="Panel, three levels of experience", arm="main", target=24, channel="Panel",
        contact_email=noor.email or "", by=noor,
    )  # fmt: skip
    protocol = newest_frozen(study.pk)
    if protocol is not None:
        years = next(item for item in file_of(protocol).screener.items if item.id == "S3")
        groups = {"under_1": "Up to 2 years", "y1_2": "Up to 2 years", "y3_5": "3 to 5 years"}
        axis = axis_of(years, {**groups, "y6_10": "Over 5 years", "over_10": "Over 5 years"})
        set_quota(panel, [axis], dict(zip(cells_of([axis]), (8, 10, 6), strict=True)), by=noor)
