"""How long the pages of a desk take: medians and 95th percentiles of server time."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median, quantiles
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.test import Client

from study.accounts.models import User
from study.sandbox.desks import open_desk
from study.sandbox.engine.queryspec import QuerySpec
from study.sandbox.engine.registry import ObjectDef
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.models import Desk, Org, Purpose
from study.sandbox.opened import snapshot_of
from study.sandbox.orgs import org_named

GOAL_MS = 50.0
WARM = 5
SEED = 7
SAMPLE = 400


class Command(BaseCommand):
    help = "Print medians and 95th percentiles of the server time of list, record, search and report pages."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="name or hash of the Org")
        parser.add_argument("--requests", type=int, default=200, help="varied requests per kind of page (default 200)")

    def handle(self, *args: Any, **options: Any) -> None:
        count = options["requests"]
        if count < 2:
            raise CommandError("--requests must be 2 or more.")
        try:
            org = org_named(options["name"])
        except Org.DoesNotExist as error:
            raise CommandError(f"{error} org_list shows the names.") from error
        collect_static()
        slow = []
        self.stdout.write(f"{org.name}: {sum(org.counts.values()):,} records, {count} requests of each kind")
        self.stdout.write(f"{'page':<8}{'median ms':>11}{'p95 ms':>9}{'slowest':>9}")
        with visitor(org) as (client, desk):
            for kind, addresses in kinds(snapshot_of(org)).items():
                times = measure(client, desk, addresses, count)
                middle, p95 = median(times), quantiles(times, n=20)[-1]
                self.stdout.write(f"{kind:<8}{middle:>11.1f}{p95:>9.1f}{max(times):>9.1f}")
                slow += [kind] if middle > GOAL_MS else []
        if slow:
            raise CommandError(f"Over the goal of {GOAL_MS:g} ms: {', '.join(slow)}.")
        self.stdout.write(f"All medians are under {GOAL_MS:g} ms.")


def collect_static() -> None:
    """Pages name their stylesheets by content: where these were not collected yet, they are now."""
    names = getattr(staticfiles_storage, "hashed_files", None)
    if names is not None and "css/crm.css" not in names:
        call_command("collectstatic", interactive=False, verbosity=0)


@contextmanager
def visitor(org: Org) -> Iterator[tuple[Client, Desk]]:
    """A signed-in person at a desk of their own; both are gone afterwards."""
    user = User.objects.create_user(name="bench")
    desk = open_desk(org=org, user=user, purpose=Purpose.ORIENTATION)
    try:
        client = Client(headers={"host": settings.ALLOWED_HOSTS[0]})
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        yield client, desk
        client.logout()
    finally:
        desk.delete()
        user.delete()


def measure(client: Client, desk: Desk, address: Callable[[random.Random], str], count: int) -> list[float]:
    """Milliseconds of each request through all middleware, after a few that are not counted."""
    draw = random.Random(SEED)  # noqa: S311 - which pages are asked for, nothing secret
    times = []
    for place in range(count + WARM):
        url = f"/crm/{desk.code}/{address(draw)}"
        start = time.perf_counter()
        response = client.get(url, secure=settings.HTTPS)
        took = (time.perf_counter() - start) * 1000
        if response.status_code != 200:
            raise CommandError(f"{url} answered {response.status_code}.")
        if place >= WARM:
            times.append(took)
    return times


def kinds(snapshot: Snapshot) -> dict[str, Callable[[random.Random], str]]:
    """For each kind of page what draws an address: objects by their number of records, conditions at random."""
    items = [item for item in snapshot.registry.objects if snapshot.counts.get(item.name)]
    if not items:
        raise CommandError("This Org holds no records.")
    weights = [snapshot.counts[item.name] for item in items]
    ids = {item.name: _sample(snapshot, item) for item in items}
    words = _words(snapshot, items)

    def drawn(draw: random.Random) -> ObjectDef:
        return draw.choices(items, weights)[0]

    def record(draw: random.Random) -> str:
        return f"r/{draw.choice(ids[drawn(draw).name])}/"

    def listing(draw: random.Random) -> str:
        item = drawn(draw)
        return f"o/{item.name}/?{urlencode(_conditions(item, draw))}"

    def search(draw: random.Random) -> str:
        return "search/?" + urlencode({"q": " ".join(draw.sample(words, min(len(words), draw.choice([1, 1, 2]))))})

    def report(draw: random.Random) -> str:
        item = drawn(draw)
        kinds = {"reference", "picklist", "datetime", "date"}
        fields = [f for f in item.fields if f.type in kinds] or [f for f in item.fields if f.type != "text"]
        group = draw.choice(fields)
        return f"report/{item.name}/?{urlencode([('g', group.name), *_conditions(item, draw)])}"

    return {"list": listing, "record": record, "search": search, "report": report}


def _conditions(item: ObjectDef, draw: random.Random) -> list[tuple[str, str]]:
    pairs = [("c", f.name) for f in item.fields if f.type in {"datetime", "date"}][:1]
    pairs = [*pairs, ("o", "past_months"), ("v", str(draw.randint(1, 24)))] if pairs and draw.random() < 0.5 else []
    picklists = [f for f in item.fields if f.type == "picklist" and f.values]
    if picklists and draw.random() < 0.5:
        field = draw.choice(picklists)
        pairs.append((f"s.{field.name}", draw.choice(field.values)))
    return pairs


def _sample(snapshot: Snapshot, item: ObjectDef) -> list[str]:
    spec = QuerySpec(item.name, select=("Id",), limit=SAMPLE)
    return [row[0] for row in snapshot.run(spec, snapshot.last_day).rows]


def _words(snapshot: Snapshot, items: list[ObjectDef]) -> list[str]:
    """Words that occur in names of records, so that most searches find something."""
    found: dict[str, None] = {}
    for item in items:
        spec = QuerySpec(item.name, select=(item.name_field,), limit=100)
        for (name,) in snapshot.run(spec, snapshot.last_day).rows:
            found |= dict.fromkeys(word for word in str(name or "").split() if word.isalpha() and len(word) > 2)
    return list(found) or ["case"]
