"""Whatever is played, undone, committed, branched and left: a line holds what its own path has, and nothing else.

The model of a line is what was typed on it. Each line of play and each fact has a word of its own, by which it would be
found in canon, in the context of a prompt, in memories, among proposals and by search, wherever it came to be.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.context_assembly.package_builder import ContextPackageBuilder
from agents.context_assembly.prompt_sections import build_prompt_sections
from agents.context_assembly.scene_context import SceneContextLoader
from agents.context_assembly.story_agenda import StoryAgendaReader
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.compose import Program, open_program
from stores.authority import Role
from stores.errors import MonitorError
from stores.queries import FactQuery, MemoryQuery, ProposalQuery
from stores.records.ids import Id, SeededIdGenerator, SteppingClock
from tests.agents.indexer.fake_embedder import FakeEmbedder
from tests.examples import examples
from tests.program import START, begin

_WORD = re.compile(r"zq\d+x")

ACTIONS = st.lists(
    st.one_of(
        st.just(("say", 0)),
        st.just(("say", 0)),
        st.just(("fact", 0)),
        st.just(("fact", 0)),
        st.just(("commit", 0)),
        st.just(("undo", 0)),
        st.just(("redo", 0)),
        st.just(("end", 0)),
        st.tuples(st.just("branch"), st.integers(0, 30)),
        st.tuples(st.just("after"), st.integers(0, 5)),
        st.tuples(st.just("switch"), st.integers(0, 5)),
    ),
    min_size=4,
    max_size=22,
)


@dataclass
class Line:
    """One branch: the scene in which play stands, and the words that were ever typed on it or came with it."""

    scene_id: Id
    universe_id: Id
    story_id: Id
    words: set[str] = field(default_factory=set)
    """Every word that may stand somewhere on it."""
    count_at: dict[Id | None, int] = field(default_factory=dict)
    """How many words there were when play first went on from a turn (None: from before the scene's first)."""
    turn_of: dict[str, Id | None] = field(default_factory=dict)
    """The turn that a fact was typed on, by its word."""


class Play:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.lines: list[Line] = []
        self.current = 0
        self.count = 0

    @property
    def line(self) -> Line:
        return self.lines[self.current]

    def new_word(self) -> str:
        self.count += 1
        word = f"zq{self.count}x"
        self.line.words.add(word)
        return word

    async def read_head(self) -> Id | None:
        return (await self.program.services.play.scene(self.line.scene_id)).scene.head

    async def submit(self, typed: str) -> None:
        reply = await self.program.services.play.submit(self.line.scene_id, typed)
        if reply.goto == "scene" and reply.subject:
            self.line.scene_id = reply.subject

    async def act(self, action: str, number: int) -> None:
        line, head, count = self.line, await self.read_head(), self.count
        await self._act(action, number)
        if action in ("say", "end") and head is not None:
            line.count_at.setdefault(head, count)

    async def _act(self, action: str, number: int) -> None:
        match action:
            case "say":
                await self.submit(f"I sing {self.new_word()}.")
            case "fact":
                word, head = self.new_word(), await self.read_head()
                await self.submit(f"/fact event: The {word} rang")
                self.line.turn_of[word] = head
            case "commit":
                await self.submit("/commit")
            case "undo":
                await self.submit("/undo yes")
            case "redo":
                await self.submit("/redo")
            case "end":
                await self.submit("/end")
                await self.submit("/commit")
            case "branch":
                turns = await self.program.services.play.transcript(self.line.scene_id, 0, 100)
                if turns:
                    turn_id = turns[number % len(turns)].turn.id
                    made = await self.program.services.branches.make_branch(
                        self.line.scene_id, turn_id, f"b{self.count} {len(self.lines)}"
                    )
                    path_ids = {row.turn.id for row in turns[: number % len(turns) + 1]}
                    await self.enter(made.copy.story_id, turn_id, path_ids)
            case "after":
                scenes = await self.log.scenes(self.line.story_id)
                scene = scenes[number % len(scenes)]
                made = await self.program.services.branches.make_branch_after(
                    scene.id, f"b{self.count} {len(self.lines)}"
                )
                await self.enter(made.copy.story_id)
            case "switch":
                self.current = number % len(self.lines)
                await self.program.services.stories.resume(self.line.story_id)

    @property
    def log(self):  # type: ignore[no-untyped-def]
        return self.program.stores.log(Role.CONTEXT_ASSEMBLY)

    @property
    def canon(self):  # type: ignore[no-untyped-def]
        return self.program.stores.canon(Role.CONTEXT_ASSEMBLY)

    async def enter(self, story_id: Id, turn_id: Id | None = None, path_ids: Collection[Id] = ()) -> None:
        """Take the new branch for the current line. It has nothing that came after its turn, but what rests on it."""
        scene_id = await self.program.services.stories.resume(story_id)
        view = await self.program.services.play.scene(scene_id)
        line = Line(scene_id, view.universe.id, story_id)
        self.lines.append(line)
        line.words = await self.read_words(line)
        old = self.line
        is_present = turn_id == (await self.program.services.play.scene(old.scene_id)).scene.head
        limit = self.count if turn_id is None or is_present else old.count_at.get(turn_id, self.count)
        assert line.words <= {w for w in old.words if int(w[2:-1]) <= limit or old.turn_of.get(w) in path_ids}
        self.current = len(self.lines) - 1

    async def read_canon(self, line: Line) -> set[str]:
        facts = await self.canon.facts(line.universe_id, FactQuery())
        return set(_WORD.findall(" ".join(f.statement for f in facts)))

    async def read_words(self, line: Line) -> set[str]:
        """Return the words that stand anywhere on a line."""
        texts = [f.statement for f in await self.canon.facts(line.universe_id, FactQuery(history=True))]
        texts += [
            p.model_dump_json() for p in await self.log.proposals(ProposalQuery(universe_id=line.universe_id))
        ]
        texts += [
            m.model_dump_json() for m in await self.log.memories(MemoryQuery(universe_id=line.universe_id))
        ]
        for story in await self.log.stories(line.universe_id):
            texts.append(story.model_dump_json())
            for scene in await self.log.scenes(story.id):
                texts.append(scene.model_dump_json())
                texts += [turn.text for turn in await self.log.all_turns(scene.id)]
                texts += [summary.text for summary in await self.log.summaries(scene.id)]
        texts.append(await self.read_package(line))
        return set(_WORD.findall(" ".join(texts)))

    async def read_package(self, line: Line) -> str:
        contexts = SceneContextLoader(self.canon, self.log)
        builder = ContextPackageBuilder(
            self.canon, self.log, contexts, StoryAgendaReader(self.canon, self.log)
        )
        package = await builder.build_package(await contexts.load_context(line.scene_id), "I sing.")
        return json.dumps(dict(build_prompt_sections(package)))

    async def search(self, line: Line, word: str) -> bool:
        found = await self.program.services.query.search_words(word, universe_id=line.universe_id)
        return any(word in finding.text for finding in found)


@pytest.mark.slow
@settings(max_examples=examples(60, 12), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ACTIONS)
def test_line_holds_only_what_its_path_has(actions: list[tuple[str, int]]) -> None:
    asyncio.run(_play_and_look(actions))


async def _play_and_look(actions: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home, clock = Path(folder), SteppingClock(START)
        program = await open_program(
            home,
            clock=clock,
            ids=SeededIdGenerator(1, clock, salt=folder),
            mode=BackgroundMode.OFF,
            embedder=FakeEmbedder("m"),
        )
        try:
            play = Play(program)
            scene_id = await begin(program)
            view = await program.services.play.scene(scene_id)
            play.lines.append(Line(scene_id, view.universe.id, view.story.id))
            for action, number in actions:
                others = [
                    (line, await play.read_words(line), await play.read_canon(line)) for line in play.lines
                ]
                acting = play.line
                try:
                    await play.act(action, number)
                except MonitorError:
                    continue
                for line, words, canon in others:
                    if line is not acting:
                        assert await play.read_words(line) == words
                        assert await play.read_canon(line) == canon
            await program.services.jobs.wait_until_idle()
            for line in play.lines:
                assert await play.read_words(line) <= line.words
                for word in {f"zq{n}x" for n in range(1, play.count + 1)} - line.words:
                    assert not await play.search(line, word)
        finally:
            await program.close()


@pytest.mark.parametrize("depth", [0, 2])
def test_branch_has_the_canon_of_the_time_when_play_went_on(depth: int) -> None:
    """The model of canon itself is exact where nothing is undone: what was committed before play went on."""
    asyncio.run(_branch_along_a_line(depth))


async def _branch_along_a_line(depth: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        clock = SteppingClock(START)
        program = await open_program(Path(folder), clock=clock, ids=SeededIdGenerator(1, clock, salt=folder))
        try:
            play = Play(program)
            scene_id = await begin(program)
            view = await program.services.play.scene(scene_id)
            play.lines.append(Line(scene_id, view.universe.id, view.story.id))
            expected = []
            for _ in range(4):
                await play.act("say", 0)
                await play.act("fact", 0)
                await play.act("commit", 0)
                expected.append(await play.read_canon(play.line))
            await play.act("branch", depth)
            assert await play.read_canon(play.line) == expected[depth]
            assert expected[depth] != expected[3]
        finally:
            await program.close()
