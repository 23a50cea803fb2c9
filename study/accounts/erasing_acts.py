"""Erasing somebody: asked for by them, confirmed by a coordinator, run as a job that may be repeated (P-43)."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts import erasing, erasing_file
from study.accounts.audit import audit
from study.accounts.erasing import Scope
from study.accounts.jobs import JobFailed, Running, enqueue, job_kind
from study.accounts.models import Erasure, Job, Study, User

KIND = "erase"
ASKED, QUEUED, RUNNING, DONE, FAILED = "asked", "queued", "running", "done", "failed"


def ask(study: Study, code: str) -> bool:
    """The person themself asks: nothing happens until somebody of the team confirms it. True for the first time.

    Who pressed the button is not stored: the row outlives the account.
    """
    if Erasure.objects.filter(study=study, subject=code).exclude(state=FAILED).exists():
        return False
    _row, made = Erasure.objects.get_or_create(study=study, subject=code, scope="everything", defaults={"state": ASKED})
    if made:
        audit("erasure.asked", by=None, study=study, target=code)
    return made


@transaction.atomic
def confirm(study: Study, code: str, scope: Scope, *, by: User | None) -> Job:
    """Have somebody erased. Confirmed twice while it waits or runs, it is one job; afterwards it may be run again."""
    row, _made = Erasure.objects.get_or_create(study=study, subject=code, scope=scope, defaults={"state": ASKED})
    if Erasure.objects.filter(pk=row.pk).exclude(state__in=[QUEUED, RUNNING]).update(state=QUEUED, requested_by=by):
        audit("erasure.confirmed", by=by, study=study, target=code, scope=scope)
    # What they asked for is what is being done, in whichever scope the team agreed with them.
    Erasure.objects.filter(study=study, subject=code, state=ASKED).exclude(pk=row.pk).delete()
    return enqueue(KIND, {"erasure": row.pk}, study=study, by=by, once_key=f"erase:{row.pk}")


def carry_out(row: Erasure, running: Running | None = None) -> dict[str, int]:
    """Erase, look whether anything is left, clean the file. Raises JobFailed naming what is still held."""
    scope: Scope = "everything" if row.scope == "everything" else "identity"
    Erasure.objects.filter(pk=row.pk).update(state=RUNNING, runs=F("runs") + 1)
    try:
        removed = erasing.erase(row.study, row.subject, scope, running.progress if running else _silent)
        still = erasing.left(row.study, row.subject, scope)
    except Exception:
        Erasure.objects.filter(pk=row.pk).update(state=FAILED)
        raise
    columns = [column for one in erasing.erasers(scope) for column in one.columns]
    file = erasing_file.clean(columns)
    row.refresh_from_db()
    run = {"at": timezone.now().isoformat(timespec="seconds"), "removed": {k: n for k, n in removed.items() if n}}
    report = {"runs": [*row.report.get("runs", []), run | {"left": still}], "file": file}
    with transaction.atomic():
        ended = {"state": FAILED} if still else {"state": DONE, "done_at": timezone.now()}
        Erasure.objects.filter(pk=row.pk).update(report=report, **ended)
        audit("erasure.failed" if still else "erasure.done", by=None, study=row.study, target=row.subject, **run)
    if still:
        names = ", ".join(f"{name} ({n})" for name, n in still.items())
        raise JobFailed(_("Something is still held: %(names)s. Run it again.") % {"names": names})
    return removed


def _silent(done: int, total: int, note: str) -> None:
    """A command says how far it is by itself."""


@job_kind(KIND)
def erase_job(running: Running) -> dict[str, Any]:
    row = Erasure.objects.select_related("study").filter(pk=running.job.params.get("erasure")).first()
    if row is None:
        raise JobFailed(_("This erasure is gone."))
    removed = carry_out(row, running)
    return {"url": f"/studies/{row.study.code}/privacy/", "removed": sum(removed.values())}


def clean_again() -> int:
    """Files that were busy when somebody was erased; how many erasures are clean now."""
    waiting = Erasure.objects.filter(state=DONE, report__file__file=erasing_file.BUSY)
    if not waiting.exists():
        return 0
    file = erasing_file.clean([column for one in erasing.erasers("everything") for column in one.columns])
    if file["file"] == erasing_file.BUSY:
        return 0
    done = list(waiting)
    for row in done:
        Erasure.objects.filter(pk=row.pk).update(report=row.report | {"file": file})
    return len(done)
