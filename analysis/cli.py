"""The command line of the analysis: report, plan, coverage and baselines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis.bundle import BundleError
from analysis.context import REPLICATES, SEED, Options
from analysis.planning.command import PlanError, add_plan, planned
from analysis.published import FOLDER, BaselineError, lines_of, published

OK, FAILED, BAD_INPUT = 0, 1, 2
FEWEST_REPLICATES = 100  # fewer say nothing about a tail


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. 0: done; 1: a check failed; 2: the input can't be used, with a remedy on stderr."""
    options = _parser().parse_args(arguments)
    if options.command == "report":
        return _report(options)
    if options.command == "plan":
        return _plan(options)
    if options.command == "coverage":
        return _coverage(options)
    return _baselines(options.folders or [options.data])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m analysis", description="Statistics of an expert realism study.")
    commands = parser.add_subparsers(dest="command", required=True)
    _add_report(commands)
    add_plan(commands)
    coverage = commands.add_parser("coverage", help="prove the intervals on simulated studies; fails when they miss")
    coverage.add_argument("--quick", action="store_true", help="fewer studies, under a minute")
    coverage.add_argument("--seed", type=int, default=None, metavar="N", help="of everything drawn")
    coverage.add_argument("--out", default=None, metavar="FILE", help="the short form as JSON")
    baselines = commands.add_parser("baselines", help="print published studies and check their arithmetic")
    baselines.add_argument(
        "folders", nargs="*", metavar="DIR", help="folders of studies' files, instead of Realia's own"
    )
    baselines.add_argument("--data", default=str(FOLDER), metavar="DIR", help="this folder instead of Realia's own")
    return parser


def _add_report(commands: Any) -> None:
    one = commands.add_parser("report", help="write report.html, report.pdf, results.json, tables and figures")
    one.add_argument("input", metavar="BUNDLE_OR_CSV", help="a bundle's folder, or a ratings.csv")
    one.add_argument("--out", required=True, metavar="DIR", help="folder for the report; files are overwritten")
    one.add_argument("--seed", type=int, default=SEED, metavar="N", help=f"of everything drawn ({SEED})")
    one.add_argument(
        "--replicates", type=int, default=REPLICATES, metavar="N", help=f"of bootstrap and permutation ({REPLICATES})"
    )
    one.add_argument("--baselines", action="append", default=[], metavar="DIR", help="a folder with further published "
                     "studies; may be given again")  # fmt: skip
    one.add_argument("--codes", metavar="FILE", help="a CSV with two coders' codes of the rationales")
    one.add_argument("--no-pdf", action="store_true", help="leave report.pdf out")


def _report(options: argparse.Namespace) -> int:
    # Drawing libraries take a second to load; only this command needs them.
    from analysis.report import read_input, write_report

    if fault := _fault(options):
        return _refuse(fault)
    folder = Path(options.out)
    chosen = Options(
        options.seed,
        options.replicates,
        (FOLDER, *map(Path, options.baselines)),
        Path(options.codes) if options.codes else None,
    )
    try:
        bundle = read_input(options.input)
        found = write_report(bundle, folder, chosen, with_pdf=not options.no_pdf)
    except BaselineError as problem:
        return _refuse(f"A published study contradicts itself: {problem}")
    except BundleError as problem:
        return _refuse(str(problem))
    except OSError as problem:
        return _refuse(f"{problem.filename or folder} can't be written: {problem.strerror}. Give another --out.")
    print(f"{folder / 'report.html'}: {len(found['estimates'])} estimates, bundle {found['bundle']}")
    return OK


def _fault(options: argparse.Namespace) -> str:
    """What is wrong with the options of a report, with a remedy; empty when nothing is."""
    if options.seed < 0:
        return f"--seed is {options.seed}; give a whole number of 0 or more."
    if options.replicates < FEWEST_REPLICATES:
        return f"--replicates is {options.replicates}; give at least {FEWEST_REPLICATES}, or leave it out."
    if options.codes and not Path(options.codes).is_file():
        return f"{options.codes} is no file. Give the CSV with the coders' codes, or leave --codes out."
    return ""


def _coverage(options: argparse.Namespace) -> int:
    from analysis.proving.command import SEED, coverage

    if (seed := SEED if options.seed is None else options.seed) < 0:
        return _refuse(f"--seed is {seed}; give a whole number of 0 or more.")
    try:
        return coverage(seed, quick=options.quick, out=Path(options.out) if options.out else None)
    except OSError as problem:
        return _refuse(f"{problem.filename} can't be written: {problem.strerror}. Give another --out.")


def _baselines(folders: Sequence[str]) -> int:
    try:
        studies = [study for folder in folders for study in published(folder)]
    except BaselineError as problem:
        print(f"arithmetic: {problem}", file=sys.stderr)
        return FAILED
    except BundleError as problem:
        return _refuse(str(problem))
    print("\n\n".join("\n".join(lines_of(study)) for study in studies))
    return OK


def _plan(options: argparse.Namespace) -> int:
    try:
        print(planned(options))
    except PlanError as problem:
        return _refuse(str(problem))
    return OK


def _refuse(message: str) -> int:
    print(message, file=sys.stderr)
    return BAD_INPUT
