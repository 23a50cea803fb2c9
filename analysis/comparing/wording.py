"""The words of a comparison, each by its kind: only `within rater` and `randomised` may speak of an effect (M1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.contrasts import CAUSAL
from analysis.number_words import minus, p_words

Row = Mapping[str, Any]
EFFECT = "effect of the Org"
M5 = (
    "Experts did not rate the Org above the same records with their connections destroyed; approval here is no "
    "evidence about how the records hang together."
)


def may_say_effect(pair: Row) -> bool:
    """Same or randomised people, different Orgs, and within raters both orders."""
    return pair["kind"] in CAUSAL and not pair["same_orgs"] and not pair["one_order"]


def kind_sentence(pair: Row) -> str:
    """What kind of comparison it is, and what follows for reading it."""
    kind = pair["kind"][0].upper() + pair["kind"][1:]
    said = f"{kind}: {pair['why']}."
    if pair["same_orgs"]:
        said += " Both rated the same Orgs, so a difference is one between arms, visits or people, not between Orgs."
    elif pair["one_order"]:
        first = named(pair["a"] if pair["b_first"] == 0 else pair["b"])
        said += f" Nobody had another order than {first} first, so a difference holds the order as well as the Org."
        if pair["a_first"] == pair["b_first"] == 0:
            said = f"{kind}: {pair['why']}. Which came first isn't known, so a difference may hold the order as well."
    elif may_say_effect(pair):
        said += f" A difference may be read as an {EFFECT}."
    else:
        said += " A difference can't be put down to the Orgs."
    return said + _left_out(pair)


def _left_out(pair: Row) -> str:
    if not pair["left_out"]:
        return ""
    people = "person" if pair["left_out"] == 1 else "people"
    was = "was" if pair["left_out"] == 1 else "were"
    why = "in one of the two only" if pair["kind"] == "within rater" else "in both"
    return f" {pair['left_out']} {people} who {was} {why} {was} left out."


def difference_sentence(pair: Row, row: Row, objects: int) -> str:
    """The primary contrast in words, with interval, n, test and p."""
    lead = f"The {EFFECT}: over" if may_say_effect(pair) else "Over"
    what = f"{lead} {objects} objects the mean approval"
    if row["estimate"] is None:
        return f"Mean approval of {named(row['a'])} against {named(row['b'])}: no difference is given; {row['note']}."
    sides = f"in {named(row['a'])} than in {named(row['b'])}"
    return f"{what} was {apart(row)} {sides} ({interval_of(row)}{people(row)}{tested(row)})."


def named(arm: str) -> str:
    """A group's name within a sentence; one with a comma in quotation marks."""
    return f"“{arm}”" if "," in arm else arm


def apart(row: Row) -> str:
    """ "12.5 points higher"; "0.40 points of the scale lower" for scores."""
    size = abs(row["estimate"])
    amount = f"{size:.2f} points of the scale" if is_score(row) else f"{size * 100:.1f} points"
    if float(amount.split()[0]) == 0:
        return f"{amount} higher or lower"
    return f"{amount} {'higher' if row['estimate'] > 0 else 'lower'}"


def interval_of(row: Row) -> str:
    if row["low"] is None:
        return f"{row['note'] or 'interval not estimable'}; "
    return f"{row['level']:.0%} interval {amount(row, row['low'])} to {amount(row, row['high'])}; "


def amount(row: Row, value: float | None) -> str:
    """A difference with its sign: points of a hundred, or of the scale for scores."""
    if value is None:
        return ""
    return minus(value) if is_score(row) else minus(value * 100, 1)


def is_score(row: Row) -> bool:
    return bool(row["estimand"].endswith("_score"))


def people(row: Row) -> str:
    if row["kind"] == "within rater":
        return f"{row['n']} raters"
    return f"{row['raters_a']} and {row['raters_b']} raters"


def tested(row: Row) -> str:
    return "" if row["p"] is None else f"; {row['test']}, {p_words(row['p'])}"


def equivalence_sentence(found: Row | None, row: Row) -> str:
    """Equivalence is said only where both one-sided tests reject at a margin that the protocol names."""
    if found is None or (found["p"] is None and not found["promised"]):
        return ""
    margin = f"±{found['margin'] * 100:g} points"
    if found["p"] is None:
        return f"Equivalence within {margin} can't be tested: {found['note']}."
    inner = f"{1 - 2 * found['alpha']:.0%} interval {amount(row, found['low'])} to {amount(row, found['high'])}"
    how = f"two one-sided tests, {p_words(found['p'])}; {inner}"
    if not found["promised"]:
        return f"The protocol names no margin, so equivalence is not claimed; within {margin}: {how}."
    if found["equivalent"]:
        return f"Equivalent within {margin} ({how})."
    return f"Equivalence within {margin} is not shown ({how})."
