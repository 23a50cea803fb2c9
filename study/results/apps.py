from django.apps import AppConfig


class ResultsConfig(AppConfig):
    name = "study.results"
    label = "results"

    def ready(self) -> None:
        from study.results import erasing, exporting, releasing, reporting, retention, stored  # noqa: F401  erasers, jobs
        from study.results.traces import exporting as traces  # noqa: F401
