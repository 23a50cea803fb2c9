"""The house: who may import whom, no signal receivers, no rooms without a topic, tokens that can be read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# app -> apps it may import; whatever those may import comes along.
ORDER = {
    "accounts": set(),
    "protocols": {"accounts"},
    "sandbox": {"accounts"},
    "people": {"protocols"},
    "benchmark": {"sandbox"},
    "generator": {"benchmark"},
    "assignment": {"people", "benchmark"},
    "fieldwork": {"assignment"},
    # the demo and the smoke test stand at the end of the way and may call for a generated Org
    "results": {"fieldwork", "generator", "analysis"},
    "analysis": set(),
}
# The three commands that run a whole study start where everything can be seen.


def allowed(app: str) -> set[str]:
    direct = ORDER[app]
    return direct.union({app}, *(allowed(other) for other in direct))


def modules(*folders: str) -> Iterator[Path]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room(name: str) -> str | None:
    parts = name.split(".")
    if parts[0] == "analysis":
        return "analysis"
    return parts[1] if parts[0] == "study" and len(parts) > 1 and parts[1] in ORDER else None


def strangers(app: str, source: str) -> list[str]:
    """What this source imports although its room may not."""
    names = imported(ast.parse(source))
    bad = {name for name in names if (found := room(name)) and found not in allowed(app)}
    if app == "analysis":
        bad |= {name for name in imported(ast.parse(source)) if name.split(".")[0] in {"django", "study"}}
    return sorted(bad)


@pytest.mark.parametrize("app", sorted(ORDER))
def test_imports_run_one_way(app: str) -> None:
    folder = "analysis" if app == "analysis" else f"study/{app}"
    found = {str(p.relative_to(ROOT)): strangers(app, p.read_text()) for p in modules(folder)}
    assert {path: names for path, names in found.items() if names} == {}


def test_an_import_against_the_order_is_found() -> None:
    assert strangers("protocols", "from study.sandbox.models import Org") == [
        "study.sandbox.models",
        "study.sandbox.models.Org",
    ]
    assert strangers("analysis", "import django.db") == ["django.db"]
    assert strangers("fieldwork", "from study.sandbox import desks") == []


# Parts of the sandbox -> what of the sandbox they may import; engine and soql know no Django either.
PARTS = {"engine": {"engine"}, "soql": {"engine", "soql"}}


def outside(part: str, source: str) -> list[str]:
    """What this source imports although its part of the sandbox is pure."""
    inside = tuple(f"study.sandbox.{name}" for name in PARTS[part])
    return sorted(
        name
        for name in imported(ast.parse(source))
        if name.split(".")[0] in {"django", "study"} and not f"{name}.".startswith(tuple(f"{i}." for i in inside))
    )


@pytest.mark.parametrize("part", sorted(PARTS))
def test_the_engine_of_the_sandbox_is_pure(part: str) -> None:
    paths = list(modules(f"study/sandbox/{part}"))
    assert paths
    found = {str(p.relative_to(ROOT)): outside(part, p.read_text()) for p in paths}
    assert {path: names for path, names in found.items() if names} == {}


def test_an_impure_engine_is_found() -> None:
    assert outside("engine", "from django.conf import settings\nfrom study.sandbox.engine.ids import normal_id") == [
        "django.conf",
        "django.conf.settings",
    ]
    assert outside("engine", "from study.sandbox.models import Org") != []
    assert outside("engine", "from study.sandbox.soql import run_soql") != []
    assert outside("soql", "from study.sandbox.engine.errors import QueryError") == []


def test_no_signal_receivers_of_our_own() -> None:
    marks = re.compile(r"@receiver\b|\.connect\(\s*\w+,\s*sender=|from django\.dispatch import")
    assert [str(p) for p in modules("study") if marks.search(p.read_text())] == []


def test_no_room_without_a_topic() -> None:
    nameless = re.compile(r"^_?(utils?|helpers?|common|misc|core)\.py$")
    assert [str(p) for p in modules("study", "analysis") if nameless.match(p.name)] == []


def test_modules_stay_readable() -> None:
    """Goals of 300 lines, hard at 400: beyond that a concept is missing."""
    lines = {str(p.relative_to(ROOT)): len(p.read_text().splitlines()) for p in modules("study", "analysis")}
    assert {path: n for path, n in lines.items() if n > 400} == {}


def test_software_for_checks_alone_is_imported_by_tests_alone() -> None:
    """Two of these stand under the GPL; the statistics are our own and are only checked against them."""
    only_tests = re.compile(r"^\s*(?:import|from) (?:krippendorff|pingouin|statsmodels)\b", re.M)
    assert [str(p) for p in modules("study", "analysis") if only_tests.search(p.read_text())] == []
    assert only_tests.search("import pingouin as pg")


def test_the_project_needs_nothing_beside_it() -> None:
    outside = re.compile(r"\.\./shared|/work/|/root/")
    for path in [*modules("study", "analysis"), *(ROOT / "templates").rglob("*.html"), ROOT / "Makefile"]:
        assert not outside.search(path.read_text()), path


TOKENS = (ROOT / "static/css/tokens.css").read_text()


def palette(block: str) -> dict[str, str]:
    return dict(re.findall(r"(--[\w-]+):\s*(#[0-9A-Fa-f]{6})", block))


def blocks() -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    light = re.search(r"^:root \{(.*?)^\}", TOKENS, re.S | re.M)
    system = re.search(r'^  :root:not\(\[data-theme="light"\]\) \{(.*?)^  \}', TOKENS, re.S | re.M)
    chosen = re.search(r'^\[data-theme="dark"\] \{(.*?)^\}', TOKENS, re.S | re.M)
    assert light is not None
    assert system is not None
    assert chosen is not None
    return palette(light[1]), palette(system[1]), palette(chosen[1])


def luminance(colour: str) -> float:
    """Relative luminance, WCAG 2.2."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


