"""People and beasts as stat blocks: what the plugin has a field for stands there, the rest is a trait."""

from __future__ import annotations

import json

from pydantic import BaseModel, ConfigDict, TypeAdapter

from agents.exports.statblock_file import write_statblocks
from agents.exports.world_values import ExportedEntity
from stores.records.world import Entity, EntityKind
from tests.agents.exports.hostile_world import a_card, hostile_world
from tests.contract import builders as make

SCORES = {"str": 9, "dex": 14, "con": 10, "int": 8, "wis": 12, "cha": 7}


def block_of(entity: Entity) -> dict[str, object]:
    (block,) = json.loads(write_statblocks("The Keep", [ExportedEntity(a_card(entity))]))
    assert isinstance(block, dict)
    return block


def test_statblock_has_scores_armour_and_hit_points_in_their_fields() -> None:
    numbers = {**SCORES, "armour": 14, "max_hp": 11, "hp": 3, "gold": 40}
    block = block_of(make.entity("Bela", numbers=numbers, tags=("poisoned", "sword")))
    assert (block["hp"], block["ac"], block["stats"]) == (11, 14, [9, 14, 10, 8, 12, 7])
    assert (block["name"], block["source"]) == ("Bela", "The Keep")
    assert block["traits"] == [
        {"name": "Numbers", "desc": "gold 40"},
        {"name": "Tags", "desc": "poisoned, sword"},
    ]


def test_statblock_of_other_rules_keeps_every_number_as_a_trait() -> None:
    block = block_of(make.entity("Tam", numbers={"might": 2, "str": 9}))
    assert "stats" not in block
    assert block["traits"] == [{"name": "Numbers", "desc": "might 2, str 9"}]


def test_statblocks_leave_out_what_does_not_live() -> None:
    assert (
        json.loads(
            write_statblocks("K", [ExportedEntity(a_card(make.entity("Quay", kind=EntityKind.PLACE)))])
        )
        == []
    )


class Trait(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    desc: str


class Monster(BaseModel):
    """The fields of the plugin's own `Monster` (its index.ts) that are exported; its layouts read no other."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    type: str
    subtype: str
    source: str
    hp: float | int | None = None
    ac: float | int | None = None
    stats: tuple[float | int, float | int, float | int, float | int, float | int, float | int] | None = None
    traits: list[Trait]


def test_statblocks_have_the_shape_that_the_plugin_declares_and_lose_nobody_to_a_name() -> None:
    entities = [
        *hostile_world().entities,
        *(ExportedEntity(a_card(make.entity("Bela", numbers=SCORES))) for _ in range(2)),
        ExportedEntity(a_card(make.entity("Bela (2)", kind=EntityKind.CREATURE, numbers={"hp": 2.5}))),
    ]
    text = write_statblocks('The "Salt" [Coast] עברית', entities).decode()
    # The generic importer takes a list of objects with a name, and its bestiary has one creature for each.
    monsters = TypeAdapter(list[Monster]).validate_json(text)
    actors = [e for e in entities if e.entity.kind in (EntityKind.CHARACTER, EntityKind.CREATURE)]
    assert len({monster.name for monster in monsters}) == len(monsters) == len(actors)
    assert {"Bela", "Bela (2)", "Bela (3)"} <= {monster.name for monster in monsters}
    assert all(trait.desc.strip() for monster in monsters for trait in monster.traits)
