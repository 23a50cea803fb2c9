"""The conditions of a list or report as its address carries them.

Three kinds of short repeated parameters, all plain GET controls:

``c o v``     one condition each: field path, operator or date word, value (in parallel lists);
``s.<path>``  any of these values, from the tick boxes; an empty value means an empty field;
``w.<path>``  a date window, from a menu: ``past_months:4``;

further ``q`` (words to search) and ``rc ro rn rf rp rv`` (how many related records).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.http import QueryDict
from django.utils.translation import gettext as _

from study.sandbox.errors import INVALID_VALUE, MALFORMED_QUERY, QueryError
from study.sandbox.fieldpaths import FieldPath, field_path
from study.sandbox.queryspec import And, Condition, Related
from study.sandbox.registry import ObjectDef, Registry
from study.sandbox.terms import Term

MOST = 24
LONGEST = 255
Pairs = list[tuple[str, str]]


@dataclass(frozen=True)
class RelatedTerm:
    """Exactly, or at least, n records of a child object; with one condition on them, perhaps."""

    child: ObjectDef
    link: str
    op: str
    n: int
    term: Term | None = None

    def condition(self) -> Related:
        return Related(self.child.name, self.link, self.op, self.n, self.term.condition() if self.term else None)

    def pairs(self) -> Pairs:
        found = [("rc", f"{self.child.name}.{self.link}"), ("ro", self.op), ("rn", str(self.n))]
        if self.term:
            found += [("rf", self.term.path.path), ("rp", self.term.op), ("rv", ";".join(self.term.values))]
        return found

    def words(self) -> str:
        amount = _("exactly %(n)s") if self.op == "exactly" else _("at least %(n)s")
        said = f"{amount % {'n': self.n}} {self.child.plural}"
        return f"{said} ({self.term.path.label} {self.term.words()})" if self.term else said


@dataclass(frozen=True)
class Criteria:
    """All conditions of one address, read and checked."""

    terms: tuple[Term, ...] = ()
    related: RelatedTerm | None = None
    text: str = ""

    def where(self, *, without: str | None = None, extra: Sequence[Term] = ()) -> Condition | None:
        """The condition tree; ``without`` leaves out the tick boxes of one field (for its own counts)."""
        kept = [t for t in (*self.terms, *extra) if not (without and t.kind == "s" and t.path.path == without)]
        items: list[Condition] = [term.condition() for term in kept]
        if self.related:
            items.append(self.related.condition())
        if not items:
            return None
        return items[0] if len(items) == 1 else And(*items)

    @property
    def match(self) -> str | None:
        return self.text or None

    def pairs(self, *, without: Term | RelatedTerm | None = None, text: bool = True) -> Pairs:
        """Name and value of every parameter, without one of the conditions perhaps."""
        found: Pairs = []
        for term in self.terms:
            if term is not without:
                found += term.pairs()
        if self.related and self.related is not without:
            found += self.related.pairs()
        if self.text and text:
            found.append(("q", self.text))
        return found

    def ticked(self, path: str) -> tuple[str, ...]:
        return next((t.values for t in self.terms if t.kind == "s" and t.path.path == path), ())

    def window(self, path: str) -> Term | None:
        return next((t for t in self.terms if t.kind == "w" and t.path.path == path), None)

    @property
    def size(self) -> int:
        return len(self.terms) + bool(self.related)


@dataclass
class Reading:
    """Reads the conditions of an address for one object. QueryError with a remedy for what makes no sense."""

    registry: Registry
    item: ObjectDef
    given: QueryDict
    terms: list[Term] = field(default_factory=list)

    def criteria(self) -> Criteria:
        self._conditions()
        self._prefixed()
        if len(self.terms) > MOST:
            message = _("A list takes at most %(most)s conditions. Take some away.") % {"most": MOST}
            raise QueryError(MALFORMED_QUERY, message)
        return Criteria(tuple(self.terms), self._related(), self.given.get("q", "").strip()[:LONGEST])

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
                self.terms.append(Term(self.registry, self._path(path), "in", values, "s"))
            elif values[-1]:
                word, _colon, number = values[-1].partition(":")
                term = Term.read(self.registry, self._path(path), word, number, kind="w")
                self.terms.append(term)

    def _related(self) -> RelatedTerm | None:
        name, _dot, link = self.given.get("rc", "").partition(".")
        if not name:
            return None
        child = self.registry.object(name)
        number = (self.given.get("rn", "") or "1").strip()
        if not number.isdecimal() or len(number) > 6:
            raise QueryError(INVALID_VALUE, _("The number of related records is a whole number of 0 or more."), "rn")
        term = None
        if path := self.given.get("rf", ""):
            found = field_path(self.registry, child, path)
            term = Term.read(self.registry, found, self.given.get("rp", "") or "eq", self.given.get("rv", "") or "")
        return RelatedTerm(child, child.lookup(link).name, self.given.get("ro", "") or "at_least", int(number), term)

    def _path(self, path: str) -> FieldPath:
        return field_path(self.registry, self.item, path[:LONGEST])
