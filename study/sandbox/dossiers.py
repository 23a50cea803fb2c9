"""Dossiers: a record with its parents, related lists and messages on one page, from an Org and from its control (M5).

Nothing of what a reader sees tells which of both a dossier is from; the key does.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from study.sandbox.engine.registry import ObjectDef
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.sheets import Sheet, Table, children, names_of, related, sheet, some_ids

ABOUT = ("Case", "Opportunity", "Lead")
"""Objects whose records make a dossier: those people talk and write about."""
_MESSAGES = {
    "EmailMessage": ("TextBody", "MessageDate"),
    "LiveChatTranscript": ("Body", "EndTime"),
    "VoiceCallTranscript__c": ("Body__c", "CreatedDate"),
}
_MOST_MESSAGES = 6
_LEAST_MESSAGES = 2
_TRIES = 400


@dataclass(frozen=True)
class Message:
    """A letter, chat or call: when, what kind, its short values, and its words."""

    at: datetime | None
    kind: str
    values: tuple[tuple[str, str], ...]
    text: str


@dataclass(frozen=True)
class Dossier:
    """``origin`` is for the key only: never show it."""

    origin: Literal["org", "control"]
    object: str
    record: Sheet
    parents: tuple[tuple[str, Sheet], ...]
    related: tuple[Table, ...]
    messages: tuple[Message, ...]
    left_out: int


def dossiers(snapshot: Snapshot, control: Snapshot, seed: int, n: int = 6) -> list[Dossier]:
    """Half of ``n`` from the Org and half from its control, in random order, no record twice.

    The same number of each object from both. ValueError for an odd or too small ``n``, a negative seed, or an Org
    without enough records that have messages.
    """
    if n < 2 or n % 2:
        raise ValueError(f"{n} dossiers cannot be halved between an Org and its control.")
    if seed < 0:
        raise ValueError("The seed must be zero or more.")
    draw = random.Random(f"dossiers {seed}")  # noqa: S311 an order, not a secret
    kinds = [name for name in ABOUT if _counted(snapshot, name) and _counted(control, name)]
    if not kinds:
        raise ValueError("There are no cases, opportunities or leads to make dossiers of.")
    taken: set[str] = set()
    found: list[Dossier] = []
    for place in range(n // 2):
        name = kinds[place % len(kinds)]
        for origin, org in (("org", snapshot), ("control", control)):
            record_id = _chosen(org, name, draw, taken)
            taken.add(record_id)
            found.append(dossier(org, name, record_id, origin=origin))  # type: ignore[arg-type]
    draw.shuffle(found)
    return found


def _counted(snapshot: Snapshot, name: str) -> int:
    return snapshot.counts.get(name, 0)


def _chosen(snapshot: Snapshot, name: str, draw: random.Random, taken: set[str]) -> str:
    """A record that was talked about at least twice; once where there is no such."""
    ids = some_ids(snapshot, name)
    for least in (_LEAST_MESSAGES, 1):
        for _ in range(_TRIES):
            record_id = draw.choice(ids)
            if record_id not in taken and sum(_messages_of(snapshot, record_id).values()) >= least:
                return record_id
    raise ValueError(f"There are too few records of {name} with messages.")


def _message_lookups(snapshot: Snapshot, object_name: str) -> list[tuple[ObjectDef, str]]:
    """Message objects and the lookup by which each points to an object, one lookup each."""
    found: dict[str, tuple[ObjectDef, str]] = {}
    for item, one in snapshot.registry.references_to(object_name):
        if item.name in _MESSAGES and item.name not in found:
            found[item.name] = (item, one.name)
    return list(found.values())


def _messages_of(snapshot: Snapshot, record_id: str) -> dict[str, int]:
    item = snapshot.registry.object_for_id(record_id)
    if item is None:
        return {}
    return {
        kind.name: children(snapshot, kind, lookup, record_id, 0)[1]
        for kind, lookup in _message_lookups(snapshot, item.name)
    }


def dossier(snapshot: Snapshot, name: str, record_id: str, *, origin: Literal["org", "control"] = "org") -> Dossier:
    """Everything about one record. LookupError if it does not exist."""
    item = snapshot.registry.object(name)
    record = snapshot.record(name, record_id)
    if record is None:
        raise LookupError(f"There is no {name} {record_id}.")
    names = names_of(snapshot, item, [record])
    messages, left_out = _messages(snapshot, item, record_id)
    return Dossier(
        origin, name, sheet(item, record, names), tuple(_parents(snapshot, item, record)),
        tuple(_related(snapshot, item, record_id)), tuple(messages), left_out,
    )  # fmt: skip


def _parents(snapshot: Snapshot, item: ObjectDef, record: dict[str, Any]) -> list[tuple[str, Sheet]]:
    """What the record looks up, and what an order product looks up in turn: the order is what people ask for."""
    found: list[tuple[str, Sheet]] = []
    for one in item.fields:
        value = str(record.get(one.name) or "")
        target = snapshot.registry.object_for_id(value) if one.type == "reference" and one.targets and value else None
        parent = snapshot.record(target.name, value) if target is not None else None
        if target is None or parent is None:
            continue
        found.append((one.label, sheet(target, parent, names_of(snapshot, target, [parent]))))
        if target.name == "OrderItem":
            found += [pair for pair in _parents(snapshot, target, parent) if pair[1].label != target.label][:2]
    return found


def _related(snapshot: Snapshot, item: ObjectDef, record_id: str) -> list[Table]:
    lists = []
    for child, one in snapshot.registry.references_to(item.name):
        if child.name not in _MESSAGES and (table := related(snapshot, child, one.name, record_id)) is not None:
            lists.append(table)
    return lists


def _messages(snapshot: Snapshot, item: ObjectDef, record_id: str) -> tuple[list[Message], int]:
    found: list[Message] = []
    total = 0
    for kind, lookup in _message_lookups(snapshot, item.name):
        records, counted = children(snapshot, kind, lookup, record_id, _MOST_MESSAGES)
        total += counted
        names = names_of(snapshot, kind, records)
        body, at = _MESSAGES[kind.name]
        for record in records:
            values = tuple(pair for pair in sheet(kind, record, names).values)
            found.append(Message(record.get(at), kind.label, values, str(record.get(body) or "")))
    found.sort(key=lambda message: (message.at is None, message.at.isoformat() if message.at else ""))
    kept = found[:_MOST_MESSAGES]
    return kept, total - len(kept)


def key(found: Sequence[Dossier]) -> list[dict[str, Any]]:
    """Which dossier is which, by its place from one."""
    return [
        {"dossier": place, "origin": one.origin, "object": one.object, "record": one.record.id}
        for place, one in enumerate(found, 1)
    ]
