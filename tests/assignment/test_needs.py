"""How many people's tasks need each rated object, against the figures of the method."""

import pytest

from study.assignment.design import Pool, Stratum
from study.assignment.giving import Ask
from study.assignment.needs import coarse, expected
from study.benchmark.tasks import TASKS
from study.protocols.library import builtin_text
from study.protocols.reading import parse

PUBLISHED = {
    "Opportunity": 0.93, "Quote": 0.85, "Lead": 0.80, "QuoteLineItem": 0.59, "VoiceCallTranscript__c": 0.49,
    "Task": 0.48, "Account": 0.37, "Event": 0.25,
}  # fmt: skip


def test_the_shares_are_those_of_the_method():
    """200,000 independent draws there, 2,000 here: with nobody before them, each stratum is as likely to have the
    rotating place. In a study it goes to the stratum whose tasks were seen least, which is the largest, so that
    objects of the smaller ones are needed by fewer: the coverage page shows the study's own figures."""
    file = parse(builtin_text("crmarena-pro"))
    tasks = file.tasks
    pool = Pool(
        tuple(Stratum(s.code, s.tasks, s.quota) for s in tasks.strata),
        tasks.rotating,
        {task: (n,) for n, task in enumerate(t for s in tasks.strata for t in s.tasks)},
    )
    ask = Ask(tuple(PUBLISHED))
    alone = expected(pool, ask, lambda task: TASKS[task].objects, study_of=1, people=2000)
    assert alone == pytest.approx(PUBLISHED, abs=0.03)
    together = expected(pool, ask, lambda task: TASKS[task].objects, study_of=30, people=600)
    assert together["Quote"] < alone["Quote"] - 0.05
    assert together == expected(pool, ask, lambda task: TASKS[task].objects, study_of=30, people=600)


def test_many_questions_of_a_kind_make_it_no_slower():
    """An estimate needs one question for each minute, whatever there are; what is pinned stays."""
    ids = tuple(range(400))
    pool = Pool(
        (Stratum("a", ("x", "y"), 1),),
        1,
        {"x": ids, "y": (900, 901)},
        pinned={"x": 399},
        minutes={pk: 4 + pk % 50 / 10 for pk in (*ids, 900, 901)},
        window=(8, 12),
    )
    small = coarse(pool)
    assert 399 in small.instances["x"]
    assert [len(one) for one in small.instances.values()] == [6, 1]
    assert set(small.minutes.values()) <= set(range(4, 10))
    shares = expected(pool, Ask(("Case",)), lambda task: ["Case"] if task == "y" else [], study_of=30)
    assert shares == {"Case": 1.0}
