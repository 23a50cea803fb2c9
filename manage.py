#!/usr/bin/env python
"""Realia's command line: every act of the web pages that makes sense in a shell."""

import errno
import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "study.settings")
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except OSError as error:
        # Also while the settings make their folders, before any command runs.
        if error.errno != errno.ENOSPC:
            raise
        sys.exit("The disk is full. Free some space and run the command again.")
