"""What staff enter of pay: the amounts of a cohort, an extra payment, the full amount after a fault."""

from __future__ import annotations

import secrets
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from study.accounts.access import person
from study.people.access import cohort_for, person_of_study
from study.people.models import Payment
from study.people.pay import pay_owing, pay_room, pay_rules
from study.people.pay.pay_money import Money, checked_currency, read_amount


@require_http_methods(["GET", "POST"])
def cohort_pay(request: HttpRequest, code: str, cohort: str) -> HttpResponse:
    """What the cohort pays for each outcome, from now on."""
    row = cohort_for(request, code, cohort)
    rules = pay_rules.rules_of(row)
    currency = next((money.currency for money in rules.values() if money.currency), "")
    typed: dict[str, str] = {reason: money.plain for reason, money in rules.items() if money.currency}
    typed["currency"], wrong, problems = currency, {}, []
    if request.method == "POST":
        typed = {name: text for name, text in request.POST.items() if isinstance(text, str)}
        try:
            changed = pay_rules.set_rules(row, pay_rules.read_rules(row, typed), by=person(request))
        except ValidationError as error:
            wrong = error.message_dict if hasattr(error, "error_dict") else {"currency": error.messages}
            problems = [text for texts in wrong.values() for text in texts]
        else:
            messages.success(request, _("The amounts are stored.") if changed else _("Nothing has changed."))
            if n := pay_owing.owe_what_is_missing(row):
                messages.success(request, ngettext("%d payment came of it.", "%d payments came of it.", n) % n)
            return redirect("cohort_pay", row.study.code, row.code)
    fields = [
        (reason, pay_rules.LABELS[reason], typed.get(reason, ""), wrong.get(reason))
        for reason in pay_rules.reasons_of(row)
    ]
    context = {"study": row.study, "tab": "cohorts", "cohort": row, "fields": fields, "problems": problems}
    context |= {"currency": typed.get("currency", ""), "wrong": wrong, "words": pay_rules.words_of(row)}
    return render(request, "people/cohort_pay.html", context, status=422 if problems else 200)


@require_http_methods(["GET", "POST"])
def participant_pay(request: HttpRequest, code: str, participant: str) -> HttpResponse:
    """An extra payment, or the full amount after a fault: entered here, approved by somebody else."""
    row = person_of_study(request, code, participant)
    context: dict[str, Any] = {"study": row.study, "tab": "payments", "one": row, "typed": request.POST}
    if request.method == "POST":
        try:
            made = _entered(request, row)
        except ValidationError as error:
            context["problems"] = error.messages
        else:
            return redirect("payment", row.study.code, made.pk)
    context |= {"once": request.POST.get("once") or secrets.token_hex(8)}
    context["rows"] = pay_room.rows_for(row.payments.select_related("batch").order_by("pk"), row.study, person(request))
    rules = pay_rules.rules_of(row.cohort)
    context["currency"] = request.POST.get("currency") or next((one.currency for one in rules.values()), "")
    return render(request, "people/participant_pay.html", context, status=422 if "problems" in context else 200)


def _entered(request: HttpRequest, row: Any) -> Payment:
    note, by = request.POST.get("note", ""), person(request)
    if request.POST.get("kind") == "fault":
        return pay_owing.owe_fault(row, note=note, by=by)
    currency = checked_currency(request.POST.get("currency", ""))
    money = Money(read_amount(request.POST.get("amount", ""), currency), currency)
    return pay_owing.owe_extra(row, money, once=request.POST.get("once", "")[:16] or "0", note=note, by=by)
