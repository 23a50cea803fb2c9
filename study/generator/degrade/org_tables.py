"""An Org as tables in memory, and how its records hang together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from study.generator.groundwork.things import Row
from study.sandbox.engine.registry import FieldDef, ObjectDef, Registry
from study.sandbox.engine.snapshot import Snapshot

MOST_RECORDS = 1_000_000
"""A control Org is made in memory; one of more records would take several gigabytes."""

Tables = dict[str, list[Row]]
# Where lines and other undated records take their month from.
_DATED_BY = ("OrderId", "QuoteId", "OpportunityId", "CaseId__c", "CaseId", "OpportunityId__c")


@dataclass
class OrgTables:
    """All records of an Org, each a row that may be changed."""

    registry: Registry
    tables: Tables
    by_id: dict[str, tuple[ObjectDef, Row]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, snapshot: Snapshot) -> OrgTables:
        """ValueError for an Org too large to be held in memory."""
        total = sum(snapshot.counts.values())
        if total > MOST_RECORDS:
            raise ValueError(f"{total:,} records are too many for a control Org; at most {MOST_RECORDS:,}.")
        tables: Tables = {name: list(rows) for name, rows in snapshot.tables()}
        return cls(snapshot.registry, tables).indexed()

    def indexed(self) -> OrgTables:
        self.by_id = {
            str(row["Id"]): (item, row) for item in self.registry.objects for row in self.tables.get(item.name, ())
        }
        return self

    def rows(self, name: str) -> list[Row]:
        return self.tables.get(name, [])

    def found(self, record_id: object) -> Row | None:
        """The record of an Id, if there is one."""
        known = self.by_id.get(str(record_id)) if record_id else None
        return known[1] if known else None

    def month(self, item: ObjectDef, row: Mapping[str, object]) -> str:
        """The month a record belongs to, YYYY-MM: its own, or that of what it is a line of; else empty."""
        for _ in range(3):
            if one := dated(item):
                value = row.get(one.name)
                return value.strftime("%Y-%m") if isinstance(value, date | datetime) else ""
            lookup = next((name for name in _DATED_BY if row.get(name)), None)
            known = self.by_id.get(str(row[lookup])) if lookup else None
            if known is None:
                return ""
            item, row = known
        return ""


def dated(item: ObjectDef) -> FieldDef | None:
    """The field that says when a record of this object came to be, or else its first date."""
    if item.written is not None:
        return item.written
    return next((one for one in item.fields if one.type in ("date", "datetime")), None)
