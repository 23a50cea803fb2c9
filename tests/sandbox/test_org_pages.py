"""Staff pages of Orgs: bring one in, see what came of it, take one out, delete one; and who may not (A15)."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from study.accounts.adapter import user_with_address
from study.accounts.flows import add_member, create_study
from study.accounts.models import AuditRow, Job, Role
from study.sandbox.desks import open_desk
from study.sandbox.engine.snapshot import write_snapshot
from study.sandbox.exchange.exporting import export_org
from study.sandbox.exchange.org_files import read_org
from study.sandbox.exchange.org_jobs import drop_old_exports
from study.sandbox.models import Desk, Org, StudyOrg
from study.sandbox.orgs import register_org, snapshot_for
from tests.sandbox.published_files import published_file
from tests.sandbox.small_org import TODAY, small_registry, small_tables

pytestmark = pytest.mark.django_db
BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, settings: Any) -> Path:
    settings.REALIA_VAR = tmp_path / "var"
    settings.REALIA_VAR.mkdir()
    return tmp_path / "var"


def client_of(user: Any) -> Client:
    client = Client()
    client.force_login(user, backend=BACKEND)
    return client


@pytest.fixture
def ada_client(ada: Any) -> Client:
    return client_of(ada)


@pytest.fixture
def operator() -> Any:
    user = user_with_address("operator@example.test")
    user.is_operator = True
    user.save()
    return user


@pytest.fixture
def bring(study: Any, ada_client: Client, django_capture_on_commit_callbacks: Any) -> Callable[..., Job]:
    """Upload a file and let the worker run."""

    def bring_in(
        data: bytes, name: str = "fresh", *, client: Client | None = None, address: str = "", **more: Any
    ) -> Job:
        form = {"file": SimpleUploadedFile("org file;.db", data), "name": name, **more}
        with django_capture_on_commit_callbacks(execute=True):
            answer = (client or ada_client).post(address or f"/studies/{study.code}/orgs/add/", form)
        assert answer.status_code == 302, answer.content.decode()
        return Job.objects.latest("pk")

    return bring_in


def small_org(tmp_path: Path, name: str, **changes: Any) -> Org:
    info = write_snapshot(tmp_path / f"{name}.sqlite", small_registry(**changes), small_tables(), today=TODAY)
    return register_org(info, name)


def published(tmp_path: Path) -> bytes:
    return published_file(tmp_path / "up.db", "b2b").read_bytes()


def test_an_upload_becomes_an_org_of_this_study_alone(
    tmp_path: Path, study: Any, ada: Any, ada_client: Client, bring: Any, operator: Any, data_folder: Path
) -> None:
    job = bring(published(tmp_path), company="Acme", zone="America/Chicago")
    assert job.state == "done", job.error
    org = Org.objects.get(name=f"{study.code}-fresh")
    assert (org.company, org.zone, org.manifest["source"]) == ("Acme", "America/Chicago", "org-file-.db")
    assert list(StudyOrg.objects.values_list("org_id", "study__code")) == [(org.pk, study.code)]
    page = ada_client.get(f"/studies/{study.code}/orgs/imports/{job.pk}/").content.decode()
    assert org.hash in page
    assert "Every cell could be read" in page
    listed = ada_client.get(f"/studies/{study.code}/orgs/").content.decode()
    assert "this study" in listed
    assert f'data-copy="{org.hash}"' in listed
    other = create_study(code="autumn", name="Autumn", owner=user_with_address("o@example.test"))
    there = client_of(other.memberships.get().user)
    assert org.hash not in there.get(f"/studies/{other.code}/orgs/").content.decode()
    for act in ("export", "delete"):
        assert there.post(f"/studies/{other.code}/orgs/{org.hash}/{act}/", {"form": "csv"}).status_code == 404
    assert org.hash not in client_of(operator).get("/orgs/").content.decode()
    assert client_of(operator).post(f"/orgs/{org.hash}/export/", {"form": "csv"}).status_code == 404
    assert not list((data_folder / "org-uploads").iterdir())
    assert {"org.uploaded", "org.loaded"} <= set(AuditRow.objects.values_list("act", flat=True))


def test_problems_are_shown_and_what_could_be_read_is_loaded(
    tmp_path: Path, study: Any, ada_client: Client, bring: Any
) -> None:
    file = published_file(tmp_path / "up.db", "original")
    with sqlite3.connect(file) as connection:
        connection.execute('UPDATE "Case" SET AccountId = ? WHERE Id LIKE ?', ("001Hy0000000zzzAAA", "%2MAA"))
        connection.execute('UPDATE "Case" SET CreatedDate = ?', ("<script>yesterday</script>",))
        connection.execute('CREATE VIEW Broken AS SELECT * FROM "Case"')
    connection.close()
    job = bring(file.read_bytes())
    page = ada_client.get(f"/studies/{study.code}/orgs/imports/{job.pk}/").content.decode()
    assert "a view" in page
    assert "&lt;script&gt;yesterday" in page
    assert "<script>yesterday" not in page
    assert job.result["problem_count"] == len(job.result["problems"]) > 6
    assert Org.objects.filter(name=f"{study.code}-fresh").exists()


def test_what_is_no_org_ends_in_words_and_leaves_nothing(
    tmp_path: Path, study: Any, ada_client: Client, bring: Any, data_folder: Path
) -> None:
    job = bring(b"SQLite format 3\0" + b"\xff" * 5000)
    assert (job.state, Org.objects.count()) == ("failed", 0)
    assert "cannot be read as an SQLite database" in job.error
    page = ada_client.get(f"/studies/{study.code}/orgs/imports/{job.pk}/").content.decode()
    assert "Nothing was added" in page
    assert "Traceback" not in page
    assert not list((data_folder / "org-uploads").iterdir())
    assert not list((data_folder / "orgs").glob("*"))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": "has blanks"}, "letters, digits"),
        ({"name": "x" * 60}, "at most 5"),
        ({"name": "taken"}, "taken on this installation"),
        ({"zone": "Mars/Base"}, "not a time zone"),
        ({"file": SimpleUploadedFile("a.txt", b"hello")}, "neither an SQLite database nor"),
        ({"file": SimpleUploadedFile("a.db", b"")}, "Choose a file"),
    ],
)
def test_a_form_that_does_not_fit_says_why(
    tmp_path: Path, study: Any, ada_client: Client, changes: dict[str, Any], said: str
) -> None:
    small_org(tmp_path, f"{study.code}-taken")
    form = {"file": SimpleUploadedFile("a.db", published(tmp_path)), "name": "fresh", "company": "Acme & Co"}
    answer = ada_client.post(f"/studies/{study.code}/orgs/add/", form | changes)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert "Acme &amp; Co" in answer.content.decode()
    assert not Job.objects.exists()


def test_an_upload_past_the_limit_is_not_even_read(
    tmp_path: Path, study: Any, ada_client: Client, settings: Any, cleo: Any
) -> None:
    settings.ORG_UPLOAD_MB = 0
    form = {"file": SimpleUploadedFile("a.db", published(tmp_path)), "name": "fresh"}
    answer = ada_client.post(f"/studies/{study.code}/orgs/add/", form)
    assert answer.status_code == 413
    assert "more than 0 MB" in answer.content.decode()
    assert client_of(cleo).post(f"/studies/{study.code}/orgs/add/", form).status_code == 404


def test_uploading_takes_the_token_of_the_page(tmp_path: Path, study: Any, ada: Any) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada, backend=BACKEND)
    form = {"file": SimpleUploadedFile("a.db", published(tmp_path)), "name": "fresh"}
    assert client.post(f"/studies/{study.code}/orgs/add/", form).status_code == 403
    assert not Job.objects.exists()


def test_a_zip_with_schema_and_layout_files(tmp_path: Path, bring: Any) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("Case.csv", "Id,Subject,Status\n500Hy0000000001AAA,Broken,New\n")
    schema = SimpleUploadedFile("s.json", b'[{"object": "Case", "fields": {"Subject": "", "Status": ""}}]')
    layout = SimpleUploadedFile("l.yaml", b"objects: {Case: {label: Ticket, plural: Tickets}}")
    job = bring(packed.getvalue(), schema=schema, layout=layout)
    assert job.state == "done", job.error
    from study.sandbox.orgs import snapshot_for

    assert snapshot_for(Org.objects.get()).registry.object("Case").plural == "Tickets"


def test_a_name_taken_meanwhile_tells_nothing_of_the_other_org(
    tmp_path: Path, study: Any, ada: Any, bring: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P-39, A15: not its hash, not its company. The form asks first; here the other one came in between."""
    hidden = small_org(tmp_path, "hidden", company="Hidden Partner")
    StudyOrg.objects.create(org=hidden, study=create_study(code="autumn", name="Autumn", owner=ada))
    monkeypatch.setattr("study.sandbox.exchange.org_flows._import_problems", lambda study, fields, files: [])
    monkeypatch.setattr("study.sandbox.exchange.org_flows.full_name", lambda study, name: name)
    job = bring(published(tmp_path), "hidden")
    assert job.state == "failed"
    assert "Choose another name" in job.error
    assert hidden.hash[:8] not in job.error
    assert Org.objects.count() == 1


