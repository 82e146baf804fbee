"""What prompts have of memories: no answer to a whisper for others, no questions, and nothing that they say twice."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agents.llm.llm_port import LlmRequest
from agents.llm.scripted_model import ScriptedAnswer
from agents.search.question_cues import content_stems
from stores.authority import Role
from stores.queries import MemoryQuery
from stores.records.llm import Persona
from tests.agents.indexer.fake_embedder import FakeEmbedder
from tests.agents.orchestrator.scripted_program import Script, ScriptedProgram, house, persona_of, telling

MAX_REPEATED_SHARE = 0.05
"""The share of memory lines that may stand elsewhere in their prompt; it was 0.89 in a session with a strong model."""


@dataclass
class Teller:
    """The model: prose and changes that a test sets before each line."""

    prose: str = "The lamp burns low, and the tide is on its way out past the bar."
    changes: list[dict[str, object]] = field(default_factory=list)

    def narrate(self, _: LlmRequest) -> ScriptedAnswer:
        return self.prose

    def record(self, _: LlmRequest) -> ScriptedAnswer:
        return json.dumps({"summary": self.prose.partition(".")[0] + ".", "changes": self.changes})


@dataclass
class Table:
    scripted: ScriptedProgram
    teller: Teller

    async def say(self, line: str, prose: str = "", *changes: dict[str, object]) -> None:
        self.teller.prose = prose or Teller().prose
        self.teller.changes = list(changes)
        reply = await self.scripted.program.services.play.submit(self.scripted.scene_id, line)
        if reply.goto == "scene" and reply.subject:
            self.scripted.scene_id = reply.subject
        await self.scripted.program.services.jobs.wait_until_idle()

    async def memories(self, name: str) -> str:
        view = await self.scripted.program.services.play.scene(self.scripted.scene_id)
        (entity_id,) = (member.entity_id for member in view.cast if member.name == name)
        log = self.scripted.program.stores.log(Role.CONTEXT_ASSEMBLY)
        return "\n".join(m.text for m in await log.memories(MemoryQuery(entity_id=entity_id)))


@asynccontextmanager
async def seated(home: Path) -> AsyncIterator[Table]:
    teller = Teller()
    script: Script = {
        Persona.NARRATOR: teller.narrate,
        Persona.ARCHIVIST: teller.record,
        Persona.CHARACTER: "“I could not say,” he answers, and looks away.",
        Persona.STEWARD: json.dumps({"doubts": []}),
    }
    async with telling(home, script, house(Persona.CHARACTER), embedder=FakeEmbedder("m")) as scripted:
        table = Table(scripted, teller)
        for line in (
            "/npc here Wenna Pike: an innkeeper",
            "/npc here Aldous Stint: a clerk",
            "/npc here Bastien Rook: a carter",
            "/accept all",
            "/commit",
        ):
            await table.say(line)
        yield table


# --- whispers -----------------------------------------------------------------------------------------

ANSWER = (
    "Wenna Pike goes on wiping the glass, hardly moving her mouth. “The scullery lets out on the salt lane. Aldous "
    "killed the ferryman, and I saw it,” she says. She promises to leave the scullery door open at midnight. Bastien "
    "Rook drops his cup, and swears."
)
PROMISE = {
    "kind": "promise",
    "subject": "Wenna Pike",
    "object": "to leave the scullery door open at midnight",
    "quote": "She promises to leave the scullery door open at midnight.",
    "weight": 90,
}
KILLED = {
    "kind": "fact",
    "subject": "Aldous Stint",
    "predicate": "killed",
    "object": "the ferryman",
    "quote": "Aldous killed the ferryman, and I saw it,",
    "weight": 90,
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "/whisper Wenna Pike: which way out",
        "I tell Wenna, so low that nobody else hears, that I need a way out.",
    ],
)
async def test_prompt_memories_answer_to_a_whisper_is_its_hearers_alone(tmp_path: Path, line: str) -> None:
    """What she answers in a low voice, the clerk beside her neither remembers nor is told."""
    async with seated(tmp_path) as table:
        await table.say(line, ANSWER, PROMISE, KILLED)
        for name in ("Aldous Stint", "Bastien Rook"):
            memories = await table.memories(name)
            assert "scullery" not in memories
            assert "ferryman" not in memories
        assert "scullery" in await table.memories("Wenna Pike")
        await table.say("“Aldous, what do you know of the scullery?” I ask.")
        asked = table.scripted.sent(Persona.CHARACTER)
        assert "Aldous Stint" in asked
        assert "scullery" not in asked.partition("“Aldous, what do you know")[0]
        assert "ferryman" not in asked
        told = table.scripted.sent(Persona.NARRATOR)
        assert "only Wenna Pike heard it" in told
        assert not re.search(r"(?:Aldous Stint|Bastien Rook) remembers: .*(?:scullery|ferryman)", told)


async def test_prompt_memories_others_see_what_somebody_else_does_in_the_answer(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await table.say("/whisper Wenna Pike: which way out", ANSWER)
        await table.say("“Aldous, did you see that?” I ask.")
        asked = table.scripted.sent(Persona.CHARACTER)
        assert "Bastien Rook drops his cup" in asked


async def test_prompt_memories_words_in_the_open_are_heard_by_all(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await table.say("“Wenna, which way out?” I ask.", ANSWER, PROMISE)
        assert "scullery" in await table.memories("Aldous Stint")


# --- what is no memory, and what stands there anyway --------------------------------------------------

SESSION = (
    (
        "“Wenna, who killed the ferryman?” I ask.",
        "Wenna Pike stabs the table with her knife and promises to name him.",
    ),
    (
        "I give Aldous the silver ring.",
        "Aldous Stint takes the silver ring from you and hides it in his boot.",
    ),
    (
        "I strike Bastien. /check 2d6 vs 3",
        "Bastien Rook is wounded in the shoulder, and blood runs down his sleeve.",
    ),
    (
        "“Is Father Hesk one of the dead?” I ask.",
        "Bastien Rook swears that Father Hesk died of the fever in May.",
    ),
    (
        "I promise Wenna to bring the bell back.",
        "Wenna Pike kisses your hand and gives you the key of the mill.",
    ),
    ("/continue", "The roof of the mill falls in with a crash, and Aldous Stint screams for help."),
    ("I pull Aldous out of the rubble.", "Aldous Stint lives, and swears that he owes you his life."),
    ("? likely: Is Ivo waiting outside", ""),
    (
        "“Who betrayed the ferryman?” I ask Aldous.",
        "Aldous Stint confesses that he betrayed the ferryman for gold.",
    ),
)
FACTS = (
    {
        "kind": "promise",
        "subject": "Wenna Pike",
        "object": "to name the ferryman's murderer",
        "quote": "Wenna Pike stabs the table with her knife and promises to name him.",
        "weight": 90,
    },
    {
        "kind": "fact",
        "subject": "Aldous Stint",
        "predicate": "has",
        "object": "the silver ring",
        "quote": "Aldous Stint takes the silver ring from you",
        "weight": 80,
    },
)


def read_memory_lines(request: LlmRequest) -> tuple[list[str], list[str]]:
    """Return the memory lines of a prompt, without whose they are, and all its other lines."""
    sections = re.split(r"^## ", "\n".join(m.text for m in request.messages), flags=re.MULTILINE)
    memory_lines: list[str] = []
    other_lines: list[str] = []
    for section in sections:
        heading, _, text = section.partition("\n")
        lines = [line for line in text.splitlines() if line.strip() and "data>" not in line]
        is_memories = "remember" in heading
        (memory_lines if is_memories else other_lines).extend(lines)
    return [re.sub(r"^- (?:[\w ]+ remembers: )?", "", line) for line in memory_lines], other_lines


def stands_elsewhere(line: str, other_lines: list[str]) -> bool:
    """Say whether four fifths of a memory's words stand in another line."""
    stems = set(content_stems(line))
    return any(len(stems & set(content_stems(other))) >= 0.8 * len(stems) for other in other_lines)


