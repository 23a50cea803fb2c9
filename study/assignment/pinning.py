"""Whether what a protocol pins can be given to everybody: checked before a cohort opens."""

from __future__ import annotations

from collections import Counter

from django.utils.translation import gettext as _

from study.accounts.models import Study
from study.assignment.exposure import assignable
from study.assignment.orgs import resolve
from study.assignment.readiness import Problem
from study.protocols.design import Arm
from study.protocols.schema import ProtocolFile
from study.sandbox.models import Org


def pinned_problems(study: Study, file: ProtocolFile, arm: Arm) -> list[Problem]:
    """Pinned keys that no Org of the protocol has, and more of them in a stratum than everybody has places of it.

    Arms and their Orgs have questions of their own, so a key has to be found in one of them.
    """
    if not file.tasks.pinned:
        return []
    found = {key for one in file.arms for org in orgs_of(study, one) for key in pinned_in(study, file, org)}
    text = _("No Org of the protocol has a question %(key)s that could be given to everybody.")
    remedy = _("Take it out of pinned, or import the questions it belongs to.")
    lost = [Problem("instances", text % {"key": key}, remedy) for key in file.tasks.pinned if key not in found]
    return lost + [problem for org in orgs_of(study, arm) for problem in org_problems(study, file, org)]


def orgs_of(study: Study, arm: Arm) -> list[Org]:
    references = dict.fromkeys(reference for plan in arm.plans for reference in plan.orgs)
    return [org for org in (resolve(reference, study) for reference in references) if org is not None]


def pinned_in(study: Study, file: ProtocolFile, org: Org) -> dict[str, str]:
    """The task of each pinned key that people of the study can be given in an Org."""
    rows = assignable(study, org).filter(key__in=file.tasks.pinned, task__in=file.task_names)
    return dict(rows.values_list("key", "task"))


def org_problems(study: Study, file: ProtocolFile, org: Org) -> list[Problem]:
    tasks = pinned_in(study, file, org)
    problems = []
    remedy = _("Pin at most one question of a kind, and no more of a stratum than its quota.")
    for task, n in Counter(tasks.values()).items():
        if n > 1:
            text = _("%(n)d questions of the kind %(task)s are pinned; nobody gets a kind twice.")
            problems.append(Problem("instances", text % {"n": n, "task": task}, remedy))
    per = Counter(file.stratum_of(task).code for task in set(tasks.values()))
    for stratum in file.tasks.strata:
        if per[stratum.code] > stratum.quota:
            text = _("Of “%(stratum)s” everybody gets %(quota)d questions, but %(n)d are pinned.")
            said = {"stratum": stratum.label, "quota": stratum.quota, "n": per[stratum.code]}
            problems.append(Problem("instances", text % said, remedy))
    return problems
