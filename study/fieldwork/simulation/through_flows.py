"""Hands that call the flows behind the pages, with drawn time: for thousands of experts, where nobody is served.

What a page would have put into the trace is written as it would stand there; no page is made, so there are no client
facts. Everything stored goes through the same functions as a form or a save does.
"""

from __future__ import annotations

import uuid
from contextlib import suppress
from typing import Any

from django.http import QueryDict

from study.accounts.models import User
from study.assignment import flows
from study.assignment.models import Visit
from study.fieldwork import (
    answering,
    cards,
    ending,
    evidence,
    locking,
    looks,
    moves,
    orienting,
    ratings,
    saving,
    working,
)
from study.fieldwork.models import Attempt, CardShown, Pin, Rating
from study.fieldwork.simulation.hands import Form, TimeIsUp, Unexpected
from study.fieldwork.simulation.moments import Moments
from study.fieldwork.simulation.pages import Pages
from study.fieldwork.views.closing import keep
from study.fieldwork.visits import count_request
from study.people import flows as people
from study.people import screener
from study.people.items import read_items
from study.people.models import Cohort, Consent, Participant, Stage
from study.people.protocol import file_of, protocol_of
from study.protocols.hour import Module, Move
from study.protocols.parts import Item
from study.sandbox.models import Purpose

BETWEEN_REQUESTS = 200.0
"""Seconds after which a page would have saved or been opened again: short of the idle limit."""
JUST_NOW = 60.0
BACK_AFTER = 600.0


