"""What was paid, as panel or finance writes it: matched strictly, applied once, every repeat logged (P-38)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date as Day
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.models import Study, User
from study.people.models import Payment, PaymentState
from study.people.pay.pay_batches import reference_of, today
from study.people.pay.pay_flows import claim_failed, claim_paid, payments_of
from study.people.pay.pay_money import Money, minor_digits, read_amount
from study.people.ways.spreadsheets import Refusal, read_table

ROWS = 5_000
KEYS = ("reference", "code", "panel_id")
NEEDED = ("amount", "date", "status")
PAID, FAILED = "paid", "failed"
SETTLED = (PaymentState.SENT, PaymentState.PAID, PaymentState.FAILED)


@dataclass(frozen=True)
class Refused:
    """A row that changed nothing, and why."""

    line: int
    what: str
    why: str


@dataclass
class Report:
    paid: int = 0
    failed: int = 0
    repeated: int = 0
    refused: list[Refused] = field(default_factory=list)
    totals: dict[str, int] = field(default_factory=dict)

    @property
    def money(self) -> list[Money]:
        return [Money(amount, currency) for currency, amount in sorted(self.totals.items())]


def read_file(content: bytes) -> list[tuple[int, dict[str, str]]]:
    """The rows of a CSV or XLSX with their numbers. Raises ValidationError with a remedy when it is none of ours."""
    try:
        lines = read_table(content, ROWS)
    except Refusal as refused:
        raise ValidationError(str(refused)) from refused
    head = [name.lower() for name in lines[0].cells]
    if not any(key in head for key in KEYS) or any(name not in head for name in NEEDED):
        raise ValidationError(
            _("The first line names the columns: reference, code or panel_id, and amount, date, status.")
        )
    named = [name for name in head if name]
    if len(set(named)) < len(named):
        raise ValidationError(_("Two columns have the same name, so it is not clear which one counts."))
    return [(line.number, dict(zip(head, line.cells, strict=False))) for line in lines[1:]]


def plain(cell: str) -> str:
    """The apostrophe goes that our own files put before what a spreadsheet might run."""
    return cell.removeprefix("'")


@transaction.atomic
def take_in(study: Study, content: bytes, *, by: User) -> Report:
    """Apply a file of what was paid. Raises ValidationError when the file as a whole cannot be read.

    A row that does not match exactly one payment, or not its amount, is listed and changes nothing.
    """
    rows = read_file(content)
    # One file at a time: two with the same payments in another order would wait for each other in a ring.
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    known = known_payments(study)
    report = Report()
    for line, row in rows:
        shown = next((row[key] for key in KEYS if row.get(key)), "")
        try:
            if missing := [name for name in NEEDED if not row.get(name)]:
                raise ValidationError(_("The row has no %(names)s.") % {"names": ", ".join(missing)})
            _apply(known, row, by, report)
        except ValidationError as error:
            report.refused.append(Refused(line, shown[:60], " ".join(error.messages)))
    counts = {"paid": report.paid, "failed": report.failed, "repeated": report.repeated}
    audit("pay.imported", by=by, study=study, rows=len(rows), refused=len(report.refused), counts=counts)
    return report


Known = dict[tuple[str, str], list[Payment]]


def known_payments(study: Study) -> Known:
    """The study's payments by each key a file may use."""
    found: Known = {}
    for payment in payments_of(study).select_related("participant__contact"):
        contact = getattr(payment.participant, "contact", None)
        keys = (reference_of(payment, study), payment.participant.code, contact.panel_id if contact else "")
        for key, value in zip(KEYS, keys, strict=True):
            if value:
                found.setdefault((key, value), []).append(payment)
    return found


def _apply(known: Known, row: dict[str, str], by: User, report: Report) -> None:
    payment = matched(known, row)
    day, status = read_day(row["date"]), row["status"].lower()
    if status not in (PAID, FAILED):
        raise ValidationError(_("The status is “paid” or “failed”, not “%(status)s”.") % {"status": status[:40]})
    payment.refresh_from_db(fields=["state"])
    if payment.state not in SETTLED:
        raise ValidationError(
            _("This payment is %(state)s: it was never handed over.") % {"state": payment.get_state_display()}
        )
    if status == FAILED and payment.state == PaymentState.PAID:
        raise ValidationError(_("It is paid here and failed in the file. Ask which is true; nothing was changed."))
    given = row.get("note", "")
    if status == FAILED:
        done = claim_failed(payment, by=by, reference=given, note=day.isoformat())
        report.failed += done
    elif done := claim_paid(payment, day, by=by, reference=given):
        report.paid += 1
        report.totals[payment.currency] = report.totals.get(payment.currency, 0) + payment.amount
    report.repeated += not done


def matched(known: Known, row: dict[str, str]) -> Payment:
    """The one payment a row means, by every key it names. Raises ValidationError for none or several."""
    named = [(key, plain(row[key])) for key in KEYS if row.get(key)]
    if not named:
        raise ValidationError(_("The row names nobody."))
    sets = [{payment.pk: payment for payment in known.get(key, [])} for key in named]
    both = [payment for pk, payment in sets[0].items() if all(pk in one for one in sets[1:])]
    if not both:
        raise ValidationError(_("Nobody here has this payment."))
    fitting = [payment for payment in both if has_amount(payment, row)]
    if not fitting:
        owed = ", ".join(str(Money(payment.amount, payment.currency)) for payment in both)
        raise ValidationError(_("The amount differs: here it is %(owed)s.") % {"owed": owed})
    if len(fitting) > 1:
        raise ValidationError(_("Several payments of this person have this amount. Add our reference to the row."))
    return fitting[0]


def has_amount(payment: Payment, row: dict[str, str]) -> bool:
    """Exactly the amount that is owed. A sheet drops zeros at the end (12.5 for 12.50), which leaves no doubt."""
    if row.get("currency") and row["currency"].upper() != payment.currency:
        return False
    whole, point, rest = row["amount"].partition(".")
    text = f"{whole}.{rest.ljust(minor_digits(payment.currency), '0')}" if point and rest else row["amount"]
    try:
        return read_amount(text, payment.currency) == payment.amount
    except ValidationError:
        return False


def read_day(text: str) -> Day:
    try:
        day = datetime.strptime(text.removesuffix("T00:00:00"), "%Y-%m-%d").date()
    except ValueError:
        raise ValidationError(_("“%(text)s” is not a day. Write 2026-05-31.") % {"text": text[:40]}) from None
    if day > today():
        raise ValidationError(_("The day %(text)s lies ahead.") % {"text": text})
    return day
