from django.apps import AppConfig


class PeopleConfig(AppConfig):
    name = "study.people"
    label = "people"

    def ready(self) -> None:
        from study.people import computer, letters  # noqa: F401  registers the job kind and kinds of letters
        from study.people import erasing, erasing_lists  # noqa: F401  registers erasers
