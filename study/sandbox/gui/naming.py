"""What records are called, for many Ids at once."""

from __future__ import annotations

import re
from collections.abc import Iterable

from study.sandbox.engine.ids import normal_id
from study.sandbox.engine.queryspec import Compare, QuerySpec
from study.sandbox.engine.registry import ObjectDef
from study.sandbox.engine.snapshot import Snapshot

_ID = re.compile(r"[0-9A-Za-z]{15}(?:[A-Z0-5]{3})?")


def looks_like_id(value: object) -> bool:
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def names_of(snapshot: Snapshot, ids: Iterable[object]) -> dict[str, str]:
    """Id as given -> name, for the Ids that exist in this Org.

    A record without a name of its own (an order product, a chat) is called by the
    record its second field points to, else by its object and the end of its Id.
    """
    wanted = {one for one in ids if isinstance(one, str) and looks_like_id(one)}
    found = snapshot.names(wanted)
    named = {one: title for one, (object_name, title) in found.items() if _names_itself(snapshot, object_name, title)}
    nameless = {one: snapshot.registry.object(found[one][0]) for one in found if one not in named}
    named |= _by_second_field(snapshot, nameless)
    return named | {one: f"{item.label} {one[10:15]}" for one, item in nameless.items() if one not in named}


def _names_itself(snapshot: Snapshot, object_name: str, title: str) -> bool:
    item = snapshot.registry.object(object_name)
    kind = item.field(item.name_field).type
    return kind not in {"id", "reference", "date", "datetime"} and not looks_like_id(title)


def _by_second_field(snapshot: Snapshot, nameless: dict[str, ObjectDef]) -> dict[str, str]:
    """The names of what the second fields of nameless records point to."""
    pointers: dict[str, str] = {}
    for item in set(nameless.values()):
        if item.has(item.second_field) and item.field(item.second_field).type == "reference":
            ids = tuple(one for one, its in nameless.items() if its is item)
            spec = QuerySpec(item.name, ("Id", item.second_field), Compare("Id", "in", ids))
            rows = dict(snapshot.run(spec, snapshot.last_day).rows)
            pointers |= {one: to for one in ids if (to := rows.get(normal_id(one) or one))}
    names = snapshot.names(pointers.values())
    return {one: names[to][1] for one, to in pointers.items() if to in names and _names_itself(snapshot, *names[to])}
