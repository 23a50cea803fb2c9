"""The Orgs that one study, or the operators of an installation, may see and manage (A15)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from study.accounts.access import EDIT_PROTOCOL, operator, person, study_for
from study.accounts.models import Job, Study, User
from study.sandbox.access import org_for, visible_orgs
from study.sandbox.models import Desk, Org, Purpose

IMPORT, EXPORT = "org import", "org export"


@dataclass(frozen=True)
class OrgRow:
    """One Org as the list shows it."""

    org: Org
    records: int
    source: str
    seen_by: str
    deletable: bool
    because: str
    """Why it cannot be deleted."""


@dataclass(frozen=True)
class Shelf:
    """Where somebody stands: in a study, or (without one) as an operator of the installation."""

    user: User
    study: Study | None
    may_change: bool

    def url(self, name: str, *arguments: object) -> str:
        return (
            reverse(f"study_{name}", args=[self.study.code, *arguments])
            if self.study
            else reverse(name, args=arguments)
        )

    @property
    def addresses(self) -> dict[str, str]:
        return {"list": self.url("orgs"), "add": self.url("org_add")}

    @property
    def orgs(self) -> QuerySet[Org]:
        if self.study:
            mine = Q(study_orgs__study=self.study) | Q(study_orgs__isnull=True)
            return Org.objects.filter(mine).distinct()
        return Org.objects.filter(visible_orgs(self.user)).distinct()

    @cached_property
    def rows(self) -> list[OrgRow]:
        counted = self.orgs.annotate(owners=Count("study_orgs", distinct=True)).prefetch_related("study_orgs__study")
        return [self._row(org) for org in counted.order_by("name")]

    def _row(self, org: Org) -> OrgRow:
        because = self.kept_because(org)
        return OrgRow(
            org, sum(org.counts.values()), source_words(org.manifest), self._seen_by(org), not because, because
        )

    def _seen_by(self, org: Org) -> str:
        owners = [row.study for row in org.study_orgs.all()]
        if not owners:
            return _("every study here")
        if self.study and len(owners) == 1:
            return _("this study")
        if self.study:
            return ngettext("this and %(n)s other study", "this and %(n)s other studies", len(owners) - 1) % {
                "n": len(owners) - 1
            }
        return ", ".join(study.code for study in owners)

    def kept_because(self, org: Org) -> str:
        """Why this Org cannot be deleted from here; empty where it can."""
        if not self.may_change:
            return _("Owners, researchers and operators delete Orgs.")
        owners = {row.study_id for row in org.study_orgs.all()}
        if self.study and owners != {self.study.pk}:
            return _("It belongs to others too.")
        if not self.study and owners:
            return _("It belongs to a study, which deletes it on its own page.")
        return _("Visits used it.") if org.pk in self.used else ""

    @cached_property
    def used(self) -> set[int]:
        """Orgs with which anything but looking round was done: whatever protects them, staff's own desks left aside.

        Visits belong to an app that this one does not know; their rows say so themselves.
        """
        found = set(Desk.objects.exclude(purpose=Purpose.STAFF).values_list("org_id", flat=True))
        for relation in Org._meta.related_objects:
            protects = getattr(relation.on_delete, "__name__", "") == "PROTECT"
            if protects and relation.related_model is not Desk:
                found |= set(_org_ids(relation))
        return found

    def named(self, request: HttpRequest, name: str) -> Org:
        """An Org on this shelf. 404 for any other, as for one that does not exist."""
        org = org_for(request, name)
        if not self.orgs.filter(pk=org.pk).exists():
            raise Http404
        return org

    def job(self, kind: str, pk: int) -> Job:
        """A job of this shelf. 404 for any other."""
        found = Job.objects.filter(pk=pk, kind=kind, study=self.study)
        if self.study is None:
            found = found.filter(created_by=self.user)
        job = found.first()
        if job is None:
            raise Http404
        return job

    @property
    def jobs(self) -> list[Job]:
        """Work that is not finished yet, the newest first."""
        found = Job.objects.filter(kind__in=[IMPORT, EXPORT], study=self.study, state__in=["queued", "running"])
        return list((found if self.study else found.filter(created_by=self.user)).order_by("-pk")[:10])


def shelf_for(request: HttpRequest, code: str | None, *, change: bool = False) -> Shelf:
    """The shelf of a study for its staff, or of the installation for operators.

    ``change``: only for those who may bring Orgs in, take them out and delete them.
    """
    if code is None:
        return Shelf(operator(request), None, True)
    study = study_for(request, code, *(EDIT_PROTOCOL if change else ()))
    return Shelf(person(request), study, request.role in EDIT_PROTOCOL)  # type: ignore[attr-defined]


def _org_ids(relation: Any) -> Any:
    return relation.related_model._default_manager.values_list(relation.field.attname, flat=True).distinct()


def source_words(manifest: dict[str, Any]) -> str:
    """Where an Org came from, as far as its manifest says."""
    if manifest.get("pulled"):
        return _("pulled from %(place)s") % {"place": manifest["pulled"]}
    if manifest.get("generator"):
        seed = manifest.get("seed")
        made = str(manifest.get("world") or manifest["generator"])
        return _("generated: %(world)s, seed %(seed)s") % {"world": made, "seed": seed} if seed is not None else made
    return str(manifest.get("source") or _("not recorded"))
