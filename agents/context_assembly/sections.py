"""The context package as text, by section of a prompt. Pure.

What changes least is worded so that it stays the same from turn to turn (a prefix cache then holds); what
moves with every turn stands in sections of its own. Source: design/product.md, pain 9.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from agents.canon_keeper.proposal_subjects import named_facts
from agents.context_assembly.found_again import Passage
from agents.context_assembly.package import ContextPackage, Present
from agents.context_assembly.standing import is_over
from agents.llm.call_context import LEFT_OUT, PromptParts
from agents.memory_manager.presence import Attendance, asks_oracle
from agents.prose.names import names_of
from agents.world_time.calendar import format_tick
from stores.records.canon import AssertFact, CreateEntity, Fact, FactKind, NoteAxiom, Standing
from stores.records.ids import Id
from stores.records.memory import Memory
from stores.records.play import Speaker, Turn
from stores.records.world import ACTORS, Entity

SECTIONS: Final = (
    "rules",
    "world",
    "story",
    "lines",
    "scene",
    "cast",
    "facts",
    "encounters",
    "assertions",
    "threads",
    "decisions",
    "summary",
    "recent",
    "memories",
    "recalled",
    "named",
    "state",
)
"""What `parts` may give, from what changes least to what changes with every turn."""

_STANDINGS: Final[Mapping[Standing, str]] = {
    Standing.RUMOUR: " (a rumour)",
    Standing.LIE: " (a lie)",
    Standing.DISPUTED: " (disputed)",
}
_STAGED: Final = " (proposed)"


def parts(package: ContextPackage) -> PromptParts:
    """Return the package's sections by name; empty ones are left out."""
    scene, canon, log = package.scene, package.canonical, package.narrative
    sections = {
        "rules": _listed((*_axioms(canon.axioms), *_proposed_axioms(package))),
        "world": _world(package),
        "story": _story(package),
        "lines": scene.story.lines_and_veils,
        "scene": _scene(package),
        "cast": _listed(_who(p, package) for p in canon.cast if p.here),
        "facts": _listed(
            (*_facts((*canon.facts, *canon.relations), _over(package)), *_proposed(package, said=False))
        ),
        "encounters": _listed(_facts(canon.encounters)),
        "assertions": _listed((*_facts(canon.assertions), *_proposed(package, said=True))),
        "threads": _listed(_threads(package)),
        "decisions": _listed(_decided(m.reason, m.impact) or m.text for m in log.decisions),
        "summary": _listed(log.summary),
        "recent": _lines(
            _recent(package, log.before),
            f"(Here scene {scene.scene.order} begins.)" if log.before else "",
            _recent(package, log.line),
        ),
        "memories": _memories(package),
        "recalled": _listed(_found_again(package)),
        "named": _listed(_who(p, package) for p in canon.named),
        "state": _state(package),
        LEFT_OUT: "\n".join(f"{out.section}: {out.why}" for out in package.left_out),
    }
    return {name: text for name, text in sections.items() if text.strip()}


def own_parts(package: ContextPackage, npc: Entity, memories: Sequence[Memory]) -> PromptParts:
    """Return what one NPC knows: who it is, what it remembers, who and what is plain to see here, and what
    was said and done in this scene since it came. No facts, threads, others' memories, dice or oracles."""
    own = next((p for p in package.canonical.cast if p.entity.id == npc.id), None)
    others = [p for p in package.canonical.cast if p.here and p.entity.id != npc.id]
    sections = {
        "lines": package.scene.story.lines_and_veils,
        "self": _self(npc),
        "scene": _place(package),
        "cast": _listed(f"{p.entity.name}{' (dead)' if p.dead else ''}" for p in others),
        "memories": _listed(_memory(m) for m in memories if m.entity_id == npc.id),
        "recent": _recent(package, _heard_by(package, npc)),
        "state": _listed([_condition(own)] if own else []),
    }
    return {name: text for name, text in sections.items() if text.strip()}


