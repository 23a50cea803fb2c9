"""Their week: could they have done it here, what is missing, and how their own system would fare (M12)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.blocks import Block, Earlier, Found
from analysis.context import Context
from analysis.document import Figure, Paragraph, Part, Section, Table
from analysis.estimates import Estimate
from analysis.figures_hour import coverage_svg, gap_svg
from analysis.groups import labels_of
from analysis.hour.episodes import Coded, covered, read_codes
from analysis.hour.gap import gap, own_ratings, pairs
from analysis.hour.reading import DECLINED, Party, closing, group_of, parties
from analysis.hour.richness import chao1, chao2, kinds_of
from analysis.hour.shares import mean_row, share_row
from analysis.hour.telling import ends, estimates, heading, mean_table, number, one, said, share_table, slug

KEY = "week"
COVERED = ("fully", "software_only")
MISSING = ("links_missing", "records_missing")
CANNOT_SAY = "cannot_say"
WORDS = {
    "fully": "Yes, fully",
    "software_only": "Only the software lacked it",
    "links_missing": "Links or fields were missing",
    "records_missing": "Records were missing",
}
ESTIMATOR = "t, one mean difference per rater"
NOT_CODED = "The episodes are not coded, so task coverage and kinds not named yet can't be said."


def compute(context: Context, earlier: Earlier) -> Found:
    """The analysed set of each group. What people wrote that they missed is counted here and read in the report."""
    episodes = closing(context.bundle, r"coverage_(?P<number>\d+)")
    written = closing(context.bundle, "not_found")
    coded = _codes(context)
    groups: list[dict[str, Any]] = []
    rows: list[Estimate] = []
    for party in parties(context):
        answers, texts = party.rows(episodes), party.rows(written)
        own, differences = _own(context, party)
        rows += [*_coverage(party, answers), *_gap(party, own, differences), *_task_coverage(party, coded)]
        groups.append(
            {
                "arm": party.arm,
                "level": party.level,
                "episodes": _episodes(answers),
                "not_found": {"asked": len(texts), "written": int((texts["value"].str.strip() != "").sum())},
                "gap": _labelled(context, own, differences),
                "kinds": _kinds(party, coded),
            }
        )
    asked = bool(len(episodes)) or any(group["gap"]["asked"] for group in groups)
    return Found({"asked": asked, "coded": coded is not None, "groups": groups}, rows)


def _codes(context: Context) -> Coded | None:
    path = context.options.codes
    if path is None:
        return None
    of_visit = dict(zip(context.visits.index, context.visits["participant"], strict=True))
    coded = read_codes(path, of_visit)
    return None if coded.episodes.empty else coded


def _coverage(party: Party, answers: pd.DataFrame) -> Iterator[Estimate]:
    """Share "fully" or "only the software lacked it"; can't say is left out, shown, and bounded both ways."""
    valid = answers[answers["value"].isin(WORDS)]
    unsure = answers["value"] == CANNOT_SAY
    both, cannot = answers[answers["value"].isin(WORDS) | unsure], int(unsure.sum())
    done = both["value"].isin(COVERED)
    yield share_row(party, "coverage", "episodes", valid["value"].isin(COVERED), valid, unit="episodes", cannot=cannot)
    for name, counts, how in (("worst", done, "not done"), ("best", done | (both["value"] == CANNOT_SAY), "done")):
        note = f"can't say counted as {how}"
        yield share_row(party, f"{name}_coverage", "episodes", counts, both, unit="episodes", cannot=cannot, note=note)
    for code in WORDS:
        yield share_row(party, "episode_answer", code, valid["value"] == code, valid, unit="episodes", cannot=cannot)


def _episodes(answers: pd.DataFrame) -> dict[str, Any]:
    return {
        "asked": len(answers),
        "people": int(answers["rater"].nunique()),
        "answers": {code: int((answers["value"] == code).sum()) for code in WORDS},
        "cannot_say": int((answers["value"] == CANNOT_SAY).sum()),
        "rather_not_say": int((answers["blank"] == DECLINED).sum()),
    }


