"""Plays one line of the story: from typed text to an exchange that is recorded and rolled."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final

from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.context_assembly.story_agenda import StoryAgenda
from agents.narrator.decision_marks import strip_typed_markers
from agents.orchestrator.contradicted_narration import ContradictedNarration
from agents.orchestrator.deadlock import describe_circle
from agents.orchestrator.exchange import Exchange, begin_exchange
from agents.orchestrator.exchange_pipeline import ExchangePipeline, is_answered
from agents.orchestrator.input.audience import resolve_hearers
from agents.orchestrator.input.parser import RollInput, WordsInput, strip_inline_roll
from agents.orchestrator.input.speakers import give_words_to_speaker, require_speakers
from agents.orchestrator.move_offers import MoveOffers
from agents.orchestrator.narration.narration import Narration
from agents.orchestrator.outcome import Outcome
from agents.orchestrator.plain_claims import PlainClaims
from agents.orchestrator.plain_hearsay import PlainHearsay
from agents.orchestrator.plain_secrets import PlainSecrets
from agents.orchestrator.plain_vows import PlainVows
from agents.orchestrator.play_tools import PlayTools
from agents.orchestrator.rolls import describe_partial_without_effect
from agents.orchestrator.timeline import Timeline
from agents.prose.names import names_of
from agents.resolver.likelihood import LikelihoodSuggestion
from agents.resolver.oracle import Likelihood
from agents.sanitize import clean
from agents.solo.described_moves import (
    describe_acting_dead,
    describe_figurative_deaths,
    describe_moves,
    describe_unclear_place,
    notice_missed,
)
from agents.solo.notices import CommandHint, add_notices
from agents.solo.oracle_draws import OracleDraws
from agents.solo.solo_tools import SoloTools
from agents.solo.told_time import notice_time
from agents.views.replies import Reply
from stores.errors import InputError
from stores.records.ids import Id, IdGenerator
from stores.records.play import Speaker

WORDS_WAIT: Final = "Esc, or another line, tells it without a roll."
UNANSWERED_QUESTION: Final = (
    "Nobody answers by itself: > answers as the GM, ? before a yes-or-no question asks the oracle, "
    "F8 asks the record."
)


@dataclass(frozen=True, slots=True)
class LineRun:
    """A line of the story on its way through the steps; it ends early as soon as there is a reply."""

    line: str
    """What was typed, which goes back into the prompt when something is missing."""
    parsed: WordsInput | RollInput
    context: SceneContext
    offers_moves: bool = False
    """Whether a line that calls for a move of the story's rules is answered with the roll."""
    hearer_ids: tuple[Id, ...] = ()
    exchange: Exchange | None = None
    likelihood_notes: tuple[str, ...] = ()
    """Why canon was not asked how likely a yes is."""
    reply: Reply | None = None
    agenda: StoryAgenda | None = None
    """The story's agenda after the exchange, if it was read."""

    @property
    def roll(self) -> RollInput | None:
        return self.parsed.roll if isinstance(self.parsed, WordsInput) else self.parsed


