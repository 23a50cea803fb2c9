"""The lock: from here ratings stay as they are. The same act counts exposure and grades attempts (M3, M8)."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from study.assignment.models import Visit
from study.benchmark.tasks import TASKS
from study.fieldwork import analysed, looks, ratings
from study.fieldwork.grades import grade_attempt, markers_needed
from study.fieldwork.models import Rating
from study.people import flows as people
from study.people.models import Stage
from study.sandbox.desks import close_desk
from study.sandbox.seen import Seen


@transaction.atomic
def lock(visit: Visit) -> bool:
    """Close the ratings for good; False when they were closed before, and then nothing is changed (P-09)."""
    # Every save waits for this row, so none can fall between the counting and the closing.
    Visit.objects.select_for_update(no_key=True).get(pk=visit.pk)
    if not people.advance(visit.participant, Stage.RATING, Stage.LOCKED):
        return False
    now = timezone.now()
    count_exposure(visit)
    grade_attempts(visit)
    Rating.objects.filter(visit=visit, kind__in=ratings.RATED).update(locked_at=now)
    Visit.objects.filter(pk=visit.pk).update(locked_at=now)
    for desk in looks.rating_desks(visit):
        close_desk(desk)
    analysed.keep(visit.participant)
    return True


def count_exposure(visit: Visit) -> None:
    """How much of each rated object this person had opened, in work and in the look, and which tasks needed it."""
    work, look = looks.seen_in(visit)
    # Short questions on a card share its look.
    looked = {row.target: row.look_ids for row in ratings.cards_of(visit)}
    needs = {place.task: TASKS[place.task].objects for place in visit.places.all() if place.task in TASKS}
    for rating in visit.ratings.filter(kind__in=ratings.RATED):
        whole = rating.target == ratings.ORG
        rating.opened_work = sum(len(seen.records) for name, seen in work.items() if whole or name == rating.target)
        # Whoever rates the Org has had no look yet: looks belong to the cards after it.
        shown = Seen() if whole else look.get(rating.target, Seen())
        rating.opened_look = len(shown.records & set(looked.get(rating.target, ())))
        rating.look_seconds = round(shown.active_seconds)
        rating.needed_by = sorted(task for task, objects in needs.items() if rating.target in objects)
        rating.save(update_fields=["opened_work", "opened_look", "look_seconds", "needed_by"])


def grade_attempts(visit: Visit) -> None:
    """Right or wrong by the instance's metric; attempts without an answer stay ungraded, texts may wait for people."""
    needed = markers_needed(visit.participant.study)
    for attempt in visit.attempts.select_related("place__instance"):
        grade_attempt(attempt, markers=needed)
