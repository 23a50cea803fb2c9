"""The close-out list is told by what is there; a closed study can be archived, which lets nothing change (M21)."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from study.accounts.flows import unblind
from study.accounts.models import AuditRow, Erasure, Study
from study.assignment.flows import NotReady, open_cohort
from study.fieldwork.models import Incident
from study.people import flows
from study.people.models import Cohort, End
from study.people.pay import pay_flows
from study.people.pay.pay_money import Money
from study.people.pay.pay_owing import owe
from study.people.sample.cohorts import create_cohort, set_state
from study.protocols.models import Deviation
from study.results import closing_out
from study.results.models import Export
from tests.people.walk import freeze, make_org

BACKEND = "django.contrib.auth.backends.ModelBackend"


def left(study) -> set[str]:
    study.refresh_from_db()
    return {line.key for line in closing_out.lines(study) if not line.done}


@pytest.fixture
def cohort(study):
    freeze(study)
    make_org()
    row = create_cohort(study, code="north", name="Panel North", arm="main", target=10,
                        contact_email="noor@example.test", open_link=True, by=None)  # fmt: skip
    open_cohort(row, by=None)
    return row


def test_each_line_is_told_by_what_is_there(study, ada, cohort) -> None:
    one = flows.new_participant(cohort, stage="joined", joined_at=timezone.now())
    payment = owe(one, "complete", Money(7500, "EUR"))
    cohort.panel = {"kind": "prolific"}
    cohort.save()
    incident = Incident.objects.create(study=study, code="I-1", what="The Org was away", told="Wait")
    erasure = Erasure.objects.create(study=study, subject=one.code, scope="identity")
    always = {"contacts", "blind", "deviations", "export"}
    assert left(study) == {"cohorts", "hour", "pay", "panels", "incidents", "withdrawals"} | always
    set_state(cohort, "closed", by=ada)
    flows.end(one, End.COMPLETE)
    pay_flows.cancel(payment, reason="paid in cash by hand", by=ada)
    cohort.panel_files.create(file_name="p.csv", sha256="0" * 64)
    Incident.objects.filter(pk=incident.pk).update(over_at=timezone.now())
    Erasure.objects.filter(pk=erasure.pk).update(state="done")
    assert left(study) == always
    closing_out.look_through(study, by=ada)
    assert "deviations" not in left(study)
    Deviation.objects.create(study=study, number=1, happened_on=date(2026, 1, 5), what="w", why="y",
                             after_unblinding=False, protocol_number=1, by=ada)  # fmt: skip
    assert "deviations" in left(study)  # one more since: looked through anew
    closing_out.look_through(study, by=ada)
    Export.objects.create(study=study, file="x", bundle_hash="0" * 64, blind=True,
                          created_at=timezone.now() - timedelta(days=1))  # fmt: skip
    assert "export" in left(study)  # older than the last end
    Export.objects.create(study=study, file="x", bundle_hash="0" * 64, blind=True)
    Study.objects.filter(pk=study.pk).update(contacts_until=date(2027, 1, 1))
    unblind(study, by=ada, reason="the stopping rule is met")
    assert left(study) == set()
    assert "the stopping rule is met" in str(closing_out.lines(study))


def test_open_lines_need_a_reason_each_and_it_is_kept(study, ada, cohort, client) -> None:
    client.force_login(ada, backend=BACKEND)
    set_state(cohort, "closed", by=ada)
    open_lines = left(study)
    page, close = reverse("closing_out", args=[study.code]), reverse("study_close", args=[study.code])
    reasons = dict.fromkeys(open_lines, "the pilot ended here")
    refused = client.post(close, reasons | {"blind": "no"})
    assert refused.status_code == 422
    assert refused.content.decode().count("Say in a few words why this stays open.") == 1
    assert "the pilot ended here" in refused.content.decode()  # what was typed is still there
    assert Study.objects.get(pk=study.pk).closed_at is None
    for _ in range(2):
        assert client.post(close, reasons).status_code == 302
    row = AuditRow.objects.get(act="study.closed")
    assert set(row.detail["left_open"]) == open_lines
    assert "the pilot ended here" in client.get(page).content.decode()
    client.post(reverse("study_reopen", args=[study.code]))
    assert Study.objects.get(pk=study.pk).closed_at is None


def test_an_archived_study_can_be_read_and_nothing_changes(study, ada, cohort, client) -> None:
    client.force_login(ada, backend=BACKEND)
    archive, back = reverse("study_archive", args=[study.code]), reverse("study_unarchive", args=[study.code])
    link = f"/j/{cohort.open_link}/"
    assert "Close the study first" in client.post(archive).content.decode()
    Study.objects.filter(pk=study.pk).update(closed_at=timezone.now())
    assert "An archived study lets nobody go on." in client.post(archive).content.decode()  # a cohort is open
    set_state(cohort, "closed", by=ada)
    for _ in range(2):
        assert client.post(archive).status_code == 302
    assert AuditRow.objects.filter(act="study.archived").count() == 1
    listed = client.get("/studies/").content.decode()
    assert "1 study in the archive" in listed
    for name, sent in (("cohort_open", {}), ("cohort_change", {"target": "5"}), ("cohort_pay", {"currency": "EUR"})):
        answer = client.post(reverse(name, args=[study.code, "north"]), sent)
        assert (answer.status_code, "This study is archived" in answer.content.decode()) == (409, True), name
        assert name == "cohort_open" or client.get(reverse(name, args=[study.code, "north"])).status_code == 200
    with pytest.raises(NotReady):
        open_cohort(Cohort.objects.get(pk=cohort.pk), by=None)
    # Somebody may ask to be erased at any time.
    gone = flows.new_participant(cohort, stage="joined", joined_at=timezone.now())
    erase = reverse("participant_erase_now", args=[study.code, gone.code])
    assert client.post(erase, {"again": gone.code}).status_code == 302
    assert Erasure.objects.get(subject=gone.code).study == study
    # Even where a cohort were open, nobody joins.
    cohort.state = "open"
    cohort.save()
    assert Client().post(link, {"once": "a"}).status_code == 200
    assert study.participants.get() == gone
    for _ in range(2):
        assert client.post(back).status_code == 302
    assert client.post(reverse("cohort_pause", args=[study.code, "north"])).status_code == 302
    cohort.refresh_from_db()
    assert cohort.state == "paused"
    with pytest.raises(ValidationError):
        closing_out.archive(Study.objects.get(pk=study.pk), by=ada)
