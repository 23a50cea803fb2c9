"""The dock: a slip of study paper beside the CRM, on every page of a participant's desk.

``dock`` is a context processor named in the settings: the sandbox knows nothing
of fieldwork, it only includes ``dock.template`` where a desk is open.
"""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from study.assignment.models import Visit
from study.benchmark.models import Instance
from study.fieldwork import answers, clock, moves, noting, orienting, pinning, requesting, visits, working
from study.fieldwork.models import Attempt, VisitDesk
from study.people.language import direction, speaking
from study.people.models import Stage
from study.people.protocol import file_of
from study.people.where import url_for
from study.protocols.hour import Practice
from study.protocols.markup import fill
from study.sandbox.engine.ids import normal_id
from study.sandbox.models import Desk, Purpose
from study.sandbox.opened import snapshot_of

NOTICE_AT = 5
WORD_ID = re.compile(r"\b[A-Za-z0-9]{18}\b|\b[A-Za-z0-9]{15}\b")


@dataclass
class Dock:
    """What the dock's templates read. ``template`` says which of them."""

    template: str
    visit: Visit
    desk: Desk
    preview: bool
    onward: str = ""
    attempt: Attempt | None = None
    question: Question | None = None
    minutes: int = 0
    orientation: Orienting | None = None

    @property
    def language(self) -> str:
        """The dock speaks the participant's language; the CRM beside it that of its Org."""
        return self.visit.language

    @property
    def direction(self) -> str:
        return direction(self.visit.language)

    @property
    def notice(self) -> bool:
        return 0 < self.minutes <= NOTICE_AT


@dataclass
class Orienting:
    """What the dock of the orientation shows: the look, the moves, the practice question."""

    desk: Desk
    looked: list[orienting.Looked]
    intro: str
    steps: list[moves.Step]
    leave: str
    practice: Practice | None
    practised: str
    feedback: str

    @property
    def next(self) -> moves.Step | None:
        """The move whose turn it is; None when all are over."""
        return next((step for step in self.steps if step.next and not step.over), None)

    @property
    def last(self) -> moves.Step | None:
        """The move that was over last, which the dock says so of."""
        over = [step for step in self.steps if step.over]
        return over[-1] if over else None


@dataclass
class Question:
    """One question with its answer widget, for the dock and for the page that stands in for it."""

    attempt: Attempt
    total: int
    asks: str
    text: SafeString
    kind: str
    label: str
    choices: tuple[tuple[str, str], ...]
    draft: dict[str, Any]
    file: Any
    desk: Desk
    names: dict[str, str] = field(default_factory=dict)
    save_id: str = field(default_factory=lambda: uuid.uuid4().hex)
    problem: str = ""
    object_label: str = ""
    chat: requesting.Chat | None = None
    earlier_today: date | None = None
    pins: list[pinning.Shown] = field(default_factory=list)
    notes: list[noting.Noted] = field(default_factory=list)
    scratch: str | None = None

    @property
    def instance(self) -> Instance:
        return self.attempt.place.instance

    @property
    def pips(self) -> list[str]:
        here = self.attempt.position
        return ["done" if n < here else "now" if n == here else "ahead" for n in range(1, self.total + 1)]

    @property
    def is_id(self) -> bool:
        return self.kind in answers.IDS

    @property
    def several(self) -> bool:
        return self.kind in answers.SEVERAL

    @property
    def typed(self) -> str:
        return ("\n" if self.is_id else " ").join(self.draft.get("answer") or [])

    @property
    def definitions(self) -> str:
        """What the question's words mean, as far as this person is told."""
        return requesting.definitions_text(self.attempt)

    @property
    def opening(self) -> str:
        """The question as it is asked of this person: something may be withheld."""
        return requesting.question_text(self.attempt)

    @property
    def pad(self) -> str:
        """What stands on the scratch pad: as just typed, else as stored."""
        return self.attempt.scratch if self.scratch is None else self.scratch

    @property
    def asks_confidence(self) -> bool:
        modules = self.file.modules_at("after_each_task")
        return any(item.id == "confidence" for module in modules for item in module.items)

    @property
    def confidences(self) -> tuple[int, ...]:
        return answers.CONFIDENCES


def dock(request: HttpRequest) -> dict[str, Any]:
    desk = getattr(request, "desk", None)
    if desk is None or desk.purpose == Purpose.STAFF:
        return {}
    # Several templates of one request share one dock, and the clock counts it once.
    if not hasattr(request, "_dock"):
        request._dock = dock_of(desk)  # type: ignore[attr-defined]
    found = request._dock  # type: ignore[attr-defined]
    return {"dock": found} if found else {}


def behind(desk: Desk) -> tuple[Attempt | None, Visit | None]:
    """The attempt and the visit a desk was opened for. What belongs to nobody is found out by one small question."""
    if desk.purpose == Purpose.ATTEMPT:
        attempts = Attempt.objects.filter(desk=desk)
        if not attempts.exists():
            return None, None
        attempt = attempts.select_related(*_WITH_VISIT, "place__instance").defer("visit__protocol__text").get()
        return attempt, attempt.visit
    rows = VisitDesk.objects.filter(desk=desk)
    if not rows.exists():
        return None, None
    return None, rows.select_related(*_WITH_VISIT).defer("visit__protocol__text").get().visit


