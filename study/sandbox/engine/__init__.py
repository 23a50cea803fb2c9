"""Orgs as files, and every question asked of them: pure, without Django."""
