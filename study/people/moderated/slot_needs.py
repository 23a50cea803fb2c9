"""Slots among what waits for a coordinator: eligible people who find none to choose."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count, Exists, OuterRef, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from study.accounts.models import Study
from study.people.models import Cohort, CohortState, Participant, Slot, SlotBooking, Stage
from study.people.moderated.slots import EARLY, OPEN, TAKEN
from study.people.needs_me import Need, source


@source("no slot")
def no_slot(study: Study) -> Iterator[Need]:
    coming = Slot.objects.filter(cancelled_at=None, starts_at__gt=timezone.now() + EARLY, cohort__study=study)
    free: dict[int, int] = {}
    for slot in coming.annotate(taken=Count("bookings", filter=TAKEN)):
        free[slot.cohort_id] = free.get(slot.cohort_id, 0) + max(0, slot.places - slot.taken)
    booked = SlotBooking.objects.filter(OPEN, participant=OuterRef("pk"))
    people = Participant.objects.people().active().filter(~Exists(booked), stage=Stage.ELIGIBLE, study=study)
    waiting = people.order_by().values("cohort").annotate(n=Count("pk"))
    by_cohort = {row["cohort"]: row["n"] for row in waiting}
    for cohort in Cohort.objects.filter(Q(state=CohortState.OPEN), study=study, moderated=True):
        n = by_cohort.get(cohort.pk, 0)
        if n and not free.get(cohort.pk):
            yield Need(
                kind="slot",
                text=ngettext("%d person finds no free slot", "%d people find no free slot", n) % n,
                detail=cohort.name,
                url=reverse("cohort_slots", args=[study.code, cohort.code]),
                act=_("Make slots"),
            )
