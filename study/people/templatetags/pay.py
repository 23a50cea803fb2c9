"""Pay on the participant's pages: the table before the start, and what is owed once it is over."""

from __future__ import annotations

from typing import Any

from django import template

from study.people.models import Cohort, Participant
from study.people.pay import pay_room, pay_rules

register = template.Library()


@register.inclusion_tag("people/_pay_table.html")
def pay_table(cohort: Cohort | None, participant: Participant | None = None) -> dict[str, Any]:
    """What each way for the hour to end is paid; nothing while the cohort has no amounts."""
    if participant:
        return {"lines": pay_rules.offer_for(participant)}
    return {"lines": pay_rules.offer_of(cohort) if cohort else []}


@register.inclusion_tag("people/_owed.html")
def owed(participant: Participant) -> dict[str, Any]:
    return {"lines": pay_room.owed_to(participant)}
