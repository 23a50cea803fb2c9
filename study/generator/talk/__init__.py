"""The words of selling: transcripts of calls and letters along a deal."""

from study.generator.talk.calls import write_calls

__all__ = ["write_calls"]
