"""The GM's manual edits as proposed changes: of entities, facts, merges and splits."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from agents.canon_keeper.fact_readings import (
    OCCURRENCE_KINDS,
    SUBJECT,
    fact_key_of,
    gives_same_value,
    is_open,
    is_true,
    starts_later,
)
from agents.canon_keeper.keeper import CanonKeeper
from agents.canon_keeper.predicates import Catalogue
from agents.declarations import reader as declare
from agents.declarations.entity_lookup import universe_entity_finder
from agents.declarations.secret_facts import change_knowers
from agents.declarations.secret_reader import read_knowers
from agents.proposals.statements import require_statement_length
from agents.sanitize import clean, split_described_name
from agents.services.entity_edits import (
    build_sheet_edits,
    describe_entity_edits,
    parse_entity_name,
    parse_names,
    parse_sheet_numbers,
)
from agents.services.fact_corrections import FactCorrections
from agents.services.manual_edits import NOTHING_STAGED, Edit, ManualEdits, read_present_tick
from agents.views.world_views import EntityEdit, FactEdit, NewEntityFields, StagedEdits
from agents.world_time.moments import read_moment
from stores.errors import InputError, parse_field
from stores.ports import CanonReader, LogReader
from stores.queries import FactsAboutQuery
from stores.records.canon import (
    AssertFact,
    CreateEntity,
    EndFact,
    Fact,
    FactStatus,
    Involvement,
    MergeEntities,
    RetconFact,
    UpdateEntity,
)
from stores.records.ids import Clock, Id, IdGenerator
from stores.records.world import Entity, EntityStatus


class PlannedEdit(NamedTuple):
    """An edit with the world time that it would be proposed at (None: no particular time)."""

    edit: Edit
    tick: int | None


class WorldEditor:
    """Proposes manual edits; each method returns what was staged, and raises InputError and StoreError."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        keeper: CanonKeeper,
        manual_edits: ManualEdits,
        ids: IdGenerator,
        clock: Clock,
    ) -> None:
        self._canon = canon
        self._log = log
        self._keeper = keeper
        self._manual_edits = manual_edits
        self._fact_corrections = FactCorrections(canon, log, keeper)
        self._ids = ids
        self._clock = clock

    # --- entities ------------------------------------------------------------------------------------

    async def propose_entity(self, universe_id: Id, new_entity: NewEntityFields) -> StagedEdits:
        planned = await self.plan_entity(universe_id, new_entity, self._ids.new())
        return await self._manual_edits.stage_edits(universe_id, [planned.edit], tick=planned.tick)

    async def plan_entity(self, universe_id: Id, new_entity: NewEntityFields, entity_id: Id) -> PlannedEdit:
        """Return the edit that adds an entity; nothing is staged."""
        name, description = split_described_name(new_entity.name, new_entity.description)
        change = CreateEntity(
            entity_id=entity_id,
            entity_kind=new_entity.kind,
            name=parse_field("name", parse_entity_name, name),
            aliases=parse_field("aliases", parse_names, new_entity.aliases),
            description=parse_field("description", require_statement_length, clean(description)),
            numbers=parse_field("numbers", parse_sheet_numbers, new_entity.numbers),
            tags=parse_field("tags", parse_names, new_entity.tags),
        )
        current_tick = await read_present_tick(self._log, universe_id)
        return PlannedEdit(Edit(change, f"Added: {change.name}"), current_tick)

    async def propose_entity_edit(self, entity_id: Id, edit: EntityEdit) -> StagedEdits:
        """Propose the edited names, description, numbers and tags, as far as they differ from canon."""
        entity = await self._read_canon_entity(entity_id)
        catalogue = await self._read_catalogue(entity.universe_id)
        typed_numbers = parse_field("numbers", parse_sheet_numbers, edit.numbers, entity.numbers)
        removed_numbers = sorted(entity.numbers.keys() - typed_numbers.keys())
        number_end_edits = [await self._build_number_end(entity, key, catalogue) for key in removed_numbers]
        edits = [*describe_entity_edits(entity, edit), *build_sheet_edits(entity, edit), *number_end_edits]
        return await self._manual_edits.stage_edits(
            entity.universe_id, edits, tick=await self._read_current_tick(entity)
        )

    async def propose_lock(self, entity_id: Id, locked: bool) -> StagedEdits:
        entity = await self._read_canon_entity(entity_id)
        change = UpdateEntity(entity_id=entity.id, locked=locked)
        edits = [Edit(change, f"{'Protected' if locked else 'Unprotected'}: {entity.name}")]
        edits = edits if locked is not entity.locked else []
        return await self._manual_edits.stage_edits(
            entity.universe_id, edits, tick=await self._read_current_tick(entity)
        )

    async def propose_merge(self, kept_id: Id, absorbed_id: Id) -> StagedEdits:
        """Propose that the second entity is merged into the first, its names becoming aliases."""
        kept_entity, absorbed_entity = (
            await self._read_canon_entity(kept_id),
            await self._read_canon_entity(absorbed_id),
        )
        if kept_entity.id == absorbed_entity.id:
            raise InputError(
                f"{kept_entity.name} is the same one.", kept=NOTHING_STAGED, todo="Choose another."
            )
        if kept_entity.universe_id != absorbed_entity.universe_id:
            raise InputError("They are of two different worlds.", kept=NOTHING_STAGED)
        change = MergeEntities(kept_id=kept_entity.id, absorbed_id=absorbed_entity.id)
        edit = Edit(change, f"{absorbed_entity.name} is {kept_entity.name}.")
        return await self._manual_edits.stage_edits(
            kept_entity.universe_id, [edit], tick=await self._read_current_tick(kept_entity)
        )

    async def propose_split(self, absorbed_id: Id) -> StagedEdits:
        """Propose to undo a merge: everything that was moved goes back, and the name with it."""
        changes = await self._keeper.merges.plan_split(absorbed_id)
        absorbed_entity = await self._canon.entity(absorbed_id)
        description = f"{absorbed_entity.name} is a different one after all."
        edits = [Edit(change, description) for change in changes]
        return await self._manual_edits.stage_edits(
            absorbed_entity.universe_id, edits, tick=await self._read_current_tick(absorbed_entity)
        )

    # --- facts ---------------------------------------------------------------------------------------

    async def propose_fact(self, universe_id: Id, text: str, since: str = "") -> StagedEdits:
        """Propose a fact, as typed after `/fact`, from a moment on (`day 3, dusk`, `always`; "" is the present)."""
        planned = await self.plan_typed_fact(universe_id, text, since)
        return await self._manual_edits.stage_edits(universe_id, [planned.edit], tick=planned.tick)

    async def plan_typed_fact(self, universe_id: Id, text: str, since: str = "") -> PlannedEdit:
        """Return the edit that proposes a fact as `propose_fact` does; nothing is staged."""
        current_tick, tick = await self._read_typed_moment(universe_id, "since", since)
        find_entity = await universe_entity_finder(universe_id, self._canon, self._log)
        edit = await self.plan_fact(universe_id, text, tick, find_entity)
        return PlannedEdit(edit, None if tick is None else current_tick)

    async def plan_fact(
        self,
        universe_id: Id,
        text: str,
        tick: int | None,
        find_entity: declare.FindEntity,
        about_id: Id | None = None,
    ) -> Edit:
        """Return the edit that states a fact from `tick` on; `about_id` is part of it, also where it is not named."""
        catalogue = await self._read_catalogue(universe_id)
        change = await declare.read_fact(clean(text), catalogue, find_entity, tick or 0)
        involves = change.involves
        if about_id is not None and about_id not in {i.entity_id for i in involves}:
            role = "participant" if any(i.role == SUBJECT for i in involves) else SUBJECT
            involves = (*involves, Involvement(role=role, entity_id=about_id))
        change = change.model_copy(update={"valid_from": tick, "involves": involves})
        change = change.model_copy(
            update={"ends": await self._find_ended_facts(universe_id, change, catalogue)}
        )
        is_critical = catalogue.is_critical(change.predicate, change.value)
        return Edit(change, clean(text), is_critical=is_critical)

    async def propose_axiom(self, universe_id: Id, text: str) -> StagedEdits:
        """Propose a rule of the world, as typed after `/axiom`."""
        change = await declare.read_axiom(
            clean(text), await universe_entity_finder(universe_id, self._canon, self._log)
        )
        current_tick = await read_present_tick(self._log, universe_id)
        return await self._manual_edits.stage_edits(
            universe_id, [Edit(change, clean(text))], tick=current_tick
        )

    async def propose_correction(self, fact_id: Id, edit: FactEdit) -> StagedEdits:
        """Propose the fact as it should have read from the start, on the same evidence."""
        fact = await self._read_canon_fact(fact_id)
        edits, tick = await self.plan_correction(fact, edit)
        return await self._manual_edits.stage_edits(fact.universe_id, edits, tick=tick)

    async def plan_correction(self, fact: Fact, edit: FactEdit) -> tuple[list[Edit], int | None]:
        """Return the edits that correct a fact, and their tick. Raises InputError."""
        return await self._fact_corrections.plan_correction(fact, edit)

    async def propose_end(self, fact_id: Id, typed_moment: str = "") -> StagedEdits:
        """Propose that the fact ended at a moment ("" is the present)."""
        fact = await self._read_canon_fact(fact_id)
        if fact.kind in OCCURRENCE_KINDS:
            raise InputError(
                "What happened cannot end.", kept=NOTHING_STAGED, todo="If it never happened, retcon it (R)."
            )
        if not is_open(fact):
            raise InputError("It is over already.", kept=NOTHING_STAGED)
        current_tick, tick = await self._read_typed_moment(fact.universe_id, "until", typed_moment)
        if tick is not None and fact.valid_from is not None and tick < fact.valid_from:
            raise InputError(
                "It had not even begun then.", kept=NOTHING_STAGED, todo="Say a later time.", field="until"
            )
        edit = Edit(EndFact(fact_id=fact.id, at=tick), f"No longer true: {fact.statement}")
        return await self._manual_edits.stage_edits(fact.universe_id, [edit], tick=current_tick)

    async def propose_knowers(self, fact_id: Id, names_text: str) -> StagedEdits:
        """Propose who may know a fact: names with commas, nobody (beside the GM), or all."""
        fact = await self._read_canon_fact(fact_id)
        find_entity = await universe_entity_finder(fact.universe_id, self._canon, self._log)
        change = change_knowers(fact, await read_knowers(clean(names_text), find_entity, None))
        current_tick = await read_present_tick(self._log, fact.universe_id)
        edit = Edit(change, f"Known to {clean(names_text) or 'the GM alone'}: {fact.statement}")
        return await self._manual_edits.stage_edits(fact.universe_id, [edit], tick=current_tick)

    async def propose_retcon(self, subject_id: Id) -> StagedEdits:
        """Propose that a fact or an entity was never true, or that a retconned one is true again."""
        subject = await self._keeper.retcon_previews.read_subject(subject_id)
        is_restore = subject.status == FactStatus.RETCONNED.value
        subject_text = subject.statement if isinstance(subject, Fact) else subject.name
        edit = Edit(
            RetconFact(fact_id=subject.id, restore=is_restore),
            f"{'True again' if is_restore else 'Never true'}: {subject_text}",
        )
        current_tick = await read_present_tick(self._log, subject.universe_id)
        return await self._manual_edits.stage_edits(subject.universe_id, [edit], tick=current_tick)

    # --- inside --------------------------------------------------------------------------------------

    async def _read_canon_entity(self, entity_id: Id) -> Entity:
        entity = (await self._canon.entities_by_id([entity_id])).get(entity_id)
        if entity is None or entity.status is not EntityStatus.CANONICAL:
            problem = f"{entity.name} is {entity.status}." if entity else "That is not in canon."
            raise InputError(problem, kept=NOTHING_STAGED, todo="Look at what canon has now.")
        return entity

    async def _read_canon_fact(self, fact_id: Id) -> Fact:
        fact = (await self._canon.facts_by_id([fact_id])).get(fact_id)
        if fact is None:
            raise InputError("That fact is not in canon.", kept=NOTHING_STAGED)
        return fact

    async def _read_catalogue(self, universe_id: Id) -> Catalogue:
        return (await self._keeper.policies.read_policy(universe_id)).catalogue

    async def _read_current_tick(self, entity: Entity) -> int | None:
        return await read_present_tick(self._log, entity.universe_id)

    async def _read_typed_moment(
        self, universe_id: Id, field: str, typed_moment: str
    ) -> tuple[int | None, int | None]:
        """Return the universe's present, and the typed tick (the present if nothing was typed)."""
        current_tick = await read_present_tick(self._log, universe_id)
        calendar = (await self._canon.universe(universe_id)).calendar
        return current_tick, parse_field(field, read_moment, typed_moment, calendar, current_tick)

    async def _find_ended_facts(
        self, universe_id: Id, change: AssertFact, catalogue: Catalogue
    ) -> tuple[Id, ...]:
        """Return the facts that end when the new value begins, for a predicate that has one value at a time.

        What time alone does not change (a death), or what began no earlier, is left to become a conflict.
        """
        new_fact = _build_fact(universe_id, change, self._clock())
        fact_key = fact_key_of(new_fact, catalogue)
        if fact_key is None or fact_key.subject is None:
            return ()
        held_facts = [
            fact
            for name in sorted({fact_key.predicate, *catalogue.inverse_predicates(fact_key.predicate)})
            for fact in await self._canon.facts_about(fact_key.subject, FactsAboutQuery(predicate=name))
        ]
        return tuple(
            f.id
            for f in held_facts
            if fact_key_of(f, catalogue) == fact_key
            and is_true(f)
            and starts_later(new_fact, f)
            and not gives_same_value(new_fact, f, catalogue)
            and not catalogue[f.predicate].is_final(f.value)
        )

    async def _build_number_end(self, entity: Entity, key: str, catalogue: Catalogue) -> Edit:
        """Return the change that takes a number off a sheet when its fact ends."""
        for fact in await self._canon.facts_about(entity.id, FactsAboutQuery(predicate=key)):
            if fact.entity(SUBJECT) == entity.id and fact_key_of(fact, catalogue) and is_open(fact):
                return Edit(EndFact(fact_id=fact.id), f"No longer true: {fact.statement}")
        raise InputError(
            f"{entity.name} has had {key} from the beginning, and no fact says so that could end.",
            kept=NOTHING_STAGED,
            todo=f"Give it another value, as in: {key} 0",
            field="numbers",
        )


def _build_fact(universe_id: Id, change: AssertFact, recorded_at: datetime) -> Fact:
    return Fact(
        id="",
        universe_id=universe_id,
        kind=change.fact_kind,
        predicate=change.predicate,
        statement=change.statement,
        involves=change.involves,
        value=change.value,
        valid_from=change.valid_from,
        recorded_at=recorded_at,
    )