def test_names_of_other_studies_orgs_cannot_be_tried_out(
    tmp_path: Path, study: Any, ada: Any, bring: Any, operator: Any
) -> None:
    """P-39, A15: whether another study has an Org of some name is told by nothing, and is in nobody's way."""
    hidden = small_org(tmp_path, "acme-real", company="Hidden Partner")
    StudyOrg.objects.create(org=hidden, study=create_study(code="autumn", name="Autumn", owner=ada))
    data = published(tmp_path)
    job = bring(data, "acme-real")
    assert job.state == "done", job.error
    assert set(Org.objects.values_list("name", flat=True)) == {"acme-real", f"{study.code}-acme-real"}
    bring(data, f"{study.code}-again", company="Another")
    assert Org.objects.filter(name=f"{study.code}-again").exists()
    bring(data, "plain", client=client_of(operator), address="/orgs/add/", company="A third")
    assert Org.objects.filter(name="plain").exists()


def test_the_same_content_again_is_shared_not_doubled(
    tmp_path: Path, study: Any, bring: Any, ada_client: Client
) -> None:
    """What belongs to everybody stays everybody's; what belongs to another study is shared with this one."""
    everybody = small_org(tmp_path, "everybody")
    job = bring((tmp_path / "var" / everybody.file).read_bytes(), "mine")
    assert (job.result["known"], StudyOrg.objects.count(), Org.objects.count()) == (True, 0, 1)
    assert "here already, as everybody" in ada_client.get(job.result["url"]).content.decode()
    other = create_study(code="autumn", name="Autumn", owner=user_with_address("o@example.test"))
    StudyOrg.objects.create(org=everybody, study=other)
    bring((tmp_path / "var" / everybody.file).read_bytes(), "mine")
    assert set(StudyOrg.objects.values_list("study__code", flat=True)) == {"autumn", study.code}


