"""Writing everything that is encrypted again with the newest key, beside running work.

Columns are found by looking at the models, so none can be forgotten. A row is claimed by its old value: what somebody
saved meanwhile is written with the newest key already and stays. Run again, it goes on where it was cut short.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet, InvalidToken
from django.apps import apps
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection, transaction

from study.accounts import second_factor
from study.accounts.encrypted import EncryptedJSON, EncryptedText, Unreadable, box, fernet_key

SLICE = 500


@dataclass(frozen=True)
class Column:
    label: str
    """As people say it: ``people.Contact.email``."""
    table: str
    name: str
    key: str


@dataclass
class Rotated:
    """Of one column: rows with the newest key already, those written again, and keys of rows that no key opens."""

    column: str
    newest: int = 0
    again: int = 0
    lost: list[object] = field(default_factory=list)


def columns() -> list[Column]:
    """Every encrypted column of every model, and the content of sessions."""
    found = [
        Column(f"{model._meta.label}.{one.name}", model._meta.db_table, str(one.column), str(model._meta.pk.column))
        for model in apps.get_models()
        for one in model._meta.concrete_fields
        if isinstance(one, EncryptedText | EncryptedJSON)
    ]
    kept = Session._meta
    return [*found, Column("sessions.Session.session_data", kept.db_table, "session_data", str(kept.pk.column))]


def rotate(*, dry: bool = False, say: Callable[[Rotated], None] = lambda one: None) -> list[Rotated]:
    """What each column came to. With ``dry`` nothing is written."""
    done = []
    for column in columns():
        done.append(_rotate(column, dry))
        say(done[-1])
    done.append(_second_factors(dry))
    say(done[-1])
    return done


def _second_factors(dry: bool) -> Rotated:
    """Secrets of authenticator apps: sealed inside the sign-in library's own table."""
    found = Rotated("mfa.Authenticator.data")
    if dry:
        found.newest = Authenticator.objects.count()
        return found
    try:
        with transaction.atomic():
            found.again = second_factor.seal_again()
    except Unreadable:
        found.lost = list(Authenticator.objects.values_list("pk", flat=True))
    return found


def _rotate(column: Column, dry: bool) -> Rotated:
    newest = Fernet(fernet_key(settings.REALIA_KEYS[0]))
    found = Rotated(column.label)
    for key, stored in _rows(column):
        if _opens(newest, stored):
            found.newest += 1
            continue
        try:
            again = box().rotate(stored.encode()).decode()
        except InvalidToken:
            # A session that cannot be read is one that nobody is in any more.
            if column.table != Session._meta.db_table:
                found.lost.append(key)
            continue
        found.again += dry or _claim(column, key, stored, again)
    return found


def _opens(key: Fernet, stored: str) -> bool:
    try:
        key.decrypt(stored.encode())
    except InvalidToken:
        return False
    return True


def _rows(column: Column) -> Iterator[tuple[int | str, str]]:
    """In slices, each read to its end before a row of it is changed; key after key, so that nothing is met twice."""
    quote = connection.ops.quote_name
    table, name, key = quote(column.table), quote(column.name), quote(column.key)
    last: int | str | None = None
    while True:
        given = [] if last is None else [last]
        after = f"AND {key} > %s" if given else ""
        sql = f"SELECT {key}, {name} FROM {table} WHERE {name} <> '' {after} ORDER BY {key} LIMIT {SLICE}"
        with connection.cursor() as cursor:
            cursor.execute(sql, given)
            rows = cursor.fetchall()
        if not rows:
            return
        yield from rows
        last = rows[-1][0]


def _claim(column: Column, key: int | str, stored: str, again: str) -> int:
    quote = connection.ops.quote_name
    table, name, pk = quote(column.table), quote(column.name), quote(column.key)
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {table} SET {name} = %s WHERE {pk} = %s AND {name} = %s", [again, key, stored])
        return int(cursor.rowcount)


@dataclass(frozen=True)
class KeysState:
    """What the privacy page says of the keys."""

    keys: int
    rows: int
    old: int
    lost: int

    @property
    def is_done(self) -> bool:
        return not self.old and not self.lost


def state() -> KeysState:
    """How many values the newest key opens, an older one, or none. Reads every encrypted value once."""
    found = [one for one in rotate(dry=True) if not one.column.startswith("sessions.")]
    old, lost = sum(one.again for one in found), sum(len(one.lost) for one in found)
    return KeysState(len(settings.REALIA_KEYS), sum(one.newest for one in found) + old + lost, old, lost)
