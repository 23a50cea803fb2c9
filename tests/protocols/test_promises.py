"""What the analysis was promised: each stopping rule with its own keys, the margin that its number can't keep."""

from __future__ import annotations

import re

import numpy as np
import pytest
import yaml

from analysis.blocks.losses import threshold_of
from analysis.planning.assumptions import Assumptions
from analysis.planning.equivalence import tost_n, tost_power
from analysis.planning.power import standard_error
from analysis.planning.precision import precision
from study.protocols import expected
from study.protocols.library import builtin_names, builtin_text
from study.protocols.packs.plan_analysis import planned_words, stopping_words
from study.protocols.packs.plan_design import lost_words
from study.protocols.promises import Planned
from study.protocols.reading import Reading, parse, read

HOUR = builtin_text("realia-hour")
RULE = re.compile(r"  stopping:\n(?:    .*\n)+")
SEQUENCE = "{rule: confidence_sequence, first_look: 15, every: 5, half_width: 0.2}"
SPENDING = "{rule: alpha_spending, looks: 3, spending: obrien_fleming, against: 0.5}"


def with_rule(rule: str, more: str = "") -> str:
    assert RULE.search(HOUR)
    return RULE.sub(f"  stopping: {rule}\n{more}", HOUR)


def two_arms(text: str) -> str:
    """The hour with a second arm of the same eight objects."""
    arm = text[text.index("arms:\n") + 6 : text.index("\n\n", text.index("arms:\n"))]
    second = re.sub(r"code: \S+", "code: other", arm, count=1)
    return text.replace(arm, arm + "\n" + second, 1)


def said(reading: Reading, path: str) -> list[str]:
    return [f"{p.level}: {p.message} {p.remedy}" for p in reading.problems if p.path == path]


@pytest.mark.parametrize("rule", ["{rule: fixed}", SEQUENCE, SPENDING])
def test_each_rule_is_read_and_told(rule: str) -> None:
    reading = read(with_rule(rule))
    assert reading.ok, [str(problem) for problem in reading.errors]
    words = stopping_words(reading.value)
    told = {"fixed": "no looks", "confidence_sequence": "confidence sequence of P", "alpha_spending": "O'Brien–Fleming"}
    assert told[reading.value.analysis.stopping.rule] in words
    assert ("“enough” or “not yet”" in words) == (rule != "{rule: fixed}")


@pytest.mark.parametrize(
    ("rule", "path", "words"),
    [
        ("{rule: confidence_sequence, first_look: 15, every: 5}", "analysis.stopping", "needs half_width"),
        ("{rule: alpha_spending, looks: 3, against: 0.5}", "analysis.stopping", "needs spending"),
        ("{rule: fixed, against: 0.5}", "analysis.stopping.against", "has no against"),
        ("{rule: precision, first_look: 15, every: 5, half_width: 0.1, looks: 3}", "analysis.stopping.looks", "alpha"),
        (
            "{rule: precision, first_look: 50, every: 5, half_width: 0.1}",
            "analysis.stopping.first_look",
            "beyond n_max",
        ),
        ("{rule: alpha_spending, looks: 1, spending: pocock, against: 0.5}", "analysis.stopping.looks", "small"),
        ("{rule: sometimes}", "analysis.stopping.rule", "possible"),
    ],
)
def test_half_a_rule_and_keys_of_another_are_refused(rule: str, path: str, words: str) -> None:
    reading = read(with_rule(rule))
    assert not reading.ok
    assert any(words in one for one in said(reading, path)), [str(problem) for problem in reading.problems]


def test_a_rule_that_tells_part_of_the_result_is_warned_of() -> None:
    """M13: the monitor says only "enough"; under alpha spending that alone is a result."""
    assert any("knows part of the result" in one for one in said(read(with_rule(SPENDING)), "analysis.stopping.rule"))
    assert not said(read(HOUR), "analysis.stopping.rule")


def test_a_width_that_the_most_people_do_not_reach_is_warned_of() -> None:
    narrow = read(HOUR.replace("half_width: 0.10", "half_width: 0.04"))
    assert narrow.ok
    assert any("hardly ever say enough" in one for one in said(narrow, "analysis.stopping.half_width"))
    assert not said(read(HOUR), "analysis.stopping.half_width")
    sequence = read(with_rule(SEQUENCE.replace("0.2", "0.1")))
    assert said(sequence, "analysis.stopping.half_width"), "a sequence is wider than an interval"


