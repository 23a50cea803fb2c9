"""The course of a call: which exchanges follow one another, from the greeting to the goodbye.

What the plan of the call asks for (remarks, factors, a competitor's offer, the next step) is always there; the rest is
taken up until the call is as long as it should be. Exchanges are texts of turns: "S: … ~ P: … ~ S: …".
"""

from __future__ import annotations

from study.generator.groundwork.things import FACTORS, Call, Remark
from study.generator.talk.particulars import Topic
from study.generator.talk.wording import Wording, rule_of

Slots = dict[str, str]
_DEAL = {
    "Qualification": ("first", "first", "checkin"),
    "Discovery": ("discovery", "discovery", "demo", "checkin"),
    "Quote": ("quote", "quote", "checkin"),
    "Negotiation": ("negotiation", "negotiation", "negotiation", "checkin"),
    "Closed": ("won",),
}
_LEAD = {
    "New": ("first",), "Contacted": ("first",), "Qualified": ("first", "discovery"),
    "Proposal": ("discovery", "demo", "checkin"), "Negotiation": ("checkin", "demo", "negotiation"),
    "Closed": ("checkin",),
}  # fmt: skip
# What may be taken up beside the kind's own: rule and how readily.
_BESIDE = {
    "first": ("aside", "objection"), "discovery": ("aside", "mishap"), "demo": ("objection", "mishap"),
    "quote": ("numbers", "numbers", "objection", "mishap"), "negotiation": ("numbers", "objection", "mishap"),
    "vague": ("aside",),
    "won": ("numbers", "mishap", "aside"), "lost": ("aside",), "checkin": ("numbers", "objection", "aside", "mishap"),
}  # fmt: skip
_TALKATIVE = {"talkative": 0.75, "cheerful": 0.6, "hesitant": 0.4, "plain": 0.35, "technical": 0.2, "brisk": 0.05}


def kind_of(call: Call, topic: Topic, slots: Slots, wording: Wording) -> str:
    """What sort of call it is: by stage or status, and by what there is to talk about."""
    draw = wording.draw
    if topic.lead is not None:
        if "Need" in (topic.lead.missing or ()):
            return "vague"
        return draw.pick(_LEAD.get(call.topic, ("checkin",)))
    deal = topic.deal
    if call.topic == "Closed" and deal is not None and deal.won is False:
        return "lost"
    kind = draw.pick(_DEAL.get(call.topic, ("checkin",)))
    return "discovery" if kind == "quote" and "quote" not in slots else kind


