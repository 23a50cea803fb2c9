"""Bringing in a list of people: read, shown with what is wrong row by row, sent only when somebody says so.

Nothing of a list is a participant before that. Its rows are kept encrypted until then, and emptied afterwards.
"""

from __future__ import annotations

import base64
from collections.abc import Collection
from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.jobs import Running, enqueue, job_kind
from study.accounts.models import User
from study.people.models import Cohort, Import
from study.people.ways import invitations, people_lists
from study.people.ways.people_lists import Row
from study.people.ways.spreadsheets import MOST_BYTES, MOST_ROWS, Refusal, read_table, write_table

PASTED = ""  # the file name of a pasted text
READ = "read list of people"
INVITE = "invite list of people"
# Fewer than these are invited while the page waits; more in a job that shows how far it is.
AT_ONCE = 200
KEPT_FOR = timedelta(days=7)
# A page that invites by itself has long answered by then.
TAKEN_UP = timedelta(minutes=10)


def begin(cohort: Cohort, *, file_name: str, content: bytes, by: User | None) -> Import:
    """A file that a job will read. Raises ValidationError when it is too large to be taken at all."""
    invitations.may_be_invited_to(cohort)
    if len(content) > MOST_BYTES:
        raise ValidationError(_("This file is larger than 5 MB. Keep the list alone in it, or send it in parts."))
    with transaction.atomic():
        row = _new(cohort, file_name[-120:], content, by)
        row.job = enqueue(READ, {"import": row.pk}, study=cohort.study, by=by, once_key=f"{READ} {row.pk}")
        row.save(update_fields=["job"])
    return row


def begin_pasted(cohort: Cohort, text: str, *, by: User | None) -> Import:
    """A pasted text, read at once. It goes the same way as a file from here on."""
    invitations.may_be_invited_to(cohort)
    row = _new(cohort, PASTED, text.encode(), by)
    read(row.pk)
    row.refresh_from_db()
    return row


def _new(cohort: Cohort, file_name: str, content: bytes, by: User | None) -> Import:
    kept = base64.b64encode(content).decode()
    row = Import.objects.create(cohort=cohort, file_name=file_name, content=kept, by=by)
    audit("list.brought", by=by, study=cohort.study, target=f"cohort {cohort.code}", list=row.pk, bytes=len(content))
    return row


@job_kind(READ)
def read_job(running: Running) -> dict[str, Any]:
    running.progress(0, 1, _("Reading"))
    row = read(running.job.params["import"])
    running.progress(1, 1)
    return {"url": page_of(row), "good": row.good, "bad": row.bad}


def page_of(row: Import) -> str:
    return reverse("cohort_import", args=[row.cohort.study.code, row.cohort.code, row.pk])


def read(pk: int) -> Import:
    """Turn the file into checked rows, or say why it cannot be read. A second run finds nothing to do."""
    row = Import.objects.select_related("cohort__study").get(pk=pk)
    if row.state != "reading":
        return row
    changes: dict[str, Any]
    try:
        rows = invitations.checked(row.cohort, _rows_of(row))
    except Refusal as refusal:
        changes = {"state": "refused", "problem": str(refusal)[:400]}
    else:
        bad = sum(1 for one in rows if one["problem"])
        changes = {"state": "read", "rows": rows, "good": len(rows) - bad, "bad": bad}
    Import.objects.filter(pk=pk, state="reading").update(content="", **changes)
    row.refresh_from_db()
    return row


def _rows_of(row: Import) -> list[Row]:
    content = base64.b64decode(row.content)
    if row.file_name != PASTED:
        return people_lists.from_table(read_table(content))
    rows = people_lists.from_text(content.decode())
    if len(rows) > MOST_ROWS:
        raise Refusal(_("More than %(most)s rows. Send the list in parts.") % {"most": f"{MOST_ROWS:,}"})
    if not rows:
        raise Refusal(_("There is no address in this text."))
    return rows


