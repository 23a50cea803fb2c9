from django.apps import AppConfig


class GeneratorConfig(AppConfig):
    name = "study.generator"
    label = "generator"