def test_an_org_of_a_study_is_never_everybodys_for_a_moment(
    tmp_path: Path, bring: Any, monkeypatch: pytest.MonkeyPatch, data_folder: Path
) -> None:
    """A15: a worker that dies between the Org's row and its study leaves neither."""

    def dies(*args: Any, **more: Any) -> None:
        raise RuntimeError("killed")

    monkeypatch.setattr("study.sandbox.exchange.org_intake._give", dies)
    assert bring(published(tmp_path)).state == "failed"
    assert not Org.objects.exists()
    assert not list((data_folder / "org-uploads").iterdir())


def test_an_upload_cannot_call_itself_an_org_of_another_study(tmp_path: Path, study: Any, ada: Any, bring: Any) -> None:
    """P-39, A15: what a schema says of itself is no hash, no count and no day; those are read off the content."""
    hidden = small_org(tmp_path, "hidden", company="Hidden Partner")
    StudyOrg.objects.create(org=hidden, study=create_study(code="autumn", name="Autumn", owner=ada))
    mine = small_org(tmp_path, "mine")
    export_org(snapshot_for(mine), "csv", tmp_path / "out", "mine", lambda _name: None)
    schema = json.loads((tmp_path / "out" / "schema.json").read_text())
    schema["registry"]["company"] = "Not mine"
    lie = {"hash": hidden.hash, "format": 99, "counts": {"Case": "many"}, "last_day": "9999-12-31", "file_sha256": "x",
           "zone": "Mars", "company": "Realia", "generator": {"deep": []}, "world": "w" * 9000}  # fmt: skip
    (tmp_path / "out" / "schema.json").write_text(json.dumps(schema | {"about": lie}))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path in (tmp_path / "out").iterdir():
            archive.write(path, path.name)
    job = bring(packed.getvalue(), "stolen")
    assert job.state == "done", job.error
    stolen = Org.objects.get(name=f"{study.code}-stolen")
    assert job.result["org"] == stolen.hash != hidden.hash
    assert list(StudyOrg.objects.filter(org=hidden).values_list("study__code", flat=True)) == ["autumn"]
    assert (stolen.counts, stolen.last_day, stolen.zone, stolen.company) == (mine.counts, TODAY, "UTC", "Not mine")
    assert (stolen.manifest["format"], stolen.manifest["generator"]) == (mine.manifest["format"], "")
    assert len(stolen.manifest["world"]) == 200
    assert client_of(ada).get(f"/studies/{study.code}/orgs/").status_code == 200


