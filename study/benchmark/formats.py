"""Raw records out of the bytes of a file: JSON list, JSON object of lists, JSON Lines, gzip of any of them.

The kind is told by content, never by name. A broken record is named and the next one is looked for, so that one bad
line does not cost the file.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from study.benchmark.problems import Problem, UnreadableFile, short

MAX_BYTES = 256 * 2**20
# The published file shrinks about thirtyfold; what shrinks a thousandfold is made to fill a memory.
MAX_RATIO = 200
RATIO_APPLIES_FROM = 4 * 2**20
GZIP = b"\x1f\x8b"

Raw = tuple[str, Any]  # where it stands, and the value found there


def unpacked(data: bytes, *, max_bytes: int = MAX_BYTES) -> bytes:
    """``data`` itself or what its gzip holds. Raises UnreadableFile for a damaged, oversized or bomb-like file."""
    if not data.startswith(GZIP):
        if len(data) > max_bytes:
            raise UnreadableFile(f"the file has {len(data):,} bytes; at most {max_bytes:,} are read. Split it.")
        return data
    parts: list[bytes] = []
    size, rest = 0, data
    try:
        while rest.startswith(GZIP):
            member = zlib.decompressobj(wbits=31)
            while not member.eof:
                part = member.decompress(rest, 2**20)
                rest = member.unconsumed_tail
                size += len(part)
                if size > max_bytes or (size > RATIO_APPLIES_FROM and size > MAX_RATIO * len(data)):
                    raise UnreadableFile(f"unpacked, the file is too large ({size:,} bytes so far). Split it.")
                parts.append(part)
                if not part and not rest and not member.eof:
                    raise UnreadableFile("the gzip file ends too early. Download it again.")
            rest = member.unused_data
    except zlib.error as error:
        raise UnreadableFile(f"the gzip file is damaged ({error}). Download it again.") from None
    return b"".join(parts)


def raw_records(data: bytes | str) -> Iterator[Raw | Problem]:
    """Each record with the place it stands at, or the problem found there."""
    # Bytes that are not UTF-8 become lone surrogates here and are reported with their record.
    text = data if isinstance(data, str) else unpacked(data).decode("utf-8-sig", errors="surrogateescape")
    if not text.strip():
        raise UnreadableFile("the file is empty.")
    try:
        value = _loads(text)
    except (ValueError, RecursionError):
        yield from _salvaged(text)
    else:
        yield from _spread(value)


def _loads(text: str) -> Any:
    # Tables saved by pandas write a missing answer as NaN.
    return json.loads(text, parse_constant=lambda _name: None)


def _spread(value: Any) -> Iterator[Raw | Problem]:
    if isinstance(value, dict) and value and all(isinstance(part, list) for part in value.values()):
        if _of_columns(value):
            yield from _columns(value)
            return
        for name, part in value.items():
            yield from ((f"record {n} of {name!r}", record) for n, record in enumerate(part, 1))
    elif isinstance(value, list):
        yield from ((f"record {n}", record) for n, record in enumerate(value, 1))
    elif isinstance(value, dict) and "query" in value:
        yield "record 1", value
    else:
        raise UnreadableFile("the file holds no list of records. Records have at least task, query and answer.")


def _of_columns(value: Mapping[str, list[Any]]) -> bool:
    return "query" in value and not any(isinstance(record, dict) and "query" in record for record in value["query"])


def _columns(value: Mapping[str, list[Any]]) -> Iterator[Raw | Problem]:
    lengths = {name: len(column) for name, column in value.items()}
    for n in range(max(lengths.values())):
        where = f"record {n + 1}"
        lacking = [name for name, length in lengths.items() if n >= length]
        if lacking:
            yield Problem(
                where,
                "",
                ", ".join(lacking),
                "the column is shorter than the others",
                "Give every column one value per record.",
            )
        else:
            yield where, {name: column[n] for name, column in value.items()}


def _salvaged(text: str) -> Iterator[Raw | Problem]:
    if text.lstrip().startswith("["):
        yield from _from_broken_list(text)
    else:
        yield from _from_lines(text)


def _from_lines(text: str) -> Iterator[Raw | Problem]:
    # Only "\n" ends a line: the texts inside may hold other separators.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = _loads(line)
        except (ValueError, RecursionError) as error:
            yield _broken(f"line {number}", error, line)
        else:
            yield f"line {number}", value


_NEXT_RECORD = re.compile(r"\n\s*(?=\{)|\}\s*,\s*(?=\{\s*\")")


def _from_broken_list(text: str) -> Iterator[Raw | Problem]:
    """Record after record of a list that is damaged somewhere; after a bad one the next opening brace is looked for."""
    decoder = json.JSONDecoder(parse_constant=lambda _name: None)
    blanks = re.compile(r"[\s,]*")
    lines = 1
    counted, at, n = 0, text.index("[") + 1, 0
    while True:
        at = blanks.match(text, at).end()  # type: ignore[union-attr]  # it matches the empty text too
        if at >= len(text) or text[at] == "]":
            return
        n += 1
        lines += text.count("\n", counted, at)
        counted = at
        where = f"record {n} (line {lines})"
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            yield _broken(where, error, text[at : at + 60])
            following = _NEXT_RECORD.search(text, at + 1)
            if following is None:
                return
            at = following.end()
        else:
            yield where, value


def _broken(where: str, error: Exception, text: str) -> Problem:
    reason = "it is nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        reason = error.msg.removesuffix(" at")
    elif isinstance(error, ValueError):
        reason = "a number has too many digits"
    message = f"is not JSON: {reason} at {short(text.strip(), 40)!r}"
    return Problem(where, "", "", message, "Mend the line and import again.")


def is_record(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)
