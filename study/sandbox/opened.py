"""The snapshot behind an Org, opened once per process: it never changes."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from django.conf import settings

from study.sandbox.engine.snapshot import Snapshot, open_snapshot
from study.sandbox.models import Org


def snapshot_of(org: Org) -> Snapshot:
    """The open snapshot of an Org. SnapshotError if its file is missing or damaged."""
    return _opened(str(Path(settings.REALIA_VAR) / org.file), org.hash)


@lru_cache(maxsize=32)
def _opened(path: str, org_hash: str) -> Snapshot:
    # The hash is part of the key: a file exchanged under the same name is another Org.
    return open_snapshot(path)
