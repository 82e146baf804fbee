"""Offers the story's own move for what a plain line has the hero do: `I attack the orc`. Nothing is rolled by it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from agents.context_assembly.scene_context import SceneContext
from agents.llm.llm_settings import PlaySettings
from agents.orchestrator.input.parser import WordsInput
from agents.proposals.effects import Effect, describe_effect
from agents.prose.cast_words import GO, VEHICLE
from agents.prose.hero_deeds import find_hero_deeds
from agents.prose.names import any_name_pattern, names_of
from agents.prose.phrases import PhrasePattern
from agents.resolver.check import CheckSpec
from agents.resolver.move_choice import MoveChoice, choose_move
from agents.resolver.pack_check import read_pack_move
from agents.resolver.ruleset_schema import CHECK_WORDS, Pack, spoken_key
from agents.resolver.sheets import Sheet, describe_missing_number, find_missing_number
from agents.solo.gear_things import read_sheet_with_gear
from agents.solo.story_rules import StoryRules
from agents.views.replies import Reply
from stores.errors import InputError
from stores.ports import CanonReader
from stores.records.play import Degree
from stores.records.world import ACTORS, Entity

_TARGET_PLACEHOLDER: Final = "{target}"
_PRONOUN: Final = re.compile(r"(?:him|her|it|them)\b", re.IGNORECASE)
_OWN: Final = re.compile(r"(?:my|myself|me)\b", re.IGNORECASE)
_SOMEBODY: Final = re.compile(r"(?:\w+\s+)?the\s+(?P<who>[\w'’-]+(?:\s+[\w'’-]+)?)", re.IGNORECASE)
_PLAIN_NAME: Final = re.compile(r"[^\W\d_](?:[^\W\d_]|[ '’-](?=[^\W\d_]))*")
_MOVES_HERO: Final = PhrasePattern("(GO|[cross hide travel])", {"GO": GO})
_COMPANION: Final = r"(?:(?:the|my|our)\s+\w+|[A-Z][\w'’-]*(?:\s+[A-Z][\w'’-]*)*)"
_COMPANY: Final = re.compile(
    r"\s+(?:together\s+|along\s+)?(?:with|alongside|beside|after)\s+"
    rf"{_COMPANION}(?:(?:\s*,\s*|\s+and\s+){_COMPANION})*"
)
"""With whom something is done: `with Lisk and the dog`."""
_FIGHTS: Final = PhrasePattern("[fight struggle wrestle duel spar grapple battle brawl clash]")
"""What is done with whom it is done to: `fight with the orc`."""
_AGAINST: Final = re.compile(r"\bagainst\s+(?P<target>.+)", re.IGNORECASE)
_WITH_OTHERS: Final = re.compile(
    r"(?:(?:together|along|side by side)\s+)?(?P<word>with|alongside|beside)\b", re.IGNORECASE
)
_BEHIND_OBJECT: Final = re.compile(
    r"\s+(?:(?:together|along|side by side)\s+)?"
    r"(?:(?P<company>with|alongside|beside)|behind|near|past|for|to|while|as|before|until)\b",
    re.IGNORECASE,
)
"""What stands behind whom something is done to: `with Lisk`, `to save Lisk`."""
_OBJECT: Final = re.compile(
    r"(?:(?:at|on|upon|after)\s+)?(?:(?:the|an?|this|that|those|these|it|him|her|them)\b|(?-i:[A-Z]))",
    re.IGNORECASE,
)
"""Whom or what something is done to; `my way` is not, in `talk my way past the guard`."""
_GETS_ABOARD: Final = PhrasePattern(
    r"[climb] ((back|up|down|quickly|quietly) )?(aboard|(on|onto|into|in|on to) ((the|a|an|my|our|his|her|their) )?"
    r"(\w+ )?(VEHICLE|horse|mule|donkey|pony|camel|mount|saddle|bed|bunk|cot|hammock|bath)\b)",
    {"VEHICLE": f"(?:{VEHICLE})"},
    re.IGNORECASE,
)
"""To climb into what anybody gets into calls for no roll: `climb onto the ferry`."""
MIN_ROLE_LETTERS: Final = 3


class MoveOffers:
    """Reads a plain line for a move of the story's rule pack."""

    def __init__(
        self, rules: StoryRules, canon: CanonReader, read_settings: Callable[[], PlaySettings]
    ) -> None:
        self._rules = rules
        self._canon = canon
        self._read_settings = read_settings

    async def offer(self, words: WordsInput, context: SceneContext, typed_line: str) -> Reply | None:
        """Return a reply that puts the move behind the words into the prompt; None if they call for none."""
        if not self._read_settings().offer_moves:
            return None
        pack, hero = self._rules.find_pack(context), context.player_character()
        if pack is None or hero is None or words.roll or words.gm_authored or words.hearer_names:
            return None
        others = [actor for actor in context.present_actors() if actor.id != hero.id]
        choice = next(_find_choices(pack, words.text, hero), None)
        if choice is None:
            return None
        target = _find_target(choice, hero, others)
        object_words, _ = _split_object(choice)
        if target is None and _takes_target(pack, choice) and not _may_be_somebody(object_words, context):
            return None
        sheet = await read_sheet_with_gear(context, self._canon, pack, hero)
        try:
            typed_move, spec = _read_move(pack, choice, target, sheet)
            missing = list(_find_missing_numbers(pack, spec, context, [hero, *others]))
            is_target_missing = target is not None and any(m.name == target.name for m in missing)
            if is_target_missing:
                # What has no HP cannot lose any: the roll says how it goes, and changes the hero alone.
                typed_move, spec = _read_move(pack, choice, None, sheet)
        except InputError:  # nobody asked for a roll: what cannot be rolled is not offered
            return None
        described_move = _describe_move(choice, target)
        lines = [f"{described_move}: {_describe_dice(spec)}. {_describe_outcomes(spec)}".rstrip()]
        lines.extend(_describe_missing(effect, target) for effect in missing)
        if target is None and _takes_target(pack, choice):
            lines.append(
                "Who is meant is not known here: a name behind the move says it; without one only the hero is changed."
            )
        lines.append("Enter rolls; Esc, or typing on, tells it without a roll.")
        return Reply(
            "operation",
            tuple(lines),
            prompt_text=f"{words.text} /move {typed_move}",
            plain_line=typed_line,
            preparing_command="/state" if missing else "",
        )


