"""The pages of a study in groups: what stands above each of them, for whoever may open it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from study.accounts.access import EDIT_PROTOCOL, MANAGE_COHORTS, SEE_DATA, SEE_RESULTS, STAFF
from study.accounts.models import Role


@dataclass(frozen=True)
class Page:
    """``tab``: what a page's context says of itself; ``url``: a URL name whose only argument is the study's code."""

    tab: str
    url: str
    label: Promise
    roles: tuple[str, ...]


@dataclass(frozen=True)
class Group:
    label: Promise
    pages: tuple[Page, ...]


GROUPS = (
    Group(
        _("Study"),
        (
            Page("study", "study", _("Overview"), STAFF),
            Page("protocol", "protocol", _("Protocol"), STAFF),
            Page("papers", "papers", _("Papers"), EDIT_PROTOCOL),
            Page("orgs", "study_orgs", _("Orgs"), STAFF),
            Page("staff", "staff", _("Staff"), (Role.OWNER,)),
            Page("audit", "audit_log", _("Audit log"), (Role.OWNER,)),
        ),
    ),
    Group(
        _("Recruitment"),
        (
            Page("needs", "needs_me", _("Needs you"), MANAGE_COHORTS),
            Page("cohorts", "cohorts", _("Cohorts"), MANAGE_COHORTS),
            Page("people", "people", _("People"), MANAGE_COHORTS),
            Page("help", "help_requests", _("Help"), MANAGE_COHORTS),
            Page("letters", "letters", _("Letters"), MANAGE_COHORTS),
            Page("payments", "payments", _("Payments"), MANAGE_COHORTS),
            Page("privacy", "privacy", _("Privacy"), MANAGE_COHORTS),
        ),
    ),
    Group(
        _("Data"),
        (
            Page("monitor", "monitor", _("Monitor"), SEE_RESULTS),
            Page("flow", "flow", _("Flow of people"), SEE_RESULTS),
            Page("coverage", "coverage", _("Coverage"), SEE_DATA),
            Page("rationales", "rationales", _("Rationales"), SEE_DATA),
            Page("marking", "marking", _("Marking"), SEE_DATA),
            Page("redaction", "redaction", _("Redaction"), SEE_DATA),
            Page("export", "export", _("Export"), SEE_DATA),
        ),
    ),
    Group(_("Results"), (Page("results", "results", _("Results"), SEE_RESULTS),)),
)


@dataclass(frozen=True)
class Link:
    label: Promise
    href: str
    here: bool
    tab: str = ""


@dataclass(frozen=True)
class Navigation:
    """``groups`` stand beside the study's name, each leading to its first page; ``pages`` are those of the open one."""

    groups: tuple[Link, ...]
    pages: tuple[Link, ...]

    @property
    def recruits(self) -> bool:
        """Whether "Needs you" is in sight: only then is it asked how much waits."""
        return any(page.tab == "needs" for page in self.pages)


def navigation(study: str, role: str, tab: str) -> Navigation:
    """For a study's code, the role of whoever looks, and the page they look at (empty: on none of them)."""
    groups: list[Link] = []
    pages: tuple[Link, ...] = ()
    for group in GROUPS:
        links = tuple(_links(group, study, role, tab))
        if not links:
            continue
        here = any(link.here for link in links)
        groups.append(Link(group.label, links[0].href, here))
        if here and len(links) > 1:
            pages = links
    return Navigation(tuple(groups), pages)


def _links(group: Group, study: str, role: str, tab: str) -> Iterator[Link]:
    for page in group.pages:
        if role not in page.roles:
            continue
        try:
            yield Link(page.label, reverse(page.url, args=[study]), page.tab == tab, page.tab)
        except NoReverseMatch:  # an installation without that part
            continue
