"""From raw tables and a registry to records, with every problem named.

What can be loaded is loaded: an unreadable cell is left empty, a row without Id or
with an Id that was there before is left out, an unknown column is not read, a broken
lookup or odd key prefix is kept as it is. Whether that will do is the caller's to say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from zoneinfo import ZoneInfo

from study.sandbox.cells import Unreadable, read_cell
from study.sandbox.foreign_sqlite import shown
from study.sandbox.ids import normal_id
from study.sandbox.published import PICKLISTS, prefix_is_settled
from study.sandbox.registry import ObjectDef, Registry
from study.sandbox.table_files import Problem, RawTable

Record = dict[str, object]


@dataclass
class Loaded:
    """Records per object, the registry they fit, what was wrong, and remarks that are no problem."""

    registry: Registry
    tables: dict[str, list[Record]]
    problems: list[Problem]
    notes: list[str]
    numbers: dict[str, list[int]] = field(default_factory=dict)


def load_tables(registry: Registry, raw: Iterable[RawTable], *, published: bool = False) -> Loaded:
    """Read all tables. With ``published`` the registry comes from a published schema: key prefixes of
    custom objects and the values of picklists are then learnt from the data."""
    loaded = Loaded(registry, {}, [], [])
    by_lower = {item.name.lower(): item for item in registry.objects}
    for table in raw:
        loaded.problems += table.problems
        if not table.read:
            continue
        item = by_lower.get(table.name.lower())
        if item is None:
            loaded.problems.append(
                Problem(table.name, None, "", "the schema has no object of this name", "the table was left out")
            )
        elif item.name in loaded.tables:
            loaded.problems.append(
                Problem(table.name, None, "", f"a second table for {item.name}", "the table was left out")
            )
        else:
            _read_table(loaded, item, table)
    loaded.notes += [f"{o.name}: no table, so no records." for o in registry.objects if o.name not in loaded.tables]
    if published:
        loaded.registry = _learnt(loaded)
    for item in loaded.registry.objects:
        _check_prefixes(loaded, item)
        _check_lookups(loaded, item)
    return loaded


def _read_table(loaded: Loaded, item: ObjectDef, table: RawTable) -> None:
    zone = ZoneInfo(loaded.registry.zone)
    known = [name for name in table.columns if item.has(name)]
    for name in dict.fromkeys(table.columns):
        if not item.has(name):
            loaded.problems.append(Problem(item.name, 1, shown(name), "unknown column", "the column was left out"))
    if "Id" not in known:
        loaded.problems.append(Problem(item.name, None, "Id", "no column Id", "the table was left out"))
        return
    seen: dict[str, int] = {}
    records, numbers = [], []
    for number, row in table.rows:
        record: Record = {}
        for name in known:
            try:
                record[name] = read_cell(item.field(name), row[name], zone)
            except Unreadable as error:
                record[name] = error.rescued
                action = "left empty" if error.rescued is None else f"read as {error.rescued}"
                loaded.problems.append(Problem(item.name, number, name, str(error), action))
        given = str(record.get("Id") or "")
        record_id = normal_id(given) or given
        if problem := _id_problem(item, number, given, record_id, seen):
            loaded.problems.append(problem)
        if record_id and record_id not in seen:
            seen[record_id] = number
            records.append(record | {"Id": record_id})
            numbers.append(number)
    loaded.tables[item.name], loaded.numbers[item.name] = records, numbers


def _id_problem(item: ObjectDef, number: int, given: str, record_id: str, seen: dict[str, int]) -> Problem | None:
    if not record_id:
        return Problem(item.name, number, "Id", "missing Id", "the row was left out")
    if record_id in seen:
        message = f"duplicate Id {given}, first in row {seen[record_id]}"
        return Problem(item.name, number, "Id", message, "the row was left out")
    if normal_id(given) is None:
        return Problem(item.name, number, "Id", f"{given!r} is not an Id of 15 or 18 characters", "kept as it is")
    return None


def _learnt(loaded: Loaded) -> Registry:
    """The registry with the key prefixes and picklist values that the data show."""
    objects = []
    taken = {item.key_prefix for item in loaded.registry.objects if prefix_is_settled(item.name)}
    for item in loaded.registry.objects:
        records = loaded.tables.get(item.name, [])
        fields = tuple(
            replace(f, values=_values(item, f.name, f.values, records)) if f.type == "picklist" else f
            for f in item.fields
        )
        prefix = item.key_prefix
        if not prefix_is_settled(item.name):
            counted = Counter(str(record["Id"])[:3] for record in records)
            prefix = next((found for found, _ in counted.most_common() if found not in taken), prefix)
            # A made-up prefix gives way to one that another object's records really have.
            prefix = "" if prefix in taken else prefix
            taken.add(prefix)
        objects.append(replace(item, fields=fields, key_prefix=prefix))
    return replace(loaded.registry, objects=tuple(objects))


def _values(item: ObjectDef, name: str, listed: tuple[str, ...], records: list[Record]) -> tuple[str, ...]:
    found = {str(record[name]) for record in records if record.get(name) is not None}
    known = PICKLISTS.get((item.name, name)) or listed
    return (*known, *sorted(found - set(known)))


def _check_prefixes(loaded: Loaded, item: ObjectDef) -> None:
    numbers = loaded.numbers.get(item.name, [])
    for number, record in zip(numbers, loaded.tables.get(item.name, []), strict=True):
        prefix = str(record["Id"])[:3]
        if item.key_prefix and prefix != item.key_prefix and normal_id(str(record["Id"])):
            message = f"wrong key prefix {prefix}; records of {item.name} begin with {item.key_prefix}"
            loaded.problems.append(Problem(item.name, number, "Id", message, "kept as it is"))


def _check_lookups(loaded: Loaded, item: ObjectDef) -> None:
    for link in item.fields:
        targets = [name for name in link.targets if loaded.registry.has(name)]
        if link.type != "reference" or not targets:
            continue
        rows = [
            (number, str(record[link.name]))
            for number, record in zip(loaded.numbers.get(item.name, []), loaded.tables.get(item.name, []), strict=True)
            if record.get(link.name) is not None
        ]
        if rows and not any(name in loaded.tables for name in targets):
            message = f"{len(rows)} lookups to {' or '.join(targets)}, of which there is no table"
            loaded.problems.append(Problem(item.name, None, link.name, message, "kept as they are"))
            continue
        ids = {record["Id"] for name in targets for record in loaded.tables.get(name, [])}
        for number, value in rows:
            if (normal_id(value) or value) not in ids:
                message = f"broken lookup: {value} is no {' or '.join(targets)}"
                loaded.problems.append(Problem(item.name, number, link.name, message, "kept as it is"))
