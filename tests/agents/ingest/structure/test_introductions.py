"""Whom a player's own notes introduce, by a bold name, an item of a list or a heading; and what names nobody.

"I keep my cast as `**Name** - who they are`, and it made concepts of my people."
"""

from __future__ import annotations

import pytest

from agents.ingest.findings import FoundEntity, FoundRelation, FoundStatement, FoundTable
from agents.ingest.structure.find_in_chunk import find_in_chunk
from stores.records.world import EntityKind

PEOPLE = """# Gallowmere

Master Corvin keeps a ledger. Everybody owes Master Corvin.

"""
BALOR = """## Ghast Eel

*Large beast, unaligned*

**Armor Class** 14
**Hit Points** 60 (8d10 + 16)

**Skills** Stealth +4
**Languages** Draconic **Challenge** 19.0

**Magic Resistance.** The eel has advantage on saving throws against spells.

### Actions

**Multiattack.** The eel makes two Bite attacks.

**Bite.** Melee Weapon Attack: +6 to hit, reach 5 ft., one target. Hit: 13 (2d8 + 4) piercing damage.
"""


def entities(text: str) -> dict[str, FoundEntity]:
    return {finding.name: finding for finding in find_in_chunk(text) if isinstance(finding, FoundEntity)}


def relations(text: str) -> set[tuple[str, str, str]]:
    findings = find_in_chunk(text)
    return {(f.subject, f.predicate, f.object) for f in findings if isinstance(f, FoundRelation)}


@pytest.mark.parametrize("mark", [" -", " –", " —", ":"])
@pytest.mark.parametrize("bullet", ["", "- ", "* "])
def test_bold_name_is_a_character_with_facts(mark: str, bullet: str) -> None:
    line = (
        f"{bullet}**Berta Quill**{mark} innkeeper of the Eel and Anchor. Fifty, loud, still owes Master Corvin "
        "200 silver. She waters the beer.\n"
    )
    text = PEOPLE + line
    berta = entities(text)["Berta Quill"]
    assert berta.kind is EntityKind.CHARACTER
    assert berta.description == "innkeeper of the Eel and Anchor."
    said = {f.statement: f.quote for f in find_in_chunk(text) if isinstance(f, FoundStatement)}
    assert said["Berta Quill waters the beer."] == "She waters the beer."
    assert "Fifty, loud, still owes Master Corvin 200 silver." in said
    assert ("Berta Quill", "owes", "Master Corvin") in relations(text)


@pytest.mark.parametrize(
    ("introduction", "name", "kind"),
    [
        ("* Old Tam — a priest of the Drowned Saint.", "Old Tam", EntityKind.CHARACTER),
        ("### Vessa Lark\n\nShe keeps bees by the weir.", "Vessa Lark", EntityKind.CHARACTER),
        ("### Old Sedge\n\nA hermit who fishes by night.", "Old Sedge", EntityKind.CHARACTER),
        ("### Sedge\n\nA town of reed cutters.", "Sedge", EntityKind.PLACE),
        ("**Drowned Bell** - a bell that rings under water.", "Drowned Bell", EntityKind.OBJECT),
        ("**Reed Hands**: a guild of cutters and thieves.", "Reed Hands", EntityKind.FACTION),
    ],
)
def test_words_behind_a_name_tell_its_kind(introduction: str, name: str, kind: EntityKind) -> None:
    assert entities(f"{PEOPLE}{introduction}\n")[name].kind is kind


def test_plain_sentence_tells_what_a_name_is() -> None:
    text = "# Gallowmere\n\nGallowmere is a drowned valley. Nobody rules Gallowmere.\n"
    assert entities(text)["Gallowmere"].kind is EntityKind.PLACE


def test_plain_relations_of_an_introduction_are_read() -> None:
    text = f"""{PEOPLE}**Pip**, Corvin's daughter, sells maps.

- **Reeve Hask** — enemy of Master Corvin. He worships the Drowned Saint.

Prayers to the Drowned Saint are sung by night.

### Sedge

A town of reed cutters, led by Reeve Hask.
"""
    found = relations(text)
    assert ("Master Corvin", "parent_of", "Pip") in found
    assert ("Reeve Hask", "enemy_of", "Master Corvin") in found
    assert ("Reeve Hask", "worships", "Drowned Saint") in found
    assert ("Reeve Hask", "rules over", "Sedge") in found


@pytest.mark.parametrize(
    "heading", ["Goal", "House rules", "Rule of the world", "Rumours (d6)", "The short version", "Session"]
)
def test_heading_of_a_section_names_nobody(heading: str) -> None:
    assert entities(f"## {heading}\n\nsome plain words follow here.\n") == {}


@pytest.mark.parametrize("line", ["Flooded houses stand below.", "Bog lights burn at night.", "Eels sing."])
def test_common_word_at_the_start_of_a_line_names_nobody(line: str) -> None:
    assert entities(f"{line}\n\n- {line}\n") == {}


def test_quote_is_the_very_words_of_one_item() -> None:
    text = "What the cook has:\n\n5. Bread of Gallowmere\n6. Beer of Old Tam\n9. Salt of Pip Hallow\n"
    for finding in find_in_chunk(text):
        if isinstance(finding, FoundEntity):
            assert "\n" not in finding.quote
            assert finding.quote in text


def test_traits_and_actions_of_a_stat_block_are_the_creatures_own() -> None:
    assert set(entities(BALOR)) == {"Ghast Eel"}
    second_half = BALOR[BALOR.index("**Magic") :]
    assert entities(second_half) == {}, "a chunk that begins within the stat block"


def test_bold_label_ends_a_name() -> None:
    names = entities("They speak **Languages** Draconic **Challenge** 19.0 by night.\n")
    assert "Draconic Challenge" not in names


def test_numbered_list_under_dice_is_a_table() -> None:
    rows = "\n".join(
        f"{n}. {thing}"
        for n, thing in enumerate(("A boot", "Winged Boots", "An eel", "A hand", "Mud", "Gold"), 1)
    )
    (table,) = (f for f in find_in_chunk(f"What's in the mud? (d6)\n\n{rows}\n") if isinstance(f, FoundTable))
    assert (table.title, table.dice, len(table.rows)) == ("What's in the mud?", "d6", 6)
    assert entities(f"What's in the mud? (d6)\n\n{rows}\n") == {}
