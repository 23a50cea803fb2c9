"""Knowledge articles as records."""

from __future__ import annotations

import re
from datetime import timedelta

from study.generator.world.catalogue import Row
from study.generator.world.draw import Draw
from study.generator.world.identifiers import Ids
from study.generator.world.material import articles
from study.generator.world.timing import FIRST_DAY, moment


def make_articles(seed: int) -> list[Row]:
    draw, ids = Draw(seed, "knowledge"), Ids(seed, "Knowledge__kav")
    return [
        {
            "Id": ids.next(),
            "Title": article.title,
            "Summary": article.summary,
            "FAQ_Answer__c": article.body.replace("\n", "\n\n"),
            "UrlName": url_name(article.title),
            "PublishStatus": "Online",
            "Language": "en_US",
            "LastModifiedDate": moment(FIRST_DAY + timedelta(days=draw.whole(10, 860)), draw),
        }
        for article in articles()
    ]


def url_name(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
