"""Agreement of coders on one code: given or not given, over texts that come in clusters, one cluster per writer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analysis.agreement.alpha import alpha_of
from analysis.agreement.chance import corrected, gwet_chance
from analysis.agreement.cohen import kappa_of
from analysis.agreement.found import NO_VARIATION
from analysis.agreement.jackknife import jackknife
from analysis.agreement.matrix import Floats, percent_agreement, rating_matrix

NO_COMMON = "not defined – no text was read by two coders"
WRITERS = "jackknife over participants, t"
VALUES = np.array([0.0, 1.0])


@dataclass(frozen=True)
class CodeAgreement:
    """One coefficient for one code, or None with the reason; the interval leaves out one participant at a time."""

    coefficient: str
    value: float | None
    reason: str
    low: float | None = None
    high: float | None = None
    se: float | None = None
    interval: str = ""
    note: str = ""


@dataclass(frozen=True)
class CodeCounts:
    """How often a code was given. texts: read by two coders or more; by: per coder, among these; all, some, none:
    texts to which all of their coders, only some, or none gave it; percent: agreeing pairs; prevalence: share of
    single judgements that gave the code."""

    texts: int
    participants: int
    by: tuple[int, ...]
    all: int
    some: int
    none: int
    percent: float | None
    prevalence: float | None


def code_agreement(
    given: ArrayLike, writers: Sequence[str], level: float = 0.95
) -> tuple[CodeCounts, list[CodeAgreement]]:
    """given: shape (coders, texts), 1 code given, 0 read and not given, NaN not read; writers: who wrote each text.

    Two coders: kappa, AC1 and alpha; more: alpha and AC1. Raises ValueError where the shapes don't fit.
    """
    judged = rating_matrix(given, (0, 1))
    if judged.shape[1] != len(writers):
        raise ValueError("writers needs one entry per text")
    pairs = (~np.isnan(judged)).sum(axis=0) >= 2
    judged, people = judged[:, pairs], [name for name, kept in zip(writers, pairs, strict=True) if kept]
    names = _names(len(judged))
    if not judged.shape[1]:
        counts = CodeCounts(0, 0, (0,) * len(judged), 0, 0, 0, None, None)
        return counts, [CodeAgreement(name, None, NO_COMMON) for name in names]
    chosen = (judged[:, :, None] == VALUES).astype(float)
    clusters = _clusters(people)
    return _counts(judged, chosen, len(clusters)), [_one(name, chosen, clusters, level) for name in names]


def _names(coders: int) -> tuple[str, ...]:
    return ("Cohen's kappa", "Gwet's AC1", "Krippendorff's alpha") if coders == 2 else (
        "Krippendorff's alpha", "Gwet's AC1",
    )  # fmt: skip


def _clusters(people: Sequence[str]) -> Floats:
    """Shape (participants, texts), 1 where the participant wrote the text."""
    names = np.array(list(dict.fromkeys(people)), dtype=str)
    return np.asarray(names[:, None] == np.array(people, dtype=str), dtype=float)


def _counts(judged: Floats, chosen: Floats, participants: int) -> CodeCounts:
    counts = chosen.sum(axis=0)
    given, read = counts[:, 1], counts.sum(axis=1)
    return CodeCounts(
        len(read), participants, tuple(int(n) for n in (judged == 1).sum(axis=1)), int((given == read).sum()),
        int(((given > 0) & (given < read)).sum()), int((given == 0).sum()),
        float(percent_agreement(counts, np.eye(2))), float(given.sum() / read.sum()),
    )  # fmt: skip


def _one(name: str, chosen: Floats, clusters: Floats, level: float) -> CodeAgreement:
    value = float(_values(name, chosen, np.ones((1, chosen.shape[1])))[0])
    if np.isnan(value):
        return CodeAgreement(name, None, NO_VARIATION)
    spread = jackknife(value, _values(name, chosen, 1 - clusters), level, "participant")
    return CodeAgreement(name, value, "", spread.low, spread.high, spread.se, WRITERS, spread.note)


def _values(name: str, chosen: Floats, kept: Floats) -> Floats:
    """The coefficient of several choices of texts; NaN where it is not defined.

    chosen: shape (coders, texts, 2); kept: (choices, texts), 1 for a text that is in the choice.
    """
    if name == "Cohen's kappa":
        tables = np.einsum("pt,ti,tj->pij", kept, chosen[0], chosen[1])
        return kappa_of(tables, np.eye(2))
    # A text left out has no judgement, and so no part in any of the means.
    counts = kept[:, :, None] * chosen.sum(axis=0)
    if name == "Gwet's AC1":
        return corrected(counts, np.eye(2), gwet_chance)
    return alpha_of(counts, counts, VALUES, "nominal")
