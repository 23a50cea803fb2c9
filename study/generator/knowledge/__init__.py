"""Knowledge articles: policies, rules of selling, how-tos, competitors; each with facts that stand in it."""
