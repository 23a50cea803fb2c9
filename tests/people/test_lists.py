"""Lists of people: files of every kind are read or refused in words, looked at, and sent once."""

import io
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from openpyxl import Workbook

from study.accounts.models import AuditRow, Job
from study.people.models import Contact, Import, Letter, Participant, Suppression
from study.people.ways import importing
from study.people.ways.people_lists import Known, check, from_table
from study.people.ways.spreadsheets import Refusal, read_table, safe_cell

LIST = "E-Mail;Name;Language;Time zone\nåse@example.test;Åse Lund;nb;Europe/Oslo\n"


def workbook(*rows, sheets=1):
    book = Workbook()
    for row in rows:
        book.active.append(row)
    for n in range(1, sheets):
        book.create_sheet(f"other {n}").append(["email"])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_every_spreadsheets_way_of_writing_csv_is_read(encoding, separator):
    text = LIST.replace(";", separator).replace("åse@", "aase@").replace("\n", "\r\n")
    [row] = from_table(read_table(text.encode(encoding)))
    assert row == {
        "row": 2, "email": "aase@example.test", "name": "Åse Lund", "language": "nb", "zone": "Europe/Oslo",
        "problem": "", "doubt": "",
    }  # fmt: skip


def test_addresses_are_found_without_headings_and_rows_keep_their_number():
    rows = from_table(read_table(b'sep=;\n"Lund; Ase";aase@example.test\n\nBo;"Bo B <bo@example.test>"\n'))
    assert [(row["row"], row["email"]) for row in rows] == [(2, "aase@example.test"), (4, "bo@example.test")]
    rows = from_table(read_table(b"who,where to\nBo,bo@example.test\n"))
    assert [(row["row"], row["email"]) for row in rows] == [(2, "bo@example.test")]
    sheet = workbook(
        ["First name", "Surname", "email"], ["Bo", "Berg", "bo@example.test"], [None, None, None], sheets=2
    )
    assert [(row["name"], row["row"]) for row in from_table(read_table(sheet))] == [("Bo Berg", 2)]


def zipped(**files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in files.items():
            package.writestr(name.replace("__", "/"), content)
    return out.getvalue()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"  \n", "empty"),
        (b"x" * (5 * 1024 * 1024 + 1), "larger than 5 MB"),
        (b"\xd0\xcf\x11\xe0" + b"x" * 100, "old kind"),
        (b"email\n" + b"".join(b"a%d@example.test\n" % n for n in range(5001)), "More than 5,000 rows"),
        (b"PK\x03\x04 damaged", "damaged"),
        (zipped(mimetype="application/vnd.oasis"), "no .xlsx"),
        (zipped(**{"xl/workbook.xml": "<x/>"}), "cannot be read"),
        # A bomb is refused by its table of contents, before anything is unpacked.
        (zipped(**{"xl/workbook.xml": b"0" * 30_000_000}), "far more than a list"),
        (zipped(**{"xl/workbook.xml": "x"} | {f"a{n}": "" for n in range(600)}), "far more than a list"),
        (b"\x81\x8d\x8f\x90 no text", "neither CSV nor XLSX"),
        (b"name,city\nBo,Oslo\n", "No column holds"),
        (b'email\n"' + b"a" * 200_000, "quotation mark"),
    ],
)
def test_what_is_no_list_is_refused_with_a_remedy(content, said):
    with pytest.raises(Refusal, match=said):
        from_table(read_table(content))


def test_a_row_says_what_is_wrong_with_it():
    table = "email,name,language,zone\nbo@example.test,,,\nBO@example.test,,,\nnope,,,\n,Bo,,\nx@example.test,,de,\n"
    table += "y@example.test,,,Mars/Base\ngone@example.test,,,\nold@example.test,,,\nz@example.test,,AR-eg,UTC\n"
    known = Known({"old@example.test": "in cohort North"}, {"gone@example.test": "Asked not to."}, ("en", "ar"))
    rows = check(from_table(read_table(table.encode())), known)
    wrong = {row["row"]: row["problem"] for row in rows if row["problem"]}
    assert list(wrong) == [3, 4, 5, 6, 7, 8, 9]
    for row, said in {
        3: "row 2",
        4: "“nope”",
        5: "no address",
        6: "“de”",
        7: "Mars/Base",
        8: "Asked not",
        9: "North",
    }.items():
        assert said in wrong[row]
    assert rows[-1]["language"] == "ar"


def test_a_cell_is_never_a_formula():
    assert [safe_cell(text) for text in ("=1+1", "@x", "-2", "plain", 3)] == ["'=1+1", "'@x", "'-2", "plain", "3"]


@pytest.fixture
def base(study, ada, client, cohort):
    client.force_login(ada)
    return f"/studies/{study.code}/cohorts/north/invite/"


def bring(client, base, content, name="people.csv"):
    """Upload a file, let the worker read it, and give the address of its page."""
    answer = client.post(base, {"file": SimpleUploadedFile(name, content)})
    row = Import.objects.latest("pk")
    assert answer.url == f"/jobs/{row.job_id}/"
    from study.accounts.jobs import run

    run(row.job_id)
    row.refresh_from_db()
    assert Job.objects.get(pk=row.job_id).result["url"] == f"{base}{row.pk}/"
    return row, f"{base}{row.pk}/"


