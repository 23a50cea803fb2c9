"""Setting a study up in five steps, and making one from another."""

from __future__ import annotations

from datetime import time

import pytest
from django.urls import reverse

from study.accounts.adapter import user_with_address
from study.accounts.flows import add_member, create_study
from study.accounts.models import AuditRow, Role, Study
from study.assignment.overview import overview
from study.people import flows
from study.people.models import End, LetterTemplate, Participant, PayChange, QuotaCell, ReminderWave
from study.people.pay import pay_rules
from study.people.pay.pay_money import Money
from study.people.sample.cohorts import create_cohort
from tests.people.walk import freeze, make_org

BACKEND = "django.contrib.auth.backends.ModelBackend"


def done(study) -> list[str]:
    return [step.key for step in overview(study).steps if step.done]


def test_the_steps_tick_themselves_by_what_is_there(study, ada, client) -> None:
    """Nothing of the way is stored, so it can be left and gone on with from anywhere."""
    from study.assignment.flows import begin_visit

    client.force_login(ada, backend=BACKEND)
    url = reverse("wizard", args=[study.code])
    assert (done(study), overview(study).next.key) == ([], "protocol")
    page = client.get(url).content.decode()
    assert ("built-in:realia-hour" in page, page.count('class="btn"')) == (True, 1)
    choose = reverse("wizard_protocol", args=[study.code])
    for source in ("", "built-in:nothing", "study:other"):
        assert "Choose a protocol" in client.post(choose, {"source": source}, follow=True).content.decode()
    for _ in range(2):
        client.post(choose, {"source": "built-in:realia-hour"})
    assert study.protocols.count() == 1
    assert "Check and freeze it" in client.get(url).content.decode()
    freeze(study)
    assert done(study) == ["protocol"]
    assert "is not loaded" in client.get(url).content.decode()
    make_org()
    assert done(study) == ["protocol", "org"]
    cohort = create_cohort(study, code="north", name="Panel North", arm="main", target=10, by=None)
    assert "Complete Panel North" in client.get(url).content.decode()
    cohort.contact_email = "noor@example.test"
    cohort.save()
    assert done(study) == ["protocol", "org", "cohort"]
    assert "Walk through the hour" in client.get(url).content.decode()
    # A walk that stops halfway is none; one that came through is, even once it is deleted.
    for end in (End.WITHDRAWN, End.COMPLETE):
        walk = flows.preview_participant(cohort, ada)
        begin_visit(walk)
        flows.end(walk, end)
    assert done(study) == ["protocol", "org", "cohort", "test"]
    assert client.post(reverse("cohort_open", args=[study.code, "north"])).status_code == 302
    assert overview(study).ready
    assert "Everything is there" in client.get(url).content.decode()
    viewer = user_with_address("viewer@example.test")
    add_member(study, viewer, Role.VIEWER, by=None)
    client.force_login(viewer, backend=BACKEND)
    assert client.get(url).content.decode().count("<form") == 1  # only signing out


def test_a_copy_has_the_study_and_nobody_in_it(study, ada, org, client) -> None:
    """People, links, codes, tokens and seeds stay behind."""
    from study.assignment.flows import open_cohort
    from study.sandbox.models import StudyOrg

    freeze(study)
    StudyOrg.objects.create(org=org, study=study)
    Study.objects.filter(pk=study.pk).update(pay_four_eyes=True)
    cohort = create_cohort(study, code="north", name="Panel North", arm="main", target=10,
                           contact_email="noor@example.test", open_link=True, by=None)  # fmt: skip
    panel = {"kind": "prolific", "id": "PROLIFIC_PID", "codes": {"complete": "C0DE"}, "returns": {"full": "https://a"}}
    cohort.panel, cohort.quota_axes, cohort.zone = panel, [{"item": "S3", "groups": []}], "Europe/Oslo"
    cohort.save()
    QuotaCell.objects.create(cohort=cohort, code="y3_5", target=4)
    ReminderWave.objects.create(cohort=cohort, number=1, to="invited", after_days=2, at_time=time(9))
    pay_rules.set_rules(cohort, {"complete": Money(7500, "EUR")}, by=ada)
    pay_rules.set_rules(cohort, {"complete": Money(8000, "EUR")}, by=ada)
    LetterTemplate.objects.create(study=study, kind="invitation", language="en", subject="Hello", text="Come")
    open_cohort(cohort, by=None)
    flows.new_participant(cohort)
    client.force_login(ada, backend=BACKEND)
    url = reverse("study_duplicate", args=[study.code])
    for code in ("", "spring", "a b"):
        assert client.post(url, {"code": code, "name": "Again"}).status_code == 422
    assert client.post(url, {"code": "autumn", "name": "Autumn study"}).status_code == 302
    made = Study.objects.get(code="autumn")
    copy = made.cohorts.get()
    assert (made.copied_from, made.pay_four_eyes, made.memberships.get().user) == ("spring", True, ada)
    draft = made.protocols.get()
    assert (draft.text, draft.state) == (study.protocols.get().text, "draft")
    assert (copy.code, copy.target, copy.zone, copy.quota_axes) == ("north", 10, "Europe/Oslo", cohort.quota_axes)
    assert copy.panel == {"kind": "prolific", "id": "PROLIFIC_PID"}
    assert (copy.open_link, copy.state, copy.protocol_number, copy.opened_at) == ("", "draft", None, None)
    assert (copy.cells.get().target, copy.waves.get().at_time, copy.pay_rules.get().amount) == (4, time(9), 8000)
    assert PayChange.objects.filter(cohort=copy).count() == 1  # what is promised there begins anew
    assert (made.letter_templates.get().text, StudyOrg.objects.filter(study=made).count()) == ("Come", 1)
    assert not Participant.objects.filter(study=made).exists()
    assert not hasattr(copy, "allocation_seed")
    assert AuditRow.objects.get(act="study.duplicated").detail == {"copied_from": "spring"}


@pytest.mark.django_db
def test_a_protocol_is_taken_only_from_studies_one_is_in(study, ada) -> None:
    from django.core.exceptions import ValidationError

    from study.assignment.wizard import sources, take_protocol

    freeze(study)
    mine = create_study(code="mine", name="Mine", owner=ada)
    theirs = create_study(code="theirs", name="Theirs", owner=user_with_address("cleo@example.test"))
    assert [one.value for one in sources(mine, ada)][-1] == "study:spring"
    assert take_protocol(mine, "study:spring", by=ada).text == study.protocols.get().text
    with pytest.raises(ValidationError):
        take_protocol(theirs, "study:spring", by=theirs.memberships.get().user)
