"""org_pull against an org without a network: whole, interrupted, refused; and no credential anywhere."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import requests
from django.core.management import call_command
from django.core.management.base import CommandError

from study.sandbox.engine.ids import make_id
from study.sandbox.exchange import live_org
from study.sandbox.exchange.live_org import PatientSession, PullStopped, connect
from study.sandbox.models import Org
from study.sandbox.orgs import snapshot_for
from tests.sandbox.fake_live_org import HOST, SECRET, FakeSession, answer, field, refusal

pytestmark = pytest.mark.django_db
ENVIRONMENT = {"SALESFORCE_INSTANCE_URL": f"https://{HOST}", "SALESFORCE_SESSION_ID": SECRET}


class Pulling:
    """Runs the command against a session, and hears all it says."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.said = ""
        self._patch = monkeypatch

    def __call__(self, session: requests.Session, *arguments: str, name: str = "live") -> str:
        out = StringIO()
        self._patch.setattr(live_org, "PatientSession", lambda: session)
        try:
            call_command("org_pull", "--name", name, "--folder", str(self.folder), *arguments, stdout=out)
        except CommandError as error:
            self.said += str(error)
            raise
        finally:
            self.said += out.getvalue()
        return out.getvalue()


@pytest.fixture
def pulling(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Pulling:
    settings.REALIA_VAR = tmp_path / "var"
    settings.REALIA_VAR.mkdir()
    for key, value in ENVIRONMENT.items():
        monkeypatch.setenv(key, value)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setattr(live_org.LiveOrg.__init__, "__defaults__", (lambda seconds: None,))
    return Pulling(tmp_path / "pull", monkeypatch)


def fail_once(
    when: Callable[[str, str], bool], what: requests.Response | Exception
) -> Callable[[str, str], requests.Response | None]:
    """Trouble at the first request that fits, never again."""
    left = [what]

    def trouble(place: str, soql: str) -> requests.Response | None:
        if not left or not when(place, soql):
            return None
        found = left.pop()
        if isinstance(found, Exception):
            raise found
        return found

    return trouble


def whole(pulling: Pulling, *arguments: str) -> str:
    """The hash of a pull in one go."""
    pulling(FakeSession(), *arguments, name="whole")
    found = str(Org.objects.get(name="whole").hash)
    Org.objects.all().delete()
    return found


def test_a_pull_becomes_an_org(pulling: Pulling) -> None:
    session = FakeSession()
    said = pulling(session)
    org = Org.objects.get(name="live")
    assert f"hash {org.hash}" in said
    assert "Case: 40 of 40" in said
    assert (org.company, org.zone, org.manifest["pulled"]) == ("Acme GmbH", "Europe/Berlin", HOST)
    assert org.counts == {"Account": 10, "Case": 40, "Task": 9, "Device__c": 0}
    snapshot = snapshot_for(org)
    assert snapshot.registry.fiscal_start == 4
    case = snapshot.registry.object("Case")
    assert {f.name: f.type for f in case.fields} == {
        "Id": "id", "Subject": "string", "CaseNumber": "string", "IsClosed": "boolean", "Status": "picklist",
        "CreatedDate": "datetime", "Due__c": "date", "Hours__c": "number", "AccountId": "reference",
        "Secret__c": "string",
    }  # fmt: skip
    assert (case.name_field, case.key_prefix, case.plural) == ("CaseNumber", "500", "Cases")
    assert case.field("Subject").help == "What it is about"
    assert (case.field("Subject").length, case.field("Status").values) == (255, ("New", "Closed"))
    assert (case.field("AccountId").label, case.field("AccountId").children) == ("Account", "Cases")
    # A lookup to several objects keeps those that were pulled; the rest lies outside.
    assert snapshot.registry.object("Task").field("WhatId").targets == ("Account", "Case")
    assert snapshot.registry.object("Account").field("OwnerId").targets == ()
    assert "Task.WhatId" in {f"{one.object}.{one.field}" for one in snapshot.registry.object("Account").related}
    first = next(snapshot.records("Case"))
    assert (first["Subject"], first["IsClosed"], first["CaseNumber"]) == ("=Zoë's case 0 🙂", True, "00000000")
    for left_out in ("Account.BillingAddress: a compound field", "Account.Location__c: a compound field",
                     "Device__c.Attachment__c: binary content", "Case.Old__c: a deleted field"):  # fmt: skip
        assert f"note: {left_out}" in said
    # Custom settings and objects that are no records are not asked for; the pages are gone afterwards.
    assert not any("Setting__c" in asked or "FieldDefinition" in asked for asked in session.asked)
    assert not pulling.folder.exists()


def test_chosen_objects_only(pulling: Pulling) -> None:
    session = FakeSession()
    pulling(session, "--objects", "case, Device__c")
    assert set(Org.objects.get().counts) == {"Case", "Device__c"}
    assert not any("FROM Task" in asked for asked in session.asked)
    with pytest.raises(CommandError, match="no object Nothing__c"):
        pulling(FakeSession(), "--objects", "Case,Nothing__c", name="other")


def test_bulk_and_pages_come_to_the_same_org(pulling: Pulling) -> None:
    """Also what queries write differently: times with Z, numbers and truth as text, empty cells."""
    before = whole(pulling)
    session = FakeSession()
    pulling(session, "--bulk-from", "8")
    assert len(session.jobs) == 3
    assert Org.objects.get().hash == before


@pytest.mark.parametrize("bulk", [True, False])
@pytest.mark.parametrize("stop", [1, 2, 4, 6])
def test_interrupted_anywhere_and_run_again_gives_the_same_hash(pulling: Pulling, stop: int, bulk: bool) -> None:
    more = ("--bulk-from", "8") if bulk else ()
    before = whole(pulling, *more)
    seen = []

    def trouble(place: str, soql: str) -> requests.Response | None:
        if "results" in place or (soql and "COUNT" not in soql) or place.startswith("query/q0"):
            seen.append(place)
        if len(seen) == stop:
            raise KeyboardInterrupt
        return None

    session = FakeSession(trouble)
    with pytest.raises(CommandError, match="Run the same command again"):
        pulling(session, *more)
    assert not Org.objects.exists()
    session.trouble = lambda place, soql: None
    asked_before = len(session.asked)
    # The first request asks for the company; before it there is nothing to go on with.
    assert ("Going on" in pulling(session, *more)) == (stop > 1)
    assert Org.objects.get().hash == before
    assert ("sobjects" in session.asked[asked_before:]) == (stop == 1)


def test_a_page_cut_off_in_the_middle_of_writing(pulling: Pulling) -> None:
    """What stands behind the counted bytes is a half-written page."""
    before = whole(pulling)
    session = FakeSession(_interrupting("query/q0-14"))
    with pytest.raises(CommandError):
        pulling(session)
    with open(pulling.folder / "Case.jsonl", "ab") as file:
        file.write(b'{"Id": "500half')
    session.trouble = lambda place, soql: None
    pulling(session)
    assert Org.objects.get().hash == before


def _interrupting(start: str) -> Callable[[str, str], requests.Response | None]:
    def trouble(place: str, soql: str) -> requests.Response | None:
        if place.startswith(start):
            raise KeyboardInterrupt
        return None

    return trouble


def test_an_expired_session_says_how_to_go_on(pulling: Pulling) -> None:
    before = whole(pulling)
    expired = refusal("INVALID_SESSION_ID", f"Session {SECRET} expired", 401)
    session = FakeSession(fail_once(lambda place, soql: place.startswith("query/q0-21"), expired))
    with pytest.raises(CommandError, match=r"session has expired.*goes on where it stopped.*31 records"):
        pulling(session)
    pulling(session)
    assert any("FROM Case WHERE Id > '" in asked for asked in session.asked)
    assert Org.objects.get().hash == before


def test_the_limit_of_requests(pulling: Pulling) -> None:
    limit = refusal("REQUEST_LIMIT_EXCEEDED", "TotalRequests Limit exceeded.", 403)
    session = FakeSession(fail_once(lambda place, soql: "FROM Task" in soql, limit))
    with pytest.raises(CommandError, match=r"REQUEST_LIMIT_EXCEEDED.*2 objects whole"):
        pulling(session)
    pulling(session)
    assert Org.objects.get().counts["Task"] == 9


@pytest.mark.parametrize(
    "what",
    [
        requests.Timeout(f"token {SECRET}"),
        requests.ConnectionError("reset"),
        refusal("SERVER_UNAVAILABLE", "busy", 503),
    ],
)
def test_a_broken_line_is_tried_again_then_said(pulling: Pulling, what: Any) -> None:
    before = whole(pulling)
    pulling(FakeSession(fail_once(lambda place, soql: "FROM Case ORDER" in soql, what)))
    assert Org.objects.get().hash == before
    Org.objects.all().delete()

    def always(place: str, soql: str) -> requests.Response | None:
        if isinstance(what, Exception):
            raise what
        return what

    with pytest.raises(CommandError, match="Run the same command again later"):
        pulling(FakeSession(always))


@pytest.mark.parametrize("place", ["sobjects", "sobjects/Case/describe", "SELECT COUNT() FROM Case", "SELECT Id"])
@pytest.mark.parametrize("what", ["<html>Down for maintenance</html>", "null", "[]", "{}", "[" * 100_000])
def test_what_is_no_answer_of_an_org_stops_in_words(pulling: Pulling, place: str, what: str) -> None:
    """A proxy or a page of maintenance speaks in the org's place, again and again."""
    session = FakeSession(lambda path, soql: answer(what) if (soql or path).startswith(place) else None)
    with pytest.raises(CommandError, match=r"does not answer|something else than was asked"):
        pulling(session)
    assert not Org.objects.exists()


def test_an_org_whose_api_is_closed_says_so(pulling: Pulling) -> None:
    closed = refusal("API_DISABLED_FOR_ORG", f"No API here, {SECRET}.", 403)
    with pytest.raises(CommandError, match=r"No API here, ...\. Ask whether its API is open"):
        pulling(FakeSession(lambda path, soql: closed))
    assert SECRET not in pulling.said


def test_a_field_that_vanished_is_left_out(pulling: Pulling) -> None:
    gone = refusal("INVALID_FIELD", "No such column 'Secret__c' on entity 'Case'.", 400)
    said = pulling(FakeSession(fail_once(lambda place, soql: "Secret__c" in soql, gone)))
    assert "note: Case.Secret__c: it is gone since it was described" in said
    snapshot = snapshot_for(Org.objects.get())
    assert not snapshot.registry.object("Case").has("Secret__c")
    assert snapshot.counts["Case"] == 40


def test_an_object_that_cannot_be_queried_is_a_note(pulling: Pulling) -> None:
    def trouble(place: str, soql: str) -> requests.Response | None:
        refused = refusal("INVALID_TYPE_FOR_OPERATION", "entity type Task does not support query", 400)
        return refused if "FROM Task" in soql else None

    said = pulling(FakeSession(trouble))
    assert "note: Task cannot be queried: entity type Task does not support query" in said
    assert Org.objects.get().counts["Task"] == 0


def test_a_bulk_query_that_is_gone_is_asked_anew(pulling: Pulling) -> None:
    before = whole(pulling, "--bulk-from", "8")
    session = FakeSession(_interrupting("jobs/query/7501/results"))
    with pytest.raises(CommandError):
        pulling(session, "--bulk-from", "8")
    again = FakeSession()
    pulling(again, "--bulk-from", "8")
    assert Org.objects.get().hash == before


def test_so_many_fields_that_no_address_holds_them(pulling: Pulling) -> None:
    session = FakeSession()
    wide = session.objects[1] | {
        "fields": session.objects[1]["fields"] + [field(f"Extra_field_number_{n}__c") for n in range(500)]
    }
    session.objects[1] = wide
    pulling(session, "--objects", "Case")
    assert len(session.jobs) == 1
    assert len(snapshot_for(Org.objects.get()).registry.object("Case").fields) == 510


def test_no_secret_in_any_file_or_output(
    pulling: Pulling, tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    echoing = refusal("MALFORMED_QUERY", f"You sent {SECRET}", 400)
    session = FakeSession(fail_once(lambda place, soql: "FROM Task" in soql, echoing))
    pulling(session, "--keep")
    private = pulling.folder / "state.json"
    stopped = FakeSession(lambda place, soql: refusal("INVALID_SESSION_ID", SECRET, 401))
    pulling.folder = tmp_path / "second"
    with pytest.raises(CommandError):
        pulling(stopped, name="second")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name == "state.json" for path in files)
    assert any(path.suffix == ".sqlite" for path in files)
    for path in files:
        assert SECRET.encode() not in path.read_bytes(), path
    out, err = capfd.readouterr()
    for text in (pulling.said, out, err, caplog.text):
        assert SECRET not in text
    assert private.stat().st_mode & 0o077 == 0


def test_the_folder_of_another_pull_is_left_alone(pulling: Pulling) -> None:
    with pytest.raises(CommandError):
        pulling(FakeSession(_interrupting("query/q0-14")))
    with pytest.raises(CommandError, match="other objects"):
        pulling(FakeSession(), "--objects", "Task")
    state = pulling.folder / "state.json"
    state.write_text(state.read_text().replace(HOST, "other.my.salesforce.com"))
    with pytest.raises(CommandError, match=r"a pull of other\.my"):
        pulling(FakeSession())
    state.write_text("{}")
    with pytest.raises(CommandError, match="not the state of a pull"):
        pulling(FakeSession())
    state.unlink()
    with pytest.raises(CommandError, match="holds other files"):
        pulling(FakeSession())


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, "Set SALESFORCE_INSTANCE_URL and SALESFORCE_SESSION_ID"),
        ({"SALESFORCE_INSTANCE_URL": "https://x.example"}, "Set SALESFORCE_INSTANCE_URL"),
        ({"SALESFORCE_INSTANCE_URL": "http://x.example", "SALESFORCE_SESSION_ID": "s"}, "must be an address"),
        ({"SALESFORCE_USERNAME": "u", "SALESFORCE_PASSWORD": "pw-secret", "SALESFORCE_TOKEN": "t"}, "reached"),
    ],
)
def test_what_is_missing_to_sign_in(environment: dict[str, str], said: str) -> None:
    class Dead(requests.Session):
        def request(self, *args: Any, **more: Any) -> requests.Response:
            raise requests.ConnectionError("pw-secret")

    with pytest.raises(PullStopped, match=said) as caught:
        connect(environment, Dead())
    assert "pw-secret" not in str(caught.value)


def test_no_request_waits_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}
    monkeypatch.setattr(requests.Session, "request", lambda self, *args, **more: seen.update(more))
    PatientSession().request("GET", "https://x.example")
    assert seen["timeout"] == live_org.TIMEOUT


def test_a_layout_file_refines_what_was_described(pulling: Pulling, tmp_path: Path) -> None:
    layout = tmp_path / "layout.yaml"
    layout.write_text("objects: {Case: {label: Ticket, plural: Tickets}}")
    pulling(FakeSession(), "--layout", str(layout))
    assert snapshot_for(Org.objects.get()).registry.object("Case").plural == "Tickets"
    assert make_id("500", 0) == next(snapshot_for(Org.objects.get()).records("Case"))["Id"]


def test_a_pull_may_be_for_one_study(pulling: Pulling, study: Any) -> None:
    """A15: an org of real records is seen by the study that brought it."""
    with pytest.raises(CommandError, match="no study nowhere"):
        pulling(FakeSession(), "--study", "nowhere")
    pulling(FakeSession(), "--study", study.code)
    assert [row.study for row in Org.objects.get().study_orgs.all()] == [study]
