"""The methods paragraphs of a report, every number filled in, to be copied into a paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.figures import interval_words, percent
from analysis.sentences import comparison_sentence, effect_kinds, listed

Found = Mapping[str, Any]
SETS = ("eligible", "started", "exposed", "analysed", "complete")


def method_paragraphs(found: Found) -> list[str]:
    """People and sets, design, outcomes and intervals, missing ratings, size and stopping, inference, reproduction."""
    made = [_people(found), _design(found), _outcomes(found), _estimates(found), _missing(found), _stopping(found),
            _inference(found), _reproduction(found)]  # fmt: skip
    return [words for words in made if words]


def methods_text(found: Found) -> str:
    """methods.txt."""
    return "\n\n".join(method_paragraphs(found)) + "\n"


def _count(number: int, what: str, several: str = "") -> str:
    return f"{number} {what if number == 1 else several or what + 's'}"


def _people(found: Found) -> str:
    """Who came how far, and by which rule somebody is in the analysed set (M17)."""
    study, sets = found["study"], found["sets"]
    if study["plain"]:
        return (
            "Ratings were read from a plain file; participant flow and analysis sets are not known, so everyone counts."
        )
    channels = f" through {listed(study['channels'])}" if study.get("channels") else ""
    who = f"Participants, a convenience sample, were recruited{channels}."
    who = "Experts were simulated." if study["simulated"] else who
    invited = found["flow"][0]["reached"] if found["flow"] else study["participants"]
    sizes = listed([f"{sets[name]} {name}" for name in SETS if name in sets])
    rule = _set_rule(study.get("promised", {}).get("sets"))
    return f"{who} Of {invited} invited or joined, {sizes}.{rule}"


def _set_rule(rule: Any) -> str:
    if not isinstance(rule, Mapping):
        return ""
    cards = rule.get("analysed_cards_share")
    return (
        f" Exposed: at least {rule.get('exposed_minutes')} active minutes or {rule.get('exposed_attempts')} attempts. "
        f"Analysed: exposed, the Org rated, and at least {percent(float(cards))} of the cards answered, can't judge "
        "included. Quality flags moved nobody."
        if cards is not None
        else ""
    )


def _design(found: Found) -> str:
    study, arms = found["study"], len(found["groups"])
    orgs = f" They rated {_count(len(study['orgs']), 'Org')}." if study["orgs"] else ""
    protocol = ""
    if study["protocol_sha256"]:
        protocol = f" The protocol {study['protocol']} was frozen with sha256 {study['protocol_sha256']}."
    read = comparison_sentence(found["comparison"], effect_kinds(found))
    groups = f" There were {arms} groups of ratings. {read}" if arms > 1 else ""
    return f"{orgs}{protocol}{groups}".strip()


def _outcomes(found: Found) -> str:
    level = f"{found['groups'][0]['level']:.0%}" if found["groups"] else "95%"
    return (
        "Approval is the share of Realistic or Very Realistic among those who could judge. The primary estimand is "
        f"{(found['study']['primary'] or 'mean_over_objects').replace('_', ' ')}. The rater is the sampling unit. Org "
        f"approval and the approval of each object have Wilson intervals ({level}), one rating per rater; mean over "
        "objects and pooled share have Wilson intervals on the effective number of ratings, with raters as clusters, "
        "a linearised variance, a design effect of at least 1 and a t adjustment for the number of raters (after Korn "
        "and Graubard 1998; Franco et al. 2019). Of five Orgs or more, some with several raters, Orgs are the outer "
        "clusters. Mean scores have t intervals over raters. Under five raters counts are given and no percentage. "
        "Agreement is Krippendorff's alpha, Gwet's coefficients and intraclass correlations, with intervals over "
        "raters, on the fixed scale of five points, beside the share of agreeing pairs."
    )


def _estimates(found: Found) -> str:
    said = []
    for row in found["estimates"]:
        if row["estimand"] == "mean_over_objects" and row["estimate"] is not None:
            words = interval_words(row)
            between = f"{row['level']:.0%} interval {words}, " if words else ""
            named = f" in arm {row['arm']}" if row["arm"] else ""
            said.append(
                f"Over the objects the mean approval{named} was {percent(row['estimate'], 1)} ({between}"
                f"{_count(row['raters'], 'rater')})."
            )
    return " ".join(said)


def _missing(found: Found) -> str:
    cannot = sum(group["cannot_judge"] for group in found["groups"])
    ratings = sum(group["ratings"] for group in found["groups"])
    return (
        f"Can't judge was chosen {_count(cannot, 'time')} beside {_count(ratings, 'rating')}; it and other blanks are "
        "left out of n and shown, and bounds count every one of them as approving and as not approving."
    )


def _stopping(found: Found) -> str:
    """The rule as promised; what it did is the stopping block's own sentence, where there is one (M13)."""
    promised = found["study"].get("promised") or {}
    if not promised.get("n_target"):
        return ""
    rule = promised.get("stopping")
    said = f"The planned number was {promised['n_target']}, at most {promised.get('n_max', promised['n_target'])}."
    if isinstance(rule, Mapping) and rule.get("rule") == "precision":
        said += (
            f" Recruitment was to stop when the half-width of the primary interval is {float(rule['half_width']):.2f} "
            f"or less, looked at from {rule['first_look']} analysed raters on and then every {rule['every']}."
        )
    elif isinstance(rule, Mapping) and rule.get("rule"):
        said += f" Rule of stopping: {str(rule['rule']).replace('_', ' ')}."
    did = [str(arm["sentence"]) for arm in (found.get("stopping") or {}).get("arms", ()) if arm.get("sentence")]
    reached = found["sets"].get("analysed")
    analysed = (
        [] if reached is None else [f"{_count(reached, 'participant')} {'was' if reached == 1 else 'were'} analysed."]
    )
    return " ".join([said, *analysed, *dict.fromkeys(did)])


def _inference(found: Found) -> str:
    rows = found["comparisons"]
    said = (
        "The primary estimand is estimated, not tested. Planned comparisons come in the order sensitivity, arms, "
        "published figures, each at .05, stopping at the first that fails; claims about single objects are adjusted by "
        "Holm's method."
    )
    if not rows:
        return f"{said} This report compares nothing."
    kinds = [
        f"{sum(row['kind'] == kind for row in rows)} {kind}" for kind in dict.fromkeys(row["kind"] for row in rows)
    ]
    families = sorted(
        {f"{row['family']} by {row['adjustment']}" for row in rows if row["family"] and row["adjustment"]}
    )
    adjusted = f" Adjusted together: {'; '.join(families)}." if families else ""
    return f"{said} This report holds {_count(len(rows), 'difference')} ({listed(kinds)}).{adjusted}"


def _reproduction(found: Found) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    logged = "" if found["study"]["plain"] else (
        f"{_count(len(found.get('deviations', ())), 'deviation')} from the protocol and "
        f"{_count(len(found.get('incidents', ())), 'incident')} were written down. "
    )  # fmt: skip
    return (
        f"{logged}Whatever is drawn at random has seed {found['seed']} and {found['replicates']:,} replicates. Bundle "
        f"{found['bundle']}; {versions}."
    )
