"""A study's protocol: drafts, and frozen versions that never change again."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from study.accounts.models import Study, User

if TYPE_CHECKING:
    from study.protocols.schema import ProtocolFile


class ProtocolState(models.TextChoices):
    DRAFT = "draft", _("draft")
    FROZEN = "frozen", _("frozen")


class Protocol(models.Model):
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="protocols")
    number = models.PositiveIntegerField()
    text = models.TextField()
    state = models.CharField(max_length=8, choices=ProtocolState.choices, default=ProtocolState.DRAFT)
    sha256 = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)
    frozen_at = models.DateTimeField(null=True, blank=True)
    frozen_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="protocol_number_once"),
            models.UniqueConstraint(
                fields=["study"], condition=models.Q(state="draft"), name="protocol_one_draft_per_study"
            ),
        ]
        ordering = ["study", "-number"]

    def __str__(self) -> str:
        return f"{self.study_id} protocol {self.number}"

    @cached_property
    def value(self) -> ProtocolFile:
        """The parsed file. Raises ProtocolInvalid when a draft's text does not parse."""
        from study.protocols.reading import parse

        return parse(self.text)


class Unchangeable(Exception):
    """A line of the log of deviations is never written again."""


class DeviationQuerySet(models.QuerySet["Deviation"]):
    def update(self, **kwargs: Any) -> int:
        raise Unchangeable("Lines of the log of deviations are only added.")

    def delete(self) -> tuple[int, dict[str, int]]:
        raise Unchangeable("Lines of the log of deviations are only added.")


class Deviation(models.Model):
    """One line of the log that opens at the freeze: where the study left its protocol (M14). Append-only."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="deviations")
    number = models.PositiveIntegerField()
    happened_on = models.DateField()
    what = models.TextField()
    why = models.TextField()
    # Whether ratings were open to researchers when it was written down.
    after_unblinding = models.BooleanField()
    protocol_number = models.PositiveIntegerField()
    by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    objects = DeviationQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="deviation_number_once")]
        ordering = ["study", "number"]

    def __str__(self) -> str:
        return f"deviation {self.number}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise Unchangeable("Lines of the log of deviations are only added.")
        super().save(*args, **kwargs)
