"""What plain words of a line decide and promise, and what they seem to settle.

A promise is proposed with its line, and a decision that plainly holds is entered with it: both go with the turn
when it is undone. What is less plain is only offered, as a command that Tab takes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from agents.canon_keeper.commitments import CommitmentKind, CommitmentReader, commitment_kind
from agents.canon_keeper.fact_readings import SUBJECT
from agents.canon_keeper.proposal_description import is_rumour, stated_title
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.context_assembly.story_agenda import read_staged_commitments
from agents.context_assembly.story_decisions import read_decisions
from agents.declarations.amounts import names_other_amount
from agents.declarations.entity_lookup import scene_entity_finder
from agents.declarations.plain_promises import build_promise_fact
from agents.declarations.same_promises import SamePromise, find_same_promise
from agents.orchestrator.exchange import Exchange
from agents.proposals.decisions import is_rejected
from agents.proposals.proposals import Proposals, ProposalSite
from agents.prose.hero_words import find_hero_sentences, split_plain_sentences
from agents.prose.names import names_of
from agents.prose.opening_times import drop_opening_times, restore_times
from agents.prose.plain_decisions import find_decisions
from agents.prose.plain_promises import PlainPromise, find_promises_of_gm, find_promises_of_player
from agents.prose.promise_names import list_small_names
from agents.prose.settled_words import (
    breaks_promise,
    drops_decision,
    find_best_match,
    find_settled,
    forgives_debt,
    goes_against,
    keeps_promise,
    settles_commitment,
)
from agents.prose.speech import strip_speech
from agents.solo.presence_checks import describe_unawareness
from agents.solo.story_decisions import describe_overflow
from agents.views.replies import Reply
from agents.views.scene_views import Offer
from stores.ports import LogReader
from stores.records.canon import AssertFact, Authority, EndFact, Fact, Standing
from stores.records.ids import Clock
from stores.records.workflow import ProposedChange
from stores.records.world import ACTORS, Entity

MAX_PROMISES: Final = 3
"""Promises of one line that are proposed."""


class _MadePromise(NamedTuple):
    """A promise in the words of a line."""

    fact: AssertFact
    promise: PlainPromise
    same: SamePromise | None
    """The open promise that it may be in other words."""


class PlainVows:
    """Reads decisions and promises from typed lines, and says what came of them."""

    def __init__(
        self,
        log: LogReader,
        contexts: SceneContextLoader,
        commitments: CommitmentReader,
        proposals: Proposals,
        clock: Clock,
    ) -> None:
        self._log = log
        self._contexts = contexts
        self._commitments = commitments
        self._proposals = proposals
        self._clock = clock

    async def build_promises(self, exchange: Exchange, context: SceneContext) -> tuple[ProposedChange, ...]:
        """Return a proposal for each promise that the words of an exchange make, and that is not open already."""
        turn = exchange.build_words_turn(self._clock())
        if turn is None:
            return ()
        site = ProposalSite(
            context.universe.id, context.story.id, context.scene.id, turn.id, tick=exchange.tick
        )
        return tuple(
            self._proposals.build(
                made.fact,
                restore_times(made.promise.quote, turn.text),
                # Who was not there to hear it may never have been promised it: the player decides.
                # What others are said to promise is read from prose as any other claim is.
                Authority.GM
                if not made.promise.promiser and _is_heard(made.fact, context)
                else Authority.SYSTEM,
                site,
                turn=turn,
            )
            for made in await self._read_promises(exchange, context)
            if made.same is None or not made.same.is_certain
        )

    async def _read_promises(self, exchange: Exchange, context: SceneContext) -> list[_MadePromise]:
        """Return the promises in the words of an exchange, each with the open one that it may be in other words."""
        turn = exchange.build_words_turn(self._clock())
        if turn is None or exchange.is_oracle_question:
            return []
        people = [e for e in context.entities.values() if e.kind in ACTORS]
        people += await self._find_in_small_letters(turn.text, context)
        if exchange.gm_authored:
            text = f"{exchange.npc_name} says: “{turn.text}”" if exchange.npc_name else turn.text
            promises = find_promises_of_gm(drop_opening_times(text), [names_of(e) for e in people])
        else:
            promises = find_promises_of_player(turn.text, [names_of(e) for e in people])
        listeners = _list_listeners(exchange, context)
        find = scene_entity_finder(context, self._contexts, guess=True)
        facts = [
            await build_promise_fact(promise, context, listeners, find, exchange.tick)
            for promise in promises[:MAX_PROMISES]
        ]
        # What these very words propose is no other promise.
        own_ids = {proposal.id for proposal in exchange.proposals}
        open_promises = (
            [f for f in await self._list_open_promises(context) if f.proposal_id not in own_ids]
            if any(facts)
            else []
        )
        return [
            _MadePromise(fact, promise, find_same_promise(fact, open_promises, people))
            for fact, promise in zip(facts, promises, strict=False)
            if fact is not None
        ]

    async def _find_in_small_letters(self, text: str, context: SceneContext) -> list[Entity]:
        """Return who in canon and not in the scene is promised something by a small name: `the undersinger`."""
        names = list_small_names(text)
        named = await self._contexts.canon.entities_named(context.universe.id, names) if names else []
        return [e for e in named if e.kind in ACTORS and e.id not in context.entities and not e.merged_into]

    async def describe_same_promise(
        self, context: SceneContext, proposals: Sequence[ProposedChange]
    ) -> tuple[str, ...]:
        """Return a line on the open promise that a declared one may be in other words; `context` is before it."""
        people = [e for e in context.entities.values() if e.kind in ACTORS]
        open_promises = await self._list_open_promises(context)
        promises = (p.change for p in proposals if isinstance(p.change, AssertFact))
        matches = (find_same_promise(promise, open_promises, people) for promise in promises)
        return tuple(_describe_same(match) for match in matches if match is not None)

    async def describe_repeated_promises(
        self, context: SceneContext, proposals: Sequence[ProposedChange]
    ) -> tuple[str, ...]:
        """Return a line on each declared promise if the player has proposed all of them already, in whatever words.

        `context` is before they are proposed.
        """
        promises = [
            p.change
            for p in proposals
            if isinstance(p.change, AssertFact)
            and p.change.predicate == "promised"
            and p.change.standing is Standing.TRUE
        ]
        if not promises or len(promises) < len(proposals):
            return ()
        own_ids = {p.id for p in context.undecided if p.authority is Authority.GM and not is_rejected(p)}
        open_promises = [f for f in await self._list_open_promises(context) if f.proposal_id in own_ids]
        people = [e for e in context.entities.values() if e.kind in ACTORS]
        matches = [find_same_promise(promise, open_promises, people) for promise in promises]
        equal = [match for match in matches if match is not None and match.is_equal]
        return tuple(map(_describe_same, equal)) if len(equal) == len(promises) else ()

    async def _list_open_promises(self, context: SceneContext) -> list[Fact]:
        """Return what was promised and is open, in canon or proposed in the scene, and not said to be settled."""
        return [f for f in await self.list_commitments(context) if f.predicate == "promised"]

    async def add_reply_lines(self, exchange: Exchange, context: SceneContext, reply: Reply) -> Reply:
        """Say what the words of an exchange promised and decided, and offer what they seem to settle.

        `context` is the scene after the exchange.
        """
        if not exchange.words or exchange.is_oracle_question:
            return reply
        titles = ((stated_title(p.change), is_rumour(p.change)) for p in exchange.proposals)
        lines = [
            f"Proposed{' as a rumour' if is_told else ''}: {title}" for title, is_told in titles if title
        ]
        same_lines, offered_line = await self._describe_same_promises(exchange, context)
        lines += same_lines
        if not exchange.gm_authored:
            decision_lines, offered_decision = await self._describe_decisions(exchange, context)
            lines += decision_lines
            offered_line = offered_line or offered_decision
        offered_line = offered_line or await self._offer_settlement(exchange, context)
        offers = [Offer(_OFFERS[offered_line.split()[0]], offered_line)] if offered_line else []
        lines += [f"{offer.text} (Tab takes it)" for offer in offers]
        if not lines:
            return reply
        return replace(
            reply,
            lines=(*reply.lines, *lines),
            suggested_line=reply.suggested_line or offered_line,
            offers=(*reply.offers, *offers),
        )

    async def _describe_same_promises(
        self, exchange: Exchange, context: SceneContext
    ) -> tuple[list[str], str]:
        """Return a line on each promise that is open in other words, and the command that keeps one of two."""
        lines, offered_line = list[str](), ""
        titles = {stated_title(proposal.change) for proposal in exchange.proposals}
        for made in await self._read_promises(exchange, context):
            title = made.fact.statement
            if made.same is None or not (made.same.is_certain or title in titles):
                continue
            lines.append(_describe_same(made.same))
            if not made.same.is_certain:
                offered_line = offered_line or f"/reject {title.rstrip('.')}"
        return lines, offered_line

    async def _describe_decisions(self, exchange: Exchange, context: SceneContext) -> tuple[list[str], str]:
        """Return a line on each decision that the words go against or enter, and the command for a less plain one."""
        sentences = _list_unspoken(exchange.words)
        decisions = find_decisions(exchange.words)
        if not sentences and not decisions:
            return [], ""
        open_decisions = await read_decisions(self._log, context)
        broken_lines, entered_lines = list[str](), list[str]()
        for number, decision in enumerate(open_decisions, start=1):
            if decision.turn_id == exchange.words_id:
                entered_lines.append(f"Decided: {decision.text} (/lift {number} takes it back)")
            elif any(goes_against(sentence, decision.text) for sentence in sentences):
                broken_lines.append(
                    f"You decided: {decision.text} (/lift {number} takes it back, Ctrl+Z this line)"
                )
        overflow_lines = describe_overflow(open_decisions) if entered_lines else ()
        lines = [*broken_lines, *entered_lines, *overflow_lines]
        offered = next((d.words for d in decisions if not d.is_lasting), "")
        return lines, f"/decide {offered}" if offered else ""

    async def _offer_settlement(self, exchange: Exchange, context: SceneContext) -> str:
        """Return the command for what the words plainly keep, break or drop; empty if it is not clear what."""
        words = exchange.words
        if exchange.npc_name:
            return ""
        if exchange.gm_authored:
            sentences = split_plain_sentences(strip_speech(words))
        else:
            sentences = [sentence.text for sentence in find_hero_sentences(words)]
        command, statements = "", list[str]()
        if breaks_promise(sentences) or keeps_promise(sentences):
            command = "/broken" if breaks_promise(sentences) else "/paid"
            statements = await self._list_commitment_statements(context)
        elif not exchange.gm_authored and drops_decision(sentences):
            command = "/lift"
            statements = [decision.text for decision in await read_decisions(self._log, context)]
        index = find_best_match(words, statements)
        deeds = sentences if exchange.gm_authored else _list_unspoken(words)
        if not command and settles_commitment(deeds):
            settled = await self._find_settled(deeds, exchange, context)
            return f"/paid {settled.statement.rstrip('.')}" if settled else ""
        if index is None:
            return ""
        # By its words: its number is that of another as soon as one before it is settled.
        return f"{command} {statements[index].rstrip('.')}"

    async def _find_settled(
        self, deeds: Sequence[str], exchange: Exchange, context: SceneContext
    ) -> Fact | None:
        """Return the promise or debt that deeds settle; None if none is, or by another amount or by somebody else."""
        own_titles = {stated_title(proposal.change) for proposal in exchange.proposals}
        commitments = [f for f in await self.list_commitments(context) if f.statement not in own_titles]
        # Nothing is given back to somebody who is not there, but a debt to them may be forgiven.
        heard = [f for f in commitments if _is_heard(f, context)]
        debts = [f for f in commitments if commitment_kind(f) is CommitmentKind.DEBT]
        hero = context.player_character()
        hero_name = hero.name if hero else ""
        for candidates in (heard, debts if forgives_debt(deeds) else []):
            statements = [fact.statement for fact in candidates]
            index = find_settled(deeds, statements, hero_name)
            if index is None:
                continue
            payments = [deed for deed in deeds if find_settled([deed], statements, hero_name) == index]
            is_of_other = all(
                names_other_amount(payment, statements[index])
                or (not exchange.gm_authored and _is_owed_by_other(payment, candidates[index], context))
                for payment in payments
            )
            return None if is_of_other else candidates[index]
        return None

    async def _list_commitment_statements(self, context: SceneContext) -> list[str]:
        return [commitment.statement for commitment in await self.list_commitments(context)]

    async def list_commitments(self, context: SceneContext) -> list[Fact]:
        """Return the promises and debts that are open and not said to be settled, in canon and proposed here."""
        settled_ids = {p.change.fact_id for p in context.staged_proposals if isinstance(p.change, EndFact)}
        commitments = await self._commitments.list_commitments(context.universe.id, context.tick)
        facts = (*(commitment.fact for commitment in commitments), *read_staged_commitments(context))
        return [fact for fact in facts if fact.id not in settled_ids]


def _describe_same(same: SamePromise) -> str:
    question = "" if same.is_certain else ", in other words?"
    return f"Promised already{question or ':'} {same.fact.statement}"


def _list_unspoken(words: str) -> list[str]:
    """Return the sentences of a player's line that nobody speaks."""
    return [sentence.text for sentence in find_hero_sentences(words) if not sentence.is_spoken]


