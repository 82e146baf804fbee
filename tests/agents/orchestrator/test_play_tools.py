"""The table beside the story: own dice, rolls taken otherwise, moves, rests, sheets, notes, rules."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.exports.story_journal import write_journal
from agents.exports.story_markdown import write_markdown
from agents.story_outline import NewCharacter, NewUniverse, StoryOutline
from agents.views.replies import Reply
from agents.views.scene_views import SceneView
from agents.views.turn_views import TurnView
from monitor_tui.compose import Program
from stores.authority import Role
from stores.errors import InputError, StoreError
from stores.queries import ProposalQuery
from stores.records.canon import Authority, EvidenceKind
from stores.records.ids import Id
from stores.records.play import CriticalCommitMode, DiceRoller, MoveKind, Resolution, Speaker, TensionMode
from stores.records.workflow import ProposalStatus
from tests.program import opened


class Game:
    """The program, and the scene that is being played."""

    def __init__(self, program: Program, scene_id: Id) -> None:
        self.program = program
        self.services = program.services
        self.scene_id = scene_id
        self.log = program.stores.log(Role.CONTEXT_ASSEMBLY)

    async def say(self, *lines: str) -> Reply:
        """Type lines; returns what came of the last."""
        for line in lines:
            reply = await self.services.play.submit(self.scene_id, line)
        return reply

    async def view(self) -> SceneView:
        return await self.services.play.scene(self.scene_id)

    async def rows(self) -> list[TurnView]:
        return await self.services.play.transcript(self.scene_id, 0, 1_000)

    async def texts(self) -> list[str]:
        return [row.turn.text for row in await self.rows()]

    async def last(self) -> Resolution:
        """Return what the line's last roll came to."""
        found = [row.resolution for row in await self.rows() if row.resolution]
        return found[-1]

    async def numbers(self, name: str) -> dict[str, Any]:
        return next(dict(m.numbers) for m in (await self.view()).cast if m.name == name)

    async def tags(self, name: str) -> tuple[str, ...]:
        return next(m.tags for m in (await self.view()).cast if m.name == name)

    async def refuses(self, line: str, complaint: str) -> None:
        """Type a line that must be refused in words, and leave everything as it was."""
        before = await self.view(), await self.texts()
        with pytest.raises(InputError, match=complaint) as caught:
            await self.say(line)
        assert caught.value.kept
        assert (await self.view(), await self.texts()) == before


def outline(universe_id: Id, **given: Any) -> StoryOutline:
    hero = NewCharacter("Mara", numbers=(("hp", 10), ("might", 1)))
    return replace(StoryOutline(universe_id, "A story", hero, scene_title="The yard", place="Yard"), **given)


@asynccontextmanager
async def game(home: Path, seed: int = 1, **given: Any) -> AsyncIterator[Game]:
    async with opened(home, seed=seed) as program:
        universe = await program.services.stories.create_universe(NewUniverse("Test"))
        yield Game(program, await program.services.stories.start_story(outline(universe.id, **given)))


TWOS: dict[str, Any] = {"system": "lantern_twos"}
HAND: dict[str, Any] = {"dice": DiceRoller.PHYSICAL}
ORC = "/creature here Orc: scarred (hp 4)"


# --- own dice ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "asked", "prompt", "answered", "text"),
    [
        ("/roll 2d6+1", "Roll 2d6", "/roll 2d6+1 = ", "/roll 2d6+1 = 5 4", "2d6+1 [5,4]+1 = 10 · by hand"),
        ("/roll 4dF", "Roll 4dF", "/roll 4dF = ", "/roll 4dF = + - 0 +", "[+,-,0,+] = 1 · by hand"),
        ("/roll 2d6 =", "Roll 2d6", "/roll 2d6 = ", "/roll 2d6 = 1,1", "2d6 [1,1] = 2 · by hand"),
        (
            "I jump. /check might 9; success: Mara.luck = 3",
            "Roll 2d6",
            "I jump. /check might 9; success: Mara.luck = 3 = ",
            "I jump. /check might 9; success: Mara.luck = 3 = 6 6",
            "2d6+1 [6,6]+1 = 13 vs 9 · success · by hand",
        ),
        (
            "/check likely",
            "Roll 1d100",
            "/check likely = ",
            "/check likely = 00",
            "d% [100] = 100 · success",
        ),
        (
            "? likely: Is it deep?",
            "Roll 1d100",
            "? likely: Is it deep? = ",
            "? likely: Is it deep? = 45",
            "likely · tension 5 · d100 45 · yes, but · by hand",
        ),
        (
            "? Is it deep?",
            "Roll 1d100",
            "? Is it deep? = ",
            "? Is it deep? = 45",
            "even · tension 5 · d100 45",
        ),
        (
            "/howmuch +1",
            "Roll 3d6",
            "/howmuch +1 = ",
            "/howmuch +1 = 6 6 6",
            "= 19 · overwhelming · by hand",
        ),
        ("/react Mara", "Roll 2d6", "/react Mara = ", "/react Mara = 6 6", "= 12 · helpful · by hand"),
        ("/start", "Roll 1d100", "/start = ", "/start = 90", "d100 90 · as expected · by hand"),
        (
            "> It is far. /roll d20",
            "Roll 1d20",
            "> It is far. /roll d20 = ",
            "> It is far. /roll d20 = 7",
            "[7]",
        ),
    ],
)
async def test_players_dice_are_asked_for_and_read(
    tmp_path: Path, line: str, asked: str, prompt: str, answered: str, text: str
) -> None:
    async with game(tmp_path, **HAND) as at:
        reply = await at.say(line)
        assert reply.lines[0].startswith(asked)
        assert reply.prompt_text == prompt
        assert reply.kind == "operation"
        assert await at.texts() == []
        await at.say(answered)
        result = await at.last()
        assert text in result.text
        assert result.by_hand
        assert "=" not in (await at.texts())[0] or (await at.texts())[0] == result.text


