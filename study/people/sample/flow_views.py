"""The flow of people for everybody on a study's team: numbers and reasons, never a person and never a rating."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from study.accounts.access import study_for
from study.accounts.models import Role, Study
from study.people.models import Cohort, CohortState, Participant
from study.people.protocol import file_of, newest_frozen
from study.people.sample import consort, flow_words


@dataclass(frozen=True)
class Part:
    """What a flow is asked for: a study, or one of its cohorts."""

    study: Study
    cohort: Cohort | None
    flow: consort.Flow
    exclusions: dict[str, str]
    arms: bool
    """Whether arms are told apart."""

    @property
    def name(self) -> str:
        return self.cohort.name if self.cohort else self.study.name

    @property
    def code(self) -> str:
        return f"{self.study.code}-{self.cohort.code}" if self.cohort else self.study.code


def part_for(request: HttpRequest, code: str) -> Part:
    """Behind the study's door; a pilot has no flow of its own, since its people never count (M14)."""
    study = study_for(request, code)
    asked = request.GET.get("cohort", "")
    cohort = Cohort.objects.filter(study=study, code=asked, pilot=False).first() if asked else None
    if asked and cohort is None:
        raise Http404
    people = Participant.objects.counted().filter(study=study)
    frozen = newest_frozen(study.pk)
    listed = file_of(frozen).exclusions if frozen else ()
    return Part(
        study,
        cohort,
        consort.flow(consort.courses(people.filter(cohort=cohort) if cohort else people)),
        {one.code: one.text for one in listed},
        may_tell_arms(study, request.role),  # type: ignore[attr-defined]
    )


def may_tell_arms(study: Study, role: str) -> bool:
    """Whoever enrols people could guess the next arm from these numbers: not while somebody can still join (M1)."""
    return role != Role.COORDINATOR or not study.cohorts.exclude(state=CohortState.CLOSED).exists()


@require_GET
def flow(request: HttpRequest, code: str) -> HttpResponse:
    part = part_for(request, code)
    arms = [(arm, flow_words.lines(own, part.exclusions, whole=False)) for arm, own in part.flow.arms.items()]
    context = {
        "study": part.study,
        # Whoever recruits and sees no data finds this page from the cohorts.
        "tab": "cohorts" if request.role == Role.COORDINATOR else "flow",  # type: ignore[attr-defined]
        "part": part,
        "cohorts": part.study.cohorts.filter(pilot=False),
        "lines": flow_words.lines(part.flow, part.exclusions),
        "arms": arms if part.arms and len(arms) > 1 else [],
        "arms_hidden": len(arms) > 1 and not part.arms,
    }
    return render(request, "people/flow.html", context)


@require_GET
def flow_file(request: HttpRequest, code: str, form: str) -> HttpResponse:
    part = part_for(request, code)
    if form == "csv":
        kind, text = "text/csv", flow_words.as_csv(part.code, part.flow, part.exclusions, arms=part.arms)
    elif form == "txt":
        kind, text = "text/plain", flow_words.as_text(part.name, part.flow, part.exclusions, arms=part.arms)
    else:
        raise Http404
    answer = HttpResponse(text, content_type=f"{kind}; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{part.code}-flow.{form}"'
    return answer
