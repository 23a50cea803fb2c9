"""Somebody who leaves one mark in every text they can leave, through the pages, and whom staff write about with it."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.test import Client

from tests.fieldwork.hour import Hour, make_cohort, make_small_org
from tests.people.walk import GOOD, agree, code_of

MARK = "quokkaburra"
ADDRESS = f"{MARK}@example.test"
AGENT = f"Mozilla/5.0 ({MARK} browser)"


def typed(what: str) -> str:
    return f"My {what} says {MARK}."


@dataclass
class Left:
    """The person, and what a test needs of the world around them."""

    hour: Hour
    export: Path


def leave_everything(study, ada) -> Left:
    """The whole hour with the mark in each text; then what coordinators, panels, jobs and exports keep of it."""
    cohort = make_cohort(study, make_small_org())
    hour = _come_in(cohort)
    _work(hour)
    _rate_and_close(hour)
    _staff_notes(hour, cohort, ada)
    return Left(hour, _export(study, ada))


def _come_in(cohort) -> Hour:
    from study.accounts.jobs import tick
    from study.people.ways.invitations import invite
    from study.people.ways.tokens import make_token

    one = invite(cohort, ADDRESS, by=None)[0]
    tick()
    client = Client(headers={"user-agent": AGENT})
    client.post(f"/i/{make_token(one, one.invitation.created_at)}/")
    code = code_of(client)
    answers = GOOD | {"S7.1": typed("episode"), "S7.2": typed("other episode"), "S8a": f"Keeper of {MARK}"}
    client.post(f"/hour/{code}/screener/", answers)
    agree(client, code)
    # Signing in again by a code puts the address into a letter, a session and the limits of the cache.
    Client().post("/account/login/code/", {"email": ADDRESS})
    return Hour(code, client)


def _work(hour: Hour) -> None:
    hour.orient()
    hour.open_question()
    desk = f"/crm/{hour.attempt(1).desk.code}/"
    hour.get(f"{desk}search/?q={MARK}")
    hour.get(f"{desk}o/Case/?q={MARK}")
    record = _a_case(hour)
    hour.get(f"{desk}r/{record}/")
    hour.post(f"{desk}r/{record}/favourite/", {"keep": "1"})
    view = {"kind": "list", "object": "Case", "name": f"{MARK} view", "query": f"q={MARK}"}
    hour.post(f"{desk}views/save/", view)
    draft = {"answer": [typed("draft")], "none": False}
    hour.save("attempt/1", draft)
    hour.save("attempt/1", draft | {"answer": [typed("lost draft")]}, base=0)
    hour.save("scratch/1", typed("pad"))
    hour.post("work/1/note/", {"note": typed("note")})
    hour.post("work/1/pin/", {"pin": record})
    hour.post("help/", {"kind": "stuck", "words": typed("question")})
    hour.post("go-on/")
    for n in range(1, 6):
        of_text = hour.attempt(n).place.instance.answer_type == "text"
        if of_text:
            hour.answer(n, typed("answer"))
        else:
            hour.post(f"work/{n}/answer/", {"act": "skip", "reason": "too_long"})
        hour.after(n)


def _a_case(hour: Hour) -> str:
    from study.sandbox.opened import snapshot_of

    return str(next(iter(snapshot_of(hour.visit.org).records("Case")))["Id"])


def _rate_and_close(hour: Hour) -> None:
    hour.get("ratings/", follow=True)
    hour.rate("Org", "4", right=typed("praise"), off=typed("doubt"))
    for api in hour.visit.object_order:
        hour.get(f"ratings/{api}/")
        hour.look(api)
        hour.rate(api, "2", right=typed("praise"), off=typed("rationale"), tags=["values"])
    hour.lock()
    hour.close(trouble=typed("trouble"))
    hour.finish()


def _staff_notes(hour: Hour, cohort, ada) -> None:
    from study.accounts.encrypted import keyed_hash
    from study.accounts.models import Job
    from study.fieldwork.models import HelpRequest, Mark
    from study.people import models as people

    one, panel = hour.participant, f"PANEL-{MARK}-77"
    of_panel = keyed_hash("panel", panel)
    people.Contact.objects.filter(participant=one).update(
        name=f"Robin {MARK}", phone=f"+47 {MARK}", notes=typed("staff note"), panel_id=panel, panel_hash=of_panel
    )
    HelpRequest.objects.filter(visit__participant=one).update(reply=typed("reply"), replied_by=ada)
    Mark.objects.create(attempt=hour.attempt(1), marker=ada, verdict="wrong", note=typed("mark"), key_version=1)
    rows = [{"row": 1, "email": ADDRESS, "name": MARK}, {"row": 2, "email": "other@example.test", "name": "Else"}]
    packed = base64.b64encode(f"email\n{ADDRESS}\n".encode()).decode()
    people.Import.objects.create(cohort=cohort, file_name=f"{MARK}@example.test.csv", rows=rows, content=packed)
    people.PanelArrival.objects.create(
        cohort=cohort, participant=one, parameters={"PROLIFIC_PID": panel}, panel_hash=of_panel
    )
    file = people.PanelFile.objects.create(cohort=cohort, file_name="panel.csv", sha256="0" * 64)
    people.PanelRow.objects.create(
        cohort=cohort, file=file, panel_id=panel, panel_hash=of_panel, status="APPROVED", settled=typed("settled")
    )
    paid = people.Payment.objects.create(
        participant=one, reason="extra-1", amount=100, currency="EUR", state="paid", note=MARK, reference=MARK
    )
    people.PaymentEvent.objects.create(payment=paid, what="owed", note=typed("pay note"))
    people.StageEvent.objects.create(participant=one, stage=one.stage, reason=typed("reason"))
    people.Letter.objects.create(participant=one, kind="reminder", wave=8, detail={"text": MARK}, error=MARK)
    Job.objects.create(kind="x", study=cohort.study, state="done", params={"to": ADDRESS}, error=f"refused {ADDRESS}")


def _export(study, ada) -> Path:
    from study.accounts.flows import unblind
    from study.fieldwork.models import Attempt, ClosingAnswer, Note, Rationale
    from study.results.exporting import make_export
    from study.results.models import StoredResult, TextMask

    unblind(study, by=ada, reason="Everybody has finished.")
    study.refresh_from_db()
    StoredResult.objects.create(study=study, fingerprint="f" * 64, results={"quotes": [typed("quote")]})
    texts = {"rationale": Rationale, "note": Note, "answer.0": Attempt, "closing.0": ClosingAnswer}
    for source, model in texts.items():
        TextMask.objects.create(study=study, source=source, row=model.objects.first().pk, start=0, end=3)
    return Path(settings.REALIA_VAR) / make_export(study, by=ada).file


# Where the mark stands


def in_tables(mark: str = MARK) -> dict[str, int]:
    """Rows of every table, as the program reads them, that say it."""
    found = {}
    for model in apps.get_models(include_auto_created=True):
        rows = [repr(row) for row in model._default_manager.values_list()]
        if n := sum(mark in row.lower() for row in rows):
            found[model._meta.label] = n
    from django.contrib.sessions.models import Session

    from study.accounts.sealed_sessions import SessionStore

    if n := sum(mark in str(SessionStore().decode(row.session_data)) for row in Session.objects.all()):
        found["what sessions hold"] = n
    return found


def in_files(mark: str = MARK) -> dict[str, int]:
    """Files of the data folder that hold it: the database with its log, letters, ledgers; exports unpacked."""
    import zipfile

    from study.accounts.erasing_traces import said_in

    found = {}
    for path in sorted(Path(settings.REALIA_VAR).rglob("*")):
        if not path.is_file():
            continue
        content = path.read_bytes()
        if zipfile.is_zipfile(path):
            archive = zipfile.ZipFile(path)
            content = b"".join(archive.read(name) for name in archive.namelist())
        elif path.parent.name == "mail":
            content += said_in(content.decode("utf-8", "replace")).encode()
        if n := content.lower().count(mark.encode()):
            found[path.name] = n
    return found


def database_file() -> set[str]:
    """The name of the database's file, where it is one."""
    return {Path(connection.settings_dict["NAME"]).name} if connection.vendor == "sqlite" else set()
