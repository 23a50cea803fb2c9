"""The sentences of a report, each built from scope, people and kind of comparison; nothing else may be claimed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.figures import interval_words, percent

Found = Mapping[str, Any]


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


def headline_sentence(row: Found, group: Found) -> str:
    """What one headline estimate says, with n, raters and method."""
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
        return f"{what} {row['note'].capitalize()}."
    design = f" Design effect {row['deff']:.1f}." if row["deff"] is not None else ""
    note = f" {row['note'].capitalize()}." if row["note"] else ""
    method = row["estimator"][0].upper() + row["estimator"][1:]
    return f"{what} {method}, {level}.{design}{note}"


def comparison_sentence(kind: str) -> str:
    """How arms may be read beside each other (M1)."""
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


def method_sentences(found: Found) -> list[str]:
    """The methods paragraph, to be copied into a paper."""
    group = found["groups"][0] if found["groups"] else None
    level = f"{group['level']:.0%}" if group else "95%"
    sentences = [
        "Approval is the share of Realistic or Very Realistic among those who could judge; can't judge and other "
        "blanks are left out of n and shown. The rater is the sampling unit. Raters are a convenience sample.",
        f"Org approval and the approval of each object: Wilson intervals ({level}), one rating per rater. Mean over "
        "objects and pooled share: Wilson intervals on the effective number of ratings, with raters as clusters, a "
        "linearised variance, a design effect of at least 1 and a t adjustment for the number of raters (after Korn "
        "and Graubard 1998; Franco et al. 2019). Under five raters counts are given and no percentage.",
        "Mean scores: t intervals over raters. Agreement: Krippendorff's alpha on the fixed five-point scale, with "
        "the share of agreeing pairs.",
    ]
    rows = [row for row in found["estimates"] if row["estimand"] == "mean_over_objects" and row["estimate"] is not None]
    for row in rows:
        words = interval_words(row)
        between = f" ({row['level']:.0%} interval {words}, {row['raters']} raters)" if words else ""
        named = f" in arm {row['arm']}" if row["arm"] else ""
        sentences.append(f"Over the objects the mean approval{named} was {percent(row['estimate'], 1)}{between}.")
    return sentences
