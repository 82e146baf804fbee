"""Conflicts, promises and policy rules for the prompt and for scripts: `/resolve`, `/promises`, `/paid`, `/rules`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agents.canon_keeper.commitments import commitment_kind, settled_error
from agents.context_assembly.scene_context import SceneContextLoader
from agents.context_assembly.story_agenda import StoryAgenda, StoryAgendaReader, read_staged_commitments
from agents.name_matching import match_names
from agents.proposals.decisions import VERDICT_WORDS
from agents.proposals.evidence import show_words
from agents.prose.hero_name import name_hero
from agents.services.commitment_ledger import CommitmentService
from agents.services.conflicts import ConflictService
from agents.services.policy import PolicyService
from agents.views.conflict_views import (
    KindPolicyView,
    PolicyView,
    ProposalConflict,
    RulingOptionName,
    RulingOutcome,
    RulingRequest,
    StatementSide,
)
from agents.views.proposal_views import ProposalView
from agents.views.world_views import EvidenceSource, StagedEdits
from stores.errors import InputError
from stores.records.canon import EndFact, Fact, Standing
from stores.records.ids import Id
from stores.records.workflow import KindRule

MAX_QUOTES = 2
"""Quotes of one statement that a reply has."""
MAX_QUOTE_LENGTH = 90
MAX_NAMED_COMMITMENTS = 5
"""Open promises that are named when it is not clear which is meant."""


class _RulingWord(NamedTuple):
    """A ruling, by the word that is typed for it."""

    option_name: RulingOptionName
    meaning: str
    standing: Standing = Standing.RUMOUR


RULING_WORDS = {
    "new": _RulingWord(
        "new", "The new one is true from now on, or from a time behind it; the old one was until then."
    ),
    "never": _RulingWord("never", "The new one is true; the old one never was."),
    "old": _RulingWord("old", "The old one is true; the new one is rejected."),
    "rumour": _RulingWord("both", "Both are kept, the new one only as a rumour."),
    "lie": _RulingWord("both", "Both are kept, the new one only as a lie.", Standing.LIE),
    "disputed": _RulingWord("both", "Both are kept, the new one as disputed.", Standing.DISPUTED),
    "until": _RulingWord(
        "until", "The old one was true until now, or until a time behind it; the new one is since then."
    ),
    "split": _RulingWord(
        "split", "Both are true, of two things with one name; the words behind it name the other."
    ),
    "same": _RulingWord("same", "They are the same: what is said of one is said of both."),
    "different": _RulingWord("different", "They are different; you will not be asked again."),
    "accept": _RulingWord("accept", "The new one is accepted all the same: the next commit writes it."),
    "reject": _RulingWord("reject", "The new one is rejected: canon stays as it is."),
}
"""The words for rulings. Each is a command, too: `/lie 2` is `/resolve 2 lie`.

