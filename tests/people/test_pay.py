"""Pay: what was shown binds, owed once per person and reason, moved once, totals that agree everywhere."""

from __future__ import annotations

import io
from datetime import datetime, timedelta

import openpyxl
import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from study.accounts import erasing
from study.accounts.adapter import user_with_address
from study.accounts.flows import add_member
from study.accounts.models import AuditRow, Role
from study.people import flows, needs_me
from study.people.models import Consent, Contact, End, Participant, PayBatch, Payment, PaymentEvent, Stage, StageEvent
from study.people.pay import pay_batches, pay_flows, pay_import, pay_owing, pay_room, pay_rules
from study.people.pay.pay_money import Money, checked_currency, plain_amount, read_amount
from tests.people.walk import agree, to_consent

BACKEND = "django.contrib.auth.backends.ModelBackend"


def euros(amount: int) -> Money:
    return Money(amount, "EUR")


AMOUNTS = {
    "complete": euros(7500), "screened_out": euros(300), "full": euros(300), "no_consent": euros(300),
    "withdrawn": euros(7500), "technical_fault": euros(7500),
}  # fmt: skip


@pytest.fixture
def paying(cohort):
    """The open cohort, with amounts that were set two days ago."""
    pay_rules.set_rules(cohort, AMOUNTS, by=None)
    cohort.pay_changes.update(at=timezone.now() - timedelta(days=2))
    return cohort


@pytest.fixture
def noor(study):
    user = user_with_address("noor@example.test", name="Noor Haddad")
    add_member(study, user, Role.COORDINATOR, by=None)
    return user


def somebody(cohort, end="", *, worked=True, panel="", **fields):
    """One who joined, worked unless not, and ended as said."""
    fields = {"joined_at": timezone.now(), "stage": Stage.JOINED} | fields
    one = flows.new_participant(cohort, **fields)
    contact = Contact.objects.create(participant=one, name="=Ida Moe", email=f"{one.code.lower()}@example.test")
    if panel:
        contact.panel_id, contact.panel_hash = panel, panel
        contact.save()
    if worked:
        StageEvent.objects.create(participant=one, stage=Stage.CONSENTED)
        StageEvent.objects.create(participant=one, stage=Stage.WORKING)
    if end:
        flows.end(one, end)
    return one


def owed(one) -> list[tuple[str, int, str]]:
    return list(one.payments.order_by("pk").values_list("reason", "amount", "currency"))


def test_amounts_are_read_as_they_are_meant_or_refused() -> None:
    for text, currency, amount in (
        ("75", "EUR", 7500),
        (" 0.05 ", "USD", 5),
        ("1250", "JPY", 1250),
        ("1.250", "KWD", 1250),
    ):
        assert read_amount(text, currency) == amount
    for text, currency in (("12,50", "EUR"), ("1.250", "EUR"), ("12.5", "EUR"), ("10.00", "JPY"), ("-5", "EUR"),
                           ("", "EUR"), ("1e3", "EUR"), ("٥", "EUR"), ("99999999999", "EUR")):  # fmt: skip
        with pytest.raises(ValidationError):
            read_amount(text, currency)
    with pytest.raises(ValidationError):
        checked_currency("EURO")
    assert (checked_currency(" kwd "), plain_amount(5, "KWD"), plain_amount(5, "JPY")) == ("KWD", "0.005", "5")


@given(st.integers(0, 10**9), st.sampled_from(["EUR", "JPY", "KWD"]))
@settings(max_examples=40)
def test_what_is_written_is_read_back(amount: int, currency: str) -> None:
    assert read_amount(plain_amount(amount, currency), currency) == amount


