from django.apps import AppConfig


class ResultsConfig(AppConfig):
    name = "study.results"
    label = "results"
