"""report.html: one self-contained page that reads well on screen and on paper, without a script or a link out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from analysis import deviations, incidents
from analysis.figures import diverging_svg, flow_svg, flow_words, headline_svg, interval_words, percent
from analysis.markup import figure, quotation, table
from analysis.sentences import comparison_sentence, first_line, headline_sentence, method_sentences
from analysis.tables import SCALE

Found = Mapping[str, Any]
STYLE = (Path(__file__).parent / "report.css").read_text("utf-8")
HEADLINES = {
    "org_approval": "Org approval",
    "mean_over_objects": "Mean over objects",
    "pooled_share": "Pooled share",
}
SIDES = {"right": "What looked right", "off": "What looked off", "why": "Why"}


def report_html(found: Found, rationales: Sequence[Found]) -> str:
    """The page. found: `results()`; rationales: rows of `report.rationale_rows`."""
    study = found["study"]
    body = [
        f"<header><p class=first>{escape(first_line(study))}</p><h1>{escape(study['title'])}</h1>",
        _facts(found),
        "</header>",
        *(_group(found, group, number) for number, group in enumerate(found["groups"])),
        _comparison(found),
        _flow(found),
        _tasks(found),
        _people(found),
        _rationales(rationales),
        _unknowns(study),
        deviations.section(found.get("deviations", ()), plain=study["plain"]),
        incidents.section(found.get("incidents", ()), plain=study["plain"]),
        _methods(found),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(study['title'])}: report</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(part for part in body if part)
        + "\n</main>\n</body>\n</html>\n"
    )


def _facts(found: Found) -> str:
    study = found["study"]
    facts = [f"Bundle <code>{found['bundle']}</code>"]
    if study["protocol_sha256"]:
        facts.append(f"protocol {escape(study['protocol'])} <code>{escape(study['protocol_sha256'])}</code>")
    facts += [f"Org <code>{escape(name)}</code>" for name in study["orgs"]]
    notes = "".join(f"<p class=note role=note>{escape(words)}</p>" for words in _warnings(found))
    return f"<p class=facts>{'<br>'.join(facts)}</p>{notes}"


def _warnings(found: Found) -> list[str]:
    study = found["study"]
    words = list(found["notes"])
    if study["simulated"]:
        words.insert(0, "Simulated: experts here are simulated. The figures show the machinery, no finding.")
    if study["blind"]:
        words.insert(0, "This bundle was exported while the study was blind; it holds no ratings and no rationales.")
    return words


def _group(found: Found, group: Found, number: int) -> str:
    heading = f"Arm {group['arm']}" if group["arm"] else "Results"
    own = {
        row["estimand"]: row
        for row in found["estimates"]
        if row["arm"] == group["arm"] and row["target"] in ("Org", "objects")
    }
    parts = [
        f"<section><h2>{escape(heading)}</h2>",
        f"<p>Scope: {escape(group['scope'])}. Set: {escape(group['set'])}. {group['raters']} raters, "
        f"{group['ratings']} ratings, {group['cannot_judge']} can't judge.</p>",
        "<div class=heads>",
        *(_headline(own[name], title, group, number) for name, title in HEADLINES.items()),
        "</div>",
        _objects(group, number),
        _all_points(group),
        _informed(group),
        _sensitivity(found, group),
        _snapshots(group),
        _agreement(group),
        "</section>",
    ]
    return "\n".join(parts)


def _headline(row: Found, title: str, group: Found, number: int) -> str:
    if row["estimate"] is None:
        big, strip = f"<p class=big>{row['k']} of {row['n']}</p>", ""
    else:
        words = interval_words(row)
        bounds = f" <small>{words}</small>" if words else ""
        big = f"<p class=big>{percent(row['estimate'], 1)[:-1]}<i>%</i>{bounds}</p>"
        strip = figure(headline_svg(row, name=f"{row['estimand']}-{number}"), "strip")
    return f"<div><h3>{title}</h3>{big}{strip}<p>{escape(headline_sentence(row, group))}</p></div>"


def _objects(group: Found, number: int) -> str:
    rows = [
        (r["label"], r["n"], r["k"], _share(r), interval_words(r), r["cannot_judge"], _mean(r["mean"]))
        for r in group["objects"]
    ]
    return "\n".join(
        [
            "<h3>Approval by object</h3>",
            "<p>Counts of raters, centred on the middle of Neutral. Highest approval first. Wilson intervals; can't "
            "judge is left out of n.</p>",
            figure(diverging_svg(group["objects"], "light", 872, f"approval-{number}"), "wide"),
            figure(diverging_svg(group["objects"], "light", 320, f"approval-{number}"), "narrow"),
            table(
                f"Approval by object, {group['level']:.0%} intervals",
                ("Object", "n", "approve", "approval", "interval", "can't judge", "mean score (t interval)"),
                rows,
            ),
        ]
    )


def _share(row: Found) -> str:
    return row["note"] if row["estimate"] is None else percent(row["estimate"], 1)


def _mean(row: Found) -> str:
    if row["estimate"] is None:
        return ""
    bounds = f"{row['low']:.2f} to {row['high']:.2f}" if row["low"] is not None else row["note"]
    return f"{row['estimate']:.2f} ({bounds})"


def _all_points(group: Found) -> str:
    rows = [
        (row["label"], *row["counts"], *(row["blanks"].get(kind, 0) for kind in BLANK_HEADS))
        for row in [group["org"], *group["objects"]]
    ]
    return table("All five points, and what was left blank", ("", *SCALE, *BLANK_HEADS.values()), rows)


BLANK_HEADS = {
    "cannot_judge": "can't judge",
    "rather_not_say": "rather not say",
    "not_reached": "not reached",
    "not_asked": "not asked",
    "removed": "removed",
}


def _informed(group: Found) -> str:
    rows = [
        (
            row["label"],
            row["n"],
            _share(row),
            row["informed"]["n"],
            _share(row["informed"]),
            interval_words(row["informed"]),
        )
        for row in [group["org"], *group["objects"]]
        if row["informed"]
    ]
    if not rows:
        return ""
    head = ("", "n", "approval", "n informed", "informed approval", "interval")
    return table("Informed approval: only ratings with at least one record opened", head, rows)


def _sensitivity(found: Found, group: Found) -> str:
    wanted = ("worst_", "best_", "first_choice_", "five_only_", "everyone_", "informed_", "cannot_judge_share")
    rows = [
        (
            row["estimand"].replace("_", " "),
            row["k"],
            row["n"],
            row["raters"],
            _share(row),
            interval_words(row),
            _deff(row),
            row["note"],
        )
        for row in found["estimates"]
        if row["arm"] == group["arm"]
        and row["target"] in ("Org", "objects")
        and (row["estimand"].startswith(wanted) or row["estimand"] in HEADLINES)
    ]
    head = ("Estimand", "k", "n", "raters", "share", "interval", "deff", "note")
    return table("The same under other choices", head, rows, words=(7,))


def _deff(row: Found) -> str:
    return "" if row["deff"] is None else f"{row['deff']:.2f}"


def _snapshots(group: Found) -> str:
    if not group["snapshots"]:
        return ""
    rows = [(s["org_hash"][:12], s["raters"], s["k"], s["n"]) for s in group["snapshots"]]
    return table("Ratings per Org: the spread between snapshots", ("Org", "raters", "approve", "ratings"), rows)


def _agreement(group: Found) -> str:
    rows = [
        (
            row["coefficient"],
            row["reason"] or f"{row['value']:.3f}",
            None if row["percent_agreement"] is None else percent(row["percent_agreement"], 1),
            row["units"],
            row["dropped_units"],
            row["raters"],
        )
        for row in group["agreement"]
    ]
    head = ("Coefficient", "value", "agreeing pairs", "objects", "objects with one rating", "raters")
    note = (
        "<p>Whether raters tell objects apart in the same way. Low alpha with high approval is what uniformly "
        "realistic records give; it is no failure.</p>"
    )
    return table("Agreement", head, rows) + note


def _comparison(found: Found) -> str:
    words = comparison_sentence(found["comparison"])
    return f"<section><h2>Comparison</h2><p>{escape(words)}</p></section>"


def _flow(found: Found) -> str:
    if not found["flow"]:
        return ""
    rows = [(row["stage"], row["reached"], flow_words(row)) for row in found["flow"]]
    sets = list(found["sets"].items())
    return "\n".join(
        [
            "<section><h2>Participant flow</h2>",
            figure(flow_svg(found["flow"], "light", 872), "wide"),
            figure(flow_svg(found["flow"], "light", 320), "narrow"),
            table(
                "Who reached each stage, and where the others are",
                ("Stage", "reached", "came no further"),
                rows,
                words=(2,),
            ),
            table("Analysis sets", ("Set", "participants"), sets),
            "</section>",
        ]
    )


def _tasks(found: Found) -> str:
    if not found["tasks"]:
        return ""
    head = ("", "assigned", "attempted", "graded", "correct", "of graded", "interval", "median minutes")
    parts = ["<section><h2>Success at the tasks</h2><p>In this interface, within the time, on first use.</p>"]
    for rows, by, title in ((found["strata"], "stratum", "By skill"), (found["tasks"], "task", "By task")):
        lines = [
            (
                row[by].replace("_", " "), row["assigned"], row["attempted"], row["graded"], row["correct"],
                None if row["share_of_attempted"] is None else percent(row["share_of_attempted"]),
                interval_words(row), row["median_minutes"],
            )
            for row in rows
        ]  # fmt: skip
        parts.append(table(title, head, lines))
    return "\n".join([*parts, "</section>"])


def _people(found: Found) -> str:
    tables = [
        table(f"{item['text']} (answered by {item['participants']})", ("Answer", "people"),
              [(cell["answer"], cell["count"]) for cell in item["cells"]])
        for item in found["characteristics"]
    ]  # fmt: skip
    if not tables:
        return ""
    note = "<p>Each question by itself; cells under five people are merged.</p>"
    return "<section><h2>Who took part</h2>" + note + "\n".join(tables) + "</section>"


def _rationales(rows: Sequence[Found]) -> str:
    if not rows:
        return ""
    parts = ["<section><h2>Rationales by object</h2>"]
    if silent := sum(not row["text"] for row in rows):
        parts.append(f"<p>{silent} of {len(rows)} are not quoted: their writers have not agreed to it.</p>")
    last = None
    for row in rows:
        if not row["text"]:
            continue
        if row["label"] != last:
            parts.append(f"<h3>{escape(row['label'])}</h3>")
            last = row["label"]
        masked = " (parts masked)" if row["redacted"] else ""
        about = f"{row['participant']}, {row['rating']}, {SIDES[row['side']].lower()}{masked}"
        parts.append(quotation(row["text"], about))
    return "\n".join([*parts, "</section>"])


def _unknowns(study: Found) -> str:
    if not study["unknowns"]:
        return ""
    lines = "".join(
        f"<dt>{escape(str(entry.get('question', '')))}</dt><dd>{escape(str(entry.get('choice', '')))}</dd>"
        for entry in study["unknowns"]
    )
    return f"<section><h2>What the published study leaves open, and our choice</h2><dl>{lines}</dl></section>"


def _methods(found: Found) -> str:
    words = "".join(f"<p>{escape(sentence)}</p>" for sentence in method_sentences(found))
    versions = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    return f"<section><h2>Methods</h2>{words}<p class=facts>{escape(versions)}</p></section>"
