from django.apps import AppConfig


class PeopleConfig(AppConfig):
    name = "study.people"
    label = "people"