@pytest.mark.parametrize("rules", [TWOS, {}], ids=["rule pack", "no rule pack"])
async def test_faces_before_the_effects_are_the_ones_rolled(tmp_path: Path, rules: dict[str, Any]) -> None:
    async with game(tmp_path, **rules) as at:
        for _ in range(3):
            await at.say("I push. /check 2d6 vs 7 = 1 1; success: Mara +proud; fail: Mara +sore")
            result = await at.last()
            assert [die.face for die in result.dice] == [1, 1]
            assert result.by_hand


async def test_words_behind_start_are_refused(tmp_path: Path) -> None:
    async with game(tmp_path) as at:
        with pytest.raises(InputError, match="takes no words"):
            await at.say("/start altered")


async def test_faces_may_be_typed_while_the_program_rolls(tmp_path: Path) -> None:
    async with game(tmp_path) as at:
        await at.say("/roll 2d6 = 5 4", "/roll 2d6")
        own, its = [row.resolution for row in await at.rows()]
        assert own
        assert its
        assert (own.by_hand, its.by_hand) == (True, False)
        assert (await at.say("/roll 2d6 =")).prompt_text == "/roll 2d6 = "  # the = asks, in either mode


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("/roll 2d6 = 5", "1 face was typed, and 2 dice are thrown"),
        ("/roll 2d6 = 5 4 3", "3 faces were typed, and 2 dice are thrown"),
        ("/roll 2d6 = 5 7", "A d6 has no face 7"),
        ("/roll 2d6 = five four", "'five' is not the face of a die"),
        ("I go. /check might 9 = 7 1", "no face 7"),
        ("/check might 9; fail: Mara.hp -1 = 0 1", "no face 0"),
        ("? likely: Is it deep? = 101", "no face 101"),
        ("/howmuch = 1 2", "2 faces were typed, and 3 dice"),
        ("/event = 5", "depend on each other"),
        ("/roll = 5", "Roll what"),
        ("/roll 2e6 = 5", "Cannot roll"),
    ],
)
@pytest.mark.parametrize("by", DiceRoller)
async def test_bad_faces_are_refused_with_nothing_played(
    tmp_path: Path, by: DiceRoller, line: str, complaint: str
) -> None:
    async with game(tmp_path, dice=by) as at:
        await at.refuses(line, complaint)


async def test_play_what_explodes_is_asked_for_next(tmp_path: Path) -> None:
    async with game(tmp_path, **HAND) as at:
        reply = await at.say("/roll 3d6! = 6 4 6")
        assert reply.lines == ("Roll 2 more d6 (6 explodes), then type on.",)
        assert reply.prompt_text == "/roll 3d6! = 6 4 6 "
        reply = await at.say(f"{reply.prompt_text}1 6")
        assert reply.prompt_text == "/roll 3d6! = 6 4 6 1 6 "
        await at.say(f"{reply.prompt_text}2")
        assert (await at.last()).text == "3d6! [6!,1,4,6!,6!,2] = 25 · by hand"
        await at.refuses("/roll 3d6! = 1 2 3 4", "4 faces were typed, and 3 dice")


async def test_play_what_hangs_together_is_the_programs_and_says_so(tmp_path: Path) -> None:
    async with game(tmp_path, **HAND) as at:
        reply = await at.say("/event")
        assert reply.lines == ("The program drew the event: its dice depend on each other.",)
        assert not (await at.last()).by_hand
        assert "The program drew the words" in (await at.say("/spark")).lines[0]
        assert (await at.say("/spark = 34 61")).lines == ()
        assert (await at.last()).by_hand
        # An answer may bring an event with it: at tension 5, when the digits are 5 apart.
        reply = await at.say("? likely: Is it deep? = 27")
        assert reply.lines == ("The program drew the event: its dice depend on each other.",)


async def test_play_track_is_finished_with_the_players_dice(tmp_path: Path) -> None:
    async with game(tmp_path, **HAND) as at:
        await at.say("/track Find the bell")
        reply = await at.say("/track Find the bell roll")
        assert reply.lines == ("Roll 2d10, then type the result after the =.",)
        assert reply.prompt_text == "/track Find the bell roll = "
        await at.say(f"{reply.prompt_text}1 0")
        assert (await at.last()).by_hand
        assert [die.face for die in (await at.last()).dice] == [1, 10]


async def test_canon_is_asked_before_the_dice(tmp_path: Path) -> None:
    async with game(tmp_path, **HAND) as at:
        await at.say("/state Mara.alive = false")
        await at.services.gate.commit_trigger(at.scene_id)
        reply = await at.say("? Does Mara shout = 51")
        assert reply.prompt_text == "? impossible: Does Mara shout? = 51"
        assert (await at.say(reply.prompt_text)).kind == "exchange"
        assert (await at.last()).text == "impossible · tension 5 · d100 51 · no · by hand"


