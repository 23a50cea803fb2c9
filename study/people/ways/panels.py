"""Panels that send people: their parameter names, placeholders, return addresses, files and words, as data.

Sources, read in 2026. Prolific: docs.prolific.com, "The study object" (placeholders such as ``{{%PROLIFIC_PID%}}``,
codes with actions) and published exports of submissions (columns). CloudResearch Connect: its researcher help,
"Project completion" (redirect addresses, partial completes); surveys in public use name its parameters
``participantId``, ``assignmentId`` and ``projectId``. User Interviews: "Use redirects to track participant progress"
(custom links whose variables are set up per project). What a panel lets researchers name is a setting here, with these
names as a start.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from study.people.models import Cohort, End, Participant

OUTCOMES = {
    "complete": gettext_lazy("Complete"),
    "screened_out": gettext_lazy("Screened out"),
    "full": gettext_lazy("Cohort full"),
    "no_consent": gettext_lazy("No consent"),
    "withdrawn": gettext_lazy("Left the study"),
    "time_up": gettext_lazy("Time ran out"),
}
OUTCOME_OF = {
    End.COMPLETE: "complete",
    End.SCREENED_OUT: "screened_out",
    End.FULL: "full",
    End.NO_CONSENT: "no_consent",
    End.WITHDRAWN: "withdrawn",
    End.LAPSED: "time_up",
}
LONGEST = 200
PARAMETER = re.compile(r"^[A-Za-z0-9_.-]{1,60}$")
# What stands in a link where a panel or somebody who tried it filled nothing in.
PLACEHOLDER = re.compile(
    r"\{|\}|\[\[|\]\]|\[%|%\]|<|>|\$\(|%7b|^(undefined|null|none|nan|n/?a|your[ _-]?id|id|x+|test[ _-]?id)$",
    re.IGNORECASE,
)


# No panel's id holds these, and in the lists that pay people by id they would begin another field or another line.
NO_ID = re.compile(r"[\s,;\"'`\\]")


@dataclass(frozen=True)
class Preset:
    """One panel as it comes: ``id``, ``study`` and ``session`` are names of parameters in its links."""

    kind: str
    name: str
    id: str
    study: str = ""
    session: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    """What the panel puts in for each parameter: the text to paste into its form."""
    returns: str = ""
    """Where people go at the end, with ``{code}``, ``{id}``, ``{session}`` and ``{study}`` to be filled in."""
    hosts: tuple[str, ...] = ()
    """Where a return address may lead; empty: anywhere by https."""
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Heads of its file, as ``spreadsheets.plain`` writes them: id, status, code, started, finished."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Its words for a submission, plain, to ours: complete, screened_out, timed_out, returned, rejected, going."""


# Words that many panels share.
WORDS = {
    "complete": "complete",
    "completed": "complete",
    "submitted": "complete",
    "approved": "complete",
    "partial": "screened_out",
    "screenedout": "screened_out",
    "screenout": "screened_out",
    "disqualified": "screened_out",
    "overquota": "returned",
    "quotafull": "returned",
    "returned": "returned",
    "cancelled": "returned",
    "canceled": "returned",
    "timedout": "timed_out",
    "expired": "timed_out",
    "rejected": "rejected",
    "active": "going",
    "inprogress": "going",
    "started": "going",
    "pending": "complete",
}
COLUMNS = {
    "id": ("id", "participantid", "panelid", "respondentid", "workerid", "pid"),
    "status": ("status", "state", "outcome"),
    "code": ("completioncode", "code"),
    "started": ("startedat", "started", "starttime", "startdate"),
    "finished": ("completedat", "finishedat", "submittedat", "completed", "endtime", "enddate"),
}
PRESETS: dict[str, Preset] = {
    preset.kind: preset
    for preset in (
        Preset(
            kind="prolific",
            name="Prolific",
            id="PROLIFIC_PID",
            study="STUDY_ID",
            session="SESSION_ID",
            values={
                "PROLIFIC_PID": "{{%PROLIFIC_PID%}}",
                "STUDY_ID": "{{%STUDY_ID%}}",
                "SESSION_ID": "{{%SESSION_ID%}}",
            },
            returns="https://app.prolific.com/submissions/complete?cc={code}",
            hosts=("prolific.com", "prolific.co"),
            columns=COLUMNS | {"id": ("participantid",)},
            words=WORDS | {"awaitingreview": "complete", "partiallyapproved": "complete", "reserved": "going"},
        ),
        Preset(
            kind="user_interviews",
            name="User Interviews",
            id="participant_id",
            session="invite_id",
            hosts=("userinterviews.com",),
            columns=COLUMNS | {"id": ("participantid", "inviteid", "userid", "id")},
            words=WORDS
            | {"invited": "going", "noshow": "returned", "didnotshow": "returned", "unqualified": "screened_out"},
        ),
        Preset(
            kind="connect",
            name="CloudResearch Connect",
            id="participantId",
            study="projectId",
            session="assignmentId",
            returns="https://connect.cloudresearch.com/participant/project/{study}/complete",
            hosts=("cloudresearch.com",),
            columns=COLUMNS | {"id": ("participantid",)},
            words=WORDS | {"pendingapproval": "complete", "partialcomplete": "screened_out"},
        ),
        Preset(kind="other", name="", id="id", session="session", columns=COLUMNS, words=WORDS),
    )
}
FILLED = ("code", "id", "session", "study")


