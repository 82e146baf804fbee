"""The GM's edits by hand, as proposed changes: of entities, of facts, of what is one and what is two."""

from __future__ import annotations

from datetime import datetime

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
from agents.proposals.statements import require_statement_length
from agents.sanitize import clean
from agents.services.entity_edits import name_from, names_from, numbers_of, renamed, sheet
from agents.services.fact_corrections import Corrections
from agents.services.manual_edits import STAGED_NOT, Act, ByHand, present
from agents.views.world_views import EntityEdit, FactEdit, NewEntityFields, StagedEdits
from agents.world_time.moments import read_moment
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.records.canon import (
    AssertFact,
    CreateEntity,
    EndFact,
    Fact,
    FactStatus,
    MergeEntities,
    RetconFact,
    UpdateEntity,
)
from stores.records.ids import Clock, Id, IdGenerator
from stores.records.world import Entity, EntityStatus


class Edits:
    """See `agents.world_desk.WorldEdits` for what each call promises. Stateless."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        keeper: CanonKeeper,
        by_hand: ByHand,
        ids: IdGenerator,
        clock: Clock,
    ) -> None:
        self._canon = canon
        self._log = log
        self._keeper = keeper
        self._by_hand = by_hand
        self._corrections = Corrections(canon, log, keeper)
        self._ids = ids
        self._clock = clock

    # --- entities ------------------------------------------------------------------------------------

    async def create(self, universe_id: Id, thing: NewEntityFields) -> StagedEdits:
        change = CreateEntity(
            entity_id=self._ids.new(),
            entity_kind=thing.kind,
            name=name_from(thing.name),
            aliases=names_from(thing.aliases),
            description=require_statement_length(clean(thing.description)),
            numbers=numbers_of(thing.numbers),
            tags=names_from(thing.tags),
        )
        now = await present(self._log, universe_id)
        return await self._by_hand.stage(universe_id, [Act(change, f"Brought in: {change.name}")], tick=now)

    async def edit(self, entity_id: Id, edit: EntityEdit) -> StagedEdits:
        """Rename, describe, other names, numbers and tags: what differs from canon."""
        entity = await self._entity(entity_id)
        catalogue = await self._catalogue(entity.universe_id)
        gone = sorted(entity.numbers.keys() - numbers_of(edit.numbers, entity.numbers).keys())
        off = [await self._no_number(entity, key, catalogue) for key in gone]
        acts = [*renamed(entity, edit), *sheet(entity, edit), *off]
        return await self._by_hand.stage(entity.universe_id, acts, tick=await self._now(entity))

    async def lock(self, entity_id: Id, locked: bool) -> StagedEdits:
        entity = await self._entity(entity_id)
        change = UpdateEntity(entity_id=entity.id, locked=locked)
        acts = [Act(change, f"{'Locked' if locked else 'Unlocked'}: {entity.name}")]
        acts = acts if locked is not entity.locked else []
        return await self._by_hand.stage(entity.universe_id, acts, tick=await self._now(entity))

    async def merge(self, kept_id: Id, absorbed_id: Id) -> StagedEdits:
        """The second becomes another name of the first."""
        kept, absorbed = await self._entity(kept_id), await self._entity(absorbed_id)
        if kept.id == absorbed.id:
            raise InputError(f"{kept.name} is one already.", kept=STAGED_NOT, todo="Choose another.")
        if kept.universe_id != absorbed.universe_id:
            raise InputError("They are of two different worlds.", kept=STAGED_NOT)
        change = MergeEntities(kept_id=kept.id, absorbed_id=absorbed.id)
        act = Act(change, f"{absorbed.name} is {kept.name}.")
        return await self._by_hand.stage(kept.universe_id, [act], tick=await self._now(kept))

    async def split(self, absorbed_id: Id) -> StagedEdits:
        """Undo a merge: what moved goes back, and the name with it."""
        changes = await self._keeper.merges.plan_split(absorbed_id)
        absorbed = await self._canon.entity(absorbed_id)
        words = f"{absorbed.name} is somebody or something else after all."
        acts = [Act(change, words) for change in changes]
        return await self._by_hand.stage(absorbed.universe_id, acts, tick=await self._now(absorbed))

    # --- facts ---------------------------------------------------------------------------------------

    async def say(self, universe_id: Id, text: str, since: str = "") -> StagedEdits:
        """A fact, as typed after `/fact`, since a moment (`day 3, dusk`, `always`; "" is the present)."""
        now, tick = await self._moment(universe_id, since)
        catalogue = await self._catalogue(universe_id)
        find = await universe_entity_finder(universe_id, self._canon, self._log)
        change = await declare.read_fact(clean(text), catalogue.names(), find, catalogue.phrase, tick or 0)
        change = change.model_copy(update={"valid_from": tick})
        change = change.model_copy(update={"ends": await self._ended_by(universe_id, change, catalogue)})
        critical = catalogue.is_critical(change.predicate, change.value)
        act = Act(change, clean(text), critical=critical)
        return await self._by_hand.stage(universe_id, [act], tick=None if tick is None else now)

    async def rule(self, universe_id: Id, text: str) -> StagedEdits:
        """A rule of the world, as typed after `/axiom`."""
        change = await declare.read_axiom(
            clean(text), await universe_entity_finder(universe_id, self._canon, self._log)
        )
        now = await present(self._log, universe_id)
        return await self._by_hand.stage(universe_id, [Act(change, clean(text))], tick=now)

    async def correct(self, fact_id: Id, edit: FactEdit) -> StagedEdits:
        """The fact as it should have read all along; it rests on the same evidence."""
        fact = await self._fact(fact_id)
        acts, tick = await self._corrections.of(fact, edit)
        return await self._by_hand.stage(fact.universe_id, acts, tick=tick)

    async def end(self, fact_id: Id, at: str = "") -> StagedEdits:
        """The fact was so until a moment ("" is the present), and is no longer."""
        fact = await self._fact(fact_id)
        if fact.kind in OCCURRENCE_KINDS:
            raise InputError(
                "What happened stays so.", kept=STAGED_NOT, todo="R retcons it, if it never happened."
            )
        if not is_open(fact):
            raise InputError("It is over already.", kept=STAGED_NOT)
        now, tick = await self._moment(fact.universe_id, at)
        if tick is not None and fact.valid_from is not None and tick < fact.valid_from:
            raise InputError("It had not even begun then.", kept=STAGED_NOT, todo="Say a later time.")
        act = Act(EndFact(fact_id=fact.id, at=tick), f"No longer so: {fact.statement}")
        return await self._by_hand.stage(fact.universe_id, [act], tick=now)

    async def retcon(self, subject_id: Id) -> StagedEdits:
        """A fact or an entity was never so; one that was retconned is so again."""
        subject = await self._keeper.retcon_previews.read_subject(subject_id)
        restore = subject.status == FactStatus.RETCONNED.value
        what = subject.statement if isinstance(subject, Fact) else subject.name
        act = Act(
            RetconFact(fact_id=subject.id, restore=restore),
            f"{'So again' if restore else 'Never so'}: {what}",
        )
        now = await present(self._log, subject.universe_id)
        return await self._by_hand.stage(subject.universe_id, [act], tick=now)

    # --- inside --------------------------------------------------------------------------------------

    async def _entity(self, entity_id: Id) -> Entity:
        found = (await self._canon.entities_by_id([entity_id])).get(entity_id)
        if found is None or found.status is not EntityStatus.CANONICAL:
            gone = f"{found.name} is {found.status}." if found else "That is not in canon."
            raise InputError(gone, kept=STAGED_NOT, todo="Look at what canon has now.")
        return found

    async def _fact(self, fact_id: Id) -> Fact:
        found = (await self._canon.facts_by_id([fact_id])).get(fact_id)
        if found is None:
            raise InputError("That fact is not in canon.", kept=STAGED_NOT)
        return found

    async def _catalogue(self, universe_id: Id) -> Catalogue:
        return (await self._keeper.policies.read_policy(universe_id)).catalogue

    async def _now(self, entity: Entity) -> int | None:
        return await present(self._log, entity.universe_id)

    async def _moment(self, universe_id: Id, typed: str) -> tuple[int | None, int | None]:
        """Return the universe's present, and the tick that was typed (its present for nothing)."""
        now = await present(self._log, universe_id)
        return now, read_moment(typed, (await self._canon.universe(universe_id)).calendar, now)

    async def _ended_by(self, universe_id: Id, change: AssertFact, catalogue: Catalogue) -> tuple[Id, ...]:
        """Return what held until the new value began, where only one holds at a time. What time alone does
        not change (a death), or what began no earlier, is left for the court."""
        new = _as_fact(universe_id, change, self._clock())
        slot = fact_key_of(new, catalogue)
        if slot is None or slot.subject is None:
            return ()
        held = [
            fact
            for name in sorted({slot.predicate, *catalogue.inverse_predicates(slot.predicate)})
            for fact in await self._canon.facts_about(slot.subject, predicate=name)
        ]
        return tuple(
            f.id
            for f in held
            if fact_key_of(f, catalogue) == slot
            and is_true(f)
            and starts_later(new, f)
            and not gives_same_value(new, f, catalogue)
            and not catalogue[f.predicate].is_final(f.value)
        )

    async def _no_number(self, entity: Entity, key: str, catalogue: Catalogue) -> Act:
        """A number goes off a sheet when the fact that says it ends."""
        for fact in await self._canon.facts_about(entity.id, predicate=key):
            if fact.entity(SUBJECT) == entity.id and fact_key_of(fact, catalogue) and is_open(fact):
                return Act(EndFact(fact_id=fact.id), f"No longer so: {fact.statement}")
        raise InputError(
            f"{entity.name} has had {key} from the beginning, and no fact says so that could end.",
            kept=STAGED_NOT,
            todo=f"Give it another value, as in: {key} 0",
        )


def _as_fact(universe_id: Id, change: AssertFact, now: datetime) -> Fact:
    return Fact(
        id="",
        universe_id=universe_id,
        kind=change.fact_kind,
        predicate=change.predicate,
        statement=change.statement,
        involves=change.involves,
        value=change.value,
        valid_from=change.valid_from,
        recorded_at=now,
    )
