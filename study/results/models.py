"""Stored estimates, so that a page never computes statistics in a request."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from study.accounts.models import Study, User


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


class PlannedLook(models.Model):
    """One look of the stopping rule at one arm, taken once (M13). It holds no width and no estimate.

    ``raters``: the planned number, the first so many by the moment of their lock; ``analysed``: all there were then.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="planned_looks")
    arm = models.CharField(max_length=40)
    raters = models.PositiveIntegerField()
    analysed = models.PositiveIntegerField()
    enough = models.BooleanField()
    protocol_number = models.PositiveIntegerField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["arm", "raters"]
        constraints = [models.UniqueConstraint(fields=["study", "arm", "raters"], name="planned_look_once")]

    def __str__(self) -> str:
        return f"look at {self.raters} of {self.study_id} {self.arm}"


class ExportKind(models.TextChoices):
    BUNDLE = "bundle", _("Bundle")
    TRACE_CSV = "trace_csv", _("Trace, CSV")
    TRACE_OCEL = "trace_ocel", _("Trace, OCEL 2.0")
    RELEASE = "release", _("Release")
    REPORT = "report", _("Report")


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
    # The file was deleted: somebody in it was erased, or its time was over. The row stays.
    removed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"export {self.pk}"


class TextMask(models.Model):
    """Characters of a participant's text that are never released or quoted (M20). The original stays as it is.

    ``source`` and ``row`` name the text ("rationale", its number); ``start`` and ``end`` count characters of it.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="text_masks")
    source = models.CharField(max_length=20)
    row = models.PositiveBigIntegerField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["study", "source", "row"])]
        constraints = [
            models.UniqueConstraint(fields=["source", "row", "start", "end"], name="text_mask_once"),
            models.CheckConstraint(condition=models.Q(end__gt=models.F("start")), name="text_mask_not_empty"),
        ]

    def __str__(self) -> str:
        return f"mask {self.source} {self.row}"


class TextReview(models.Model):
    """Somebody has read one text for what identifies; valid for exactly the text they read."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="text_reviews")
    source = models.CharField(max_length=20)
    row = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "row"], name="text_review_once")]

    def __str__(self) -> str:
        return f"review {self.source} {self.row}"
