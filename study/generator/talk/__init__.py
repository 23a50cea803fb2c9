"""The words of selling: transcripts of calls and letters along a deal."""

from study.generator.talk.calls import write_calls
from study.generator.talk.letters import write_letters

__all__ = ["write_calls", "write_letters"]
