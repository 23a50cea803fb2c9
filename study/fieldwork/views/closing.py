"""After the lock: the closing items, the debrief and its one choice, and the last page with the code."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from study.assignment.flows import has_more
from study.assignment.models import Visit
from study.fieldwork import ending, own_data, saving
from study.fieldwork.answers import BadValue, TooLong
from study.fieldwork.cards import open_card
from study.fieldwork.debriefing import answers_shown
from study.fieldwork.hinting import Hit, hits
from study.fieldwork.models import ClosingAnswer
from study.fieldwork.modules import modules_of
from study.fieldwork.slots import Closed
from study.fieldwork.visits import frame, visit_of, visit_page
from study.people.access import participant_for
from study.people.items import Filled, draw_orders, show_items
from study.people.models import End, Stage
from study.people.protocol import file_of
from study.people.where import url_for
from study.people.withdrawal import KEEP, TAKE_OUT
from study.protocols.hour import Module
from study.protocols.parts import Item


@require_GET
@visit_page(Stage.LOCKED)
def closing(request: HttpRequest, visit: Visit) -> HttpResponse:
    module = ending.next_module(visit)
    if module is None and has_more(visit):
        ending.end_for_now(visit)
        return redirect("next_visit", visit.participant.code)
    if module is None:
        return redirect("debrief", visit.participant.code)
    return redirect("closing_part", visit.participant.code, module.id)


def late(request: HttpRequest, visit: Visit, part: str) -> None:
    """What a page of questions held when its visit was over."""
    for module in modules_of(visit):
        if module.id == part:
            keep(visit, module, request.POST)


@require_http_methods(["GET", "POST"])
@visit_page(Stage.LOCKED, late=late)
def closing_part(request: HttpRequest, visit: Visit, part: str) -> HttpResponse:
    module = next((one for one in modules_of(visit) if one.id == part), None)
    if module is None:
        raise Http404
    if request.method != "POST" and (first := open_card(visit, module)) is not None:
        return redirect("closing_card", visit.participant.code, part, first)
    if not module.items:
        return redirect("closing", visit.participant.code)
    ending.show_module(visit, module)
    if request.method != "POST":
        return part_page(request, visit, module)
    refused, too_long, stale = keep(visit, module, request.POST)
    ending.leave_empty(visit, module)
    still = ending.open_items(module, ending.saved_items(visit))
    if refused or too_long or stale or still:
        missing = tuple(one for one in still if one not in refused and one not in too_long)
        filled = Filled({}, missing, tuple(refused), tuple(too_long))
        return part_page(request, visit, module, 409 if stale else 422, filled=filled, stale=stale)
    if not request.POST.get("hinted") and (names := names_in(module, request.POST)):
        return part_page(request, visit, module, names=names)
    return redirect("closing", visit.participant.code)


def names_in(module: Module, form: Any) -> list[Hit]:
    """What in the texts just sent may tell who somebody is: asked about once, kindly; all of it is stored (M20)."""
    texts = [text for item in module.items if item.type in ("text", "texts") for name in form_names(item)
             for text in form.getlist(name)]  # fmt: skip
    return [hit for text in texts for hit in hits(text)]


def form_names(item: Item) -> list[str]:
    """The names of an item's fields in a form."""
    asked = [f"{item.id}.{option.code}" for option in item.options if option.ask]
    return [item.id, *(f"{item.id}.{n}" for n in range(1, item.count + 1) if item.type == "texts"), *asked]


def keep(visit: Visit, module: Module, form: Any) -> tuple[list[str], list[str], dict[str, Any]]:
    """Save each item that was touched. Items refused, items too long, and what another tab had saved in between."""
    refused: list[str] = []
    too_long: list[str] = []
    stale: dict[str, Any] = {}
    kept = ending.saved_items(visit)
    for item in module.items:
        value = {name: [v for v in form.getlist(name) if v] for name in form_names(item)}
        stored = kept.get(item.id)
        if not any(value.values()) and (stored is None or stored.value in (None, "", [])):
            continue
        try:
            saving.save(
                visit, field=f"closing/{item.id}", value=value,
                base=saving.version_in(form.get(f"version_{item.id}"), stored.version if stored else 0),
                save_id=form.get(f"save_id_{item.id}") or uuid.uuid4().hex, form=True,
            )  # fmt: skip
        except TooLong:
            too_long.append(item.id)
        except BadValue:
            refused.append(item.id)
        except saving.Stale as other:
            stale[item.id] = other.stored.value
        except Closed:
            continue  # over; kept aside, and the page that follows says so
    return refused, too_long, stale