def _own(context: Context, party: Party) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Own-system answers of the group, and the pairs with its object ratings."""
    ratings = group_of(context, party.arm).ratings
    ratings = ratings[(ratings["kind"] == "object") & ratings["analysed"]]
    own = party.rows(own_ratings(context.bundle, sorted(set(ratings["target"]))))
    columns = ["visit", "target", "score", "rater", "cluster"]
    return own, pairs(own[["visit", "object", "own", "cannot_say"]], ratings[columns])


def _gap(party: Party, own: pd.DataFrame, differences: pd.DataFrame) -> Iterator[Estimate]:
    for target in ("objects", *sorted(set(own["object"]))):
        chosen = differences if target == "objects" else differences[differences["object"] == target]
        unsure = own["cannot_say"] if target == "objects" else own.loc[own["object"] == target, "cannot_say"]
        note = f"{len(chosen)} pairs of ratings" if target == "objects" else ""
        raters = int(chosen["rater"].nunique())
        found = gap(chosen, party.level)
        yield mean_row(
            party, "gap", target, found, raters, estimator=ESTIMATOR, cannot=int(unsure.sum()), note=note
        )  # fmt: skip


def _labelled(context: Context, own: pd.DataFrame, differences: pd.DataFrame) -> dict[str, Any]:
    labels = labels_of(context.bundle)
    names = sorted(set(own["object"]))
    return {
        "asked": len(own),
        "pairs": len(differences),
        "labels": {name: labels.get(name, name) for name in names},
    }


def _task_coverage(party: Party, coded: Coded | None) -> Iterator[Estimate]:
    if coded is None:
        return
    own = _coded_of(party, coded)
    note = f"coded by {coded.coders}; an episode on which coders differ counts as the share of them who named a task"
    yield share_row(party, "task_coverage", "episodes", own["share"], own, unit="episodes", note=note)


def _coded_of(party: Party, coded: Coded) -> pd.DataFrame:
    people = party.visits[party.visits["analysed"]].drop_duplicates("rater").set_index("rater")
    own = coded.episodes[coded.episodes["participant"].isin(people.index)]
    return own.assign(rater=own["participant"], cluster=people["cluster"].reindex(own["participant"]).to_numpy())


def _kinds(party: Party, coded: Coded | None) -> dict[str, Any] | None:
    """Kinds named, from episodes whose coders agree; plain `none` is no kind, `none: …` is one."""
    if coded is None:
        return None
    own = _coded_of(party, coded)
    agreed = own[(own["code"] != "") & (own["code"] != "none")]
    episodes, people = kinds_of(zip(agreed["participant"], agreed["code"], strict=True))
    return {
        "coders": coded.coders,
        "episodes": len(own),
        "double": int((own["coders"] > 1).sum()),
        "agreed": int(own["agreed"].astype(bool).sum()),
        "counts": dict(sorted(episodes.items(), key=lambda kind: (-kind[1], kind[0]))),
        "tasks": sorted(kind for kind in episodes if covered(kind)),
        "chao1": chao1(list(episodes.values()), party.level),
        "chao2": chao2(list(people.values()), int(own["participant"].nunique()), party.level),
    }


def sections(results: Mapping[str, Any]) -> Sequence[Section]:
    """From results.json alone."""
    week = results.get(KEY) or {}
    if not week.get("asked"):
        return ()
    parts: list[Part] = [
        Paragraph(
            "Approval says whether what is there looks right; coverage, whether what people do all week is there. Each "
            "person named the last three things done in their own CRM, before the hour, and said after the ratings "
            "whether each could have been done here. The gap is their own system minus this one on the same scale, as "
            "somebody from another company would see it."
        )
    ]
    for group in week["groups"]:
        parts += heading(group["arm"], week["groups"])
        parts += _coverage_parts(results, group)
        parts += _gap_parts(results, group)
        parts += _kinds_parts(results, group)
    if not week["coded"]:
        parts.append(Paragraph(NOT_CODED))
    return (Section("week", "Their week, and their own system", parts),)


def _coverage_parts(results: Mapping[str, Any], group: Mapping[str, Any]) -> list[Part]:
    arm, episodes = group["arm"], group["episodes"]
    if not episodes["asked"]:
        return [Paragraph("Nobody was asked about their week.")]
    row = one(results, arm, "coverage", "episodes")
    worst, best = (one(results, arm, f"{name}_coverage", "episodes") for name in ("worst", "best"))
    sentence = f"Coverage, fully or but for the software: {said(row, group['level'])}."
    if episodes["cannot_say"]:
        bounds = [f"{end['k']} of {end['n']}" for end in (worst, best) if end]
        sentence += (
            f" Can't say, left out: {episodes['cannot_say']}; counted as not done {bounds[0]}, as done {bounds[1]}."
        )
    if episodes["rather_not_say"]:
        sentence += f" Rather not say: {episodes['rather_not_say']}."
    name = f"coverage-{slug(arm)}"
    rows = [(WORDS[entry["target"]], entry) for entry in estimates(results, arm, "episode_answer")]
    table = share_table(name, f"“Could you have done this here?” ({group['level']:.0%} intervals)", "Answer", rows)

    def draw(theme: str, width: int) -> str:
        return coverage_svg(episodes["answers"], episodes["cannot_say"], theme, width, name)

    parts: list[Part] = [Paragraph(sentence), Figure(name, draw, "Answers to “Could you have done this here?”"), table]
    told = group["not_found"]
    if told["asked"]:
        parts.append(
            Paragraph(
                f"{told['written']} of {told['asked']} wrote what they meet in an ordinary week and did not find here."
            )
        )
    return parts


def _gap_parts(results: Mapping[str, Any], group: Mapping[str, Any]) -> list[Part]:
    found = group["gap"]
    if not found["asked"]:
        return []
    rows = estimates(results, group["arm"], "gap")
    whole, per_object = rows[0], rows[1:]
    if whole["estimate"] is None:
        return [Paragraph("The gap can't be said: nobody rated their own system and this one.")]
    words = ends(whole, signed=True)
    interval = f" ({group['level']:.0%} interval {words})" if words else ""
    sentence = (
        f"Gap, own system minus this one: {number(whole['estimate'], 2, signed=True)} scale points{interval}, "
        f"{whole['raters']} raters, {found['pairs']} pairs of ratings; above 0 their own is more realistic. Can't say "
        f"of the own system, left out: {whole['cannot_judge']}."
    )
    labels = found["labels"]
    listed = [(labels[row["target"]], row) for row in sorted(per_object, key=_largest_first)]
    drawn = [{"label": label, **row} for label, row in [*listed, ("All objects", whole)]]
    name = f"gap-{slug(group['arm'])}"

    def draw(theme: str, width: int) -> str:
        return gap_svg(drawn, theme, width, name)

    table = mean_table(name, "Own system minus this one, in scale points", "Object", [*listed, ("All objects", whole)])
    figure = Figure(name, draw, "Own system minus this one, in scale points, for each object.")
    return [Paragraph(sentence), figure, table]


def _largest_first(row: Mapping[str, Any]) -> tuple[float, str]:
    return (-row["estimate"] if row["estimate"] is not None else float("inf"), row["target"])


def _kinds_parts(results: Mapping[str, Any], group: Mapping[str, Any]) -> list[Part]:
    kinds = group["kinds"]
    if kinds is None:
        return []
    row = one(results, group["arm"], "task_coverage", "episodes")
    first, second = kinds["chao1"], kinds["chao2"]
    agreed = f" Of {kinds['double']} coded twice, {kinds['agreed']} got one code." if kinds["double"] else ""
    sentence = (
        f"Task coverage, episodes that are a task of this study: {said(row, group['level'])}. Episodes coded by "
        f"{kinds['coders']}.{agreed} Kinds named: {first['observed']}; {_bound(first, 'episodes')}; "
        f"{_bound(second, 'people')}."
    )
    caption = "Kinds of episode, where the coders agree"
    rows = [(kind, count, "yes" if kind in kinds["tasks"] else "no") for kind, count in kinds["counts"].items()]
    name = f"kinds-{slug(group['arm'])}"
    return [Paragraph(sentence), Table(name, caption, ("Kind", "episodes", "a task here"), rows, words=(2,))]


def _bound(found: Mapping[str, Any], units: str) -> str:
    """How many there are at least, by Chao's bound."""
    if found["estimate"] is None:
        return f"by {units}: {found['note']}"
    words = ends(found, 1)
    interval = f" ({words})" if words else ""
    seen = f"{found['once']} named once, {found['twice']} twice"
    return f"by {units} there are at least {number(found['estimate'])}{interval}, {seen}"


BLOCK = Block(KEY, compute, sections)
