"""Checks that need what a study holds (Orgs, questions), told by the apps that know it.

``protocols`` imports none of them. They register a function in their ``AppConfig.ready``; whoever looks at a
draft before it is frozen is told what it finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from study.accounts.models import Study
from study.protocols.problems import Finding
from study.protocols.schema import ProtocolFile

StudyCheck = Callable[[Study, ProtocolFile], Iterable[Finding]]
_more: list[StudyCheck] = []


def also(check: StudyCheck) -> StudyCheck:
    """Let ``check(study, file)`` say what the study makes of a protocol; warnings only, an error stops nothing here."""
    if check not in _more:
        _more.append(check)
    return check


def study_findings(study: Study, file: ProtocolFile) -> Iterator[Finding]:
    for check in _more:
        yield from check(study, file)
