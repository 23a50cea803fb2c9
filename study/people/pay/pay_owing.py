"""What becomes owed, and when: at an end, at a visit's end, by a coordinator's word. Once per person and reason (P-38).

Nothing here knows of ratings, answers, flags or texts: the outcome, the amounts that were shown and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.models import User
from study.people.models import (
    Cohort,
    End,
    Participant,
    Payment,
    PaymentEvent,
    PaymentState,
    Stage,
)
from study.people.pay.pay_money import Money
from study.people.pay.pay_rules import VISIT, promised

FAULT = "technical_fault"
EXTRA = "extra-"
Owes = Callable[[Participant], None]
_more: list[Owes] = []


def also_owes(owes: Owes) -> Owes:
    """Let an app that knows of more than ends say what they owe; asked before the end itself is settled."""
    if owes not in _more:
        _more.append(owes)
    return owes


def is_paid(participant: Participant) -> bool:
    """Whether this is somebody who can be owed anything: a person who had joined. Never a preview (P-14), and nobody
    whom a program walked through the hour.
    """
    return bool(participant.joined_at) and not participant.preview and not participant.simulated


@transaction.atomic
def owe(
    participant: Participant, reason: str, money: Money | None, *, by: User | None = None, note: str = ""
) -> Payment | None:
    """The payment of this person for this reason, made by the first call; every further one is logged as a repeat."""
    if not is_paid(participant) or money is None or not money.amount:
        return None
    row, made = Payment.objects.get_or_create(
        participant=participant,
        reason=reason,
        defaults={"amount": money.amount, "currency": money.currency, "note": note[:200]},
    )
    PaymentEvent.objects.create(payment=row, what="owed" if made else "repeated", note=note[:200], by=by)
    return row


def owe_visit(participant: Participant, number: int) -> Payment | None:
    """One of several visits is over. Nothing where visits have no amount of their own."""
    return owe(participant, f"{VISIT}-{number}", promised(participant, VISIT))


def rule_for(participant: Participant) -> str:
    """Which amount an end is paid by, and the reason of its payment; empty for none.

    Whoever leaves before the work of a visit has begun gets what somebody gets who decides against it; between two
    visits there is nothing left to pay.
    """
    if participant.end not in (End.WITHDRAWN, End.LAPSED):
        return participant.end
    events = list(participant.stage_events.order_by("at", "pk").values_list("stage", "at"))
    worked = [at for stage, at in events if stage == Stage.WORKING]
    agreed = [at for stage, at in events if stage == Stage.CONSENTED]
    visits = participant.payments.filter(reason__startswith=f"{VISIT}-")
    begun = bool(worked) and (not agreed or worked[-1] >= agreed[-1])
    if begun and not visits.filter(created_at__gte=worked[-1]).exists():
        return participant.end
    if visits.exists():
        return ""
    return "no_consent" if participant.end == End.WITHDRAWN else participant.end


@transaction.atomic
def owe_end(participant: Participant) -> None:
    """What follows from an end; runs in the transaction that ended it."""
    if not participant.end or not is_paid(participant):
        return
    for owes in _more:
        owes(participant)
    rule = rule_for(participant)
    if rule and not participant.payments.filter(reason=rule).exists():
        owe(participant, rule, promised(participant, rule))


def owe_what_is_missing(cohort: Cohort) -> int:
    """For amounts that were set after people had ended. How many payments came of it."""
    before = Payment.objects.filter(participant__cohort=cohort).count()
    for participant in cohort.participants.people().exclude(end="").select_related("cohort"):
        owe_end(participant)
    return Payment.objects.filter(participant__cohort=cohort).count() - before


@transaction.atomic
def owe_fault(participant: Participant, *, note: str, by: User) -> Payment:
    """Something broke for this person: a coordinator says so, and they get the full amount less what they have.

    Raises ValidationError when there is nothing to add, or nothing said.
    """
    note = note.strip()
    if len(note) < 5:
        raise ValidationError(_("Say in a few words what broke."))
    if row := participant.payments.filter(reason=FAULT).first():
        PaymentEvent.objects.create(payment=row, what="repeated", note=note[:200], by=by)
        return row
    if not is_paid(participant):
        raise ValidationError(_("Nothing can be owed to %(code)s.") % {"code": participant.code})
    if not participant.end:
        raise ValidationError(_("%(code)s has not ended yet.") % {"code": participant.code})
    full = promised(participant, FAULT) or promised(participant, "complete")
    if full is None:
        raise ValidationError(_("The cohort has no amount for this. Set one on its pay page."))
    have = participant.payments.filter(reason=rule_for(participant), currency=full.currency)
    owed = sum(have.exclude(state=PaymentState.CANCELLED).values_list("amount", flat=True))
    if owed >= full.amount:
        raise ValidationError(
            _("%(code)s is owed %(money)s already, which is the full amount.")
            % {"code": participant.code, "money": Money(owed, full.currency)}
        )
    made = owe(participant, FAULT, Money(full.amount - owed, full.currency), by=by, note=note)
    audit("pay.fault", by=by, study=participant.study, target=participant.code, amount=str(full))
    return made  # type: ignore[return-value]


@transaction.atomic
def owe_extra(participant: Participant, money: Money, *, once: str, note: str, by: User) -> Payment:
    """What a coordinator adds. ``once`` names the form, so that sending it twice adds it once (P-08)."""
    note = note.strip()
    if len(note) < 5:
        raise ValidationError(_("Say in a few words what it is for."))
    if not money.amount:
        raise ValidationError(_("Nothing is no payment. Write the amount."))
    row = owe(participant, f"{EXTRA}{once[:16]}", money, by=by, note=note)
    if row is None:
        raise ValidationError(_("Nothing can be owed to %(code)s.") % {"code": participant.code})
    audit("pay.extra", by=by, study=participant.study, target=participant.code, amount=str(money))
    return row