async def test_play_setting_is_kept_with_the_story(tmp_path: Path) -> None:
    async with game(tmp_path) as at:
        assert "The program rolls" in (await at.say("/dice")).lines[0]
        assert "You roll" in (await at.say("/dice physical")).lines[0]
        await at.refuses("/dice mine", "'mine' is none of program, physical")
        story_id = (await at.view()).story.id
    async with opened(tmp_path, seed=2) as program:
        scene_id = await program.services.stories.resume(story_id)
        assert (await program.services.play.submit(scene_id, "/roll d6")).prompt_text == "/roll d6 = "
        await program.services.play.submit(scene_id, "/dice program")
        assert (await program.services.play.submit(scene_id, "/roll d6")).kind == "exchange"


# --- taken otherwise --------------------------------------------------------------------------------

SWING = "I swing. /check might 9; success: Orc.hp -3; fail: Mara.hp -2 = 1 2"


async def test_play_reroll_is_another_take_and_undo_brings_the_first_back(tmp_path: Path) -> None:
    async with game(tmp_path) as at:
        await at.say(ORC, SWING)
        first = await at.last()
        assert (await at.numbers("Mara"))["hp"] == 8
        reply = await at.say("/reroll all = 6 5")
        assert reply.lines == ("1 proposal of the old roll went with it; /undo brings it back.",)
        second = await at.last()
        assert second.text == "2d6+1 [1→6,2→5]+1 = 12 vs 9 · success · by hand · rerolled 1 → 6, 2 → 5"
        assert (second.instead_of, second.altered) == (first.turn_id, ("rerolled 1 → 6, 2 → 5",))
        assert (await at.numbers("Mara"))["hp"] == 10
        assert (await at.numbers("Orc"))["hp"] == 1
        row = (await at.rows())[-1]
        assert (row.take, row.take_count, row.turn.depth) == (2, 2, 1)
        assert row.turn.exchange_id == (await at.rows())[0].turn.id

        reply = await at.say("/undo")
        assert await at.last() == first
        assert (await at.numbers("Mara"))["hp"] == 8
        assert (await at.numbers("Orc"))["hp"] == 4
        await at.say("/redo")
        assert await at.last() == second
        await at.say("/take previous")
        assert await at.last() == first
        await at.say("/take next", "/undo", "/undo")
        assert await at.texts() == []


async def test_play_each_time_is_on_record_and_in_what_is_written_out(tmp_path: Path) -> None:
    async with game(tmp_path) as at:
        await at.say("/roll 2d6 [leap] = 3 4", "/reroll 3 = 5", "/pick 2: 6")
        result = await at.last()
        assert result.text == ("2d6 [3→5,4→6] = 11 · leap · by hand · rerolled 3 → 5 · picked, rolled 4")
        assert [row.take_count for row in await at.rows()] == [3]
        record = await at.services.stories.story_record((await at.view()).story.id)
        assert "rerolled 3 → 5 · picked, rolled 4" in write_journal(record)
        assert "rerolled 3 → 5 · picked, rolled 4" in write_markdown(record)


async def test_picking_another_outcome_brings_its_effects(tmp_path: Path) -> None:
    async with game(tmp_path) as at:
        await at.say(ORC, SWING, "/pick success")
        result = await at.last()
        assert result.text == "2d6+1 [1,2]+1 = 4 vs 9 · success · by hand · picked, rolled fail"
        assert (await at.numbers("Orc"))["hp"] == 1
        (proposal,) = [
            p.proposal for p in (await at.view()).proposals if p.proposal.turn_id == result.turn_id
        ]
        assert proposal.evidence[0].kind is EvidenceKind.RESOLUTION
        assert proposal.evidence[0].ref_id == result.id
        assert proposal.evidence[1].quote == "I swing."
        assert proposal.authority is Authority.PLAYER
        await at.refuses("/pick success", "It is success already")
        await at.say("? likely: Is it dead? = 36", "/pick no, and")
        assert (await at.last()).text.endswith("d100 36 · no, and · by hand · picked, rolled yes, but")


async def test_play_program_rerolls_unless_the_dice_are_the_players(tmp_path: Path) -> None:
    async with game(tmp_path) as at:
        await at.say("/roll 2d6 = 1 2", "/reroll 2")
        assert (await at.last()).altered[0].startswith("rerolled 2 → ")
        await at.say("/dice physical", "/roll 2d6! = 1 2")
        reply = await at.say("/reroll 2")
        assert (reply.lines, reply.prompt_text) == (
            ("Roll 1d6, then type the result after the =.",),
            "/reroll 2 = ",
        )
        reply = await at.say("/reroll 2 = 6")
        assert reply.prompt_text == "/reroll 2 = 6 "
        await at.say("/reroll 2 = 6 3")
        assert (await at.last()).text == "2d6! [1,2→6!,3] = 10 · by hand · rerolled 2 → 6"


