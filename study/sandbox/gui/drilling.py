"""From a number of a report to the records behind it: the address of a list with just these conditions."""

from __future__ import annotations

import calendar
from dataclasses import dataclass, field
from datetime import date
from urllib.parse import parse_qsl, urlencode

from study.sandbox.engine.formulas import PARTS
from study.sandbox.gui.criteria import Criteria, Pairs
from study.sandbox.gui.long_addresses import LONGEST
from study.sandbox.gui.measuring import MeasureChoice
from study.sandbox.gui.report_address import GroupChoice
from study.sandbox.gui.rooms import Room
from study.sandbox.gui.terms import DURING

_MONTHS = {name: number for number, name in enumerate(calendar.month_name) if name}
Key = tuple[GroupChoice, object]


@dataclass
class Drill:
    """Addresses of lists under the conditions of one report."""

    room: Room
    list_url: str
    criteria: Criteria
    _bases: dict[frozenset[str], str] = field(default_factory=dict)
    _added: dict[tuple[str, str, object], tuple[str, str]] = field(default_factory=dict)

    def url(self, keys: tuple[Key, ...] = (), choice: MeasureChoice | None = None) -> str:
        """The records of these groups that a measure (or, without one, the count) is about."""
        added = [self._of_group(group, value) for group, value in keys]
        # A group lies inside the values ticked for its own field: it takes their place.
        base = self._base(frozenset(name for name, _text in added))
        parts = dict.fromkeys([base, *(text for _name, text in added), self.of_measure(choice) if choice else ""])
        query = "&".join(part for part in parts if part)
        if len(query) > LONGEST:
            return self._by_key(base, query)
        return f"{self.list_url}?{query}" if query else self.list_url

    def _by_key(self, base: str, query: str) -> str:
        """An address too long for a line: what all links of the report share is stored once where it can be."""
        rest = query.removeprefix(base).removeprefix("&")
        if rest and "c=" not in rest and len(rest) <= LONGEST < len(base):
            return f"{self.room.address(self.list_url, parse_qsl(base, keep_blank_values=True))}&{rest}"
        return self.room.address(self.list_url, parse_qsl(query, keep_blank_values=True))

    def _base(self, replaced: frozenset[str]) -> str:
        if replaced not in self._bases:
            kept = [pair for pair in self.criteria.pairs() if pair[0] not in replaced]
            self._bases[replaced] = urlencode(kept)
        return self._bases[replaced]

    def _of_group(self, choice: GroupChoice, value: object) -> tuple[str, str]:
        key = (choice.path.path, choice.by, value)
        if key not in self._added:
            pairs = group_pairs(choice, value)
            ticked = pairs[0][0] if pairs[0][0] != "c" else ""
            self._added[key] = (ticked, urlencode(pairs))
        return self._added[key]

    def of_measure(self, choice: MeasureChoice) -> str:
        """The records a measure takes: those of its own condition, with something in what is measured."""
        pairs: Pairs = list(choice.term.pairs()) if choice.term else []
        for path in choice.over.paths if choice.over else ():
            pairs += [("c", path.path), ("o", "not_null"), ("v", "")]
        return urlencode(pairs)


def group_pairs(choice: GroupChoice, value: object) -> Pairs:
    """The condition that keeps the records of one group."""
    path = choice.path.path
    if value is None:
        return [(f"s.{path}", "")]
    if not choice.by:
        # A tick-box value is taken as it stands, blanks and semicolons too.
        return [(f"s.{path}", str(value).lower() if isinstance(value, bool) else str(value))]
    return [("c", path), ("o", DURING), ("v", _period(choice.by, value))]


def _period(by: str, value: object) -> str:
    if by == "month_name":
        return f"month_of_year/{_MONTHS[str(value)]}"
    if by in PARTS:
        return f"{by}/{value}"
    period = value.isoformat() if isinstance(value, date) else str(value)
    return f"{period}/7" if by == "week" else period
