from django.apps import AppConfig


class ResultsConfig(AppConfig):
    name = "study.results"
    label = "results"

    def ready(self) -> None:
        # Erasers, rules of keeping and kinds of jobs are known once they are read.
        from study.results import erasing, exporting, looks, releasing, reporting, retention, stored  # noqa: F401
        from study.results.traces import exporting as traces  # noqa: F401
