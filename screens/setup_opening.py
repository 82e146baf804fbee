"""The page of story set-up on how it opens: the first scene, who is there, and who is new to the world."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.content import Content
from textual.suggester import SuggestFromList
from textual.widgets import Static
from textual.widgets.option_list import Option

from agents.story_outline import StoryOutline
from screens.fields import Entry, Field, Form, Picker
from screens.outline import newcomer_from, place_from
from screens.setup_pages import named
from stores.records.ids import Id
from stores.records.world import Entity, EntityKind
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.personas.outputs import StoryIdea

NEWCOMERS = ((EntityKind.CHARACTER, 4), (EntityKind.PLACE, 3))
"""Who and what may be new, and how many of them at most."""
NEW_TO_IT = "New to this world: proposed at the gate, true when you say so"


class Cast(Picker):
    """Who is there when the scene opens. Space brings one in or takes one out; Enter begins the story."""

    BINDINGS = [
        Binding("enter", "screen.next", "Begin", id="cast.next", tooltip="Begin the story", key_display="⏎"),
        Binding(
            "space", "in_or_out", "In or out", id="cast.toggle", tooltip="Bring this one in, or take them out"
        ),
    ]

    def __init__(self) -> None:
        super().__init__(id="cast", markup=False, compact=True)
        self._people: dict[Id, str] = {}
        self._there: set[Id] = set()

    @property
    def there(self) -> tuple[Id, ...]:
        """Who is there, in the order shown."""
        return tuple(id for id in self._people if id in self._there)

    def offer(self, people: Iterable[Entity], there: Iterable[Id]) -> None:
        """Show these people, of whom some are there already."""
        self._people = {person.id: one_line(person.name) for person in people}
        self._there = set(there) & self._people.keys()
        self.clear_options()
        self.add_options(Option(self._row(id), id=id) for id in self._people)
        self.highlighted = 0 if self._people else None

    def bring_in(self, people: Iterable[Id]) -> None:
        """Tick these, too."""
        for id in set(people) & self._people.keys() - self._there:
            self._there.add(id)
            self.replace_option_prompt(id, self._row(id))

    def _row(self, id: Id) -> Content:
        sign, style = ("✓ ", "$text-success") if id in self._there else ("· ", "$text-muted")
        return Content.assemble((sign, style), (self._people[id], "" if id in self._there else style))

    def action_in_or_out(self) -> None:
        option = self.highlighted_option
        if option is not None and option.id is not None:
            self._there ^= {option.id}
            self.replace_option_prompt(option.id, self._row(option.id))


class OpeningPage(Form):
    """The first scene: title, goal, place, cast."""

    def __init__(self) -> None:
        self._fields = {_id(kind, n): _newcomer(kind, n) for kind, most in NEWCOMERS for n in range(most)}
        super().__init__(
            "How does it open?",
            (
                Field("Scene", "scene-title"),
                Field("Goal", "scene-goal", hint="what would end the scene"),
                Field("Place", "place", hint="one that is known, or a new one"),
                Static("Also there", classes="label", id="cast-label", markup=False),
                Cast(),
                Static(NEW_TO_IT, classes="label", id="newcomers-label", markup=False),
                *self._fields.values(),
            ),
            id="opening",
        )
        self._characters: Sequence[Entity] = ()
        self._places: Sequence[Entity] = ()

    def suggest(self, outline: StoryOutline, characters: Sequence[Entity], places: Sequence[Entity]) -> None:
        self._characters, self._places = characters, places
        self._show_newcomers((), ())
        names = {p.id: p.name for p in places}
        self["scene-title"], self["scene-goal"] = outline.scene_title, outline.scene_goal
        self["place"] = names.get(outline.place or "", "")
        self.query_one("#place", Entry).suggester = SuggestFromList(names.values(), case_sensitive=False)
        cast = self.query_one(Cast)
        others = [c for c in characters if c.id != outline.pc]
        cast.offer(others, outline.cast)
        cast.display = self.query_one("#cast-label").display = bool(others)

    def outlined(self, outline: StoryOutline) -> StoryOutline:
        """Return `outline` with what is on this page."""
        return replace(
            outline,
            scene_title=named(self["scene-title"], "The scene", "title"),
            scene_goal=self["scene-goal"],
            place=place_from(self["place"], self._places),
            cast=self.query_one(Cast).there,
            newcomers=tuple(
                newcomer_from(self[_id(kind, n)], kind)
                for kind, most in NEWCOMERS
                for n in range(most)
                if self[_id(kind, n)]
            ),
        )

    def fill(self, idea: StoryIdea, hero: str) -> None:
        """Write down what the model thought of; what it left out stays as it is. Whom it names that are known
        are ticked; who is new stands on a line, to be changed or emptied. `hero` is neither."""
        for field, text in (
            ("scene-title", idea.scene_title),
            ("scene-goal", idea.scene_goal),
            ("place", idea.place),
        ):
            self[field] = text or self[field]
        known = {name: e.id for e in self._characters for name in _called(e)}
        people = {_name_in(line): line for line in idea.people}
        people.pop(hero.casefold(), None)
        self.query_one(Cast).bring_in(known[name] for name in people if name in known)
        where = {name for place in self._places for name in _called(place)} | {idea.place.casefold()}
        self._show_newcomers(
            [line for name, line in people.items() if name not in known],
            [line for line in idea.places if _name_in(line) not in where],
        )

    def _show_newcomers(self, people: Sequence[str], places: Sequence[str]) -> None:
        """A line for each, and no more."""
        for (kind, most), lines in zip(NEWCOMERS, (people, places), strict=True):
            for n, line in enumerate([*lines, *[""] * most][:most]):
                self[_id(kind, n)] = line
                self._fields[_id(kind, n)].display = bool(line)
        self.query_one("#newcomers-label").display = bool(people or places)


def _newcomer(kind: EntityKind, n: int) -> Field:
    label = "Somebody" if kind is EntityKind.CHARACTER else "Some place"
    return Field(label, _id(kind, n), hint="left out; or a name: who or what that is")


def _id(kind: EntityKind, n: int) -> str:
    return f"new-{kind.value}-{n}"


def _called(entity: Entity) -> tuple[str, ...]:
    return tuple(name.casefold() for name in (entity.name, *entity.aliases))


def _name_in(line: str) -> str:
    return newcomer_from(line, EntityKind.CHARACTER).name.casefold()
