"""Journals as solo players keep them (Lonelog and Obsidian): what is read, and what their tags propose."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.importers.import_views import ImportPreview, ImportRequest, ImportResult
from agents.importers.log_entries import LogFormat, ParsedLog, Voice
from agents.importers.log_reading import read_log, read_title
from agents.importers.scenes import split_scenes
from monitor_tui.compose import Program
from stores.errors import InputError
from stores.records.canon import CreateEntity
from stores.records.workflow import ProposedChange, Verdict
from stores.records.world import EntityKind
from tests.examples import examples
from tests.program import opened

LONELOG = """\
---
title: The Ash Road
ruleset: Ironsworn
genre: dark fantasy
pcs: Kell [PC:Kell|HP 5|Supply 3]
---
# The Ash Road

## Session 1
*Date: 2025-10-01 | Duration: 1h30 | Scenes: S1-S2*

**Recap:** Kell fled the burned town.

### S1 *Burned mill, dusk*

```
@(Kell) lies low and watches the door
d: Edge 4+2 vs 5 -> weak hit => A dog barks. [N:Marta|wary|miller] comes out.
? Does Marta recognise him? (Likely)
-> Yes, but she is afraid
=> Marta: "You should not be here."
[L:Burned mill|ruined] [Thread:Find Teodor|Open] [Inv:Torch|3]
[E:The flood 2/6]
```
(note: remember the map)

