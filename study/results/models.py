"""Stored estimates, so that a page never computes statistics in a request."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from study.accounts.models import Study


class StoredResult(models.Model):
    """The analysis of one state of a study's data, found again by the data's fingerprint (the bundle hash)."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="stored_results")
    fingerprint = models.CharField(max_length=64)
    results = models.JSONField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "fingerprint"], name="stored_result_once")]

    def __str__(self) -> str:
        return f"results of {self.study_id}"


class ExportKind(models.TextChoices):
    BUNDLE = "bundle", _("Bundle")
    TRACE_CSV = "trace_csv", _("Trace, CSV")
    TRACE_OCEL = "trace_ocel", _("Trace, OCEL 2.0")


class Export(models.Model):
    """One bundle or trace made for download: a file bound to a row, reached through its access function (P-40).

    ``bundle_hash``: of the bundle, or of a trace's file. A trace holds no rating, so it counts as made blind.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="exports")
    kind = models.CharField(max_length=12, choices=ExportKind.choices, default=ExportKind.BUNDLE)
    file = models.CharField(max_length=200)
    bundle_hash = models.CharField(max_length=64)
    blind = models.BooleanField()
    rows = models.JSONField(default=dict)
    size = models.PositiveBigIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"export {self.pk}"
