"""Moments of a cohort: typed as local time in its zone, stored in UTC, shown as both (P-20). No database here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.core.exceptions import ValidationError
from django.utils.formats import date_format
from django.utils.translation import gettext as _

LEFT_OUT = ("Etc/", "SystemV/", "posix/", "right/", "US/", "Brazil/", "Canada/", "Chile/", "Mexico/")


@cache
def zones() -> tuple[str, ...]:
    """The names of the IANA list that people know: region and place, and UTC."""
    named = (name for name in available_timezones() if "/" in name and not name.startswith(LEFT_OUT))
    return ("UTC", *sorted(named))


def read_moment(text: str, zone: str) -> datetime | None:
    """Local date and time of a form (``2026-10-31T23:59``) as a moment in UTC; None for an empty field.

    Raises ValidationError for what is no time there: in the hour that is skipped in spring, or the one that comes
    twice in autumn. Which of the two was meant nobody could tell afterwards.
    """
    if not text.strip():
        return None
    try:
        local = datetime.fromisoformat(text.strip())
    except ValueError:
        raise ValidationError(_("“%(text)s” is no date with a time.") % {"text": text[:40]}) from None
    if local.tzinfo is not None:
        raise ValidationError(_("Type the time of the zone you chose, without an offset."))
    there = local.replace(tzinfo=ZoneInfo(zone))
    moment = there.astimezone(UTC)
    said = {"time": f"{local:%Y-%m-%d %H:%M}", "zone": zone}
    if moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None) != local:
        raise ValidationError(_("%(time)s does not exist in %(zone)s: the clocks go forward. Choose another.") % said)
    if there.utcoffset() != there.replace(fold=1).utcoffset():
        raise ValidationError(_("%(time)s comes twice in %(zone)s: the clocks go back. Choose another.") % said)
    return moment


def to_type(moment: datetime | None, zone: str) -> str:
    """A moment as a form's field holds it; empty for none."""
    return f"{moment.astimezone(ZoneInfo(zone)):%Y-%m-%dT%H:%M}" if moment else ""


@dataclass(frozen=True)
class Told:
    """A moment in words: in its zone with the zone's name, and in UTC beside it."""

    at: datetime
    local: str
    utc: str
    """Empty where the zone is UTC."""

    def __str__(self) -> str:
        return f"{self.local} · {self.utc}" if self.utc else self.local


def told(moment: datetime, zone: str) -> Told:
    """In the language of the page being made.

    >>> from datetime import UTC, datetime
    >>> str(told(datetime(2026, 10, 31, 22, 59, tzinfo=UTC), "Europe/Oslo"))
    '31 October 2026, 23:59 (Europe/Oslo) · 31 October 2026, 22:59 UTC'
    """
    utc = date_format(moment.astimezone(UTC), "j F Y, H:i")
    if zone == "UTC":
        return Told(moment, f"{utc} UTC", "")
    local = date_format(moment.astimezone(ZoneInfo(zone)), "j F Y, H:i")
    return Told(moment, f"{local} ({zone})", f"{utc} UTC")


@dataclass(frozen=True)
class Terms:
    """What a cohort's form says beside its name and target."""

    zone: str = "UTC"
    opens_at: datetime | None = None
    closes_at: datetime | None = None
    most_started: int | None = None
    hold_hours: int = 24
    moderated: bool = False


MOST_HOLD = 24 * 60


def read_terms(form: dict[str, str], now: datetime, before: Terms | None = None) -> Terms:
    """The terms as typed. Raises ValidationError with everything that is wrong.

    A moment that has passed is refused unless it is the stored one: closing now has a button.
    """
    problems: list[str] = []
    before = before or Terms()

    def moment_of(name: str, stored: datetime | None) -> datetime | None:
        if name not in form:
            return stored
        try:
            return read_moment(form[name], zone)
        except ValidationError as error:
            problems.extend(error.messages)
            return None

    zone = form.get("zone", "").strip() or before.zone
    if zone not in zones() and zone != before.zone:
        problems.append(_("Choose a time zone of the list, such as Europe/Oslo."))
        zone = before.zone
    opens, closes = moment_of("opens_at", before.opens_at), moment_of("closes_at", before.closes_at)
    for moment, stored, said in (
        (opens, before.opens_at, _("The opening moment has passed. Leave it empty and press “Open”.")),
        (closes, before.closes_at, _("The closing moment has passed. Leave it empty and press “Close”.")),
    ):
        if moment and moment <= now and not same_minute(moment, stored):
            problems.append(said)
    if opens and closes and closes <= opens:
        problems.append(_("The cohort closes before it opens. Let the closing moment come after the opening."))
    most = number(form["most_started"]) if "most_started" in form else before.most_started
    if most == 0:
        problems.append(_("How many may start is a number of people, or empty for the protocol's own."))
    hold = number(form.get("hold_hours", "")) if form.get("hold_hours", "").strip() else before.hold_hours
    if not hold or hold > MOST_HOLD:
        problems.append(_("A place is held for 1 to %(n)d hours.") % {"n": MOST_HOLD})
    if problems:
        raise ValidationError(problems)
    return Terms(zone, opens, closes, most, hold or 24, bool(form.get("moderated")))


def same_minute(one: datetime, other: datetime | None) -> bool:
    return other is not None and abs(one - other) < timedelta(minutes=1)


def number(text: str) -> int | None:
    """None for nothing typed, 0 for what is no number."""
    text = text.strip()
    if not text:
        return None
    return int(text) if text.isdecimal() and len(text) < 7 else 0
