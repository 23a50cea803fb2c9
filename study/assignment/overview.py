"""The study's first page as data: what it is, what is there, what is missing before its cohorts can open."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from study.accounts.models import Study
from study.assignment.exposure import assignable
from study.assignment.readiness import Problem, arm_problems, cohort_problems, once, orgs_of
from study.people.cohort_board import CohortRow, board
from study.people.models import CohortState
from study.people.protocol import file_of, newest_frozen
from study.protocols.models import Protocol, ProtocolState
from study.protocols.problems import ProtocolInvalid
from study.protocols.schema import ProtocolFile
from study.sandbox.models import Org


@dataclass(frozen=True)
class Step:
    """One line of the list to opening: done or not, what stands there, and what is missing with its remedy."""

    done: bool
    title: str
    text: str
    problems: tuple[Problem, ...] = ()
    link: str = ""
    """A URL name with the study's code as its argument; empty for none."""


@dataclass(frozen=True)
class Overview:
    file: ProtocolFile | None
    protocol: Protocol | None
    orgs: tuple[tuple[Org, int], ...]
    """Each Org of the arms with its number of assignable instances."""
    steps: tuple[Step, ...]
    rows: tuple[CohortRow, ...]

    @property
    def ready(self) -> bool:
        return all(step.done for step in self.steps)


def protocol_to_show(study: Study) -> tuple[Protocol | None, ProtocolFile | None]:
    """The newest frozen version, else the draft with its value if it has one."""
    protocol = newest_frozen(study.pk) or Protocol.objects.filter(study=study).order_by("-number").first()
    if protocol is None:
        return None, None
    try:
        return protocol, file_of(protocol)
    except ProtocolInvalid:
        return protocol, None


def overview(study: Study) -> Overview:
    protocol, file = protocol_to_show(study)
    problems = once(p for arm in file.arms for p in arm_problems(study, file, arm)) if file else []
    orgs = tuple((org, assignable(study, org).count()) for org in orgs_of(study, file.arms if file else ()))
    rows = tuple(board(study))
    steps = (
        protocol_step(study, protocol),
        org_step(orgs, [p for p in problems if p.kind in ("org", "object")], file),
        instance_step(orgs, [p for p in problems if p.kind == "instances"]),
        cohort_step(rows),
    )
    return Overview(file, protocol, orgs, steps, rows)


def protocol_step(study: Study, protocol: Protocol | None) -> Step:
    title = _("A frozen protocol")
    if protocol and protocol.state == ProtocolState.FROZEN:
        text = _("Version %(n)d, mark %(mark)s.") % {"n": protocol.number, "mark": protocol.sha256[:12]}
        return Step(True, title, text, (), "protocol")
    remedy = _("Check and freeze it on the protocol page, or run manage.py protocol_freeze %(code)s.")
    if protocol is None:
        remedy = _("Import one on the protocol page, or run manage.py protocol_import %(code)s FILE.")
    remedy %= {"code": study.code}
    said = _("There is a draft; nothing is frozen.") if protocol else _("There is none yet.")
    return Step(False, title, "", (Problem("protocol", said, remedy),), "protocol")


def org_step(orgs: tuple[tuple[Org, int], ...], problems: list[Problem], file: ProtocolFile | None) -> Step:
    title = _("The Org of each arm, with everything that is rated")
    if file is None:
        return Step(False, title, _("The protocol names it."))
    names = ", ".join(f"{org.name} ({org.hash[:12]})" for org, _n in orgs)
    return Step(not problems, title, _("Loaded: %(names)s.") % {"names": names} if names else "", tuple(problems))


def instance_step(orgs: tuple[tuple[Org, int], ...], problems: list[Problem]) -> Step:
    title = _("Query instances for each kind of task")
    if not orgs:
        return Step(False, title, _("They belong to an Org, so the Org comes first."))
    words = _("%(n)d assignable in %(org)s")
    said = [words % {"n": n, "org": org.name} for org, n in orgs]
    return Step(not problems, title, ", ".join(said) + ".", tuple(problems))


def cohort_step(rows: tuple[CohortRow, ...]) -> Step:
    title = _("A cohort that is open")
    if names := [row.cohort.name for row in rows if row.cohort.state == CohortState.OPEN]:
        return Step(True, title, ", ".join(names), (), "cohorts")
    problems = [problem for row in rows for problem in cohort_problems(row.cohort)]
    said = _("There is none yet. The cohorts page makes one, or manage.py cohort_open … --create.")
    if rows:
        said = _("None is open.")
    return Step(False, title, said, tuple(problems), "cohorts")
