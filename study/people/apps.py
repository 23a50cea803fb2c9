from django.apps import AppConfig


class PeopleConfig(AppConfig):
    name = "study.people"
    label = "people"

    def ready(self) -> None:
        from study.people import computer, letters  # noqa: F401  registers the job kind and kinds of letters
        from study.people import letter_builtin, mail_reports, reminding  # noqa: F401  registers letters, reminders, needs
        from study.people import importing, reconciling  # noqa: F401  registers job kinds, a source
        from study.people import erasing, erasing_lists, retention, subject_access  # noqa: F401  erasers, rules, cases
        from study.people import quiet, timeline  # noqa: F401  registers sources, and who tells of a person
        from study.people import slot_letters, slots  # noqa: F401  registers letters and the job kind
        from study.people import pay_needs, staff_conflicts  # noqa: F401  registers sources, who cannot be staff
        from study.people.pay_owing import owe_end
        from study.people.withdrawal import when_ended

        when_ended(owe_end)

        from study.people.adopting import count_taking_part
        from study.protocols.deviations import who_takes_part

        who_takes_part(count_taking_part)
