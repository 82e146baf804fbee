"""Turns a context package into the text of a prompt's sections.

What changes least is worded so that it stays the same from turn to turn, and the history only grows at its end, which
keeps a provider's prefix cache valid; what changes with every turn is in sections of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, assert_never

from agents.canon_keeper.fact_ids import fact_id_of
from agents.context_assembly.context_package import ContextPackage, KnownSecret, ScenePerson
from agents.context_assembly.known_secrets import drop_untold_memories, strike_from_turn
from agents.context_assembly.live_facts import (
    LiveFact,
    find_ids_ended_on_line,
    find_live_facts,
    find_proposed_facts,
    sort_by_subject,
)
from agents.context_assembly.repeated_memories import ShownLines
from agents.context_assembly.scene_roster import build_roster, find_drive
from agents.llm.call_context import OMISSIONS, PromptParts
from agents.memory_manager.attendance import Attendance, is_oracle_answer
from agents.memory_manager.summary_texts import OWED_PREFIX
from agents.memory_manager.whispered_exchanges import find_whispered_exchanges
from agents.prose.names import names_of
from agents.prose.struck_words import list_tellings
from agents.search.result_validity import is_ended
from agents.search.retrieval import RecalledPassage
from agents.world_time.calendar import format_tick
from stores.records.canon import Fact, FactKind, NoteAxiom, Standing
from stores.records.ids import Id
from stores.records.memory import Memory
from stores.records.play import GM_SPEAKERS, Speaker, Turn
from stores.records.world import ACTORS, Entity

SECTIONS: Final = (
    "rules",
    "world",
    "story",
    "lines",
    "style",
    "summary",
    "recent",
    "scene",
    "cast",
    "named",
    "facts",
    "encounters",
    "assertions",
    "lore",
    "secrets",
    "threads",
    "decisions",
    "notes",
    "memories",
    "scenes",
    "recalled",
    "state",
)
"""The section names: what changes least, then what only grows, then what changes with every turn."""

_STANDING_LABELS: Final[Mapping[Standing, str]] = {
    Standing.RUMOUR: " (a rumour)",
    Standing.LIE: " (a lie)",
    Standing.DISPUTED: " (disputed)",
}
_REPEATABLE_SECTIONS: Final = (
    *("rules", "cast", "facts", "encounters", "assertions", "secrets", "threads", "decisions", "summary"),
    *("recent", "scenes", "recalled"),
)
"""Sections whose lines a memory may repeat."""
MAX_OWN_FACTS: Final = 20
"""Facts of a character that it is told of itself; the newest."""
_STAGED_LABEL: Final = " (proposed)"
DEFAULT_STYLE: Final = "Two or three short paragraphs, in the present tense, to the player as “you”."
"""How a story is narrated, as far as its player asks for nothing else."""
UNRECORDED_TEXT: Final = (
    "The last narration is not recorded yet: where it has somebody come or leave, or changes something, "
    "its words hold, and not the lists below."
)
"""What a prompt says while the Archivist has not read the narration before."""


def build_prompt_sections(package: ContextPackage) -> PromptParts:
    """Return the package's sections by name, without empty ones."""
    scene, canon, narrative = package.scene, package.canonical, package.narrative
    roster = build_roster(package)
    sections = {
        "rules": _bullet_list((*_axiom_lines(canon.axioms), *_proposed_axiom_lines(package))),
        "world": _world_text(package),
        "story": _story_text(package),
        "lines": scene.story.lines_and_veils,
        "style": _style_text(package),
        "scene": _scene_text(package),
        "cast": _bullet_list(roster.here),
        "named": _bullet_list(roster.off_stage),
        "facts": _bullet_list(
            map(_live_fact_line, sort_by_subject(roster.other_facts, _list_subjects(package)))
        ),
        "encounters": _bullet_list(_fact_lines(canon.encounters)),
        "assertions": _bullet_list((*_fact_lines(canon.assertions), *_proposed_assertion_lines(package))),
        "lore": _bullet_list(fact.statement for fact in canon.lore),
        # What is promised in secret stands with what is promised.
        "secrets": _bullet_list(
            _secret_line(secret)
            for secret in canon.secrets
            if secret.fact.id not in package.agenda.commitments
        ),
        # For prompts of the player's own, which may have this one alone.
        "threads": _bullet_list((*_promise_lines(package), *_matter_lines(package))),
        "matters": _bullet_list(_matter_lines(package)),
        "promises": _bullet_list(_promise_lines(package)),
        "decisions": _bullet_list(decision.text for decision in narrative.decisions),
        # What is promised and open stands in a section of its own, whole.
        "summary": _bullet_list(line for line in narrative.summary_lines if not line.startswith(OWED_PREFIX)),
        "recent": _join_lines(
            _recent_text(package, narrative.previous_scene_turns),
            f"(So the scene ended: {_collapse_spaces(narrative.previous_outcome)})"
            if narrative.previous_outcome
            else "",
            f"(Here scene {scene.scene.order} begins.)" if narrative.previous_scene_turns else "",
            _recent_text(package, narrative.recent_turns),
        ),
        "notes": _bullet_list(narrative.notes),
        "scenes": _bullet_list(_recalled_scene_lines(package)),
        "recalled": _bullet_list(_recalled_lines(package)),
        "state": _state_text(package),
        OMISSIONS: "\n".join(
            f"{omitted_item.section}: {omitted_item.reason}" for omitted_item in package.omitted_items
        ),
    }
    section_lines = [line for name in _REPEATABLE_SECTIONS for line in sections[name].splitlines()]
    shown_lines = ShownLines((*section_lines, *package.player_text.splitlines()))
    sections["memories"] = _memories_text(package, shown_lines)
    return {name: text for name, text in sections.items() if text.strip()}


