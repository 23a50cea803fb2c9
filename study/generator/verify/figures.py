"""Figures of a data card: numbers, and a drawing of them as SVG that is the same on every machine."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt
import vl_convert as vlc

Kind = Literal["bars", "pairs", "lines", "ranks"]
_SANS = 'system-ui, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif'
_FOUND, _ASKED = "#17594A", "#D8B365"
_WIDTH, _HEIGHT = 520, 220


@dataclass(frozen=True)
class Figure:
    """A title, a table, and how it is drawn (None: as a table only).

    ``bars``: first column against second; ``pairs``: second and third column side by side; ``lines``: likewise as
    lines; ``ranks``: second against first, both on logarithmic scales.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    kind: Kind | None = "bars"
    note: str = ""

    def as_csv(self) -> str:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.columns, *self.rows])
        return text.getvalue()

    def as_markdown(self) -> str:
        lines = ["| " + " | ".join(self.columns) + " |", "|" + "---|" * len(self.columns)]
        lines += ["| " + " | ".join(_shown(value) for value in row) + " |" for row in self.rows]
        return "\n".join(lines)

    def as_svg(self) -> str:
        """The drawing; empty for a table, or for no rows."""
        if self.kind is None or not self.rows:
            return ""
        chart = _drawn(self).properties(width=_WIDTH, height=_HEIGHT)
        chart = chart.configure(font=_SANS, background="#FFFFFF").configure_view(stroke=None)
        return _labelled(vlc.vegalite_to_svg(chart.to_json(), vl_version=_version()), self.title, self.name)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value).replace("|", "\\|").replace("\n", " ")


def _drawn(figure: Figure) -> Any:
    across, *measures = figure.columns
    data = [{"x": row[0], "y": row[n + 1], "of": name} for row in figure.rows for n, name in enumerate(measures)]
    base = alt.Chart(alt.InlineData(values=[one for one in data if one["y"] is not None]))
    colour = alt.Color(
        "of:N", scale=alt.Scale(domain=list(measures), range=[_FOUND, _ASKED][: len(measures)]),
        legend=alt.Legend(title=None, orient="top") if len(measures) > 1 else None,
    )  # fmt: skip
    x, y = alt.X("x:O", title=across, sort=None), alt.Y("y:Q", title=measures[0] if len(measures) == 1 else None)
    if figure.kind == "ranks":
        log = alt.Scale(type="log")
        return base.mark_point(filled=True, size=20).encode(
            x=alt.X("x:Q", title=across, scale=log), y=alt.Y("y:Q", title=measures[0], scale=log), color=colour
        )
    if figure.kind == "lines":
        return base.mark_line(point=True).encode(x=x, y=y, color=colour)
    if figure.kind == "pairs":
        return base.mark_bar().encode(x=x, y=y, color=colour, xOffset=alt.XOffset("of:N", sort=list(measures)))
    return base.mark_bar().encode(x=x, y=y, color=colour)


def _version() -> str:
    major, minor, *_ = alt.SCHEMA_VERSION.removeprefix("v").split(".")
    return f"{major}.{minor}"


def _labelled(drawn: str, sentence: str, name: str) -> str:
    """One sentence for screen readers, and ids of our own: the renderer counts its over the life of the process."""
    drawn = re.sub(r"<\?xml[^>]*\?>|<!DOCTYPE[^>]*>", "", drawn)
    drawn = re.sub(r' (?:role|aria-[a-z]+|style)="[^"]*"', "", drawn)
    for number, found in enumerate(dict.fromkeys(re.findall(r' id="([^"]+)"', drawn))):
        own = f"{name}-{number}"
        drawn = drawn.replace(f'id="{found}"', f'id="{own}"').replace(f"url(#{found})", f"url(#{own})")
    label = sentence.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return drawn.strip().replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1) + "\n"


def shares(counts: Sequence[float]) -> list[float]:
    """Parts of a whole in percent."""
    total = sum(counts)
    return [round(100 * count / total, 2) if total else 0.0 for count in counts]
