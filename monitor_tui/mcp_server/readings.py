"""What a chat client may read of a campaign: one function for each reading, which returns lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from agents.context_assembly.story_decisions import read_decisions_of_story
from agents.orchestrator.commands.query_commands import answer_lines
from agents.proposals.statements import as_sentence
from agents.services.outside_proposals import describe_words
from agents.services.query import best_standing
from agents.views.card_views import FactView
from agents.views.menu_views import StoryCard
from agents.views.proposal_views import ProposalView
from agents.views.query_views import QueryFinding
from agents.views.world_views import SceneReference
from monitor_tui.compose import Program
from monitor_tui.mcp_server.campaign import Campaign, CampaignAccess, ClientWords, list_universes
from stores.queries import MemoryQuery
from stores.records.canon import Authority
from stores.records.clocks import ProgressClock
from stores.records.workflow import OPEN_STATUSES

MAX_HISTORY: Final = 20
"""Facts of a card that do not hold any more: the newest."""
MAX_STORIES: Final = 50
_OK: Final = "ok"


# --- what there is ----------------------------------------------------------------------------------


async def read_universes(program: Program, access: CampaignAccess) -> list[str]:
    """Return the universes that may be read, each with its stories."""
    cards = await program.services.stories.stories()
    lines = []
    for universe in await list_universes(program, access):
        about = join_texts((universe.genre, universe.tone))
        lines.append(f"{universe.name}" + (f" ({about})" if about else ""))
        own_cards = [card for card in cards if card.universe.id == universe.id]
        lines += [f"  story: {_describe_story(card)}" for card in own_cards[:MAX_STORIES]]
    return lines or ["The library is empty: nothing was played yet."]


async def read_universe(campaign: Campaign) -> list[str]:
    """Return what a universe is, its stories, and the names of all in it."""
    universe = campaign.universe
    cards = [c for c in await campaign.services.stories.stories() if c.universe.id == universe.id]
    entities = await campaign.services.world.list_entities(universe.id)
    names_by_kind: dict[str, list[str]] = {}
    for entity in entities:
        names_by_kind.setdefault(entity.kind.value, []).append(entity.name)
    return [
        f"# {universe.name}",
        *filter(None, (universe.genre, universe.tone, universe.description)),
        *(f"Story: {_describe_story(card)}" for card in cards[:MAX_STORIES]),
        *(f"{kind.capitalize()}: {', '.join(names)}" for kind, names in names_by_kind.items()),
    ]


def join_texts(texts: Iterable[str]) -> str:
    """Return what is not empty of the texts, as one line."""
    return "; ".join(text.rstrip(". ") for text in texts if text)


def _describe_story(card: StoryCard) -> str:
    scenes = "1 scene" if card.scene_count == 1 else f"{card.scene_count} scenes"
    return f"“{card.story.title}”, {scenes}, {card.state}"


# --- questions --------------------------------------------------------------------------------------


async def ask(campaign: Campaign, question: str) -> list[str]:
    """Answer by standing: what is canon, proposed, on record, believed or unknown, with the evidence."""
    answer = await campaign.services.query.answer_question(
        question, universe_id=campaign.universe.id, in_words=False
    )
    findings = await _without_secrets(campaign, answer.findings)
    nearest = await _without_secrets(campaign, answer.nearest, first_number=len(findings) + 1)
    shown = replace(answer, findings=findings, nearest=nearest, standing=best_standing(findings))
    return [*answer_lines(shown), *_index_notes(campaign)]


async def search(campaign: Campaign, query: str, limit: int) -> list[str]:
    """Return the turns of play that bear on a query, the best first, with what no longer holds of them."""
    recalled = await campaign.services.query.recall_turns(query, universe_id=campaign.universe.id, k=limit)
    lines = []
    for place, turn in enumerate(recalled.turns, 1):
        text = campaign.held_back.strike(turn.text)
        if text.strip():
            speaker = f"{turn.speaker}: " if turn.speaker else ""
            lines.append(f"{place}. {speaker}{text}  ({turn.where})")
            lines += [f"   ! {clash}" for clash in turn.clashes]
    notes = [f"note: {note}" for note in recalled.notes]
    return [*(lines or ["Nothing was found."]), *notes, *_index_notes(campaign)]


async def who_knows(campaign: Campaign, name: str, about: str) -> list[str]:
    """Return what somebody of the world remembers, the newest first; they may be mistaken."""
    findings = await campaign.services.query.read_knowledge(
        name, universe_id=campaign.universe.id, about=about
    )
    shown = await _without_secrets(campaign, findings)
    lines = [f"{f.text}" + (f"  ({f.where})" if f.where else "") for f in shown]
    return lines or ["Unknown: no memory says so."]


async def _without_secrets(
    campaign: Campaign, findings: Sequence[QueryFinding], first_number: int = 1
) -> tuple[QueryFinding, ...]:
    """Return the findings without those that are, rest on or quote what is held back."""
    held_back = campaign.held_back
    memory_ids = [f.memory_id for f in findings if f.memory_id]
    memories = await campaign.log.memories(MemoryQuery(ids=memory_ids)) if memory_ids else []
    fact_of_memory = {memory.id: memory.linked_fact_id for memory in memories}
    shown = []
    for finding in findings:
        fact_ids = {finding.fact_id, fact_of_memory.get(finding.memory_id or "")}
        if (fact_ids & held_back.fact_ids) or finding.proposal_id in held_back.proposal_ids:
            continue
        if not held_back.states_secret(f"{finding.text}\n{finding.quote}"):
            shown.append(finding)
    return tuple(replace(finding, number=n) for n, finding in enumerate(shown, first_number))


def _index_notes(campaign: Campaign) -> list[str]:
    """Return why words may be missing from the answer, if the index cannot be read."""
    problems = dict.fromkeys(state for _, state in campaign.program.stores.health() if state != _OK)
    return [f"note: {problem}" for problem in problems]


# --- canon ------------------------------------------------------------------------------------------


async def read_card(campaign: Campaign, name: str) -> list[str]:
    """Return what canon says of one entity."""
    entity = await campaign.find_entity(name)
    card = await campaign.services.world.read_card(entity.id)
    aliases = f", also called {', '.join(entity.aliases)}" if entity.aliases else ""
    state = [*(f"{key} {number:g}" for key, number in entity.numbers.items()), *entity.tags]
    hero_note = ", a player's character" if entity.is_pc else ""
    shown_facts = _shown_facts(campaign, card.facts)
    relations = [(words, other) for words, other, view in card.relations if _is_shown(campaign, view)]
    history = _shown_facts(campaign, card.history)[-MAX_HISTORY:]
    return [
        f"# {entity.name} ({entity.kind}{hero_note}){aliases}",
        *filter(None, (entity.description, ", ".join(state))),
        *(["Canon:", *map(_fact_line, shown_facts)] if shown_facts else ["Canon has no fact of it."]),
        *(["Relations:", *(f"- {words} {other.name}" for words, other in relations)] if relations else []),
        *(["No longer true:", *map(_fact_line, history)] if history else []),
        *(
            ["Seen in:", *(f"- {title}" for title in card.appearance_titles)]
            if card.appearance_titles
            else []
        ),
    ]


def _fact_line(view: FactView) -> str:
    quote = next((f"“{e.quote}”" for e in view.evidence if e.quote and e.is_quotation), "")
    standing = "" if view.fact.standing == "true" else f"a {view.fact.standing}"
    replaced_by = f"then: {view.superseded_by}" if view.superseded_by else ""
    details = "; ".join(filter(None, (standing, view.when, view.secret_note, replaced_by, quote)))
    return f"- {view.fact.statement}" + (f"  ({details})" if details else "")


def _is_shown(campaign: Campaign, view: FactView) -> bool:
    return view.fact.id not in campaign.held_back.fact_ids


def _shown_facts(campaign: Campaign, views: Iterable[FactView]) -> list[FactView]:
    return [view for view in views if _is_shown(campaign, view)]


async def read_timeline(campaign: Campaign, search_words: str, limit: int) -> list[str]:
    """Return scenes, events, deaths and commitments in the order of world time: the last ones."""
    events = await campaign.services.world.timeline.read_timeline(campaign.universe.id, search_words)
    lines: list[str] = []
    for event in events:
        note = f": {as_sentence(event.note)}" if event.note else ""
        if isinstance(event.mentioned, SceneReference):
            lines.append(f"{event.day}  {event.mentioned.title}{note}")
        elif _is_shown(campaign, event.mentioned):
            secret_note = f"  ({event.mentioned.secret_note})" if event.mentioned.secret_note else ""
            lines.append(f"{event.day}  {event.mentioned.fact.statement}{secret_note}")
    return lines[-limit:] or ["Nothing of that is on the timeline."]


async def read_open_threads(campaign: Campaign, story_title: str) -> list[str]:
    """Return what is open: promises, debts and questions, the story's own threads, clocks and tracks."""
    ledger = await campaign.services.world.commitments.read_commitments(campaign.universe.id)
    shown = [view for view in ledger.open_commitments if _is_shown(campaign, view.fact)]
    lines = [view.line for view in shown]
    card = await campaign.find_story(story_title)
    if card.scene is not None:
        view = await campaign.services.play.scene(card.scene.id)
        commitment_ids = {one.fact.fact.id for one in ledger.open_commitments} | campaign.held_back.fact_ids
        threads = [t for t in view.threads if t.is_open and t.id not in commitment_ids]
        lines += [
            f"thread: {thread.name}" + (f"  ({thread.age})" if thread.age else "") for thread in threads
        ]
        lines += [_clock_line("clock", clock) for clock in view.clocks]
        lines += [_clock_line("track", track) for track in view.tracks]
    return lines or ["Nothing is open."]


