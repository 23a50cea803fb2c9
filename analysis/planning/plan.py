"""A plan: what numbers of raters buy under stated assumptions, how many are needed, and what the stopping rule does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from analysis.context import SEED
from analysis.planning.assumptions import Assumptions
from analysis.planning.equivalence import tost_n, tost_power, warning
from analysis.planning.operating import Characteristics, operating_characteristics
from analysis.planning.power import difference_n, smallest_difference
from analysis.planning.precision import Precision, inflated, precision, precision_n, wilson_n
from analysis.planning.stopping import StoppingRule

REPLICATES = 2000
NUMBERS = (10, 15, 20, 30, 40, 60)
RULE = StoppingRule("precision", 20, 40, first_look=15, every=5, half_width=0.10)
FOR_SEARCH = 300  # of an expected width, whose own spread is small
MOST_NUMBERS = 40_000_000  # drawn at once: 320 MB


@dataclass(frozen=True)
class Question:
    """numbers: of analysed raters to tabulate; margin of equivalence and difference to be seen: shares."""

    assumed: Assumptions = field(default_factory=Assumptions)
    numbers: tuple[int, ...] = NUMBERS
    margin: float = 0.10
    difference: float = 0.10
    rule: StoppingRule = RULE
    replicates: int = REPLICATES
    seed: int = SEED

    def __post_init__(self) -> None:
        if not self.numbers or min(self.numbers) < 2:
            raise ValueError("give numbers of raters, each at least 2, such as 10,20,30")
        for name, share in (("margin", self.margin), ("difference", self.difference)):
            if not 0 < share < 1:
                raise ValueError(f"{name} is {share}; give a share between 0 and 1, such as 0.1 for ten points")
        if self.replicates < 100:
            raise ValueError(f"replicates is {self.replicates}; give at least 100, better 2000")
        largest = max(*self.numbers, self.rule.most)
        if self.replicates * largest * self.assumed.objects > MOST_NUMBERS:
            raise ValueError(
                f"{self.replicates} studies of {largest} raters and {self.assumed.objects} objects don't fit "
                f"into memory; give at most {MOST_NUMBERS // (largest * self.assumed.objects)} replicates"
            )


@dataclass(frozen=True)
class Row:
    """What n analysed raters give. seen: smallest difference found with power .80, None where none is; equivalence:
    power of the two one-sided tests at a true difference of 0. paired: the same raters see both Orgs.
    """

    precision: Precision
    seen_paired: float | None
    seen_unpaired: float | None
    equivalence_paired: float
    equivalence_unpaired: float


@dataclass(frozen=True)
class Needed:
    """Fewest analysed raters, per group where unpaired; begin: with those who are lost."""

    for_what: str
    n: int
    begin: int


@dataclass(frozen=True)
class Plan:
    question: Question
    rows: tuple[Row, ...]
    needed: tuple[Needed, ...]
    characteristics: Characteristics | None
    notes: tuple[str, ...]


def plan(question: Question) -> Plan:
    """Everything the command prints. The same question gives the same plan."""
    rows = tuple(_row(question, n) for n in sorted(set(question.numbers)))
    characteristics, notes = None, []
    try:
        stream = np.random.default_rng([question.seed, 3])
        characteristics = operating_characteristics(question.rule, question.assumed, stream, question.replicates)
    except ValueError as problem:
        if question.rule.kind != "fixed":
            notes.append(f"The stopping rule was not simulated: {problem}.")
    return Plan(question, rows, _needed(question), characteristics, (*notes, *_warnings(question, rows)))


def _row(question: Question, n: int) -> Row:
    assumed, many, seed = question.assumed, question.replicates, question.seed
    alpha_seed = [seed, n]
    return Row(
        precision(assumed, n, np.random.default_rng([*alpha_seed, 0]), many, question.rule.level),
        smallest_difference(assumed, n, seed, many, paired=True),
        smallest_difference(assumed, n, seed, many, paired=False),
        tost_power(assumed, n, question.margin, np.random.default_rng([*alpha_seed, 1]), many, paired=True),
        tost_power(assumed, n, question.margin, np.random.default_rng([*alpha_seed, 2]), many, paired=False),
    )


def _needed(question: Question) -> tuple[Needed, ...]:
    assumed, points = question.assumed, _points
    asked: list[tuple[str, int]] = []
    half = question.rule.half_width
    if half is not None:
        mean = precision_n(assumed, half, question.seed, min(question.replicates, FOR_SEARCH), question.rule.level)
        if mean is not None:
            asked.append((f"mean over objects within ± {points(half)} points, expected", mean))
        asked.append((f"Org approval within ± {points(half)} points (Wilson)",
                      wilson_n(half, assumed.share, question.rule.level)))  # fmt: skip
    for paired in (True, False):
        who = "same raters" if paired else "other raters, each group"
        asked.append((f"a difference of {points(question.difference)} points, {who}",
                      difference_n(assumed, question.difference, paired=paired)))  # fmt: skip
    for paired in (True, False):
        who = "same raters" if paired else "other raters, each group"
        asked.append((f"equivalence within ± {points(question.margin)} points, {who}",
                      tost_n(assumed, question.margin, paired=paired)))  # fmt: skip
    return tuple(Needed(words, n, inflated(n, assumed.lost)) for words, n in asked)


def _warnings(question: Question, rows: Sequence[Row]) -> list[str]:
    """Said before a margin is frozen: at the planned number, or the listed one next to it."""
    at = min(rows, key=lambda row: (abs(row.precision.n - question.rule.target), row.precision.n))
    said = []
    for power, paired in ((at.equivalence_paired, True), (at.equivalence_unpaired, False)):
        needed = tost_n(question.assumed, question.margin, paired=paired)
        said.append(warning(power, at.precision.n, question.margin, needed, paired=paired))
    return [sentence for sentence in said if sentence]


def _points(share: float) -> str:
    return f"{100 * share:g}"