def test_a_margin_without_a_comparison_is_warned_of() -> None:
    reading = read(HOUR.replace("  planned:", "  margin: 0.10\n  planned:"))
    assert reading.ok
    assert any("two things to compare" in one for one in said(reading, "analysis.margin"))


def test_a_margin_that_the_number_cannot_keep_is_warned_of_before_the_freeze() -> None:
    """M23: ten points with twenty people per arm; the warning has the power and the number that is needed."""
    text = two_arms(HOUR).replace("  planned:", "  margin: 0.10\n  planned:")
    reading = read(text)
    assert reading.ok, [str(problem) for problem in reading.errors]
    (warning,) = said(reading, "analysis.margin")
    assert "about 0 % of studies" in warning
    assert f"About {tost_n(Assumptions(), 0.10, paired=False)} are needed" in warning
    enough = text.replace("n_target: 20", "n_target: 100").replace("n_max: 40", "n_max: 120")
    assert not said(read(enough), "analysis.margin")
    assert not said(read(text.replace("margin: 0.10", "margin: 0.30")), "analysis.margin")


@pytest.mark.parametrize("margin", ["0", "10", "-0.1", "ten"])
def test_a_margin_is_a_share(margin: str) -> None:
    assert not read(HOUR.replace("  planned:", f"  margin: {margin}\n  planned:")).ok


@pytest.mark.parametrize("threshold", ["0", "1", "50", "half"])
def test_a_threshold_is_a_share(threshold: str) -> None:
    assert not read(HOUR.replace("  planned:", f"  threshold: {threshold}\n  planned:")).ok


@pytest.mark.parametrize(("key", "share"), [("", 0.5), ("  threshold: 0.4\n", 0.4)])
def test_the_tipping_point_uses_the_threshold_that_the_protocol_and_its_registration_name(
    key: str, share: float
) -> None:
    """M17: a file that names none promises a half, and the analysis takes the same."""
    text = HOUR.replace("  planned:", f"{key}  planned:")
    file = parse(text)
    assert file.analysis.threshold == share
    assert threshold_of(yaml.safe_load(text)["analysis"]) == share
    assert lost_words(file).endswith(f"tipping point at {share:.0%}".replace("%", " %"))


@pytest.mark.parametrize("paired", [True, False])
def test_the_formula_says_what_the_simulation_finds(paired: bool) -> None:
    """The check of a draft and `python -m analysis plan` must not contradict each other."""
    for n, objects in ((30, 8), (60, 8), (30, 20)):
        planned, assumed = Planned(), Assumptions(objects=objects)
        assert expected.equivalence_error(planned, objects, n, paired=paired) == pytest.approx(
            standard_error(assumed, n, paired=paired), rel=1e-4
        )
        quick = expected.equivalence_power(planned, objects, n, 0.10, paired=paired)
        simulated = tost_power(assumed, n, 0.10, np.random.default_rng(1), 1000, paired=paired)
        assert quick == pytest.approx(simulated, abs=0.08)
    assert expected.equivalence_number(Planned(), 8, 0.10, paired=paired) == tost_n(Assumptions(), 0.10, paired=paired)


def test_the_expected_width_is_the_simulated_one() -> None:
    plan = parse(HOUR).analysis
    simulated = precision(Assumptions(), 40, np.random.default_rng(1), 300).half_width
    assert expected.half_width(plan, 8, 40) == pytest.approx(simulated, abs=0.006)


def test_what_the_number_was_planned_with_stands_in_the_registration() -> None:
    words = planned_words(parse(HOUR))
    for part in ("65 %", "0.7", "8 objects", "10 %", "15 %", "0.8"):
        assert part in words, part
    assert planned_words(parse(builtin_text("crmarena-pro"))) == ""


@pytest.mark.parametrize("name", builtin_names())
def test_built_in_protocols_promise_what_they_should(name: str) -> None:
    """Replications have ten people and no looks; the hour looks at fifteen and stops at forty (M13)."""
    file = parse(builtin_text(name))
    plan = file.analysis
    if file.meta.kind == "replication":
        assert (plan.n_target, plan.stopping.rule, plan.stopping.given, plan.margin) == (10, "fixed", {}, None)
    else:
        assert (plan.n_target, plan.n_max, plan.stopping.given) == (
            20, 40, {"first_look": 15, "every": 5, "half_width": 0.10},
        )  # fmt: skip
    assert not [problem for problem in read(builtin_text(name)).problems if problem.path.startswith("analysis")]
