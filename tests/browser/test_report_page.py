"""The report's page in a real browser: nothing for axe to find, no sideways scroll, figures that follow the theme."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a small study in which a label and a rationale are long, right to left, and look like markup."""
    sys.path.append(str(ROOT / "tests" / "analysis"))
    import bundles

    from analysis.bundle import read_bundle
    from analysis.context import Options
    from analysis.report import write_report

    folder = tmp_path_factory.mktemp("report")
    made = bundles.tables(8)
    made["objects"][0]["label"] = "Account" * 12
    made["rationales"][1]["text"] = "<b>عربي</b> " + "x" * 400
    bundles.write(folder / "b", made, simulated=True)
    write_report(read_bundle(folder / "b"), folder / "r", Options(replicates=100), with_pdf=False)
    return folder / "r" / "report.html"


@pytest.fixture(params=[(1280, "light"), (1280, "dark"), (375, "light"), (375, "dark"), (320, "light")], ids=str)
def tab(chromium: Any, report: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    width, theme = request.param
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
    page = context.new_page()
    page.goto(report.as_uri())
    yield page
    context.close()


@pytest.mark.browser
def test_axe_finds_nothing_and_the_page_never_scrolls_sideways(tab: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(tab).response["violations"]
    assert [(rule["id"], rule["nodes"][0]["html"][:120]) for rule in found] == []
    assert tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


@pytest.mark.browser
def test_one_form_of_a_figure_is_seen_in_the_colours_of_the_theme(tab: Any) -> None:
    seen = tab.locator("#headline ~ section figure svg").evaluate_all(
        "all => all.map(one => [one.getBoundingClientRect().width, one.closest('.wide, .narrow')?.className])"
    )
    narrow = tab.viewport_size["width"] < 920
    assert {kind for width, kind in seen if width and kind} == {"narrow" if narrow else "wide"}
    ground = tab.locator("#profile figure svg > rect").first.evaluate("one => getComputedStyle(one).fill")
    dark = tab.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    assert ground == ("rgb(23, 30, 27)" if dark else "rgb(255, 255, 255)")


@pytest.mark.browser
def test_every_line_of_the_contents_leads_to_its_section(tab: Any) -> None:
    places = tab.locator("nav a").evaluate_all("all => all.map(one => one.getAttribute('href').slice(1))")
    sections = tab.locator("main > section").evaluate_all("all => all.map(one => one.id)")
    assert places == sections
    assert len(sections) > 12


@pytest.mark.browser
def test_on_paper_it_is_light_whatever_the_screen_is(tab: Any) -> None:
    tab.emulate_media(media="print", color_scheme="dark")
    assert tab.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--g-sheet').trim()") == "#FFFFFF"
    assert tab.evaluate("getComputedStyle(document.body).color") == "rgb(23, 33, 30)"
