"""Who takes part: cohorts, participants, invitations, consent, letters. Contacts stand apart."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from study.accounts.encrypted import EncryptedText, address_hash, readable
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
    # Exact moments, shown to staff in ``zone`` and to participants in UTC beside it (P-20).
    opens_at = models.DateTimeField(null=True, blank=True)
    closes_at = models.DateTimeField(null=True, blank=True)
    zone = models.CharField(max_length=60, default="UTC")  # an IANA name
    contact_email = models.EmailField(blank=True)
    # Replacement goes on until ``target`` are analysed or so many have started; empty: the protocol's n_max (M17).
    most_started = models.PositiveIntegerField(null=True, blank=True)
    # Hours for which an eligible person's place is held before they consent.
    hold_hours = models.PositiveSmallIntegerField(default=24)
    # How the quota cells are cut: [{"item": "S3", "groups": [{"code", "label", "options": […]}]}], one or two axes.
    quota_axes = models.JSONField(default=list, blank=True)
    # The panel these people come from, as configured (study/people/panels): kind, parameters, codes, addresses.
    panel = models.JSONField(default=dict, blank=True)
    # Visits happen at a booked slot with a moderator.
    moderated = models.BooleanField(default=False)
    # Why joining stands still beyond ``state``: the code of an incident that is going on (M21).
    held_by = models.CharField(max_length=40, blank=True)
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
        """Those who take up a place of their cohort, by the rule of ``places``."""
        from study.people.sample.places import held_anywhere, takes_a_place

        return self.people().filter(takes_a_place(held_anywhere(timezone.now())))


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
    # The quota cell that the first screener answers made; empty where a cohort has none.
    cell = models.CharField(max_length=80, blank=True)
    eligible_at = models.DateTimeField(null=True, blank=True)
    # In the primary analysis set by the protocol's rule (M17); empty while it can still change.
    analysed = models.BooleanField(null=True, blank=True)
    # Left out by a rule of the protocol; the data and the end stay as they are.
    excluded_at = models.DateTimeField(null=True, blank=True)
    exclusion = models.CharField(max_length=40, blank=True)
    # The zone letters go by; empty: the cohort's.
    zone = models.CharField(max_length=60, blank=True)
    # Moved from another cohort before consent: its code.
    moved_from = models.CharField(max_length=40, blank=True)
    # Who this was is erased; the row stays as a tombstone (P-43).
    erased_at = models.DateTimeField(null=True, blank=True)

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
    """What identifies a participant beyond the sign-in address, encrypted field by field. Coordinators only.

    ``email_hash`` and ``panel_hash`` are kept by ``save``: they find an address or a panel id again.
    """

    participant = models.OneToOneField(Participant, on_delete=models.CASCADE, related_name="contact")
    email = EncryptedText(blank=True, default="")
    email_hash = models.CharField(max_length=64, blank=True, db_index=True)
    name = EncryptedText(blank=True, default="")
    phone = EncryptedText(blank=True, default="")
    notes = EncryptedText(blank=True, default="")
    panel_id = EncryptedText(blank=True, default="")
    # Of study, panel and id: one participant per id (P-04).
    panel_hash = models.CharField(max_length=64, blank=True)
    # Asked not to be written to again; letters they asked for themselves still go.
    unsubscribed_at = models.DateTimeField(null=True, blank=True)
    # The address does not exist or refuses for good (P-37).
    bounced_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["panel_hash"], condition=~models.Q(panel_hash=""), name="contact_panel_id_once"
            )
        ]

    def __str__(self) -> str:
        return f"contact {self.pk}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if readable(self.email):
            self.email_hash = address_hash(self.email)
        if (only := kwargs.get("update_fields")) and "email" in only:
            kwargs["update_fields"] = {*only, "email_hash"}
        super().save(*args, **kwargs)


class Invitation(models.Model):
    """A personal link to one mailbox; only the hash of its token is stored (P-41)."""

    cohort = models.ForeignKey(Cohort, on_delete=models.CASCADE, related_name="invitations")
    participant = models.OneToOneField(Participant, on_delete=models.CASCADE, related_name="invitation")
    # The address itself stands in the contact, encrypted.
    email_hash = models.CharField(max_length=64)
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    declined_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["cohort", "email_hash"], name="invitation_once_per_cohort")]

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


class Unchangeable(Exception):
    """A record that says what somebody agreed to is never written again."""


class ConsentQuerySet(models.QuerySet["Consent"]):
    def update(self, **kwargs: Any) -> int:
        raise Unchangeable("What somebody agreed to is never changed.")

    def move_simulated(self, at: datetime) -> int:
        """The moment of simulated experts lies where their hour was put; nobody else's is ever moved."""
        return models.QuerySet.update(self.filter(participant__simulated=True), at=at)


class Consent(models.Model):
    """One acceptance of one text: unchangeable, with its hash and moment (P-44)."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="consents")
    text = models.TextField()
    sha256 = models.CharField(max_length=64)
    protocol_number = models.PositiveIntegerField()
    # The protocol's own name for the version of this text, and the language it was read in.
    version = models.CharField(max_length=20, blank=True)
    language = models.CharField(max_length=12, blank=True)
    options = models.JSONField(default=dict, blank=True)
    # Who left and joined again agrees again.
    joining = models.PositiveSmallIntegerField(default=1)
    at = models.DateTimeField(default=timezone.now)

    objects = ConsentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["participant", "sha256", "joining"], name="consent_once_per_text")
        ]

    def __str__(self) -> str:
        return f"consent {self.pk}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise Unchangeable("What somebody agreed to is never changed.")
        super().save(*args, **kwargs)


class ConsentChoice(models.Model):
    """Append-only: an optional consent given or taken back after the acceptance; the newest one holds."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="consent_choices")
    consent = models.ForeignKey(Consent, on_delete=models.CASCADE, related_name="choices")
    option = models.CharField(max_length=40)
    given = models.BooleanField()
    at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.option} {'given' if self.given else 'taken back'}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise Unchangeable("What somebody chose is never changed; a new choice is a new row.")
        super().save(*args, **kwargs)


# One room of tables, told in four modules; everybody takes them from here.
from study.people.models_letters import Letter as Letter  # noqa: E402
from study.people.models_letters import LetterTemplate as LetterTemplate  # noqa: E402
from study.people.models_letters import ReminderWave as ReminderWave  # noqa: E402
from study.people.models_letters import Suppression as Suppression  # noqa: E402
from study.people.models_panels import Import as Import  # noqa: E402
from study.people.models_panels import PanelArrival as PanelArrival  # noqa: E402
from study.people.models_panels import PanelFile as PanelFile  # noqa: E402
from study.people.models_panels import PanelRow as PanelRow  # noqa: E402
from study.people.models_pay import PayBatch as PayBatch  # noqa: E402
from study.people.models_pay import PayChange as PayChange  # noqa: E402
from study.people.models_pay import Payment as Payment  # noqa: E402
from study.people.models_pay import PaymentEvent as PaymentEvent  # noqa: E402
from study.people.models_pay import PaymentState as PaymentState  # noqa: E402
from study.people.models_pay import PayRule as PayRule  # noqa: E402
from study.people.models_places import QuotaCell as QuotaCell  # noqa: E402
from study.people.models_places import Slot as Slot  # noqa: E402
from study.people.models_places import SlotBooking as SlotBooking  # noqa: E402
