"""P-08 on PostgreSQL: the acts of a day at one moment each happen once, whole, and wait for each other in no ring."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connections, transaction
from django.utils import timezone

from study.accounts import audit_seals, erasing, erasing_acts, jobs, staffing
from study.accounts.audit import audit
from study.accounts.models import AuditRow, Erasure, Role, User
from study.assignment.flows import consent_and_begin
from study.assignment.models import Visit
from study.fieldwork import incidents, saving
from study.fieldwork.ending import finish
from study.fieldwork.models import Attempt, Incident, Save
from study.people import flows
from study.people.models import Cohort, Contact, Import, Participant, PayBatch, PaymentEvent, SlotBooking, Stage
from study.people.moderated import slots
from study.people.pay import pay_batches, pay_flows, pay_import, pay_owing
from study.people.pay.pay_money import Money
from study.people.protocol import protocol_of
from study.people.ways import arrivals, importing, invitations, joining
from study.people.ways.panel_settings import set_panel
from tests.people.test_panels import settings_of
from tests.people.walk import TICKS

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
NOW = timezone.now


def together(*acts: Callable[[], object]) -> list[object]:
    """What each act came to, or the error it met; all set out in the same moment."""
    gate, found = threading.Barrier(len(acts)), [None] * len(acts)

    def run(n, act):
        try:
            gate.wait()
            found[n] = act()
        except Exception as error:
            found[n] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=one) for one in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def errors(found, *but):
    return [one for one in found if isinstance(one, Exception) and not isinstance(one, but)]


def people_at(cohort, n, stage=Stage.ELIGIBLE):
    rows = []
    for _k in range(n):
        one = flows.new_participant(
            cohort, user=User.objects.create_user(), stage=stage, joined_at=NOW(), eligible_at=NOW()
        )
        Contact.objects.create(participant=one, email=f"{one.code.lower()}@example.test")
        rows.append(one)
    return rows


def fresh(one):
    return Participant.objects.select_related("cohort", "study").get(pk=one.pk)


def test_an_incident_begins_once_while_people_come_save_and_leave(cohort, ada, study):
    """M21: every visit in the hour is held afterwards, and nobody met an error."""
    people, protocol = people_at(cohort, 6), protocol_of(cohort)
    inside = [consent_and_begin(one, protocol, TICKS) for one in people[:3]]

    def begin(one):
        try:
            return consent_and_begin(fresh(one), protocol, TICKS)
        except flows.NotOpen:
            return None

    def press():
        return incidents.begin(study, what="down", told="", by=ada)[1]

    found = together(
        *[lambda one=one: begin(one) for one in people[3:]],
        press,
        press,
        lambda: flows.withdraw(fresh(people[0]), data_choice="keep"),
        lambda: finish(Visit.objects.get(pk=inside[1].pk), data_choice="keep", results_wanted=False),
    )
    assert errors(found) == []
    assert (sorted(found[3:5]), found[5:], Incident.objects.count()) == ([False, True], [True, True], 1)
    going = Visit.objects.filter(participant__end="")
    assert going.exists()
    assert set(going.values_list("incident", "paused_for")) == {("I-1", "incident")}


def test_the_same_payments_move_once_whatever_two_coordinators_press(cohort, ada, study):
    """P-38: approved, in one batch, paid; files in another order wait for each other and find it done."""
    for one in people_at(cohort, 6, Stage.LOCKED):
        pay_owing.owe(one, "complete", Money(100, "EUR"))
    rows = list(pay_flows.payments_of(study).order_by("pk"))
    bo = User.objects.create_user(email="bo@example.test")
    both = (ada, bo)
    keys = [row.pk for row in rows]
    found = together(*[lambda by=by: pay_flows.approve(study, keys, by=by) for by in both])
    assert sum(one.now for one in found) == sum(one.repeated for one in found) == len(rows)
    found = together(*[lambda by=by: pay_batches.make_batch(study, "finance", by=by) for by in both])
    [batch] = [one for one in found if isinstance(one, PayBatch)]
    assert batch.payments == len(rows)
    lines = [f"{pay_batches.reference_of(row, study)},1.00,2026-05-01,paid" for row in rows]
    files = ["\n".join(["reference,amount,date,status", *some]).encode() for some in (lines, lines[::-1], lines)]
    found = together(
        *[lambda file=file: pay_import.take_in(study, file, by=ada) for file in files],
        lambda: pay_batches.settle_batch(batch, pay_batches.today(), by=bo),
    )
    assert errors(found) == []
    assert sum(one.paid for one in found[:3]) + found[3] == len(rows)
    assert PaymentEvent.objects.filter(what="paid").count() == len(rows)
    assert AuditRow.objects.filter(act="pay.batch").count() == 1


def test_the_last_place_the_same_id_and_the_same_list_are_taken_once(cohort, ada, study):
    """P-04, P-12 for slots, lists that overlap; confirming and taking back leave one of the two behind."""
    set_panel(cohort, settings_of(), by=None)
    arrival = arrivals.Arrival({"id": "abc123"})

    def arrive(form):
        return arrivals.join(Cohort.objects.get(pk=cohort.pk), arrival, form, None).participant.pk

    found = together(*[lambda form=form: arrive(form) for form in ("one", "two", "two", "three")])
    assert errors(found, arrivals.KnownId) == []
    assert len({one for one in found if isinstance(one, int)}) == Contact.objects.count() == 1

    lists = [[f"r{n}@example.test" for n in range(start, start + 8)] for start in (0, 4)]
    rows = [importing.begin_pasted(cohort, "\n".join(some), by=None) for some in lists]
    confirm = [lambda pk=row.pk: importing.confirm(Import.objects.get(pk=pk), (), by=None) for row in rows]
    found = together(*confirm, *confirm)
    assert (errors(found), sum(found)) == ([], 12)

    one = Participant.objects.filter(stage=Stage.INVITED).first()
    found = together(
        lambda: joining.confirm(invitations.Invitation.objects.get(pk=one.invitation.pk)),
        lambda: invitations.revoke(fresh(one), by=ada),
    )
    one.refresh_from_db()
    one.invitation.refresh_from_db()
    assert errors(found) == []
    assert found[1] == bool(one.invitation.revoked_at) == (one.end == "lapsed") == (one.invitation.used_at is None)

    Cohort.objects.update(moderated=True)
    [slot] = slots.make_series(
        cohort, NOW() + timedelta(days=3), minutes=60, places=1, moderator="M1", where="", by=None
    )
    found = together(*[lambda one=one: slots.book(fresh(one), slot.pk) for one in people_at(cohort, 4)])
    assert errors(found, slots.NoPlace) == []
    assert sum(isinstance(one, SlotBooking) for one in found) == SlotBooking.objects.count() == 1


def test_seals_jobs_and_staff_beside_open_transactions(study, ada, cohort):
    """A12: a row that is committed late is sealed later, each row once. An open job is one; no act waits for staff."""
    inside, go = threading.Event(), threading.Event()

    def late():
        with transaction.atomic():
            audit("late", by=None, study=study)
            inside.set()
            go.wait(10)
        connections.close_all()

    thread = threading.Thread(target=late)
    thread.start()
    inside.wait(10)
    for _n in range(3):
        audit("after", by=None, study=study)
    # Inviting staff locks the study while somebody's act has written a row that names it.
    row, _token = staffing.invite(study, "cy@example.test", Role.VIEWER, by=ada)
    assert staffing.accept(row).memberships.get().role == Role.VIEWER
    together(*[audit_seals.seal_all] * 3)
    go.set()
    thread.join()
    found = audit_seals.verify()
    assert (len(found.unsealed), found.faults) == (1, [])
    together(*[audit_seals.seal_all] * 3)
    found = audit_seals.verify()
    assert (found.unsealed, found.faults, found.rows) == ([], [], AuditRow.objects.count())

    key = "tick:send_letters"
    found = together(*[lambda: [jobs.enqueue("send_letters", once_key=key).pk for _n in range(8)]] * 3, jobs.tick)
    assert errors(found) == []


def test_nothing_typed_while_somebody_is_erased_stays(hour, study, ada):
    """P-43: saves go on until the end of the participation; what they left goes, and VACUUM runs outside of all."""
    hour.orient()
    hour.open_question()
    visit, stop = hour.visit, threading.Event()

    def save():
        n = 0
        while not stop.is_set():
            row = Visit.objects.select_related("participant").get(pk=visit.pk)
            try:
                saving.save(row, field="scratch/1", value=f"pad {n}", base=n, save_id=uuid.uuid4().hex)
            except saving.Closed:
                return n
            n += 1
        return n

    def erase():
        try:
            return erasing_acts.carry_out(
                Erasure.objects.create(study=study, subject=hour.code, scope="everything", requested_by=ada)
            )
        finally:
            stop.set()

    found = together(save, erase)
    assert errors(found) == []
    assert erasing.left(study, hour.code, "everything") == {}
    assert not Save.objects.exclude(value=None).exists()
    assert not Attempt.objects.exclude(scratch="").exists()
    row = Erasure.objects.get()
    assert (row.state, row.report["file"]["file"]) == ("done", "clean")
