"""How long the statistics take beside libraries and plain loops: `make bench-analysis`, with QUICK=1 for small sizes.

Minima of repeats, since a busy machine only ever adds. Each pair computes the same thing, and says so when it does not.
Goals: alpha at most 1 times the library; the cluster bootstrap at least 100 times as fast as a loop over data frames.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import timeit
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from analysis.agreement.alpha import alpha_of, krippendorff_alpha
from analysis.agreement.chance import corrected, gwet_chance
from analysis.agreement.matrix import rated
from analysis.agreement.weights import agreement_weights
from analysis.bootstrap import jointly, percentile, resample

SCALE = (1, 2, 3, 4, 5)
SIZES = ((60, 25), (2000, 200))
Task = Callable[[], float]


@dataclass(frozen=True)
class Line:
    """One comparison. own, other: seconds; goal: most that own/other may be, 0 for none; apart: how far results are."""

    name: str
    other_name: str
    own: float
    other: float
    goal: float = 0.0
    apart: float = 0.0

    @property
    def ratio(self) -> float:
        return self.own / self.other

    @property
    def met(self) -> bool:
        return not self.goal or self.ratio <= self.goal

    def __str__(self) -> str:
        faster = f"{1 / self.ratio:.1f} times as fast" if self.ratio < 1 else f"{self.ratio:.2f} times as long"
        goal = "" if not self.goal else f"  goal {'met' if self.met else 'MISSED'}"
        return (
            f"{self.name:<46}{1000 * self.own:>11.3f} ms   {self.other_name:<38}{1000 * self.other:>12.3f} ms   "
            f"{faster}{goal}"
        )


def ratings(raters: int, objects: int, seed: int = 7) -> np.ndarray:
    """Scores of raters who differ in severity, of objects that differ, 15 % missing."""
    stream = np.random.default_rng(seed)
    severity, effect = stream.normal(size=(raters, 1)), 0.5 * stream.normal(size=(1, objects))
    latent = severity + effect + stream.normal(size=(raters, objects))
    scores = 1.0 + sum((latent > cut).astype(float) for cut in (-1.5, -0.5, 0.45, 1.45))
    scores[stream.random(scores.shape) < 0.15] = np.nan
    return scores


def fastest(tasks: Sequence[Callable[[], object]], repeats: int) -> list[float]:
    """Seconds of each task: the fastest of several runs, taken in turn so that a busy moment meets them all."""
    timers = [timeit.Timer(task) for task in tasks]
    best = [max(timer.timeit(1), 1e-6) for timer in timers]
    numbers = [max(1, min(200, int(0.03 / once))) for once in best]
    for _ in range(repeats):
        for place, (timer, number) in enumerate(zip(timers, numbers, strict=True)):
            best[place] = min(best[place], timer.timeit(number) / number)
    return best


def compared(name: str, own: Task, other_name: str, other: Task, repeats: int, goal: float = 0.0) -> Line:
    times = fastest((own, other), repeats)
    return Line(name, other_name, times[0], times[1], goal, abs(own() - other()))


# --- agreement


def alpha_alone(scores: np.ndarray) -> float:
    given = rated(scores, SCALE)
    return float(alpha_of(given.counts, given.counts, given.values, "ordinal"))


def library_alpha(scores: np.ndarray) -> float:
    return float(krippendorff.alpha(scores, level_of_measurement="ordinal", value_domain=SCALE))


def library_jackknife(scores: np.ndarray) -> float:
    """Standard error over raters with the library called without each of them in turn."""
    raters = len(scores)
    without = [library_alpha(np.delete(scores, place, axis=0)) for place in range(raters)]
    return float(np.sqrt((raters - 1) * np.var(without)))


def ac2_alone(scores: np.ndarray) -> float:
    weights = agreement_weights("ordinal", SCALE)
    return float(corrected(rated(scores, SCALE).counts, weights, gwet_chance))


def ac2_by_loop(scores: np.ndarray) -> float:
    """Gwet's AC2 written down as in the handbook: a loop over units and over pairs of categories."""
    q = len(SCALE)
    weights = [[1 - (abs(k - j) + 1) * abs(k - j) / (q * (q - 1)) for j in range(q)] for k in range(q)]
    shares, agreements = [], []
    for unit in scores.T:
        given = unit[~np.isnan(unit)]
        r = [int(np.sum(given == point)) for point in SCALE]
        total = sum(r)
        if total:
            shares.append([one / total for one in r])
        if total >= 2:
            near = [sum(weights[k][j] * r[j] for j in range(q)) for k in range(q)]
            agreements.append(sum(r[k] * (near[k] - 1) for k in range(q)) / (total * (total - 1)))
    used = [statistics.fmean(column) for column in zip(*shares, strict=True)]
    chance = sum(map(sum, weights)) / (q * (q - 1)) * sum(one * (1 - one) for one in used)
    return (statistics.fmean(agreements) - chance) / (1 - chance)


def agreement_lines(raters: int, objects: int, repeats: int) -> Iterator[Line]:
    scores, size = ratings(raters, objects), f"{raters} × {objects}"
    yield compared(
        f"alpha, ordinal, {size}", lambda: alpha_alone(scores), "krippendorff", lambda: library_alpha(scores),
        repeats, goal=1.0,
    )  # fmt: skip
    yield compared(f"AC2, ordinal, {size}", lambda: ac2_alone(scores), "a loop", lambda: ac2_by_loop(scores), repeats)


