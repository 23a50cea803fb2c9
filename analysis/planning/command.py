"""`python -m analysis plan`: options, the protocol's own promises, and the printed plan."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import yaml

from analysis.context import SEED
from analysis.planning.assumptions import Assumptions
from analysis.planning.plan import NUMBERS, REPLICATES, RULE, Question, plan
from analysis.planning.stopping import rule_of
from analysis.planning.telling import lines_of, to_json

# Option of the command line → field of Assumptions.
ASSUMED = {
    "share": "share", "severity": "severity_sd", "objects": "objects", "object_sd": "object_sd",
    "cannot_judge": "cannot_judge", "lost": "lost", "rho": "within_rater_correlation",
}  # fmt: skip


class PlanError(ValueError):
    """The options or the protocol can't be used; the message says what to do."""


def add_plan(commands: Any) -> None:
    """The subcommand with its options. What is not given comes from the protocol, else from the defaults named here."""
    d = Assumptions()
    one = commands.add_parser("plan", help="how many raters, for what, and when to stop")
    one.add_argument("--protocol", metavar="FILE", help="take number, rule, margin and assumptions from this protocol")
    one.add_argument("--n", metavar="LIST", help=f"analysed raters to tabulate ({','.join(map(str, NUMBERS))})")
    one.add_argument("--share", type=float, help=f"approval expected ({d.share})")
    one.add_argument("--severity", type=float, metavar="SD", help=f"of raters, logit scale ({d.severity_sd})")
    one.add_argument("--objects", type=int, help=f"rated by each person ({d.objects})")
    one.add_argument("--object-sd", type=float, metavar="SD", help=f"of objects, logit scale ({d.object_sd:g})")
    one.add_argument("--cannot-judge", type=float, metavar="SHARE", help=f"ratings that fall out ({d.cannot_judge})")
    one.add_argument("--lost", type=float, metavar="SHARE", help=f"people who begin and are not analysed ({d.lost})")
    one.add_argument("--rho", type=float, help=f"correlation within rater between Orgs ({d.within_rater_correlation})")
    one.add_argument("--margin", type=float, metavar="SHARE", help="of equivalence (0.1: ten points)")
    one.add_argument("--difference", type=float, metavar="SHARE", help="to be seen (0.1)")
    one.add_argument("--half-width", type=float, metavar="SHARE", help=f"to stop at ({RULE.half_width})")
    one.add_argument("--first-look", type=int, metavar="N", help=f"analysed raters ({RULE.first_look})")
    one.add_argument("--every", type=int, metavar="N", help=f"then a look every N ({RULE.every})")
    one.add_argument("--most", type=int, metavar="N", help=f"stop there at the latest ({RULE.most})")
    one.add_argument("--replicates", type=int, default=REPLICATES, help=f"simulated studies a cell ({REPLICATES})")
    one.add_argument("--seed", type=int, default=SEED, help=f"of everything drawn ({SEED})")
    one.add_argument("--json", action="store_true", help="print numbers instead of words")


def planned(options: argparse.Namespace) -> str:
    """What the command prints. Raises PlanError."""
    protocol = _protocol(options.protocol) if options.protocol else {}
    try:
        made = plan(_question(options, protocol))
    except ValueError as problem:
        raise PlanError(str(problem)) from problem
    if options.json:
        return json.dumps(to_json(made), ensure_ascii=False, indent=1)
    return "\n".join(lines_of(made))


def _protocol(name: str) -> Mapping[str, Any]:
    try:
        found = yaml.safe_load(Path(name).read_text(encoding="utf-8"))
    except OSError as problem:
        raise PlanError(f"{name} can't be read: {problem.strerror}. Give a protocol's YAML file.") from problem
    except (yaml.YAMLError, UnicodeDecodeError) as problem:
        raise PlanError(f"{name} is no readable YAML: {problem}. Check it with protocol_check.") from problem
    if not isinstance(found, dict) or not isinstance(found.get("analysis"), dict):
        raise PlanError(f"{name} has no block analysis. Give a protocol file, such as protocol_export writes.")
    return found


def _question(options: argparse.Namespace, protocol: Mapping[str, Any]) -> Question:
    promised: Mapping[str, Any] = protocol.get("analysis") or {}
    rule = rule_of(promised) or RULE
    changes: dict[str, Any] = {
        name: getattr(options, name)
        for name in ("half_width", "first_look", "every", "most")
        if getattr(options, name) is not None
    }
    if changes:
        if rule.kind == "fixed":
            rule = replace(RULE, target=rule.target, most=max(rule.most, RULE.most))
        rule = replace(rule, target=min(rule.target, changes.get("most", rule.most)), **changes)
    margin = options.margin if options.margin is not None else promised.get("margin")
    own = {rule.target} if promised and rule.target > 1 else set()
    numbers = _numbers(options.n) if options.n else tuple(sorted({*NUMBERS, *own}))
    question = Question(
        _assumed(options, protocol, promised), numbers, rule=rule, replicates=options.replicates, seed=options.seed
    )
    asked = {"margin": margin, "difference": options.difference}
    return replace(question, **{name: value for name, value in asked.items() if value is not None})


def _assumed(options: argparse.Namespace, protocol: Mapping[str, Any], promised: Mapping[str, Any]) -> Assumptions:
    """The options where given, else what the protocol plans with, else the defaults."""
    known = {one.name for one in fields(Assumptions)}
    found = {name: value for name, value in (promised.get("planned") or {}).items() if name in known}
    rated = [arm.get("rate_each") or len(arm.get("rate") or ()) for arm in protocol.get("arms") or ()]
    if any(rated):
        found.setdefault("objects", min(one for one in rated if one))
    found |= {ASSUMED[name]: getattr(options, name) for name in ASSUMED if getattr(options, name) is not None}
    return Assumptions(**found)


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.replace(",", " ").split())
    except ValueError as problem:
        raise PlanError(f"--n is {text!r}; give whole numbers with commas, such as 10,20,30") from problem
