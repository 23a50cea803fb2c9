"""Rebuilds every assignment of a study from its seeds and its log, and says where something differs.

Plain values in, plain values out. The log is read in its order, which is the order of
the draws: whoever drew held the study's row. Each draw starts from the counts that the
rows before it leave, is made again with the stored seed, and is compared with what the
log says was given; at the end everything is compared with the rows of the visits.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from typing import Any

from study.assignment import design
from study.assignment.allocation import block_label
from study.assignment.giving import Ask, Exposure, give
from study.assignment.told import (
    ACTIVE,
    COMPLETED,
    FIXED,
    RANDOMISED,
    RELEASED,
    Difference,
    Differs,
    Entry,
    Given,
    VisitRow,
    World,
    who,
)


@dataclass
class Rebuilt:
    """A visit as the log makes it."""

    row: VisitRow
    arm: str
    condition: str
    org: str
    protocol: int
    places: list[design.Chosen]
    objects: tuple[str, ...]
    boxes: tuple[str, ...]
    states: dict[int, str] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        return RELEASED not in self.states.values()

    @property
    def exposed(self) -> list[design.Chosen]:
        return [one for n, one in enumerate(self.places, start=1) if self.states.get(n) in (ACTIVE, COMPLETED)]


def first_difference(
    entries: Sequence[Entry], rows: Iterable[VisitRow], world: World, given: Iterable[Given] = ()
) -> Difference | None:
    """None when log, seeds and rows (visits with their places, allocations) tell one story."""
    replay = Replay({row.visit: row for row in rows}, world, {one.person: one for one in given})
    try:
        replay.run(entries)
    except Differs as found:
        return found.difference
    return None


class Replay:
    def __init__(self, rows: Mapping[int, VisitRow], world: World, given: Mapping[str, Given]) -> None:
        self.rows, self.world, self.given = rows, world, given
        self.visits: dict[int, Rebuilt] = {}
        self.by_person: dict[str, list[Rebuilt]] = defaultdict(list)
        self.counts: dict[tuple[str, str], Exposure] = defaultdict(Exposure)
        self.instances: dict[str, Counter[int]] = defaultdict(Counter)
        self.stale = False
        self.allocated: dict[str, Given] = {}
        self.numbers: Counter[tuple[str, str]] = Counter()
        self.benched: set[int] = set()
        self.open: Rebuilt | None = None
        self.entry = Entry(0, "", datetime.min)

    def run(self, entries: Sequence[Entry]) -> None:
        """Raises Differs at the first difference."""
        for number, entry in zip(count(1), entries):
            self.entry = entry
            if entry.sequence != number:
                # Whose the missing rows were nobody can say: those of somebody whose data were deleted are gone too.
                more = entry.sequence - number
                what = "a row of the log is missing" if more == 1 else f"{more} rows of the log are missing"
                found = f"row {entry.sequence} ({who(entry)})" if who(entry) else f"row {entry.sequence}"
                raise Differs(Difference(number, "", what, f"row {number}", found))
            try:
                self.read(entry)
            except (LookupError, TypeError, ValueError) as error:
                said = f"{type(error).__name__}: {error}"
                raise Differs(
                    Difference(number, self.who, "what the row tells", "words it can be read by", said)
                ) from None
        self.whole(None)
        self.entry = Entry(0, "", datetime.min)
        for row in self.rows.values():
            self.compare(row)
        self.compare_allocations()

    def check(self, what: str, expected: object, found: object) -> None:
        if expected != found:
            raise Differs(Difference(self.entry.sequence or None, self.who, what, expected, found))

    @property
    def who(self) -> str:
        return who(self.entry)

    def read(self, entry: Entry) -> None:
        if entry.event == "assigned":
            self.assigned(entry)
            return
        self.whole(entry)
        if entry.event == "allocated":
            self.allocation(entry)
        elif entry.event in ("benched", "unbenched"):
            self.check("what can be benched", entry.event == "unbenched", entry.instance in self.benched)
            (self.benched.add if entry.event == "benched" else self.benched.discard)(entry.instance or 0)
        else:
            self.moved(entry)

    def whole(self, entry: Entry | None) -> None:
        """Whatever comes next, the visit before it has all its places."""
        if self.open and len(self.open.states) < len(self.open.places):
            n = len(self.open.states) + 1
            found = f"{entry.event} of {who(entry)}" if entry else "the end of the log"
            called, sequence = self.open.row.called, entry.sequence if entry else self.entry.sequence + 1
            raise Differs(Difference(sequence, called, "a place is missing", f"assigned, position {n}", found))
        self.open = None

    def allocation(self, entry: Entry) -> None:
        said = entry.detail
        stratum = (said["cohort"], said["cell"])
        self.numbers[stratum] += 1
        self.check("number in the cohort and cell", self.numbers[stratum], said["number"])
        self.check("seed of the cohort and cell", self.world.seed(*stratum), entry.seed)
        slot = self.world.slot(said["cohort"], entry.seed, said["number"])
        self.check("arm", slot.arm, said["arm"])
        self.check("order of visits", list(slot.order), list(said["order"]))
        self.check("block", slot.block, said["block"])
        person = said["participant"]
        self.check("a person is allocated once", False, person in self.allocated)
        self.allocated[person] = Given(person, *stratum, slot.number, slot.block, slot.arm, slot.order, entry.seed)

    def assigned(self, entry: Entry) -> None:
        if self.open is None or self.open.row.visit != entry.visit:
            self.whole(entry)
            self.open = self.begin(entry)
        visit = self.open
        n = len(visit.states) + 1
        self.check("position", n, entry.position)
        self.check("seed", visit.row.seed, entry.seed)
        expected = visit.places[n - 1].instance if n <= len(visit.places) else None
        self.check(self.why("question"), expected, entry.instance)
        self.move(visit, n, ACTIVE)

    def why(self, what: str) -> str:
        """When the pool is not what it was, no draw can come out the same: that is said."""
        visit = self.open
        return f"{what} (its questions to choose from have changed since)" if visit and self.stale else what

    def begin(self, entry: Entry) -> Rebuilt:
        row = self.rows.get(entry.visit or 0)
        self.check("visit", "a stored visit", "a stored visit" if row else "none")
        assert row is not None  # noqa: S101 the check above raised
        self.check("a visit begins once", False, row.visit in self.visits)
        stored = {"arm": row.arm, "condition": row.condition, "org": row.org, "protocol": row.protocol}
        said: dict[str, Any] = stored | dict(entry.detail)
        arm, condition, org = said["arm"], said["condition"], said["org"]
        self.check("number of the visit", len(self.by_person[row.person]) + 1, row.period)
        if drawn := self.allocated.get(row.person):
            self.check("arm as allocated", drawn.arm, arm)
            if condition:
                self.check("visit in its order", dict(enumerate(drawn.order, start=1)).get(row.period), condition)
        if "orgs" in said:
            turn = design.org_in_turn(said["orgs"], self.visits_by_org(arm))
            self.check("Org in its turn", turn[:12], org[:12])
        pool = self.world.pool(said["protocol"], org, frozenset(self.benched), entry.at, said.get("pool", ""))
        self.stale = said.get("pool", pool.mark()) != pool.mark()
        ask = self.asked(said, row)
        try:
            given = give(pool, self.seen(arm, condition, org), ask, row.seed)
        except design.CannotDraw as error:
            raise Differs(Difference(entry.sequence, row.called, self.why("draw"), "five places", str(error))) from None
        self.check(self.why("fit of the minutes"), given.fit, said.get("fit", ""))
        visit = Rebuilt(row, arm, condition, org, said["protocol"], list(given.places), given.objects, given.boxes)
        self.visits[row.visit] = visit
        self.by_person[row.person].append(visit)
        there = self.counts[arm, condition]
        there.objects.update(visit.objects)
        there.visits += 1
        return visit

    def asked(self, said: Mapping[str, Any], row: VisitRow) -> Ask:
        """What the visit was to have, with what its earlier visits make of it."""
        ask = self.world.ask(said["protocol"], said["arm"], said["condition"])
        earlier = self.by_person[row.person]
        if "same" in said:
            same = tuple(design.Chosen(*one) for one in said["same"])
            self.check("a visit to repeat", True, any(tuple(visit.places) == same for visit in earlier))
            return Ask(ask.rate, ask.rate_each, frozenset(), same, ask.boxes)
        if "avoid" in said:
            had = sorted({one.task for visit in earlier for one in visit.places})
            self.check("tasks of earlier visits", had, list(said["avoid"]))
        return Ask(ask.rate, ask.rate_each, frozenset(said.get("avoid", ())), (), ask.boxes)

    def visits_by_org(self, arm: str) -> Counter[str]:
        return Counter(visit.org for visit in self.visits.values() if visit.arm == arm and visit.exposed)

    def seen(self, arm: str, condition: str, org: str) -> Exposure:
        """Counts from the rows read so far, each as ``exposure.py`` counts it."""
        there = self.counts[arm, condition]
        return Exposure(there.tasks, self.instances[org], there.objects, there.visits)

    def move(self, visit: Rebuilt, position: int, state: str) -> None:
        """A place changes its state, and the counts follow."""
        there, place, whole = self.counts[visit.arm, visit.condition], visit.places[position - 1], visit.whole
        visit.states[position] = state
        more = {ACTIVE: 1, RELEASED: -1}.get(state, 0)
        there.tasks[place.task] += more
        self.instances[visit.org][place.instance] += more
        if whole and not visit.whole:
            there.objects.subtract(visit.objects)

    def moved(self, entry: Entry) -> None:
        """A place completed or given back, once, by the person who had it."""
        visit = self.visits.get(entry.visit or 0)
        self.check("visit of the log", "one with places", "one with places" if visit else "none")
        assert visit is not None  # noqa: S101 the check above raised
        self.check("seed", visit.row.seed, entry.seed)
        given = dict(enumerate(visit.places, start=1)).get(entry.position)
        self.check("question", given.instance if given else None, entry.instance)
        self.check("state before", ACTIVE, visit.states.get(entry.position))
        self.move(visit, entry.position, entry.event)

    def compare(self, row: VisitRow) -> None:
        """A stored visit with what log and seeds make of it."""
        visit = self.visits.get(row.visit)
        if visit is None:
            raise Differs(Difference(None, row.called, "rows of the log", "its places", "none"))
        drawn = self.allocated.get(row.person)
        places = tuple(
            (n, one.stratum, one.task, one.instance, visit.states[n]) for n, one in enumerate(visit.places, start=1)
        )
        for what, expected, found in (
            ("arm", visit.arm, row.arm),
            ("visit of the arm", visit.condition, row.condition),
            ("Org", visit.org[:12], row.org[:12]),
            ("version of the protocol", visit.protocol, row.protocol),
            ("how the arm was given", RANDOMISED if drawn else FIXED, row.allocation),
            ("block", block_label(drawn.cohort, drawn.cell, drawn.block) if drawn else "", row.block),
            ("order of objects", visit.objects, row.objects),
            ("order of boxes", visit.boxes, row.boxes),
        ):
            if expected != found:
                raise Differs(Difference(None, row.called, what, expected, found))
        for here, there in zip(places, row.places, strict=False):
            if here != there:
                raise Differs(Difference(None, row.called, "place", here, there))
        if len(places) != len(row.places):
            raise Differs(Difference(None, row.called, "number of places", len(places), len(row.places)))

    def compare_allocations(self) -> None:
        """The stored allocations with what the log says was drawn."""
        for person in sorted({*self.allocated, *self.given}):
            log, row = self.allocated.get(person), self.given.get(person)
            if log is None or row is None:
                there, here = ("a row", "none") if log else ("none", "a row")
                raise Differs(Difference(None, person, "allocation", there, here))
            for what, expected in vars(log).items():
                if expected != (found := getattr(row, what)):
                    raise Differs(Difference(None, person, f"{what} of the allocation", expected, found))
