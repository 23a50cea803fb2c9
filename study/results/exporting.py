"""Exports: the bundle on disk, a zip bound to a row, and the audit row of who took what (P-40)."""

from __future__ import annotations

import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from analysis.writing import write_bundle
from study.accounts.audit import audit
from study.accounts.jobs import JobFailed, Running, job_kind
from study.accounts.models import Study, User
from study.results.frames import frames
from study.results.models import Export

# The oldest moment a zip file can carry; a fixed one keeps equal data equal bytes.
FIXED_MOMENT = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Written:
    """A bundle on disk: its hash and how many rows each table has."""

    hash: str
    rows: dict[str, int]


def write_study(study: Study, directory: Path, *, blind: bool) -> Written:
    """Write the study's bundle. The same data give the same hash. Raises ValueError for a folder with other files."""
    data = frames(study, blind=blind)
    digest = write_bundle(
        directory,
        data.tables,
        protocol_yaml=data.protocol_yaml,
        orgs_json=data.orgs,
        study=data.study,
        codebook=data.codebook,
    )
    return Written(digest, {name: len(rows) for name, rows in sorted(data.tables.items())})


def zip_bundle(directory: Path, target: Path) -> None:
    """One zip with fixed order and moments, so that equal bundles are equal files."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(directory.iterdir()):
            entry = zipfile.ZipInfo(path.name, FIXED_MOMENT)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())


def make_export(study: Study, *, by: User | None) -> Export:
    """Write, zip and register the bundle. While the study is blind it holds no ratings."""
    blind = study.blind
    folder = settings.REALIA_VAR / "exports"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        written = write_study(study, Path(place) / "bundle", blind=blind)
        file = folder / f"{study.code}-{written.hash[:16]}{'-blind' if blind else ''}.zip"
        zip_bundle(Path(place) / "bundle", Path(place) / "bundle.zip")
        (Path(place) / "bundle.zip").replace(file)
    with transaction.atomic():
        export = Export.objects.create(
            study=study,
            file=str(file.relative_to(settings.REALIA_VAR)),
            bundle_hash=written.hash,
            blind=blind,
            rows=written.rows,
            size=file.stat().st_size,
        )
        audit("bundle.exported", by=by, study=study, target=written.hash, rows=written.rows, blind=blind)
    return export


@job_kind("export bundle")
def export_job(running: Running) -> dict[str, str]:
    study = running.job.study
    if study is None:
        raise JobFailed(_("The study of this export is gone."))
    running.progress(0, 1, _("Writing the tables"))
    export = make_export(study, by=running.job.created_by)
    running.progress(1, 1)
    return {"url": f"/studies/{study.code}/export/", "hash": export.bundle_hash}
