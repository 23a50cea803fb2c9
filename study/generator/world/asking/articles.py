"""Questions whose answer stands in a knowledge article, known by construction."""

from __future__ import annotations

from study.benchmark.tasks import COLLEAGUE_ASKS
from study.generator.world.asking.making import ANSWERED, NO_RECORD, Maker
from study.generator.world.material import articles

TASK = "knowledge_qa"
DEFINITION = "The answer stands in one of the knowledge articles. A few words are enough."


def ask_knowledge(maker: Maker) -> None:
    """One question an article at most, since every question has an article there is none without answer."""
    draw = maker.draw(TASK)
    published = {row["Title"]: str(row["FAQ_Answer__c"]) for row in maker.world.tables["Knowledge__kav"]}
    for article in draw.some(articles(), ANSWERED + NO_RECORD):
        question, answer = draw.pick(article.questions)
        if answer.lower() not in published[article.title].lower():
            raise ValueError(f"The answer {answer!r} does not stand in the article {article.title!r}.")
        maker.add(TASK, question=question, definitions=DEFINITION, answer=[answer], params={}, asks=COLLEAGUE_ASKS)
