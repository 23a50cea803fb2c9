"""Studies that are closed, and studies that are archived: out of the way, readable, and changed by nobody.

The door of a study (``access.study_for``) refuses whatever is not a reading of an archived one. What must be possible
at any time, taking it back and erasing somebody, is marked with ``even_archived``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from study.accounts.audit import audit
from study.accounts.models import Study, User

View = Callable[..., HttpResponse]
READING = ("GET", "HEAD", "OPTIONS")
MARK = "_even_archived"


class StudyArchived(Exception):
    """The study is archived, so nothing in it changes."""


def even_archived(view: View) -> View:
    """A view whose act goes on in an archived study."""

    @wraps(view)
    def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        setattr(request, MARK, True)
        return view(request, *args, **kwargs)

    return page


def ask(request: HttpRequest, study: Study) -> None:
    """What the door of a study calls. Raises StudyArchived."""
    if study.archived_at and request.method not in READING and not getattr(request, MARK, False):
        raise StudyArchived(study.code)


@transaction.atomic
def close(study: Study, *, by: User, left_open: Mapping[str, str]) -> bool:
    """Say that a study is done; ``left_open``: what was not, with the reason for each. False when closed already."""
    done = Study.objects.filter(pk=study.pk, closed_at=None).update(closed_at=timezone.now())
    study.refresh_from_db(fields=["closed_at"])
    if done:
        audit("study.closed", by=by, study=study, target=study.code, left_open=dict(left_open))
    return bool(done)


@transaction.atomic
def reopen(study: Study, *, by: User) -> bool:
    """Take the closing back, and the archiving with it."""
    done = Study.objects.filter(pk=study.pk, closed_at__isnull=False).update(closed_at=None, archived_at=None)
    study.refresh_from_db(fields=["closed_at", "archived_at"])
    if done:
        audit("study.reopened", by=by, study=study, target=study.code)
    return bool(done)


@transaction.atomic
def archive(study: Study, *, by: User) -> bool:
    """Out of the list, read-only. Only a closed study; False when it is archived already or not closed."""
    rows = Study.objects.filter(pk=study.pk, closed_at__isnull=False, archived_at=None)
    done = rows.update(archived_at=timezone.now())
    study.refresh_from_db(fields=["archived_at"])
    if done:
        audit("study.archived", by=by, study=study, target=study.code)
    return bool(done)


@transaction.atomic
def unarchive(study: Study, *, by: User) -> bool:
    done = Study.objects.filter(pk=study.pk, archived_at__isnull=False).update(archived_at=None)
    study.refresh_from_db(fields=["archived_at"])
    if done:
        audit("study.unarchived", by=by, study=study, target=study.code)
    return bool(done)
