"""The model's calls of a recorded session, for playing the session again without a model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable

from agents.llm.errors import ModelUnset
from agents.llm.llm_port import LlmRequest, TextChunk, Usage
from agents.llm.scripted_model import ScriptedModel
from stores.ports import NarratorLog
from stores.records.llm import LlmCall


async def load_recorded_calls(calls: Iterable[LlmCall], log: NarratorLog) -> int:
    """Put recorded calls into a library that a session is to be replayed in; returns how many they are.

    To be done before its first line is typed. Raises StoreError.
    """
    count = 0
    for call in calls:
        await log.record_call(call)
        count += 1
    return count


class RecordedCallsOnly(ScriptedModel):
    """A model for replays that has no words of its own.

    It raises ModelUnset for every call, since all calls should be on record. `requests` then holds the first
    call in which the session differs from its record.
    """

    def __init__(self) -> None:
        super().__init__([""])

    async def stream(self, request: LlmRequest) -> AsyncGenerator[TextChunk | Usage, None]:
        self.requests.append(request)
        raise ModelUnset(
            "The record of this session holds no such call.",
            todo="It was typed otherwise here, or its record is not whole.",
        )
        yield TextChunk("")  # a generator, as the port has it
