"""One simulated expert walks the real pages from the invitation to the code, and notes what was acknowledged."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from study.assignment.models import Visit
from study.fieldwork.models import Attempt
from study.fieldwork.ratings import OFF_TAGS, ORG
from study.fieldwork.simulation.answering import wrong_answer
from study.fieldwork.simulation.experts import Expert
from study.fieldwork.simulation.forms import closing_answers, screener_answers
from study.fieldwork.simulation.http_client import Answer, Browser, Unexpected
from study.fieldwork.simulation.ledger import Ledger
from study.fieldwork.simulation.words import rationale
from study.people.models import Participant
from study.people.protocol import file_of
from study.protocols.schema import ProtocolFile

DESK = re.compile(r"^/crm/([^/]+)/")
LOOK = re.compile(r'href="(/crm/[^"]+/r/[^"/]+/)"[^>]*data-look=')
HIDDEN_SHA = re.compile(r'name="sha256" value="([0-9a-f]{64})"')
RECORD = re.compile(r'href="(/crm/[^"]+/r/[^"/]+/)"')
WORDS = ("warranty", "refund", "delivery", "assembly", "temperature")


class Left(Exception):
    """The expert closed the window for good."""


@dataclass
class Walk:
    """The hour of one expert; ``code`` is known after the confirm page."""

    expert: Expert
    browser: Browser
    ledger: Ledger
    effects: dict[str, float]
    code: str = ""
    outcome: str = ""
    file: ProtocolFile = field(init=False)

    def page(self, path: str) -> str:
        return f"/hour/{self.code}/{path}"

    def note(self, name: str, value: Any) -> None:
        self.ledger.note(self.code, name, value)

    def go(self, link: str) -> str:
        """The whole way; how it ended: done, screened_out or left."""
        steps: tuple[Callable[[], None], ...] = (
            self.consent, self.orientation, self.work, self.rate, self.lock, self.close,
        )  # fmt: skip
        if not self.join(link):
            return "screened_out"
        try:
            for step in steps:
                step()
        except Left:
            return "left"
        return "done"

    def join(self, link: str) -> bool:
        self.browser.get(link)
        arrived = self.browser.post(link)
        found = re.match(r"^/hour/([^/]+)/", arrived.path)
        if not found:
            raise Unexpected(f"the confirm page led to {arrived.path}")
        self.code = found[1]
        participant = Participant.objects.select_related("cohort").get(code=self.code)
        from study.people.protocol import protocol_of

        self.file = file_of(protocol_of(participant.cohort))
        answers = screener_answers(self.file, self.expert)
        self.browser.get(self.page("screener/"))
        after = self.browser.post(self.page("screener/"), answers)
        return "/consent/" in after.path

    def consent(self) -> None:
        shown = self.browser.get(self.page("consent/"))
        sha = HIDDEN_SHA.search(shown.text)
        ticks = [statement.id for statement in self.file.consent.statements]
        ticks += [one.id for one in self.file.consent.optional if self.expert.happens(0.6)]
        self.browser.post(self.page("consent/"), {"statement": ticks, "sha256": sha[1] if sha else ""})

    @property
    def visit(self) -> Visit:
        return Visit.objects.select_related("org", "protocol").get(participant__code=self.code)

    def orientation(self) -> None:
        self.browser.get(self.page("orientation/"))
        part = self.file.orientation
        if part.practice:
            count = self.visit.org.counts.get(part.practice.object, 0)
            self.browser.post(self.page("orientation/practice/"), {"practice": str(count)})
        if part.check:
            right = {item.id: "true" if item.answer else "false" for item in part.check.items}
            self.browser.post(self.page("orientation/check/"), right)
        self.browser.post(self.page("orientation/start/"))

    def work(self) -> None:
        here = self.browser.post(self.page("work/open/"))
        total = self.visit.attempts.count()
        leaves_at = 0 if self.expert.stays else self.expert.draw.randint(1, total)
        for number in range(1, total + 1):
            attempt = Attempt.objects.select_related("place__instance__org", "desk").get(
                visit__participant__code=self.code, position=number
            )
            self.look_around(here)
            if number == leaves_at:
                raise Left
            self.answer(attempt)
            here = self.after(number)

    def look_around(self, here: Answer) -> None:
        """A list, two of its records, and now and then a search: what anybody would open."""
        found = DESK.match(here.path)
        if not found:
            raise Unexpected(f"expected a desk, but the work led to {here.path}")
        desk, draw = found[1], self.expert.draw
        things = [thing.api for thing in self.file.objects]
        listed = self.browser.get(f"/crm/{desk}/o/{draw.choice(things)}/")
        for path in draw.sample(sorted(set(RECORD.findall(listed.text))), 1):
            self.browser.get(path)
        if self.expert.happens(0.4):
            self.browser.get(f"/crm/{desk}/search/?q={draw.choice(WORDS)}")

    def answer(self, attempt: Attempt) -> None:
        number, instance = attempt.position, attempt.place.instance
        path = self.page(f"work/{number}/answer/")
        if self.expert.happens(self.expert.rates.skip):
            reason = self.expert.draw.choice(self.file.work.skip_reasons).code
            self.browser.post(path, {"act": "skip", "reason": reason})
            self.note(f"attempt/{number}", {"outcome": "skipped", "answer": None, "reason": reason})
            return
        gold = [str(one) for one in instance.answer if one is not None]
        given = wrong_answer(attempt, self.expert.draw) if self.expert.happens(self.expert.rates.error) else gold
        confidence = self.expert.draw.choice(range(30, 101, 10))
        draft = {"answer": given, "none": not given, "withheld": False, "confidence": confidence}
        self.save(f"attempt/{number}", draft)
        form: dict[str, Any] = {"act": "next", "answer": given, "confidence": str(confidence)}
        self.browser.post(path, form if given else form | {"mark": "none", "answer": []})
        outcome = "answered" if given else "none"
        self.note(f"attempt/{number}", {"outcome": outcome, "answer": given or None, "reason": ""})

    def after(self, number: int) -> Answer:
        items = [item for module in self.file.modules_at("after_each_task") for item in module.items]
        return self.browser.post(self.page(f"work/{number}/after/"), closing_answers(items, self.expert)[0])

    def save(self, name: str, value: Any) -> None:
        sent = {"field": name, "value": value, "base": 0, "save_id": uuid.uuid4().hex, "participant": self.code}
        self.browser.save(self.page("save/"), sent)

    def rate(self) -> None:
        self.browser.get(self.page("ratings/"))
        for target in [ORG, *self.visit.object_order]:
            self.rate_one(target)

    def rate_one(self, target: str) -> None:
        path, draw = self.page(f"ratings/{target}/"), self.expert.draw
        card = self.browser.get(path)
        for link in draw.sample(LOOK.findall(card.text), min(2, len(LOOK.findall(card.text)))):
            self.browser.get(link)
        cannot = self.expert.happens(self.expert.rates.cannot_judge)
        part = self.file.rating.org if target == ORG else self.file.rating.object
        score = None if cannot else self.expert.score(self.effects[target])
        reason = draw.choice(part.cannot_judge_reasons).code if cannot else ""
        choice = str(score) if score else "cannot_judge"
        self.save(f"rating/{target}", {"choice": choice, "reason": reason})
        self.note(f"rating/{target}", {"choice": choice, "reason": reason})
        plural = "records" if target == ORG else self.file.object_text(target).plural
        form: dict[str, Any] = {"act": "next", "choice": choice, "hinted": "1"} | ({"reason": reason} if reason else {})
        for side, text in rationale(draw, score, plural).items():
            tags = [draw.choice(sorted(OFF_TAGS))] if side == "off" and self.expert.happens(0.7) else []
            self.save(f"rationale/{target}/{side}", {"text": text, "tags": tags})
            self.note(f"rationale/{target}/{side}", {"text": text, "tags": tags})
            form |= {side: text} | ({"tags": tags} if tags else {})
        self.browser.post(path, form)

    def lock(self) -> None:
        self.browser.get(self.page("lock/"))
        self.browser.post(self.page("lock/"))

    def close(self) -> None:
        for module in self.file.modules_at("after_ratings"):
            form, values = closing_answers(module.items, self.expert)
            self.browser.post(self.page(f"closing/{module.id}/"), form)
            for item, value in values.items():
                self.note(f"closing/{item}", value)
        self.browser.get(self.page("debrief/"))
        end = self.browser.post(self.page("debrief/"), {"data_choice": "keep"})
        if "/finish/" not in end.path:
            raise Unexpected(f"the debrief led to {end.path}")
