"""Studies of simulated experts without a database: what they would rate and say, and what is true of all such experts.

One Org and the control made from it, each expert in both, half of them in either order. Every decision is made by the
functions that simulated experts use in the real flow; the truth is worked out from the stated distributions, with the
objects of a study fixed and its raters random.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from study.fieldwork.simulation import distributions as given
from study.fieldwork.simulation.experts import Expert, Rates, make_experts, object_effects
from study.fieldwork.simulation.forms import item_answers
from study.protocols.library import builtin_text
from study.protocols.parts import Item
from study.protocols.reading import parse

Floats = NDArray[np.float64]
OBJECTS = ("Account", "Case", "Contact", "EmailMessage", "Knowledge__kav", "LiveChatTranscript", "Order", "Product2")
EPISODES = 3
ORG, CONTROL = "a" * 64, "b" * 64
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
RATES = Rates()
_MODULES = parse(builtin_text("realia-hour")).modules_at("after_ratings")
_ITEMS = {item.id: item for module in _MODULES for item in module.items}


def _each(name: str, ends: Sequence[Any]) -> list[Item]:
    """The items that a module asks for each object or each episode."""
    return [_ITEMS[name].model_copy(update={"id": f"{name}_{end}"}) for end in ends]


OWN, COVERAGE = _each("own", OBJECTS), _each("coverage", range(1, EPISODES + 1))


@dataclass(frozen=True)
class Visited:
    """One expert: scores by target in the Org and in the control (None with no score), and what they said after."""

    number: int
    control_first: bool
    org: Mapping[str, int | None]
    control: Mapping[str, int | None]
    said: Mapping[str, str]


@dataclass(frozen=True)
class MindStudy:
    """visited: one per expert; truth: by estimand, of the population of such experts with these objects."""

    seed: int
    visited: tuple[Visited, ...]
    truth: Mapping[str, float]

    def scores(self, where: str) -> Floats:
        """Scores of objects in "org" or "control", shape (raters, objects), NaN where there is none."""
        rows = [[getattr(one, where)[name] for name in OBJECTS] for one in self.visited]
        return np.array(rows, dtype=float)

    def own(self) -> Floats:
        """Scores of the own system, the same shape."""
        points = {code: place for place, code in enumerate(_ITEMS["own"].codes[:5], start=1)}
        rows = [[points.get(one.said.get(f"own_{name}", "")) for name in OBJECTS] for one in self.visited]
        return np.array(rows, dtype=float)

    def episodes(self) -> list[list[str]]:
        """Answers to "could you have done this here?", by rater."""
        return [[one.said.get(f"coverage_{n}", "") for n in range(1, EPISODES + 1)] for one in self.visited]


def mind_study(seed: int, raters: int = 20) -> MindStudy:
    """A study of this many careful experts."""
    effects = object_effects(["Org", *OBJECTS], seed)
    visited = tuple(_visited(one, effects) for one in make_experts(raters, seed, RATES))
    return MindStudy(seed, visited, true_values([effects[name] for name in OBJECTS]))


def _visited(expert: Expert, effects: Mapping[str, float]) -> Visited:
    late = expert.number % 2 == 0
    in_org, in_control = (expert.at_visit(2), expert) if late else (expert, expert.at_visit(2))
    lost = {target: effect + given.CONTROL for target, effect in effects.items()}
    said = item_answers(OWN, in_org, "closing/own_system", effects)[1]
    said |= item_answers(COVERAGE, in_org, "closing/coverage", effects)[1]
    return Visited(expert.number, late, rated(in_org, effects), rated(in_control, lost), said)


def rated(expert: Expert, effects: Mapping[str, float]) -> dict[str, int | None]:
    """As `cards.Rater.choose`: can't judge, rather not say, or the score."""
    return {
        target: None if blank(expert, target) else expert.score(target, effect) for target, effect in effects.items()
    }


def blank(expert: Expert, target: str) -> bool:
    return expert.happens(expert.rates.cannot_judge, f"cannot/{target}") or expert.happens(
        expert.rates.rather_not, f"rather not/{target}"
    )


# --- the truth, from the stated distributions


