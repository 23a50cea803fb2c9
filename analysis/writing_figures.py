"""The figures of a document, each drawn once and dressed for light and dark; as SVG, and as PNG at twice the size."""

from __future__ import annotations

from dataclasses import dataclass

import vl_convert as vlc

from analysis.document import Document, Figure
from analysis.draw import SANS, THEMES, dressed

# The one sans that the renderer carries within it: the same picture on every machine.
CARRIED = "Liberation Sans"
SCALE = 2


@dataclass(frozen=True)
class Drawn:
    """A figure in the theme `tokens`: its wide form and, where it has one, the narrow one for a phone."""

    figure: Figure
    wide: str
    narrow: str | None

    def svg(self, theme: str, *, narrow: bool = False) -> str:
        """In a theme, light or dark."""
        drawn = self.narrow if narrow and self.narrow else self.wide
        return dressed(drawn, THEMES[theme])

    def png(self) -> bytes:
        """The wide form, light, at twice its size."""
        family = SANS.replace('"', "&quot;")
        made: bytes = vlc.svg_to_png(self.svg("light").replace(family, CARRIED), scale=SCALE)
        return made


def drawn(document: Document) -> dict[str, Drawn]:
    """Every figure of a document by its name."""
    return {
        figure.name: Drawn(
            figure,
            figure.draw("tokens", figure.wide),
            None if figure.narrow is None else figure.draw("tokens", figure.narrow),
        )
        for figure in document.figures()
    }


def figure_files(figures: dict[str, Drawn]) -> dict[str, bytes]:
    """Files of a report by path: wide and narrow, light and dark as SVG, and the wide light one as PNG."""
    files: dict[str, bytes] = {}
    for name, one in figures.items():
        for theme, end in (("light", ""), ("dark", "-dark")):
            files[f"figures/{name}{end}.svg"] = one.svg(theme).encode()
            if one.narrow is not None:
                files[f"figures/{name}-narrow{end}.svg"] = one.svg(theme, narrow=True).encode()
        files[f"figures/{name}.png"] = one.png()
    return files
