from django.apps import AppConfig


class ProtocolsConfig(AppConfig):
    name = "study.protocols"
    label = "protocols"
