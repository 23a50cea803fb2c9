#!/usr/bin/env python
"""Realia's command line: every act of the web pages that makes sense in a shell."""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "study.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
