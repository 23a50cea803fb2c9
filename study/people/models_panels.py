"""Lists of people brought in from files, arrivals through panels, and panels' own files to compare with."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from study.accounts.encrypted import EncryptedJSON, EncryptedText
from study.accounts.models import Job, User
from study.people.models import Cohort, Participant


class Import(models.Model):
    """An uploaded list: read in a job, shown with what is wrong row by row, sent only when somebody says so.

    ``rows`` (encrypted): [{"row", "email", "name", "language", "zone", "problem", "doubt"}]; emptied once it is done.
    """

    cohort = models.ForeignKey(Cohort, on_delete=models.CASCADE, related_name="imports")
    file_name = models.CharField(max_length=120)
    # The file as sent, in base64, until the job has read it.
    content = EncryptedText(blank=True, default="")
    state = models.CharField(max_length=10, default="reading")  # reading, read, refused, confirmed, dropped
    problem = models.CharField(max_length=400, blank=True)
    rows = EncryptedJSON(null=True, blank=True)
    good = models.PositiveIntegerField(default=0)
    bad = models.PositiveIntegerField(default=0)
    job = models.ForeignKey(Job, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    confirmed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"import {self.pk} {self.state}"


class PanelArrival(models.Model):
    """Append-only: each time somebody pressed "take part" with a panel's parameters, what they were and what was odd.

    ``flag``: missing, placeholder, doubled (two values in one link), repeated (an id that is here already).
    """

    cohort = models.ForeignKey(Cohort, on_delete=models.CASCADE, related_name="arrivals")
    participant = models.ForeignKey(
        Participant, null=True, blank=True, on_delete=models.CASCADE, related_name="arrivals"
    )
    parameters = EncryptedJSON(null=True, blank=True)
    panel_hash = models.CharField(max_length=64, blank=True)
    flag = models.CharField(max_length=12, blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["panel_hash"])]

    def __str__(self) -> str:
        return f"arrival {self.pk} {self.flag}"


class PanelFile(models.Model):
    """A panel's own list of submissions, uploaded to be compared with what is here."""

    cohort = models.ForeignKey(Cohort, on_delete=models.CASCADE, related_name="panel_files")
    file_name = models.CharField(max_length=120)
    sha256 = models.CharField(max_length=64)
    by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cohort", "sha256"], name="panel_file_once")]

    def __str__(self) -> str:
        return f"panel file {self.pk}"


class PanelRow(models.Model):
    """One submission as the panel has it, the newest file's word about that id."""

    cohort = models.ForeignKey(Cohort, on_delete=models.CASCADE, related_name="panel_rows")
    file = models.ForeignKey(PanelFile, on_delete=models.CASCADE, related_name="rows")
    panel_id = EncryptedText()
    panel_hash = models.CharField(max_length=64)
    status = models.CharField(max_length=40)
    code = models.CharField(max_length=60, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    # Somebody looked at a disagreement and settled it: their words.
    settled = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cohort", "panel_hash"], name="panel_row_once")]

    def __str__(self) -> str:
        return f"panel row {self.pk} {self.status}"
