"""Proposes what the player changed in the notes of a vault. Nothing of it is canon before it is decided at the gate."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from agents.canon_keeper.fact_readings import OBJECT, OCCURRENCE_KINDS, is_open
from agents.declarations.entity_lookup import universe_entity_finder
from agents.declarations.reader import FindEntity
from agents.exports.folder_plan import FolderFile, Manifest
from agents.exports.vault_changes import (
    AddedFact,
    EntityField,
    FieldEdit,
    NoteEdit,
    RemovedFact,
    RewordedFact,
)
from agents.exports.vault_folder import EditedNote, NewNote, read_vault_edits, record_sync
from agents.exports.vault_notes import tag_word
from agents.proposals.evidence import MAX_QUOTE_LENGTH
from agents.proposals.statements import require_statement_length
from agents.services.entity_edits import (
    build_sheet_edits,
    describe_entity_edits,
    parse_name,
    parse_names,
    parse_sheet_numbers,
)
from agents.services.manual_edits import Edit, ManualEdits, read_present_tick
from agents.services.world_edits import WorldEditor
from agents.typed_numbers import number_label, parse_numbers
from agents.views.world_views import EntityEdit, FactEdit, StagedEdits
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.records.canon import CreateEntity, EndFact, Fact, FactKind, FactStatus, RetconFact
from stores.records.ids import Id
from stores.records.world import Entity, EntityStatus, Number, fold_name


@dataclass(frozen=True, slots=True)
class NoteProblem:
    """What of a note cannot be read, with its file and line."""

    path: str
    line: int
    why: str

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}: {self.why}"


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync proposed, and what it could not read."""

    staged: StagedEdits | None
    problems: tuple[NoteProblem, ...]
    gone: tuple[str, ...]
    ignored_count: int
    manifest: Manifest

    @property
    def lines(self) -> tuple[str, ...]:
        """The result in lines for the user."""
        lines = list(self.staged.lines) if self.staged else ["Nothing new to propose."]
        lines += [f"Not read: {problem}" for problem in self.problems]
        lines += [
            f"Gone: {path}. Nothing is proposed for that; the next export writes it again."
            for path in self.gone
        ]
        if self.ignored_count:
            lines.append(f"Your own notes, which are about no entity: {self.ignored_count:,}.")
        return tuple(filter(None, lines))


@dataclass(slots=True)
class _SyncPlan:
    """The edits of a sync, with the note that each comes from."""

    edits: list[tuple[str, Edit]] = field(default_factory=list)
    problems: list[NoteProblem] = field(default_factory=list)
    read_paths: set[str] = field(default_factory=set)


class VaultSync:
    """Reads edited notes and proposes their changes, each with its note and line as evidence."""

    def __init__(
        self, canon: CanonReader, log: LogReader, editor: WorldEditor, manual_edits: ManualEdits
    ) -> None:
        self._canon = canon
        self._log = log
        self._editor = editor
        self._manual_edits = manual_edits

    async def propose_edits(self, manifest: Manifest, existing: Mapping[str, FolderFile]) -> SyncReport:
        """Stage what changed since the vault was written or read last. Raises StoreError, NotFound."""
        universe = await self._canon.universe(manifest.universe_id)
        vault_edits = read_vault_edits(manifest, existing)
        tick = await read_present_tick(self._log, universe.id)
        find_entity = await self._build_finder(universe.id, vault_edits.new, tick)
        plan = _SyncPlan()
        reader = _NoteEditReader(self._canon, self._editor, manifest, tick, find_entity, plan)
        for new in vault_edits.new:
            await reader.read_new(new)
        for edited in vault_edits.edited:
            await reader.read_edited(edited)
        plan.problems += [
            NoteProblem(path, 1, "it is written anew by each export; nothing is read from it")
            for path in vault_edits.changed_read_only
        ]
        staged, ids_by_path = await self._stage(universe.id, plan, tick)
        return SyncReport(
            staged,
            tuple(plan.problems),
            tuple(vault_edits.gone),
            vault_edits.ignored_count,
            record_sync(manifest, existing, ids_by_path, vault_edits),
        )

    async def _build_finder(
        self, universe_id: Id, new_notes: Sequence[NewNote], tick: int | None
    ) -> FindEntity:
        """Return a function that finds who has a name in canon, among proposals, or in a new note of the vault."""
        find_known = await universe_entity_finder(universe_id, self._canon, self._log)
        recorded_at = (await self._canon.universe(universe_id)).recorded_at
        new_entities = {
            fold_name(name): Entity(
                id=new.owner, universe_id=universe_id, kind=new.kind, name=new.name, recorded_at=recorded_at
            )
            for new in new_notes
            for name in (new.name, *new.note.aliases)
        }

        async def find(name: str) -> Entity | None:
            return await find_known(name) or new_entities.get(fold_name(name))

        return find

    async def _stage(
        self, universe_id: Id, plan: _SyncPlan, tick: int | None
    ) -> tuple[StagedEdits | None, dict[str, list[Id]]]:
        """Stage the edits that do not wait already; return also the proposals of each note that was read."""
        ids_by_path: dict[str, list[Id]] = {path: [] for path in plan.read_paths}
        waiting_changes = await self._manual_edits.list_waiting_changes(universe_id)
        edits: list[Edit] = []
        paths: list[str] = []
        for path, edit in plan.edits:
            if edit.change not in waiting_changes and edit.change not in [e.change for e in edits]:
                edits.append(edit)
                paths.append(path)
        if not edits:
            return None, ids_by_path
        staged = await self._manual_edits.stage_edits(universe_id, edits, tick=tick)
        proposals = await self._log.proposals_by_id(staged.proposal_ids)
        for proposal in proposals.values():
            for path, edit in zip(paths, edits, strict=True):
                if edit.change == proposal.payload:
                    ids_by_path[path].append(proposal.id)
        return staged, ids_by_path


