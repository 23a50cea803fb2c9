"""Changing the answer key of an instance: only on purpose, with a reason, and never without a trace."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from study.accounts.audit import audit
from study.accounts.models import User
from study.benchmark.grading import MONTHS, NONE, answer_keys, month_name, split_values, state_code
from study.benchmark.models import Instance, KeyChange
from study.benchmark.tasks import FACTORS, STAGES, TASKS
from study.sandbox.engine.ids import normal_id
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.models import Org
from study.sandbox.opened import snapshot_of

Key = list[str | None]


class KeyRefused(ValueError):
    """A key that cannot be taken over; the text says why and what would do."""


@transaction.atomic
def change_key(instance: Instance, answer: Sequence[str | None], *, by: User | None, reason: str) -> KeyChange:
    """Give an instance another answer and write down what it was, who changed it, when and why.

    Raises KeyRefused without a reason, for the answer it has already, and for one that its task cannot have. Attempts
    that were graded before keep their grade until ``manage.py regrade``.
    """
    current = Instance.objects.select_for_update(no_key=True).get(pk=instance.pk)
    if not reason.strip():
        raise KeyRefused("A key is changed for a reason. Say why with --reason.")
    new = readable_key(answer, current, snapshot_of(current.org))
    if answer_keys(new, current.task) == answer_keys(current.answer, current.task):
        raise KeyRefused(f"{_said(new)} is the key already.")
    return log_change(current, new, by=by, reason=reason)


def log_change(instance: Instance, answer: Key, *, by: User | None, reason: str) -> KeyChange:
    """Take an answer over as it is, with its row in the log; in a transaction that holds the instance or its Org."""
    version = instance.key_version + 1
    change = KeyChange.objects.create(
        instance=instance,
        version=version,
        old=instance.answer,
        new=answer,
        by=by,
        by_label="system" if by is None else f"user {by.pk}",
        reason=reason.strip(),
    )
    Instance.objects.filter(pk=instance.pk).update(answer=answer, key_version=version)
    audit("instance.key_changed", by=by, target=instance.org.name, instance=instance.key, version=version)
    instance.answer, instance.key_version = answer, version
    return change


def instance_named(org: Org, name: str) -> Instance:
    """The instance with this number or key. Raises KeyRefused where there is none, or the number names several."""
    rows = Instance.objects.filter(org=org)
    found = list(rows.filter(key=name) or rows.filter(idx=name).order_by("pk")[:3])
    if len(found) == 1:
        return found[0]
    if not found:
        raise KeyRefused(f"Org {org.name} has no instance {name!r}.")
    keys = ", ".join(f"{one.key} ({one.task})" for one in found)
    raise KeyRefused(f"{name!r} names several instances of {org.name}. Use the key of one: {keys}.")


def readable_key(answer: Sequence[str | None], instance: Instance, snapshot: Snapshot) -> Key:
    """An answer as it is stored. Raises KeyRefused where the task cannot have it."""
    kind = TASKS[instance.task].answer_type if instance.task in TASKS else instance.answer_type
    parts = list(answer)
    if kind in ("record", "records", "factors"):
        parts = [part for text in parts for part in split_values(text)]
    values: Key = [None if (part or "").strip().lower() in ("", NONE.lower()) else part for part in parts]
    if not values or None in values:
        if any(values):
            raise KeyRefused("A key is None alone, or has no None in it.")
        return [None]
    if kind == "refusal":
        raise KeyRefused("This task asks for nothing but to withhold; its key is None.")
    if kind not in ("records", "factors", "text", "") and len(values) > 1:
        raise KeyRefused(f"The key of {instance.task} is one value.")
    return [_value(str(value), kind, instance, snapshot) for value in values]


def _value(text: str, kind: str, instance: Instance, snapshot: Snapshot) -> str:
    if kind in ("record", "records"):
        return _record(text, instance, snapshot)
    if kind == "month":
        return _known(month_name(text), text, MONTHS)
    if kind == "state":
        return _known(state_code(text), text, ("the codes of the states, such as CA",))
    if kind in ("stage", "factors"):
        known = STAGES if kind == "stage" else FACTORS
        return _known(next((label for label in known if label.lower() == text.strip().lower()), None), text, known)
    return text.strip()


def _record(text: str, instance: Instance, snapshot: Snapshot) -> str:
    record_id = normal_id(text.strip())
    item = snapshot.registry.object_for_id(record_id) if record_id else None
    if record_id is None or item is None or snapshot.record(item.name, record_id) is None:
        raise KeyRefused(f"The Org has no record {text}.")
    wanted = instance.answer_object
    if wanted and item.name != wanted:
        raise KeyRefused(f"{text} is a record of {item.name}; this question asks for {wanted}.")
    return record_id


def _known(value: str | None, text: str, known: Sequence[str]) -> str:
    if value is None:
        raise KeyRefused(f"{text!r} is none of {', '.join(known)}.")
    return value


def _said(key: Key) -> str:
    return ", ".join(value or NONE for value in key)
