"""Which published arm a group belongs beside: by what the protocol says it replicates, and by the rated objects."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.published import PublishedArm, PublishedStudy

SUFFIX = re.compile(r"__(c|kav|x|mdt)$")
IDENTIFIERS = re.compile(r"\b\d{4}\.\d{4,5}(?!\d)|\b10\.\d{4,9}/\S+")
REPLICATED = "the protocol replicates it"
ENOUGH = 0.5  # of a published arm's objects, where the protocol doesn't name its study


@dataclass(frozen=True)
class Fit:
    """A published arm and the objects in common: published name by own name. why: how it was found."""

    study: PublishedStudy
    arm: PublishedArm
    common: Mapping[str, str]
    why: str


def fitting(
    studies: Sequence[PublishedStudy], protocol: Mapping[str, Any], cited: str, arm: str, objects: Sequence[str]
) -> tuple[list[Fit], str]:
    """Published arms to stand beside one group, and why the study it replicates, or none, is among them.

    protocol: of the bundle; cited: the study it replicates, empty for none; arm: name of the group, "cross, b2b" for a
    visit of an arm; objects: the rated ones. A replication stands beside the study it cites and, of its arms, the one
    that its own arm, visit or Org is named after. Every study, a replication too, stands beside the published arms of
    other studies of which it rated at least half of the objects.
    """
    if not cited:
        return _by_objects(studies, objects)
    named = [study for study in studies if same_source(study.citation, cited)]
    others = _by_objects([study for study in studies if study not in named], objects)[0]
    if not named:
        return others, f"The protocol replicates {cited.rstrip('.')}, which is not among the published studies given."
    fits = [Fit(study, one, common_objects(one, objects), REPLICATED) for study in named for one in study.arms]
    usable = [fit for fit in fits if fit.common or fit.arm.org]
    why = "" if usable else "The study it replicates has no object in common."
    return [*_of_name(usable, protocol, arm), *others], why


def _by_objects(studies: Sequence[PublishedStudy], objects: Sequence[str]) -> tuple[list[Fit], str]:
    found = []
    best = (0, 0, "")
    for study in studies:
        for one in study.arms:
            common = common_objects(one, objects)
            if one.objects and len(common) >= ENOUGH * len(one.objects):
                found.append(Fit(study, one, common, "it rated the same objects"))
            best = max(best, (len(common), len(one.objects), study.title))
    if found:
        return found, ""
    if best[0] == 0:
        return [], "No published study rated any of these objects."
    return [], (
        f"No published study fits: the protocol names none, and of the {best[1]} objects of {best[2]} only {best[0]} "
        f"{'was' if best[0] == 1 else 'were'} rated here."
    )


def same_source(one: str, other: str) -> bool:
    """Whether two citations name the same work: by arXiv number or DOI, otherwise by their words."""
    ids = set(IDENTIFIERS.findall(one)), set(IDENTIFIERS.findall(other))
    if all(ids):
        return bool(ids[0] & ids[1])
    return _plain(one) == _plain(other)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def common_objects(arm: PublishedArm, objects: Sequence[str]) -> dict[str, str]:
    """Published name by own name; VoiceCallTranscript is VoiceCallTranscript__c."""
    own = {object_name(name): name for name in objects}
    return {own[object_name(one.name)]: one.name for one in arm.objects if object_name(one.name) in own}


def object_name(name: str) -> str:
    return SUFFIX.sub("", name).casefold()


def _of_name(fits: list[Fit], protocol: Mapping[str, Any], arm: str) -> list[Fit]:
    """Those arms the own arm, visit or its Orgs are named after; all when none is or there is one."""
    code, _, visit = arm.partition(", ")
    said = [code, visit, *_orgs_of(protocol, code, visit)]
    words = {code.casefold(), *re.findall(r"[a-z0-9]+", " ".join(said).casefold())}
    named = [fit for fit in fits if fit.arm.id.casefold() in words]
    return named or fits


def _orgs_of(protocol: Mapping[str, Any], code: str, visit: str) -> list[str]:
    """Names of the Orgs of an arm, or of one visit of it where the protocol has a visit of that code."""
    arms = protocol.get("arms")
    entries = (
        [one for one in arms if isinstance(one, dict) and one.get("code") == code] if isinstance(arms, list) else []
    )
    visits = [one for entry in entries for one in entry.get("visits") or () if isinstance(one, dict)]
    own = [one for one in visits if visit and one.get("code") == visit]
    return [str(org) for one in own or [*entries, *visits] for org in one.get("orgs") or ()]
