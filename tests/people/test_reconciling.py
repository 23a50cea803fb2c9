"""The panel's list beside ours: files as each panel writes them, every kind of disagreement, settled in words."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from study.accounts.models import AuditRow
from study.people import needs_me
from study.people.flows import new_participant
from study.people.models import Contact, End, PanelRow
from study.people.ways.arrivals import panel_hash
from study.people.ways.panel_files import submissions
from study.people.ways.panel_settings import set_panel
from study.people.ways.panels import panel_of
from study.people.ways.reconciling import KINDS, compared, kind_of
from study.people.ways.spreadsheets import Refusal, read_table
from tests.people.test_panels import panel, settings_of

# The head of Prolific's own export; the rest of its columns are answers to its screening questions.
PROLIFIC = (
    "Submission id,Participant id,Status,Custom study tncs accepted at,Started at,Completed at,Reviewed at,Archived at,"
    "Time taken,Completion code,Total approvals,Fluent languages,Age,Sex\n"
)


def prolific(*rows):
    lines = [
        f"67{n:022d},{id},{status},Not Applicable,2026-10-25T12:27:09.179000Z,2026-10-25T13:26:18.540000Z,"
        f",,3549,{code},"
        f'12,"English, Norwegian",34,Female'
        for n, (id, status, code) in enumerate(rows)
    ]
    return (PROLIFIC + "\n".join(lines) + "\n").encode()


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("prolific", prolific(("5e9088a8a4b6ed018b45ba7b", "AWAITING REVIEW", "C1"))),
        (
            "connect",
            b"ParticipantId,AssignmentId,ProjectId,Status,Started At,Submitted At,Completion Code\n"
            b"5e9088a8a4b6ed018b45ba7b,A1,P1,Pending Approval,2026-10-25 12:27:09,2026-10-25 13:26:18,C1\n",
        ),
        (
            "user_interviews",
            "\ufeffParticipant ID;Name;Status;Completion code;Started at\n"
            "5e9088a8a4b6ed018b45ba7b;R.;Submitted;C1;soon\n".encode(),
        ),
        ("other", b"id\tstatus\tcode\n5e9088a8a4b6ed018b45ba7b\tcompleted\tC1\n"),
    ],
)
def test_each_panels_own_layout_is_read(kind, content):
    from study.people.ways.panel_files import meaning

    [one] = submissions(panel(kind), read_table(content))
    assert (one.id, one.code, meaning(panel(kind), one.status)) == ("5e9088a8a4b6ed018b45ba7b", "C1", "complete")
    if kind == "prolific":
        assert one.finished.isoformat() == "2026-10-25T13:26:18.540000+00:00"


def test_a_list_of_something_else_is_refused_and_says_what_it_lacks():
    with pytest.raises(Refusal, match=r"no column for the person's id and the status\. Its columns: name, age"):
        submissions(panel("prolific"), read_table(b"name,age\nBo,34\n"))
    with pytest.raises(Refusal, match="no submission"):
        submissions(panel("prolific"), read_table(PROLIFIC.encode()))


def test_returned_is_no_disagreement_for_who_was_sent_away_and_unknown_words_are_not_read_as_complete():
    from study.people.ways.reconciling import Ours

    def kind(outcome, status, code="", listed=True):
        return kind_of(Ours("P-1", outcome, None, f"C-{outcome}"), status, code, listed)

    for outcome in ("screened_out", "full", "no_consent", "withdrawn", "time_up", ""):
        assert kind(outcome, "returned") == "agree"
        assert kind(outcome, "complete", "C-complete") == "not_here"
    assert kind("screened_out", "complete", "C-screened_out") == "agree"
    assert (
        kind("complete", "", "", listed=False) == kind("complete", "timed_out") == kind("complete", "") == "not_there"
    )
    assert kind("complete", "complete", "NOCODE") == "code"
    assert kind("complete", "rejected", "C-complete") == "agree"
    assert kind("screened_out", "timed_out") == kind("time_up", "screened_out") == "outcome"
    assert kind_of(None, "complete", "", True) == "unknown"


@pytest.fixture
def people(cohort):
    """Our side: seven people of Prolific, by id."""
    set_panel(cohort, settings_of("prolific"), by=None)
    cohort.refresh_from_db()
    ends = {
        "agrees": End.COMPLETE,
        "onlyhere": End.COMPLETE,
        "othercode": End.COMPLETE,
        "going": "",
        "absent": End.COMPLETE,
    }
    ends |= {"out": End.SCREENED_OUT, "double": End.COMPLETE}
    made = {}
    for id, end in ends.items():
        one = new_participant(cohort, end=end, ended_at=timezone.now() if end else None, completion_code=f"REAL-{id}")
        Contact.objects.create(participant=one, panel_id=id, panel_hash=panel_hash(cohort, panel_of(cohort), id))
        made[id] = one
    return made


FILE = prolific(
    ("agrees", "APPROVED", "C-complete"), ("onlyhere", "TIMED-OUT", ""), ("othercode", "AWAITING REVIEW", "NOCODE"),
    ("going", "AWAITING REVIEW", "C-complete"), ("OUT", "TIMED-OUT", ""), ("stranger", "APPROVED", "C-complete"),
    ("double", "RETURNED", ""), ("double", "APPROVED", "C-complete"),
)  # fmt: skip


@pytest.mark.django_db
def test_every_disagreement_is_found_settled_and_exported(people, cohort, study, ada, client):
    client.force_login(ada)
    page = f"/studies/{study.code}/cohorts/north/panel/compare/"
    assert "Download the list of submissions from Prolific" in client.get(page).content.decode()
    assert needs_me.needs(study) == []
    assert client.post(page, {"file": SimpleUploadedFile("p.csv", b"a,b\n1,2\n")}).status_code == 422
    assert client.post(page).status_code == 422
    for _press in range(2):
        assert client.post(page, {"file": SimpleUploadedFile("p.csv", FILE)}).url == page
    assert cohort.panel_files.count() == 1
    assert PanelRow.objects.count() == 7
    found = {one.ours.code if one.ours else "stranger": one.kind for one in compared(cohort)}
    kinds = {
        "agrees": "agree",
        "onlyhere": "not_there",
        "absent": "not_there",
        "othercode": "code",
        "going": "not_here",
    }
    kinds |= {"out": "outcome", "double": "twice"}
    assert found == {people[id].code: kind for id, kind in kinds.items()} | {"stranger": "unknown"}
    assert {one.kind for one in compared(cohort)} == set(KINDS)
    text = client.get(page).content.decode()
    assert "7 disagreements are open" in text
    assert people["absent"].code in client.get(page + "?kind=not_there").content.decode()
    assert people["agrees"].code not in client.get(page + "?kind=not_there").content.decode()
    waiting = {need.code for need in needs_me.needs(study) if need.kind == "panel"}
    assert waiting == {people[id].code for id in kinds if id != "agrees"} | {""}

    marks = {one.ours.code: one.mark for one in compared(cohort) if one.ours}
    settle = f"/studies/{study.code}/cohorts/north/panel/settle/"
    client.post(settle, {"mark": marks[people["absent"].code], "words": "  "})
    client.post(settle, {"mark": "made up", "words": "x"})
    assert not PanelRow.objects.exclude(settled="").exists()
    for id in ("absent", "onlyhere"):
        client.post(settle, {"mark": marks[people[id].code], "words": "paid by hand, asked the panel"})
    assert "5 disagreements are open" in client.get(page).content.decode()
    table = client.get(f"/studies/{study.code}/cohorts/north/panel/differences/").content.decode("utf-8-sig")
    assert len(table.splitlines()) == 8
    assert f'not_there,absent,{people["absent"].code},complete,C-complete,not in the list,,"paid by hand' in table
    assert AuditRow.objects.get(act="panel.differences").detail["rows"] == 7
    assert "stranger" not in str(list(AuditRow.objects.values("detail", "target")))

    # The panel says something else now: what was settled about the old word is open again.
    newer = prolific(
        ("onlyhere", "REJECTED", "C-complete"), ("absent", "APPROVED", "C-complete"), ("going", "RETURNED", "")
    )
    client.post(page, {"file": SimpleUploadedFile("p2.csv", newer)})
    found = {one.ours.code: one for one in compared(cohort) if one.ours}
    assert [found[people[id].code].kind for id in ("onlyhere", "absent", "going")] == ["agree", "agree", "agree"]
    assert PanelRow.objects.get(panel_hash=marks[people["onlyhere"].code]).settled == ""


@pytest.mark.django_db
def test_ids_are_stored_encrypted_and_for_coordinators_alone(people, cohort, study, cleo, ada, client):
    from study.accounts.flows import add_member
    from study.people.ways.reconciling import upload

    upload(cohort, file_name="p.csv", content=FILE, by=ada)
    raw = PanelRow.objects.extra(select={"raw": "people_panelrow.panel_id"}).values_list("raw", flat=True)
    assert "stranger" not in str(list(raw))
    add_member(study, cleo, "researcher", by=None)
    client.force_login(cleo)
    for page in ("panel/", "panel/compare/", "panel/differences/"):
        assert client.get(f"/studies/{study.code}/cohorts/north/{page}").status_code == 403
