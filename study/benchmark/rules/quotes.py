"""Rules about quotes: which article of the selling rules the products or the discounts of a quote go against.

The rules of a company come as a parameter, Ids in them: ``{"limits": [{"article", "product", "most"}], "exclusions":
[{"article", "one", "other"}], "requirements": [{"article", "product", "needs", "each"}], "steps": {"article",
"steps": [[least, percent], …]}}``. Parts may be missing.
"""

from __future__ import annotations

import datetime
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from study.benchmark.rules.answer import SAME, Answer, RuleError, Working, needed
from study.sandbox.engine.ids import normal_id
from study.sandbox.engine.queryspec import Compare, Order, QuerySpec
from study.sandbox.engine.snapshot import Snapshot

Line = tuple[str, float, float]
"""Product, quantity, discount in percent."""


def invalid_config(snapshot: Snapshot, params: Mapping[str, Any], today: datetime.date) -> Answer:
    """The article that the set of products on a quote goes against; no record where it keeps all of them.

    Pieces of a product over all lines of the quote. Parameters: quote_id, rules.
    """
    quote = _Quote(snapshot, params, today)
    return quote.answer(sorted(set(quote.broken_sets())))


def quote_approval(snapshot: Snapshot, params: Mapping[str, Any], today: datetime.date) -> Answer:
    """The article on discounts if a line of the quote has more off than its quantity allows; else no record.

    Parameters: quote_id, rules.
    """
    quote = _Quote(snapshot, params, today)
    return quote.answer(sorted(set(quote.broken_discounts())))


def articles_broken(snapshot: Snapshot, params: Mapping[str, Any], today: datetime.date) -> list[str]:
    """All articles a quote goes against, on products or discounts alike."""
    quote = _Quote(snapshot, params, today)
    return sorted({*quote.broken_sets(), *quote.broken_discounts()})


class _Quote:
    """The lines of one quote beside the rules of the company."""

    def __init__(self, snapshot: Snapshot, params: Mapping[str, Any], today: datetime.date) -> None:
        self.working = Working(snapshot, today)
        self.id = needed(params, "quote_id", str)
        self.rules = needed(params, "rules", Mapping)
        if snapshot.record("Quote", self.id) is None:
            raise RuleError(_("The Org has no quote %(id)s.") % {"id": self.id})
        found = self.working.run(
            _("Lines of the quote: product, quantity, discount"),
            QuerySpec(
                "QuoteLineItem",
                select=("Id", "Product2Id", "Quantity", "Discount"),
                where=Compare("QuoteId", "eq", self.id),
                order=(Order("Id"),),
            ),
        )
        self.line_ids = [str(row[0]) for row in found]
        self.lines: list[Line] = [(str(row[1]), float(row[2] or 0), float(row[3] or 0)) for row in found]
        self.pieces: Counter[str] = Counter()
        for product, quantity, _discount in self.lines:
            self.pieces[product] += quantity  # type: ignore[assignment]

    def broken_sets(self) -> Iterator[str]:
        for rule in self._parts("limits", "product", "most"):
            if self._pieces(rule["product"]) > rule["most"]:
                yield rule["article"]
        for rule in self._parts("exclusions", "one", "other"):
            if self._pieces(rule["one"]) and self._pieces(rule["other"]):
                yield rule["article"]
        for rule in self._parts("requirements", "product", "needs", "each"):
            # Up to ``each`` pieces share one piece of what they need.
            if self._pieces(rule["needs"]) < math.ceil(self._pieces(rule["product"]) / rule["each"]):
                yield rule["article"]

    def broken_discounts(self) -> Iterator[str]:
        given = self.rules.get("steps") or {}
        if not given:
            return
        if "article" not in given or not isinstance(given.get("steps"), Sequence):
            raise RuleError(_("The steps of the rules need article and steps."))
        if any(discount > allowed(given["steps"], quantity) + SAME for _product, quantity, discount in self.lines):
            yield given["article"]

    def answer(self, broken: list[str]) -> Answer:
        """One broken article is the answer; two would be no clear one."""
        steps = tuple(self.working.steps)
        others = tuple(article for article in self._articles() if article not in broken)

        def evidence() -> tuple[str, ...]:
            return (self.id, *self.line_ids, *broken)

        if len(broken) > 1:
            return Answer((), steps, 0.0, broken[1], tie=True, others=others, reading=True, find_evidence=evidence)
        return Answer(tuple(broken), steps, others=others, reading=True, find_evidence=evidence)

    def _articles(self) -> list[str]:
        kinds = [self._parts(kind) for kind in ("limits", "exclusions", "requirements")]
        steps = self.rules.get("steps") or {}
        return list(dict.fromkeys(rule["article"] for rules in (*kinds, [steps] if steps else []) for rule in rules))

    def _pieces(self, product: str) -> float:
        return self.pieces[normal_id(product) or product]

    def _parts(self, kind: str, *names: str) -> list[Mapping[str, Any]]:
        """The rules of one kind. RuleError where one lacks what it needs."""
        rules = self.rules.get(kind) or []
        for rule in rules:
            if lacking := [name for name in ("article", *names) if name not in rule]:
                raise RuleError(_("A rule among %(kind)s lacks %(name)s.") % {"kind": kind, "name": lacking[0]})
        return list(rules)


def allowed(steps: Sequence[Sequence[float]], quantity: float) -> float:
    """The discount in percent that a quantity allows: that of the highest step it reaches, 0 below the first."""
    reached = [(least, percent) for least, percent in steps if quantity >= least]
    return float(max(reached)[1]) if reached else 0.0
