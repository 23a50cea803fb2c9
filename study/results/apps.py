from django.apps import AppConfig


class ResultsConfig(AppConfig):
    name = "study.results"
    label = "results"

    def ready(self) -> None:
        from study.results import erasing, exporting, looks, releasing, reporting  # noqa: F401  erasers, jobs
        from study.results import retention, stored  # noqa: F401
        from study.results.traces import exporting as traces  # noqa: F401
