"""Incidents: something broke for people in the hour, and the study stood still while it was mended (M21)."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from study.accounts.models import Study, User


class Incident(models.Model):
    """One press of the incident button until it is over. Visits in the hour carry its code from then on."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="incidents")
    code = models.CharField(max_length=40)
    # For staff and the report; what participants read is ``told``.
    what = models.CharField(max_length=400)
    told = models.TextField()
    began_at = models.DateTimeField(default=timezone.now)
    began_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    over_at = models.DateTimeField(null=True, blank=True)
    over_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    visits = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "code"], name="incident_code_once"),
            models.UniqueConstraint(
                fields=["study"], condition=models.Q(over_at__isnull=True), name="incident_one_at_a_time"
            ),
        ]
        ordering = ["study", "began_at"]

    def __str__(self) -> str:
        return self.code
