"""People who sign in, studies and who may do what in them; audit rows and jobs."""

from __future__ import annotations

import secrets
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

# Letters and digits that survive being read aloud: no I, L, O, U, 0, 1.
CODE_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"


def new_code(length: int) -> str:
    """A random code of ``length`` characters, safe to read aloud."""
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(length))


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str | None = None, *, name: str = "", password: str | None = None) -> User:
        user = self.model(email=email.strip().lower() if email else None, name=name)
        if password:
            user.set_password(password)
        else:
            user.set_unusable_password()
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email=(username or "").strip().lower())


class User(AbstractBaseUser):
    """One person. Panel participants have no address (M18), so ``email`` may be null."""

    email = models.EmailField(_("e-mail"), null=True, blank=True, unique=True)
    name = models.CharField(_("name"), max_length=150, blank=True)
    is_active = models.BooleanField(default=True)
    is_operator = models.BooleanField(default=False, help_text=_("May create studies and load Orgs."))
    date_joined = models.DateTimeField(default=timezone.now)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects: ClassVar[UserManager] = UserManager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(email__isnull=True) | models.Q(email=Lower("email")), name="user_email_lower"
            )
        ]

    def __str__(self) -> str:
        return self.name or f"user {self.pk}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        # Two spellings of one address are one person (P-03); the constraint would refuse the second.
        self.email = self.email.strip().lower() if self.email else None
        super().save(*args, **kwargs)


class Study(models.Model):
    """One research question with its people and data."""

    code = models.SlugField(max_length=40, unique=True)
    name = models.CharField(_("private name"), max_length=200)
    # Participants never see ``name`` (M7); they see the protocol's public title.
    simulated = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)
    unblinded_at = models.DateTimeField(null=True, blank=True)
    unblinded_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    unblind_reason = models.TextField(blank=True)
    # Where a study came from when it was duplicated.
    copied_from = models.CharField(max_length=40, blank=True)
    # A second person approves each payment.
    pay_four_eyes = models.BooleanField(default=False)
    # The day on which contacts are deleted; announced before (P-43).
    contacts_until = models.DateField(null=True, blank=True)
    contacts_announced_at = models.DateTimeField(null=True, blank=True)
    contacts_deleted_at = models.DateTimeField(null=True, blank=True)
    # Closed: its checklist is done. Archived: out of the way, still readable.
    closed_at = models.DateTimeField(null=True, blank=True)
    archived_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.code

    @property
    def blind(self) -> bool:
        return self.unblinded_at is None


class Role(models.TextChoices):
    OWNER = "owner", _("owner")
    RESEARCHER = "researcher", _("researcher")
    COORDINATOR = "coordinator", _("coordinator")
    VIEWER = "viewer", _("viewer")


class Membership(models.Model):
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role.choices)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "study"], name="membership_once")]

    def __str__(self) -> str:
        return f"{self.role} of {self.study_id}"


class SigninLink(models.Model):
    """A link printed by the operator; only its hash is stored, only a POST uses it."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="signin_links")
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    reusable = models.BooleanField(default=False, help_text=_("Demo only: works until it expires."))

    def __str__(self) -> str:
        return f"sign-in link {self.pk}"


class AuditRow(models.Model):
    """Append-only: who did what to which thing. Written in the same transaction as the act."""

    at = models.DateTimeField(default=timezone.now)
    actor = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    actor_label = models.CharField(max_length=80)
    act = models.CharField(max_length=80)
    study = models.ForeignKey(Study, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    # Stays when the study is gone: what is sealed must not change.
    study_code = models.CharField(max_length=40, blank=True)
    target = models.CharField(max_length=120, blank=True)
    detail = models.JSONField(default=dict, blank=True)
    # The seal that holds this row; empty for the newest ones (A12).
    seal = models.ForeignKey(
        "accounts.AuditSeal", null=True, blank=True, on_delete=models.PROTECT, related_name="audit_rows"
    )

    class Meta:
        indexes = [models.Index(fields=["study", "-at"]), models.Index(fields=["seal"])]

    def __str__(self) -> str:
        return f"{self.act} {self.target}"


class JobState(models.TextChoices):
    QUEUED = "queued", _("waiting")
    RUNNING = "running", _("running")
    DONE = "done", _("done")
    FAILED = "failed", _("failed")


class Job(models.Model):
    """A row for slow work. Celery only wakes it; what counts is here."""

    kind = models.CharField(max_length=60)
    params = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=12, choices=JobState.choices, default=JobState.QUEUED)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    note = models.CharField(max_length=200, blank=True)
    result = models.JSONField(default=dict, blank=True)
    error = models.TextField(blank=True)
    study = models.ForeignKey(Study, null=True, blank=True, on_delete=models.CASCADE, related_name="jobs")
    created_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    # Two presses of one button are one job while it waits or runs (P-27).
    once_key = models.CharField(max_length=200, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["once_key"],
                condition=models.Q(state__in=["queued", "running"]) & ~models.Q(once_key=""),
                name="job_once_while_open",
            )
        ]
        indexes = [models.Index(fields=["state", "due_at"])]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} {self.state}"


from study.accounts.models_staff import AuditSeal as AuditSeal  # noqa: E402
from study.accounts.models_staff import Erasure as Erasure  # noqa: E402
from study.accounts.models_staff import StaffInvitation as StaffInvitation  # noqa: E402
from study.accounts.models_staff import StaffSession as StaffSession  # noqa: E402
