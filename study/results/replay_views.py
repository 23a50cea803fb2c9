"""Walking through a visit again: which visits may be, the course of one, and a single page of it."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from study.accounts.access import SEE_DATA, person, study_for
from study.results.access import walk_for
from study.results.replaying import note_view, page_of, said, visits_to_replay


@require_GET
def replays(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *SEE_DATA)
    return render(request, "results/replays.html", {"study": study, "tab": "export", "walks": visits_to_replay(study)})


@require_GET
def replay(request: HttpRequest, code: str, visit: str) -> HttpResponse:
    """The course of a visit, page by page; of one that is closed only why."""
    walk = walk_for(request, code, visit)
    if not walk.closed_because:
        note_view(walk, by=person(request))
    return render(request, "results/replay.html", {"study": walk.study, "tab": "export", "walk": walk})


@require_GET
def replay_step(request: HttpRequest, code: str, visit: str, number: int) -> HttpResponse:
    """One page as it was, beside what was asked, how long it stood and what was saved meanwhile."""
    walk = walk_for(request, code, visit)
    if walk.closed_because:
        return redirect("replay", code, visit)
    step = walk.step(number)
    if step is None:
        raise Http404
    note_view(walk, by=person(request))
    context = {
        "study": walk.study,
        "tab": "export",
        "walk": walk,
        "step": step,
        "page": page_of(step, by=person(request), study=walk.study) if step.has_page else "",
        "saves": [(save, said(save)) for save in step.saves],
        "before": number - 1 if number > 1 else None,
        "after": number + 1 if number < len(walk.steps) else None,
    }
    return render(request, "results/replay_step.html", context)
