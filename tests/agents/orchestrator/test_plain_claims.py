"""Plain narration states facts: they wait at the gate, with the line as evidence, and are undone with it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agents.story_outline import NewCharacter, NewUniverse, StoryOutline
from agents.views.proposal_views import ProposalView
from agents.views.replies import Reply
from monitor_tui.compose import Program
from stores.authority import Role
from stores.records.canon import AssertFact, Authority, EndFact, EvidenceKind
from stores.records.ids import Id
from stores.records.play import CriticalCommitMode, StoryMode
from stores.records.workflow import Verdict
from tests.examples import first_few
from tests.program import begin, opened
from widgets.cast_box import cast_content
from widgets.entity_card import card_rows

WORLD = (
    "/npc here Dob Harrow: the pier-keeper",
    "/npc Iselin Quay: a salvager",
    "/npc Tam: a ferryman",
    "/npc Bela: a miller",
    "/npc Captain Vess: of the skiff",
    "/creature Rat: large and grey",
    "/place Pier Nine",
    "/place Salvage Skiff",
    "/place Tower",
    "/thing Glass Bell",
    "/thing Iron Chest",
    "/faction The Red Sedge",
    "/commit",
)


class Table:
    """A scene in a world with people, places and things, and the replies of the program."""

    def __init__(self, program: Program, scene_id: Id) -> None:
        self.program = program
        self.scene_id = scene_id

    async def play(self, line: str) -> Reply:
        return await self.program.services.play.submit(self.scene_id, line)

    async def rows(self) -> list[ProposalView]:
        """Return the facts that are proposed."""
        rows = (await self.program.services.play.scene(self.scene_id)).proposals
        return [row for row in rows if isinstance(row.proposal.change, AssertFact) and row.verdict is None]

    async def titles(self) -> list[str]:
        return [row.title for row in await self.rows()]

    async def predicates(self) -> list[str]:
        changes = [row.proposal.change for row in await self.rows()]
        return [change.predicate for change in changes if isinstance(change, AssertFact)]

    async def accept_all(self) -> None:
        ids = [row.proposal.id for row in await self.rows()]
        await self.program.services.gate.decide(ids, Verdict.ACCEPT)
        await self.play("/commit")


@asynccontextmanager
async def seated(home: Path) -> AsyncIterator[Table]:
    async with opened(home) as program:
        table = Table(program, await begin(program))
        for line in (*WORLD, "I look round."):
            await table.play(line)
        yield table


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "predicate"),
    first_few(
        [
            ("> Dob Harrow stole the glass bell.", "stated"),
            ("> Captain Vess gives the Glass Bell to Bela.", "stated"),
            ("> The rain beats on the roof. Iselin Quay is at Pier Nine.", "located_in"),
            ("> The Glass Bell hangs in the Tower.", "located_in"),
            ("> Dob owns the Salvage Skiff, and the gulls scream.", "owns"),
            ("> The skiff belongs to Captain Vess.", "owned_by"),
            ("> The Glass Bell is Tam's.", "owned_by"),
            ("> Bela and Tam are sworn enemies.", "enemy_of"),
            ("> Bela is the mother of Tam.", "parent_of"),
            ("> Bela is married to Captain Vess.", "married_to"),
            ("> Tam is a member of the Red Sedge.", "member_of"),
            ("> Bela is not Tam's sister.", "stated"),
            ("> Tam never drinks.", "stated"),
            ("> Tam owes Bela three coins.", "owes"),
            ("> Captain Vess is the captain of the Salvage Skiff.", "stated"),
            ("> Bela has no children.", "stated"),
            ("> Tam is blind.", "stated"),
            ("> Iselin Quay is alive.", "alive"),
            ("> Dob Harrow was killed by Captain Vess.", "alive"),
            ("Dob Harrow stole the glass bell.", "stated"),
            ("> Captain Vess is in the Tower again.", "located_in"),
            ("> Dob owns the Salvage Skiff once more.", "owns"),
            ("> The Glass Bell hangs in the Tower, once again.", "located_in"),
        ]
    ),
)
async def test_plain_narration_proposes_what_it_states(tmp_path: Path, line: str, predicate: str) -> None:
    async with seated(tmp_path) as table:
        reply = await table.play(line)
        assert await table.predicates() == [predicate]
        said = [text for text in reply.lines if "in this scene" not in text]
        assert said == [f"Proposed: {(await table.titles())[0]}"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "title"),
    first_few(
        [
            ("I leave the glass bell with Vess.", "Vess has the glass bell."),
            ("I give the glass bell to Captain Vess, and go.", "Captain Vess has the glass bell."),
            ("I hand Bela the glass bell.", "Bela has the glass bell."),
            ("I lend Tam the glass bell.", "Tam has the glass bell."),
            ("I take the glass bell back from Vess.", "Mara has the glass bell."),
            ("I steal the bell from Bela.", "Mara has the bell."),
            ("I rob Bela of the glass bell.", "Mara has the glass bell."),
            ("I put the glass bell in the Tower.", "The glass bell is in the Tower."),
            ("I drop the glass bell in the Tower.", "The glass bell is in the Tower."),
            ("I leave the glass bell behind.", "The glass bell is in Yard."),
            ("I leave the bell at Pier Nine.", "The bell is at Pier Nine."),
            ("I put the bell in the chest.", "The bell is in the chest."),
            ("I throw the bell to Dob.", "Dob has the bell."),
            ("I pick up the glass bell.", "Mara has the glass bell."),
            ("I take the glass bell from the shelf.", "Mara has the glass bell."),
            ("Vess hands me the bell.", "Mara has the bell."),
            ("> Vess hands you the bell.", "Mara has the bell."),
            ("> Mara leaves the bell with Vess.", "Vess has the bell."),
            ("> Vess handed Mara the bell.", "Mara has the bell."),
            ("> Dob pockets the bell.", "Dob has the bell."),
            ("> Captain Vess drops the bell into the Tower.", "The bell is in the Tower."),
        ]
    ),
)
async def test_thing_that_is_handed_over_has_a_holder_or_a_place(
    tmp_path: Path, line: str, title: str
) -> None:
    async with seated(tmp_path) as table:
        reply = await table.play(line)
        assert await table.titles() == [title]
        assert f"Proposed: {title}" in reply.lines
        await table.play("/undo")
        assert await table.titles() == []


@pytest.mark.parametrize(
    ("line", "title", "quote"),
    [
        ("give the glass bell to Bela", "Bela has the glass bell.", "give the glass bell to Bela"),
        ("Take the glass bell from Vess.", "Mara has the glass bell.", "Take the glass bell from Vess"),
    ],
)
async def test_thing_that_changes_hands_in_notes_rests_on_the_words_of_the_line(
    tmp_path: Path, line: str, title: str, quote: str
) -> None:
    async with seated(tmp_path) as table:
        await table.play(line)
        (row,) = await table.rows()
        assert (row.title, row.quote) == (title, quote)


@pytest.mark.parametrize("line", ["Give me the glass bell, Vess.", "Give Bela the glass bell!"])
async def test_order_to_somebody_hands_nothing_over(tmp_path: Path, line: str) -> None:
    async with seated(tmp_path) as table:
        await table.play(line)
        assert await table.titles() == []


@pytest.mark.parametrize("line", ["I kill Vess.", "kill Vess"])
async def test_killing_of_the_hero_is_of_the_scene_in_notes_too(tmp_path: Path, line: str) -> None:
    async with seated(tmp_path) as table:
        await table.play("/cast + Vess")
        reply = await table.play(line)
        assert any("dead in this scene" in text for text in reply.lines), reply.lines
        assert await table.titles() == []


async def test_thing_that_goes_from_hand_to_hand_is_with_the_last(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        for line in ("I leave the glass bell with Vess.", "I take the glass bell back from Vess."):
            await table.play(line)
            await table.accept_all()
        await table.play("I give the glass bell to Bela.")
        (row,) = await table.rows()
        assert (row.title, row.conflicts) == ("Bela has the glass bell.", ())


async def test_thing_that_is_given_by_who_does_not_have_it_is_said_to_be_with_another(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await table.play("/fact Dob Harrow has the Glass Bell")
        await table.accept_all()
        is_with_dob = "⚠ Canon says “Dob Harrow has the Glass Bell.” By this line it was with"
        for line, warning in (
            ("Captain Vess gives Iselin the bell.", f"{is_with_dob} Captain Vess."),
            ("I take the bell from Tam.", f"{is_with_dob} Tam."),
            ("I leave the bell at Pier Nine.", f"{is_with_dob} Mara."),
        ):
            reply = await table.play(line)
            assert warning in reply.lines, line
            assert [row.mark for row in await table.rows()] == ["defer"], "the player decides"
            await table.play("/undo")
        for line in ("Dob gives Iselin the bell.", "Dob gives Iselin the bell.", "I pick up the bell."):
            assert not [text for text in (await table.play(line)).lines if text.startswith("⚠")], line
        warning = "⚠ Another proposal says “Mara has the bell.” By this line it was with Captain Vess."
        assert warning in (await table.play("Captain Vess gives Tam the bell.")).lines
        await table.play("/undo")
        await table.accept_all()
        universe_id = (await table.program.services.play.scene(table.scene_id)).universe.id
        canon = table.program.stores.canon(Role.MEMORY_MANAGER)
        (bell,) = await canon.find_entity(universe_id, "Glass Bell")
        assert [fact.statement for fact in await canon.facts_about(bell.id)] == ["Mara has the bell."]


@pytest.mark.slow
@pytest.mark.parametrize("is_canon", [False, True])
@pytest.mark.parametrize(
    ("there", "away", "name"),
    [
        ("I leave the glass bell with Vess.", "I take the glass bell back from Vess.", "Glass Bell"),
        ("> Iselin Quay is at Pier Nine.", "> Iselin Quay is in the Tower.", "Iselin Quay"),
    ],
)
async def test_what_goes_away_and_back_within_a_scene_is_where_it_was_last(
    tmp_path: Path, there: str, away: str, name: str, is_canon: bool
) -> None:
    async with seated(tmp_path) as table:
        await table.play(there)
        (first_title,) = await table.titles()
        if is_canon:
            await table.accept_all()
        await table.play(away)
        assert f"Proposed: {first_title}" in (await table.play(there)).lines
        await table.accept_all()
        universe_id = (await table.program.services.play.scene(table.scene_id)).universe.id
        canon = table.program.stores.canon(Role.MEMORY_MANAGER)
        (entity,) = await canon.find_entity(universe_id, name)
        assert [fact.statement for fact in await canon.facts_about(entity.id)] == [first_title]


async def test_thing_that_is_taken_or_put_away_is_where_it_was_no_more(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        for line in (
            "I leave the bell at Pier Nine.",
            "> Bela grabs the bell.",
            "I put the bell in the chest.",
        ):
            await table.play(line)
            await table.accept_all()
        universe_id = (await table.program.services.play.scene(table.scene_id)).universe.id
        canon = table.program.stores.canon(Role.MEMORY_MANAGER)
        (bell,) = await canon.find_entity(universe_id, "Glass Bell")
        facts = await canon.facts_about(bell.id)
        assert [fact.statement for fact in facts] == ["The bell is in the chest."]


STATING_NOTHING = (
    "I leave the Tower with Vess.",
    "I leave Tam with Vess.",
    "I leave my coat with Vess.",
    "I give Vess my hand.",
    "I leave the glass bell with him.",
    "I put the glass bell in my pocket.",
    "I give the glass bell to Vess. /check 2d6 vs 2",
    "I tell Vess: I leave the glass bell with Tam.",
    "I could leave the glass bell with Tam.",
    "I do not give Vess the glass bell.",
    "I take the bell to Vess.",
    "I leave the bell with Vess, right?",
    "I hand Bela the bell, but she drops it.",
    "'I leave the bell with Vess,' says Tam.",
    "Vess hands me the bell. /check 2d6 vs 2",
    "> Captain Vess had left the bell with Bela.",
    "> Tomorrow Vess hands Bela the bell.",
    "> Vess hands Bela the bell every night.",
    "> Maybe Vess hands Bela the bell.",
    "> Let Vess hand Bela the bell.",
    "> Vess throws the bell at Bela.",
    "> Vess drops the bell.",
    "> Wil pockets the bell.",
    "> Vess takes the Tower from Bela.",
    "> Tam runs to the Tower.",
    "> Tam runs to the Tower again.",
    "> Tam is angry again.",
    "> The rain beats on the roof.",
    "> Captain Vess looks at the Glass Bell.",
    "> Tam is angry.",
    "> Tam is dying.",
    "> Tam is at the door.",
    "> Tam sits in the Tower.",
    "> Tam has no answer.",
    "> Bela never looks up.",
    "> Tam cannot answer.",
    "> Bela gives Tam a push.",
    "> Bela steals a glance at Tam.",
    "> Bela carries the Glass Bell to the Tower.",
    "> Captain Vess serves Tam a cup of wine.",
    "> Tam knows the way.",
    "> The wind dies down.",
    "> He is dead.",
    "> Is Tam dead?",
    "> If Tam is dead, Bela owns the Salvage Skiff.",
    "> Tam may be dead.",
    '> "Tam is dead," says Bela.',
    "> 'Tam is dead,' says Bela.",
    "> Bela says that Tam is dead, and Dob stole the Glass Bell.",
    "> The letter says: Tam is dead.",
    "> Bela dreams that Tam is dead.",
    "> Somebody whom nobody knows is dead.",
    "> Hob Nobody is dead.",
    "> Wil Harrow is dead.",
    "> Dob Askew owns the Salvage Skiff.",
    "I tell Bela that Tam is dead.",
    '"Tam is dead," I say.',
    "My friend Tam is dead.",
    "/whisper Dob: Tam is dead.",
    "? Is Tam dead",
    "> Tam is dead. /check 2d6 vs 2",
    "> Dob nearly dies.",
    "> Dob almost dies of his wounds.",
    "> Dob would die for you.",
    "> Dob will die of his wounds.",
    "> Dob wants to die.",
    "> Dob dies of laughter.",
    "> Dob died of boredom.",
    "> Dob dies a little inside.",
    "> Dob is dead tired.",
    "> Dob's brother dies of his wounds.",
    "> The fire dies.",
    "> The fire died in the hearth.",
    "> Does Dob die of his wounds?",
    "> Bela says that Dob is dead of his wounds.",
    "> Bela says: Dob dies of his wounds.",
    "> Bela dreams that Dob dies of his wounds.",
    "> Bela fears Dob bleeds to death.",
    "> Tam tells how Dob died of his wounds.",
    "> In the song Dob dies of his wounds.",
    "> Dob dies of his wounds in Tam's tale.",
    "> When Dob dies of his wounds, the skiff is hers.",
    "> Once Dob died, nobody mended nets.",
    "> If Dob dies of his wounds, Tam weeps.",
    '> "Dob dies of his wounds," says Bela.',
    "I kill the lamp.",
    "I die of laughter.",
    "> Dob dies of his wounds. /check 2d6 vs 2",
)


@pytest.mark.slow
async def test_plain_narration_proposes_nothing_else(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        for line in STATING_NOTHING:
            await table.play(line)
            assert await table.titles() == [], line
            await table.play("/undo")


async def test_claim_waits_with_its_words_as_evidence_and_says_how_it_was_read(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await table.play("> The gulls scream. Dob Harrow stole the glass bell, and the tide turns.")
        (row,) = await table.rows()
        assert row.reading == "read as: Dob Harrow — stole — Glass Bell"
        assert row.mark == "defer"
        assert row.proposal.authority is Authority.SYSTEM
        (evidence,) = row.proposal.evidence
        turn = (await table.program.services.play.transcript(table.scene_id, 0, 100))[-1].turn
        assert (evidence.kind, evidence.ref_id, evidence.quote) == (
            EvidenceKind.TURN,
            turn.id,
            "Dob Harrow stole the glass bell",
        )
        assert evidence.span is not None
        assert turn.text[slice(*evidence.span)] == evidence.quote


async def test_claim_is_undone_and_redone_with_its_line(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await table.play("> Bela is the mother of Tam. Tam owns the Salvage Skiff.")
        titles = ["Bela is the mother of Tam.", "Tam owns the Salvage Skiff."]
        assert await table.titles() == titles
        await table.play("/undo")
        assert await table.titles() == []
        await table.play("/redo")
        assert await table.titles() == titles


@pytest.mark.parametrize("is_canon", [False, True])
async def test_claim_that_is_open_or_canon_already_is_not_proposed_again(
    tmp_path: Path, is_canon: bool
) -> None:
    async with seated(tmp_path) as table:
        await table.play(
            "> Bela is the mother of Tam. Dob Harrow is dead. Captain Vess stole the Glass Bell."
        )
        assert len(await table.titles()) == 3
        if is_canon:
            await table.accept_all()
        before = await table.titles()
        for line in (
            "> Tam is Bela's son.",
            "> Dob Harrow is dead.",
            "> Dob dies.",
            "> Captain Vess stole the Glass Bell.",
        ):
            await table.play(line)
        assert await table.titles() == before


@pytest.mark.parametrize(
    "line", ["> Rat dies.", "> Rat is dead.", "> The rat dies.", "> Then Rat falls dead."]
)
async def test_plain_death_is_proposed_and_offered_for_a_commit(tmp_path: Path, line: str) -> None:
    async with seated(tmp_path) as table:
        reply = await table.play(line)
        assert await table.predicates() == ["alive"]
        assert f"Proposed: {(await table.titles())[0]}" in reply.lines
        assert not any("/fact" in said for said in reply.lines)
        view = await table.program.services.play.scene(table.scene_id)
        assert view.trigger_reason.startswith("Critical: ")


DEATHS = (
    "> Dob dies of his wounds.",
    "> Dob Harrow died of his wounds.",
    "> Dob breathes his last.",
    "> Dob succumbs to his wounds.",
    "> Dob Harrow did not live to see the morning.",
    "> Dob dies in the night, his hand in yours.",
    "> At dawn Dob dies of his wounds.",
    "> Of his wounds Dob dies.",
    "> Poor Dob finally dies of his wounds.",
    "> Dob, the pier-keeper, dies of his wounds.",
    "> Dob staggers. He dies of his wounds.",
    "> Dob's throat is cut, and he dies.",
    '> Dob whispers, "Tell her," and dies.',
    "> You kill Dob.",
    "Dob dies of his wounds.",
)
"""Lines that tell of Dob's death, whose words are no statement of the catalogue's."""


@pytest.mark.parametrize("line", first_few(DEATHS))
async def test_death_that_is_told_waits_with_its_words_as_evidence(tmp_path: Path, line: str) -> None:
    async with seated(tmp_path) as table:
        reply = await table.play(line)
        assert reply.lines == ("Dob Harrow is dead in this scene.", "Proposed: Dob Harrow died.")
        (row,) = await table.rows()
        assert (row.title, row.mark) == ("Dob Harrow died.", "defer")
        assert row.quote in line
        assert await table.predicates() == ["alive"]
        await table.play("/undo")
        assert await table.titles() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "> Dob bleeds to death on the planks.",
        "> Dob gave up the ghost.",
        "> Dob passed away in the night.",
        "> Dob does not survive the night.",
        "> Dob was put to death.",
    ],
)
async def test_death_of_its_own_words_is_stated_in_them(tmp_path: Path, line: str) -> None:
    async with seated(tmp_path) as table:
        words = line.removeprefix("> ")
        assert (await table.play(line)).lines == ("Dob Harrow is dead in this scene.", f"Proposed: {words}")
        assert await table.predicates() == ["alive"]


async def test_death_is_told_of_whom_the_line_before_means(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await table.play("> Dob staggers.")
        await table.play("> He dies of his wounds.")
        assert await table.titles() == ["Dob Harrow died."]


@pytest.mark.parametrize(
    ("lines", "titles"),
    [
        (["> Dob grins.", "> He owes me three crowns."], ["Dob Harrow owes Mara three crowns."]),
        (["> Dob grins. He still owes Bela four shillings."], ["Dob Harrow still owes Bela four shillings."]),
        (["> Dob grins.", "> He owes it all to luck."], []),
        (["> Dob looks at Tam.", "> He owes me three crowns."], []),
        (["> Dob leaves.", "> He owes me three crowns."], []),
        (["> A stranger walks up to Dob.", "> He owes me three crowns."], []),
        (["> Dob grins.", '> "He owes me three crowns," says Tam.'], []),
        (["> Dob grins.", "> Bela says that he owes me three crowns."], []),
    ],
)
async def test_debt_of_who_is_meant_by_a_pronoun_is_proposed_where_it_is_one_person_here(
    tmp_path: Path, lines: list[str], titles: list[str]
) -> None:
    async with seated(tmp_path) as table:
        await table.play("> Dob Harrow and Tam come in.")
        for line in lines:
            await table.play(line)
        assert await table.titles() == titles


@pytest.mark.parametrize(
    ("lines", "titles"),
    [
        (["> Dob leaves.", "> He is dead."], []),
        (["I leave.", "> Dob stays behind.", "> He is dead."], ["Dob Harrow died."]),
        (["/cast - Dob", "> He drowns."], []),
        (["> Dob leaves. He is dead by noon."], ["Dob Harrow died."]),
        (["> Dob leaves.", "> They find the boots of Dob.", "> He drowned."], ["Dob Harrow died."]),
        (["> Dob leaves.", "> He comes back.", "> He is dead."], ["Dob Harrow died."]),
        (["> Dob leaves.", "> Dob is dead."], ["Dob is dead."]),
    ],
)
async def test_pronoun_tells_no_death_of_who_has_left(
    tmp_path: Path, lines: list[str], titles: list[str]
) -> None:
    async with seated(tmp_path) as table:
        await table.play("> Dob Harrow comes in.")
        for line in lines:
            await table.play(line)
        assert await table.titles() == titles


@pytest.mark.parametrize(
    ("line", "titles"),
    first_few(
        [
            ("> Tam dies of his wounds.", ["Tam died."]),
            ("> Far away, Iselin bled to death.", ["Iselin Quay died."]),
            ("> The captain dies of her wounds.", ["Captain Vess died."]),
            ("> Dob and Tam die of the fever.", ["Dob Harrow died.", "Tam died."]),
            ("> You die of your wounds.", ["Mara died."]),
            ("> Vess kills you.", ["Mara died."]),
            ("> Dob is killed by Vess.", ["Dob is killed by Vess."]),
            ("> Vess kills Dob with one stroke.", ["Vess kills Dob with one stroke.", "Dob Harrow died."]),
        ]
    ),
)
async def test_death_is_told_of_anybody_who_is_known(tmp_path: Path, line: str, titles: list[str]) -> None:
    async with seated(tmp_path) as table:
        await table.play(line)
        assert sorted(await table.titles()) == sorted(titles)


async def test_death_that_is_told_is_canon_by_the_players_decision_alone(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await table.play("> Dob dies of his wounds.")
        await table.play("/commit")
        assert await table.titles() == ["Dob Harrow died."]
        await table.accept_all()
        assert "⚠ Dob Harrow is dead." in (await table.play("> Dob raises his cup.")).lines


async def test_who_is_said_to_survive_lives_again_by_the_players_decision(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        assert (await table.play("> Dob survived the fall.")).lines == (), "nobody said that he died"
        await table.play("> Dob falls from the pier. The fall breaks his neck.")
        assert await table.titles() == ["Dob Harrow died."]
        assert (await table.play("> Dob survived the fall.")).lines == (
            "Dob Harrow lives.",
            "Proposed: Dob Harrow is alive.",
            "⚠ Another proposal says “Dob Harrow died.” Only your word undoes that: accept one, reject the other.",
        )
        cast = (await table.program.services.play.scene(table.scene_id)).cast
        assert [member.note for member in cast if member.name == "Dob Harrow"] == [""]
        await table.play("> Dob did not survive.")
        assert (await table.titles())[-1] == "Dob did not survive."
        await table.play("/undo")
        await table.accept_all()
        await table.play("> A wave takes Dob; nothing is left of him.")
        assert await table.titles() == ["Dob Harrow died."]


async def test_claim_is_about_whom_the_whole_name_means(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        for line in ("/npc Wil Harrow: brother of Dob", "/commit", "I nod.", "> Wil Harrow is dead."):
            await table.play(line)
        (row,) = await table.rows()
        change = row.proposal.change
        assert isinstance(change, AssertFact)
        canon = table.program.stores.canon(Role.MEMORY_MANAGER)
        assert [(await canon.entity(i.entity_id)).name for i in change.involves] == ["Wil Harrow"]


async def test_claim_may_be_about_somebody_declared_in_the_scene(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        for line in ("/npc Old Wen: a widow", "> Old Wen owns the Salvage Skiff."):
            await table.play(line)
        assert await table.titles() == ["Old Wen owns the Salvage Skiff."]
        await table.play("/accept all")
        await table.play("/commit")
        assert await table.titles() == []


async def test_claim_said_in_passing_is_proposed(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await table.play('> Captain Vess, the mother of Tam, says, "Dob stole the Glass Bell."')
        (row,) = await table.rows()
        assert row.title == "Captain Vess is the mother of Tam."
        assert row.quote == "Captain Vess, the mother of Tam"


async def test_claim_that_contradicts_canon_is_held_and_the_reply_says_so(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await table.play("> Dob Harrow stole the glass bell.")
        await table.accept_all()
        reply = await table.play("> Dob Harrow never stole the glass bell.")
        assert reply.lines == (
            "Proposed: Dob Harrow never stole the glass bell.",
            "⚠ Canon says “Dob Harrow stole the glass bell.” One denies what the other says.",
        )
        assert [row.mark for row in await table.rows()] == ["hold"]


async def test_claim_that_contradicts_an_open_proposal_holds_both(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await table.play("> Bela is an ally of Tam.")
        reply = await table.play("> Bela is an enemy of Tam.")
        assert [line[0] for line in reply.lines] == ["P", "⚠"]
        assert [row.mark for row in await table.rows()] == ["hold", "hold"]


async def test_claim_becomes_canon_only_by_the_players_decision(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await table.play("> Tam owns the Salvage Skiff.")
        await table.play("/commit")
        assert await table.titles() == ["Tam owns the Salvage Skiff."]
        await table.accept_all()
        universe = (await table.program.services.play.scene(table.scene_id)).universe
        canon = table.program.stores.canon(Role.MEMORY_MANAGER)
        assert "Tam owns the Salvage Skiff." in {fact.statement for fact in await canon.facts(universe.id)}


async def test_claim_of_autopilot_waits_as_what_a_model_proposes_does(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        universe = await program.services.stories.create_universe(NewUniverse("Test"))
        outline = StoryOutline(
            universe.id, "By itself", NewCharacter("Mara"), mode=StoryMode.AUTOPILOT, place="Yard"
        )
        table = Table(program, await program.services.stories.start_story(outline))
        for line in ("/npc Tam: a ferryman", "/npc Bela: a miller", "I wait."):
            await table.play(line)
        reply = await table.play("> Tam is married to Bela. Tam is dead.")
        assert not any(line.startswith("Canon") for line in reply.lines)
        assert [row.mark for row in await table.rows()] == ["defer", "defer"]


async def test_plain_death_is_not_canon_by_itself_where_deaths_are_committed_at_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = Table(program, await begin(program, critical=CriticalCommitMode.AUTO))
        for line in ("/npc Tam: a ferryman", "/commit", "I wait.", "> Tam is dead."):
            reply = await table.play(line)
        assert not any(line.startswith("Canon: ") for line in reply.lines)
        assert await table.predicates() == ["alive"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "> Dob raises his cup and laughs.",
        "> The door opens. Then Dob Harrow walks in.",
        "> Dob is playing dice.",
        "> Dob sits by the fire and counts his coins.",
    ],
)
async def test_reply_says_that_somebody_is_dead_who_acts_in_the_narration(tmp_path: Path, line: str) -> None:
    async with seated(tmp_path) as table:
        await table.play("> Dob Harrow is dead.")
        await table.accept_all()
        assert "⚠ Dob Harrow is dead." in (await table.play(line)).lines


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    first_few(
        [
            "> Dob lies on the planks.",
            "> Dob sits against the wall, his head to one side.",
            "> Dob's ghost laughs.",
            "> Bela dreams that Dob laughs.",
            "> Bela laughs, as Dob once laughed.",
            '> "Dob laughs," says Bela.',
            "> Tam tells a story of Dob.",
            "I see Dob laugh in my dream.",
        ]
    ),
)
async def test_reply_says_nothing_of_the_dead_who_do_not_act(tmp_path: Path, line: str) -> None:
    async with seated(tmp_path) as table:
        await table.play("> Dob Harrow is dead.")
        await table.accept_all()
        assert not any("⚠" in said for said in (await table.play(line)).lines)


@pytest.mark.parametrize(
    "line",
    ["> Bela leaves the Tower.", "> The bell tolls. Bela left the Tower.", "> Bela walks out of the Tower."],
)
async def test_leaving_ends_the_stay_and_states_no_other(tmp_path: Path, line: str) -> None:
    async with seated(tmp_path) as table:
        for declared in ("/fact Bela is in the Tower", "/commit"):
            await table.play(declared)
        assert "Proposed: No longer true: Bela is in the Tower." in (await table.play(line)).lines
        assert await table.titles() == []
        rows = (await table.program.services.play.scene(table.scene_id)).proposals
        ends = [row for row in rows if isinstance(row.proposal.change, EndFact)]
        assert [row.verdict for row in ends] == [None]
        await table.play("/undo")
        rows = (await table.program.services.play.scene(table.scene_id)).proposals
        assert not [row for row in rows if isinstance(row.proposal.change, EndFact)]


async def test_lasting_statement_of_a_thing_that_is_not_known_gets_a_note_once(tmp_path: Path) -> None:
    note = "“brass key” is not known in this world: /thing brass key makes it known (Tab takes it)."
    async with seated(tmp_path) as table:
        assert note in (await table.play("> The brass key is broken.")).lines
        assert note not in (await table.play("> The brass key is broken.")).lines
        for line in (
            "> The glass bell is cracked.",
            "> The long road is empty.",
            "> The old door creaks.",
            '> "The iron lamp is broken," says Dob.',
            "> The lamp is broken.",
        ):
            assert not [text for text in (await table.play(line)).lines if "is not known" in text], line


async def test_leaving_where_nobody_is_known_to_be_ends_nothing(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await table.play("/fact Bela is in the Tower")
        await table.play("/commit")
        for line in (
            "> Tam leaves the Tower.",
            "> Bela leaves Pier Nine.",
            '> "Bela leaves the Tower," says Dob.',
        ):
            await table.play(line)
            rows = (await table.program.services.play.scene(table.scene_id)).proposals
            assert not [row for row in rows if isinstance(row.proposal.change, EndFact)], line


async def test_declared_password_meets_another_one_in_canon(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        for line in ("/fact The password is salt", "/fact The captain is tired", "/commit"):
            await table.play(line)
        reply = await table.play("/fact The password is pepper")
        assert reply.lines[1:] == (
            "⚠ Canon says “The password is salt.” Only one of the two can be true at a time.",
        )
        assert "⚠" not in " ".join((await table.play("/fact The captain is old")).lines)
        assert "1 in conflict" in " ".join((await table.play("/commit")).lines)


async def test_password_in_quotation_marks_is_read_as_without(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        for line in ('/fact The password is "Heron".', "/fact Dob's surname is “Miller.”", "/commit"):
            await table.play(line)
        for line in ('The password is "Crane".', "The password is pepper", "The password is 'grey crane'"):
            assert (await table.play(f"/fact {line}")).lines[1] == (
                '⚠ Canon says “The password is "Heron".” Only one of the two can be true at a time.'
            ), line
            await table.play("/undo")
        assert (
            (await table.play('/fact Dob\'s surname is "Potter"'))
            .lines[1]
            .startswith("⚠ Canon says “Dob's surname")
        )
        await table.play("/undo")
        for line in ("The password is «Heron»", "The password is Heron", 'The password is not "Crane"'):
            assert not any(text.startswith("⚠") for text in (await table.play(f"/fact {line}")).lines), line
        await table.play('/fact Dob Harrow is "dead"')
        assert "alive" not in await table.predicates(), "what is not meant is no death"


async def test_name_of_two_people_says_who_may_be_meant_once(tmp_path: Path) -> None:
    note = "“Greta” may be Greta Moll or Greta Vey: nothing is noted of them. Write the whole name."
    async with seated(tmp_path) as table:
        for line in ("/npc here Greta Vey: a miller", "/npc here Greta Moll: a miller", "/commit"):
            await table.play(line)
        assert note in (await table.play("I give the bell to Greta.")).lines
        assert note not in (await table.play("> Greta is in the Tower.")).lines
        assert note in (await table.play("/fact Greta owns the glass bell")).lines
        assert note not in (await table.play("> Greta laughs.")).lines
        role_note = (
            "“the miller” may be Greta Moll or Greta Vey: nothing is noted of them. Write the whole name."
        )
        assert role_note in (await table.play("/fact The miller is dead")).lines
        reply = await table.play("I give the bell to Greta Vey.")
        assert reply.lines == ("Proposed: Greta Vey has the bell.",)


async def test_hero_tells_of_their_own_debts_and_ties_as_i(tmp_path: Path) -> None:
    """Whoever plays alone is both: what lasts is read in their own lines, too, and what they do is not."""
    told = {
        "I owe Dob Harrow four coins for the broken lamp.": "Mara owes Dob Harrow four coins for the broken lamp.",
        "Bela owes me for the last three parcels.": "Bela owes Mara for the last three parcels.",
        "Iselin is my enemy.": "Iselin is Mara's enemy.",
        "> Captain Vess is my rival.": "Captain Vess is Mara's rival.",
        "I am in the Tower with a lamp in my hand.": "",
        "I say I owe nobody anything.": "",
        "I owe you four coins.": "",
        "I owe it to Dob to stay.": "",
        "I wonder whether Bela owes me.": "",
    }
    async with seated(tmp_path) as table:
        for line, statement in told.items():
            reply = await table.play(line)
            assert [x for x in reply.lines if x.startswith("Proposed")] == (
                [f"Proposed: {statement}"] if statement else []
            ), line
        reply = await table.play("I give Dob Harrow the four coins I owe him.")
        assert reply.suggested_line.startswith("/paid Mara owes Dob Harrow four coins")


async def test_debt_is_told_once_and_a_shorter_one_is_noted(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await table.play("> Dob owes Vess four coins for the broken lamp.")
        await table.play("> Dob Harrow owes Captain Vess four coins for the broken lamp.")
        assert await table.titles() == ["Dob owes Vess four coins for the broken lamp."]
        reply = await table.play("> Dob owes Captain Vess four coins.")
        assert any("may be the same debt" in line for line in reply.lines)


async def test_blind_who_read_are_noted(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await table.play("> Dob Harrow is blind.")
        reply = await table.play("> Dob looks at the letter and reads it aloud.")
        assert reply.lines == ("⚠ Dob Harrow is blind.",)


async def test_dead_have_no_hit_points_in_the_cast_and_on_their_card(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await table.play("/creature here Toll Dog: old (hp 6)")
        assert "Toll Dog · hp 6" in (await table.play("/cast")).lines
        await table.play("> The toll dog dies of its wounds.")
        assert "Toll Dog · dead" in (await table.play("/cast")).lines
        await table.play("/accept all")
        await table.play("/commit")
        assert (await table.play("/show Toll Dog")).lines == ("Toll Dog (creature). old", "· Toll Dog died.")
        assert "Toll Dog · dead" in (await table.play("/cast")).lines
        cast = (await table.program.services.play.scene(table.scene_id)).cast
        dog = next(member for member in cast if member.name == "Toll Dog")
        assert cast_content([dog]).plain == "Toll Dog  dead"
        rows = card_rows(await table.program.services.world.read_card(dog.entity_id))
        assert "HP" not in str([row.draw(80) for row in rows])


async def test_creature_that_shatters_is_proposed_as_dead_and_a_person_who_is_crushed_is_not(
    tmp_path: Path,
) -> None:
    async with seated(tmp_path) as table:
        await table.play("/creature here Pane-Hound: a hound of glass")
        assert (await table.play("> The Pane-Hound shatters the window.")).lines == ()
        assert (await table.play("> Dob is crushed by the news.")).lines == ()
        reply = await table.play("> The Pane-Hound shatters.")
        assert reply.lines == ("Pane-Hound is dead in this scene.", "Proposed: Pane-Hound died.")
