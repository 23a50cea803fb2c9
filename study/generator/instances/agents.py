"""Questions about agents: handle times and transfers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from study.generator.instances.making import Asked, Maker
from study.generator.instances.periods import Period, number
from study.generator.instances.scanning import Found, Scan, period_said
from study.generator.instances.source import Source
from study.generator.instances.tallies import Board, Timed, counts, means, rows, verdict
from study.generator.instances.words import Said

BARS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25)
HIGH_BARS = (30, 40, 50, 60)


class Care:
    """Owner assignments and closed cases of an Org, ready to be counted."""

    def __init__(self, source: Source) -> None:
        self.agents, _first = source.columns("User", "Id", "FirstName")
        place = {agent: n for n, agent in enumerate(self.agents)}
        kinds, cases, before, after, at = source.columns(
            "CaseHistory__c", "Field__c", "CaseId__c", "OldValue__c", "NewValue__c", "CreatedDate"
        )
        moves = [n for n, kind in enumerate(kinds) if kind == "Owner Assignment" and at[n]]
        given = [n for n in moves if after[n] in place]
        self.given = Timed.of([at[n] for n in given], [place[after[n]] for n in given])
        away = [n for n in moves if before[n] in place]
        self.away = Timed.of([at[n] for n in away], [place[before[n]] for n in away])
        once = Counter(cases[n] for n in moves)
        ids, opened, closed, owners, status = source.columns(
            "Case", "Id", "CreatedDate", "ClosedDate", "OwnerId", "Status"
        )
        kept = [
            n
            for n, case in enumerate(ids)
            if status[n] == "Closed" and opened[n] and closed[n] and owners[n] in place and once[case] == 1
        ]
        self.closed = Timed.of(
            [opened[n] for n in kept],
            [place[owners[n]] for n in kept],
            [(closed[n] - opened[n]) / 60_000 for n in kept],
        )

    def handle_times(self, period: Period) -> tuple[Board, Board]:
        """What was given and the mean minutes, per agent."""
        found = rows(period, self.given, self.closed)
        return counts(self.given, len(self.agents), found), means(self.closed, len(self.agents), found, 1)

    def transfers(self, period: Period) -> tuple[Board, Board]:
        found = rows(period, self.given, self.away)
        return counts(self.given, len(self.agents), found), counts(self.away, len(self.agents), found, 1)


def ask_about_agents(maker: Maker) -> None:
    """``handle_time`` and ``transfer_count``, as far as they are wanted."""
    care = Care(maker.source)
    for task in ("handle_time", "transfer_count"):
        if task in maker.quotas:
            _scan(maker, care, task).run()


def _scan(maker: Maker, care: Care, task: str) -> Scan:
    timed = task == "handle_time"

    def offers(period: Period) -> Iterator[Found]:
        given, board = care.handle_times(period) if timed else care.transfers(period)
        busiest = int(given.values.max(initial=0))
        for bar in (*(bar for bar in BARS if bar < busiest), *_above(busiest)):
            among = board.only(given.values > bar)
            nobody = among.silent
            for extremum in ("max", "min"):
                if nobody:
                    yield Found((str(bar), extremum), verdict(among, highest=True, measure="count"), True)
                    continue
                found = verdict(among, highest=extremum == "max", measure="mean" if timed else "count")
                yield Found((str(bar), extremum), found, False)

    def put(period: Period, key: tuple[str, ...], winner: int | None) -> bool:
        bar, extremum = int(key[0]), key[1]
        answer: list[str | None] = [None] if winner is None else [str(care.agents[winner])]
        when = period.words(maker.draw(f"{task} words"))
        counted = f"{number(bar)} cases" if bar > 1 else "one case"
        end = "highest" if extremum == "max" else "lowest"
        facts = [
            period_said(period, when),
            Said("bar", f"Agents with more than {counted} count; exactly {counted} is not enough.",
                 f"More than {counted}.", f"Agents with more than {number(bar + 3)} cases count.", "definitions", 2),
            Said("direction", f"The {end} {'average handle time' if timed else 'number of transfers'} is asked for.",
                 f"The {end}.", "", "definitions"),
        ]  # fmt: skip
        return maker.ask(
            Asked(
                task,
                answer,
                {**period.params, "more_than": bar, "extremum": extremum},
                today=period.today,
                wording=extremum,
                slots={"when": when, "n": counted},
                policy={} if timed or extremum == "min" else {"zero": ""},
                facts=facts,
            )
        )

    return Scan(maker, task, offers, put)


def _above(busiest: int) -> tuple[int, ...]:
    """A bar that nobody reaches, told by a round number people would say."""
    return tuple(bar for bar in (*BARS, *HIGH_BARS) if bar >= busiest + 2)[:2]
