from django.apps import AppConfig


class PeopleConfig(AppConfig):
    name = "study.people"
    label = "people"

    def ready(self) -> None:
        from study.people import letters  # noqa: F401  registers the job kind
