"""Cards shown after the lock: sets of them, and which ones a visit was given. ``models.py`` has the rest."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from study.assignment.models import Visit
from study.sandbox.models import Org


class CardSet(models.Model):
    """Cards to show after the lock: altered copies of an Org's records, or the fixed reference set (M6)."""

    name = models.CharField(max_length=60, unique=True)
    kind = models.CharField(max_length=10)  # anchors, reference
    org = models.ForeignKey(Org, null=True, blank=True, on_delete=models.CASCADE, related_name="card_sets")
    sha256 = models.CharField(max_length=64)
    seed = models.BigIntegerField(null=True, blank=True)
    made_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.name


class Card(models.Model):
    """One card: a record's fields as they are shown, what was done to it, and how grave that is (0 = nothing)."""

    card_set = models.ForeignKey(CardSet, on_delete=models.CASCADE, related_name="cards")
    key = models.CharField(max_length=40)
    object = models.CharField(max_length=80)
    content = models.JSONField()
    fault = models.CharField(max_length=60, blank=True)
    grade = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["card_set", "key"], name="card_key_once")]
        ordering = ["card_set", "key"]

    def __str__(self) -> str:
        return f"{self.card_set_id} {self.key}"


class CardShown(models.Model):
    """What a visit was given to rate after the lock, in its order. ``target`` is the rating's; ``detail`` says what
    stands behind it (card, record, Org, control or not) and is never shown to the participant."""

    visit = models.ForeignKey(Visit, on_delete=models.CASCADE, related_name="cards_shown")
    module = models.CharField(max_length=40)
    kind = models.CharField(max_length=10)  # anchors, reference, dossiers, pairs
    position = models.PositiveSmallIntegerField()
    target = models.CharField(max_length=80)
    detail = models.JSONField(default=dict)
    shown_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["visit", "target"], name="card_shown_once")]
        ordering = ["visit", "module", "position"]

    def __str__(self) -> str:
        return f"{self.visit_id} {self.target}"
