"""Reads the edits of a vault's notes into what they propose, or into the problem that stands against them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from agents.canon_keeper.fact_readings import OBJECT, OCCURRENCE_KINDS, is_open
from agents.declarations.reader import FindEntity
from agents.exports.folder_plan import Manifest
from agents.exports.vault_changes import (
    AddedFact,
    EntityField,
    FieldEdit,
    NoteEdit,
    RemovedFact,
    RewordedFact,
)
from agents.exports.vault_folder import EditedNote, NewNote, ProposedNote
from agents.exports.vault_notes import tag_word
from agents.proposals.evidence import MAX_QUOTE_LENGTH
from agents.proposals.statements import require_statement_length
from agents.services.entity_edits import (
    build_sheet_edits,
    describe_entity_edits,
    parse_entity_name,
    parse_names,
    parse_sheet_numbers,
)
from agents.services.manual_edits import Edit
from agents.services.world_edits import WorldEditor
from agents.typed_numbers import number_label, parse_numbers
from agents.views.world_views import EntityEdit, FactEdit
from stores.errors import InputError
from stores.ports import CanonReader
from stores.records.canon import CreateEntity, EndFact, Fact, FactKind, FactStatus, RetconFact
from stores.records.ids import Id
from stores.records.world import Entity, EntityStatus, Number


@dataclass(frozen=True, slots=True)
class NoteProblem:
    """What of a note cannot be read, with its file and line."""

    path: str
    line: int
    why: str

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}: {self.why}"


@dataclass(slots=True)
class SyncPlan:
    """The edits of a sync, with the note that each comes from, and what of each note could be read."""

    edits: list[tuple[str, Edit]] = field(default_factory=list)
    notes: dict[str, ProposedNote] = field(default_factory=dict)
    problems: list[NoteProblem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class NoteEditReader:
    """Reads the edits of notes into a plan; what cannot be read becomes a problem of it."""

    canon: CanonReader
    editor: WorldEditor
    manifest: Manifest
    tick: int | None
    find_entity: FindEntity
    plan: SyncPlan

    async def read_new(self, new: NewNote) -> None:
        """Read a note of the player's own: what it is about, and its facts."""
        self._add_problems(new.path, new.changes.problems)
        namesakes = await self.canon.find_entity(self.manifest.universe_id, new.name)
        if namesakes and new.owner not in {entity.id for entity in namesakes}:
            self._add_problems(new.path, [(1, f"canon has {new.name} already, and this is another note")])
            return
        if not namesakes and not new.is_proposed:
            try:
                creation = _plan_creation(new)
            except InputError as error:
                self._add_problems(new.path, [(new.note.title_line, _describe(error))])
                return
            self._add_edits(new.path, new.owner, new.note.title_line, [creation])
        for edit in new.changes.edits:
            await self._read_edit(new.path, new.owner, edit, new.owner)

    async def read_edited(self, edited: EditedNote) -> None:
        """Read what was changed in a note that MONITOR wrote."""
        self._add_problems(edited.path, edited.changes.problems)
        if edited.owner == self.manifest.universe_id:
            for edit in edited.changes.edits:
                if isinstance(edit, FieldEdit):
                    self._add_problems(edited.path, [(edit.line, f"the world's {edit.field} is not read")])
                else:
                    await self._read_edit(edited.path, edited.owner, edit, None)
            return
        entity = (await self.canon.entities_by_id([edited.owner])).get(edited.owner)
        if entity is None or entity.status is not EntityStatus.CANONICAL:
            self._add_problems(edited.path, [(1, "canon does not have it any more")])
            return
        for edit in edited.changes.edits:
            await self._read_edit(edited.path, edited.owner, edit, entity.id, entity)

    async def _read_edit(
        self, path: str, owner: Id, edit: NoteEdit, about_id: Id | None, entity: Entity | None = None
    ) -> None:
        """Add what an edit proposes, with its note and line as evidence, or the problem that stands against it."""
        try:
            edits = await self._plan_edit(edit, about_id, entity)
        except InputError as error:
            self._add_problems(path, [(edit.line, _describe(error))])
            return
        self._add_edits(path, owner, edit.line, edits)
        self.plan.notes[path].edits.append(edit)

    async def _plan_edit(self, edit: NoteEdit, about_id: Id | None, entity: Entity | None) -> list[Edit]:
        match edit:
            case AddedFact():
                return [await self._plan_fact(edit.sentence, about_id)]
            case RemovedFact():
                return self._plan_removal(await self._read_fact(edit.label))
            case RewordedFact():
                return await self._plan_rewording(edit, about_id)
            case FieldEdit():
                return _plan_field_edit(entity, edit) if entity is not None else []
            case _:
                assert_never(edit)

    def _add_edits(self, path: str, owner: Id, line: int, edits: Sequence[Edit]) -> None:
        self.plan.notes.setdefault(path, ProposedNote(owner))
        for edit in edits:
            description = f"{path}, line {line}: {edit.description}"[:MAX_QUOTE_LENGTH]
            self.plan.edits.append((path, replace(edit, description=description)))

    def _add_problems(self, path: str, problems: Sequence[tuple[int, str]]) -> None:
        self.plan.problems += [NoteProblem(path, line, why) for line, why in problems]

    async def _plan_fact(self, sentence: str, about_id: Id | None) -> Edit:
        return await self.editor.plan_fact(
            self.manifest.universe_id, sentence, self.tick, self.find_entity, about_id
        )

    async def _read_fact(self, label: str) -> Fact:
        """Return the fact of a footnote. Raises InputError if canon never had it."""
        fact_id = self.manifest.facts.get(label, "")
        fact = (await self.canon.facts_by_id([fact_id])).get(fact_id)
        if fact is None:
            raise InputError(f"no fact has the footnote {label}.")
        return fact

    def _plan_removal(self, fact: Fact) -> list[Edit]:
        """Return the end of a fact; what happened once, and a rule, cannot end: it was never true."""
        if fact.status is not FactStatus.CANONICAL:
            return []
        if fact.kind in OCCURRENCE_KINDS or fact.kind is FactKind.AXIOM:
            return [Edit(RetconFact(fact_id=fact.id), f"Never true: {fact.statement}")]
        return (
            [Edit(EndFact(fact_id=fact.id, at=self.tick), f"No longer true: {fact.statement}")]
            if is_open(fact)
            else []
        )

    async def _plan_rewording(self, edit: RewordedFact, about_id: Id | None) -> list[Edit]:
        """Return the correction of a sentence; other words for a value or a relation are another fact."""
        fact = await self._read_fact(edit.label)
        if fact.status is not FactStatus.CANONICAL:
            raise InputError("canon has other words for it by now.", todo="Take yours out, and export again.")
        if fact.value is None and fact.entity(OBJECT) is None:
            fact_edit = FactEdit(edit.sentence, standing=fact.standing)
            edits, _ = await self.editor.plan_correction(fact, fact_edit)
            return edits
        added = await self._plan_fact(edit.sentence, about_id)
        if fact.id in getattr(added.change, "ends", ()):
            return [added]
        return [*self._plan_removal(fact), added]