async def test_play_only_the_last_roll_of_the_line(tmp_path: Path) -> None:
    async with game(tmp_path) as at:
        await at.refuses("/reroll 1", "The last turn is not a roll")
        await at.say("I wait.")
        await at.refuses("/pick success", "The last turn is not a roll")
        await at.say("/roll 2d6 = 1 2", "> You fall.")
        await at.refuses("/reroll 1", "answered already.*/branch 2")
        await at.say("/branch 2", "/reroll 1 = 6")
        assert (await at.texts())[-1].startswith("2d6 [1→6,2] = 8")
        await at.refuses("/reroll", r"Which die\?.*1 shows 6, 2 shows 2")
        await at.refuses("/reroll 9", "No die shows 9")
        await at.refuses("/reroll 1 = 7", "no face 7")
        await at.refuses("/reroll 1 = 1 2", "2 faces were typed, and 1 die is thrown")
        await at.refuses("/pick", "needs something after it")
        await at.refuses("/pick 7", "2 dice, and 1 faces were picked")
        await at.say("/event")
        await at.refuses("/reroll 1", "depend on each other")


async def test_play_what_an_answer_brought_goes_with_it(tmp_path: Path) -> None:
    async with game(tmp_path) as at:
        await at.say("/npc here Tom: the well's keeper", "? likely: Is it deep? = 27")
        before = await at.texts()
        assert before[1].endswith("· event · by hand")
        assert before[2].startswith("event · ")
        await at.say("/reroll 27 = 45")
        assert len(await at.texts()) == 2
        await at.say("/reroll 45 = 16")
        assert (await at.texts())[2].startswith("event · ")
        assert [row.take for row in await at.rows()] == [1, 3, 1]
        await at.say("/undo")
        assert len(await at.texts()) == 2
        await at.say("/undo")
        assert await at.texts() == before


async def test_play_roll_beside_an_older_one_is_its_next_take(tmp_path: Path) -> None:
    async with game(tmp_path) as at:
        await at.say("I wait.", "/roll d6 = 1", "/branch 1", "/roll d6 = 2")
        assert [(r.turn.text, r.take, r.take_count) for r in await at.rows()][1] == (
            "d6 [2] = 2 · by hand",
            2,
            2,
        )


async def test_play_reroll_of_what_is_canon_proposes_its_retcon(tmp_path: Path) -> None:
    async with game(tmp_path, critical=CriticalCommitMode.AUTO) as at:
        await at.say("/npc here Tom: the well's keeper", "/commit")
        reply = await at.say("I push Tom. /check might 9; fail: Tom.alive = false = 1 1")
        assert any("Tom" in line for line in reply.lines)
        reply = await at.say("/reroll all = 6 6")
        assert any(line.startswith("Retcon proposed: ") for line in reply.lines)
        assert (await at.last()).effects == ()


class PowerError(StoreError):
    """The power goes."""


@pytest.mark.parametrize("at_call", ["seal", "append_turn", "finish_exchange"])
async def test_play_reroll_cut_off_is_finished_when_the_story_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_call: str
) -> None:
    async with game(tmp_path) as at:
        await at.say(ORC, SWING)
        holder = (
            at.services.play.line_player._pipeline._rolls._resolver._log
            if at_call == "seal"
            else at.services.play.line_player._pipeline._log
        )

        async def fail(*args: object, **given: object) -> None:
            raise PowerError("The power went.")

        with monkeypatch.context() as patched:
            patched.setattr(holder, at_call, fail)
            with pytest.raises(StoreError):
                await at.say("/reroll all = 6 6")
        scene_id = at.scene_id
    async with opened(tmp_path, seed=5) as program:
        await program.services.stories.recover()
        again = Game(program, scene_id)
        result = await again.last()
        assert result.text == "2d6+1 [1→6,2→6]+1 = 13 vs 9 · success · by hand · rerolled 1 → 6, 2 → 6"
        assert [r.turn.text for r in await again.rows()] == ["I swing.", result.text]
        assert (await again.numbers("Orc"))["hp"] == 1
        assert (await again.numbers("Mara"))["hp"] == 10
        assert (await again.view()).unfinished_count == 0
        staged = await again.log.proposals(
            ProposalQuery(scene_id=scene_id, statuses=[ProposalStatus.PENDING])
        )
        assert len([p for p in staged if p.turn_id == result.turn_id]) == 1


# --- moves ------------------------------------------------------------------------------------------


async def test_moves_are_listed_made_and_guessed_at(tmp_path: Path) -> None:
    async with game(tmp_path, **TWOS) as at:
        listing = await at.say("/move")
        assert listing.lines[0] == "Which move? As in: /move strike"
        assert "strike (might 1): Attack somebody within reach" in listing.lines
        assert listing.suggested_line == "/move "
        await at.say(ORC, "/move strike Orc = 5 4")
        assert (await at.last()).rule.startswith("Lantern Twos: strike with might")
        assert (await at.numbers("Orc"))["hp"] == 0
        await at.say("I hold on. /move stand firm adv = 1 1 1")
        assert (await at.last()).rule.startswith("Lantern Twos: stand firm with nerve, advantage")
        assert "I hold on." in await at.texts()
        await at.refuses("/move striek Orc", "no move called 'striek Orc'.*Did you mean strike")
        await at.refuses("/move might", "no move called 'might'.*strike")
        await at.refuses("/move strike Nobody", "There is no 'Nobody'")


