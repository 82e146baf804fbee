"""The entities of a universe as a tree by kind, with counts and a filter."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from stores.records.ids import Id
from stores.records.world import Entity, EntityKind
from widgets.safe_text import one_line

KIND_NAMES = {
    EntityKind.CHARACTER: "Characters",
    EntityKind.CREATURE: "Creatures",
    EntityKind.PLACE: "Places",
    EntityKind.FACTION: "Factions",
    EntityKind.OBJECT: "Objects",
    EntityKind.CONCEPT: "Concepts",
}
PC_SIGN = "♦"
LOCKED_SIGN = "⊘"
DEAD_SIGN = "†"
CURSOR_SIGN = "◂"
MAX_PER_KIND = 200
"""Entities of one kind that are shown; a search finds the others."""


class EntityTree(Tree[Entity | None]):
    """Entities by kind. `show_entities` sets them, `filter_text` narrows them by part of a name or alias."""

    HELP_TITLE: ClassVar[str] = "World"
    HELP_TEXT: ClassVar[str] = (
        "Everything in canon, by kind. ♦ is a player character, ⊘ is protected, † is dead. "
        "Enter opens an entity's card."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("k", "cursor_up", "Up", show=False, id="tree.up", tooltip="The row above"),
        Binding("j", "cursor_down", "Down", show=False, id="tree.down", tooltip="The row below"),
    ]
    DEFAULT_CSS = """
    EntityTree {
        background: $background;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 1;
        padding: 0 1;
        & > .tree--guides { color: $text-muted; }
        & > .tree--guides-hover { color: $text-muted; }
        & > .tree--guides-selected { color: $text-primary; }
        & > .tree--cursor { color: $foreground; background: $primary 12%; text-style: none; }
        & > .tree--highlight { text-style: none; }
        &:focus > .tree--cursor { color: $foreground; background: $primary 24%; text-style: bold; }
    }
    """

    filter_text: reactive[str] = reactive("", init=False)
    """Words that an entity's name or aliases must all contain."""

    @dataclass
    class EntityHighlighted(Message):
        """The cursor is on an entity, or (None) on a kind."""

        entity: Entity | None

    @dataclass
    class EntityChosen(Message):
        """Enter or a click on an entity."""

        entity: Entity

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__("world", id=id, classes=classes)
        self.show_root = False
        self.show_guides = False
        self.guide_depth = 2
        self._entities: tuple[Entity, ...] = ()
        self._dead_ids: frozenset[Id] = frozenset()

    def show_entities(self, entities: Sequence[Entity], dead_ids: Collection[Id] = ()) -> None:
        """Show these, the dead marked; the cursor stays on its entity, and closed kinds stay closed."""
        self._entities, self._dead_ids = tuple(entities), frozenset(dead_ids)
        self._rebuild()

    @property
    def current(self) -> Entity | None:
        """The entity under the cursor."""
        return self.cursor_node.data if self.cursor_node else None

    def select(self, entity_id: Id) -> None:
        """Put the cursor on an entity."""
        for kind in self.root.children:
            for node in kind.children:
                if node.data and node.data.id == entity_id:
                    kind.expand()
                    self.call_after_refresh(self.move_cursor, node)
                    return

    def watch_filter_text(self) -> None:
        self._rebuild()

    def _rebuild(self) -> None:
        current_entity = self.current
        closed_kinds = {str(node.label).split("  ")[0] for node in self.root.children if not node.is_expanded}
        filter_words = self.filter_text.casefold().split()
        self.clear()
        cursor_leaf: TreeNode[Entity | None] | None = None
        for kind, name in KIND_NAMES.items():
            members = sorted(
                (e for e in self._entities if e.kind is kind and _matches(e, filter_words)),
                key=lambda e: (not e.is_pc, e.name.casefold()),
            )
            if not members:
                continue
            branch = self.root.add(
                Text.assemble((name, "bold"), f"  {len(members)}"),
                expand=bool(filter_words) or name not in closed_kinds,
            )
            for entity in members[:MAX_PER_KIND]:
                leaf = branch.add_leaf(_label(entity, is_dead=entity.id in self._dead_ids), entity)
                if current_entity is not None and entity.id == current_entity.id:
                    cursor_leaf = leaf
            if len(members) > MAX_PER_KIND:
                branch.add_leaf(Text(f"… {len(members) - MAX_PER_KIND:,} more: / searches", style="italic"))
        if cursor_leaf is not None:
            self.call_after_refresh(self.move_cursor, cursor_leaf)

    def render_label(self, node: TreeNode[Entity | None], base_style: Style, style: Style) -> Text:
        # Tree would put its own arrow before a label it may parse; ours is plain.
        label = node.label if isinstance(node.label, Text) else Text(str(node.label))
        arrow = ("▾ " if node.is_expanded else "▸ ") if node.allow_expand else ""
        here = (f" {CURSOR_SIGN}", base_style) if node is self.cursor_node else ""
        text = Text.assemble((arrow, base_style), label, here)
        text.stylize_before(style)
        return text

    @on(Tree.NodeHighlighted)
    def _node_highlighted(self, event: Tree.NodeHighlighted[Entity | None]) -> None:
        event.stop()
        self.post_message(self.EntityHighlighted(event.node.data))

    @on(Tree.NodeSelected)
    def _node_selected(self, event: Tree.NodeSelected[Entity | None]) -> None:
        event.stop()
        if event.node.data is not None:
            self.post_message(self.EntityChosen(event.node.data))


def _label(entity: Entity, *, is_dead: bool) -> Text:
    signs = "".join(
        f" {sign}"
        for sign, holds in ((PC_SIGN, entity.is_pc), (LOCKED_SIGN, entity.locked), (DEAD_SIGN, is_dead))
        if holds
    )
    return Text(one_line(entity.name) + signs, no_wrap=True, end="")


def _matches(entity: Entity, filter_words: Sequence[str]) -> bool:
    text = " ".join((entity.name, *entity.aliases)).casefold()
    return all(word in text for word in filter_words)
