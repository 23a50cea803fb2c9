"""The command line of the analysis: report and baselines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from analysis.bundle import BundleError
from analysis.planning.command import PlanError, add_plan, planned
from analysis.published import FOLDER, BaselineError, lines_of, published

OK, FAILED, BAD_INPUT = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. 0: done; 1: a check failed; 2: the input can't be used, with a remedy on stderr."""
    options = _parser().parse_args(arguments)
    if options.command == "report":
        return _report(options.input, options.out)
    if options.command == "plan":
        return _plan(options)
    if options.command == "coverage":
        return _coverage(options)
    return _baselines(options.data)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m analysis", description="Statistics of an expert realism study.")
    commands = parser.add_subparsers(dest="command", required=True)
    report = commands.add_parser("report", help="write results.json, tables, figures and report.html")
    report.add_argument("input", metavar="BUNDLE_OR_CSV", help="a bundle's folder, or a ratings.csv")
    report.add_argument("--out", required=True, metavar="DIR", help="folder for the report; files are overwritten")
    add_plan(commands)
    coverage = commands.add_parser("coverage", help="prove the intervals on simulated studies; fails when they miss")
    coverage.add_argument("--quick", action="store_true", help="fewer studies, under a minute")
    coverage.add_argument("--seed", type=int, default=None, metavar="N", help="of everything drawn")
    coverage.add_argument("--out", default=None, metavar="FILE", help="the short form as JSON")
    baselines = commands.add_parser("baselines", help="print published studies and check their arithmetic")
    baselines.add_argument("--data", default=str(FOLDER), metavar="DIR", help="folder with the studies' files")
    return parser


def _report(source: str, out: str) -> int:
    # Drawing libraries take a second to load; only this command needs them.
    from analysis.report import read_input, write_report

    folder = Path(out)
    try:
        bundle = read_input(source)
        found = write_report(bundle, folder)
    except BundleError as problem:
        return _refuse(str(problem))
    except OSError as problem:
        return _refuse(f"{problem.filename or folder} can't be written: {problem.strerror}. Give another --out.")
    print(f"{folder / 'report.html'}: {len(found['estimates'])} estimates, bundle {found['bundle']}")
    return OK


def _coverage(options: argparse.Namespace) -> int:
    from analysis.proving.command import SEED, coverage

    if (seed := SEED if options.seed is None else options.seed) < 0:
        return _refuse(f"--seed is {seed}; give a whole number of 0 or more.")
    try:
        return coverage(seed, quick=options.quick, out=Path(options.out) if options.out else None)
    except OSError as problem:
        return _refuse(f"{problem.filename} can't be written: {problem.strerror}. Give another --out.")


def _baselines(folder: str) -> int:
    try:
        studies = published(folder)
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