async def test_play_bare_check_asks_what_with(tmp_path: Path) -> None:
    async with game(tmp_path, **TWOS) as at:
        reply = await at.say("I climb. /check")
        assert reply.lines[:2] == (
            "Roll for what? As in: /check might or /check strike",
            "Numbers: might 1, wits 0, nerve 0, HP 10, light 6",
        )
        assert "strike" in reply.lines[2]
        assert reply.suggested_line == "I climb. /check "
        assert (await at.say("/check ; fail: Mara.hp -1")).kind == "operation"
        assert await at.texts() == []
        await at.say("/system plain_telling", "/check")  # it has no numbers to ask for
        assert "even odds" in (await at.last()).text


async def test_play_without_a_pack_there_are_no_moves_nor_rests(tmp_path: Path) -> None:
    async with game(tmp_path) as at:
        await at.refuses("/move strike Orc", "no rule pack, so it has no moves")
        await at.refuses("/move", "no rule pack, so it has no moves")
        await at.refuses("/rest night", "no rule pack, so it has no rests")
        await at.say("/check")
        assert (await at.last()).text.startswith("even odds")


# --- rests ------------------------------------------------------------------------------------------


async def test_play_rest_is_one_exchange(tmp_path: Path) -> None:
    async with game(tmp_path, **TWOS) as at:
        listing = await at.say("/rest")
        assert listing.lines[1] == "night (8 h): Sleep behind a door"
        assert listing.suggested_line == "/rest "
        await at.say("/state Mara.hp -7, Mara +hurt", "I lie down.")
        then = (await at.view()).when
        assert (await at.say("/rest night")).lines == ()
        assert (await at.numbers("Mara"))["hp"] == 9
        assert await at.tags("Mara") == ()
        assert (await at.view()).when != then
        words = (await at.rows())[-1].turn
        assert words.text.startswith("Mara rests: Sleep behind a door. It is ")
        assert words.speaker is Speaker.SYSTEM
        rested = [p.proposal for p in (await at.view()).proposals if p.proposal.turn_id == words.id]
        assert [p.authority for p in rested] == [Authority.PLAYER] * 2
        assert all(p.evidence[0].quote == words.text for p in rested)
        await at.say("/undo")
        assert (await at.numbers("Mara"))["hp"] == 3
        assert (await at.view()).when == then
        await at.say("/redo")
        assert (await at.numbers("Mara"))["hp"] == 9


async def test_others_rest_along_and_nothing_rises_past_its_most(tmp_path: Path) -> None:
    async with game(tmp_path, **TWOS) as at:
        await at.say("/npc here Tom: a friend (hp 2)", "/rest night with Tom")
        assert (await at.texts())[-1].startswith("Mara and Tom rest: ")
        assert (await at.numbers("Tom"))["hp"] == 8
        assert (await at.numbers("Mara"))["hp"] == 10
        assert (await at.say("/rest breather")).lines == ("There was nothing to recover.",)
        await at.refuses("/rest nihgt", "no rest called 'nihgt'.*Did you mean night")
        await at.refuses("/rest night with Nobody", "There is no 'Nobody'")


async def test_play_rest_cut_off_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with game(tmp_path, **TWOS) as at:
        await at.say("/state Mara.hp -7")

        async def fail(*args: object) -> None:
            raise PowerError("The power went.")

        with monkeypatch.context() as patched:
            patched.setattr(at.services.play.line_player._pipeline._rolls._resolver._log, "stage", fail)
            with pytest.raises(StoreError):
                await at.say("/rest night")
        scene_id = at.scene_id
    async with opened(tmp_path, seed=5) as program:
        (line,) = await program.services.stories.recover()
        assert "Mara rests" in line
        again = Game(program, scene_id)
        assert (await again.numbers("Mara"))["hp"] == 9
        assert len(await again.texts()) == 1


# --- what runs out ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "is_offered"),
    [
        ((), True),
        (("I wait.", "/commit"), True),
        (("/state Orc.hp = 4",), False),
        (("/state Orc.hp = 4", "/undo"), True),
        (("/state Orc.hp = 4", "/state Orc.hp = 0"), True),
        (("/state Orc +dead",), False),
        (("/state Mara.hp = 4",), True),
        (("/undo",), False),
    ],
)
async def test_what_the_rules_suggest_is_offered_while_the_number_is_at_zero(
    tmp_path: Path, lines: tuple[str, ...], is_offered: bool
) -> None:
    async with game(tmp_path, **TWOS) as at:
        await at.say(ORC, "/commit", "/state Orc.hp -4", *lines)
        offers = [(offer.question, offer.command) for offer in (await at.view()).offers]
        assert (("The rules suggest", "/state Orc.alive = false") in offers) is is_offered


