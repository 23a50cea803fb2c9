"""Tasks and events: what the owners of deals note for themselves, by the stage guide."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from study.generator.groundwork.branch import Branch
from study.generator.groundwork.calendar import Calendar
from study.generator.groundwork.things import STAGES, Activity, Member, Row, Stage
from study.generator.sales.hours import Hours
from study.generator.sales.owners import Owners
from study.generator.sales.pipeline import CLOSED, Life
from study.generator.sales.sentences import Sentences
from study.generator.sales.sharing import scattered
from study.generator.sales.words import Words

_BEGUN = ("In Progress", "Completed")
_MOST = 13
ALL_DAY = 24 * 60


class Tasks:
    """Plans the tasks of all deals, exactly as many as the branch is to have."""

    def __init__(self, branch: Branch, calendar: Calendar, owners: Owners, words: Words) -> None:
        self.branch, self.hours, self.owners = branch, Hours(branch, calendar), owners
        self.draw = branch.draw("tasks")
        self.words = words
        self.guide = branch.plan.material.selling.stages
        low, high = branch.plan.latent("WrongPriority", "tasks", (4, 7))
        self.unfit = int(low), int(high)

    def plan(self, lives: Sequence[Life]) -> None:
        total = self.branch.counts.get("Task", 0)
        extra = self._extra(lives, total)
        least = [3 if life.wrong else 1 if life.unfit else 0 for life in lives]
        rest = total - sum(extra) - sum(least)
        even = not self.branch.plan.ingredients.skew
        weights = [1.0 if even else round(self._weight(life) * self.draw.lognormal(0.7), 4) for life in lives]
        counts = (
            scattered(self.draw, rest, weights, most=max(_MOST, -(-rest // max(len(lives), 1)) + 1)) if lives else []
        )
        for life, more, n, few in zip(lives, extra, counts, least, strict=True):
            self._fitting(life, n + few)
            self._unfitting(life, more)

    def _extra(self, lives: Sequence[Life], total: int) -> list[int]:
        """Tasks that do not fit; where there are too few tasks for all, deals are put in order again."""
        left = total
        extra = []
        for life in lives:
            more = self.draw.whole(*self.unfit) if life.unfit else 0
            few = 3 if life.wrong else 1 if life.unfit else 0
            if more + few > left:
                more = few = 0
                life.unfit = False
                if life.wrong:
                    life.wrong, life.deal.stage = False, life.deal.true_stage
            left -= more + few
            extra.append(more)
        return extra

    @staticmethod
    def _weight(life: Life) -> float:
        if life.deal.won:
            return 3.2
        if life.lost:
            return 0.7 + 0.25 * life.reached
        return 1.0 if life.wrong or life.unfit else 1.1 + 0.35 * life.reached

    def _fitting(self, life: Life, n: int) -> None:
        """``n`` tasks of the stages the deal has been through; at least one is begun at the stage it is at."""
        deal, draw = life.deal, self.draw
        through = [stage for stage in STAGES if stage in deal.entered]
        for place in range(n):
            if not place:
                stage, status = deal.true_stage, draw.weighted(_BEGUN, (5, 4) if life.open else (0, 1))
            else:
                stage = through[-1] if draw.chance(0.4) else draw.pick(through)
                status = self._status(life, stage)
            self._add(life, stage, status)

    def _status(self, life: Life, stage: Stage) -> str:
        deal, draw = life.deal, self.draw
        if life.open and stage == deal.true_stage:
            # A task that waits at the true stage of a deal recorded elsewhere would not fit its record.
            waiting = 0 if life.wrong else 4
            return draw.weighted(
                ("Not Started", "In Progress", "Completed", "Waiting", "Deferred"), (waiting, 3, 4, 1.2, 0.6)
            )
        if life.open and stage == deal.stage and draw.chance(0.15):
            return "Not Started"
        return draw.weighted(("Completed", "Deferred"), (14, 1))

    def _unfitting(self, life: Life, n: int) -> None:
        """Lists made in advance for later stages, and what was never cleared up after earlier ones."""
        others = [stage for stage in STAGES if stage != life.deal.stage]
        later = [stage for stage in others if STAGES.index(stage) > STAGES.index(life.deal.stage)]
        for _ in range(n):
            stage = self.draw.pick(later if later and self.draw.chance(0.6) else others)
            self._add(life, stage, "Not Started")

    def _add(self, life: Life, stage: Stage, status: str) -> None:
        deal, draw = life.deal, self.draw
        kinds: Sequence[str] = self.guide[stage]
        if stage == "Closed" and not deal.won and status != "Not Started":
            kinds = [kind for kind in kinds if kind in self.words.losing] or kinds
        rival, quote = bool(deal.competitors), bool(deal.quotes)
        kinds = [kind for kind in kinds if self.words.fits(kind, rival=rival, quote=quote)] or kinds
        done = {task.kind for task in deal.activities}
        kind = draw.pick([kind for kind in kinds if kind not in done] or kinds)
        created, due = self._time(life, stage, status)
        owner = self._doer(life, created.date())
        deal.activities.append(
            Activity(
                "", stage, kind, "", "", status, self._priority(life, stage, status, due), due, owner, created=created
            )
        )

    def _time(self, life: Life, stage: Stage, status: str) -> tuple[datetime, date]:
        """When a task was noted down (within the life of the deal) and when it is due."""
        deal, draw, now = life.deal, self.draw, self.branch.now
        begun = deal.entered.get(stage)
        after = [at for at in deal.entered.values() if begun is not None and at > begun]
        first = begun if begun is not None else max(deal.entered.values())
        last = min(after) if after else min(now, first + timedelta(days=max(life.days // 3, 6)))
        if not life.open:
            last = min(last, max(life.end, first))
            if stage == "Closed":
                first, last = life.end - timedelta(days=2), min(life.end + timedelta(days=6), now)
        created = first + (last - first) * draw.between(0, 0.85, 3)
        created = self.hours.after(created, deal.created, draw)
        created = max(min(created, now - timedelta(minutes=draw.whole(15, 200))), deal.created)
        due = self.hours.day(
            created.date() + timedelta(days=draw.weighted((0, 1, 2, 4, 7, 10, 15), (2, 3, 4, 4, 4, 2, 1)))
        )
        if status == "Completed":
            end = last.date() if stage != "Closed" else life.end.date() + timedelta(days=10)
            due = max(min(due, end, self.branch.today), created.date())
        elif status == "Not Started" and STAGES.index(stage) > STAGES.index(deal.stage):
            due = self.hours.day(due + timedelta(days=draw.whole(6, 40)))
        return created, due

    def _doer(self, life: Life, day: date) -> Member:
        """Mostly the owner; now and then a colleague of the territory."""
        if self.draw.chance(0.92):
            return life.deal.owner
        there = [m for m in self.owners.team(life.territory) if m.works_on(day) and m.works_on(self.branch.today)]
        return self.draw.pick(there) if there else life.deal.owner

    def _priority(self, life: Life, stage: Stage, status: str, due: date) -> str:
        weights = [3.0, 6.0, 2.0, 0.4]
        if STAGES.index(stage) >= 3:
            weights = [1.5, 5.0, 4.0, 1.2]
        if status in ("In Progress", "Not Started") and due < self.branch.today:
            weights[3] += 1.0
        if status == "Deferred":
            weights = [7.0, 4.0, 0.5, 0.0]
        return self.draw.weighted(("Low", "Medium", "High", "Urgent"), weights)


class Events:
    """Plans the meetings of deals that came far; exactly as many as the branch is to have."""

    def __init__(self, branch: Branch, calendar: Calendar, words: Words) -> None:
        self.branch, self.calendar, self.hours, self.words = branch, calendar, Hours(branch, calendar), words
        self.draw = branch.draw("events")
        guide = branch.plan.material.selling.stages
        self.kinds: dict[Stage, list[str]] = {
            stage: [kind for kind in guide[stage] if kind in words.meetings] or list(guide[stage]) for stage in STAGES
        }

    def plan(self, lives: Sequence[Life]) -> None:
        for life in self._chosen(lives):
            self._add(life)

    def _chosen(self, lives: Sequence[Life]) -> list[Life]:
        n = self.branch.counts.get("Event", 0)
        order = self.draw.shuffled([life for life in lives if life.deal.won or life.reached >= 1] or list(lives))
        order.sort(key=lambda life: life.lost)  # what was lost long ago has few meetings left in the calendar
        pool = order[: max(n * 2, 1)]
        return [self.draw.pick(pool) for _ in range(n)] if pool else []

    def _add(self, life: Life) -> None:
        """In the past at a stage the deal went through, or soon at the stage it is at."""
        deal, draw, now = life.deal, self.draw, self.branch.now
        through = [stage for stage in STAGES if stage in deal.entered and STAGES.index(stage) < CLOSED]
        soon = life.open and not life.wrong and not life.unfit and draw.chance(0.3)
        stage = through[-1] if soon else draw.pick(through)
        begun = deal.entered[stage]
        later = [at for at in deal.entered.values() if at > begun]
        until = min(later) if later else min(life.end, begun + timedelta(days=max(life.days // 3, 6)))
        if soon:
            day = self.hours.day(now.date() + timedelta(days=draw.whole(1, 21)))
            start = self.calendar.at_work(day, draw)
        else:
            start = begun + (until - begun) * draw.between(0.1, 0.9, 3)
            start = max(min(self.hours.after(start, begun, draw), now - timedelta(hours=2)), begun)
        start = start.replace(minute=draw.pick((0, 0, 15, 30, 45)), second=0, microsecond=0)
        if start < deal.created:
            start += timedelta(hours=1)
        minutes = draw.weighted((15, 30, 45, 60, 90, 120, 180), (1, 5, 3, 6, 3, 2, 1))
        if draw.chance(0.04) and start.date() > deal.created.date():
            start, minutes = datetime.combine(start.date(), time(0), start.tzinfo), ALL_DAY
        created = min(max(start - timedelta(days=draw.whole(1, 12), minutes=draw.whole(1, 300)), deal.created), now)
        created = min(self.hours.near(created, draw), now - timedelta(minutes=draw.whole(16, 180)), start)
        created = max(created, deal.created)
        status = "Completed" if start < now else "Not Started"
        activity = Activity(
            "",
            stage,
            draw.pick(self.kinds[stage]),
            "",
            "",
            status,
            "",
            start.date(),
            deal.owner,
            start,
            minutes,
            created=created,
        )
        deal.events.append(activity)


def write_activities(branch: Branch, lives: Sequence[Life], sentences: Sentences, words: Words) -> None:
    """Words, Ids and rows of tasks and events."""
    tasks = sorted(
        ((life, task) for life in lives for task in life.deal.activities),
        key=lambda pair: pair[1].created or branch.now,
    )
    rows: list[Row] = []
    for life, task in tasks:
        task.id = branch.new_id("Task")
        task.subject, task.description = sentences.activity(life, task, sentences.slots(life, task.day))
        rows.append(task_row(life, task))
    branch.add("Task", rows)
    events = sorted(
        ((life, event) for life in lives for event in life.deal.events), key=lambda pair: pair[1].created or branch.now
    )
    for life in lives:
        life.deal.activities.sort(key=lambda task: task.id)
        life.deal.events.sort(key=lambda event: event.start or branch.now)
    draw, rows = branch.draw("meeting places"), []
    for life, event in events:
        event.id = branch.new_id("Event")
        slots = sentences.slots(life, event.day)
        event.subject, event.description = sentences.activity(life, event, slots)
        place = draw.pick(words.places).format_map({"city": life.deal.party.city, "company": life.deal.party.name})
        event.location = "" if branch.plan.ingredients.gaps and draw.chance(0.12) else place
        rows.append(event_row(life, event))
    branch.add("Event", rows)


def task_row(life: Life, task: Activity) -> Row:
    """The hour of a due date is the end of the working day."""
    due = datetime.combine(task.day, time(17), life.deal.created.tzinfo)
    return {
        "Id": task.id, "Subject": task.subject, "Description": task.description or None, "Status": task.status,
        "Priority": task.priority, "ActivityDate": due, "WhatId": life.deal.id, "OwnerId": task.owner.id,
        "CreatedDate": task.created,
    }  # fmt: skip


def event_row(life: Life, event: Activity) -> Row:
    return {
        "Id": event.id, "Subject": event.subject, "Description": event.description or None,
        "StartDateTime": event.start, "DurationInMinutes": event.minutes, "Location": event.location or None,
        "IsAllDayEvent": event.minutes == ALL_DAY, "WhatId": life.deal.id, "OwnerId": event.owner.id,
        "CreatedDate": event.created,
    }  # fmt: skip