def confirm(row: Import, leave: Collection[int], *, by: User | None) -> int:
    """Invite the good rows but those in ``leave``; how many there are. A second press invites nobody (P-08)."""
    invitations.may_be_invited_to(row.cohort)
    with transaction.atomic():
        claimed = Import.objects.filter(pk=row.pk, state="read").update(state="confirmed", confirmed_at=timezone.now())
        row.refresh_from_db()
        if not claimed:
            return 0
        chosen = [one for one in row.rows or [] if not one["problem"] and one["row"] not in leave]
        row.rows, row.good = chosen, len(chosen)
        row.save(update_fields=["rows", "good"])
        audit(
            "list.confirmed", by=by, study=row.cohort.study, target=f"cohort {row.cohort.code}",
            list=row.pk, n=len(chosen), bad=row.bad, left_out=len(leave),
        )  # fmt: skip
        if len(chosen) > AT_ONCE:
            invite_by_job(row)
    return len(chosen) if len(chosen) > AT_ONCE else invite_chosen(row.pk)


@job_kind(INVITE)
def invite_job(running: Running) -> dict[str, Any]:
    n = invite_chosen(running.job.params["import"], running)
    row = Import.objects.select_related("cohort__study").get(pk=running.job.params["import"])
    return {"url": reverse("cohort", args=[row.cohort.study.code, row.cohort.code]), "invited": n}


def invite_chosen(pk: int, running: Running | None = None) -> int:
    """Invite what was confirmed and forget the rows. Run again after a broken run, it invites whoever is missing."""
    row = Import.objects.select_related("cohort__study", "by").get(pk=pk)
    if row.state != "confirmed" or row.rows is None:
        return 0
    # Looked at once more: somebody may have asked not to be written to since.
    rows = [one for one in invitations.checked(row.cohort, row.rows) if not one["problem"]]
    invited = invitations.invite_rows(row.cohort, rows, by=row.by, progress=running.progress if running else None)
    Import.objects.filter(pk=pk).update(rows=None)
    return len(invited)


def drop(row: Import, *, by: User | None) -> bool:
    """Forget a list that nobody will be invited from. Once."""
    gone = Import.objects.filter(pk=row.pk, state__in=("reading", "read", "refused"))
    if not gone.update(state="dropped", rows=None, content=""):
        return False
    audit("list.dropped", by=by, study=row.cohort.study, target=f"cohort {row.cohort.code}", list=row.pk)
    return True


@job_kind("forget old lists", every_tick=True)
def forget_old(running: Running) -> dict[str, int]:
    """A list that nobody confirmed within a week is forgotten: it holds addresses for no purpose.

    One whose inviting was cut short with the page that waited for it is taken up by a job, once.
    """
    now = timezone.now()
    held = Q(rows__isnull=False) | ~Q(content="")
    old = Import.objects.filter(held, state__in=("reading", "read", "confirmed"), at__lt=now - KEPT_FOR)
    forgotten = old.update(state="dropped", rows=None, content="")
    cut_short = Import.objects.filter(state="confirmed", rows__isnull=False, confirmed_at__lt=now - TAKEN_UP)
    for row in cut_short.select_related("cohort__study", "by"):
        if row.job is None or row.job.kind != INVITE:
            invite_by_job(row)
    return {"forgotten": forgotten}


def invite_by_job(row: Import) -> None:
    row.job = enqueue(INVITE, {"import": row.pk}, study=row.cohort.study, by=row.by, once_key=f"{INVITE} {row.pk}")
    Import.objects.filter(pk=row.pk).update(job=row.job)


def bad_rows(row: Import) -> bytes:
    """The rows that were refused, with the reason, to be put right and brought in again."""
    head = ["row", "email", "name", "language", "zone", "problem"]
    return write_table(head, [[one[key] for key in head] for one in row.rows or [] if one["problem"]])
