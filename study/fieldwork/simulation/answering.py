"""Wrong answers of the right kind, so that grading has something to do."""

from __future__ import annotations

import random

from study.fieldwork.models import Attempt
from study.sandbox.engine.queryspec import Order, QuerySpec
from study.sandbox.opened import snapshot_of

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
STATES = ("CA", "TX", "NY", "FL", "WA", "CO", "IL", "OH")
TEXTS = ("I found no article that says so.", "Thirty days, by the general policy.", "It depends on the product.")


def wrong_answer(attempt: Attempt, draw: random.Random) -> list[str]:
    """An answer that is not the key: another record, month, state or text; for "no record fits", some record."""
    instance = attempt.place.instance
    right = {str(one) for one in instance.answer}
    if instance.answer_type == "month":
        return [draw.choice([month for month in MONTHS if month not in right])]
    if instance.answer_type == "state":
        return [draw.choice([state for state in STATES if state not in right])]
    if instance.answer_type not in ("record", "records"):
        return [draw.choice(TEXTS)]
    snapshot = snapshot_of(instance.org)
    spec = QuerySpec(instance.answer_object, select=("Id",), order=(Order("Id"),), limit=200)
    ids = [str(row[0]) for row in snapshot.run(spec, snapshot.last_day).rows]
    return [draw.choice([one for one in ids if one not in right])]
