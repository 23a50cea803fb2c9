"""Letters: what a study says in them, when reminders go, which went, and whom nobody writes to any more."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from study.accounts.models import Study, User
from study.people.models import Cohort, Participant


class Letter(models.Model):
    """A message to send: at most one per participant, kind and wave, by database key (P-35). It holds no address."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="letters")
    kind = models.CharField(max_length=24)
    wave = models.PositiveSmallIntegerField(default=1)
    # due, sending, sent, failed, dropped, bounced; a due one with an error was put off by the server (P-37).
    state = models.CharField(max_length=10, default="due")
    due_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    error = models.CharField(max_length=200, blank=True)
    # By which a provider's report (delivered, bounced, complained) finds its letter.
    message_id = models.CharField(max_length=200, blank=True, db_index=True)
    # Words that belong to this one letter: the text of an incident, a new moment of a slot.
    detail = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["participant", "kind", "wave"], name="letter_once_per_wave")]
        indexes = [models.Index(fields=["state", "due_at"])]

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"


class LetterTemplate(models.Model):
    """A study's own words for one kind of letter in one language; without one the built-in words are sent."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="letter_templates")
    kind = models.CharField(max_length=24)
    language = models.CharField(max_length=12)
    subject = models.CharField(max_length=200)
    text = models.TextField()
    changed_at = models.DateTimeField(default=timezone.now)
    changed_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "kind", "language"], name="letter_template_once"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.language}"


class ReminderWave(models.Model):
    """A reminder of a cohort: to whom, how many days after what, at which hour of their day.

    ``to``: "invited" (not confirmed), "joined" (not begun) or "quiet" (begun, not here for a while).
    """

    cohort = models.ForeignKey(Cohort, on_delete=models.CASCADE, related_name="waves")
    number = models.PositiveSmallIntegerField()
    to = models.CharField(max_length=10)
    after_days = models.PositiveSmallIntegerField(default=3)
    # In the person's zone. A time that a clock change leaves out is taken an hour later (P-36).
    at_time = models.TimeField()
    active = models.BooleanField(default=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cohort", "number"], name="wave_number_once")]
        ordering = ["cohort", "number"]

    def __str__(self) -> str:
        return f"wave {self.number} of {self.cohort_id}"


class Suppression(models.Model):
    """An address that a study does not write to any more, as a keyed hash: it outlives erasing, so that it holds."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="suppressions")
    email_hash = models.CharField(max_length=64)
    reason = models.CharField(max_length=12)  # unsubscribed, bounced, complained, erased
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "email_hash"], name="suppression_once")]

    def __str__(self) -> str:
        return f"{self.reason} {self.pk}"
