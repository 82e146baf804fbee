"""The Scene Loop: play, mid-scene commits, and the end through the gate.

Source: CONVERSATIONAL_LOOPS, "Scene Loop" and "Canonization triggers"; design/loops.md.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from agents.canon_keeper.keeper import CanonKeeper, CommitResult
from agents.context_assembly.context import (
    ContextAssembly,
    SceneContext,
    counting,
    in_line_order,
    tells_end,
)
from agents.messages import CanonCommitted, EventBus, ProposalsChanged, SceneOpened, TriggerRaised
from agents.orchestrator.declarations import Declarations, of_turn
from agents.orchestrator.declare import STATED, involved, mentioned, sentence
from agents.orchestrator.finding import in_scene
from agents.orchestrator.loops import Loops
from agents.orchestrator.scene_end import SceneEnd
from agents.orchestrator.scene_views import SceneViews
from agents.orchestrator.story import StoryLoop, title
from agents.orchestrator.undone import Undone
from agents.orchestrator.whereabouts import Whereabouts
from agents.views import CommitReport
from stores.errors import IllegalTransition, StoreError
from stores.ports import CanonReader, OrchestratorLog
from stores.records.canon import (
    AssertFact,
    Evidence,
    EvidenceKind,
    FactKind,
)
from stores.records.ids import Clock, Id, derived
from stores.records.ledger import Decision, Loop, ProposalStatus, ProposedChange, Verdict
from stores.records.play import Critical, Scene, Speaker, StoryMode

LONG_SCENE = 50
"""Turns without a commit after which one is offered."""


class SceneLoop:
    """Moves one scene at a time from Active through the gate to Completed."""

    def __init__(
        self,
        log: OrchestratorLog,
        canon: CanonReader,
        context: ContextAssembly,
        keeper: CanonKeeper,
        undone: Undone,
        declarations: Declarations,
        stories: StoryLoop,
        views: SceneViews,
        ending: SceneEnd,
        loops: Loops,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._log = log
        self._canon = canon
        self._context = context
        self._keeper = keeper
        self.undone = undone
        self._declarations = declarations
        self._stories = stories
        self._views = views
        self._ending = ending
        self._loops = loops
        self._clock = clock
        self._events = events

    async def end(self, scene_id: Id, summary: str) -> None:
        """Active -> Finalizing; the summary becomes the scene's proposed event, and clocks act."""
        context = await self._context.load(scene_id)
        await self._loops.plan(Loop.SCENE, scene_id, "end")
        if summary:
            await self._replace_outcome(context)
            await self._log.update_scene(context.scene.model_copy(update={"summary": summary}))
            await self._propose_outcome(context, summary)
        await self._ending.act(context)
        await self._loops.fire(Loop.SCENE, scene_id, "end")

    async def rename(self, scene_id: Id, name: str, goal: str) -> Scene:
        """Give the scene a title and, if there is one, a goal. Raises InputError without a title."""
        scene = await self._log.scene(scene_id)
        named = scene.model_copy(
            update={"title": title(name, "A scene needs a title."), "goal": goal or scene.goal}
        )
        await self._log.update_scene(named)
        self._events.publish(SceneOpened(scene_id))
        return named

    async def reopen(self, scene_id: Id) -> None:
        """Finalizing -> Active, with every decision kept; what the end brought by itself is taken back."""
        await self._loops.fire(Loop.SCENE, scene_id, "reopen")
        await self._ending.take_back(await self._context.load(scene_id))

    async def finish_end(self, scene: Scene) -> bool:
        """After a crash while an Active scene was ended or reopened: do what is left of it. Returns
        whether it is at its gate now."""
        context = await self._context.load(scene.id)
        if context.head is None or not tells_end(context.head):
            return False
        last = await self._log.loop_state(Loop.SCENE, scene.id)
        if last is not None and last.event == "reopen":
            await self._ending.take_back(context)
            return False
        await self._loops.fire(Loop.SCENE, scene.id, "end", detail="recovered")
        return True

    async def commit(self, scene_id: Id, only: Sequence[Id] | None, *, reason: str) -> CommitReport:
        """Write what is accepted or ticked; in a Finalizing scene, close it and open the next."""
        state = await self._loops.state(Loop.SCENE, scene_id)
        if state == "failed":
            await self._loops.fire(Loop.SCENE, scene_id, "retry")
            state = "finalizing"
        if state == "finalizing":
            return await self._close(scene_id)
        if state != "active":
            raise IllegalTransition(
                f"This scene is {state}; what it made true is in canon.", kept="Nothing was changed."
            )
        return await self._commit_now(scene_id, only, reason)

    async def finish_closing(self, scene: Scene) -> Scene:
        """After a crash between the written canon and the scene's end: complete it, open the next."""
        context = await self._context.load(scene.id)
        if await self._loops.state(Loop.SCENE, scene.id) == "failed":
            await self._loops.fire(Loop.SCENE, scene.id, "retry", detail="recovered")
        await self._loops.fire(Loop.SCENE, scene.id, "canon_written", detail="recovered")
        return await self._next(context)

    async def open_again(self, scene: Scene) -> None:
        """After a crash while a scene was being opened: do what is left of it."""
        scenes = await self._log.scenes(scene.story_id)
        before = next((s.id for s in reversed(scenes) if s.order < scene.order), None)
        await self._stories.open_scene(scene, follows=before)

    async def open_next(self, scene: Scene) -> Scene:
        """After a crash between a scene's end and the next one's beginning: open that one."""
        return await self._next(await self._context.load(scene.id))

    async def trigger(self, scene_id: Id, dismissed: Collection[Id]) -> tuple[str, tuple[Id, ...]]:
        """Return why a commit is offered now, and what it would write; ("", ()) when none is."""
        staged = await self._pending(scene_id)
        critical = [p for p in await self._keeper.critical(staged) if p.id not in dismissed]
        if not critical:
            return await self._long_scene(scene_id, staged, dismissed)
        batch = await self._keeper.trigger_batch(staged, critical)
        ids = {p.id for p in critical}
        # Rows of all that is staged: a proposal may name someone whom only another one brings in.
        titles = [row.title for row in await self._views.proposals(staged) if row.proposal.id in ids]
        return f"Critical: {'; '.join(titles)}", tuple(p.id for p in batch)

    async def raise_trigger(self, scene_id: Id, dismissed: Collection[Id]) -> CommitReport | None:
        """After something was staged: commit what is critical if the story says so, else offer it."""
        why, ids = await self.trigger(scene_id, dismissed)
        if not ids:
            return None
        story = await self._log.story((await self._log.scene(scene_id)).story_id)
        if story.critical is Critical.AUTO or story.mode is StoryMode.AUTOPILOT:
            return await self._commit_now(scene_id, ids, why)
        self._events.publish(TriggerRaised(scene_id, ids, why))
        return None

    # --- inside --------------------------------------------------------------------------------------

    async def _commit_now(self, scene_id: Id, only: Sequence[Id] | None, reason: str) -> CommitReport:
        """A mid-scene commit: the scene stays Active."""
        context = await self._context.load(scene_id)
        pending = await self._pending(scene_id)
        chosen = [p for p in pending if only is None or p.id in only]
        await self._loops.fire(Loop.SCENE, scene_id, "critical_event", detail=reason[:200])
        result = await self._keeper.commit(
            chosen, reason=reason, scene=context.scene, story_id=context.story.id, undecided="leave"
        )
        await self.keep_cast(context, await self._canon.entities_by_id([e.id for e in context.cast()]))
        self._committed(context.scene, result)
        return result

    async def _close(self, scene_id: Id) -> CommitReport:
        """The scene's end: one batch, then Completed, then the next scene."""
        context = await self._context.load(scene_id)
        # Who is here and where, before it is canon: should a crash come, the next scene begins the same.
        await self.keep_cast(context, {e.id for e in context.cast()})
        came = await self._canon.entities_by_id([e.entity_id for e in context.comings() if e.here])
        cast = tuple(dict.fromkeys((*context.scene.cast, *came)))
        try:
            result = await self._keeper.commit(
                await self._pending(scene_id),
                reason="scene end",
                scene=context.scene.model_copy(update={"cast": cast}),
                story_id=context.story.id,
                close_scene=True,
                undecided="defer",
            )
        except StoreError:
            await self._loops.fire(Loop.SCENE, scene_id, "write_failed")
            raise
        await self._loops.fire(Loop.SCENE, scene_id, "canon_written")
        following = await self._next(context)
        self._committed(context.scene, result)
        self._events.publish(SceneOpened(following.id))
        return replace(result, next_scene_id=following.id)

    async def _next(self, context: SceneContext) -> Scene:
        """Open the scene that follows: same place, a minute later, and who is there still."""
        return await self._stories.next_scene(
            context.scene,
            cast=await self._present(context),
            place_id=context.place.id if context.place else None,
            tick=context.tick + 1,
        )

    async def _present(self, context: SceneContext) -> tuple[Id, ...]:
        """Return those present who are in canon, not dead, and not where canon has them somewhere else."""
        known = await self._canon.entities_by_id([e.id for e in context.cast()])
        living = [i for i, entity in known.items() if "dead" not in entity.tags]
        catalogue = (await self._keeper.houses.read(context.universe.id)).catalogue
        away = await Whereabouts(self._canon, catalogue).elsewhere(context, living)
        return tuple(i for i in living if i not in away)

    async def keep_cast(self, context: SceneContext, known: Collection[Id]) -> None:
        """After what was staged has become canon: the scene's own record takes over who of `known` was
        brought in, and where this is. (Who came and left is in the story's books.)"""
        cast = tuple(dict.fromkeys((*context.scene.cast, *(i for i in context.born() if i in known))))
        place_id = context.place.id if context.place else None
        if (cast, place_id) != (context.scene.cast, context.scene.place_id):
            await self._log.update_scene(
                context.scene.model_copy(update={"cast": cast, "place_id": place_id})
            )

    async def _pending(self, scene_id: Id) -> list[ProposedChange]:
        """Return the line's proposals that no commit has closed, in its order, rejected ones included: a
        commit closes over those too."""
        statuses = [ProposalStatus.PENDING, ProposalStatus.FAILED]
        return list(in_line_order(await self._log.proposals(scene_id=scene_id, statuses=statuses)))

    async def _long_scene(
        self, scene_id: Id, staged: Sequence[ProposedChange], dismissed: Collection[Id]
    ) -> tuple[str, tuple[Id, ...]]:
        """Every fifty turns a commit of what has gathered is offered."""
        waiting = [p for p in counting(staged) if p.id not in dismissed]
        if not waiting:
            return "", ()
        turns = await self._log.turns({p.turn_id for p in waiting if p.turn_id})
        oldest = min((t.depth for t in turns.values()), default=None)
        length = await self._log.line_length(scene_id)
        if oldest is None or length - oldest < LONG_SCENE:
            return "", ()
        return f"{length - oldest} turns since the oldest of {len(waiting)} proposals", tuple(
            p.id for p in waiting
        )

    async def _replace_outcome(self, context: SceneContext) -> None:
        """A scene ends once: an outcome that was proposed before it was reopened gives way."""
        old = [
            p.id
            for p in await self._pending(context.scene.id)
            if isinstance(p.payload, AssertFact)
            and context.scene.summary
            and p.payload.statement == sentence(context.scene.summary)
        ]
        if old:
            reason = "The scene ended otherwise."
            await self._keeper.decide(
                old, Decision(verdict=Verdict.REJECT, by="gm", at=self._clock(), reason=reason)
            )

    async def _propose_outcome(self, context: SceneContext, summary: str) -> None:
        find = in_scene(context, self._context, guess=True)
        people = {e.id: e for e in (*await mentioned(summary, find), *context.cast())}
        change = AssertFact(
            fact_kind=FactKind.EVENT,
            predicate=STATED,
            statement=sentence(summary),
            involves=tuple(involved(people.values())),
            valid_from=context.tick,
        )
        scene = Evidence(
            id=derived("evidence", EvidenceKind.SCENE, context.scene.id),
            kind=EvidenceKind.SCENE,
            ref_id=context.scene.id,
            quote=context.scene.title,
            scene_id=context.scene.id,
        )
        line = await self._log.line_tail(context.scene.id, LONG_SCENE)
        telling = (t for t in line if t.speaker not in (Speaker.ORACLE, Speaker.SYSTEM))
        told = [of_turn(t) for t in telling if t.id != context.scene.head]
        await self._declarations.stage_plain(context, change, summary, evidence=[scene, *told])

    def _committed(self, scene: Scene, result: CommitResult) -> None:
        self._events.publish(
            CanonCommitted(
                result.canonization_id or "",
                scene.universe_id,
                scene.id,
                tuple(f.id for f in result.facts),
                tuple(i for i, _ in result.failed),
            )
        )
        self._events.publish(ProposalsChanged(scene.universe_id, scene.id))
