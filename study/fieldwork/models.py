"""What a participant does in the hour: attempts, ratings with rationales, closing answers, clocks, saves."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from study.accounts.models import Study, User
from study.assignment.models import Place, Visit
from study.fieldwork.models_cards import Card as Card
from study.fieldwork.models_cards import CardSet as CardSet
from study.fieldwork.models_cards import CardShown as CardShown
from study.fieldwork.models_incidents import Incident as Incident
from study.sandbox.models import Desk


class Outcome(models.TextChoices):
    ANSWERED = "answered", _("answered")
    NONE = "none", _("no record fits")
    WITHHELD = "withheld", _("should not be disclosed")
    SKIPPED = "skipped", _("skipped")
    TIME_UP = "time_up", _("time was up")
    NOT_REACHED = "not_reached", _("not reached")


class Attempt(models.Model):
    """A participant's work on one assigned instance."""

    visit = models.ForeignKey(Visit, on_delete=models.CASCADE, related_name="attempts")
    position = models.PositiveSmallIntegerField()
    place = models.OneToOneField(Place, on_delete=models.CASCADE, related_name="attempt")
    desk = models.OneToOneField(Desk, null=True, blank=True, on_delete=models.PROTECT, related_name="attempt")
    outcome = models.CharField(max_length=12, choices=Outcome.choices, blank=True, default="")
    # The draft as typed: {"answer": [...], "none": bool, "confidence": 0..100, ...}; see saving.py.
    draft = models.JSONField(default=dict, blank=True)
    version = models.PositiveIntegerField(default=0)
    answer = models.JSONField(null=True, blank=True)
    reason = models.CharField(max_length=200, blank=True)
    confidence = models.PositiveSmallIntegerField(null=True, blank=True)
    frequency_at_work = models.CharField(max_length=20, blank=True)
    one_clear_answer = models.CharField(max_length=40, blank=True)
    # The requester of this attempt, drawn from the visit's seed; empty where the protocol has none (M19).
    style = models.CharField(max_length=20, blank=True)
    withhold = models.CharField(max_length=20, blank=True)
    # A private pad, kept so that every tab has it; it is never exported.
    scratch = models.TextField(blank=True)
    scratch_version = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    active_seconds = models.PositiveIntegerField(default=0)
    # Computed when the ratings are locked, never shown before (M8). ``score`` is always that of the metric; where
    # people marked a text, ``mark`` says how and ``correct`` follows it. ``key_version`` is of the key graded by.
    correct = models.BooleanField(null=True, blank=True)
    score = models.FloatField(null=True, blank=True)
    graded_by = models.CharField(max_length=40, blank=True)
    mark = models.CharField(max_length=8, blank=True, default="")
    key_version = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["visit", "position"], name="attempt_position_once")]
        ordering = ["visit", "position"]

    def __str__(self) -> str:
        return f"{self.visit_id} attempt {self.position}"


class Verdict(models.TextChoices):
    RIGHT = "right", _("right")
    PARTLY = "partly", _("partly right")
    WRONG = "wrong", _("wrong")


