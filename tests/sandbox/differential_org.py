"""The small Org with tasks that look up several kinds of records, in two zones: what the engine is compared on."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from study.sandbox.engine.ids import make_id
from study.sandbox.engine.registry import FieldDef, ObjectDef, Registry
from study.sandbox.engine.snapshot import Snapshot, open_snapshot, write_snapshot
from tests.sandbox.small_org import TODAY, small_registry, small_tables

TASK = ObjectDef(
    "Task", "Task", "Tasks", "00T",
    (
        FieldDef("Id", "id", "Task ID"),
        FieldDef("Subject", "string", "Subject"),
        FieldDef("WhatId", "reference", "About", targets=("Case", "Order", "Account", "Product2")),
        FieldDef("OwnerId", "reference", "Owner", targets=("User",)),
        FieldDef("Due__c", "date", "Due"),
        FieldDef("Hours__c", "number", "Hours"),
        FieldDef("Rank__c", "integer", "Rank"),
        FieldDef("Done__c", "boolean", "Done"),
    ),
    "Subject",
)  # fmt: skip


def differential_registry(**changes: Any) -> Registry:
    registry = small_registry()
    return replace(registry, objects=(*registry.objects, TASK), **changes)


def differential_tables() -> dict[str, list[dict[str, Any]]]:
    tables = small_tables()
    about = [name for name in ("Case", "Order", "Account", "Product2") for _ in range(2)]
    tables["Task"] = [
        {"Id": make_id("00T", n), "Subject": ("Call back", "call back", "Écrire", None)[n % 4],
         "WhatId": tables[about[n % 8]][n % 7]["Id"] if n % 9 else (None, "00QHy000000ZZZZMAA")[n % 2],
         "OwnerId": tables["User"][n % 6]["Id"] if n % 5 else None,
         "Due__c": date(2023, 12, 24) + timedelta(days=n * 5) if n % 6 else None,
         "Hours__c": (None, 0.0, 0.25, 1.5, 8.0)[n % 5], "Rank__c": (3, -1, None, 0)[n % 4], "Done__c": n % 3 == 0}
        for n in range(48)
    ]  # fmt: skip
    # On the clocks of New York: either side of the hours that are skipped and repeated in spring and autumn.
    for n, moment in enumerate((
        datetime(2024, 3, 10, 6, 59, 59, 999_000, UTC), datetime(2024, 3, 10, 7, tzinfo=UTC),
        datetime(2023, 11, 5, 5, 30, tzinfo=UTC), datetime(2023, 11, 5, 6, 30, tzinfo=UTC),
        datetime(2024, 1, 1, 4, 59, tzinfo=UTC), datetime(2024, 1, 1, 5, tzinfo=UTC),
    )):  # fmt: skip
        tables["Case"][20 + n]["CreatedDate"] = moment
    return tables


def differential_snapshot(folder: Path, **changes: Any) -> Snapshot:
    info = write_snapshot(
        folder / "differential.sqlite", differential_registry(**changes), differential_tables(), today=TODAY
    )
    return open_snapshot(info.path)
