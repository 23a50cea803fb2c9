"""The conditions of a list or report as its address carries them.

Short repeated parameters, all plain GET controls:

``c o v``     one condition each, numbered from 1: field path or row formula, operator or date word, value;
``logic``     how the numbered conditions hang together: ``(1 OR 2) AND NOT 3``; without it all must hold;
``s.<path>``  any of these values, from the tick boxes; an empty value means an empty field;
``w.<path>``  a date window, from a menu: ``past_months:4``;
``rc ro rn rf rp rv``  how many related records, with one condition on them perhaps (in parallel lists);

further ``q`` (words to search), ``lately`` (records opened at this desk) and ``drop`` (a place: leave that
condition out, for links that would otherwise repeat a long address). All but ``c`` must always hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _

from study.sandbox.engine.errors import INVALID_VALUE, MALFORMED_QUERY, QueryError
from study.sandbox.engine.queryspec import And, Compare, Condition, Related
from study.sandbox.engine.registry import ObjectDef, Registry
from study.sandbox.gui import logic as joining
from study.sandbox.gui.fieldpaths import FieldPath, field_path
from study.sandbox.gui.recent import opened_lately
from study.sandbox.gui.rooms import Room
from study.sandbox.gui.rowformulas import any_path
from study.sandbox.gui.terms import Term

MOST = 100
MOST_RELATED = 6
LONGEST = 255
COUNTS = ("at_least", "exactly", "at_most")
Pairs = list[tuple[str, str]]


@dataclass(frozen=True)
class RelatedTerm:
    """Exactly, at least or at most n records of a child object; with one condition on them, perhaps."""

    child: ObjectDef
    link: str
    op: str
    n: int
    term: Term | None = None

    def condition(self) -> Related:
        return Related(self.child.name, self.link, self.op, self.n, self.term.condition() if self.term else None)

    def pairs(self, *, whole: bool = False) -> Pairs:
        """Its parameters; ``whole`` writes empty ones too, so that several stay in step."""
        found = [("rc", f"{self.child.name}.{self.link}"), ("ro", self.op), ("rn", str(self.n))]
        if self.term:
            found += [("rf", self.term.path.path), ("rp", self.term.op), ("rv", ";".join(self.term.values))]
        elif whole:
            found += [("rf", ""), ("rp", ""), ("rv", "")]
        return found

    def words(self) -> str:
        amount = {"exactly": _("exactly %(n)s"), "at_most": _("at most %(n)s")}.get(self.op, _("at least %(n)s"))
        said = f"{amount % {'n': self.n}} {self.child.plural}"
        return f"{said} ({self.term.path.label} {self.term.words()})" if self.term else said


@dataclass(frozen=True)
class Lately:
    """The records opened last at this desk, newest first."""

    ids: tuple[str, ...]

    def condition(self) -> Condition:
        return Compare("Id", "in", self.ids)


One = Term | RelatedTerm | Lately


@dataclass(frozen=True)
class Criteria:
    """All conditions of one address, read and checked."""

    terms: tuple[Term, ...] = ()
    relations: tuple[RelatedTerm, ...] = ()
    text: str = ""
    tree: joining.Tree | None = None
    lately: Lately | None = None

    @classmethod
    def of(cls, room: Room, item: ObjectDef, given: QueryDict) -> Criteria:
        """The conditions of an address at a desk, which knows what was opened there."""
        lately = Lately(opened_lately(room, item)) if given.get("lately") == "1" else None
        return Reading(room.registry, item, given, lately).criteria()

    @property
    def numbered(self) -> tuple[Term, ...]:
        """The conditions that have a number, 1 for the first."""
        return tuple(term for term in self.terms if term.kind == "c")

    @property
    def related(self) -> RelatedTerm | None:
        return self.relations[0] if self.relations else None

    def where(self, *, without: str | None = None, extra: Sequence[Term] = ()) -> Condition | None:
        """The condition tree; ``without`` leaves out the tick boxes of one field (for its own counts)."""
        own = [term.condition() for term in self.numbered]
        named = joining.numbers(self.tree)
        items = [joining.condition(self.tree, own)] if self.tree is not None else []
        items += [one for place, one in enumerate(own, 1) if place not in named]
        others = (*(term for term in self.terms if term.kind != "c"), *extra)
        items += [t.condition() for t in others if not (without and t.kind == "s" and t.path.path == without)]
        items += [one.condition() for one in self.relations]
        if self.lately:
            items.append(self.lately.condition())
        if not items:
            return None
        return items[0] if len(items) == 1 else And(*items)

    @property
    def match(self) -> str | None:
        return self.text or None

    @property
    def logic(self) -> str:
        """The logic as people write it, where it says more than that all must hold."""
        return "" if joining.plain(self.tree) else joining.words(self.tree)

    def pairs(self, *, without: One | None = None, text: bool = True) -> Pairs:
        """Name and value of every parameter, without one of the conditions perhaps."""
        left = self.leaving_out(without) if without is not None else self
        found: Pairs = [pair for term in left.terms for pair in term.pairs()]
        if left.logic:
            found.append(("logic", left.logic))
        whole = len(left.relations) > 1
        found += [pair for one in left.relations for pair in one.pairs(whole=whole)]
        if left.lately:
            found.append(("lately", "1"))
        if self.text and text:
            found.append(("q", self.text))
        return found

    @property
    def related_pairs(self) -> Pairs:
        """The related conditions for a form that adds another: each with all its parameters."""
        return [pair for one in self.relations for pair in one.pairs(whole=True)]

    def leaving_out(self, one: One) -> Criteria:
        """These conditions without one of them; those behind it are numbered anew in the logic."""
        place = next((n for n, term in enumerate(self.numbered, 1) if term is one), 0)
        return replace(
            self,
            terms=tuple(term for term in self.terms if term is not one),
            relations=tuple(related for related in self.relations if related is not one),
            tree=joining.without(self.tree, place) if place else self.tree,
            lately=None if self.lately is one else self.lately,
        )

    @property
    def each(self) -> tuple[One, ...]:
        """Every condition that can be taken away by itself, in the order of their pills."""
        return (*self.terms, *self.relations, *((self.lately,) if self.lately else ()))

    def ticked(self, path: str) -> tuple[str, ...]:
        return next((t.values for t in self.terms if t.kind == "s" and t.path.path == path), ())

    def window(self, path: str) -> Term | None:
        return next((t for t in self.terms if t.kind == "w" and t.path.path == path), None)

    @property
    def size(self) -> int:
        return len(self.terms) + len(self.relations) + bool(self.lately)


@dataclass
class Reading:
    """Reads the conditions of an address for one object. QueryError with a remedy for what makes no sense."""

    registry: Registry
    item: ObjectDef
    given: QueryDict
    lately: Lately | None = None
    terms: list[Term] = field(default_factory=list)

    def criteria(self) -> Criteria:
        self._conditions()
        self._prefixed()
        if len(self.terms) > MOST:
            message = _("A list takes at most %(most)s conditions. Take some away.") % {"most": MOST}
            raise QueryError(MALFORMED_QUERY, message)
        own = len([term for term in self.terms if term.kind == "c"])
        tree = joining.parse(self.given.get("logic", ""), own)
        text = self.given.get("q", "").strip()[:LONGEST]
        asked = self.given.get("drop", "")
        found = Criteria(tuple(self.terms), tuple(self._relations()), "" if asked == "q" else text, tree, self.lately)
        if asked.isdecimal() and len(asked) < 4 and int(asked) < len(found.each):
            return found.leaving_out(found.each[int(asked)])
        return found

    def _conditions(self) -> None:
        fields, ops, values = (self.given.getlist(name) for name in ("c", "o", "v"))
        for place, path in enumerate(fields):
            op = ops[place] if place < len(ops) else ""
            value = values[place] if place < len(values) else ""
            if path:
                self.terms.append(Term.read(self.registry, self._path(path), op, value))

    def _prefixed(self) -> None:
        for key in self.given.keys():  # noqa: SIM118 - a QueryDict
            kind, dot, path = key.partition(".")
            values = tuple(value[:LONGEST] for value in self.given.getlist(key))[:MOST]
            if not dot or kind not in {"s", "w"} or not values:
                continue
            if kind == "s":
                self.terms.append(Term(self.registry, field_path(self.registry, self.item, path), "in", values, "s"))
            elif values[-1]:
                word, _colon, number = values[-1].partition(":")
                term = Term.read(self.registry, field_path(self.registry, self.item, path), word, number, kind="w")
                self.terms.append(term)

    def _relations(self) -> list[RelatedTerm]:
        kinds = self.given.getlist("rc")
        found = [self._related(place, kind) for place, kind in enumerate(kinds) if kind]
        if len(found) > MOST_RELATED:
            message = _("A list takes at most %(most)s conditions on related records.") % {"most": MOST_RELATED}
            raise QueryError(MALFORMED_QUERY, message, "rc")
        return found

    def _related(self, place: int, kind: str) -> RelatedTerm:
        name, _dot, link = kind.partition(".")
        child = self.registry.object(name)
        number = (self._nth("rn", place) or "1").strip()
        if not number.isdecimal() or len(number) > 6:
            raise QueryError(INVALID_VALUE, _("The number of related records is a whole number of 0 or more."), "rn")
        op = self._nth("ro", place) or COUNTS[0]
        term = None
        if path := self._nth("rf", place):
            found = field_path(self.registry, child, path)
            term = Term.read(self.registry, found, self._nth("rp", place) or "eq", self._nth("rv", place))
        return RelatedTerm(child, child.lookup(link).name, op, int(number), term)

    def _nth(self, name: str, place: int) -> str:
        listed = self.given.getlist(name)
        return listed[place] if place < len(listed) else ""

    def _path(self, path: str) -> FieldPath:
        return any_path(self.registry, self.item, path[:LONGEST])


@dataclass(frozen=True)
class Sifted:
    """The conditions of an address that cannot be read whole: what makes sense of them, and what does not."""

    sound: Pairs
    faulty: tuple[dict[str, str], ...]

    @classmethod
    def of(cls, registry: Registry, item: ObjectDef, given: QueryDict, bad: str) -> Sifted:
        """``bad`` is the path of a tick or window that was complained about."""
        sound: Pairs = []
        faulty: list[dict[str, str]] = []
        in_order = True
        for path, op, value in zip_longest(*(given.getlist(name) for name in ("c", "o", "v")), fillvalue=""):
            if path and _readable(registry, item, path, op, value):
                sound += [("c", path), ("o", op), ("v", value)]
                in_order = in_order and not faulty
            elif path:
                faulty.append({"c": path, "o": op, "v": value})
        named = [key for key in given if key[:2] in {"s.", "w."} and (faulty or key[2:] != bad)]
        sound += [(key, value) for key in named for value in given.getlist(key)]
        # What stands behind a fault would get another number.
        kept = ("lately", "logic") if in_order else ("lately",)
        sound += [(name, str(given.get(name))) for name in kept if given.get(name)]
        return cls(sound, tuple(faulty))

    def criteria(self, room: Room, item: ObjectDef, given: QueryDict) -> Criteria:
        """What makes sense, with the words and the related records, as far as these do."""
        words = [("q", given.get("q", ""))]
        related = [(name, value) for name in ("rc", "ro", "rn", "rf", "rp", "rv") for value in given.getlist(name)]
        plain = [pair for pair in self.sound if pair[0] != "logic"]
        for pairs in ([*self.sound, *words, *related], [*plain, *words, *related], [*plain, *words], words):
            try:
                return Criteria.of(room, item, QueryDict(urlencode(pairs)))
            except QueryError:
                continue
        return Criteria()


def _readable(registry: Registry, item: ObjectDef, path: str, op: str, value: str) -> bool:
    """Whether one condition makes sense by itself."""
    try:
        Term.read(registry, any_path(registry, item, path[:LONGEST]), op, value)
    except QueryError:
        return False
    return True
