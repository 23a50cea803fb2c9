"""The slow work on Orgs: converting what was uploaded, packing what is taken out."""

from __future__ import annotations

import shutil
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

from django.conf import settings

from study.accounts.jobs import JobFailed, Running, job_kind
from study.sandbox.engine.errors import SnapshotError
from study.sandbox.engine.progress import time_left
from study.sandbox.exchange.exporting import export_org
from study.sandbox.exchange.org_flows import UPLOADS, drop_upload
from study.sandbox.exchange.org_intake import Progress, Wish, take_in
from study.sandbox.exchange.shelves import EXPORT, IMPORT, Shelf
from study.sandbox.models import Org
from study.sandbox.orgs import snapshot_for

EXPORTS = "org-exports"
KEPT_SECONDS = 7 * 24 * 3600
MOST_PROBLEMS = 200
_STAGES = {"read": "reading rows", "rows": "writing records", "index": "indexing", "words": "indexing words",
           "hash": "naming the content", "check": "checking the file"}  # fmt: skip
_EVERY = 1.0


def _told(running: Running) -> Progress:
    """Progress of a writing as progress of the job, with the time it may still take, at most once a second."""
    last = 0.0
    began = time.monotonic()

    def told(done: int, total: int | None, stage: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _EVERY:
            last = now
            left = time_left(done, total, stage, now - began)
            running.progress(done, max(total or 0, done), f"{_STAGES.get(stage, stage)}{', ' if left else ''}{left}")

    return told


@job_kind(IMPORT)
def import_job(running: Running) -> dict[str, Any]:
    """Convert an uploaded file. The upload is gone afterwards, whatever came of it."""
    params, study = running.job.params, running.job.study
    folder = settings.REALIA_VAR / UPLOADS / params["folder"]
    files = {part: folder / params[part] for part in ("schema", "layout") if params.get(part)}
    wish = Wish(folder / params["file"], params["name"], zone=params["zone"], company=params["company"], **files)
    running.progress(0, 0, "reading")
    try:
        stored, given = take_in(wish, study=study, progress=_told(running))
    except Exception as error:
        # A worker that is stopped finds the upload again; any other end is the end.
        drop_upload(params["folder"])
        if isinstance(error, SnapshotError):
            raise JobFailed(str(error)) from error
        if isinstance(error, OSError):
            raise JobFailed(f"The file could not be read or written: {error.strerror or error}.") from error
        raise
    drop_upload(params["folder"])
    problems = given.loaded.problems
    return {
        "url": Shelf(running.job.created_by, study, True).url("org_import", running.job.pk),  # type: ignore[arg-type]
        "org": stored.org.hash,
        "known": not stored.new,
        "counts": stored.info.counts,
        "last_day": stored.info.last_day.isoformat(),
        "notes": given.loaded.notes[:MOST_PROBLEMS],
        "problems": [[p.table, p.row, p.field, p.message, p.action] for p in problems[:MOST_PROBLEMS]],
        "problem_count": len(problems),
    }


@job_kind(EXPORT)
def export_job(running: Running) -> dict[str, Any]:
    """Write an Org out and pack it into one file, kept for a week."""
    params, job = running.job.params, running.job
    org = Org.objects.filter(hash=params["org"]).first()
    if org is None:
        raise JobFailed("The Org was deleted meanwhile.")
    drop_old_exports()
    base = settings.REALIA_VAR / EXPORTS
    base.mkdir(parents=True, exist_ok=True)
    objects = len(org.counts)
    with tempfile.TemporaryDirectory(dir=base) as place:
        done = 0

        def told(name: str) -> None:
            nonlocal done
            running.progress(done, objects, name)
            done += 1

        try:
            files = export_org(snapshot_for(org), params["form"], Path(place) / "org", org.name, told)
        except (SnapshotError, OSError) as error:
            raise JobFailed(f"The Org could not be written out: {error}") from error
        running.progress(objects, objects, "packing")
        packed = Path(place) / "org.zip"
        _pack(files, packed, f"{org.name}-{params['form']}")
        target = base / str(job.pk)
        target.mkdir(exist_ok=True)
        shutil.move(packed, target / f"{org.name}-{params['form']}.zip")
    address = Shelf(job.created_by, job.study, True).url("org_download", job.pk)  # type: ignore[arg-type]
    return {"url": address, "org": org.hash, "file": f"{EXPORTS}/{job.pk}/{org.name}-{params['form']}.zip"}


def _pack(files: list[Path], target: Path, folder: str) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
        for path in files:
            archive.write(path, f"{folder}/{path.name}")


def drop_old_exports() -> None:
    """What was packed more than a week ago is gone; it can be packed again."""
    for folder in (settings.REALIA_VAR / EXPORTS).glob("*"):
        if folder.name.isdecimal() and time.time() - folder.stat().st_mtime > KEPT_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)
