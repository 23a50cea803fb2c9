"""How an expert rates one card: the look, the choice and the one before it, why, and a record as evidence."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from study.assignment.models import Visit
from study.fieldwork import ratings
from study.fieldwork.ratings import CANNOT_JUDGE, ORG
from study.fieldwork.simulation import distributions as given
from study.fieldwork.simulation.experts import some_of
from study.fieldwork.simulation.words import careless_text, rationale
from study.protocols.parts import RATHER_NOT
from study.protocols.schema import ProtocolFile

if TYPE_CHECKING:
    from study.fieldwork.simulation.walk import Walk


@dataclass
class Rater:
    """The cards of one visit. ``left_open`` says whether one was left without a choice."""

    walk: Walk
    visit: Visit
    file: ProtocolFile
    effects: dict[str, float]
    left_open: bool = False

    def rate(self, target: str) -> dict[str, Any]:
        """What the form of the card holds in the end; empty for a card that is left open."""
        walk, expert, hands = self.walk, self.walk.expert, self.walk.hands
        draw = expert.draw(f"card/{target}")
        opened = self.look(target, hands.show_card(target), expert.draw(f"look/{target}"))
        hands.wait(expert.seconds(f"card/{target}", given.CARD_SECONDS))
        score, choice = self.choose(target)
        if not choice:
            self.left_open = True
            return {}
        form: dict[str, Any] = {name: text for name, text in choice.items() if text}
        for one in self.file.rating.dimensions if target != ORG and score is not None else ():
            point = expert.score(f"{target}/{one.code}", self.effects[target])
            form[f"dimension_{one.code}"] = str(point)
            walk.save(f"rating/{target}/{one.code}", {"choice": str(point), "reason": ""})
        if choice["choice"] == RATHER_NOT:
            return form
        for side, text in self.reasons(target, score, draw).items():
            hands.wait(expert.seconds(f"box/{target}/{side}", given.BOX_SECONDS))
            tagged = side == "off" and draw.random() < given.TAGGED
            tag = draw.choice(sorted(ratings.OFF_TAGS))
            # A strict replication offers no tags to tick.
            tags = [tag] if tagged and ratings.has_tags(self.visit) else []
            pasted = len(text) if expert.kind == "paster" else 0
            seconds = round(expert.seconds(f"box/{target}/{side}", given.BOX_SECONDS))
            facts = [pasted, int(pasted > 0), seconds]
            walk.save(f"rationale/{target}/{side}", {"text": text, "tags": tags, "facts": facts})
            form |= {side: text} | ({"tags": tags} if tags else {})
            if self.file.rating.evidence and opened and expert.happens(given.EVIDENCE, f"evidence/{target}/{side}"):
                hands.attach(target, side, opened[-1])
        return form

    def look(self, target: str, records: list[str], draw: random.Random) -> list[str]:
        """Open some of the records on offer; who opens none says that they don't know this kind of record."""
        walk, expert = self.walk, self.walk.expert
        if target == ORG or not records:
            return []
        if expert.kind == "speeder":
            walk.hands.do_not_know(target)
            return []
        opened = some_of(records, expert.attention, len(records), draw)
        for record in opened:
            walk.hands.look_at(record)
            walk.read(f"look/{target}/{record}", given.RECORD_SECONDS)
        return opened

    def choose(self, target: str) -> tuple[int | None, dict[str, str]]:
        """Click an option, now and then another one before; the score if there is one, and what was chosen, if any."""
        expert, name, clicks = self.walk.expert, f"rating/{target}", []
        score: int | None = expert.score(target, self.effects[target])
        if expert.happens(expert.rates.cannot_judge, f"cannot/{target}"):
            score, clicks = None, [{"choice": CANNOT_JUDGE, "reason": self.why_not(target)}]
        elif expert.happens(expert.rates.rather_not, f"rather not/{target}"):
            score, clicks = None, [{"choice": RATHER_NOT, "reason": ""}]
        elif self.leaves_open(target, score or 0):
            return None, {}
        else:
            points = dict.fromkeys((expert.first_choice(target, score or 0), score))
            clicks = [{"choice": str(point), "reason": ""} for point in points]
        version = 0
        for number, click in enumerate(clicks):
            if number:
                self.walk.read(f"again/{target}", given.ITEM_SECONDS)
            version = self.walk.save(name, click, version)
        return score, clicks[-1]

    def leaves_open(self, target: str, score: int) -> bool:
        """Not missing at random: bad cards stay open more often. The Org's card comes first and is never left."""
        more = given.OPEN_WHERE_LOW if score <= 2 else 1.0
        return target != ORG and self.walk.expert.happens(
            min(1.0, self.walk.expert.rates.left_open * more), f"open/{target}"
        )

    def why_not(self, target: str) -> str:
        """Where records were shown first, "not seen" is no reason."""
        part = self.file.rating.org if target == ORG else self.file.rating.object
        shown = target != ORG and self.file.rating.look is not None
        codes = [one.code for one in part.cannot_judge_reasons if not (shown and one.code == ratings.UNSEEN_REASON)]
        return self.walk.expert.one_of(
            f"reason/{target}", {code: given.CANNOT_REASONS.get(code, 0.1) for code in codes}
        )

    def reasons(self, target: str, score: int | None, draw: random.Random) -> dict[str, str]:
        """Texts by box; a replication has a single one. Careless kinds write one thing into every box."""
        sides = ratings.sides_of(self.visit)
        if text := careless_text(self.walk.expert):
            return dict.fromkeys(sides, text) if self.walk.expert.kind == "paster" else {sides[0]: text}
        plural = "records" if target == ORG else ratings.inner(self.file.object_text(target).plural)
        texts = rationale(draw, score, plural)
        return {"why": " ".join(texts.values())} if sides == ["why"] and texts else texts
