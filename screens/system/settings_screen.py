"""Settings: theme, keys, budgets, folders, saved in settings.toml at once; and the gate's rules of a world."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, assert_never

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.message import Message

from agents.views.conflict_views import KindPolicyView, PolicyView
from agents.views.settings_views import KeyView, SettingsView, SettingView
from screens.base import ServiceScreen
from screens.dialogs.choice_dialog import ChoiceDialog
from screens.dialogs.line_dialog import LineDialog
from screens.folder import SCREENS_FOLDER
from screens.interface_settings import InterfaceSettingsSaved
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Back, ToBill, ToLlmSetup, ToPolicy, Visit
from screens.system.key_dialog import KeyDialog
from screens.title_bar import TitleBar
from stores.records.ids import Id
from stores.records.workflow import KindRule
from widgets.settings_list import SettingItem, SettingsList

if TYPE_CHECKING:
    from agents.services.services import Services

RULE_WORDS: Final = {
    KindRule.ACCEPT: "Accept without asking (auto-accept)",
    KindRule.ASK: "Always ask",
    KindRule.REJECT: "Reject without asking (auto-reject)",
}
NO_RULE_WORDS: Final = "No rule: what is surely so is accepted, the rest asks"


class SettingsScreen(ServiceScreen[None]):
    """One list; Enter changes a row."""

    CSS_PATH = SCREENS_FOLDER / "system/settings_screen.tcss"
    AUTO_FOCUS = "SettingsList"
    BINDING_GROUP_TITLE = "Settings"
    BINDINGS = [
        Binding("slash", "search", "Search", id="settings.search", tooltip="Find settings and keys by words"),
        Binding("M", "model", "Model", id="settings.model", tooltip="How the model is set up"),
        Binding("b", "bill", "Bill", id="settings.bill", tooltip="What the model has cost, and budgets"),
        Binding("P", "rules", "Rules", id="settings.rules", tooltip="All gate rules of this world"),
        Binding("escape,q", "escape", "Back", id="settings.escape", tooltip="One step back"),
    ]

    @dataclass
    class SettingsLoaded(Message):
        settings: SettingsView
        changes_interface: bool = False

    @dataclass
    class RulesLoaded(Message):
        """What the gate of a world decides by itself."""

        policy: PolicyView

    def __init__(self, services: Services, words: str = "", universe_id: Id | None = None) -> None:
        """Show all settings, or those with these words, and the gate's rules of a world.

        Without `universe_id`: of that which was played last.
        """
        super().__init__(services)
        self._universe_id = universe_id
        self._policy: PolicyView | None = None
        self._settings: SettingsView | None = None
        self._words = words

    def compose(self) -> ComposeResult:
        yield TitleBar("Settings")
        yield SettingsList(empty="Reading …")
        yield NoticePanel()
        yield KeyBar()

    async def load_view(self) -> None:
        if self._universe_id is None:
            self._universe_id = await self.services.stories.find_last_universe_id()
        if self._universe_id is not None:
            policy = await self.services.policy.read_policy(self._universe_id)
            self.post_message(self.RulesLoaded(policy))
        self.post_message(self.SettingsLoaded(await self.services.settings.read_settings()))

    @on(RulesLoaded)
    def _show_rules(self, message: RulesLoaded) -> None:
        self._policy = message.policy
        self._show_rows()

    @on(SettingsLoaded)
    def _show_settings(self, message: SettingsLoaded) -> None:
        self._settings = message.settings
        self._show_rows()
        if message.changes_interface:
            self.app.post_message(InterfaceSettingsSaved())

    def _show_rows(self) -> None:
        if self._settings is not None:
            self.query_one(TitleBar).show_place(f"with “{self._words}”" if self._words else "", "")
            self.query_one(SettingsList).show_settings(self._settings, self._policy, self._words)
            self.refresh_bindings()

    # --- changes -----------------------------------------------------------------------------------

    @on(SettingsList.ChangeRequested)
    def _change_row(self, message: SettingsList.ChangeRequested) -> None:
        message.stop()
        self.query_one(NoticePanel).clear()
        item = message.item
        if isinstance(message, SettingsList.ResetRequested):
            self.start_change(partial(self._reset, item), "set")
            return
        match item:
            case KeyView():
                self._ask_key(item)
            case KindPolicyView():
                self._ask_rule(item)
            case SettingView(kind="switch"):
                value = "false" if item.value == "true" else "true"
                self.start_change(partial(self._save_setting, item, value), "set")
            case SettingView(kind="choice"):
                self._ask_choice(item)
            case SettingView():
                self._ask_line(item)
            case _ as unreachable:
                assert_never(unreachable)

    def _ask_rule(self, kind: KindPolicyView) -> None:
        def apply_choice(choice: KindRule | Literal["none"] | None) -> None:
            if choice is not None:
                rule = None if choice == "none" else choice
                self.start_change(partial(self._save_rule, kind, rule), "rule")

        choices: list[tuple[KindRule | Literal["none"], str]] = [*RULE_WORDS.items(), ("none", NO_RULE_WORDS)]
        self.app.push_screen(ChoiceDialog(f"What does the gate do with {kind.words}?", choices), apply_choice)

    async def _save_rule(self, kind: KindPolicyView, rule: KindRule | None) -> None:
        assert self._universe_id is not None  # its rules are on the screen
        await self.services.policy.set_rule(self._universe_id, kind.kind, rule)
        self.post_message(self.RulesLoaded(await self.services.policy.read_policy(self._universe_id)))

    def _ask_key(self, view: KeyView) -> None:
        self.app.push_screen(
            KeyDialog(
                f"{view.place}: {view.label}",
                f"{view.meaning}. Now: {' '.join(view.keys)}. Press the key that does it from now on.",
                partial(self._save_key, view),
            )
        )

    def _ask_choice(self, setting: SettingView) -> None:
        def apply_choice(value: str | None) -> None:
            if value is not None:
                self.start_change(partial(self._save_setting, setting, value), "set")

        choices = [
            (value, f"{value}{'  (now)' if value == setting.value else ''}") for value in setting.choices
        ]
        self.app.push_screen(
            ChoiceDialog(f"{setting.label}: {setting.meaning}", [*choices, ("", setting.empty_text)]),
            apply_choice,
        )

    def _ask_line(self, setting: SettingView) -> None:
        self.app.push_screen(
            LineDialog(
                setting.label,
                value=setting.value,
                explanation=f"{setting.meaning}. Empty: {setting.empty_text}.",
                save_line=partial(self._save_setting, setting),
            )
        )

    async def _save_setting(self, setting: SettingView, typed_value: str) -> None:
        await self._save(
            partial(self.services.settings.save_setting, setting.name, typed_value),
            changes_interface=setting.name.startswith("ui."),
        )

    async def _save_key(self, view: KeyView, key: str) -> None:
        await self._save(partial(self.services.settings.save_keys, view.name, (key,)), changes_interface=True)

    async def _reset(self, item: SettingItem) -> None:
        match item:
            case KeyView():
                save = partial(self.services.settings.save_keys, item.name, ())
                await self._save(save, changes_interface=True)
            case KindPolicyView():
                await self._save_rule(item, None)
            case SettingView():
                await self._save_setting(item, "")
            case _ as unreachable:
                assert_never(unreachable)

    async def _save(self, save: Callable[[], Awaitable[SettingsView]], *, changes_interface: bool) -> None:
        self.post_message(self.SettingsLoaded(await save(), changes_interface))

    # --- looking, leaving --------------------------------------------------------------------------

    def action_search(self) -> None:
        def show(words: str | None) -> None:
            if words is not None:
                self._words = words
                self._show_rows()

        self.app.push_screen(
            LineDialog("Which settings?", value=self._words, explanation="Words, or a key. Empty: all."), show
        )

    def action_rules(self) -> None:
        if self._universe_id is not None:
            self.post_message(Visit(ToPolicy(self._universe_id)))

    def action_model(self) -> None:
        self.post_message(Visit(ToLlmSetup()))

    def action_bill(self) -> None:
        self.post_message(Visit(ToBill()))

    def action_escape(self) -> None:
        if self.query_one(NoticePanel).is_shown:
            self.query_one(NoticePanel).clear()
        elif self._words:
            self._words = ""
            self._show_rows()
        else:
            self.post_message(Visit(Back(self)))
