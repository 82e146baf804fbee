"""Who speaks in a journal: one name and one voice for each, however a line names or marks them."""

from __future__ import annotations

import pytest

from agents.importers.log_entries import LogFormat
from tests.agents.importers.test_journals import log_of

OSRIC = "---\ntitle: The Marsh Road\n---\n## Session 1\n\nRain. We wait.\n\n"


def speakers_of(text: str, *, hero: str = "") -> list[tuple[str, str]]:
    """Return the voice and the name of each turn that has a speaker."""
    return [
        (e.voice.value if e.voice else "", e.speaker) for e in log_of(text, hero=hero).entries if e.speaker
    ]


QUOTE = "> [!quote] Brother Osric\n> The causeway is drowned.\n\n"


@pytest.mark.parametrize(
    ("lines", "speakers"),
    [
        (
            f"{QUOTE}@(Osric) knocks\n@ I wait\n? Is it empty\n",
            [("player", "Brother Osric"), ("player", "Brother Osric")],
        ),
        (
            f"{QUOTE}[N:Brother Osric|wary]\n@(Osric) knocks\n@ I wait\n? Is it empty\n",
            [("npc", "Brother Osric"), ("npc", "Brother Osric")],
        ),
        (
            f'{QUOTE}**Osric:** "Well?"\n\n**Kell:** "We go."\n',
            [("npc", "Brother Osric"), ("npc", "Brother Osric"), ("player", "Kell")],
        ),
        ('**Marta:** "Well?"\n\n**Marta Ashe:** "We go."\n', [("player", "Marta Ashe")] * 2),
        # Two names, two people, or nobody knows.
        (
            '**Brother Osric:** "No."\n\n**Osric:** "No."\n\n**Captain Osric:** "No."\n',
            [("player", "Brother Osric"), ("npc", "Osric"), ("npc", "Captain Osric")],
        ),
        ('**Ashe:** "No."\n\n**Marta Ashe:** "No."\n', [("player", "Ashe"), ("npc", "Marta Ashe")]),
        (
            '**Guard 1:** "No."\n\n**Guard:** "No."\n\n**Captain:** "No."\n\n**Captain Vess:** "No."\n',
            [("player", "Guard 1"), ("npc", "Guard"), ("npc", "Captain"), ("npc", "Captain Vess")],
        ),
        ('**Son of Osric:** "No."\n\n**Osric:** "No."\n', [("player", "Son of Osric"), ("npc", "Osric")]),
        (
            '[[Osric]] and [[Brother Osric]] row.\n\n**Osric:** "No."\n\n**Brother Osric:** "No."\n',
            [("player", "Osric"), ("npc", "Brother Osric")],
        ),
        (
            'We see [[Places/Marta Mill]].\n\n**Marta:** "No."\n',
            [("player", "Marta")],
        ),
    ],
)
def test_one_person_is_one_speaker(lines: str, speakers: list[tuple[str, str]]) -> None:
    assert speakers_of(f"{OSRIC}{lines}") == speakers


def test_person_of_a_chat_who_bears_part_of_another_name_is_somebody_else() -> None:
    log = "GM: Rain.\nTam: Who is there?\nOld Tam: Only me.\nTam: Come in."
    assert speakers_of(log) == [("gm", "GM"), ("player", "Tam"), ("npc", "Old Tam"), ("player", "Tam")]


@pytest.mark.parametrize("npc", ["npc: Marta", "npcs: [Osk, Marta Ashe]"])
def test_deed_of_whom_the_front_matter_calls_an_npc_is_not_the_players(npc: str) -> None:
    log = f"---\ntitle: The Mill\n{npc}\n---\n## S1\n@ I wait\n? Is it empty\n@(Marta Ashe) lies\n=> A dog barks.\n"
    assert speakers_of(log) == [("npc", "Marta Ashe")]


@pytest.mark.parametrize(
    ("log", "hero", "speakers"),
    [
        ("@(Marta) lies\n[N:Marta|wary]", "", [("npc", "Marta")]),
        ('@(Marta) lies\nN (Marta): "No."', "", [("npc", "Marta"), ("npc", "Marta")]),
        ("@(Marta) lies\n[N:Osk|wary]", "", [("player", "Marta")]),
        ("@(Marta) lies\n[PC:Marta|HP 5]", "", [("player", "Marta")]),
        ("@(Marta) lies\n[N:Marta|wary]", "Marta", [("player", "Marta")]),
        ("@(Kell) lies\n> [!quote] Kell\n> No.", "", [("player", "Kell"), ("player", "Kell")]),
        ("@(Kell) lies\n> [!quote] Kell\n> No.", "Kell Marr", [("player", "Kell Marr")] * 2),
        ("@(Kell) lies\n> [!quote] Osk\n> No.", "", [("player", "Kell"), ("npc", "Osk")]),
        ("@(Kell) lies\n> [!npc] Osk\n> No.", "Kell", [("player", "Kell"), ("npc", "Osk")]),
    ],
)
def test_each_speaker_of_a_journal_has_one_voice(
    log: str, hero: str, speakers: list[tuple[str, str]]
) -> None:
    assert (
        speakers_of(f"## S1 *The mill*\n@ I wait\n=> Rain.\n{log}\n", hero=hero)[-len(speakers) :] == speakers
    )


