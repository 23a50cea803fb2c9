"""The questions of the screener as a quota sees them: which can cut a cohort, and whether those that do still stand."""

from __future__ import annotations

from study.people.models import Cohort
from study.people.protocol import NoProtocol, file_of, protocol_of
from study.people.sample.quotas import can_cut, options_of
from study.people.screener import items_of
from study.protocols.parts import Item


def questions(cohort: Cohort) -> list[Item]:
    """Those with options, of the version its people get; none while there is no frozen protocol."""
    try:
        return can_cut(items_of(file_of(protocol_of(cohort))))
    except NoProtocol:
        return []


def lost_items(cohort: Cohort) -> list[str]:
    """Ids of the questions the cells are cut by that the protocol lacks, or whose grouped answers it lacks."""
    known = {item.id: set(options_of(item)) for item in questions(cohort)} if cohort.quota_axes else {}
    return [
        axis["item"]
        for axis in cohort.quota_axes
        if not {code for group in axis["groups"] for code in group["options"]} <= known.get(axis["item"], set())
    ]