class MarkingPlan(models.Model):
    """How a study's free texts are marked: by one person or two, in an order drawn from a stored seed."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="marking_plan")
    seed = models.BigIntegerField()
    markers = models.PositiveSmallIntegerField(default=1)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(markers__in=[1, 2]), name="marking_markers_1_or_2")]

    def __str__(self) -> str:
        return f"{self.study_id} marked by {self.markers}"


class Mark(models.Model):
    """What one member of staff says of one text, by one version of the key. An undone mark stays, with its time."""

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="marks")
    marker = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="marks")
    verdict = models.CharField(max_length=8, choices=Verdict.choices)
    note = models.TextField(blank=True)
    key_version = models.PositiveIntegerField()
    at = models.DateTimeField(default=timezone.now)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["attempt", "marker"], condition=models.Q(undone_at__isnull=True), name="mark_once_in_force"
            )
        ]
        ordering = ["attempt", "at", "pk"]

    def __str__(self) -> str:
        return f"{self.attempt_id} {self.verdict}"


class VisitDesk(models.Model):
    """The desks of a visit that belong to no attempt: one for orientation, one for rating."""

    visit = models.ForeignKey(Visit, on_delete=models.CASCADE, related_name="desks")
    purpose = models.CharField(max_length=12)
    desk = models.OneToOneField(Desk, on_delete=models.PROTECT, related_name="visit_desk")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["visit", "purpose"], name="visit_desk_once")]

    def __str__(self) -> str:
        return f"{self.visit_id} {self.purpose}"


class RatingKind(models.TextChoices):
    ORG = "org", _("Org")
    OBJECT = "object", _("object")
    RECORD = "record", _("record")
    PAIR = "pair", _("pair")


class Rating(models.Model):
    """A score for one target, or "can't judge" with its reason. First and last choice are both kept (M16)."""

    visit = models.ForeignKey(Visit, on_delete=models.CASCADE, related_name="ratings")
    kind = models.CharField(max_length=8, choices=RatingKind.choices)
    target = models.CharField(max_length=80)
    dimension = models.CharField(max_length=40, blank=True, default="overall")
    position = models.PositiveSmallIntegerField(default=0)
    # "1".."5", "cannot_judge", "rather_not_say", or empty = untouched. Never a default (P-18).
    first = models.CharField(max_length=16, blank=True, default="")
    final = models.CharField(max_length=16, blank=True, default="")
    changes = models.PositiveSmallIntegerField(default=0)
    cannot_judge_reason = models.CharField(max_length=20, blank=True)
    version = models.PositiveIntegerField(default=0)
    shown_at = models.DateTimeField(null=True, blank=True)
    first_at = models.DateTimeField(null=True, blank=True)
    final_at = models.DateTimeField(null=True, blank=True)
    locked_at = models.DateTimeField(null=True, blank=True)
    # Exposure (M3); the counts are computed at the lock.
    look_ids = models.JSONField(default=list, blank=True)
    unfamiliar = models.BooleanField(default=False)
    opened_work = models.PositiveIntegerField(default=0)
    opened_look = models.PositiveIntegerField(default=0)
    look_seconds = models.PositiveIntegerField(default=0)
    needed_by = models.JSONField(default=list, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["visit", "kind", "target", "dimension"], name="rating_target_once"),
            models.CheckConstraint(
                condition=models.Q(final__in=["", "1", "2", "3", "4", "5", "cannot_judge", "rather_not_say"]),
                name="rating_final_on_scale",
            ),
        ]
        ordering = ["visit", "position"]

    def __str__(self) -> str:
        return f"{self.visit_id} {self.target} {self.final}"


class Rationale(models.Model):
    rating = models.ForeignKey(Rating, on_delete=models.CASCADE, related_name="rationales")
    side = models.CharField(max_length=8)  # right, off, why
    text = models.TextField(blank=True)
    tags = models.JSONField(default=list, blank=True)
    version = models.PositiveIntegerField(default=0)
    changed_at = models.DateTimeField(default=timezone.now)
    redacted = models.BooleanField(default=False)
    # Client facts, kept only of people who agreed to it: share of characters pasted, pastes, seconds in the box.
    pasted_share = models.FloatField(null=True, blank=True)
    pastes = models.PositiveSmallIntegerField(null=True, blank=True)
    focus_seconds = models.PositiveIntegerField(null=True, blank=True)
    # The kind hint about names and addresses has been shown for this text, once (M20).
    hinted = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["rating", "side"], name="rationale_side_once")]

    def __str__(self) -> str:
        return f"{self.rating_id} {self.side}"


class Pin(models.Model):
    """A record, or one field of it, pinned as evidence: at a question, or on a side of a rating."""

    visit = models.ForeignKey(Visit, on_delete=models.CASCADE, related_name="pins")
    attempt = models.ForeignKey(Attempt, null=True, blank=True, on_delete=models.CASCADE, related_name="pins")
    rating = models.ForeignKey(Rating, null=True, blank=True, on_delete=models.CASCADE, related_name="pins")
    side = models.CharField(max_length=8, blank=True)
    object = models.CharField(max_length=80)
    record = models.CharField(max_length=18)
    field = models.CharField(max_length=80, blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["attempt", "record", "field"],
                condition=models.Q(attempt__isnull=False),
                name="pin_once_per_attempt",
            ),
            models.UniqueConstraint(
                fields=["rating", "side", "record", "field"],
                condition=models.Q(rating__isnull=False),
                name="pin_once_per_rating",
            ),
        ]
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.object} {self.record} {self.field}".strip()


class Note(models.Model):
    """A neutral note taken during the work; it comes back at the ratings."""

    visit = models.ForeignKey(Visit, on_delete=models.CASCADE, related_name="notes")
    attempt = models.ForeignKey(Attempt, null=True, blank=True, on_delete=models.CASCADE, related_name="notes")
    text = models.TextField()
    object = models.CharField(max_length=80, blank=True)
    record = models.CharField(max_length=18, blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.visit_id} note"


class TurnKind(models.TextChoices):
    NEEDED = "needed", _("asks for a needed fact not yet given")
    GIVEN = "given", _("asks for one already given")
    NOT_NEEDED = "not_needed", _("asks for one not needed")
    OTHER = "other", _("other")


class RequesterTurn(models.Model):
    """One thing a participant asked the requester of a question, and the scripted reply (M19)."""

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="turns")
    number = models.PositiveSmallIntegerField()
    asked = models.TextField()
    kind = models.CharField(max_length=12, choices=TurnKind.choices)
    topics = models.JSONField(default=list, blank=True)
    # Places in the instance's forms["facts"] that the reply gave in full, and those it gave by half or wrongly.
    given = models.JSONField(default=list, blank=True)
    reply = models.TextField()
    save_id = models.CharField(max_length=40)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["attempt", "number"], name="turn_number_once"),
            models.UniqueConstraint(fields=["attempt", "save_id"], name="turn_once"),
        ]
        ordering = ["attempt", "number"]

    def __str__(self) -> str:
        return f"{self.attempt_id} turn {self.number}"


class FluencyMove(models.Model):
    """One timed move of the orientation, by the server's time (M10)."""

    visit = models.ForeignKey(Visit, on_delete=models.CASCADE, related_name="moves")
    move = models.CharField(max_length=40)
    record = models.CharField(max_length=18, blank=True)
    value = models.CharField(max_length=200, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)
    left_at = models.DateTimeField(null=True, blank=True)
    helped = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["visit", "move"], name="move_once")]

    def __str__(self) -> str:
        return f"{self.visit_id} {self.move}"


