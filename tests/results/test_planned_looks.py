"""M13 while a study runs: looks are taken once, at the planned numbers, and say one of two words."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from analysis.planning.stopping import rule_of
from study.accounts import jobs
from study.accounts.adapter import user_with_address
from study.accounts.flows import add_member, unblind
from study.accounts.models import AuditRow, Job, Role
from study.assignment.models import Visit
from study.fieldwork.models import Clock, Rating, RatingKind
from study.people.models import End, Participant, Stage
from study.people.protocol import newest_frozen
from study.protocols.library import builtin_text
from study.protocols.reading import parse
from study.results import looks
from study.results.models import PlannedLook

pytestmark = pytest.mark.django_db
RULES = {
    "precision": "{rule: precision, first_look: 15, every: 5, half_width: 0.1}",
    "confidence_sequence": "{rule: confidence_sequence, first_look: 4, every: 3, half_width: 0.2}",
    "alpha_spending": "{rule: alpha_spending, looks: 3, spending: pocock, against: 0.5}",
    "fixed": "{rule: fixed}",
}


def people(cohort, org, n, *, alike=True, first=0, **facts):
    """n people who went through the hour and locked, a minute apart, in the database only."""
    protocol = newest_frozen(cohort.study_id)
    rate = parse(protocol.text).arms[0].rate
    start = timezone.now() - timedelta(days=1)
    made = Participant.objects.bulk_create(
        Participant(study=cohort.study, cohort=cohort, code=f"P-{number:04d}", stage=Stage.DONE, end=End.COMPLETE,
                    joined_at=start, analysed=True, arm="main", **facts)
        for number in range(first, first + n)
    )  # fmt: skip
    visits = Visit.objects.bulk_create(
        Visit(participant=one, arm="main", org=org, protocol=protocol, seed=number, object_order=list(rate),
              begun_at=start, work_started_at=start, work_ended_at=start + timedelta(minutes=number),
              locked_at=start + timedelta(minutes=number), done_at=start + timedelta(minutes=number))
        for number, one in enumerate(made, start=first)
    )  # fmt: skip
    Clock.objects.bulk_create(Clock(visit=visit, part="work", active_seconds=1800) for visit in visits)
    Rating.objects.bulk_create(
        Rating(visit=visit, kind=RatingKind.OBJECT if position else RatingKind.ORG, target=target, position=position,
               final=score(visit.seed, position, alike), locked_at=visit.locked_at)
        for visit in visits
        for position, target in enumerate(("Org", *rate))
    )  # fmt: skip


def score(number, position, alike):
    """Nearly all agree, or every second person refuses everything; the Org as a whole is realistic to all."""
    if not position:
        return "4"
    return ("2" if (number + position) % 10 == 0 else "4") if alike else ("4" if number % 2 else "1")


def tick(capture):
    """What every minute begins, and what that begins."""
    assert "planned looks" in jobs.every_tick()
    with capture(execute=True):
        jobs.enqueue("planned looks")


def page(browser, study):
    return browser.get(f"/studies/{study.code}/monitor/").content.decode()


def said(text):
    """The section of looks as one line of words."""
    section = text[text.index('id="looks"') : text.index("</section>", text.index('id="looks"'))]
    return " ".join(re.sub(r"<[^>]+>", " ", section).split())


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_the_study_plans_the_looks_that_the_analysis_takes(rule):
    text = re.sub(r"  stopping:\n(?:    .*\n)+", f"  stopping: {rule}\n", builtin_text("realia-hour"))
    analysis = parse(text).analysis
    assert analysis.looks == rule_of(analysis.model_dump()).planned


def test_a_look_is_taken_once_at_its_number(study, cohort, org, desk_of_ada, django_capture_on_commit_callbacks):
    capture = django_capture_on_commit_callbacks
    people(cohort, org, 14)
    tick(capture)
    assert not PlannedLook.objects.exists(), "one too few"
    assert "none yet – at 15 raters" in said(page(desk_of_ada, study))
    people(cohort, org, 2, first=14)
    tick(capture)
    (row,) = PlannedLook.objects.all()
    assert (row.arm, row.raters, row.analysed, row.enough) == ("main", 15, 16, True)
    (audited,) = AuditRow.objects.filter(act="look.taken")
    assert (audited.actor_label, audited.target) == ("system", "main")
    assert audited.detail == {"raters": 15, "analysed": 16, "result": "enough"}
    people(cohort, org, 9, first=16)
    tick(capture)
    assert PlannedLook.objects.count() == 1, "after enough nobody looks again"
    assert "Enough for main. Joining this arm may be closed. Whoever has begun" in said(page(desk_of_ada, study))


def test_the_monitor_tells_a_word_and_no_number_from_the_ratings(
    study, cohort, org, desk_of_ada, django_capture_on_commit_callbacks
):
    """M13: at n = 20 a half-width alone would tell the approval; the page, the job and the log hold none."""
    people(cohort, org, 21, alike=False)
    tick(django_capture_on_commit_callbacks)
    rows = list(PlannedLook.objects.values_list("raters", "enough"))
    assert rows == [(15, False), (20, False)]
    words = said(page(desk_of_ada, study))
    assert "at 20 raters" in words
    assert "not yet at 25 raters" in words
    assert re.findall(r"0?\.\d+|\d+ ?%|±", words) == []
    told = [str(job.result) + job.note + str(job.params) for job in Job.objects.all()]
    told += [str(row.detail) for row in AuditRow.objects.filter(act="look.taken")]
    assert not [one for one in told if re.search(r"\d\.\d", one) or "width" in one]


def test_asking_by_the_page_takes_the_look_too(study, cohort, org, desk_of_ada, django_capture_on_commit_callbacks):
    people(cohort, org, 15)
    with django_capture_on_commit_callbacks(execute=True):
        page(desk_of_ada, study)
    assert PlannedLook.objects.get().raters == 15
    assert Job.objects.filter(kind=looks.KIND).count() == 1
    with django_capture_on_commit_callbacks(execute=True):
        page(desk_of_ada, study)
    assert Job.objects.filter(kind=looks.KIND).count() == 1


def test_pages_ask_for_no_statistics(study, cohort, org, desk_of_ada, monkeypatch):
    """A request counts and enqueues; the ratings are read by the worker."""
    people(cohort, org, 15)
    monkeypatch.setattr(looks, "write_study", lambda *_a, **_k: pytest.fail("a page read the ratings"))
    assert "at 15 raters" in said(page(desk_of_ada, study))


def test_a_look_that_says_the_same_is_not_begun_again(study, cohort, org, django_capture_on_commit_callbacks):
    """People whom the bundle does not analyse make no look, and no job every minute either."""
    people(cohort, org, 15)
    Clock.objects.update(active_seconds=0)
    tick(django_capture_on_commit_callbacks)
    tick(django_capture_on_commit_callbacks)
    assert not PlannedLook.objects.exists()
    assert Job.objects.filter(kind=looks.KIND).count() == 1


@pytest.mark.parametrize(
    "facts", [{"preview": True}, {"pilot": True}, {"data_choice": "take_out"}, {"excluded_at": timezone.now()}]
)
def test_who_does_not_count_makes_no_look(facts, study, cohort, org, django_capture_on_commit_callbacks):
    people(cohort, org, 14)
    people(cohort, org, 3, first=14, **facts)
    tick(django_capture_on_commit_callbacks)
    assert not PlannedLook.objects.exists()


def test_open_ratings_are_looked_at_by_everybody_and_by_no_rule(
    study, cohort, org, ada, desk_of_ada, django_capture_on_commit_callbacks
):
    people(cohort, org, 15)
    unblind(study, by=ada, reason="the stopping rule is met")
    tick(django_capture_on_commit_callbacks)
    assert not PlannedLook.objects.exists()
    assert "none: the ratings are open" in said(page(desk_of_ada, study))
    with django_capture_on_commit_callbacks(execute=True):
        job = jobs.enqueue(looks.KIND, study=study, by=ada)
    assert Job.objects.get(pk=job.pk).state == "failed"


def test_places_that_end_before_the_next_look_are_told(study, cohort, org, desk_of_ada):
    """The cohort takes ten people and the first look needs fifteen."""
    assert cohort.target == 10
    assert "take 10 people for main, and its next look needs 15" in said(page(desk_of_ada, study))
    cohort.target = 40
    cohort.save()
    assert "they will be full" not in said(page(desk_of_ada, study))


def test_a_study_with_a_fixed_number_has_no_looks(study, cohort, org, desk_of_ada, monkeypatch):
    file = parse(re.sub(r"  stopping:\n(?:    .*\n)+", "  stopping: {rule: fixed}\n", builtin_text("realia-hour")))
    monkeypatch.setattr(looks, "file_of", lambda _protocol: file)
    people(cohort, org, 15)
    assert looks.looks_of(study) == []
    assert looks.ask(study, by=None) is None
    assert 'id="looks"' not in page(desk_of_ada, study)


def test_looks_are_for_those_who_may_see_the_monitor(study, cohort, ben):
    """Researchers and viewers read the word; Ben and strangers reach nothing."""
    for name, role, status in (("v", Role.VIEWER, 200), ("c", Role.COORDINATOR, 403)):
        user = user_with_address(f"{name}@example.test")
        add_member(study, user, role, by=None)
        browser = Client()
        browser.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        assert browser.get(f"/studies/{study.code}/monitor/").status_code == status
    browser = Client()
    browser.force_login(ben, backend="django.contrib.auth.backends.ModelBackend")
    assert browser.get(f"/studies/{study.code}/monitor/").status_code == 404


def test_a_coordinator_is_told_that_joining_may_be_closed(study, cohort, org):
    """The word reaches who acts on it: once every arm of an open cohort has enough, and without a number."""
    from study.people.models import CohortState
    from study.people.needs_me import needs

    def told():
        return [need for need in needs(study) if need.kind == "enough"]

    cohort.arms, cohort.state = ["main", "other"], CohortState.OPEN
    cohort.save(update_fields=["arms", "state"])
    facts = {"study": study, "raters": 15, "analysed": 15, "protocol_number": 1}
    PlannedLook.objects.create(arm="main", enough=True, **facts)
    PlannedLook.objects.create(arm="other", enough=False, **facts)
    assert told() == []
    PlannedLook.objects.create(arm="other", enough=True, **facts | {"raters": 20})
    (need,) = told()
    assert cohort.code in need.url
    assert not re.search(r"\d", need.text + need.detail)
    cohort.state = CohortState.CLOSED
    cohort.save(update_fields=["state"])
    assert told() == []
