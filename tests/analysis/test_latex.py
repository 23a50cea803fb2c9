"""Tables for a paper: booktabs, every sign guarded, nothing that a plain pdfLaTeX would stop at."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from analysis.document import Table
from analysis.writing_csv import csv_of
from analysis.writing_latex import escaped, latex

TABLE = Table(
    "approval-main", "Approval, 95% intervals", ("Object", "n", "note"),
    [("Case_History & more", 12, "50% {x}"), ("[first]", None, "*"), ("−3 ± 1 – “ü” ř 中 👍", 0, "a\nb\\c^~")],
    words=(2,), note="Wilson $p$ #1.",
)  # fmt: skip


def test_a_table_has_caption_label_rules_and_one_column_each() -> None:
    made = latex(TABLE)
    for words in (r"\caption{Approval, 95\% intervals}", r"\label{tab:approval-main}", r"\begin{tabular}{lrl}",
                  r"\toprule", r"\midrule", r"\bottomrule", r"\end{table}", r"Wilson \$p\$ \#1."):  # fmt: skip
        assert words in made
    rows = [line for line in made.splitlines() if line.endswith(r"\\")]
    assert all(len(re.findall(r"(?<!\\)&", row)) == 2 for row in rows)
    assert len(rows) == 4


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("a_b & c% $1 #2 {x}", r"a\_b \& c\% \$1 \#2 \{x\}"), ("\\input{/etc}", r"\textbackslash{}input\{/etc\}"),
        ("[x]*", "{[}x{]}{*}"), ("a--b", "a-{}-{}b"), ("47–71", "47--71"), ("−3", "$-$3"),
        ("ü ř Ł", r"\"{u} \v{r} \L{}"),
        ("中", "{[}U+4E2D{]}"), ("a\tb\n c", "a b c"), ("x\u200bй\x07", "x{[}U+0439{]}"), ("ρ = .2", r"$\rho$ = .2"),
    ],
)  # fmt: skip
def test_signs_are_guarded(text: str, safe: str) -> None:
    assert escaped(text) == safe


def test_a_file_is_ascii_whatever_people_typed() -> None:
    """So no missing input encoding or font stops a compiler."""
    assert latex(TABLE).isascii()
    signs = "".join(chr(code) for code in range(0x20, 0x2500))
    assert escaped(signs).isascii()


def test_a_long_table_breaks_over_pages() -> None:
    rows = [(f"row {number}", number, "") for number in range(60)]
    made = latex(Table("long", "Long", ("a", "n", "note"), rows))
    assert r"\begin{longtable}" in made
    assert made.count(r"\endhead") == 1


def test_a_table_without_rows_is_still_a_table() -> None:
    made = latex(Table("empty", "Nobody", ("Object", "n"), []))
    assert made.index(r"\midrule") < made.index(r"\bottomrule")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX on this machine")
def test_pdflatex_compiles_it(tmp_path: Path) -> None:
    head = "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs,longtable}\\begin{document}\n"
    (tmp_path / "t.tex").write_text(f"{head}{latex(TABLE)}\\end{{document}}")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)


def test_csv_holds_exact_numbers_and_guards_words() -> None:
    """P-21: in head and cells; a negative number is a number."""
    data = [("=head", "low"), ("+word", -0.123456789), (None, 2)]
    table = Table("t", "T", ("Object", "interval"), [("x", "−12")], data=data)
    assert csv_of(table).decode() == "'=head,low\n'+word,-0.123456789\n,2\n"
    assert csv_of(Table("t", "T", ("-a", "n"), [("@b", 1)])).decode() == "'-a,n\n'@b,1\n"