class ThroughFlows:
    """The hands of one person of a cohort; ``moments`` is the clock they live by."""

    def __init__(self, cohort: Cohort, moments: Moments) -> None:
        self.cohort, self.moments, self.code = cohort, moments, ""
        self.stopped = False
        self.pages = Pages(moments)
        self.participant: Participant
        self._visit: Visit | None = None

    @property
    def visit(self) -> Visit:
        if self._visit is None:
            raise Unexpected(f"{self.code} has no visit yet")
        return self._visit

    def arrive(self) -> None:
        now = self.moments.read()
        self.participant = people.new_participant(
            self.cohort, user=User.objects.create_user(), stage=Stage.JOINED, channel="simulated", simulated=True,
            invited_at=now, joined_at=now, last_seen_at=now,
        )  # fmt: skip
        self.participant.stage_events.update(at=now)
        self.code = self.participant.code

    def screen(self, form: Form) -> bool:
        file = file_of(protocol_of(self.cohort))
        filled = read_items(screener.items_of(file), as_sent(form))
        if not filled.complete:
            raise Unexpected(f"the screener was refused: {filled.missing} {filled.refused}")
        screener.submit(self.participant, file, filled)
        self.participant.screenings.update(at=self.moments.read())
        self.participant.refresh_from_db()
        return self.participant.stage == Stage.ELIGIBLE

    def consent(self, ticks: list[str]) -> None:
        begun = flows.consent_and_begin(self.participant, protocol_of(self.cohort), ticks)
        if begun is None:
            raise Unexpected(f"{self.code} found no place")
        Consent.objects.filter(participant=self.participant).move_simulated(self.moments.read())
        self._settle(begun)

    def _settle(self, visit: Visit) -> None:
        """Take a visit up: its beginning is now, and all rows hang on one person."""
        Visit.objects.filter(pk=visit.pk).update(begun_at=self.moments.read())
        self._visit = Visit.objects.select_related("org", "protocol").get(pk=visit.pk)
        self.participant.refresh_from_db()
        self._visit.participant = self.participant
        self._touch()

    # --- time

    def wait(self, seconds: float) -> None:
        if self.stopped:
            raise Unexpected("stopped")
        while seconds > 0:
            step = min(seconds, BETWEEN_REQUESTS - self.moments.since_counted)
            self.moments.pass_seconds(step)
            seconds -= step
            if seconds > 0:
                self._touch()

    def _count(self) -> None:
        """Let a request of this moment be counted, unless one has just been: whole seconds are kept all the same."""
        if self.moments.since_counted >= JUST_NOW:
            self._touch()

    def _touch(self) -> None:
        """What every request of the hour does. Raises TimeIsUp in the one that ends the work."""
        self.moments.counted()
        if self._visit is not None and count_request(self._visit):
            self.pages.flush()
            raise TimeIsUp

    # --- orientation

    def start_move(self, move: Move) -> None:
        self._count()
        moves.start(self.visit, move.id)

    def do_move(self, move: Move) -> None:
        row = self.visit.moves.filter(move=move.id).first()
        if row is None or not (row.record or row.value):
            return
        desk = working.desk_for_part(self.visit, Purpose.ORIENTATION)
        if move.kind == "filter":
            self.pages.see_list(desk, move.object, field=move.field or "", value=row.value)
        else:
            self.pages.see(desk, "record", move.object, row.record)
        if move.kind == "follow":
            self.pages.see(desk, "related", move.related or "", row.record)
        self.pages.flush()
        moves.steps_of(self.visit)

    def leave_move(self, move: Move) -> None:
        moves.leave(self.visit, move.id)

    def orient(self, practice: str | None, check: Form | None) -> None:
        self._touch()
        if practice is not None:
            orienting.try_practice(self.visit, practice)
        if check is not None:
            orienting.try_check(self.visit, {name: str(value) for name, value in check.items()})
        working.start_work(self.visit)
        self.pages.open_desks(self.visit)

    # --- work

    def open_question(self, number: int) -> None:
        if self.participant.stage != Stage.WORKING:
            raise TimeIsUp
        self._touch()
        attempt = self.visit.attempts.select_related("place__instance").get(position=number)
        attempt.visit = self.visit
        self.pages.at(working.open_attempt(attempt))
        self.pages.see(self.pages.desk, "home")

    def list_records(self, thing: str) -> list[str]:
        self.pages.see_list(self.pages.desk, thing)
        return self.pages.records_of(self.visit.org, thing)

    def open_record(self, record: str) -> None:
        thing = self.pages.kind_of(self.visit.org, record)
        self.pages.see(self.pages.desk, "record", thing, record)

    def search(self, text: str) -> None:
        self.pages.see(self.pages.desk, "search", query={"text": text})

    def answer(self, attempt: Attempt, form: Form) -> None:
        self._touch()
        self.pages.flush()
        row = self.visit.attempts.select_related("place__instance", "desk").get(position=attempt.position)
        row.visit = self.visit
        answering.send(row, answering.read_form(row, as_sent(form)), str(form["act"]))
        if form.get("note"):
            self.visit.notes.filter(attempt=row).update(at=self.moments.read())
        self._go_on()

    def say_after(self, attempt: Attempt, items: list[Item], form: Form) -> None:
        filled = read_items(items, as_sent(form))
        if not filled.complete:
            raise Unexpected(f"the lines after question {attempt.position} were refused: {filled}")
        working.keep_lines(self.visit, attempt, filled.answers)
        with suppress(TimeIsUp):
            # What was sent in the last minute is kept; the next question finds that there is none.
            self._touch()
        self._go_on()

    def _go_on(self) -> None:
        if working.what_next(self.visit).attempt is None:
            working.begin_ratings(self.visit)

    def save(self, name: str, value: Any, base: int = 0) -> int:
        return saving.save(self.visit, field=name, value=value, base=base, save_id=uuid.uuid4().hex).version

    # --- ratings

    def begin_ratings(self) -> None:
        self._count()
        ratings.prepare(self.visit)
        if ratings.is_matrix(self.visit):
            ratings.show(ratings.cards_of(self.visit))

    def _row(self, target: str) -> Rating:
        row = self.visit.ratings.get(target=target, dimension=ratings.OVERALL, kind__in=ratings.RATED)
        row.visit = self.visit
        return row

    def show_card(self, target: str) -> list[str]:
        row = self._row(target)
        if not ratings.is_matrix(self.visit):
            ratings.show([row])
        return list(row.look_ids)

    def look_at(self, record: str) -> None:
        self.pages.at(working.desk_for_part(self.visit, Purpose.RATING))
        self.open_record(record)
        self.pages.flush()

    def do_not_know(self, target: str) -> None:
        looks.do_not_know(self._row(target))

    def attach(self, target: str, side: str, record: str) -> None:
        row = self._row(target)
        evidence.attach(row, side, record)
        Pin.objects.filter(rating=row, side=side, record=record).update(at=self.moments.read())

    def leave_card(self, target: str, form: Form) -> None:
        self._count()

    def leave_matrix(self, form: Form) -> None:
        self._touch()

    def lock(self, *, leave_open: bool) -> None:
        self._touch()
        if not leave_open and any(not line.whole for line in ratings.progress(self.visit)):
            raise Unexpected(f"a card of {self.code} is open before the lock")
        locking.lock(self.visit)
        self._touch()

    # --- after the lock

    def closing_cards(self, module: Module) -> list[CardShown]:
        return cards.cards_of(self.visit, module)

    def show_closing_card(self, card: CardShown) -> None:
        cards.show_card(card)

    def leave_closing_card(self, card: CardShown, choice: str) -> None:
        self._count()

    def show_module(self, module: Module) -> None:
        ending.show_module(self.visit, module)

    def answer_module(self, module: Module, form: Form) -> None:
        refused, too_long, stale = keep(self.visit, module, as_sent(form))
        ending.leave_empty(self.visit, module)
        still = ending.open_items(module, ending.saved_items(self.visit))
        if refused or too_long or stale or still:
            raise Unexpected(f"the answers to {module.id} were refused: {refused} {too_long} {still}")
        self._count()

    def end_visit(self) -> None:
        self._touch()
        ending.end_for_now(self.visit)

    def come_again(self) -> None:
        before = Visit.objects.select_related("protocol").get(pk=self.visit.pk)
        before.participant = self.participant
        self.moments.go_to(flows.window_after(before).opens)
        self.moments.pass_seconds(BACK_AFTER)
        begun = flows.begin_next(self.participant)
        if begun is None or begun.pk == self.visit.pk:
            raise Unexpected(f"the next visit of {self.code} did not begin")
        self._settle(begun)

    def finish(self) -> None:
        self._touch()
        if not ending.finish(self.visit, data_choice="keep", results_wanted=False):
            raise Unexpected(f"{self.code} had ended before")

    def go_away(self) -> None:
        self.pages.flush()
        self._touch()

    def stop(self) -> None:
        self.stopped = True


def as_sent(form: Form) -> QueryDict:
    """Fields as a page would send them."""
    sent = QueryDict(mutable=True)
    for name, value in form.items():
        sent.setlist(name, [str(one) for one in value] if isinstance(value, list | tuple) else [str(value)])
    return sent
