"""Of a hundred right tellings the checks say nothing; of thirty wrong ones they say what is promised."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from agents.canon_keeper.fact_readings import LOCATED_IN
from agents.context_assembly.context_package import CanonContext, ContextPackage, KnownSecret, ScenePerson
from agents.context_assembly.narrative_context import NarrativeContext
from agents.context_assembly.scene_context import SceneContext
from agents.narrator.prose_checks import (
    ProseFinding,
    build_prose_check_input,
    check_prose,
)
from agents.personas.narrator_brief import NarratorBrief
from agents.resolver.working_state import WorkingState
from stores.records.canon import FactKind, Secrecy
from stores.records.play import Degree, Speaker
from stores.records.world import Entity, EntityKind
from tests.contract import builders as make

DATA = yaml.safe_load((Path(__file__).parent / "data/tellings.yaml").read_text(encoding="utf-8"))
NOTHING = "nothing"
"""What is promised of a telling whose fault only a model can see."""


class Telling(NamedTuple):
    world: str
    text: str
    say: str = ""
    roll: str = ""
    at: str = ""
    """Where the player's line took the scene, if not where the world has it."""
    finds: str = ""
    why: str = ""
    """Why it is no promise of the checks, if it is none."""


def read_right() -> Iterator[Telling]:
    for world, groups in DATA["right"].items():
        for entry in groups if world == "more" else (e for group in groups.values() for e in group):
            fields: dict[str, Any] = {"text": entry} if isinstance(entry, str) else entry
            yield Telling(**({"world": world} | fields))


def read_wrong() -> Iterator[Telling]:
    yield from (Telling(**entry) for group in DATA["wrong"].values() for entry in group)


RIGHT, WRONG = tuple(read_right()), tuple(read_wrong())


@cache
def package_of(world: str, at: str) -> ContextPackage:
    """Return the scene of a world as a narration of it finds it."""
    given = DATA["worlds"][world]
    hero = make.entity(given["hero"], is_pc=True)

    def people(group: str, **fields: Any) -> list[Entity]:
        return [make.entity(name, description=text, **fields) for name, text in given[group].items()]

    here, absent, dead = people("here"), people("absent"), people("dead", tags=("dead",))
    stay_places = {name: make.entity(name, kind=EntityKind.PLACE) for name in given["stays"].values()}
    place = stay_places.get(at) or make.entity(given["place"], kind=EntityKind.PLACE)
    by_name = {e.name: e for e in (hero, *here, *absent, *dead)}
    story = make.story(pc_id=hero.id, lines_and_veils=given["lines_and_veils"])
    scene = make.scene(story, cast=(hero.id, *(e.id for e in here)), place_id=place.id, tick=600)
    secret = given["secret"]
    secret_fact = make.fact(
        secret["text"],
        by_name[secret["about"]],
        secrecy=Secrecy(known_to=tuple(by_name[name].id for name in secret["known_to"])),
    )
    known_acquaintance = here[0] if given["hero"] in here[0].description else here[1]
    canon = CanonContext(
        cast=tuple(ScenePerson(e, WorkingState({}, e.tags)) for e in (hero, *here)),
        named_elsewhere=tuple(
            ScenePerson(e, WorkingState({}, e.tags), is_here=False, is_dead=e in dead)
            for e in (*absent, *dead)
        ),
        stays=tuple(
            make.relation(by_name[name], LOCATED_IN, stay_places[place_name])
            for name, place_name in given["stays"].items()
        ),
        axioms=tuple(make.fact(rule, kind=FactKind.AXIOM) for rule in given["rules"]),
        secrets=(KnownSecret(secret_fact, tuple(secret["known_to"])),),
    )
    turns = (
        make.turn(scene, None, "I come in and look round.", tick=601),
        make.turn(scene, None, "It is warm, and nobody speaks at first.", speaker=Speaker.GM, tick=602),
    )
    return ContextPackage(
        scene=SceneContext(
            universe=make.universe(),
            story=story,
            scene=scene,
            head=None,
            staged_proposals=(),
            entities={e.id: e for e in (*by_name.values(), place)},
            place=place,
        ),
        canonical=canon,
        narrative=NarrativeContext(recent_turns=turns, met_before_ids=frozenset([known_acquaintance.id])),
    )


def findings_in(telling: Telling) -> tuple[ProseFinding, ...]:
    package = package_of(telling.world, telling.at)
    brief = NarratorBrief(
        player_text=telling.say,
        degree=Degree(telling.roll) if telling.roll else None,
        lines_and_veils=package.scene.story.lines_and_veils,
    )
    return check_prose(telling.text, build_prose_check_input(package, brief))


def test_tellings_are_a_hundred_right_ones_and_thirty_wrong_ones_all_different() -> None:
    assert len(RIGHT) >= 100
    assert len(WRONG) >= 30
    assert len({telling.text for telling in (*RIGHT, *WRONG)}) == len(RIGHT) + len(WRONG)


def test_tellings_that_are_right_are_left_alone() -> None:
    false_alarms = [(t.text, f.kind, f.reason) for t in RIGHT for f in findings_in(t)]
    assert false_alarms == []


@pytest.mark.parametrize("telling", WRONG, ids=lambda t: t.text[:40])
def test_tellings_that_are_wrong_are_found(telling: Telling) -> None:
    kinds = {finding.kind.value for finding in findings_in(telling)}
    if telling.finds == NOTHING:
        assert telling.why
        assert kinds == set()
    else:
        assert telling.finds in kinds
