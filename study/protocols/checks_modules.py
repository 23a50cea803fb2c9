"""Modules of the hour: what is repeated, cards and what they need, and an order that gives nothing away too early."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from study.protocols.hour import Cards, Module
from study.protocols.problems import Finding, Path
from study.protocols.schema import ProtocolFile

LONGEST_ID = 40
POINTS = 5
# What items of a module may name in braces, by what they are repeated for.
REPEATED: dict[str, frozenset[str]] = {
    "object": frozenset({"object", "objects"}),
    "episode": frozenset({"episode"}),
    "attempt": frozenset({"question"}),
}
# Items that ask about origin tell people that there is something to know; these come before them (instrument 2.7).
ORIGIN, BEFORE_ORIGIN = "origin", ("object", "episode")


def places_of_module(module: Module, path: Path) -> frozenset[str]:
    """The names filled in at ``path`` inside a module."""
    if path[:1] == ("cards",):
        return frozenset({"object"})
    if path[:1] == ("items",) and "options" not in path and module.for_each:
        return REPEATED[module.for_each]
    return frozenset()


def module_findings(protocol: ProtocolFile) -> Iterator[Finding]:
    several = any(len(arm.plans) > 1 for arm in protocol.arms)
    for n, module in enumerate(protocol.modules):
        yield from _place(protocol, module, ("modules", n))
        yield from _ids(protocol, module, ("modules", n))
        if module.cards is not None:
            yield from _cards(module.cards, ("modules", n, "cards"))
        if several and module.visits != "last" and module.position == "after_ratings":
            yield from _too_early(module, ("modules", n, "visits"))
    yield from _order(protocol)


def _too_early(module: Module, path: Path) -> Iterator[Finding]:
    """What a first visit must not bring when the ratings of a second one are still to come."""
    if module.cards is not None:
        yield Finding(
            path,
            _("These cards are shown before the ratings of a later visit."),
            _("Write visits: last, so that no broken record is met before the last rating."),
        )
    if any(item.id.startswith(ORIGIN) for item in module.items):
        yield Finding(
            path,
            _("“%(title)s” asks about origin before the ratings of a later visit.") % {"title": module.title},
            _("Write visits: last."),
        )


def _place(protocol: ProtocolFile, module: Module, path: Path) -> Iterator[Finding]:
    """Repeated items and cards belong after the ratings; episodes need a question that asks for them."""
    if module.position != "after_ratings":
        for key, value in (("for_each", module.for_each), ("cards", module.cards)):
            if value is not None:
                yield Finding(
                    (*path, key),
                    _("%(key)s can only come after the ratings.") % {"key": key},
                    _("Write position: after_ratings."),
                )
    if module.for_each == "episode":
        items = [*protocol.screener.items, *(i for m in protocol.modules_at("screener") for i in m.items)]
        if not any(item.use == "episodes" and item.type in ("text", "texts") for item in items):
            yield Finding(
                (*path, "for_each"),
                _("Nobody is asked for episodes."),
                _("Add a text item with use: episodes to the screener."),
            )


def _ids(protocol: ProtocolFile, module: Module, path: Path) -> Iterator[Finding]:
    """Ids of repeated items get an ending; what comes out must fit and be nobody else's."""
    if module.for_each is None:
        return
    endings = [str(n) for n in range(1, protocol.tasks.count + 1)]
    if module.for_each == "object":
        endings = [text.api for text in protocol.objects]
    plain = {item.id for one in protocol.modules for item in one.items} | {i.id for i in protocol.screener.items}
    for n, item in enumerate(module.items):
        made = {f"{item.id}_{ending}" for ending in endings}
        longest = max(made, key=len)
        if len(longest) > LONGEST_ID:
            yield Finding(
                (*path, "items", n, "id"),
                _("Repeated, this id becomes “%(id)s”, which is longer than %(most)d characters.")
                % {"id": longest, "most": LONGEST_ID},
                _("Choose a shorter id."),
            )
        for taken in sorted(made & plain):
            yield Finding(
                (*path, "items", n, "id"),
                _("Repeated, this id becomes “%(id)s”, which another item has.") % {"id": taken},
                _("Choose another id."),
            )


def _cards(cards: Cards, path: Path) -> Iterator[Finding]:
    if cards.kind in ("dossiers", "pairs"):
        if cards.control is None:
            yield Finding(
                path,
                _("Nothing says which Org the other half of the records is from."),
                _("Add control: name:NAME, for dossiers the shuffled control Org."),
            )
        if cards.count % 2:
            yield Finding(
                (*path, "count"),
                _("%(n)d records cannot be halved between two Orgs.") % {"n": cards.count},
                _("Write an even count."),
            )
    elif cards.kind == "anchors" and cards.card_set is None:
        yield Finding(
            path,
            _("Nothing says which cards are shown."),
            _("Add card_set: with the name that manage.py anchors_make printed."),
        )
    wanted = 2 if cards.kind == "pairs" else POINTS
    if len(cards.options) != wanted:
        yield Finding(
            (*path, "options"),
            _("Cards of this kind have %(wanted)d options, not %(n)d.") % {"wanted": wanted, "n": len(cards.options)},
            _("For a pair name the first and the second record; for all others the five points of the scale."),
        )
    if cards.cannot_judge is None:
        yield Finding(
            path, _("There is no way to say that one can't judge a card."), _("Add cannot_judge: with its words.")
        )


def _order(protocol: ProtocolFile) -> Iterator[Finding]:
    """A warning where people are asked about origin before what should not be coloured by it."""
    told_at: int | None = None
    for n, module in enumerate(protocol.modules):
        if module.position != "after_ratings":
            continue
        if told_at is None and any(item.id.startswith(ORIGIN) for item in module.items):
            told_at = n
        elif told_at is not None and (module.for_each in BEFORE_ORIGIN or module.cards is not None):
            yield Finding(
                ("modules", told_at),
                _("“%(origin)s” asks where the records came from before “%(later)s” is asked.")
                % {"origin": protocol.modules[told_at].title, "later": module.title},
                _("Move it behind: the question itself suggests an answer."),
                "warning",
            )
