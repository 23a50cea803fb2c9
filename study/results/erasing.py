"""Files that were exported, estimates that were stored, and what staff noted about single texts (P-43)."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.db.models import Max, Min, Q, QuerySet
from django.utils import timezone

from study.accounts.erasing import Eraser, Scope, keeps, register
from study.accounts.models import Erasure, Study
from study.fieldwork.erasing import visits_of
from study.fieldwork.models import Attempt, ClosingAnswer, Note, Rationale
from study.people.privacy.erasing import subject
from study.results.models import Export, StoredResult, TextMask, TextReview


def file_of(export: Export) -> Path:
    return Path(settings.REALIA_VAR) / export.file


def remove_files(rows: QuerySet[Export]) -> int:
    """Delete the files of these exports and say so on every row that has one of them; rows stay."""
    names = set(rows.values_list("file", flat=True))
    for row in rows:
        file_of(row).unlink(missing_ok=True)
    return Export.objects.filter(file__in=names, removed_at=None).update(removed_at=timezone.now())


def made_with(study: Study, code: str, scope: Scope) -> Q:
    """Made after the person was invited, and before this scope of them was erased: only then can it hold them."""
    since = subject(study, code).aggregate(at=Min("invited_at"))["at"]
    scopes = ["everything"] if scope == "everything" else ["identity", "everything"]
    over = Erasure.objects.filter(study=study, subject=code, scope__in=scopes).aggregate(at=Max("done_at"))["at"]
    if since is None:
        return Q(pk=None)
    return Q(created_at__gte=since) & (Q(created_at__lt=over) if over else Q())


def exports_with(study: Study, code: str, scope: Scope) -> QuerySet[Export]:
    return Export.objects.filter(made_with(study, code, scope), study=study, removed_at=None)


def _stored(study: Study, code: str) -> QuerySet[StoredResult]:
    """Estimates with the person's answers in them; the next look at the page computes them again."""
    return StoredResult.objects.filter(made_with(study, code, "everything"), study=study)


def _about_texts(study: Study, code: str) -> Q:
    """Masks and reviews of the person's texts, wherever redaction finds texts (``redacting.py``)."""
    visits = visits_of(study, code)
    rows = {
        "rationale": Rationale.objects.filter(rating__visit__in=visits),
        "note": Note.objects.filter(visit__in=visits),
        "answer.": Attempt.objects.filter(visit__in=visits),
        "closing.": ClosingAnswer.objects.filter(visit__in=visits),
    }
    where = Q(pk=None)
    for source, texts in rows.items():
        where |= Q(source__startswith=source, row__in=list(texts.values_list("pk", flat=True)))
    return where & Q(study=study)


def _noted(study: Study, code: str) -> int:
    where = _about_texts(study, code)
    return TextMask.objects.filter(where).count() + TextReview.objects.filter(where).count()


def _erase_noted(study: Study, code: str) -> int:
    where = _about_texts(study, code)
    return TextMask.objects.filter(where).delete()[0] + TextReview.objects.filter(where).delete()[0]


for eraser in (
    Eraser("masks", "Masks and reviews of the person's texts", "everything", _noted, _erase_noted, 48,
           ("results.TextMask.*", "results.TextReview.*")),
    Eraser("exports", "Files exported since the person came; they can be made again", "identity",
           lambda s, c: exports_with(s, c, "identity").count(),
           lambda s, c: remove_files(exports_with(s, c, "identity")), 72),
    Eraser("exports with answers", "Files exported since, with the answers in them", "everything",
           lambda s, c: exports_with(s, c, "everything").count(),
           lambda s, c: remove_files(exports_with(s, c, "everything")), 73),
    Eraser("stored results", "Estimates that include the person; they are computed again", "everything",
           lambda s, c: _stored(s, c).count(), lambda s, c: _stored(s, c).delete()[0], 73,
           ("results.StoredResult.*",)),
):  # fmt: skip
    register(eraser)

keeps("hashes and counts; the file itself is deleted", "results.Export.*")
keeps("a number of raters and one of two words; nobody's answer", "results.PlannedLook.*")
