from django.apps import AppConfig


class FieldworkConfig(AppConfig):
    name = "study.fieldwork"
    label = "fieldwork"

    def ready(self) -> None:
        from study.assignment.readiness import check_also

        # Importing registers: a job kind, letters, what waits, who tells of a person, erasers.
        from study.fieldwork import (  # noqa: F401
            analysed,
            erasing,
            incident_letters,
            lapses,
            needs,
            subject_access,
            visits_told,
        )
        from study.fieldwork.card_problems import card_problems
        from study.fieldwork.ending import close_desks
        from study.fieldwork.taking_out import take_out
        from study.people.withdrawal import when_ended, when_left_out, when_taken_out

        check_also(card_problems)
        when_ended(close_desks)
        when_taken_out(take_out)
        # After what each of them changes.
        for when in (when_ended, when_taken_out, when_left_out):
            when(analysed.keep)