def turn_line(turn: Turn, hero: str) -> str:
    """Return a turn as one line of a prompt, with who speaks."""
    words = " ".join(turn.text.split())
    match turn.speaker:
        case Speaker.PLAYER:
            return f"{hero}: {words}"
        case Speaker.NPC:
            return f"{turn.name or 'Somebody'}: {words}"
        case Speaker.ORACLE:
            return f"[result] {words}"
        case Speaker.SYSTEM:
            return f"({words})"
        case _:
            return f"GM: {words}"


# --- what changes little ----------------------------------------------------------------------------


def _axioms(axioms: Iterable[Fact]) -> Iterable[str]:
    return (a.statement + ("" if a.severity in ("", "must") else f" ({a.severity})") for a in axioms)


def _proposed_axioms(package: ContextPackage) -> Iterable[str]:
    changes = (p.change for p in package.scene.staged)
    return (c.statement + _STAGED for c in changes if isinstance(c, NoteAxiom))


def _world(package: ContextPackage) -> str:
    universe = package.scene.universe
    return _lines(
        universe.name + (f", {universe.genre}" if universe.genre else ""),
        f"Tone: {universe.tone}" if universe.tone else "",
        _flat(universe.description),
    )


def _story(package: ContextPackage) -> str:
    story = package.scene.story
    return _lines(
        story.title,
        f"Theme: {story.theme}" if story.theme else "",
        f"Tone: {story.tone}" if story.tone else "",
        f"Constraints: {_flat(story.constraints)}" if story.constraints else "",
        f"So far: {_flat(story.recap)}" if story.recap else "",
    )


def _scene(package: ContextPackage) -> str:
    scene = package.scene.scene
    return _lines(
        f"Scene {scene.order}: {scene.title}",
        f"Goal: {_flat(scene.goal)}" if scene.goal else "",
        _place(package),
    )


def _place(package: ContextPackage) -> str:
    place = package.scene.place
    if place is None:
        return ""
    return f"Place: {place.name}. {_flat(place.description)}".strip()


def _who(person: Present, package: ContextPackage) -> str:
    entity = person.entity
    names = f"{entity.name} (also {', '.join(entity.aliases)})" if entity.aliases else entity.name
    role = "the player's character" if entity.id == package.scene.story.pc_id else str(entity.kind)
    return f"{names}, {role}. {_flat(entity.description)}".strip()


def _facts(facts: Iterable[Fact], over: Collection[Id] = ()) -> Iterable[str]:
    for fact in facts:
        ended = " (over, as proposed)" if fact.id in over else ""
        yield fact.statement + _STANDINGS.get(fact.standing, "") + ended


def _over(package: ContextPackage) -> set[Id]:
    """Return the facts that something staged on the line would end."""
    return {fact_id for p in package.scene.staged for fact_id in named_facts(p.change)}


def _proposed(package: ContextPackage, *, said: bool) -> Iterable[str]:
    """Return what is staged on the line and not decided yet: it was told, and holds until it is rejected."""
    for proposal in package.scene.staged:
        change = proposal.change
        if not isinstance(change, AssertFact) or change.fact_kind is FactKind.COMMITMENT:
            continue  # an open matter
        if (change.fact_kind is FactKind.ASSERTION) is said:
            yield change.statement + _STANDINGS.get(change.standing, "") + _STAGED


def _threads(package: ContextPackage) -> Iterable[str]:
    agenda = package.agenda
    yield from (thread.name for thread in agenda.threads if thread.is_open)
    yield from (f"{fact.statement} (SETTLED: it is over)" for fact in package.settled())
    for clock in (*agenda.running, *agenda.tracks):
        yield f"Clock “{clock.name}”: {clock.filled} of {clock.size}"


def _decided(reason: str, impact: str) -> str:
    return "; so: ".join(part for part in (reason, impact) if part)


def _memories(package: ContextPackage) -> str:
    lines = [
        f"{person.entity.name} remembers: {_memory(memory)}"
        for person in package.present()
        for memory in package.memories_of(person.entity.id)
    ]
    return _listed(lines)


def _memory(memory: Memory) -> str:
    told = "" if memory.source in ("saw", "") else f" ({memory.source})"
    return _flat(memory.text) + told


# --- what moves ---------------------------------------------------------------------------------------