@pytest.mark.parametrize("critical", CriticalCommitMode)
async def test_play_at_zero_the_rules_suggest_and_the_gm_decides(
    tmp_path: Path, critical: CriticalCommitMode
) -> None:
    async with game(tmp_path, critical=critical, **TWOS) as at:
        await at.say(ORC, "/commit")
        reply = await at.say("I strike. /move strike Orc = 6 6")
        assert reply.lines == (
            "Orc: HP is at 0. Orc falls and does not get up.",
            "The rules suggest /state Orc.alive = false (Tab takes it)",
        )
        assert reply.suggested_line == "/state Orc.alive = false"
        view = await at.view()
        assert not view.trigger_reason  # nothing is staged yet, so nothing critical is
        assert [p.proposal.change.kind for p in view.proposals if p.status == "pending"] == ["state_change"]
        reply = await at.say(reply.suggested_line)
        if critical is CriticalCommitMode.AUTO:
            assert reply.lines == ("Proposed: Orc died", "Canon: Orc's HP is 0.", "Canon: Orc died.")
        else:
            assert (await at.view()).trigger_reason.startswith("Critical: ")


async def test_play_every_way_to_zero_is_heard_once(tmp_path: Path) -> None:
    async with game(tmp_path, **TWOS) as at:
        reply = await at.say("/state Mara.hp -10")
        assert reply.suggested_line == "/state Mara +down"
        assert reply.lines[1].startswith("Mara: HP is at 0. Mara is down.")
        assert (await at.say("/state Mara.hp -1")).suggested_line == ""  # it is at 0 already
        assert (
            await at.say("/undo") if (await at.view()).can_undo else Reply("nothing")
        ).suggested_line == ""
        await at.say("/state Mara.hp = 1, Mara +down")
        reply = await at.say("/state Mara.hp = 0")
        assert reply.suggested_line == ""  # she is down: nothing is left to suggest
        assert any("is at 0" in line for line in reply.lines)
        reply = await at.say("/state Mara.light -6, Mara.hp = 2")
        assert reply.suggested_line == "/state Mara +in the dark"


async def test_play_number_that_nobody_set_is_said_before_the_roll_and_nothing_is_proposed(
    tmp_path: Path,
) -> None:
    async with game(tmp_path, **TWOS) as at:
        await at.say("/creature here Orc: scarred")
        for line in ("/move strike Orc = 6 6", "/check might; success: Orc.hp -4 = 6 6", "/state Orc.hp -4"):
            with pytest.raises(InputError, match=r"Orc has no HP\..*/state Orc\.hp = 10 gives it"):
                await at.say(line)
        view = await at.view()
        assert [p.label for p in view.proposals if p.status == "pending"] == ["creature"]
        assert view.scene.head is None
        await at.say("/state Orc.hp = 6, Orc.hp -1", "/move strike Orc = 6 6")
        assert (await at.numbers("Orc"))["hp"] == 1


async def test_play_number_that_begins_at_nothing_counts_from_there(tmp_path: Path) -> None:
    async with game(tmp_path, **TWOS) as at:
        await at.say("/state Mara.coin +5")
        assert (await at.numbers("Mara"))["coin"] == 5


# --- sheets -----------------------------------------------------------------------------------------


async def test_play_new_hero_begins_with_what_the_rules_give(tmp_path: Path) -> None:
    hero = NewCharacter("Aldric", numbers=(("max_hp", 20), ("luck", 3)), tags=("lame",))
    async with game(tmp_path, system="Hard Twenty", pc=hero) as at:
        assert (await at.view()).story.system == "hard_twenty"
        numbers = await at.numbers("Aldric")
        assert (numbers["hp"], numbers["might"], numbers["harm"], numbers["luck"]) == (20, 0, 4, 3)
        assert await at.tags("Aldric") == ("lame",)


async def test_play_story_by_rules_that_are_not_there_is_not_begun(tmp_path: Path) -> None:
    (tmp_path / "systems").mkdir()
    (tmp_path / "systems" / "mud.yaml").write_text("id: mud\nname: Mud\n", encoding="utf-8")
    async with opened(tmp_path) as program:
        universe = await program.services.stories.create_universe(NewUniverse("Test"))
        for wanted, complaint in (("mud", "mud.yaml: This rule pack cannot be used: line"), ("x", "no rule")):
            with pytest.raises(InputError, match=complaint):
                await program.services.stories.start_story(outline(universe.id, system=wanted))
        assert await program.services.stories.stories() == []
        wrong = [pack for pack in await program.services.stories.systems() if pack.problem]
        assert [(pack.name, pack.id) for pack in wrong] == [("mud.yaml", "")]


async def test_play_sheet_says_what_the_rules_know_and_what_is_staged(tmp_path: Path) -> None:
    async with game(tmp_path, **TWOS) as at:
        await at.say(ORC, "/state Mara.hp -10, Mara +hurt, Mara +cold")
        lines = (await at.say("/sheet")).lines
        assert lines[0] == "Mara · Lantern Twos"
        assert "might 1  ·  Arms, back and temper" in lines
        assert "HP 0/10*  ·  How much more harm you can take" in lines
        assert "+hurt*  ·  A wound that slows all you do" in lines
        assert "+cold*" in lines
        assert lines[-1].startswith("HP is at 0: Mara is down.")
        assert "HP 4/10  ·  How much more harm you can take" in (await at.say("/sheet orc")).lines
        await at.refuses("/sheet Nobody", "There is no 'Nobody'")
        view = await at.services.play.sheet(at.scene_id)
        assert [name for _, name in view.other_sheets] == ["Mara", "Orc"]
        hp = next(row for row in view.rows if row.key == "hp")
        assert (hp.number, hp.minimum, hp.maximum, hp.is_staged) == (0, 0, 10, True)
        orc = next(i for i, name in view.other_sheets if name == "Orc")
        assert (await at.services.play.sheet(at.scene_id, orc)).name == "Orc"


