"""Staff invitations and sessions, the seals over the audit log, and acts of erasing: kept as proof."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from study.accounts.encrypted import EncryptedText
from study.accounts.models import Role, Study, User


class StaffInvitation(models.Model):
    """An offer of a role in a study to one address: used once, before it expires, by that address only (P-41)."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="staff_invitations")
    email = EncryptedText()
    email_hash = models.CharField(max_length=64)
    role = models.CharField(max_length=16, choices=Role.choices)
    token_hash = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "email_hash"],
                condition=models.Q(accepted_at__isnull=True, revoked_at__isnull=True),
                name="staff_invitation_open_once",
            )
        ]

    def __str__(self) -> str:
        return f"staff invitation {self.pk}"


class StaffSession(models.Model):
    """A browser in which somebody of the staff is signed in. Written by the doors of staff pages only, so that no
    participant's address of the network or browser is ever stored. Kept for 30 days after it was last seen."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="staff_sessions")
    session_key = models.CharField(max_length=40, unique=True)
    browser = models.CharField(max_length=60, blank=True)
    ip = models.GenericIPAddressField(null=True, blank=True)
    started_at = models.DateTimeField(default=timezone.now)
    seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["user", "-seen_at"])]

    def __str__(self) -> str:
        return f"session {self.pk}"


class AuditSeal(models.Model):
    """One link of the chain over the audit log (A12): the hash of a batch of rows and of the seal before it.

    ``leaves`` holds [id, sha256] of each row, in their order, so that ``audit_verify`` can name the row that differs.
    """

    number = models.PositiveIntegerField(unique=True)
    at = models.DateTimeField(default=timezone.now)
    rows = models.PositiveIntegerField()
    leaves = models.JSONField(default=list)
    previous = models.CharField(max_length=64, blank=True)
    sha256 = models.CharField(max_length=64, unique=True)

    class Meta:
        ordering = ["number"]

    def __str__(self) -> str:
        return f"seal {self.number}"


class Erasure(models.Model):
    """One act of erasing somebody: asked for, run as a job, repeatable, kept as the proof that it was done (P-43).

    ``subject`` is a participant's code. ``report``: per eraser, how many rows and files it changed.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="erasures")
    subject = models.CharField(max_length=40)
    # "identity": who it was; "everything": their answers too.
    scope = models.CharField(max_length=12)
    state = models.CharField(max_length=10, default="asked")  # asked, running, done, failed
    requested_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    requested_at = models.DateTimeField(default=timezone.now)
    done_at = models.DateTimeField(null=True, blank=True)
    runs = models.PositiveSmallIntegerField(default=0)
    report = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "subject", "scope"], name="erasure_once")]

    def __str__(self) -> str:
        return f"erasure of {self.subject}"
