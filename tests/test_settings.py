"""settings.toml: unknown names are warned of, and wrong values are refused in plain words."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.secret_masking import mask_secrets
from monitor_tui.compose import open_program
from monitor_tui.setting_rows import ROWS, find_row, parse_setting
from monitor_tui.settings import FileSettings, read_settings, read_settings_with_warnings
from monitor_tui.settings_file import write_settings
from stores.errors import InputError
from stores.records.llm import Persona


def write(home: Path, text: str) -> None:
    (home / "settings.toml").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("[backup]\nkepp = 3\nkeep = 4", "“backup.kepp” in settings.toml is no setting, "
         "and is left out. Did you mean backup.keep?"),
        ("[ui]\ncolour = 'red'", "“ui.colour” in settings.toml is no setting, and is left out."),
        ("[ui]\nthem = 'nord'", "“ui.them” in settings.toml is no setting, and is left out. Did you mean ui.theme?"),
        ("[bakup]\nkeep = 4", "“bakup” in settings.toml is no setting, and is left out. Did you mean backup?"),
        ("[keys]\nup = 'k'", "“keys” in settings.toml is no setting, and is left out. Did you mean keymap?"),
    ],
)  # fmt: skip
def test_settings_with_an_unknown_name_are_read_with_a_warning(
    text: str, warning: str, tmp_path: Path
) -> None:
    write(tmp_path, text)
    settings, warnings = read_settings_with_warnings(tmp_path)
    assert warnings == (warning,)
    assert settings.backup.keep == (4 if "[backup]" in text else 10)


async def test_settings_with_an_unknown_name_open_the_library_and_say_so_in_the_menu(tmp_path: Path) -> None:
    write(tmp_path, "[backup]\nkepp = 3")
    program = await open_program(tmp_path)
    try:
        notes = (await program.services.stories.menu()).notes
    finally:
        await program.close()
    assert any("Did you mean backup.keep?" in note for note in notes)


def test_settings_with_an_unknown_name_can_still_be_changed_by_the_program(tmp_path: Path) -> None:
    write(tmp_path, "[backup]\nkepp = 3 # mine\n")
    write_settings(tmp_path, "backup", {"keep": 5})
    assert read_settings(tmp_path).backup.keep == 5
    assert "kepp = 3 # mine" in (tmp_path / "settings.toml").read_text()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[backup]\nkeep = 'many'", "backup.keep: a whole number should stand here"),
        ("[backup]\nkeep = 0", "backup.keep: it should be 1 or more"),
        ("[backup]\ndaily = 'perhaps'", "backup.daily: true or false should stand here"),
        ("[budget]\nday = inf", "budget.day: a number should stand here"),
        ('[backup]\nfolder = "a\\u0000b"', "backup.folder: no folder has such a name"),
        ("[backup]\nfolder = 3", "backup.folder: a folder in quotes should stand here"),
        ("[budget]\nday = 1e300", "budget.day: it should be 100,000 or less"),
        ("[budget]\nweekly_tokens = 0xffffffffffffffffffff", "it should be 1,000,000,000,000 or less"),
        ("[model]\nseconds = 0", "model.seconds: it should be more than 0"),
        (
            f"[narrator]\nmax_tokens = '{'9' * 5_000}'",
            "narrator.max_tokens: a whole number should stand here",
        ),
        ("[narrator]\nstop = ['a', 'b', 'c', 'd', 'e']", "narrator.stop: it should have at most 4 entries"),
        ("[narrator]\nstop = 3", "cannot be used: narrator.stop: words in quotes should stand here."),
        ("[telemetry]\nprometheus_port = 70000", "telemetry.prometheus_port: it should be 65,535 or less"),
        (
            "[telemetry]\nprometheus_port = 'yes'",
            "telemetry.prometheus_port: a whole number should stand here",
        ),
        (
            "[telemetry]\nprometheus_host = 'everywhere'",
            "telemetry.prometheus_host: an address of this machine should stand here, as 127.0.0.1",
        ),
        (
            "[telemetry]\notlp_endpoint = 'collector:4318'",
            "telemetry.otlp_endpoint: an address begins with http:// or https:// and names a server",
        ),
        ("[telemetry]\notlp_seconds = 0", "telemetry.otlp_seconds: it should be 1 or more"),
        ("backup = 3", "backup: a section with fields should stand here"),
        ("[" * 5_000, "cannot be used"),
        ("a = " + "[" * 5_000, "cannot be used"),
    ],
)
def test_settings_with_a_wrong_value_are_refused_in_plain_words(
    text: str, fault: str, tmp_path: Path
) -> None:
    write(tmp_path, text)
    with pytest.raises(InputError, match="settings cannot be used") as refusal:
        read_settings(tmp_path)
    assert fault in str(refusal.value)
    assert "input" not in str(refusal.value).casefold()


def test_log_masks_what_pydantic_quotes_of_a_value() -> None:
    traceback = "Not permitted [type=extra_forbidden, input_value='AIzaSyD-1234567890', input_type=str]"
    assert "AIza" not in mask_secrets(traceback)
    assert "input_type=str" in mask_secrets(traceback)


def test_settings_send_no_telemetry_unless_they_say_where_to(tmp_path: Path) -> None:
    assert not read_settings(tmp_path).telemetry.is_on
    write(tmp_path, "[telemetry]\nprometheus_port = 9464")
    telemetry = read_settings(tmp_path).telemetry
    assert telemetry.is_on
    assert telemetry.prometheus_host == "127.0.0.1"


def test_settings_screen_shows_every_setting_that_no_other_screen_does() -> None:
    """The Model screen and the Prompts screen set up the model and the personas; the engine is for developers."""
    elsewhere = {"model", "engine", "keymap", *(persona.value for persona in Persona)}
    defaults = FileSettings()
    names = {
        f"{section}.{field}"
        for section in FileSettings.model_fields.keys() - elsewhere
        for field in type(getattr(defaults, section)).model_fields
    }
    assert names == {row.name for rows in ROWS.values() for row in rows}


@pytest.mark.parametrize(
    ("name", "typed", "saved"),
    [
        ("budget.day", "$2,50", 2.5),
        ("budget.weekly_tokens", "200,000", 200_000),
        ("play.offer_moves", "false", False),
        ("backup.folder", "/media/disk", "/media/disk"),
        ("ui.theme", "nord", "nord"),
        ("ui.panel", "", None),
    ],
)
def test_setting_is_read_as_it_is_typed(name: str, typed: str, saved: object) -> None:
    assert parse_setting(find_row(name), typed, ("nord",)) == saved


@pytest.mark.parametrize(
    ("name", "typed", "reason"),
    [
        ("budget.day", "-1", "Each day: it should be 0 or more"),
        ("backup.keep", "many", "Kept: a whole number should stand here"),
        ("ui.theme", "nrod", "Theme: there is no theme of this name"),
        (
            "telemetry.prometheus_host",
            "elsewhere",
            "Its address: an address of this machine should stand here",
        ),
    ],
)
def test_setting_that_does_not_fit_is_refused_by_its_label(name: str, typed: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as refused:
        parse_setting(find_row(name), typed, ("nord",))
    assert refused.value.field == name


def test_key_of_a_nested_table_is_changed_where_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('[keymap]\nscene.gate = "f10" # far away\n')
    write_settings(tmp_path, "keymap", {"scene.gate": "f11", "scene.sheet": "f12"})
    assert 'scene.gate = "f11" # far away' in file.read_text()
    assert read_settings(tmp_path).keymap == {"scene.gate": "f11", "scene.sheet": "f12"}
