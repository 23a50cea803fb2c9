"""Who the simulated experts are: severity, errors and gaps drawn from stated distributions and one seed.

A score is drawn on a latent scale: object effect + rater severity + noise, cut
at four thresholds (a cumulative model with a normal link). The values are kept
beside the data as truth, so that analyses can be checked against them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

THRESHOLDS = (-1.5, -0.5, 0.45, 1.45)
OBJECT_MEAN, OBJECT_SD, NOISE_SD = 0.75, 0.45, 0.9


@dataclass(frozen=True)
class Rates:
    """Stated distributions: SD of severity, and the chance of each kind of gap."""

    severity_sd: float = 0.7
    error: float = 0.25
    cannot_judge: float = 0.06
    skip: float = 0.06
    dropout: float = 0.0

    def check(self) -> None:
        """Raises ValueError for a rate that is none."""
        for name in ("error", "cannot_judge", "skip", "dropout"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is {getattr(self, name)}; give a share between 0 and 1")
        if self.severity_sd < 0:
            raise ValueError(f"severity_sd is {self.severity_sd}; give 0 or more")


@dataclass(frozen=True)
class Expert:
    """One simulated expert; ``draw`` is theirs alone, so that threads cannot change what anybody does."""

    number: int
    address: str
    severity: float
    stays: bool
    eligible: bool
    draw: random.Random
    rates: Rates

    def score(self, effect: float) -> int:
        latent = effect + self.severity + self.draw.gauss(0, NOISE_SD)
        return 1 + sum(latent > threshold for threshold in THRESHOLDS)

    def happens(self, chance: float) -> bool:
        return self.draw.random() < chance


def object_effects(targets: list[str], seed: int) -> dict[str, float]:
    """How realistic each target is on the latent scale; the same for every expert of a seed."""
    return {
        target: round(random.Random(f"{seed}:effect:{target}").gauss(OBJECT_MEAN, OBJECT_SD), 4)  # noqa: S311
        for target in sorted(targets)
    }


def make_experts(count: int, seed: int, rates: Rates, *, screened_out: int = 0, first: int = 1) -> list[Expert]:
    """``count`` experts who qualify, then ``screened_out`` people who don't, numbered from ``first``."""
    rates.check()
    experts = []
    for place in range(count + screened_out):
        number = first + place
        draw = random.Random(f"{seed}:expert:{number}")  # noqa: S311 a simulation, not a secret
        severity = round(draw.gauss(0, rates.severity_sd), 4)
        stays = draw.random() >= rates.dropout
        address = f"sim-{number:03d}@example.test"
        experts.append(Expert(number, address, severity, stays, place < count, draw, rates))
    return experts


def truth(
    experts: list[Expert], effects: Mapping[str, float], seed: int, codes: Mapping[str, str]
) -> dict[str, object]:
    """What was drawn, to lie beside the data: never in the bundle."""
    return {
        "seed": seed,
        "thresholds": THRESHOLDS,
        "noise_sd": NOISE_SD,
        "object_effects": dict(effects),
        "experts": [
            {"participant": codes.get(e.address, ""), "severity": e.severity, "stays": e.stays, "eligible": e.eligible}
            for e in experts
        ],
    }