class HelpKind(models.TextChoices):
    STUCK = "stuck", _("I can't get on")
    UNCLEAR = "unclear", _("I don't understand something")
    BROKEN = "broken", _("Something is broken")


class HelpRequest(models.Model):
    """Help asked for in the hour: the clocks stand until the participant goes on (M21)."""

    visit = models.ForeignKey(Visit, on_delete=models.CASCADE, related_name="help_requests")
    kind = models.CharField(max_length=8, choices=HelpKind.choices)
    words = models.TextField(blank=True)
    page = models.CharField(max_length=200, blank=True)
    at = models.DateTimeField(default=timezone.now)
    went_on_at = models.DateTimeField(null=True, blank=True)
    reply = models.TextField(blank=True)
    replied_at = models.DateTimeField(null=True, blank=True)
    replied_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.visit_id} {self.kind}"


class ClosingAnswer(models.Model):
    visit = models.ForeignKey(Visit, on_delete=models.CASCADE, related_name="closing")
    item = models.CharField(max_length=40)
    value = models.JSONField(null=True, blank=True)
    version = models.PositiveIntegerField(default=0)
    shown_at = models.DateTimeField(null=True, blank=True)
    saved_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["visit", "item"], name="closing_item_once")]

    def __str__(self) -> str:
        return f"{self.visit_id} {self.item}"


class Save(models.Model):
    """An acknowledged save. The same save id again is acknowledged again; the text that lost a conflict stays here."""

    visit = models.ForeignKey(Visit, on_delete=models.CASCADE, related_name="saves")
    save_id = models.CharField(max_length=40)
    field = models.CharField(max_length=120)
    base = models.PositiveIntegerField()
    version = models.PositiveIntegerField()
    value = models.JSONField(null=True, blank=True)
    accepted = models.BooleanField(default=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["visit", "save_id"], name="save_once")]

    def __str__(self) -> str:
        return f"{self.field} {self.version}"


class Clock(models.Model):
    """Active time of one part of a visit, kept by the server (A7)."""

    visit = models.ForeignKey(Visit, on_delete=models.CASCADE, related_name="clocks")
    part = models.CharField(max_length=12)  # orientation, work, rating, closing
    active_seconds = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField(default=timezone.now)
    last_seen_at = models.DateTimeField(default=timezone.now)
    breaks = models.JSONField(default=list, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["visit", "part"], name="clock_part_once")]

    def __str__(self) -> str:
        return f"{self.visit_id} {self.part}"
