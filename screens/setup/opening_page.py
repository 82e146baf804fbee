"""The page of story set-up for the first scene: who is there, and who is new to the universe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.content import Content
from textual.suggester import SuggestFromList
from textual.widgets import Static
from textual.widgets.option_list import Option

from agents.prose.described_death import describes_dead
from agents.resolver.working_state import is_recorded_dead
from agents.sanitize import require_title, split_described_name
from agents.story_outline import ProposedNewcomer, StoryOutline
from screens.dialogs.form_fields import Field, FieldInput, FormPage, Picker
from screens.setup.setup_pages import require_text
from screens.setup.story_outline import parse_newcomer, resolve_place
from stores.errors import parse_field
from stores.records.ids import Id
from stores.records.world import Entity, EntityKind
from widgets.entity_tree import DEAD_SIGN
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.personas.outputs import StoryIdea

NEWCOMER_LIMITS = ((EntityKind.CHARACTER, 4), (EntityKind.PLACE, 3))
"""The kinds that may be new, and how many of each at most."""
NEWCOMERS_HINT = "New to this world: proposed, and canon once you accept it"


class CastPicker(Picker):
    """The cast of the first scene. Space adds or removes one; Enter begins the story."""

    BINDINGS = [
        Binding("enter", "screen.next", "Begin", id="cast.next", tooltip="Begin the story", key_display="⏎"),
        Binding(
            "space", "in_or_out", "In or out", id="cast.toggle", tooltip="Add to the scene, or leave out"
        ),
    ]

    def __init__(self) -> None:
        super().__init__(id="cast", markup=False, compact=True)
        self._name_by_id: dict[Id, str] = {}
        self._dead_ids: frozenset[Id] = frozenset()
        self._present_ids: set[Id] = set()
        self._chosen_by_id: dict[Id, bool] = {}
        """Whom the player took in, or left out, whatever is suggested."""

    @property
    def present_ids(self) -> tuple[Id, ...]:
        """The cast, in the order shown."""
        return tuple(id for id in self._name_by_id if id in self._present_ids)

    def show_characters(
        self, characters: Iterable[Entity], present_ids: Iterable[Id], dead_ids: frozenset[Id] = frozenset()
    ) -> None:
        """Show these characters, the dead last; those of `present_ids` are ticked unless the player chose otherwise."""
        living_first = sorted(characters, key=lambda person: person.id in dead_ids)
        self._name_by_id = {person.id: one_line(person.name) for person in living_first}
        self._dead_ids = dead_ids
        suggested_ids = set(present_ids)
        self._present_ids = {id for id in self._name_by_id if self._chosen_by_id.get(id, id in suggested_ids)}
        self.clear_options()
        self.add_options(Option(self._character_row(id), id=id) for id in self._name_by_id)
        self.highlighted = 0 if self._name_by_id else None

    def add_present(self, character_ids: Iterable[Id]) -> None:
        """Tick these, too."""
        for id in set(character_ids) & self._name_by_id.keys() - self._present_ids:
            self._present_ids.add(id)
            self.replace_option_prompt(id, self._character_row(id))

    def _character_row(self, id: Id) -> Content:
        sign, style = ("✓ ", "$text-success") if id in self._present_ids else ("· ", "$text-muted")
        is_dead = id in self._dead_ids
        name = f"{DEAD_SIGN} {self._name_by_id[id]}" if is_dead else self._name_by_id[id]
        return Content.assemble(
            (sign, style),
            (name, "" if id in self._present_ids else style),
            ("  dead" if is_dead else "", "dim"),
        )

    def action_in_or_out(self) -> None:
        option = self.highlighted_option
        if option is not None and option.id is not None:
            self._present_ids ^= {option.id}
            self._chosen_by_id[option.id] = option.id in self._present_ids
            self.replace_option_prompt(option.id, self._character_row(option.id))


class OpeningPage(FormPage):
    """The first scene: title, goal, place, cast."""

    def __init__(self) -> None:
        self._newcomer_fields = {
            _newcomer_field_id(kind, n): _newcomer_field(kind, n)
            for kind, most in NEWCOMER_LIMITS
            for n in range(most)
        }
        super().__init__(
            "How does it open?",
            (
                Field("Scene", "scene-title"),
                Field("Goal", "scene-goal", hint="what ends the scene"),
                Field("Place", "place", hint="a known place, or NAME: what it is like"),
                Static("Also there", classes="label", id="cast-label", markup=False),
                CastPicker(),
                Static(NEWCOMERS_HINT, classes="label", id="newcomers-label", markup=False),
                *self._newcomer_fields.values(),
            ),
            id="opening",
        )
        self._characters: Sequence[Entity] = ()
        self._places: Sequence[Entity] = ()

    def fill_from_outline(
        self,
        outline: StoryOutline,
        characters: Sequence[Entity],
        places: Sequence[Entity],
        dead_ids: frozenset[Id] = frozenset(),
    ) -> None:
        """Suggest the outline; what was typed or chosen stays."""
        self._characters, self._places = characters, places
        self._suggest_newcomers((), ())
        names = {p.id: p.name for p in places}
        self.suggest("scene-title", outline.scene_title)
        self.suggest("scene-goal", outline.scene_goal)
        self.suggest("place", names.get(outline.place or "", ""))
        self.query_one("#place", FieldInput).suggester = SuggestFromList(names.values(), case_sensitive=False)
        cast = self.query_one(CastPicker)
        other_characters = [c for c in characters if c.id != outline.pc]
        cast.show_characters(other_characters, outline.cast, dead_ids)
        cast.display = self.query_one("#cast-label").display = bool(other_characters)

    def read_into_outline(self, outline: StoryOutline) -> StoryOutline:
        """Return `outline` with what is on this page."""
        return replace(
            outline,
            scene_title=parse_field("scene-title", require_text, self["scene-title"], "The scene", "title"),
            scene_goal=self["scene-goal"],
            place=resolve_place(self._read_place(), self._places),
            cast=self.query_one(CastPicker).present_ids,
            newcomers=tuple(
                parse_field(
                    _newcomer_field_id(kind, n), _read_newcomer, self[_newcomer_field_id(kind, n)], kind
                )
                for kind, most in NEWCOMER_LIMITS
                for n in range(most)
                if self[_newcomer_field_id(kind, n)]
            ),
        )

    def _read_place(self) -> str:
        if self["place"]:
            parse_field(
                "place",
                require_title,
                parse_newcomer(self["place"], EntityKind.PLACE).name,
                "A place needs a name.",
            )
        return self["place"]

    def fill_from_idea(self, idea: StoryIdea, hero: str) -> None:
        """Fill in the model's idea; what it left out stays as it is.

        Known characters that it names are ticked unless they are dead; new ones each get a line, to be changed or
        cleared. `hero` is neither.
        """
        place_names = {name for place in self._places for name in _folded_names(place)}
        described_places = {_newcomer_name(line): line for line in idea.places}
        is_known_place = idea.place.casefold() in place_names
        for field, text in (
            ("scene-title", idea.scene_title),
            ("scene-goal", idea.scene_goal),
            # A new place comes with what is said of it.
            (
                "place",
                idea.place if is_known_place else described_places.get(idea.place.casefold(), idea.place),
            ),
        ):
            self.fill(field, text or self[field])
        entity_id_by_name = {name: e.id for e in self._characters for name in _folded_names(e)}
        line_by_name = {_newcomer_name(line): line for line in idea.people}
        line_by_name.pop(hero.casefold(), None)
        dead_ids = {e.id for e in self._characters if is_recorded_dead(e)}
        self.query_one(CastPicker).add_present(
            entity_id
            for name, line in line_by_name.items()
            if (entity_id := entity_id_by_name.get(name))
            and entity_id not in dead_ids
            and not describes_dead(split_described_name(line)[1])
        )
        known_place_names = place_names | {idea.place.casefold()}
        self._suggest_newcomers(
            [line for name, line in line_by_name.items() if name not in entity_id_by_name],
            [line for line in idea.places if _newcomer_name(line) not in known_place_names],
        )

    def _suggest_newcomers(self, people: Sequence[str], places: Sequence[str]) -> None:
        """Suggest a line for each newcomer; those that were changed stay."""
        for (kind, limit), lines in zip(NEWCOMER_LIMITS, (people, places), strict=True):
            for n, line in enumerate([*lines, *[""] * limit][:limit]):
                self.suggest(_newcomer_field_id(kind, n), line)
        for field_id, field in self._newcomer_fields.items():
            field.display = bool(self[field_id])
        self.query_one("#newcomers-label").display = any(map(self.__getitem__, self._newcomer_fields))


def _read_newcomer(text: str, kind: EntityKind) -> ProposedNewcomer:
    newcomer = parse_newcomer(text, kind)
    require_title(newcomer.name, "Whoever is new needs a name.")
    return newcomer


def _newcomer_field(kind: EntityKind, n: int) -> Field:
    label = "Somebody" if kind is EntityKind.CHARACTER else "Some place"
    return Field(label, _newcomer_field_id(kind, n), hint="left out if empty; or NAME: who or what it is")


def _newcomer_field_id(kind: EntityKind, n: int) -> str:
    return f"new-{kind.value}-{n}"


def _folded_names(entity: Entity) -> tuple[str, ...]:
    return tuple(name.casefold() for name in (entity.name, *entity.aliases))


def _newcomer_name(line: str) -> str:
    return parse_newcomer(line, EntityKind.CHARACTER).name.casefold()
