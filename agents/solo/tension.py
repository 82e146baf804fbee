"""Where a scene leaves the tension: suggested from its sealed results with the reason, decided by the GM."""

from __future__ import annotations

import re
from collections import Counter

from agents.context_assembly.scene_context import SceneContext
from agents.prose.names import any_name_pattern, names_of
from agents.resolver.random_events import tension_after
from agents.views.scene_views import TensionSuggestion
from stores.ports import LogReader
from stores.records.play import Degree, Speaker
from stores.records.story_journal import TensionEntry, find_tension_changes
from stores.records.world import ACTORS


class TensionAdvisor:
    """Suggests the tension after a scene. Read-only."""

    def __init__(self, log: LogReader) -> None:
        self._log = log

    async def suggest_change(self, context: SceneContext) -> TensionSuggestion | None:
        """Return where the scene would move the tension; None if nowhere, or if it was moved in the scene."""
        if find_last_tension_change(context) is not None:
            return None
        was_controlled, reason = await self._assess_scene(context)
        before = context.story.tension
        after = tension_after(before, was_controlled)
        return TensionSuggestion(before, after, reason) if after != before else None

    async def describe_tension(self, context: SceneContext) -> str:
        """Return a line on the tension at the scene's end."""
        if last_change := find_last_tension_change(context):
            return (
                f"Tension went {last_change.before} → {last_change.after} in this "
                f"scene{_reason_suffix(last_change.why)}."
            )
        tension = context.story.tension
        if suggestion := await self.suggest_change(context):
            direction = "up" if suggestion.after > suggestion.before else "down"
            return (
                f"{suggestion.reason.capitalize()}: the tension can go {tension} → {suggestion.after} "
                f"(Ctrl+T at the gate, or /tension {direction})."
            )
        _, reason = await self._assess_scene(context)
        return f"Tension stays at {tension}{_reason_suffix(reason)}."

    async def _assess_scene(self, context: SceneContext) -> tuple[bool | None, str]:
        """Return whether the scene was held (None: neither or both), and why."""
        line_turns = await self._log.line_slice(
            context.scene.id, 0, await self._log.line_length(context.scene.id)
        )
        results = await self._log.resolutions([t.id for t in line_turns if t.speaker is Speaker.ORACLE])
        replaced_ids = {result.instead_of for result in results}
        people = (e for e in context.entities.values() if e.kind in ACTORS and e.id != context.story.pc_id)
        others = any_name_pattern(name for one in people for name in names_of(one))
        # What another tries is no success of the hero's: `> Corrin hits back`.
        degree_counts = Counter(
            r.degree
            for r in results
            if r.turn_id not in replaced_ids and not re.match(rf"\W*{others}", r.intent)
        )
        check_count = sum(degree_counts.values()) - degree_counts[Degree.NONE]
        success_count, failure_count = degree_counts[Degree.SUCCESS], degree_counts[Degree.FAIL]
        if not check_count:
            return None, "no checks were rolled"
        partial_note = f", {degree_counts[Degree.PARTIAL]} partly" if degree_counts[Degree.PARTIAL] else ""
        if success_count == failure_count:
            return None, f"as many checks failed as succeeded ({failure_count} each{partial_note})"
        if failure_count > success_count:
            return (
                False,
                f"more checks failed than succeeded ({failure_count} to {success_count}{partial_note})",
            )
        return True, f"more checks succeeded than failed ({success_count} to {failure_count}{partial_note})"


def find_last_tension_change(context: SceneContext) -> TensionEntry | None:
    """Return the last change of the tension in the scene that stands."""
    scene_id = context.scene.id
    changes = [e for e in find_tension_changes(context.story.entries) if e.scene_id == scene_id]
    return changes[-1] if changes else None


def _reason_suffix(reason: str) -> str:
    return f": {reason}" if reason else ""
