"""What is stored of one visit, in plain words: the second half of the page of one's own data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from django.db.models import Sum
from django.utils.translation import gettext as _

from study.assignment.models import Visit
from study.fieldwork import modules, moves, requesting
from study.fieldwork.models import Attempt, Rating, RatingKind
from study.fieldwork.own_data import Line, Section, in_words, may_tell_all
from study.fieldwork.ratings import CANNOT_JUDGE, OFF_TAGS, POINTS, card_of, name_of
from study.people.protocol import file_of
from study.protocols.parts import RATHER_NOT
from study.sandbox.models import Desk, PageFact, TraceEvent


def hour_sections(visit: Visit) -> list[Section]:
    """The sections of one visit; their titles carry its number where there are several."""
    which = _(" (visit %(n)d)") % {"n": visit.period} if visit.participant.visits.count() > 1 else ""
    parts: tuple[tuple[str, Callable[[Visit], Iterator[Line]]], ...] = (
        (_("Getting your bearings"), _orientation),
        (_("Questions"), _questions),
        (_("Notes and pins"), _notes),
        (_("Ratings"), _ratings),
        (_("Closing questions"), _closing),
        (_("Times"), _times),
        (_("Pages you opened in the CRM"), _pages),
        (_("Help"), _help),
        (_("Texts that were not used"), _revisions),
        (_("About the visit"), _visit),
    )
    return [Section(title + which, tuple(lines(visit))) for title, lines in parts]


def _orientation(visit: Visit) -> Iterator[Line]:
    for move in visit.moves.order_by("pk"):
        said = _("left undone") if move.left_at else _("done") if move.done_at else _("not done")
        if move.done_at and move.started_at:
            said += _(", %(n)d seconds") % {"n": moves.seconds_of(visit, move)}
        yield Line(_("Move: %(move)s") % {"move": move.move.replace("_", " ")}, said, move.done_at or move.left_at)
    for name, value in visit.comprehension.items():
        yield Line(_("Check: %(name)s") % {"name": name}, str(value))
    if visit.comprehension_tries:
        yield Line(_("Tries at the check"), str(visit.comprehension_tries))


def _questions(visit: Visit) -> Iterator[Line]:
    tells = may_tell_all(visit.participant) and file_of(visit.protocol).debrief.answers_shown
    for attempt in visit.attempts.select_related("place__instance").order_by("position"):
        name = _("Question %(n)d") % {"n": attempt.position}
        if attempt.started_at is None:
            yield Line(name, str(attempt.get_outcome_display()) if attempt.outcome else _("not opened yet"))
            continue
        attempt.visit = visit
        # As it was asked: what a requester withheld stands only in their replies.
        yield Line(name, requesting.question_text(attempt), attempt.started_at)
        yield Line(_("%(name)s: how it ended") % {"name": name}, attempt.get_outcome_display(), attempt.ended_at)
        for what, value in _of_attempt(attempt, tells):
            if value not in (None, "", []):
                yield Line(f"{name}: {what}", _plain(value))


def _of_attempt(attempt: Attempt, tells: bool) -> Iterator[tuple[str, Any]]:
    yield _("your answer"), attempt.answer
    yield _("as last typed"), attempt.draft.get("answer")
    yield _("reason"), attempt.reason
    yield _("how sure you were"), attempt.confidence
    yield _("how often it comes up"), attempt.frequency_at_work
    yield _("one clear answer"), attempt.one_clear_answer
    yield _("scratch pad"), attempt.scratch
    yield _("active seconds"), attempt.active_seconds
    for turn in attempt.turns.all():
        yield _("you asked"), turn.asked
        yield _("the reply"), turn.reply
    if tells and attempt.correct is not None:
        yield _("the answer fits"), _("yes") if attempt.correct else _("no")


def _notes(visit: Visit) -> Iterator[Line]:
    for note in visit.notes.all():
        yield Line(_("Note"), note.text, note.at)
    for pin in visit.pins.all():
        yield Line(_("Pin"), f"{pin.object} {pin.record} {pin.field}".strip(), pin.at)


def _ratings(visit: Visit) -> Iterator[Line]:
    for row in visit.ratings.prefetch_related("rationales").order_by("position", "pk"):
        row.visit = visit
        name, labels = _names(row)
        if row.final:
            yield Line(name, labels.get(row.final, row.final), row.final_at)
        if row.first and row.first != row.final:
            yield Line(_("%(name)s: first choice") % {"name": name}, labels.get(row.first, row.first), row.first_at)
        if row.cannot_judge_reason:
            yield Line(_("%(name)s: why not") % {"name": name}, row.cannot_judge_reason.replace("_", " "))
        if row.changes:
            yield Line(_("%(name)s: choices changed") % {"name": name}, str(row.changes))
        for text in row.rationales.all():
            side = {"right": _("what looked right"), "off": _("what looked off")}.get(text.side, _("why"))
            tags = [str(OFF_TAGS.get(tag, tag)) for tag in text.tags]
            said = text.text + (f" ({', '.join(tags)})" if tags else "")
            yield Line(f"{name}: {side}", said, text.changed_at)
            if text.pasted_share is not None:
                share = _("%(n)d%% pasted") % {"n": round(100 * text.pasted_share)}
                yield Line(f"{name}: {side}", share)


def _names(row: Rating) -> tuple[str, dict[str, str]]:
    """How a rating's target is called, and its choices in words."""
    file = file_of(row.visit.protocol)
    words = {CANNOT_JUDGE: file.rating.cannot_judge.label, RATHER_NOT: file.wording.rather_not}
    if row.kind not in (RatingKind.ORG, RatingKind.OBJECT):
        return _("Card %(n)d") % {"n": row.position}, words
    words |= {point: option.label for point, option in zip(POINTS, card_of(row).options, strict=True)}
    return name_of(row) + ("" if row.dimension == "overall" else f", {row.dimension}"), words