TEXT = [
    *((ink, ground) for ink in ("--ink", "--ink2", "--ink3") for ground in ("--paper", "--sheet", "--sunk")),
    ("--pine", "--paper"),
    ("--pine", "--sheet"),
    ("--on-pine", "--pine"),
    ("--ink", "--pine-tint"),
    ("--amber", "--amber-tint"),
    ("--ink", "--amber-tint"),
    ("--rust", "--rust-tint"),
    ("--rust", "--paper"),
    *((f"--on-d{n}", f"--d{n}") for n in range(1, 6)),
    *((ink, ground) for ink in ("--ng-ink", "--ng-ink2", "--ng-ink3") for ground in ("--ng-bg", "--ng-sheet")),
    ("--ng-link", "--ng-sheet"),
    ("--ng-link", "--ng-tint"),
    ("--ng-on-bar", "--ng-bar"),
    ("--ng-on-bar2", "--ng-bar"),
    ("--ng-on-now", "--ng-now"),
    ("--ng-ink", "--ng-mark"),
]
CONTROLS = [
    ("--edge", "--paper"),
    ("--edge", "--sheet"),
    ("--focus", "--paper"),
    ("--focus", "--sheet"),
    ("--ng-edge", "--ng-sheet"),
    ("--focus", "--ng-sheet"),
    ("--ng-bar-fill", "--ng-sheet"),
]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_can_be_read(theme: str) -> None:
    light, _, dark = blocks()
    colours = light if theme == "light" else light | dark

    def short(pairs: list[tuple[str, str]], least: float) -> dict[tuple[str, str], float]:
        measured = {(a, b): round(contrast(colours[a], colours[b]), 2) for a, b in pairs}
        return {pair: value for pair, value in measured.items() if value < least}

    assert (short(TEXT, 4.5), short(CONTROLS, 3)) == ({}, {})


def test_dark_is_one_palette_however_it_is_chosen() -> None:
    _, system, chosen = blocks()
    assert system == chosen


def test_pages_carry_no_inline_style_or_script() -> None:
    """The content-security policy would drop them without a word."""
    script = r"<script(?![^>]*\bsrc=)(?![^>]*type=\"application/json\")"
    inline = re.compile(rf"\sstyle=|<style|\son(click|change|submit|load|input)=|{script}", re.I)
    found = [str(p.relative_to(ROOT)) for p in (ROOT / "templates").rglob("*.html") if inline.search(p.read_text())]
    assert found == []
