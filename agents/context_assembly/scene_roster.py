"""Who is on stage and who is off, one line for each with what drives them. Pure.

A person is in one place: what a line says of where they are stands in no other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agents.canon_keeper.fact_readings import LOCATED_IN
from agents.context_assembly.context_package import ContextPackage, ScenePerson
from agents.context_assembly.live_facts import LiveFact, find_live_facts, find_stay
from agents.resolver.bonds import WARMTH
from stores.records.canon import Fact
from stores.records.ids import Id
from stores.records.world import ACTORS, Entity

_WANTS = re.compile(r"^.{1,80}? (?:wants|wanted) (?P<want>.+?)[.!]?$")


@dataclass(frozen=True, slots=True)
class SceneRoster:
    """The lines of those here and those off stage, and the facts that no line of the roster says."""

    here: tuple[str, ...]
    off_stage: tuple[str, ...]
    other_facts: tuple[LiveFact, ...]


def build_roster(package: ContextPackage) -> SceneRoster:
    """Return the roster of the package's scene."""
    live_facts = find_live_facts(package)
    canon = package.canonical
    here = [p for p in canon.cast if p.is_here]
    absent = [p for p in (*canon.cast, *canon.named_elsewhere, *canon.off_stage) if not p.is_here]
    off_stage = list({p.entity.id: p for p in absent}.values())
    said_facts: list[Fact] = []
    here_lines: list[str] = []
    for person in here:
        drive_facts = find_drive(live_facts, person.entity, package.scene.story.pc_id)
        said_facts += drive_facts
        here_lines.append(" ".join((describe_entity(person.entity, package), *map(_drive_text, drive_facts))))
    off_stage_lines = [_off_stage_line(person, live_facts, package) for person in off_stage]
    actor_ids = {p.entity.id for p in (*here, *off_stage) if p.entity.kind in ACTORS}
    said_ids = {fact.id for fact in said_facts}
    other_facts = (
        live_fact
        for live_fact in live_facts
        if live_fact.fact.id not in said_ids and not _is_stay_of(live_fact.fact, actor_ids)
    )
    return SceneRoster(tuple(here_lines), tuple(off_stage_lines), tuple(other_facts))


def describe_entity(entity: Entity, package: ContextPackage) -> str:
    """Return somebody or something in one line: names, what they are, and their description."""
    names = f"{entity.name} (also {', '.join(entity.aliases)})" if entity.aliases else entity.name
    role = "the player's character" if entity.id == package.scene.story.pc_id else str(entity.kind)
    description = " ".join(entity.description.split())
    return f"{names}, {role}. {_with_full_stop(description)}".strip()


def find_drive(live_facts: Sequence[LiveFact], entity: Entity, pc_id: Id | None) -> list[Fact]:
    """Return what somebody wants now, by the newest fact, and how they stand to the player's character."""
    own_facts = [f.fact for f in live_facts if f.fact.entity("subject") == entity.id and not f.is_ending]
    wants = [fact for fact in own_facts if _read_want(fact)]
    bonds = [
        f.fact
        for f in live_facts
        if f.fact.predicate in WARMTH
        and not f.is_ending
        and entity.id != pc_id
        and {entity.id, pc_id} == {f.fact.entity("subject"), f.fact.entity("object")}
    ]
    return [*wants[-1:], *bonds]


def _read_want(fact: Fact) -> str:
    match = _WANTS.match(fact.statement)
    return match["want"] if match else ""


def _drive_text(fact: Fact) -> str:
    want = _read_want(fact)
    return f"Wants: {_with_full_stop(want)}" if want else fact.statement


def _off_stage_line(person: ScenePerson, live_facts: Sequence[LiveFact], package: ContextPackage) -> str:
    line = describe_entity(person.entity, package)
    if person.entity.kind not in ACTORS:
        return line
    stay = find_stay(live_facts, person.entity.id)
    place_text = f" {stay.statement}" if stay is not None and not person.is_dead else ""
    return f"{line}{' Dead.' if person.is_dead else ''}{place_text}"


def _is_stay_of(fact: Fact, actor_ids: set[Id]) -> bool:
    return fact.predicate == LOCATED_IN and fact.entity("subject") in actor_ids


def _with_full_stop(text: str) -> str:
    return text if not text or text.endswith((".", "!", "?", "…", "”", '"')) else text + "."
