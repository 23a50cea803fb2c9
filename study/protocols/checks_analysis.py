"""The promises: numbers, stopping rule, margin, and the scale that approval is counted on."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from study.protocols import expected
from study.protocols.hour import SCALE_LABELS
from study.protocols.problems import Finding
from study.protocols.promises import KEYS_OF_RULE, Planned
from study.protocols.schema import ProtocolFile


def analysis_findings(protocol: ProtocolFile) -> Iterator[Finding]:
    plan = protocol.analysis
    if plan.n_max < plan.n_target:
        yield Finding(
            ("analysis", "n_max"),
            _("At most %(most)d people, but %(target)d are aimed at.") % {"most": plan.n_max, "target": plan.n_target},
            _("n_max is at least n_target; leave room for people who drop out."),
        )
    if plan.sets.exposed_attempts > protocol.tasks.count:
        yield Finding(
            ("analysis", "sets", "exposed_attempts"),
            _("Nobody ends %(n)d attempts with %(count)d tasks.")
            % {"n": plan.sets.exposed_attempts, "count": protocol.tasks.count},
            _("Write a number up to the number of tasks."),
        )
    yield from _rule(protocol)
    yield from _width(protocol)
    yield from _margin(protocol)
    yield from _scale(protocol)


def objects_of(protocol: ProtocolFile) -> int:
    """How many objects one person rates, the fewest of any arm."""
    return min(arm.rate_each or len(arm.plans[0].rate) for arm in protocol.arms)


def _rule(protocol: ProtocolFile) -> Iterator[Finding]:
    """Every key its rule needs and no other (M13)."""
    plan = protocol.analysis
    rule = plan.stopping.rule
    names = {"rule": rule.replace("_", " ")}
    for key in KEYS_OF_RULE[rule]:
        if key not in plan.stopping.given:
            yield Finding(
                ("analysis", "stopping"),
                _("A rule of %(rule)s needs %(key)s.") % {**names, "key": key},
                _("Write it out: a stopping rule that is not written down is none."),
            )
    for key in plan.stopping.given:
        if key not in KEYS_OF_RULE[rule]:
            fitting = ", ".join(one for one, keys in KEYS_OF_RULE.items() if key in keys)
            yield Finding(
                ("analysis", "stopping", key),
                _("A %(rule)s rule has no %(key)s.") % {**names, "key": key},
                _("Take it out, or write rule: %(rules)s.") % {"rules": fitting},
            )
    first = plan.stopping.first_look
    # An n_max under n_target is told by itself.
    if first is not None and first > plan.n_max >= plan.n_target:
        yield Finding(
            ("analysis", "stopping", "first_look"),
            _("The first look at %(first)d people lies beyond n_max, %(most)d.") % {"first": first, "most": plan.n_max},
            _("Look earlier, or write rule: fixed."),
        )
    if rule == "alpha_spending":
        yield Finding(
            ("analysis", "stopping", "rule"),
            _("“Enough” under this rule tells that the primary estimand lies away from the tested share."),
            _("Whoever reads a look then knows part of the result; rule: precision tells next to nothing."),
            "warning",
        )


def _width(protocol: ProtocolFile) -> Iterator[Finding]:
    plan = protocol.analysis
    wanted = plan.stopping.half_width
    if wanted is None or KEYS_OF_RULE[plan.stopping.rule] != KEYS_OF_RULE["precision"]:
        return
    found = expected.half_width(plan, objects_of(protocol), plan.n_max)
    if found > wanted:
        yield Finding(
            ("analysis", "stopping", "half_width"),
            _("With all %(most)d people half the width will be about %(found)s points, more than %(wanted)s.")
            % {"most": plan.n_max, "found": f"{100 * found:.1f}", "wanted": f"{100 * wanted:g}"},
            _("The rule would hardly ever say enough: allow more people, or a wider interval."),
            "warning",
        )


def _margin(protocol: ProtocolFile) -> Iterator[Finding]:
    """Whether the planned number can show equivalence at all, before the margin is frozen (M23)."""
    plan = protocol.analysis
    if plan.margin is None:
        return
    again = any(len([visit for visit in arm.plans if not visit.repeats]) > 1 for arm in protocol.arms)
    if len(protocol.arms) < 2 and not again:
        yield Finding(
            ("analysis", "margin"),
            _("A margin needs two things to compare; there is one arm with one visit."),
            _("Add an arm or a visit with another Org, or leave margin: out."),
            "warning",
        )
        return
    planned, objects = plan.planned or Planned(), objects_of(protocol)
    power = expected.equivalence_power(planned, objects, plan.n_target, plan.margin, paired=again)
    if power >= expected.WANTED:
        return
    needed = expected.equivalence_number(planned, objects, plan.margin, paired=again)
    yield Finding(
        ("analysis", "margin"),
        _("With %(n)d people per arm, equivalence within ± %(margin)s points is found in about %(power)d %% of studies "
          "in which nothing differs.")
        % {"n": plan.n_target, "margin": f"{100 * plan.margin:g}", "power": round(100 * power)},
        _("About %(needed)d are needed for 80 %%. Raise n_target, widen the margin, or leave the claim out.")
        % {"needed": needed},
        "warning",
    )  # fmt: skip


def _scale(protocol: ProtocolFile) -> Iterator[Finding]:
    for name, card in (("org", protocol.rating.org), ("object", protocol.rating.object)):
        labels = tuple(option.label for option in card.options)
        if protocol.meta.kind != "replication" and labels != SCALE_LABELS:
            yield Finding(
                ("rating", name, "options"),
                _("These are not the published labels."),
                _("Approval counts points 4 and 5, and stands beside published figures only with the same labels."),
                "warning",
            )
