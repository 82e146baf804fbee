"""The Story Loop: set-up, scene after scene, and the end.

It writes containers and loop state; what becomes true goes through the CanonKeeper.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from agents.canon_keeper.keeper import CanonKeeper, CommitResult
from agents.loop_transitions import LoopTransitions
from agents.orchestrator.story_closure import StoryClosureBuilder, draft_closure, read_closure
from agents.proposals.evidence import manual_evidence
from agents.proposals.proposals import Proposals, ProposalSite, build_proposal
from agents.prose.described_death import describes_dead
from agents.sanitize import clean, require_letter, require_title, split_described_name
from agents.story_outline import NewCharacter, NewUniverse, StoryOutline, read_style
from stores.errors import InputError, NotFound, parse_field
from stores.ports import CanonReader, ContainerWriter, OrchestratorLog
from stores.records.canon import Authority, CreateEntity, Payload
from stores.records.ids import Clock, Id, IdGenerator, derive_id
from stores.records.play import Scene, Story
from stores.records.workflow import Decision, Loop, ProposedChange, Verdict
from stores.records.world import ACTORS, EntityKind, SceneNode, SceneStatus, StoryNode, Universe


class StoryLoop:
    """Creates and closes stories and their scenes."""

    def __init__(
        self,
        log: OrchestratorLog,
        canon: CanonReader,
        containers: ContainerWriter,
        keeper: CanonKeeper,
        proposals: Proposals,
        closures: StoryClosureBuilder,
        loops: LoopTransitions,
        ids: IdGenerator,
        clock: Clock,
    ) -> None:
        self._log = log
        self._canon = canon
        self._containers = containers
        self._keeper = keeper
        self._proposals = proposals
        self._closures = closures
        self._loops = loops
        self._ids = ids
        self._clock = clock

    async def create_universe(self, new_universe: NewUniverse, universe_id: Id | None = None) -> Universe:
        """Create an empty universe; if one has that identifier already, return it as it is.

        Raises InputError without a name, or with one that is taken.
        """
        name = require_title(new_universe.name, "A universe needs a name.")
        if universe_id is not None:
            with suppress(NotFound):
                return await self._canon.universe(universe_id)
        universes = (await self._canon.readable_universes()).records
        if any(u.name.casefold() == name.casefold() for u in universes):
            raise InputError(f"There is a universe called {name} already.", todo="Choose another name.")
        universe = Universe(
            id=universe_id or self._ids.new(),
            name=name,
            genre=clean(new_universe.genre),
            tone=clean(new_universe.tone),
            description=clean(new_universe.description),
            recorded_at=self._clock(),
        )
        await self._keeper.create_universe(universe, [])
        return universe

    async def import_universe(self, universe: Universe, proposals: Sequence[ProposedChange]) -> None:
        """Create a universe with everything that these proposals add to it."""
        await self._proposals.stage(proposals)
        await self._keeper.create_universe(universe, proposals)

    async def abandon_story(self, story_id: Id) -> None:
        """Move from Active to Abandoned: the story is not written to any more."""
        await self._loops.fire(Loop.STORY, story_id, "abandon")

    async def start_story(self, outline: StoryOutline) -> Scene:
        """Create the story, its player character and place if new, and the first scene, Active.

        Newcomers are proposed there.
        """
        universe = await self._canon.universe(outline.universe_id)
        story_title = require_title(outline.title, "A story needs a title.")
        scene_title = require_title(outline.scene_title, "A scene needs a title.")
        for newcomer in outline.newcomers:
            require_letter(require_title(newcomer.name, "Whoever is new needs a name."))
        if outline.place and await self._find_place(universe, outline.place) is None:
            _read_place_name(outline.place)
        style = parse_field("style", read_style, outline.style)
        pc_id = await self.resolve_hero(universe, outline.pc)
        place_id = await self._resolve_place(universe, outline.place)
        story = Story(
            id=self._ids.new(),
            universe_id=universe.id,
            title=story_title,
            pc_id=pc_id,
            theme=clean(outline.theme),
            tone=clean(outline.tone),
            constraints=clean(outline.constraints),
            lines_and_veils=clean(outline.lines_and_veils),
            style=style,
            mode=outline.mode,
            critical=outline.critical,
            system=outline.system,
            dice=outline.dice,
            tension_mode=outline.tension_mode,
            created_at=self._clock(),
        )
        await self._log.put_story(story)
        await self._containers.create_story_node(
            StoryNode(id=story.id, universe_id=universe.id, title=story.title)
        )
        await self._loops.fire(Loop.STORY, story.id, "begin")
        creations = await self._build_newcomers(universe, outline)
        cast = tuple(dict.fromkeys((*filter(None, [pc_id]), *outline.cast)))
        scene = await self.open_scene(
            Scene(
                id=self._ids.new(),
                story_id=story.id,
                universe_id=universe.id,
                order=1,
                title=scene_title,
                goal=clean(outline.scene_goal),
                cast=cast,
                place_id=place_id,
                opening_place_id=place_id,
                tick=outline.tick,
                created_at=self._clock(),
            ),
            previous_scene_id=None,
        )
        if creations:
            await self._proposals.stage(
                [self._build_newcomer_proposal(change, scene) for change in creations]
            )
        return scene

    async def open_next_scene(
        self, previous_scene: Scene, *, cast: tuple[Id, ...], place_id: Id | None, tick: int
    ) -> Scene:
        """Create the scene that follows, with the next index; calling it twice for an end gives the same one.

        One that began with an end which was taken back stays with that end: redo goes on in it.
        """
        nodes = await self._canon.scene_nodes(previous_scene.story_id)
        taken_back_ids = {node.id for node in nodes if node.status == SceneStatus.TAKEN_BACK}
        scene_id = derive_id("scene", previous_scene.id, "next")
        while scene_id in taken_back_ids:
            scene_id = derive_id("scene", scene_id, "again")
        scene = (await self._log.scenes_by_id([scene_id])).get(scene_id)
        if scene is not None and scene.is_taken_back:
            scene = scene.model_copy(update={"is_taken_back": False})
            await self._log.update_scene(scene)
        scene = (
            scene
            if scene is not None
            else Scene(
                id=scene_id,
                story_id=previous_scene.story_id,
                universe_id=previous_scene.universe_id,
                order=previous_scene.order + 1,
                title=f"Scene {previous_scene.order + 1}",
                cast=cast,
                place_id=place_id,
                opening_place_id=place_id,
                tick=tick,
                created_at=self._clock(),
            )
        )
        return await self.open_scene(scene, previous_scene_id=previous_scene.id)

    async def draft_closure(self, story_id: Id) -> str:
        """Return the lines that the story's end is edited from: what it leaves open, and who is where."""
        return draft_closure(await self._closures.read_matters(await self._log.story(story_id)))

    async def complete_story(self, story_id: Id, text: str) -> CommitResult:
        """Close the story by its edited draft, in one write of canon.

        The write has the closing event, the promises and clocks that end, who is where, and the container's status; the
        recap is stored, and becomes a summary. The result lists what is still open. Raises InputError.
        """
        story = await self._log.story(story_id)
        await self._loops.plan_transition(Loop.STORY, story_id, "complete")
        closure = read_closure(text, await self._closures.read_matters(story))
        proposals = await self._closures.build_proposals(story, closure)
        await self._log.put_story(story.model_copy(update={"recap": closure.recap}))
        await self._proposals.stage(proposals)
        accepted = Decision(verdict=Verdict.ACCEPT, by="gm", at=self._clock(), reason="story end")
        result = await self._keeper.commit(
            proposals,
            reason="story end",
            scene=None,
            story_id=story_id,
            universe_id=story.universe_id,
            complete_story=True,
            undecided="leave",
            decisions={proposal.id: accepted for proposal in proposals},
        )
        await self._loops.fire(Loop.STORY, story_id, "complete", proposer="player")
        open_commitments = await self._closures.read_open_commitments(story)
        return replace(result, open_matters=tuple(fact.statement for fact in open_commitments))

    async def open_scene(self, scene: Scene, previous_scene_id: Id | None) -> Scene:
        """Create the scene's record and container, and load it; repeated steps have no further effect."""
        await self._log.create_scene(scene)
        await self._containers.create_scene_node(
            SceneNode(
                id=scene.id,
                story_id=scene.story_id,
                universe_id=scene.universe_id,
                order=scene.order,
                title=scene.title,
                follows=previous_scene_id,
            )
        )
        if await self._loops.read_state(Loop.SCENE, scene.id) == "created":
            await self._loops.fire(Loop.SCENE, scene.id, "load_context")
        return scene

    async def resolve_hero(self, universe: Universe, pc: Id | NewCharacter | None) -> Id | None:
        """Return the player character's id; a new one is created on the GM's word."""
        return await self.create_hero(universe, pc) if isinstance(pc, NewCharacter) else pc

    async def create_hero(self, universe: Universe, pc: NewCharacter) -> Id:
        """Create a player character on the GM's word. Raises InputError without a name."""
        entity_id = self._ids.new()
        name, description = split_described_name(pc.name, pc.description)
        change = CreateEntity(
            entity_id=entity_id,
            entity_kind=EntityKind.CHARACTER,
            name=require_letter(require_title(name, "Your character needs a name.")),
            description=clean(description),
            is_pc=True,
            numbers=dict(pc.numbers),
            tags=pc.tags,
        )
        await self._commit_manual_change(universe, change, f"Created at story set-up: {change.name}")
        return entity_id

    async def _resolve_place(self, universe: Universe, place: Id | str | None) -> Id | None:
        """Return the place's id: a known one with this id or name, or a new one (`Name: description`)."""
        if not place:
            return None
        if (known_id := await self._find_place(universe, place)) is not None:
            return known_id
        name, description = _read_place_name(place)
        entity_id = self._ids.new()
        change = CreateEntity(
            entity_id=entity_id, entity_kind=EntityKind.PLACE, name=name, description=clean(description)
        )
        await self._commit_manual_change(universe, change, f"Created at story set-up: {name}")
        return entity_id

    async def _find_place(self, universe: Universe, place: str) -> Id | None:
        """Return the known place with this id or name."""
        if place in await self._canon.entities_by_id([place]):
            return place
        name = " ".join(clean(split_described_name(place)[0]).split())
        matches = await self._canon.find_entity(universe.id, name)
        return next((e.id for e in matches if e.kind is EntityKind.PLACE), None)

    async def _build_newcomers(self, universe: Universe, outline: StoryOutline) -> list[CreateEntity]:
        """Return what proposes the newcomers who are not known; being named makes nobody present."""
        creations_by_name: dict[str, CreateEntity] = {}
        for newcomer in outline.newcomers:
            name = require_title(newcomer.name, "")
            name_matches = await self._canon.find_entity(universe.id, name)
            if any(e.kind is newcomer.kind for e in name_matches):
                continue
            creations_by_name.setdefault(
                name.casefold(),
                CreateEntity(
                    entity_id=self._ids.new(),
                    entity_kind=newcomer.kind,
                    name=name,
                    description=clean(newcomer.description),
                    tags=("dead",)
                    if newcomer.kind in ACTORS and describes_dead(newcomer.description)
                    else (),
                ),
            )
        return list(creations_by_name.values())

    def _build_newcomer_proposal(self, change: CreateEntity, scene: Scene) -> ProposedChange:
        """Return a proposal of the set-up.

        It is inferred, not the GM's word, so that even in autopilot nobody becomes canon by being mentioned.
        """
        description = f"{change.name}: {change.description}" if change.description else change.name
        proposal_id = self._ids.new()
        return build_proposal(
            proposal_id,
            change,
            [manual_evidence(proposal_id, f"From story set-up: {description}")],
            Authority.SYSTEM,
            ProposalSite(scene.universe_id, scene.story_id, scene.id, tick=scene.tick),
            self._clock(),
        )

    async def _commit_manual_change(self, universe: Universe, change: Payload, quote: str) -> None:
        """Commit a manual change of the GM through the gate: staged first, then committed."""
        proposal = build_manual_proposal(universe.id, change, quote, self._ids, self._clock)
        await self._proposals.stage([proposal])
        result = await self._keeper.commit(
            [proposal], reason="set-up", scene=None, story_id=None, universe_id=universe.id
        )
        if result.failures:
            raise InputError(result.failures[0][1], kept="The story was not started.")


def build_manual_proposal(
    universe_id: Id, change: Payload, quote: str, ids: IdGenerator, clock: Clock
) -> ProposedChange:
    """Return the GM's own proposal, resting on what was typed and accepted by typing it."""
    proposal_id = ids.new()
    return build_proposal(
        proposal_id,
        change,
        [manual_evidence(proposal_id, quote)],
        Authority.GM,
        ProposalSite(universe_id),
        clock(),
        decision=Decision(verdict=Verdict.ACCEPT, by="gm", at=clock()),
    )


def _read_place_name(typed_place: str) -> tuple[str, str]:
    """Return the name and the description of a new place. Raises InputError for a name that none can have."""
    typed_name, description = split_described_name(typed_place)
    return require_letter(require_title(typed_name, "A place needs a name.")), description
