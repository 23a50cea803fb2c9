"""Who the simulated experts are: severity, errors and gaps drawn from stated distributions and one seed.

A score is drawn on a latent scale: object effect + rater severity + noise, cut
at four thresholds (a cumulative model with a normal link). The values are kept
beside the data as truth, so that analyses can be checked against them.

Every decision has a stream of its own, named after what it is about: what somebody
thinks of the cases depends on nothing that happened before, and on no thread.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

THRESHOLDS = (-1.5, -0.5, 0.45, 1.45)
OBJECT_MEAN, OBJECT_SD, NOISE_SD = 0.75, 0.45, 0.9
SECOND_THOUGHTS = 0.12
"""Share of cards on which somebody chooses one thing first and another in the end (M16)."""


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
    """One simulated expert, wholly given by seed, number and rates."""

    number: int
    seed: int
    rates: Rates
    eligible: bool = True

    @property
    def address(self) -> str:
        return f"sim-{self.number:03d}@example.test"

    @property
    def severity(self) -> float:
        """Added to every score of this expert on the latent scale: above 0 is lenient."""
        return round(self.draw("severity").gauss(0, self.rates.severity_sd), 4)

    @property
    def stays(self) -> bool:
        return not self.happens(self.rates.dropout, "dropout")

    def draw(self, about: str) -> random.Random:
        """A fresh stream for one decision: the same name gives the same draws again."""
        return random.Random(f"{self.seed}:expert:{self.number}:{about}")  # noqa: S311 a simulation, not a secret

    def happens(self, chance: float, about: str) -> bool:
        return self.draw(about).random() < chance

    def score(self, target: str, effect: float) -> int:
        """1 to 5: where object effect + severity + noise falls between the thresholds."""
        latent = effect + self.severity + self.draw(f"score/{target}").gauss(0, NOISE_SD)
        return 1 + sum(latent > threshold for threshold in THRESHOLDS)

    def first_choice(self, target: str, score: int) -> int:
        """What is clicked first: the score, or now and then a point beside it."""
        if not self.happens(SECOND_THOUGHTS, f"thoughts/{target}"):
            return score
        beside = [point for point in (score - 1, score + 1) if 1 <= point <= 5]
        return self.draw(f"beside/{target}").choice(beside)


def object_effects(targets: list[str], seed: int) -> dict[str, float]:
    """How realistic each target is on the latent scale; the same for every expert of a seed."""
    return {
        target: round(random.Random(f"{seed}:effect:{target}").gauss(OBJECT_MEAN, OBJECT_SD), 4)  # noqa: S311
        for target in sorted(targets)
    }


def make_experts(count: int, seed: int, rates: Rates, *, screened_out: int = 0, first: int = 1) -> list[Expert]:
    """``count`` experts who qualify, then ``screened_out`` people who don't, numbered from ``first``."""
    rates.check()
    return [Expert(first + place, seed, rates, eligible=place < count) for place in range(count + screened_out)]


def truth(
    experts: list[Expert], effects: Mapping[str, float], seed: int, rates: Rates, codes: Mapping[str, str]
) -> dict[str, object]:
    """What was drawn, to lie beside the data: never in the bundle."""
    return {
        "seed": seed,
        "thresholds": THRESHOLDS,
        "noise_sd": NOISE_SD,
        "rates": vars(rates),
        "second_thoughts": SECOND_THOUGHTS,
        "object_effects": dict(effects),
        "experts": [
            {"participant": codes.get(e.address, ""), "severity": e.severity, "stays": e.stays, "eligible": e.eligible}
            for e in experts
        ],
    }
