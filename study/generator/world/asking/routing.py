"""New cases that need an agent."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, time
from typing import Any

from study.generator.world.asking.making import ANSWERED, NO_RECORD, Maker, Wordings, spread
from study.generator.world.cases import AGES, USED, Case, Handling
from study.generator.world.draw import Draw
from study.generator.world.material import Issue, issues
from study.generator.world.orders import Bought
from study.generator.world.writing import Hand, facts_of

TASK = "case_routing"
POLICY = (
    "Routing policy. First decide which issue the new case is about and which product. The case goes to the agent who "
    "has closed the most cases of this issue. If several are level, to the one of them who has closed the most cases "
    "about this product. If they are still level, to the one of them with the fewest cases that are not closed. All "
    "cases in the system count, whatever their date. If nobody has closed a case of the issue, no agent fits."
)
WORDINGS = (
    "This case has just come in. Who should get it under our routing policy?",
    "Please find the right agent for this new case, following the routing policy.",
    "To whom does the routing policy give the case below?",
    "A new case is waiting in the queue. Which agent should own it according to our routing policy?",
)


def ask_case_routing(maker: Maker) -> None:
    draw, hand = maker.draw(TASK), Hand(maker.world.seed, "new cases")
    said = Wordings(draw, WORDINGS)
    kept = spread(_routed(maker, draw, fresh=False), ANSWERED, 3)
    kept += spread(_routed(maker, draw, fresh=True), NO_RECORD, 3)
    for line, issue, answer in draw.some(kept, len(kept)):
        subject, description = _written(hand, draw, maker, line, issue)
        maker.add(
            TASK,
            question=f"{said.next()}\n\nSubject: {subject}\nDescription: {description}",
            definitions=POLICY,
            answer=answer,
            params=_params(maker, line, issue),
        )


def _params(maker: Maker, line: Bought, issue: Issue) -> dict[str, Any]:
    catalogue = maker.world.catalogue
    return {"issue_id": catalogue.issues[issue.place], "product_id": catalogue.products[line.product.place]}


def _routed(maker: Maker, draw: Draw, *, fresh: bool) -> Iterator[tuple[str, tuple[Bought, Issue, list[str | None]]]]:
    """Lines of orders that could lead to a case today, with an issue and the agent the policy names for it."""
    world = maker.world
    manners = ("plain", "polite", "terse") if fresh else ("plain", "polite")
    told = [line for line in world.bought if line.activated and line.customer.manner in manners]
    # About a new issue a few orders must do; what is written about them differs all the same.
    for line in draw.some(told, len(told)) * (NO_RECORD if fresh else 1):
        age = (world.today - line.day).days
        for issue in draw.some(issues(), len(issues())):
            first, last = (3, 900) if fresh else AGES.get(issue.name, USED)
            if issue.fresh != fresh or not issue.concerns(line.product) or not first <= age <= last:
                continue
            answer = maker.by_rule(TASK, _params(maker, line, issue))
            if answer is not None and (answer == [None]) == fresh:
                yield issue.name, (line, issue, answer)
                break


def _written(hand: Hand, draw: Draw, maker: Maker, line: Bought, issue: Issue) -> tuple[str, str]:
    """Subject and description of a case that is not in the system yet; its product is named in full."""
    today = datetime.combine(maker.world.today, time(16, draw.whole(0, 59)), UTC)
    case = Case(line, issue, today, "Web", "Medium", [Handling(maker.world.agents[0], today)])
    case.facts = facts_of(case, draw)
    while True:
        subject, description = hand.subject(case), hand.trouble(case)
        if line.product.name in description:
            return subject, description