@pytest.mark.slow
async def test_prompt_memories_stand_nowhere_else_in_the_prompt(tmp_path: Path) -> None:
    """Two scenes of three rounds: long enough for turns to leave the view, so that there is something to remember."""
    async with seated(tmp_path) as table:
        for scene_number in range(2):
            for round_number in range(3):
                for number, (line, prose) in enumerate(SESSION):
                    await table.say(line, f"{prose} It is hour {scene_number}{round_number}{number}.", *FACTS)
            await table.say("/end I leave the inn with a promise.")
            await table.say("/commit")
            await table.say("/cast + Wenna Pike, Aldous Stint, Bastien Rook")
        await table.say("“Wenna, what do you remember?” I ask.")
        requests = [
            r for r in table.scripted.model.requests if persona_of(r) in (Persona.NARRATOR, Persona.CHARACTER)
        ]
        rows = [(line, other) for r in requests for lines, other in [read_memory_lines(r)] for line in lines]
        repeated = [line for line, other in rows if stands_elsewhere(line, other)]
        questions = [line for line, _ in rows if "?" in line]
        # Most of both scenes stands in the view, so that only what has left it is remembered.
        assert len(rows) >= 8
        assert questions == []
        assert len(repeated) <= MAX_REPEATED_SHARE * len(rows), repeated[:20]
        assert not [
            line for line, _ in rows if "leave the inn" in line or re.search(r"d6|d100|tension", line)
        ]
