"""Control Orgs: the same Org with one thing about it destroyed, to see whether anybody notices (M5)."""