def _find_choices(pack: Pack, text: str, hero: Entity) -> Iterator[MoveChoice]:
    deeds = (deed for deed in find_hero_deeds(text, names_of(hero)) if not _GETS_ABOARD.match(deed))
    return filter(None, (choose_move(pack, _leave_out_company(deed)) for deed in deeds))


def _leave_out_company(deed: str) -> str:
    """Return a deed that moves the hero without those who come along: they are not whom it is done to."""
    return _COMPANY.sub("", deed) if _MOVES_HERO.match(deed) else deed


def _read_move(pack: Pack, choice: MoveChoice, target: Entity | None, sheet: Sheet) -> tuple[str, CheckSpec]:
    """Return the move as `/move` takes it, and the check that it is. Raises InputError."""
    typed_move = " ".join((spoken_key(choice.move.key), *((_typed_name(target.name),) if target else ())))
    return typed_move, read_pack_move(pack, typed_move, sheet)


def _find_missing_numbers(
    pack: Pack, spec: CheckSpec, context: SceneContext, actors: Sequence[Entity]
) -> Iterator[Effect]:
    """Yield, once each, the effects that would set the numbers which the check changes and nobody has set."""
    actors_by_name = {actor.name: actor for actor in actors}
    missing = (
        find_missing_number(pack, effect, context.working_state(actors_by_name[effect.name]).numbers)
        for effect in spec.all_effects()
        if effect.name in actors_by_name
    )
    yield from dict.fromkeys(effect for effect in missing if effect is not None)


