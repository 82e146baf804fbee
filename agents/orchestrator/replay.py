"""Playing a session again from what was typed and what the model said then: nobody is asked a second time.

A session is fixed by its seed (identifiers and dice), by the lines typed and decisions made, and by the words
that came from the model. A call's identifier follows from the exchange that it was made for
(`agents.llm.model_calls`), so that calls laid out beforehand in a new library are found when the same lines
are typed there: the same turns, proposals and, after the same decisions, the same canon come of it. The dice
fall before anything is told of them, so that another model's words move no result either.
"""

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
    """A model for replays: asked for words it raises ModelUnset, since they should have been on record.

    `asked` then holds what the session and its record differ in first.
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
