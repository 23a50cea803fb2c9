"""Stored results: computed by a job on the very bundle an export would hold, found again by its hash."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from django.db.models import Max
from django.http import Http404
from django.utils.translation import gettext as _

from study.accounts.jobs import JobFailed, Running, enqueue, job_kind
from study.accounts.models import Job, Study, User
from study.fieldwork.models import Save
from study.people.models import StageEvent
from study.results.exporting import write_study
from study.results.models import StoredResult

KIND = "compute results"


def state_of(study: Study) -> str:
    """Changes whenever the study's data change; two cheap look-ups instead of a bundle per page."""
    saves = Save.objects.filter(visit__participant__study=study).aggregate(n=Max("pk"))["n"]
    moves = StageEvent.objects.filter(participant__study=study).aggregate(n=Max("pk"))["n"]
    return f"{saves or 0}:{moves or 0}"


def newest(study: Study, *, by: User | None = None) -> tuple[StoredResult | None, Job | None]:
    """The newest results, and the job that renews them when the data have changed since."""
    row = StoredResult.objects.filter(study=study).order_by("-created_at", "-pk").first()
    if row is not None and row.results.get("state") == state_of(study):
        return row, None
    last = study.jobs.filter(kind=KIND).order_by("-pk").first()
    if last is not None and last.state == "failed" and last.params.get("state") == state_of(study):
        return row, last
    job = ask(study, by=by)
    if job.state == "done" or (job := Job.objects.get(pk=job.pk)).state == "done":
        # Without a broker the job has run already.
        row = StoredResult.objects.filter(study=study).order_by("-created_at", "-pk").first()
        return row, None
    return row, job


def ask(study: Study, *, by: User | None) -> Job:
    return enqueue(KIND, {"state": state_of(study)}, study=study, by=by, once_key=f"results:{study.pk}")


def open_row(study: Study) -> StoredResult:
    """The newest results of a study that is not blind; else 404."""
    row = None if study.blind else StoredResult.objects.filter(study=study).order_by("-created_at", "-pk").first()
    if row is None:
        raise Http404
    return row


def compute(study: Study) -> StoredResult:
    """Write the bundle to a temporary folder and let ``analysis`` read it, as anyone with the export would."""
    # Statistics are imported by the worker, never by a page.
    from study.results.computing import results_of

    state = state_of(study)
    with tempfile.TemporaryDirectory() as place:
        bundle = Path(place) / "bundle"
        digest = write_study(study, bundle, blind=False).hash
        found: dict[str, Any] = results_of(bundle)
    row, _made = StoredResult.objects.update_or_create(
        study=study, fingerprint=digest, defaults={"results": found | {"state": state}}
    )
    return row


@job_kind(KIND)
def compute_job(running: Running) -> dict[str, str]:
    study = running.job.study
    if study is None or study.blind:
        raise JobFailed(_("The study is blind; nothing is computed until an owner opens the ratings."))
    running.progress(0, 1, _("Computing estimates"))
    row = compute(study)
    running.progress(1, 1)
    return {"url": f"/studies/{study.code}/results/", "hash": row.fingerprint}
