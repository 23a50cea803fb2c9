"""Whether a cohort's people can be given what the protocol promises, and what is missing if not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.models import Study
from study.assignment.exposure import assignable
from study.assignment.orgs import NAMED, resolve
from study.benchmark.key_check import Misfit, misfits
from study.people.models import Cohort
from study.people.protocol import file_of, newest_frozen
from study.people.sample.quota_screener import lost_items
from study.protocols.design import Arm, ArmVisit
from study.protocols.models import Protocol, ProtocolState
from study.protocols.schema import ProtocolFile
from study.sandbox.engine.errors import SnapshotError
from study.sandbox.models import Org

SHOWN_KEYS = 3


@dataclass(frozen=True)
class Problem:
    """One thing that is missing and what to do about it; ``kind``: protocol, org, object, instances, key, cohort."""

    kind: str
    text: str
    remedy: str


def can_open(cohort: Cohort) -> list[Problem]:
    """Everything that keeps a cohort from opening; empty when it can.

    Only here are the keys of the questions worked out again: it may take seconds the first time.
    """
    arms = [p for arm in cohort.arm_codes for p in study_problems(cohort.study, arm, cohort.protocol_number)]
    problems = once(arms) + cohort_problems(cohort)
    return problems or key_problems(cohort)


def once(problems: Iterable[Problem]) -> list[Problem]:
    """Several arms and visits lack the same thing: it is said once."""
    return list(dict.fromkeys(problems))


def is_replication(cohort: Cohort) -> bool:
    frozen = newest_frozen(cohort.study_id)
    return frozen is not None and file_of(frozen).meta.kind == "replication"


def cohort_problems(cohort: Cohort) -> list[Problem]:
    problems = []
    if cohort.study.archived_at:
        text = _("The study is archived.")
        problems.append(Problem("cohort", text, _("An owner can take it back on its close-out page.")))
    if cohort.moderated and is_replication(cohort):
        text = _("The published study had no moderator, so its replication has none (M2).")
        problems.append(Problem("cohort", text, _("Take “with a moderator” out under “Change”.")))
    if not cohort.contact_email:
        problems.append(
            Problem(
                "cohort",
                _("The cohort has no address for questions."),
                _("Enter one under “Change”, or run manage.py cohort_open with --contact ADDRESS."),
            )
        )
    if cohort.closes_at and cohort.closes_at <= timezone.now():
        text = _("The cohort's closing moment has passed.")
        problems.append(Problem("cohort", text, _("Set a later one under “Change”, or none.")))
    if missing := lost_items(cohort):
        text = _("The quota cells are cut by a question that the protocol no longer asks so: %(items)s.")
        problems.append(
            Problem("cohort", text % {"items": ", ".join(missing)}, _("Cut them anew under “Quota cells”."))
        )
    return problems


def key_problems(cohort: Cohort) -> list[Problem]:
    """Questions that the cohort's people could be given and whose key does not fit the Org."""
    number = cohort.protocol_number
    protocol = newest_frozen(cohort.study.pk) if number is None else frozen_number(cohort.study, number)
    if protocol is None:
        return []
    file = file_of(protocol)
    found = orgs_of(cohort.study, [file.arm(code) for code in cohort.arm_codes])
    return [problem for org in found for problem in org_key_problems(cohort.study, file, org)]


def orgs_of(study: Study, arms: Iterable[Arm]) -> list[Org]:
    """Every loaded Org that a visit of these arms may lead to, once."""
    references = dict.fromkeys(reference for arm in arms for plan in arm.plans for reference in plan.orgs)
    found = [org for org in (resolve(reference, study) for reference in references) if org is not None]
    return list({org.pk: org for org in found}.values())


def org_key_problems(study: Study, file: ProtocolFile, org: Org) -> list[Problem]:
    tasks = {task for stratum in file.tasks.strata for task in stratum.tasks}
    rows = assignable(study, org).filter(task__in=tasks)
    try:
        found = misfits(org, rows.order_by("task", "pk"))
    except SnapshotError as error:
        text = _("The keys of the Org “%(org)s” cannot be checked: %(why)s") % {"org": org.name, "why": error}
        return [
            Problem("key", text, _("Load the Org again: manage.py org_load PATH --name %(org)s") % {"org": org.name})
        ]
    remedy = _(
        "manage.py instances_check %(org)s shows all. Correct a key with manage.py instances_key %(org)s %(idx)s "
        "--answer … --reason …"
    )
    problems = [
        Problem(
            "key",
            _("The key of %(task)s %(idx)s no longer fits the Org “%(org)s”: %(why)s.")
            % {"task": one.instance.task, "idx": _called(one), "org": org.name, "why": one.problem},
            remedy % {"org": org.name, "idx": _called(one)},
        )
        for one in found[:SHOWN_KEYS]
    ]
    if more := found[SHOWN_KEYS:]:
        text = _("The keys of %(n)d more questions of the Org “%(org)s” do not fit it.")
        problems.append(Problem("key", text % {"n": len(more), "org": org.name}, problems[0].remedy))
    return problems


