"""Staff pages of pay: what is owed, approving it, batches and what came back."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import Max
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from study.accounts.access import MANAGE_COHORTS, person, study_for
from study.accounts.audit import audit, viewed
from study.accounts.models import Role, Study
from study.accounts.reauth import dangerous
from study.people.models import PayBatch, Payment, PaymentState
from study.people.pay import pay_batches as batches
from study.people.pay import pay_flows as acts
from study.people.pay import pay_import, pay_room, pay_rules
from study.people.pay.pay_money import Money
from study.people.ways.spreadsheets import MOST_BYTES

ASKED = ("state", "cohort", "reason", "code")


def payment_for(request: HttpRequest, code: str, pk: int) -> Payment:
    study = study_for(request, code, *MANAGE_COHORTS)
    row = acts.payments_of(study).select_related("participant__cohort", "participant__study", "batch").filter(pk=pk)
    if (found := row.first()) is None:
        raise Http404
    return found


def batch_for(request: HttpRequest, code: str, number: int) -> PayBatch:
    study = study_for(request, code, *MANAGE_COHORTS)
    row = PayBatch.objects.select_related("study", "by", "cohort").filter(study=study, number=number).first()
    if row is None:
        raise Http404
    return row


def payments_context(request: HttpRequest, study: Study) -> dict[str, Any]:
    asked = {name: request.GET.get(name, "") for name in ASKED}
    found = pay_room.found(study, asked)
    page = Paginator(found, pay_room.PAGE).get_page(request.GET.get("page"))
    ready = [(form, batches.waiting(study, form).count()) for form in batches.FORMS]
    currencies = acts.payments_of(study).order_by("currency").values_list("currency", flat=True).distinct()
    rows = pay_room.rows_for(page, study, person(request))
    return {
        "study": study,
        "tab": "payments",
        "asked": asked,
        "is_asked": any(asked.values()),
        "page": page,
        "rows": rows,
        "may_approve": any(row.may_approve for row in rows),
        "sums": pay_room.sums(study),
        "due": found.filter(state=PaymentState.DUE).count(),
        "newest": found.aggregate(newest=Max("pk"))["newest"],
        "ready": ready,
        "waiting": ready[0][1],
        "currencies": list(currencies),
        "cohorts": list(study.cohorts.all()),
        "reasons": pay_rules.LABELS.items(),
        "batches": list(study.pay_batches.select_related("by").order_by("-number")),
    }


@never_cache
@require_GET
def payments(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *MANAGE_COHORTS)
    return render(request, "people/payments.html", payments_context(request, study))


def chosen_in(request: HttpRequest, study: Study) -> list[int]:
    """The payments that were ticked, or all that were due on the page: those that came since were not seen."""
    upto = request.POST.get("upto", "")
    if upto.isdecimal() and len(upto) < 18:
        found = pay_room.found(study, {name: request.POST.get(name, "") for name in ASKED})
        return list(found.filter(state=PaymentState.DUE, pk__lte=int(upto)).values_list("pk", flat=True))
    return [int(text) for text in request.POST.getlist("payment") if text.isdecimal() and len(text) < 18]


def said_of(done: acts.Approved) -> list[str]:
    """What one press of "approve" did, in words."""
    now, first, own, again = done.now, done.first, done.own, done.repeated
    plan = (
        (now, ngettext("%d payment approved.", "%d payments approved.", now)),
        (first, _("%d approved by you; a second person has to follow.")),
        (own, _("%d left: nobody approves what is their own.")),
        (again, ngettext("%d was approved already.", "%d were approved already.", again)),
    )
    return [words % n for n, words in plan if n]


@require_POST
@dangerous
def payments_approve(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *MANAGE_COHORTS)
    chosen = chosen_in(request, study)
    done = acts.approve(study, chosen, by=person(request))
    if not chosen:
        messages.error(request, _("Nothing was chosen. Tick the payments to approve."))
    for text in said_of(done):
        messages.success(request, text)
    return redirect("payments", study.code)


@require_POST
@dangerous
def payments_batch(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, *MANAGE_COHORTS)
    cohort = study.cohorts.filter(code=request.POST.get("cohort", "")).first()
    try:
        made = batches.make_batch(
            study, request.POST.get("form", ""), cohort=cohort, currency=request.POST.get("currency", ""),
            by=person(request),
        )  # fmt: skip
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("payments", study.code)
    return redirect("pay_batch", study.code, made.number)


@never_cache
@require_GET
def pay_batch(request: HttpRequest, code: str, number: int) -> HttpResponse:
    row = batch_for(request, code, number)
    found = batches.rows_of(row).select_related("participant__cohort", "batch")
    context = {
        "study": row.study,
        "tab": "payments",
        "batch": row,
        "rows": pay_room.rows_for(found, row.study, person(request)),
        "totals": [Money(amount, currency) for currency, amount in sorted(row.totals.items())],
        "open": row.rows.filter(state=PaymentState.SENT).count(),
        "today": batches.today(),
    }
    return render(request, "people/pay_batch.html", context)


@never_cache
@require_GET
@dangerous
def pay_batch_file(request: HttpRequest, code: str, number: int, kind: str) -> HttpResponse:
    """The file again and again, the same bytes; each time a row of the audit log (P-40)."""
    row = batch_for(request, code, number)
    if kind not in batches.KINDS or (kind == "bonus" and row.form != batches.PANEL):
        raise Http404
    content = batches.file_of_batch(row, kind)
    by = person(request)
    viewed(f"payments {row.form}", by=by, study=row.study, target=f"batch {number}", n=row.payments)
    audit("pay.downloaded", by=by, study=row.study, target=f"batch {number}", kind=kind, rows=row.payments)
    answer = HttpResponse(content, content_type=batches.KINDS[kind])
    ending = "txt" if kind == "bonus" else kind
    name = f"{row.study.code}-{row.form}-{number}.{ending}"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


@require_POST
@dangerous
def pay_batch_paid(request: HttpRequest, code: str, number: int) -> HttpResponse:
    row = batch_for(request, code, number)
    try:
        n = batches.settle_batch(row, pay_import.read_day(request.POST.get("day", "")), by=person(request))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, ngettext("%d payment is paid.", "%d payments are paid.", n) % n)
    return redirect("pay_batch", row.study.code, number)


@require_http_methods(["GET", "POST"])
@dangerous
def payments_import(request: HttpRequest, code: str) -> HttpResponse:
    """What was paid, from a file. Sending it again only logs repeats."""
    study = study_for(request, code, *MANAGE_COHORTS)
    context: dict[str, Any] = {"study": study, "tab": "payments"}
    given = request.FILES.get("file")
    if request.method != "POST":
        return render(request, "people/payments_import.html", context)
    try:
        if given is None:
            raise ValidationError(_("Choose the file first."))
        context["report"] = pay_import.take_in(study, given.read(MOST_BYTES + 1), by=person(request))
    except ValidationError as error:
        return render(request, "people/payments_import.html", context | {"problems": error.messages}, status=422)
    return render(request, "people/payments_import.html", context)


@require_POST
@dangerous
def payments_eyes(request: HttpRequest, code: str) -> HttpResponse:
    study = study_for(request, code, Role.OWNER)
    acts.set_four_eyes(study, request.POST.get("on") == "1", by=person(request))
    return redirect("payments", study.code)


def payment_page(request: HttpRequest, row: Payment, status: int = 200, **said: Any) -> HttpResponse:
    study = row.participant.study
    context = {
        "study": study,
        "tab": "payments",
        "row": pay_room.rows_for([row], study, person(request))[0],
        "story": pay_room.story(row),
        "reference": batches.reference_of(row, study),
    }
    return render(request, "people/payment.html", context | said, status=status)


@never_cache
@require_GET
def payment(request: HttpRequest, code: str, pk: int) -> HttpResponse:
    return payment_page(request, payment_for(request, code, pk))


@require_POST
@dangerous
def payment_cancel(request: HttpRequest, code: str, pk: int) -> HttpResponse:
    row = payment_for(request, code, pk)
    try:
        acts.cancel(row, reason=request.POST.get("reason", ""), by=person(request))
    except ValidationError as error:
        return payment_page(request, row, 422, problems=error.messages, reason=request.POST.get("reason", ""))
    return redirect("payment", code, pk)


@require_POST
def payment_back(request: HttpRequest, code: str, pk: int) -> HttpResponse:
    acts.put_back(payment_for(request, code, pk), by=person(request))
    return redirect("payment", code, pk)


@require_POST
def payment_looked(request: HttpRequest, code: str, pk: int) -> HttpResponse:
    acts.looked(payment_for(request, code, pk), by=person(request))
    return redirect("payment", code, pk)