async def test_play_sheet_without_rules_is_just_its_numbers(tmp_path: Path) -> None:
    async with game(tmp_path) as at:
        assert (await at.say("/sheet")).lines == ("Mara", "hp 10", "might 1")


@pytest.mark.parametrize(
    ("line", "numbers", "description"),
    [
        ("/npc here Tom: the keeper (hp 4, might 1)", {"hp": 4, "might": 1}, "the keeper"),
        ("/npc here Tom (hp 4): the keeper", {"hp": 4}, "the keeper"),
        ("/npc here Tom: the keeper (of the bell)", {}, "the keeper (of the bell)"),
        ("/npc here Tom: the keeper ()", {}, "the keeper ()"),
        ("/npc here Tom: he is 40 (luck -1)", {"luck": -1}, "he is 40"),
    ],
)
async def test_people_come_with_their_numbers(
    tmp_path: Path, line: str, numbers: dict[str, int], description: str
) -> None:
    async with game(tmp_path) as at:
        await at.say(line)
        assert await at.numbers("Tom") == numbers
        (proposal,) = (await at.view()).proposals
        assert getattr(proposal.proposal.change, "description", None) == description


# --- rules and settings -----------------------------------------------------------------------------


async def test_play_rules_may_change_and_the_sheets_keep_their_numbers(tmp_path: Path) -> None:
    async with game(tmp_path) as at:
        listing = (await at.say("/system")).lines
        assert listing[0].startswith("The story is played by no rule pack")
        assert any(line.startswith("hard_twenty: ") for line in listing)
        reply = await at.say("/system Lantern Twos")
        assert reply.lines[0] == "From now on the story is played by Lantern Twos."
        assert "/system none does" in reply.lines[-1]
        assert await at.numbers("Mara") == {"hp": 10, "might": 1}
        await at.say("/check wits = 6 5")
        assert (await at.last()).text.startswith("Mara: wits · 2d6+0 [6,5]+0 = 11 vs 10 · success")
        assert (await at.say("/system lantern_twos")).lines == (
            "The story is played by Lantern Twos already.",
        )
        await at.refuses("/system lantern", "There is no rule system called 'lantern'.*lantern_twos")
        await at.say("/system none", "/check might 9 = 4 4")
        assert (await at.last()).rule == "might vs 9"


async def test_tension_has_two_modes(tmp_path: Path) -> None:
    async with game(tmp_path) as at:
        await at.say("/tension 9", "? likely: Is it deep? = 20")
        bent = await at.last()
        assert (bent.rule, bent.text.split(" · ")[3]) == ("oracle, likely, tension 9, bend", "yes, but")
        assert "leaves the odds alone" in (await at.say("/tension edge")).lines[0]
        assert (await at.view()).story.tension_mode is TensionMode.EDGE
        await at.say("? likely: Is it deep? = 20")
        edged = await at.last()
        assert (edged.rule, edged.text.split(" · ")[3]) == ("oracle, likely, tension 9, edge", "no")
        await at.say("/tension bend")
        assert (await at.view()).story.tension_mode is TensionMode.BEND
        await at.refuses("/tension sideways", "How tense")


# --- notes ------------------------------------------------------------------------------------------


async def test_notes_stay_out_of_the_line_and_are_written_out(tmp_path: Path) -> None:
    async with game(tmp_path) as at:
        await at.say("/gm start slow", "I wait.", "/note the bell rings at dawn", "I go.", "/gm too far")
        assert await at.texts() == ["I wait.", "I go."]
        assert [row.notes for row in await at.rows()] == [("the bell rings at dawn",), ("too far",)]
        assert (await at.say("/notes")).lines == (
            "1.0  start slow",
            "1.1  the bell rings at dawn",
            "1.2  too far",
        )
        assert (await at.say("/notes BELL")).lines == ("1.1  the bell rings at dawn",)
        await at.say("/undo")
        assert (await at.say("/notes")).lines[-1] == "1.2 (turn undone)  too far"
        assert await at.texts() == ["I wait."]
        journal = write_journal(await at.services.stories.story_record((await at.view()).story.id))
        places = [
            journal.index(f"(note: {words})") for words in ("start slow", "the bell rings at dawn", "too far")
        ]
        assert places == sorted(places)
        assert places[0] < journal.index("@ I wait.") < places[1]
        assert "**Note:** too far" in write_markdown(
            await at.services.stories.story_record((await at.view()).story.id)
        )
        await at.refuses("/gm", "needs words after it")


async def test_play_note_is_nothing_that_redo_could_lose(tmp_path: Path) -> None:
    async with game(tmp_path) as at:
        await at.say("I wait.", "/undo", "/gm again", "/redo")
        assert await at.texts() == ["I wait."]
        moves = await at.log.head_moves(at.scene_id)
        assert [m.kind for m in moves] == [MoveKind.APPEND, MoveKind.UNDO, MoveKind.REDO]


# --- challenge dice, experience and gear ----------------------------------------------------------------


