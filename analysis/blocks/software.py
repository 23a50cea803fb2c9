"""Software or data: what of the ratings is about the screens (M10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.blocks import Block, Earlier, Found
from analysis.care.software_only import LOW, SOFTWARE, software_only
from analysis.context import Context
from analysis.document import Paragraph, Part, Section
from analysis.estimates import FEWEST, Estimate
from analysis.hour.cells import approval, by_cell, rater_means
from analysis.hour.groupings import Cells, cells_of, thirds
from analysis.hour.means import cluster_mean, rank_correlation
from analysis.hour.reading import (
    DECLINED,
    Party,
    closing,
    counted,
    group_of,
    items_of,
    labels_of_codes,
    parties,
    screened,
)  # fmt: skip
from analysis.hour.shares import mean_row, share_row
from analysis.hour.telling import counts_table, ends, estimates, heading, number, one, said, share_table, slug

KEY = "software"
TAGS = {
    "values": "Values", "texts": "Texts", "links": "Links between records", "amount": "Amount or history",
    "fields": "Set-up of fields", "software": "Screens and software", "other": "Other",
}  # fmt: skip
UMUX = ("umux_requirements", "umux_easy")
OWN_SOFTWARE = ("lower", "same", "higher", "cannot_say")
THIRDS = ("Fastest third", "Middle third", "Slowest third")


def compute(context: Context, earlier: Earlier) -> Found:
    """The analysed set of each group. Approvals here are other looks at the headline and stand in this entry alone."""
    only = software_only(context.bundle)
    products = screened(context, "products", "S2")
    groups: list[dict[str, Any]] = []
    rows: list[Estimate] = []
    for party in parties(context):
        ratings = group_of(context, party.arm).ratings
        ratings = ratings[ratings["analysed"]]
        notes = _off_notes(context, party)
        scores = _umux(context, party)
        rows += [*_tag_rows(party, notes), *_umux_row(party, scores)]
        about = [key in only for key in zip(ratings["visit"], ratings["kind"], ratings["target"], strict=True)]
        groups.append(
            {
                "arm": party.arm,
                "level": party.level,
                "notes": {"all": len(notes), "tagged": int(notes["tags"].map(bool).sum())},
                "all": approval(ratings, party.level),
                "without_software": approval(ratings[~np.array(about, dtype=bool)], party.level),
                "software_only": int(sum(about)),
                "look_only": _look_only(context, party, ratings),
                "products": by_cell(ratings, _products(context, ratings, products), party.level),
                "fluency": by_cell(ratings, _fluency(context, ratings), party.level),
                "umux": _umux_and_rating(scores, ratings, party.level),
                "own_software": counted(_own(context, party), (*OWN_SOFTWARE, DECLINED)),
                "device": _counts(context, party, "device"),
                "skin": _counts(context, party, "skin"),
            }
        )
    known = any(group["all"]["n"] or sum(group["own_software"].values()) for group in groups)
    return Found({"known": bool(known and not context.bundle.plain), "groups": groups}, rows)


def _off_notes(context: Context, party: Party) -> pd.DataFrame:
    """What looked off of the Org and its objects, with at least a word or a tag."""
    notes = context.bundle.frames["rationales"]
    own = party.rows(notes[(notes["side"] == "off") & notes["kind"].isin(["org", "object"])])
    tags = own["tags"].map(lambda given: tuple(given) if isinstance(given, list) else ())
    return own.assign(tags=tags)[(own["text"].str.strip() != "") | tags.map(bool).astype(bool)]


def _tag_rows(party: Party, notes: pd.DataFrame) -> Iterator[Estimate]:
    """Share of the sorted off-notes with each tag; a note may have several, so shares may add up to more than one."""
    tagged = notes[notes["tags"].map(bool).astype(bool)]
    names = [*TAGS, *sorted({tag for tags in tagged["tags"] for tag in tags} - set(TAGS))]
    for tag in names:
        yield share_row(
            party, "off_note_tag", tag, tagged["tags"].map(lambda tags, tag=tag: tag in tags), tagged, unit="notes"
        )
    yield share_row(party, "off_note_software_alone", "notes", tagged["tags"].map(lambda tags: set(tags) == {SOFTWARE}),
                    tagged, unit="notes")  # fmt: skip


def _look_only(context: Context, party: Party, ratings: pd.DataFrame) -> dict[str, Any]:
    """Approval of objects whose records were opened in the look and not during the work."""
    opened = context.bundle.frames["ratings"]
    chosen = opened[(opened["opened_work"] == 0).fillna(False) & (opened["opened_look"] > 0).fillna(False)]
    places = set(zip(chosen["visit"], chosen["kind"], chosen["target"], strict=True))
    keys = zip(ratings["visit"], ratings["kind"], ratings["target"], strict=True)
    from_look = np.array([key in places for key in keys], dtype=bool)
    return approval(ratings[from_look & (ratings["kind"] == "object").to_numpy()], party.level)


def _products(context: Context, ratings: pd.DataFrame, products: Mapping[str, Sequence[str]]) -> Cells:
    """People per product used; one that does not exist is left out. Most used several."""
    item = next((item for item in items_of(context.bundle.protocol) if item.get("use") == "products"), {})
    options = [option for option in item.get("options") or [] if isinstance(option, dict)]
    invented = {str(option["code"]) for option in options if option.get("flag") == "overclaim"}
    raters = set(ratings["rater"])
    used = {code: [one for one in given if one not in invented] for code, given in products.items() if code in raters}
    words = labels_of_codes(context.bundle, str(item.get("id", "S2")))
    cells = cells_of(used, [str(option["code"]) for option in options], several=True)
    return [(" · ".join(words.get(code, code) for code in name.split(" · ")), people) for name, people in cells]


def _fluency(context: Context, ratings: pd.DataFrame) -> Cells:
    """Thirds of the seconds for the three timed moves of the practice; who did not finish them is left out.

    The practice comes once, before the first visit's work: in a crossover it is the person's, whichever Org came first.
    """
    timed = context.visits[context.visits["fluency_s"].notna() & context.visits["participant"].isin(ratings["rater"])]
    seconds = timed.reset_index(drop=True).sort_values(["period", "id"]).groupby("participant")["fluency_s"].first()
    if len(seconds) < FEWEST:
        return []
    place = thirds(seconds.astype(float))
    return [(name, set(seconds.index[place == number])) for number, name in enumerate(THIRDS)]


def _umux(context: Context, party: Party) -> pd.DataFrame:
    """UMUX-Lite of each rater, (a + b − 2)·100/12, where both items are answered; the mean of several visits."""
    rows = party.rows(closing(context.bundle, "|".join(UMUX)))
    rows = rows[rows["value"].str.fullmatch(r"[1-7]")]
    if rows.empty:
        return pd.DataFrame(columns=["rater", "cluster", "score"])
    wide = rows.assign(value=rows["value"].astype(float)).pivot(index="visit", columns="item", values="value")
    wide = wide.reindex(columns=list(UMUX)).dropna()
    score = (wide.sum(axis=1) - 2) * 100 / 12
    people = party.visits.reindex(wide.index)
    frame = pd.DataFrame({"rater": people["rater"], "cluster": people["cluster"], "score": score})
    return frame.groupby("rater", as_index=False).agg(cluster=("cluster", "first"), score=("score", "mean"))


def _umux_row(party: Party, scores: pd.DataFrame) -> Iterator[Estimate]:
    found = cluster_mean(scores["score"].astype(float), scores["cluster"].astype(str), party.level)
    yield mean_row(party, "umux_lite", "raters", found, len(scores), note="points of 100, asked after the ratings")


def _umux_and_rating(scores: pd.DataFrame, ratings: pd.DataFrame, level: float) -> dict[str, Any]:
    """Rank correlation with each rater's mean rating of the objects: they share a mood, so nothing is adjusted."""
    means = rater_means(ratings, approve=False)
    both = scores[scores["rater"].isin(means.index)]
    return vars(rank_correlation(both["score"].astype(float), means.reindex(both["rater"]), level))


