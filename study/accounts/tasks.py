"""Celery's two tasks. Both are thin and safe to run twice."""

from celery import shared_task

from study.accounts import jobs


@shared_task(ignore_result=True)
def run_job(pk: int) -> None:
    jobs.run(pk)


@shared_task(ignore_result=True)
def tick() -> None:
    jobs.tick()
