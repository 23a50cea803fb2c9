"""The data card of an Org: what it holds beside what was asked for, as Markdown, as one HTML page, and as CSV."""

from __future__ import annotations

from html import escape
from pathlib import Path

from study.generator.verify.figures import Figure
from study.generator.verify.outcome import Check
from study.generator.verify.profile import figures
from study.generator.verify.report import Report
from study.generator.verify.source import Source

_STYLE = """
body{font:16px/1.5 system-ui,"Segoe UI",Roboto,"Noto Sans",Arial,sans-serif;color:#17211E;background:#fff;
max-width:62rem;margin:2rem auto;padding:0 1rem}
h1,h2,h3{line-height:1.25}table{border-collapse:collapse;margin:.5rem 0 1.5rem;font-size:.875rem}
th,td{border-bottom:1px solid #D9DFDB;padding:.2rem .7rem .2rem 0;text-align:left;vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}.wide{overflow-x:auto}svg{max-width:100%;height:auto}
.fail{color:#9A3412;font-weight:600}code{font-size:.875em;overflow-wrap:anywhere}
"""


def write_card(source: Source, report: Report, folder: Path) -> list[Path]:
    """``data-card.md`` and ``.html``, drawings in ``figures/``, numbers in ``csv/``. Tells the files written."""
    drawn = [(figure, figure.as_svg()) for figure in figures(source, report)]
    for name in ("csv", "figures"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    files = {folder / "data-card.md": _markdown(source, report, drawn)}
    files[folder / "data-card.html"] = _html(source, report, drawn)
    for figure, svg in drawn:
        files[folder / "csv" / f"{figure.name}.csv"] = figure.as_csv()
        if svg:
            files[folder / "figures" / f"{figure.name}.svg"] = svg
    files[folder / "csv" / "checks.csv"] = _checks(report).as_csv()
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
    return list(files)


def _title(source: Source) -> str:
    return f"Data card: {source.snapshot.manifest.get('company') or 'an Org'}"


def _about(source: Source) -> list[tuple[str, str]]:
    manifest = source.snapshot.manifest
    told = [
        ("hash", source.snapshot.hash),
        ("last day", source.snapshot.last_day.isoformat()),
        ("zone", source.snapshot.zone),
        ("records", f"{sum(source.snapshot.counts.values()):,} in {len(source.snapshot.counts)} objects"),
    ]
    keys = ("world", "seed", "scale", "generator", "numpy", "ingredients", "parent", "recipe")
    return told + [(key, str(manifest[key])) for key in keys if manifest.get(key) is not None]


def _checks(report: Report) -> Figure:
    rows = tuple(
        (one.name, one.about, one.verdict, one.looked_at, one.found, one.limit, one.unit) for one in report.checks
    )
    return Figure("checks", "Checks", ("check", "about", "verdict", "looked at", "found", "limit", "unit"), rows, None)


def _sentence(report: Report) -> str:
    made = [check for check in report.checks if not check.skipped]
    return (
        f"{len(made) - len(report.failed)} of {len(made)} checks pass; {len(report.checks) - len(made)} were not made."
    )


def _markdown(source: Source, report: Report, drawn: list[tuple[Figure, str]]) -> str:
    lines = [f"# {_title(source)}", "", *(f"- {key}: `{value}`" for key, value in _about(source)), ""]
    lines += ["## Checks", "", _sentence(report), "", _checks(report).as_markdown(), ""]
    for check in report.failed:
        lines += [f"**{check.name}** ({check.about}):", "", *(f"- {example}" for example in check.examples), ""]
    for figure, svg in drawn:
        lines += [f"## {figure.title}", ""]
        lines += [f"![{figure.title}](figures/{figure.name}.svg)", ""] if svg else []
        lines += [figure.note, ""] if figure.note else []
        lines += [figure.as_markdown(), "", f"Numbers: [csv/{figure.name}.csv](csv/{figure.name}.csv)", ""]
    return "\n".join(lines)


def _html(source: Source, report: Report, drawn: list[tuple[Figure, str]]) -> str:
    parts = [f"<h1>{escape(_title(source))}</h1>", "<ul>"]
    parts += [f"<li>{escape(key)}: <code>{escape(value)}</code></li>" for key, value in _about(source)]
    parts += ["</ul>", "<h2>Checks</h2>", f"<p>{escape(_sentence(report))}</p>", _table(_checks(report))]
    parts += [_failed(check) for check in report.failed]
    for figure, svg in drawn:
        note = f"<p>{escape(figure.note)}</p>" if figure.note else ""
        parts.append(f"<section><h2>{escape(figure.title)}</h2>{svg}{note}{_table(figure)}</section>")
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    head += f"<title>{escape(_title(source))}</title>"
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<style>{_STYLE}</style></head><body>\n'
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def _failed(check: Check) -> str:
    items = "".join(f"<li><code>{escape(example)}</code></li>" for example in check.examples)
    return f'<h3 class="fail">{escape(check.name)}</h3><p>{escape(check.about)}</p><ul>{items}</ul>'


def _table(figure: Figure) -> str:
    numeric = [all(isinstance(row[n], int | float | None) for row in figure.rows) for n in range(len(figure.columns))]
    mark = [' class="n"' if one else "" for one in numeric]
    head = "".join(f"<th{mark[n]}>{escape(name)}</th>" for n, name in enumerate(figure.columns))
    body = "".join(
        "<tr>" + "".join(f"<td{mark[n]}>{_cell(value)}</td>" for n, value in enumerate(row)) + "</tr>"
        for row in figure.rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else escape(str(value))