class Discourse:
    """Plans and words one call after another."""

    def __init__(self, wording: Wording) -> None:
        self.wording, self.draw, self.say = wording, wording.draw, wording.say

    def exchanges(self, call: Call, topic: Topic, slots: Slots, first: bool) -> list[str]:
        """The exchanges of a call in order."""
        kind = kind_of(call, topic, slots, self.wording)
        planned = slots
        if kind == "vague":
            # Nobody speaks of a need that there is not, but where the plan says so.
            slots = {name: text for name, text in slots.items() if name not in ("need", "site")}
        turns = round(min(40, max(8, 14 * self.draw.lognormal(0.42))))
        opening = [self.say("open_first" if first else "open_again", slots)]
        if self.draw.chance(_TALKATIVE[topic.persona]):
            rule = f"smalltalk_{slots['season']}" if self.draw.chance(0.7) else "smalltalk_any"
            opening.append(self.say(rule, slots))
        opening.append(self.say(f"purpose_{kind}", slots))
        middle = self._needed(call, planned)
        ending = [self.say("next_step", slots)] if kind != "lost" else []
        if not ending or turns < 10 or topic.persona != "brisk" or self.draw.chance(0.5):
            ending.append(self.say("bye", slots))
        self._fill(kind, middle, slots, turns - _turns(opening) - _turns(middle) - _turns(ending))
        return [text for text in (*opening, *middle, *ending) if text]

    def _needed(self, call: Call, slots: Slots) -> list[str]:
        """What the plan asks for; corrections come after what they correct."""
        blocks: list[list[str]] = [[self._remark(remark, slots)] for remark in call.remarks]
        if "offer" in call.facts:
            rival = slots | {"competitor": call.facts["competitor"]}
            blocks.append([self.say("rival_offer", rival)])
        corrected: list[str] = []
        for factor in FACTORS:
            if factor in call.settles:
                block, correction = self._factor(factor, call.settles[factor], slots)
                blocks.append(block)
                corrected += correction
        blocks = self.draw.shuffled(blocks)
        middle = [text for block in blocks for text in block]
        return middle + corrected

    def _remark(self, remark: Remark, slots: Slots) -> str:
        slots = slots | {"subtopic": remark.subtopic}
        if remark.competitor:
            known = self.wording.known_for(remark.competitor, remark.subtopic)
            rule = f"rival_{remark.sentiment}"
            slots["competitor"] = remark.competitor
            fits = {"positive": "strength", "negative": "weakness"}.get(remark.sentiment)
            if known and known[0] == fits and self.draw.chance(0.8):
                slots[known[0]] = known[1]
                rule += "_known"
            return self.say(rule, slots)
        name = rule_of(remark.subtopic)
        about = name if self.wording.has(f"{remark.sentiment}_{name}") else "any"
        felt = remark.sentiment
        form = self.draw.pick((
            f"S: <ask_{about}> ~ P: <{felt}_{about}> ~ S: <ack_{felt}>", f"P: <{felt}_{about}> ~ S: <ack_{felt}>",
            f"S: <ask_{about}> ~ P: <{felt}_{about}>", f"P: <remark_lead_in> <{felt}_{about}> ~ S: <ack_{felt}>",
            f"S: <ask_lead_in> <ask_{about}> ~ P: <{felt}_{about}> ~ S: <ack_{felt}>",
        ))  # fmt: skip
        return self.wording.line(form, slots)

    def _factor(self, factor: str, met: bool, slots: Slots) -> tuple[list[str], list[str]]:
        """A factor asked and answered; sometimes asked back, sometimes answered wrongly and corrected later."""
        name, draw, line = factor.lower(), self.draw, self.wording.line
        word, wrong = ("yes", "no") if met else ("no", "yes")
        ask, ack = f"S: <ask_{name}>", "S: <factor_ack>"
        if draw.chance(0.12):
            ask += f" ~ P: <asked_back_{name}>"
        if factor in ("Authority", "Need") and draw.chance(0.1):
            block = line(f"{ask} ~ P: <{wrong}_{name}> ~ {ack}", slots).replace(f"«{factor}:", "").replace("»", "")
            fix = line(f"P: <fix_lead_in> <{word}_{name}> ~ S: <fix_ack>", slots)
            return [block], [fix]
        answer = f"P: <{word}_{name}>"
        form = draw.pick(
            (f"{ask} ~ {answer} ~ {ack}", f"{ask} ~ {answer}", f"{ask} ~ P: <slow_to_say> <{word}_{name}> ~ {ack}")
        )
        if draw.chance(0.12):
            form = f"P: <volunteers> <{word}_{name}> ~ {ack}"
        return [line(form, slots)], []

    def _fill(self, kind: str, middle: list[str], slots: Slots, room: int) -> None:
        """More exchanges of the kind, anywhere but between what belongs together, until the call is long enough."""
        beside, seen = _BESIDE[kind], set[str]()
        while room > 1:
            rule = f"body_{kind}" if self.draw.chance(0.7) else self.draw.pick(beside)
            text = self.say(rule, slots)
            key = text[:32]
            if not text or key in seen:
                room -= 1
                continue
            seen.add(key)
            middle.insert(self.draw.whole(0, len(middle)), text)
            room -= text.count(" ~ ") + 1


def _turns(exchanges: list[str]) -> int:
    return sum(text.count(" ~ ") + 1 for text in exchanges)
