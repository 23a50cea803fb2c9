"""What a cohort pays for each outcome, what people are shown before they start, and what that promised each of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from study.accounts.audit import audit
from study.accounts.models import User
from study.people.frame import visits_of
from study.people.models import Cohort, Participant, PayChange, PayRule
from study.people.pay.pay_money import Money, checked_currency, read_amount
from study.people.protocol import NoProtocol, file_of, protocol_of
from study.protocols.design import Pay

VISIT = "visit"
# What staff set an amount for. Running out of time has none of its own: it is a complete end.
LABELS = {
    "complete": gettext_lazy("Took part to the end"),
    "screened_out": gettext_lazy("Screened out"),
    "full": gettext_lazy("All places were taken"),
    "no_consent": gettext_lazy("Decided not to take part, or left before the work"),
    "withdrawn": gettext_lazy("Left after the work had begun"),
    "lapsed": gettext_lazy("Did not come back in time"),
    "technical_fault": gettext_lazy("Something broke on our side"),
    "excluded": gettext_lazy("Left out by the study team"),
    VISIT: gettext_lazy("Each visit"),
}
REASONS = tuple(reason for reason in LABELS if reason != VISIT)
# A page that was open before a change may still be sent: until then the higher amount is the one that was shown.
STANDS = timedelta(hours=24)


def comes_again(cohort: Cohort) -> bool:
    """Whether the cohort's people have more than one visit, by the protocol they get."""
    try:
        return visits_of(cohort, file_of(protocol_of(cohort), "")) is not None
    except NoProtocol:
        return False


def reasons_of(cohort: Cohort) -> tuple[str, ...]:
    return (VISIT, *REASONS) if comes_again(cohort) else REASONS


def rules_of(cohort: Cohort) -> dict[str, Money]:
    """The amounts as they stand, by reason."""
    return {rule.reason: Money(rule.amount, rule.currency) for rule in cohort.pay_rules.all()}


def read_rules(cohort: Cohort, form: Mapping[str, str]) -> dict[str, Money | None]:
    """The typed amounts; None where a field was left empty. Raises ValidationError naming each field."""
    currency = checked_currency(form.get("currency", ""))
    read: dict[str, Money | None] = {}
    wrong: dict[str, str] = {}
    for reason in reasons_of(cohort):
        text = form.get(reason, "").strip()
        try:
            read[reason] = Money(read_amount(text, currency), currency) if text else None
        except ValidationError as error:
            wrong[reason] = " ".join(error.messages)
    if wrong:
        raise ValidationError(wrong)
    return read


@transaction.atomic
def set_rules(cohort: Cohort, wanted: Mapping[str, Money | None], *, by: User | None) -> int:
    """Store what a cohort pays from now on; how many amounts changed. Saving the same twice changes nothing.

    An amount that was never set before also counts for the people who are there already: nothing was promised to
    them that it could contradict.
    """
    row = Cohort.objects.select_for_update(no_key=True).get(pk=cohort.pk)
    stands, now, changed = rules_of(row), timezone.now(), {}
    for reason, money in wanted.items():
        before = stands.get(reason)
        if money == before or (money is None and (before is None or not before.amount)):
            continue
        new = money or Money(0, before.currency if before else "")
        PayRule.objects.update_or_create(
            cohort=row, reason=reason, defaults={"amount": new.amount, "currency": new.currency}
        )
        PayChange.objects.create(cohort=row, reason=reason, amount=new.amount, currency=new.currency, by=by, at=now)
        changed[reason] = str(new)
    if changed:
        audit("pay.rules", by=by, study=row.study, target=f"cohort {row.code}", **changed)
    return len(changed)


def standing(changes: Iterable[PayChange], moment: datetime) -> list[PayChange]:
    """What may have been on a page that was sent at ``moment``, oldest first."""
    known = [change for change in changes if change.at <= moment]
    before = [change for change in known if change.at <= moment - STANDS]
    return [*before[-1:], *(change for change in known if change.at > moment - STANDS)]


def promised(participant: Participant, reason: str, *, now: datetime | None = None) -> Money | None:
    """What this person was shown for an outcome: a later change neither takes from it nor adds to it.

    The highest of the amounts that stood when they joined and when they agreed. ``now``: as a page shows it that they
    read at this moment. None where nothing was ever said.
    """
    agreed = participant.consents.values_list("at", flat=True)
    moments = sorted(at for at in (participant.joined_at, *agreed, now) if at)
    codes = {participant.cohort.code, participant.moved_from} - {""}
    of = PayChange.objects.filter(cohort__study_id=participant.study_id, cohort__code__in=codes, reason=reason)
    changes = list(of.select_related("cohort").order_by("at", "pk"))
    shown: list[PayChange] = []
    for code in (participant.moved_from, participant.cohort.code):
        own = [change for change in changes if code and change.cohort.code == code]
        shown += [change for moment in moments for change in standing(own, moment)]
    if not shown:
        first = next((one for one in changes if one.cohort_id == participant.cohort_id), None)
        return Money(first.amount, first.currency) if first and moments else None
    currency = shown[-1].currency
    return Money(max(change.amount for change in shown if change.currency == currency), currency)


@dataclass(frozen=True)
class Line:
    """One row of the table that people read before they start."""

    label: str
    money: Money
    words: str


def lines_of(pay: Pay, amounts: Mapping[str, Money]) -> list[Line]:
    """Amounts beside the protocol's words, in the order in which an hour can end. Empty while no amount is set."""
    plan = (
        (VISIT, VISIT, _("Each visit"), ""),
        ("complete", "complete", _("You take part to the end"), pay.complete),
        ("complete", "time_up", _("Time runs out"), pay.time_up),
        ("withdrawn", "withdrawn", _("You leave after the work has begun"), pay.withdrawn),
        ("technical_fault", "technical_fault", _("Something breaks on our side"), pay.technical_fault),
        ("lapsed", "lapsed", _("You do not come back in time"), ""),
        ("screened_out", "screened_out", _("The first questions show that this is not for you"), pay.screened_out),
        ("full", "full", _("All places are taken"), pay.full),
        ("no_consent", "no_consent", _("You decide not to take part, or leave before the work"), pay.no_consent),
    )
    several = VISIT in amounts
    kept = [one for one in plan if one[0] in amounts and not (several and one[1] == "time_up")]
    return [Line(label, amounts[reason], words) for reason, _name, label, words in kept]


def words_of(cohort: Cohort) -> list[tuple[str, str]]:
    """What the protocol says of pay, for whoever writes the amounts beside it."""
    try:
        pay = file_of(protocol_of(cohort), "").pay
    except NoProtocol:
        return []
    named = {"time_up": _("Time runs out"), "when": _("When"), "by_whom": _("By whom")}
    return [(str(named.get(name) or LABELS[name]), words) for name, words in pay.model_dump().items()]


def offer_of(cohort: Cohort) -> list[Line]:
    """What somebody who has not joined yet is shown."""
    return lines_of(file_of(protocol_of(cohort)).pay, rules_of(cohort))


def offer_for(participant: Participant) -> list[Line]:
    """What somebody who has joined is shown: what was promised to them stays, what is better now counts too."""
    now = timezone.now()
    amounts = {
        reason: money
        for reason in reasons_of(participant.cohort)
        if (money := promised(participant, reason, now=now)) is not None
    }
    return lines_of(file_of(protocol_of(participant.cohort)).pay, amounts)
