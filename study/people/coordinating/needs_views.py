"""What waits for a coordinator, on one page: each case with its reason, since when, and one act (M21)."""

from __future__ import annotations

from collections import Counter

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from study.accounts.access import MANAGE_COHORTS, study_for
from study.people import needs_me as registry

MOST = 200


@require_GET
def needs_me(request: HttpRequest, code: str) -> HttpResponse:
    """Everything, or one kind (``?kind=help``). A case that is dealt with is gone at the next opening."""
    study = study_for(request, code, *MANAGE_COHORTS)
    found = registry.needs(study)
    kinds = Counter(need.kind for need in found)
    kind = request.GET.get("kind", "")
    shown = [need for need in found if need.kind == kind] if kind in kinds else found
    context = {
        "study": study,
        "tab": "needs",
        "needs": shown[:MOST],
        "hidden": max(0, len(shown) - MOST),
        "kinds": [(name, registry.label_of(name), n) for name, n in kinds.items()],
        "kind": kind if kind in kinds else "",
        "n": len(found),
    }
    return render(request, "people/staff/needs_me.html", context)