def true_values(effects: Sequence[float]) -> dict[str, float]:
    """Of all experts of the stated rates, over these objects."""
    here = np.array(effects)
    mean, slope = given.COVERED
    done = float(special.ndtr(mean / math.sqrt(1 + (slope * RATES.severity_sd) ** 2)))
    known = 1 - given.OF_NOT_COVERED["cannot_say"]
    return {
        "mean_over_objects": float(approval(here).mean()),
        "sensitivity": float((approval(here) - approval(here + given.CONTROL)).mean()),
        "gap": float((expected_point(here + given.GAP[0], given.GAP[1]) - expected_point(here)).mean()),
        # Who can't say leaves the share, and only people whose episode is not covered can't.
        "coverage": done / (done + (1 - done) * known),
    }


def above(threshold: float, effects: Floats, more_sd: float = 0.0) -> Floats:
    """P(latent > threshold): normal severity and noise, and the shift of those who know what is hoped for."""
    sd = math.sqrt(RATES.severity_sd**2 + given.NOISE_SD**2 + more_sd**2)
    plain = special.ndtr((effects - threshold) / sd)
    aware = special.ndtr((effects + given.AWARE_SHIFT - threshold) / sd)
    share: Floats = (1 - RATES.aware) * plain + RATES.aware * aware
    return share


def approval(effects: Floats) -> Floats:
    """Share who give 4 or 5."""
    return above(given.THRESHOLDS[2], effects)


def expected_point(effects: Floats, more_sd: float = 0.0) -> Floats:
    """Mean score, 1 to 5."""
    return 1 + sum((above(threshold, effects, more_sd) for threshold in given.THRESHOLDS), np.zeros(len(effects)))


# --- as rows of a bundle

Tables = dict[str, list[dict[str, Any]]]
ORGS = [
    {"hash": ORG, "name": "org"},
    {"hash": CONTROL, "name": "shuffled", "parent": ORG, "recipe": "shuffled"},
]


def tables_of(study: MindStudy) -> Tables:
    """A crossover study in the shape of a bundle."""
    made: Tables = {name: [] for name in ("participants", "visits", "ratings", "closing")}
    made["objects"] = [
        {"org_hash": code, "object": name, "label": name, "records": 10} for code in (ORG, CONTROL) for name in OBJECTS
    ]
    for one in study.visited:
        code = f"P-{one.number:04d}"
        made["participants"].append(
            {
                "code": code, "cohort": "one", "channel": "simulated", "stage": "done", "end": "complete",
                "simulated": True, "eligible": True, "started": True, "exposed": True, "analysed": True,
                "complete": True, "usable": True,
            }
        )  # fmt: skip
        for period, condition in enumerate(("control", "org") if one.control_first else ("org", "control"), start=1):
            made["visits"].append(_visit(code, period, condition, one.number))
            made["ratings"] += _ratings(f"{code}-{period}", getattr(one, condition))
            if condition == "org":
                made["closing"] += _closing(f"{code}-{period}", one.said)
    return made


def _visit(code: str, period: int, condition: str, number: int) -> dict[str, Any]:
    return {
        "id": f"{code}-{period}", "participant": code, "arm": "cross", "allocation": "randomised", "block": "one",
        "period": period, "org_hash": ORG if condition == "org" else CONTROL, "language": "en",
        "begun": START + timedelta(hours=number, days=2 * period), "work_active_s": 1500, "end_state": "done",
        "exposed": True, "analysed": True, "condition": "org" if condition == "org" else "shuffled",
    }  # fmt: skip


def _ratings(visit: str, scores: Mapping[str, int | None]) -> Iterator[dict[str, Any]]:
    for position, (target, score) in enumerate(scores.items()):
        blank = "cannot_judge" if score is None else ""
        yield {
            "visit": visit, "kind": "org" if target == "Org" else "object", "target": target, "dimension": "overall",
            "position": position, "first": score, "first_blank": blank, "final": score, "final_blank": blank,
            "changes": 0, "shown_at": START, "locked_at": START + timedelta(hours=1),
        }  # fmt: skip


def _closing(visit: str, said: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for item, value in said.items():
        refused = value == "rather_not_say"
        yield {
            "visit": visit, "item": item, "value": "" if refused else value,
            "value_blank": "rather_not_say" if refused else "",
        }  # fmt: skip
