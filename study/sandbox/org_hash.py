"""The name of an Org: sha256 over its content, never over file bytes.

Read in this order: the registry as canonical JSON; then per object in name order
its name and number of records; rows in Id order; fields in registry order. Every
part is a type byte, its length in UTF-8 as eight bytes, and the UTF-8 itself. So
the hash does not depend on the SQLite version, indexes or the order of loading.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from study.sandbox.registry import ObjectDef, Registry
from study.sandbox.values import Stored

_TYPE_BYTES = {"datetime": b"t", "date": b"d", "boolean": b"b", "number": b"f", "integer": b"i"}
ObjectRows = tuple[ObjectDef, int, Iterable[Sequence[Stored]]]


def _part(kind: bytes, text: str) -> bytes:
    data = text.encode()
    return kind + len(data).to_bytes(8, "big") + data


def _row(kinds: Sequence[bytes], row: Sequence[Stored]) -> Iterator[bytes]:
    for kind, value in zip(kinds, row, strict=True):
        if value is None:
            yield _part(b"n", "")
        else:
            yield _part(kind, repr(value) if kind == b"f" else str(value))


def org_hash(registry: Registry, tables: Iterable[ObjectRows]) -> str:
    """Hex sha256 of a registry and its (object, number of rows, stored rows in Id order), any order of objects."""
    digest = hashlib.sha256(_part(b"r", registry.to_json()))
    for item, count, rows in sorted(tables, key=lambda table: table[0].name):
        digest.update(_part(b"o", item.name) + _part(b"c", str(count)))
        kinds = [_TYPE_BYTES.get(field.type, b"s") for field in item.fields]
        for row in rows:
            digest.update(b"".join(_row(kinds, row)))
    return digest.hexdigest()
