"""What makes a replication strict (M2, M3, M13): nothing added before the last rating, labels as published."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from study.protocols.hour import SCALE_LABELS
from study.protocols.problems import Finding
from study.protocols.schema import ProtocolFile


def replication_findings(protocol: ProtocolFile) -> Iterator[Finding]:
    if protocol.meta.kind != "replication":
        return
    if protocol.meta.replicates is None:
        yield Finding(
            ("meta",), _("A replication has to say what it replicates."), _("Add replicates: with its citation.")
        )
    if not protocol.unknowns:
        yield Finding(
            ("unknowns",),
            _("A replication lists what the published study leaves open."),
            _("Add unknowns: with question and choice, at least one."),
        )
    for n, module in enumerate(protocol.modules):
        if module.position != "after_ratings":
            yield Finding(
                ("modules", n, "position"),
                _("The published study did not ask this before its last rating."),
                _("In a replication write position: after_ratings."),
            )
    orientation = protocol.orientation
    for key, part in (("moves", orientation.moves), ("practice", orientation.practice), ("check", orientation.check)):
        if part is not None:
            yield Finding(
                ("orientation", key),
                _("The published study had no %(key)s in its orientation.") % {"key": key},
                _("Leave it out of a replication."),
            )
    if protocol.help is not None:
        yield Finding(
            ("help",),
            _("The published study had no replies in the hour."),
            _("Leave help: out of a replication; the team answers by mail."),
        )
    for key, offered in (("notes", protocol.work.notes), ("pins", protocol.work.pins)):
        if offered:
            yield Finding(
                ("work", key),
                _("The published study had no %(key)s during its work.") % {"key": key},
                _("Leave it out of a replication."),
            )
    if protocol.work.requester is not None:
        yield Finding(
            ("work", "requester"),
            _("Nobody could be asked in the published study."),
            _("Leave requester: out of a replication."),
        )
    yield from _rating(protocol)
    if protocol.tasks.load is not None:
        yield Finding(
            ("tasks", "load"),
            _("The published studies had no window of minutes."),
            _("Leave load out of a replication; the minutes are stored all the same."),
        )
    if protocol.tasks.count != 5:
        yield Finding(("tasks", "count"), _("The published studies gave five tasks."), _("Write count: 5."))
    if protocol.analysis.stopping.rule != "fixed":
        yield Finding(
            ("analysis", "stopping", "rule"),
            _("A replication has a fixed number of people and no looks."),
            _("Write rule: fixed."),
        )


def _rating(protocol: ProtocolFile) -> Iterator[Finding]:
    rating = protocol.rating
    if rating.look is not None:
        yield Finding(
            ("rating", "look"),
            _("The published study showed no records at random before a rating."),
            _("Leave look: out of a replication."),
        )
    if rating.evidence:
        yield Finding(
            ("rating", "evidence"),
            _("The published study attached no records to its rationales."),
            _("Leave evidence: out of a replication."),
        )
    if rating.dimensions:
        yield Finding(
            ("rating", "dimensions"),
            _("The published study asked one question for each object."),
            _("Leave dimensions: out of a replication."),
        )
    if rating.rationale.boxes != "one":
        yield Finding(
            ("rating", "rationale", "boxes"),
            _("The published study asked for a rationale, not for what looked right and what looked off."),
            _("Write boxes: one, and why: with its label."),
        )
    if rating.cannot_judge.placement != "first":
        yield Finding(
            ("rating", "cannot_judge", "placement"),
            _("The published scale shows “can't judge” first."),
            _("Write placement: first."),
        )
    for name, card in (("org", rating.org), ("object", rating.object)):
        for n, (option, label) in enumerate(zip(card.options, SCALE_LABELS, strict=True)):
            if option.label != label:
                yield Finding(
                    ("rating", name, "options", n, "label"),
                    _("The published label of point %(n)d is “%(label)s”.") % {"n": n + 1, "label": label},
                    _("Write it exactly so; the line under it is yours."),
                )
