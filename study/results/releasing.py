"""A release: the bundle for everybody, under new names, with masked texts, characteristics as margins only (M20, P-42).

It refuses to be made while a text in it has not been read. What is left out, and why, stands in its README.
"""

from __future__ import annotations

import csv
import io
import json
import re
import secrets
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from analysis.cells import safe_cell
from analysis.writing import write_bundle
from study.accounts.audit import audit
from study.accounts.encrypted import keyed_hash
from study.accounts.jobs import JobFailed, Running, job_kind
from study.accounts.models import Study, User
from study.people.protocol import file_of, newest_frozen
from study.people.screener import items_of as screener_items
from study.protocols.schema import ProtocolFile
from study.results import redacting
from study.results.exporting import zip_bundle
from study.results.frames import Frames, frames
from study.results.models import Export, ExportKind
from study.results.rows import Row

SMALLEST = 5
"""Cells of the margins with fewer people are merged (M20)."""
CODE = re.compile(r"\bP-[0-9A-Z]{4,10}\b")
# Answers by which ten to thirty people are known; facts of a browser; links to people outside.
LEFT_OUT: dict[str, tuple[str, ...]] = {
    "participants": ("screener", "knows_other", "conflict", "cell", "language", "exclusion_reason"),
    "visits": ("block", "window_width"),
    "assignment_log": ("detail",),
}
TEXTS = {"rationales": ("text",), "attempts": ("answer",), "notes": ("text",), "closing": ("value",)}


class NotReady(Exception):
    """Why nothing can be released yet, and what to do."""


def pseudonyms(codes: Iterable[str], salt: str) -> dict[str, str]:
    """A new name for each code, in an order that only the salt and this installation's key explain.

    Another salt gives other names, so that two releases cannot be joined by them.
    """
    in_order = sorted(codes, key=lambda code: keyed_hash(f"release:{salt}", code))
    width = len(str(len(in_order)))
    return {code: f"R-{number:0{width}d}" for number, code in enumerate(in_order, start=1)}


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """The value with every participant's code in it replaced, inside texts, lists and mappings too."""
    if isinstance(value, str):
        return CODE.sub(lambda match: names.get(match.group(), match.group()), value)
    if isinstance(value, list):
        return [renamed(one, names) for one in value]
    if isinstance(value, dict):
        return {key: renamed(one, names) for key, one in value.items()}
    return value


def released_tables(
    data: Frames, names: Mapping[str, str], texts: Mapping[tuple[str, str], str]
) -> dict[str, list[Row]]:
    """The tables under new names, sorted by these, with masked texts; ``texts``: (visit, as typed) → as released."""
    tables = {
        name: [renamed(_released_row(name, row, texts), names) for row in rows] for name, rows in data.tables.items()
    }
    for name, rows in tables.items():
        if name != "assignment_log":
            rows.sort(key=lambda row: str(row.get("code") or row.get("participant") or row.get("visit") or ""))
    return tables


def _released_row(table: str, row: Row, texts: Mapping[tuple[str, str], str]) -> Row:
    visit = str(row.get("visit", ""))
    kept = {key: value for key, value in row.items() if key not in LEFT_OUT.get(table, ())}
    for column in TEXTS.get(table, ()):
        if column in kept:
            kept[column] = _with_masks(kept[column], lambda text: texts.get((visit, text), text))
    if table == "rationales":
        kept["redacted"] = kept.get("text") != row.get("text")
    return kept


def _with_masks(value: Any, mask: Callable[[str], str]) -> Any:
    """A cell's strings masked: alone, in a list, or in a list written as JSON."""
    if isinstance(value, list):
        return [mask(one) if isinstance(one, str) else one for one in value]
    if not isinstance(value, str):
        return value
    if (whole := mask(value)) != value:
        return whole
    if value.startswith("["):
        try:
            several = json.loads(value)
        except ValueError:
            return mask(value)
        if isinstance(several, list):
            return json.dumps([mask(one) if isinstance(one, str) else one for one in several], ensure_ascii=False)
    return mask(value)


@dataclass(frozen=True)
class Margin:
    item: str
    question: str
    answer: str
    n: int


def margins(file: ProtocolFile, answers: Iterable[Mapping[str, Any]]) -> list[Margin]:
    """How many people gave each answer, item by item; answers of fewer than five are merged into one line.

    Merging goes on until the merged line has five or is all there is, so that nobody is found by subtraction.
    """
    everybody = list(answers)
    found: list[Margin] = []
    for item in screener_items(file):
        if item.type not in ("single", "multi"):
            continue
        counts: Counter[str] = Counter()
        for given in everybody:
            value = given.get(item.id)
            counts.update(_codes(value) & set(item.codes))
        labels = {option.code: option.text for option in item.options}
        found += [Margin(item.id, item.text, label, n) for label, n in merged(counts, labels)]
    return found


