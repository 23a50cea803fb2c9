"""A report as one document: what stands in it, in which order. Results in, `document.Document` out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from analysis import checklists, deviations, incidents, page_people, page_results
from analysis.blocks.order import BLOCKS
from analysis.document import Definitions, Document, Paragraph, Section
from analysis.methods import method_paragraphs
from analysis.printable import printable
from analysis.sentences import comparison_sentence, effect_kinds, first_line, kinds_line

Found = Mapping[str, Any]
OTHER = "*"
"""The place of blocks that have no place of their own."""

# Chapter, then the parts under it: keys of blocks, and of `_own` for what every report has.
ORDER: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Findings", ("profile", "headline", "objects", "approval", "severity", "agreement")),
    ("Compared", ("comparison", "between_groups", "realism", "published")),
    ("How far it holds", ("sensitivity_rows", "losses", "care")),
    (
        "In the hour",
        (
            "work",
            "success",
            "requester",
            "week",
            "task_realism",
            "software",
            "manipulation",
            "moderators",
            "cards",
        ),
    ),
    ("Planning and people", ("stopping", "flow", "people", "themes", "rationales")),
    ("For the record", (OTHER, "unknowns", "deviations", "incidents", "methods", "checklists", "versions")),
)


def document(found: Found, rationales: Sequence[Found] = ()) -> Document:
    """The report of a bundle. found: `results.results()`; rationales: rows of `report.rationale_rows`."""
    made = _blocks(found) | {key: part() for key, part in _own(found, rationales).items()}
    placed = [key for _, keys in ORDER for key in keys]
    others = [section for key, sections in made.items() if key not in placed for section in sections]
    sections = [
        replace(section, chapter=chapter)
        for chapter, keys in ORDER
        for key in keys
        for section in (others if key == OTHER else made.get(key, ()))
    ]
    study = found["study"]
    first = [first_line(study), *([] if study["plain"] else [kinds_line(found["comparisons"], effect_kinds(found))])]
    return printable(Document(str(study["title"]), first, _facts(found), _warnings(found), sections))


def _blocks(found: Found) -> dict[str, Sequence[Section]]:
    """Sections of every block that computed something for these results."""
    return {block.key: block.sections(found) for block in BLOCKS if block.key in found}


def _own(found: Found, rationales: Sequence[Found]) -> dict[str, Callable[[], Sequence[Section]]]:
    plain = bool(found["study"]["plain"])
    return {
        "headline": lambda: page_results.headline(found),
        "objects": lambda: page_results.objects(found),
        "comparison": lambda: [] if found["comparisons"] else _comparison(found),
        # The block has all of this and more; a file of results from before it has only these rows.
        "success": lambda: [] if found.get("work", {}).get("asked") else page_people.tasks(found),
        "flow": lambda: page_people.flow(found),
        "people": lambda: page_people.people(found),
        "rationales": lambda: page_people.rationales(rationales),
        "unknowns": lambda: _unknowns(found),
        "deviations": lambda: deviations.section(found.get("deviations", ()), plain=plain),
        "incidents": lambda: incidents.section(found.get("incidents", ()), plain=plain),
        "methods": lambda: [Section("methods", "Methods", [Paragraph(words) for words in method_paragraphs(found)])],
        "checklists": checklists.section,
        "versions": lambda: [_versions(found)],
    }


def _facts(found: Found) -> list[tuple[str, str]]:
    study = found["study"]
    facts = [("Bundle", str(found["bundle"]))]
    if study["protocol_sha256"]:
        facts.append(("Protocol", f"{study['protocol']} {study['protocol_sha256']}"))
    controls = {code: group["control"] for group in found["groups"] if group["control"] for code in group["orgs"]}
    facts += [(f"Org, control: {controls[name]}" if name in controls else "Org", str(name)) for name in study["orgs"]]
    facts.append(("Seed", f"{found['seed']}, {found['replicates']:,} replicates"))
    return [*facts, ("Analysis", str(found["versions"]["analysis"]))]


def _warnings(found: Found) -> list[str]:
    study = found["study"]
    words = [str(note) for note in found["notes"]]
    if study["simulated"]:
        words.insert(0, "Simulated: experts here are simulated. The figures show the machinery, no finding.")
    if study["blind"]:
        words.insert(0, "This bundle was exported while the study was blind; it holds no ratings and no rationales.")
    return words


def _comparison(found: Found) -> list[Section]:
    words = comparison_sentence(found["comparison"], effect_kinds(found))
    return [Section("comparison", "Comparison", [Paragraph(words)])]


def _unknowns(found: Found) -> list[Section]:
    rows = [(str(row.get("question", "")), str(row.get("choice", ""))) for row in found["study"]["unknowns"]]
    title = "What the published study leaves open, and our choice"
    return [Section("unknowns", title, [Definitions(rows)])] if rows else []


def _versions(found: Found) -> Section:
    rows = [(name, str(number)) for name, number in found["versions"].items()]
    note = "The same bundle, seed and versions give the same bytes; checksums.txt names each file of this report."
    return Section("versions", "Versions", [Paragraph(note), Definitions(rows)])
