"""One pair of groups as an entry of results.json: its kind, its rows, and what a crossover has beside them."""

from __future__ import annotations

from typing import Any

from analysis.comparing.controls import relation_of
from analysis.comparing.crossover import crossover
from analysis.comparing.kinds import Relation
from analysis.comparing.rows import Compared, compared
from analysis.comparing.two_groups import Two
from analysis.comparing.wording import kind_sentence, may_say_effect
from analysis.context import Context
from analysis.estimates import Group
from analysis.groups import labels_of


def pair_of(context: Context, a: Group, b: Group, estimand: str, name: str, tail: str = "") -> Compared:
    """Everything about a − b; `name`, `estimand` and `tail` make the ids of its rows (see `Two`)."""
    two = Two(context, a, b, relation_of(context, a, b), name, estimand, tail)
    found = compared(two)
    further, crossed = crossover(two)
    labels = labels_of(context.bundle)
    for entry in found.data["objects"]:
        entry["label"] = labels.get(entry["target"], entry["target"])
    data = {**facts(a.arm, b.arm, two.relation), **found.data, "crossover": crossed}
    data["may_say_effect"] = may_say_effect(data)
    data["sentence"] = kind_sentence(data)
    return Compared([*found.rows, *further], data)


def facts(a: str, b: str, relation: Relation) -> dict[str, Any]:
    """The kind of a pair and who is in it."""
    return {
        "a": a, "b": b, "kind": relation.kind, "why": relation.why, "in_both": len(relation.both),
        "left_out": relation.left_out, "same_orgs": relation.same_orgs, "one_order": relation.one_order,
        "a_first": relation.a_first, "b_first": relation.b_first,
    }  # fmt: skip
