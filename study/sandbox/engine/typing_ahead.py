"""Suggestions while a person types: quick in an Org of any size, because no step reads a whole table.

Names that begin with what was typed come first, then names with a word that begins so,
then records that hold the words anywhere. A step that fills the list is the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from study.sandbox.engine.errors import QueryTimeout
from study.sandbox.engine.folding import clean_text, fold
from study.sandbox.engine.registry import FOLDED, ObjectDef
from study.sandbox.engine.scope import Context
from study.sandbox.engine.search import Hit, by_id, described
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.engine.snapshot_indexes import named
from study.sandbox.engine.snapshot_tables import name_index, quoted, shadow, word_index
from study.sandbox.engine.words import index_query, match_conditions, parse_words

# So many records with the words are looked at to find those whose names come first.
_CANDIDATES = 1_000
# Texts are not searched for a single letter in objects of more records than this.
_LETTER_RECORDS = 50_000
_SECONDS = 0.25
_LAST = "\U0010ffff"

Step = Callable[[Snapshot, ObjectDef, str, str, int], list[str]]


def type_ahead(snapshot: Snapshot, text: str, object: str | None = None, limit: int = 5) -> tuple[Hit, ...]:
    """The first records while a person types: the last word may go on, names that begin so come first.

    At most ``limit`` over all objects, in the order of the registry where equally good.
    """
    items = [snapshot.registry.object(object)] if object else list(snapshot.registry.objects)
    exact = by_id(snapshot, text)
    hits = [exact] if exact else []
    typed = fold(" ".join(clean_text(text).split()))
    for hit in _found(snapshot, items, text, typed, limit) if parse_words(text) else ():
        if len(hits) >= limit:
            break
        hits.append(hit)
    return tuple(hits[:limit])


def _found(snapshot: Snapshot, items: list[ObjectDef], text: str, typed: str, limit: int) -> Iterator[Hit]:
    """Hits of one step after the other, each record once; later steps run only if they are asked for."""
    seen: set[str] = set()
    for step in (_beginning, _within, _anywhere):
        for item in items:
            if not item.searched or not snapshot.counts.get(item.name):
                continue
            try:
                # Those seen before may be found again, so that many more are asked for.
                ids = step(snapshot, item, text, typed, limit + len(seen))
            except QueryTimeout:
                continue
            new = [one for one in ids if one not in seen][:limit]
            seen.update(new)
            yield from described(snapshot, item, new)


def _beginning(snapshot: Snapshot, item: ObjectDef, text: str, typed: str, limit: int) -> list[str]:
    name = item.field(item.name_field)
    if name.type not in FOLDED or not typed:
        return []
    # In the order of the index on the name, which for picklists has the date before the Id.
    dated = [f"o.{quoted(item.written.name)}"] if name.type == "picklist" and item.written else []
    order = ", ".join([f"o.{shadow(name)}", *dated, f"o.{quoted('Id')}"])
    sql = (
        f"SELECT o.{quoted('Id')} FROM {quoted(item.name)} AS o "
        f"WHERE o.{shadow(name)} >= :typed AND o.{shadow(name)} < :last ORDER BY {order} LIMIT :limit"
    )
    return _ids(snapshot, sql, {"typed": typed, "last": typed + _LAST, "limit": limit})


def _within(snapshot: Snapshot, item: ObjectDef, text: str, typed: str, limit: int) -> list[str]:
    tokens = "".join(char if char.isalnum() else " " for char in typed).split()
    if not named(item) or not tokens:
        return []
    key = f"o.{shadow(item.field(item.name_field))}"
    source = f"{quoted(item.name)} AS o"
    values: dict[str, str | int] = {"typed": " " + typed, "limit": limit}
    if int(snapshot.manifest.get("indexes", 1)) >= 2:
        index = name_index(item)
        values["words"] = " ".join(f'"{token}"' for token in tokens) + "*"
        source = (
            f"(SELECT rowid FROM {index} WHERE {index} MATCH :words LIMIT {_CANDIDATES}) AS found "
            f"JOIN {quoted(item.name)} AS o ON o.rid = found.rowid"
        )
    sql = (
        f"SELECT o.{quoted('Id')} FROM {source} WHERE instr(' ' || {key}, :typed) > 0 "
        f"ORDER BY {key}, o.{quoted('Id')} LIMIT :limit"
    )
    return _ids(snapshot, sql, values)


def _anywhere(snapshot: Snapshot, item: ObjectDef, text: str, typed: str, limit: int) -> list[str]:
    words = parse_words(text)
    short = not words.indexed or len(words.indexed[-1]) < 2
    if short and snapshot.counts[item.name] > _LETTER_RECORDS:
        return []
    context = Context(snapshot.registry, snapshot.last_day)
    name = item.field(item.name_field)
    order = ", ".join([*([f"o.{shadow(name)}"] if name.type in FOLDED else []), f"o.{quoted('Id')}"])
    source = f"{quoted(item.name)} AS o"
    if words.indexed and not words.literal:
        index = word_index(item)
        query = context.bind(index_query(words, prefix=True))
        source = (
            f"(SELECT rowid FROM {index} WHERE {index} MATCH {query} LIMIT {_CANDIDATES}) AS found "
            f"JOIN {quoted(item.name)} AS o ON o.rid = found.rowid"
        )
        where = ""
    else:
        where = "WHERE " + " AND ".join(match_conditions(context, item, "o", words, prefix=True))
    sql = f"SELECT o.{quoted('Id')} FROM {source} {where} ORDER BY {order} LIMIT {context.bind(limit)}"
    return _ids(snapshot, sql, context.parameters)


def _ids(snapshot: Snapshot, sql: str, values: dict[str, Any]) -> list[str]:
    return [row[0] for row in snapshot.connection.rows(sql, values, seconds=_SECONDS)]