@pytest.mark.parametrize(
    ("line", "entry"),
    [
        ('**Kell:** "Then we go round."', ("player", "Kell", '"Then we go round."')),
        ("**Osk**: “Then go.”", ("npc", "Osk", "“Then go.”")),
        ('Osk: "Then go."', ("npc", "Osk", '"Then go."')),
        # A remark is nobody's speech, and neither is a line of a session's header.
        ("**Outcome:** I find a ring.", ("gm", "", "**Outcome:** I find a ring.")),
        ("Weather: rain", ("gm", "", "Weather: rain")),
        ('The sign on the door: "No."', ("gm", "", 'The sign on the door: "No."')),
        ('**Recap:** "No."', ("ooc", "", 'Recap: "No."')),
    ],
)
def test_quotation_in_a_solo_log_is_of_whom_it_names(line: str, entry: tuple[str, str, str]) -> None:
    log = log_of(f"## S1 *The mill*\n@ I wait\n=> Rain falls.\n{line}\n", hero="Kell")
    last = log.entries[-1]
    assert (last.voice.value if last.voice else "", last.speaker, last.text) == entry


PELL = '## Session 1\n\nMother Pell gives me a glass pear.\n\n**Mother Pell:** "Eat it."\n'


@pytest.mark.parametrize(
    ("log", "speakers"),
    [
        (PELL, [("npc", "Mother Pell")]),
        (f"---\ntitle: Hale\npc: Tamsin Reeve\n---\n{PELL}", [("npc", "Mother Pell")]),
        (
            f'---\ntitle: Hale\npc: "[[Tamsin Reeve]]"\n---\n{PELL}\n**Tamsin:** "No."\n',
            [("npc", "Mother Pell"), ("player", "Tamsin Reeve")],
        ),
        (
            '---\ntitle: Hale\nnpc: Osk\n---\n## Session 1\n\nIt rains.\n\n**Osk:** "No."\n',
            [("npc", "Osk")],
        ),
        (
            '## Session 1\n\nI climb over, to where [[NPCs/Marta Ashe|Marta]] feeds the hens.\n\n**Marta:** "You."\n',
            [("npc", "Marta Ashe")],
        ),
        (
            '## Session 1\n\nRain, and [[World/NPCs/Marta Ashe|a girl]] with hens.\n\n**Marta:** "You."\n',
            [("npc", "Marta Ashe")],
        ),
        (
            "## Session 1\n\nI climb over, to where [[People/Marta Ashe|Marta]] feeds the hens.\n\n"
            '**Marta:** "You."\n\n**Kell:** "I?"\n',
            [("npc", "Marta Ashe"), ("player", "Kell")],
        ),
        # Another Marta is told of, or nobody says whose the folder is.
        (
            "## Session 1\n\nI see [[People/Marta Mill|Marta]] with the hens.\n\n"
            '**Marta Ashe:** "She is early."\n',
            [("player", "Marta Ashe")],
        ),
        (
            '## Session 1\n\nRain falls on [[Characters/Marta Ashe|her]].\n\n**Marta:** "You."\n',
            [("player", "Marta Ashe")],
        ),
        (
            '## Session 1\n\nRain falls on [[NPCs/Marta Ashe|her]].\n\n**Kell:** "You."\n',
            [("player", "Kell")],
        ),
        # Nothing says that somebody else tells of them.
        ('## Session 1\n\nIt rains.\n\n**Kell:** "No."\n', [("player", "Kell")]),
        ('## Session 1\n\nKell waits in the rain.\n\n**Kell:** "No."\n', [("player", "Kell")]),
        ('## Session 1\n\nI wait in the rain.\n\n**Kell:** "No."\n', [("player", "Kell")]),
    ],
)
def test_speaker_of_whom_a_journal_tells_is_not_taken_for_the_player(
    log: str, speakers: list[tuple[str, str]]
) -> None:
    assert [
        (e.voice.value if e.voice else "", e.speaker)
        for e in log_of(log, form=LogFormat.MARKDOWN).entries
        if e.speaker
    ] == speakers


@pytest.mark.parametrize(
    ("front_matter", "line", "name"),
    [
        ("pcs: Kit Marlowe", "[L:Mill|dark]", "Kit Marlowe is played in it"),
        ("player: me", "[PC:Kit Marlowe|HP 8]", "Kit Marlowe is played in it"),
        ("pcs: Kit Marlowe", "@(Kell) draws his sword", "Kit Marlowe is played in it"),
        ("player: me", "@(Kell) draws his sword", "Kell acts in it"),
    ],
)
def test_solo_log_says_whom_to_name_as_the_character(front_matter: str, line: str, name: str) -> None:
    log = log_of(f"---\ntitle: Ash\n{front_matter}\n---\n## S1 *Dusk*\n@ I wait\n=> Rain.\n{line}\n")
    assert [str(p).partition(":")[0] for p in log.problems if "as your character" in str(p)] == [name]
