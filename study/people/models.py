"""Who takes part: cohorts, participants, invitations, consent, letters. Contacts stand apart."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from study.accounts.models import Study, User


class CohortState(models.TextChoices):
    DRAFT = "draft", _("not open yet")
    OPEN = "open", _("open")
    PAUSED = "paused", _("paused")
    CLOSED = "closed", _("closed")


class Cohort(models.Model):
    """People recruited through one channel, with a target; feeds one arm of the protocol."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="cohorts")
    code = models.SlugField(max_length=40)
    name = models.CharField(max_length=120)
    channel = models.CharField(max_length=120, blank=True)
    # The arm its people belong to; where there are ``arms`` they are randomised over them (M1).
    arm = models.CharField(max_length=40)
    arms = models.JSONField(default=list, blank=True)
    # People who try the study first and never count (M14).
    pilot = models.BooleanField(default=False)
    target = models.PositiveIntegerField(default=20)
    state = models.CharField(max_length=8, choices=CohortState.choices, default=CohortState.DRAFT)
    # Set when the cohort opens: the frozen protocol its people get.
    protocol_number = models.PositiveIntegerField(null=True, blank=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    closes_at = models.DateTimeField(null=True, blank=True)
    contact_email = models.EmailField(blank=True)
    # Anyone with the open link may join; empty = personal invitations only.
    open_link = models.CharField(max_length=40, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "code"], name="cohort_code_once"),
            models.UniqueConstraint(
                fields=["open_link"], condition=~models.Q(open_link=""), name="cohort_open_link_once"
            ),
        ]
        ordering = ["study", "created_at", "pk"]

    def __str__(self) -> str:
        return self.name

    @property
    def arm_codes(self) -> tuple[str, ...]:
        """The arms this cohort feeds; several when its people are randomised."""
        return tuple(self.arms) or (self.arm,)


class Stage(models.TextChoices):
    INVITED = "invited", _("invited")
    JOINED = "joined", _("joined")
    ELIGIBLE = "eligible", _("eligible")
    CONSENTED = "consented", _("consented")
    WORKING = "working", _("working")
    RATING = "rating", _("rating")
    LOCKED = "locked", _("ratings locked")
    DONE = "done", _("done")


class End(models.TextChoices):
    COMPLETE = "complete", _("complete")
    SCREENED_OUT = "screened_out", _("screened out")
    FULL = "full", _("cohort was full")
    NO_CONSENT = "no_consent", _("no consent")
    WITHDRAWN = "withdrawn", _("withdrawn")
    LAPSED = "lapsed", _("lapsed")
    EXCLUDED = "excluded", _("excluded")


def counted(path: str = "") -> dict[str, bool]:
    """What to filter rows by that belong to a participant at ``path`` (``"visit__participant"``): those who count.

    >>> counted("participant")
    {'participant__preview': False, 'participant__pilot': False}
    """
    before = f"{path}__" if path else ""
    return {f"{before}preview": False, f"{before}pilot": False}


class ParticipantQuerySet(models.QuerySet["Participant"]):
    def people(self) -> ParticipantQuerySet:
        """Those who really take part, in the pilot or in the study: never a preview (P-14)."""
        return self.filter(preview=False)

    def counted(self) -> ParticipantQuerySet:
        """Those who appear in figures and exports: never a preview (P-14), nobody of the pilot (M14)."""
        return self.filter(**counted())

    def active(self) -> ParticipantQuerySet:
        return self.filter(end="")

    def holding_a_place(self) -> ParticipantQuerySet:
        """Those who take up a place of their cohort: begun and not ended, or complete."""
        return self.people().filter(
            models.Q(end="complete") | models.Q(end="", stage__in=["consented", "working", "rating", "locked", "done"])
        )


