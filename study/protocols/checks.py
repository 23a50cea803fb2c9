"""What is wrong with a protocol beyond its shape: one generator per topic, findings with a path and a remedy."""

from __future__ import annotations

from collections.abc import Iterator

from study.protocols.checks_analysis import analysis_findings
from study.protocols.checks_arms import allocation_findings, visit_findings
from study.protocols.checks_design import arm_findings, length_findings, task_findings, team_findings
from study.protocols.checks_hour import item_findings, orientation_findings, rating_findings, rule_findings
from study.protocols.checks_modules import module_findings
from study.protocols.checks_papers import papers_findings
from study.protocols.checks_replication import replication_findings
from study.protocols.checks_requester import requester_findings
from study.protocols.checks_texts import text_findings
from study.protocols.checks_translations import translation_findings
from study.protocols.problems import Finding
from study.protocols.schema import ProtocolFile


def check(protocol: ProtocolFile, *, private_names: tuple[str, ...] = ()) -> Iterator[Finding]:
    """All findings. ``private_names``: what participants must not meet, besides the words of M7."""
    yield from length_findings(protocol)
    yield from team_findings(protocol)
    yield from arm_findings(protocol)
    yield from visit_findings(protocol)
    yield from allocation_findings(protocol)
    yield from task_findings(protocol)
    yield from item_findings(protocol)
    yield from rule_findings(protocol)
    yield from orientation_findings(protocol)
    yield from requester_findings(protocol)
    yield from rating_findings(protocol)
    yield from module_findings(protocol)
    yield from analysis_findings(protocol)
    yield from papers_findings(protocol)
    yield from replication_findings(protocol)
    yield from text_findings(protocol, private_names)
    yield from translation_findings(protocol)
