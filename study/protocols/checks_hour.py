"""Items and options, the eligibility rule, orientation, and the rating pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from study.protocols.checks_design import twice
from study.protocols.hour import Rating
from study.protocols.parts import RESERVED_CODES, Choice, Item, Rule
from study.protocols.problems import Finding, Path
from study.protocols.schema import ProtocolFile

NOT_SEEN = "not_seen"


def items_of(protocol: ProtocolFile) -> Iterator[tuple[Path, Item]]:
    """Every item outside the ratings, with its path: screener, requester, then modules in file order."""
    for n, item in enumerate(protocol.screener.items):
        yield ("screener", "items", n), item
    if protocol.work.requester is not None and protocol.work.requester.rating is not None:
        yield ("work", "requester", "rating"), protocol.work.requester.rating
    for m, module in enumerate(protocol.modules):
        for n, item in enumerate(module.items):
            yield ("modules", m, "items", n), item


def item_findings(protocol: ProtocolFile) -> Iterator[Finding]:
    seen: set[str] = set()
    for path, item in items_of(protocol):
        if item.id in seen:
            yield Finding(
                (*path, "id"),
                _("Item “%(id)s” is here twice.") % {"id": item.id},
                _("An id names one item of the whole file; its answers are stored under it."),
            )
        seen.add(item.id)
        yield from _item(path, item)
    yield from twice(("modules",), "id", (module.id for module in protocol.modules))
    statements = protocol.consent.statements
    yield from twice(("consent", "statements"), "id", (statement.id for statement in statements))
    taken = {statement.id for statement in statements}
    for n, statement in enumerate(protocol.consent.optional):
        if statement.id in taken:
            yield Finding(
                ("consent", "optional", n, "id"),
                _("“%(id)s” is here twice.") % {"id": statement.id},
                _("Give each statement an id of its own."),
            )
        taken.add(statement.id)
    yield from _choices(("work", "skip_reasons"), protocol.work.skip_reasons)


def _item(path: Path, item: Item) -> Iterator[Finding]:
    listed = item.type in {"single", "multi"}
    if listed and len(item.options) < 2:
        yield Finding(
            path,
            _("“%(id)s” has fewer than two options.") % {"id": item.id},
            _("Add options with code and text, or make it type: text."),
        )
    if not listed and item.options:
        yield Finding(
            (*path, "options"),
            _("An item of type %(type)s has no options.") % {"type": item.type},
            _("Take them out, or make it type: single or multi."),
        )
    if item.type == "scale" and (item.high <= item.low or (item.high - item.low) % item.step):
        yield Finding(
            path,
            _("The scale from %(low)d to %(high)d has no whole number of steps of %(step)d.")
            % {"low": item.low, "high": item.high, "step": item.step},
            _("Set low, high and step so that the last point is reached."),
        )
    elif item.type == "scale" and len(item.points) > 21:
        yield Finding(
            path,
            _("A scale of %(n)d points does not fit a small screen.") % {"n": len(item.points)},
            _("Use a larger step; 21 points are the most."),
        )
    for n, option in enumerate(item.options):
        if option.alone and item.type != "multi":
            yield Finding(
                (*path, "options", n, "alone"),
                _("In an item of type %(type)s every option stands alone.") % {"type": item.type},
                _("Take alone out."),
            )
    yield from _choices((*path, "options"), item.options)


def _choices(path: Path, choices: Sequence[Choice]) -> Iterator[Finding]:
    yield from twice(path, "code", (choice.code for choice in choices))
    yield from twice(path, "text", (choice.text for choice in choices))
    for n, choice in enumerate(choices):
        if choice.code in RESERVED_CODES:
            yield Finding(
                (*path, n, "code"),
                _("“%(code)s” is a kind of blank and can't be an option.") % {"code": choice.code},
                _("Choose another code. “I'd rather not say” is added by itself."),
            )


def rule_findings(protocol: ProtocolFile) -> Iterator[Finding]:
    path: Path = ("screener", "eligibility", "rule")
    items = {item.id: item for item in protocol.screener.items}
    for leaf_path, leaf in _leaves(protocol.screener.eligibility.rule, path):
        item = items.get(leaf.item or "")
        if item is None:
            yield Finding(
                leaf_path,
                _("The rule asks for “%(id)s”, which is no item of the screener.") % {"id": leaf.item},
                _("Its items are: %(ids)s.") % {"ids": ", ".join(items)},
            )
            continue
        for n, code in enumerate(leaf.among or ()):
            if code not in item.codes:
                yield Finding(
                    (*leaf_path, "in", n),
                    _("“%(code)s” is no option of %(id)s.") % {"code": code, "id": item.id},
                    _("Its codes are: %(codes)s.") % {"codes": ", ".join(item.codes) or "–"},
                )


def _leaves(rule: Rule, path: Path) -> Iterator[tuple[Path, Rule]]:
    for key, parts in (("all", rule.all_of), ("any", rule.any_of)):
        for n, part in enumerate(parts or ()):
            yield from _leaves(part, (*path, key, n))
    if rule.none_of is not None:
        yield from _leaves(rule.none_of, (*path, "not"))
    if rule.item is not None:
        yield path, rule


def orientation_findings(protocol: ProtocolFile) -> Iterator[Finding]:
    check, practice = protocol.orientation.check, protocol.orientation.practice
    if check is not None:
        yield from twice(("orientation", "check", "items"), "id", (item.id for item in check.items))
    elif protocol.meta.kind != "replication":
        yield Finding(
            ("orientation",),
            _("Nothing checks whether people understood what they judge."),
            _("Add check: with intro and items, as in realia-hour."),
        )
    yield from _moves(protocol)
    if practice is None:
        return
    practised = practice.object
    here: Path = ("orientation", "practice", "object")
    if practised not in {text.api for text in protocol.objects}:
        yield Finding(
            here,
            _("“%(name)s” has no texts.") % {"name": practised},
            _("Add it under objects, with label, plural and line."),
        )
    for arm in protocol.arms:
        if any(practised in plan.rate for plan in arm.plans):
            yield Finding(
                here,
                _("The practice uses “%(name)s”, which arm %(arm)s rates.") % {"name": practised, "arm": arm.code},
                _("Practise on an object nobody rates."),
            )


def _moves(protocol: ProtocolFile) -> Iterator[Finding]:
    """Timed moves name what they need and no more, and stay within what the orientation shows."""
    moves = protocol.orientation.moves
    if moves is None:
        return
    yield from twice(("orientation", "moves", "items"), "id", (move.id for move in moves.items))
    needed = {"find": (), "filter": ("field",), "follow": ("related",)}
    for n, move in enumerate(moves.items):
        here: Path = ("orientation", "moves", "items", n)
        for key in ("field", "related"):
            if (getattr(move, key) is not None) != (key in needed[move.kind]):
                yield Finding(
                    (*here, key) if getattr(move, key) is not None else here,
                    _("A move of kind %(kind)s needs %(needs)s.")
                    % {"kind": move.kind, "needs": ", ".join(needed[move.kind]) or _("neither field nor related")},
                    _("find: object. filter: object and field. follow: object and related."),
                )
        for key, api in (("object", move.object), ("related", move.related)):
            for arm in protocol.arms:
                if api and any(api not in plan.orient for plan in arm.plans):
                    yield Finding(
                        (*here, key),
                        _("The move uses “%(name)s”, which the orientation of arm %(arm)s does not name.")
                        % {"name": api, "arm": arm.code},
                        _("Add it under orient, or move on another object."),
                    )


def rating_findings(protocol: ProtocolFile) -> Iterator[Finding]:
    rating = protocol.rating
    for name, card in (("org", rating.org), ("object", rating.object)):
        here: Path = ("rating", name, "cannot_judge_reasons")
        yield from twice(here, "code", (reason.code for reason in card.cannot_judge_reasons))
    yield from _layout(rating)
    codes = [reason.code for reason in rating.object.cannot_judge_reasons]
    here = ("rating", "object", "cannot_judge_reasons")
    if rating.look is not None and NOT_SEEN in codes:
        yield Finding(
            (*here, codes.index(NOT_SEEN)),
            _("With a look everybody has records to see."),
            _("Take the reason not_seen out, or leave look: out."),
        )
    if rating.look is None and NOT_SEEN not in codes:
        yield Finding(
            here,
            _("Without a look some people will not have seen the object."),
            _("Add a reason with code: not_seen."),
        )


def _layout(rating: Rating) -> Iterator[Finding]:
    """What the one page of the matrix has no place for, and what a single box needs."""
    yield from twice(("rating", "dimensions"), "code", (one.code for one in rating.dimensions))
    for n, one in enumerate(rating.dimensions):
        if one.code == "overall":
            yield Finding(
                ("rating", "dimensions", n, "code"),
                _("The card's own question is called overall."),
                _("Give this one another code."),
            )
    added = (("look", rating.look), ("evidence", rating.evidence), ("dimensions", rating.dimensions))
    for key, value in added if rating.layout == "matrix" else ():
        if value:
            yield Finding(
                ("rating", key), _("The matrix has no place for this."), _("Leave it out, or write layout: cards.")
            )
    if rating.rationale.boxes == "one" and not rating.rationale.why:
        yield Finding(("rating", "rationale"), _("The single box has no label."), _("Add why: with its label."))
