"""From raw tables and a registry to records, with every problem named.

What can be loaded is loaded: an unreadable cell is left empty, a row without Id or
with an Id that was there before is left out, an unknown column is not read, a broken
lookup or odd key prefix is kept as it is. Whether that will do is the caller's to say.

Records wait on disk until all of them were read: only then is known what is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Protocol
from zoneinfo import ZoneInfo

from study.sandbox.engine.ids import normal_id
from study.sandbox.engine.published import PICKLISTS, prefix_is_settled
from study.sandbox.engine.registry import ObjectDef, Registry
from study.sandbox.engine.spool import Spool
from study.sandbox.exchange.cells import Unreadable, read_cell
from study.sandbox.exchange.foreign_sqlite import shown
from study.sandbox.exchange.problem_list import ProblemList
from study.sandbox.exchange.table_files import Problem, RawTable

Record = dict[str, object]


class Records(Protocol):
    """Records that can be counted, and read more than once."""

    def __iter__(self) -> Iterator[Record]: ...

    def __len__(self) -> int: ...


@dataclass
class Loaded:
    """Records per object, the registry they fit, what was wrong, and remarks that are no problem."""

    registry: Registry
    tables: Mapping[str, Records]
    problems: list[Problem]
    notes: list[str]


def load_tables(registry: Registry, raw: Iterable[RawTable], *, published: bool = False) -> Loaded:
    """Read all tables. With ``published`` the registry comes from a published schema: key prefixes of
    custom objects and the values of picklists are then learnt from the data."""
    spools: dict[str, Spool] = {}
    loaded = Loaded(registry, spools, [], [])
    by_lower = {item.name.lower(): item for item in registry.objects}
    for table in raw:
        item = by_lower.get(table.name.lower())
        if not table.read:
            loaded.problems += table.problems
        elif item is None:
            loaded.problems += table.problems
            loaded.problems.append(
                Problem(table.name, None, "", "the schema has no object of this name", "the table was left out")
            )
        elif item.name in spools:
            loaded.problems += table.problems
            loaded.problems.append(
                Problem(table.name, None, "", f"a second table for {item.name}", "the table was left out")
            )
        else:
            found = ProblemList()
            if (spool := _read_table(item, table, ZoneInfo(registry.zone), found)) is not None:
                spools[item.name] = spool
            # A table knows all that is wrong with it when its rows have been read.
            loaded.problems += [*table.problems, *found]
    loaded.notes += [f"{o.name}: no table, so no records." for o in registry.objects if o.name not in spools]
    if published:
        loaded.registry = _learnt(registry, spools)
    ids = _ids(loaded.registry, spools)
    for item in loaded.registry.objects:
        if item.name in spools:
            loaded.problems += ProblemList(_prefix_problems(item, spools[item.name]))
            loaded.problems += _lookup_problems(item, spools[item.name], ids, loaded.registry)
    return loaded


def _read_table(item: ObjectDef, table: RawTable, zone: tzinfo, problems: ProblemList) -> Spool | None:
    known = [(name, item.field(name)) for name in dict.fromkeys(table.columns) if item.has(name)]
    for name in dict.fromkeys(table.columns):
        if not item.has(name):
            problems.append(Problem(item.name, 1, shown(name), "unknown column", "the column was left out"))
    if not any(name == "Id" for name, _field in known):
        problems.append(Problem(item.name, None, "Id", "no column Id", "the table was left out"))
        return None
    seen: dict[str, int] = {}
    spool = Spool()
    for number, row in table.rows:
        record: Record = {}
        for name, field in known:
            try:
                record[name] = read_cell(field, row[name], zone)
            except Unreadable as error:
                record[name] = error.rescued
                action = "left empty" if error.rescued is None else f"read as {error.rescued}"
                problems.append(Problem(item.name, number, name, str(error), action))
        given = str(record.get("Id") or "")
        record_id = normal_id(given) or given
        if problem := _id_problem(item, number, given, record_id, seen):
            problems.append(problem)
        if record_id and record_id not in seen:
            seen[record_id] = number
            record["Id"] = record_id
            spool.add(number, record)
    return spool


def _id_problem(item: ObjectDef, number: int, given: str, record_id: str, seen: dict[str, int]) -> Problem | None:
    if not record_id:
        return Problem(item.name, number, "Id", "missing Id", "the row was left out")
    if record_id in seen:
        message = f"duplicate Id {given}, first in row {seen[record_id]}"
        return Problem(item.name, number, "Id", message, "the row was left out")
    if normal_id(given) is None:
        return Problem(item.name, number, "Id", f"{given!r} is not an Id of 15 or 18 characters", "kept as it is")
    return None


def _learnt(registry: Registry, spools: Mapping[str, Spool]) -> Registry:
    """The registry with the key prefixes and picklist values that the data show."""
    objects = []
    taken = {item.key_prefix for item in registry.objects if prefix_is_settled(item.name)}
    for item in registry.objects:
        picklists = {f.name: set[str]() for f in item.fields if f.type == "picklist"}
        counted: Counter[str] = Counter()
        for record in spools.get(item.name, ()):
            counted[str(record["Id"])[:3]] += 1
            for name, found in picklists.items():
                if record.get(name) is not None:
                    found.add(str(record[name]))
        fields = tuple(
            replace(f, values=_values(item, f.name, f.values, picklists[f.name])) if f.name in picklists else f
            for f in item.fields
        )
        prefix = item.key_prefix
        if not prefix_is_settled(item.name):
            prefix = next((found for found, _ in counted.most_common() if found not in taken), prefix)
            # A made-up prefix gives way to one that another object's records really have.
            prefix = "" if prefix in taken else prefix
            taken.add(prefix)
        objects.append(replace(item, fields=fields, key_prefix=prefix))
    return replace(registry, objects=tuple(objects))


def _values(item: ObjectDef, name: str, listed: tuple[str, ...], found: set[str]) -> tuple[str, ...]:
    known = PICKLISTS.get((item.name, name)) or listed
    return (*known, *sorted(found - set(known)))


def _prefix_problems(item: ObjectDef, spool: Spool) -> Iterator[Problem]:
    if not item.key_prefix:
        return
    for number, record in spool.numbered():
        prefix = str(record["Id"])[:3]
        if prefix != item.key_prefix and normal_id(str(record["Id"])):
            message = f"wrong key prefix {prefix}; records of {item.name} begin with {item.key_prefix}"
            yield Problem(item.name, number, "Id", message, "kept as it is")


def _ids(registry: Registry, spools: Mapping[str, Spool]) -> dict[str, set[str]]:
    """The Ids of every object that others look up to."""
    targets = {name for item in registry.objects for link in item.fields for name in link.targets}
    return {name: {str(record["Id"]) for record in spools[name]} for name in sorted(targets) if name in spools}


def _lookup_problems(
    item: ObjectDef, spool: Spool, ids: Mapping[str, set[str]], registry: Registry
) -> Iterator[Problem]:
    """Lookups that lead nowhere, field by field."""
    links = {link.name: [name for name in link.targets if registry.has(name)] for link in item.fields}
    links = {name: targets for name, targets in links.items() if targets}
    broken = {name: ProblemList() for name in links}
    pointing: Counter[str] = Counter()
    for number, record in spool.numbered() if links else ():
        for name, targets in links.items():
            if (value := record.get(name)) is None:
                continue
            pointing[name] += 1
            if not any(value in ids.get(target, ()) for target in targets):
                whole = normal_id(str(value)) or str(value)
                if not any(whole in ids.get(target, ()) for target in targets) and any(t in ids for t in targets):
                    message = f"broken lookup: {value} is no {' or '.join(targets)}"
                    broken[name].append(Problem(item.name, number, name, message, "kept as it is"))
    for name, targets in links.items():
        if pointing[name] and not any(target in ids for target in targets):
            message = f"{pointing[name]} lookups to {' or '.join(targets)}, of which there is no table"
            yield Problem(item.name, None, name, message, "kept as they are")
        yield from broken[name]