def build_npc_sections(package: ContextPackage, npc: Entity, memories: Sequence[Memory]) -> PromptParts:
    """Return the sections that one NPC may know.

    They hold who it is, what is true of it, the secrets that it may know, what it remembers, what is plain to see here,
    and what was said and done since it arrived; no other facts, threads, memories of others, dice or oracles.
    """
    secrets = package.canonical.secrets
    untold_secrets = [s.fact for s in secrets if not s.fact.is_known_to_any({npc.id})]
    untold_statements = [fact.statement for fact in untold_secrets]
    untold_texts = [*untold_statements, *_list_tellings(package, untold_secrets)]
    heard_turns = [strike_from_turn(turn, untold_texts) for turn in _turns_heard_by(package, npc)]
    npc_person = next((p for p in package.canonical.cast if p.entity.id == npc.id), None)
    other_people = [p for p in package.canonical.cast if p.is_here and p.entity.id != npc.id]
    own_fact_lines, recent_text = list(_own_fact_lines(package, npc)), _recent_text(package, heard_turns)
    shown_lines = ShownLines((*own_fact_lines, *recent_text.splitlines(), *package.player_text.splitlines()))
    sections = {
        "lines": package.scene.story.lines_and_veils,
        "self": _self_text(package, npc),
        "scene": _place_text(package),
        "cast": _bullet_list(f"{p.entity.name}{' (dead)' if p.is_dead else ''}" for p in other_people),
        "own": _bullet_list(own_fact_lines),
        "secrets": _bullet_list(
            _own_secret_line(s, npc) for s in secrets if s.fact.is_known_to_any({npc.id})
        ),
        "memories": _bullet_list(
            _memory_line(m)
            for m in shown_lines.drop_repeated(drop_untold_memories(memories, npc.id, untold_secrets))
            if m.entity_id == npc.id
        ),
        "recent": recent_text,
        "state": _bullet_list([_condition_line(npc_person)] if npc_person else []),
        OMISSIONS: "\n".join(
            f"secrets: held back from {npc.name}: {statement}" for statement in untold_statements
        ),
    }
    return {name: text for name, text in sections.items() if text.strip()}


def build_previous_text(package: ContextPackage) -> str:
    """Return the last narration in view, which says whom the pronouns of the next one mean."""
    gm_turns = [turn for turn in package.narrative.recent_turns if turn.speaker in GM_SPEAKERS]
    return _recent_text(package, gm_turns[-1:])


def format_turn(turn: Turn, pc_name: str) -> str:
    """Format a turn as one line of a prompt, with its speaker."""
    turn_text = " ".join(turn.text.split())
    match turn.speaker:
        case Speaker.PLAYER:
            return f"{pc_name}: {turn_text}"
        case Speaker.NPC:
            return f"{turn.name or 'Somebody'}: {turn_text}"
        case Speaker.ORACLE:
            return f"[oracle] {turn_text}" if is_oracle_answer(turn.text) else f"[result] {turn_text}"
        case Speaker.SYSTEM:
            return f"({turn_text})"
        case Speaker.GM:
            return f"GM: {turn_text}"
        case _:
            assert_never(turn.speaker)


