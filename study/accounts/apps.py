from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "study.accounts"
    label = "accounts"

    def ready(self) -> None:
        from study import checks  # noqa: F401  registers the system checks
        from study.accounts import audit_seals  # noqa: F401  registers the job of the tick
        from study.accounts import erasing_acts, erasing_traces  # noqa: F401  the job that erases, and erasers
