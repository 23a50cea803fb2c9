"""Visits (a participant's hour in one Org), the places given to them, and the log that can be replayed."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from study.accounts.models import Study
from study.benchmark.models import Instance
from study.people.models import Participant
from study.protocols.models import Protocol
from study.sandbox.models import Org


class Visit(models.Model):
    """One participant's hour in one Org. Everything measured belongs to it, never to the participant (M1)."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="visits")
    period = models.PositiveSmallIntegerField(default=1)
    arm = models.CharField(max_length=40)
    allocation = models.CharField(max_length=12, default="fixed")  # fixed, randomised
    block = models.CharField(max_length=40, blank=True)
    org = models.ForeignKey(Org, on_delete=models.PROTECT, related_name="visits")
    protocol = models.ForeignKey(Protocol, on_delete=models.PROTECT, related_name="visits")
    seed = models.BigIntegerField()
    # Orders drawn from the seed and stored: targets of rating, and which box comes first.
    object_order = models.JSONField(default=list)
    box_order = models.JSONField(default=list)
    language = models.CharField(max_length=12, default="en")
    device = models.CharField(max_length=12, blank=True)
    skin = models.CharField(max_length=12, default="full")
    moderator = models.CharField(max_length=40, blank=True)
    incident = models.CharField(max_length=40, blank=True)
    split = models.BooleanField(default=False)
    begun_at = models.DateTimeField(default=timezone.now)
    oriented_at = models.DateTimeField(null=True, blank=True)
    work_started_at = models.DateTimeField(null=True, blank=True)
    work_ended_at = models.DateTimeField(null=True, blank=True)
    rating_started_at = models.DateTimeField(null=True, blank=True)
    locked_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)
    fluency_seconds = models.PositiveIntegerField(null=True, blank=True)
    comprehension_tries = models.PositiveSmallIntegerField(default=0)
    comprehension = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["participant", "period"], name="visit_period_once")]

    def __str__(self) -> str:
        return f"{self.participant_id} visit {self.period}"


class PlaceState(models.TextChoices):
    ACTIVE = "active", _("active")
    COMPLETED = "completed", _("completed")
    RELEASED = "released", _("released")


class Place(models.Model):
    """One assigned instance of a visit."""

    visit = models.ForeignKey(Visit, on_delete=models.CASCADE, related_name="places")
    position = models.PositiveSmallIntegerField()
    instance = models.ForeignKey(Instance, on_delete=models.PROTECT, related_name="places")
    task = models.CharField(max_length=60)
    stratum = models.CharField(max_length=40)
    state = models.CharField(max_length=10, choices=PlaceState.choices, default=PlaceState.ACTIVE)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["visit", "position"], name="place_position_once"),
            models.UniqueConstraint(fields=["visit", "task"], name="place_task_once"),
        ]
        ordering = ["visit", "position"]

    def __str__(self) -> str:
        return f"{self.visit_id} place {self.position}"


class AssignmentEvent(models.Model):
    """Append-only log of one study's assignments; with the seeds it rebuilds every place."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="assignment_events")
    sequence = models.PositiveIntegerField()
    visit = models.ForeignKey(Visit, on_delete=models.CASCADE, related_name="assignment_events")
    event = models.CharField(max_length=12)  # assigned, released, completed
    instance = models.ForeignKey(Instance, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveSmallIntegerField()
    seed = models.BigIntegerField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "sequence"], name="assignment_sequence_once")]

    def __str__(self) -> str:
        return f"{self.sequence} {self.event}"
