"""A query short enough for an address: a letter for the version, then base64url of its packed JSON."""

from __future__ import annotations

import base64
import binascii
import zlib

from study.sandbox.engine.errors import MALFORMED_QUERY, QueryError
from study.sandbox.engine.queryspec import QuerySpec, from_json

VERSION = "q"
LONGEST = 50_000
"""Characters of a short form that are read."""
MOST_BYTES = 1_000_000
"""Bytes it may unpack to: a small text can unpack to a huge one."""


def short_form(spec: QuerySpec) -> str:
    """The query as letters, digits, ``-`` and ``_``."""
    packed = zlib.compress(spec.to_json().encode(), 9)
    return VERSION + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def from_short(text: str) -> QuerySpec:
    """The query of a short form. QueryError for any other text."""
    if not isinstance(text, str) or not text.startswith(VERSION):
        raise _no_query()
    if len(text) > LONGEST:
        raise QueryError(MALFORMED_QUERY, f"A query in an address has at most {LONGEST:,} characters.", "address")
    body = text[len(VERSION) :]
    try:
        packed = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        unpacking = zlib.decompressobj()
        plain = unpacking.decompress(packed, MOST_BYTES)
        if not unpacking.eof or unpacking.unused_data:
            raise _no_query()
        return from_json(plain.decode())
    except (ValueError, binascii.Error, zlib.error) as error:
        raise _no_query() from error


def _no_query() -> QueryError:
    return QueryError(MALFORMED_QUERY, "This address holds no query, or only a part of one.", "address")
