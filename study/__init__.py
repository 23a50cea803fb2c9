"""The Django project of Realia."""

from study.celery import app as celery_app

__all__ = ["celery_app"]
