"""Hands that use the real pages: a browser of one's own, from the link in the letter to the code."""

from __future__ import annotations

import re
import uuid
from typing import Any
from urllib.parse import quote

from study.assignment.models import Visit
from study.fieldwork.models import Attempt, CardShown
from study.fieldwork.simulation.hands import Form, TimeIsUp, Unexpected
from study.fieldwork.simulation.http_client import Answer, Browser
from study.fieldwork.simulation.washout import pass_washout
from study.protocols.hour import Module, Move
from study.protocols.parts import Item

DESK = re.compile(r"^/crm/([^/]+)/")
LOOK = re.compile(r'href="(/crm/[^"]+/r/[^"/]+/)"[^>]*data-look=')
HIDDEN_SHA = re.compile(r'name="sha256" value="([0-9a-f]{64})"')
RECORD = re.compile(r'href="/crm/[^"]+/r/([^"/]+)/"')


class OverHttp:
    """The hands of somebody with a browser and the link of their letter."""

    def __init__(self, browser: Browser, link: str) -> None:
        self.browser, self.link, self.code = browser, link, ""
        self.here = Answer("", 0, "")
        self.looks: dict[str, str] = {}

    @property
    def visit(self) -> Visit:
        found = Visit.objects.select_related("org", "protocol", "participant__study", "participant__cohort")
        return found.filter(participant__code=self.code).order_by("-period")[0]

    def page(self, path: str) -> str:
        return f"/hour/{self.code}/{path}"

    def arrive(self) -> None:
        self.browser.get(self.link)
        arrived = self.browser.post(self.link)
        found = re.match(r"^/hour/([^/]+)/", arrived.path)
        if not found:
            raise Unexpected(f"the confirm page led to {arrived.path}")
        self.code = found[1]

    def screen(self, form: Form) -> bool:
        self.browser.get(self.page("screener/"))
        return "/consent/" in self.browser.post(self.page("screener/"), form).path

    def consent(self, ticks: list[str]) -> None:
        sha = HIDDEN_SHA.search(self.browser.get(self.page("consent/")).text)
        self.browser.post(self.page("consent/"), {"statement": ticks, "sha256": sha[1] if sha else ""})
        self.browser.get(self.page("orientation/"))

    def wait(self, seconds: float) -> None:
        """Time is the server's own here."""

    # --- orientation

    def start_move(self, move: Move) -> None:
        self.here = self.browser.post(self.page(f"orientation/moves/{move.id}/start/"))

    def do_move(self, move: Move) -> None:
        row = self.visit.moves.filter(move=move.id).first()
        if row is None or not DESK.match(self.here.path):
            # This Org has nothing to draw the move from.
            return
        there = self.here.path
        ways = {"find": f"r/{row.record}/", "filter": f"o/{move.object}/?s.{move.field}={quote(row.value)}"}
        shown = self.browser.get(there + ways.get(move.kind, f"r/{row.record}/")).text
        if move.kind == "follow":
            found = re.search(rf'href="({re.escape(there)}r/{row.record}/related/{move.related}\.\w+/)"', shown)
            if found:
                self.browser.get(found[1])
        self.browser.get(self.page("orientation/"))

    def leave_move(self, move: Move) -> None:
        self.browser.post(self.page(f"orientation/moves/{move.id}/leave/"))

    def orient(self, practice: str | None, check: Form | None) -> None:
        if practice is not None:
            self.browser.post(self.page("orientation/practice/"), {"practice": practice})
        if check is not None:
            self.browser.post(self.page("orientation/check/"), check)
        self.browser.post(self.page("orientation/start/"))
        self.here = self.browser.post(self.page("work/open/"))

    # --- work

    @property
    def desk(self) -> str:
        found = DESK.match(self.here.path)
        if not found:
            raise Unexpected(f"expected a desk, but the work led to {self.here.path}")
        return f"/crm/{found[1]}/"

    def open_question(self, number: int) -> None:
        if "/ratings/" in self.here.path:
            raise TimeIsUp
        self.browser.get(self.desk)

    def list_records(self, thing: str) -> list[str]:
        return sorted(set(RECORD.findall(self.browser.get(f"{self.desk}o/{thing}/").text)))

    def open_record(self, record: str) -> None:
        self.browser.get(f"{self.desk}r/{record}/")

    def search(self, text: str) -> None:
        self.browser.get(f"{self.desk}search/?q={quote(text)}")

    def answer(self, attempt: Attempt, form: Form) -> None:
        self.here = self.browser.post(self.page(f"work/{attempt.position}/answer/"), form)

    def say_after(self, attempt: Attempt, items: list[Item], form: Form) -> None:
        self.here = self.browser.post(self.page(f"work/{attempt.position}/after/"), form)

    def save(self, name: str, value: Any, base: int = 0) -> int:
        whose = self.visit.owner
        sent = {"field": name, "value": value, "base": base, "save_id": uuid.uuid4().hex, "participant": whose}
        return int(self.browser.save(self.page("save/"), sent)["version"])

    # --- ratings

    def begin_ratings(self) -> None:
        self.browser.get(self.page("ratings/"))

    def show_card(self, target: str) -> list[str]:
        links = LOOK.findall(self.browser.get(self.page(f"ratings/{target}/")).text)
        self.looks |= {link.rstrip("/").rpartition("/")[2]: link for link in links}
        return [link.rstrip("/").rpartition("/")[2] for link in links]

    def look_at(self, record: str) -> None:
        self.browser.get(self.looks[record])

    def do_not_know(self, target: str) -> None:
        self.browser.post(self.page(f"ratings/{target}/unfamiliar/"))

    def attach(self, target: str, side: str, record: str) -> None:
        self.browser.post(self.page(f"ratings/{target}/evidence/attach/"), {"attach": f"{side}:{record}:"})

    def leave_card(self, target: str, form: Form) -> None:
        self.browser.post(self.page(f"ratings/{target}/"), form)

    def leave_matrix(self, form: Form) -> None:
        # Refused while a row is open; the lock then asks whether it may stay so.
        self.browser.post(self.page("ratings/all/"), form, expect=(200, 422))

    def lock(self, *, leave_open: bool) -> None:
        self.browser.get(self.page("lock/"))
        self.browser.post(self.page("lock/"), {"leave_open": "yes"} if leave_open else {})

    # --- after the lock

    def closing_cards(self, module: Module) -> list[CardShown]:
        """Drawn when the module is opened."""
        self.browser.get(self.page(f"closing/{module.id}/"))
        return list(CardShown.objects.filter(visit=self.visit.pk, module=module.id))

    def show_closing_card(self, card: CardShown) -> None:
        self.browser.get(self._card(card))

    def leave_closing_card(self, card: CardShown, choice: str) -> None:
        self.browser.post(self._card(card), {"choice": choice, "version": "1"})

    def _card(self, card: CardShown) -> str:
        return self.page(f"closing/{card.module}/{card.position}/")

    def show_module(self, module: Module) -> None:
        self.browser.get(self.page(f"closing/{module.id}/"))

    def answer_module(self, module: Module, form: Form) -> None:
        self.browser.post(self.page(f"closing/{module.id}/"), form)

    def end_visit(self) -> None:
        self.browser.get(self.page("closing/"))

    def come_again(self) -> None:
        pass_washout(self.visit)
        self.browser.get(self.page("next/"))
        begun = self.browser.post(self.page("next/begin/"))
        if "/orientation/" not in begun.path:
            raise Unexpected(f"the next visit led to {begun.path}")

    def finish(self) -> None:
        self.browser.get(self.page("debrief/"))
        end = self.browser.post(self.page("debrief/"), {"data_choice": "keep"})
        if "/finish/" not in end.path:
            raise Unexpected(f"the debrief led to {end.path}")

    def go_away(self) -> None:
        """Nobody is told."""

    def stop(self) -> None:
        self.browser.closed = True
