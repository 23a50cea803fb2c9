"""ConversationInsights: what comes up in the calls of a deal, how it is felt, and whom it is about."""

from __future__ import annotations

from itertools import accumulate
from typing import Literal

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.draw import zipf_weights
from study.generator.groundwork.things import Call, Remark
from study.generator.sales.pipeline import Life
from study.generator.sales.rivals import Rivals

Sentiment = Literal["positive", "neutral", "negative"]
_RACES = 0.5
FEELINGS: tuple[Sentiment, ...] = ("positive", "neutral", "negative")


class Remarks:
    """Plans remarks, a few themes a deal, some of which come up again."""

    def __init__(self, branch: Branch, rivals: Rivals) -> None:
        self.branch, self.rivals, self.draw = branch, rivals, branch.draw("remarks")
        plan = branch.plan
        self.subtopics = plan.material.selling.subtopics
        spread = float(plan.latent("ConversationSubtopics", "spread", 0.6))
        n = len(self.subtopics)
        order = self.draw.shuffled(zipf_weights(n, spread)) if plan.ingredients.skew else [1.0] * n
        self._sums = list(accumulate(order))
        self.most = int(plan.latent("ConversationInsights", "most", 3))
        self.weights = [float(plan.latent("ConversationInsights", feeling, 3)) for feeling in FEELINGS]
        self.again = float(plan.latent("ConversationInsightRelationship", "again", 0.2))
        self.rival = float(plan.latent("ConversationInsightRelationship", "competitor", 0.45))
        self.strength = float(plan.latent("Strengths", "weight", 3.0))

    def plan(self, life: Life) -> None:
        """The remarks of all calls of a deal, in their order."""
        past: list[Remark] = []
        names = list(life.deal.competitors)
        # Some deals are a race, in which nearly every call comes to speak of the other.
        rival = 0.9 if self.draw.chance(_RACES) else self.rival
        for call in life.deal.calls:
            n = self.draw.whole(0 if past else 1, self.most)
            for _ in range(n):
                self._add(call, past, names, rival)
            past += call.remarks

    def _add(self, call: Call, past: list[Remark], names: list[str], rival: float) -> None:
        draw = self.draw
        here = {remark.subtopic for remark in call.remarks}
        met = any(remark.competitor for remark in call.remarks)
        early = call.topic == "Qualification" and rival <= self.rival
        if names and not met and not early and draw.chance(rival):
            # The first competitor is the serious one: where there are two, it comes up three times as often.
            name = names[0] if len(names) == 1 or draw.chance(0.8) else names[1]
            topics = self.rivals.topics(name)
            subtopic = draw.pick(topics) if topics and draw.chance(0.7) else draw.summed(self.subtopics, self._sums)
            if subtopic not in here:
                call.remarks.append(Remark(subtopic, self._felt(name, subtopic), name))
                return
        open_before = [remark for remark in past if remark.competitor is None and remark.subtopic not in here]
        if open_before and draw.chance(self.again):
            earlier = draw.pick(open_before)
            call.remarks.append(Remark(earlier.subtopic, earlier.sentiment))
            return
        subtopic = draw.summed(self.subtopics, self._sums)
        if subtopic not in here:
            call.remarks.append(Remark(subtopic, draw.weighted(FEELINGS, self.weights)))

    def _felt(self, name: str, subtopic: str) -> Sentiment:
        """Towards the competitor: well for what they are good at, badly for what they are not."""
        weights = list(self.weights)
        known = self.rivals.known_for(name, subtopic)
        if known > 0:
            weights[0] *= self.strength
        elif known < 0:
            weights[2] *= self.strength
        return self.draw.weighted(FEELINGS, weights)

    def tell(self, life: Life) -> None:
        """Facts of a deal once its calls have Ids: one insight a remark, and the latent variables behind them."""
        deal, tell = life.deal, self.branch.tell
        heard: dict[str, int] = {}
        for call in deal.calls:
            for remark in call.remarks:
                heard[remark.subtopic] = heard.get(remark.subtopic, 0) + 1
                tell(
                    "insight", deal.id, (("VoiceCallTranscript__c", call.id),), call=call.id,
                    subtopic=remark.subtopic, sentiment=remark.sentiment, competitor=remark.competitor,
                )  # fmt: skip
            if call.remarks:
                tell("latent", call.id, name="ConversationInsights", insights=len(call.remarks))
            about = [remark.competitor for remark in call.remarks if remark.competitor]
            if about:
                tell("latent", call.id, name="ConversationInsightRelationship", competitors=about)
        if heard:
            tell("latent", deal.id, name="ConversationSubtopics", subtopics=heard)