def _called(one: Misfit) -> str:
    return one.instance.idx or one.instance.key


def frozen_number(study: Study, number: int) -> Protocol | None:
    return Protocol.objects.filter(study=study, number=number, state=ProtocolState.FROZEN).first()


def study_problems(study: Study, arm_code: str, number: int | None = None) -> list[Problem]:
    """What the study lacks for one arm: a frozen protocol, its Orgs, their objects, their instances."""
    protocol = newest_frozen(study.pk) if number is None else frozen_number(study, number)
    if protocol is None:
        return [
            Problem(
                "protocol",
                _("The study has no frozen protocol."),
                _("Freeze it on the protocol page, or run manage.py protocol_freeze %(code)s.") % {"code": study.code},
            )
        ]
    file = file_of(protocol)
    try:
        arm = file.arm(arm_code)
    except KeyError:
        known = ", ".join(arm.code for arm in file.arms)
        return [
            Problem(
                "protocol",
                _("The protocol has no arm “%(arm)s”.") % {"arm": arm_code},
                _("It has: %(known)s. Make a cohort for one of these.") % {"known": known},
            )
        ]
    return arm_problems(study, file, arm)


Check = Callable[[Study, ProtocolFile, Arm], list[Problem]]
_more: list[Check] = []


def check_also(check: Check) -> Check:
    """Let an app that knows more than this one say what an arm lacks; called in its ``AppConfig.ready``."""
    if check not in _more:
        _more.append(check)
    return check


def arm_problems(study: Study, file: ProtocolFile, arm: Arm) -> list[Problem]:
    """What is missing for any visit of an arm."""
    problems = [problem for plan in arm.plans for problem in plan_problems(study, file, arm, plan)]
    return once([*problems, *(problem for check in _more for problem in check(study, file, arm))])


def plan_problems(study: Study, file: ProtocolFile, arm: Arm, plan: ArmVisit) -> list[Problem]:
    if not plan.orgs:
        said = {"arm": arm.code, "visit": plan.code}
        text = _("The arm “%(arm)s” names no Org.")
        if arm.visits:
            text = _("The visit “%(visit)s” of arm “%(arm)s” names no Org.")
        return [
            Problem(
                "org",
                text % said,
                _("Add one under orgs: in the protocol, by hash or as name:NAME."),
            )
        ]
    problems = []
    for reference in plan.orgs:
        org = resolve(reference, study)
        problems += [missing_org(reference, plan)] if org is None else org_problems(study, file, plan, org)
    return problems


def missing_org(reference: str, plan: ArmVisit) -> Problem:
    called = reference.removeprefix(NAMED)
    objects = ", ".join(plan.rate)
    if reference.startswith(NAMED):
        remedy = _("Load one with these objects: %(objects)s. manage.py org_load PATH --name %(name)s") % {
            "objects": objects,
            "name": called,
        }
    else:
        remedy = _("Load the snapshot with this hash: manage.py org_load PATH --name NAME. It holds %(objects)s.") % {
            "objects": objects
        }
    return Problem("org", _("The Org “%(org)s” is not loaded.") % {"org": called}, remedy)


def org_problems(study: Study, file: ProtocolFile, plan: ArmVisit, org: Org) -> list[Problem]:
    """Rated or named objects the Org lacks, and strata with too few tasks that have an assignable instance."""
    problems = []
    for api in dict.fromkeys((*plan.rate, *plan.orient)):
        if not org.counts.get(api):
            said = _("is to be rated") if api in plan.rate else _("is named in the orientation")
            problems.append(
                Problem(
                    "object",
                    _("%(object)s %(said)s, but the Org “%(org)s” has no record of it.")
                    % {"object": api, "said": said, "org": org.name},
                    _("Choose another Org, or take the object out of the arm."),
                )
            )
    return problems + instance_problems(study, file, org)


def instance_problems(study: Study, file: ProtocolFile, org: Org) -> list[Problem]:
    per_task = Counter(assignable(study, org).order_by().values_list("task", flat=True))
    remedy = _("Add query instances: manage.py instances_import FILE --org %(org)s") % {"org": org.name}
    problems, roomy = [], 0
    for stratum in file.tasks.strata:
        have = [task for task in stratum.tasks if per_task[task]]
        roomy += len(have) > stratum.quota
        if len(have) < stratum.quota:
            said = {"stratum": stratum.label, "quota": stratum.quota, "have": len(have), "org": org.name}
            text = _(
                "Of “%(stratum)s” each person gets %(quota)d tasks; "
                "the Org “%(org)s” has assignable instances of %(have)d."
            )
            problems.append(Problem("instances", text % said, remedy))
    if roomy < file.tasks.rotating:
        text = _(
            "%(need)d places rotate over the kinds of task; "
            "only %(have)d kinds have a task to spare in the Org “%(org)s”."
        )
        said = {"need": file.tasks.rotating, "have": roomy, "org": org.name}
        problems.append(Problem("instances", text % said, remedy))
    return problems