def _own(context: Context, party: Party) -> pd.Series[Any]:
    rows = party.rows(closing(context.bundle, "own_software"))
    return rows["value"].where(rows["value"] != "", rows["blank"])


def _counts(context: Context, party: Party, column: str) -> dict[str, int]:
    analysed = party.visits.index[party.visits["analysed"]]
    return counted(context.visits[column].reindex(analysed))


def sections(results: Mapping[str, Any]) -> Sequence[Section]:
    """From results.json alone."""
    found = results.get(KEY) or {}
    if not found.get("known"):
        return ()
    parts: list[Part] = [
        Paragraph(
            "People were asked to judge the records, not the screens. Here is what can be told of the screens all the "
            "same. Differences between products and thirds are between different people: they describe."
        )
    ]
    for group in found["groups"]:
        parts += heading(group["arm"], found["groups"])
        parts += _group(results, group)
    return (Section("software", "Software or data", parts),)


def _group(results: Mapping[str, Any], group: Mapping[str, Any]) -> list[Part]:
    arm, level, name = group["arm"], group["level"], slug(group["arm"])
    tags = [(TAGS.get(row["target"], str(row["target"])), row) for row in estimates(results, arm, "off_note_tag")]
    about = next((row for _, row in tags if row["target"] == SOFTWARE), None)
    alone = one(results, arm, "off_note_software_alone", "notes")
    notes = group["notes"]
    parts: list[Part] = [
        Paragraph(
            f"{notes['all']} notes of what looked off, {notes['tagged']} of them sorted. About screens and software: "
            f"{said(about, level)}; about nothing else: {said(alone, level)}."
        )
    ]
    if notes["tagged"]:
        parts.append(share_table(f"off-tags-{name}", "What looked off, by what it was about", "About", tags, of="notes",
                                 note="A note may be about several things."))  # fmt: skip
    looks = [
        ("All ratings", group["all"]),
        (f"Without ratings of {LOW} or lower that are about the software alone", group["without_software"]),
        ("Objects seen in the look alone, not during the work", group["look_only"]),
    ]
    caption = f"Approval, mean over objects, under other looks ({level:.0%} intervals, raters as clusters)"
    parts.append(share_table(f"software-looks-{name}", caption, "Ratings", looks, of="ratings"))
    for key, title in (("products", "product used in the last two years"), ("fluency", "third by the timed moves")):
        parts += _cells(group, key, title)
    parts.append(Paragraph(_umux_words(results, group)))
    parts.append(counts_table(f"own-software-{name}", "In one's own software the ratings would have been", "Answer",
                              group["own_software"], {}))  # fmt: skip
    for key, words in (("device", "Device"), ("skin", "Skin")):
        if group[key]:
            listed = ", ".join(f"{code} {count}" for code, count in group[key].items())
            parts.append(Paragraph(f"{words}, visits: {listed}."))
    return parts


def _cells(group: Mapping[str, Any], key: str, title: str) -> list[Part]:
    if not group[key]:
        return [Paragraph(f"Approval by {title}: too few people.")]
    caption = f"Approval, mean over objects, by {title} (different people; cells under {FEWEST} merged)"
    return [share_table(f"software-{key}-{slug(group['arm'])}", caption, "People", group[key], of="ratings")]


def _umux_words(results: Mapping[str, Any], group: Mapping[str, Any]) -> str:
    row = one(results, group["arm"], "umux_lite", "raters")
    if row is None or row["estimate"] is None:
        return "UMUX-Lite was not asked or not answered."
    words = ends(row, 0)
    interval = f" ({group['level']:.0%} interval {words})" if words else ""
    rho = group["umux"]
    linked = rho["note"].capitalize() if rho["estimate"] is None else number(rho["estimate"], 2, signed=True)
    if rho["low"] is not None:
        linked += f" ({ends(rho, signed=True)})"
    return (
        f"UMUX-Lite: {number(row['estimate'], 0)} of 100{interval}, {row['raters']} raters. Rank correlation with a "
        f"rater's mean rating: {linked}. It was asked after the ratings and shares their mood; nothing is adjusted."
    )


BLOCK = Block(KEY, compute, sections)
