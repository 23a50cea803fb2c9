"""Objects to rate that few people's questions will need, said before a protocol is frozen (M3)."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from study.accounts.models import Study
from study.assignment.coverage import expected_needs
from study.assignment.drawing import asked, condition_of
from study.assignment.needs import HALF
from study.assignment.replaying import pools_now
from study.protocols.problems import Finding
from study.protocols.schema import ProtocolFile


def need_findings(study: Study, file: ProtocolFile) -> Iterator[Finding]:
    """A warning per arm (or visit of an arm) whose Orgs and questions the study has."""
    pools = pools_now(study, file)
    for n, arm in enumerate(file.arms):
        for k, plan in enumerate(arm.plans):
            if (pool := pools.get((arm.code, condition_of(file, arm.code, plan)))) is None:
                continue
            shares, _why_not = expected_needs(pool, asked(file, arm.code, plan), file.analysis.n_target)
            few = sorted((share, api) for api, share in shares.items() if share < HALF)
            if not few:
                continue
            told = ", ".join(f"{file.object_text(api).plural} {100 * share:.0f} %" for share, api in few)
            text = _("Expected share of people whose questions need what they rate, below one half: %(objects)s.")
            remedy = _("Choose tasks that lead there, or rate other objects; the coverage page shows every share.")
            path = ("arms", n, "visits", k) if arm.visits else ("arms", n, "rate")
            yield Finding(path, text % {"objects": told}, remedy, "warning")
