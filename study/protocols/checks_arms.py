"""Arms with several visits, and how people are given to arms (M1, M2, M4)."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from study.protocols.checks_design import twice
from study.protocols.design import Arm
from study.protocols.problems import Finding, Path
from study.protocols.schema import ProtocolFile


def visit_findings(protocol: ProtocolFile) -> Iterator[Finding]:
    """What is wrong with the visits of each arm."""
    for n, arm in enumerate(protocol.arms):
        here: Path = ("arms", n)
        yield from twice((*here, "visits"), "code", (visit.code for visit in arm.visits))
        if arm.order == "counterbalanced" and len(arm.visits) < 2:
            yield Finding(
                (*here, "order"),
                _("Arm %(arm)s has one visit, so there is no order to balance.") % {"arm": arm.code},
                _("Add the visits under visits:, or leave order: out."),
            )
        if protocol.meta.kind == "replication" and len(arm.visits) > 1:
            yield Finding(
                (*here, "visits"),
                _("The published study saw each person once."),
                _("Leave visits: out of a replication, or make the study kind: own."),
            )
        yield from _repeats(here, arm)
        yield from _objects(here, arm, protocol)


def _repeats(here: Path, arm: Arm) -> Iterator[Finding]:
    codes = [visit.code for visit in arm.visits]
    for m, visit in enumerate(arm.visits):
        at = (*here, "visits", m)
        if visit.repeats is not None and visit.repeats not in codes[:m]:
            yield Finding(
                (*at, "repeats"),
                _("“%(code)s” is no earlier visit of arm %(arm)s.") % {"code": visit.repeats, "arm": arm.code},
                _("Name a visit that stands above this one: %(codes)s.") % {"codes": ", ".join(codes[:m]) or "–"},
            )
        if visit.repeats is not None and visit.orgs:
            yield Finding(
                (*at, "orgs"),
                _("This visit has the Org of “%(code)s” again, so a list of its own is never used.")
                % {"code": visit.repeats},
                _("Leave orgs: or repeats: out."),
            )
        if visit.same_tasks and visit.repeats is None:
            yield Finding(
                (*at, "same_tasks"),
                _("The same tasks belong to the same Org."),
                _("Add repeats: with the earlier visit, or leave same_tasks: out."),
            )


def _objects(here: Path, arm: Arm, protocol: ProtocolFile) -> Iterator[Finding]:
    """What a visit names in place of its arm: known objects, none of them practised on, all rated ones named before."""
    known = {text.api for text in protocol.objects}
    practised = protocol.orientation.practice.object if protocol.orientation.practice else None
    plans = {plan.code: plan for plan in arm.plans}
    for m, visit in enumerate(arm.visits):
        for key, names in (("rate", visit.rate), ("orient", visit.orient)):
            at = (*here, "visits", m, key)
            yield from twice(at, None, names)
            for k, name in enumerate(names):
                if name not in known:
                    yield Finding(
                        (*at, k),
                        _("“%(name)s” has no texts.") % {"name": name},
                        _("Add it under objects, with label, plural and line."),
                    )
                elif key == "rate" and name == practised:
                    yield Finding(
                        (*at, k),
                        _("The practice uses “%(name)s”, which this visit rates.") % {"name": name},
                        _("Practise on an object nobody rates."),
                    )
        missing = [name for name in plans[visit.code].rate if name not in plans[visit.code].orient]
        if missing and (visit.rate or visit.orient):
            yield Finding(
                (*here, "visits", m),
                _("Rated but not named in the orientation: %(names)s.") % {"names": ", ".join(missing)},
                _("Add them to orient of this visit."),
            )


def allocation_findings(protocol: ProtocolFile) -> Iterator[Finding]:
    """Cells are made of answers from a list; a text would make a cell of every person."""
    yield from twice(("allocation", "cells"), None, protocol.allocation.cells)
    items = {item.id: item for item in protocol.screener.items}
    listed = [item.id for item in protocol.screener.items if item.options]
    for n, name in enumerate(protocol.allocation.cells):
        if name not in items or not items[name].options:
            yield Finding(
                ("allocation", "cells", n),
                _("“%(id)s” is no item of the screener with options.") % {"id": name},
                _("Cells are made of these: %(ids)s.") % {"ids": ", ".join(listed)},
            )