# --- what changes little ----------------------------------------------------------------------------


def _axiom_lines(axioms: Iterable[Fact]) -> Iterable[str]:
    return (a.statement + ("" if a.severity in ("", "must") else f" ({a.severity})") for a in axioms)


def _proposed_axiom_lines(package: ContextPackage) -> Iterable[str]:
    changes = (p.change for p in package.scene.staged_proposals)
    return (c.statement + _STAGED_LABEL for c in changes if isinstance(c, NoteAxiom))


def _world_text(package: ContextPackage) -> str:
    universe = package.scene.universe
    return _join_lines(
        universe.name + (f", {universe.genre}" if universe.genre else ""),
        f"Tone: {universe.tone}" if universe.tone else "",
        _collapse_spaces(universe.description),
    )


def _story_text(package: ContextPackage) -> str:
    story = package.scene.story
    return _join_lines(
        story.title,
        f"Theme: {story.theme}" if story.theme else "",
        f"Tone: {story.tone}" if story.tone else "",
        f"Constraints: {_collapse_spaces(story.constraints)}" if story.constraints else "",
        f"So far: {_collapse_spaces(story.recap)}" if story.recap else "",
    )


def _scene_text(package: ContextPackage) -> str:
    scene = package.scene.scene
    return _join_lines(
        f"Scene {scene.order}: {scene.title}",
        f"Goal: {_collapse_spaces(scene.goal)}" if scene.goal else "",
        _place_text(package),
        UNRECORDED_TEXT if package.unrecorded_narrations else "",
    )


def _place_text(package: ContextPackage) -> str:
    place = package.scene.place
    if place is None:
        return ""
    return f"Place: {place.name}. {_collapse_spaces(place.description)}".strip()


def _style_text(package: ContextPackage) -> str:
    style = _collapse_spaces(package.scene.story.style)
    return _join_lines(DEFAULT_STYLE, f"The player asks, and it goes before that: {style}" if style else "")


def _list_subjects(package: ContextPackage) -> list[Id]:
    """Return whom facts are about, from those that a prompt can best do without up to the hero."""
    pc_id, place = package.scene.story.pc_id, package.scene.place
    people = [p.entity.id for p in package.canonical.cast if p.is_here and p.entity.id != pc_id]
    return [*([place.id] if place else []), *reversed(people), *([pc_id] if pc_id else [])]


def _fact_lines(facts: Iterable[Fact]) -> Iterable[str]:
    return (fact.statement + _STANDING_LABELS.get(fact.standing, "") for fact in facts)


def _live_fact_line(live_fact: LiveFact) -> str:
    fact = live_fact.fact
    ended_note = " (over, as proposed)" if live_fact.is_ending else ""
    staged_label = _STAGED_LABEL if live_fact.is_proposed else ""
    return fact.statement + _STANDING_LABELS.get(fact.standing, "") + ended_note + staged_label


def _own_fact_lines(package: ContextPackage, npc: Entity) -> Iterable[str]:
    """Return what canon has of somebody: the newest, secrets aside."""
    own_facts = [
        live_fact.fact
        for live_fact in _find_canon_facts(package)
        if any(i.entity_id == npc.id for i in live_fact.fact.involves) and not live_fact.is_ending
    ]
    return _fact_lines(sorted(own_facts, key=lambda f: f.recorded_at.timestamp())[-MAX_OWN_FACTS:])


def _find_canon_facts(package: ContextPackage) -> list[LiveFact]:
    """Return the facts of canon that hold on the line; of what is proposed it is unknown who heard it."""
    return [live_fact for live_fact in find_live_facts(package) if not live_fact.is_proposed]


def _secret_line(secret: KnownSecret) -> str:
    standing_note = _STANDING_LABELS.get(secret.fact.standing, "")
    ended_note = " (over: no longer true)" if is_ended(secret.fact) else ""
    return f"{secret.fact.statement}{standing_note}{ended_note} (secret; known to: {', '.join(secret.knower_names)})"


def _list_tellings(package: ContextPackage, secrets: Collection[Fact]) -> Iterable[str]:
    """Return the sentences of the line by which secrets were told that wait for a decision."""
    secrets_by_id = {fact.id: fact for fact in secrets}
    for proposal in package.scene.staged_proposals:
        if fact := secrets_by_id.get(fact_id_of(proposal)):
            yield from list_tellings(fact.statement, proposal.evidence)


