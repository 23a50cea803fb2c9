"""What researchers see: while blind only counts; afterwards estimates, words and files."""

from __future__ import annotations

import io
import zipfile
from itertools import pairwise

import pytest
from django.test import Client

from study.accounts.flows import add_member
from study.accounts.models import AuditRow, Job
from study.fieldwork.models import Rationale
from study.results.flow import participant_flow, quality
from study.results.models import Export, StoredResult

pytestmark = pytest.mark.django_db
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def text(answer) -> str:
    return answer.content.decode()


def test_while_blind_no_page_tells_a_rating(study, finished, desk_of_ada):
    """M13: participant flow and quality, no rating, rationale, estimate or width."""
    for page in ("monitor", "results", "rationales", "export"):
        answer = desk_of_ada.get(f"/studies/{study.code}/{page}/")
        assert answer.status_code == 200
        for word in ("totals add up", "Wilson", "approval", "11.1", "Very Realistic"):
            assert word not in text(answer), (page, word)
    assert not StoredResult.objects.exists()
    assert desk_of_ada.post(f"/studies/{study.code}/results/compute/").status_code == 302
    assert not StoredResult.objects.exists()


def test_results_come_from_the_very_bundle(opened, finished, desk_of_ada, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        desk_of_ada.get(f"/studies/{opened.code}/results/")
    page = desk_of_ada.get(f"/studies/{opened.code}/results/")
    assert "Approval by object" in text(page)
    assert "Too few" in text(page)  # one rater: counts, never a percentage (P-30)
    stored = StoredResult.objects.get()
    assert stored.results["results"]["bundle"] == stored.fingerprint
    csv_file = desk_of_ada.get(f"/studies/{opened.code}/results/objects.csv")
    assert text(csv_file).splitlines()[0].startswith("arm,object,label,n1,n2,n3,n4,n5")
    svg = desk_of_ada.get(f"/studies/{opened.code}/results/approval-main-light-1132.svg")
    assert svg.headers["Content-Type"] == "image/svg+xml"
    assert desk_of_ada.get(f"/studies/{opened.code}/results/nothing.csv").status_code == 404
    assert desk_of_ada.get(f"/studies/{opened.code}/results/nothing.svg").status_code == 404
    before = Job.objects.count()
    desk_of_ada.get(f"/studies/{opened.code}/results/")
    assert Job.objects.count() == before, "unchanged data are not computed again"


def test_a_results_page_makes_few_queries(opened, finished, desk_of_ada, django_assert_max_num_queries):
    from study.results.stored import compute

    compute(opened)
    # The first page of a session also notes that it began.
    desk_of_ada.get(f"/studies/{opened.code}/results/")
    with django_assert_max_num_queries(12):
        desk_of_ada.get(f"/studies/{opened.code}/results/")


@pytest.mark.parametrize("path", ["monitor", "results", "rationales", "export"])
def test_an_empty_study_opens_every_page(study, ada, desk_of_ada, path, django_capture_on_commit_callbacks):
    """P-30: no data, no crash."""
    from study.accounts.flows import unblind

    assert desk_of_ada.get(f"/studies/{study.code}/{path}/").status_code == 200
    unblind(study, by=ada, reason="Nobody came.")
    with django_capture_on_commit_callbacks(execute=True):
        assert desk_of_ada.get(f"/studies/{study.code}/{path}/").status_code == 200
    assert desk_of_ada.get(f"/studies/{study.code}/{path}/").status_code == 200


def test_markup_in_a_rationale_is_words(opened, finished, desk_of_ada):
    """P-17: what was typed is shown as typed, and nothing of it runs."""
    Rationale.objects.filter(side="right").update(text=SCRIPT)
    page = text(desk_of_ada.get(f"/studies/{opened.code}/rationales/"))
    assert SCRIPT not in page
    assert "&lt;script&gt;alert(1)" in page
    assert 'dir="auto"' in page


def test_rationales_are_found_by_object_score_and_word(opened, finished, desk_of_ada):
    base = f"/studies/{opened.code}/rationales/"
    assert text(desk_of_ada.get(base)).count("<article") == 9
    assert text(desk_of_ada.get(base, {"target": "Case"})).count("<article") == 1
    assert text(desk_of_ada.get(base, {"score": "2", "words": "REPEAT"})).count("<article") == 8
    assert "No words fit" in text(desk_of_ada.get(base, {"target": "'; drop table", "page": "9999"}))


def test_an_export_is_a_file_behind_its_door(
    opened, finished, desk_of_ada, ben, cleo, django_capture_on_commit_callbacks
):
    """P-40: made by a job, bound to a row, written to the audit log with its rows, closed to everybody else."""
    with django_capture_on_commit_callbacks(execute=True):
        desk_of_ada.post(f"/studies/{opened.code}/export/make/")
    export = Export.objects.get()
    url = f"/studies/{opened.code}/export/{export.pk}/"
    answer = desk_of_ada.get(url)
    names = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))).namelist()
    assert {"datapackage.json", "ratings.csv", "checksums.txt"} <= set(names)
    assert AuditRow.objects.filter(act="bundle.exported", detail__rows__ratings=9).exists()
    assert AuditRow.objects.filter(act="bundle.downloaded").exists()
    for person, expected in ((cleo, 404), (ben, 403)):
        if person is ben:
            add_member(opened, ben, "coordinator", by=None)
        other = Client()
        other.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
        assert other.get(url).status_code == expected
    assert Client().get(url).status_code == 302


def test_the_flow_adds_up(study, finished, cohort, cleo):
    """Everybody invited is at the next step, here, or lost with a reason."""
    from study.people import flows as people
    from study.people.models import End, Stage

    people.end(people.new_participant(cohort, user=cleo, stage=Stage.JOINED), End.SCREENED_OUT)
    people.new_participant(cohort, user=None, stage=Stage.ELIGIBLE)
    steps = participant_flow(study)
    assert steps[0].n == 3
    for step, following in pairwise(steps):
        assert step.n == following.n + step.here + sum(step.lost.values()), step
    assert (steps[-1].n, steps[1].lost) == (1, {"screened_out": 1})
    assert quality(study).raters == 1
    assert quality(study).outcomes["answered"] == 4
