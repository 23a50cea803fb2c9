"""The payments page as data: sums by state and currency, the payments asked for, one payment's story. Reading only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet, Sum
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from study.accounts.models import Study, User
from study.people.models import End, Participant, Payment, PaymentEvent, PaymentState
from study.people.pay.pay_flows import payments_of
from study.people.pay.pay_money import Money
from study.people.pay.pay_owing import EXTRA
from study.people.pay.pay_rules import LABELS, VISIT

PAGE = 100
HALF = "half"  # approved by one of two
UNUSABLE = "unusable"


@dataclass(frozen=True)
class StateSum:
    state: str
    label: str
    payments: int
    money: tuple[Money, ...]


def sums(study: Study) -> list[StateSum]:
    """Each state with what stands in it; currencies are never added up."""
    rows = payments_of(study).values("state", "currency").annotate(n=Count("pk"), total=Sum("amount"))
    found: dict[str, list[tuple[int, Money]]] = {}
    for row in rows.order_by("state", "currency"):
        found.setdefault(row["state"], []).append((row["n"], Money(row["total"], row["currency"])))
    return [
        StateSum(state.value, str(state.label), sum(n for n, _money in found.get(state, [])),
             tuple(money for _n, money in found.get(state, [])))
        for state in PaymentState
    ]  # fmt: skip


def reason_words(reason: str) -> str:
    """A payment's reason as staff read it.

    >>> str(reason_words("visit-2"))
    'Visit 2'
    """
    if reason.startswith(f"{VISIT}-"):
        return _("Visit %(n)s") % {"n": reason.removeprefix(f"{VISIT}-")}
    if reason.startswith(EXTRA):
        return _("Extra")
    return str(LABELS.get(reason, reason))


def unusable(rows: QuerySet[Payment]) -> QuerySet[Payment]:
    """Payments of people who do not count in the end. They are paid and stay so; somebody else has to be found."""
    not_analysed = Q(participant__analysed=False, participant__end=End.COMPLETE)
    return rows.filter(Q(participant__excluded_at__isnull=False) | not_analysed)


def found(study: Study, asked: Mapping[str, str]) -> QuerySet[Payment]:
    """The payments that fit what was asked for, oldest first."""
    rows = payments_of(study).select_related("participant__cohort", "approved_by", "second_by", "batch")
    state = asked.get("state", "")
    if state == UNUSABLE:
        rows = unusable(rows)
    elif state in PaymentState.values:
        rows = rows.filter(state=state)
    if cohort := asked.get("cohort"):
        rows = rows.filter(participant__cohort__code=cohort)
    if reason := asked.get("reason"):
        rows = rows.filter(reason__startswith=reason)
    if code := asked.get("code", "").strip().upper():
        rows = rows.filter(participant__code__contains=code)
    return rows.order_by("created_at", "pk")


@dataclass(frozen=True)
class Row:
    payment: Payment
    money: Money
    reason: str
    note: str
    may_approve: bool
    """Whether whoever looks may still approve it: it is due, and neither their own entry nor approved by them."""


def rows_for(payments: Iterable[Payment], study: Study, by: User) -> list[Row]:
    payments = list(payments)
    mine = set(PaymentEvent.objects.filter(payment__in=payments, what="owed", by=by).values_list("payment", flat=True))
    return [
        Row(
            payment=one,
            money=Money(one.amount, one.currency),
            reason=reason_words(one.reason),
            note=state_note(one, study),
            may_approve=one.state == PaymentState.DUE
            and one.pk not in mine
            and not (study.pay_four_eyes and one.approved_by_id == by.pk),
        )
        for one in payments
    ]


def state_note(payment: Payment, study: Study) -> str:
    """What stands beside a state."""
    if payment.state == PaymentState.DUE and payment.approved_at and study.pay_four_eyes:
        return _("approved by one, a second has to follow")
    if payment.state in (PaymentState.SENT, PaymentState.FAILED) and payment.batch:
        return _("batch %(n)d") % {"n": payment.batch.number}
    if payment.state == PaymentState.PAID and payment.paid_at:
        return date_format(payment.paid_at, "j M Y")
    return payment.note if payment.state == PaymentState.CANCELLED else ""


EVENT_WORDS: dict[str, str | Promise] = {
    "owed": gettext_lazy("Owed"),
    "approved": gettext_lazy("Approved"),
    "second": gettext_lazy("Approved by a second person"),
    "sent": gettext_lazy("Handed over, batch"),
    "paid": gettext_lazy("Paid"),
    "failed": gettext_lazy("Not paid"),
    "cancelled": gettext_lazy("Cancelled"),
    "back": gettext_lazy("Due again"),
    "looked": gettext_lazy("Looked at"),
    "repeated": gettext_lazy("Said again; nothing changed"),
}


@dataclass(frozen=True)
class Told:
    event: PaymentEvent
    what: str
    by: str


def story(payment: Payment) -> list[Told]:
    rows = payment.events.select_related("by").order_by("at", "pk")
    return [Told(row, str(EVENT_WORDS.get(row.what, row.what)), str(row.by) if row.by else "") for row in rows]


@dataclass(frozen=True)
class Owed:
    """One line for the participant themselves, in neutral words."""

    money: Money
    text: str
    what: str


def owed_to(participant: Participant) -> list[Owed]:
    """What somebody is owed and how far it is. What was cancelled is between them and the study team."""
    words: dict[str, str] = {
        PaymentState.DUE: _("being prepared"),
        PaymentState.APPROVED: _("approved, on its way to payment"),
        PaymentState.SENT: _("handed over for payment"),
        PaymentState.FAILED: _("could not be paid yet; the study team is looking into it"),
    }
    lines = []
    for row in participant.payments.exclude(state=PaymentState.CANCELLED).order_by("created_at", "pk"):
        text = words.get(row.state) or _("paid on %(day)s") % {"day": f"{row.paid_at:%Y-%m-%d}"}
        what = reason_words(row.reason) if row.reason.startswith(f"{VISIT}-") else ""
        lines.append(Owed(Money(row.amount, row.currency), text, what))
    return lines
