"""Whether people can work on an instance in an Org: its objects and records must be there."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from django.utils.translation import gettext as _

from study.benchmark.records import Record
from study.benchmark.tasks import TASKS
from study.sandbox.engine.ids import normal_id
from study.sandbox.engine.snapshot import Snapshot

_WORD = re.compile(r"(?<![A-Za-z0-9])(?:[A-Za-z0-9]{18}|[A-Za-z0-9]{15})(?![A-Za-z0-9])")


@dataclass(frozen=True)
class Obstacle:
    """Why an instance cannot be assigned in an Org."""

    kind: Literal["records", "object", "other_org", "agents"]
    text: str


class Assignability:
    """Answers for one Org; each Id is looked up once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._present: dict[str, bool] = {}

    def obstacles(self, records: Sequence[Record]) -> dict[str, Obstacle | None]:
        """By key: what stands in the way; None where nothing does."""
        lacking = {record.key: self._lacking(record) for record in records}
        named = [key for key, (_objects, found, missing) in lacking.items() if found or missing]
        whole = [key for key in named if not lacking[key][2]]
        # A question that names no record ("Which state …?") fits any Org by its words. Where most questions of its
        # file do not belong to this Org, it does not either.
        foreign = bool(named) and 2 * len(whole) < len(named)
        return {
            record.key: self._obstacle(*lacking[record.key], foreign) or _meant_for_agents(record) for record in records
        }

    def _lacking(self, record: Record) -> tuple[list[str], list[str], list[str]]:
        """Objects the Org lacks, Ids it has, Ids it lacks."""
        task = TASKS.get(record.task)
        needed = task.objects if task else ()
        objects = [name for name in needed if name not in self.snapshot.counts]
        texts = [record.query, record.required, json.dumps(record.params)]
        if record.answer_type in ("record", "records") or record.task not in TASKS:
            texts += [text for text in record.answer if text]
        named = {i for text in texts for i in ids_in(text)}
        found = [i for i in named if self._is_present(i)]
        return objects, found, sorted(named - set(found))

    def _obstacle(self, objects: list[str], found: list[str], missing: list[str], foreign: bool) -> Obstacle | None:
        if missing:
            more = _(" and %(n)s more") % {"n": len(missing) - 1} if len(missing) > 1 else ""
            return Obstacle("records", _("The Org has no record %(id)s%(more)s.") % {"id": missing[0], "more": more})
        if objects:
            return Obstacle("object", _("The Org has no object %(objects)s.") % {"objects": ", ".join(objects)})
        if foreign and not found:
            return Obstacle("other_org", _("It names no record, and most of its file belongs to another Org."))
        return None

    def _is_present(self, record_id: str) -> bool:
        if record_id not in self._present:
            item = self.snapshot.registry.object_for_id(record_id)
            self._present[record_id] = item is not None and self.snapshot.record(item.name, record_id) is not None
        return self._present[record_id]


def _meant_for_agents(record: Record) -> Obstacle | None:
    # People would meet records dated after the question's today.
    if record.audience != "agents":
        return None
    return Obstacle("agents", _("It is for agents only: its today is before the last day of the Org."))


def ids_in(text: str) -> set[str]:
    """Record Ids named in a text, as 18 characters. A word of fifteen letters is none: an Id has a digit in it."""
    words = {word for word in _WORD.findall(text) if any(c.isdigit() for c in word)}
    return {found for word in words if (found := normal_id(word)) is not None}
