"""Framework-free statistics on a bundle: read it, estimate, report. Imports nothing of the web application."""

__version__ = "1"
