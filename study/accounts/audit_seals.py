"""Seals over the audit log (A12): batches of finished rows in a hash chain, made by the tick, checked on demand.

A row's leaf is the sha256 of what of it never changes. A seal is the sha256 of its number, the seal before it and its
leaves. Rows wait on nothing: those whose transaction is still open are not seen, and are sealed by a later batch even
when their ids are lower; which batch holds a row is written at the row.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC

from django.db import IntegrityError, transaction

from study.accounts.jobs import Running, job_kind
from study.accounts.models import AuditRow, AuditSeal
from study.accounts.staff_sessions import forget_old

BATCH = 1000
PERMANENT = ("id", "at", "actor_label", "act", "study_code", "target", "detail")


def canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def leaf(row: AuditRow) -> str:
    """The hash of what of a row never changes."""
    kept = {name: getattr(row, name) for name in PERMANENT}
    kept["at"] = row.at.astimezone(UTC).isoformat(timespec="microseconds")
    return hashlib.sha256(canonical(kept)).hexdigest()


def seal_hash(number: int, previous: str, leaves: list[list[object]]) -> str:
    return hashlib.sha256(canonical({"number": number, "previous": previous, "leaves": leaves})).hexdigest()


def seal_batch() -> int:
    """Seal up to a thousand finished rows in the order of their ids; how many that were.

    Two at once: both reach for the same number, and the database lets one of them have it.
    """
    try:
        with transaction.atomic():
            # The last seal before the rows: if somebody seals in between, the number is taken. The other way round the
            # same rows would come into two seals.
            last = AuditSeal.objects.order_by("-number").first()
            rows = list(AuditRow.objects.filter(seal__isnull=True).order_by("pk")[:BATCH])
            if not rows:
                return 0
            number, previous = (last.number + 1, last.sha256) if last else (1, "")
            leaves: list[list[object]] = [[row.pk, leaf(row)] for row in rows]
            seal = AuditSeal.objects.create(
                number=number,
                rows=len(rows),
                leaves=leaves,
                previous=previous,
                sha256=seal_hash(number, previous, leaves),
            )
            AuditRow.objects.filter(pk__in=[row.pk for row in rows]).update(seal=seal)
    except IntegrityError:
        return 0
    return len(rows)


def seal_all() -> int:
    done = 0
    while n := seal_batch():
        done += n
    return done


@job_kind("audit seals", every_tick=True)
def seal_job(running: Running) -> dict[str, int]:
    """What accounts do each minute: seal what is new, forget sessions that are over for a month."""
    return {"sealed": seal_all(), "sessions": forget_old()}


@dataclass(frozen=True)
class Verified:
    """What was found: ``faults`` in words, the newest seal, and how many rows wait for theirs."""

    seals: int
    rows: int
    unsealed: list[int]
    head: str
    faults: list[str]


def verify() -> Verified:
    """Check each seal, each sealed row, and that nothing stands between. Reads the whole log once."""
    faults: list[str] = []
    previous, rows, expected = "", 0, 0
    for seal in AuditSeal.objects.order_by("number").iterator(chunk_size=50):
        expected += 1
        if seal.number != expected:
            faults.append(f"seal {expected} is missing: seal {seal.number} follows seal {expected - 1}")
            expected = seal.number
        elif seal.previous != previous:
            faults.append(f"seal {seal.number} does not follow from the seal before it")
        meant = _meant(seal.leaves)
        if seal.sha256 != seal_hash(seal.number, seal.previous, seal.leaves) or seal.rows != len(meant):
            faults.append(f"seal {seal.number} was changed")
        faults += _of_rows(seal, meant)
        previous, rows = seal.sha256, rows + len(meant)
    unsealed = list(AuditRow.objects.filter(seal__isnull=True).order_by("pk").values_list("pk", flat=True))
    return Verified(expected, rows, unsealed, f"{expected}:{previous}" if expected else "", faults)


def _meant(leaves: object) -> dict[int, str]:
    """The hash of each row as sealed. What somebody has made unreadable is a fault to be named, not an error."""
    try:
        return {int(pk): str(digest) for pk, digest in leaves}  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        return {}


def _of_rows(seal: AuditSeal, meant: dict[int, str]) -> Iterator[str]:
    found = {row.pk: leaf(row) for row in AuditRow.objects.filter(seal=seal)}
    for pk in sorted({*meant, *found}):
        if pk not in found:
            yield f"row {pk} of seal {seal.number} was removed"
        elif pk not in meant:
            yield f"row {pk} was put into seal {seal.number} later"
        elif found[pk] != meant[pk]:
            yield f"row {pk} of seal {seal.number} was changed"
