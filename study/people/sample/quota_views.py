"""The page of quota cells: choose questions, group their answers, type a target per cell. Works by posting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from study.accounts.access import person
from study.people.access import cohort_for
from study.people.models import Cohort
from study.people.sample import quotas
from study.people.sample.quota_screener import questions
from study.protocols.parts import RATHER_NOT, Item

GROUP, TARGET = "group", "target"


@dataclass(frozen=True)
class Answer:
    """One answer of a question with the group typed beside it."""

    field: str
    text: str
    group: str


@dataclass(frozen=True)
class Question:
    item: Item
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class Field:
    """One cell of the grid with the target typed in it."""

    name: str
    label: str
    value: str


@dataclass(frozen=True)
class Fields:
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Field, ...]], ...]


def question_shown(item: Item, stored: Sequence[quotas.Axis], form: Mapping[str, str] | None) -> Question:
    """The answers with their groups: as typed, as stored, else each a group of its own; "rather not say" in none."""
    axis = next((axis for axis in stored if axis["item"] == item.id), None)
    texts = {option.code: option.text for option in item.options} | {RATHER_NOT: _("I'd rather not say")}
    labels = {code: group["label"] for group in axis["groups"] for code in group["options"]} if axis else {}
    answers = []
    for code in quotas.options_of(item):
        field = f"{GROUP}.{item.id}.{code}"
        own = labels.get(code, "") if axis else "" if code == RATHER_NOT else texts[code][: quotas.LONGEST_LABEL]
        answers.append(Answer(field, texts[code], form.get(field, "") if form is not None else own))
    return Question(item, tuple(answers))


def axes_typed(items: Sequence[Item], form: Mapping[str, str]) -> list[quotas.Axis]:
    """Raises ValidationError."""
    return [
        quotas.axis_of(item, {code: form.get(f"{GROUP}.{item.id}.{code}", "") for code in quotas.options_of(item)})
        for item in items
    ]


def fields(axes: Sequence[quotas.Axis], targets: Mapping[str, str]) -> Fields:
    """The grid of inputs; a single question makes one row."""

    def field(code: str) -> Field:
        return Field(f"{TARGET}.{code}", quotas.label_of(axes, code), targets.get(code, ""))

    if len(axes) == 1:
        groups = axes[0]["groups"]
        return Fields(tuple(one["label"] for one in groups), (("", tuple(field(one["code"]) for one in groups)),))
    rows = tuple(
        (one["label"], tuple(field(f"{one['code']}.{two['code']}") for two in axes[1]["groups"]))
        for one in axes[0]["groups"]
    )
    return Fields(tuple(two["label"] for two in axes[1]["groups"]), rows)


def chosen_items(row: Cohort, form: Mapping[str, str], locked: bool) -> list[Item]:
    """The questions on the page: those asked for, else those stored."""
    known = {item.id: item for item in questions(row)}
    stored = [axis["item"] for axis in row.quota_axes]
    asked = [form["first"], form.get("second", "")] if "first" in form and not locked else stored
    return [known[name] for name in dict.fromkeys(asked) if name in known]


def typed_targets(form: Mapping[str, str]) -> dict[str, str]:
    return {name.removeprefix(f"{TARGET}."): text for name, text in form.items() if name.startswith(f"{TARGET}.")}


def save(request: HttpRequest, row: Cohort, items: Sequence[Item], locked: bool) -> None:
    """Raises ValidationError."""
    form = request.POST.dict()
    axes = row.quota_axes if locked or form.get("act") == "targets" else axes_typed(items, form)
    if form.get("act") == "clear":
        axes = []
    quotas.set_quota(row, axes, quotas.checked_targets(axes, typed_targets(form)), by=person(request))


@require_http_methods(["GET", "POST"])
def cohort_quota(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    """``show`` draws the grid for the groups as typed and stores nothing; ``save`` and ``clear`` store."""
    row = cohort_for(request, code, cohort)
    form = (request.POST if request.method == "POST" else request.GET).dict()
    locked = not quotas.may_change_axes(row)
    items = chosen_items(row, form, locked)
    problems: list[str] = []
    if request.method == "POST" and form.get("act") != "show":
        try:
            save(request, row, items, locked)
        except ValidationError as error:
            problems = error.messages
        else:
            messages.success(request, _("The quota cells are stored."))
            return redirect("cohort", row.study.code, row.code)
    context = page_context(row, items, form if request.method == "POST" else None, locked, problems)
    return render(request, "people/cohort_quota.html", context, status=422 if problems else 200)


def page_context(
    row: Cohort, items: Sequence[Item], form: dict[str, str] | None, locked: bool, problems: list[str]
) -> dict[str, Any]:
    shown = [question_shown(item, row.quota_axes, form) for item in items]
    typed = form or {answer.field: answer.group for question in shown for answer in question.answers}
    axes: list[quotas.Axis] = row.quota_axes if locked else []
    if not locked and items:
        try:
            axes = axes_typed(items, typed)
        except ValidationError as error:
            problems = problems or error.messages
    stored = {code: "" if target is None else str(target) for code, target in row.cells.values_list("code", "target")}
    targets = typed_targets(form) if form else stored
    return {
        "study": row.study,
        "tab": "cohorts",
        "cohort": row,
        "questions": questions(row),
        "chosen": [item.id for item in items],
        "shown": shown,
        "locked": locked,
        "grid": fields(axes, targets) if axes else None,
        "groups_typed": form is not None,
        "problems": problems,
    }
