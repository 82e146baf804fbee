"""Prompts and samplers changed in the program: checked, used at once, and back to the bundled one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agents.events import EventBus
from agents.llm.llm_settings import AppSettings
from agents.llm.prompt_builder import INSTRUCTIONS_SECTION, system_text
from agents.llm.provider_keys import ProviderKeys
from agents.personas.prompt_files import TALK_TASK, load_prompts, with_user_prompts
from agents.services.llm_setup import LlmSetup
from agents.services.prompt_editing import PromptEditor, parse_samplers
from agents.services.xray import describe_prompts
from agents.views.llm_views import PromptEdit, PromptView
from monitor_tui.settings_file import SettingsFile
from monitor_tui.user_files import UserFiles
from stores.errors import InputError
from stores.records.llm import LlmCall, Persona, RecordedSection
from tests.agents.llm.test_llm_setup import FakeChildModel
from tests.agents.llm.test_provider_keys import FakeKeyring
from tests.contract import builders as make

EMPTY = PromptEdit(Persona.NARRATOR, "", "", "", "", "", "", "")


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        ("temperature", "warm"),
        ("temperature", "2.1"),
        ("top_p", "0"),
        ("max_tokens", "12.5"),
        ("stop", "a,b,c,d,e"),
    ],
)
def test_samplers_are_refused_at_their_field(field: str, typed: str) -> None:
    with pytest.raises(InputError) as refusal:
        parse_samplers(replace(EMPTY, **{field: typed}))  # type: ignore[arg-type]
    assert refusal.value.field == field


def test_samplers_left_empty_are_the_prompts_own() -> None:
    samplers = parse_samplers(replace(EMPTY, top_p="0.9", stop="###, \\n\\n"))
    assert (samplers.temperature, samplers.top_p, samplers.max_tokens) == (None, 0.9, None)
    assert samplers.stop == ("###", "\\n\\n")
    assert AppSettings.model_validate({"narrator": {"stop": samplers.stop}}).narrator.stop == ("###", "\n\n")


def editor_of(home: Path) -> PromptEditor:
    files = UserFiles(home)
    keys = ProviderKeys({}, FakeKeyring())
    return PromptEditor(
        files, LlmSetup(SettingsFile(home), FakeChildModel(), keys, files.prompts, EventBus())
    )


def edit_of(view: PromptView, **typed: str) -> PromptEdit:
    edit = replace(EMPTY, persona=view.persona, task=view.task, text=view.text)
    return replace(edit, **typed)  # type: ignore[arg-type]


def test_stop_text_that_is_empty_stops_nothing() -> None:
    settings = AppSettings.model_validate({"narrator": {"stop": ["", "  ", "###"]}})
    assert settings.narrator.stop == ("###",)


async def test_prompt_with_control_characters_is_saved_as_it_can_be_read(tmp_path: Path) -> None:
    """A file with an escape in it would be rejected at the next start, and the bundled prompt used in silence."""
    editor = editor_of(tmp_path)
    narrator = next(v for v in await editor.list_prompts() if v.name == "narrator")
    views = await editor.save(edit_of(narrator, text=f"{narrator.text}# Rhyme.\x1b[31m\ud800\x00\n"))
    narrator = next(v for v in views if v.name == "narrator")
    assert (narrator.file_name, narrator.problem) == ("narrator.yaml", "")
    assert "\x1b" not in narrator.text


async def test_prompt_is_edited_checked_and_reset(tmp_path: Path) -> None:
    """I tell the narrator to write in rhyme: what would unbind it is refused, and Del brings it back."""
    editor = editor_of(tmp_path)
    narrator = next(v for v in await editor.list_prompts() if v.name == "narrator")
    assert (narrator.file_name, narrator.needs) == ("", ("lines", "result", "note", "words"))

    rhymed = narrator.text.replace("You are the narrator", "You rhyme. You are the narrator")
    views = await editor.save(edit_of(narrator, text=rhymed, temperature="1.1", stop="###"))
    narrator = next(v for v in views if v.name == "narrator")
    assert (narrator.file_name, narrator.temperature, narrator.stop) == ("narrator.yaml", 1.1, ("###",))
    own = (tmp_path / "prompts" / "narrator.yaml").read_text(encoding="utf-8")
    assert "You rhyme." in own

    without_lines = "\n".join(line for line in rhymed.splitlines() if "name: lines" not in line)
    with pytest.raises(InputError, match="'lines'") as refusal:
        await editor.save(edit_of(narrator, text=without_lines))
    assert refusal.value.field == "prompt"
    assert "lines, result, note, words" in refusal.value.todo
    with pytest.raises(InputError, match="another task"):
        await editor.save(
            edit_of(narrator, text=rhymed.replace("persona: narrator", "persona: narrator\ntask: talk"))
        )
    with pytest.raises(InputError, match="No provider") as refusal:
        await editor.save(edit_of(narrator, model="nowhere/x", temperature="1.1", stop="###"))
    assert refusal.value.field == "model"
    assert (tmp_path / "prompts" / "narrator.yaml").read_text(encoding="utf-8") == own

    views = await editor.reset(Persona.NARRATOR, "")
    narrator = next(v for v in views if v.name == "narrator")
    assert (narrator.file_name, "You rhyme." in narrator.text) == ("", False)
    assert (tmp_path / "prompts" / "narrator.yaml.bak").read_text(encoding="utf-8") == own


async def test_prompt_file_that_cannot_be_used_is_shown_to_be_mended(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "narrator_talk.yaml").write_text(
        "persona: narrator\ntask: talk\n", encoding="utf-8"
    )
    editor = editor_of(tmp_path)
    talk = next(v for v in await editor.list_prompts() if v.task == TALK_TASK)
    assert "cannot be used" in talk.problem
    assert talk.text.startswith("persona: narrator")
    views = await editor.reset(Persona.NARRATOR, TALK_TASK)
    assert not next(v for v in views if v.task == TALK_TASK).problem


def test_xray_tells_whose_prompt_was_sent() -> None:
    bundled = load_prompts()
    talk = bundled.get(Persona.NARRATOR, TALK_TASK).model_copy(update={"instructions": "Rhyme."})
    own_text = "persona: monitor\ndoes: x\ntemperature: 0\nmax_tokens: 99\nbudget: 999\noutput: Routing\n"
    own_text += "instructions: Sort.\nsections:\n"
    own_text += "".join(f"  - {{name: {name}, heading: H, drop: 0}}\n" for name in ("operations", "words"))
    current = with_user_prompts(bundled, {"monitor.yaml": own_text})

    def call(persona: Persona, instructions: str) -> LlmCall:
        section = RecordedSection(name=INSTRUCTIONS_SECTION, tokens=1, text=instructions)
        return LlmCall(
            id=f"c-{persona}", universe_id="u", persona=persona, model="m", sections=(section,), at=make.START
        )

    notes = list(
        describe_prompts(
            [
                call(Persona.NARRATOR, system_text(talk)),
                call(Persona.DIRECTOR, system_text(bundled[Persona.DIRECTOR])),
                call(Persona.MONITOR, system_text(current[Persona.MONITOR])),
            ],
            current,
            bundled,
        )
    )
    assert len(notes) == 2
    assert "narrator was asked with an earlier prompt" in notes[0]
    assert "monitor was asked with your own prompt" in notes[1]
    (note,) = describe_prompts(
        [call(Persona.MONITOR, system_text(bundled[Persona.MONITOR]))], current, bundled
    )
    assert "bundled prompt; your own is used since" in note
