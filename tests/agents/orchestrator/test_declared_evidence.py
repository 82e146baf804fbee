"""What a declaration rests on: the words that were typed, and a turn only if its words say as much."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.canon_keeper.evidence_order import sort_evidence
from agents.exports.story_markdown import write_markdown
from stores.records.canon import Evidence, EvidenceKind
from stores.records.ids import Id
from stores.records.workflow import ProposalStatus, Verdict
from tests.agents.orchestrator.test_world_edits import World
from tests.program import begin, opened
from widgets.finding_list import finding_lines
from widgets.proposal_detail import detail_lines

DICE_LINE = "/check 2d6+9 vs 5"


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        yield World(program.services, scene_id, (await program.services.play.scene(scene_id)).universe.id)


async def play(world: World, *lines: str) -> None:
    for line in lines:
        await world.services.play.submit(world.scene_id, line)


async def fact_id_of(world: World, name: str, statement: str) -> Id:
    return (await world.told(name))[statement]


async def read_quotes(world: World, fact_id: Id) -> list[tuple[EvidenceKind, str]]:
    """Return the evidence as its pane lists it."""
    sources = await world.services.world.provenance.read_evidence(fact_id)
    return [(s.evidence.kind, s.evidence.quote) for s in sources]


async def test_declaration_rests_on_its_words_and_not_on_the_roll_before_it(world: World) -> None:
    await play(world, "/npc Dob Harrow: a clerk", "/npc Vess: a captain", "I stamp on the rat.", DICE_LINE)
    await play(world, "/fact Dob Harrow is dead", "/fact Vess never stole the bell", "/commit")
    died_id = await fact_id_of(world, "Dob Harrow", "Dob Harrow died.")
    assert await read_quotes(world, died_id) == [
        (EvidenceKind.MANUAL, "Dob Harrow is dead"),
        (EvidenceKind.SCENE, ""),
    ]
    answer = await world.services.query.answer_question(
        "Is Dob Harrow dead?", universe_id=world.id, in_words=False
    )
    (finding,) = [f for f in answer.findings if f.fact_id == died_id]
    assert finding.quote == "Dob Harrow is dead"
    impact = await world.services.world.previews.preview_retcon(died_id)
    assert impact.same_turn_facts == ()
    story_id = (await world.services.play.scene(world.scene_id)).story.id
    exported = write_markdown(await world.services.stories.story_record(story_id))
    assert "Rests on “Dob Harrow is dead”, declared after scene 1, turn 2." in exported
    assert "stamp on the rat.[^" not in exported
    assert "(scene 1, turn 2)" not in exported
    rows = await world.services.play.transcript_reader.read_rows(world.scene_id, 0, 10)
    assert [row.made_count for row in rows] == [0, 0]


async def test_declaration_is_linked_to_a_turn_that_says_as_much(world: World) -> None:
    await play(world, "/npc Dob Harrow: a clerk", "> Harrow falls from the pier and lies dead.")
    await play(world, "/fact Dob Harrow is dead", "/fact Mara owes Harrow a drink", "/commit")
    assert await read_quotes(world, await fact_id_of(world, "Dob Harrow", "Dob Harrow died.")) == [
        (EvidenceKind.MANUAL, "Dob Harrow is dead"),
        (EvidenceKind.TURN, "Harrow falls from the pier and lies dead"),
        (EvidenceKind.SCENE, ""),
    ]
    rows = await world.services.play.transcript_reader.read_rows(world.scene_id, 0, 10)
    assert [row.made_count for row in rows] == [1]


async def test_declaration_stands_after_the_turn_that_it_was_typed_on(world: World) -> None:
    await play(world, "/npc Dob Harrow: a clerk", "I swear to Dob Harrow that I will come back.", DICE_LINE)
    await play(world, "/fact Dob Harrow owns the mill")
    play_service = world.services.play
    promise_turn, roll_turn = [r.turn for r in await play_service.transcript(world.scene_id, 0, 10)]
    roll_trace = await play_service.trace(roll_turn.id)
    assert roll_trace.declared_ids == {row.proposal.id for row in roll_trace.proposals}
    promise_trace = await play_service.trace(promise_turn.id)
    assert [row.title for row in promise_trace.proposals if "promised" in row.title] != []
    assert promise_trace.declared_ids == frozenset()
    await play(world, "/commit")
    mill_id = await fact_id_of(world, "Dob Harrow", "Dob Harrow owns the mill.")
    sources = await world.services.world.provenance.read_evidence(mill_id)
    assert sources[0].place == "after turn 2 of scene 1 “The yard”"
    roll_trace = await play_service.trace(roll_turn.id)
    assert {f.statement for f in roll_trace.facts if f.id in roll_trace.declared_ids} == {
        "Dob Harrow owns the mill."
    }


async def test_effect_of_a_roll_rests_on_the_roll_first(world: World) -> None:
    await play(
        world, "/creature Rat: scarred", "I stamp on the rat. /check 2d6+9 vs 5; success: Rat +stunned"
    )
    await play(world, "/commit")
    kinds = [kind for kind, _ in await read_quotes(world, await fact_id_of(world, "Rat", "Rat is stunned."))]
    assert kinds == [EvidenceKind.RESOLUTION, EvidenceKind.TURN, EvidenceKind.SCENE]


async def test_declaration_is_undone_with_its_command_and_with_its_turn(world: World) -> None:
    await play(
        world, "I wait.", "I stamp on the rat.", "/npc Dob Harrow: a clerk", "/fact Dob Harrow is tall"
    )
    titles = [p.title for p in (await world.services.play.scene(world.scene_id)).proposals]
    assert len(titles) == 2
    await play(world, "/undo")
    assert [p.title for p in (await world.services.play.scene(world.scene_id)).proposals] == titles[:1]
    await play(world, "/redo", "/undo", "/undo", "/undo")
    view = await world.services.play.scene(world.scene_id)
    assert view.proposals == ()


async def test_undo_of_a_committed_declaration_proposes_it_again_on_its_turn(world: World) -> None:
    await play(world, "I wait.", "I stamp on the rat.", "/fact Mara is tall", "/commit")
    reply = await world.services.play.undo(world.scene_id)
    assert reply.confirm_line
    await play(world, reply.confirm_line)
    gate = await world.services.gate.gate(world.scene_id)
    assert [(p.title, p.status, p.turn_number) for p in gate.proposals] == [
        ("Mara is tall.", ProposalStatus.PENDING, 2)
    ]


async def test_gate_quotes_an_earlier_line_with_its_own_turn(world: World) -> None:
    await play(world, "/npc here Dob Harrow: a clerk", "I wait.", "> Dob Harrow gives me a brass key.")
    await play(world, "I look around.", "> It rains.", "/thing brass key", "> Dob Harrow gives me a coin.")
    rows = (await world.services.gate.gate(world.scene_id)).proposals
    places = {row.title: (row.turn_number, row.quote) for row in rows}
    assert places["Mara has the brass key."] == (2, "Dob Harrow gives me a brass key")
    assert places["brass key"] == (4, "brass key")  # typed after that turn


def test_evidence_of_an_earlier_version_lists_an_unrelated_turn_last() -> None:
    dice = Evidence(
        id="t", kind=EvidenceKind.TURN, ref_id="t", quote="2d6+9 [2,4]+9 = 15 vs 5 · success", turn_id="t"
    )
    seen = Evidence(id="s", kind=EvidenceKind.TURN, ref_id="s", quote="Dob lies dead.", turn_id="s")
    word = Evidence(id="w", kind=EvidenceKind.MANUAL, ref_id="p", quote="Dob Harrow is dead", turn_id="t")
    scene = Evidence(id="c", kind=EvidenceKind.SCENE, ref_id="c", scene_id="c")
    ordered = sort_evidence([scene, dice, seen, word], "Dob Harrow died.")
    assert [e.id for e in ordered] == ["w", "s", "t", "c"]


async def test_fact_is_quoted_with_the_line_that_is_its_very_words(world: World) -> None:
    """The words by which the scene ended say it, too, in words of their own."""
    await play(world, "/npc here Hedda", "/npc here Lisk", "I wait.", "> Hedda drowns in the millrace.")
    await play(world, "/end Hedda is dead, and Lisk is safe")
    view = await world.services.gate.gate(world.scene_id)
    await world.services.gate.decide([row.proposal.id for row in view.proposals], Verdict.ACCEPT)
    await world.services.gate.commit(world.scene_id)
    answer = await world.services.query.answer_question(
        "Is Hedda dead?", universe_id=view.universe.id, in_words=False
    )
    assert (answer.findings[0].text, answer.findings[0].quote) == (
        "Hedda drowns in the millrace.",
        "Hedda drowns in the millrace",
    )


async def test_quotation_is_what_was_typed_and_the_programs_words_stand_without_marks(world: World) -> None:
    lines = (
        "/place Pier Nine: of tarred boards",
        "/npc here Dob Harrow: a clerk",
        "/commit",
        "I look round.",
        "/go Pier Nine",
        "/state Dob Harrow +wounded, Dob Harrow.nerve = 3",
        "/clock Tide 6",
        "/clock Tide +1",
        "/fact promise: Dob owes the well a coin",
        "/paid 1",
        "> Dob dies of his wounds.",
        "I promise Dob to mend the net.",
    )
    await play(world, *lines)
    rows = (await world.services.play.scene(world.scene_id)).proposals
    assert len(rows) >= 6
    for row in rows:
        for evidence in row.proposal.evidence:
            assert not evidence.is_quotation or any(evidence.quote in line for line in lines), evidence
    moved = next(row for row in rows if row.title.startswith("Mara is in"))
    assert (moved.quote, moved.is_quotation) == ("/go Pier Nine", True)
    (clock,) = (row for row in rows if "Tide" in row.title)
    assert not clock.is_quotation
    width = 100
    drawn = ["".join(text for text, _ in line) for line in detail_lines(clock, width, with_change=False)]
    assert any(clock.quote in line for line in drawn)
    assert not any(f"“{clock.quote}" in line for line in drawn)
    answer = await world.services.query.answer_question(
        "Where is Mara?", universe_id=world.id, in_words=False
    )
    found_lines = [line for finding in answer.findings for line in finding_lines(finding, width)]
    shown = ["".join(part for part, _ in line) for line in found_lines]
    assert any("“/go Pier Nine”" in text for text in shown)
    assert not any("goes to" in text for text in shown)
    await play(world, "/accept all", "/commit")
    exported = write_markdown(
        await world.services.stories.story_record((await world.services.play.scene(world.scene_id)).story.id)
    )
    assert "“Mara goes to" not in exported
    assert "“Tide ●" not in exported
    assert "“Paid:" not in exported


@pytest.mark.parametrize(
    ("told", "command", "statement"),
    [
        ("> The chapel door is open.", "/fact The chapel door is red", "The chapel door is red."),
        ("> Marrow sells me the skiff.", "/fact Marrow burned the skiff", "Marrow burned the skiff."),
    ],
)
async def test_declaration_takes_no_turn_along_that_shares_a_noun(
    world: World, told: str, command: str, statement: str
) -> None:
    await play(world, "/npc here Marrow: a boatman", told, command)
    gate = await world.services.gate.gate(world.scene_id)
    (row,) = [p for p in gate.proposals if p.title == statement]
    assert [piece.kind for piece in row.proposal.evidence] == [EvidenceKind.MANUAL]


async def test_outcome_takes_no_turn_along_that_shares_a_noun(world: World) -> None:
    await play(
        world, "/npc here Marrow: a boatman", "> Marrow sells me the skiff.", "I lose the lamp to Marrow."
    )
    await play(world, "/end Mara lost the lamp to Marrow")
    gate = await world.services.gate.gate(world.scene_id)
    (row,) = [p for p in gate.proposals if p.title == "Mara lost the lamp to Marrow."]
    quotes = [piece.quote for piece in row.proposal.evidence if piece.kind is EvidenceKind.TURN]
    assert quotes == ["I lose the lamp to Marrow."]


async def test_gate_says_after_which_turn_a_declaration_was_typed(world: World) -> None:
    await play(world, "I look round.", DICE_LINE, "/npc here Old Tam: keeper of the salt bell")
    await play(world, "> Old Tam owes me a coin.")
    rows = {row.title: row for row in (await world.services.gate.gate(world.scene_id)).proposals}
    shown = {
        title: ["".join(text for text, _ in line) for line in detail_lines(row, 80, with_change=False)]
        for title, row in rows.items()
    }
    assert "after turn 2  “Old Tam: keeper of the salt bell”" in shown["Old Tam"]
    (debt,) = [lines for title, lines in shown.items() if "owes" in title]
    assert "turn 3  “Old Tam owes me a coin.”" in debt or "turn 3  “Old Tam owes me a coin”" in debt


@pytest.mark.parametrize(
    ("line", "is_of_turn"),
    [("I walk along the frozen quay.", False), ("Teodor waits on the quay.", True)],
)
async def test_declared_person_rests_on_no_way_that_is_called_as_they_are(
    world: World, line: str, is_of_turn: bool
) -> None:
    await play(world, line, "/npc Teodor Quay: my lost brother")
    (row,) = (await world.services.play.scene(world.scene_id)).proposals
    assert (EvidenceKind.TURN in {piece.kind for piece in row.proposal.evidence}) is is_of_turn
