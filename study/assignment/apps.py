from django.apps import AppConfig


class AssignmentConfig(AppConfig):
    name = "study.assignment"
    label = "assignment"

    def ready(self) -> None:
        from study.assignment import second_visit  # noqa: F401  registers the letter
        from study.assignment.flows import settle
        from study.assignment.pinning import pinned_problems
        from study.assignment.readiness import check_also
        from study.people.withdrawal import when_ended

        when_ended(settle)
        check_also(pinned_problems)
