"""Pay among what waits for a coordinator (M21): due, usable but unpaid, paid but unusable."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from django.db.models import Exists, OuterRef, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from study.accounts.models import Study
from study.people.models import End, Participant, Payment, PaymentState
from study.people.needs_me import Need, source
from study.people.pay.pay_flows import payments_of
from study.people.pay.pay_money import Money
from study.people.pay.pay_room import UNUSABLE, unusable

# "Within five working days", as the built-in protocols promise.
PATIENCE = timedelta(days=7)


def _page(study: Study, query: str = "") -> str:
    return reverse("payments", args=[study.code]) + query


@source("payments due")
def due(study: Study) -> Iterator[Need]:
    rows = payments_of(study).filter(state=PaymentState.DUE).order_by("created_at")
    if n := rows.count():
        text = ngettext("%d payment waits to be approved", "%d payments wait to be approved", n) % n
        first = rows.values_list("created_at", flat=True)[0]
        yield Need("payments due", text, "", _page(study, "?state=due"), _("Look at payments"), first)
    approved = payments_of(study).filter(state=PaymentState.APPROVED).order_by("approved_at")
    if n := approved.count():
        text = ngettext("%d approved payment waits to leave", "%d approved payments wait to leave", n) % n
        oldest = approved.values_list("approved_at", flat=True)[0]
        detail = _("Make a batch for finance or the panel.")
        yield Need("payments due", text, detail, _page(study, "?state=approved#batch"), _("Make a batch"), oldest)


@source("usable but unpaid")
def usable_unpaid(study: Study) -> Iterator[Need]:
    """Complete, and after a week still without their money: never owed, failed, or left lying."""
    for payment in payments_of(study).filter(state=PaymentState.FAILED).select_related("participant"):
        url = reverse("payment", args=[study.code, payment.pk])
        money = str(Money(payment.amount, payment.currency))
        text = _("%(money)s could not be paid") % {"money": money}
        yield Need("unpaid", text, "", url, _("Look at the payment"), payment.created_at, payment.participant.code)
    own = Payment.objects.filter(participant=OuterRef("pk")).exclude(state=PaymentState.CANCELLED)
    paid = own.filter(Q(state=PaymentState.PAID) | Q(state=PaymentState.FAILED))
    late = Participant.objects.people().filter(
        study=study, end=End.COMPLETE, simulated=False, ended_at__lt=timezone.now() - PATIENCE
    )
    for one in late.exclude(Exists(paid)).filter(
        Q(cohort__pay_rules__reason__in=("complete", "visit"), cohort__pay_rules__amount__gt=0) | Exists(own)
    ).distinct():  # fmt: skip
        text, detail = _("Complete for a week and not paid"), _("Their answers are here; their money is not with them.")
        url = _page(study, f"?code={one.code}")
        yield Need("unpaid", text, detail, url, _("Look at payments"), one.ended_at, one.code)


@source("paid but unusable")
def paid_unusable(study: Study) -> Iterator[Need]:
    rows = unusable(payments_of(study).filter(state__in=(PaymentState.SENT, PaymentState.PAID)))
    rows = rows.exclude(events__what="looked").order_by("created_at")
    if n := rows.count():
        text = ngettext("%d person is paid and not usable", "%d people are paid and not usable", n) % n
        detail = _("Pay stays. Somebody else has to be found; mark the payment as looked at.")
        first = rows.values_list("created_at", flat=True)[0]
        yield Need("paid, unusable", text, detail, _page(study, f"?state={UNUSABLE}"), _("Look at payments"), first)
