"""The report as a file: the bundle is written, the analysis reads it as anybody would, everything is zipped."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.jobs import JobFailed, Running, job_kind
from study.accounts.models import Study, User
from study.results.exporting import FIXED_MOMENT, write_study
from study.results.models import Export, ExportKind

KIND = "export report"
PAGE = "report.html"


class StillBlind(Exception):
    """No report while the study is blind."""


def make_report(study: Study, *, by: User | None) -> Export:
    """Write, zip and register the report with the bundle it is made from. Raises StillBlind."""
    # Statistics and drawing are loaded by the worker, never by a page.
    from analysis.bundle import read_bundle
    from analysis.report import write_report

    if study.blind:
        raise StillBlind(_("The study is blind. A report holds ratings, so it can be made once the blind is lifted."))
    folder = settings.REALIA_VAR / "exports"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        report = Path(place) / "report"
        written = write_study(study, Path(place) / "bundle", blind=False)
        found = write_report(read_bundle(Path(place) / "bundle"), report)
        shutil.move(Path(place) / "bundle", report / "bundle")
        zip_tree(report, Path(place) / "report.zip")
        file = folder / f"{study.code}-report-{written.hash[:16]}.zip"
        (Path(place) / "report.zip").replace(file)
    with transaction.atomic():
        export = Export.objects.create(
            study=study,
            kind=ExportKind.REPORT,
            file=str(file.relative_to(settings.REALIA_VAR)),
            bundle_hash=written.hash,
            blind=False,
            rows=written.rows | {"estimates": len(found["estimates"])},
            size=file.stat().st_size,
        )
        audit("report.made", by=by, study=study, target=written.hash, rows=export.rows)
    return export


def zip_tree(directory: Path, target: Path) -> None:
    """A folder with its folders as one zip, in fixed order and with fixed moments: equal reports are equal files."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(directory.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(path.relative_to(directory).as_posix(), FIXED_MOMENT)
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, path.read_bytes())


def page_of(export: Export) -> bytes | None:
    """The report's page out of its file; None where the file is gone."""
    path = settings.REALIA_VAR / export.file
    if not path.is_file():
        return None
    with zipfile.ZipFile(path) as archive:
        return archive.read(PAGE)


@job_kind(KIND)
def report_job(running: Running) -> dict[str, str]:
    study = running.job.study
    if study is None:
        raise JobFailed(_("The study of this report is gone."))
    running.progress(0, 1, _("Computing and drawing"))
    try:
        export = make_report(study, by=running.job.created_by)
    except StillBlind as why:
        raise JobFailed(str(why)) from None
    running.progress(1, 1)
    return {"url": f"/studies/{study.code}/export/", "hash": export.bundle_hash}
