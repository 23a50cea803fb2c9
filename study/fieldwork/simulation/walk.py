"""One simulated expert goes through the hour and notes what was acknowledged. ``hands`` do it; here is decided what.

The database is only read, for what no page may tell: the answer key (to be right or wrong at the stated rate), the
names of the records to be wrong with, and what stands behind a card.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from study.assignment.flows import has_more
from study.assignment.models import Visit
from study.fieldwork import orienting, working
from study.fieldwork.models import Attempt
from study.fieldwork.modules import modules_of
from study.fieldwork.ratings import ORG
from study.fieldwork.simulation import distributions as given
from study.fieldwork.simulation.cards import Rater
from study.fieldwork.simulation.experts import Expert, some_of
from study.fieldwork.simulation.forms import item_answers, screener_answers
from study.fieldwork.simulation.hands import Hands, TimeIsUp
from study.fieldwork.simulation.ledger import Ledger
from study.fieldwork.simulation.links import card_choice
from study.fieldwork.simulation.wrong import wrong_answer
from study.people.models import Participant
from study.people.protocol import file_of, protocol_of
from study.protocols.hour import Module
from study.protocols.schema import ProtocolFile

COMPLETED, SCREENED_OUT, DROPPED, FAILED = ENDS = ("completed", "screened out", "dropped", "failed")
WORDS = ("warranty", "refund", "delivery", "assembly", "temperature")
NOTES = ("Amounts to look at again.", "The history here is short.", "This one reads well.", "Two owners in a week.")


class Left(Exception):
    """The expert closed the window for good."""


@dataclass
class Walk:
    """The hour of one expert, or the hours; ``code`` is known after arriving."""

    expert: Expert
    hands: Hands
    ledger: Ledger
    effects: dict[str, float]
    file: ProtocolFile = field(init=False)

    @property
    def code(self) -> str:
        return self.hands.code

    @property
    def visit(self) -> Visit:
        return self.hands.visit

    def note(self, name: str, value: Any, version: int | None = None) -> None:
        self.ledger.note(self.code, name, value, version, period=self.expert.period)

    def save(self, name: str, value: Any, base: int = 0) -> int:
        """One autosave, noted with the version it was acknowledged with."""
        version = self.hands.save(name, value, base)
        self.note(name, {part: one for part, one in value.items() if part != "facts"}, version)
        return version

    def go(self) -> str:
        """The whole way; how it ended: completed, screened out or dropped. Raises Unexpected."""
        if not self.join():
            return SCREENED_OUT
        try:
            self.one_visit()
            while has_more(self.visit):
                self.hands.end_visit()
                self.hands.come_again()
                self.expert = self.expert.at_visit(self.visit.period)
                self.one_visit()
        except Left:
            self.hands.go_away()
            return DROPPED
        self.hands.finish()
        return COMPLETED

    def one_visit(self) -> None:
        parts: tuple[Callable[[], None], ...] = (self.orientation, self.work, self.rate, self.close)
        for part in parts:
            part()

    def leave_at(self, stop: str) -> None:
        """Raises Left where this person stops; who comes for a second visit stays to its end."""
        if self.expert.stop == stop and self.expert.period == 1:
            raise Left

    def join(self) -> bool:
        self.hands.arrive()
        participant = Participant.objects.select_related("cohort").get(code=self.code)
        self.file = file_of(protocol_of(participant.cohort))
        if not self.hands.screen(screener_answers(self.file, self.expert)):
            return False
        ticks = [statement.id for statement in self.file.consent.statements]
        ticks += [one.id for one in self.file.consent.optional if self.expert.happens(0.6, f"consent/{one.id}")]
        self.hands.consent(ticks)
        return True

    # --- orientation

    def orientation(self) -> None:
        visit, part, expert = self.visit, self.file.orientation, self.expert
        self.hands.wait(expert.seconds("orientation", given.ORIENTATION_SECONDS))
        self.leave_at("orientation")
        for move in part.moves.items if part.moves and visit.period == 1 else ():
            self.hands.start_move(move)
            if expert.kind == "speeder" or expert.happens(given.MOVE_LEFT, f"move/{move.id}"):
                self.hands.leave_move(move)
                continue
            self.hands.wait(expert.seconds(f"move/{move.id}", given.MOVE_SECONDS[move.kind]))
            self.hands.do_move(move)
        practice, check = orienting.practice_of(visit), orienting.items_of(visit)
        count = str(visit.org.counts.get(practice.object, 0)) if practice else None
        right = {item.id: "true" if item.answer else "false" for item in check}
        self.hands.orient(count, right or None)

    # --- work

    def work(self) -> None:
        total = self.visit.attempts.count()
        try:
            for number in range(1, total + 1):
                self.hands.open_question(number)
                found = Attempt.objects.select_related("place__instance__org", "desk")
                self.question(found.get(visit=self.visit.pk, position=number))
        except TimeIsUp:
            return

    def question(self, attempt: Attempt) -> None:
        number, expert = attempt.position, self.expert
        left = expert.seconds(f"task/{number}", (1.0, given.TASK_SPREAD))
        if expert.kind != "speeder":
            left *= float(attempt.place.instance.minutes_by_hand) * 60
            left -= self.look_around(attempt)
        self.leave_at(f"question {number}")
        self.hands.wait(max(left, 1.0))
        confidence = self.answer(attempt)
        self.after(attempt, confidence)

    def look_around(self, attempt: Attempt) -> float:
        """Lists, some of their records, and now and then a search: what anybody would open. The seconds it took."""
        draw, expert, spent = self.expert.draw(f"around/{attempt.position}"), self.expert, 0.0
        things = [thing.api for thing in self.file.objects]
        wanted = attempt.place.instance.answer_object
        lists = [*([wanted] if wanted in things else []), draw.choice(things)][: given.LISTS_OPENED]
        for thing in dict.fromkeys(lists):
            listed = self.hands.list_records(thing)
            spent += self.read(f"{attempt.position}/{thing}", given.LIST_SECONDS)
            for record in some_of(listed, expert.attention, given.MOST_OF_LIST, draw):
                self.hands.open_record(record)
                spent += self.read(f"{attempt.position}/{record}", given.RECORD_SECONDS)
        if draw.random() < given.SEARCHES:
            self.hands.search(draw.choice(WORDS))
        return spent

    def read(self, about: str, shape: tuple[float, float]) -> float:
        seconds = self.expert.seconds(about, shape)
        self.hands.wait(seconds)
        return seconds

    def answer(self, attempt: Attempt) -> str:
        """Skip, say that nothing fits, or answer; how sure, as it was told."""
        number, instance, expert = attempt.position, attempt.place.instance, self.expert
        draw, careless = expert.draw(f"answer/{number}"), expert.kind in ("speeder", "random")
        if expert.happens(given.CARELESS_SKIP if careless else expert.rates.skip, f"skip/{number}"):
            reason = draw.choice(self.file.work.skip_reasons).code
            self.hands.answer(attempt, {"act": "skip", "reason": reason})
            self.note(f"attempt/{number}", {"outcome": "skipped", "answer": None, "reason": reason})
            return ""
        answer = [str(one) for one in instance.answer if one is not None]
        wrong = careless or expert.happens(expert.rates.error, f"error/{number}")
        if wrong:
            answer = wrong_answer(attempt, draw)
        sure = confidence(expert, number, wrong=wrong)
        if answer and instance.answer_type == "record" and not careless:
            self.hands.open_record(answer[0])
        self.hands.save(
            f"attempt/{number}", {"answer": answer, "none": not answer, "withheld": False, "confidence": sure}
        )
        form: dict[str, Any] = {"act": "next", "answer": answer, "confidence": str(sure)}
        if self.file.work.notes and not careless and expert.happens(given.NOTES, f"note/{number}"):
            form["note"] = draw.choice(NOTES)
        self.hands.answer(attempt, form if answer else form | {"mark": "none", "answer": []})
        outcome = "answered" if answer else "none"
        self.note(f"attempt/{number}", {"outcome": outcome, "answer": answer or None, "reason": ""})
        return str(sure)

    def after(self, attempt: Attempt, sure: str) -> None:
        """The short lines after a question. How sure one is was told before, or there is nothing to be sure of."""
        number = attempt.position
        row = self.visit.attempts.select_related("place__instance").get(position=number)
        row.visit = self.visit
        items = working.items_after(row.visit, row)
        form, values = item_answers(items, self.expert, f"after/{number}")
        lines: dict[str, Any] = {}
        try:
            if items:
                self.hands.wait(sum(self.expert.seconds(f"{number}/{one.id}", given.ITEM_SECONDS) for one in items))
                self.hands.say_after(row, items, form)
                lines = values
        finally:
            said = {item: value for item, value in lines.items() if item in working.COLUMNS}
            self.note(f"after/{number}", {"confidence": sure} | said)
        for item in lines.keys() - working.COLUMNS:
            self.note(f"closing/{item}.{number}", lines[item])

    # --- ratings and after

    def rate(self) -> None:
        self.leave_at("ratings")
        self.hands.begin_ratings()
        visit = self.visit
        rater = Rater(self, visit, self.file, self.effects_in(visit))
        whole: dict[str, Any] = {"act": "next", "hinted": "1"}
        targets = [ORG, *visit.object_order]
        for place, target in enumerate(targets):
            if place == (len(targets) + 1) // 2:
                self.leave_at("cards")
            form = rater.rate(target)
            if self.file.rating.layout == "matrix":
                whole |= {f"{target}.{name}": value for name, value in form.items()}
            elif form:
                self.hands.leave_card(target, whole | form)
        if self.file.rating.layout == "matrix":
            self.hands.leave_matrix(whole)
        self.hands.wait(self.expert.seconds("lock", given.ITEM_SECONDS))
        self.hands.lock(leave_open=rater.left_open)

    def effects_in(self, visit: Visit) -> dict[str, float]:
        """A control Org, which is made from another, costs every target the same."""
        lost = given.CONTROL if visit.org.manifest.get("parent") else 0.0
        return {target: effect + lost for target, effect in self.effects.items()}

    def close(self) -> None:
        visit, effects = self.visit, self.effects_in(self.visit)
        modules = modules_of(visit)
        for place, module in enumerate(modules):
            if place == len(modules) - 1:
                self.leave_at("closing")
            self.rate_cards(module)
            if not module.items:
                continue
            self.hands.show_module(module)
            form, values = item_answers(module.items, self.expert, f"closing/{module.id}", effects)
            self.hands.wait(sum(self.expert.seconds(one.id, given.ITEM_SECONDS) for one in module.items))
            self.hands.answer_module(module, form)
            for item, value in values.items():
                self.note(f"closing/{item}", value)

    def rate_cards(self, module: Module) -> None:
        """Cards are drawn when the module is opened; what stands behind each is read where no page tells it."""
        for card in self.hands.closing_cards(module) if module.cards else ():
            self.hands.show_closing_card(card)
            self.hands.wait(self.expert.seconds(card.target, given.CARD_SECONDS))
            choice = card_choice(self.expert, card.target, card.kind, card.detail)
            version = self.hands.save(f"card/{card.target}", {"choice": choice})
            self.note(f"card/{card.target}", {"choice": choice, "reason": ""}, version)
            self.hands.leave_closing_card(card, choice)


def confidence(expert: Expert, number: int, *, wrong: bool) -> int:
    """How sure somebody says they are, in steps of ten."""
    mean, less, sd = given.CONFIDENCE
    level = mean + (less if wrong else 0) + expert.draw(f"sure/{number}").gauss(0, sd)
    return max(0, min(100, round(level / 10) * 10))
