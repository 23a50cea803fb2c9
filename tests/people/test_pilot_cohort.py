"""A pilot's people go through everything and are counted nowhere (M14)."""

import json

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.test import Client

from study.accounts.flows import unblind
from study.assignment import exposure
from study.assignment.models import AssignmentEvent
from study.people import flows
from study.people.models import Participant
from study.people.sample.cohorts import change_cohort, create_cohort
from study.results.flow import gone_quiet, participant_flow, quality
from study.results.frames import frames
from tests.fieldwork.hour import Hour, make_cohort, make_small_org


def change(cohort, **more):
    kept = {"name": cohort.name, "target": cohort.target, "contact_email": "n@example.test", "channel": ""}
    return change_cohort(cohort, **kept, open_link=False, by=None, **more)


def test_pilot_people_are_seen_by_no_figure(study, db, ada, ben, client, tmp_path):
    """Monitor, results, exposure, bundle and log know nobody of them; the coordinator's board does."""
    cohort = make_cohort(study, make_small_org())
    change(cohort, pilot=True)
    cohort.refresh_from_db()
    hour = Hour.begin(cohort, ben, client)
    hour.orient()
    hour.work()
    hour.rate_all()
    hour.lock()
    assert hour.participant.pilot
    assert [step.n for step in participant_flow(study)] == [0] * 7
    found = quality(study)
    assert (found.raters, found.outcomes, found.cards, found.minutes_median) == (0, {}, 0, None)
    assert gone_quiet(study) == []
    assert exposure.task_counts(study, "main") == {}
    assert exposure.instance_counts(study, hour.visit.org) == {}
    assert not AssignmentEvent.objects.exists()
    unblind(study, by=ada, reason="Only the pilot has taken part.")
    study.refresh_from_db()
    rows = {name: len(table) for name, table in frames(study, blind=False).tables.items()}
    assert set(rows.values()) == {0}, rows
    call_command("export_bundle", study.code, out=tmp_path / "bundle")
    assert hour.code not in "".join(path.read_text() for path in (tmp_path / "bundle").rglob("*.*"))
    browser = Client()
    browser.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    board = browser.get("/studies/spring/cohorts/").content.decode()
    assert "its people never count" in board
    assert "0 of 0 completed" in board
    assert hour.code in browser.get("/studies/spring/cohorts/north/").content.decode()
    assert json.dumps(hour.code)[1:-1] not in browser.get("/studies/spring/monitor/").content.decode()


def test_whether_people_count_is_settled_when_the_first_joins(cohort):
    from study.people.ways.invitations import invite

    (invited,) = invite(cohort, "ben@example.test", by=None)
    change(cohort, pilot=True)
    invited.refresh_from_db()
    assert invited.pilot
    change(cohort, pilot=False)
    cohort.refresh_from_db()
    flows.new_participant(cohort, stage="joined", joined_at=cohort.created_at)
    with pytest.raises(ValidationError, match="has joined"):
        change(cohort, pilot=True)
    assert not Participant.objects.filter(pilot=True).exists()


def test_the_form_takes_one_arm_or_several(study, db, ada):
    from tests.fieldwork.arms import protocol_with, single
    from tests.people.walk import freeze

    freeze(study, protocol_with(single("plain") + single("other")))
    browser = Client()
    browser.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    page = browser.get("/studies/spring/cohorts/new/").content.decode()
    assert page.count('type="checkbox" name="arm"') == 2
    assert "checked" not in page
    form = {"code": "all", "name": "All", "target": "9", "contact_email": "n@example.test"}
    assert browser.post("/studies/spring/cohorts/new/", form).status_code == 422
    sent = browser.post("/studies/spring/cohorts/new/", form | {"arm": ["other", "plain"], "pilot": "1"})
    assert sent.status_code == 302
    row = study.cohorts.get(code="all")
    assert (row.arms, row.arm_codes, row.pilot) == (["plain", "other"], ("plain", "other"), True)
    one = create_cohort(study, code="one", name="", arms=["other"], target=3, by=None)
    assert (one.arm, one.arms, one.arm_codes) == ("other", [], ("other",))
    with pytest.raises(ValidationError, match="no arm"):
        create_cohort(study, code="none", name="", arms=["plain", "third"], target=3, by=None)


def test_the_command_opens_a_cohort_of_several_arms(study, db, capsys):
    from tests.fieldwork.arms import protocol_with, single
    from tests.people.walk import freeze, make_org

    make_org()
    freeze(study, protocol_with(single("plain") + single("other")))
    arguments = ["cohort_open", "spring", "try", "--create", "--contact", "n@example.test"]
    call_command(*arguments, "--arms", "plain,other", "--pilot")
    row = study.cohorts.get(code="try")
    assert (row.state, row.arm_codes, row.pilot) == ("open", ("plain", "other"), True)