@pytest.mark.parametrize("form", ["csv", "sqlite", "parquet"])
def test_an_org_is_packed_as_a_job_and_comes_back_the_same(
    tmp_path: Path, study: Any, ada_client: Client, form: str, django_capture_on_commit_callbacks: Any
) -> None:
    org = small_org(tmp_path, "small")
    with django_capture_on_commit_callbacks(execute=True):
        answer = ada_client.post(f"/studies/{study.code}/orgs/{org.hash}/export/", {"form": form})
    job = Job.objects.get()
    assert answer.headers["Location"] == reverse("job", args=[job.pk])
    assert job.state == "done", job.error
    download = ada_client.get(job.result["url"])
    assert download.headers["Content-Disposition"] == f'attachment; filename="small-{form}.zip"'
    with zipfile.ZipFile(io.BytesIO(b"".join(download.streaming_content))) as archive:
        archive.extractall(tmp_path / "back")
    place = tmp_path / "back" / f"small-{form}"
    given = read_org(place / "small.db" if form == "sqlite" else place)
    info = write_snapshot(tmp_path / "again.sqlite", given.loaded.registry, given.loaded.tables, today=given.today)
    assert info.hash == org.hash
    assert AuditRow.objects.filter(act="org.downloaded", target=org.hash).count() == 1


def test_a_form_of_export_that_does_not_exist(tmp_path: Path, study: Any, ada_client: Client) -> None:
    org = small_org(tmp_path, "small")
    answer = ada_client.post(f"/studies/{study.code}/orgs/{org.hash}/export/", {"form": "xlsx"}, follow=True)
    assert "Choose CSV, SQLite or Parquet" in answer.content.decode()
    assert not Job.objects.exists()


def test_packed_files_are_kept_for_a_week(data_folder: Path) -> None:
    import os
    import time

    old, new = data_folder / "org-exports" / "1", data_folder / "org-exports" / "2"
    for folder in (old, new):
        folder.mkdir(parents=True)
    os.utime(old, (time.time() - 8 * 86400,) * 2)
    drop_old_exports()
    assert not old.exists()
    assert new.exists()