def _is_heard(fact: AssertFact | Fact, context: SceneContext) -> bool:
    """Say whether the people who are in a promise are here, alive and awake."""
    aware = (e for e in context.present_actors() if not describe_unawareness(context, e))
    here_ids = {context.story.pc_id, *(e.id for e in aware)}
    involved = (context.entities.get(i.entity_id) for i in fact.involves)
    return all(
        entity is not None and (entity.kind not in ACTORS or entity.id in here_ids) for entity in involved
    )


def _is_owed_by_other(payment: str, commitment: Fact, context: SceneContext) -> bool:
    """Say whether the hero gives what somebody else owes or promised, who is not named beside it."""
    debtor = context.entities.get(commitment.entity(SUBJECT) or "")
    if debtor is None or debtor.id == context.story.pc_id or not _HERO_GIVES.search(payment):
        return False
    return not any(name in payment for name in names_of(debtor))


_HERO_GIVES: Final = re.compile(
    r"\bI\s+(?:\w+ly\s+|then\s+|now\s+)?(?:(?:re)?pay|(?:re)?paid|settled?|cleared?|clear|give|gave|hand(?:ed)?|"
    r"return(?:ed)?|deliver(?:ed)?|bring|brought|send|sent)\b"
)
"""The hero pays or gives back, and does not forgive."""

_OFFERS: Final = {
    "/reject": "The same?",
    "/decide": "Decision?",
    "/paid": "Kept?",
    "/broken": "Broken?",
    "/lift": "No longer decided?",
}
"""What is asked before a command that is offered."""


def _list_listeners(exchange: Exchange, context: SceneContext) -> list[Entity]:
    """Return who hears the words, besides the hero."""
    actors = (e for e in context.present_actors() if e.id != context.story.pc_id)
    others = [e for e in actors if not describe_unawareness(context, e)]
    return [e for e in others if e.id in exchange.hearers] if exchange.hearers else others
