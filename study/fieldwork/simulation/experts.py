"""Who the simulated experts are: what each of them is like and thinks, drawn from one seed.

A score is drawn on a latent scale: object effect + Org + rater severity + noise, cut
at four thresholds (a cumulative model with a normal link). The values are kept
beside the data as truth, so that analyses can be checked against them.

Every decision has a stream of its own, named after what it is about: what somebody
thinks of the cases depends on nothing that happened before, and on no thread.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import NormalDist

from study.fieldwork.simulation import distributions as given

TRAITS = frozenset(
    {"severity", "kind", "attention", "fluency", "gap", "aware", "dropout", "stop", "straight", "pasted"}
)
"""Streams of the person: the same at every visit."""


@dataclass(frozen=True)
class Rates:
    """Stated distributions: SD of severity, the chance of each kind of gap, and the share of each careless kind."""

    severity_sd: float = 0.7
    error: float = 0.25
    cannot_judge: float = 0.06
    skip: float = 0.06
    dropout: float = 0.0
    rather_not: float = 0.02
    left_open: float = 0.0
    aware: float = 0.2
    careless: Mapping[str, float] = field(default_factory=dict)

    def check(self) -> None:
        """Raises ValueError for a rate that is none."""
        for name in ("error", "cannot_judge", "skip", "dropout", "rather_not", "left_open", "aware"):
            _share(name, getattr(self, name))
        if self.severity_sd < 0:
            raise ValueError(f"severity_sd is {self.severity_sd}; give 0 or more")
        for kind, share in self.careless.items():
            if kind not in given.KINDS:
                raise ValueError(f"{kind!r} is no careless kind; give one of {', '.join(given.KINDS)}")
            _share(kind, share)
        _share("the sum of the careless shares", sum(self.careless.values()))


def _share(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise ValueError(f"{name} is {value}; give a share between 0 and 1")


@dataclass(frozen=True)
class Expert:
    """One simulated expert, wholly given by seed, number and rates."""

    number: int
    seed: int
    rates: Rates
    eligible: bool = True
    period: int = 1
    """Which of their visits it is: decisions are new ones, the person is the same."""

    @property
    def address(self) -> str:
        return f"sim-{self.number:03d}@example.test"

    # --- what this person is like

    @cached_property
    def severity(self) -> float:
        """Added to every score of this expert on the latent scale: above 0 is lenient."""
        return round(self.draw("severity").gauss(0, self.rates.severity_sd), 4)

    @cached_property
    def kind(self) -> str:
        """Careful, or one of the careless kinds."""
        left = self.draw("kind").random()
        for kind in given.KINDS:
            left -= self.rates.careless.get(kind, 0.0)
            if left < 0:
                return kind
        return given.CAREFUL

    @cached_property
    def attention(self) -> float:
        return 0.0 if self.kind == "speeder" else round(self.draw("attention").betavariate(*given.ATTENTION), 4)

    @cached_property
    def fluency(self) -> float:
        """A factor on the seconds of everything in the CRM."""
        return round(self.lognormal("fluency", given.FLUENCY), 4)

    @cached_property
    def gap(self) -> float:
        return round(self.draw("gap").gauss(*given.GAP), 4)

    @cached_property
    def aware(self) -> bool:
        """Whether this person thinks that high ratings are hoped for."""
        return self.happens(self.rates.aware, "aware")

    @cached_property
    def coverage(self) -> float:
        """The chance that something they did lately could have been done here."""
        mean, slope = given.COVERED
        return round(NormalDist().cdf(mean + slope * self.severity), 4)

    @cached_property
    def stop(self) -> str:
        """Where this person closes the window for good; empty for whoever stays."""
        if not self.happens(self.rates.dropout, "dropout"):
            return ""
        return self.draw("stop").choices(given.STOPS, given.STOP_WEIGHTS)[0]

    @property
    def stays(self) -> bool:
        return not self.stop

    @cached_property
    def straight(self) -> int:
        """The point a straightliner gives to everything."""
        return int(self.one_of("straight", given.STRAIGHT_POINTS))

    # --- drawing

    def draw(self, about: str) -> random.Random:
        """A fresh stream for one decision: the same name gives the same draws again."""
        again = "" if self.period == 1 or about in TRAITS else f"@{self.period}"
        return random.Random(f"{self.seed}:expert:{self.number}:{about}{again}")  # noqa: S311 a simulation, not a secret

    def at_visit(self, period: int) -> Expert:
        return replace(self, period=period)

    def happens(self, chance: float, about: str) -> bool:
        return self.draw(about).random() < chance

    def one_of(self, about: str, weights: Mapping[str, float]) -> str:
        return self.draw(about).choices(list(weights), list(weights.values()))[0]

    def lognormal(self, about: str, shape: tuple[float, float]) -> float:
        """Median and SD of the logarithm."""
        return shape[0] * math.exp(self.draw(about).gauss(0, shape[1]))

    def seconds(self, about: str, shape: tuple[float, float]) -> float:
        """How long this person takes for one thing; a speeder hardly any time."""
        if self.kind == "speeder":
            return self.draw(f"seconds/{about}").uniform(*given.SPEEDER_SECONDS)
        return self.fluency * self.lognormal(f"seconds/{about}", shape)

    # --- scores

    def latent(self, target: str, effect: float, noise_sd: float = given.NOISE_SD) -> float:
        sd = given.SPEEDER_NOISE if self.kind == "speeder" else noise_sd
        demand = given.AWARE_SHIFT if self.aware else 0.0
        return effect + self.severity + demand + self.draw(f"score/{target}").gauss(0, sd)

    def score(self, target: str, effect: float) -> int:
        """1 to 5: where the latent value falls between the thresholds, or what a careless kind gives."""
        if self.kind == "straightliner":
            return self.straight
        if self.kind == "random":
            return self.draw(f"score/{target}").randint(1, 5)
        return point(self.latent(target, effect))

    def first_choice(self, target: str, score: int) -> int:
        """What is clicked first: the score, or now and then a point beside it."""
        if self.kind != given.CAREFUL or not self.happens(given.SECOND_THOUGHTS, f"thoughts/{target}"):
            return score
        beside = [one for one in (score - 1, score + 1) if 1 <= one <= 5]
        return self.draw(f"beside/{target}").choice(beside)


def point(latent: float) -> int:
    return 1 + sum(latent > threshold for threshold in given.THRESHOLDS)


def some_of(records: list[str], attention: float, most: int, draw: random.Random) -> list[str]:
    """One of these, and of ``most - 1`` others the share that attention opens."""
    many = 1 + sum(draw.random() < attention for _ in range(most - 1))
    return draw.sample(records, min(len(records), many))


def object_effects(targets: list[str], seed: int) -> dict[str, float]:
    """How realistic each target is on the latent scale; the same for every expert of a seed."""
    return {
        target: round(random.Random(f"{seed}:effect:{target}").gauss(given.OBJECT_MEAN, given.OBJECT_SD), 4)  # noqa: S311
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
        "rates": vars(rates) | {"careless": dict(rates.careless)},
        "distributions": given.stated(),
        "object_effects": dict(effects),
        "own_latent": {name: round(effect + given.GAP[0], 4) for name, effect in effects.items()},
        "experts": [person(one) | {"participant": codes.get(one.address, "")} for one in experts],
    }


def person(one: Expert) -> dict[str, object]:
    """Everything drawn once for a person."""
    names = (
        "number",
        "eligible",
        "kind",
        "severity",
        "attention",
        "fluency",
        "gap",
        "aware",
        "coverage",
        "stop",
        "stays",
    )
    return {name: getattr(one, name) for name in names}