def _codes(value: Any) -> set[str]:
    if isinstance(value, dict):
        value = value.get("choice")
    return {str(one) for one in value} if isinstance(value, list) else {str(value)} if value else set()


def merged(counts: Mapping[str, int], labels: Mapping[str, str]) -> list[tuple[str, int]]:
    """Label and number, in the order of the labels; small ones together at the end."""
    small = [code for code in labels if 0 < counts.get(code, 0) < SMALLEST]
    large = sorted((code for code in labels if counts.get(code, 0) >= SMALLEST), key=lambda code: counts[code])
    while small and sum(counts[code] for code in small) < SMALLEST and large:
        small.append(large.pop(0))
    kept = [(labels[code], counts[code]) for code in labels if code in large]
    if not small:
        return kept
    together = "; ".join(labels[code] for code in labels if code in small)
    total = sum(counts[code] for code in small)
    # Alone and still under five: even the number would say who.
    return [*kept, (together, total)] if total >= SMALLEST else kept


def margins_csv(rows: Iterable[Margin]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["item", "question", "answer", "people"])
    for row in rows:
        writer.writerow([safe_cell(row.item), safe_cell(row.question), safe_cell(row.answer), row.n])
    return out.getvalue()


def make_release(study: Study, *, same_names: bool, by: User | None) -> Export:
    """Write, zip and register a release. Raises NotReady while the study is blind or a text is unread."""
    if study.blind:
        raise NotReady(_("The study is blind. A release holds ratings, so it can be made once the blind is lifted."))
    if left := redacting.unread(study):
        raise NotReady(
            _("%(n)d texts have not been read for names yet. Read them under “Redaction” first.") % {"n": left}
        )
    data = frames(study, blind=False)
    # The installation's key keeps the names secret either way; a fresh salt makes them new.
    names = pseudonyms(
        (str(row["code"]) for row in data.tables["participants"]), "same" if same_names else secrets.token_hex(16)
    )
    texts = redacting.released_texts(study)
    protocol = newest_frozen(study.pk)
    file = file_of(protocol) if protocol else None
    started = [row["screener"] or {} for row in data.tables["participants"] if row["started"]]
    folder = settings.REALIA_VAR / "exports"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        bundle = Path(place) / "bundle"
        tables = released_tables(data, names, texts)
        facts = {**data.study, "title": file.meta.public_title if file else "", "code": "release"}
        digest = write_bundle(
            bundle, tables, protocol_yaml=data.protocol_yaml, orgs_json=data.orgs, study=facts, codebook=data.codebook
        )
        made = Path(place) / "release.zip"
        zip_bundle(bundle, made)
        with zipfile.ZipFile(made, "a", zipfile.ZIP_DEFLATED) as archive:
            _add(archive, "margins.csv", margins_csv(margins(file, started)) if file else "")
            _add(archive, "README.md", readme(digest, len(started)))
        path = folder / f"release-{digest[:16]}.zip"
        made.replace(path)
    with transaction.atomic():
        export = Export.objects.create(
            study=study,
            kind=ExportKind.RELEASE,
            file=str(path.relative_to(settings.REALIA_VAR)),
            bundle_hash=digest,
            blind=False,
            rows={name: len(rows) for name, rows in sorted(tables.items())},
            size=path.stat().st_size,
        )
        audit("release.made", by=by, study=study, target=digest, rows=export.rows, same_names=same_names)
    return export


def _add(archive: zipfile.ZipFile, name: str, text: str) -> None:
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, text.encode())


def readme(digest: str, people: int) -> str:
    left_out = "\n".join(
        f"- `{table}`: {', '.join(f'`{one}`' for one in columns)}" for table, columns in LEFT_OUT.items()
    )
    return f"""# Release {digest[:16]}

The data of a realism study as a bundle for anybody. Its hash is `{digest}`, the sha256 of `checksums.txt`; the
columns are explained in `codebook.csv`.

- People have new names (`R-01` …). Unless it was asked for, another release of the same study has other names.
- Texts were read one by one before the release; `{redacting.MASKED}` stands where words were masked. **Free text can
  still say who somebody is to those who know them. Treat it so.**
- What describes people is in `margins.csv` only: how many of the {people} people who started gave each answer, answers
  of fewer than {SMALLEST} merged.
- Left out, since it could say who somebody is:
{left_out}
"""


@job_kind("export release")
def release_job(running: Running) -> dict[str, str]:
    study = running.job.study
    if study is None:
        raise JobFailed(_("The study of this release is gone."))
    running.progress(0, 1, _("Writing the tables"))
    try:
        export = make_release(study, same_names=bool(running.job.params.get("same_names")), by=running.job.created_by)
    except NotReady as why:
        raise JobFailed(str(why)) from None
    running.progress(1, 1)
    return {"url": f"/studies/{study.code}/export/", "hash": export.bundle_hash}
