"""The name of an Org never changes: the fast way to it comes to the same bytes as the plain description."""

from __future__ import annotations

import hashlib
import random
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from study.sandbox.engine.ids import make_id
from study.sandbox.engine.registry import FieldDef, ObjectDef, Registry
from study.sandbox.engine.snapshot import open_snapshot, write_snapshot
from tests.sandbox.small_org import small_registry, small_tables

# Written down before the writer was made to stream; an Org of then must have its name today.
FROZEN = "ba36a108568bfcbff5de3418a1fad0380d4ec2b8d2388485e2661a83ee3af8f5"
KINDS = ("reference", "string", "text", "picklist", "datetime", "date", "boolean", "number", "integer")
_TYPE_BYTES = {"datetime": "t", "date": "d", "boolean": "b", "number": "f", "integer": "i"}
_TEXTS = (
    "plain", "", "\0", "a\0b\ud800", "Ærøskøbing", "ИВАН", "e\u0301", "👨‍👩‍👧", "x" * 70_000,
    "line\r\nbreak\tand “quotes”", " ", "O’Dell", "ﬁ", "ß", "0", "None",
)  # fmt: skip
_MOMENTS = (
    datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC), datetime(2024, 2, 29, 12, 30, 1, 500, UTC),
    datetime(2024, 6, 1, 2, 3, tzinfo=timezone(timedelta(hours=5, minutes=45))), datetime(1, 1, 1, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC),
)  # fmt: skip
_NUMBERS = (0.0, -0.0, 0.1, 1e300, 5, 2**53 + 1, -1.5, 1e16, 123456789.125, 5e-324)
_VALUES: dict[str, tuple[object, ...]] = {
    "reference": (make_id("001", 7), make_id("001", 7)[:15], make_id("001", 61).lower(), " x ", "", None, "naïve"),
    "string": _TEXTS,
    "text": _TEXTS,
    "picklist": _TEXTS,
    "datetime": _MOMENTS,
    "date": (date(1, 1, 1), date(2024, 2, 29), date(9999, 12, 31)),
    "boolean": (True, False),
    "number": _NUMBERS,
    "integer": (0, -1, 2**62, 3.0, -(2**63) + 1),
}


def odd_registry() -> Registry:
    fields = [FieldDef("Id", "id", "Id"), *(FieldDef(kind, kind, kind) for kind in KINDS)]  # type: ignore[arg-type]
    person = [FieldDef(name, "string", name) for name in ("FirstName", "LastName")]
    joined = FieldDef("Name", "string", "Name", joined=("FirstName", "LastName"))
    things = ObjectDef("Thing", "Thing", "Things", "500", tuple(fields), "Id")
    people = ObjectDef("Person", "Person", "People", "005", (fields[0], joined, *person), "Name")
    return Registry((things, people, ObjectDef("Empty", "Empty", "Empty", "501", (fields[0],), "Id")))


def odd_tables() -> dict[str, list[dict[str, Any]]]:
    draw = random.Random(5)
    things = [
        {"Id": make_id("500", n * 7919 % 100_003)}
        | {kind: draw.choice(_VALUES[kind]) for kind in KINDS if draw.random() < 0.85}
        for n in range(400)
    ]
    # Some Ids came in without their suffix, one is no Id at all.
    things[3]["Id"] = things[3]["Id"][:15]
    things[4]["Id"] = "odd id é"
    draw.shuffle(things)
    names = [None, "", "Zoë", "Łukasz", "A\0"]
    people = [{"Id": make_id("005", n), "FirstName": names[n % 5], "LastName": names[n % 3]} for n in range(15)]
    people[0]["Name"] = "Said outright"
    return {"Thing": things, "Person": people}


def described_hash(registry: Registry, path: Path) -> str:
    """The hash as docs/sandbox-engine.md describes it, word by word, from the values an open snapshot gives."""

    def part(kind: str, text: str) -> bytes:
        data = text.encode()
        return kind.encode() + len(data).to_bytes(8, "big") + data

    digest = hashlib.sha256(part("r", registry.to_json()))
    snapshot = open_snapshot(path)
    for item in sorted(registry.objects, key=lambda one: one.name):
        records = sorted(snapshot.records(item.name), key=lambda record: record["Id"].encode())
        digest.update(part("o", item.name) + part("c", str(len(records))))
        for record in records:
            for field in item.fields:
                value = record[field.name]
                kind = _TYPE_BYTES.get(field.type, "s")
                if value is None:
                    digest.update(part("n", ""))
                elif isinstance(value, datetime):
                    milliseconds = (value - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
                    digest.update(part(kind, str(milliseconds)))
                elif isinstance(value, bool):
                    digest.update(part(kind, "1" if value else "0"))
                else:
                    digest.update(part(kind, repr(value) if kind == "f" else str(value)))
    return digest.hexdigest()


def test_an_org_keeps_the_name_it_had_before(tmp_path: Path) -> None:
    assert write_snapshot(tmp_path / "x", odd_registry(), odd_tables()).hash == FROZEN


def test_the_hash_is_what_the_description_says(tmp_path: Path) -> None:
    for place, (registry, tables) in enumerate(((odd_registry(), odd_tables()), (small_registry(), small_tables()))):
        path = tmp_path / f"{place}.sqlite"
        assert write_snapshot(path, registry, tables).hash == described_hash(registry, path)
