"""Length and pay, arms and objects, tasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.utils.translation import gettext as _

from study.protocols.problems import Finding, Path
from study.protocols.schema import ProtocolFile

START_SECONDS = 60
CARD_SECONDS = 75
LOOK_SECONDS = 20


def rating_seconds(objects: int, *, look: bool) -> int:
    """What the rating block takes by the rule of thumb of M15: a start, then a card for the Org and each object."""
    return START_SECONDS + (objects + 1) * CARD_SECONDS + (objects * LOOK_SECONDS if look else 0)


def repeated(names: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Position and name of each entry that was there before."""
    seen: set[str] = set()
    for n, name in enumerate(names):
        if name in seen:
            yield n, name
        seen.add(name)


def twice(path: Path, key: str | None, names: Iterable[str]) -> Iterator[Finding]:
    """A finding for each repeated name of a list; ``key`` is where the name stands in an entry."""
    for n, name in repeated(names):
        here = (*path, n) if key is None else (*path, n, key)
        yield Finding(here, _("“%(name)s” is here twice.") % {"name": name}, _("Give each entry a name of its own."))


def length_findings(protocol: ProtocolFile) -> Iterator[Finding]:
    length, clocks = protocol.length, protocol.clocks
    if length.at_least > length.at_most:
        yield Finding(
            ("length", "at_least"), _("The shortest time is longer than the longest."), _("Exchange the two numbers.")
        )
    if length.at_most != length.paid:
        yield Finding(
            ("length", "paid"),
            _("People are told up to %(told)d minutes and paid for %(paid)d.")
            % {"told": length.at_most, "paid": length.paid},
            _("Write the same number in at_most and paid: the time that is stated is what is paid."),
        )
    if clocks.in_the_visit > length.paid:
        yield Finding(
            ("length", "paid"),
            _("The parts of the hour add up to %(sum)d minutes, but %(paid)d are paid.")
            % {"sum": clocks.in_the_visit, "paid": length.paid},
            _("Raise at_most and paid, or shorten a part under clocks."),
        )
    for arm in protocol.arms:
        needed = rating_seconds(len(arm.rate), look=protocol.rating.look is not None)
        if clocks.ratings * 60 < needed:
            yield Finding(
                ("clocks", "ratings"),
                _("Arm %(arm)s rates %(n)d objects, which takes about %(needed)s minutes; %(given)d are planned.")
                % {"arm": arm.code, "n": len(arm.rate), "needed": f"{needed / 60:.1f}", "given": clocks.ratings},
                _("Give the ratings more time, or say in unknowns why it stays."),
                "warning",
            )


def team_findings(protocol: ProtocolFile) -> Iterator[Finding]:
    if protocol.team.email.endswith("example.test"):
        yield Finding(
            ("team", "email"),
            _("Nobody reads mail to %(email)s.") % {"email": protocol.team.email},
            _("Put your own address, and look through the rest of team."),
            "warning",
        )


def arm_findings(protocol: ProtocolFile) -> Iterator[Finding]:
    yield from twice(("objects",), "api", (text.api for text in protocol.objects))
    yield from twice(("arms",), "code", (arm.code for arm in protocol.arms))
    known = {text.api for text in protocol.objects}
    practice = protocol.orientation.practice
    used = {practice.object} if practice else set()
    for n, arm in enumerate(protocol.arms):
        for key, names in (("rate", arm.rate), ("orient", arm.orient)):
            yield from twice(("arms", n, key), None, names)
            for m, name in enumerate(names):
                if name not in known:
                    yield Finding(
                        ("arms", n, key, m),
                        _("“%(name)s” has no texts.") % {"name": name},
                        _("Add it under objects, with label, plural and line."),
                    )
        for m, name in enumerate(arm.rate):
            if name in known and name not in arm.orient:
                yield Finding(
                    ("arms", n, "rate", m),
                    _("“%(name)s” is rated but not named in the orientation.") % {"name": name},
                    _("Add it to orient of this arm."),
                )
        if not all(plan.orgs or plan.repeats for plan in arm.plans):
            yield Finding(
                ("arms", n, "orgs"),
                _("Arm %(arm)s names no Org yet.") % {"arm": arm.code},
                _("Add a hash or name:… of a loaded Org before a cohort opens."),
                "warning",
            )
        used |= {name for plan in arm.plans for name in (*plan.rate, *plan.orient)}
    for n, text in enumerate(protocol.objects):
        if text.api not in used:
            yield Finding(
                ("objects", n),
                _("“%(name)s” is used by no arm.") % {"name": text.api},
                _("Take it out, or add it to an arm."),
                "warning",
            )


def task_findings(protocol: ProtocolFile) -> Iterator[Finding]:
    tasks = protocol.tasks
    quotas = sum(stratum.quota for stratum in tasks.strata)
    if quotas + tasks.rotating != tasks.count:
        yield Finding(
            ("tasks", "count"),
            _("The quotas add up to %(quotas)d and %(rotating)d rotate, but each person gets %(count)d tasks.")
            % {"quotas": quotas, "rotating": tasks.rotating, "count": tasks.count},
            _("Make quotas + rotating = count."),
        )
    if tasks.rotating > len(tasks.strata):
        yield Finding(
            ("tasks", "rotating"),
            _("There are %(n)d strata for %(rotating)d rotating tasks.")
            % {"n": len(tasks.strata), "rotating": tasks.rotating},
            _("A stratum takes one of them at most; raise its quota instead."),
        )
    if tasks.count != 5 and protocol.meta.kind != "replication":
        yield Finding(
            ("tasks", "count"),
            _("%(n)d tasks per person instead of five.") % {"n": tasks.count},
            _("The planned minutes and the published studies are for five."),
            "warning",
        )
    if len(tasks.pinned) > quotas:
        yield Finding(
            ("tasks", "pinned"),
            _("%(n)d instances are pinned, but everybody has only %(quotas)d places that do not rotate.")
            % {"n": len(tasks.pinned), "quotas": quotas},
            _("Pin fewer, or raise a quota: a pinned instance takes a place of its stratum."),
        )
    yield from twice(("tasks", "pinned"), None, tasks.pinned)
    yield from twice(("tasks", "strata"), "code", (stratum.code for stratum in tasks.strata))
    seen: set[str] = set()
    for n, stratum in enumerate(tasks.strata):
        most = stratum.quota + (1 if tasks.rotating else 0)
        if most > len(stratum.tasks):
            yield Finding(
                ("tasks", "strata", n, "quota"),
                _("A person may get %(most)d tasks from %(code)s, which has %(n)d.")
                % {"most": most, "code": stratum.code, "n": len(stratum.tasks)},
                _("Add tasks to it or lower its quota: nobody gets a task twice."),
            )
        for m, task in enumerate(stratum.tasks):
            if task in seen:
                yield Finding(
                    ("tasks", "strata", n, "tasks", m),
                    _("Task “%(task)s” is here twice.") % {"task": task},
                    _("Keep it in one stratum."),
                )
            seen.add(task)