def test_a_lower_amount_never_lowers_what_somebody_was_shown(paying, client) -> None:
    """M21: shown before the start, at the door and with the consent; what was shown binds."""
    paying.open_link = "openlink"
    paying.save()
    door = client.get("/j/openlink/").content.decode()
    assert "75.00 EUR" in door
    assert "Running out of time is a normal outcome." in door
    client.post("/j/openlink/", {"once": "a"})
    early = Participant.objects.get()
    now = timezone.now()
    pay_rules.set_rules(paying, {"complete": euros(5000), "no_consent": None}, by=None)
    assert client.get("/j/openlink/", follow=True).status_code == 200
    assert pay_rules.promised(early, "complete") == euros(7500)
    # Their consent page, too, says what holds for them; whoever comes today may have read the older page.
    assert {line.money for line in pay_rules.offer_for(early) if "end" in line.label} == {euros(7500)}
    assert pay_rules.promised(somebody(paying), "complete") == euros(7500)
    late = somebody(paying, joined_at=now + timedelta(days=2))
    assert (pay_rules.promised(late, "complete"), pay_rules.promised(late, "no_consent")) == (euros(5000), euros(0))
    assert "50.00 EUR" in Client().get("/j/openlink/").content.decode()
    # A higher one that somebody read before they agreed is theirs; one that came after is not.
    pay_rules.set_rules(paying, {"complete": euros(9000)}, by=None)
    assert pay_rules.promised(early, "complete") == euros(7500)
    Consent.objects.create(participant=early, text="t", sha256="0" * 64, protocol_number=1, at=now + timedelta(hours=1))
    assert pay_rules.promised(early, "complete") == euros(9000)


def test_the_consent_page_says_what_is_paid(paying, invite, client) -> None:
    code = to_consent(client, invite("ben@example.test")[0])
    page = client.get(f"/hour/{code}/consent/").content.decode()
    assert "What is paid, however it ends" in page
    assert page.count("75.00 EUR") == 4  # to the end, time runs out, leaving after the start, a fault
    assert agree(client, code).status_code == 302
    client.post(f"/hour/{code}/leave/", {"data": "keep"})
    # Before the work had begun, so the small amount; the page says it and how far it is.
    page = client.get(f"/hour/{code}/ended/").content.decode()
    assert "3.00 EUR" in page
    assert "being prepared" in page
    assert ("The same small amount" in page, "The full amount" in page) == (True, False)


def test_what_is_owed_follows_from_the_outcome(paying) -> None:
    """Previews, people walked by a program and those who never joined are owed nothing; repeats make nothing twice."""
    plan = [
        (End.COMPLETE, True, [("complete", 7500, "EUR")]),
        (End.SCREENED_OUT, False, [("screened_out", 300, "EUR")]),
        (End.FULL, False, [("full", 300, "EUR")]),
        (End.NO_CONSENT, False, [("no_consent", 300, "EUR")]),
        (End.WITHDRAWN, True, [("withdrawn", 7500, "EUR")]),
        (End.WITHDRAWN, False, [("no_consent", 300, "EUR")]),
        (End.LAPSED, True, []),  # no amount was set for it
        (End.EXCLUDED, True, []),
    ]
    for end, worked, expected in plan:
        one = somebody(paying, end, worked=worked)
        assert owed(one) == expected, end
        pay_owing.owe_end(one)
        assert owed(one) == expected, end
    for nobody in ({"preview": True}, {"simulated": True}, {"joined_at": None}):
        assert owed(somebody(paying, End.COMPLETE, **nobody)) == []
    # More people than places: whoever was let in is paid and kept.
    paying.target = 1
    paying.save()
    assert owed(somebody(paying, End.COMPLETE)) == [("complete", 7500, "EUR")]


def test_amounts_set_late_count_for_those_who_are_there(cohort, ada, client) -> None:
    one = somebody(cohort, End.COMPLETE)
    assert owed(one) == []
    client.force_login(ada, backend=BACKEND)
    url = reverse("cohort_pay", args=[cohort.study.code, cohort.code])
    refused = client.post(url, {"currency": "EUR", "complete": "7,50", "full": "x"})
    assert refused.status_code == 422
    assert refused.content.decode().count("is not an amount") == 4  # twice in the list, twice at the fields
    assert client.post(url, {"currency": "eur", "complete": "75"}).status_code == 302
    assert client.post(url, {"currency": "eur", "complete": "75"}).status_code == 302
    assert owed(one) == [("complete", 7500, "EUR")]
    assert (cohort.pay_changes.count(), AuditRow.objects.filter(act="pay.rules").count()) == (1, 1)
    client.post(url, {"currency": "EUR", "complete": "90.00"})
    assert owed(one) == [("complete", 7500, "EUR")]


