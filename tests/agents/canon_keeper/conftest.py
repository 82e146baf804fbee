"""A CanonKeeper on a real library file, and what stages proposals for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from agents.canon_keeper.keeper import CanonKeeper
from stores.authority import Role
from stores.embedded.canon_graph import EmbeddedCanon
from stores.embedded.database import Database
from stores.embedded.library import open_library
from stores.embedded.narrative_log import EmbeddedLog
from stores.queries import FactQuery
from stores.records.canon import CanonBatch, Evidence, EvidenceKind, Fact, Support
from stores.records.ids import Id, SeededIdGenerator, SteppingClock, derive_id
from stores.records.play import Scene, Speaker, Turn
from stores.records.workflow import ProposedChange
from stores.records.world import Entity, SceneNode, StoryNode
from tests.agents.canon_keeper.proposal_builders import (
    CATALOGUE,
    EVERYONE,
    SCENE,
    START,
    STORY,
    UNIVERSE,
    new_id,
    scene,
    story,
    universe,
)


class KeeperLibrary:
    """A library with a story, an open scene and the kit's people, and the keeper who writes its canon."""

    def __init__(self, db: Database) -> None:
        self.canon = EmbeddedCanon(db, Role.CANON_KEEPER)
        self.log = EmbeddedLog(db, Role.CANON_KEEPER)
        self._resolver = EmbeddedLog(db, Role.RESOLVER)
        self._orchestrator = EmbeddedLog(db, Role.ORCHESTRATOR)
        self._containers = EmbeddedCanon(db, Role.ORCHESTRATOR)
        self._line: list[Id] = []
        self.keeper = self.keeper_with()

    def keeper_with(self, canon: Any = None, log: Any = None) -> CanonKeeper:
        """Return a keeper on these stores, or on others that stand before them."""
        clock = SteppingClock(START)
        ids = SeededIdGenerator(7, clock, salt=new_id())
        return CanonKeeper(canon or self.canon, log or self.log, CATALOGUE, ids, clock)

    async def lay(self, *facts: Fact, entities: tuple[Entity, ...] = EVERYONE) -> None:
        """Write story, scene, universe and what canon has from the start."""
        await self._orchestrator.put_story(story())
        await self._orchestrator.create_scene(scene())
        await self._containers.create_story_node(StoryNode(id=STORY, universe_id=UNIVERSE, title="T"))
        node = SceneNode(id=SCENE, story_id=STORY, universe_id=UNIVERSE, order=1, title="S")
        await self._containers.create_scene_node(node)
        word = Evidence(
            id=derive_id("kit", "word"), kind=EvidenceKind.MANUAL, ref_id=UNIVERSE, quote="in the beginning"
        )
        subjects = [*(e.id for e in entities), *(f.id for f in facts)]
        await self.canon.commit(
            CanonBatch(
                id=new_id(),
                universe_id=UNIVERSE,
                universe=universe(),
                entities=entities,
                facts=facts,
                evidence=(word,),
                supports=tuple(Support(subject_id=s, evidence_id=word.id) for s in subjects),
            )
        )

    async def stage(self, *proposals: ProposedChange) -> list[ProposedChange]:
        """Stage proposals, with the turns that they hang on played first."""
        for turn_id in dict.fromkeys(p.turn_id for p in proposals if p.turn_id):
            if turn_id not in self._line:
                await self._play(turn_id)
        await self._resolver.stage(proposals)
        return list(proposals)

    async def _play(self, turn_id: Id) -> None:
        turn = Turn(
            id=turn_id,
            scene_id=SCENE,
            parent_id=self._line[-1] if self._line else None,
            exchange_id=turn_id,
            speaker=Speaker.PLAYER,
            text="…",
            depth=len(self._line),
            created_at=START,
        )
        await self._orchestrator.append_turn(turn)
        self._line.append(turn_id)

    async def stored(self, proposal: ProposedChange) -> ProposedChange:
        return (await self.log.proposals_by_id([proposal.id]))[proposal.id]

    async def scene(self) -> Scene:
        return await self.log.scene(SCENE)

    async def told(self) -> list[str]:
        """Return every sentence of canon that holds, in order."""
        return sorted(f.statement for f in await self.canon.facts(UNIVERSE))

    async def whole(self) -> dict[str, object]:
        """Return all of canon but for when it was written down."""
        facts = await self.canon.facts(UNIVERSE, FactQuery(history=True))
        entities = await self.canon.entities(UNIVERSE)
        return {
            "facts": {f.id: f.model_dump(exclude={"recorded_at"}) for f in facts},
            "entities": {e.id: e.model_dump(exclude={"recorded_at"}) for e in entities},
            "evidence": {
                x: await self._rests_on(x) for x in [*(f.id for f in facts), *(e.id for e in entities)]
            },
            "supersedes": {f.id: sorted(o.id for o in await self.canon.supersedes(f.id)) for f in facts},
            "scene": (await self.canon.scene_nodes(STORY))[0].status,
            "outcomes": sorted((await self.scene()).canonical_outcomes),
        }

    async def _rests_on(self, subject_id: Id) -> list[Id]:
        return sorted(e.id for e in await self.canon.evidence_of(subject_id))


async def _opened(path: Path) -> AsyncIterator[KeeperLibrary]:
    db = await open_library(path)
    try:
        yield KeeperLibrary(db)
    finally:
        await db.close()


@pytest.fixture
async def keeper_library(tmp_path: Path) -> AsyncIterator[KeeperLibrary]:
    async for opened in _opened(tmp_path / "library.db"):
        yield opened


@pytest.fixture
async def other_library(tmp_path: Path) -> AsyncIterator[KeeperLibrary]:
    """Another library, for a run to compare with."""
    async for opened in _opened(tmp_path / "other.db"):
        yield opened
