"""What the GM does when the last scene is played: what was kept for later, what never was, who was one.

All of it through the program's own doors: `desk.world` stages, the universe's gate writes.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from agents.views.proposal_views import ProposalView
from agents.views.world_views import EntityEdit, StagedEdits
from stores.authority import Role
from stores.queries import FactQuery
from stores.records.canon import Fact, FactStatus
from stores.records.ids import Id
from stores.records.workflow import ProposalStatus, Verdict
from stores.records.world import Entity
from tests.long_campaign.playing import Campaign

WAITS = (ProposalStatus.PENDING, ProposalStatus.DEFERRED, ProposalStatus.FAILED)
RECAP = "The Third Weir is opened by daylight, and the key hangs on a nail at the ferry."

Canon = tuple[dict[Id, Fact], dict[Id, Entity]]
"""Every fact and every entity of the universe, by id, whatever became of them."""


@dataclass(frozen=True, slots=True)
class Reverse:
    """Canon before a retcon, with it, and after its reverse; `preview` is what was foreseen of it."""

    before: Canon
    retconned: Canon
    restored: Canon
    preview: tuple[tuple[str, str, str], ...]


async def settle_the_rest(campaign: Campaign) -> Reverse:
    """Do everything that is left to do, and close the story."""
    await _kept_for_later(campaign)
    await _edits(campaign)
    await _retcon(campaign, "The Grey Woman drowned in Lower Hask nine years ago.")
    reverse = await _never_had_it(campaign)
    await _one_and_the_same(campaign)
    await campaign.program.services.stories.complete_story(campaign.story_id, RECAP)
    return reverse


async def _kept_for_later(campaign: Campaign) -> None:
    """Of what was deferred at the scenes' gates, some becomes canon now and some never; the rest waits."""
    await _decide(
        campaign,
        Verdict.ACCEPT,
        [
            "Who let the water down at the new moon?",
            "Joreth Vane says that his brother opened the Third Weir.",
        ],
    )
    await _decide(campaign, Verdict.REJECT, ["Where is Lorne Askew?"])
    await _commit(campaign)


async def _edits(campaign: Campaign) -> None:
    """Edits by hand: a description, a lock, and two things that ended and that nobody said at the time."""
    edits = campaign.program.services.world.edits
    ruark = await _entity(campaign, "Ruark Vane")
    await edits.propose_entity_edit(
        ruark.id,
        EntityEdit(
            name=ruark.name,
            aliases=ruark.aliases,
            description="keeper of the Third Weir, then and now",
            numbers=tuple(ruark.numbers.items()),
            tags=ruark.tags,
        ),
    )
    await edits.propose_lock((await _entity(campaign, "Weir Key")).id, True)
    await edits.propose_end((await _fact(campaign, "Joreth Vane rules over The Wardens.")).id, "day 13 noon")
    await edits.propose_end((await _fact(campaign, "Brach serves Joreth Vane.")).id, "day 13 night")
    await _commit(campaign)


async def _never_had_it(campaign: Campaign) -> Reverse:
    """Hanne Pell never had the key; on second thoughts she had; and on third thoughts never."""
    statement = "Weir Key belongs to Hanne Pell."
    preview = await campaign.program.services.world.previews.preview_retcon(
        (await _fact(campaign, statement)).id
    )
    before = await canon_of(campaign)
    await _retcon(campaign, statement)
    retconned = await canon_of(campaign)
    await _retcon(campaign, statement)  # of what was retconned, it is the reverse
    restored = await canon_of(campaign)
    await _retcon(campaign, statement)
    return Reverse(before, retconned, restored, preview.changes)


async def _one_and_the_same(campaign: Campaign) -> None:
    """The Grey Woman is the healer."""
    kept, absorbed = await _entity(campaign, "Iveth Marl"), await _entity(campaign, "The Grey Woman")
    await campaign.program.services.world.edits.propose_merge(kept.id, absorbed.id)
    await _commit(campaign)


# --- the gate of the universe -----------------------------------------------------------------------


async def _retcon(campaign: Campaign, statement: str) -> StagedEdits:
    staged = await campaign.program.services.world.edits.propose_retcon((await _fact(campaign, statement)).id)
    await _commit(campaign)
    return staged


async def _decide(campaign: Campaign, verdict: Verdict, titles: Collection[str]) -> None:
    rows = [row for row in await waiting(campaign) if row.title in titles]
    assert {row.title for row in rows} == set(titles)
    await campaign.program.services.gate.decide([row.proposal.id for row in rows], verdict)


async def waiting(campaign: Campaign) -> list[ProposalView]:
    """Return what waits at the universe's gate."""
    view = await campaign.program.services.gate.gate(None, campaign.universe_id)
    return [row for row in view.proposals if row.status in WAITS]


async def _commit(campaign: Campaign) -> None:
    report = await campaign.program.services.gate.commit_universe(campaign.universe_id)
    assert not report.failures, report.failures


# --- reading ----------------------------------------------------------------------------------------


async def canon_of(campaign: Campaign) -> Canon:
    """Return all of canon as it stands, but for when it was written down."""
    canon = campaign.program.stores.canon(Role.CONTEXT_ASSEMBLY)
    facts = await canon.facts(campaign.universe_id, FactQuery(history=True, limit=10_000))
    ids = {i.entity_id for f in facts for i in f.involves}
    ids |= {e.id for e in await canon.entities(campaign.universe_id, limit=10_000)}
    return {f.id: f for f in facts}, await canon.entities_by_id(ids)


async def _fact(campaign: Campaign, statement: str) -> Fact:
    """Return the one fact that says so, retconned or not, but for what was superseded."""
    facts, _ = await canon_of(campaign)
    said = [f for f in facts.values() if f.statement == statement]
    (found,) = [f for f in said if f.status is not FactStatus.SUPERSEDED] or said
    return found


async def _entity(campaign: Campaign, name: str) -> Entity:
    (found,) = [
        e
        for e in await campaign.program.services.world.list_entities(campaign.universe_id, name)
        if e.name == name
    ]
    return found
