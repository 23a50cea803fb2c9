"""Care: flags per rule and strength, the analysis sets, and the events along the way. Counts only, no codes (M20)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from analysis.blocks import Block, Earlier, Found
from analysis.care.events import events
from analysis.care.flags import Checked, checked, with_strong_flags
from analysis.care.headline import primary_of
from analysis.care.rules import BY_CODE, ENOUGH_STRONG, OF_PERSON
from analysis.care.sets import disagreements, limits_of, sets_by_arm, sets_by_rule
from analysis.context import Context
from analysis.document import Heading, Paragraph, Part, Section, Table
from analysis.figures import interval_words, percent

KEY = "care"
Data = Mapping[str, Any]


def compute(context: Context, earlier: Earlier) -> Found:
    if context.bundle.plain:
        # A plain file has no visits of people, no pages, no reasons; flags on scores alone would be the weakest ones.
        return Found({"why": "a plain file holds ratings only", "flags": None, "sets": None, "events": []})
    primary = primary_of(context.promised)
    return Found(
        {
            "why": "",
            "flags": _flags(context),
            "sets": _sets(context),
            "primary": primary,
            "events": [asdict(event) for event in events(context, primary)],
        }
    )


def _flags(context: Context) -> dict[str, Any]:
    found = checked(context)
    two = with_strong_flags(context)
    raters = {group.arm: set(group.ratings["rater"]) for group in context.groups}
    visits = {group.arm: set(group.ratings["visit"]) for group in context.groups}
    everybody = set(context.visits["participant"])
    return {
        "people": len(everybody),
        "two_strong": len(two & everybody),
        "enough_strong": ENOUGH_STRONG,
        "rules": [_rule(context, one, set(context.visits.index), everybody) for one in found],
        "groups": [
            {
                "arm": arm,
                "people": len(people),
                "two_strong": len(two & people),
                "rules": {
                    one.rule: {"of": row["of"], "met": row["met"]}
                    for one in found
                    for row in [_rule(context, one, visits[arm], people)]
                },
            }
            for arm, people in raters.items()
        ],
    }


def _rule(context: Context, one: Checked, visits: set[str], people: set[str]) -> dict[str, Any]:
    """People a rule could be applied to, and met, among these."""
    rule = BY_CODE[one.rule]
    of, met = (_people(context, places, one.rule, visits, people) for places in (one.of, one.met))
    return {"rule": rule.code, "strength": rule.strength, "text": rule.text, "of": len(of), "met": len(met)}


def _people(context: Context, places: frozenset[str], rule: str, visits: set[str], people: set[str]) -> set[str]:
    if rule in OF_PERSON:
        return set(places) & people
    return set(context.visits.loc[context.visits.index.isin(list(places & visits)), "participant"])


def _sets(context: Context) -> dict[str, Any]:
    limits = limits_of(context.promised)
    by_arm = sets_by_arm(context.bundle)
    if limits is None:
        return {"arms": by_arm, "limits": None, "checks": [], "why": "the protocol holds no limits of the sets"}
    checks = disagreements(context.bundle, sets_by_rule(context.bundle, limits))
    blind = context.bundle.frames["ratings"].empty
    why = "no ratings in the bundle, so that the set analysed can't be worked out again" if blind else ""
    checks = [row for row in checks if not (blind and row["set"] == "analysed")]
    return {"arms": by_arm, "limits": asdict(limits), "checks": checks, "why": why}


def sections(results: Mapping[str, Any]) -> Sequence[Section]:
    found = results.get(KEY)
    if not found or found["flags"] is None:
        return ()
    parts = [*_flag_parts(found["flags"]), *_set_parts(found["sets"]), *_event_parts(found)]
    return (Section("care", "Care: flags, sets and events", parts),)


def _flag_parts(flags: Data) -> list[Part]:
    head = ("Rule", "Strength", "People", "could be checked")
    rows = [(row["text"], row["strength"], row["met"], row["of"]) for row in flags["rules"]]
    parts: list[Part] = [
        Paragraph(
            "A flag is a reason to look, not to leave out: nobody left a set by one. No rule looks at how high "
            f"somebody rated the records. {flags['two_strong']} of {flags['people']} people have "
            f"{flags['enough_strong']} strong flags or more; a sensitivity row leaves them out. Soft flags meet "
            "careful people too."
        ),
        Table("care-flags", "People by rule", head, rows, words=(1,),
              data=[("rule", "strength", "met", "of"),
                    *((row["rule"], row["strength"], row["met"], row["of"]) for row in flags["rules"])]),
    ]  # fmt: skip
    if len(flags["groups"]) > 1:
        parts.append(_by_group(flags))
    return parts


def _by_group(flags: Data) -> Table:
    groups = flags["groups"]
    rows: list[tuple[str | int, ...]] = [
        (f"{ENOUGH_STRONG} strong flags or more", *(f"{one['two_strong']} of {one['people']}" for one in groups))
    ]
    for row in flags["rules"]:
        cells = (one["rules"][row["rule"]] for one in groups)
        rows.append((row["text"], *(f"{cell['met']} of {cell['of']}" for cell in cells)))
    return Table("care-flags-by-group", "The same by group", ("Rule", *(one["arm"] for one in groups)), rows)


def _set_parts(sets: Data) -> list[Part]:
    head = ("Arm", "eligible", "started", "exposed", "analysed", "complete")
    rows = [(row["arm"] or "no arm drawn", *(row[name] for name in head[1:])) for row in sets["arms"]]
    parts: list[Part] = [Heading("Analysis sets"), Table("care-sets", "People in each set", head, rows)]
    if not all(row["nested"] for row in sets["arms"]):
        parts.append(Paragraph("Somebody is in a set without being in the one around it; see the bundle.", "note"))
    limits = sets["limits"]
    if limits is not None:
        parts.append(
            Paragraph(
                f"Exposed: {limits['minutes']:g} active minutes or {limits['attempts']} questions ended. Analysed: "
                f"exposed, the Org rated, and {percent(limits['cards'])} of the cards answered, can't judge included."
            )
        )
    said = [
        f"{row['set']}: {row['stored_not_by_rule']} visits are in it and not by the rule, {row['by_rule_not_stored']} "
        f"the other way round, of {row['visits']}"
        for row in sets["checks"]
        if row["stored_not_by_rule"] or row["by_rule_not_stored"]
    ]
    if said:
        words = "Worked out again from the bundle, the sets differ: " + "; ".join(said) + ". Nothing was put right."
        parts.append(Paragraph(words, "note"))
    elif sets["checks"]:
        names = " and ".join(row["set"] for row in sets["checks"])
        parts.append(Paragraph(f"Worked out again from the bundle, {names} come out as stored for every visit."))
    if sets["why"]:
        parts.append(Paragraph(sets["why"][0].upper() + sets["why"][1:] + "."))
    return parts


def _event_parts(found: Data) -> list[Part]:
    groups = [one["arm"] for one in next((e["without"] for e in found["events"] if e["without"]), ())]
    head = ("Event", "How many", "Handling", "Sensitivity", *(f"Without: {arm or 'estimate'}" for arm in groups))
    rows = [
        (event["event"], _many(event), event["handling"], event["sensitivity"], *_without(event, groups))
        for event in found["events"]
    ]
    note = "Without: the primary estimate with its interval when they are left out (for unopened: informed approval)."
    return [
        Heading("What happened on the way"),
        Table("care-events", "Intercurrent events", head, rows, (1, 2, 3), note=note),
    ]


def _many(event: Data) -> str:
    if event["count"] is None:
        return str(event["note"])
    if event["unit"] == "protocols":
        return f"{event['count']} version" + ("s" if event["count"] != 1 else "")
    more = f" ({event['note']})" if event["note"] else ""
    return f"{event['count']} of {event['of']} {event['unit']}{more}"


def _without(event: Data, groups: Sequence[str]) -> list[str]:
    by_arm = {one["arm"]: one for one in event["without"]}
    return [_estimate(by_arm[arm]) if arm in by_arm else "" for arm in groups]


def _estimate(row: Data) -> str:
    if row["estimate"] is None:
        return str(row["note"])
    words = interval_words(row)
    return percent(row["estimate"], 1) + (f" ({words})" if words else "")


BLOCK = Block(KEY, compute, sections)
