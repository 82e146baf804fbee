"""Everything that can be set, by row: settings under their headings, then the keys of every screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import ClassVar, assert_never

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.views.conflict_views import KindPolicyView, PolicyView
from agents.views.settings_views import KeyView, SettingSource, SettingsView, SettingView
from widgets.ink import Ink, Line
from widgets.plain_rows import heading_row, text_row
from widgets.row_list import ListRow, RowList
from widgets.safe_text import ellipsise, one_line, pad, wrap

SettingItem = SettingView | KeyView | KindPolicyView

NO_RULE = "by confidence"
"""What the gate does with a kind of change that has no rule."""

NAME_CELLS = 25
KEY_CELLS = 18


class SettingsList(RowList[SettingItem]):
    """The cursor stands on settings and keys."""

    HELP_TITLE: ClassVar[str] = "Settings"
    HELP_TEXT: ClassVar[str] = (
        "Enter changes the row under the cursor: it switches, offers what there is, asks for a line, or waits for the "
        "key that you press. Del takes your own value out of settings.toml, or your rule out of the gate. "
        "What the gate decides by itself is a world's own; P has its rules for single numbers and kinds of fact. "
        "/ finds settings and keys by words."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "change", "Change", id="settings.change", tooltip="Change this row"),
        Binding(
            "delete",
            "reset",
            "Reset",
            id="settings.reset",
            tooltip="Back to the usual value or key of this row",
        ),
    ]

    class ChangeRequested(Message):
        """A row is to be changed."""

        def __init__(self, item: SettingItem) -> None:
            super().__init__()
            self.item = item

    class ResetRequested(ChangeRequested):
        """A row is to be as it usually is."""

    def show_settings(
        self, settings: SettingsView, policy: PolicyView | None = None, words: str = ""
    ) -> None:
        """Show all settings, or those with these words; the cursor stays on its row.

        `policy`: what the gate of a world decides by itself, which is set here too.
        """
        self.empty = f"No setting and no key has “{words}”." if words else self.empty
        self.set_rows(list(_rows(settings, policy, words.casefold().split())))

    def row_highlighted(self, value: SettingItem | None) -> None:
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "change":
                return self.current is not None
            case "reset":
                return self.current is not None and _is_own(self.current)
        return super().check_action(action, parameters)

    def row_chosen(self, value: SettingItem) -> None:
        self.action_change()

    def action_change(self) -> None:
        if self.current is not None:
            self.post_message(self.ChangeRequested(self.current))

    def action_reset(self) -> None:
        if self.current is not None:
            self.post_message(self.ResetRequested(self.current))


def _is_own(item: SettingItem) -> bool:
    """Return whether the user set it, so that it can be as it usually is."""
    match item:
        case SettingView() | KeyView():
            return item.source is SettingSource.FILE
        case KindPolicyView():
            return item.rule is not None
        case _ as unreachable:
            assert_never(unreachable)


def _rows(
    settings: SettingsView, policy: PolicyView | None, words: Sequence[str]
) -> Iterator[ListRow[SettingItem]]:
    for group in settings.groups:
        shown = [s for s in group.settings if _has_words(words, group.title, s.name, s.label, s.meaning)]
        if shown:
            yield heading_row(group.title)
        for setting in shown:
            yield ListRow(setting.name, partial(_setting_lines, setting), setting)
        if policy is not None and any(setting.name.startswith("gate.") for setting in group.settings):
            yield from _rule_rows(policy, words)
    keys = [
        k for k in settings.keys if _has_words(words, "keys", k.place, k.name, k.label, k.meaning, *k.keys)
    ]
    for place, views in groupby(keys, key=lambda k: k.place):
        yield heading_row(f"Keys: {place}")
        for view in views:
            yield ListRow(f"key {view.name}", partial(_key_lines, view), view, height=1)
    if not words:
        yield heading_row("Where this is stored")
        yield text_row("file", settings.file, "Its other lines and your comments stay as they are.")
        yield text_row("home", f"Worlds, stories and your own files: {settings.home}")


def _rule_rows(policy: PolicyView, words: Sequence[str]) -> Iterator[ListRow[SettingItem]]:
    """Yield what the gate does with each kind of change."""
    heading = f"What the gate decides by itself, in {one_line(policy.universe.name)}"
    kinds = [kind for kind in policy.kinds if _has_words(words, heading, kind.words, _rule_words(kind))]
    if kinds:
        yield heading_row(heading)
    for kind in kinds:
        yield ListRow(f"rule {kind.kind}", partial(_rule_lines, kind), kind, height=1)


def _rule_words(kind: KindPolicyView) -> str:
    return kind.rule.value if kind.rule else NO_RULE


def _rule_lines(kind: KindPolicyView, width: int) -> Sequence[Line]:
    figures = f" · you accepted {kind.accepted} of {kind.decided}" if kind.decided else ""
    offer = f" · offered: {kind.offered.value}" if kind.offered else ""
    room = max(8, width - 2 - NAME_CELLS)
    ink = Ink.PROSE if kind.rule else Ink.MUTED
    return [
        [
            ("  ", Ink.PROSE),
            (pad(kind.words[:1].upper() + kind.words[1:], NAME_CELLS), Ink.STRONG),
            (ellipsise(f"{_rule_words(kind)}{figures}{offer}", room), ink),
        ]
    ]


def _has_words(words: Sequence[str], *texts: str) -> bool:
    text = " ".join(texts).casefold()
    return all(word in text for word in words)


def _setting_lines(setting: SettingView, width: int) -> Sequence[Line]:
    room = max(8, width - 2 - NAME_CELLS)
    value, ink = _value_text(setting)
    indent = (" " * (2 + NAME_CELLS), Ink.PROSE)
    first, *rest = wrap(one_line(value), room)
    lines: list[Line] = [[("  ", Ink.PROSE), (pad(setting.label, NAME_CELLS), Ink.STRONG), (first, ink)]]
    lines += [[indent, (line, ink)] for line in rest]
    notes = [setting.meaning, *_notes(setting)]
    lines += [[indent, (line, Ink.MUTED)] for line in wrap(one_line(" · ".join(notes)), room)]
    return lines


def _value_text(setting: SettingView) -> tuple[str, Ink]:
    if setting.kind == "switch":
        return ("✓ on", Ink.GOOD) if setting.value == "true" else ("– off", Ink.MUTED)
    return (setting.value, Ink.PROSE) if setting.value else (setting.empty_text, Ink.MUTED)


def _notes(setting: SettingView) -> Iterator[str]:
    match setting.source:
        case SettingSource.ENVIRONMENT:
            yield "set in the environment"
        case SettingSource.FILE:
            yield "yours"
    if setting.is_for_next_start:
        yield "counts from the next start on"


def _key_lines(view: KeyView, width: int) -> Sequence[Line]:
    keys = ellipsise(" ".join(view.keys), KEY_CELLS - 1)
    is_own = view.source is SettingSource.FILE
    usual = f" (usually {' '.join(view.usual_keys)})" if is_own else ""
    room = max(8, width - 2 - KEY_CELLS)
    return [
        [
            ("  ", Ink.PROSE),
            (pad(keys, KEY_CELLS), Ink.YOU if is_own else Ink.STRONG),
            (ellipsise(one_line(f"{view.label}: {view.meaning}{usual}"), room), Ink.PROSE),
        ]
    ]