def test_visits_are_paid_one_by_one(paying, org) -> None:
    from study.assignment.flows import begin_visit

    paying.pay_changes.create(reason="visit", amount=4000, currency="EUR", at=timezone.now() - timedelta(days=3))
    paying.pay_changes.filter(reason="complete").update(amount=0)
    whole, lapsed = somebody(paying), somebody(paying)
    for one in (whole, lapsed):
        visit = begin_visit(one)
        visit.done_at = timezone.now()
        visit.save()
    flows.end(whole, End.COMPLETE)
    flows.end(lapsed, End.WITHDRAWN)
    assert owed(whole) == [("visit-1", 4000, "EUR")]
    assert owed(lapsed) == [("visit-1", 4000, "EUR")]  # between two visits there is nothing left to pay


def test_pay_does_not_depend_on_what_somebody_answered(paying, org) -> None:
    """M21: two people with opposite everything are owed the same, and nothing of pay can see a rating."""
    from pathlib import Path

    from study.assignment.flows import begin_visit
    from study.fieldwork.models import Attempt, Rating, Rationale

    made = []
    for good in (True, False):
        one = somebody(paying)
        visit = begin_visit(one)
        for place in visit.places.all():
            Attempt.objects.create(
                visit=visit, place=place, position=place.position, correct=good, confidence=100 if good else 0,
                outcome="answered" if good else "time_up", active_seconds=900 if good else 1,
            )  # fmt: skip
        rating = Rating.objects.create(visit=visit, kind="org", target="org", final="5" if good else "cannot_judge")
        Rationale.objects.create(rating=rating, side="right", text="word " * 500 if good else "")
        Participant.objects.filter(pk=one.pk).update(analysed=good, conflict="" if good else "yes")
        flows.end(one, End.COMPLETE)
        made.append(owed(one))
    assert made[0] == made[1] == [("complete", 7500, "EUR")]
    sources = [p.read_text() for p in Path(pay_owing.__file__).parent.glob("pay*.py")]
    assert len(sources) >= 7
    assert not any("study.fieldwork" in text or "study.results" in text for text in sources)


def test_nobody_is_paid_twice_for_one_reason(paying, study, ada, noor) -> None:
    """P-38, P-08: one payment; two who approve at once, exports, notices and late notices change it once."""
    one = somebody(paying, End.COMPLETE)
    row = one.payments.get()
    again = [pay_flows.approve(study, [row.pk], by=who) for who in (ada, noor)]
    assert [(done.now, done.repeated) for done in again] == [(1, 0), (0, 1)]
    batch = pay_batches.make_batch(study, "finance", by=ada)
    with pytest.raises(ValidationError):
        pay_batches.make_batch(study, "finance", by=noor)
    reference = pay_batches.reference_of(row, study)
    notice = f"reference,code,amount,date,status\n{reference},{one.code},75.00,2026-01-05,paid\n".encode()
    first, second, later = (pay_import.take_in(study, notice, by=ada) for _ in range(3))
    assert [(r.paid, r.repeated, len(r.refused)) for r in (first, second, later)] == [(1, 0, 0), (0, 1, 0), (0, 1, 0)]
    assert pay_batches.settle_batch(batch, pay_batches.today(), by=noor) == 0
    row.refresh_from_db()
    assert (row.state, row.paid_at.date().isoformat(), row.approved_by) == ("paid", "2026-01-05", ada)
    told = list(row.events.order_by("pk").values_list("what", flat=True))
    assert told == ["owed", "approved", "repeated", "sent", "paid", "repeated", "repeated"]
    assert Payment.objects.count() == 1


