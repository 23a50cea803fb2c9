"""Wrong answers of the right kind, so that grading has something to do."""

from __future__ import annotations

import random

from study.benchmark.tasks import FACTORS, STAGES
from study.fieldwork.models import Attempt
from study.sandbox.engine.queryspec import Order, QuerySpec
from study.sandbox.opened import snapshot_of

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
STATES = ("CA", "TX", "NY", "FL", "WA", "CO", "IL", "OH")
CHOICES = {"month": MONTHS, "state": STATES, "stage": STAGES, "factors": FACTORS}
TEXTS = ("I found no article that says so.", "Thirty days, by the general policy.", "It depends on the product.")


def wrong_answer(attempt: Attempt, draw: random.Random) -> list[str]:
    """An answer that is not the key: another record, month, state, stage, factor or text; for "no record fits", one."""
    instance = attempt.place.instance
    right = {str(one) for one in instance.answer}
    if instance.answer_type in CHOICES:
        choices = CHOICES[instance.answer_type]
        # Where all four factors are the answer, one alone is wrong.
        return [draw.choice([one for one in choices if one not in right] or choices)]
    if instance.answer_type not in ("record", "records"):
        return [draw.choice(TEXTS)]
    snapshot = snapshot_of(instance.org)
    spec = QuerySpec(instance.answer_object, select=("Id",), order=(Order("Id"),), limit=200)
    ids = [str(row[0]) for row in snapshot.run(spec, snapshot.last_day).rows]
    return [draw.choice([one for one in ids if one not in right])]
