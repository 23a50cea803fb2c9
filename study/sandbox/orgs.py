"""Orgs of this installation: where their snapshots lie, and how one is registered and opened."""

from __future__ import annotations

import shutil
from pathlib import Path

from django.conf import settings

from study.sandbox.engine.errors import SnapshotError
from study.sandbox.engine.snapshot import Snapshot, SnapshotInfo
from study.sandbox.models import Org
from study.sandbox.opened import snapshot_of

FOLDER = "orgs"
_LONGEST_COMPANY = 120


def orgs_folder() -> Path:
    """Where snapshots are kept; made when it is first needed."""
    folder = Path(settings.REALIA_VAR) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def register_org(info: SnapshotInfo, name: str) -> Org:
    """The Org of a snapshot just written, its file at ``orgs/<hash>.sqlite`` in the data folder.

    A content that is there already keeps its row, name and file. A name that stands
    for another content is refused with SnapshotError; the file given is left alone then.
    """
    if known := Org.objects.filter(hash=info.hash).first():
        _keep(info)
        return known
    if Org.objects.filter(name=name).exists():
        # Which Org it is may not be for the eyes of whoever brings this one in (A15).
        raise SnapshotError(f"{name} is the name of another Org. Choose another name.")
    _keep(info)
    return Org.objects.create(
        hash=info.hash,
        name=name,
        file=f"{FOLDER}/{info.hash}.sqlite",
        company=str(info.manifest.get("company", ""))[:_LONGEST_COMPANY],
        counts=info.counts,
        manifest=info.manifest,
        last_day=info.last_day,
        zone=str(info.manifest.get("zone", "UTC")),
    )


def _keep(info: SnapshotInfo) -> None:
    """The file under the name of its hash; a sound one that is there already stays."""
    kept = orgs_folder() / f"{info.hash}.sqlite"
    if info.path.absolute() == kept.absolute():
        return
    if kept.exists():
        info.path.unlink()
    else:
        shutil.move(info.path, kept)


def snapshot_for(org: Org) -> Snapshot:
    """The open snapshot of an Org, one per process. SnapshotError if its file is missing or damaged."""
    return snapshot_of(org)


def org_named(name_or_hash: str) -> Org:
    """The Org of a name, a hash, or the beginning of a hash (8 characters or more). Org.DoesNotExist otherwise."""
    found = Org.objects.filter(name=name_or_hash).first() or Org.objects.filter(hash=name_or_hash).first()
    if found is None and len(name_or_hash) >= 8:
        starting = list(Org.objects.filter(hash__startswith=name_or_hash)[:2])
        found = starting[0] if len(starting) == 1 else None
    if found is None:
        raise Org.DoesNotExist(f"No Org is called {name_or_hash}.")
    return found
