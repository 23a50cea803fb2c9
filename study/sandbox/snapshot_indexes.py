"""What makes a snapshot quick to ask: indexes chosen by rule from the registry, and the word index."""

from __future__ import annotations

import sqlite3

from study.sandbox.folding import search_letters
from study.sandbox.registry import FOLDED, FieldDef, ObjectDef
from study.sandbox.snapshot_tables import quoted, shadow, word_index

TOKENIZER = "porter unicode61 remove_diacritics 2"
_DATED = ("CreatedDate", "MessageDate", "EndTime", "EffectiveDate", "EndTime__c")
# Bytes of new words held in memory before they are written: fewer, larger parts to merge at the end.
_WORDS_HELD = 48_000_000


def create_indexes(connection: sqlite3.Connection, item: ObjectDef) -> None:
    """All indexes of a filled table."""
    table = quoted(item.name)
    connection.execute(f"CREATE UNIQUE INDEX {quoted('u_' + item.name)} ON {table} ({quoted('Id')})")
    for name, columns in indexes(item):
        connection.execute(f"CREATE INDEX {quoted(name)} ON {table} ({', '.join(columns)})")


def indexes(item: ObjectDef) -> list[tuple[str, list[str]]]:
    """Name and columns of each index besides the one on Id."""
    found = []
    for field in item.fields:
        if field.type in {"reference", "datetime", "date"} or field.type in FOLDED:
            found.append((f"i_{item.name}_{field.name}", [_column(field), quoted("Id")]))
    return found


def _column(field: FieldDef) -> str:
    return shadow(field) if field.type in FOLDED else quoted(field.name)


def create_words(connection: sqlite3.Connection, item: ObjectDef) -> None:
    """The word index of a filled table; the texts themselves stay where they are."""
    if not item.searched:
        return
    index = word_index(item)
    columns = [quoted(field.name) for field in item.searched]
    # The name is quoted inside quotes: FTS5 takes the table to read as a text.
    connection.execute(
        f"CREATE VIRTUAL TABLE {index} USING fts5({', '.join(columns)}, content={quoted(item.name)}, "
        f"content_rowid='rid', tokenize='{TOKENIZER}', prefix='2 3')"
    )
    connection.create_function("letters", 1, _letters, deterministic=True)
    for setting, value in (("hashsize", _WORDS_HELD), ("automerge", 0)):
        connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('{setting}', {value})")
    # Plain letters need no Python: a text of one byte a character is ASCII.
    texts = [f"CASE WHEN length({c}) = length(CAST({c} AS BLOB)) THEN {c} ELSE letters({c}) END" for c in columns]
    connection.execute(
        f"INSERT INTO {index} (rowid, {', '.join(columns)}) SELECT rid, {', '.join(texts)} "
        f"FROM {quoted(item.name)} ORDER BY rid"
    )
    connection.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
    for setting, value in (("hashsize", 1_048_576), ("automerge", 4)):
        connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('{setting}', {value})")


def _letters(value: str | None) -> str | None:
    return None if value is None else search_letters(value)
