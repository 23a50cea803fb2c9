"""An Org by what people call it on a command line."""

from __future__ import annotations

from django.core.management.base import CommandError
from django.db.models import Q

from study.sandbox.models import Org


def org_named(name: str) -> Org:
    """The Org of this name or hash. CommandError that lists the Orgs there are."""
    org = Org.objects.filter(Q(name=name) | Q(hash=name)).first()
    if org is None:
        known = ", ".join(Org.objects.values_list("name", flat=True)) or "none yet; load one with manage.py org_load"
        raise CommandError(f"There is no Org {name!r}. Known: {known}.")
    return org
