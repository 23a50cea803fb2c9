"""From exchanges to a transcript: who says what, with the ways of speaking of two people, as a recorder writes it."""

from __future__ import annotations

import re

from study.generator.groundwork.draw import Draw
from study.generator.groundwork.phrases import one_dot, sentence_case
from study.generator.groundwork.things import Call
from study.generator.talk.wording import Wording

_MARK = re.compile(r"«(\w+):([^»]*)»")
# Turns that begin like this are left without a filler.
_BEGUN = re.compile(
    r"(hi|hello|hey|good|yes|no|well|so|um|hm|uh|thanks|thank|bye|right|okay|ok|sure|oh|ah|fine|great|perfect|mm|honestly|"
    r"look|listen|sorry|hang|wait|one|I|frankly|actually|nice|done|agreed|glad)\b"
)
# Ends of turns that ask how one is.
_COURTESY = re.compile(r"(?:and you|yourself|busy as always|how about [^?]+|on your side|what's new)\?$")
_FILLERS = {"hesitant": 0.3, "talkative": 0.25, "cheerful": 0.15, "technical": 0.12, "brisk": 0.1, "plain": 0.12}
_TAILS = {"talkative": 0.16, "hesitant": 0.1, "cheerful": 0.09}
# A turn longer than this is broken by a word of the other side.
_LONG, _SHORT, _BRIEF = 240, 70, 36


class Speaking:
    """Puts exchanges into the mouths of two people. The speakers are "S" (ours) and "P"."""

    def __init__(self, wording: Wording) -> None:
        self.wording, self.draw = wording, wording.draw

    def turns(self, exchanges: list[str], personas: dict[str, str], slots: dict[str, str]) -> list[tuple[str, str]]:
        """(speaker, text) in order; two turns of one speaker in a row become one or are parted by the other."""
        found: list[tuple[str, str]] = []
        for exchange in exchanges:
            for turn in exchange.split(" ~ "):
                who = turn[0]
                text = self._spoken(turn[3:], personas[who], slots, who == "P")
                if found and found[-1][0] == who:
                    before = found[-1][1]
                    if self._goes_on(who, before, text):
                        found[-1] = (who, f"{before} {text}")
                        continue
                    found.append(("P" if who == "S" else "S", self._between(who, before, slots)))
                found.append((who, text))
        return found

    def _goes_on(self, who: str, before: str, text: str) -> bool:
        """Ours answer and ask in one breath; the other side rarely changes the subject without a word of ours. A
        question waits for its answer."""
        if before[-1] == "?":
            return False
        if who == "P":
            return len(before) < _BRIEF
        return len(before) < _SHORT or (len(before) + len(text) < _LONG and self.draw.chance(0.6))

    def _between(self, who: str, before: str, slots: dict[str, str]) -> str:
        """A word of the other side between two turns of ``who``."""
        if before[-1] != "?":
            return self.wording.say("backchannel", slots)
        if who == "P" and _COURTESY.search(before):
            return self.wording.say("brief_fine", slots)
        return self.wording.say("brief_answer" if who == "S" else "brief_promise", slots)

    def _spoken(self, text: str, persona: str, slots: dict[str, str], tail: bool) -> str:
        draw = self.draw
        if (
            tail
            and draw.share() < _FILLERS[persona]
            and len(text) > 28
            and text[0].islower()
            and not _BEGUN.match(text)
        ):
            text = f"{self.wording.say('filler_' + persona, slots)} {text}"
        if tail and draw.share() < _TAILS.get(persona, 0.0) and len(text) > 70 and text[-1] == ".":
            text = f"{text} {self.wording.say('tail_' + persona, slots)}"
        return text


def transcript(turns: list[tuple[str, str]], names: dict[str, str]) -> tuple[str, dict[str, str]]:
    """The body as a recorder writes it, and what was marked in it by the name of the fact; what is said last counts."""
    body = "\n".join(f"{names[who]}: {sentence_case(text)}" for who, text in turns)
    return unmarked(body)


def unmarked(body: str) -> tuple[str, dict[str, str]]:
    """A text without its marks, and what stood between them."""
    return _MARK.sub(lambda mark: mark[2], body), dict(_MARK.findall(body))


def note(turns: list[tuple[str, str]], names: dict[str, str], call: Call, draw: Draw) -> tuple[str, dict[str, str]]:
    """A call as one note of ours, for worlds without turns: what the other side said, who else was named, what next."""
    told = [sentence_case(text) for who, text in turns if who == "P" and (len(text) > _BRIEF or "«" in text)]
    said = draw.pick(("Call with {P}.", "Spoke with {P}.", "{P} on the phone.", "Phoned {P}.")).format(**names)
    said = " ".join((said, *told))
    rivals = [remark.competitor for remark in call.remarks if remark.competitor]
    rivals += [call.facts["competitor"]] if "competitor" in call.facts else []
    for rival in dict.fromkeys(rivals):
        offer = f", {call.facts['offer']}" if rival == call.facts.get("competitor") and "offer" in call.facts else ""
        said += f" Also talked to {rival}{offer}."
    if "next_day" in call.facts:
        said += f" Next: {call.facts['next_day']}."
    return unmarked(f"{one_dot(said)}\n{names['S']}")
