"""The forms of the Universe screen: what is typed in each, read for the desk to stage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from textual import on
from textual.widget import Widget

from agents.views.world_views import EntityEdit, FactEdit, NewThing, Staged
from screens.fields import Choice, Field, Form, Words
from screens.form_dialog import FormDialog
from screens.outline import parse_numbers, words_from
from stores.records.canon import Fact, FactKind, Standing
from stores.records.world import Entity, EntityKind

if TYPE_CHECKING:
    from agents.services.world import WorldServices
    from agents.views.play_views import FactView
    from stores.records.ids import Id

FACT, RULE = "fact", "rule"
OCCURRENCES = (FactKind.EVENT, FactKind.CHANGE, FactKind.ENCOUNTER, FactKind.ASSERTION)
_NOT_OVER = (*OCCURRENCES, FactKind.AXIOM)
_STANDINGS = {
    Standing.TRUE: "it is so",
    Standing.RUMOUR: "people say so",
    Standing.LIE: "somebody made it up",
    Standing.DISPUTED: "nobody knows",
}
_WHAT = (
    (FACT, "something that is so"),
    (RULE, "a rule of the world"),
    *((kind.value, f"a new {kind}") for kind in EntityKind),
)
_HINTS = {
    FACT: "Any sentence, or a relation as in Mara located_in Crypt; event: promise: debt: question: ...",
    RULE: "As in: The dead cannot cross salt.",
}


def edit_entity(world: WorldServices, entity: Entity) -> FormDialog:
    """Return the form that an entity is changed in."""

    async def stage(form: Form) -> Staged:
        return await world.edits.edit(
            entity.id,
            EntityEdit(
                name=form["name"],
                aliases=words_from(form["aliases"]),
                description=form["description"],
                numbers=parse_numbers(form["numbers"]),
                tags=words_from(form["tags"]),
            ),
        )

    fields = (
        Field("Name", "name", value=entity.name),
        Field("Also called", "aliases", value=", ".join(entity.aliases), hint="with commas between"),
        Words("Description", "description", value=entity.description),
        Field("Numbers", "numbers", value=_numbers(entity), hint="hp 10, might 1"),
        Field("Tags", "tags", value=", ".join(entity.tags), hint="wet, cold"),
    )
    return FormDialog(f"Change {entity.name}", fields, stage, hint="What differs is proposed, and waits.")


def edit_fact(world: WorldServices, view: FactView, names: Mapping[Id, str]) -> FormDialog:
    """Return the form that a fact is corrected in; `names` are of those whom it may involve."""
    fact = view.fact
    other = names.get(fact.entity("object") or "", "")

    async def stage(form: Form) -> Staged:
        typed = FactEdit(
            statement=form["statement"],
            value=form["value"] if fact.value is not None else "",
            other=form["other"] if other else "",
            standing=Standing(form["standing"]) if fact.kind is not FactKind.AXIOM else Standing.TRUE,
            since=form["since"] if fact.kind is not FactKind.AXIOM else "",
            until=form["until"] if fact.kind not in _NOT_OVER else "",
        )
        return await world.edits.correct(fact.id, typed)

    hint = "A correction takes its place and rests on the same evidence. Times left empty stay as they are."
    return FormDialog("As it should have read", tuple(_fact_fields(fact, view.when, other)), stage, hint=hint)


def _fact_fields(fact: Fact, when: str, other: str) -> Iterator[Widget]:
    yield Words("Words", "statement", value=fact.statement)
    if other:
        yield Field("Of whom or what", "other", value=other)
    if fact.value is not None:
        value = str(fact.value).lower() if isinstance(fact.value, bool) else str(fact.value)
        yield Field("Value", "value", value=value)
    if fact.kind is FactKind.AXIOM:
        return
    standings = [fact.standing, *(s for s in Standing if s is not fact.standing)]
    yield Choice("Standing", [(s.value, _STANDINGS[s]) for s in standings], id="standing")
    since, _, until = when.partition(" to ")
    yield Field("Since", "since", hint=f"{since or 'always'} · day 3, dusk · always")
    if fact.kind not in _NOT_OVER:
        yield Field("Until", "until", hint=until or "still so · day 3, dusk")


def can_end(view: FactView) -> bool:
    """Whether the fact holds for a while, and still does; what happened stays so."""
    return view.current and view.fact.kind not in OCCURRENCES


def end_fact(world: WorldServices, fact: Fact) -> FormDialog:
    """Return the form in which a fact ceases to be so."""

    async def stage(form: Form) -> Staged:
        return await world.edits.end(fact.id, form["until"])

    fields = (Field("So until", "until", hint="now · day 3, dusk"),)
    return FormDialog(f"No longer so: {fact.statement}", fields, stage)


class NewDialog(FormDialog):
    """Anything new; the fields follow what it is to be."""

    def __init__(self, world: WorldServices, universe_id: Id, what: str, words: str) -> None:
        self._world = world
        self._universe_id = universe_id
        options = sorted(_WHAT, key=lambda option: option[0] != what)
        fields = (
            Choice("What", options, id="what"),
            Words("Words or name", "words", value=words),
            Field("Also called", "aliases", hint="with commas between"),
            Words("Description", "description"),
            Field("Numbers", "numbers", hint="hp 10, might 1"),
            Field("Tags", "tags", hint="wet, cold"),
            Field("Since", "since", hint="now · day 3, dusk · always"),
        )
        super().__init__("Something new", fields, self._read, hint=_HINTS[FACT])

    def on_mount(self) -> None:
        super().on_mount()
        self._follow()

    @on(Choice.Changed)
    def _follow(self) -> None:
        """Show the fields that go with what it is to be."""
        what = self.query_one(Form)["what"]
        of_thing = what not in (FACT, RULE)
        for name in ("aliases", "description", "numbers", "tags"):
            self._field(name).display = of_thing
        self._field("since").display = what == FACT
        self.say_hint(_HINTS.get(what, "Shift+Tab leads up to what it is to be."))

    def _field(self, name: str) -> Widget:
        field = self.query_one(f"#{name}").parent
        assert isinstance(field, Widget)
        return field

    async def _read(self, form: Form) -> Staged:
        edits, words = self._world.edits, form["words"]
        if form["what"] == FACT:
            return await edits.say(self._universe_id, words, form["since"])
        if form["what"] == RULE:
            return await edits.rule(self._universe_id, words)
        return await edits.create(
            self._universe_id,
            NewThing(
                kind=EntityKind(form["what"]),
                name=words,
                description=form["description"],
                aliases=words_from(form["aliases"]),
                numbers=parse_numbers(form["numbers"]),
                tags=words_from(form["tags"]),
            ),
        )


def _numbers(entity: Entity) -> str:
    return ", ".join(f"{key} {value}" for key, value in entity.numbers.items())