async def test_play_road_and_oath_from_a_weak_hit_to_an_advance(tmp_path: Path) -> None:
    """I roll one die against two, keep an oath, carry more than I can, and spend what I learnt."""
    async with game(tmp_path, system="road_and_oath") as at:
        await at.say("I swear it. /move swear an oath = 5 3 9", "I hide. /check guile +1 = 2 3 9")
        texts = [row.turn.text for row in await at.rows()]
        assert any("d6+1 beats 2d10 [5]+1 beats [3,9] = 1 vs 2 · partial" in text for text in texts)
        assert any("[2]+1+1 beats [3,9] = 1" in text for text in texts)
        assert (await at.numbers("Mara"))["momentum"] == 3
        await at.refuses("/advance stronger", "stronger costs 3 XP, and Mara has 0")
        await at.say("/state Mara.xp +3")
        assert "stronger (3): More might" in (await at.say("/advance")).lines
        await at.say("/advance stronger")
        assert (await at.texts())[-1] == "Mara has learnt from it: More might."
        assert (await at.numbers("Mara"))["might"] == 2
        assert (await at.numbers("Mara"))["xp"] == 0
        await at.say("/undo")
        assert (await at.numbers("Mara"))["xp"] == 3
        await at.say("/state Mara +mail shirt, Mara +long blade", "/fact Mara owns the ferry")
        sheet = "\n".join((await at.say("/sheet Mara")).lines)
        assert "Gear: 6 of 5 slots" in sheet
        assert "Mara carries 6 slots of 5: something has to stay behind." in sheet
        assert "XP 3 can be spent: /advance" in sheet


CHARM_PACK = """
id: charms
name: Charms
version: 1
licence: CC0-1.0
attribution: Nobody
summary: A pack whose gear helps.
numbers:
  - {key: might, meaning: Strength}
tags:
  - {key: charm, kind: gear, meaning: It brings luck, modifier: 2}
check: {dice: "2d6+{number}", vs: 8}
"""


async def test_gear_that_helps_helps_nobody_who_lost_it(tmp_path: Path) -> None:
    """My charm gives +2; Dob steals it, and it gives me nothing until I have it back."""
    (tmp_path / "systems").mkdir()
    (tmp_path / "systems" / "charms.yaml").write_text(CHARM_PACK, encoding="utf-8")
    async with game(tmp_path, system="charms") as at:
        await at.say("/npc here Dob: a thief", "/state Mara +charm", "/check might = 3 3")
        assert "2d6+1+2" in (await at.last()).text
        await at.say("/gear charm: Lucky Penny", "/check might = 3 3")
        assert "2d6+1+2" in (await at.last()).text
        await at.say("> Dob steals Lucky Penny from Mara.", "/check might = 3 3")
        assert "2d6+1 [" in (await at.last()).text
        await at.say("/undo", "/undo", "/state Mara -charm", "/check might = 3 3")
        assert "2d6+1+2" in (await at.last()).text  # whoever has the thing has the gear


@pytest.mark.slow
async def test_gear_made_a_thing_goes_with_the_thing(tmp_path: Path) -> None:
    """My blade is a thing of the world; Dob steals it, and it is on my sheet no more until I have it back."""
    async with game(tmp_path, system="road_and_oath") as at:
        await at.say("/npc Dob: a thief", "/state Mara +mail shirt, Mara +long blade")
        await at.refuses("/gear lantern", "Mara carries no 'lantern' by the rules.")
        proposed = "\n".join((await at.say("/gear long blade: Oathkeeper")).lines)
        assert "Oathkeeper" in proposed
        await at.refuses("/gear long blade", "Mara's long blade is a thing of the world already: Oathkeeper.")
        listed = (await at.say("/gear")).lines
        assert any(line.startswith("+long blade") and "Oathkeeper" in line for line in listed)
        load = listed[0]
        await at.say("> Dob steals Oathkeeper from Mara.")
        stolen = (await at.say("/gear")).lines
        assert "(long blade)  ·  gone with Oathkeeper" in stolen
        assert stolen[0] != load
        await at.say("/undo")
        assert (await at.say("/gear")).lines == listed
        # It is so after the gate, too: what canon says is stolen is on the sheet no more, until it is back.
        await at.say("/accept all", "/commit", "> Dob steals Oathkeeper from Mara.", "/accept all", "/commit")
        assert "(long blade)  ·  gone with Oathkeeper" in (await at.say("/sheet Mara")).lines
        await at.say("> Dob gives Oathkeeper to Mara.", "/accept all", "/commit")
        assert any(line.startswith("+long blade  ·  Oathkeeper") for line in (await at.say("/gear")).lines)
        await at.say("> Mara loses Oathkeeper.")
        assert "(long blade)  ·  gone with Oathkeeper" in (await at.say("/gear")).lines
        await at.say("/undo", "/state Mara -long blade")
        assert any(
            line.startswith("+long blade") for line in (await at.say("/gear")).lines
        )  # the thing has it


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", ["> Dob steals Mara's long blade.", "> Dob steals the long blade.", "I lose my long blade."]
)
async def test_gear_without_a_name_of_its_own_goes_by_plain_words(tmp_path: Path, line: str) -> None:
    async with game(tmp_path, system="road_and_oath") as at:
        await at.say("/npc here Dob: a thief", "/state Mara +long blade", "/gear long blade", line)
        assert "(long blade)  ·  gone with Mara's long blade" in (await at.say("/gear")).lines
