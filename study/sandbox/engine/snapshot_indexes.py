"""What makes a snapshot quick to ask: indexes chosen by rule from the registry, and the word index."""

from __future__ import annotations

import sqlite3

from study.sandbox.engine.folding import search_letters
from study.sandbox.engine.registry import FOLDED, FieldDef, ObjectDef
from study.sandbox.engine.snapshot_tables import name_index, quoted, shadow, word_index

TOKENIZER = "porter unicode61 remove_diacritics 2"
# Bytes of new words held in memory before they are written: fewer, larger parts to merge at the end.
_WORDS_HELD = 48_000_000


def create_indexes(connection: sqlite3.Connection, item: ObjectDef) -> None:
    """All indexes of a filled table."""
    table = quoted(item.name)
    connection.execute(f"CREATE UNIQUE INDEX {quoted('u_' + item.name)} ON {table} ({quoted('Id')})")
    for name, columns in indexes(item):
        connection.execute(f"CREATE INDEX {quoted(name)} ON {table} ({', '.join(columns)})")


def indexes(item: ObjectDef) -> list[tuple[str, list[str]]]:
    """Name and columns of each index besides the one on Id.

    Lists are filtered by picklists and lookups and shown newest first, so these carry
    the date their records came to be. A picklist carries its spelling, so that its
    values are counted without the table; lookups and dates carry the first picklist,
    which answers "how many open ones". One index holds the first two picklists together.
    """
    dated = [quoted(item.written.name)] if item.written else []
    picklists = [field for field in item.fields if field.type == "picklist"]
    first = [shadow(field) for field in picklists[:1]]
    found = []
    for field in item.fields:
        key, kept = _column(field), [quoted("Id")]
        if field.type == "picklist":
            kept = [*dated, quoted(field.name), *kept]
        elif field.type == "reference":
            kept = [*dated, *first, *kept]
        elif field.type in {"datetime", "date"}:
            kept = [*first, *kept]
        elif field.type not in FOLDED:
            continue
        found.append((f"i_{item.name}_{field.name}", [key, *kept]))
    if picklists:
        boxes = picklists[:2]
        columns = [*map(shadow, boxes), *dated, *(quoted(field.name) for field in boxes), quoted("Id")]
        found.append((f"boxes_{item.name}", columns))
    return found


def _column(field: FieldDef) -> str:
    return shadow(field) if field.type in FOLDED else quoted(field.name)


def create_words(connection: sqlite3.Connection, item: ObjectDef) -> None:
    """The word indexes of a filled table; the texts themselves stay where they are."""
    if item.searched:
        _all_words(connection, item)
    if named(item):
        _words_of_names(connection, item)


def named(item: ObjectDef) -> bool:
    """Whether the words of an object's names have an index of their own, which knows every beginning of a word."""
    return item.field(item.name_field).type in FOLDED and bool(item.searched)


def _words_of_names(connection: sqlite3.Connection, item: ObjectDef) -> None:
    # The word index knows stems: "nationa" is no beginning of "nation". Here words stand as they are, folded.
    index = name_index(item)
    connection.execute(
        f"CREATE VIRTUAL TABLE {index} USING fts5(name, content='', columnsize=0, detail=none, "
        f"tokenize='unicode61', prefix='1 2 3')"
    )
    _bulky(connection, index)
    key = shadow(item.field(item.name_field))
    connection.execute(f"INSERT INTO {index} (rowid, name) SELECT rid, {key} FROM {quoted(item.name)} ORDER BY rid")
    _merged(connection, index)


def _all_words(connection: sqlite3.Connection, item: ObjectDef) -> None:
    index = word_index(item)
    columns = [quoted(field.name) for field in item.searched]
    # The name is quoted inside quotes: FTS5 takes the table to read as a text.
    connection.execute(
        f"CREATE VIRTUAL TABLE {index} USING fts5({', '.join(columns)}, content={quoted(item.name)}, "
        f"content_rowid='rid', tokenize='{TOKENIZER}', prefix='2 3')"
    )
    connection.create_function("letters", 1, _letters, deterministic=True)
    _bulky(connection, index)
    # Plain letters need no Python: a text of one byte a character is ASCII.
    texts = [f"CASE WHEN length({c}) = length(CAST({c} AS BLOB)) THEN {c} ELSE letters({c}) END" for c in columns]
    connection.execute(
        f"INSERT INTO {index} (rowid, {', '.join(columns)}) SELECT rid, {', '.join(texts)} "
        f"FROM {quoted(item.name)} ORDER BY rid"
    )
    _merged(connection, index)


def _bulky(connection: sqlite3.Connection, index: str) -> None:
    for setting, value in (("hashsize", _WORDS_HELD), ("automerge", 0)):
        connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('{setting}', {value})")


def _merged(connection: sqlite3.Connection, index: str) -> None:
    connection.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
    for setting, value in (("hashsize", 1_048_576), ("automerge", 4)):
        connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('{setting}', {value})")


def _letters(value: str | None) -> str | None:
    return None if value is None else search_letters(value)