def test_what_does_not_match_changes_nothing(paying, study, ada) -> None:
    one, two = somebody(paying, End.COMPLETE, panel="abc"), somebody(paying, End.SCREENED_OUT, worked=False)
    extra = pay_owing.owe_extra(two, euros(300), once="a", note="bus ticket", by=user_with_address("x@example.test"))
    due = somebody(paying, End.COMPLETE)
    pay_flows.approve(study, [p.pk for p in Payment.objects.exclude(participant=due)], by=ada)
    pay_batches.make_batch(study, "finance", by=ada)
    head = "code,panel_id,reference,amount,currency,date,status"
    rows = [
        f"{one.code},,,74.00,,2026-01-05,paid",  # another amount
        f"{one.code},,,75.00,USD,2026-01-05,paid",  # another currency
        "P-ZZZZ,,,75.00,,2026-01-05,paid",  # nobody
        f"{two.code},,,3.00,,2026-01-05,paid",  # two payments fit
        f"{two.code},,{pay_batches.reference_of(one.payments.get(), study)},75.00,,2026-01-05,paid",  # two people
        f"{due.code},,,75.00,,2026-01-05,paid",  # never handed over
        f"{one.code},,,75.00,,05.01.2026,paid",
        f"{one.code},,,75.00,,2999-01-05,paid",
        f"{one.code},,,75.00,,2026-01-05,approved",
        f"{one.code},,,75.00",
        ",abc,,75.00,,2026-01-05,failed",
        f",,{pay_batches.reference_of(extra, study)},3.00,EUR,2026-01-05,paid",
    ]
    report = pay_import.take_in(study, "\n".join([head, *rows]).encode(), by=ada)
    assert [refused.line for refused in report.refused] == list(range(2, 12))
    assert (report.paid, report.failed, report.totals) == (1, 1, {"EUR": 300})
    assert "2 payments" not in str(report.refused)
    # What failed waits for somebody, and can be paid after all; what is paid never fails afterwards.
    failed = [need for need in needs_me.needs(study) if need.kind == "unpaid"]
    assert [need.code for need in failed] == [one.code]
    again = f"{head}\n,abc,,75.00,,2026-01-06,paid\n,abc,,75.00,,2026-01-06,failed\n".encode()
    report = pay_import.take_in(study, again, by=ada)
    assert (report.paid, len(report.refused)) == (1, 1)
    for bad in (b"", b"name,amount\n", b"code,amount,date,status,code\n", b"PK" + b"x" * 99):
        with pytest.raises(ValidationError):
            pay_import.take_in(study, bad, by=ada)


def test_four_eyes_and_nobody_approves_their_own(paying, study, ada, noor) -> None:
    one = somebody(paying, End.COMPLETE)
    own = pay_owing.owe_extra(one, euros(500), once="form", note="train ticket", by=ada)
    assert pay_owing.owe_extra(one, euros(500), once="form", note="train ticket", by=ada).pk == own.pk
    plain, both = one.payments.get(reason="complete"), [own.pk, one.payments.get(reason="complete").pk]
    assert pay_flows.set_four_eyes(study, True, by=ada)
    first = pay_flows.approve(study, both, by=ada)
    assert (first.now, first.first, first.own) == (0, 1, 1)
    assert pay_flows.approve(study, [plain.pk], by=ada).own == 1
    assert not pay_batches.waiting(study, "finance").exists()
    second = pay_flows.approve(study, both, by=noor)
    assert (second.now, second.first) == (1, 1)
    plain.refresh_from_db()
    assert (plain.state, plain.approved_by, plain.second_by) == ("approved", ada, noor)
    assert not pay_flows.approve(study, [own.pk], by=ada).now
    for reason in ("", "no"):
        with pytest.raises(ValidationError):
            pay_flows.cancel(plain, reason=reason, by=ada)
    assert [pay_flows.cancel(plain, reason="the same person twice", by=ada) for _ in range(2)] == [True, False]
    assert [pay_flows.put_back(plain, by=ada) for _ in range(2)] == [True, False]
    assert (plain.state, plain.approved_by, plain.second_by) == ("due", None, None)
    pay_flows.set_four_eyes(study, False, by=ada)
    pay_flows.approve(study, [plain.pk], by=ada)
    pay_batches.make_batch(study, "finance", by=ada)
    with pytest.raises(ValidationError):
        pay_flows.cancel(Payment.objects.get(pk=plain.pk), reason="too late now", by=ada)


def test_a_fault_of_ours_is_paid_in_full(paying, ada) -> None:
    one, whole = somebody(paying, End.WITHDRAWN, worked=False), somebody(paying, End.COMPLETE)
    for _ in range(2):
        pay_owing.owe_fault(one, note="the server was down", by=ada)
    assert owed(one) == [("no_consent", 300, "EUR"), ("technical_fault", 7200, "EUR")]
    for who, note in ((whole, "the server was down"), (somebody(paying), "still in the hour"), (one, "no")):
        with pytest.raises(ValidationError):
            pay_owing.owe_fault(who, note=note, by=ada)


