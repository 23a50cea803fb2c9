"""Places of the work part a save can go to, beside the answer itself."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from study.assignment.models import Visit
from study.fieldwork.answers import typed
from study.fieldwork.models import Attempt
from study.fieldwork.slots import Closed, Slot, Stored, is_position
from study.people.models import Stage
from study.people.protocol import file_of


class ScratchSlot(Slot):
    """The private pad of one question: one text. It is never exported."""

    stage = Stage.WORKING

    def __init__(self, visit: Visit, field: str, attempt: Attempt) -> None:
        super().__init__(visit, field)
        self.attempt = attempt

    def check_open(self) -> None:
        super().check_open()
        if self.attempt.outcome or not self.attempt.started_at or not file_of(self.visit.protocol).work.scratch:
            raise Closed(_("This question is closed. What had arrived before is kept as it was."))

    def stored(self) -> Stored:
        row = Attempt.objects.get(pk=self.attempt.pk)
        return row.scratch_version, row.scratch if row.scratch_version else None, None

    def clean(self, value: Any) -> Any:
        return typed(value)

    def write(self, value: Any, base: int, now: datetime) -> bool:
        rows = Attempt.objects.filter(pk=self.attempt.pk, scratch_version=base, outcome="")
        return bool(rows.update(scratch=value, scratch_version=base + 1))


def scratch_slot(visit: Visit, field: str, number: str) -> ScratchSlot | None:
    """The slot of ``scratch/<number>``; None for a question this visit does not have."""
    if not is_position(number):
        return None
    attempt = visit.attempts.filter(position=int(number)).first()
    return ScratchSlot(visit, field, attempt) if attempt is not None else None
