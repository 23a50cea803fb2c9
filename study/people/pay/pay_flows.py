"""How a payment moves: due, approved (by two where the study asks for it), handed over, paid or not paid.

Each move is a claim with its event in the same transaction; a move that somebody else has just made is logged as a
repeat and changes nothing (P-08, P-38).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, time
from datetime import date as Day

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.models import Study, User
from study.people.models import Payment, PaymentEvent, PaymentState

OPEN = (PaymentState.DUE, PaymentState.APPROVED, PaymentState.SENT, PaymentState.FAILED)


def payments_of(study: Study) -> QuerySet[Payment]:
    return Payment.objects.filter(participant__study=study)


def event(payment: Payment, what: str, *, by: User | None, note: str = "") -> PaymentEvent:
    return PaymentEvent.objects.create(payment=payment, what=what, note=note[:200], by=by)


@dataclass(frozen=True)
class Approved:
    """What one press of "approve" did."""

    now: int = 0
    first: int = 0
    """Approved by one of two; the other has to follow."""
    own: int = 0
    """Left: nobody approves what they entered or approved themselves."""
    repeated: int = 0


def approve(study: Study, chosen: Iterable[int], *, by: User) -> Approved:
    """Approve payments that are due. Two people who press at once approve each payment once."""
    found = {"now": 0, "first": 0, "own": 0, "repeated": 0}
    for row in payments_of(study).filter(pk__in=list(chosen)).order_by("pk"):
        with transaction.atomic():
            found[_approve_one(study, row, by)] += 1
    if found["now"] or found["first"]:
        audit("pay.approved", by=by, study=study, counts=found)
    return Approved(**found)


def _approve_one(study: Study, row: Payment, by: User) -> str:
    if row.events.filter(what="owed", by=by).exists():
        return "own"
    now, due = timezone.now(), Payment.objects.filter(pk=row.pk, state=PaymentState.DUE)
    if not study.pay_four_eyes:
        done = due.update(state=PaymentState.APPROVED, approved_by=by, approved_at=now)
        event(row, "approved" if done else "repeated", by=by, note="" if done else "approve")
        return "now" if done else "repeated"
    if due.filter(approved_at=None).update(approved_by=by, approved_at=now):
        event(row, "approved", by=by)
        return "first"
    if row.approved_by_id == by.pk:
        event(row, "repeated", by=by, note="approve")
        return "own" if row.state == PaymentState.DUE else "repeated"
    other = due.filter(approved_at__isnull=False).exclude(approved_by=by)
    done = other.update(state=PaymentState.APPROVED, second_by=by, second_at=now)
    event(row, "second" if done else "repeated", by=by, note="" if done else "approve")
    return "now" if done else "repeated"


@transaction.atomic
def cancel(payment: Payment, *, reason: str, by: User) -> bool:
    """Not to be paid after all. Raises ValidationError without a reason, or once it has been handed over."""
    reason = reason.strip()
    if len(reason) < 5:
        raise ValidationError(_("Say in a few words why it is not to be paid."))
    may = Q(state__in=(PaymentState.DUE, PaymentState.APPROVED, PaymentState.FAILED))
    done = Payment.objects.filter(may, pk=payment.pk).update(state=PaymentState.CANCELLED)
    payment.refresh_from_db()
    if not done and payment.state != PaymentState.CANCELLED:
        raise ValidationError(_("It has been handed over already. Ask panel or finance to stop it, then import that."))
    event(payment, "cancelled" if done else "repeated", by=by, note=reason)
    if done:
        # The words stand in the event, which an erasure empties; the audit log is sealed (P-43).
        audit("pay.cancelled", by=by, study=payment.participant.study, target=payment.participant.code)
    return bool(done)


@transaction.atomic
def put_back(payment: Payment, *, by: User) -> bool:
    """A payment that failed or was cancelled is due again, and is looked at anew by whoever approves."""
    may = (PaymentState.FAILED, PaymentState.CANCELLED)
    done = Payment.objects.filter(pk=payment.pk, state__in=may).update(
        state=PaymentState.DUE, approved_by=None, approved_at=None, second_by=None, second_at=None, batch=None
    )
    payment.refresh_from_db()
    event(payment, "back" if done else "repeated", by=by)
    if done:
        audit("pay.back", by=by, study=payment.participant.study, target=payment.participant.code)
    return bool(done)


@transaction.atomic
def looked(payment: Payment, *, by: User) -> None:
    """Somebody has seen a payment that stood in the list of what needs them; it does not come back."""
    if not payment.events.filter(what="looked").exists():
        event(payment, "looked", by=by)


def claim_paid(payment: Payment, day: Day, *, by: User | None, reference: str = "", note: str = "") -> bool:
    """Paid on a day: handed over or failed before. False when it was paid already, which is logged (P-38)."""
    may = (PaymentState.SENT, PaymentState.FAILED)
    at = datetime.combine(day, time(12), UTC)
    done = Payment.objects.filter(pk=payment.pk, state__in=may).update(
        state=PaymentState.PAID, paid_at=at, reference=reference[:80]
    )
    event(payment, "paid" if done else "repeated", by=by, note=note or day.isoformat())
    return bool(done)


def claim_failed(payment: Payment, *, by: User | None, reference: str = "", note: str = "") -> bool:
    """Panel or finance could not pay. False when that was known already."""
    done = Payment.objects.filter(pk=payment.pk, state=PaymentState.SENT).update(
        state=PaymentState.FAILED, reference=reference[:80]
    )
    event(payment, "failed" if done else "repeated", by=by, note=note)
    return bool(done)


@transaction.atomic
def set_four_eyes(study: Study, on: bool, *, by: User) -> bool:
    """Whether a second person approves each payment. What is approved stays so."""
    done = Study.objects.filter(pk=study.pk, pay_four_eyes=not on).update(pay_four_eyes=on)
    study.refresh_from_db(fields=["pay_four_eyes"])
    if done:
        audit("pay.four_eyes", by=by, study=study, target=study.code, on=on)
    return bool(done)
