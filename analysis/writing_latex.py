"""The tables of a document as LaTeX in the manner of booktabs; every sign compiles with pdfLaTeX and T1 fonts."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from analysis.document import Table

# What a file needs in its preamble, said at its top.
PREAMBLE = "% Needs \\usepackage[T1]{fontenc} and \\usepackage{booktabs}; a long table also \\usepackage{longtable}.\n"
LONG = 40  # rows; more do not fit on a page
SIGNS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': "''", "`": r"\textasciigrave{}",
    # After a line's end these would be read as its options.
    "[": "{[}", "]": "{]}", "*": "{*}",
    # No ligature of two hyphens, or of a sign and a quotation mark.
    "-": "-{}", "?": "?{}", "!": "!{}",
    "–": "--", "—": "---", "‘": "`", "’": "'", "“": "``", "”": "''", "…": r"\ldots{}", "·": r"\textperiodcentered{}",
    "−": "$-$", "±": r"$\pm$", "×": r"$\times$", "÷": r"$\div$", "≤": r"$\leq$", "≥": r"$\geq$", "≠": r"$\neq$",
    "≈": r"$\approx$", "→": r"$\to$", "√": r"$\surd$", "Σ": r"$\Sigma$", "°": r"\textdegree{}", "²": r"$^2$",
    "³": r"$^3$", "½": r"$\frac12$", "€": r"\texteuro{}", "£": r"\pounds{}", "§": r"\S{}", "\u00a0": "~",
    "α": r"$\alpha$", "β": r"$\beta$", "γ": r"$\gamma$", "δ": r"$\delta$", "ε": r"$\epsilon$", "θ": r"$\theta$",
    "κ": r"$\kappa$", "λ": r"$\lambda$", "μ": r"$\mu$", "π": r"$\pi$", "ρ": r"$\rho$", "σ": r"$\sigma$",
    "τ": r"$\tau$", "φ": r"$\varphi$", "χ": r"$\chi$", "ψ": r"$\psi$", "ω": r"$\omega$", "Δ": r"$\Delta$",
    "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "ø": r"\o{}", "Ø": r"\O{}", "ł": r"\l{}", "Ł": r"\L{}",
    "đ": r"\dj{}", "Đ": r"\DJ{}", "œ": r"\oe{}", "Œ": r"\OE{}", "ı": r"\i{}",
}  # fmt: skip
ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u", "\u0307": ".",
    "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c", "\u0328": "k",
}  # fmt: skip


def escaped(text: str) -> str:
    """Text for LaTeX: its own signs guarded, accents as commands, other letters as [U+….], breaks as blanks."""
    return "".join(_sign(sign) for sign in " ".join(unicodedata.normalize("NFC", text).split()))


def _sign(sign: str) -> str:
    if sign in SIGNS:
        return SIGNS[sign]
    if " " <= sign <= "~":
        return sign
    letter, *marks = list(unicodedata.normalize("NFD", sign))
    if len(marks) == 1 and marks[0] in ACCENTS and letter.isascii():
        return f"\\{ACCENTS[marks[0]]}{{{letter}}}"
    if unicodedata.category(sign) in ("Cc", "Cf"):
        return ""
    return f"{{[}}U+{ord(sign):04X}{{]}}"


def latex(table: Table) -> str:
    """One table environment with caption and label; a longtable when it would not fit on a page."""
    columns = "".join("l" if place == 0 or place in table.words else "r" for place in range(len(table.head)))
    head = _row(table.head)
    body = "".join(_row(row) for row in table.rows)
    caption, label = f"\\caption{{{escaped(table.caption)}}}", f"\\label{{tab:{table.name}}}"
    note = f"\\par\\smallskip\\footnotesize {escaped(table.note)}\n" if table.note else ""
    if len(table.rows) > LONG:
        return (
            f"{PREAMBLE}\\begin{{longtable}}{{{columns}}}\n{caption}{label}\\\\\n\\toprule\n{head}\\midrule\n"
            f"\\endhead\n{body}\\bottomrule\n\\end{{longtable}}\n{note}"
        )
    return (
        f"{PREAMBLE}\\begin{{table}}\n\\centering\n{caption}\n{label}\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n"
        f"{head}\\midrule\n{body}\\bottomrule\n\\end{{tabular}}\n{note}\\end{{table}}\n"
    )


def _row(cells: Sequence[object]) -> str:
    values = ("" if value is None else escaped(str(value)) for value in cells)
    return " & ".join(values) + " \\\\\n"
