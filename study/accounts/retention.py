"""How long things are kept that no study decides about: named rules with their moments, carried out by the tick.

An app registers its rules in ``AppConfig.ready``; the privacy page and ``docs/privacy.md`` list every one of them.
Contacts, which a study sets a day for, stand in ``study/people/privacy/retention.py``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.sessions.models import Session
from django.db import connection
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from study.accounts import erasing_acts, jobs
from study.accounts.erasing_traces import cache_table
from study.accounts.models import Job, JobState, SigninLink
from study.accounts.staff_sessions import forget_old

log = logging.getLogger(__name__)
Act = Callable[[datetime], int]
LINKS, WORK, TICKS = timedelta(days=7), timedelta(days=30), timedelta(days=1)


@dataclass(frozen=True)
class Rule:
    """``what`` is kept until ``until``, both in words; ``act`` removes what is over at a moment and counts it."""

    name: str
    what: str | Promise
    until: str | Promise
    act: Act


_rules: dict[str, Rule] = {}


def rule(name: str, what: str | Promise, until: str | Promise) -> Callable[[Act], Act]:
    """Register the function that removes what is over. Raises ValueError when another rule has this name."""

    def register(act: Act) -> Act:
        if name in _rules:
            raise ValueError(f"There are two rules called {name!r}.")
        _rules[name] = Rule(name, what, until, act)
        return act

    return register


def rules() -> Iterator[Rule]:
    yield from _rules.values()


@jobs.job_kind("retention", every_tick=True)
def keep_limits(running: jobs.Running) -> dict[str, int]:
    """Every minute: each rule by itself, so that one that fails stops no other."""
    now, done = timezone.now(), {}
    for one in rules():
        try:
            done[one.name] = one.act(now)
        except Exception:  # the next minute tries again
            log.exception("the rule %r could not be kept", one.name)
    done["files cleaned"] = erasing_acts.clean_again()
    return {name: n for name, n in done.items() if n}


@rule("sign-in links", _("Sign-in links"), _("7 days after they stop working"))
def _links(now: datetime) -> int:
    return SigninLink.objects.filter(expires_at__lt=now - LINKS).delete()[0]


@rule("sessions", _("Sessions"), _("14 days after the last visit"))
def _sessions(now: datetime) -> int:
    return Session.objects.filter(expire_date__lt=now).delete()[0]


@rule(
    "staff sessions",
    _("Address of the network and browser of staff who are signed in"),
    _("30 days; participants never"),
)
def _staff(now: datetime) -> int:
    return forget_old()


@rule("cache", _("Entries of the cache: limits on signing in, codes for another computer"), _("at most an hour"))
def _cache(now: datetime) -> int:
    if not (table := cache_table()):
        return 0
    with connection.cursor() as cursor:
        moment = connection.ops.adapt_datetimefield_value(now.replace(microsecond=0))
        cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)} WHERE expires < %s", [moment])
        return int(cursor.rowcount)


@rule("jobs", _("What a finished job was given and what it said"), _("30 days; its kind and moments stay"))
def _jobs(now: datetime) -> int:
    over = Job.objects.filter(state__in=[JobState.DONE, JobState.FAILED], finished_at__lt=now - WORK)
    return over.exclude(params={}, result={}, note="", error="").update(params={}, result={}, note="", error="")


@rule("jobs of the tick", _("Rows of the jobs that run every minute"), _("1 day"))
def _ticks(now: datetime) -> int:
    over = Job.objects.filter(kind__in=jobs.every_tick(), state=JobState.DONE, finished_at__lt=now - TICKS)
    return over.delete()[0]
