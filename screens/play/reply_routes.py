"""The route that a reply leads to. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from screens.routes import (
    Route,
    ToBill,
    ToBranchMap,
    ToCommitments,
    ToConflict,
    ToGate,
    ToHelp,
    ToLlmSetup,
    ToMenu,
    ToPolicy,
    ToPrompts,
    ToQuery,
    ToScene,
    ToStory,
    ToUniverse,
    ToXray,
)
from stores.records.ids import Id

if TYPE_CHECKING:
    from agents.views.replies import Reply
    from agents.views.scene_views import SceneView

PLACES_WITH_OWN_SCREEN: Final = (
    "gate", "help", "conflict", "policy", "ledger", "xray", "bill", "model", "prompts", "query", "map",
)  # fmt: skip
"""Destinations that show in full what the reply's lines say."""


def route_of_reply(reply: Reply, view: SceneView | None, scene_id: Id) -> Route | None:
    """Return the route that the reply leads to; None if play goes on here."""
    match reply.goto:
        case "scene" if reply.subject and reply.subject != scene_id:
            return ToScene(reply.subject, follows_gate=True, opening_lines=reply.lines)
        case "story" if reply.subject:
            return ToStory(reply.subject)
        case "map" if view:
            return ToBranchMap(view.universe.id, scene_id)
        case "gate":
            return ToGate(scene_id)
        case "conflict" if reply.subject:
            return ToConflict(reply.subject)
        case "policy" if reply.subject:
            return ToPolicy(reply.subject)
        case "ledger" if view:
            return ToCommitments(view.universe.id, scene_id)
        case "xray" if reply.subject:
            return ToXray(reply.subject)
        case "bill" if view:
            return ToBill(view.story.id)
        case "model":
            return ToLlmSetup()
        case "prompts":
            return ToPrompts()
        case "query" if view:
            return ToQuery(view.universe.id, None, scene_id, reply.query_text)
        case "help":
            return ToHelp()
        case "menu":
            return ToMenu()
        case "universe" if view:
            return ToUniverse(view.universe.id, reply.subject, beside_play=True)
        case _:
            return None
