"""manage.py org_list: the Orgs of this installation."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from study.sandbox.models import Org


class Command(BaseCommand):
    help = "List the Orgs: name, records, last day, hash."

    def handle(self, **options: Any) -> None:
        orgs = list(Org.objects.order_by("name").prefetch_related("study_orgs__study"))
        if not orgs:
            self.stdout.write("No Org is loaded. Use org_load PATH --name NAME or org_generate.")
        width = max((len(org.name) for org in orgs), default=0)
        for org in orgs:
            records = sum(org.counts.values())
            owners = ", ".join(sorted(row.study.code for row in org.study_orgs.all()))
            seen = f"  only {owners}" if owners else ""
            self.stdout.write(f"{org.name:<{width}}  {records:>9,} records  last day {org.last_day}  {org.hash}{seen}")