def _describe(error: InputError) -> str:
    return " ".join(filter(None, (error.what, error.todo)))


def _plan_creation(new: NewNote) -> Edit:
    """Return the edit that adds what a note is about. Raises InputError."""
    numbers = dict(_read_number(line.text) for line in new.note.numbers)
    change = CreateEntity(
        entity_id=new.owner,
        entity_kind=new.kind,
        name=parse_entity_name(new.name),
        aliases=parse_names(new.note.aliases),
        description=require_statement_length(new.note.description),
        numbers=parse_sheet_numbers(numbers.items()),
        tags=parse_names(new.note.tags),
    )
    return Edit(change, f"Added: {change.name}")


def _plan_field_edit(entity: Entity, field_edit: FieldEdit) -> list[Edit]:
    """Return the edits of an entity's names, description, tags or numbers. Raises InputError."""
    tags, numbers, value = list(entity.tags), dict(entity.numbers), field_edit.value
    edit = EntityEdit(entity.name, entity.aliases, entity.description)
    match field_edit.field:
        case EntityField.NAME:
            edit = replace(edit, name=value[0])
        case EntityField.ALIASES:
            edit = replace(edit, aliases=value)
        case EntityField.DESCRIPTION:
            edit = replace(edit, description=value[0])
        case EntityField.ADDED_TAG:
            tags.append(value[0])
        case EntityField.REMOVED_TAG:
            tags = [tag for tag in tags if tag_word(tag) != value[0]]
        case EntityField.NUMBER:
            label, number = _read_number(value[0])
            key = next((k for k in numbers if number_label(k).casefold() == label.casefold()), label)
            numbers[key] = number
        case _:
            assert_never(field_edit.field)
    edit = replace(edit, tags=tuple(tags), numbers=tuple(numbers.items()))
    return [*describe_entity_edits(entity, edit), *build_sheet_edits(entity, edit)]


def _read_number(text: str) -> tuple[str, Number]:
    """Read `HP: 7`. Raises InputError."""
    numbers = parse_numbers(text)
    if len(numbers) != 1:
        raise InputError(f"{text[:40]!r} is no name with a number", todo="As in: HP: 7")
    return numbers[0]
