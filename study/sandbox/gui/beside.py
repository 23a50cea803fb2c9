"""A list with one of its records shown beside it."""

from __future__ import annotations

from dataclasses import dataclass

from study.sandbox.gui.listing import ListView
from study.sandbox.gui.recording import RecordPage
from study.sandbox.gui.rooms import Missing


@dataclass(frozen=True)
class Beside:
    """The record the address names; nothing where it names none."""

    page: RecordPage | None
    record_id: str = ""
    url: str = ""

    @classmethod
    def of(cls, view: ListView) -> Beside:
        """Missing for a record this Org does not have, or one of another object."""
        asked = view.given.get("record", "")
        if not asked:
            return cls(None)
        page = RecordPage.open(view.room, asked)
        if page.item.name != view.item.name:
            raise Missing
        return cls(page, page.record_id, view.room.record_url(page.record_id))