def _own_secret_line(secret: KnownSecret, npc: Entity) -> str:
    """Return a secret as one who knows it is told of it."""
    other_names = [name for name in secret.knower_names if name != npc.name]
    known_also_to = f"known also to: {', '.join(other_names)}" if other_names else "nobody else knows it"
    return f"{secret.fact.statement} ({known_also_to})"


def _proposed_assertion_lines(package: ContextPackage) -> Iterable[str]:
    assertions = (fact for fact in find_proposed_facts(package) if fact.kind is FactKind.ASSERTION)
    return (line + _STAGED_LABEL for line in _fact_lines(assertions))


def _promise_lines(package: ContextPackage) -> Iterable[str]:
    """Return the open promises, debts and questions, which no bundled prompt leaves out."""
    agenda, knowers_by_id = package.agenda, {s.fact.id: s.knower_names for s in package.canonical.secrets}
    for thread in agenda.threads:
        if thread.is_open and thread.id in agenda.commitments:
            knower_names = knowers_by_id.get(thread.id)
            yield thread.name + (f" (secret; known to: {', '.join(knower_names)})" if knower_names else "")


def _matter_lines(package: ContextPackage) -> Iterable[str]:
    """Return what else is open, and what is settled."""
    agenda = package.agenda
    yield from (t.name for t in agenda.threads if t.is_open and t.id not in agenda.commitments)
    yield from (f"{fact.statement} (SETTLED: it is over)" for fact in package.settled_commitments())
    yield from (f"{statement} (it is over)" for statement in agenda.unmet_statements)
    for clock in (*agenda.open_clocks, *agenda.open_tracks):
        yield f"Clock “{clock.name}”: {clock.filled} of {clock.size}"


def _memories_text(package: ContextPackage, shown_lines: ShownLines) -> str:
    # What ended on this line is no memory to go by: who is elsewhere now is in one place.
    ended_ids = find_ids_ended_on_line(package)
    lines = [
        f"{person.entity.name} remembers: {_memory_line(memory)}"
        for person in package.present_npcs()
        for memory in shown_lines.drop_repeated(package.memories_of(person.entity.id))
        if memory.linked_fact_id not in ended_ids
    ]
    return _bullet_list(lines)


def _memory_line(memory: Memory) -> str:
    source_note = "" if memory.source in ("saw", "") else f" ({memory.source})"
    return _collapse_spaces(memory.text) + source_note


# --- what moves ---------------------------------------------------------------------------------------


def _recalled_lines(package: ContextPackage) -> Iterable[str]:
    """Return the lines of recalled facts, passages of earlier play and rule texts."""
    for fact in (*package.recalled.facts, *package.canonical.nearby_relations):
        ended_note = " (over: no longer true)" if is_ended(fact) else ""
        yield fact.statement + _STANDING_LABELS.get(fact.standing, "") + ended_note
    yield from (_passage_line(passage, package) for passage in package.recalled.passages)
    yield from (f"By the book: {rule}" for rule in package.recalled.rule_texts)


def _recalled_scene_lines(package: ContextPackage) -> Iterable[str]:
    """Return the summaries of earlier scenes, each with its place in play."""
    for recalled_scene in package.recalled.scenes:
        heading = recalled_scene.scene.label
        text = recalled_scene.text
        yield text if text.startswith(heading) else f"[{heading}] {text}"


def _passage_line(passage: RecalledPassage, package: ContextPackage) -> str:
    """Format a turn of earlier play with its place and time."""
    scene, turn = passage.scene, passage.turn
    is_same_story = scene.story_id == package.scene.story.id
    pc_name = package.player_character.name if is_same_story and package.player_character else "Player"
    when_text = turn.time_text or format_tick(package.scene.universe.calendar, turn.tick)
    where_text = scene.label
    is_named_player = turn.name and turn.speaker is Speaker.PLAYER
    line = f"{turn.name}: {_collapse_spaces(turn.text)}" if is_named_player else format_turn(turn, pc_name)
    return f"[{where_text}, {when_text}] {line}"


def _recent_text(package: ContextPackage, turns: Sequence[Turn]) -> str:
    pc_name = package.player_character.name if package.player_character else "Player"
    insiders_by_exchange = find_whispered_exchanges(turns, package.scene.story.pc_id)
    asked_exchange_ids = _find_oracle_exchanges(turns)
    return "\n".join(
        (
            f"(Asked of the oracle, not said: {_collapse_spaces(turn.text)})"
            if turn.speaker is Speaker.PLAYER and turn.exchange_id in asked_exchange_ids
            else format_turn(turn, pc_name)
        )
        + _format_insiders(package, insiders_by_exchange.get(turn.exchange_id, ()))
        for turn in turns
        if turn.text.strip()
    )


