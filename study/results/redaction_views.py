"""The redaction queue: texts one at a time, without writer, rating, arm and Org, until all have been read."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from study.accounts.access import SEE_DATA, person, study_for
from study.accounts.jobs import enqueue
from study.accounts.models import Study
from study.accounts.reauth import dangerous
from study.fieldwork.hinting import KINDS, Span
from study.results import redacting
from study.results.redacting import Text

PAGE = 50


@require_GET
def redaction(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *SEE_DATA)
    if study.blind:
        return render(request, "results/blind.html", {"study": study, "tab": "redaction"})
    every = redacting.texts(study)
    left = [one for one in every if not one.read]
    context = {
        "study": study,
        "tab": "redaction",
        "page": Paginator(every, PAGE).get_page(request.GET.get("page")),
        "total": len(every),
        "left": len(left),
        "with_hits": sum(1 for one in left if one.open_hits),
        "next": left[0] if left else None,
    }
    return render(request, "results/redaction.html", context)


def text_of(study: Study, token: str) -> tuple[Text, list[Text]]:
    """One text of an open study and all of them; 404 for any other name."""
    every = redacting.texts(study) if not study.blind else []
    for one in every:
        if one.token == token:
            return one, every
    raise Http404


@require_GET
def redaction_text(request: HttpRequest, code: str, token: str) -> HttpResponse:
    study = study_for(request, code, *SEE_DATA)
    one, every = text_of(study, token)
    words = [one.text[a:b] for a, b in one.masks] if one.read or one.masks else [one.text[a:b] for a, b in one.hits]
    return _show(request, study, one, every, "\n".join(dict.fromkeys(words)))


@require_POST
def redaction_settle(request: HttpRequest, code: str, token: str) -> HttpResponse:
    study = study_for(request, code, *SEE_DATA)
    one, every = text_of(study, token)
    words = request.POST.get("words", "")
    try:
        redacting.settle(study, one, words.split("\n"), sha256=request.POST.get("sha256", ""), by=person(request))
    except ValidationError as error:
        return _show(request, study, one, every, words, problem=error.messages[0], status=422)
    following = next((other for other in every if not other.read and other.token != token), None)
    return redirect("redaction_text", study.code, following.token) if following else redirect("redaction", study.code)


@require_POST
@dangerous
def release_make(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *SEE_DATA)
    if study.blind:
        raise Http404
    params = {"same_names": bool(request.POST.get("same_names"))}
    enqueue("export release", params, study=study, by=person(request), once_key=f"release:{study.pk}")
    return redirect("export", study.code)


def _show(
    request: HttpRequest,
    study: Study,
    one: Text,
    every: list[Text],
    words: str,
    *,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    context = {
        "study": study,
        "tab": "redaction",
        "one": one,
        "pieces": pieces(one),
        "hits": [(KINDS[kind], one.text[a:b]) for (a, b), kind in one.hits.items()],
        "words": words,
        "problem": problem,
        "number": every.index(one) + 1,
        "total": len(every),
        "left": sum(not other.read for other in every),
    }
    return render(request, "results/redaction_text.html", context, status=status)


def pieces(one: Text) -> list[tuple[str, str]]:
    """The text in pieces with what each is: "" as typed, "masked", or "hit" for a place to look at."""
    edges = sorted({0, len(one.text), *(edge for span in (*one.masks, *one.hits) for edge in span)})
    found = []
    for a, b in pairwise(edges):
        kind = "masked" if _inside(a, b, one.masks) else "hit" if _inside(a, b, one.hits) else ""
        found.append((kind, one.text[a:b]))
    return found


def _inside(a: int, b: int, spans: Iterable[Span]) -> bool:
    return any(start <= a and b <= end for start, end in spans)
