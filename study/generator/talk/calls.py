"""The words of calls: a transcript for every call that is planned, and what can be found again in it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.things import FACTORS, Call, Deal, Lead, Row, Sales
from study.generator.talk.discourse import Discourse
from study.generator.talk.particulars import PERSONAS, Topic, call_slots, topic_of
from study.generator.talk.turns import Speaking, note, transcript
from study.generator.talk.wording import Wording

_OBJECT, _FIELD = "VoiceCallTranscript__c", "Body__c"
# Particulars of the plan that are told of a call if they were said, most telling first.
_TOLD = ("quote", "amount", "competitor", "offer", "budget", "next_day", "product")
_AT_MOST = 6


def write_calls(branch: Branch, sales: Sales) -> None:
    """Write the body of every call, add the rows, and tell what was said. Ids are given where a call has none yet."""
    wording = Wording(branch, "words of calls", "talk_calls.yaml", "calls.yaml")
    writer = _Writer(wording)
    planned: list[tuple[Call, Topic]] = []
    talked_of: list[Lead | Deal] = [*sales.leads, *sales.deals]
    for of in talked_of:
        if of.calls:
            topic = topic_of(wording, of)
            planned += [(call, topic) for call in of.calls]
    planned.sort(key=lambda entry: (entry[0].start, entry[0].id))
    met: set[tuple[str, str]] = set()
    for call, topic in planned:
        pair = (call.member.id, topic.name)
        writer.write(call, topic, pair not in met)
        met.add(pair)
    for call, _topic in planned:
        call.id = call.id or branch.new_id(_OBJECT)
        writer.tell(call)
    branch.add(_OBJECT, (_row(call, topic) for call, topic in planned))


def _row(call: Call, topic: Topic) -> Row:
    return {
        "Id": call.id,
        "Body__c": call.body,
        "CreatedDate": call.start,
        "EndTime__c": call.end,
        "LeadId__c": topic.lead.id if topic.lead else None,
        "OpportunityId__c": topic.deal.id if topic.deal else None,
    }


class _Writer:
    def __init__(self, wording: Wording) -> None:
        self.wording, self.branch = wording, wording.branch
        self.discourse, self.speaking = Discourse(wording), Speaking(wording)
        self._personas: dict[str, str] = {}
        self._said: dict[int, dict[str, str]] = {}

    def write(self, call: Call, topic: Topic, first: bool) -> None:
        slots = call_slots(self.wording, topic, call)
        self.wording.phrases.begin()
        exchanges = self.discourse.exchanges(call, topic, slots, first)
        personas = {"S": self._persona(call), "P": topic.persona}
        turns = self.speaking.turns(exchanges, personas, slots)
        names = {"S": call.member.name, "P": topic.name}
        if self.branch.plan.ingredients.quoting:
            call.body, marked = transcript(turns, names)
        else:
            call.body, marked = note(turns, names, call, self.wording.draw)
        said = {factor: marked[factor] for factor in FACTORS if factor in marked}
        said |= {slot: call.facts[slot] for slot in _TOLD if call.facts.get(slot) and call.facts[slot] in call.body}
        self._said[id(call)] = dict(list(said.items())[:_AT_MOST])
        # The plan says how long it took; nobody says more than three words a second.
        spoken = timedelta(seconds=len(call.body) // 17)
        call.end = min(max(call.end, call.start + spoken), max(self.branch.now, call.start + timedelta(seconds=30)))

    def tell(self, call: Call) -> None:
        for slot, text in self._said.pop(id(call)).items():
            said: dict[str, Any] = {"object": _OBJECT, "field": _FIELD, "slot": slot, "text": text}
            if slot in FACTORS:
                said["met"] = call.settles[slot]
            self.branch.tell("said", call.id, **said)

    def _persona(self, call: Call) -> str:
        """How one of ours speaks, the same in all calls."""
        found = self._personas.get(call.member.id)
        if found is None:
            found = self._personas[call.member.id] = self.branch.draw(f"voice {call.member.id}").pick(PERSONAS)
        return found
