"""Orgs, desks opened in them, what people did and kept there."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from study.accounts.models import Study, User


class Org(models.Model):
    """An immutable snapshot of a CRM, named by the hash of its content."""

    hash = models.CharField(max_length=64, unique=True)
    name = models.SlugField(max_length=60, unique=True)
    company = models.CharField(max_length=120, blank=True)
    # Relative to REALIA_VAR, so that the data folder can move.
    file = models.CharField(max_length=200)
    counts = models.JSONField(default=dict)
    manifest = models.JSONField(default=dict)
    last_day = models.DateField()
    zone = models.CharField(max_length=60, default="UTC")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class StudyOrg(models.Model):
    """An Org that belongs to named studies only; an Org without rows belongs to the installation (A15)."""

    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="study_orgs")
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="study_orgs")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["org", "study"], name="study_org_once")]

    def __str__(self) -> str:
        return f"{self.org_id} for {self.study_id}"


class Purpose(models.TextChoices):
    ORIENTATION = "orientation", _("orientation")
    ATTEMPT = "attempt", _("a question")
    RATING = "rating", _("rating")
    STAFF = "staff", _("staff")


class Desk(models.Model):
    """An opened place in an Org: what every sandbox URL begins with."""

    code = models.CharField(max_length=16, unique=True)
    org = models.ForeignKey(Org, on_delete=models.PROTECT, related_name="desks")
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="desks")
    study = models.ForeignKey(Study, null=True, blank=True, on_delete=models.CASCADE, related_name="desks")
    purpose = models.CharField(max_length=12, choices=Purpose.choices)
    today = models.DateField()
    # Whether the query console is offered here; a protocol may switch it off for an arm.
    console = models.BooleanField(default=True)
    opened_at = models.DateTimeField(default=timezone.now)
    closed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.code


class TraceEvent(models.Model):
    """One thing a person did at a desk, as the server saw it. Append-only."""

    desk = models.ForeignKey(Desk, on_delete=models.CASCADE, related_name="events")
    sequence = models.PositiveIntegerField()
    at = models.DateTimeField(default=timezone.now)
    kind = models.CharField(max_length=24)
    object = models.CharField(max_length=80, blank=True)
    record = models.CharField(max_length=18, blank=True)
    query = models.JSONField(null=True, blank=True)
    n = models.IntegerField(null=True, blank=True)
    # What was asked for, below the desk's own address, so that a replay opens the same page at another desk.
    address = models.TextField(blank=True, default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["desk", "sequence"], name="trace_sequence_once")]
        indexes = [models.Index(fields=["desk", "object"])]

    def __str__(self) -> str:
        return f"{self.kind} {self.object} {self.record}"


class PageFact(models.Model):
    """What the browser says of one page of a desk: a client fact, never used for a limit (P-19).

    It answers the trace event ``sequence``. Times are milliseconds by the browser's own clock; ``copied`` holds Ids of
    records that were copied, never other text.
    """

    desk = models.ForeignKey(Desk, on_delete=models.CASCADE, related_name="page_facts")
    sequence = models.PositiveIntegerField()
    visible_ms = models.PositiveIntegerField(default=0)
    focused_ms = models.PositiveIntegerField(default=0)
    idle_ms = models.PositiveIntegerField(default=0)
    copied = models.JSONField(default=list, blank=True)
    # Of the window's inside, in CSS pixels; tells a phone from a desktop.
    width = models.PositiveIntegerField(null=True, blank=True)
    # Client times that cannot be: kept as a flag, not used.
    odd = models.BooleanField(default=False)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["desk", "sequence"], name="page_fact_once")]

    def __str__(self) -> str:
        return f"{self.desk_id} {self.sequence}"


class SavedView(models.Model):
    """A list or report a person keeps: its object and the query string of its address, in one Org."""

    class Kind(models.TextChoices):
        LIST = "list", _("list")
        REPORT = "report", _("report")

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="saved_views")
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="saved_views")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    object = models.CharField(max_length=80)
    name = models.CharField(max_length=80)
    query = models.TextField(blank=True)
    saved_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["user", "org", "kind", "object", "name"], name="saved_view_name_once")
        ]

    def __str__(self) -> str:
        return self.name


class Favourite(models.Model):
    """A record a person marked to find it again, in one Org."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="favourites")
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="favourites")
    record = models.CharField(max_length=18)
    marked_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-marked_at"]
        constraints = [models.UniqueConstraint(fields=["user", "org", "record"], name="favourite_once")]

    def __str__(self) -> str:
        return self.record


class LongAddress(models.Model):
    """The query string of an address too long for a server's line, under its sha256 (A8)."""

    hash = models.CharField(max_length=64, primary_key=True)
    query = models.TextField()
    stored_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.hash[:12]
