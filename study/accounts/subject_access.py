"""What is held about one person, table by table, with purpose, recipients and how long: told by the apps that keep it.

Like the erasers it is a registry; a test holds that every table with an eraser is told here as well. ``later`` names
columns that are told only at the end of the hour, since knowing them could colour the ratings (M7, M8). ``answers``
marks what coordinators never see.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import ForeignKey, Model, QuerySet
from django.template.loader import render_to_string
from django.utils.functional import Promise

from study.accounts.models import Study

Rows = Callable[[Study, str], "QuerySet[Any]"]
Words = str | Promise
NEVER = frozenset({"id", "simulated", "preview", "pilot", "password"})
"""Numbers of rows, marks of the program and secrets: nothing about the person."""


@dataclass(frozen=True)
class Told:
    """One table: what it is, why it is kept, who receives it, how long, and the person's rows of it."""

    label: str
    title: Words
    purpose: Words
    recipients: Words
    kept: Words
    rows: Rows
    answers: bool = False
    later: tuple[str, ...] = ()
    hide: tuple[str, ...] = ()


_told: dict[str, Told] = {}


def tells(told: Told) -> Told:
    """Raises ValueError when another one tells of this table."""
    if _told.setdefault(told.label, told) is not told:
        raise ValueError(f"There are two tellings of {told.label!r}.")
    return told


def tables() -> Iterator[Told]:
    yield from _told.values()


@dataclass(frozen=True)
class Access:
    """How much is told: answers or not, and whether anything is held back until the end."""

    answers: bool
    all_is_told: bool


def everything(study: Study, code: str, access: Access) -> list[dict[str, Any]]:
    """Every table with its rows, empty ones too: that nothing is held is an answer as well."""
    return [
        {
            "table": str(one.title),
            "purpose": str(one.purpose),
            "recipients": str(one.recipients),
            "kept": str(one.kept),
            "rows": [_plain(row, one, access.all_is_told) for row in one.rows(study, code)],
        }
        for one in tables()
        if access.answers or not one.answers
    ]


def _plain(row: Model, told: Told, all_is_told: bool) -> dict[str, Any]:
    """The row's own columns; links to other rows and fingerprints of keys say nothing to anybody."""
    hidden = NEVER | set(told.hide) | (set() if all_is_told else set(told.later))
    return {
        field.name: field.value_from_object(row)
        for field in row._meta.concrete_fields
        if not isinstance(field, ForeignKey) and field.name not in hidden and not field.name.endswith("_hash")
    }


def as_json(data: dict[str, Any]) -> str:
    return json.dumps(data, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1)


def as_zip(data: dict[str, Any]) -> bytes:
    """The same twice in one file: for programs, and to be read."""
    page = render_to_string("accounts/subject_access.html", {"data": json.loads(as_json(data))})
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{data['participant']}.json", as_json(data))
        archive.writestr(f"{data['participant']}.html", page)
    return packed.getvalue()
