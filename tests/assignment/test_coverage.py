"""Who was given what, what is owed, which objects the questions lead to; and benching what people leave at."""

from collections import Counter
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from study.accounts.models import AuditRow
from study.assignment import benching, exposure, flows
from study.assignment.coverage import coverage
from study.assignment.models import AssignmentEvent, Place, Visit
from study.people import flows as people
from study.people.models import End
from study.people.protocol import file_of, protocol_of
from tests.assignment.test_assignment_replay import replay
from tests.assignment.test_visits import begin
from tests.people.walk import freeze, make_org

pytestmark = pytest.mark.django_db
HEADLINE = "needed by fewer than half of the people"


def leave_at(cohort, position, *, opened=True, **more):
    """Somebody completes the questions before ``position`` and leaves at that one."""
    one, visit = begin(cohort, **more)
    if opened:
        Visit.objects.filter(pk=visit.pk).update(work_started_at=timezone.now())
    for place in visit.places.filter(position__lt=position):
        flows.complete_place(place)
    people.end(one, End.WITHDRAWN)
    return visit.places.get(position=position).instance


@pytest.fixture
def scarce(study, ada):
    """One question of each kind, so that everybody meets the same ones."""
    from study.people.sample.cohorts import create_cohort

    make_org(per_task=1)
    freeze(study)
    row = create_cohort(study, code="c", name="", arm="main", target=90, contact_email="n@example.test", by=None)
    flows.open_cohort(row, by=None)
    return row


def test_where_people_left_is_counted(scarce):
    """The open question, not the later ones; nobody who never began, completed, or is of the pilot or a preview."""
    left = Counter(leave_at(scarce, position).pk for position in (1, 3, 3, 5))
    leave_at(scarce, 1, opened=False)
    leave_at(scarce, 2, preview=True)
    scarce.pilot = True
    leave_at(scarce, 2)
    scarce.pilot = False
    one, _visit = begin(scarce)
    people.end(one, End.COMPLETE)
    assert benching.left_at(scarce.study) == left


def test_three_people_who_left_put_a_question_before_the_researcher(scarce, ada, client):
    """It is reported, benched with a reason, given to nobody any more, taken back, all of it in the log and audited."""
    study, left = scarce.study, 0
    while left < 3:
        one, visit = begin(scarce)
        Visit.objects.filter(pk=visit.pk).update(work_started_at=timezone.now())
        place = visit.places.filter(task="knowledge_qa").first()
        for before in visit.places.filter(position__lt=place.position if place else 9):
            flows.complete_place(before)
        left += place is not None
        people.end(one, End.WITHDRAWN)
    (row,) = benching.reported(study, 3)
    assert (row.left, row.benched) == (3, False)
    client.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    page = client.get(reverse("coverage", args=[study.code])).content.decode()
    assert "3 people left here." in page
    url = reverse("instance_bench", args=[study.code, row.instance.pk])
    refused = client.post(url, {"reason": "  "})
    assert (refused.status_code, "Say why" in refused.content.decode()) == (422, True)
    assert exposure.benched(study) == set()
    for _ in range(2):
        assert client.post(url, {"reason": "Its wording is wrong."}).status_code == 302
    assert exposure.benched(study) == {row.instance.pk}
    assert row.instance.pk not in exposure.pool_of(
        file_of(protocol_of(scarce)).tasks, row.instance.org, study
    ).instances.get(row.instance.task, ())
    for _ in range(4):
        begin(scarce)
    assert not Place.objects.filter(instance=row.instance, state="active").exists()
    assert "Its wording is wrong." in client.get(reverse("coverage", args=[study.code])).content.decode()
    client.post(
        reverse("instance_unbench", args=[study.code, row.instance.pk]), {"reason": "The wording is corrected."}
    )
    for _ in range(4):
        begin(scarce)
    assert Place.objects.filter(instance=row.instance, state="active").exists()
    events = AssignmentEvent.objects.filter(event__in=["benched", "unbenched"])
    assert [(e.event, e.visit, e.detail["reason"]) for e in events.order_by("sequence")] == [
        ("benched", None, "Its wording is wrong."),
        ("unbenched", None, "The wording is corrected."),
    ]
    assert AuditRow.objects.filter(act="instance.benched", actor=ada, study=study).count() == 1
    assert replay(study)[-1] == "identical"


