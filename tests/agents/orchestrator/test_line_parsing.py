"""What a typed line means, and what is refused with words."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.orchestrator.commands.all_commands import COMMANDS
from agents.orchestrator.input.bare_choice import complete_choice
from agents.orchestrator.input.parser import CommandInput, RollInput, WordsInput, parse_input
from agents.resolver.dice_faces import open_for_faces
from agents.sanitize import MAX_LINE_LENGTH, clean
from stores.errors import InputError

OPERATIONS = {"fact", "commit", "end", "undo", "help"}


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("I force the door.", WordsInput("I force the door.", gm_authored=False)),
        ('"Who is there?"', WordsInput('"Who is there?"', gm_authored=False)),
        ("> The hinges give.", WordsInput("The hinges give.", gm_authored=True)),
        (
            "/narrate The hinges give.",
            WordsInput("The hinges give.", gm_authored=True, is_narrate_command=True),
        ),
        (
            "/NARRATE The hinges give.",
            WordsInput("The hinges give.", gm_authored=True, is_narrate_command=True),
        ),
        (
            "I push /check might 9",
            WordsInput("I push", gm_authored=False, roll=RollInput("check", "might 9")),
        ),
        ("> It bites. /roll 2d6", WordsInput("It bites.", gm_authored=True, roll=RollInput("roll", "2d6"))),
        ("either/or, he said", WordsInput("either/or, he said", gm_authored=False)),
        ("/check", RollInput("check", "")),
        ("/roll 3d6!", RollInput("roll", "3d6!")),
        ("2d6+1", RollInput("roll", "2d6+1")),
        ("d20", RollInput("roll", "d20")),
        ("3d6 ", RollInput("roll", "3d6")),
        ("D20 adv + might", RollInput("roll", "D20 adv + might")),
        ("4dF [luck]", RollInput("roll", "4dF [luck]")),
        ("2d6+1 vs 9", RollInput("check", "2d6+1 vs 9")),
        ("2d6 vs 9; fail: Mara +hurt", RollInput("check", "2d6 vs 9; fail: Mara +hurt")),
        ("2d6 goblins come", WordsInput("2d6 goblins come", gm_authored=False)),
        ("d20.", WordsInput("d20.", gm_authored=False)),
        ("2d6 vs Dob", WordsInput("2d6 vs Dob", gm_authored=False)),
        ("I throw 2d6+1 and hope", WordsInput("I throw 2d6+1 and hope", gm_authored=False)),
        ("I jump. 2d6+1", WordsInput("I jump. 2d6+1", gm_authored=False)),
        ("/fact The bell was moved", CommandInput("fact", "The bell was moved")),
        ("/undo", CommandInput("undo", "")),
        ("two\r\nlines", WordsInput("two\nlines", gm_authored=False)),
        ("red \x1b[31malert\x1b[0m \x07bell", WordsInput("red alert bell", gm_authored=False)),
        ("title \x1b]0;evil\x07gone", WordsInput("title gone", gm_authored=False)),
    ],
)
def test_line_means(line: str, meaning: object) -> None:
    assert parse_input(line, OPERATIONS) == meaning


@pytest.mark.parametrize(
    ("line", "spec", "faces"),
    [
        ("/roll 2d6+1 = 5 4", "2d6+1", (5, 4)),
        ("/roll 2d6+1 =", "2d6+1", ()),
        ("2d6+1 = 5 4", "2d6+1", (5, 4)),
        ("2d6+1 =", "2d6+1", ()),
        ("2d6+1 vs 9 = 5 4", "2d6+1 vs 9", (5, 4)),
        ("5d6=6", "5d6=6", None),
        ("/roll 2d6+1", "2d6+1", None),
        ("/roll 5d6=6", "5d6=6", None),  # a comparison has no blanks around it
        ("/roll 5d6 =6", "5d6 =6", None),
        ("/roll 8d10>= 7", "8d10>= 7", None),
        ("/roll 4dF = +-0 +", "4dF", (1, -1, 0, 1)),
        ("/roll 2d6 [a = b] = 1, 2", "2d6 [a = b]", (1, 2)),
        ("/check might 9 = 5 4", "might 9", (5, 4)),
        ("/check might 9; fail: Mara.luck = 3", "might 9; fail: Mara.luck = 3", None),
        ("/check might 9; fail: Mara.luck = 3 = 5 4", "might 9; fail: Mara.luck = 3", (5, 4)),
        ("/check might 9; success: Orc.hp -5 = 5 4", "might 9; success: Orc.hp -5", (5, 4)),
        ("/check might 9; Mara +hurt = 1 1", "might 9; Mara +hurt", (1, 1)),
        ("/check strike Orc = 3 3; success: Orc.hp -3", "strike Orc; success: Orc.hp -3", (3, 3)),
        ("I hit. /check might 9 = 3 3; fail: Mara.luck = 3", "might 9; fail: Mara.luck = 3", (3, 3)),
        (
            "/check might 9; success: Orc.hp -5 = 3 3; fail: Mara.luck = 3",
            "might 9; success: Orc.hp -5; fail: Mara.luck = 3",
            (3, 3),
        ),
        (
            "/check might 9 = 6; Mara +hurt = 4",
            "might 9; Mara +hurt",
            (6, 4),
        ),  # a die that exploded, typed on
        ("/check might 9 =; Mara +hurt", "might 9; Mara +hurt", ()),
        ('/check strike "Orc; Ogre" = 3 3; fail: Mara +hurt', 'strike "Orc; Ogre"; fail: Mara +hurt', (3, 3)),
        (
            "/check might 9; fail: Mara.luck = 3; miss: Mara.grit = 2",
            "might 9; fail: Mara.luck = 3; miss: Mara.grit = 2",
            None,
        ),
        ("/move strike Orc = 6 6", "strike Orc", (6, 6)),
        ("/move strike Orc = 6 6; fail: Mara +hurt", "strike Orc; fail: Mara +hurt", (6, 6)),
        ("/howmuch = 1 2 3", "", (1, 2, 3)),
        ("/react Old Tam +1 = 3 4", "Old Tam +1", (3, 4)),
        ("I ask. /roll d% = 00", "d%", (0,)),
        ("? likely: Is it deep? = 37", "likely", (37,)),
        ("? Is 1 = 1, he asks?", "", None),
    ],
)
def test_faces_stand_behind_the_last_equals_sign(line: str, spec: str, faces: tuple[int, ...] | None) -> None:
    typed = parse_input(line, OPERATIONS)
    roll = typed if isinstance(typed, RollInput) else typed.roll if isinstance(typed, WordsInput) else None
    assert roll is not None
    assert (roll.spec, roll.faces) == (spec, faces)


@given(
    st.sampled_from(
        ["/roll 2d6+1", "I go. /check might 9; fail: A.b = 3", "? likely: Is it so?", "/howmuch", "/move x Y"]
    ),
    st.lists(st.integers(-1, 100), max_size=6),
)
def test_line_that_asks_for_faces_takes_them(line: str, faces: list[int]) -> None:
    """What is put back into the prompt can be typed on, again and again."""
    asked = open_for_faces(line, None)
    for n, face in enumerate(faces):
        asked = open_for_faces(f"{asked}{face}", faces[: n + 1])
    assert asked == " ".join((line, "=", *map(str, faces), ""))
    typed, bare = parse_input(asked, OPERATIONS), parse_input(line, OPERATIONS)
    roll, before = (
        t if isinstance(t, RollInput) else t.roll for t in (typed, bare) if not isinstance(t, CommandInput)
    )
    assert roll is not None
    assert before is not None
    assert (roll.kind, roll.spec, roll.faces) == (before.kind, before.spec, tuple(faces))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "nothing typed"),
        ("/roll 2d6 = five", "'five' is not the face of a die"),
        ("  \t ", "nothing typed"),
        ("\x1b[2J\x00", "nothing to play"),
        (">", "nothing to narrate"),
        ("> /check 2d6", "nothing to narrate"),
        ("/fcat x", "Did you mean /fact"),
        ("/zzzzzz", "no command /zzzzzz"),
        ("x" * (MAX_LINE_LENGTH + 1), "20,001 characters"),
        ("x" * 100_000, "100,000 characters"),
    ],
)
def test_bad_input_is_refused_in_words(line: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_input(line, OPERATIONS)


@given(st.text(max_size=300))
def test_line_any_text_is_read_or_refused_and_never_dangerous(line: str) -> None:
    try:
        typed = parse_input(line, OPERATIONS)
    except InputError:
        return
    text = typed.text if isinstance(typed, WordsInput) else ""
    assert not [c for c in text if unicodedata.category(c) == "Cc" and c != "\n"]


@given(st.text(max_size=200))
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert clean(clean(text)) == clean(text)


def test_command_argument_keeps_words_lines_and_paragraphs_of_long_blanks() -> None:
    """Patterns of commands would take seconds over thousands of blanks."""
    read = parse_input(f"/clock The{' ' * 15_000}thaw{chr(10) * 9}  4", {"clock"})
    assert read == CommandInput("clock", "The thaw\n\n4")


COMMAND_NAMES = sorted({*COMMANDS.names(), *(command.name for command in COMMANDS.list_help())})


def read_hint(name: str) -> list[str]:
    """Return the commands that are suggested for one that there is not."""
    with pytest.raises(InputError) as caught:
        parse_input(f"/{name} 2d6", COMMANDS.names())
    _, _, hint = str(caught.value).partition("Did you mean ")
    return hint.partition("?")[0].split(" or ")


@pytest.mark.parametrize(
    ("typed_name", "commands"),
    [
        ("rol", ["/roll"]),
        ("rerol", ["/reroll"]),
        ("comit", ["/commit"]),
        ("tkae", ["/take"]),
        ("lit", ["/lie", "/lift", "/list"]),
        ("com", ["/commit"]),
        ("how", ["/howmuch", "/show"]),
        ("orcle", ["/oracle"]),
        ("wisper", ["/whisper"]),
        ("rolling", ["/roll"]),
        ("npcz", ["/npc", "/npcs"]),
        ("hearsay", ["/rumour"]),
        ("rumor", ["/rumour"]),
    ],
)
def test_unknown_command_names_the_nearest(typed_name: str, commands: list[str]) -> None:
    assert read_hint(typed_name) == commands


@pytest.mark.parametrize("name", COMMAND_NAMES)
def test_unknown_command_names_the_one_that_was_mistyped(name: str) -> None:
    missing = {name[:i] + name[i + 1 :] for i in range(len(name)) if len(name) > 3}
    doubled = {name[: i + 1] + name[i:] for i in range(len(name))}
    swapped = {name[:i] + name[i + 1] + name[i] + name[i + 2 :] for i in range(len(name) - 1)}
    for typed_name in sorted((missing | doubled | swapped) - set(COMMAND_NAMES)):
        assert f"/{name}" in read_hint(typed_name), typed_name


@pytest.mark.parametrize("line", ["1", "1.", "#2", "3)", "1 3", "1, 3", "a", "R"])
def test_number_or_letter_alone_is_no_turn(line: str) -> None:
    with pytest.raises(InputError, match="alone is no turn of the story") as caught:
        parse_input(line, COMMANDS.names())
    assert caught.value.kept == "Nothing was played."
    assert ("/accept" if line[-1].isdigit() or line[0].isdigit() else "F2") in caught.value.todo


@pytest.mark.parametrize("line", ["> 1", "“1”", '"a"', "1 more step.", "走", "Two."])
def test_words_with_a_number_are_a_turn(line: str) -> None:
    assert isinstance(parse_input(line, COMMANDS.names()), WordsInput)


def test_numbers_alone_complete_the_command_that_listed_them() -> None:
    assert complete_choice(" 2 ", "/paid") == "/paid 2"
    assert complete_choice("1, 3", "/accept") == "/accept 1, 3"
    assert complete_choice("2", "") == "2"
    assert complete_choice("I take 2", "/paid") == "I take 2"
