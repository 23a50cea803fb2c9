"""How the protocol commands find a text and print what is wrong with it."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import CommandError, OutputWrapper

from study.accounts.models import Study
from study.protocols.library import builtin_names, builtin_text
from study.protocols.problems import Problem
from study.protocols.reading import decode


def study_named(code: str) -> Study:
    study = Study.objects.filter(code=code.lower()).first()
    if study is None:
        raise CommandError(f"There is no study “{code}”. Make one with study_create, or look at the list of studies.")
    return study


def text_named(name: str) -> tuple[str, tuple[Problem, ...]] | None:
    """The text of a file or of a built-in protocol; None when it is neither."""
    path = Path(name)
    if path.is_file():
        return decode(path.read_bytes())
    if name in builtin_names():
        return builtin_text(name), ()
    return None


def print_problems(out: OutputWrapper, name: str, problems: tuple[Problem, ...]) -> int:
    """One line each, sortable and clickable; returns the number of errors."""
    for problem in problems:
        where = f" {problem.path}:" if problem.path else ""
        out.write(f"{name}:{problem.line}:{problem.column}: {problem.level}:{where} {problem.message} {problem.remedy}")
    errors = sum(problem.level == "error" for problem in problems)
    warnings = len(problems) - errors
    out.write(f"{name}: {errors} errors, {warnings} warnings")
    return errors