def _found_again(package: ContextPackage) -> Iterable[str]:
    """Return what bears on the player's words from canon out of view, from earlier play and from sources."""
    for fact in (*package.recalled.facts, *package.canonical.nearby):
        over = " (over: no longer so)" if is_over(fact) else ""
        yield fact.statement + _STANDINGS.get(fact.standing, "") + over
    yield from (_passage(passage, package) for passage in package.recalled.scenes)
    yield from (f"By the book: {rule}" for rule in package.recalled.rules)


def _passage(passage: Passage, package: ContextPackage) -> str:
    """Return a turn of earlier play with where and when it was said."""
    scene, turn = passage.scene, passage.turn
    own = scene.story_id == package.scene.story.id
    hero = package.pc.name if own and package.pc else "Player"
    when = turn.said or format_tick(package.scene.universe.calendar, turn.tick)
    where = f"Scene {scene.order}" + (f" “{scene.title}”" if scene.title else "")
    named = turn.name and turn.speaker is Speaker.PLAYER
    line = f"{turn.name}: {_flat(turn.text)}" if named else turn_line(turn, hero)
    return f"[{where}, {when}] {line}"


def _recent(package: ContextPackage, turns: Iterable[Turn]) -> str:
    hero = package.pc.name if package.pc else "Player"
    return "\n".join(turn_line(turn, hero) for turn in turns if turn.text.strip())


def _heard_by(package: ContextPackage, npc: Entity) -> list[Turn]:
    """Return the turns of this scene's line that an NPC was there for, with what it heard of them."""
    scene = package.scene
    brought = {p.change.entity_id: p.tick for p in scene.staged if isinstance(p.change, CreateEntity)}
    born = {i: scene.scene.tick if tick is None else tick for i, tick in brought.items()}
    born |= package.narrative.arrived
    attendance = Attendance(
        pc_id=scene.story.pc_id,
        cast=frozenset(i for i in scene.scene.cast if i not in born),
        people={p.entity.id: names_of(p.entity) for p in package.canonical.cast},
        born=born,
        comings=scene.comings(),
    )
    heard = ((t, attendance.heard(t).get(npc.id, "")) for t in _in_the_world(package.narrative.line))
    return [t.model_copy(update={"text": words}) for t, words in heard if words]


def _in_the_world(turns: Sequence[Turn]) -> Iterable[Turn]:
    """Return what those in the story could hear and see: no results, no questions to the oracle."""
    asked = {t.exchange_id for t in turns if t.speaker is Speaker.ORACLE and asks_oracle(t.text)}
    for turn in turns:
        question = turn.speaker is Speaker.PLAYER and turn.exchange_id in asked
        if turn.speaker not in (Speaker.ORACLE, Speaker.SYSTEM) and not question:
            yield turn


def _state(package: ContextPackage) -> str:
    scene = package.scene
    time = f"It is {format_tick(scene.universe.calendar, scene.tick)}."
    here = [_condition(p) for p in package.canonical.cast if p.here]
    gone = [
        f"{p.entity.name} is {'dead, and ' if p.dead else ''}not here"
        for p in (*package.canonical.cast, *package.canonical.named)
        if not p.here and p.entity.kind in ACTORS
    ]
    return _listed((time, *here, *gone))


def _condition(person: Present) -> str:
    """Return one person's numbers, tags and values as they stand now."""
    state = person.state
    numbers = [f"{key} {number:g}" for key, number in state.numbers.items()]
    values = [f"{key}: {value}" for key, value in state.values.items() if key != "alive"]
    tags = [tag for tag in state.tags if tag.casefold() != "dead"]
    dead = ["DEAD: neither speaks nor acts"] if person.dead else []
    told = ", ".join((*dead, *tags, *numbers, *values))
    return f"{person.entity.name}: {told or 'as usual'}"


def _self(npc: Entity) -> str:
    return _lines(f"{npc.name}, {npc.kind}", _flat(npc.description))


def _lines(*lines: str) -> str:
    return "\n".join(line for line in lines if line)


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {_flat(line)}" for line in lines if line.strip())


def _flat(text: str) -> str:
    return " ".join(text.split())