class LinePlayer:
    """Turns one line of the story into an exchange that is recorded and rolled."""

    def __init__(
        self,
        contexts: SceneContextLoader,
        pipeline: ExchangePipeline,
        timeline: Timeline,
        narration: Narration,
        oracle_draws: OracleDraws,
        move_offers: MoveOffers,
        play_tools: PlayTools,
        solo_tools: SoloTools,
        plain_vows: PlainVows,
        plain_claims: PlainClaims,
        plain_secrets: PlainSecrets,
        plain_hearsay: PlainHearsay,
        contradicted_narration: ContradictedNarration,
        ids: IdGenerator,
    ) -> None:
        self._contexts = contexts
        self._pipeline = pipeline
        self._timeline = timeline
        self._narration = narration
        self._oracle_draws = oracle_draws
        self._move_offers = move_offers
        self._play_tools = play_tools
        self._solo_tools = solo_tools
        self._plain_vows = plain_vows
        self._plain_claims = plain_claims
        self._plain_secrets = plain_secrets
        self._plain_hearsay = plain_hearsay
        self._contradicted_narration = contradicted_narration
        self._ids = ids
        self._steps: tuple[Callable[[LineRun], Awaitable[LineRun]], ...] = (
            self._suggest_likelihood,
            self._read_speakers,
            self._offer_move,
            self._request_dice,
            self._resolve_hearers,
            self._begin_exchange,
            self._play_exchange,
        )

    async def play(
        self, parsed: WordsInput | RollInput, context: SceneContext, line: str, *, offers_moves: bool = False
    ) -> Outcome:
        """Play the line, or reply with what it still needs: a likelihood, a number, the player's own dice.

        With `offers_moves` the reply may also be the roll that the words call for.
        """
        if isinstance(parsed, WordsInput) and parsed.text and not strip_typed_markers(parsed.text):
            raise InputError(
                "There are no words of the story beside the decision.",
                kept="Nothing was played.",
                todo="/decide WORDS decides something without a turn.",
            )
        run = LineRun(line, parsed, context, offers_moves)
        for step in self._steps:
            run = await step(run)
            if run.reply is not None:
                break
        assert run.reply is not None
        return Outcome(run.reply, run.context, "active", run.exchange, agenda=run.agenda)

    async def check_start(self, context: SceneContext, faces: tuple[int, ...] | None) -> Outcome:
        """Roll whether the scene begins as expected, altered or interrupted, as an exchange of its own."""
        await self._solo_tools.scene_start.require_start_roll(context)
        return await self.play(RollInput("start", "", faces), context, "/start")

    async def finish_track(self, context: SceneContext, track: str, faces: tuple[int, ...] | None) -> Outcome:
        """Roll how well work on a track ends; the track is given by name or number."""
        clock = await self._solo_tools.clocks.find_open_track(context, track)
        return await self.play(RollInput("track", clock.name, faces), context, f"/track {clock.name} roll")

    async def narrate_again(self, context: SceneContext, note: str) -> Outcome:
        """Begin another take of the last GM turn, narrated by the model; `note` says what it should do otherwise.

        Raises ModelError; the present take is kept whatever happens.
        """
        return await self._begin_narration(await self._narration.plan_retake(context, clean(note)), context)

    async def continue_narration(self, context: SceneContext, note: str) -> Outcome:
        """Begin the narration of what happens next, without an act of the player's."""
        exchange = await self._narration.plan_continuation(context, clean(note))
        return await self._begin_narration(exchange, context)

    async def _begin_narration(self, exchange: Exchange, context: SceneContext) -> Outcome:
        await self._pipeline.play(exchange, context)
        return Outcome(Reply("exchange"), exchange=exchange)

    async def _suggest_likelihood(self, run: LineRun) -> LineRun:
        """For a question without a likelihood, reply with the one that canon suggests; the player decides."""
        parsed, roll = run.parsed, run.roll
        if not isinstance(parsed, WordsInput) or roll is None or roll.kind != "oracle" or roll.spec:
            return run
        suggestion = await self._oracle_draws.suggest_likelihood(parsed.text, run.context)
        if suggestion.likelihood is not Likelihood.EVEN:
            return replace(run, reply=_suggestion_reply(parsed.text, suggestion, roll))
        notes = () if suggestion.is_fit else (f"Asked at {suggestion.text}.",)
        parsed = replace(parsed, roll=replace(roll, spec=Likelihood.EVEN.value))
        return replace(run, parsed=parsed, likelihood_notes=notes)

    async def _offer_move(self, run: LineRun) -> LineRun:
        """For plain words that call for a move, reply with it; the player decides whether it is rolled."""
        if not run.offers_moves or not isinstance(run.parsed, WordsInput):
            return run
        return replace(run, reply=await self._move_offers.offer(run.parsed, run.context, run.line))

    async def _request_dice(self, run: LineRun) -> LineRun:
        """Validate the roll, and ask for the player's own dice that are still to be thrown."""
        if run.roll is None:
            return run
        reply = await self._play_tools.dice_requests.request_missing_input(run.line, run.roll, run.context)
        return replace(run, reply=reply and _with_waiting_words(reply, run))

    async def _read_speakers(self, run: LineRun) -> LineRun:
        """Refuse a line in which somebody speaks who is dead or away; give the words of one who is here to them."""
        is_question = run.roll is not None and run.roll.kind == "oracle"
        if not isinstance(run.parsed, WordsInput) or is_question:
            return run
        await require_speakers(run.parsed, run.context, self._contexts)
        parsed = await give_words_to_speaker(run.parsed, run.context, self._contexts)
        return replace(run, parsed=parsed)

    async def _resolve_hearers(self, run: LineRun) -> LineRun:
        """Find out who alone hears a whisper."""
        if not isinstance(run.parsed, WordsInput):
            return run
        parsed, hearer_ids = await resolve_hearers(run.parsed, run.context, self._contexts)
        return replace(run, parsed=parsed, hearer_ids=hearer_ids)

    async def _begin_exchange(self, run: LineRun) -> LineRun:
        """Fix everything about the exchange that could differ between two tries."""
        parsed, context, roll = run.parsed, run.context, run.roll
        exchange = begin_exchange(
            self._ids,
            context.scene,
            context.head,
            words=parsed.text if isinstance(parsed, WordsInput) else "",
            gm_authored=isinstance(parsed, WordsInput) and parsed.gm_authored,
            npc_name=parsed.npc_name if isinstance(parsed, WordsInput) else "",
            roll=(roll.kind, roll.spec) if roll else None,
            faces=roll.faces if roll else None,
            is_answered=is_answered(await self._timeline.read_last_exchange(context.scene)),
            needs_narration=self._narration.should_answer(parsed),
            hearer_ids=run.hearer_ids,
            now=context.tick,
        )
        if exchange.roll and exchange.words_id is None:
            take = await self._timeline.take_number_after(context.scene, exchange.exchange_id, Speaker.ORACLE)
            exchange = exchange.model_copy(update={"roll": exchange.roll.model_copy(update={"take": take})})
        if exchange.gm_authored and context.head and exchange.exchange_id == context.head.exchange_id:
            take = await self._timeline.take_number_after(
                context.scene, exchange.exchange_id, exchange.words_speaker
            )
            exchange = exchange.model_copy(update={"words_take": take})
        promises = await self._plain_vows.build_promises(exchange, context)
        claims = await self._plain_claims.build_claims(exchange, context)
        secrets = await self._plain_secrets.build_changes(exchange, context)
        rumours = await self._plain_hearsay.build_rumours(exchange, context)
        if promises or claims or secrets or rumours:
            proposals = (*promises, *claims, *secrets, *rumours)
            exchange = exchange.model_copy(update={"proposals": proposals})
        return replace(run, exchange=exchange)

    async def _play_exchange(self, run: LineRun) -> LineRun:
        """Record, roll, seal and propose; the context is the scene as it stands then."""
        assert run.exchange is not None
        played = await self._pipeline.play(run.exchange, run.context)
        lines = self._play_tools.dice_requests.explain_program_draws(
            played.turns, played.results, run.context
        )
        effect_lines = (line for result in played.results for line in describe_partial_without_effect(result))
        context = await self._pipeline.read_context_after(played)
        move_lines = describe_moves(context, played.moves.entries)
        reply = Reply(
            "exchange",
            (
                *run.likelihood_notes,
                *lines,
                *effect_lines,
                *move_lines,
                *describe_unclear_place(played.moves),
                *describe_acting_dead(played.moves),
                *(
                    describe_figurative_deaths(run.exchange.words, context)
                    if run.exchange.gm_authored
                    else ()
                ),
            ),
        )
        reply = await self._plain_vows.add_reply_lines(run.exchange, context, reply)
        claim_lines = (
            *await self._plain_claims.describe_claims(run.exchange),
            *await self._plain_claims.describe_other_holders(run.exchange, run.context),
            *await self._plain_claims.describe_shared_names(run.exchange, context),
            *await self._plain_claims.describe_denied_deeds(run.exchange, run.context),
            *await self._plain_claims.describe_destroyed_things(run.exchange, run.context),
            *await self._plain_hearsay.describe_hearsay(run.exchange, run.context, context, played.turns),
        )
        claim_lines += await self._contradicted_narration.describe_contradicted(
            run.exchange, run.context, (*reply.lines, *claim_lines)
        )
        unknown_names = await self._plain_claims.notice_unknown_names(run.exchange, context, played.moves)
        question_lines = (UNANSWERED_QUESTION,) if run.offers_moves and _is_unanswered_question(run) else ()
        circle_lines = (describe_circle(played.circle),) if played.circle else ()
        reply = replace(reply, lines=(*reply.lines, *claim_lines))
        time_notices = _notice_time(run.exchange, context)
        reply = add_notices(reply, (*notice_missed(context, played.moves), *unknown_names, *time_notices))
        next_lines = (*played.arbitration.player_lines, *circle_lines)
        reply = replace(
            reply,
            lines=(*reply.lines, *question_lines, *next_lines),
            offers=(*reply.offers, *played.arbitration.offers),
        )
        return replace(run, context=context, reply=reply, agenda=played.agenda)