def test_an_org_that_nobody_used_is_deleted_with_staffs_desks_and_its_file(
    tmp_path: Path, study: Any, ada: Any, ada_client: Client, data_folder: Path, django_capture_on_commit_callbacks: Any
) -> None:
    org = small_org(tmp_path, "small")
    StudyOrg.objects.create(org=org, study=study)
    open_desk(org=org, user=ada, purpose="staff")
    asked = ada_client.get(f"/studies/{study.code}/orgs/{org.hash}/delete/").content.decode()
    assert "It cannot be undone" in asked
    assert Org.objects.exists()
    with django_capture_on_commit_callbacks(execute=True):
        ada_client.post(f"/studies/{study.code}/orgs/{org.hash}/delete/")
    assert not Org.objects.exists()
    assert not Desk.objects.exists()
    assert not (data_folder / org.file).exists()
    assert AuditRow.objects.filter(act="org.deleted", target=org.hash).exists()


@pytest.mark.parametrize("used", ["orientation", "attempt", "rating"])
def test_an_org_that_a_visit_used_stays(
    tmp_path: Path, study: Any, ada_client: Client, ben: Any, data_folder: Path, used: str
) -> None:
    org = small_org(tmp_path, "small")
    StudyOrg.objects.create(org=org, study=study)
    open_desk(org=org, user=ben, purpose=used, study=study)
    address = f"/studies/{study.code}/orgs/{org.hash}/delete/"
    assert "Visits used it" in ada_client.get(address).content.decode()
    assert ada_client.post(address).status_code == 409
    assert Org.objects.exists()
    assert (data_folder / org.file).exists()


def test_an_org_of_others_cannot_be_deleted_from_here(tmp_path: Path, study: Any, ada_client: Client) -> None:
    org = small_org(tmp_path, "small")
    address = f"/studies/{study.code}/orgs/{org.hash}/delete/"
    assert ada_client.post(address).status_code == 409
    StudyOrg.objects.create(org=org, study=study)
    other = create_study(code="autumn", name="Autumn", owner=user_with_address("o@example.test"))
    StudyOrg.objects.create(org=org, study=other)
    assert ada_client.post(address).status_code == 409
    assert "this and 1 other study" in ada_client.get(f"/studies/{study.code}/orgs/").content.decode()
    assert Org.objects.exists()


def test_operators_manage_what_belongs_to_the_installation(
    tmp_path: Path, operator: Any, bring: Any, django_capture_on_commit_callbacks: Any
) -> None:
    client = client_of(operator)
    assert "No Org yet" in client.get("/orgs/").content.decode()
    job = bring(published(tmp_path), client=client, address="/orgs/add/")
    org = Org.objects.get()
    assert not StudyOrg.objects.exists()
    assert org.hash in client.get(f"/orgs/imports/{job.pk}/").content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        client.post(f"/orgs/{org.hash}/delete/")
    assert not Org.objects.exists()
    assert "is not on your list" in client.get(f"/orgs/imports/{job.pk}/").content.decode()


def test_roles_that_only_look(tmp_path: Path, study: Any) -> None:
    small_org(tmp_path, "small")
    for role in (Role.VIEWER, Role.COORDINATOR):
        user = user_with_address(f"{role}@example.test")
        add_member(study, user, role, by=None)
        client = client_of(user)
        page = client.get(f"/studies/{study.code}/orgs/").content.decode()
        assert "Add an Org" not in page
        assert "Take out" not in page
        assert "btn quiet small" in page
        assert client.get(f"/studies/{study.code}/orgs/add/").status_code == 403


def test_the_list_asks_the_database_a_fixed_number_of_times(
    tmp_path: Path, study: Any, ada_client: Client, django_assert_max_num_queries: Any
) -> None:
    for n in range(4):
        StudyOrg.objects.create(org=small_org(tmp_path, f"small{n}", company=f"Company {n}"), study=study)
    with django_assert_max_num_queries(30):
        ada_client.get(f"/studies/{study.code}/orgs/")
