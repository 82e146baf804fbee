"""Plays a story in which a scripted model errs on purpose, and counts what was in the prompt and what was
caught.

The first scene is narrated by hand and committed; then the model narrates, through the same services as the
screens.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

from agents.llm.llm_port import LlmRequest
from agents.llm.scripted_model import ScriptedModel
from agents.story_outline import NewCharacter, NewUniverse, StoryOutline
from monitor_tui.compose import Program, open_program
from stores.records.ids import Id, SeededIdGenerator, SteppingClock
from stores.records.llm import Persona
from stores.records.play import Speaker
from tests.agents.orchestrator.scripted_program import house, persona_of
from tests.long_model.baits import BAITS, INNOCENT, INNOCENT_ACTS, Bait
from tests.long_model.section_earnings import FedPrompt
from tests.program import START

SCENE_TURNS = 34
"""Exchanges of a scene; then it ends, everything without conflict is committed, and the next begins."""
SENTENCES = 4

FIRST_SCENE = (
    "/npc here Wenna Pike: keeper of the Slack Tide",
    "/npc here Hester Marrow: warden of the chapel",
    "/npc Jory Blake: a ferryman",
    "/npc here Gil Oakum: a mudman who owes everybody",
    "/place Low Harl: a drowned street",
    "I come in out of the rain and greet the house.",
    "> Wenna looks up, Hester does not.",
    "“Who moved the bell?”",
    "> “Gil did, at low water,” says Hester.",
    "/fact assertion: Hester Marrow says that Gil Oakum moved the bell at low water",
    "/fact debt: Mara owes Hester Marrow nine silver",
    "/fact promise: Mara promised Wenna Pike to bring back the copper lantern",
    "/fact Gil Oakum located_in Low Harl",
    "/fact Wenna Pike located_in The Slack Tide",
    "/fact Hester Marrow located_in The Slack Tide",
    "/fact Jory Blake is dead",
    "/axiom No drowned thing crosses a line of salt",
)
STRANGERS = ("Corin Vale", "Bess Orrin", "Odo Larkin", "Piet Hazel")
FRIENDS = ("Wenna Pike", "Hester Marrow")


@dataclass
class Tally:
    """The outcome of one kind of error."""

    times: int = 0
    in_prompt: int = 0
    rewritten: int = 0
    warned: int = 0
    at_gate: int = 0
    missed: int = 0
    """Number of errors that went through unnoticed."""

    @property
    def caught(self) -> int:
        return self.times - self.missed


@dataclass
class Result:
    baits: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    innocent: int = 0
    alarms: list[str] = field(default_factory=list)
    missing_from_prompt: list[str] = field(default_factory=list)
    """Facts that should have been in a prompt and were not."""
    fed_prompts: list[FedPrompt] = field(default_factory=list)

    def table(self) -> str:
        """Return the figures as a table in text."""
        head = ("bait", "times", "in the prompt", "rewritten", "warned", "at the gate", "missed")
        rows = [
            (name, t.times, f"{t.in_prompt} of {t.times}", t.rewritten, t.warned, t.at_gate, t.missed)
            for name, t in self.baits.items()
        ]
        lines = [_row(head), *(_row(row) for row in rows)]
        times, missed = (sum(getattr(t, key) for t in self.baits.values()) for key in ("times", "missed"))
        fed = sum(t.in_prompt for t in self.baits.values())
        lines += [
            f"{times} baits: {fed} with what was needed in the prompt, {times - missed} caught",
            f"{self.innocent} innocent turns: {len(self.alarms)} false alarms",
        ]
        return "\n".join((*lines, *self.alarms, *self.missing_from_prompt))


class BaitingModel(ScriptedModel):
    """Narrates the text that it is set to; asked to correct it, narrates a harmless one."""

    def __init__(self) -> None:
        super().__init__(self._answer)
        self.next_innocent: Callable[[], str] = str
        self.prose = ""
        self.corrected_prose = ""
        self.record: dict[str, object] = {}
        self.outcome = ""
        self.first_prompt = ""

    @property
    def narrated_text(self) -> str:
        """The text narrated last, corrected if it was corrected."""
        return self.corrected_prose or self.prose

    def _answer(self, ask: LlmRequest) -> str:
        prompt = "\n".join(message.text for message in ask.messages)
        if persona_of(ask) is Persona.NARRATOR:
            if "How it was narrated before" in prompt:
                self.corrected_prose = self.next_innocent()
                return self.corrected_prose
            self.first_prompt = prompt
            return self.prose
        told = self.narrated_text
        quote = {"quote": told.split(".")[0].strip()[:280]}
        changes = [{**self.record, **quote}] if self.record else []
        outcome = {"outcome": self.outcome, "outcome_quote": quote["quote"]}
        return json.dumps({**outcome, "summary": told.split(".")[0][:200], "changes": changes})


class Run:
    """One long play."""

    def __init__(self, program: Program, model: BaitingModel, seed: int) -> None:
        self._services = program.services
        self._model = model
        model.next_innocent = self._innocent_prose
        self._dice = random.Random(seed)
        self._pool = cycle(self._dice.sample(INNOCENT, len(INNOCENT)))
        self._scene_id: Id = ""
        self._strangers = iter(STRANGERS)
        self._stranger = ""
        self._waiting: dict[Id, tuple[Bait, bool]] = {}
        """By the turn that told them: baits that have come to a proposal, and whether they were caught."""
        self._innocent_turns: set[Id] = set()
        self.result = Result()

    async def play(self, turns: int) -> Result:
        await self._begin()
        plan = self._plan(turns)
        for number, bait in enumerate(plan):
            if number and number % SCENE_TURNS == 0:
                await self._next_scene()
                await self._arrival()
            if bait is None:
                await self._innocent(number)
            else:
                await self._bait(bait)
        await self._at_the_gate()
        return self.result

    def _plan(self, turns: int) -> list[Bait | None]:
        """All baits as often as each other, between innocent turns; the first turn is innocent."""
        rounds = max(1, turns * 3 // 5 // len(BAITS))
        plan: list[Bait | None] = [bait for bait in BAITS for _ in range(rounds)]
        plan += [None] * (turns - 1 - len(plan))
        self._dice.shuffle(plan)
        return [None, *plan]

    async def _begin(self) -> None:
        universe = await self._services.stories.create_universe(NewUniverse("Salt Quay"))
        outline = StoryOutline(
            universe.id,
            "The bell",
            NewCharacter("Mara", numbers=(("hp", 10),)),
            lines_and_veils="Lines: spiders. Veils: torture",
            scene_title="The Slack Tide",
            place="The Slack Tide",
        )
        self._scene_id = await self._services.stories.start_story(outline)
        for line in FIRST_SCENE:
            await self._services.play.submit(self._scene_id, _by_hand(line))
        await self._next_scene()
        await self._services.play.submit(self._scene_id, "/cast - Gil Oakum")
        await self._services.play.submit(self._scene_id, "/thread 2 close")
        await self._arrival()

    async def _arrival(self) -> None:
        self._stranger = next(self._strangers)
        await self._services.play.submit(
            self._scene_id, f"/npc here {self._stranger}: nobody knows them here"
        )

    async def _next_scene(self) -> None:
        here = [m.name for m in (await self._services.play.scene(self._scene_id)).cast]
        await self._services.play.submit(self._scene_id, "/end It is late")
        await self._at_the_gate()
        report = await self._services.gate.commit(self._scene_id)
        assert report.next_scene_id
        self._scene_id = report.next_scene_id
        there = {m.name for m in (await self._services.play.scene(self._scene_id)).cast}
        for name in here:
            if name not in there:
                await self._services.play.submit(self._scene_id, f"/cast + {name}")

    async def _at_the_gate(self) -> None:
        """See which baits meet a conflict. What is clean is accepted; what conflicts is rejected."""
        view = await self._services.play.scene(self._scene_id)
        for row in view.proposals:
            turn_id = row.proposal.turn_id or ""
            if turn_id in self._waiting:
                bait, caught = self._waiting.pop(turn_id)
                tally = self.result.baits[bait.name]
                tally.at_gate += bool(row.conflicts)
                tally.missed -= bool(row.conflicts) and not caught
            elif turn_id in self._innocent_turns and row.conflicts:
                self.result.alarms.append(f"at the gate: {row.title}: {row.conflicts[0]}")
            verdict = "reject" if row.conflicts else "accept"
            await self._services.play.submit(self._scene_id, f"/{verdict} {row.number}")

    async def _bait(self, bait: Bait) -> None:
        tally = self.result.baits[bait.name]
        prose = self._model.narrated_text if bait.repeats else self._innocent_prose()
        friend = FRIENDS[tally.times % len(FRIENDS)]
        if bait.tells:
            told = self._named(bait.tells[tally.times % len(bait.tells)], friend)
            prose = f"{told} {self._innocent_prose(2)}"
        record = {
            k: self._named(v, friend) if isinstance(v, str) else v for k, v in (bait.records or {}).items()
        }
        self._tell(prose, record, bait.outcome)
        typed = self._named(bait.types[tally.times % len(bait.types)], friend)
        reply = await self._services.play.submit(self._scene_id, typed)
        tally.times += 1
        needs = [self._named(words, friend) for words in bait.needs]
        self.result.fed_prompts.append(FedPrompt(self._model.first_prompt, tuple(needs)))
        unfed = [words for words in needs if words not in self._model.first_prompt]
        tally.in_prompt += not unfed
        self.result.missing_from_prompt += [
            f"{bait.name}: “{words}” was not in the prompt" for words in unfed
        ]
        alarms = _alarms(reply.lines)
        right = [line for line in alarms if bait.reason and self._named(bait.reason, friend) in line]
        self.result.alarms += [f"{line} In a bait: {prose}" for line in alarms if line not in right]
        again = any(line.startswith("Rewritten:") for line in right)
        tally.rewritten += again
        tally.warned += bool(right) and not again
        tally.missed += not right
        if again:
            assert await self._last() == self._model.corrected_prose, "the corrected prose is on the line"
        if bait.records is not None:
            self._waiting[await self._last_id()] = (bait, bool(right))

    async def _innocent(self, number: int) -> None:
        prose = self._innocent_prose()
        seen = prose.split(".")[0][:100]
        record = {"kind": "fact", "subject": "Mara", "predicate": "noticed", "object": seen}
        self._tell(prose, {**record, "weight": 60} if number % 4 == 0 else None)
        reply = await self._services.play.submit(self._scene_id, INNOCENT_ACTS[number % len(INNOCENT_ACTS)])
        self.result.innocent += 1
        self.result.fed_prompts.append(FedPrompt(self._model.first_prompt))
        self._innocent_turns.add(await self._last_id())
        self.result.alarms += [f"{alarm} In: {prose}" for alarm in _alarms(reply.lines)]

    def _tell(self, prose: str, record: Mapping[str, object] | None, outcome: str = "") -> None:
        self._model.prose, self._model.corrected_prose, self._model.outcome = prose, "", outcome
        self._model.record = dict(record or {})

    def _innocent_prose(self, count: int = SENTENCES) -> str:
        return " ".join(self._sentence() for _ in range(count))

    def _sentence(self) -> str:
        """All of them in one order, round and round: none comes again within the turns that are compared."""
        return self._named(next(self._pool), "")

    def _named(self, words: str, friend: str) -> str:
        return words.replace("{stranger}", self._stranger).replace("{friend}", friend)

    async def _last(self) -> str:
        rows = await self._rows()
        return next(row for row, speaker in reversed(rows) if speaker is Speaker.GM)

    async def _last_id(self) -> Id:
        view = await self._services.play.scene(self._scene_id)
        assert view.scene.head
        return view.scene.head

    async def _rows(self) -> list[tuple[str, Speaker]]:
        view = await self._services.play.scene(self._scene_id)
        start = max(0, view.turn_count - 20)
        rows = await self._services.play.transcript(self._scene_id, start, view.turn_count - start)
        return [(row.turn.text, row.turn.speaker) for row in rows]


def _alarms(lines: Sequence[str]) -> list[str]:
    """Return what was found in the prose or in the player's words."""
    return [line for line in lines if line.startswith(("⚠", "Rewritten:"))]


def _by_hand(line: str) -> str:
    """Words of the first scene are the GM's: nobody is asked to answer them."""
    return line if line.startswith(("/", ">")) else f"> {line}"


def _row(cells: tuple[object, ...]) -> str:
    name, *figures = cells
    return f"{name!s:<40}" + "".join(f"{figure!s:>13}" for figure in figures)


@asynccontextmanager
async def open_run(home: Path, seed: int = 1, backend: str = "inmemory") -> AsyncIterator[Run]:
    clock = SteppingClock(START)
    model = BaitingModel()
    program = await open_program(
        home, clock=clock, ids=SeededIdGenerator(seed, clock), model=model, settings=house(backend=backend)
    )
    try:
        yield Run(program, model, seed)
    finally:
        await program.close()
