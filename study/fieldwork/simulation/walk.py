"""One simulated expert walks the real pages from the invitation to the code, and notes what was acknowledged.

Everything done goes over HTTP. The database is only read, for what no page may tell: the answer key (to be right or
wrong at the stated rate) and the names of the records to be wrong with.
"""

from __future__ import annotations

import random
import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from study.assignment.models import Visit
from study.fieldwork.models import Attempt, CardShown
from study.fieldwork.modules import modules_of
from study.fieldwork.ratings import CANNOT_JUDGE, OFF_TAGS, ORG, has_tags, inner, sides_of
from study.fieldwork.simulation.answering import wrong_answer
from study.fieldwork.simulation.experts import Expert
from study.fieldwork.simulation.forms import item_answers, screener_answers
from study.fieldwork.simulation.http_client import Answer, Browser, Unexpected
from study.fieldwork.simulation.ledger import Ledger
from study.fieldwork.simulation.links import card_choice
from study.fieldwork.simulation.words import rationale
from study.fieldwork.working import COLUMNS
from study.people.models import Participant
from study.people.protocol import file_of, protocol_of
from study.protocols.hour import Module, Move
from study.protocols.schema import ProtocolFile

DESK = re.compile(r"^/crm/([^/]+)/")
LOOK = re.compile(r'href="(/crm/[^"]+/r/[^"/]+/)"[^>]*data-look=')
HIDDEN_SHA = re.compile(r'name="sha256" value="([0-9a-f]{64})"')
RECORD = re.compile(r'href="(/crm/[^"]+/r/[^"/]+/)"')
COMPLETED, SCREENED_OUT, DROPPED, FAILED = ENDS = ("completed", "screened out", "dropped", "failed")
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
    file: ProtocolFile = field(init=False)

    def page(self, path: str) -> str:
        return f"/hour/{self.code}/{path}"

    def note(self, name: str, value: Any, version: int | None = None) -> None:
        self.ledger.note(self.code, name, value, version)

    def go(self, link: str) -> str:
        """The whole way; how it ended: completed, screened out or dropped. Raises Unexpected."""
        steps: tuple[Callable[[], None], ...] = (
            self.consent, self.orientation, self.work, self.rate, self.lock, self.close,
        )  # fmt: skip
        if not self.join(link):
            return SCREENED_OUT
        try:
            for step in steps:
                step()
        except Left:
            return DROPPED
        return COMPLETED

    def join(self, link: str) -> bool:
        self.browser.get(link)
        arrived = self.browser.post(link)
        found = re.match(r"^/hour/([^/]+)/", arrived.path)
        if not found:
            raise Unexpected(f"the confirm page led to {arrived.path}")
        self.code = found[1]
        participant = Participant.objects.select_related("cohort").get(code=self.code)
        self.file = file_of(protocol_of(participant.cohort))
        answers = screener_answers(self.file, self.expert)
        self.browser.get(self.page("screener/"))
        after = self.browser.post(self.page("screener/"), answers)
        return "/consent/" in after.path

    def consent(self) -> None:
        shown = self.browser.get(self.page("consent/"))
        sha = HIDDEN_SHA.search(shown.text)
        ticks = [statement.id for statement in self.file.consent.statements]
        ticks += [one.id for one in self.file.consent.optional if self.expert.happens(0.6, f"consent/{one.id}")]
        self.browser.post(self.page("consent/"), {"statement": ticks, "sha256": sha[1] if sha else ""})

    @property
    def visit(self) -> Visit:
        return Visit.objects.select_related("org", "protocol").get(participant__code=self.code)

    def orientation(self) -> None:
        self.browser.get(self.page("orientation/"))
        part = self.file.orientation
        for move in part.moves.items if part.moves else ():
            self.move(move)
        if part.practice:
            count = self.visit.org.counts.get(part.practice.object, 0)
            self.browser.post(self.page("orientation/practice/"), {"practice": str(count)})
        if part.check:
            right = {item.id: "true" if item.answer else "false" for item in part.check.items}
            self.browser.post(self.page("orientation/check/"), right)
        self.browser.post(self.page("orientation/start/"))

    def move(self, move: Move) -> None:
        """Begin a timed move and do it, or leave it now and then."""
        there = self.browser.post(self.page(f"orientation/moves/{move.id}/start/")).path
        row = self.visit.moves.filter(move=move.id).first()
        if row is None or self.expert.happens(0.05, f"move/{move.id}"):
            self.browser.post(self.page(f"orientation/moves/{move.id}/leave/"))
            return
        ways = {"find": f"r/{row.record}/", "filter": f"o/{move.object}/?s.{move.field}={quote(row.value)}"}
        self.browser.get(there + ways.get(move.kind, f"r/{row.record}/"))
        if move.kind == "follow":
            shown = self.browser.get(f"{there}r/{row.record}/").text
            found = re.search(rf'href="({re.escape(there)}r/{row.record}/related/{move.related}\.\w+/)"', shown)
            if found:
                self.browser.get(found[1])
        self.browser.get(self.page("orientation/"))

    def work(self) -> None:
        here = self.browser.post(self.page("work/open/"))
        total = self.visit.attempts.count()
        leaves_at = 0 if self.expert.stays else self.expert.draw("leaves").randint(1, total)
        for number in range(1, total + 1):
            attempt = Attempt.objects.select_related("place__instance__org", "desk").get(
                visit__participant__code=self.code, position=number
            )
            found = DESK.match(here.path)
            if not found:
                raise Unexpected(f"expected a desk, but the work led to {here.path}")
            self.look_around(found[1], attempt)
            if number == leaves_at:
                raise Left
            here = self.answer(found[1], attempt)

    def look_around(self, desk: str, attempt: Attempt) -> None:
        """Lists, some of their records, and now and then a search: what anybody would open."""
        draw = self.expert.draw(f"around/{attempt.position}")
        things = [thing.api for thing in self.file.objects]
        wanted = attempt.place.instance.answer_object
        for thing in dict.fromkeys([*([wanted] if wanted in things else []), draw.choice(things)]):
            listed = sorted(set(RECORD.findall(self.browser.get(f"/crm/{desk}/o/{thing}/").text)))
            for path in draw.sample(listed, min(len(listed), draw.choice((1, 1, 2)))):
                self.browser.get(path)
        if draw.random() < 0.4:
            self.browser.get(f"/crm/{desk}/search/?q={draw.choice(WORDS)}")

    def answer(self, desk: str, attempt: Attempt) -> Answer:
        """Skip, say that nothing fits, or answer; then the short lines. Where that led."""
        number, instance, expert = attempt.position, attempt.place.instance, self.expert
        path, draw = self.page(f"work/{number}/answer/"), expert.draw(f"answer/{number}")
        if expert.happens(expert.rates.skip, f"skip/{number}"):
            reason = draw.choice(self.file.work.skip_reasons).code
            sent = self.browser.post(path, {"act": "skip", "reason": reason})
            self.note(f"attempt/{number}", {"outcome": "skipped", "answer": None, "reason": reason})
            return self.after(number, sent, "")
        confidence = draw.choice(range(30, 101, 10))
        given = [str(one) for one in instance.answer if one is not None]
        if expert.happens(expert.rates.error, f"error/{number}"):
            given = wrong_answer(attempt, draw)
        if given and instance.answer_type == "record":
            self.browser.get(f"/crm/{desk}/r/{given[0]}/")
        draft = {"answer": given, "none": not given, "withheld": False, "confidence": confidence}
        self.save(f"attempt/{number}", draft)
        form: dict[str, Any] = {"act": "next", "answer": given, "confidence": str(confidence)}
        sent = self.browser.post(path, form if given else form | {"mark": "none", "answer": []})
        outcome = "answered" if given else "none"
        self.note(f"attempt/{number}", {"outcome": outcome, "answer": given or None, "reason": ""})
        return self.after(number, sent, str(confidence))

    def after(self, number: int, here: Answer, confidence: str) -> Answer:
        """The short lines after a question. How sure one is was told before, or there is nothing to be sure of."""
        modules = self.file.modules_at("after_each_task")
        items = [item for module in modules for item in module.items if item.id != "confidence"]
        values: dict[str, Any] = {}
        if items:
            form, values = item_answers(items, self.expert, f"after/{number}")
            here = self.browser.post(self.page(f"work/{number}/after/"), form)
        lines = {item: value for item, value in values.items() if item in COLUMNS}
        self.note(f"after/{number}", {"confidence": confidence} | lines)
        for item in values.keys() - COLUMNS:
            self.note(f"closing/{item}.{number}", values[item])
        return here

    def save(self, name: str, value: Any, base: int = 0) -> int:
        """One autosave; the version it was acknowledged with."""
        sent = {"field": name, "value": value, "base": base, "save_id": uuid.uuid4().hex, "participant": self.code}
        return int(self.browser.save(self.page("save/"), sent)["version"])

    def rate(self) -> None:
        self.browser.get(self.page("ratings/"))
        whole: dict[str, Any] = {"act": "next", "hinted": "1"}
        for target in [ORG, *self.visit.object_order]:
            form = self.rate_one(target)
            if self.file.rating.layout == "cards":
                self.browser.post(self.page(f"ratings/{target}/"), whole | form)
            else:
                whole |= {f"{target}.{name}": value for name, value in form.items()}
        if self.file.rating.layout == "matrix":
            self.browser.post(self.page("ratings/all/"), whole)

    def rate_one(self, target: str) -> dict[str, Any]:
        """Look, choose, say why, now and then with a record as evidence; what the form of the card then holds."""
        path, draw = self.page(f"ratings/{target}/"), self.expert.draw(f"card/{target}")
        links = LOOK.findall(self.browser.get(path).text)
        opened = draw.sample(links, min(2, len(links)))
        for link in opened:
            self.browser.get(link)
        score, choice = self.choose(target)
        form: dict[str, Any] = {name: text for name, text in choice.items() if text}
        for one in self.file.rating.dimensions if target != ORG and score is not None else ():
            self.save(f"rating/{target}/{one.code}", {"choice": str(score)})
        for side, text in self.reasons(target, score, draw).items():
            tags = [draw.choice(sorted(OFF_TAGS))] if side == "off" and draw.random() < 0.7 else []
            # A strict replication offers no tags to tick.
            tags = tags if has_tags(self.visit) else []
            words = {"text": text, "tags": tags}
            self.note(f"rationale/{target}/{side}", words, self.save(f"rationale/{target}/{side}", words))
            form |= {side: text} | ({"tags": tags} if tags else {})
            if self.file.rating.evidence and opened and self.expert.happens(0.4, f"evidence/{target}/{side}"):
                record = opened[-1].rstrip("/").rpartition("/")[2]
                self.browser.post(f"{path}evidence/attach/", {"attach": f"{side}:{record}:"})
        return form

    def reasons(self, target: str, score: int | None, draw: random.Random) -> dict[str, str]:
        """Texts by box; a replication has a single one."""
        plural = "records" if target == ORG else inner(self.file.object_text(target).plural)
        texts = rationale(draw, score, plural)
        return {"why": " ".join(texts.values())} if sides_of(self.visit) == ["why"] and texts else texts

    def choose(self, target: str) -> tuple[int | None, dict[str, str]]:
        """Click an option, now and then another one before; the score if there is one, and what was chosen."""
        expert, name = self.expert, f"rating/{target}"
        part = self.file.rating.org if target == ORG else self.file.rating.object
        score = None
        if expert.happens(expert.rates.cannot_judge, f"cannot/{target}"):
            reason = expert.draw(f"reason/{target}").choice(part.cannot_judge_reasons).code
            clicks = [{"choice": CANNOT_JUDGE, "reason": reason}]
        else:
            score = expert.score(target, self.effects[target])
            points = dict.fromkeys((expert.first_choice(target, score), score))
            clicks = [{"choice": str(point), "reason": ""} for point in points]
        version = 0
        for click in clicks:
            version = self.save(name, click, version)
            self.note(name, click, version)
        return score, clicks[-1]

    def lock(self) -> None:
        self.browser.get(self.page("lock/"))
        self.browser.post(self.page("lock/"))

    def rate_cards(self, module: Module) -> None:
        """Cards are drawn when the module is opened; what stands behind each is read where no page tells it."""
        if module.cards is None:
            return
        self.browser.get(self.page(f"closing/{module.id}/"))
        for card in CardShown.objects.filter(visit__participant__code=self.code, module=module.id):
            path, name = self.page(f"closing/{module.id}/{card.position}/"), f"card/{card.target}"
            self.browser.get(path)
            choice = card_choice(self.expert, card.target, card.kind, card.detail, self.expert.draw(name))
            self.note(name, {"choice": choice, "reason": ""}, self.save(name, {"choice": choice}))
            self.browser.post(path, {"choice": choice, "version": "1"})

    def close(self) -> None:
        for module in modules_of(self.visit):
            self.rate_cards(module)
            if not module.items:
                continue
            form, values = item_answers(module.items, self.expert, f"closing/{module.id}")
            self.browser.post(self.page(f"closing/{module.id}/"), form)
            for item, value in values.items():
                self.note(f"closing/{item}", value)
        self.browser.get(self.page("debrief/"))
        end = self.browser.post(self.page("debrief/"), {"data_choice": "keep"})
        if "/finish/" not in end.path:
            raise Unexpected(f"the debrief led to {end.path}")
