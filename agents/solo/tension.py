"""Where a scene leaves the tension: offered from its sealed results with the reason, decided by the GM."""

from __future__ import annotations

from collections import Counter

from agents.context_assembly.scene_context import SceneContext
from agents.resolver.random_events import tension_after
from agents.views.play_views import TensionOffer
from stores.ports import LogReader
from stores.records.play import Degree, Speaker
from stores.records.story_journal import TensionEntry


class Tensions:
    """Reads what a scene was like. Stateless and read-only."""

    def __init__(self, log: LogReader) -> None:
        self._log = log

    async def offer(self, context: SceneContext) -> TensionOffer | None:
        """Return where the scene would move the tension; None if nowhere, or if it was moved in it."""
        if moved_in(context) is not None:
            return None
        held, why = await self._went(context)
        before = context.story.tension
        after = tension_after(before, held)
        return TensionOffer(before, after, why) if after != before else None

    async def told(self, context: SceneContext) -> str:
        """Return what there is to say of the tension at the scene's end, in a line."""
        if moved := moved_in(context):
            return f"Tension went {moved.before} -> {moved.after} in this scene{_because(moved.why)}."
        tension = context.story.tension
        if offer := await self.offer(context):
            word = "up" if offer.after > offer.before else "down"
            return f"Tension {tension}: {offer.why}. /tension {word} makes it {offer.after}."
        _, why = await self._went(context)
        return f"Tension stays at {tension}{_because(why)}."

    async def _went(self, context: SceneContext) -> tuple[bool | None, str]:
        """Say whether the scene was held (None: neither, or both), and why."""
        line = await self._log.line_slice(context.scene.id, 0, await self._log.line_length(context.scene.id))
        results = await self._log.resolutions([t.id for t in line if t.speaker is Speaker.ORACLE])
        replaced = {result.instead_of for result in results}
        degrees = Counter(r.degree for r in results if r.turn_id not in replaced)
        checks = sum(degrees.values()) - degrees[Degree.NONE]
        won, lost = degrees[Degree.SUCCESS], degrees[Degree.FAIL]
        if not checks:
            return None, "nothing was tried by the dice"
        if won == lost:
            return None, f"as much failed as succeeded ({lost} of {checks})"
        if lost > won:
            return False, f"{lost} of {checks} {'check' if checks == 1 else 'checks'} failed"
        return True, f"{won} of {checks} {'check' if checks == 1 else 'checks'} succeeded"


def moved_in(context: SceneContext) -> TensionEntry | None:
    """Return the last time that the tension was moved in the scene, whatever was undone since."""
    scene_id = context.scene.id
    moves = [e for e in context.story.entries if isinstance(e, TensionEntry) and e.scene_id == scene_id]
    return moves[-1] if moves else None


def _because(why: str) -> str:
    return f": {why}" if why else ""