def jackknife_line(raters: int, objects: int, repeats: int) -> Line:
    scores = ratings(raters, objects)
    return compared(
        f"alpha with its jackknife, {raters} × {objects}", lambda: krippendorff_alpha(scores).se or 0.0,
        "krippendorff without each rater", lambda: library_jackknife(scores), repeats, goal=1.0,
    )  # fmt: skip


# --- the cluster bootstrap


def own_bootstrap(y: np.ndarray, m: np.ndarray, replicates: int) -> float:
    """Lower percentile limit of the pooled share."""
    k, n = y.sum(axis=1), m.sum(axis=1)

    def share(weights: np.ndarray) -> np.ndarray:
        return np.asarray((weights @ k / (weights @ n))[:, None])

    return percentile(resample(share, len(y), replicates, np.random.default_rng(1)))[0].low or 0.0


def own_joint_bootstrap(y: np.ndarray, m: np.ndarray, replicates: int) -> float:
    """Mean over objects, pooled share and every object from the same draws; the lower limit of the pooled share."""
    return percentile(resample(jointly(y, m), len(y), replicates, np.random.default_rng(1)))[1].low or 0.0


def scipy_bootstrap(y: np.ndarray, m: np.ndarray, replicates: int) -> float:
    """The same limit from the raters' sums, with the library's own draws in one batch."""

    def share(k: np.ndarray, n: np.ndarray, axis: int = -1) -> np.ndarray:
        return np.asarray(k.sum(axis=axis) / n.sum(axis=axis))

    found = stats.bootstrap(
        (y.sum(axis=1), m.sum(axis=1)), share, paired=True, vectorized=True, n_resamples=replicates,
        method="percentile", rng=np.random.default_rng(1),
    )  # fmt: skip
    return float(found.confidence_interval.low)


def scipy_of_each(y: np.ndarray, m: np.ndarray, replicates: int) -> float:
    """The library again for every object: other draws for each, so no differences between them."""
    for place in range(y.shape[1]):
        scipy_bootstrap(y[:, [place]], m[:, [place]], replicates)
    return scipy_bootstrap(y, m, replicates)


def loop_over_frames(y: np.ndarray, m: np.ndarray, replicates: int) -> float:
    """As it is often written: raters drawn, their rows put together, means of a group-by taken."""
    rater, thing = np.nonzero(m)
    frame = pd.DataFrame({"rater": rater, "object": thing, "approved": y[rater, thing]})
    parts = dict(iter(frame.groupby("rater")))
    stream, names, found = np.random.default_rng(1), list(parts), []
    for _ in range(replicates):
        drawn = pd.concat([parts[name] for name in stream.choice(names, len(names))])
        found.append((drawn.groupby("object")["approved"].mean().mean(), drawn["approved"].mean()))
    return float(np.quantile([pooled for _, pooled in found], 0.025))


def bootstrap_lines(raters: int, objects: int, replicates: int, looped: int, repeats: int) -> Iterator[Line]:
    """looped: replicates of the slow loop, from which its time for all is worked out."""
    scores = ratings(raters, objects)
    m = np.isfinite(scores).astype(float)
    y = (np.where(m > 0, scores, 0) >= 4).astype(float)
    size = f"{replicates:,} of {raters} × {objects}"

    def joint() -> float:
        return own_joint_bootstrap(y, m, replicates)

    yield compared(
        f"bootstrap, one share, {size}", lambda: own_bootstrap(y, m, replicates), "scipy.stats.bootstrap",
        lambda: scipy_bootstrap(y, m, replicates), repeats, goal=1.0,
    )  # fmt: skip
    yield compared(
        f"bootstrap, jointly, {size}", joint, "scipy.stats.bootstrap for each object",
        lambda: scipy_of_each(y, m, replicates), max(1, repeats // 5), goal=1.0,
    )  # fmt: skip
    (own,) = fastest([joint], repeats)
    loop = timeit.timeit(lambda: loop_over_frames(y, m, looped), number=1) * replicates / looped
    yield Line(f"bootstrap, jointly, {size}", "a loop over data frames", own, loop, goal=1 / 100)


def measured(
    *, quick: bool = False, sizes: Sequence[tuple[int, int]] = SIZES, replicates: int = 10_000
) -> Iterator[Line]:
    """All lines, as they are ready."""
    repeats = 5 if quick else 25
    for size in sizes:
        yield from agreement_lines(*size, repeats)
    yield jackknife_line(*sizes[0], max(3, repeats // 5))
    looped = min(replicates, 30 if quick else 300)
    yield from bootstrap_lines(*sizes[0], replicates=replicates, looped=looped, repeats=repeats)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print every line; 1 when a goal is missed or two ways differ."""
    parser = argparse.ArgumentParser(description="Statistics beside libraries and plain loops.")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args(arguments)
    failed = False
    for line in measured(quick=options.quick):
        print(line, flush=True)
        if differ := line.apart > 0.02:
            print(f"  the two differ by {line.apart:.4f}")
        failed = failed or differ or not line.met
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
