"""Places: quota cells made of screener answers, and slots for visits with a moderator."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from study.people.models import Cohort, Participant


class QuotaCell(models.Model):
    """One cell of a cohort's quota: how many usable people with these screener answers are wanted.

    ``code`` joins the groups of ``Cohort.quota_axes`` with a full stop ("support.y3_5"). Nothing is counted here:
    people are, with the cohort's row locked (P-12).
    """

    cohort = models.ForeignKey(Cohort, on_delete=models.CASCADE, related_name="cells")
    code = models.CharField(max_length=80)
    # Empty: as many as the cohort takes.
    target = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cohort", "code"], name="quota_cell_once")]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.code} {self.target}"


class Slot(models.Model):
    """A time at which a moderator is there for visits of a cohort."""

    cohort = models.ForeignKey(Cohort, on_delete=models.CASCADE, related_name="slots")
    starts_at = models.DateTimeField()
    minutes = models.PositiveSmallIntegerField(default=90)
    places = models.PositiveSmallIntegerField(default=1)
    # Who moderates, as a code: a cluster of the analysis (M21).
    moderator = models.CharField(max_length=40)
    # Where they meet: a room or the address of a call; said in the letter and on the page.
    where = models.CharField(max_length=400, blank=True)
    cancelled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["starts_at", "pk"]

    def __str__(self) -> str:
        return f"slot {self.pk}"


class SlotBooking(models.Model):
    """Somebody's place at a slot: one at a time, by database key."""

    slot = models.ForeignKey(Slot, on_delete=models.CASCADE, related_name="bookings")
    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="bookings")
    booked_at = models.DateTimeField(default=timezone.now)
    given_up_at = models.DateTimeField(null=True, blank=True)
    came = models.BooleanField(null=True, blank=True)  # False: no-show

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["participant"],
                condition=models.Q(given_up_at__isnull=True, came__isnull=True),
                name="slot_booked_once",
            )
        ]

    def __str__(self) -> str:
        return f"booking {self.pk}"
