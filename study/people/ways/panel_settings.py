"""Setting up a cohort's way in without addresses: its panel, and the link that leads to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.models import User
from study.people.flows import lock_cohort
from study.people.models import Cohort
from study.people.sample.cohorts import new_open_link
from study.people.ways.panels import OUTCOMES, Panel, checked_settings


def typed_settings(form: Mapping[str, str]) -> dict[str, Any]:
    """The panel form as settings."""
    kept: dict[str, Any] = {key: form.get(key, "") for key in ("kind", "name", "id", "study", "session")}
    kept["codes"] = {key: form.get(f"code-{key}", "") for key in OUTCOMES}
    kept["returns"] = {key: form.get(f"return-{key}", "") for key in OUTCOMES}
    return kept


@transaction.atomic
def set_panel(cohort: Cohort, kept: Mapping[str, Any], *, by: User | None) -> Cohort:
    """Store the settings; the cohort gets a link if it has none. Raises ValidationError with what is wrong.

    Once somebody has come, the panel stays: ids are found again by its kind.
    """
    row = lock_cohort(cohort.pk)
    wanted = checked_settings(kept)
    if row.panel and row.panel.get("kind") != wanted["kind"] and somebody_came(row):
        raise ValidationError(_("Somebody has come from this panel already. Make another cohort for another panel."))
    row.panel = wanted
    row.open_link = row.open_link or new_open_link()
    row.save(update_fields=["panel", "open_link"])
    audit("panel.set", by=by, study=row.study, target=f"cohort {row.code}", panel=wanted["kind"])
    return row


def somebody_came(cohort: Cohort) -> bool:
    return cohort.arrivals.exists()


@transaction.atomic
def take_panel_away(cohort: Cohort, *, by: User | None) -> bool:
    """Back to an open link without ids; not once somebody has come with one."""
    row = lock_cohort(cohort.pk)
    if not row.panel or somebody_came(row):
        return False
    row.panel = {}
    row.save(update_fields=["panel"])
    audit("panel.removed", by=by, study=row.study, target=f"cohort {row.code}")
    return True


@transaction.atomic
def renew_link(cohort: Cohort, *, old: str, by: User | None) -> bool:
    """A new link in place of ``old``, which opens nothing from now on. People who are in keep their way back.

    ``old`` is the link that the page showed: a second press renews nothing once more (P-08).
    """
    renewed = Cohort.objects.filter(pk=cohort.pk, open_link=old).exclude(open_link="").update(open_link=new_open_link())
    cohort.refresh_from_db()
    if renewed:
        audit("link.renewed", by=by, study=cohort.study, target=f"cohort {cohort.code}")
    return bool(renewed)


def address_for(cohort: Cohort, panel: Panel) -> str:
    """What to paste into the panel's form: our address with the panel's own placeholders."""
    return f"{settings.REALIA_URL}{reverse('panel_entry', args=[cohort.open_link])}?{panel.query()}"