def _clock_line(kind: str, clock: ProgressClock) -> str:
    return f"{kind}: {clock.name}, {clock.filled} of {clock.size}"


async def read_decisions(campaign: Campaign, story_title: str) -> list[str]:
    """Return what was decided in a story and holds, the oldest first."""
    card = await campaign.find_story(story_title)
    decisions = await read_decisions_of_story(campaign.log, card.story)
    return [f"- {decision.text}" for decision in decisions] or ["Nothing was decided."]


async def read_proposals(campaign: Campaign) -> list[str]:
    """Return what waits to be decided, at the gates and in the inbox; nothing of it is canon."""
    gate = await campaign.services.gate.gate(None, campaign.universe.id)
    rows = list(gate.proposals)
    cards = [c for c in await campaign.services.stories.stories() if c.universe.id == campaign.universe.id]
    for card in cards:
        if card.scene is not None and card.scene_state != "completed":
            rows += (await campaign.services.play.scene(card.scene.id)).proposals
    shown = {
        row.proposal.id: row
        for row in rows
        if row.status in OPEN_STATUSES and row.proposal.id not in campaign.held_back.proposal_ids
    }
    waiting = await campaign.services.outside.list_waiting(campaign.universe.id)
    return [
        *(_proposal_line(campaign, row) for row in shown.values()),
        *(
            ClientWords(f"- {describe_words(proposal)}  (MONITOR has not taken it in yet)")
            for proposal in waiting
        ),
    ] or ["Nothing waits."]


def _proposal_line(campaign: Campaign, row: ProposalView) -> str:
    verdict = f"decided: {row.verdict.value}" if row.verdict else "not decided"
    conflicts = "; ".join(list_conflicts(campaign, row))
    line = f"- {row.title}  ({verdict}{f'; {conflicts}' if conflicts else ''})"
    return ClientWords(line) if row.proposal.authority is Authority.OUTSIDE else line


def list_conflicts(campaign: Campaign, row: ProposalView) -> list[str]:
    """Return what a proposal contradicts or resembles, without what is held back."""
    return [
        conflict.text
        for conflict in (*row.conflicts, *row.similar_matches)
        if (conflict.other_fact is None or conflict.other_fact.id not in campaign.held_back.fact_ids)
        and not campaign.held_back.states_secret(conflict.text)
    ]