@dataclass(frozen=True)
class Panel:
    """A cohort's panel as configured. ``codes`` and ``returns`` are by outcome."""

    preset: Preset
    name: str
    id: str
    study: str
    session: str
    codes: Mapping[str, str]
    returns: Mapping[str, str]

    @property
    def parameters(self) -> dict[str, str]:
        """What each configured parameter means: name in the link to id, study or session."""
        return {getattr(self, part): part for part in ("session", "study", "id") if getattr(self, part)}

    def query(self) -> str:
        """The end of the address to paste into the panel's form, with its own placeholders."""
        parts = [self.id, self.study, self.session]
        known = self.preset.values
        return "&".join(f"{name}={known.get(name, '')}" for name in parts if name)


def panel_of(cohort: Cohort) -> Panel | None:
    """None where the cohort comes from no panel."""
    kept = cohort.panel or {}
    preset = PRESETS.get(str(kept.get("kind", "")))
    if preset is None:
        return None
    return Panel(
        preset=preset,
        name=str(kept.get("name") or preset.name or _("the panel")),
        id=str(kept.get("id") or preset.id),
        study=str(kept.get("study", preset.study)),
        session=str(kept.get("session", preset.session)),
        codes=kept.get("codes") or {},
        returns=kept.get("returns") or {},
    )


def checked_settings(kept: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as stored. Raises ValidationError with everything that is wrong."""
    preset = PRESETS.get(str(kept.get("kind", "")))
    if preset is None:
        raise ValidationError(_("Choose the panel these people come from."))
    problems = []
    names = {part: str(kept.get(part) or "").strip() for part in ("id", "study", "session")}
    if not names["id"]:
        problems.append(_("Name the parameter that holds the panel's id of a person."))
    for name in filter(None, names.values()):
        if not PARAMETER.match(name):
            problems.append(_("“%(name)s” cannot be the name of a parameter.") % {"name": name[:60]})
    if len(set(filter(None, names.values()))) < len(list(filter(None, names.values()))):
        problems.append(_("Two parameters have the same name."))
    codes = {key: str(kept.get("codes", {}).get(key) or "").strip() for key in OUTCOMES}
    returns = {key: str(kept.get("returns", {}).get(key) or "").strip() for key in OUTCOMES}
    for key, label in OUTCOMES.items():
        if len(codes[key]) > 60 or any(c.isspace() for c in codes[key]):
            problems.append(_("%(outcome)s: a code has up to 60 characters and no blank.") % {"outcome": label})
        if why := why_no_return(preset, returns[key], names):
            problems.append(f"{label}: {why}")
        if "{code}" in returns[key] and not codes[key]:
            problems.append(_("%(outcome)s: the return address needs a code.") % {"outcome": label})
    if len(set(filter(None, codes.values()))) < len(list(filter(None, codes.values()))):
        problems.append(_("Two outcomes have the same code, so the panel could not tell them apart."))
    if problems:
        raise ValidationError(problems)
    return {
        "kind": preset.kind,
        "name": str(kept.get("name") or "").strip()[:60],
        **names,
        "codes": {key: code for key, code in codes.items() if code},
        "returns": {key: address for key, address in returns.items() if address},
    }


def why_no_return(preset: Preset, address: str, names: Mapping[str, str]) -> str:
    """What is wrong with a return address; empty for a good or an empty one.

    https and a plain host only: whatever is filled in stands behind it, so nobody can be led elsewhere.
    """
    if not address:
        return ""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return _("this is not an address.")
    if parts.scheme != "https" or not host or len(address) > 500 or any(c.isspace() for c in address):
        return _("a return address begins with https:// and has no blanks.")
    if "@" in parts.netloc or port or not re.fullmatch(r"[a-z0-9.-]+\.[a-z]{2,}", host):
        return _("the address names no plain host.")
    if preset.hosts and not any(host == own or host.endswith(f".{own}") for own in preset.hosts):
        return _("%(panel)s is at %(hosts)s, not at %(host)s.") % {
            "panel": preset.name,
            "hosts": ", ".join(preset.hosts),
            "host": host,
        }
    for name in re.findall(r"\{([^{}]*)\}", address):
        if name not in FILLED:
            return _("{%(name)s} is not known. Use {code}, {id}, {session} or {study}.") % {"name": name}
        if name in ("session", "study") and not names.get(name):
            return _("{%(name)s} needs the name of that parameter.") % {"name": name}
    return ""


@dataclass(frozen=True)
class Ending:
    """What somebody from a panel finds on their last page."""

    name: str
    code: str
    """Empty: the panel has no code for this outcome, and the participant's own stands there."""
    address: str


def ending(participant: Participant) -> Ending | None:
    """The panel's code and way back for how somebody ended; None for people of no panel."""
    panel = panel_of(participant.cohort)
    outcome = OUTCOME_OF.get(End(participant.end)) if participant.end else None
    if panel is None or outcome is None or participant.preview:
        return None
    code = panel.codes.get(outcome, "")
    return Ending(panel.name, code, _filled(panel, panel.returns.get(outcome, ""), code, participant))


def _filled(panel: Panel, address: str, code: str, participant: Participant) -> str:
    if "{" not in address:
        return address
    first = participant.arrivals.order_by("pk").first()
    kept: dict[str, str] = (first.parameters or {}) if first else {}
    contact = getattr(participant, "contact", None)
    values = {"code": code, "id": contact.panel_id if contact else ""}
    values |= {part: kept.get(part, "") for part in ("session", "study")}
    for part, value in values.items():
        address = address.replace(f"{{{part}}}", quote(value, safe=""))
    return address
