"""Writing a study's trace into a file, as a job or on the command line: one moment, memory that does not grow."""

from __future__ import annotations

import gzip
import hashlib
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import IO, cast

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.jobs import JobFailed, Running, job_kind
from study.accounts.models import Study, User
from study.results.models import Export
from study.results.traces.csv_lines import csv_of
from study.results.traces.ocel import ocel_of
from study.results.traces.reading import how_many, places_of, visits_of
from study.sandbox.engine.errors import SnapshotError
from study.sandbox.models import Org
from study.sandbox.opened import snapshot_of

FORMATS = {"csv": "csv", "ocel": "json"}
"""Format -> ending of the file."""
BUFFER = 1 << 20
SAY_EVERY = 20_000


class OrgAway(Exception):
    """The file of an Org where records were opened is missing or damaged; the text says what to do."""


@dataclass(frozen=True)
class Written:
    events: int
    size: int
    sha256: str


@dataclass
class Progress:
    """Counts events and says now and then how far it is."""

    say: Callable[[int, int], None] | None
    total: int = 0
    done: int = field(default=0, init=False)

    def one(self) -> None:
        self.done += 1
        if self.say and self.done % SAY_EVERY == 0:
            self.say(self.done, self.total)


def write_trace(study: Study, kind: str, target: Path, say: Callable[[int, int], None] | None = None) -> Written:
    """Write the trace of everybody who counts as ``csv`` or ``ocel``; packed where the name ends in ``.gz``.

    The same data give the same bytes. Raises ValueError for another format, OrgAway.
    """
    if kind not in FORMATS:
        raise ValueError(f"There is no format {kind!r}; use one of {', '.join(FORMATS)}.")
    with transaction.atomic(using=settings.READER_ALIAS):
        progress = Progress(say, how_many(study) if say else 0)
        digest = _write(target, _pieces(study, kind, progress))
    return Written(progress.done, target.stat().st_size, digest)


def _pieces(study: Study, kind: str, progress: Progress) -> Iterator[str]:
    if kind == "csv":
        return csv_of(places_of(study), progress.one)
    return ocel_of(lambda: visits_of(study), lambda: places_of(study), progress.one, record_type)


def _write(target: Path, pieces: Iterator[str]) -> str:
    """Put the pieces into the file under a name of its own first: one that is cut short never stands in its place."""
    unfinished = target.with_name(target.name + ".part")
    try:
        _fill(unfinished, pieces, packed=target.suffix == ".gz")
        with unfinished.open("rb") as written:
            digest = hashlib.file_digest(written, "sha256").hexdigest()
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
    return digest


def _fill(path: Path, pieces: Iterator[str], *, packed: bool) -> None:
    with ExitStack() as open_files:
        raw = open_files.enter_context(path.open("wb", buffering=BUFFER))
        file: IO[bytes] = raw
        if packed:
            # Neither name nor moment stands in it.
            packing = gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0)
            file = cast("IO[bytes]", open_files.enter_context(packing))
        for piece in pieces:
            file.write(piece.encode())


@lru_cache(maxsize=100_000)
def record_type(org_hash: str, record: str) -> str:
    """The object a record belongs to, by the beginning of its Id; "" where the Org knows none."""
    return _prefixes(org_hash).get(record[:3], "")


@lru_cache(maxsize=64)
def _prefixes(org_hash: str) -> dict[str, str]:
    org = Org.objects.get(hash=org_hash)
    try:
        registry = snapshot_of(org).registry
    except SnapshotError:
        said = _(
            "The file of the Org “%(org)s” is missing or damaged. Load it again: manage.py org_load PATH --name %(org)s"
        )
        raise OrgAway(said % {"org": org.name}) from None
    return {item.key_prefix: item.name for item in registry.objects if item.key_prefix}


def make_trace_export(study: Study, kind: str, *, by: User | None, say: Callable[[int, int], None]) -> Export:
    """Write the trace, packed, and register it for download. It holds no rating, blind or not."""
    folder = settings.REALIA_VAR / "exports"
    folder.mkdir(parents=True, exist_ok=True)
    ending = f"{FORMATS[kind]}.gz"
    with tempfile.TemporaryDirectory(dir=folder) as place:
        made = Path(place) / f"trace.{ending}"
        written = write_trace(study, kind, made, say)
        file = folder / f"{study.code}-trace-{kind}-{written.sha256[:16]}.{ending}"
        made.replace(file)
    rows = {"events": written.events}
    with transaction.atomic():
        export = Export.objects.create(
            study=study,
            kind=f"trace_{kind}",
            file=str(file.relative_to(settings.REALIA_VAR)),
            bundle_hash=written.sha256,
            blind=True,
            rows=rows,
            size=written.size,
        )
        audit("trace.exported", by=by, study=study, target=written.sha256, rows=rows, format=kind)
    return export


@job_kind("export trace")
def trace_job(running: Running) -> dict[str, str]:
    study, kind = running.job.study, str(running.job.params.get("format", ""))
    if study is None or kind not in FORMATS:
        raise JobFailed(_("The study of this export is gone."))
    running.progress(0, 1, _("Counting events"))
    try:
        export = make_trace_export(
            study,
            kind,
            by=running.job.created_by,
            say=lambda done, total: running.progress(done, total, _("Writing events")),
        )
    except OrgAway as away:
        raise JobFailed(str(away)) from None
    running.progress(1, 1)
    return {"url": f"/studies/{study.code}/export/", "hash": export.bundle_hash}
