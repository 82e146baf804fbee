"""Tests of context packages, read from a real library through the ports."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.context_assembly.context_package import ContextPackage
from agents.context_assembly.narrative_context import find_view_start
from agents.context_assembly.package_builder import ContextPackageBuilder
from agents.context_assembly.prompt_sections import build_npc_sections, build_prompt_sections
from agents.context_assembly.scene_context import SceneContextLoader
from agents.context_assembly.story_agenda import StoryAgendaReader
from agents.llm.prompt_builder import build_prompt, estimate_tokens
from agents.narrator.prose_checks import build_prose_check_input, check_prose
from agents.personas.narrator_brief import NarratorBrief
from agents.personas.prompt_files import load_prompts
from agents.search.hybrid_search import HybridSearch
from agents.search.search_port import SearchResults
from agents.story_outline import NewCharacter, StoryOutline
from monitor_tui.compose import Program
from stores.authority import Role
from stores.embedded.canon_reader import EmbeddedCanonReader
from stores.errors import InputError, StoreUnavailable
from stores.records.ids import Id, derive_id
from stores.records.llm import DecisionMark, Persona
from stores.records.memory import Memory, Summary
from tests.contract import builders as make
from tests.program import START, begin, opened

BINDS = {"lines": "none", "result": "A success.", "note": "none", "words": "I dig."}
"""What a prompt never drops."""


class PlayedStory:
    """A story in play, and the context packages of its current scene."""

    def __init__(self, program: Program, scene_id: Id) -> None:
        self.program = program
        self.scene_id = scene_id
        log, canon = program.stores.log(Role.CONTEXT_ASSEMBLY), program.stores.canon(Role.CONTEXT_ASSEMBLY)
        self._context = SceneContextLoader(canon, log)
        self._packages = ContextPackageBuilder(canon, log, self._context, StoryAgendaReader(canon, log))

    async def play(self, *lines: str) -> None:
        for line in lines:
            await self.program.services.play.submit(self.scene_id, line)

    async def end(self) -> None:
        """End the scene, accept all, and stand in the next one."""
        await self.play("/end It is late", "/accept all")
        report = await self.program.services.gate.commit(self.scene_id)
        assert report.next_scene_id
        self.scene_id = report.next_scene_id

    async def package(self, words: str = "") -> ContextPackage:
        return await self._packages.build_package(await self._context.load_context(self.scene_id), words)

    async def parts(self, words: str = "") -> dict[str, str]:
        return dict(build_prompt_sections(await self.package(words)))

    async def id_of(self, name: str) -> Id:
        package = await self.package()
        return next(p.entity.id for p in package.canonical.cast if p.entity.name == name)


@pytest.fixture
async def story(tmp_path: Path) -> AsyncIterator[PlayedStory]:
    async with opened(tmp_path) as program:
        yield PlayedStory(program, await begin(program))


async def test_context_package_holds_record_in_sections(story: PlayedStory) -> None:
    await story.play(
        "/npc here Old Tam: keeper of the bell (hp 6)",
        "/npc here Sella Brand",
        "/axiom The dead cannot cross salt",
        "/fact promise: Tam will ring the bell",
        "/fact assertion: Old Tam says the bell is cracked",
        "/fact encounter: Mara and Old Tam met at the well",
        "/fact Mara ally_of Old Tam",
        "/state Tam +wet, Sella.alive = false",
        "I wait.",
        "> The rain stops.",
    )
    staged_sections = await story.parts()
    assert "(proposed)" in staged_sections["rules"]
    assert "(proposed)" in staged_sections["facts"]
    await story.end()
    await story.play("/cast + Old Tam and Sella")
    sections = await story.parts("I talk to Old Tam")
    assert sections["rules"] == "- The dead cannot cross salt."
    assert "Old Tam, character. keeper of the bell. Mara and Old Tam are allies." in sections["cast"]
    assert "allies" not in sections["facts"]
    assert "bell is cracked" not in sections["facts"]
    assert "bell is cracked" in sections["assertions"]
    assert "met at the well" in sections["encounters"]
    assert "Tam will ring the bell" in sections["threads"]
    assert sections["recent"].endswith(
        "Mara: I wait.\nGM: The rain stops.\n(So the scene ended: It is late)\n(Here scene 2 begins.)"
    )
    assert "(proposed)" not in "\n".join(sections.values())


async def test_context_package_knows_who_met_before(story: PlayedStory) -> None:
    await story.play("/npc here Old Tam", "I nod.", "> He nods.")
    text = "“When we last met you had two boots,” says Old Tam."
    assert check_prose(text, build_prose_check_input(await story.package(), NarratorBrief()))
    await story.end()
    await story.play("/cast + Old Tam", "/npc here Joss", "I nod.")
    package = await story.package()
    assert await story.id_of("Old Tam") in package.narrative.met_before_ids
    assert not check_prose(text, build_prose_check_input(package, NarratorBrief()))
    assert check_prose(text.replace("Old Tam", "Joss"), build_prose_check_input(package, NarratorBrief()))


async def test_context_package_leaves_out_turns_being_answered(story: PlayedStory) -> None:
    await story.play("I knock.", "> Nobody.", "I push the door. /roll 2d6")
    sections = await story.parts("I push the door.")
    assert sections["recent"] == "Mara: I knock.\nGM: Nobody."
    assert "I push the door." in (await story.parts())["recent"]


async def test_context_package_leaves_out_undone_turns(story: PlayedStory) -> None:
    await story.play("I wait.", "> It rains.", "/npc here Old Tam", "I sing.", "/fact The bell is cracked")
    assert "cracked" in (await story.parts())["facts"]
    await story.play("/undo", "/undo")
    sections = await story.parts()
    assert "cracked" not in "\n".join(sections.values())
    assert "I sing." not in sections["recent"]


@pytest.mark.slow
async def test_context_package_view_moves_by_steps(story: PlayedStory) -> None:
    lengths, firsts = set(), set()
    for n in range(44):
        await story.play(f"I count {n}.")
        turns = (await story.package()).narrative.recent_turns
        lengths.add(len(turns))
        firsts.add(turns[0].text)
    assert max(lengths) == 40
    assert firsts == {"I count 0.", "I count 16."}


@pytest.mark.parametrize(
    ("lengths", "start"),
    [
        ([100] * 40, 0),
        ([400] * 37, 0),
        ([400] * 38, 16),
        ([1_000] * 38, 16),
        ([1_000] * 40, 32),
        ([20_000] * 23, 0),
        ([20_000] * 24, 16),
    ],
)
def test_context_package_view_loses_whole_steps_when_turns_are_long(lengths: list[int], start: int) -> None:
    """At least eight turns stay, however long they are."""
    assert find_view_start(lengths, 0) == start
    assert find_view_start(lengths, 16) == start + 16


async def test_context_package_memories_belong_to_owner_and_follow_undo(story: PlayedStory) -> None:
    await story.play("/npc here Old Tam", "/npc here Sella Brand", "I wait.", "I sing.")
    tam, sella = await story.id_of("Old Tam"), await story.id_of("Sella Brand")
    package = await story.package()
    sung = package.narrative.recent_turns[-1]

    def memory(entity_id: Id, text: str, **fields: object) -> Memory:
        required_fields = {
            "id": make.new_id(),
            "entity_id": entity_id,
            "universe_id": package.scene.universe.id,
        }
        return Memory.model_validate({**required_fields, "text": text, "created_at": START} | fields)

    log = story.program.stores.log(Role.MEMORY_MANAGER)
    await log.put_memories(
        [
            memory(tam, "Mara sings.", turn_id=sung.id, scene_id=sung.scene_id),
            memory(tam, "Mara sings badly.", turn_id=sung.id, scene_id=sung.scene_id, how="inferred"),
            memory(tam, "The lamp is cracked.", turn_id=sung.id, scene_id=sung.scene_id),
            memory(tam, "I hid the key."),
            memory(sella, "Tam hid the key."),
        ]
    )
    package = await story.package()
    # What the shown turn says itself is left out.
    assert [m.text for m in package.memories_of(tam)] == [
        "Mara sings badly.",
        "The lamp is cracked.",
        "I hid the key.",
    ]
    assert [m.text for m in package.memories_of(sella)] == ["Tam hid the key."]
    await story.play("/undo")
    assert [m.text for m in (await story.package()).memories_of(tam)] == ["I hid the key."]


async def test_context_package_keeps_decisions_and_summarises_turns_out_of_view(story: PlayedStory) -> None:
    await story.play(*(f"I count {n}." for n in range(42)))
    scene_id, universe_id = story.scene_id, (await story.package()).scene.universe.id
    turns = await story.program.stores.log(Role.NARRATOR).all_turns(scene_id)
    mark = DecisionMark(
        id=derive_id("m"),
        universe_id=universe_id,
        scene_id=scene_id,
        turn_id=turns[0].id,
        text="@DECISION",
        reason="the sea it is",
        impact="no way back",
        at=START,
    )
    await story.program.stores.log(Role.NARRATOR).mark_decisions([mark])
    bullets = [
        Summary(
            id=derive_id("b", n),
            scene_id=scene_id,
            kind="bullet",
            text=f"Bullet {n}.",
            last_turn=turns[n].id,
            created_at=START,
        )
        for n in (1, 41)
    ]
    await story.program.stores.log(Role.MEMORY_MANAGER).put_summaries(bullets)
    sections = await story.parts()
    assert sections["decisions"] == "- the sea it is; so: no way back"
    assert sections["summary"] == "- Bullet 1."


async def test_context_package_looks_up_named_entities(story: PlayedStory) -> None:
    await story.play("/npc here Old Tam: keeper of the bell", "/state Tam.alive = false", "I wait.")
    await story.end()
    sections = await story.parts("I ask for Old Tam.")
    assert "Old Tam" not in sections["cast"]
    assert "keeper of the bell" in sections["named"]
    assert "Old Tam is dead, and not here" in sections["state"]


async def test_context_package_finds_a_first_name_without_reading_all_names(
    story: PlayedStory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def named(words: str) -> str:
        with monkeypatch.context() as patch:
            patch.setattr(EmbeddedCanonReader, "folded_names", read_all_names)
            return (await story.parts(words)).get("named", "")

    async def read_all_names(*_: object) -> list[tuple[str, Id]]:
        raise AssertionError("20,000 names take long")

    await story.play("/npc Corvin Ferrant: a guard of the bell", "I wait.")
    await story.end()
    assert "a guard of the bell" in await named("I ask Corvin for the key.")
    # Whoever a commit adds is found, and a name that two people have then is nobody's alone.
    await story.play("/npc Corvin Bell: a diver", "I wait.")
    await story.end()
    assert "guard" not in await named("I ask Corvin for the key.")
    assert "a guard of the bell" in await named("I ask Ferrant for the key.")


# --- recalled ------------------------------------------------------------------------------------------


async def indexed(story: PlayedStory) -> ContextPackageBuilder:
    """Wait until all play is indexed by words; returns a package builder that searches, however long it takes."""
    await story.program.services.jobs.wait_until_idle()
    role, stores = Role.CONTEXT_ASSEMBLY, story.program.stores
    log, canon = stores.log(role), stores.canon(role)
    recall = HybridSearch(canon, log, stores.words(role), stores.vectors(role), None)
    return ContextPackageBuilder(
        canon, log, SceneContextLoader(canon, log), StoryAgendaReader(canon, log), recall, search_timeout=60
    )


async def pack(story: PlayedStory, packages: ContextPackageBuilder, words: str) -> ContextPackage:
    role, stores = Role.CONTEXT_ASSEMBLY, story.program.stores
    context = SceneContextLoader(stores.canon(role), stores.log(role))
    return await packages.build_package(await context.load_context(story.scene_id), words)


@pytest.mark.slow
async def test_context_package_recalls_earlier_play_with_place_and_time(story: PlayedStory) -> None:
    await story.play("I bury the copper idol under the elder.", "> The earth is black and wet.")
    await story.play(*(f"I count {n}." for n in range(4)))
    await story.end()
    await story.play("I sleep.", *(f"I walk {n}." for n in range(56)))
    packages = await indexed(story)
    package = await pack(story, packages, "I dig for the copper idol.")
    sections = build_prompt_sections(package)["recalled"]
    assert "Mara: I bury the copper idol under the elder." in sections
    assert "[Scene 1 “The yard”, " in sections
    names = [section.name for section in load_prompts()[Persona.NARRATOR].sections]
    assert names.index("recalled") > names.index("recent")
    assert package.metadata is not None
    assert (package.metadata.scene_id, package.is_stale) == (story.scene_id, False)


async def test_context_package_does_not_recall_turns_in_view(story: PlayedStory) -> None:
    await story.play("I bury the copper idol.", "> Done.")
    package = await pack(story, await indexed(story), "I dig for the copper idol.")
    assert package.recalled.passages == ()


@pytest.mark.slow
async def test_context_package_recalls_the_stretch_of_an_earlier_scene_that_bears_on_the_words(
    story: PlayedStory,
) -> None:
    await story.play(*(f"I swear oath {n} by the salt and the silver tide." for n in range(20)))
    await story.play("I swear that the copper idol lies under the elder.")
    await story.play(*(f"I swear oath {n} by the salt and the silver tide." for n in range(21, 40)))
    await story.end()
    await story.play("I sleep.", *(f"I walk {n}." for n in range(30)))
    packages = await indexed(story)
    sections = build_prompt_sections(await pack(story, packages, "I dig for the copper idol."))
    assert sections["scenes"].startswith("- [Scene 1 “The yard”] Turns 21 to 40: ")
    assert "copper idol lies under the elder" in sections["scenes"]
    assert "copper idol" not in sections["summary"]


async def test_context_package_recalls_how_an_earlier_story_ended(story: PlayedStory) -> None:
    await story.play("I wait.", "> It rains.")
    view = await story.program.services.play.scene(story.scene_id)
    await story.program.services.stories.complete_story(view.story.id, "The copper idol sank in the bay.")
    outline = StoryOutline(view.universe.id, "Another story", NewCharacter("Ivo"))
    story.scene_id = await story.program.services.stories.start_story(outline)
    await story.play("I arrive.")
    sections = build_prompt_sections(await pack(story, await indexed(story), "I ask for the copper idol."))
    assert "“A story” ends: The copper idol sank in the bay." in sections["scenes"]


@pytest.mark.slow
async def test_context_package_does_not_repeat_a_summary_as_a_recalled_scene(story: PlayedStory) -> None:
    await story.play("I bury the copper idol under the elder.", "> The earth is black and wet.")
    await story.end()
    await story.play("I sleep.")
    package = await pack(story, await indexed(story), "I dig for the copper idol.")
    # The scene before is wholly in view; its summary would say it again.
    assert "copper idol" in build_prompt_sections(package)["recent"]
    assert "summary" not in build_prompt_sections(package)
    assert package.recalled.scenes == ()
    await story.play(*(f"I walk {n}." for n in range(56)))
    package = await pack(story, await indexed(story), "I dig for the copper idol.")
    assert "copper idol" in build_prompt_sections(package)["summary"]
    assert package.recalled.scenes == ()


async def test_context_package_holds_the_gms_notes_and_tells_no_npc(story: PlayedStory) -> None:
    await story.play("/npc Old Tam: keeper of the bell", "/note The idol is a forgery.")
    await story.play(*(f"/note Plan {n}: rain." for n in range(8)), "I wait.")
    package = await story.package("I weigh the idol.")
    notes = build_prompt_sections(package)["notes"].splitlines()
    assert notes == ["- The idol is a forgery.", *(f"- Plan {n}: rain." for n in range(2, 8))]
    (tam,) = [p.entity for p in package.canonical.cast if p.entity.name == "Old Tam"]
    assert "forgery" not in str(build_npc_sections(package, tam, ()))
    for persona in (Persona.NARRATOR, Persona.DIRECTOR):
        assert "notes" in {s.name for s in load_prompts()[persona].sections}


async def test_context_package_search_timeout_is_shown_in_xray(story: PlayedStory) -> None:
    class SlowSearch:
        async def search(self, *args: object, **kwargs: object) -> SearchResults:
            await asyncio.Event().wait()
            raise AssertionError("nobody wakes it")

        async def search_by_words(self, *args: object, **kwargs: object) -> SearchResults:
            return SearchResults()

    await story.play("I wait.", "> It rains.")
    role, stores = Role.CONTEXT_ASSEMBLY, story.program.stores
    log, canon = stores.log(role), stores.canon(role)
    context = SceneContextLoader(canon, log)
    packages = ContextPackageBuilder(
        canon, log, context, StoryAgendaReader(canon, log), SlowSearch(), search_timeout=0.01
    )
    package = await packages.build_package(await context.load_context(story.scene_id), "I dig.")
    assert [item.reason for item in package.omitted_items] == ["it was not found in time"]
    built = build_prompt(
        load_prompts()[Persona.NARRATOR], {**build_prompt_sections(package), **BINDS}, estimate_tokens, None
    )
    dropped = [s for s in built.sections if s.dropped]
    assert [(s.name, s.dropped) for s in dropped] == [("recalled", "it was not found in time")]


async def test_context_package_is_stale_while_store_is_down(
    story: PlayedStory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def down(*args: object, **kwargs: object) -> list[object]:
        raise StoreUnavailable("Canon does not answer.")

    await story.play("/npc here Old Tam", "I wait.", "> It rains.")
    packages = await indexed(story)
    before = await pack(story, packages, "I wait.")
    monkeypatch.setattr(type(story.program.stores.canon(Role.CONTEXT_ASSEMBLY)), "facts", down)
    after = await pack(story, packages, "I sing.")
    assert (after.is_stale, after.player_text) == (True, "I sing.")
    assert after.canonical == before.canonical
    assert after.omitted_items[-1].reason == "an older package: Canon does not answer."
    monkeypatch.undo()
    assert not (await pack(story, packages, "I sing.")).is_stale


async def test_memory_recall_is_limited_and_includes_relevant_memories(
    story: PlayedStory,
) -> None:
    await story.play("/npc here Old Tam", "I wait.")
    tam = await story.id_of("Old Tam")
    universe_id = (await story.package()).scene.universe.id
    texts = ["The mill burned in the flood year.", *(f"A dull day, number {n}." for n in range(40))]
    memories = [
        Memory(id=derive_id("mem", n), entity_id=tam, universe_id=universe_id, text=text, created_at=START)
        for n, text in enumerate(texts)
    ]
    await story.program.stores.log(Role.MEMORY_MANAGER).put_memories(memories)
    package = await pack(story, await indexed(story), "I ask Tam about the mill that burned.")
    recalled_texts = [m.text for m in package.memories_of(tam)]
    assert len(recalled_texts) == 8
    assert texts[0] in recalled_texts
    assert any(out.section == "memories" and "8 shown" in out.reason for out in package.omitted_items)


async def test_context_package_holds_lore_that_was_typed_once_it_is_accepted(story: PlayedStory) -> None:
    await story.play("/lore salt house, salthouse: it stands on piles", "/lore always: the tide rules here")
    assert "lore" not in await story.parts("I go to the salthouse.")
    await story.end()
    assert (await story.parts("I go to the salthouse."))["lore"] == (
        "- The tide rules here.\n- It stands on piles."
    )
    parts = await story.parts("I wait.")
    assert parts["lore"] == "- The tide rules here."
    assert "piles" not in "\n".join(parts.values())


async def test_lore_without_keys_or_text_says_how_it_is_typed(story: PlayedStory) -> None:
    for words in ("/lore it stands on piles", "/lore : it stands on piles", "/lore salt house:"):
        with pytest.raises(InputError, match="A lore entry has keys and a text"):
            await story.play(words)
