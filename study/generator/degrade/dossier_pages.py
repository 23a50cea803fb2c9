"""Dossiers as pages that need nothing else: no word says where one comes from, and no link leads anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from study.sandbox.dossiers import Dossier, Message
from study.sandbox.sheets import Sheet, Table

_STYLE = """
body{font:15px/1.45 system-ui,"Segoe UI",Roboto,"Noto Sans",Arial,sans-serif;color:#17211E;background:#F4F6F4;margin:0}
main{max-width:64rem;margin:1.5rem auto;padding:0 1rem}h1{font-size:1.4rem;margin:.2rem 0 1rem}
section{background:#fff;border:1px solid #D9DFDB;border-radius:6px;padding:.8rem 1rem;margin:0 0 1rem}
h2{font-size:1rem;margin:0 0 .5rem}dl{display:grid;grid-template-columns:minmax(8rem,12rem) 1fr;gap:.2rem 1rem;margin:0}
dt{color:#4A5653}dd{margin:0;overflow-wrap:anywhere}.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.875rem}
th,td{text-align:left;padding:.25rem .8rem .25rem 0;border-bottom:1px solid #ECEFEC;vertical-align:top}
pre{font:inherit;white-space:pre-wrap;overflow-wrap:anywhere;margin:.5rem 0 0}.kind{color:#4A5653}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(18rem,1fr));gap:1rem}
"""


def page(found: Dossier, place: int) -> str:
    """One dossier as HTML."""
    record = found.record
    title = f"{record.label} {record.name}".strip()
    parts = [f'<p class="kind">Dossier {place}</p><h1>{escape(title)}</h1>', f"<section>{_sheet(record)}</section>"]
    if found.parents:
        inner = "".join(
            f"<section><h2>{escape(_headed(label, one))}</h2>{_sheet(one)}</section>" for label, one in found.parents
        )
        parts.append(f'<div class="grid">{inner}</div>')
    parts += [_table(table) for table in found.related]
    parts += [_message(message) for message in found.messages]
    if found.left_out:
        parts.append(f'<p class="kind">{found.left_out} more not shown.</p>')
    return _whole(f"Dossier {place}", "\n".join(parts))


def contents(found: Sequence[Dossier]) -> str:
    """The list of dossiers."""
    items = "".join(
        f'<li><a href="{file_name(place)}">Dossier {place}: {escape(one.record.label)}</a></li>'
        for place, one in enumerate(found, 1)
    )
    return _whole("Dossiers", f"<h1>Dossiers</h1><section><ol>{items}</ol></section>")


def file_name(place: int) -> str:
    return f"dossier-{place}.html"


def _whole(title: str, body: str) -> str:
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    head += f"<title>{escape(title)}</title><style>{_STYLE}</style>"
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body><main>\n{body}\n</main></body></html>\n'


def _headed(label: str, one: Sheet) -> str:
    return f"{label}: {one.name}" if one.name else label


def _sheet(one: Sheet) -> str:
    pairs = (*one.values, ("Id", one.id))
    listed = "".join(f"<dt>{escape(label)}</dt><dd>{escape(value)}</dd>" for label, value in pairs)
    texts = "".join(f"<h2>{escape(label)}</h2><pre>{escape(text)}</pre>" for label, text in one.texts)
    return f"<dl>{listed}</dl>{texts}"


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(value)}</td>" for value in row) + "</tr>" for row in table.rows)
    title = f"{escape(table.title)} ({table.total:,})"
    return (
        f'<section><h2>{title}</h2><div class="wide"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div></section>"
    )


def _message(message: Message) -> str:
    at = message.at.strftime("%Y-%m-%d %H:%M") if message.at else ""
    listed = "".join(f"<dt>{escape(label)}</dt><dd>{escape(value)}</dd>" for label, value in message.values)
    return f"<section><h2>{escape(message.kind)} {at}</h2><dl>{listed}</dl><pre>{escape(message.text)}</pre></section>"
