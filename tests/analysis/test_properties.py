"""What holds of every statistic, whatever the ratings: order, labels, direction of the scale, edges, and no NaN.

`every_statistic.py` lists them with their properties. A public function that is not in it fails here by name.
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import math
import pkgutil
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace

import every_statistic as every
import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from every_statistic import Data, Entry, Got
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import analysis
from analysis import comparisons
from analysis.agreement import cohen
from analysis.comparing import permutation, ranks, signs

CLOSE = 1e-8
NAMES = [entry.title for entry in every.ENTRIES]
QUICK = settings(max_examples=20, suppress_health_check=list(HealthCheck))
DEAR = settings(max_examples=5, suppress_health_check=list(HealthCheck))
LEVELS = (0.9, 0.95, 0.99)


@st.composite
def studies(draw: st.DrawFn) -> Data:
    """Two to nine raters, one to five objects, all kinds of gaps; now and then everybody says the same."""
    raters, objects = draw(st.integers(2, 9)), draw(st.integers(1, 5))
    points = draw(st.sampled_from([range(6), (1, 2, 3, 4, 5), (0, 4, 5), (4,), (1, 5), (3, 4)]))
    shape = (2, raters, objects)
    drawn = draw(arrays.arrays(np.int8, shape, elements=st.sampled_from(list(points)), fill=st.nothing()))
    both = np.where(drawn == 0, np.nan, drawn.astype(float))
    return Data(both[0], both[1])


# --- the registry


def public_functions() -> Iterator[tuple[str, str]]:
    """Module and name of every public function of the package, where it is defined."""
    for found in pkgutil.walk_packages(analysis.__path__, "analysis."):
        if found.name.endswith("__main__"):
            continue
        module = importlib.import_module(found.name)
        for name, thing in vars(module).items():
            if inspect.isfunction(thing) and thing.__module__ == found.name and not name.startswith("_"):
                yield found.name, name


def is_other(module: str) -> bool:
    short = module.removeprefix("analysis.")
    return any(short == name or short.startswith((f"{name}.", f"{name}_")) for name in every.OTHER)


def test_every_public_statistic_is_listed() -> None:
    """A new module or function must say which properties it has, of what it is a step, or that it is none."""
    entries = {function for entry in every.ENTRIES for function in entry.functions}
    steps = {f"{module}.{name}" for module, names in every.STEPS.items() for name in names.split()}
    there = {f"{module}.{name}" for module, name in public_functions() if not is_other(module)}
    assert sorted(there - entries - steps) == [], "add them to tests/analysis/every_statistic.py"
    assert sorted((entries | steps) - there) == [], "they are no more"
    assert sorted(entries & steps) == []


def test_no_module_is_left_out_that_is_not_there() -> None:
    modules = {name.removeprefix("analysis.") for name, _ in public_functions()}
    modules |= {found.name.removeprefix("analysis.") for found in pkgutil.walk_packages(analysis.__path__, "analysis.")}
    unknown = [
        name for name in every.OTHER if not any(m == name or m.startswith((f"{name}.", f"{name}_")) for m in modules)
    ]
    assert unknown == []


def test_titles_are_unique() -> None:
    assert sorted(NAMES) == sorted(set(NAMES))


# --- properties


def same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-7, abs_tol=CLOSE)


def alike(one: Got, other: Got) -> bool:
    return all(same(a, b) for a, b in zip(one[:3], other[:3], strict=True))


def width(found: Got) -> float | None:
    return None if found.low is None or found.high is None else found.high - found.low


def turned(found: Got, reversal: str) -> tuple[float | None, float | None, float | None]:
    """What the reversed study should give."""
    if reversal == every.SAME:
        return found.estimate, found.low, found.high
    centre = {every.COMPLEMENT: 1.0, every.NEGATED: 0.0, every.MIRRORED: 6.0}[reversal]
    return tuple(  # type: ignore[return-value]
        None if one is None else centre - one for one in (found.estimate, found.high, found.low)
    )


def holes(thing: object, path: str = "") -> Iterator[str]:
    """Where a result has a NaN or an infinity; internals of a fitted model and of draws are not results."""
    if isinstance(thing, (float, np.floating)) and not math.isfinite(thing):
        yield path
    elif is_dataclass(thing) and not isinstance(thing, type):
        for one in fields(thing):
            yield from holes(getattr(thing, one.name), f"{path}.{one.name}")
    elif isinstance(thing, (tuple, list)):
        for place, one in enumerate(thing):
            yield from holes(one, f"{path}[{place}]")


def check_form(entry: Entry, found: Got) -> None:
    """No NaN; a frozen result; limits in order, in range, around the estimate."""
    assert list(holes(found[:3])) == []
    assert list(holes(found.result)) == []
    if is_dataclass(found.result):
        with pytest.raises(FrozenInstanceError):
            setattr(found.result, fields(found.result)[0].name, 0)
    low, high = entry.lies
    for one in (found.estimate, found.low, found.high):
        assert one is None or low - CLOSE <= one <= high + CLOSE
    if found.low is not None and found.high is not None:
        assert found.low <= found.high + CLOSE
        if every.CONTAINS in entry.holds and found.estimate is not None:
            assert found.low - CLOSE <= found.estimate <= found.high + CLOSE, "the interval misses the estimate"


def check_order(entry: Entry, data: Data, found: Got, stream: np.random.Generator) -> None:
    """Who is called what and stands where changes nothing."""
    raters, objects = data.scores.shape
    if every.RATERS in entry.holds:
        assert alike(found, entry.call(data.with_raters(stream.permutation(raters)), 0.95)), "order of raters"
    if every.OBJECTS in entry.holds:
        assert alike(found, entry.call(data.with_objects(stream.permutation(objects)), 0.95)), "order of objects"


def check_reversal(entry: Entry, data: Data, found: Got) -> None:
    if entry.reversal:
        other = entry.call(data.reversed(), 0.95)
        expected = turned(found, entry.reversal)
        assert all(same(a, b) for a, b in zip(other[:3], expected, strict=True)), f"reversed: {other} for {expected}"


def check_level(entry: Entry, data: Data) -> None:
    if every.WIDENS not in entry.holds:
        return
    widths = [width(entry.call(data, level)) for level in LEVELS]
    known = [one for one in widths if one is not None]
    assert known == sorted(known) or all(b >= a - CLOSE for a, b in itertools.pairwise(known)), "level"


def check_twice(entry: Entry, data: Data, found: Got) -> None:
    """Twice as many raters who say the same know more: never wider."""
    if every.NARROWS in entry.holds and (own := width(found)) is not None:
        more = width(entry.call(data.twice(), 0.95))
        assert more is not None
        assert more <= own + CLOSE, "twice as many raters"


def check_rises(entry: Entry, data: Data, found: Got, stream: np.random.Generator) -> None:
    """One more approval in the place of a refusal never lowers a share."""
    refused = np.argwhere(np.isfinite(data.scores) & (data.scores < data.cut))
    if every.RISES not in entry.holds or not len(refused):
        return
    scores = data.scores.copy()
    scores[tuple(refused[stream.integers(len(refused))])] = 5
    more = entry.call(Data(scores, data.again, data.cut), 0.95)
    assert found.estimate is None or (more.estimate is not None and more.estimate >= found.estimate - CLOSE), "estimate"
    if every.LIMITS_RISE in entry.holds:
        assert more.low >= found.low - CLOSE  # type: ignore[operator]
        assert more.high >= found.high - CLOSE  # type: ignore[operator]


@pytest.mark.parametrize("entry", every.ENTRIES, ids=NAMES)
def test_what_holds_whatever_the_ratings(entry: Entry) -> None:
    """P-29, P-30, P-33 and the properties of each statistic, on studies of every shape."""

    @(DEAR if entry.dear else QUICK)
    @given(studies(), st.integers(0, 2**32 - 1))
    def holds(data: Data, seed: int) -> None:
        stream = np.random.default_rng(seed)
        if (found := answered(entry, data)) is None:
            return
        check_form(entry, found)
        check_order(entry, data, found, stream)
        check_reversal(entry, data, found)
        check_level(entry, data)
        check_twice(entry, data, found)
        check_rises(entry, data, found, stream)

    holds()


# --- the edges

BLANK = np.full((4, 3), np.nan)
EDGES = {
    "nobody": np.zeros((0, 3)),
    "nothing rated": BLANK,
    "one rater": np.array([[4.0, 2.0, 5.0]]),
    "one rating": np.where(np.arange(12).reshape(4, 3) == 5, 4.0, np.nan),
    "one object": np.array([[4.0], [2.0], [5.0], [3.0]]),
    "two raters": np.array([[4.0, 2.0, 5.0], [3.0, 3.0, 4.0]]),
    "all give 4": np.full((12, 5), 4.0),
    "all give 1": np.full((12, 5), 1.0),
    "no object shared": np.where(np.eye(3, dtype=bool), 4.0, np.nan),
    "uneven raters": np.array([[4.0, np.nan], [2.0, np.nan], [5.0, 3.0], [np.nan, 2.0], [1.0, 4.0]]),
}


@pytest.mark.parametrize("entry", every.ENTRIES, ids=NAMES)
def test_too_little_or_too_much_alike_is_answered(entry: Entry) -> None:
    """P-29, P-30, P-33: no crash, no NaN; a number, or none with the reason; or an error that says what to do."""
    for scores in EDGES.values():
        for again in (scores, np.full_like(scores, 3.0), np.full_like(scores, np.nan)):
            if (found := answered(entry, Data(scores, again))) is not None:
                check_form(entry, found)


def answered(entry: Entry, data: Data) -> Got | None:
    """What a statistic says, None for a refusal in a sentence."""
    try:
        return entry.call(data, 0.95)
    except ValueError as problem:
        if len(str(problem)) < 20:
            raise
        return None


# --- properties can fail


def test_a_statistic_without_its_properties_is_noticed() -> None:
    """Each check refuses a statistic made to break it."""
    stream = np.random.default_rng(4)
    data = Data(np.array([[4.0, 2.0], [1.0, 5.0], [3.0, 3.0]]), np.array([[4.0, 2.0], [1.0, 5.0], [3.0, 4.0]]))

    def first(data: Data, level: float) -> Got:
        """The first rater's score, with limits that shrink as the level grows and a NaN where they meet."""
        score = float(data.scores[0, 0])
        return Got(score, score + 0.1, score + 2 - level, None)

    bad = Entry(("none",), first, every.OVER_RATERS | {every.RISES}, every.COMPLEMENT)
    found = first(data, 0.95)
    broken = {
        "misses the estimate": lambda: check_form(bad, found),
        "order of raters": lambda: [check_order(bad, data, found, stream) for _ in range(20)],
        "reversed": lambda: check_reversal(bad, data, found),
        "level": lambda: check_level(bad, data),
    }
    for words, check in broken.items():
        with pytest.raises(AssertionError, match=words):
            check()
    with pytest.raises(AssertionError):
        check_form(bad, Got(math.nan, None, None, None))
    with pytest.raises(AssertionError):
        check_form(replace(bad, lies=every.SHARE), Got(9.0, None, None, None))
    assert list(holes((1.0, [math.inf]))) == ["[1][0]"]


