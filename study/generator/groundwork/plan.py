"""A world as it was asked for: what a world file says, and the words and lists that lie beside it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime, time
from typing import Any

from study.generator.groundwork.material import Material

LATENTS = (
    "ShoppingHabit", "ComplaintHabit", "Skill", "ResponseTime", "Solution", "IssueSolution", "QuantityLimits",
    "VolumeDiscounts", "ExclusionConstraints", "ProductRequirements", "WrongStage", "WrongPriority", "Strengths",
    "Competitors", "OpportunitiesCompetitors", "CompetingOffers", "ContactBottomLine", "ConversationSubtopics",
    "ConversationInsights", "SalesConversation", "ConversationInsightRelationship",
)  # fmt: skip
"""The 21 latent variables; a world without sales has no use for those of selling."""


@dataclass(frozen=True)
class Ingredients:
    """What makes a world look used, each of which can be left out for an ablation ladder.

    ``cycles``: hours, weekdays and seasons (else arrivals are even). ``skew``: few do much, most do little (else all
    the same). ``gaps``: empty fields and typing slips. ``quoting``: letters that quote the one before and calls that
    take turns (else single messages). ``causes``: latent variables shape what happens (else chance alone).
    ``fitted``: timing from an event log, where the world file names one.
    """

    cycles: bool = True
    skew: bool = True
    gaps: bool = True
    quoting: bool = True
    causes: bool = True
    fitted: bool = False


@dataclass(frozen=True)
class Timing:
    """When things happen. ``seasons`` has twelve weights, ``weekdays`` seven from Monday, ``hours`` 24.

    ``opens`` and ``closes`` are office hours by the clock of the Org; ``sigma`` is the spread of lognormal times and
    ``pace`` multiplies them.
    """

    seasons: tuple[float, ...]
    weekdays: tuple[float, ...]
    hours: tuple[float, ...]
    opens: int = 8
    closes: int = 18
    sigma: float = 0.5
    pace: float = 1.0
    growth: float = 0.4


@dataclass(frozen=True)
class Plan:
    """One world, checked. ``counts`` are records per object at scale 1; ``fixed`` names the objects (catalogue,
    knowledge, territories) that do not grow beyond it. ``latents`` has the settings of each latent variable."""

    name: str
    company: str
    mail_domain: str
    zone: str
    consumer: bool
    sells: bool
    first_day: date
    today: date
    counts: Mapping[str, int]
    fixed: frozenset[str]
    latents: Mapping[str, Mapping[str, Any]]
    timing: Timing
    material: Material
    ingredients: Ingredients = field(default_factory=Ingredients)
    # Of the fixed objects, those that do not shrink below scale 1 either; and how few there may be of any.
    whole: frozenset[str] = frozenset()
    least: Mapping[str, int] = field(default_factory=dict)
    # The area code of the company's own telephones.
    area: str = "614"

    @property
    def now(self) -> datetime:
        return datetime.combine(self.today, time(18, 30), UTC)

    @property
    def fingerprint(self) -> str:
        """A sha256 over everything here but words and lists: two plans with the same one make the same Org."""
        told = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "material"}
        told |= {"timing": asdict(self.timing), "ingredients": asdict(self.ingredients)}
        told |= {name: sorted(told[name]) for name in ("fixed", "whole")}
        return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()

    def latent(self, name: str, key: str, default: Any = None) -> Any:
        """One setting of a latent variable. KeyError for one that is neither set nor has a default."""
        found = self.latents.get(name, {}).get(key, default)
        if found is None:
            raise KeyError(f"{self.name}: latents.{name}.{key} is not set")
        return found
