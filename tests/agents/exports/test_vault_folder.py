"""No word that a player writes into a vault is ever written over, wherever it is written."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.exports.folder_plan import FolderFile, digest, read_manifest, write_manifest
from agents.exports.vault import write_vault
from agents.exports.vault_folder import plan_vault, read_vault_edits
from agents.exports.world_values import ExportedEntity, WorldRecord
from agents.views.card_views import EntityCard, FactView
from stores.records.world import EntityKind
from tests.contract import builders as make
from tests.examples import examples

OPENINGS = (
    *(
        "",
        "- ",
        "* ",
        "# ",
        "## ",
        "### ",
        "## Facts\n- ",
        "## Memories\n- ",
        "> ",
        "    ",
        "1. ",
        "- [ ] ",
        "~~",
    ),
    *(
        "%% ",
        "<!-- ",
        "---\n",
        "key: ",
        "aliases: [",
        "tags: ",
        "where: ",
        "[^",
        "[^new]: ",
        "```\n",
        "HP: ",
        "[[",
    ),
    *("\\", "| "),
)
ENDINGS = ("", "]", "~~", " %%", " -->", "\n```")
WORD = "zyzzyva"
"""A word that nothing else in the world has."""


def small_world(*, is_changed: bool = False) -> WorldRecord:
    universe = make.universe()
    mara = make.entity(
        "Mara",
        id=MARA,
        description="A lay sister.",
        numbers={"hp": 8 if is_changed else 7},
        recorded_at=make.START,
    )
    yard = make.entity("Yard", id=YARD, kind=EntityKind.PLACE, recorded_at=make.START)
    fact = FactView(make.fact("Mara rang the bell.", mara, id=FACT), True, "Day 1")
    where = FactView(make.relation(mara, "located_in", yard, id=WHERE), True, "")
    return WorldRecord(
        universe,
        [
            ExportedEntity(EntityCard(mara, (fact,), (("is in", yard, where),), (), (), ())),
            ExportedEntity(EntityCard(yard, (), (("contains", mara, where),), (), (), ())),
        ],
    )


MARA, YARD, FACT, WHERE = (make.new_id() for _ in range(4))


@settings(max_examples=examples(1_500, 60), deadline=None)
@given(st.data())
def test_no_word_of_the_player_is_written_over(data: st.DataObject) -> None:
    world = small_world()
    first = plan_vault(write_vault(world), world.universe.id, None, {})
    manifest = read_manifest(write_manifest(first.manifest), folder="vault")
    assert manifest is not None
    path = data.draw(st.sampled_from(sorted(first.writes)))
    lines = first.writes[path].decode().split("\n")
    position = data.draw(st.integers(0, len(lines)))
    opening, ending = (
        data.draw(st.sampled_from(OPENINGS)),
        data.draw(st.sampled_from(ENDINGS)),
    )
    if data.draw(st.booleans()) and lines[min(position, len(lines) - 1)]:
        index = min(position, len(lines) - 1)
        lines[index] = f"{lines[index]} {opening.strip()}{WORD}{ending}"
    else:
        lines.insert(position, f"{opening}{WORD}{ending}")
    texts = {name: written.decode() for name, written in first.writes.items()} | {path: "\n".join(lines)}
    existing = {name: FolderFile(digest(text.encode()), text) for name, text in texts.items()}

    plan = plan_vault(write_vault(small_world(is_changed=True)), world.universe.id, manifest, existing)

    assert path not in plan.removals
    written = plan.writes.get(path, texts[path].encode()).decode()
    assert WORD in written, f"{texts[path]}\n=>\n{written}"
    read_vault_edits(manifest, existing)
