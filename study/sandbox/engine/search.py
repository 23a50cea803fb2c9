"""Global search: what each object holds of a text, best first, with the words marked.

Snippets are segments, never HTML: (text, whether it is a hit). The rules of what
counts as a hit stand in words.py and are those of ``QuerySpec.match``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from study.sandbox.engine.folding import clean_text
from study.sandbox.engine.ids import normal_id
from study.sandbox.engine.queryspec import Compare, QuerySpec
from study.sandbox.engine.registry import ObjectDef
from study.sandbox.engine.scope import Context
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.engine.snapshot_write import quoted, word_index
from study.sandbox.engine.values import to_python
from study.sandbox.engine.words import Words, index_query, match_conditions, parse_words

# Two characters of the private use area stand around hits until they are made segments.
_OPEN, _CLOSE, _CUT = "\ue000", "\ue001", "…"
_WORDS_AROUND = 14
_NAME_WEIGHT = 10.0

Segments = tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class Hit:
    """A record found. ``second`` tells records of one name apart; ``snippet`` is empty where nothing is to show."""

    object: str
    id: str
    name: str
    second: str = ""
    snippet: Segments = ()


@dataclass(frozen=True)
class ObjectHits:
    """All hits in one object: how many there are, and the best of them."""

    object: str
    label: str
    plural: str
    count: int
    hits: tuple[Hit, ...]


@dataclass(frozen=True)
class SearchResult:
    """What a search found. ``exact``: the record whose Id was typed. Objects without hits are left out."""

    text: str
    objects: tuple[ObjectHits, ...] = ()
    exact: Hit | None = None
    total: int = field(default=0)


def search(snapshot: Snapshot, text: str, object: str | None = None, limit: int = 5, offset: int = 0) -> SearchResult:
    """Hits per object, the best ``limit`` of each after ``offset``; with ``object``, of that one alone.

    No text is an error: quotes, operators, %, _ and backslashes mean themselves. A
    blank text finds nothing. UnknownObject for an object that is not there.
    """
    items = [snapshot.registry.object(object)] if object else list(snapshot.registry.objects)
    exact = by_id(snapshot, text)
    words = parse_words(text)
    found = []
    for item in items if words else []:
        count = _count(snapshot, item, words)
        if count:
            found.append(_hits(snapshot, item, words, count, limit, offset))
    return SearchResult(text, tuple(found), exact, sum(hits.count for hits in found))


def snippets(snapshot: Snapshot, object: str, text: str, ids: Sequence[str]) -> dict[str, Segments]:
    """Snippets for records already found (of a list with ``match``, say), by their Ids."""
    return _snippets(snapshot, snapshot.registry.object(object), parse_words(text), ids)


def _snippets(snapshot: Snapshot, item: ObjectDef, words: Words, ids: Sequence[str]) -> dict[str, Segments]:
    if not words.indexed or not item.searched or not ids:
        return {}
    parameters: dict[str, Any] = {f"i{place}": normal_id(one) or clean_text(one) for place, one in enumerate(ids)}
    marks = ", ".join(":" + name for name in parameters)
    rids = f"SELECT rid FROM {quoted(item.name)} WHERE {quoted('Id')} IN ({marks})"
    return {row[0]: row[1] for row in _marked(snapshot, item, words, rids, parameters)}


def by_id(snapshot: Snapshot, text: str) -> Hit | None:
    """The record whose Id was typed."""
    record_id = normal_id(text)
    item = snapshot.registry.object_for_id(record_id) if record_id else None
    if not item or not record_id or snapshot.record(item.name, record_id) is None:
        return None
    return described(snapshot, item, [record_id])[0]


def _where(context: Context, item: ObjectDef, words: Words) -> str:
    return " AND ".join(match_conditions(context, item, "o", words))


def _count(snapshot: Snapshot, item: ObjectDef, words: Words) -> int:
    if not item.searched:
        return 0
    if words.literal:
        context = Context(snapshot.registry, snapshot.last_day)
        sql = f"SELECT count(*) FROM {quoted(item.name)} AS o WHERE {_where(context, item, words)}"
        return int(snapshot.connection.rows(sql, context.parameters)[0][0])
    table = word_index(item)
    sql = f"SELECT count(*) FROM {table} WHERE {table} MATCH :words"
    return int(snapshot.connection.rows(sql, {"words": index_query(words)})[0][0])


def _hits(snapshot: Snapshot, item: ObjectDef, words: Words, count: int, limit: int, offset: int) -> ObjectHits:
    rows = _best(snapshot, item, words, limit, offset)
    ids = [row[0] for row in rows]
    hits = _as_hits(snapshot, item, rows) if _plain(item) else described(snapshot, item, ids)
    marked = _snippets(snapshot, item, words, ids)
    hits = [Hit(hit.object, hit.id, hit.name, hit.second, marked.get(hit.id, ())) for hit in hits]
    return ObjectHits(item.name, item.label, item.plural, count, tuple(hits))


def _plain(item: ObjectDef) -> bool:
    """Whether all that describes a hit stands in its own table."""
    return not item.second_field or item.has(item.second_field)


def _best(snapshot: Snapshot, item: ObjectDef, words: Words, limit: int, offset: int) -> list[tuple[Any, ...]]:
    """Id, name and second field (where it is plain) by relevance (bm25, the name weighing most), then by Id."""
    context = Context(snapshot.registry, snapshot.last_day)
    names = ["Id", item.name_field, *([item.second_field] if item.second_field and _plain(item) else [])]
    columns = ", ".join(f"o.{quoted(name)}" for name in names)
    page = f"LIMIT {context.bind(limit)} OFFSET {context.bind(offset)}"
    if not words.indexed:
        where = _where(context, item, words)
        sql = f"SELECT {columns} FROM {quoted(item.name)} AS o WHERE {where} ORDER BY o.{quoted('Id')} {page}"
        return snapshot.connection.rows(sql, context.parameters)
    table = word_index(item)
    weights = ", ".join(str(_NAME_WEIGHT if f.name == item.name_field else 1.0) for f in item.searched)
    # The condition of _where holds the words already; matching once more here is what bm25 ranks by. Rows are
    # numbered in the order of their Ids, so that only the best are looked up in the table.
    literal = f"JOIN {quoted(item.name)} AS o ON o.rid = {table}.rowid" if words.literal else ""
    also = f"AND {_where(context, item, words)}" if words.literal else ""
    ranked = (
        f"SELECT {table}.rowid AS rid, bm25({table}, {weights}) AS score FROM {table} {literal} "
        f"WHERE {table} MATCH {context.bind(index_query(words))} {also} "
        f"ORDER BY score, {table}.rowid {page}"
    )
    sql = (
        f"SELECT {columns} FROM ({ranked}) AS best JOIN {quoted(item.name)} AS o ON o.rid = best.rid "
        f"ORDER BY best.score, best.rid"
    )
    return snapshot.connection.rows(sql, context.parameters)


def _as_hits(snapshot: Snapshot, item: ObjectDef, rows: Sequence[tuple[Any, ...]]) -> list[Hit]:
    if not item.second_field:
        return [_hit(item, row, {}, "string") for row in rows]
    kind = item.field(item.second_field).type
    seconds = _second_names(snapshot, [row[-1] for row in rows]) if kind == "reference" else {}
    return [_hit(item, (*row[:-1], to_python(kind, row[-1])), seconds, kind) for row in rows]


def described(snapshot: Snapshot, item: ObjectDef, ids: Sequence[str]) -> list[Hit]:
    """Records of one object as hits, in the order of their Ids as given."""
    if not ids:
        return []
    columns = ["Id", item.name_field, *([item.second_field] if item.second_field else [])]
    spec = QuerySpec(item.name, tuple(columns), Compare("Id", "in", tuple(ids)))
    result = snapshot.run(spec, snapshot.last_day)
    rows = {row[0]: row for row in result.rows}
    kind = result.types[-1]
    seconds = _second_names(snapshot, [row[-1] for row in rows.values()]) if kind == "reference" else {}
    return [_hit(item, rows[one], seconds, kind) for one in ids if one in rows]


def _second_names(snapshot: Snapshot, values: Sequence[Any]) -> dict[str, str]:
    names = snapshot.names(value for value in values if isinstance(value, str))
    return {one: name for one, (_, name) in names.items()}


def _hit(item: ObjectDef, row: tuple[Any, ...], seconds: dict[str, str], kind: str) -> Hit:
    second = row[-1] if item.second_field else None
    if second is not None and kind == "reference":
        second = seconds.get(second, second)
    elif hasattr(second, "strftime"):
        second = f"{second:%Y-%m-%d}"
    return Hit(item.name, row[0], str(row[1] or row[0]), "" if second is None else str(second))


def _marked(
    snapshot: Snapshot, item: ObjectDef, words: Words, rids: str, parameters: dict[str, Any]
) -> list[tuple[str, Segments]]:
    table = word_index(item)
    values = parameters | {"words": index_query(words), "open": _OPEN, "close": _CLOSE, "cut": _CUT}
    sql = (
        f"SELECT o.{quoted('Id')}, snippet({table}, -1, :open, :close, :cut, {_WORDS_AROUND}) "
        f"FROM {table} JOIN {quoted(item.name)} AS o ON o.rid = {table}.rowid "
        f"WHERE {table} MATCH :words AND {table}.rowid IN ({rids})"
    )
    return [(row[0], _segments(row[1] or "")) for row in snapshot.connection.rows(sql, values)]


def _segments(marked: str) -> Segments:
    parts = re.split(f"{_OPEN}(.*?){_CLOSE}", marked.replace("\n", " "), flags=re.DOTALL)
    return tuple((text, bool(place % 2)) for place, text in enumerate(parts) if text)
