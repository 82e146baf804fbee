"""The dead do not act, nor do those who are not born yet.

Source: design/authority.md, "Contradictions". Ticks are minutes of world time.
"""

from __future__ import annotations

from collections.abc import Iterator

from agents.canon_keeper.bearing import borne
from agents.canon_keeper.naming import is_about_the_past, is_outcome
from agents.canon_keeper.readings import ALIVE, SUBJECT, Slot, is_open, read, stands, starts_later
from agents.canon_keeper.sight import Found, Sight, actors, actors_in, covers
from stores.records.canon import Fact
from stores.records.ids import Id

_USED = ("instrument",)
"""A thing cannot be used before it is made, either."""


def the_dead(sight: Sight) -> Iterator[Found]:
    """Find who would act after their death, and the deeds that a death would come before."""
    if not stands(sight.fact):
        return
    for actor in actors_in(sight):
        death = _death_of(sight, actor)
        if death is not None or _always_dead(sight, actor):
            certain = death is None or starts_later(sight.fact, death)
            text = f"{sight.name(actor)} is dead, and the dead do not act."
            yield Found("dead_do_not_act", text, death, certain)
    said = read(sight.fact, sight.world.catalogue)
    if said.predicate == ALIVE and said.value is False and said.subject is not None:
        yield from _deeds_after_death(sight, said.subject)


def the_unborn(sight: Sight) -> Iterator[Found]:
    """Find who would act before they were born (or made), and the deeds that a birth would come after."""
    fact, world = sight.fact, sight.world
    if not stands(fact) or sight.when is None:
        return
    used = [i.entity_id for i in fact.involves if i.role in _USED]
    for actor in dict.fromkeys([*actors_in(sight), *used]):
        for birth in world.origins(actor):
            if birth.id != fact.id and birth.valid_from is not None and sight.when < birth.valid_from:
                text = f"{sight.who_says(birth)} “{birth.statement}” That is later."
                yield Found("not_yet_born", text, birth)
    subject = fact.entity(SUBJECT)
    if subject is not None and world.catalogue[fact.predicate].origin:
        for deed in _deeds(sight, subject):
            if deed.valid_from is not None and deed.valid_from < sight.when:
                text = f"{sight.who_says(deed)} “{deed.statement}” That was before."
                yield Found("not_yet_born", text, deed)


def _death_of(sight: Sight, actor: Id) -> Fact | None:
    """Return the death that the claim comes after."""
    deaths = (f for f in sight.world.said(ALIVE, actor) if f.value is False and stands(f))
    return next((d for d in deaths if _comes_after(sight, d) and not _tells_of(sight, d)), None)


def _tells_of(sight: Sight, death: Fact) -> bool:
    """Say whether the claim is what a scene came to, and the death was in that scene: it tells of both."""
    return is_outcome(sight.proposal) and sight.same_scene(death)


def _comes_after(sight: Sight, death: Fact) -> bool:
    """Say whether the claim comes after the death: by world time, or else by when it was proposed."""
    when, died = sight.when, death.valid_from
    if is_about_the_past(sight.proposal) or not is_open(death):
        return when is not None and died is not None and covers(death, when)
    if died is None or (when is not None and when != died):
        return died is None or when is None or when > died
    killing = sight.proposed.get(death.id)
    if killing is not None:
        return sight.proposal.turn_id is None or sight.proposal.turn_id != killing.turn_id
    return sight.proposal.created_at > death.recorded_at


def _always_dead(sight: Sight, actor: Id) -> bool:
    """Say whether somebody is dead with no fact that says since when."""
    slot, entity = Slot(ALIVE, actor), sight.world.entities[actor]
    if is_about_the_past(sight.proposal) or sight.world.holding(slot) is not None:
        return False
    return borne(entity, slot, sight.world.catalogue) is False


def _deeds_after_death(sight: Sight, who: Id) -> Iterator[Found]:
    for deed in _deeds(sight, who):
        if sight.when is not None and deed.valid_from is not None and covers(sight.fact, deed.valid_from):
            text = f"{sight.who_says(deed)} “{deed.statement}” That was later, and the dead do not act."
            yield Found("dead_do_not_act", text, deed)


def _deeds(sight: Sight, who: Id) -> Iterator[Fact]:
    for deed in sight.world.deeds(who):
        if deed.id != sight.fact.id and stands(deed) and who in actors(deed, sight.world.catalogue):
            yield deed