def is_table(module: Module) -> bool:
    """Whether the items are one choice for each kind of record, all among the same options."""
    asked = {item.options for item in module.items}
    choices = all(item.type == "single" and item.required and not item.random_order for item in module.items)
    return module.for_each == "object" and choices and len(asked) == 1 and len(module.items) > 1


def stored_form(items: tuple[Item, ...], kept: dict[str, ClosingAnswer]) -> MultiValueDict[str, str]:
    """What was stored, as the form that said it."""
    form: MultiValueDict[str, str] = MultiValueDict()
    for item in items:
        value = kept[item.id].value if item.id in kept else None
        if isinstance(value, dict):
            for name, text in value.get("asked", {}).items():
                form.setlist(name, [text])
            value = value.get("choice")
        if value is None:
            continue
        if item.type == "texts" and isinstance(value, list):
            for n, text in enumerate(value, start=1):
                form.setlist(f"{item.id}.{n}", [text])
        else:
            form.setlist(item.id, [str(v) for v in value] if isinstance(value, list) else [str(value)])
    return form


def part_page(
    request: HttpRequest,
    visit: Visit,
    module: Module,
    status: int = 200,
    *,
    filled: Filled | None = None,
    stale: dict[str, Any] | None = None,
    names: list[Hit] | None = None,
) -> HttpResponse:
    kept = ending.saved_items(visit)
    form = request.POST if request.method == "POST" else stored_form(module.items, kept)
    shown = show_items(module.items, draw_orders(module.items, str(visit.seed)), form, filled or Filled())
    modules = modules_of(visit)
    items = [(one, kept[one.item.id].version if one.item.id in kept else 0, uuid.uuid4().hex) for one in shown]
    other, file = stale or {}, file_of(visit.protocol)
    theirs = [
        (one.item, own_data.in_words(one.item, other[one.item.id], file)) for one in shown if one.item.id in other
    ]
    context = frame(
        visit, module=module, items=items, problems=[one for one in shown if one.problem], stale=stale, theirs=theirs,
        number=modules.index(module) + 1, total=len(modules), table=is_table(module), more=has_more(visit),
        names=names,
    )  # fmt: skip
    return render(request, "fieldwork/closing.html", context, status=status)


@require_http_methods(["GET", "POST"])
@visit_page(Stage.LOCKED)
def debrief(request: HttpRequest, visit: Visit) -> HttpResponse:
    if ending.next_module(visit) is not None or has_more(visit):
        return redirect("closing", visit.participant.code)
    choice = request.POST.get("data_choice", "")
    if request.method == "POST" and choice in (KEEP, TAKE_OUT):
        ending.finish(visit, data_choice=choice, results_wanted=request.POST.get("results_wanted") == "yes")
        return redirect("finish", visit.participant.code)
    context = frame(visit, pressed=request.method == "POST", answers=answers_shown(visit))
    return render(request, "fieldwork/debrief.html", context, status=422 if request.method == "POST" else 200)


@never_cache
@require_GET
def finish(request: HttpRequest, code: str) -> HttpResponse:
    """The code and what arrived. It stays here: Back, reload and an old form all end on this page (P-09)."""
    participant = participant_for(request, code)
    if participant.end != End.COMPLETE:
        return redirect(url_for(participant))
    visit = visit_of(participant)
    context = frame(visit, received=ending.received(visit), pay=file_of(visit.protocol).pay, title=_("Finished"))
    return render(request, "fieldwork/finish.html", context)
