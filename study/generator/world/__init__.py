"""The service world: a maker of outdoor kitchens, its customers, and two and a half years of their questions."""