def dock_of(desk: Desk) -> Dock | None:
    """The dock of a desk in its participant's language; None for one that belongs to no visit."""
    attempt, visit = behind(desk)
    if visit is None:
        return None
    with speaking(visit.language):
        return dock_for(desk, visit, attempt)


def dock_for(desk: Desk, visit: Visit, attempt: Attempt | None) -> Dock:
    """What the dock of a visit's desk shows now."""
    if visits.count_request(visit) and attempt:
        attempt.refresh_from_db()
    participant = visit.participant
    made = Dock("fieldwork/_dock_aside.html", visit, desk, participant.preview, url_for(participant), attempt)
    file = file_of(visit.protocol)
    if attempt and not attempt.outcome and participant.stage == Stage.WORKING and not participant.end:
        made.template = "fieldwork/_dock.html"
        made.question = question_of(attempt, desk)
        made.minutes = clock.minutes_left(clock.active_seconds(visit, "work"), file.clocks.work)
    elif desk.purpose == Purpose.ORIENTATION and participant.stage == Stage.CONSENTED and not participant.end:
        made.template = "fieldwork/_dock_oriented.html"
        made.orientation = orientation_of(visit)
    return made


def orientation_of(visit: Visit) -> Orienting:
    """The orientation as its dock shows it now."""
    part = file_of(visit.protocol).orientation
    steps = moves.steps_of(visit)
    return Orienting(
        desk=working.desk_for_part(visit, Purpose.ORIENTATION),
        looked=orienting.looked(visit),
        intro=part.moves.intro if part.moves and steps else "",
        steps=steps,
        leave=part.moves.leave if part.moves else "",
        practice=orienting.practice_of(visit),
        practised=visit.comprehension.get("practice", ""),
        feedback=orienting.practice_feedback(visit),
    )


_WITH_VISIT = ("visit__participant__study", "visit__participant__cohort", "visit__protocol", "visit__org")


def question_of(
    attempt: Attempt,
    desk: Desk,
    *,
    draft: dict[str, Any] | None = None,
    scratch: str | None = None,
    problem: str = "",
) -> Question:
    """The question of an attempt with what has been typed so far."""
    visit, instance = attempt.visit, attempt.place.instance
    work = file_of(visit.protocol).work
    kind = instance.answer_type
    shown = draft if draft is not None else attempt.draft
    made = Question(
        attempt=attempt,
        total=visit.attempts.count(),
        asks=who_asks(visit, instance),
        text=with_links(requesting.question_text(attempt), desk),
        chat=requesting.chat_of(attempt),
        kind=kind,
        label=answer_label(visit, instance),
        object_label=object_label(visit, instance),
        choices=answers.CHOICES.get(kind, ()),
        draft=shown,
        file=file_of(visit.protocol),
        desk=desk,
        problem=problem,
        scratch=scratch,
        earlier_today=earlier_today(attempt, desk),
        pins=pinning.pins_of(attempt) if work.pins else [],
        notes=noting.notes_of(visit) if work.notes else [],
    )
    if made.is_id:
        made.names = {
            one: name for one, (_object, name) in snapshot_of(desk.org).names(shown.get("answer") or []).items()
        }
    return made


def earlier_today(attempt: Attempt, desk: Desk) -> date | None:
    """The today of the question before, where it was another one (M9)."""
    before = Attempt.objects.filter(visit_id=attempt.visit_id, position__lt=attempt.position, desk__isnull=False)
    today = before.order_by("-position").values_list("desk__today", flat=True).first()
    return today if today != desk.today else None


def who_asks(visit: Visit, instance: Instance) -> str:
    """In which role the participant works and who asks; never the requester's manner (M8)."""
    role = _(instance.role) if instance.role else _("colleague")
    line = fill(file_of(visit.protocol).work.role_line, role=role)
    if not instance.asks:
        return line
    return f"{line.partition('. ')[0].rstrip('.')}. {_(instance.asks)}"


def with_links(text: str, desk: Desk) -> SafeString:
    """The question with Ids of records of this Org as links to them; everything else escaped."""
    found = [one for one in WORD_ID.findall(text) if normal_id(one)]
    known = snapshot_of(desk.org).names(found)
    pieces: list[str] = []
    end = 0
    for match in WORD_ID.finditer(text):
        pieces.append(conditional_escape(text[end : match.start()]))
        one = match.group()
        url = reverse("crm_record", args=[desk.code, one])
        pieces.append(format_html('<a class="mono" href="{}">{}</a>', url, one) if one in known else one)
        end = match.end()
    pieces.append(conditional_escape(text[end:]))
    return mark_safe("".join(pieces))


def answer_label(visit: Visit, instance: Instance) -> str:
    """What the answer field is called."""
    labels = {
        "month": _("Month"),
        "state": _("State"),
        "stage": _("Stage"),
        "factors": _("What is missing or does not fit"),
        "text": _("Your answer"),
        "refusal": _("Your answer"),
    }
    if instance.answer_type in labels:
        return labels[instance.answer_type]
    return _("%(object)s Id") % {"object": object_label(visit, instance)}


def object_label(visit: Visit, instance: Instance) -> str:
    """The kind of record that is asked for."""
    registry = snapshot_of(visit.org).registry
    if instance.answer_object and registry.has(instance.answer_object):
        return registry.object(instance.answer_object).label
    return _("Record")
