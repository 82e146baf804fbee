"""Proposes that an answer is true: a fact on the GM's word, in the scene in play or at the universe's gate."""

from __future__ import annotations

from agents.context_assembly.scene_context import SceneContextLoader
from agents.declarations.declarations import DeclarationService
from agents.loop_transitions import LoopTransitions
from agents.orchestrator.dispatcher import Dispatcher
from agents.services.world_edits import WorldEditor
from stores.records.canon import AssertFact
from stores.records.ids import Id
from stores.records.workflow import Loop


class FactProposer:
    """Stages facts."""

    def __init__(
        self,
        contexts: SceneContextLoader,
        declarations: DeclarationService,
        edits: WorldEditor,
        loops: LoopTransitions,
        dispatcher: Dispatcher,
    ) -> None:
        self._contexts = contexts
        self._declarations = declarations
        self._edits = edits
        self._loops = loops
        self._dispatcher = dispatcher

    async def propose_fact(self, scene_id: Id | None, universe_id: Id, statement: str) -> str:
        """Propose a fact, as `/fact` does in a scene that is played, else as a manual edit; return lines on it.

        Raises InputError for a statement that cannot be staged; StoreError.
        """
        if scene_id is not None and await self._loops.read_state(Loop.SCENE, scene_id) == "active":
            async with self._dispatcher.exclusive():
                context = await self._contexts.load_context(scene_id)
                proposals = await self._declarations.declare_fact(context, statement)
            stated = (p.change.statement for p in proposals if isinstance(p.change, AssertFact))
            proposed_text = next(stated, statement)
            return f"Proposed: {proposed_text} It waits at the scene's gate."
        return "\n".join((await self._edits.propose_fact(universe_id, statement)).lines)
