"""The web application, for gunicorn: ``gunicorn study.wsgi``."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "study.settings")
application = get_wsgi_application()
