"""Setting up a study in five steps. Where it stands follows from what is there; nothing of the way is stored."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from study.accounts.models import Study, User
from study.assignment.readiness import cohort_problems
from study.people.models import Cohort, CohortState
from study.protocols.flows import DraftNotSaved, newest_of, save_draft
from study.protocols.library import builtin_names, builtin_text
from study.protocols.models import Protocol

BUILT_IN, STUDY = "built-in", "study"


@dataclass(frozen=True)
class Source:
    """A protocol to begin with: ``value`` as the form sends it."""

    value: str
    label: str


def sources(study: Study, user: User) -> list[Source]:
    """The built-in protocols, then those of the user's other studies."""
    others = Protocol.objects.filter(study__memberships__user=user).exclude(study=study).select_related("study")
    studies = {row.study.code: row.study.name for row in others.order_by("study__name")}
    return [
        *(Source(f"{BUILT_IN}:{name}", name) for name in builtin_names()),
        *(
            Source(f"{STUDY}:{code}", _("as in %(name)s (%(code)s)") % {"name": name, "code": code})
            for code, name in studies.items()
        ),
    ]


def take_protocol(study: Study, source: str, *, by: User) -> Protocol:
    """A first draft. Raises ValidationError for a source that is not offered, and when there is a protocol already."""
    if source not in [one.value for one in sources(study, by)]:
        raise ValidationError(_("Choose a protocol to begin with."))
    if newest_of(study) is not None:
        raise ValidationError(_("There is a protocol already. Change it on its page; nothing was replaced."))
    kind, _colon, name = source.partition(":")
    if kind == BUILT_IN:
        text = builtin_text(name)
    else:
        text = newest_of(Study.objects.get(code=name)).text  # type: ignore[union-attr]
    try:
        return save_draft(study, text, by, base="")
    except DraftNotSaved as error:
        raise ValidationError(str(error)) from error


def to_open(study: Study) -> list[Cohort]:
    """Cohorts that have never been open and only have to be, the oldest first."""
    rows = study.cohorts.filter(state=CohortState.DRAFT).order_by("created_at", "pk")
    return [row for row in rows if not cohort_problems(row)]


def to_mend(study: Study) -> Cohort | None:
    """The cohort that lacks something, if none is whole."""
    rows = list(study.cohorts.order_by("created_at", "pk"))
    lacking = [row for row in rows if cohort_problems(row)]
    return lacking[0] if lacking and len(lacking) == len(rows) else None
