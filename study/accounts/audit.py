"""The append-only audit log: one call per act, inside the act's own transaction."""

from typing import Any

from study.accounts.models import AuditRow, Study, User


def audit(act: str, *, by: User | None, study: Study | None = None, target: str = "", **detail: Any) -> AuditRow:
    """Write one row. ``detail`` must hold no contact, token or panel id."""
    label = "system" if by is None else f"user {by.pk}"
    return AuditRow.objects.create(
        act=act,
        actor=by,
        actor_label=label,
        study=study,
        study_code=study.code if study else "",
        target=target[:120],
        detail=detail,
    )


def viewed(what: str, *, by: User, study: Study, target: str = "", n: int = 1) -> AuditRow:
    """Somebody saw contacts: one row per page seen. ``what`` says which page, ``n`` of how many people."""
    return audit("contacts.viewed", by=by, study=study, target=target, page=what, people=n)
