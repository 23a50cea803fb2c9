"""The name of an Org: sha256 over its content, never over file bytes.

Read in this order: the registry as canonical JSON; then per object in name order
its name and number of records; rows in Id order; fields in registry order. Every
part is a type byte, its length in UTF-8 as eight bytes, and the UTF-8 itself. So
the hash does not depend on the SQLite version, indexes or the order of loading.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence

from study.sandbox.engine.registry import ObjectDef, Registry
from study.sandbox.engine.values import Stored

_TYPE_BYTES = {"datetime": b"t", "date": b"d", "boolean": b"b", "number": b"f", "integer": b"i"}
_SHORT = 1024
_EMPTY = b"n" + bytes(8)
ObjectRows = tuple[ObjectDef, int, Iterable[Sequence[Stored]]]
Encode = Callable[[Stored], bytes]


def _part(kind: bytes, text: str) -> bytes:
    data = text.encode()
    return kind + len(data).to_bytes(8, "big") + data


def _encoder(kind: bytes) -> Encode:
    """What turns a stored value of one type into its part. The heads of short values are made once."""
    heads = [kind + length.to_bytes(8, "big") for length in range(_SHORT)]
    said = repr if kind == b"f" else str

    def encode(value: Stored) -> bytes:
        if value is None:
            return _EMPTY
        data = (value if isinstance(value, str) else said(value)).encode()
        length = len(data)
        return (heads[length] if length < _SHORT else kind + length.to_bytes(8, "big")) + data

    return encode


_ENCODERS = {kind: _encoder(kind) for kind in (b"s", *_TYPE_BYTES.values())}


def org_hash(registry: Registry, tables: Iterable[ObjectRows], told: Callable[[int], None] | None = None) -> str:
    """Hex sha256 of a registry and its (object, number of rows, stored rows in Id order), any order of objects.

    Rows are taken one by one and may come from an iterator. ``told`` hears now and then how many were read.
    """
    digest = hashlib.sha256(_part(b"r", registry.to_json()))
    done = 0
    for item, count, rows in sorted(tables, key=lambda table: table[0].name):
        digest.update(_part(b"o", item.name) + _part(b"c", str(count)))
        encoders = [_ENCODERS[_TYPE_BYTES.get(field.type, b"s")] for field in item.fields]
        for row in rows:
            digest.update(b"".join([encode(value) for encode, value in zip(encoders, row, strict=True)]))
            done += 1
            if told and not done % 4096:
                told(done)
    return digest.hexdigest()