def _notice_time(exchange: Exchange, context: SceneContext) -> list[CommandHint]:
    """Return the offer of the time that typed words let pass; a model says itself how long its narration takes."""
    if (
        exchange.time_passes
        or exchange.npc_name
        or exchange.is_oracle_question
        or exchange.narration is not None
    ):
        return []
    hero = context.player_character()
    hero_names = names_of(hero) if hero is not None else ()
    return notice_time(
        strip_typed_markers(exchange.words), context.universe.calendar, context.tick, hero_names
    )


def _is_unanswered_question(run: LineRun) -> bool:
    """Return whether the player asks in plain words what neither a model nor the oracle answers."""
    assert run.exchange is not None
    words = run.parsed.text.rstrip() if isinstance(run.parsed, WordsInput) else ""
    is_answered = run.roll is not None or run.exchange.gm_authored or run.exchange.narration is not None
    return words.endswith("?") and not is_answered


def _with_waiting_words(reply: Reply, run: LineRun) -> Reply:
    """Return a reply that asks for something with the words that wait for it: another line is told behind them."""
    if not isinstance(run.parsed, WordsInput):
        return reply
    is_question = run.roll is not None and run.roll.kind == "oracle"
    words = run.parsed.text if is_question else strip_inline_roll(run.line)
    return replace(reply, lines=(*reply.lines, WORDS_WAIT), plain_line=words) if words else reply


def _suggestion_reply(question: str, suggestion: LikelihoodSuggestion, roll: RollInput) -> Reply:
    """Return a reply that puts the suggested likelihood into the prompt."""
    faces_text = f" = {' '.join(map(str, roll.faces))}" if roll.faces else ""
    return Reply(
        "operation",
        (
            f"Canon suggests {suggestion.text}",
            "Enter asks at that; change the word before the colon if you see it otherwise.",
            WORDS_WAIT,
        ),
        plain_line=question,
        prompt_text=f"? {suggestion.likelihood}: {question}{faces_text}",
    )
