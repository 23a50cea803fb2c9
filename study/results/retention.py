"""Files of exports are deleted after a while; their rows stay, and the same data can be exported again at any time."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils.translation import gettext_lazy as _

from study.accounts.retention import rule
from study.results.erasing import remove_files
from study.results.models import Export

KEPT = timedelta(days=90)


@rule("export files", _("Files of exports"), _("90 days after they were made; the row stays"))
def files(now: datetime) -> int:
    return remove_files(Export.objects.filter(removed_at=None, created_at__lt=now - KEPT))
