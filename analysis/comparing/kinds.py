"""Which kind a comparison of two groups is (M1): read off who came to which, never chosen after the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import pandas as pd

from analysis.bundle import Bundle
from analysis.contrasts import Kind

STRONGEST_FIRST: tuple[Kind, ...] = ("within rater", "randomised", "not randomised")
NEEDED = ("id", "participant", "arm", "condition", "period", "org_hash", "allocation", "analysed")
PAIRED_SHARE = 0.5  # of the smaller group: with fewer in both, the comparison is one of different people
IN_BOTH = "different people, but for some who were in both, so that chance no longer decides who is compared"


@dataclass(frozen=True)
class Relation:
    """How two groups stand to each other.

    both: people in both, in order of their code; used as pairs when the kind is `within rater`, and left out
    otherwise. only_a, only_b: people in one only. a_first, b_first: of those in both, which Org came first.
    same_orgs: both groups rated the same Orgs, so that a difference can't be one between Orgs; of pairs, everybody
    rated the Orgs of their own twice.
    """

    kind: Kind
    why: str
    both: tuple[str, ...]
    only_a: int
    only_b: int
    a_first: int
    b_first: int
    same_orgs: bool

    @property
    def paired(self) -> bool:
        return self.kind == "within rater"

    @property
    def retest(self) -> bool:
        """The same people on the same Orgs again: how steady raters are, and nothing about Orgs."""
        return self.paired and self.same_orgs

    @property
    def left_out(self) -> int:
        """People who rated, and are no part of this comparison."""
        return self.only_a + self.only_b if self.paired else len(self.both)

    @property
    def one_order(self) -> bool:
        """Everybody had the same Org first, so that Org and visit can't be told apart."""
        return self.paired and 0 in (self.a_first, self.b_first)


def relation(a: pd.DataFrame, b: pd.DataFrame, cohorts: Mapping[str, str]) -> Relation:
    """The relation of two groups from their visits. a, b: rows of `visits`; cohorts: cohort by participant's code.

    Within rater: somebody is in both, and both are visits of one arm, or at least half of the smaller group is in
    both. Randomised: different people, every visit of a randomised allocation, and the same cohorts were given both.
    Everything else is not randomised.
    """
    used_a, used_b = _analysed(a), _analysed(b)
    people_a, people_b = set(used_a["participant"]), set(used_b["participant"])
    both = tuple(sorted(people_a & people_b))
    counts = (len(people_a - people_b), len(people_b - people_a))
    orders = _orders(used_a, used_b, both)
    # However few came back: people who left after one visit are no fair sample of those who were given that Org first.
    enough = 1 if set(a["arm"]) == set(b["arm"]) else PAIRED_SHARE * min(len(people_a), len(people_b))
    if both and len(both) >= enough:
        same = _orgs_of(used_a, both) == _orgs_of(used_b, both)
        return Relation("within rater", "the same people rated both", both, *counts, *orders, same)
    kind, why = _allocated(a, b, cohorts) if not both else ("not randomised", IN_BOTH)
    one, other = set(used_a["org_hash"]), set(used_b["org_hash"])
    # People who are lost may take an Org with them, so that one side has fewer of the same Orgs.
    return Relation(kind, why, both, *counts, *orders, one <= other or other <= one)


def _orgs_of(visits: pd.DataFrame, people: Sequence[str]) -> dict[str, list[str]]:
    own = visits[visits["participant"].isin(list(people))].groupby("participant")["org_hash"]
    return {str(code): sorted(set(hashes)) for code, hashes in own}


def _analysed(visits: pd.DataFrame) -> pd.DataFrame:
    marked = visits[visits["analysed"].fillna(False).astype(bool)]
    return marked if len(marked) else visits


def _orders(a: pd.DataFrame, b: pd.DataFrame, both: Sequence[str]) -> tuple[int, int]:
    """How many had a first, and b first; visits without a number count nowhere."""
    first_a = a.groupby("participant")["period"].min().reindex(list(both))
    first_b = b.groupby("participant")["period"].min().reindex(list(both))
    return int((first_a < first_b).fillna(False).sum()), int((first_b < first_a).fillna(False).sum())


def _allocated(a: pd.DataFrame, b: pd.DataFrame, cohorts: Mapping[str, str]) -> tuple[Kind, str]:
    visits = pd.concat([a, b])
    if not (len(visits) and bool((visits["allocation"] == "randomised").all())):
        return "not randomised", "different people, and who rated which was not drawn by chance"
    if {cohorts.get(code, "") for code in a["participant"]} != {cohorts.get(code, "") for code in b["participant"]}:
        return "not randomised", "different people from different cohorts"
    return "randomised", "different people of the same cohorts, given one or the other by chance"


def visits_by_group(bundle: Bundle) -> dict[str, pd.DataFrame]:
    """Visits of each group by its name, as `groups.groups` names and divides them; of a blind bundle too."""
    visits = bundle.frames["visits"][list(NEEDED)]
    again = set(visits.loc[visits.duplicated(["participant", "arm"]), "arm"])
    found = {}
    for arm in sorted(set(visits["arm"])):
        own = visits[visits["arm"] == arm]
        if arm not in again:
            found[arm] = own
            continue
        by, word = ("condition", "") if (own["condition"] != "").all() else ("period", "visit ")
        for value in sorted(set(own[by].dropna())):
            found[f"{arm}, {word}{value}"] = own[own[by] == value]
    return found


def cohorts_of(bundle: Bundle) -> dict[str, str]:
    people = bundle.frames["participants"]
    return {str(code): str(cohort) for code, cohort in zip(people["code"], people["cohort"], strict=True)}


def relations(bundle: Bundle) -> dict[tuple[str, str], Relation]:
    """The relation of every pair of groups, by their names."""
    visits, cohorts = visits_by_group(bundle), cohorts_of(bundle)
    return {(a, b): relation(visits[a], visits[b], cohorts) for a, b in combinations(visits, 2)}


def study_kind(bundle: Bundle) -> str:
    """One word for a whole study: the weakest kind among its pairs of groups; none without any.

    The same people on the same Orgs again are no pair. Different arms on the same Orgs are: their protocols differ.
    """
    kinds = {found.kind for found in relations(bundle).values() if not found.retest}
    return next((kind for kind in reversed(STRONGEST_FIRST) if kind in kinds), "none")
