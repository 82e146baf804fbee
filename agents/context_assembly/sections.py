"""The context package as text, by section of a prompt. Pure.

What changes least is worded so that it stays the same from turn to turn (a prefix cache then holds); what
moves with every turn stands in sections of its own. Source: design/product.md, pain 9.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.context_assembly.package import ContextPackage
from agents.model.asking import Parts
from stores.records.memory import Memory
from stores.records.world import Entity

SECTIONS = (
    "rules",
    "world",
    "story",
    "lines",
    "scene",
    "cast",
    "facts",
    "encounters",
    "assertions",
    "threads",
    "decisions",
    "summary",
    "memories",
    "recalled",
    "recent",
    "named",
    "state",
)
"""What `parts` may give, from what changes least to what changes with every turn."""


def parts(package: ContextPackage) -> Parts:
    """Return the package's sections by name; empty ones are left out."""
    raise NotImplementedError


def own_parts(package: ContextPackage, npc: Entity, memories: Sequence[Memory]) -> Parts:
    """Return what one NPC knows: who it is, what it remembers, who and what is plain to see here, and what
    was said in this scene while it was there. No facts, threads or others' memories."""
    raise NotImplementedError
