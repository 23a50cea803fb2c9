from django.apps import AppConfig


class BenchmarkConfig(AppConfig):
    name = "study.benchmark"
    label = "benchmark"
