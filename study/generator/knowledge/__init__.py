"""Knowledge articles: what the company has written down for its customers and its staff."""

from study.generator.knowledge.library import article_codes
from study.generator.knowledge.records import make_articles

__all__ = ["article_codes", "make_articles"]
