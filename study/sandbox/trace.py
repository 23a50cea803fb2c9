"""The trace: one row for each thing a person did at a desk, numbered without gaps or doubles."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max

from study.sandbox.models import Desk, TraceEvent

RETRIES = 20


def last_sequence(desk: Desk) -> int:
    """The number of the latest event of a desk, 0 before the first."""
    return TraceEvent.objects.filter(desk=desk).aggregate(last=Max("sequence"))["last"] or 0


def record(
    desk: Desk,
    kind: str,
    object: str = "",
    record: str = "",
    query: dict[str, Any] | None = None,
    n: int | None = None,
    address: str = "",
) -> TraceEvent:
    """Write the next event of a desk.

    Two tabs may ask for the same number at once: the unique key refuses one of
    them, which then takes the next. RuntimeError if that never ends.
    """
    for _ in range(RETRIES):
        try:
            with transaction.atomic():
                number = last_sequence(desk) + 1
                return TraceEvent.objects.create(
                    desk=desk,
                    sequence=number,
                    kind=kind,
                    object=object,
                    record=record,
                    query=query,
                    n=n,
                    address=address,
                )
        except IntegrityError:
            continue
    raise RuntimeError(f"Desk {desk.code} could not number its next event after {RETRIES} tries.")
