"""After the lock: the closing items, the debrief's one choice, and completion by stored rows (M7)."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from study.assignment.flows import end_visit, has_more
from study.assignment.models import Visit
from study.fieldwork.cards import lock_cards, open_card
from study.fieldwork.models import ClosingAnswer, Outcome, RatingKind
from study.fieldwork.modules import modules_of
from study.fieldwork.ratings import CANNOT_JUDGE, POINTS
from study.people import flows as people
from study.people.models import End, Participant
from study.protocols.hour import Module
from study.sandbox.desks import close_desk
from study.sandbox.models import Desk

RESULTS_WANTED = "results_wanted"


def saved_items(visit: Visit) -> dict[str, ClosingAnswer]:
    """Closing answers by item, those shown and still empty too."""
    return {row.item: row for row in visit.closing.all()}


def is_done(module: Module, kept: dict[str, ClosingAnswer]) -> bool:
    """A module is done when every item was sent: answered, declined, or left empty where that is allowed."""
    return all(item.id in kept and kept[item.id].saved_at for item in module.items) and not open_items(module, kept)


def open_items(module: Module, kept: dict[str, ClosingAnswer]) -> list[str]:
    """Required items without an answer. "I'd rather not say" is one."""
    return [
        item.id
        for item in module.items
        if item.required and (item.id not in kept or kept[item.id].value in (None, "", []))
    ]


def next_module(visit: Visit) -> Module | None:
    """The first module that is not done, its cards included; None when the debrief comes."""
    kept = saved_items(visit)
    for module in modules_of(visit):
        if not is_done(module, kept) or open_card(visit, module) is not None:
            return module
    return None


def show_module(visit: Visit, module: Module) -> None:
    """Remember when each item was first on a screen."""
    now = timezone.now()
    kept = saved_items(visit)
    new = [ClosingAnswer(visit=visit, item=item.id, shown_at=now) for item in module.items if item.id not in kept]
    ClosingAnswer.objects.bulk_create(new, ignore_conflicts=True)


def leave_empty(visit: Visit, module: Module) -> None:
    """Optional items that were shown and not filled are sent as they are: empty."""
    optional = [item.id for item in module.items if not item.required]
    visit.closing.filter(item__in=optional, saved_at__isnull=True).update(saved_at=timezone.now())


@transaction.atomic
def end_for_now(visit: Visit) -> None:
    """The end of a visit after which another one comes: it is over, and nothing of its Org stays open."""
    if end_visit(visit):
        lock_cards(visit)
        close_desks(visit.participant)


@transaction.atomic
def finish(visit: Visit, *, data_choice: str, results_wanted: bool) -> bool:
    """Take the choice after the debrief and complete the participation, once, with its code.

    Nothing optional holds it back. Places count as completed by what ``assignment``
    registered for an end. Raises ValueError for a choice that is none.
    """
    Visit.objects.select_for_update(no_key=True).get(pk=visit.pk)
    if has_more(visit):
        raise ValueError(f"{visit} is not the last one.")
    if visit.participant.data_choice == "":
        people.choose_data(visit.participant, data_choice)
    if not people.end(visit.participant, End.COMPLETE):
        return False
    lock_cards(visit)
    now = timezone.now()
    Visit.objects.filter(pk=visit.pk).update(done_at=now)
    if results_wanted:
        ClosingAnswer.objects.update_or_create(
            visit=visit, item=RESULTS_WANTED, defaults={"value": "yes", "saved_at": now, "version": 1}
        )
    return True


def close_desks(participant: Participant) -> None:
    """Whoever has ended leaves no desk open: what they still read there is not recorded."""
    visits = participant.visits.all()
    desks = Desk.objects.filter(attempt__visit__in=visits) | Desk.objects.filter(visit_desk__visit__in=visits)
    for desk in desks.filter(closed_at=None):
        close_desk(desk)


@dataclass(frozen=True)
class Received:
    """What arrived, in counts, for the last page."""

    answered: int
    skipped: int
    attempts: int
    rated: int
    cannot_judge: int
    objects: int
    minutes: int


def received(visit: Visit) -> Received:
    outcomes = list(visit.attempts.values_list("outcome", flat=True))
    finals = list(visit.ratings.filter(kind=RatingKind.OBJECT, dimension="overall").values_list("final", flat=True))
    given = {Outcome.ANSWERED, Outcome.NONE, Outcome.WITHHELD}
    seconds = sum(visit.clocks.filter(part="work").values_list("active_seconds", flat=True))
    return Received(
        answered=sum(o in given for o in outcomes),
        skipped=outcomes.count(Outcome.SKIPPED),
        attempts=len(outcomes),
        rated=sum(f in POINTS for f in finals),
        cannot_judge=finals.count(CANNOT_JUDGE),
        objects=len(finals),
        minutes=max(1, round(seconds / 60)),
    )
