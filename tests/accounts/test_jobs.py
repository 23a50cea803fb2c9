"""Jobs are rows: claimed once, found again after a crash, never done twice at a time."""

from datetime import timedelta

import pytest
from django.utils import timezone

from study.accounts import jobs
from study.accounts.adapter import user_with_address
from study.accounts.flows import add_member
from study.accounts.models import Job, JobState

pytestmark = pytest.mark.django_db


@pytest.fixture
def kind():
    done = []

    @jobs.job_kind("test.kind")
    def work(running):
        running.progress(1, 2, "half")
        done.append(running.job.pk)
        return {"n": len(done)}

    @jobs.job_kind("test.fails")
    def fails(running):
        raise jobs.JobFailed("Load the Org first.")

    yield done
    jobs._kinds.pop("test.kind")
    jobs._kinds.pop("test.fails")


def test_a_job_runs_and_keeps_its_result(kind, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        job = jobs.enqueue("test.kind")
    job.refresh_from_db()
    assert (job.state, job.result, job.done, job.total, job.note) == (JobState.DONE, {"n": 1}, 1, 2, "half")


def test_waking_it_twice_does_it_once(kind):
    job = jobs.enqueue("test.kind")
    jobs.run(job.pk)
    jobs.run(job.pk)
    assert kind == [job.pk]


def test_two_presses_are_one_job_while_it_is_open(kind):
    """P-27 in part: the second press reuses the first job."""
    first = jobs.enqueue("test.kind", once_key="export:1")
    assert jobs.enqueue("test.kind", once_key="export:1") == first
    jobs.run(first.pk)
    assert jobs.enqueue("test.kind", once_key="export:1") != first


def test_a_job_whose_worker_died_is_taken_up_again_three_times_at_most(kind):
    job = jobs.enqueue("test.kind")
    old = timezone.now() - timedelta(minutes=6)
    Job.objects.filter(pk=job.pk).update(state=JobState.RUNNING, heartbeat_at=old, attempts=1)
    jobs.tick()
    job.refresh_from_db()
    assert (job.state, job.attempts) == (JobState.DONE, 2)
    Job.objects.filter(pk=job.pk).update(state=JobState.RUNNING, heartbeat_at=old, attempts=3)
    jobs.tick()
    job.refresh_from_db()
    assert job.state == JobState.FAILED


def test_a_failure_says_what_to_do(kind):
    job = jobs.enqueue("test.fails")
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == (JobState.FAILED, "Load the Org first.")


def test_an_unknown_kind_is_refused_at_once():
    with pytest.raises(ValueError, match="No job kind"):
        jobs.enqueue("nope")


def test_a_trace_is_for_owners_since_it_may_hold_an_address_or_an_answer(study, ada, client):
    trace = "Traceback (most recent call last):\nValueError: ann@example.test"
    job = Job.objects.create(kind="any", study=study, state="failed", error=trace)
    said = Job.objects.create(kind="any", study=study, state="failed", error="Three texts are unread.")
    for role in ("viewer", "researcher", "coordinator", "owner"):
        user = add_member(study, user_with_address(f"{role}@example.test"), role, by=ada).user
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        assert ("ann@" in client.get(f"/jobs/{job.pk}/").content.decode()) == (role == "owner"), role
        assert "Three texts" in client.get(f"/jobs/{said.pk}/").content.decode(), role