@pytest.mark.django_db
def test_a_list_is_looked_at_and_sent_once(client, base, study, cohort, invite, ada):
    """Nothing is stored as a person before confirmation, a double press sends once, the rows are forgotten."""
    invite("mara.lindt@example.test")
    from study.accounts.encrypted import address_hash

    Suppression.objects.create(study=study, email_hash=address_hash("gone@example.test"), reason="unsubscribed")
    people = "".join(f"p{n}@example.test,Person {n},,Europe/Oslo\n" for n in range(15))
    bad = "nope,,,\np1@example.test,,,\ngone@example.test,,,\nada@example.test,,,\n,=evil,,\n"
    content = f"email,name,language,zone\n{people}{bad}maralindt@example.test,Mara,,\nm.aralindt@example.test,Mara,,\n"
    row, page = bring(client, base, content.encode())
    assert (row.state, row.good, row.bad, row.content) == ("read", 17, 5, "")
    assert Participant.objects.count() == 1
    text = client.get(page).content.decode()
    for said in ("17 letters would go out", "row 3", "Asked not to be written to", "staff of this study", "Looks like"):
        assert said in text
    assert AuditRow.objects.filter(act="contacts.viewed", detail__people=22).exists()
    table = client.get(page + "to-correct/").content.decode("utf-8-sig").splitlines()
    assert len(table) == 6
    assert table[5].split(",")[2] == "'=evil"

    leave = next(one["row"] for one in row.rows if one["email"].startswith("m.ara"))
    assert client.post(page + "send/", {"leave": leave}).url.endswith("/cohorts/north/")
    assert client.post(page + "send/").url.endswith("/cohorts/north/")
    assert Participant.objects.count() == Letter.objects.count() == 17
    row.refresh_from_db()
    assert (row.state, row.rows, row.good) == ("confirmed", None, 16)
    one = Contact.objects.get(email_hash=address_hash("p7@example.test"))
    assert (one.name, one.participant.zone) == ("Person 7", "Europe/Oslo")
    assert not Contact.objects.filter(email_hash=address_hash("m.aralindt@example.test")).exists()
    assert "16 people were chosen" in client.get(page).content.decode()
    assert "example.test" not in str(list(AuditRow.objects.values("detail", "target")))
    assert "example.test" not in str(list(Job.objects.values()))


@pytest.mark.django_db
def test_a_large_list_is_invited_in_a_job_and_a_broken_run_goes_on(client, base, monkeypatch):
    from study.accounts.jobs import run

    monkeypatch.setattr(importing, "AT_ONCE", 3)
    row, page = bring(client, base, b"email\n" + b"".join(b"a%d@example.test\n" % n for n in range(6)))
    where = client.post(page + "send/").url
    job = Job.objects.get(kind=importing.INVITE)
    assert where == f"/jobs/{job.pk}/"
    assert not Participant.objects.exists()
    assert client.post(page + "send/").url == where, "a second press leads to the same job"
    # A worker died after two; the same list run again invites whoever is missing.
    from study.people.ways.invitations import invite_rows

    row.refresh_from_db()
    invite_rows(row.cohort, row.rows[:2], by=None)
    run(job.pk)
    assert Participant.objects.count() == 6
    assert Job.objects.get(pk=job.pk).result["invited"] == 4


@pytest.mark.django_db
def test_refused_dropped_and_old_lists_are_forgotten(client, base, cohort, study, cleo):
    from datetime import timedelta

    from django.utils import timezone

    row, page = bring(client, base, b"PK damaged", "people.xlsx")
    assert (row.state, row.rows) == ("refused", None)
    assert "damaged" in client.get(page).content.decode()
    row, page = bring(client, base, b"email\na@example.test\n")
    raw = Import.objects.filter(pk=row.pk).extra(select={"raw": "rows"}).values_list("raw", flat=True)[0]
    assert "example.test" not in raw, "rows are kept encrypted"
    assert client.post(page + "drop/").url == base
    assert client.post(page + "drop/").url == base
    row.refresh_from_db()
    assert (row.state, row.rows) == ("dropped", None)
    assert client.get(page + "to-correct/").status_code == 404
    left, _page = bring(client, base, b"email\nb@example.test\n")
    Import.objects.filter(pk=left.pk).update(at=timezone.now() - timedelta(days=8))
    assert importing.forget_old(None) == {"forgotten": 1}
    for post, said in (
        ({}, "at least one row"),
        ({"addresses": "a@example.test", "file": SimpleUploadedFile("a.csv", b"email")}, "not both"),
        ({"file": SimpleUploadedFile("a.csv", b"x" * (5 * 1024 * 1024 + 1))}, "5 MB"),
    ):
        answer = client.post(base, post)
        assert answer.status_code == 422
        assert said in answer.content.decode()
    cohort.state = "closed"
    cohort.save()
    assert client.post(base, {"addresses": "c@example.test"}).status_code == 422
    client.force_login(cleo)
    assert client.get(page).status_code == 404
