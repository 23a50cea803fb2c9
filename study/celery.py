"""The worker: ``celery -A study worker``. Celery only wakes jobs; their state is in the database."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "study.settings")
app = Celery("study")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
