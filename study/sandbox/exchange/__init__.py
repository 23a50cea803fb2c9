"""Orgs brought in and taken out."""
