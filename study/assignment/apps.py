from django.apps import AppConfig


class AssignmentConfig(AppConfig):
    name = "study.assignment"
    label = "assignment"
