"""Suggests what the player's character could do next: by a model, or from what is open in the scene. Read-only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agents.context_assembly.package_builder import ContextPackageBuilder
from agents.context_assembly.scene_context import SceneContext
from agents.llm.call_context import CallContext, PersonaCalls
from agents.llm.errors import ModelError
from agents.name_forms import name_within
from agents.orchestrator.scene_views import SceneViewBuilder
from agents.orchestrator.undo_words import shorten
from agents.personas.personas import Director
from agents.resolver.ruleset_schema import Pack, spoken_key
from agents.solo.story_rules import StoryRules
from agents.views.scene_views import ActionIdeas, SceneView
from stores.records.ids import IdGenerator
from stores.records.llm import Persona

MAX_ACTIONS: Final = 3


class ActionSuggestions:
    """Suggests actions. Nothing is played by it."""

    def __init__(
        self,
        calls: PersonaCalls,
        packages: ContextPackageBuilder,
        views: SceneViewBuilder,
        rules: StoryRules,
        ids: IdGenerator,
    ) -> None:
        self._calls = calls
        self._packages = packages
        self._views = views
        self._rules = rules
        self._ids = ids

    async def suggest_actions(self, context: SceneContext) -> ActionIdeas:
        """Return three actions of a model, if one narrates, else those that the scene's open matters call for.

        A model that gives none costs nothing but its call: what is open is there in any case.
        """
        note = ""
        if self._calls.is_on(Persona.NARRATOR):
            try:
                actions = await self._ask_model(context)
            except ModelError as error:
                note = f"The model named none: {error.what} These come from what is open."
            else:
                if actions:
                    return ActionIdeas(actions)
                note = "No action could be read in what the model answered. These come from what is open."
        view = await self._views.build_scene_view(context, None)
        return ActionIdeas(find_actions(view, self._rules.find_pack(context)), note)

    async def _ask_model(self, context: SceneContext) -> tuple[str, ...]:
        package = await self._packages.build_package(context, "")
        call_context = CallContext(context.universe.id, context.story.id, context.scene.id, self._ids.new())
        return (await Director(self._calls).suggest_actions(package, call_context))[:MAX_ACTIONS]


def find_actions(view: SceneView, pack: Pack | None) -> tuple[str, ...]:
    """Return up to three actions for what is open in a scene, of as many kinds as there are."""
    kinds = (_matters(view), _people(view), _moves(view, pack), _surroundings(view))
    actions: list[str] = []
    waiting = list(kinds)
    while waiting and len(actions) < MAX_ACTIONS:
        kind = waiting.pop(0)
        if action := next(kind, ""):
            actions.append(action)
            waiting.append(kind)
    return tuple(actions)


def _matters(view: SceneView) -> Iterator[str]:
    for name in _open_matters(view):
        yield f"I try to find out: {name}" if name.endswith("?") else f"I see to “{name}”."
    for track in view.tracks:
        yield f"I work on “{track.name}”."


def _open_matters(view: SceneView) -> list[str]:
    """Return the names of the open threads, the heaviest first."""
    threads = sorted((t for t in view.threads if t.is_open), key=lambda t: -t.weight)
    return [shorten(thread.name.strip().rstrip(".")) for thread in threads]


def _people(view: SceneView) -> Iterator[str]:
    heaviest = next(iter(_open_matters(view)), "").rstrip("?")
    for member in view.cast:
        if not member.is_pc and not member.note:
            yield (
                f"I ask {name_within(member.name)} about “{heaviest}”."
                if heaviest
                else f"I ask {name_within(member.name)} what they want."
            )


def _moves(view: SceneView, pack: Pack | None) -> Iterator[str]:
    if pack is not None and any(member.is_pc for member in view.cast):
        yield from (f"/move {spoken_key(move.key)}" for move in pack.moves)


def _surroundings(view: SceneView) -> Iterator[str]:
    if view.scene.goal:
        yield f"I go on with what I came for: {view.scene.goal.strip().rstrip('.')}."
    yield f"I look around {view.place}." if view.place else "I look around."
    yield "I wait, and listen."
    yield "? Does something happen"
