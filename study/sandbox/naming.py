"""What records are called, for many Ids at once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

from study.sandbox.registry import ObjectDef
from study.sandbox.snapshot import Snapshot

_ID = re.compile(r"[0-9A-Za-z]{15}(?:[A-Z0-5]{3})?")


def looks_like_id(value: object) -> bool:
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def names_of(snapshot: Snapshot, ids: Iterable[object]) -> dict[str, str]:
    """Id as given -> name, for the Ids that exist in this Org."""
    wanted = {one for one in ids if isinstance(one, str) and looks_like_id(one)}
    found = snapshot.names(wanted)
    return {one: record_title(snapshot.registry.object(name), one, title) for one, (name, title) in found.items()}


def record_title(item: ObjectDef, record_id: str, name: object) -> str:
    """The name of a record, or its object and the end of its Id where it has none."""
    if name is None or looks_like_id(name) or isinstance(name, date) or item.name_field == "Id":
        return f"{item.label} {record_id[10:15]}"
    field = item.field(item.name_field)
    if field.type in {"date", "datetime", "reference"}:
        return f"{item.label} {record_id[10:15]}"
    return str(name)