def test_files_leave_for_finance_and_panel_the_same_each_time(paying, study, ada, noor, client) -> None:
    one, two = somebody(paying, End.COMPLETE, panel="5f0e"), somebody(paying, End.SCREENED_OUT, worked=False)
    pay_flows.approve(study, Payment.objects.values_list("pk", flat=True), by=ada)
    client.force_login(noor, backend=BACKEND)
    assert client.post(reverse("payments_batch", args=[study.code]), {"form": "panel"}).status_code == 302
    assert client.post(reverse("payments_batch", args=[study.code]), {"form": "finance"}).status_code == 302

    def file(number: int, kind: str) -> bytes:
        return client.get(reverse("pay_batch_file", args=[study.code, number, kind])).content

    assert file(1, "bonus") == b"5f0e,75.00\n"
    panel, finance = file(1, "csv").decode(), file(2, "csv").decode()
    assert ",5f0e,75.00,EUR,complete,complete" in panel
    assert (one.code in panel, "example.test" in panel, two.code in finance) == (False, False, True)
    assert "'=Ida Moe" in finance  # no spreadsheet runs it
    sheet = openpyxl.load_workbook(io.BytesIO(file(2, "xlsx"))).active
    assert [cell.value for cell in sheet[2]][4:] == [3, "EUR", "screened_out"]
    before = {key: file(*key) for key in ((1, "csv"), (1, "xlsx"), (2, "csv"), (2, "xlsx"))}
    row = two.payments.get()
    # Finance answers in our own workbook, with two columns more.
    book = openpyxl.load_workbook(io.BytesIO(file(2, "xlsx")))
    added = {"H1": "date", "I1": "status", "H2": datetime(2026, 1, 5), "I2": "failed"}
    for cell, text in added.items():
        book.active[cell] = text
    book.save(answer := io.BytesIO())
    assert pay_import.take_in(study, answer.getvalue(), by=ada).failed == 1
    pay_flows.put_back(row, by=ada)
    pay_flows.approve(study, [row.pk], by=ada)
    pay_batches.make_batch(study, "finance", by=ada)
    assert {key: file(*key) for key in before} == before
    assert client.get(reverse("pay_batch_file", args=[study.code, 2, "bonus"])).status_code == 404
    # Who is erased leaves their amounts in the books, and nothing that says who it was.
    for eraser in erasing.erasers("identity"):
        eraser.erase(study, one.code)
    assert pay_batches.file_of_batch(PayBatch.objects.get(number=1), "csv").decode() == panel.replace("5f0e", "")
    assert AuditRow.objects.filter(act="pay.downloaded", target="batch 2", detail__rows=1).count() == 7
    assert AuditRow.objects.filter(act="contacts.viewed").count() >= 9


@given(
    moves=st.lists(
        st.tuples(st.sampled_from(["approve", "batch", "paid", "failed", "cancel", "back"]), st.integers(0, 3)),
        min_size=4,
        max_size=12,
    )
)
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_totals_agree_on_the_page_in_files_batches_and_events(paying, study, ada, moves) -> None:
    """P-38: whatever happens in whatever order, each sum is the same wherever it is said."""
    Payment.objects.all().delete()
    study.pay_batches.all().delete()
    # The people are made by the first example; each begins with what they are owed.
    people = list(paying.participants.order_by("pk")) or [
        somebody(paying, End.COMPLETE if n % 2 else End.FULL, worked=bool(n % 2)) for n in range(4)
    ]
    for one in people:
        pay_owing.owe_end(one)
    rows = [one.payments.get() for one in people]
    total = sum(row.amount for row in rows)
    for move, n in moves:
        row = Payment.objects.get(pk=rows[n].pk)
        try:
            {
                "approve": lambda row=row: pay_flows.approve(study, [row.pk], by=ada),
                "batch": lambda: pay_batches.make_batch(study, "finance", by=ada),
                "paid": lambda row=row: pay_flows.claim_paid(row, pay_batches.today(), by=ada),
                "failed": lambda row=row: pay_flows.claim_failed(row, by=ada),
                "cancel": lambda row=row: pay_flows.cancel(row, reason="a good reason", by=ada),
                "back": lambda row=row: pay_flows.put_back(row, by=ada),
            }[move]()
        except ValidationError:
            continue
    sums = {one.state: sum(money.amount for money in one.money) for one in pay_room.sums(study)}
    assert sum(sums.values()) == total
    states = {"owed": "due", "approved": "approved", "sent": "sent", "paid": "paid", "failed": "failed",
              "cancelled": "cancelled", "back": "due"}  # fmt: skip
    by_events = dict.fromkeys(sums, 0)
    for row in Payment.objects.filter(participant__study=study):
        last = row.events.exclude(what="repeated").order_by("-pk").first()
        by_events[states[last.what]] += row.amount
    assert by_events == sums
    for batch in study.pay_batches.all():
        in_file = sum(read_amount(cells[4], cells[5]) for cells in pay_batches.cells_of(batch))
        sent = PaymentEvent.objects.filter(what="sent", note=str(batch.number), payment__participant__study=study)
        assert batch.totals == {"EUR": in_file}
        assert (batch.payments, in_file) == (sent.count(), sum(one.payment.amount for one in sent))