class Participant(models.Model):
    """A person in a study, known by a code; what identifies them lives in Contact and User."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="participants")
    cohort = models.ForeignKey(Cohort, on_delete=models.PROTECT, related_name="participants")
    user = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="participations")
    code = models.CharField(max_length=12, unique=True)
    stage = models.CharField(max_length=10, choices=Stage.choices, default=Stage.INVITED)
    end = models.CharField(max_length=14, choices=End.choices, blank=True, default="")
    end_reason = models.CharField(max_length=200, blank=True)
    simulated = models.BooleanField(default=False)
    preview = models.BooleanField(default=False)
    pilot = models.BooleanField(default=False)
    # Given when consent is stored, never shown to the participant or their coordinator before (M1).
    arm = models.CharField(max_length=40, blank=True)
    language = models.CharField(max_length=12, blank=True)
    channel = models.CharField(max_length=40, default="invitation")
    invited_at = models.DateTimeField(default=timezone.now)
    joined_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    last_seen_at = models.DateTimeField(null=True, blank=True)
    # Given for every outcome, once.
    completion_code = models.CharField(max_length=20, blank=True)
    resume_key_hash = models.CharField(max_length=64, blank=True)
    knows_other = models.CharField(max_length=20, blank=True)
    conflict = models.CharField(max_length=20, blank=True)
    # After the debrief: "keep" or "take_out" (M7); empty = not asked yet.
    data_choice = models.CharField(max_length=10, blank=True)

    objects = ParticipantQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "user"],
                condition=models.Q(user__isnull=False, preview=False),
                name="participant_once_per_study",
            ),
            models.UniqueConstraint(
                fields=["completion_code"], condition=~models.Q(completion_code=""), name="completion_code_once"
            ),
        ]
        indexes = [models.Index(fields=["study", "stage"])]
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.code

    @property
    def counts(self) -> bool:
        """Whether this participation appears in figures: neither a preview nor of the pilot."""
        return not self.preview and not self.pilot


class StageEvent(models.Model):
    """Append-only: each move of a participant, in the transaction that made it."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="stage_events")
    at = models.DateTimeField(default=timezone.now)
    stage = models.CharField(max_length=10, choices=Stage.choices)
    end = models.CharField(max_length=14, choices=End.choices, blank=True)
    reason = models.CharField(max_length=200, blank=True)

    def __str__(self) -> str:
        return f"{self.stage} {self.end}"


class Contact(models.Model):
    """What identifies a participant beyond the sign-in address. Coordinators only."""

    participant = models.OneToOneField(Participant, on_delete=models.CASCADE, related_name="contact")
    email = models.EmailField(blank=True)
    # A keyed hash finds a panel id again; the id itself is kept when field encryption is there.
    panel_id_hash = models.CharField(max_length=64, blank=True)

    def __str__(self) -> str:
        return f"contact {self.pk}"


class Invitation(models.Model):
    """A personal link to one mailbox; only the hash of its token is stored (P-41)."""

    cohort = models.ForeignKey(Cohort, on_delete=models.CASCADE, related_name="invitations")
    participant = models.OneToOneField(Participant, on_delete=models.CASCADE, related_name="invitation")
    email = models.EmailField()
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    declined_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cohort", "email"], name="invitation_once_per_cohort")]

    def __str__(self) -> str:
        return f"invitation {self.pk}"


class Screening(models.Model):
    """One submission of the screener. The first decides; later ones are kept beside it (P-11)."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="screenings")
    number = models.PositiveSmallIntegerField(default=1)
    answers = models.JSONField()
    order_shown = models.JSONField(default=dict, blank=True)
    rule_version = models.CharField(max_length=40)
    eligible = models.BooleanField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["participant", "number"], name="screening_number_once")]

    def __str__(self) -> str:
        return f"screening {self.number}"


class Consent(models.Model):
    """One acceptance of one text: unchangeable, with its hash and moment (P-44)."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="consents")
    text = models.TextField()
    sha256 = models.CharField(max_length=64)
    protocol_number = models.PositiveIntegerField()
    options = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["participant", "sha256"], name="consent_once_per_text")]

    def __str__(self) -> str:
        return f"consent {self.pk}"


class Letter(models.Model):
    """A message to send: at most one per participant and kind, by database key (P-35)."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="letters")
    kind = models.CharField(max_length=24)
    wave = models.PositiveSmallIntegerField(default=1)
    state = models.CharField(max_length=10, default="due")  # due, sending, sent, failed, dropped
    due_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    error = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["participant", "kind", "wave"], name="letter_once_per_wave")]

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"
