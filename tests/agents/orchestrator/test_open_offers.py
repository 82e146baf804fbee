"""What lines offer waits until it is answered, whatever is typed next."""

from __future__ import annotations

from pathlib import Path

from monitor_tui.compose import Program
from stores.records.ids import Id
from tests.program import begin, opened

PROMISE = "/paid Mara promised Maud Perrin: “I will bring back the tithe bell.”"


async def play(program: Program, scene_id: Id, *lines: str) -> list[str]:
    """Play lines, and return the commands that wait then."""
    for line in lines:
        await program.services.play.submit(scene_id, line)
    return [offer.command for offer in (await program.services.play.scene(scene_id)).offers]


async def test_offers_wait_while_the_player_types_ahead(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        waiting = await play(
            program,
            scene_id,
            "> Three days pass.",
            "> Behind the bar stands Pella Rook, the cook.",
            "/npc here Maud Perrin",
            "I promise Maud that I will bring back the tithe bell.",
            "I have kept my promise to Maud.",
            "> It is raining.",
        )
        assert waiting == [PROMISE, "/npc here Pella Rook", "/time +3 days"]

        # Each is gone once it is taken, or true by other means, and back with what is undone.
        assert await play(program, scene_id, "/npc here Pella Rook") == [PROMISE, "/time +3 days"]
        assert await play(program, scene_id, "/time +1 day") == [PROMISE]
        assert await play(program, scene_id, "/undo") == [PROMISE, "/time +3 days"]
        assert await play(program, scene_id, PROMISE) == ["/time +3 days"]
        assert await play(program, scene_id, "/fact Mara has the tithe bell.") == ["/time +3 days"]


async def test_offer_leaves_with_the_line_that_made_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        assert await play(program, scene_id, "> Three days pass.", "/undo") == []
        assert await play(program, scene_id, "/redo") == ["/time +3 days"]


async def test_time_told_twice_is_offered_after_the_first_has_passed(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        lines = ("> Three days pass.", "> At dusk Mara comes to rest.", "> She waits.")
        assert await play(program, scene_id, *lines) == ["/time to dusk", "/time +3 days"]
        assert await play(program, scene_id, "/time +3 days") == ["/time to dusk"]
        assert await play(program, scene_id, "/time to dusk") == []


async def test_offers_survive_a_restart_and_what_was_dropped_does_not(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await play(
            program, scene_id, "> Three days pass.", "> Emmet Crane died at Michaelmas.", "> It rains."
        )
        await program.services.play.drop_offer(scene_id, "/npc Emmet Crane")
    async with opened(tmp_path) as program:
        assert await play(program, scene_id) == ["/time +3 days"]


async def test_gate_names_what_lasts_and_was_not_answered(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await play(program, scene_id, "> Three days pass.", "> Emmet Crane died at Michaelmas.")
        # However many offers are newer: the list shows six, and the file keeps some more.
        for first in "BDFHL":
            names = (f"{first}{middle}n" for middle in ("are", "elde", "ime", "orre", "urte", "yre"))
            await play(program, scene_id, f"> {', '.join(names)} died at Michaelmas.")
        assert "/time +3 days" not in await play(program, scene_id, "/end")
        gate = await program.services.gate.gate(scene_id)
        assert "Not answered: Time passes? /time +3 days" in gate.scene_end_lines
        assert not any("Emmet" in line or "Vale" in line for line in gate.scene_end_lines)
        report = await program.services.gate.commit(scene_id)
        assert report.next_scene_id
        assert await play(program, report.next_scene_id) == []


async def test_file_of_offers_that_cannot_be_read_counts_as_none(tmp_path: Path) -> None:
    (tmp_path / "offers.json").write_text('{"x": [{"command": 3}], "y": 4', encoding="utf-8")
    async with opened(tmp_path) as program:
        assert await play(program, await begin(program), "> Three days pass.") == ["/time +3 days"]


async def test_scene_that_went_on_elsewhere_is_offered_to_end_for_where_it_is(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await play(
            program, scene_id, "/place Mill", "/place Abbey", "> It rains.", "> It is cold.", "I wait."
        )

        async def ask_questions(*lines: str) -> list[str]:
            await play(program, scene_id, *lines)
            return [offer.question for offer in (await program.services.play.scene(scene_id)).offers]

        assert await ask_questions("I go to the Mill.") == ["The story has moved to Mill:"]
        assert await ask_questions("I go to the Abbey.") == ["The story has moved to Abbey:"]
        assert await ask_questions("I go back to the Yard.") == []
        assert await ask_questions("/undo") == ["The story has moved to Abbey:"]


async def test_who_came_and_left_again_is_missed_no_more(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        cast_jonas = "/cast + Jonas Reed"
        asked = ("/npc Jonas Reed: smuggler", "I ask Jonas about the ledger.")
        assert await play(program, scene_id, *asked) == [cast_jonas]
        assert await play(program, scene_id, "> Jonas shrugs and grins.") == []
        assert await play(program, scene_id, "> Jonas leaves.") == []
        # What is undone did not happen; asked for again, he is missed anew.
        assert await play(program, scene_id, "/undo", "/undo") == [cast_jonas]
        assert await play(program, scene_id, "/redo", "/redo") == []
        assert await play(program, scene_id, "I ask Jonas about the ledger.") == [cast_jonas]
        assert await play(program, scene_id, cast_jonas, "/cast - Jonas Reed") == []


async def test_who_left_is_not_missed_by_a_pronoun_that_fits_somebody_here(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await play(program, scene_id, "/npc here Pip: a kitchen girl", "/npc here Adaline: my sister")
        await play(program, scene_id, "> Pip leaves us there.")
        assert await play(program, scene_id, "I give her my coat.") == []
        assert await play(program, scene_id, "I tell her to wait.") == []
        assert await play(program, scene_id, "I tell Pip to wait.") == ["/cast + Pip"]
        await play(program, scene_id, "/undo", "> Adaline leaves, too.")
        assert await play(program, scene_id, "I tell her to wait.") == ["/cast + Adaline"]


async def test_person_who_was_made_known_by_a_shorter_name_is_offered_no_more(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        told = ("/npc here Bram: a farmer", "> Bram sits down. Old Mother Grice is Bram's aunt.")
        assert await play(program, scene_id, *told) == ["/npc Old Mother Grice"]
        # Somebody else of her family is not her.
        assert await play(program, scene_id, "/npc Father Grice: a priest") == ["/npc Old Mother Grice"]
        assert await play(program, scene_id, "/npc here Mother Grice: toothless, sells charms") == []


async def test_one_person_is_offered_once_and_dropped_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        assert await play(program, scene_id, "> Father Osk reads from the book of glass.") == [
            "/npc Father Osk"
        ]
        assert await play(program, scene_id, "> Osk gives me the key to the crypt.") == [
            "/npc here Father Osk",
            "/thing key",
        ]
        await program.services.play.drop_offer(scene_id, "/npc here Father Osk")
        assert await play(program, scene_id) == ["/thing key"]


async def test_person_who_is_described_is_offered_no_more_once_known(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        line = "I walk down to the yard, where my brother Teodor was last seen."
        assert await play(program, scene_id, line) == ["/npc Teodor: my brother"]
        assert await play(program, scene_id, "/npc Teo: a boy") == ["/npc Teodor: my brother"]
        assert await play(program, scene_id, "/npc Teodor Quay: my brother, lost at sea") == []


async def test_offer_of_a_thing_is_answered_by_a_longer_name(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        lines = (
            "/npc here Pip: a girl",
            "/npc here Mr. Pask: the steward",
            "> Pask drops the pistol down the stairs.",
        )
        assert await play(program, scene_id, *lines) == ["/thing pistol"]
        assert await play(program, scene_id, "/thing brass key: small") == ["/thing pistol"]
        assert await play(program, scene_id, "/thing Pask's pistol: a pocket pistol") == []
