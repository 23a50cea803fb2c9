"""The sentences of a report, each built from scope, people and kind of comparison; nothing else may be claimed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from analysis.contrasts import CAUSAL
from analysis.figures import interval_words, percent
from analysis.number_words import capital

Found = Mapping[str, Any]
CONVENIENCE = (
    "They are a convenience sample: the intervals speak of people recruited in this way, not of every professional."
)
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def first_line(study: Found) -> str:
    """The first line of a report: whether it was a replication (M2)."""
    if study["plain"]:
        return "Ratings from a plain file: whether they replicate a published study isn't known."
    if study["replication"] is None:
        return "The bundle does not say whether this study replicates a published one."
    if not study["replication"]:
        return "Not a replication: this study has its own protocol."
    source = study["replicates"].strip().rstrip(".")
    return f"A replication of {source}." if source else "A replication; its protocol names no source."


def listed(words: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1] if words else ""


def effect_kinds(found: Found) -> set[str]:
    """Kinds with a comparison that may be read as an effect of the Org: not of one order, nor of an Org with itself."""
    realism = found.get("realism") or {}
    pairs = [
        *(found.get("between_groups") or {}).get("pairs", ()),
        *realism.get("ways", ()),
        *realism.get("ladder", ()),
    ]
    kinds = {str(pair["kind"]) for pair in pairs if pair["kind"] in CAUSAL and pair.get("may_say_effect", True)}
    drawn = any((pair.get("crossover") or {}).get("order_drawn") for pair in pairs)
    return kinds | ({"randomised"} if drawn else set())  # first visits alone


def kinds_line(comparisons: Sequence[Found], effects: Collection[str] = CAUSAL) -> str:
    """Which kinds of comparison a report holds, for its first lines (M1). effects: see `effect_kinds`."""
    kinds = [kind for kind in ("within rater", "randomised", "not randomised", "historical")
             if any(row["kind"] == kind for row in comparisons)]  # fmt: skip
    if not kinds:
        return "Nothing is compared."
    causal = [kind for kind in kinds if kind in CAUSAL and kind in effects]
    said = f"Comparisons in it: {listed(kinds)}."
    if not causal:
        return f"{said} None of them can be read as an effect of the Org."
    return said if len(causal) == len(kinds) else f"{said} Only {listed(causal)} may be read as an effect of the Org."


def people_words(study: Found, n: int) -> str:
    """Who rated and through which channel, from the bundle; simulated experts are never called professionals."""
    if study["simulated"]:
        return "simulated expert" + ("" if n == 1 else "s")
    channels = [str(channel) for channel in study.get("channels", ())]
    if not channels:
        return "rater" + ("" if n == 1 else "s")
    return f"professional{'' if n == 1 else 's'} recruited through {listed(channels)}"


def scope_words(group: Found) -> str:
    """What was rated; a claim never goes beyond it (M4)."""
    what = str(group["scope"]).partition(",")[0]
    return f"{what}, a control Org ({group['control']})," if group.get("control") else what


def claims(found: Found, group: Found, rows: Mapping[str, Found]) -> list[str]:
    """What may be said of one group: k of n and scope, and the mean over objects with its interval (plan 14).

    rows: the group's headline estimates by estimand.
    """
    org, mean = rows["org_approval"], rows["mean_over_objects"]
    said = []
    if org["n"]:
        who = people_words(found["study"], org["n"])
        said.append(
            f"{org['k']} of {org['n']} {who} rated {scope_words(group)} Realistic or Very Realistic as a whole."
        )
    if mean["estimate"] is not None:
        said.append(f"Over the {_objects(group)} the mean approval was {_with_interval(mean, group)}.")
    elif mean["n"]:
        said.append("Too few raters for a mean over the objects.")
    if group["scope"].endswith("no claim beyond them"):
        said.append("Nothing is claimed beyond these Orgs.")
    return said or ["There are no ratings to speak of."]


def _objects(group: Found) -> str:
    rated = sum(1 for entry in group["objects"] if entry["n"])
    return "one object" if rated == 1 else f"{NUMBERS[rated] if rated < len(NUMBERS) else rated} objects"


def _with_interval(row: Found, group: Found) -> str:
    words = interval_words(row)
    between = f"{row['level']:.0%} interval {words}, " if words else ""
    orgs = f", {len(group['snapshots'])} Orgs" if len(group["snapshots"]) > 1 else ""
    return f"{percent(row['estimate'], 1)} ({between}{row['raters']} rater{'' if row['raters'] == 1 else 's'}{orgs})"


def headline_sentence(row: Found, group: Found) -> str:
    """How one headline estimate came about, with n, raters and method."""
    by = f"by {row['raters']} rater{'' if row['raters'] == 1 else 's'}"
    level = f"{row['level']:.0%}"
    if row["estimand"] == "org_approval":
        what = f"{row['k']} of {row['n']} raters found the Org Realistic or Very Realistic."
    elif row["estimand"] == "mean_over_objects":
        rated = sum(1 for entry in group["objects"] if entry["n"])
        what = f"{rated} objects, {row['raters']} raters. Approval of each object, averaged."
    else:
        what = f"{row['k']} of {row['n']} ratings {by}."
    if row["estimate"] is None:
        return f"{what} {capital(row['note'])}."
    design = f" Design effect {row['deff']:.1f}." if row["deff"] is not None else ""
    note = f" {capital(row['note'])}." if row["note"] else ""
    return f"{what} {capital(row['estimator'])}, {level}.{design}{note}"


def points(value: float, digits: int = 0) -> str:
    """A difference of shares in points, signed, halves away from zero: "+12", "−3", "0"."""
    size = percent(abs(value), digits)[:-1]
    return size if float(size) == 0 else f"{'+' if value > 0 else '−'}{size}"


def insensitive(found: Found) -> list[str]:
    """The sentence of M5 as the block on realism has it, once."""
    return list(dict.fromkeys(way["m5"] for way in found["realism"]["ways"] if way["m5"]))


def comparison_sentence(kind: str, effects: Collection[str] = CAUSAL) -> str:
    """How arms may be read beside each other (M1). effects: see `effect_kinds`."""
    if kind in CAUSAL and kind not in effects:
        return (
            f"{capital(kind)}, but no difference can be read as an effect of the Org: both sides rated the same Orgs, "
            "or everybody had them in the same order."
        )
    return {
        "none": "One arm: nothing is compared. A published figure beside this one is historical: other screens, "
        "other people, another year.",
        "within rater": "Within rater: the same people rated every arm, so a difference may be read as an effect of "
        "the Org.",
        "randomised": "Randomised: people were given their arm by chance, so a difference may be read as an effect "
        "of the Org.",
        "not randomised": "Not randomised: the arms were rated by different people recruited apart. A difference "
        "can't be read as an effect of the Org.",
    }[kind]
