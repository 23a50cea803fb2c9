from django.apps import AppConfig


class FieldworkConfig(AppConfig):
    name = "study.fieldwork"
    label = "fieldwork"

    def ready(self) -> None:
        from study.fieldwork import lapses  # noqa: F401  registers the job kind
        from study.fieldwork.ending import close_desks, take_out
        from study.people.withdrawal import when_ended, when_taken_out

        when_ended(close_desks)
        when_taken_out(take_out)
