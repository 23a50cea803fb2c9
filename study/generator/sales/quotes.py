"""Quotes: lines with discounts, revisions, the rules some of them break, and a status that fits their time."""

from __future__ import annotations

from datetime import datetime, timedelta

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.calendar import Calendar
from study.generator.groundwork.things import DealLine, Quote, QuoteLine
from study.generator.sales.baskets import Basket, Baskets
from study.generator.sales.hours import Hours
from study.generator.sales.pipeline import QUOTE, Life
from study.generator.sales.quote_plans import QuotePlan, Version
from study.generator.sales.rulebook import Rulebook

_VALID_DAYS = (14, 30, 30, 45, 60, 90)
_IN_HOUSE = ("Draft", "Needs Review", "In Review", "Approved")


class Quoting:
    """Fills the deals with lines and writes their quotes."""

    def __init__(self, branch: Branch, calendar: Calendar, rules: Rulebook) -> None:
        self.branch, self.rules, self.hours = branch, rules, Hours(branch, calendar)
        self.draw = branch.draw("quotes")
        self.baskets = Baskets(branch, rules)
        self.causes = branch.plan.ingredients.causes

    def fill(self, lives: list[Life], plan: QuotePlan) -> None:
        """Lines and quotes of all deals, without Ids."""
        for place, life in enumerate(lives):
            life.book = self.baskets.choose_book()
            basket = self.baskets.fill(life, plan.lines[place], plan.flaw(place))
            deal = life.deal
            for code, pieces in basket.pieces.items():
                item = self.baskets.items[code]
                entry, price = item.entries[life.book]
                deal.lines.append(DealLine("", item, entry, pieces, price, 0.0))
            versions = plan.versions.get(place, [])
            if versions:
                self._quote(life, basket, versions)
            deal.amount = round(sum(line.total for line in deal.lines), 2)

    def _quote(self, life: Life, basket: Basket, versions: list[Version]) -> None:
        moments = self._moments(life, len(versions))
        for version, at in zip(versions, moments, strict=True):
            lines = self._lines(life, basket, version)
            self._discount(life, lines, version)
            valid = timedelta(days=self.draw.pick(_VALID_DAYS))
            expires = datetime.combine((at + valid).date(), datetime.max.time(), at.tzinfo).replace(microsecond=0)
            status = self._status(life, version, at, expires)
            life.deal.quotes.append(Quote("", "", "", status, at, expires, lines))
        final = life.deal.quotes[-1]
        if life.deal.won or self.draw.chance(0.8):
            for quoted in final.lines:
                quoted.deal_line.quantity, quoted.deal_line.discount = quoted.quantity, quoted.discount

    def _lines(self, life: Life, basket: Basket, version: Version) -> list[QuoteLine]:
        """The last version has the numbers of the deal; earlier ones had others, within the same rules."""
        pieces = dict(basket.pieces)
        flawed = version.flaw is not None and version.flaw.kind != "steps"
        if not version.last and not flawed:
            pieces = self._other_numbers(basket)
        for _ in range(version.dropped):
            needed = {needs for code in pieces for needs, _ in self.rules.needs(code)}
            spare = [code for code in pieces if code not in needed]
            if len(pieces) > 1 and spare:
                pieces.pop(spare[-1])
        by_code = {line.item.code: line for line in life.deal.lines}
        found = []
        for code, quantity in pieces.items():
            line = by_code[code]
            found.append(QuoteLine("", line.item, line.entry, quantity, line.unit_price, 0.0, line))
        return found

    def _other_numbers(self, basket: Basket) -> dict[str, int]:
        draw, changed = self.draw, Basket(dict(basket.pieces))
        for code in draw.some(list(changed.pieces), draw.whole(1, 3)):
            before = changed.pieces[code]
            changed.pieces[code] = max(1, round(before * draw.between(0.6, 1.5)))
        self.baskets.mend(changed)
        return changed.pieces

    def _discount(self, life: Life, lines: list[QuoteLine], version: Version) -> None:
        """What the numbers allow, often a part of it; one line has more where the quote is to break the steps."""
        draw = self.draw
        habit = life.deal.party.shopping.bargain if self.causes else 0.35
        eager = min(0.25 + 0.55 * habit + (0.15 if version.last else 0.0), 0.95)
        for line in lines:
            allowed = self.rules.allowed(line.quantity)
            if allowed and draw.chance(eager):
                line.discount = allowed if draw.chance(0.5) else float(max(1, int(allowed * draw.between(0.3, 0.95))))
        if version.flaw is not None and version.flaw.kind == "steps":
            line = draw.pick(lines)
            allowed, step = self.rules.allowed(line.quantity), self.rules.next_percent(line.quantity)
            if step is not None and draw.chance(0.6):
                line.discount = step
            else:
                line.discount = allowed + draw.pick((1.0, 2.0, 2.5, 3.0, 4.0))

    def _moments(self, life: Life, n: int) -> list[datetime]:
        """When the versions were made: from the beginning of the stage to the decision, a day apart at least."""
        deal, draw = life.deal, self.draw
        first = deal.entered.get("Quote", deal.created + (life.end - deal.created) * 0.3)
        last = life.end
        if life.open:
            # Most quotes that nobody has decided on are made when the stage begins.
            last = min(life.end - timedelta(hours=3), deal.created + timedelta(days=max(life.days, 10)))
        last = max(last, first + timedelta(hours=6))
        shares = sorted(draw.between(0.02, 0.8, 3) for _ in range(n))
        found: list[datetime] = []
        for share in shares:
            at = self.hours.after(first + (last - first) * share, deal.created, draw)
            at = min(at, self.branch.now - timedelta(hours=1))
            if not life.open:
                at = min(at, life.end - timedelta(hours=2))
            at = max(at, deal.created + timedelta(minutes=30))
            if found and at <= found[-1]:
                at = found[-1] + timedelta(minutes=draw.whole(20, 50))
            found.append(at)
        return found

    def _status(self, life: Life, version: Version, at: datetime, expires: datetime) -> str:
        draw, now = self.draw, self.branch.now
        if version.accepted:
            return "Accepted"
        if not version.last:
            return draw.weighted(("Denied", "Rejected", "Presented"), (5, 3, 2))
        if life.lost:
            return draw.weighted(("Denied", "Presented", "Rejected"), (6, 3, 1))
        age = now - at
        if age < timedelta(days=12) and life.reached <= QUOTE:
            return draw.weighted((*_IN_HOUSE, "Presented"), (3, 2, 3, 3, 3))
        if life.reached > QUOTE:
            return draw.weighted(("Presented", "Approved"), (8, 2))
        if expires < now:
            return draw.weighted(("Presented", "Draft", "Rejected", "Approved"), (6, 1, 1, 1))
        return draw.weighted(("Presented", "Approved", "Needs Review", "In Review"), (5, 3, 1, 1))
