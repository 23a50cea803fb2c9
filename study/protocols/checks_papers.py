"""Reasons to leave data out, and what the papers say twice or against the protocol."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from study.protocols.checks_design import twice
from study.protocols.problems import Finding
from study.protocols.schema import ProtocolFile


def papers_findings(protocol: ProtocolFile) -> Iterator[Finding]:
    yield from twice(("exclusions",), "code", (reason.code for reason in protocol.exclusions))
    papers = protocol.papers
    if papers is None:
        return
    yield from twice(("papers", "retention"), "what", (one.what for one in papers.retention))
    yield from twice(("papers", "processors"), "name", (one.name for one in papers.processors))
    if papers.incomplete_disclosure and protocol.disclosure == "open":
        yield Finding(
            ("papers", "incomplete_disclosure"),
            _("Nothing is held back under disclosure: open."),
            _("Leave the key out, or set disclosure: origin_after."),
            "warning",
        )
