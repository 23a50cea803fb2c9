"""The stopping rule while a study runs: planned looks, each taken once, that say "enough" or "not yet" (M13).

Nothing else leaves a look: at 20 raters a half-width of .168 would say that approval is 80 % (or 20 %). A look takes
the first raters of an arm by the moment of their lock, so that the report finds it again from the data.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.jobs import JobFailed, Running, enqueue, job_kind
from study.accounts.models import Job, JobState, Study, User
from study.assignment.models import Visit
from study.people.models import counted
from study.people.protocol import file_of, newest_frozen
from study.protocols.promises import Analysis
from study.protocols.schema import ProtocolFile
from study.results.exporting import write_study
from study.results.models import PlannedLook
from study.results.stored import state_of

KIND = "planned look"


@dataclass(frozen=True)
class ArmLooks:
    """What the monitor tells of one arm. ``next_at``: raters of the next look; None after "enough" or the last one.

    ``places``: people that the study's cohorts take for this arm, None while no cohort is there.
    """

    arm: str
    analysed: int
    taken: tuple[PlannedLook, ...]
    next_at: int | None
    places: int | None

    @property
    def last(self) -> PlannedLook | None:
        return self.taken[-1] if self.taken else None

    @property
    def enough(self) -> bool:
        return bool(self.taken) and self.taken[-1].enough

    @property
    def too_few_places(self) -> bool:
        """The cohorts are full before the next look can be taken."""
        return self.next_at is not None and self.places is not None and self.places < self.next_at


def looks_of(study: Study) -> list[ArmLooks]:
    """Every arm of the newest frozen protocol with its looks; nothing for a fixed number or without a protocol."""
    file = _file(study)
    if file is None or not file.analysis.looks:
        return []
    counts, places = analysed(study, file), _places(study)
    taken: dict[str, list[PlannedLook]] = {}
    for row in PlannedLook.objects.filter(study=study):
        taken.setdefault(row.arm, []).append(row)
    return [
        ArmLooks(
            arm.code,
            counts[arm.code],
            tuple(taken.get(arm.code, ())),
            _next(file.analysis, taken.get(arm.code, ())),
            places.get(arm.code),
        )
        for arm in file.arms
    ]


def analysed(study: Study, file: ProtocolFile) -> dict[str, int]:
    """Analysed people of each arm who have locked, the fewest of its visits' kinds. Counts, no ratings."""
    rows = (
        Visit.objects.filter(participant__study=study, participant__analysed=True, **counted("participant"))
        .exclude(locked_at=None)
        .order_by()
        .values_list("arm", "condition", "participant")
        .distinct()
    )
    of_condition = Counter((arm, condition) for arm, condition, _participant in rows)
    return {
        arm.code: min(of_condition[arm.code, plan.code if arm.visits else ""] for plan in arm.plans)
        for arm in file.arms
    }


def due(study: Study) -> bool:
    """Whether an arm has come to its next look. Ratings that are open are looked at by everybody, so no more then."""
    if not study.blind or study.archived_at is not None:
        return False
    return any(one.next_at is not None and one.analysed >= one.next_at for one in looks_of(study))


def ask(study: Study, *, by: User | None) -> Job | None:
    """Begin the look that is due. The same data are not looked at twice: whoever is not analysed yet stays that way."""
    if not due(study):
        return None
    state = state_of(study)
    last = study.jobs.filter(kind=KIND).order_by("-pk").first()
    if last is not None and last.params.get("state") == state and last.state in (JobState.DONE, JobState.FAILED):
        return None
    return enqueue(KIND, {"state": state}, study=study, by=by, once_key=f"look:{study.pk}")


def take(study: Study) -> list[PlannedLook]:
    """Take every look that is due, on the very bundle an open export would hold; store and audit each once."""
    # Statistics are imported by the worker, never by a page.
    from study.results.looking import verdicts

    protocol = newest_frozen(study.pk)
    if protocol is None:
        return []
    done = {arm.arm: [look.raters for look in arm.taken] for arm in looks_of(study) if not arm.enough}
    with tempfile.TemporaryDirectory() as place:
        bundle = Path(place) / "bundle"
        write_study(study, bundle, blind=False)
        found = verdicts(bundle, done)
    rows = []
    for said in found:
        with transaction.atomic():
            row, made = PlannedLook.objects.get_or_create(
                study=study, arm=said.arm, raters=said.raters,
                defaults={"analysed": said.analysed, "enough": said.enough, "protocol_number": protocol.number},
            )  # fmt: skip
            if made:
                result = "enough" if said.enough else "not yet"
                audit("look.taken", by=None, study=study, target=said.arm, raters=said.raters, analysed=said.analysed,
                      result=result)  # fmt: skip
                rows.append(row)
    return rows


@job_kind(KIND)
def look_job(running: Running) -> dict[str, int]:
    study = running.job.study
    if study is None or not study.blind:
        raise JobFailed(_("The ratings are open; there is nothing to look at blindly."))
    running.progress(0, 1, _("Looking whether there is enough"))
    rows = take(study)
    running.progress(1, 1)
    return {"looks": len(rows)}


@job_kind("planned looks", every_tick=True)
def planned_looks(running: Running) -> dict[str, int]:
    """Every minute: begin the look of each study that has come to one."""
    blind = Study.objects.filter(unblinded_at=None, archived_at=None, participants__analysed=True).distinct()
    return {"begun": sum(ask(study, by=None) is not None for study in blind)}


def _file(study: Study) -> ProtocolFile | None:
    protocol = newest_frozen(study.pk)
    return file_of(protocol) if protocol else None


def _next(analysis: Analysis, taken: Sequence[PlannedLook]) -> int | None:
    if taken and taken[-1].enough:
        return None
    last = taken[-1].raters if taken else 0
    return next((n for n in analysis.looks if n > last), None)


def _places(study: Study) -> Mapping[str, int]:
    """Targets of the study's cohorts, spread over the arms that each feeds; pilots count nowhere."""
    found: Counter[str] = Counter()
    for cohort in study.cohorts.filter(pilot=False):
        for arm in cohort.arm_codes:
            found[arm] += cohort.target // len(cohort.arm_codes)
    return found
