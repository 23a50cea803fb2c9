from django.apps import AppConfig


class FieldworkConfig(AppConfig):
    name = "study.fieldwork"
    label = "fieldwork"

    def ready(self) -> None:
        from study.fieldwork.ending import take_out
        from study.people.withdrawal import when_taken_out

        when_taken_out(take_out)
