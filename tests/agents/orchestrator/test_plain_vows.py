"""Decisions and promises in plain words: entered, proposed or offered with their line, and undone with it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agents.proposals.proposals import Proposals
from agents.views.replies import Reply
from monitor_tui.compose import Program
from stores.records.canon import AssertFact, FactKind
from stores.records.ids import Id
from stores.records.llm import Persona
from tests.agents.orchestrator.scripted_program import telling
from tests.played_scene import PlayedScene
from tests.program import begin, opened

NOTHING_DECIDED = ("Nothing is decided yet. /decide WORDS does it.",)
SWORN = '"I swear to bring the bell back before winter," I tell Iselin.'
SWORN_TITLE = "Mara promised Iselin Quay to bring the bell back before winter."


class Table:
    """A scene with Mara, Iselin Quay and Tam, and the replies of the program."""

    def __init__(self, program: Program, scene_id: Id) -> None:
        self.program = program
        self.scene_id = scene_id

    async def play(self, line: str) -> Reply:
        reply = await self.program.services.play.submit(self.scene_id, line)
        if reply.goto == "scene" and reply.subject:
            self.scene_id = reply.subject
        return reply

    async def decisions(self) -> tuple[str, ...]:
        return (await self.play("/decisions")).lines

    async def promises(self) -> list[str]:
        """Return the promises that are proposed."""
        rows = (await self.program.services.play.scene(self.scene_id)).proposals
        return [
            change.statement
            for change in (row.proposal.change for row in rows)
            if isinstance(change, AssertFact) and change.fact_kind is FactKind.COMMITMENT
        ]

    async def ledger(self) -> list[tuple[str, str, str, bool, bool]]:
        """Return statement, debtor, creditor, and whether it is open and was met."""
        universe = (await self.program.services.play.scene(self.scene_id)).universe
        ledger = await self.program.services.world.commitments.read_commitments(universe.id, self.scene_id)
        return [
            (c.fact.fact.statement, c.debtor, c.creditor, c.is_open, c.is_paid)
            for c in (*ledger.open_commitments, *ledger.closed_commitments)
        ]


@asynccontextmanager
async def seated(home: Path, *people: str) -> AsyncIterator[Table]:
    """Open the program in a scene with these people in canon."""
    async with opened(home) as program:
        table = Table(program, await begin(program))
        for name in people:
            await table.play(f"/npc here {name}: a salvager")
        await table.play("/commit")
        await table.play("I look round.")
        yield table


async def test_plain_decision_is_entered_and_said_quietly_and_undone_with_its_line(tmp_path: Path) -> None:
    async with seated(tmp_path, "Iselin Quay") as table:
        reply = await table.play("I decide never to set foot in the drowned chapel again.")
        said = "I never set foot in the drowned chapel again"
        assert reply.lines == (f"Decided: {said} (/lift 1 takes it back)",)
        assert await table.decisions() == (f"1. {said}  (scene 1)",)
        await table.play("/undo")
        assert await table.decisions() == NOTHING_DECIDED
        await table.play("/redo")
        assert await table.decisions() == (f"1. {said}  (scene 1)",)
        await table.play("/lift 1")
        assert await table.decisions() == NOTHING_DECIDED


async def test_plain_decision_of_the_moment_is_only_offered(tmp_path: Path) -> None:
    async with seated(tmp_path, "Iselin Quay") as table:
        reply = await table.play("I decide to go left.")
        assert reply.suggested_line == "/decide I go left"
        assert reply.lines == ("Decision? /decide I go left (Tab takes it)",)
        assert await table.decisions() == NOTHING_DECIDED
        await table.play(reply.suggested_line)
        assert await table.decisions() == ("1. Mara goes left  (scene 1)",)


@pytest.mark.parametrize(
    "line",
    [
        "> I decide never to come back, says the letter.",
        "? Do I decide never to come back",
        "/note I decide never to come back",
        "I plan never to come back.",
    ],
)
async def test_line_that_is_not_the_players_decision_decides_nothing(tmp_path: Path, line: str) -> None:
    async with seated(tmp_path, "Iselin Quay") as table:
        reply = await table.play(line)
        assert (await table.decisions(), reply.suggested_line) == (NOTHING_DECIDED, "")


async def test_plain_decision_is_in_the_next_prompt_of_the_narrator(tmp_path: Path) -> None:
    async with telling(tmp_path) as story:
        submit = story.program.services.play.submit
        reply = await submit(story.scene_id, "From now on I sleep with the door barred.")
        assert "Decided: From now on I sleep with the door barred (/lift 1 takes it back)" in reply.lines
        await submit(story.scene_id, "I wait.")
        assert "- From now on I sleep with the door barred" in story.sent(Persona.NARRATOR)


async def test_plain_promise_is_proposed_with_promiser_and_promisee_and_undone_with_its_line(
    tmp_path: Path,
) -> None:
    async with seated(tmp_path, "Iselin Quay", "Tam") as table:
        reply = await table.play(SWORN)
        assert reply.lines == (f"Proposed: {SWORN_TITLE}",)
        assert await table.promises() == [SWORN_TITLE]
        assert await table.ledger() == []
        await table.play("/undo")
        assert await table.promises() == []
        await table.play("/redo")
        await table.play("/commit")
        assert await table.ledger() == [(SWORN_TITLE, "Mara", "Iselin Quay", True, False)]


@pytest.mark.parametrize(
    ("people", "line", "title"),
    [
        (
            ("Iselin Quay",),
            '"I promise you a new boat," I say.',
            "Mara promised Iselin Quay: “A new boat.”",
        ),
        (
            ("Iselin Quay", "Tam"),
            '"I promise that the mill will turn again," I say.',
            "Mara promised: “The mill will turn again.”",
        ),
        (
            ("Iselin Quay", "Tam"),
            "/whisper Tam: I promise you that I will stay.",
            "Mara promised Tam: “I will stay.”",
        ),
        (
            ("Iselin Quay", "Tam"),
            '> "I will pay you back by Lammas, I swear it," says Tam.',
            "Tam promised Mara: “I will pay you back by Lammas.”",
        ),
        (
            ("Iselin Quay", "Tam"),
            "> Tam promises Iselin to mend her net.",
            "Tam promised Iselin Quay to mend her net.",
        ),
        (
            ("Iselin Quay", "Tam"),
            "I swear to Tam not to tell Iselin.",
            "Mara promised Tam not to tell Iselin.",
        ),
        (
            ("Iselin Quay",),
            "I promise to pay her on Monday.",
            "Mara promised Iselin Quay to pay her on Monday.",
        ),
        (
            ("Iselin Quay", "Tam"),
            "I promise to pay her on Monday.",
            "Mara promised to pay her on Monday.",
        ),
        (
            ("Iselin Quay",),
            "I promise to avenge her.",
            "Mara promised to avenge her.",
        ),
        (
            ("Iselin Quay", "Tam"),
            "> Tam swears never to tell anybody about me.",
            "Tam promised never to tell anybody about Mara.",
        ),
    ],
)
async def test_plain_promise_is_made_to_whom_the_words_speak(
    tmp_path: Path, people: tuple[str, ...], line: str, title: str
) -> None:
    async with seated(tmp_path, *people) as table:
        await table.play(line)
        assert await table.promises() == [title]


async def test_promise_to_a_name_with_an_article_is_to_who_bears_it(tmp_path: Path) -> None:
    async with seated(tmp_path, "Tam") as table:
        await table.play("/creature The Undersinger: something that sings")
        await table.play("/cast + The Undersinger")
        await table.play("/faction Salt Guild: traders")
        for line in (
            "I promise the Undersinger to bring back the bell.",
            "I tell the undersinger that I will pay the toll, I promise.",
            "I promise the Salt Guild to keep silent.",
        ):
            await table.play(line)
        await table.play("/commit")
        assert {(promise, creditor) for promise, _, creditor, *_ in await table.ledger()} == {
            ("Mara promised The Undersinger to bring back the bell.", "The Undersinger"),
            ("Mara promised The Undersinger: “I will pay the toll.”", "The Undersinger"),
            ("Mara promised Salt Guild to keep silent.", "Salt Guild"),
        }


async def test_promise_to_a_small_name_is_to_whom_canon_has_elsewhere(tmp_path: Path) -> None:
    async with seated(tmp_path, "Tam") as table:
        await table.play("/npc The Undersinger: something that sings")
        await table.play("/thing The Bell: of bronze")
        await table.play("/commit")
        await table.play("I promise the undersinger to be silent.")
        await table.play("I promise the bell to Tam.")
        assert await table.promises() == ["Mara promised The Undersinger to be silent."]


async def test_promise_told_to_somebody_is_to_them_and_one_to_nobody_is_another(tmp_path: Path) -> None:
    async with seated(tmp_path, "Iselin Quay", "Tam") as table:
        await table.play("I tell Tam that I will find Teodor, I swear it.")
        reply = await table.play("I promise Tam that I will find Teodor.")
        to_tam = "Mara promised Tam: “I will find Teodor.”"
        assert reply.lines == (f"Promised already: {to_tam}",)
        await table.play("I swear to mend the mill.")
        mill = "Mara promised to mend the mill."
        reply = await table.play("I promise Tam to mend the mill.")
        assert f"Promised already, in other words? {mill}" in reply.lines
        assert await table.promises() == [to_tam, mill, "Mara promised Tam to mend the mill."]


async def test_promise_to_several_names_them_all_and_is_theirs_together(tmp_path: Path) -> None:
    async with seated(tmp_path, "Osk", "Teodor", "Hela") as table:
        both = "Mara promised Osk and Teodor: “I will come back.”"
        assert (
            f"Proposed: {both}" in (await table.play("I promise Osk and Teodor that I will come back.")).lines
        )
        assert (await table.play("I promise Teodor to come back.")).lines == (f"Promised already: {both}",)
        await table.play("I promise Osk and Hela to bring them bread.")
        bread = "Mara promised Osk and Hela to bring them bread."
        assert await table.promises() == [both, bread]
        await table.play("/commit")
        assert {(promise, creditor) for promise, _, creditor, *_ in await table.ledger()} == {
            (both, "Osk and Teodor"),
            (bread, "Osk and Hela"),
        }
        reply = await table.play("I give Hela the bread.")
        assert reply.suggested_line == f"/paid {bread.rstrip('.')}"
        await table.play(reply.suggested_line)
        assert await table.play("/commit")
        assert {(promise, is_paid) for promise, *_, is_paid in await table.ledger()} == {
            (both, False),
            (bread, True),
        }


async def test_promise_to_somebody_by_a_pronoun_and_another_by_name_is_to_both(tmp_path: Path) -> None:
    async with seated(tmp_path, "Osk", "Dob") as table:
        both = "Mara promised Dob and Osk: “I will find the ship.”"
        for _ in range(2):
            await table.play("I promise you and Osk that I will find the ship.")
            assert await table.promises() == [both]
        await table.play("> Dob promises Osk and me that he will sing.")
        sung = "Dob promised Osk and Mara that he will sing."
        assert await table.promises() == [both, sung]
        await table.play("/accept all")
        await table.play("/commit")
        assert {(promise, creditor) for promise, _, creditor, *_ in await table.ledger()} == {
            (both, "Dob and Osk"),
            (sung, "Osk and Mara"),
        }


@pytest.mark.parametrize(
    ("line", "promised", "creditor"),
    [
        (
            "> Osric promises you, Osk and Dob that he will return.",
            "Osric promised Mara, Osk and Dob that he will return.",
            "Mara, Osk and Dob",
        ),
        (
            "> Osric promises me, Osk, and Dob, that he will return.",
            "Osric promised Mara, Osk and Dob that he will return.",
            "Mara, Osk and Dob",
        ),
        (
            "> Osric swears to Osk, you and Dob to stay.",
            "Osric promised Osk, Mara and Dob to stay.",
            "Osk, Mara and Dob",
        ),
        (
            "> Osric gives you, Osk and Dob his word that he will sing.",
            "Osric promised Mara, Osk and Dob that he will sing.",
            "Mara, Osk and Dob",
        ),
        (
            "> Osric promises Osk, Dob and Teodor that he will pay.",
            "Osric promised Osk, Dob and Teodor that he will pay.",
            "Osk, Dob and Teodor",
        ),
        (
            "I promise Osk, Dob and Teodor that I will find the ship.",
            "Mara promised Osk, Dob and Teodor: “I will find the ship.”",
            "Osk, Dob and Teodor",
        ),
        (
            "> Osric promises you that Osk and Dob will come.",
            "Osric promised Mara that Osk and Dob will come.",
            "Mara",
        ),
        (
            "> Osric promises Osk to fetch Dob and Teodor.",
            "Osric promised Osk to fetch Dob and Teodor.",
            "Osk",
        ),
    ],
)
async def test_promise_to_several_is_to_each_of_them(
    tmp_path: Path, line: str, promised: str, creditor: str
) -> None:
    async with seated(tmp_path, "Osric", "Osk", "Dob", "Teodor") as table:
        await table.play(line)
        assert await table.promises() == [promised]
        await table.play("/accept all")
        await table.play("/commit")
        assert [who for _, _, who, *_ in await table.ledger()] == [creditor]


async def test_promise_to_somebody_whom_a_pronoun_does_not_tell_is_not_to_the_other_alone(
    tmp_path: Path,
) -> None:
    async with seated(tmp_path, "Osk", "Dob", "Hela") as table:
        await table.play("I promise you and Osk that I will find the ship.")
        await table.play("I promise him and Osk to mend the cart.")
        ship = "Mara promised Osk and somebody else: “I will find the ship.”"
        cart = "Mara promised Osk and somebody else to mend the cart."
        assert await table.promises() == [ship, cart]
        await table.play("/commit")
        assert {creditor for _, _, creditor, *_ in await table.ledger()} == {"Osk and somebody else"}


async def test_promise_to_somebody_and_a_name_that_nobody_has_says_both(tmp_path: Path) -> None:
    async with seated(tmp_path, "Osk") as table:
        await table.play("I promise Osk and Wulf to fetch water.")
        assert await table.promises() == ["Mara promised Osk and Wulf to fetch water."]


async def test_promise_to_one_of_two_and_another_thing_stays_its_own(tmp_path: Path) -> None:
    async with seated(tmp_path, "Osk", "Teodor") as table:
        await table.play("I promise Osk to bring Teodor home.")
        await table.play("/commit")
        assert [creditor for _, _, creditor, *_ in await table.ledger()] == ["Osk"]


async def test_reported_promise_names_the_hero_and_quotes_nobody(tmp_path: Path) -> None:
    async with seated(tmp_path, "Dace Holloway", "Captain Hask") as table:
        await table.play("Dace promises to pay me before the thaw.")
        await table.play("Hask swears he'll hang Corrin for it.")
        assert await table.promises() == [
            "Dace Holloway promised to pay Mara before the thaw.",
            "Captain Hask promised that he'll hang Corrin for it.",
        ]


async def test_promise_of_somebody_unknown_is_not_proposed(tmp_path: Path) -> None:
    async with seated(tmp_path, "Tam") as table:
        reply = await table.play("> Gorm swears that he will burn the mill.")
        assert (await table.promises(), reply.lines) == ([], ())


@pytest.mark.parametrize(
    ("line", "offer", "is_met"),
    [
        (
            "I give Iselin her bell back, as I promised.",
            f"Kept? /paid {SWORN_TITLE[:-1]} (Tab takes it)",
            True,
        ),
        (
            "The bell is lost. I have broken my word to Iselin.",
            f"Broken? /broken {SWORN_TITLE[:-1]} (Tab takes it)",
            False,
        ),
    ],
)
async def test_words_that_settle_a_promise_offer_the_command_for_it(
    tmp_path: Path, line: str, offer: str, is_met: bool
) -> None:
    async with seated(tmp_path, "Iselin Quay", "Tam") as table:
        for typed in (SWORN, "/commit", "I look out to sea."):
            await table.play(typed)
        reply = await table.play(line)
        assert reply.lines[0] == offer
        assert await table.ledger() == [(SWORN_TITLE, "Mara", "Iselin Quay", True, False)]
        reply = await table.play(reply.suggested_line)
        assert reply.lines == (f"Proposed: {'Kept' if is_met else 'Not kept'}: {SWORN_TITLE}",)
        await table.play("/commit")
        assert await table.ledger() == [(SWORN_TITLE, "Mara", "Iselin Quay", False, is_met)]


async def test_bell_is_offered_as_brought_back_by_the_hero_and_not_by_whom_it_was_promised(
    tmp_path: Path,
) -> None:
    async with seated(tmp_path, "Iselin Quay", "Tam") as table:
        for typed in (SWORN, "/commit", "I look out to sea."):
            await table.play(typed)
        for line in ("Iselin hands me the bell.", "> Iselin laughs and gives you the bell."):
            assert "/paid" not in (await table.play(line)).suggested_line
        assert (await table.play("I bring Iselin the bell.")).suggested_line == f"/paid {SWORN_TITLE[:-1]}"


async def test_words_that_drop_a_decision_offer_to_lift_it(tmp_path: Path) -> None:
    async with seated(tmp_path, "Tam") as table:
        for typed in ("I decide never to lie to Tam.", "From now on I drink no wine."):
            await table.play(typed)
        reply = await table.play("I drop my rule about wine.")
        assert reply.suggested_line == "/lift From now on I drink no wine"
        assert len(await table.decisions()) == 2
        await table.play(reply.suggested_line)
        assert await table.decisions() == ("1. I never lie to Tam  (scene 1)",)


class Cut(Exception):
    """The process ends here."""


async def _cut(*_: object) -> None:
    raise Cut


async def test_plain_promise_and_decision_survive_a_crash_before_they_are_proposed(tmp_path: Path) -> None:
    async with seated(tmp_path, "Iselin Quay") as table:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Proposals, "stage", _cut)
            with pytest.raises(Cut):
                await table.play(f"I decide never to lie to Iselin again. {SWORN}")
        scene_id = table.scene_id
    async with opened(tmp_path, seed=2) as program:
        await program.services.stories.recover()
        again = Table(program, scene_id)
        assert await again.promises() == [SWORN_TITLE]
        assert await again.decisions() == ("1. I never lie to Iselin again  (scene 1)",)
        await again.play("/undo")
        assert (await again.promises(), await again.decisions()) == ([], NOTHING_DECIDED)


@pytest.mark.parametrize(
    "line",
    [
        "/decide We never kill.",
        "I decide that we never kill.",
        "I decide that we never kill. @DECISION(reason=mercy, impact=we never kill)",
    ],
)
async def test_line_that_goes_against_a_decision_is_played_and_reminds_of_it(
    tmp_path: Path, line: str
) -> None:
    async with seated(tmp_path, "Iselin Quay", "Tam") as table:
        await table.play(line)
        assert (await table.play("I look at Tam.")).lines == ()
        reply = await table.play("I kill Tam.")
        assert any(
            said.startswith("You decided: ") and "e never kill" in said and "(/lift 1 takes it" in said
            for said in reply.lines
        )


async def test_promise_told_again_in_other_words_stands_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc here Greta: a woman", "/npc here Dob", "/thing Bell", "/commit", "I wait.")
        bell = "Mara promised Greta to bring back the bell."
        assert await table.say("I promise Greta to bring back the bell.") == (f"Proposed: {bell}",)
        for line in (
            "I promise Greta to bring back the bell.",
            "I swear to Greta that I will return the bell to her.",
            "I promise Greta I'll bring her bell back.",
        ):
            assert await table.say(line) == (f"Promised already: {bell}",), line
        assert (await table.say("/promise to return the bell to Greta"))[-1] == f"Promised already: {bell}"
        await table.say("/undo")
        by_winter = "I promise Greta to bring back the bell before winter."
        reply = await program.services.play.submit(table.scene_id, by_winter)
        assert reply.lines == (
            "Proposed: Mara promised Greta to bring back the bell before winter.",
            f"Promised already, in other words? {bell}",
            "The same? /reject Mara promised Greta to bring back the bell before winter (Tab takes it)",
        )
        await table.say(reply.suggested_line)
        for line in (
            "I promise Dob to bring back the bell.",
            "I promise Greta never to bring back the bell.",
            "I promise Greta to mend her roof.",
        ):
            assert (await table.say(line))[0].startswith("Proposed: Mara promised"), line
        await table.say("/commit")
        roof = "Mara promised Greta to mend her roof."
        assert await table.say("I promise Greta that I will fix her roof.") == (f"Promised already: {roof}",)
        await table.say(f"/paid {roof}")
        assert (await table.say("I promise Greta to fix her roof."))[0] == (
            "Proposed: Mara promised Greta to fix her roof."
        ), "it was kept: this is another"


@pytest.mark.parametrize(
    "line", ["> Tam swears to me that Iselin stole the bell.", "I swear to Tam that Iselin stole the bell."]
)
async def test_what_is_sworn_to_be_true_to_somebody_is_no_promise(tmp_path: Path, line: str) -> None:
    async with seated(tmp_path, "Iselin Quay", "Tam") as table:
        assert "remembers it from" in (await table.play(line)).lines[0]
        assert await table.promises() == []


async def test_debt_is_forgiven_while_who_is_owed_it_is_away(tmp_path: Path) -> None:
    async with seated(tmp_path, "Dob Harrow", "Nan") as table:
        await table.play("/npc Teodor: my brother")
        await table.play("> Dob owes Teodor forty silver.")
        offer = "Kept? /paid Dob owes Teodor forty silver (Tab takes it)"
        assert offer not in (await table.play("I forgive Nan her debt.")).lines
        assert offer not in (await table.play("I do not forgive Dob his debt.")).lines
        assert offer not in (await table.play("I forgive Dob.")).lines
        assert offer not in (await table.play("I give Dob forty silver.")).lines
        assert offer in (await table.play("I bury the boy at dawn and forgive Dob his debt.")).lines