`old` after `rumour`, `lie` or `disputed` applies it to the older statement, `new` after `until` ends the newer
one, `old:` after `split` makes the older one be about somebody else. The rest is the time or the name.
"""


class ConflictCommandService:
    """Answers the commands on conflicts, promises and policy rules, in lines."""

    def __init__(
        self,
        conflicts: ConflictService,
        policy: PolicyService,
        context: SceneContextLoader,
        commitments: CommitmentService,
        agendas: StoryAgendaReader,
    ) -> None:
        self._conflicts = conflicts
        self._policy = policy
        self._context = context
        self._commitments = commitments
        self._agendas = agendas

    async def describe_conflict(self, row: ProposalView) -> tuple[str, ...]:
        """Return both sides of a proposal's first conflict, and the rulings to choose from.

        Raises InputError if it has no conflict.
        """
        conflict, other_count = await self._read_first_conflict(row)
        lines = [f"new: {conflict.new.text}", *_quote_lines(conflict.new.evidence)]
        if conflict.old is not None:
            lines += [
                f"old, {conflict.old.standing}: {conflict.old.text}",
                *_quote_lines(conflict.old.evidence),
            ]
        option_lines = [
            f"/{way} {row.number}  {RULING_WORDS[way].meaning}" for way in _list_open_ways(conflict)
        ]
        more_lines = [f"{other_count} more conflicts come after this one."] if other_count else []
        return (
            conflict.text,
            *lines,
            *option_lines,
            "What changes canon is written at once.",
            *more_lines,
        )

    async def make_ruling(self, row: ProposalView, typed_ruling: str) -> RulingOutcome:
        """Make a ruling on a proposal's first conflict. Raises InputError."""
        word, _, remainder = typed_ruling.partition(" ")
        ruling_word = RULING_WORDS.get(word.casefold())
        if ruling_word is None:
            raise InputError(
                f"{word[:40]!r} is no way to resolve it.",
                kept="Nothing was changed.",
                todo=f"Say {', '.join(RULING_WORDS)}.",
            )
        conflict, _ = await self._read_first_conflict(row)
        if ruling_word.option_name not in {option.name for option in conflict.options}:
            raise InputError(
                f"“{word}” cannot resolve this conflict.",
                kept="Nothing was changed.",
                todo=f"Say {' or '.join(f'/{way} {row.number}' for way in _list_open_ways(conflict))}.",
            )
        return await self._conflicts.make_ruling(_parse_ruling(row, conflict, ruling_word, remainder.strip()))

    async def _read_first_conflict(self, row: ProposalView) -> tuple[ProposalConflict, int]:
        """Return the first conflict, and how many others there are."""
        conflicts = (await self._conflicts.read_conflicts(row.proposal.id)).conflicts
        if not conflicts:
            decided = f", and {VERDICT_WORDS[row.verdict].casefold()}" if row.verdict else ""
            raise InputError(
                f"{row.number} “{row.title.removesuffix('.')}” is in no conflict{decided}.",
                kept="Nothing was changed.",
                todo=f"/undecide {row.number} takes that decision back."
                if row.verdict
                else f"/accept {row.number} or /reject {row.number} decides it.",
            )
        return conflicts[0], len(conflicts) - 1

    async def list_commitments(self, scene_id: Id) -> tuple[str, ...]:
        """Return the open promises, debts and questions, then the proposed, with their numbers among the threads."""
        context = await self._context.load_context(scene_id)
        agenda = await self._agendas.read_numbered_agenda(context)
        ledger = await self._commitments.read_commitments(context.universe.id, scene_id)
        ended_ids = {p.change.fact_id for p in context.staged_proposals if isinstance(p.change, EndFact)}
        proposed_lines = (
            f"{agenda.thread_numbers[f.id]}. {commitment_kind(f)}: {f.statement}  (proposed"
            f"{', settling too' if f.id in ended_ids else ''})"
            for f in read_staged_commitments(context)
        )
        return (*(commitment.line for commitment in ledger.open_commitments), *proposed_lines)

    async def propose_pay_off(self, scene_id: Id, typed_name: str, *, is_met: bool = True) -> StagedEdits:
        """Propose that a promise was kept (or broken), on the evidence of the last turn.

        It is named by its number among the threads, or by its words. Raises InputError.
        """
        context = await self._context.load_context(scene_id)
        agenda = await self._agendas.read_numbered_agenda(context)
        ledger = await self._commitments.read_commitments(context.universe.id, scene_id)
        facts = [*(c.fact.fact for c in ledger.open_commitments), *read_staged_commitments(context)]
        hero = context.player_character()
        hero_name = hero.name if hero else ""
        number = int(typed_name[:9]) if typed_name.isdecimal() else 0

        def find_named(among: Sequence[Fact]) -> list[Id]:
            if number:
                return [f.id for f in among if agenda.thread_numbers.get(f.id) == number]
            return _match_statements(typed_name, among, hero_name)

        named_ids = find_named(facts)
        if not named_ids:
            closed_facts = {c.fact.fact.id: c.fact.fact for c in ledger.closed_commitments}
            for fact_id in find_named(list(closed_facts.values()))[-1:]:
                raise settled_error(closed_facts[fact_id], kept="Nothing was proposed.")
        if len(named_ids) != 1:
            raise _unnamed_commitment_error(agenda, number, facts, named_ids)
        return await self._commitments.propose_pay_off(named_ids[0], scene_id, is_met=is_met)

    async def describe_rules(self, universe_id: Id) -> tuple[str, ...]:
        """Return the policy rules by kind, and those that the GM's own decisions suggest."""
        policy = await self._policy.read_policy(universe_id)
        return tuple(_describe_policy(policy))

    async def set_rule(self, universe_id: Id, kind: str, rule_name: str) -> None:
        """Set a policy rule for a kind of proposal; `off` removes it. Raises InputError."""
        rules_by_name = {rule.value: rule for rule in KindRule}
        if rule_name != "off" and rule_name not in rules_by_name:
            raise InputError(
                f"{rule_name[:40]!r} is no rule.",
                kept="Nothing was changed.",
                todo=f"Say {', '.join(rules_by_name)} or off.",
            )
        await self._policy.set_rule(universe_id, kind, rules_by_name.get(rule_name))


