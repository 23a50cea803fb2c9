"""Every public statistic of the package, with what must be true of it whatever the ratings are.

`ENTRIES` are the statistics and their properties, `STEPS` the parts they are made of (or what is no statistic at all),
`OTHER` the modules that read, write, draw or word. A public function of a module in none of the three is an error: see
`test_properties.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from analysis import bands, bootstrap, clusters, comparisons, heterogeneity, pooling, proportions
from analysis.agreement import alpha, chance, cohen, retest
from analysis.agreement.coders import code_agreement
from analysis.agreement.intraclass import FORMS, intraclass
from analysis.care import patterns
from analysis.comparing import effects, equivalence, means, permutation, ranks, rater_means, signs, two_by_two
from analysis.discrimination import anchors, bradley_terry, signal
from analysis.hour import adjusted, calibration
from analysis.hour import means as hour_means
from analysis.hour.richness import chao1, chao2
from analysis.ordinal.marginal import marginal_approval
from analysis.ordinal.modes import severities
from analysis.ordinal.table import score_table
from analysis.planning import betting, precision, sequences


@dataclass(frozen=True)
class Data:
    """A study: scores 1 to 5 of two visits, shape (raters, objects), NaN without; approval is `cut` or more."""

    scores: np.ndarray
    again: np.ndarray
    cut: float = 4

    # --- what statistics take

    @cached_property
    def valid(self) -> np.ndarray:
        return np.isfinite(self.scores).astype(float)

    @cached_property
    def approved(self) -> np.ndarray:
        return (np.where(np.isfinite(self.scores), self.scores, 0) >= self.cut).astype(float)

    @property
    def sums(self) -> tuple[np.ndarray, np.ndarray]:
        """Approvals and valid ratings of each rater."""
        return self.approved.sum(axis=1), self.valid.sum(axis=1)

    @property
    def counts(self) -> tuple[float, float]:
        """k and n of the first object."""
        return (float(self.approved[:, 0].sum()), float(self.valid[:, 0].sum())) if self.valid.shape[1] else (0.0, 0.0)

    @property
    def by_object(self) -> tuple[np.ndarray, np.ndarray]:
        return self.approved.sum(axis=0), self.valid.sum(axis=0)

    def own_means(self, scores: np.ndarray | None = None) -> np.ndarray:
        """Each rater's mean score, of raters who have one."""
        chosen = self.scores if scores is None else scores
        kept = chosen[np.isfinite(chosen).any(axis=1)] if chosen.size else chosen[:0]
        return np.array([row[np.isfinite(row)].mean() for row in kept])

    @property
    def differences(self) -> np.ndarray:
        """First less second visit, of raters with both."""
        both = np.isfinite(self.scores).any(axis=1) & np.isfinite(self.again).any(axis=1)
        return self.own_means(self.scores[both]) - self.own_means(self.again[both])

    @property
    def pairs(self) -> tuple[np.ndarray, np.ndarray, list[str]]:
        """Ratings of one object by one rater in both visits, and whose they are."""
        rater, thing = np.nonzero(np.isfinite(self.scores) & np.isfinite(self.again))
        return self.scores[rater, thing], self.again[rater, thing], [f"r{one}" for one in rater]

    @property
    def table(self) -> tuple[int, int, int, int]:
        """Raters who approve of the first object in both visits, only first, only second, neither."""
        if not self.scores.shape[1]:
            return 0, 0, 0, 0
        both = np.isfinite(self.scores[:, 0]) & np.isfinite(self.again[:, 0])
        x, y = self.scores[both, 0] >= self.cut, self.again[both, 0] >= self.cut
        return int((x & y).sum()), int((x & ~y).sum()), int((~x & y).sum()), int((~x & ~y).sum())

    @property
    def long(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Scores, raters and objects of all ratings."""
        rater, thing = np.nonzero(np.isfinite(self.scores))
        names = np.array([f"o{one}" for one in thing], dtype=str)
        return self.scores[rater, thing], np.array([f"r{one:03d}" for one in rater], dtype=str), names

    # --- the same study otherwise

    def with_raters(self, order: np.ndarray) -> Data:
        return replace(self, scores=self.scores[order], again=self.again[order])

    def with_objects(self, order: np.ndarray) -> Data:
        return replace(self, scores=self.scores[:, order], again=self.again[:, order])

    def reversed(self) -> Data:
        """Every score s is 6 − s, and what was no approval is one."""
        return Data(6 - self.scores, 6 - self.again, 7 - self.cut)

    def twice(self) -> Data:
        return self.with_raters(np.tile(np.arange(len(self.scores)), 2))


class Got(NamedTuple):
    """What came out: estimate, low, high (None without), and the result as it was returned."""

    estimate: float | None
    low: float | None
    high: float | None
    result: Any


def got(result: Any, value: str = "estimate") -> Got:
    """Of a result with low and high."""
    return Got(getattr(result, value), getattr(result, "low", None), getattr(result, "high", None), result)


SHARE, FREE, POINTS = (0.0, 1.0), (-np.inf, np.inf), (1.0, 5.0)
SAME, COMPLEMENT, NEGATED, MIRRORED = "same", "complement", "negated", "mirrored"
RATERS, OBJECTS, CONTAINS, WIDENS, NARROWS = "raters", "objects", "contains", "widens", "narrows"
RISES, LIMITS_RISE = "rises", "limits rise"
ORDER = frozenset({RATERS, OBJECTS})
INTERVAL = frozenset({CONTAINS, WIDENS})


@dataclass(frozen=True)
class Entry:
    """One statistic. call: data and level to Got. holds: its properties; reversal: what 6 − s does to it.

    reversal: "same"; "complement" of a share; "negated" difference; "mirrored" on the scale; empty: nothing is claimed.
    lies: range of estimate and limits. dear: takes so long that few examples must do.
    """

    functions: tuple[str, ...]
    call: Callable[[Data, float], Got]
    holds: frozenset[str] = ORDER | INTERVAL
    reversal: str = ""
    lies: tuple[float, float] = FREE
    name: str = ""
    dear: bool = False

    @property
    def title(self) -> str:
        return self.name or self.functions[0].partition("analysis.")[2]


def fresh() -> np.random.Generator:
    return np.random.default_rng(1)


def _proportion(interval: Callable[[float, float, float], tuple[float, float]]) -> Callable[[Data, float], Got]:
    def call(data: Data, level: float) -> Got:
        k, n = data.counts
        low, high = interval(k, n, level)
        return Got(k / n if n else None, low, high, (low, high))

    return call


def _two_counts(interval: Callable[..., Any]) -> Callable[[Data, float], Got]:
    def call(data: Data, level: float) -> Got:
        other = replace(data, scores=data.again)
        (k_a, n_a), (k_b, n_b) = data.counts, other.counts
        return got(interval(int(k_a), int(n_a), int(k_b), int(n_b), level))

    return call


def _bootstrap(method: Callable[..., Any]) -> Callable[[Data, float], Got]:
    def call(data: Data, level: float) -> Got:
        raters = len(data.scores)
        if not raters:
            return Got(None, None, None, None)
        found = bootstrap.resample(bootstrap.jointly(data.approved, data.valid), raters, 60, fresh())
        return got(bootstrap.share_intervals(data.approved, data.valid, found, method, level)[0])

    return call


def _bands(data: Data, level: float, joint: bool) -> Got:
    k, n = data.by_object
    if not len(n):
        return Got(None, None, None, None)
    draws = bootstrap.object_shares(data.approved, data.valid)
    raters = max(len(data.scores), 1)
    found = (
        bands.joint_bands(k, n, draws(bootstrap.resample_counts(raters, 60, fresh())), level)
        if joint and len(data.scores)
        else bands.bonferroni_bands(k, n, level)
    )
    return Got(float(k[0] / n[0]) if n[0] else None, found.low[0], found.high[0], found)


def _pooled(data: Data, level: float, fit: Callable[..., Any]) -> Got:
    k, n = data.by_object
    prior = fit(k, n)
    found = pooling.pooled(prior, k, n, level)
    first = found[0] if found else None
    return got(first) if first else Got(prior.mean, None, None, prior)


def _model(data: Data, level: float) -> Got:
    """Marginal approval of the ordinal model."""
    table = score_table(*data.long)
    if table.against():
        return Got(None, None, None, table.against())
    fit = table.fit()
    severities(fit)
    return got(marginal_approval(fit, table.rows(), level))


def _strata(data: Data, level: float) -> Got:
    """Second visit as treatment, within objects, raters as clusters."""
    rows = [
        (score, float(visit), thing, rater)
        for visit, scores in enumerate((data.again, data.scores))
        for (rater, thing), score in np.ndenumerate(scores)
        if np.isfinite(score)
    ]
    columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], [], []]
    return got(adjusted.within_strata_difference(*columns, level))


def _calibration(data: Data, level: float) -> Got:
    """Scores as confidence, approval in the second visit as being right."""
    first, second, names = data.pairs
    found = calibration.calibration((first - 1) / 4, (second >= 4).astype(float), names, names, level)
    return Got(found.overconfidence.estimate, found.overconfidence.low, found.overconfidence.high, found)


def _anchors(data: Data, level: float) -> Got:
    clean = [row[np.isfinite(row)] for row in data.scores]
    broken = [row[np.isfinite(row)] for row in data.again]
    found = anchors.known_groups(clean, broken, fresh(), level)
    return Got(found.difference.estimate, found.difference.low, found.difference.high, found)


def _dose(data: Data, level: float) -> Got:
    rater, grade = np.nonzero(np.isfinite(data.scores))
    found = anchors.dose_response(rater, grade, data.scores[rater, grade], level).slope
    return Got(found.estimate, found.low, found.high, found)


def _across(data: Data, level: float) -> Got:
    found = signal.across_raters(data.own_means(), fresh(), 60, level)
    return Got(found.mean.estimate, found.mean.low, found.mean.high, found)


def _abilities(data: Data, level: float) -> Got:
    """Which object was scored higher, rater by rater; lightly regularised, as wins may be one-sided."""
    x = data.scores
    if x.shape[1] < 2 or not len(x):
        return Got(None, None, None, None)
    more = (np.nan_to_num(x, nan=-9)[:, :, None] > np.nan_to_num(x, nan=-9)[:, None, :]).astype(float)
    known = np.isfinite(x)[:, :, None] & np.isfinite(x)[:, None, :]
    found = bradley_terry.bradley_terry((more * known).sum(axis=0), prior=0.5)
    return Got(float(found[1]), None, None, tuple(map(float, found)))


def _detection(data: Data, level: float) -> Got:
    other = replace(data, scores=data.again)
    (hits, signals), (alarms, noises) = data.counts, other.counts
    return got(signal.detection(int(hits), int(signals), int(alarms), int(noises)), "d_prime")


def _snapshots(data: Data, level: float) -> Got:
    values = data.own_means()
    found = heterogeneity.between_snapshots(values, [f"s{place % 3}" for place in range(len(values))], level)
    return got(found, "sd")


def _codes(data: Data, level: float) -> Got:
    """Objects as coders, raters as writers of one text each, approval as the code; the first coefficient."""
    given = np.where(np.isfinite(data.scores), data.approved, np.nan).T
    found = code_agreement(given, [f"w{place}" for place in range(len(data.scores))], level)
    return (
        Got(found[1][0].value, found[1][0].low, found[1][0].high, found) if found[1] else Got(None, None, None, found)
    )


def _kinds(data: Data) -> list[int]:
    """Scores as kinds: how often each occurs."""
    return [int((data.scores == point).sum()) for point in range(1, 6)]


def _sequence(data: Data, level: float) -> Got:
    """The confidence sequence at its end, with the raters in one order."""
    y, m = data.counts
    if not m:
        return Got(None, None, None, None)
    low, high = sequences.beta_mixture([y], [m], level)
    return Got(y / m, float(low[0]), float(high[0]), (float(low[0]), float(high[0])))


def _betting(data: Data, level: float) -> Got:
    values = (data.own_means() - 1) / 4
    if not len(values):
        return Got(None, None, None, None)
    low, high = betting.betting_sequence(values, level, grid=50)
    return Got(None, float(low[-1]), float(high[-1]), (float(low[-1]), float(high[-1])))


def _rater_means(data: Data, level: float) -> Got:
    kept = data.scores[np.isfinite(data.scores).any(axis=1)] if data.scores.size else data.scores[:0]
    return got(rater_means.rater_means(kept.reshape(-1, data.scores.shape[1])))


def _alone(value: Callable[[Data], Any]) -> Callable[[Data, float], Got]:
    """A statistic without an interval: a number or None, or a result of which only the form is checked."""

    def call(data: Data, level: float) -> Got:
        result = value(data)
        number = result if isinstance(result, (int, float)) else None
        return Got(None if number is None else float(number), None, None, result)

    return call


def _entry(*functions: str, call: Callable[[Data, float], Got], **rest: Any) -> Entry:
    return Entry(tuple(f"analysis.{one}" for one in functions), call, **rest)


def _agreement(function: str, calculate: Callable[[Data, float], Any], name: str = "", reversal: str = SAME) -> Entry:
    # The jackknife is cut at 1, so an estimate of 1 stands at the end of its interval.
    return _entry(
        function, call=lambda data, level: got(calculate(data, level), "value"), reversal=reversal, name=name,
        lies=(-np.inf, 1.0),
    )  # fmt: skip


# The mean of a beta distribution that is nearly all at one end may lie outside its quantiles.
POSTERIOR = frozenset({RATERS, WIDENS})
MONOTONE = frozenset({RISES, LIMITS_RISE, NARROWS})
OVER_RATERS = ORDER | INTERVAL | {NARROWS}
ENTRIES: tuple[Entry, ...] = (
    # --- one proportion
    *(
        _entry(
            f"proportions.{name}", call=_proportion(getattr(proportions, name)), lies=SHARE, reversal=COMPLEMENT,
            holds=frozenset({RATERS}) | INTERVAL | MONOTONE,
        )
        for name in ("wilson", "jeffreys", "clopper_pearson", "agresti_coull")
    ),
    # --- shares with raters as clusters
    _entry(
        "clusters.pooled_share_ci", "clusters.pooled_share", "clusters.cluster_wilson",
        call=lambda data, level: got(clusters.pooled_share_ci(*data.sums, level)),
        holds=OVER_RATERS | {RISES}, reversal=COMPLEMENT, lies=SHARE,
    ),
    _entry(
        "clusters.mean_objects_ci", "clusters.mean_over_objects",
        call=lambda data, level: got(clusters.mean_objects_ci(data.approved, data.valid, level)),
        holds=OVER_RATERS | {RISES}, reversal=COMPLEMENT, lies=SHARE,
    ),
    _entry(
        "clusters.cluster_clopper_pearson",
        call=lambda data, level: got(
            clusters.cluster_clopper_pearson(clusters.mean_over_objects(data.approved, data.valid), level)
        ),
        holds=OVER_RATERS | {RISES}, reversal=COMPLEMENT, lies=SHARE,
    ),
    _entry(
        "clusters.logit_t",
        call=lambda data, level: got(clusters.logit_t(clusters.pooled_share(*data.sums), level)),
        holds=OVER_RATERS | {RISES}, reversal=COMPLEMENT, lies=SHARE,
    ),
    _entry(
        "clusters.mean_score_over_objects",
        call=lambda data, level: got(
            clusters.mean_score_over_objects(np.nan_to_num(data.scores, nan=0.0), data.valid, level)
        ),
        holds=OVER_RATERS | {RISES}, reversal=MIRRORED, lies=POINTS,
    ),
    _entry("clusters.anova_icc", call=_alone(lambda data: clusters.anova_icc(*data.sums)), reversal=SAME),
    *(
        _entry(
            f"bootstrap.{name}", "bootstrap.share_intervals", "bootstrap.jointly", "bootstrap.resample",
            call=_bootstrap(getattr(bootstrap, name)), holds=frozenset({WIDENS, OBJECTS}), lies=SHARE, dear=True,
        )
        for name in ("percentile", "t_expanded", "bca")
    ),
    # --- objects together
    _entry("bands.bonferroni_bands", call=lambda data, level: _bands(data, level, False),
           holds=frozenset({RATERS}) | INTERVAL, lies=SHARE, reversal=COMPLEMENT),
    _entry("bands.joint_bands", call=lambda data, level: _bands(data, level, True),
           holds=INTERVAL, lies=SHARE, dear=True),
    _entry("pooling.fit", "pooling.pooled", call=lambda data, level: _pooled(data, level, pooling.fit),
           holds=POSTERIOR, lies=SHARE, dear=True),
    _entry("pooling.fit_by_moments", call=lambda data, level: _pooled(data, level, pooling.fit_by_moments),
           holds=POSTERIOR, lies=SHARE),
    _entry("heterogeneity.objects_differ",
           call=_alone(lambda data: heterogeneity.objects_differ(data.approved, data.valid, 40, fresh())),
           holds=frozenset(), dear=True),
    _entry("heterogeneity.between_snapshots", call=_snapshots, holds=frozenset({WIDENS}), reversal=SAME),
    # --- agreement
    *(
        _agreement(
            "agreement.alpha.krippendorff_alpha",
            lambda data, level, measure=measure: alpha.krippendorff_alpha(data.scores, measure, level=level),
            f"alpha, {measure}", "" if measure == "ratio" else SAME,
        )
        for measure in alpha.MEASURES
    ),
    *(
        _agreement(
            f"agreement.chance.{name}",
            lambda data, level, name=name, weights=weights: getattr(chance, name)(data.scores, weights, level=level),
            f"{name}, {weights}",
        )
        for name in ("gwet_ac", "brennan_prediger", "fleiss_kappa")
        for weights in ("identity", "linear", "quadratic", "ordinal")
    ),
    *(
        _entry(
            "agreement.cohen.weighted_kappa", name=f"kappa, {weights}", reversal=SAME, lies=(-np.inf, 1.0),
            call=lambda data, level, weights=weights: got(
                cohen.weighted_kappa(*data.pairs[:2], weights=weights, level=level), "value"
            ),
        )
        for weights in ("identity", "linear", "quadratic", "ordinal")
    ),
    *(
        _entry(
            "agreement.intraclass.intraclass", name=form, reversal=SAME, lies=(-np.inf, 1.0),
            # Limits of the reliability of a mean are cut at 0, its estimate is not.
            holds=ORDER | INTERVAL if form.endswith("1)") else ORDER | {WIDENS},
            call=lambda data, level, form=form: got(intraclass(data.scores, level)[form], "value"),
        )
        for form in FORMS
    ),
    _entry("agreement.coders.code_agreement", call=_codes, reversal=SAME, lies=(-np.inf, 1.0)),
    _entry("agreement.retest.retest_agreement", reversal=SAME, lies=(-np.inf, 1.0),
           call=lambda data, level: got(retest.retest_agreement(*data.pairs, level=level), "value")),
    # --- differences
    _entry("comparing.means.paired_t", call=lambda data, level: got(means.paired_t(data.differences, level)),
           holds=OVER_RATERS, reversal=NEGATED),
    _entry("comparing.means.welch", reversal=NEGATED, holds=OVER_RATERS,
           call=lambda data, level: got(means.welch(data.own_means(), data.own_means(data.again), level))),
    _entry("comparing.two_by_two.newcombe_paired", reversal=NEGATED, lies=(-1.0, 1.0),
           call=lambda data, level: got(two_by_two.newcombe_paired(*data.table, level)),
           holds=frozenset({RATERS}) | INTERVAL),
    *(
        _entry(f"comparing.two_by_two.{name}", call=_two_counts(getattr(two_by_two, name)), reversal=NEGATED,
               lies=(-1.0, 1.0), holds=frozenset({RATERS}) | INTERVAL)
        for name in ("newcombe_independent", "miettinen_nurminen")
    ),
    _entry("comparing.two_by_two.mcnemar", reversal=SAME, lies=SHARE, holds=frozenset({RATERS}),
           call=lambda data, level: got(two_by_two.mcnemar(*data.table[1:3]), "p")),
    _entry("comparing.signs.sign_flip", reversal=SAME, lies=SHARE, holds=ORDER,
           call=lambda data, level: got(signs.sign_flip(data.differences, fresh()), "p")),
    _entry("comparing.equivalence.tost", reversal=SAME, lies=SHARE, holds=ORDER,
           call=lambda data, level: (
               lambda found: Got(found.p, None, None, found)
           )(equivalence.tost(means.paired_t(data.differences, level), 0.5))),
    _entry("comparing.ranks.brunner_munzel", reversal=COMPLEMENT, lies=SHARE, holds=ORDER | {WIDENS}, dear=True,
           call=lambda data, level: got(
               ranks.brunner_munzel(data.own_means(), data.own_means(data.again), level, fresh(), 99), "a")),
    _entry("comparing.ranks.mann_whitney", reversal=SAME, lies=SHARE, holds=ORDER,
           call=lambda data, level: got(ranks.mann_whitney(data.own_means(), data.own_means(data.again)), "p")),
    _entry("comparing.ranks.rank_biserial", call=_alone(lambda data: ranks.rank_biserial(data.differences)),
           holds=ORDER, reversal=NEGATED, lies=(-1.0, 1.0)),
    _entry("comparing.ranks.paired_delta", call=_alone(lambda data: ranks.paired_delta(data.differences)),
           holds=ORDER, reversal=NEGATED, lies=(-1.0, 1.0)),
    _entry("comparing.effects.cohen_dz", call=_alone(lambda data: effects.cohen_dz(data.differences)),
           holds=ORDER, reversal=NEGATED),
    _entry("comparing.effects.hedges_g", holds=ORDER, reversal=NEGATED,
           call=_alone(lambda data: effects.hedges_g(data.own_means(), data.own_means(data.again)))),
    *(
        _entry(f"comparing.permutation.{name}", lies=SHARE, holds=frozenset(), dear=True,
               call=lambda data, level, name=name: got(
                   getattr(permutation, name)(data.own_means(), data.own_means(data.again), fresh(), 99), "p"
               ))
        for name in ("cluster_permutation", "permutation_on_a")
    ),
    _entry("comparing.rater_means.rater_means", call=_rater_means, holds=ORDER, reversal=MIRRORED, lies=POINTS),
    _entry("comparisons.mean_score", call=lambda data, level: got(comparisons.mean_score(data.own_means(), level)),
           holds=OVER_RATERS, reversal=MIRRORED),
    _entry("comparisons.signed_rank", holds=ORDER, reversal=SAME, lies=SHARE,
           call=lambda data, level: got(comparisons.signed_rank(data.differences), "p")),
    # --- the hour
    _entry("hour.means.ratio", call=lambda data, level: got(hour_means.ratio(*data.sums, level)),
           holds=OVER_RATERS | {RISES}, reversal=COMPLEMENT),
    _entry("hour.means.cluster_mean", reversal=MIRRORED, holds=ORDER | INTERVAL,
           call=lambda data, level: got(hour_means.cluster_mean(*data.long[:2], level))),
    _entry("hour.means.welch", reversal=NEGATED, holds=OVER_RATERS,
           call=lambda data, level: got(hour_means.welch(data.own_means(), data.own_means(data.again), level))),
    _entry("hour.means.rank_correlation", reversal=SAME, lies=(-1.0, 1.0), holds=frozenset({RATERS}) | INTERVAL,
           call=lambda data, level: got(hour_means.rank_correlation(*data.pairs[:2], level))),
    _entry("hour.means.spread", call=_alone(lambda data: hour_means.spread(data.own_means()).median), reversal=MIRRORED,
           holds=ORDER, lies=POINTS),
    _entry("hour.adjusted.within_strata_difference", call=_strata, holds=ORDER | INTERVAL, reversal=NEGATED),
    _entry("hour.calibration.calibration", "hour.calibration.brier", call=_calibration, holds=ORDER | INTERVAL),
    _entry("hour.richness.chao1", call=lambda data, level: got(chao1(_kinds(data), level)), holds=ORDER | INTERVAL,
           reversal=SAME),
    _entry("hour.richness.chao2", holds=ORDER | INTERVAL,
           call=lambda data, level: got(chao2(data.by_object[0].astype(int).tolist(), len(data.scores), level))),
    # --- records told apart
    _entry("discrimination.anchors.known_groups", "discrimination.anchors.difference",
           call=_anchors, holds=OVER_RATERS, reversal=NEGATED, dear=True),
    _entry("discrimination.anchors.auc", reversal=COMPLEMENT, lies=SHARE, holds=ORDER,
           call=_alone(lambda data: anchors.auc(data.own_means(), data.own_means(data.again)))),
    _entry("discrimination.anchors.dose_response", call=_dose, holds=frozenset({RATERS}) | INTERVAL, reversal=NEGATED),
    _entry("discrimination.bradley_terry.bradley_terry", call=_abilities, holds=frozenset({RATERS}), reversal=NEGATED,
           dear=True),
    _entry("discrimination.signal.detection", call=_detection, holds=frozenset({RATERS}), reversal=NEGATED),
    _entry("discrimination.signal.across_raters", call=_across, holds=OVER_RATERS, reversal=MIRRORED, dear=True),
    # --- models
    _entry("ordinal.marginal.marginal_approval", "ordinal.modes.severities", "ordinal.table.score_table",
           "ordinal.fitting.fit_cumulative", call=_model, holds=INTERVAL, lies=SHARE, dear=True),
    # --- care
    _entry("care.patterns.longstring", holds=frozenset(), reversal=SAME,
           call=_alone(lambda data: patterns.longstring(data.scores[0]) if len(data.scores) else None)),
    _entry("care.patterns.irv", holds=frozenset({OBJECTS}), reversal=SAME,
           call=_alone(lambda data: patterns.irv(data.scores[0]) if len(data.scores) else None)),
    _entry("care.patterns.person_total", holds=frozenset({OBJECTS}), reversal=SAME, lies=(-1.0, 1.0),
           call=_alone(lambda data: (patterns.person_total(data.scores) or [None])[0])),
    # --- planning
    _entry("planning.sequences.beta_mixture", call=_sequence, holds=frozenset({RATERS}) | INTERVAL, lies=SHARE,
           reversal=COMPLEMENT),
    _entry("planning.betting.betting_sequence", call=_betting,
           holds=frozenset({WIDENS, OBJECTS}), lies=SHARE, dear=True),
    _entry("planning.precision.wilson_half_width", holds=frozenset({RATERS}), reversal=SAME, lies=SHARE,
           call=_alone(lambda data: precision.wilson_half_width(
               data.counts[0] / max(data.counts[1], 1), max(data.counts[1], 1)))),
)  # fmt: skip


STEPS: Mapping[str, str] = {
    # Formulas, weights and counts that the entries above are made of, with tests of their own.
    "analysis.agreement.alpha": "alpha_of distances",
    "analysis.agreement.bootstrap": "rater_bootstrap",
    "analysis.agreement.chance": "corrected usage gwet_chance",
    "analysis.agreement.cohen": "cross_table kappa_of asymptotic_se",
    "analysis.agreement.intraclass": "spearman_brown complete_part mean_squares mean_squares_without_each single_forms",
    "analysis.agreement.jackknife": "jackknife",
    "analysis.agreement.matrix": "rated rating_matrix ratio percent_agreement",
    "analysis.agreement.weights": "agreement_weights",
    "analysis.bands": "bonferroni_z max_t",
    "analysis.bootstrap": "resample_counts object_shares mean_and_pooled bias_correction acceleration",
    "analysis.care.patterns": "robust_z",
    "analysis.care.unusual": "mahalanobis outfit unusual beyond",
    "analysis.cluster_sums": "cluster_sums",
    "analysis.clusters": "apriori_deff published_band effective_ratings",
    "analysis.comparing.means": "welch_from_summary from_summary",
    "analysis.comparing.multiplicity": "holm benjamini_hochberg fixed_sequence",
    "analysis.comparing.permutation": "divisions",
    "analysis.comparing.rater_means": "by_cluster",
    "analysis.comparing.signs": "checked",
    "analysis.discrimination.bradley_terry": "connected abilities",
    "analysis.discrimination.signal": "forced_choice_d equivalence_reading forced_choice_power",
    "analysis.heterogeneity": "permuted_approvals",
    "analysis.hour.means": "within_slopes",
    "analysis.hour.richness": "kinds_of",
    "analysis.ordinal.likelihood": "hermite_nodes one_node",
    "analysis.ordinal.marginal": "marginal_difference approval_of_rater",
    "analysis.ordinal.proportional": "binary_fits",
    "analysis.planning.betting": "hedged_log_capital predictable_bets",
    "analysis.planning.precision": "wilson_n inflated precision precision_n",
    "analysis.planning.sequences": "robust_beta_binomial running ever_excluded mixture_log_ratio",
    "analysis.proportions": "normal_quantile",
}

OTHER: tuple[str, ...] = (
    # Reading, writing, wording, drawing; rows of results.json made of the statistics above.
    "blocks", "bundle", "cells", "checklists", "cli", "columns", "context", "contrasts", "deviations", "document",
    "draw", "estimates", "figures", "flow", "groups", "incidents", "intervals", "markup", "methods", "page", "pages",
    "number_words", "plain", "printable", "plain_json", "published", "report", "results", "sentences", "tables",
    "writing", "agreement_tables", "severity_tables", "themes_tables", "coding",
    "approval_cells", "approval_tables", "baseline_files", "agreement.found",
    "care.choices", "care.events", "care.evidence", "care.flags", "care.headline", "care.lost", "care.rules",
    "care.sets", "care.software_only", "care.texts", "care.times", "care.wording",
    "comparing.claims", "comparing.controls", "comparing.crossover", "comparing.dossiers", "comparing.fitting",
    "comparing.historical", "comparing.historical_parts", "comparing.kinds", "comparing.page_parts",
    "comparing.pairs", "comparing.realism_parts", "comparing.rows", "comparing.two_groups", "comparing.wording",
    "discrimination.cards", "discrimination.shown",
    "hour.cells", "hour.episodes", "hour.gap", "hour.groupings", "hour.reading", "hour.shares", "hour.success",
    "hour.telling",
    # Simulation, with its own proofs.
    "many_studies", "planning.assumptions", "planning.binomial", "planning.command", "planning.equivalence",
    "planning.many_studies", "planning.operating",
    "planning.course", "planning.followed", "planning.plan", "planning.power", "planning.spending", "planning.stopping",
    "planning.telling", "proving",
)  # fmt: skip
"""Modules by their name after `analysis.`; a name also stands for what begins with it and `_`, or lies in it."""
