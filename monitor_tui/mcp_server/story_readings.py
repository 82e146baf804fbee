"""What a chat client may read of a story: where it stands, and what was played."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from agents.proposals.statements import as_sentence
from agents.services.speaker_names import SPEAKER_NAMES
from agents.views.menu_views import StoryCard
from agents.views.scene_views import SceneView
from agents.views.turn_views import TurnView
from agents.world_time.calendar import format_tick
from monitor_tui.mcp_server.campaign import Campaign
from monitor_tui.mcp_server.readings import join_texts
from stores.records.play import Scene, Speaker

MAX_TURNS: Final = 200
LAST_WORDS: Final = 12
"""Turns that the story so far ends with."""


async def read_story_so_far(campaign: Campaign, story_title: str) -> list[str]:
    """Return a story: what each scene came to, where it stands, who is there, and the last words."""
    card = await campaign.find_story(story_title)
    story = card.story
    about = join_texts((story.theme, story.tone))
    scenes = [scene for scene in await campaign.log.scenes(story.id) if scene.head]
    outcomes = [f"{scene.label}: {as_sentence(scene.summary)}" for scene in scenes if scene.summary]
    return [
        f"# {story.title}" + (f" ({about})" if about else ""),
        *([story.recap] if story.recap else []),
        *outcomes,
        *(await _read_present(campaign, card, scenes)),
    ]


async def _read_present(campaign: Campaign, card: StoryCard, scenes: Sequence[Scene]) -> list[str]:
    if card.scene is None:
        return []
    view = await campaign.services.play.scene(card.scene.id)
    last_scene = scenes[-1] if scenes else card.scene
    rows = await _read_last_rows(campaign, last_scene, LAST_WORDS)
    place = f", {view.place}" if view.place else ""
    goal = f" {as_sentence(card.scene.goal)}" if card.scene.goal else ""
    return [
        f"Now: {view.when}{place}. {card.scene.label}.{goal}",
        *_cast_lines(view),
        *(["", "The last words:", *_turn_lines(rows, _hero_name(view))] if rows else []),
    ]


def _cast_lines(view: SceneView) -> Iterator[str]:
    people = [
        f"{m.name}" + (" (the hero)" if m.is_pc else "") + (f" ({m.note})" if m.note else "")
        for m in view.cast
    ]
    if people:
        yield f"Here: {', '.join(people)}."


def _hero_name(view: SceneView) -> str:
    return next((member.name for member in view.cast if member.is_pc), "You")


async def read_transcript(
    campaign: Campaign, scene_number: int | None, story_title: str, limit: int
) -> list[str]:
    """Return the last turns of a scene, as they were played."""
    card, scene = await campaign.find_scene(scene_number, story_title)
    hero = await campaign.canon.entities_by_id([card.story.pc_id]) if card.story.pc_id else {}
    hero_name = next((entity.name for entity in hero.values()), "You")
    rows = await _read_last_rows(campaign, scene, limit)
    when = format_tick(campaign.universe.calendar, scene.tick)
    return [f"# {card.story.title}, {scene.label} ({when})", *_turn_lines(rows, hero_name)]


async def _read_last_rows(campaign: Campaign, scene: Scene, count: int) -> list[TurnView]:
    length = await campaign.log.line_length(scene.id)
    rows = await campaign.services.play.transcript(scene.id, max(0, length - count), count)
    struck = [
        replace(row, turn=row.turn.model_copy(update={"text": campaign.held_back.strike(row.turn.text)}))
        for row in rows
    ]
    return [row for row in struck if row.turn.text.strip()]


def _turn_lines(rows: Iterable[TurnView], hero_name: str) -> Iterator[str]:
    for row in rows:
        speaker = hero_name if row.turn.speaker is Speaker.PLAYER else row.turn.name
        yield f"{speaker or SPEAKER_NAMES.get(row.turn.speaker, 'somebody')}: {row.turn.text}"
