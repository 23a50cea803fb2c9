"""Batches: approved payments that leave together for finance or a panel, and the files that say so.

A batch never changes: which payments are in it is told by the events that handed them over, and its files are written
from those alone, so that a file downloaded again is the same, byte for byte.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence
from datetime import UTC
from datetime import date as Day

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from openpyxl import Workbook

from study.accounts.audit import audit
from study.accounts.models import Study, User
from study.people.models import Cohort, PayBatch, Payment, PaymentEvent, PaymentState
from study.people.pay.pay_flows import claim_paid, event, payments_of
from study.people.pay.pay_money import plain_amount

FINANCE, PANEL = "finance", "panel"
FORMS = (FINANCE, PANEL)
HEADS = {
    FINANCE: ("reference", "code", "name", "email", "amount", "currency", "reason"),
    PANEL: ("reference", "panel_id", "amount", "currency", "reason", "outcome"),
}
KINDS = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "bonus": "text/plain; charset=utf-8",
}
# A spreadsheet may run a cell that begins with one of these (docs/decisions/0003); the apostrophe makes it undoable.
GUARDED = ("=", "+", "-", "@", "\t", "\r", "'")
ZIP_DAY = (1980, 1, 1, 0, 0, 0)


def reference_of(payment: Payment, study: Study) -> str:
    """What finance quotes back: unique in the installation, and it says nothing about a person."""
    return f"{study.code}-{payment.pk}"


def waiting(study: Study, form: str, *, cohort: Cohort | None = None, currency: str = "") -> QuerySet[Payment]:
    """Approved payments that would leave in a batch; to a panel only people whom it sent."""
    rows = payments_of(study).filter(state=PaymentState.APPROVED)
    rows = rows.filter(participant__cohort=cohort) if cohort else rows
    rows = rows.filter(currency=currency) if currency else rows
    return rows.filter(participant__contact__panel_hash__gt="") if form == PANEL else rows


@transaction.atomic
def make_batch(study: Study, form: str, *, cohort: Cohort | None = None, currency: str = "", by: User) -> PayBatch:
    """Hand over what is approved. Raises ValidationError when nothing is; a second press finds nothing left."""
    if form not in FORMS:
        raise ValidationError(_("A batch goes to finance or to a panel."))
    # One batch at a time per study: its row is the lock, and the number follows the last one.
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    rows = list(waiting(study, form, cohort=cohort, currency=currency).order_by("pk"))
    if not rows:
        raise ValidationError(_("Nothing is approved that could go there. Nothing was handed over."))
    if form == PANEL and len({row.currency for row in rows}) > 1:
        raise ValidationError(_("A panel is paid in one currency. Choose one. Nothing was handed over."))
    number = (study.pay_batches.aggregate(last=Max("number"))["last"] or 0) + 1
    batch = PayBatch.objects.create(study=study, number=number, cohort=cohort, form=form, payments=0, by=by)
    totals: dict[str, int] = {}
    for row in rows:
        claimed = Payment.objects.filter(pk=row.pk, state=PaymentState.APPROVED)
        if claimed.update(state=PaymentState.SENT, batch=batch):
            event(row, "sent", by=by, note=str(number))
            batch.payments += 1
            totals[row.currency] = totals.get(row.currency, 0) + row.amount
    batch.totals = totals
    batch.save(update_fields=["payments", "totals"])
    audit("pay.batch", by=by, study=study, target=f"batch {number}", form=form, payments=batch.payments, **totals)
    return batch


def rows_of(batch: PayBatch) -> QuerySet[Payment]:
    """The payments that left in a batch, whatever became of them since."""
    left = PaymentEvent.objects.filter(what="sent", note=str(batch.number), payment__participant__study=batch.study_id)
    mine = Payment.objects.filter(pk__in=left.values("payment"))
    return mine.select_related("participant__contact").order_by("pk")


def cells_of(batch: PayBatch) -> list[tuple[str, ...]]:
    return [_cells(batch, row) for row in rows_of(batch)]


def _cells(batch: PayBatch, row: Payment) -> tuple[str, ...]:
    who, contact = row.participant, getattr(row.participant, "contact", None)
    amount = plain_amount(row.amount, row.currency)
    reference = reference_of(row, batch.study)
    if batch.form == PANEL:
        return (reference, contact.panel_id if contact else "", amount, row.currency, row.reason, who.end)
    name, email = (contact.name, contact.email) if contact else ("", "")
    return (reference, who.code, name, email, amount, row.currency, row.reason)


def file_of_batch(batch: PayBatch, kind: str) -> bytes:
    """The batch as ``csv``, ``xlsx`` or ``bonus`` (lines "id,amount" without a head, as Prolific takes them)."""
    rows = cells_of(batch)
    if kind == "bonus":
        at = {name: n for n, name in enumerate(HEADS[PANEL])}
        # A list to paste, without apostrophes before ids; quoted, an id can never become a second field.
        return "".join(f"{quoted(row[at['panel_id']])},{row[at['amount']]}\n" for row in rows).encode()
    return written_csv(HEADS[batch.form], rows) if kind == "csv" else written_xlsx(batch, rows)


def safe(text: str) -> str:
    return "'" + text if text.startswith(GUARDED) else text


def quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if re.search(r'[",\r\n]', cell) else cell


def written_csv(head: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    return "".join(",".join(quoted(safe(cell)) for cell in row) + "\n" for row in (head, *rows)).encode()


def written_xlsx(batch: PayBatch, rows: Sequence[Sequence[str]]) -> bytes:
    """Every cell is text but the amounts. Moments and the order in the archive are fixed, so equal batches are equal
    files.
    """
    book = Workbook()
    sheet = book.active
    assert sheet is not None  # noqa: S101  a new workbook has one
    head = HEADS[batch.form]
    sheet.title, amount = f"batch {batch.number}", head.index("amount")
    for row in (head, *rows):
        sheet.append([safe(cell) for cell in row])
    for line in sheet.iter_rows(min_row=2, min_col=amount + 1, max_col=amount + 1):
        for cell in line:
            text = str(cell.value)
            cell.value = float(text) if "." in text else int(text)
            cell.number_format = "0." + "0" * len(text.partition(".")[2]) if "." in text else "0"
    made = io.BytesIO()
    book.save(made)
    stamp = batch.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ").encode()
    out = io.BytesIO()
    with zipfile.ZipFile(made) as given, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in sorted(given.namelist()):
            content = given.read(name)
            if name == "docProps/core.xml":
                content = re.sub(rb"(<dcterms:(created|modified)[^>]*>)[^<]*", rb"\g<1>" + stamp, content)
            packed.writestr(zipfile.ZipInfo(name, ZIP_DAY), content)
    return out.getvalue()


@transaction.atomic
def settle_batch(batch: PayBatch, day: Day, *, by: User) -> int:
    """All that is still on its way was paid on one day; how many. For finance that answers with a single word."""
    # Beside a file of what was paid, which may name the same payments in another order.
    Study.objects.select_for_update(no_key=True).get(pk=batch.study_id)
    done = sum(claim_paid(row, day, by=by) for row in batch.rows.filter(state=PaymentState.SENT))
    if done:
        audit("pay.settled", by=by, study=batch.study, target=f"batch {batch.number}", payments=done)
    return done


def today() -> Day:
    return timezone.now().astimezone(UTC).date()
