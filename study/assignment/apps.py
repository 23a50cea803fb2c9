from django.apps import AppConfig


class AssignmentConfig(AppConfig):
    name = "study.assignment"
    label = "assignment"

    def ready(self) -> None:
        from study.assignment import openings, second_visit  # noqa: F401  they register a job kind and a letter
        from study.assignment.flows import settle
        from study.assignment.needs_told import need_findings
        from study.assignment.pinning import pinned_problems
        from study.assignment.readiness import check_also
        from study.assignment.visit_pay import pay_visits
        from study.assignment.walks import note_finished
        from study.people.pay.pay_owing import also_owes
        from study.people.withdrawal import when_ended
        from study.protocols import checks_study

        when_ended(settle)
        when_ended(note_finished)
        also_owes(pay_visits)
        check_also(pinned_problems)
        checks_study.also(need_findings)