def test_what_needs_somebody(paying, study, ada) -> None:
    """M21: due, usable but unpaid, paid but unusable; each goes once it is dealt with."""
    late, left = somebody(paying, End.COMPLETE), somebody(paying, End.COMPLETE)
    Participant.objects.filter(pk=late.pk).update(ended_at=timezone.now() - timedelta(days=8))
    Participant.objects.update(analysed=True)
    kinds = [(need.kind, need.code) for need in needs_me.needs(study) if "pa" in need.kind]
    assert sorted(kinds) == [("payments due", ""), ("unpaid", late.code)]
    pay_flows.approve(study, Payment.objects.values_list("pk", flat=True), by=ada)
    assert [need.act for need in needs_me.needs(study) if need.kind == "payments due"] == ["Make a batch"]
    batch = pay_batches.make_batch(study, "finance", by=ada)
    pay_batches.settle_batch(batch, pay_batches.today(), by=ada)
    Participant.objects.filter(pk=left.pk).update(excluded_at=timezone.now())
    assert [need.kind for need in needs_me.needs(study) if "pa" in need.kind] == ["paid, unusable"]
    assert left.payments.get().state == "paid"
    pay_flows.looked(left.payments.get(), by=ada)
    assert [need for need in needs_me.needs(study) if "pa" in need.kind] == []


def test_the_pages_of_pay(paying, study, ada, noor, client) -> None:
    """Empty, full, asked, approved, entered; a researcher gets none of them."""
    client.force_login(noor, backend=BACKEND)
    url = reverse("payments", args=[study.code])
    assert "Nothing is owed yet" in client.get(url).content.decode()
    one = somebody(paying, End.COMPLETE)
    row = one.payments.get()
    page = client.get(url).content.decode()
    assert page.count("75.00 EUR") == 2
    assert "No payment fits" in client.get(url, {"state": "paid"}).content.decode()
    for _ in range(2):
        said = client.post(
            reverse("payments_approve", args=[study.code]), {"payment": row.pk}, follow=True
        ).content.decode()
    assert "1 was approved already." in said
    enter = reverse("participant_pay", args=[study.code, one.code])
    assert client.post(enter, {"kind": "extra", "amount": "5.0", "currency": "EUR", "note": "train"}).status_code == 422
    once = {"kind": "extra", "amount": "5.00", "currency": "EUR", "note": "train ticket", "once": "abc"}
    assert client.post(enter, once).url == client.post(enter, once).url
    extra = one.payments.get(amount=500)
    shown = client.get(reverse("payment", args=[study.code, extra.pk])).content.decode()
    assert ("Approve this payment" in shown, "Said again" in shown) == (False, True)
    assert client.post(reverse("payment_cancel", args=[study.code, extra.pk]), {"reason": ""}).status_code == 422
    # All that is due on the page, but not what came after it was opened, nor what they entered themselves.
    seen, since = somebody(paying, End.COMPLETE).payments.get(), somebody(paying, End.COMPLETE).payments.get()
    client.post(reverse("payments_approve", args=[study.code]), {"upto": seen.pk, "state": "due"})
    assert {row.pk for row in Payment.objects.filter(state="due")} == {extra.pk, since.pk}
    reader = user_with_address("reader@example.test")
    add_member(study, reader, Role.RESEARCHER, by=None)
    client.force_login(reader, backend=BACKEND)
    assert client.get(url).status_code == 403
