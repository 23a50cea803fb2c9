"""Where each of several visits is paid: one payment per visit that is over."""

from __future__ import annotations

from study.people.models import End, Participant
from study.people.pay.pay_owing import owe_visit


def pay_visits(participant: Participant) -> None:
    """Visits that are over; of a complete participation all of them. One that was paid for is left alone."""
    have = set(participant.payments.filter(reason__startswith="visit-").values_list("reason", flat=True))
    visits = participant.visits.all() if participant.end == End.COMPLETE else participant.visits.exclude(done_at=None)
    for period in visits.order_by("period").values_list("period", flat=True):
        if f"visit-{period}" not in have:
            owe_visit(participant, period)