# --- what the properties have found


def test_equal_means_of_other_ratings_are_ties() -> None:
    """P-34: 13/3 − 11/3 and 5/3 − 1 are the same difference, though not the same number of a computer."""
    d = np.array([13 / 3 - 11 / 3, 5 / 3 - 1, 1 - 5 / 3, 1 / 3 + 1 / 3 - 2 / 3 + 1e-17])
    whole = np.array([2.0, 2.0, -2.0, 0.0])
    assert comparisons.signed_rank(list(d)).p == comparisons.signed_rank(list(whole)).p
    assert comparisons.signed_rank(list(d)).zeros == 1
    assert ranks.rank_biserial(d) == pytest.approx(ranks.rank_biserial(whole))
    assert signs.sign_flip(d).p == signs.sign_flip(whole).p


def test_a_rater_who_never_varies_leaves_kappa_without_interval() -> None:
    """P-33: its variance is 0 but for rounding, so a width of 10⁻⁷ would stand for certainty."""
    found = cohen.weighted_kappa([4, 5, 5, 5, 5], [4, 4, 4, 4, 4])
    assert (found.value, found.low, found.high) == (pytest.approx(0), None, None)
    assert "never varies" in found.note
    assert "agree everywhere" in cohen.weighted_kappa([4, 5, 1], [4, 5, 1]).note


def test_nobody_on_one_side_has_nothing_to_permute() -> None:
    """P-30: not a division by nought."""
    found = permutation.permutation_on_a([4.0, 3.0], [])
    assert (found.p, found.n_a, found.n_b) == (None, 2, 0)
    assert found.note
