"""The forms of the Universe screen; what is typed in each is staged by the services."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from textual import on
from textual.widget import Widget

from agents.proposals.lore_entries import format_lore_keys
from agents.views.world_views import EntityEdit, FactEdit, NewEntityFields, StagedEdits
from screens.dialogs.form_dialog import FormDialog
from screens.dialogs.form_fields import ChoiceField, Field, FormPage, TextField
from screens.setup.story_outline import parse_numbers, split_words
from stores.errors import parse_field
from stores.records.canon import Fact, FactKind, Standing
from stores.records.world import Entity, EntityKind

if TYPE_CHECKING:
    from agents.services.world import WorldServices
    from agents.views.card_views import FactView
    from stores.records.ids import Id

FACT_OPTION, RULE_OPTION = "fact", "rule"
OCCURRENCES = (FactKind.EVENT, FactKind.CHANGE, FactKind.ENCOUNTER, FactKind.ASSERTION)
_NEVER_ENDING_KINDS = (*OCCURRENCES, FactKind.AXIOM)
_STANDING_HINTS = {
    Standing.TRUE: "it is true",
    Standing.RUMOUR: "people say so",
    Standing.LIE: "somebody made it up",
    Standing.DISPUTED: "nobody knows",
}
_NEW_OPTIONS = (
    (FACT_OPTION, "a fact"),
    (RULE_OPTION, "a rule of the world"),
    *((kind.value, f"a new {kind}") for kind in EntityKind),
)
_OPTION_HINTS = {
    FACT_OPTION: "Any sentence. Begin with event:, promise:, debt: or question: to say what it is.",
    RULE_OPTION: "For example: The dead cannot cross salt.",
}


def entity_edit_form(world: WorldServices, entity: Entity) -> FormDialog:
    """Return the form that edits an entity."""

    async def stage(form: FormPage) -> StagedEdits:
        return await world.edits.propose_entity_edit(
            entity.id,
            EntityEdit(
                name=form["name"],
                aliases=split_words(form["aliases"]),
                description=form["description"],
                numbers=parse_field("numbers", parse_numbers, form["numbers"]),
                tags=split_words(form["tags"]),
            ),
        )

    fields = (
        Field("Name", "name", value=entity.name),
        Field("Also called", "aliases", value=", ".join(entity.aliases), hint="separated by commas"),
        TextField("Description", "description", value=entity.description),
        Field("Numbers", "numbers", value=_numbers_text(entity), hint="hp 10, might 1"),
        Field("Tags", "tags", value=", ".join(entity.tags), hint="wet, cold"),
    )
    return FormDialog(
        f"Change {entity.name}", fields, stage, hint="What you change is proposed and waits at the gate."
    )


def fact_edit_form(world: WorldServices, view: FactView, names: Mapping[Id, str]) -> FormDialog:
    """Return the form that corrects a fact; `names` are those of the entities it may involve."""
    fact = view.fact
    object_name = names.get(fact.entity("object") or "", "")

    async def stage(form: FormPage) -> StagedEdits:
        fact_edit = FactEdit(
            statement=form["statement"],
            value=form["value"] if fact.value is not None else "",
            object_name=form["object_name"] if object_name else "",
            standing=Standing(form["standing"]) if fact.kind is not FactKind.AXIOM else Standing.TRUE,
            since=form["since"] if fact.kind is not FactKind.AXIOM else "",
            until=form["until"] if fact.kind not in _NEVER_ENDING_KINDS else "",
            lore_keys=form["lore_keys"] if fact.lore is not None else "",
        )
        return await world.edits.propose_correction(fact.id, fact_edit)

    hint = "The correction replaces it and keeps its evidence. Empty times stay as they are."
    return FormDialog(
        "Correct this fact",
        tuple(_fact_fields(fact, view.when, object_name)),
        stage,
        hint=hint,
        main_field="statement",
    )


def _fact_fields(fact: Fact, when: str, object_name: str) -> Iterator[Widget]:
    yield TextField("Text", "statement", value=fact.statement)
    if fact.lore is not None:
        keys_hint = "separated by commas, second keys after a plus; or always"
        yield Field("Keys", "lore_keys", value=format_lore_keys(fact.lore), hint=keys_hint)
    if object_name:
        yield Field("About", "object_name", value=object_name)
    if fact.value is not None:
        value = str(fact.value).lower() if isinstance(fact.value, bool) else str(fact.value)
        yield Field("Value", "value", value=value)
    if fact.kind is FactKind.AXIOM:
        return
    standings = [fact.standing, *(s for s in Standing if s is not fact.standing)]
    yield ChoiceField("Standing", [(s.value, _STANDING_HINTS[s]) for s in standings], id="standing")
    since, _, until = when.partition(" to ")
    yield Field("Since", "since", hint=f"{since or 'always'}; or e.g. day 3 dusk, always")
    if fact.kind not in _NEVER_ENDING_KINDS:
        yield Field("Until", "until", hint=until or "still true; or e.g. day 3 dusk")


def can_end(view: FactView) -> bool:
    """Return whether the fact holds for a while and still does; an event does not end."""
    return view.is_current and view.fact.kind not in OCCURRENCES


def fact_end_form(world: WorldServices, fact: Fact) -> FormDialog:
    """Return the form that ends a fact."""

    async def stage(form: FormPage) -> StagedEdits:
        return await world.edits.propose_end(fact.id, form["until"])

    fields = (Field("True until", "until", hint="e.g. now, day 3 dusk"),)
    return FormDialog(f"No longer true: {fact.statement}", fields, stage, main_field="until")


class NewCanonDialog(FormDialog):
    """Creates any kind of record; the fields follow the kind."""

    def __init__(self, world: WorldServices, universe_id: Id, first_option: str, text: str) -> None:
        self._world = world
        self._universe_id = universe_id
        options = sorted(_NEW_OPTIONS, key=lambda option: option[0] != first_option)
        fields = (
            ChoiceField("Kind", options, id="what"),
            TextField("Text or name", "words", value=text),
            Field("Also called", "aliases", hint="separated by commas"),
            TextField("Description", "description"),
            Field("Numbers", "numbers", hint="hp 10, might 1"),
            Field("Tags", "tags", hint="wet, cold"),
            Field("Since", "since", hint="e.g. now, day 3 dusk, always"),
        )
        super().__init__(
            "Add to this world",
            fields,
            self._stage_new,
            hint=_OPTION_HINTS[FACT_OPTION],
            main_field="words",
        )

    def on_mount(self) -> None:
        super().on_mount()
        self._show_matching_fields()

    @on(ChoiceField.Changed)
    def _show_matching_fields(self) -> None:
        """Show the fields of the chosen kind."""
        option = self.query_one(FormPage)["what"]
        is_entity = option not in (FACT_OPTION, RULE_OPTION)
        for name in ("aliases", "description", "numbers", "tags"):
            self._field(name).display = is_entity
        self._field("since").display = option == FACT_OPTION
        self.show_hint(_OPTION_HINTS.get(option, "Shift+Tab goes up to choose the kind."))

    def _field(self, name: str) -> Widget:
        field = self.query_one(f"#{name}").parent
        assert isinstance(field, Widget)
        return field

    async def _stage_new(self, form: FormPage) -> StagedEdits:
        edits, text = self._world.edits, form["words"]
        if form["what"] == FACT_OPTION:
            return await edits.propose_fact(self._universe_id, text, form["since"])
        if form["what"] == RULE_OPTION:
            return await edits.propose_axiom(self._universe_id, text)
        return await edits.propose_entity(
            self._universe_id,
            NewEntityFields(
                kind=EntityKind(form["what"]),
                name=text,
                description=form["description"],
                aliases=split_words(form["aliases"]),
                numbers=parse_field("numbers", parse_numbers, form["numbers"]),
                tags=split_words(form["tags"]),
            ),
        )


def _numbers_text(entity: Entity) -> str:
    return ", ".join(f"{key} {value}" for key, value in entity.numbers.items())
