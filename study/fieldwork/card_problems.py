"""What is missing before a cohort can open with cards: a set, a control Org, leave to show real records."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from study.accounts.models import Study
from study.assignment.orgs import NAMED, resolve
from study.assignment.readiness import Problem
from study.fieldwork.anchors import CannotMake, reference_cards
from study.fieldwork.cards import NoCards, whole_and_control
from study.fieldwork.models import CardSet
from study.protocols.design import Arm
from study.protocols.hour import Cards
from study.protocols.schema import ProtocolFile
from study.sandbox.dossiers import ABOUT
from study.sandbox.models import Org

REAL = "deidentified_real"
NEEDED = ("approval", "licence")


def card_problems(study: Study, file: ProtocolFile, arm: Arm) -> list[Problem]:
    """Problems of every module with cards, for every Org of the arm that is loaded."""
    references = dict.fromkeys(reference for plan in arm.plans for reference in plan.orgs)
    orgs = [org for org in (resolve(reference, study) for reference in references) if org is not None]
    found: list[Problem] = []
    for module in file.modules_at("after_ratings"):
        if module.cards is not None:
            found += _problems(module.cards, study, arm, orgs)
    return found


def _problems(part: Cards, study: Study, arm: Arm, orgs: list[Org]) -> Iterator[Problem]:
    if part.kind == "anchors":
        yield from _anchors(part, orgs)
    elif part.kind == "reference":
        try:
            reference_cards()
        except (CannotMake, OSError) as error:
            yield Problem("cards", str(error), _("Install this version of the software again."))
    else:
        yield from _control(part, study, arm, orgs)


def _anchors(part: Cards, orgs: list[Org]) -> Iterator[Problem]:
    found = CardSet.objects.filter(name=part.card_set).select_related("org").first()
    if found is None:
        said = {"org": orgs[0].name if orgs else "ORG", "name": part.card_set}
        yield Problem(
            "cards",
            _("There is no set of cards “%(name)s”.") % said,
            _("Make it: manage.py anchors_make %(org)s --seed 1 --name %(name)s") % said,
        )
    elif found.org is not None and found.org not in orgs:
        # Cards of an Org that the study may not see would show its records (A15).
        yield Problem(
            "cards",
            _("The cards “%(name)s” are of an Org that is not in this arm.") % {"name": found.name},
            _("Make a set of the arm's Org with manage.py anchors_make."),
        )


def _control(part: Cards, study: Study, arm: Arm, orgs: list[Org]) -> Iterator[Problem]:
    control = resolve(part.control or "", study)
    called = (part.control or "").removeprefix(NAMED)
    if control is None:
        name = orgs[0].name if orgs else "ORG"
        remedy = _("Load it, or make it: manage.py org_degrade %(org)s --recipe shuffled --seed 1") % {"org": name}
        yield Problem("cards", _("The control Org “%(org)s” is not loaded.") % {"org": called}, remedy)
        return
    for org in orgs:
        yield from _dossiers(org, control) if part.kind == "dossiers" else _pairs(org, control)


def _dossiers(org: Org, control: Org) -> Iterator[Problem]:
    try:
        whole_and_control(org, control)
    except NoCards:
        yield Problem(
            "cards",
            _("“%(control)s” is no control of the Org “%(org)s”.") % {"control": control.name, "org": org.name},
            _("Make one: manage.py org_degrade %(org)s --recipe shuffled --seed 1") % {"org": org.name},
        )
        return
    if not any(org.counts.get(name) and control.counts.get(name) for name in ABOUT):
        yield Problem(
            "cards",
            _("The Org “%(org)s” has no records to make dossiers of.") % {"org": org.name},
            _("It needs cases, opportunities or leads with messages."),
        )


def _pairs(org: Org, control: Org) -> Iterator[Problem]:
    if org.hash == control.hash:
        yield Problem(
            "cards",
            _("Both records of a pair would be from the Org “%(org)s”.") % {"org": org.name},
            _("Name another Org under control:."),
        )
    for one in (org, control):
        lacking = [name for name in NEEDED if not one.manifest.get(name)]
        if one.manifest.get("provenance") == REAL and lacking:
            yield Problem(
                "cards",
                _("“%(org)s” holds real records and its manifest has no %(what)s.")
                % {"org": one.name, "what": ", ".join(lacking)},
                _("Records of people are shown only with approval and licence; write both into the manifest."),
            )