def _describe_missing(effect: Effect, target: Entity | None) -> str:
    """Return that somebody has no such number, and what to do about it before the roll."""
    missing = describe_missing_number(effect)
    if target is not None and effect.name == target.name:
        return f"{missing} The roll changes nothing of theirs; /state {effect} first gives it, as an example."
    return f"{missing} It cannot be rolled so; /state {effect} first gives it, as an example."


def _typed_name(name: str) -> str:
    """Return a name as `/move` reads it whole."""
    is_plain = _PLAIN_NAME.fullmatch(name) and not set(name.casefold().split()) & set(CHECK_WORDS)
    return name if is_plain else f'"{name}"'


def _takes_target(pack: Pack, choice: MoveChoice) -> bool:
    return any(_TARGET_PLACEHOLDER in outcome.effects for _, outcome in pack.terms_of(choice.move).outcomes())


def _find_target(choice: MoveChoice, hero: Entity, others: Sequence[Entity]) -> Entity | None:
    """Return whom the deed is done to: by name, by a word of the name, or the only one here beside the company."""
    words, company_words = _split_object(choice)
    company = [actor for actor in others if _has_name(company_words, actor)]
    others = [actor for actor in others if actor not in company or _has_name(words, actor)]
    for is_named in (_has_name, _has_word_of_name):
        named = [actor for actor in others if is_named(words, actor)]
        if len(named) == 1:
            return named[0]
    if _OWN.match(words):
        return hero
    is_meant = _PRONOUN.match(words) or (company and not words)
    return others[0] if len(others) == 1 and is_meant else None


def _split_object(choice: MoveChoice) -> tuple[str, str]:
    """Return the words for whom a deed is done to, and those behind: `the orc`, `with Lisk at my side`."""
    rest = choice.rest
    if against := _AGAINST.search(rest):
        return against["target"], rest[: against.start()]
    others = _WITH_OTHERS.match(rest)
    if others and not (others["word"].casefold() == "with" and _FIGHTS.match(choice.verb)):
        return "", rest
    for behind in _BEHIND_OBJECT.finditer(rest):
        before = rest[: behind.start()]
        if behind["company"] or _OBJECT.match(before):
            return before, rest[behind.start() :]
    return rest, ""


def _has_name(rest: str, actor: Entity) -> bool:
    return bool(re.search(any_name_pattern(names_of(actor)), rest, re.IGNORECASE))


def _has_word_of_name(rest: str, actor: Entity) -> bool:
    """Say whether a word of a name stands there, as `hound` of Pane-Hound."""
    words = {word.casefold() for name in (actor.name, *actor.aliases) for word in re.findall(r"\w+", name)}
    return any(
        len(word) >= MIN_ROLE_LETTERS and word in words for word in re.findall(r"\w+", rest.casefold())
    )


def _may_be_somebody(rest: str, context: SceneContext) -> bool:
    """Say whether the words are about somebody who is not known yet (`the orc`), and not about a known thing."""
    match = _SOMEBODY.match(rest)
    things = [entity for entity in context.entities.values() if entity.kind not in ACTORS]
    return match is not None and not any(_has_word_of_name(match["who"], thing) for thing in things)


def _describe_move(choice: MoveChoice, target: Entity | None) -> str:
    name = spoken_key(choice.move.key).capitalize()
    return f"{name} {target.name}" if target else name


def _describe_dice(spec: CheckSpec) -> str:
    if spec.formula is None or spec.target is None:
        return f"{spec.odds} odds"
    partial = f", partial within {spec.partial_within}" if spec.partial_within else ""
    return f"{spec.formula} vs {spec.target}{partial}{', low wins' if spec.low_wins else ''}"


def _describe_outcomes(spec: CheckSpec) -> str:
    """Return what each degree would change: `Success: Orc: HP -4`."""
    outcomes = (
        (degree, ", ".join(describe_effect(str(effect)) for effect in spec.effects.get(degree, ())))
        for degree in Degree
    )
    return " ".join(f"{degree.value.capitalize()}: {effects}." for degree, effects in outcomes if effects)
