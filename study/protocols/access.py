"""The door to a version of a study's protocol."""

from __future__ import annotations

from django.http import Http404

from study.accounts.models import Study
from study.protocols.flows import draft_of
from study.protocols.models import Protocol


def version_for(study: Study, number: int) -> Protocol:
    """A version of a study the caller has already been let into. Raises 404."""
    protocol = Protocol.objects.select_related("frozen_by").filter(study=study, number=number).first()
    if protocol is None:
        raise Http404
    return protocol


def draft_for(study: Study) -> Protocol:
    """The study's draft. Raises 404 when there is none."""
    draft = draft_of(study)
    if draft is None:
        raise Http404
    return draft
