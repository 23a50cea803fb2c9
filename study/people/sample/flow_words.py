"""The flow in words: the same lines for the page, the text and the table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from study.people.models import End
from study.people.sample.consort import RULE, TAKEN_OUT, TOO_LITTLE, Flow, Step
from study.people.ways.spreadsheets import safe_cell

HERE = "here"


@dataclass(frozen=True)
class Line:
    """``level`` 0: a step and its number; 1: a part of it. ``code`` is for the table, stable over languages."""

    step: str
    code: str
    words: str
    n: int
    level: int


def reason_words(reason: str, exclusions: dict[str, str]) -> str:
    """A reason for which somebody was lost, with the protocol's words for those it lists."""
    if reason.startswith(RULE):
        code = reason.removeprefix(RULE)
        return _("left out: %(reason)s") % {"reason": exclusions.get(code, code)}
    named = {TAKEN_OUT: _("answers taken out on request"), TOO_LITTLE: _("too little worked on or rated")}
    return named.get(reason) or str(dict(End.choices).get(reason, reason))


def lines(flow: Flow, exclusions: dict[str, str], *, whole: bool = True) -> list[Line]:
    """Every step with its parts, in order; ``whole`` begins before the allocation, an arm begins at it."""
    found: list[Line] = []

    def tell(code: str, words: str, step: Step, on: tuple[str, str] | None, here: str) -> None:
        found.append(Line(code, code, words, step.n, 0))
        if on is not None:
            found.append(Line(code, on[0], on[1], step.on, 1))
        for reason, n in step.lost.items():
            found.append(Line(code, reason, reason_words(reason, exclusions), n, 1))
        if step.here:
            found.append(Line(code, HERE, here, step.here, 1))

    if whole:
        tell("approached", _("Invited or arrived"), flow.approached, None, _("waiting"))
        tell("assessed", _("Assessed for eligibility"), flow.assessed, None, _("on the way"))
    tell("allocated", _("Allocated"), flow.allocated, None, _("not begun yet"))
    tell("started", _("Started"), flow.started, ("completed", _("completed")), _("still at it"))
    on = ("analysed", _("in the analysis set"))
    tell("analysis", _("Of those who started"), flow.analysed, on, _("not settled yet"))
    return found


def as_text(title: str, flow: Flow, exclusions: dict[str, str], *, arms: bool) -> str:
    """For a report or a letter: one line each, parts indented."""

    def told(found: list[Line]) -> Iterator[str]:
        for line in found:
            yield f"{'    ' * line.level}{line.words}: {line.n}"

    text = [title, "", *told(lines(flow, exclusions))]
    for arm, own in flow.arms.items() if arms else ():
        text += ["", _("Arm %(arm)s") % {"arm": arm}, "", *told(lines(own, exclusions, whole=False))]
    return "\n".join(text) + "\n"


def as_csv(part: str, flow: Flow, exclusions: dict[str, str], *, arms: bool) -> str:
    """Columns ``part, arm, step, what, n, words``; an empty arm means all of them together."""
    held = io.StringIO()
    out = csv.writer(held, lineterminator="\n")
    out.writerow(["part", "arm", "step", "what", "n", "words"])
    told = [("", flow), *(flow.arms.items() if arms else ())]
    for arm, own in told:
        for line in lines(own, exclusions, whole=not arm):
            code = line.code if line.level else "n"
            out.writerow([safe_cell(one) for one in (part, arm, line.step, code, line.n, line.words)])
    return held.getvalue()
