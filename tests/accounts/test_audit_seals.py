"""The seals over the audit log (A12): each way of tampering is found and named."""

from __future__ import annotations

import csv
import io

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from study.accounts import audit_seals, jobs
from study.accounts.adapter import user_with_address
from study.accounts.audit import audit, viewed
from study.accounts.flows import add_member, create_study
from study.accounts.models import AuditRow, AuditSeal

pytestmark = pytest.mark.django_db
BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture
def sealed(study, ada, monkeypatch):
    """Six rows in three seals; texts that a database may write otherwise."""
    monkeypatch.setattr(audit_seals, "BATCH", 2)
    for n in range(5):
        audit("people.invited", by=ada, study=study, target=f"P-{n}", b={"z": 1.5, "a": "żółć"}, a=[n, None, True])
    jobs.tick(), jobs.tick()  # one puts the job there, the next does what nobody did
    assert AuditSeal.objects.count() == 3
    return list(AuditRow.objects.order_by("pk"))


def verify(capsys, *expect):
    """What the command says, and what it complains of."""
    try:
        call_command("audit_verify", *(arg for one in expect for arg in ("--expect", one)))
    except CommandError as error:
        return capsys.readouterr().out, str(error)
    return capsys.readouterr().out, ""


def test_the_tick_seals_and_an_untouched_log_holds(sealed, capsys, study, ada):
    said, fault = verify(capsys)
    assert fault == ""
    assert "3 seals over 6 rows" in said
    assert "0 rows wait" in said
    tail = audit("study.seen", by=ada, study=study)
    said, fault = verify(capsys)
    assert fault == ""
    assert f"1 rows wait for a seal: {tail.pk}" in said
    study.delete()
    ada.delete()
    assert verify(capsys)[1] == "", "what may go later is not under the seal"


def test_a_row_committed_late_with_a_lower_number_is_sealed_later(sealed, study, capsys):
    """A12: on PostgreSQL an open transaction's rows come to light after their followers were sealed."""
    free = sealed[-1].pk + 1
    AuditRow.objects.create(pk=free + 5, act="after", actor_label="system", study_code="spring")
    audit_seals.seal_all()
    AuditRow.objects.create(pk=free, act="late", actor_label="system", study_code="spring")
    audit_seals.seal_all()
    assert AuditRow.objects.get(pk=free).seal.number == AuditRow.objects.get(pk=free + 5).seal.number + 1
    assert verify(capsys)[1] == ""


@pytest.mark.parametrize("column", ["actor_label", "act", "study_code", "target", "at", "detail"])
def test_a_changed_row_is_found(sealed, capsys, column):
    row = sealed[2]
    changed = {"at": timezone.now(), "detail": {"b": {"z": 1.5, "a": "zolc"}, "a": [1, None, True]}}.get(
        column, "other"
    )
    AuditRow.objects.filter(pk=row.pk).update(**{column: changed})
    assert f"row {row.pk} of seal 2 was changed" in verify(capsys)[1]


def test_a_removed_row_and_an_inserted_row_are_found(sealed, capsys):
    row = sealed[3]
    AuditRow.objects.filter(pk=row.pk).delete()
    assert f"row {row.pk} of seal 2 was removed" in verify(capsys)[1]
    AuditRow.objects.filter(pk=sealed[0].pk).update(seal=None)
    made = AuditRow.objects.create(act="made.up", actor_label="system", seal=sealed[4].seal)
    fault = verify(capsys)[1]
    assert f"row {sealed[0].pk} of seal 1 was removed" in fault
    assert f"row {made.pk} was put into seal 3 later" in fault


def test_a_changed_or_removed_seal_is_found(sealed, capsys):
    head = AuditSeal.objects.get(number=3)
    assert verify(capsys, f"3:{head.sha256}")[1] == ""
    # Somebody changes a row and makes its seal anew: the next one does not follow.
    AuditRow.objects.filter(pk=sealed[2].pk).update(act="other")
    second = AuditSeal.objects.get(number=2)
    second.leaves = [[row.pk, audit_seals.leaf(row)] for row in AuditRow.objects.filter(seal=second).order_by("pk")]
    second.save()
    assert "seal 2 was changed" in verify(capsys)[1]
    second.sha256 = audit_seals.seal_hash(2, second.previous, second.leaves)
    second.save()
    assert verify(capsys)[1].endswith("seal 3 does not follow from the seal before it")
    AuditRow.objects.filter(seal=second).update(seal=None)
    second.delete()
    assert "seal 2 is missing" in verify(capsys)[1]
    # The newest cut off: only who wrote it down can tell.
    AuditRow.objects.filter(seal__number__gte=1).update(seal=None)
    AuditSeal.objects.all().delete()
    assert verify(capsys)[1] == ""
    assert "seal 3, written down earlier, is gone" in verify(capsys, f"3:{head.sha256}")[1]


@pytest.mark.parametrize("leaves", [None, 7, [3], [["x", "y"]], {"a": 1}, []])
def test_a_seal_whose_leaves_cannot_be_read_is_a_fault_and_no_error(sealed, capsys, leaves):
    AuditSeal.objects.filter(number=2).update(leaves=leaves if leaves is not None else "")
    fault = verify(capsys)[1]
    assert "seal 2 was changed" in fault
    assert f"row {sealed[2].pk} was put into seal 2 later" in fault


def test_the_log_of_a_study_is_read_filtered_and_exported_by_its_owner(study, ada, capsys, tmp_path):
    """P-40: the export is a row with how many; a target is no formula; another study's rows stay away."""
    noor = add_member(study, user_with_address("noor@example.test", name="Noor Haddad"), "coordinator", by=ada).user
    other = create_study(code="autumn", name="Autumn", owner=ada)
    viewed("people", by=noor, study=study, n=12)
    audit("cohort.paused", by=noor, study=study, target="=cmd()|A1", reason='holidays, "all"')
    audit("cohort.closed", by=ada, study=other, target="secret-cohort")
    client = Client()
    client.force_login(ada, backend=BACKEND)
    page = client.get("/studies/spring/audit/").content.decode()
    assert "Contacts seen" in page
    assert "people: 12" in page
    assert "Noor Haddad" in page
    assert "Cohort, paused" in page
    assert "secret-cohort" not in page
    assert "noor@example.test" not in page
    day = timezone.now().date().isoformat()
    for query, n in ((f"who=user {noor.pk}", 2), ("act=cohort.paused", 1), ("target=CMD", 1), (f"day={day}", 4),
                     ("day=2001-01-01", 0), ("day=nonsense", 4), ("page=99", 4)):  # fmt: skip
        assert client.get(f"/studies/spring/audit/?{query}").context["page"].paginator.count == n, query
    answer = client.post("/studies/spring/audit/audit.csv", {"who": f"user {noor.pk}"})
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert [(row["act"], row["target"]) for row in rows] == [("contacts.viewed", ""), ("cohort.paused", "'=cmd()|A1")]
    taken = AuditRow.objects.get(act="audit.exported")
    assert (taken.actor, taken.detail["rows"]) == (ada, 2)
    for user, expected in ((noor, 403), (user_with_address("cleo@example.test"), 404)):
        away = Client()
        away.force_login(user, backend=BACKEND)
        assert away.get("/studies/spring/audit/").status_code == expected
        assert away.post("/studies/spring/audit/audit.csv").status_code == expected
    call_command("audit_export", tmp_path / "all.csv")
    assert "secret-cohort" in (tmp_path / "all.csv").read_text()
    with pytest.raises(CommandError, match="no study"):
        call_command("audit_export", tmp_path / "x.csv", "--study", "made-up")