def _format_insiders(package: ContextPackage, insider_ids: Collection[Id]) -> str:
    """Return the note on a turn of a whispered exchange: who heard it, besides the player's character."""
    pc_id = package.scene.story.pc_id
    names = [
        p.entity.name for p in package.canonical.cast if p.entity.id in insider_ids and p.entity.id != pc_id
    ]
    return f" (whispered: of the others here, only {' and '.join(names)} heard it)" if names else ""


def _turns_heard_by(package: ContextPackage, npc: Entity) -> list[Turn]:
    """Return the turns of this scene's line that an NPC was present for, with what it heard of them."""
    scene = package.scene
    attendance = Attendance(
        pc_id=scene.story.pc_id,
        cast=frozenset(scene.scene.cast),
        names_by_id={p.entity.id: names_of(p.entity) for p in package.canonical.cast},
        created_ticks=package.narrative.creation_ticks,
        presence_entries=scene.scene_presence_entries(),
        insiders_by_exchange=find_whispered_exchanges(package.narrative.recent_turns, scene.story.pc_id),
    )
    # Of an answer whose question is out of view it is unknown who heard it.
    first_turn_ids = {t.id for t in package.narrative.recent_turns}
    heard_turns = (
        (t, attendance.heard_texts(t).get(npc.id, ""))
        for t in _turns_in_the_world(package.narrative.recent_turns)
        if t.exchange_id in first_turn_ids
    )
    return [t.model_copy(update={"text": words}) for t, words in heard_turns if words]


def _turns_in_the_world(turns: Sequence[Turn]) -> Iterable[Turn]:
    """Return the turns that characters could hear and see: no results, no questions to the oracle."""
    oracle_exchange_ids = _find_oracle_exchanges(turns)
    for turn in turns:
        is_oracle_question = turn.speaker is Speaker.PLAYER and turn.exchange_id in oracle_exchange_ids
        if turn.speaker not in (Speaker.ORACLE, Speaker.SYSTEM) and not is_oracle_question:
            yield turn


def _find_oracle_exchanges(turns: Iterable[Turn]) -> set[Id]:
    """Return the exchanges in which an oracle answered."""
    return {t.exchange_id for t in turns if t.speaker is Speaker.ORACLE and is_oracle_answer(t.text)}


def _state_text(package: ContextPackage) -> str:
    scene = package.scene
    time_text = f"It is {format_tick(scene.universe.calendar, scene.tick)}."
    present_lines = [_condition_line(p) for p in package.canonical.cast if p.is_here]
    absent_lines = [
        f"{p.entity.name} is {'dead, and ' if p.is_dead else ''}not here"
        for p in (*package.canonical.cast, *package.canonical.named_elsewhere)
        if not p.is_here and p.entity.kind in ACTORS
    ]
    return _bullet_list((time_text, *present_lines, *absent_lines))


def _condition_line(person: ScenePerson) -> str:
    """Return one character's numbers, tags and values in the working state."""
    state = person.state
    number_texts = [f"{key} {number:g}" for key, number in state.numbers.items()]
    value_texts = [f"{key}: {value}" for key, value in state.values.items() if key != "alive"]
    tags = [tag for tag in state.tags if tag.casefold() != "dead"]
    death_note = ["DEAD: neither speaks nor acts"] if person.is_dead else []
    condition_text = ", ".join((*death_note, *tags, *number_texts, *value_texts))
    return f"{person.entity.name}: {condition_text or 'as usual'}"


def _self_text(package: ContextPackage, npc: Entity) -> str:
    hero = package.player_character
    drive = find_drive(_find_canon_facts(package), npc, package.scene.story.pc_id)
    return _join_lines(
        f"{npc.name}, {npc.kind}",
        _collapse_spaces(npc.description),
        *(fact.statement for fact in drive),
        f"In what was said and done, “you” of the GM's lines is {hero.name}, who is not you." if hero else "",
    )


def _join_lines(*lines: str) -> str:
    return "\n".join(line for line in lines if line)


def _bullet_list(lines: Iterable[str]) -> str:
    """Return the lines as bullets, each once."""
    return "\n".join(dict.fromkeys(f"- {_collapse_spaces(line)}" for line in lines if line.strip()))


def _collapse_spaces(text: str) -> str:
    return " ".join(text.split())