def _list_open_ways(conflict: ProposalConflict) -> list[str]:
    """Return the words of the rulings that can be made of this conflict."""
    open_options = {option.name for option in conflict.options}
    return [way for way, ruling_word in RULING_WORDS.items() if ruling_word.option_name in open_options]


def _parse_ruling(
    row: ProposalView, conflict: ProposalConflict, ruling_word: _RulingWord, remainder: str
) -> RulingRequest:
    """Return which side the words after a ruling name, and the time or name."""
    side: StatementSide | None = None
    # A name may begin with "Old": before it, the side takes a colon.
    word, _, after_side = remainder.partition(":" if ruling_word.option_name == "split" else " ")
    if ruling_word.option_name in ("both", "until", "split") and word.strip().casefold() in ("new", "old"):
        side, remainder = ("new" if word.strip().casefold() == "new" else "old"), after_side.strip()
    takes_time, takes_name = ruling_word.option_name in ("new", "until"), ruling_word.option_name == "split"
    if remainder and not (takes_time or takes_name):
        raise InputError(
            f"{remainder[:40]!r} is not understood there.",
            kept="Nothing was changed.",
            todo="Only new, until and split take a time or a name after them.",
        )
    return RulingRequest(
        row.proposal.id,
        conflict.against,
        ruling_word.option_name,
        yielding=side,
        standing=ruling_word.standing,
        name=remainder if takes_name else "",
        when=remainder if takes_time else "",
    )


def _describe_policy(policy: PolicyView) -> Iterable[str]:
    yield from (f"{kind_policy.kind}: {kind_policy.rule}" for kind_policy in policy.rules)
    yield from (_describe_suggestion(kind) for kind in policy.offers)


def _describe_suggestion(kind: KindPolicyView) -> str:
    return f"offered: /rules {kind.kind} {kind.offered}  (you accepted {kind.accepted} of {kind.decided})"


def _match_statements(typed_name: str, facts: Sequence[Fact], hero_name: str) -> list[Id]:
    """Return the facts that words mean as they are, or as the hero's: `I find the bell`, `find the bell`."""
    statements = [(fact.statement, fact.id) for fact in facts]
    wordings = (typed_name, name_hero(typed_name, hero_name), name_hero(f"I {typed_name}", hero_name))
    matches = (match_names(wording, statements) for wording in wordings)
    return next(filter(None, matches), [])


def _unnamed_commitment_error(
    agenda: StoryAgenda, number: int, facts: Sequence[Fact], named_ids: Sequence[Id]
) -> InputError:
    """Return the error for a number or words that name no open commitment, or several, with those that are open."""
    thread = agenda.find_thread(number)
    shown_facts = [fact for fact in facts if fact.id in named_ids] or facts
    numbered = [
        f"{agenda.thread_numbers[fact.id]} {fact.statement.removesuffix('.')}"
        for fact in shown_facts
        if fact.id in agenda.thread_numbers
    ]
    what = "There is no such promise, debt or question."
    if named_ids:
        what = "Several promises, debts or questions have these words."
    elif thread is not None and thread.is_open and thread.fact_id is None:
        what = f"“{thread.name}” is no promise, debt or question."
        return InputError(what, kept="Nothing was proposed.", todo=f"/thread {number} close closes it.")
    todo = "No promise, debt or question is open."
    if numbered:
        more = "; /promises lists all" if len(numbered) > MAX_NAMED_COMMITMENTS else ""
        todo = f"Open: {', '.join(numbered[:MAX_NAMED_COMMITMENTS])}{more}."
    return InputError(what, kept="Nothing was proposed.", todo=todo)


def _quote_lines(evidence: Iterable[EvidenceSource]) -> list[str]:
    """Return the first quotes, each with who said it, when and where."""
    quoted_sources = [source for source in evidence if source.evidence.quote]
    return [
        "     "
        + "  ".join(
            filter(
                None,
                (
                    show_words(
                        source.evidence.quote[:MAX_QUOTE_LENGTH],
                        is_quotation=source.evidence.is_quotation,
                    ),
                    ", ".join(filter(None, (source.who, source.place))),
                ),
            )
        )
        for source in quoted_sources[:MAX_QUOTES]
    ]