def test_a_question_of_another_org_cannot_be_benched(scarce, ada, client):
    other = make_org("other", hash_="ef" * 32)
    client.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    url = reverse("instance_bench", args=[scarce.study.code, other.instances.first().pk])
    assert client.post(url, {"reason": "no"}).status_code == 404


def test_the_matrix_adds_up(cohort):
    """Every place is one cell; exposures, what is missing to balance and what came back are those of the rows."""
    for _ in range(4):
        begin(cohort)
    back = leave_at(cohort, 2)
    (part,) = coverage(cohort.study, file_of(protocol_of(cohort)))
    cells = [
        (part.visits[n].pk, cell.position, cell.state)
        for stratum in part.strata
        for task in stratum.tasks
        for row in task.instances
        for n, cell in enumerate(row.cells)
        if cell
    ]
    assert sorted(cells) == sorted(Place.objects.values_list("visit_id", "position", "state"))
    counts = exposure.task_counts(cohort.study, "main")
    for stratum, named in zip(part.strata, file_of(protocol_of(cohort)).tasks.strata, strict=True):
        per = [counts.get(task, 0) for task in named.tasks]
        assert (stratum.least, stratum.most, stratum.missing) == (min(per), max(per), sum(max(per) - n for n in per))
        assert [task.exposed for task in stratum.tasks] == per
        for task in stratum.tasks:
            assert task.waiting == 3 - len(task.instances)
            assert sum(row.exposed for row in task.instances) == task.exposed
    assert sum(task.owed for stratum in part.strata for task in stratum.tasks) == 4
    assert back.key in {row.key for stratum in part.strata for task in stratum.tasks for row in task.instances}


def test_before_anybody_the_page_says_what_the_questions_lead_to(study, ada, client, org):
    """M3: for a draft, by drawing it; objects below half are named so, and a lack of Orgs or questions too."""
    from study.protocols.flows import import_protocol
    from study.protocols.library import builtin_text

    client.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    url = reverse("coverage", args=[study.code])
    assert "No protocol yet" in client.get(url).content.decode()
    import_protocol(study, builtin_text("realia-hour"), None)
    page = client.get(url).content.decode()
    assert f"2 of 8 rated objects are {HEADLINE}" in page
    assert "Nobody has been given questions yet" in page
    (part,) = coverage(study, file_of(study.protocols.get()))
    assert {need.api for need in part.short} == {"EmailMessage", "LiveChatTranscript"}
    assert {need.percent for need in part.objects if need.api in ("Case", "EmailMessage")} == {100, 0}
    assert next(need.percent for need in part.objects if need.api == "Contact") == pytest.approx(64, abs=2)
    # Said where a protocol is frozen, once per arm, and by the commands; it keeps nobody from freezing.
    said = "below one half: E-mails 0 %, Chat transcripts 0 %."
    page = client.get(reverse("protocol_freeze", args=[study.code])).content.decode()
    assert page.count(said) == 1
    assert "Freeze it" in page
    for command in ("protocol_check", "protocol_freeze"):
        out = StringIO()
        call_command(command, study.code, stdout=out)
        assert (
            f"warning: arms[0].rate: Expected share of people whose questions need what they rate, {said}"
            in out.getvalue()
        )
    org.instances.all().delete()
    assert "The protocol cannot be drawn from these Orgs" in client.get(url).content.decode()


def test_the_page_keeps_its_queries_few(cohort, ada, client, django_assert_max_num_queries):
    for _ in range(6):
        begin(cohort)
    client.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    with django_assert_max_num_queries(30):
        client.get(reverse("coverage", args=[cohort.study.code]))
