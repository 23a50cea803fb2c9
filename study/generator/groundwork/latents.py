"""The settings of the 21 latent variables: what a world file may say about each, and what holds where it says nothing.

Values never enter the Org. docs/generator.md tells of each what it conditions on, what it influences and how it shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# A habit of buying: share of customers, weights of the twelve months, orders a year, basket, liking for discounts.
_HABITS: dict[str, dict[str, Any]] = {
    "steady": {
        "share": 4, "months": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], "rate": 1.2, "basket": 1.0, "bargain": 0.2,
    },
    "spring": {
        "share": 3, "months": [0.4, 0.6, 1.5, 2.2, 2.4, 1.6, 0.9, 0.7, 0.6, 0.5, 0.4, 0.4], "rate": 1.0,
        "basket": 1.3, "bargain": 0.3,
    },
    "holidays": {
        "share": 3, "months": [0.5, 0.4, 0.5, 0.6, 0.7, 0.9, 0.9, 0.7, 0.7, 1.0, 2.4, 2.7], "rate": 0.9,
        "basket": 1.1, "bargain": 0.7,
    },
    "year_end": {
        "share": 2, "months": [0.6, 0.7, 1.2, 0.8, 0.8, 1.3, 0.6, 0.6, 1.3, 1.2, 1.4, 1.5], "rate": 1.4,
        "basket": 1.6, "bargain": 0.5,
    },
}  # fmt: skip

SETTINGS: dict[str, dict[str, Any]] = {
    # Groups of customers; ``spread`` is the exponent of Zipf's law by which few buy much.
    "ShoppingHabit": {"kinds": _HABITS, "spread": 0.62},
    # ``channels`` weighs e-mail, chat, web and phone; ``minds`` is the factor for what a customer minds most.
    "ComplaintHabit": {
        "spread": 0.75, "channels": {"Email": 40, "Chat": 34, "Web": 12, "Phone": 18}, "length": [0.6, 1.6],
        "minds": 2.5,
    },
    # How good an agent is at an issue they know well, and at any other; ``known`` issues each.
    "Skill": {"known": 3, "well": [0.75, 0.98], "other": [0.25, 0.7], "selling": [0.2, 0.95]},
    # Slowest and quickest factor on the time of everything an agent does, and how readily they hand on.
    "ResponseTime": {"range": [0.65, 1.5], "hands_on": [0.3, 0.5, 0.7, 1.0, 1.7, 3.0]},
    # What solves an issue stands in issues.yaml and in the articles.
    "Solution": {},
    # Share of cases in which an agent breaks the policy for the issue.
    "IssueSolution": {"violations": 0.23},
    # Shares of quotes that break a rule of each kind; a quote breaks at most one.
    "QuantityLimits": {"broken": 0.07},
    "VolumeDiscounts": {"broken": 0.10},
    "ExclusionConstraints": {"broken": 0.06},
    "ProductRequirements": {"broken": 0.07},
    # Share of open opportunities whose recorded stage is not the one their tasks say.
    "WrongStage": {"share": 0.22},
    # Share of open opportunities with tasks that do not fit the stage.
    "WrongPriority": {"share": 0.30},
    # How much more often a competitor is spoken well of for what it is good at.
    "Strengths": {"weight": 3.0},
    # The exponent by which few competitors are met often.
    "Competitors": {"spread": 0.8},
    # Share of opportunities with a competitor, and with a second one.
    "OpportunitiesCompetitors": {"one": 0.5, "two": 0.15},
    # What competitors ask, beside our own price.
    "CompetingOffers": {"range": [0.82, 1.12]},
    # Lowest and highest usual budget and its spread; share who sign; months until they decide.
    "ContactBottomLine": {
        "budget": [4000, 90000], "spread": 0.7, "signs": 0.55, "months": [1, 12],
    },
    # The exponent by which few subtopics come up often.
    "ConversationSubtopics": {"spread": 0.6},
    # Remarks in a call, and weights of how they are felt.
    "ConversationInsights": {"most": 3, "positive": 4, "neutral": 3, "negative": 3},
    # Minutes of a call: median and spread.
    "SalesConversation": {"minutes": 14, "sigma": 0.45},
    # Share of remarks that come up again in a later call, and share that is about a competitor where there is one.
    "ConversationInsightRelationship": {"again": 0.2, "competitor": 0.45},
}  # fmt: skip


def settled(given: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """All settings, with what a world file says in place of what is usual. KeyError("name.key") for an unknown one."""
    for name, values in given.items():
        if name not in SETTINGS:
            raise KeyError(name)
        for key in values:
            if key not in SETTINGS[name]:
                raise KeyError(f"{name}.{key}")
    return {name: {**usual, **given.get(name, {})} for name, usual in SETTINGS.items()}
