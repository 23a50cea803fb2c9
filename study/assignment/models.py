"""Visits (a participant's hour in one Org), the places given to them, and the log that can be replayed."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from study.accounts.models import Study
from study.benchmark.models import Instance
from study.people.models import Cohort, Participant, Stage
from study.protocols.models import Protocol
from study.sandbox.models import Org


class AllocationSeed(models.Model):
    """The seed of a cohort's allocation. Made when the cohort opens; its hash stands in the audit log from then on."""

    cohort = models.OneToOneField(Cohort, on_delete=models.CASCADE, related_name="allocation_seed")
    seed = models.BigIntegerField()
    at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"seed of cohort {self.cohort_id}"


class Allocation(models.Model):
    """Which arm one participant was given, from a permuted block of their cohort and cell (M1). Append-only.

    ``order``: the arm's visits in this person's order. The stored seed draws the whole sequence of the stratum.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="allocations")
    cohort = models.ForeignKey(Cohort, on_delete=models.CASCADE, related_name="allocations")
    cell = models.CharField(max_length=200, blank=True)
    number = models.PositiveIntegerField()  # place in the sequence of this cohort and cell, from 1
    block = models.PositiveIntegerField()
    participant = models.OneToOneField(Participant, on_delete=models.CASCADE, related_name="allocation")
    kind = models.CharField(max_length=12, default="fixed")  # fixed, randomised
    arm = models.CharField(max_length=40)
    order = models.JSONField(default=list)
    seed = models.BigIntegerField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["cohort", "cell", "number"], name="allocation_number_once"),
        ]
        ordering = ["cohort", "cell", "number"]

    def __str__(self) -> str:
        return f"{self.cohort_id} {self.cell} {self.number}: {self.arm}"


class Visit(models.Model):
    """One participant's hour in one Org. Everything measured belongs to it, never to the participant (M1)."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="visits")
    period = models.PositiveSmallIntegerField(default=1)
    arm = models.CharField(max_length=40)
    # Which of the arm's visits this is; empty in an arm with one.
    condition = models.CharField(max_length=40, blank=True)
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
    # A mark of the session that was last at this visit, and when another came while it had just been here (M21).
    seat = models.CharField(max_length=16, blank=True)
    second_device_at = models.DateTimeField(null=True, blank=True)
    begun_at = models.DateTimeField(default=timezone.now)
    oriented_at = models.DateTimeField(null=True, blank=True)
    work_started_at = models.DateTimeField(null=True, blank=True)
    work_ended_at = models.DateTimeField(null=True, blank=True)
    rating_started_at = models.DateTimeField(null=True, blank=True)
    locked_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)
    # A pause stops every clock until the participant goes on: "pause" or "help" (M21).
    paused_at = models.DateTimeField(null=True, blank=True)
    paused_for = models.CharField(max_length=8, blank=True)
    # Seconds the three timed moves took together, once all are done (M10).
    fluency_seconds = models.PositiveIntegerField(null=True, blank=True)
    comprehension_tries = models.PositiveSmallIntegerField(default=0)
    comprehension = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["participant", "period"], name="visit_period_once")]

    def __str__(self) -> str:
        return f"{self.participant_id} visit {self.period}"

    @property
    def owner(self) -> str:
        """Whose pages and saves these are: the participant's code, from the second visit on with its number.

        So what a browser still holds of one visit is never taken for the next one's.
        """
        code = self.participant.code
        return code if self.period == 1 else f"{code}-{self.period}"

    @property
    def reached(self) -> str:
        """The stage this visit came to. The participant's stage is always that of their newest visit."""
        marks = (
            (self.done_at, Stage.DONE),
            (self.locked_at, Stage.LOCKED),
            (self.work_ended_at, Stage.RATING),
            (self.work_started_at, Stage.WORKING),
        )
        return next((str(stage) for at, stage in marks if at), str(Stage.CONSENTED))


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
    # Empty for what belongs to no visit: benched, unbenched, allocated.
    visit = models.ForeignKey(Visit, null=True, blank=True, on_delete=models.CASCADE, related_name="assignment_events")
    event = models.CharField(max_length=12)  # allocated, assigned, released, completed, benched, unbenched
    instance = models.ForeignKey(Instance, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveSmallIntegerField(default=0)
    seed = models.BigIntegerField(default=0)
    # What else the event rests on: who was allocated, why an instance was benched.
    detail = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "sequence"], name="assignment_sequence_once")]

    def __str__(self) -> str:
        return f"{self.sequence} {self.event}"