def _closing(visit: Visit) -> Iterator[Line]:
    file, items = file_of(visit.protocol), modules.items_of(visit)
    for row in visit.closing.order_by("pk"):
        if row.value in (None, "", []):
            continue
        item = items.get(row.item)
        value = in_words(item, row.value, file) if item else _plain(row.value)
        yield Line(item.text if item else row.item.replace("_", " "), value, row.saved_at)


def _times(visit: Visit) -> Iterator[Line]:
    names = {"orientation": _("Orientation"), "work": _("Questions"), "rating": _("Ratings"), "closing": _("End")}
    for clock in visit.clocks.order_by("started_at"):
        said = _("%(n)d active seconds, %(breaks)d breaks") % {"n": clock.active_seconds, "breaks": len(clock.breaks)}
        yield Line(names.get(clock.part, clock.part), said, clock.started_at)


def _pages(visit: Visit) -> Iterator[Line]:
    desks = Desk.objects.filter(attempt__visit=visit) | Desk.objects.filter(visit_desk__visit=visit)
    names = {
        "home": _("Start pages"), "list": _("Lists"), "record": _("Records"), "related": _("Related lists"),
        "report": _("Reports"), "reports": _("List of reports"), "search": _("Searches"), "suggest": _("Suggestions"),
        "thread": _("Conversations"),
    }  # fmt: skip
    kinds = Counter(TraceEvent.objects.filter(desk__in=desks.values("pk")).values_list("kind", flat=True))
    for kind, n in sorted(kinds.items(), key=lambda pair: (-pair[1], pair[0])):
        yield Line(names.get(kind, kind.replace("_", " ").capitalize()), str(n))
    facts = PageFact.objects.filter(desk__in=desks.values("pk"))
    if n := facts.count():
        seen = facts.aggregate(seen=Sum("visible_ms"))["seen"] or 0
        yield Line(_("Pages whose browser told how long they were in view"), str(n))
        yield Line(_("Seconds in view, together"), str(round(seen / 1000)))
        yield Line(_("Ids of records copied"), str(sum(len(ids) for ids in facts.values_list("copied", flat=True))))


def _help(visit: Visit) -> Iterator[Line]:
    for row in visit.help_requests.all():
        yield Line(str(row.get_kind_display()), row.words or _("no words"), row.at)
        if row.reply:
            yield Line(_("Reply"), row.reply, row.replied_at)


def _revisions(visit: Visit) -> Iterator[Line]:
    """Texts that lost to another tab's, or came after their part was over; not those that were chosen later."""
    used = [(save.field, save.value) for save in visit.saves.filter(accepted=True).exclude(value=None)]
    for save in visit.saves.filter(accepted=False).exclude(value=None).order_by("pk"):
        if (save.field, save.value) in used:
            continue
        yield Line(save.field, _plain(save.value), save.at)


def _visit(visit: Visit) -> Iterator[Line]:
    yield Line(_("Begun"), "", visit.begun_at)
    if visit.device:
        yield Line(_("Kind of device"), visit.device)
    yield Line(_("Language"), visit.language)
    if may_tell_all(visit.participant):
        yield Line(_("Group of the study"), f"{visit.arm} {visit.condition}".strip())
        yield Line(_("Mark of the CRM's records"), visit.org.hash)


def _plain(value: Any) -> str:
    """A stored value of any shape as words."""
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_plain(one)}" for key, one in value.items() if one not in (None, "", [], False))
    if isinstance(value, list):
        return ", ".join(_plain(one) for one in value)
    return str(value)
