"""Asking an Org by a SOSL text: words to find, and which objects, fields and conditions to answer with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from study.sandbox.engine.errors import INVALID_FIELD, INVALID_SEARCH
from study.sandbox.engine.queryspec import And, Condition, Matches, Or, QuerySpec
from study.sandbox.engine.registry import SEARCHED, ObjectDef, Registry
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.engine.sought import InvalidSearch, parse_term
from study.sandbox.soql.errors import NUMBER_OUTSIDE, SoqlError, fault
from study.sandbox.soql.names import object_named
from study.sandbox.soql.nodes import Column, Found, Path, Query, Returned, Source
from study.sandbox.soql.parser import parse_sosl
from study.sandbox.soql.planning import Plan, plan
from study.sandbox.soql.running import SoqlResult, answer, located

MAX_ROWS = 2_000
NOTHING = Or()


@dataclass(frozen=True)
class SoslResult:
    """What was found, object by object in the order of RETURNING.

    ``total_size`` counts all hits within the limits of their objects; ``done`` is
    False where the limit of the whole search kept some of them back.
    """

    total_size: int
    done: bool
    found: tuple[SoqlResult, ...]
    words: str


def run_sosl(snapshot: Snapshot, text: str, today: date) -> SoslResult:
    """The answer to a SOSL text. Errors as of run_soql, INVALID_SEARCH among them."""
    with located(text):
        query = parse_sosl(text)
        _check(query)
        asked = [
            _plan(snapshot.registry, query, one) for one in query.returned or _everything(snapshot.registry, query)
        ]
        left = min(query.limit.value, MAX_ROWS) if query.limit else MAX_ROWS
        found: list[SoqlResult] = []
        for one in asked:
            result = answer(snapshot, one, today, None, left)
            left -= len(result.rows)
            if result.total_size or query.returned:
                found.append(replace(result, next=None))
    total = sum(result.total_size for result in found)
    return SoslResult(total, all(result.done for result in found), tuple(found), query.words)


def _check(query: Found) -> None:
    if query.limit and query.limit.value > MAX_ROWS:
        raise fault(f"A search gives at most {MAX_ROWS:,} rows.", query.limit.at, NUMBER_OUTSIDE)
    try:
        parse_term(query.words)
    except InvalidSearch as error:
        raise SoqlError(INVALID_SEARCH, error.message, query.at + error.at) from None


def _everything(registry: Registry, query: Found) -> list[Returned]:
    """Without RETURNING: the Ids of every object that holds texts."""
    return [
        Returned(item.name, query.at, Query((), (Source(item.name, "", query.at),), query.at))
        for item in registry.objects
        if item.searched
    ]


def _plan(registry: Registry, query: Found, one: Returned) -> Plan:
    item = object_named(registry, one.name, one.at)
    columns = one.query.columns or (Column(Path("Id", one.at), "", one.at),)
    found = plan(registry, replace(one.query, columns=columns))
    if found.spec.grouped or found.counting:
        raise fault("A search returns fields; it has no groups.", one.query.columns[0].at, INVALID_FIELD)
    return replace(found, spec=_searching(found.spec, words_in(item, query.words, query.scope)))


def _searching(spec: QuerySpec, words: Condition) -> QuerySpec:
    return replace(spec, where=words if spec.where is None else And(words, spec.where))


def words_in(item: ObjectDef, words: str, scope: str) -> Condition:
    """The condition that a record holds the words in the fields of a scope; an object without such fields has none."""
    if scope == "ALL":
        return Matches(words) if item.searched else NOTHING
    groups = {
        "NAME": _names(item), "EMAIL": _called(item, "email", "address"), "PHONE": _called(item, "phone", "fax")
    }  # fmt: skip
    wanted = {name for group in groups.values() for name in group} if scope == "SIDEBAR" else set(groups[scope])
    fields = tuple(field.name for field in item.searched if field.name in wanted)
    return Matches(words, fields) if fields else NOTHING


def _names(item: ObjectDef) -> list[str]:
    name = item.field(item.name_field)
    return [name.name, *name.joined]


def _called(item: ObjectDef, *parts: str) -> list[str]:
    short = [field.name for field in item.fields if field.type in SEARCHED and field.type != "text"]
    return [name for name in short if any(part in name.casefold() for part in parts)]
