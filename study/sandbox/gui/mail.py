"""The mail of one record as a thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from study.sandbox.engine.queryspec import Compare, Or, Order, QuerySpec
from study.sandbox.frozen_today import after_today
from study.sandbox.gui.finding import Finder
from study.sandbox.gui.presenting import Shower
from study.sandbox.gui.readers import PartShown, mail_shown
from study.sandbox.gui.reading import MAIL, MAIL_BODY, MAIL_DATE, MAIL_PARENT
from study.sandbox.gui.rooms import Room

MOST = 100
_LINKS = (MAIL_PARENT, "RelatedToId")
_FROM, _TO = "FromAddress", ("ToAddress", "ToIds")


@dataclass(frozen=True)
class Mail:
    record_id: str
    url: str
    subject: str
    sender: SafeString
    to: tuple[SafeString, ...]
    sent: SafeString
    later: bool
    parts: tuple[PartShown, ...]


@dataclass(frozen=True)
class Thread:
    """Mails in the order they were sent, at most 100; ``total`` says how many there are."""

    mails: tuple[Mail, ...]
    total: int

    @property
    def ids(self) -> list[str]:
        return [mail.record_id for mail in self.mails]

    @classmethod
    def of(cls, room: Room, record_id: str, finder: Finder) -> Thread:
        item = room.registry.object(MAIL)
        wanted = ["Id", item.name_field, MAIL_BODY, MAIL_DATE, _FROM, *_TO]
        links = [Compare(link, "eq", record_id) for link in _LINKS if item.has(link)]
        order = (Order(MAIL_DATE),) if item.has(MAIL_DATE) else ()
        select = tuple(dict.fromkeys(name for name in wanted if item.has(name)))
        spec = QuerySpec(MAIL, select=select, where=Or(*links), order=order, limit=MOST)
        result = room.run(spec)
        rows = [dict(zip(result.columns, row, strict=True)) for row in result.rows]
        shower = Shower(room, (one for row in rows for name in (*_TO, _FROM) for one in _several(row.get(name))))
        return cls(tuple(_mail(room, shower, row, finder) for row in rows), room.count(spec))


def _several(value: Any) -> list[str]:
    """The receivers of a mail: Ids or addresses, however they are listed."""
    return [part for part in str(value or "").replace("[", " ").replace("]", " ").replace("'", " ").replace(
        '"', " ").replace(";", " ").replace(",", " ").split() if part]  # fmt: skip


def _mail(room: Room, shower: Shower, row: dict[str, Any], finder: Finder) -> Mail:
    item = room.registry.object(MAIL)
    plain = item.field(_FROM) if item.has(_FROM) else item.field(item.name_field)
    to = next((row[name] for name in _TO if row.get(name)), None)
    sent = row.get(MAIL_DATE)
    return Mail(
        row["Id"],
        room.record_url(row["Id"]),
        str(row.get(item.name_field) or ""),
        shower.html(plain, row.get(_FROM), full=True),
        tuple(shower.html(plain, one) for one in _several(to)),
        shower.html(item.field(MAIL_DATE), sent) if item.has(MAIL_DATE) else SafeString(""),
        after_today(sent, room.desk.today, room.registry.zone),
        mail_shown(str(row.get(MAIL_BODY) or ""), finder),
    )
