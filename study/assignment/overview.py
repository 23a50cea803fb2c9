"""The study's first page as data: what it is, what is there, what is missing before its cohorts can open."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from study.accounts.models import Study
from study.assignment.exposure import assignable
from study.assignment.readiness import Problem, arm_problems, cohort_problems, once, orgs_of
from study.assignment.walks import finished_walks
from study.people.models import CohortState
from study.people.protocol import file_of, newest_frozen
from study.people.sample.cohort_board import CohortRow, board
from study.protocols.models import Protocol, ProtocolState
from study.protocols.packs.gaps import gaps_of
from study.protocols.problems import ProtocolInvalid
from study.protocols.schema import ProtocolFile
from study.sandbox.models import Org


@dataclass(frozen=True)
class Step:
    """One of the five steps to opening: done or not, what stands there, and what is missing with its remedy.

    ``key``: protocol, org, cohort, test, open. ``link``: the URL name of its page, with the study's code as argument.
    """

    key: str
    done: bool
    title: str
    text: str
    problems: tuple[Problem, ...] = ()
    link: str = ""
    notes: tuple[str, ...] = ()
    """What is worth knowing and keeps nobody from going on."""

    @property
    def word(self) -> str:
        if self.done:
            return _("there")
        return _("not yet") if self.key == "test" else _("missing")


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

    @property
    def opened(self) -> bool:
        """Whether people are joining already, whatever is left to do."""
        return any(row.cohort.state == CohortState.OPEN for row in self.rows)

    @property
    def next(self) -> Step | None:
        """The first step that is not done."""
        return next((step for step in self.steps if not step.done), None)


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
        protocol_step(study, protocol, file),
        org_step(orgs, problems, file),
        cohort_step(rows),
        test_step(study, protocol),
        open_step(rows),
    )
    return Overview(file, protocol, orgs, steps, rows)


def protocol_step(study: Study, protocol: Protocol | None, file: ProtocolFile | None) -> Step:
    title = _("A frozen protocol")
    gaps = tuple(gap.label for gap in gaps_of(file)) if file else ()
    notes = (_("Still empty in the papers: %(places)s.") % {"places": ", ".join(gaps)},) if gaps else ()
    if protocol and protocol.state == ProtocolState.FROZEN:
        text = _("Version %(n)d, mark %(mark)s.") % {"n": protocol.number, "mark": protocol.sha256[:12]}
        return Step("protocol", True, title, text, (), "protocol", notes)
    remedy = _("Check and freeze it on the protocol page, or run manage.py protocol_freeze %(code)s.")
    if protocol is None:
        remedy = _("Import one on the protocol page, or run manage.py protocol_import %(code)s FILE.")
    remedy %= {"code": study.code}
    said = _("There is a draft; nothing is frozen.") if protocol else _("There is none yet.")
    return Step("protocol", False, title, "", (Problem("protocol", said, remedy),), "protocol", notes)


def org_step(orgs: tuple[tuple[Org, int], ...], problems: list[Problem], file: ProtocolFile | None) -> Step:
    """The Org of each arm, with everything that is rated and with questions for each kind of task."""
    title = _("The Org of each arm, with its questions")
    if file is None:
        return Step("org", False, title, _("The protocol names it."), (), "study_orgs")
    words = _("%(n)d assignable in %(name)s (%(hash)s)")
    said = [words % {"name": org.name, "hash": org.hash[:12], "n": n} for org, n in orgs]
    return Step("org", not problems, title, ", ".join(said) + "." if said else "", tuple(problems), "study_orgs")


def cohort_step(rows: tuple[CohortRow, ...]) -> Step:
    title = _("A cohort: who is asked, and how many")
    ready = [row.cohort.name for row in rows if not cohort_problems(row.cohort)]
    unpaid = [row.cohort.name for row in rows if not row.cohort.pay_rules.exists()]
    notes = (_("No amounts are set, so nothing will be owed: %(names)s.") % {"names": ", ".join(unpaid)},)
    if ready:
        return Step("cohort", True, title, ", ".join(ready), (), "cohorts", notes if unpaid else ())
    problems = tuple(problem for row in rows for problem in cohort_problems(row.cohort))
    text = "" if rows else _("There is none yet. The cohorts page makes one, or manage.py cohort_open … --create.")
    return Step("cohort", False, title, text, problems, "cohorts")


def test_step(study: Study, protocol: Protocol | None) -> Step:
    """Ticked by the log: a walk through the frozen protocol that reached its end, by whomever and in whichever arm."""
    title = _("A test person has walked through the hour")
    walked = finished_walks(study, protocol).order_by("-at").select_related("actor").first() if protocol else None
    if walked is None:
        text = _("Walk through it yourself, to the last page. It counts nowhere.")
        return Step("test", False, title, text)
    said = {"who": str(walked.actor or ""), "when": f"{walked.at:%Y-%m-%d %H:%M} UTC"}
    return Step("test", True, title, _("%(who)s, %(when)s.") % said)


def open_step(rows: tuple[CohortRow, ...]) -> Step:
    title = _("A cohort that is open")
    if names := [row.cohort.name for row in rows if row.cohort.state == CohortState.OPEN]:
        return Step("open", True, title, ", ".join(names), (), "cohorts")
    return Step("open", False, title, _("None is open.") if rows else "", (), "cohorts")
