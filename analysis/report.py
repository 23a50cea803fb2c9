"""Write a report: results.json, report.html and report.pdf, a methods paragraph, tables and figures as files."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.bundle import Bundle, BundleError, read_bundle
from analysis.context import Options
from analysis.contrasts import Contrast
from analysis.document import Document
from analysis.estimates import Estimate
from analysis.groups import labels_of
from analysis.markup import page
from analysis.methods import methods_text
from analysis.pages import document
from analysis.plain import read_plain
from analysis.results import results, results_text
from analysis.tables import SCALE
from analysis.writing_csv import csv_of, plain_csv
from analysis.writing_figures import drawn, figure_files
from analysis.writing_latex import latex
from analysis.writing_pdf import pdf

QUOTATIONS = "quotations"
__all__ = ["rationale_rows", "read_input", "report_files", "results", "write_report"]


def read_input(path: Path | str) -> Bundle:
    """A bundle directory or a plain ratings.csv. Raises BundleError."""
    place = Path(path)
    if not place.exists():
        raise BundleError(f"{place} does not exist. Give a bundle's folder or a ratings.csv.")
    return read_bundle(place) if place.is_dir() else read_plain(place)


def write_report(
    bundle: Bundle, out: Path | str, options: Options | None = None, *, with_pdf: bool = True
) -> dict[str, Any]:
    """Write the whole report into a folder and return the results. The same bundle and options give the same bytes."""
    folder = Path(out)
    _look(folder)
    found = results(bundle, options)
    files = report_files(found, document(found, rationale_rows(bundle)), with_pdf=with_pdf)
    _clear(folder, files)
    for name, data in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return found


def _look(folder: Path) -> None:
    """Before anything is computed: raises NotADirectoryError where a folder can't come to stand."""
    nearest = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not nearest.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(nearest))


def _clear(folder: Path, files: Mapping[str, bytes]) -> None:
    """Take away what an earlier report wrote here and this one does not have; a file changed since then stays."""
    listed = folder / "checksums.txt"
    for line in listed.read_text("utf-8").splitlines() if listed.is_file() else ():
        digest, _, name = line.partition("  ")
        old = folder / name
        inside = old.resolve().is_relative_to(folder.resolve())
        if name not in files and inside and old.is_file() and hashlib.sha256(old.read_bytes()).hexdigest() == digest:
            old.unlink()


def report_files(found: Mapping[str, Any], made: Document, *, with_pdf: bool = True) -> dict[str, bytes]:
    """Every file of a report by its path in the folder, checksums.txt last."""
    figures = drawn(made)
    files = {
        "results.json": results_text(found).encode(),
        "report.html": page(made, figures).encode(),
        "methods.txt": methods_text(found).encode(),
    }
    if with_pdf:
        files["report.pdf"] = pdf(made, figures)
    files |= {f"tables/{name}.csv": data for name, data in _whole_tables(found).items()}
    for table in made.tables():
        files |= {f"tables/{table.name}.csv": csv_of(table), f"tables/{table.name}.tex": latex(table).encode()}
    files |= figure_files(figures)
    lines = [f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)]
    return files | {"checksums.txt": "".join(lines).encode()}


def rationale_rows(bundle: Bundle) -> list[dict[str, Any]]:
    """Rationales with their rating, the Org first, then objects by label, then participant.

    Where being quoted was an optional line of the consent, the words of those who do not stand by it are left out.
    """
    texts = bundle.frames["rationales"]
    texts = texts[texts["text"] != ""]
    visits = bundle.frames["visits"]
    person = dict(zip(visits["id"], visits["participant"], strict=True))
    silent = _not_quoted(bundle)
    labels = labels_of(bundle)
    ratings = {
        (row.visit, row.kind, row.target): _rating_words(row.final, row.final_blank)
        for row in bundle.frames["ratings"].itertuples()
    }
    rows = [
        {
            "label": "The Org as a whole" if row.kind == "org" else labels.get(str(row.target), str(row.target)),
            "target": row.target,
            "participant": person[str(row.visit)],
            "rating": ratings.get((row.visit, row.kind, row.target), "no rating"),
            "side": row.side,
            "text": "" if person[str(row.visit)] in silent else row.text,
            "tags": row.tags or [],
            "redacted": row.redacted is True,
        }
        for row in texts.itertuples()
    ]
    order = {"right": 0, "off": 1, "why": 2}
    return sorted(rows, key=lambda row: (row["target"] != "Org", row["label"], row["participant"], order[row["side"]]))


def _not_quoted(bundle: Bundle) -> set[str]:
    """Codes of people who were asked whether they may be quoted and do not agree (now)."""
    consent = bundle.protocol.get("consent")
    optional = consent.get("optional") if isinstance(consent, dict) else None
    if not any(isinstance(one, dict) and one.get("id") == QUOTATIONS for one in optional or ()):
        return set()
    return {
        str(row.code)
        for row in bundle.frames["participants"].itertuples()
        if QUOTATIONS not in _listed(getattr(row, "agreed_to", None))
    }


def _listed(cell: object) -> list[Any]:
    return cell if isinstance(cell, list) else []


def _rating_words(final: object, blank: object) -> str:
    return str(blank).replace("_", " ") if final is pd.NA else SCALE[int(str(final)) - 1]


def _whole_tables(found: Mapping[str, Any]) -> dict[str, bytes]:
    """What the document shows in pieces, whole: one row per estimate, per difference, per target and arm."""
    estimates, contrasts = list(Estimate.__dataclass_fields__), list(Contrast.__dataclass_fields__)
    points = [label.lower().replace(" ", "_") for label in SCALE]
    objects = [
        [group["arm"], row["target"], row["label"], *row["counts"], row["n"], row["k"], row["estimate"], row["low"],
         row["high"], row["cannot_judge"], row["note"]]
        for group in found["groups"]
        for row in [group["org"], *group["objects"]]
    ]  # fmt: skip
    people = [
        [item["item"], item["text"], cell["answer"], cell["count"]]
        for item in found["characteristics"]
        for cell in item["cells"]
    ]
    head = ["arm", "target", "label", *points, "n", "k", "estimate", "low", "high", "cannot_judge", "note"]
    return {
        "estimates": plain_csv(estimates, ([row[name] for name in estimates] for row in found["estimates"])),
        "differences": plain_csv(contrasts, ([row[name] for name in contrasts] for row in found["comparisons"])),
        "objects": plain_csv(head, objects),
        "characteristics": plain_csv(["item", "text", "answer", "participants"], people),
    }
