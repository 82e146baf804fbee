"""The wiki links of a journal: what they propose, of what kind, and which propose nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.importers.import_runner import describe_import
from agents.importers.import_views import ImportPreview, ImportRequest
from monitor_tui.compose import Program
from stores.records.canon import CreateEntity
from stores.records.workflow import Verdict
from tests.agents.importers.test_journals import OBSIDIAN, import_journal
from tests.program import opened


@pytest.fixture
async def program(tmp_path: Path) -> AsyncIterator[Program]:
    async with opened(tmp_path / "home") as program:
        yield program


async def proposed_entities(program: Program, text: str, hero: str = "Kell") -> list[str]:
    """Import a journal, and return who and what it proposes: `character Marta`."""
    result = await import_journal(program, text, hero)
    view = await program.services.gate.gate(result.last_scene)
    changes = [row.proposal.change for row in view.proposals]
    assert all(row.verdict is None for row in view.proposals)
    return [f"{c.entity_kind} {c.name}" for c in changes if isinstance(c, CreateEntity)]


def journal(*lines: str) -> str:
    return "\n\n".join(("## Session 1 - The pier", *lines, "The rain stops."))


async def test_links_of_an_obsidian_journal_propose_what_they_name(program: Program) -> None:
    assert await proposed_entities(program, OBSIDIAN) == [
        "concept Pier Nine",
        "character Dob Harrow",
        "character Teodor",
    ]
    (universe,) = await program.services.stories.universes()
    assert [e.name for e in await program.services.world.list_entities(universe.id)] == ["Kell"]


@pytest.mark.parametrize(
    ("line", "proposed"),
    [
        ("I meet [[Marta]] there.", "concept Marta"),
        ("I meet [[Marta|the old woman]] there.", "concept Marta"),
        ("I meet [[Town/NPCs/Marta]] there.", "character Marta"),
        ("I meet [[Marta#Her past]] there.", "concept Marta"),
        ("I meet [[Marta#Her past|her]] there.", "concept Marta"),
        ("I go in. [[Places/Harrow]] is quiet, and so is [[Harrow]].", "place Harrow"),
        ("[[Harrow]] is quiet, and so is [[Places/Harrow]].", "place Harrow"),
        (
            "I talk to [[Marta]]. She goes. [[marta|Her]] eyes are red. “No,” says [[Marta]].",
            "concept Marta",
        ),
        ("We reach [[Kestermoor]] by night.", "place Kestermoor"),
        ("I drink at the [[Salt House|inn]].", "place Salt House"),
        ('I wait.\n\n**Orrin:** "Well?"\n\nI think of [[Orrin]].', "character Orrin"),
        ("I find [[Nightbell]] [L:Nightbell|sunken].", "place Nightbell"),
        ("I find [[Nightbell]]. [N:Nightbell|wary]", "character Nightbell"),
        ("- [ ] Pay back [[Items/The Black Ledger]]", "object The Black Ledger"),
        ("> [!quote] Osk\n> Beware of [[Factions/The Ash Hand]].", "faction The Ash Hand"),
    ],
)
async def test_link_proposes_once_what_it_names(program: Program, line: str, proposed: str) -> None:
    assert await proposed_entities(program, journal(line)) == [proposed]


@pytest.mark.parametrize(
    "line",
    [
        "See [[2024-05-01]].",
        "See [[Daily/8 May 2023]].",
        "![[map.png]] shows it.",
        "![[Marta]] is drawn here.",
        "See [[map.png]], [[rules.pdf]] and [[Marta.md]].",
        "See [[#The ford]] and [[#^a1b2c3]].",
        "See [[Session 3]], [[Session 12 - The chapel]], [[Chapter II]] and [[Day 4]].",
        "See [[Sessions/The chapel]], [[01 The pier]] and [[Rules/Face Danger]].",
        "%% ask about [[Marta]] %%",
        "> [!note] GM only\n> [[Marta]] lies",
        "I, [[Kell Marr]], or [[Kell]], wait.",
        "I look at [Marta] and [the inn](inn.md).",
    ],
)
async def test_link_to_no_entity_proposes_nothing(program: Program, line: str) -> None:
    text = journal("> [!quote] Osk\n> You are late.", line)
    assert await proposed_entities(program, text, "Kell Marr") == []


async def test_front_matter_says_the_kind_of_a_linked_name_and_names_nobody_itself(program: Program) -> None:
    front_matter = "---\ntitle: The Ash Road\nnpcs: [Marta, Dob]\nlocation: [[Places/Harrow]]\n---\n"
    text = front_matter + journal("I see [[Marta]] in the rain. [[Harrow]] sleeps.")
    assert await proposed_entities(program, text) == ["character Marta", "place Harrow"]


async def test_link_to_what_canon_has_proposes_nothing(program: Program) -> None:
    result = await import_journal(program, journal("I meet [[NPCs/Marta]]."))
    view = await program.services.gate.gate(result.last_scene)
    await program.services.gate.decide([view.proposals[0].proposal.id], Verdict.ACCEPT)
    await program.services.gate.commit(result.last_scene)
    request = ImportRequest(
        "second.md", journal("I look for [[Marta]] and [[NPCs/Osk]].").encode(), universe=result.universe
    )
    second = await program.services.imports.import_log(request)
    rows = (await program.services.gate.gate(second.last_scene)).proposals
    assert [row.title for row in rows] == ["Osk"]


async def test_preview_and_receipt_name_what_the_journal_does_not_explain(program: Program) -> None:
    text = journal("I think of [[Nightbell]] and of [[NPCs/Marta]].")
    preview = await program.services.imports.preview(ImportRequest("journal.md", text.encode()))
    assert isinstance(preview, ImportPreview)
    assert (preview.proposal_count, preview.undecided_names) == (2, ("Nightbell",))
    result = await import_journal(program, text)
    assert describe_import(result).endswith(
        "2 changes are proposed from its tags and links: you decide in its last scene. The log does not say what is "
        "meant by Nightbell, proposed as concepts: e at the gate lets you say it (“Nightbell: place”)."
    )


@pytest.mark.parametrize(
    ("edit", "kind", "description"),
    [
        ("Nightbell: place", "place", ""),
        ("Nightbell: a person", "character", ""),
        ("Nightbell: an object.", "object", ""),
        ("Nightbell: the place where they met", "concept", "the place where they met"),
    ],
)
async def test_edit_at_the_gate_says_what_a_linked_name_is(
    program: Program, edit: str, kind: str, description: str
) -> None:
    result = await import_journal(program, journal("I think of [[Nightbell]]."))
    (row,) = (await program.services.gate.gate(result.last_scene)).proposals
    await program.services.gate.edit_text(row.proposal.id, edit)
    (edited,) = (await program.services.gate.gate(result.last_scene)).proposals
    change = edited.proposal.change
    assert isinstance(change, CreateEntity)
    assert (change.name, change.entity_kind.value, change.description) == ("Nightbell", kind, description)
