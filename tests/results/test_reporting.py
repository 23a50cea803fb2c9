"""The report from the platform: made by a job from the very bundle, read in place, downloaded whole."""

from __future__ import annotations

import hashlib
import io
import zipfile

import pytest

from study.accounts.models import AuditRow, Job
from study.results.models import Export

pytestmark = pytest.mark.django_db


@pytest.fixture
def report(opened, finished, desk_of_ada, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        assert desk_of_ada.post(f"/studies/{opened.code}/report/make/").status_code == 302
    return Export.objects.get(kind="report")


def test_a_report_is_made_with_its_bundle_and_can_be_read_in_place(report, opened, desk_of_ada):
    page = desk_of_ada.get(f"/studies/{opened.code}/export/").content.decode()
    assert f"/studies/{opened.code}/report/{report.pk}/" in page
    answer = desk_of_ada.get(f"/studies/{opened.code}/report/{report.pk}/")
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'none'" in policy
    assert report.bundle_hash in answer.content.decode()
    file = b"".join(desk_of_ada.get(f"/studies/{opened.code}/export/{report.pk}/").streaming_content)
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        names = set(archive.namelist())
        assert {"report.html", "results.json", "tables/estimates.csv", "bundle/ratings.csv"} <= names
        assert archive.read("report.html") == answer.content
        # The bundle in it is the one whose hash the row and the page give.
        assert hashlib.sha256(archive.read("bundle/checksums.txt")).hexdigest() == report.bundle_hash
    acts = list(AuditRow.objects.filter(act__startswith="report.").values_list("act", flat=True))
    assert acts == ["report.made", "report.read", "report.downloaded"]


def test_a_blind_study_has_no_report(study, finished, desk_of_ada, django_capture_on_commit_callbacks):
    """M13, by the page and by a job that began before."""
    with django_capture_on_commit_callbacks(execute=True):
        desk_of_ada.post(f"/studies/{study.code}/report/make/")
    assert not Export.objects.exists()
    assert not Job.objects.filter(kind="export report").exists()
    from study.results.reporting import StillBlind, make_report

    with pytest.raises(StillBlind, match="once the blind is lifted"):
        make_report(study, by=None)
    assert "Make the report" not in desk_of_ada.get(f"/studies/{study.code}/export/").content.decode()


def test_what_is_no_report_is_not_read_and_a_deleted_one_is_gone(report, opened, desk_of_ada, settings):
    bundle = Export.objects.create(study=opened, file=report.file, bundle_hash="b" * 64, blind=False)
    assert desk_of_ada.get(f"/studies/{opened.code}/report/{bundle.pk}/").status_code == 404
    (settings.REALIA_VAR / report.file).unlink()
    assert desk_of_ada.get(f"/studies/{opened.code}/report/{report.pk}/").status_code == 404