@dataclass(frozen=True, slots=True)
class _NoteEditReader:
    """Reads the edits of notes into a plan; what cannot be read becomes a problem of it."""

    canon: CanonReader
    editor: WorldEditor
    manifest: Manifest
    tick: int | None
    find_entity: FindEntity
    plan: _SyncPlan

    async def read_new(self, new: NewNote) -> None:
        self.plan.read_paths.add(new.path)
        self._add_problems(new.path, new.changes.problems)
        namesakes = await self.canon.find_entity(self.manifest.universe_id, new.name)
        if namesakes and new.owner not in {entity.id for entity in namesakes}:
            self.plan.read_paths.discard(new.path)
            self._add_problems(new.path, [(1, f"canon has {new.name} already, and this is another note")])
            return
        if not namesakes and not new.is_proposed:

            async def create() -> list[Edit]:
                numbers = dict(_read_number(line.text) for line in new.note.numbers)
                change = CreateEntity(
                    entity_id=new.owner,
                    entity_kind=new.kind,
                    name=parse_name(new.name),
                    aliases=parse_names(new.note.aliases),
                    description=require_statement_length(new.note.description),
                    numbers=parse_sheet_numbers(numbers.items()),
                    tags=parse_names(new.note.tags),
                )
                return [Edit(change, f"Added: {change.name}")]

            await self._add(new.path, new.note.title_line, create)
        for edit in new.changes.edits:
            await self._read_edit(new.path, edit, new.owner)

    async def read_edited(self, edited: EditedNote) -> None:
        self.plan.read_paths.add(edited.path)
        self._add_problems(edited.path, edited.changes.problems)
        field_edits = [edit for edit in edited.changes.edits if isinstance(edit, FieldEdit)]
        about_id: Id | None = edited.owner
        if edited.owner == self.manifest.universe_id:
            about_id = None
            self._add_problems(
                edited.path, [(edit.line, f"the world's {edit.field} is not read") for edit in field_edits]
            )
        else:
            entity = (await self.canon.entities_by_id([edited.owner])).get(edited.owner)
            if entity is None or entity.status is not EntityStatus.CANONICAL:
                self.plan.read_paths.discard(edited.path)
                self._add_problems(edited.path, [(1, "canon does not have it any more")])
                return
            for field_edit in field_edits:

                async def change_field(entity: Entity = entity, edit: FieldEdit = field_edit) -> list[Edit]:
                    return _plan_field_edit(entity, edit)

                await self._add(edited.path, field_edit.line, change_field)
        for edit in edited.changes.edits:
            if not isinstance(edit, FieldEdit):
                await self._read_edit(edited.path, edit, about_id)

    async def _read_edit(self, path: str, edit: NoteEdit, about_id: Id | None) -> None:
        async def plan_edits() -> list[Edit]:
            match edit:
                case AddedFact():
                    return [await self._plan_fact(edit.sentence, about_id)]
                case RemovedFact():
                    return [self._plan_removal(await self._read_fact(edit.label))]
                case RewordedFact():
                    return await self._plan_rewording(edit, about_id)
                case FieldEdit():
                    return []
                case _:
                    assert_never(edit)

        await self._add(path, edit.line, plan_edits)

    async def _add(self, path: str, line: int, plan_edits: Callable[[], Awaitable[list[Edit]]]) -> None:
        """Add edits with their note and line as evidence, or the problem that stands against them."""
        try:
            edits = await plan_edits()
        except InputError as error:
            self._add_problems(path, [(line, " ".join(filter(None, (error.what, error.todo))))])
            return
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
        """Return the fact of a footnote. Raises InputError if it holds no more, or never was in the vault."""
        fact_id = self.manifest.facts.get(label, "")
        fact = (await self.canon.facts_by_id([fact_id])).get(fact_id)
        if fact is None:
            raise InputError(f"no fact has the footnote {label}")
        if fact.status is not FactStatus.CANONICAL:
            raise InputError("canon has other words for it by now", todo="Export the vault again.")
        return fact

    def _plan_removal(self, fact: Fact) -> Edit:
        """Return the end of a fact; what happened once, and a rule, cannot end: it was never true."""
        if fact.kind in OCCURRENCE_KINDS or fact.kind is FactKind.AXIOM:
            return Edit(RetconFact(fact_id=fact.id), f"Never true: {fact.statement}")
        if not is_open(fact):
            raise InputError("it is over already")
        return Edit(EndFact(fact_id=fact.id, at=self.tick), f"No longer true: {fact.statement}")

    async def _plan_rewording(self, edit: RewordedFact, about_id: Id | None) -> list[Edit]:
        """Return the correction of a sentence; other words for a value or a relation are another fact."""
        fact = await self._read_fact(edit.label)
        if fact.value is None and fact.entity(OBJECT) is None:
            fact_edit = FactEdit(edit.sentence, standing=fact.standing)
            edits, _ = await self.editor.plan_correction(fact, fact_edit)
            return edits
        added = await self._plan_fact(edit.sentence, about_id)
        if fact.id in getattr(added.change, "ends", ()):
            return [added]
        return [self._plan_removal(fact), added]


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
