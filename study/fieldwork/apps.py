from django.apps import AppConfig


class FieldworkConfig(AppConfig):
    name = "study.fieldwork"
    label = "fieldwork"