### S2 *The ford*
@(Kell) crosses
[N:Marta|dead] [#N:Harl]
[Track:The flood 4/6]
[Thread:Pay the ferryman|Open]
[Thread:Pay the ferryman|Closed]
[PC:Kell|HP-2]
"""

OBSIDIAN = """\
---
title: Glass Bell
tags: [rpg/solo]
npc: [[People/Dob Harrow]]
---
## Session 1 - The pier

I come down to [[Pier Nine|the pier]] at dusk. [[People/Dob Harrow]] waits there.
Weather: cold

> [!quote] Dob Harrow
> You're late, girl.
> The boat is gone.

> [!dice] Strong hit
> 6+2 vs 3, 5

> [!note]- GM only
> he lies

- [ ] Find out where [[Teodor]] went
- [x] Pay the toll

mood:: uneasy

%% check the map %%

```dataview
table from #npc
```

**Kell:** "I know."

## Session 2 - The chapel
2025-11-09

We ring the bell.
"""


def log_of(text: str, *, form: LogFormat | None = None, hero: str = "") -> ParsedLog:
    return read_log(text.encode(), form=form, hero=hero)


def title_of(text: str) -> str:
    return read_title(text.encode())[0]


def spoken(log: ParsedLog) -> list[tuple[str, str, str]]:
    """Return voice, speaker and words of all entries but marks."""
    return [
        (e.voice.value if e.voice else "", e.speaker, e.text)
        for e in log.entries
        if e.voice is not Voice.MARK
    ]


@pytest.fixture
async def program(tmp_path: Path) -> AsyncIterator[Program]:
    async with opened(tmp_path / "home") as program:
        yield program


async def import_journal(program: Program, text: str, hero: str = "Kell") -> ImportResult:
    return await program.services.imports.import_log(ImportRequest("journal.md", text.encode(), hero=hero))


async def open_changes(program: Program, result: ImportResult) -> list[str]:
    """Return the rows that wait at the gate of the scene in which the import ends."""
    view = await program.services.gate.gate(result.last_scene)
    return [row.title for row in view.proposals]


# --- what is read -----------------------------------------------------------------------------------


def test_lonelog_says_who_acts_who_asks_and_where() -> None:
    log = log_of(LONELOG, hero="Kell")
    assert (log.form, title_of(LONELOG)) == (LogFormat.LONELOG, "The Ash Road")
    assert spoken(log) == [
        (
            "ooc",
            "",
            "title: The Ash Road\nruleset: Ironsworn\ngenre: dark fantasy\npcs: Kell (HP 5, Supply 3)",
        ),
        ("ooc", "", "Date: 2025-10-01 | Duration: 1h30 | Scenes: S1-S2"),
        ("ooc", "", "Recap: Kell fled the burned town."),
        ("player", "Kell", "Kell lies low and watches the door"),
        ("oracle", "", "Edge 4+2 vs 5 -> weak hit"),
        ("gm", "", "A dog barks. Marta (wary, miller) comes out."),
        ("oracle", "", "Does Marta recognise him? (Likely)"),
        ("oracle", "", "Yes, but she is afraid"),
        ("npc", "Marta", '"You should not be here."'),
        ("system", "", "Burned mill (ruined); Find Teodor (Open); [Inv:Torch|3]"),
        ("system", "", "The flood (2/6)"),
        ("ooc", "", "remember the map"),
        ("player", "Kell", "Kell crosses"),
        ("system", "", "Marta (dead); Harl"),
        ("system", "", "The flood (4/6)"),
        ("system", "", "Pay the ferryman (Open)"),
        ("system", "", "Pay the ferryman (Closed)"),
        ("system", "", "Kell (HP-2)"),
    ]
    assert [scene.title for scene in split_scenes(log.entries)] == [
        "Session 1 · Burned mill, dusk",
        "The ford",
    ]
    assert {e.time_text for e in log.entries if e.voice is Voice.PLAYER} == {"1 October 2025"}
    assert [str(p) for p in log.problems] == [
        "1 tag stays in the text as it stands: nothing is proposed for [Inv:...]"
    ]


def test_lonelog_without_a_hero_says_who_acts_in_it() -> None:
    assert "Kell acts in it: name Kell as your character to play on as Kell" in map(
        str, log_of(LONELOG).problems
    )


def test_obsidian_journal_is_recognised_and_reads_as_prose() -> None:
    log = log_of(OBSIDIAN)
    assert (log.form, title_of(OBSIDIAN)) == (LogFormat.MARKDOWN, "Glass Bell")
    assert "npc: Dob Harrow" in log.entries[0].text
    assert spoken(log)[1:] == [
        ("gm", "", "I come down to the pier at dusk. Dob Harrow waits there.\nWeather: cold"),
        ("npc", "Dob Harrow", "You're late, girl.\nThe boat is gone."),
        ("oracle", "", "Strong hit\n6+2 vs 3, 5"),
        ("ooc", "", "GM only\nhe lies"),
        ("system", "", "To do: Find out where Teodor went"),
        ("system", "", "Done: Pay the toll"),
        ("ooc", "", "mood: uneasy"),
        ("ooc", "", "check the map"),
        ("player", "Kell", '"I know."'),
        ("gm", "", "We ring the bell."),
    ]
    assert [s.title for s in split_scenes(log.entries)] == ["Session 1 - The pier", "Session 2 - The chapel"]
    assert "line 29: a block of dataview draws something in Obsidian and says nothing; left out" in map(
        str, log.problems
    )


@pytest.mark.parametrize("name", ["Dicebot", "Dice Maiden", "avrae", "the Roll Bot"])
def test_dice_bot_of_a_chat_is_nobody(name: str) -> None:
    log = log_of(f"GM: It is dark.\nMira: I listen.\n{name}: 2d6 = 9\nMira: Well?")
    assert (log.entries[2].voice, log.entries[1].voice) == (Voice.ORACLE, Voice.PLAYER)


@pytest.mark.parametrize("name", ["Dicebot", "Dice Maiden", "avrae", "the Roll Bot"])
def test_dice_bot_in_a_solo_log_is_nobody(name: str) -> None:
    log = log_of(f"## S1 *The mill*\n@ I search the mill\n{name}: 2d6 -> 9\n=> I find a ring.\nWeather: rain")
    assert spoken(log)[-3:] == [
        ("oracle", "", "2d6 -> 9"),
        ("gm", "", "I find a ring."),
        ("gm", "", "Weather: rain"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "---\nGM: Rain on the roofs.\nMira: I go in.\n---\nGM: Again.",
        "---\n\nGM: Rain.\nMira: I go in.",
        "GM: Rain.\n---\ntitle: no\n---\nMira: I go in.",
    ],
)
def test_play_between_rules_is_no_front_matter(text: str) -> None:
    log = log_of(text)
    assert "ooc" not in [voice for voice, _, _ in spoken(log)]
    assert "I go in." in [e.text for e in log.entries]


def test_front_matter_that_is_no_yaml_is_kept_as_a_note() -> None:
    log = log_of('---\ntitle: "The Road\nsystem: [a\n---\n## Session 1\nWe walk.')
    assert [(voice, text) for voice, _, text in spoken(log)] == [
        ("ooc", "title: The Road\nsystem: [a"),
        ("gm", "We walk."),
    ]
    assert any("the front matter could not be read in full" in str(p) for p in log.problems)


def test_front_matter_keeps_a_long_field_whole() -> None:
    words = " ".join(f"word{n}" for n in range(2_000))
    log = log_of(f"---\ntitle: The Road\nsummary: {words}\n---\n## Session 1\nWe walk.")
    assert f"summary: {words}" in log.entries[0].text


def test_front_matter_alone_is_no_journal() -> None:
    with pytest.raises(InputError, match="nothing in it could be read"):
        log_of("---\ntitle: Nothing yet\n---\n")


@settings(max_examples=examples(80))
@given(
    st.lists(
        st.one_of(
            st.from_regex(
                r"(?:> |> \[!note\] |- \[ \] |%% |```|\\---|---\\|# |\[\[|@\(|=> )?w\d{1,3}", fullmatch=True
            ),
            st.sampled_from(["", "```", "%%", "\\---", "---", ">", "[N:w1|w2]"]),
        ),
        min_size=1,
        max_size=25,
    ),
    st.sampled_from([LogFormat.MARKDOWN, LogFormat.LONELOG]),
)
def test_journal_loses_no_word(lines: list[str], form: LogFormat) -> None:
    journal = "\n".join([*lines, "", "end"])
    kept = " ".join([*(e.text for e in log_of(journal, form=form).entries), title_of(journal)])
    # Of a fenced block, the word after the fence is the name of its language.
    assert set(re.findall(r"(?<!`)w\d+", journal)) <= set(re.findall(r"w\d+", kept))


# --- what it proposes -------------------------------------------------------------------------------


async def test_tags_of_a_journal_wait_at_the_gate_and_nothing_is_true_before(program: Program) -> None:
    result = await import_journal(program, LONELOG)
    assert (result.universe, result.story, result.proposal_count) == ("The Ash Road", "The Ash Road", 8)
    assert len(await open_changes(program, result)) == 8
    (universe,) = await program.services.stories.universes()
    people = await program.services.world.list_entities(universe.id)
    assert [e.name for e in people] == ["Kell"]


async def test_person_and_place_of_one_name_are_two(program: Program) -> None:
    result = await import_journal(
        program, "## S1 *Dusk*\n=> The wheel turns. [N:Mill|wary] [L:Mill|ruined]\n"
    )
    changes = [row.proposal.change for row in (await program.services.gate.gate(result.last_scene)).proposals]
    created = [change for change in changes if isinstance(change, CreateEntity)]
    assert {change.entity_kind for change in created} == {EntityKind.CHARACTER, EntityKind.PLACE}
    assert len({change.entity_id for change in created}) == 2


async def test_import_of_a_journal_that_was_played_on_proposes_nothing_again(program: Program) -> None:
    result = await import_journal(program, LONELOG)
    waiting = await open_changes(program, result)
    await program.services.play.submit(result.last_scene, "> The rain stops.")
    again = await import_journal(program, LONELOG)
    assert (again.was_already_complete, again.proposal_count) == (True, 0)
    assert await open_changes(program, result) == waiting


async def test_tags_give_the_last_state_and_rest_on_their_turns(program: Program) -> None:
    result = await import_journal(program, LONELOG)
    view = await program.services.gate.gate(result.last_scene)
    proposals = [row.proposal for row in view.proposals]
    assert sorted(map(describe, proposals)) == sorted(
        [
            "hp = 3",
            "supply = 3",
            "character Marta ['wary', 'miller']",
            "place Burned mill ['ruined']",
            "character Harl []",
            "Marta died.",
            "Find Teodor.",
            "clock The flood 4/6",
        ]
    )
    marta = next(p for p in proposals if describe(p).startswith("character Marta"))
    assert [e.quote for e in marta.evidence] == [
        "A dog barks. Marta (wary, miller) comes out.",
        "Marta (dead); Harl",
    ]


def describe(proposal: ProposedChange) -> str:
    change = proposal.payload
    match change.kind:
        case "create_entity":
            return f"{change.entity_kind} {change.name} {list(change.tags)}"
        case "state_change":
            return f"{change.key} = {change.value}"
        case "advance_clock":
            return f"clock {change.clock} {change.to}/{change.size}"
        case "assert_fact":
            return change.statement
    return change.kind


async def test_import_again_leaves_what_was_decided(program: Program) -> None:
    result = await import_journal(program, LONELOG)
    view = await program.services.gate.gate(result.last_scene)
    await program.services.gate.decide([view.proposals[0].proposal.id], Verdict.REJECT)
    again = await import_journal(program, LONELOG)
    assert again.was_already_complete
    after = await program.services.gate.gate(result.last_scene)
    assert [row.verdict for row in after.proposals] == [Verdict.REJECT] + [None] * 7


async def test_accepted_tags_are_canon_with_the_scene(program: Program) -> None:
    result = await import_journal(program, LONELOG)
    view = await program.services.gate.gate(result.last_scene)
    await program.services.gate.decide([row.proposal.id for row in view.proposals], Verdict.ACCEPT)
    await program.services.gate.commit(result.last_scene)
    (universe,) = await program.services.stories.universes()
    assert {e.name for e in await program.services.world.list_entities(universe.id)} == {
        "Kell",
        "Marta",
        "Burned mill",
        "Harl",
    }


async def test_preview_counts_what_would_be_proposed(program: Program) -> None:
    request = ImportRequest("journal.md", LONELOG.encode(), hero="Kell")
    preview = await program.services.imports.preview(request)
    assert isinstance(preview, ImportPreview)
    assert (preview.story, preview.universe, preview.proposal_count) == ("The Ash Road", "The Ash Road", 8)
    assert not await program.services.stories.universes()


async def test_people_in_tags_are_known_and_not_present(program: Program) -> None:
    result = await import_journal(program, LONELOG)
    view = await program.services.play.scene(result.last_scene)
    assert [member.name for member in view.cast] == ["Kell"]
    assert view.trigger_reason == ""


@pytest.mark.parametrize(
    ("line", "hero", "entry"),
    [
        ("@(Kell) lies", "", ("player", "Kell", "Kell lies")),
        ("@(Kell) lies", "Kell", ("player", "Kell", "Kell lies")),
        ("@(Kell) lies", "Kell Marr", ("player", "Kell", "Kell lies")),
        ("@(Kell) lies", "Iselin", ("npc", "Kell", "Kell lies")),
        ("@ (Kell) lies", "Iselin", ("npc", "Kell", "Kell lies")),
        ("@  (Kell): lies", "Kell", ("player", "Kell", "Kell lies")),
        ("@ (Quietly) I open the door", "Iselin", ("player", "Iselin", "(Quietly) I open the door")),
        ("@ (Sighing) I open the door", "Iselin", ("player", "Iselin", "(Sighing) I open the door")),
        ("@ (a bit later) I open it", "Iselin", ("player", "Iselin", "(a bit later) I open it")),
        ("@(Kell): lies", "Iselin", ("npc", "Kell", "Kell lies")),
        ("@(Kell) Kell lies", "Iselin", ("npc", "Kell", "Kell lies")),
        ("@(Kell) I lie", "Kell", ("player", "Kell", "I lie")),
        ("@(Kell) i lie", "Kell", ("player", "Kell", "i lie")),
        ('@(Kell) "Who goes there?"', "Iselin", ("npc", "Kell", '"Who goes there?"')),
        ("@ lies", "Iselin", ("player", "Iselin", "lies")),
        ("PC (Kell): lies", "Iselin", ("player", "Kell", "lies")),
    ],
)
def test_lonelog_deed_has_the_name_of_whose_it_is(line: str, hero: str, entry: tuple[str, str, str]) -> None:
    log = log_of(f"S1 *The mill*\n{line}\n=> A dog barks.\n", form=LogFormat.LONELOG, hero=hero)
    assert spoken(log)[0] == entry


@pytest.mark.parametrize(
    ("line", "entries"),
    [
        ("Marta waits. %%check this%%", [("gm", "Marta waits."), ("ooc", "check this")]),
        ("Marta %%who?%% waits%% a%%.", [("gm", "Marta waits."), ("ooc", "who?"), ("ooc", "a")]),
        (
            "Marta waits.\nIt rains %%or\nsnows%% now.",
            [("gm", "Marta waits.\nIt rains now."), ("ooc", "or snows")],
        ),
        ("Marta waits. <!-- why? -->", [("gm", "Marta waits."), ("ooc", "why?")]),
        ("- [ ] Find [[Tom]] %%soon%%", [("system", "To do: Find Tom"), ("ooc", "soon")]),
        ("> [!quote] Osk\n> No. %%sic%%", [("npc", "No."), ("ooc", "sic")]),
        ("Half of it, 50%% at most, is gone.", [("gm", "Half of it, 50%% at most, is gone.")]),
        ("It is <!-- not closed.", [("gm", "It is <!-- not closed.")]),
    ],
)
def test_comment_within_a_sentence_of_a_journal_is_a_note(line: str, entries: list[tuple[str, str]]) -> None:
    log = log_of(f"## Session 1\n\n{line}\n", form=LogFormat.MARKDOWN)
    assert [(voice, text) for voice, _, text in spoken(log)] == entries


def test_comment_within_a_sentence_of_a_solo_log_is_a_note() -> None:
    log = log_of("S1 *The mill*\n@ I wait %%check%%\n=> A dog barks.\n", hero="Kell")
    assert spoken(log) == [("player", "Kell", "I wait"), ("ooc", "", "check"), ("gm", "", "A dog barks.")]


async def test_comment_of_a_journal_proposes_nothing(program: Program) -> None:
    text = "## Session 1\n\nWe wait. %%[[Marta]] lies%%\n\n- [ ] Find Tom %%soon%%\n"
    assert await open_changes(program, await import_journal(program, text)) == ["Find Tom."]
