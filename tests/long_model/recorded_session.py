"""Plays a recorded session of a strong model: forty exchanges in four scenes, with errors on purpose.

The model is scripted with what it answered then (`data/recorded_session.yaml`); what is measured is what it was told,
and what became of its words.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from agents.llm.llm_port import LlmRequest
from agents.llm.scripted_model import ScriptedAnswer
from stores.authority import Role
from stores.queries import ProposalQuery
from stores.records.canon import AssertFact, FactKind
from stores.records.llm import Persona
from stores.records.workflow import ProposalStatus, ProposedChange
from tests.agents.orchestrator.scripted_program import Script, ScriptedProgram, persona_of, telling

PROPOSED: Final = "proposed"
OBSOLETE_ROWS: Final = frozenset(
    {
        "Wire Chapel has a cut wire.",
        "Father Hesk wants to say the office for Lys Varn.",
        "Mara has the Brass Seal.",
        "Mara promised: not to use the paper knife against Father Hesk.",
        "Lys Varn died",
    }
)
"""Rows that there would be at the gates, if another one did not make them void or say the same."""


@cache
def read_session() -> Mapping[str, Any]:
    path = Path(__file__).with_name("data") / "recorded_session.yaml"
    session: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return session


@dataclass
class PlayedExchange:
    """What one exchange asked of the model, and what it came to."""

    recorded: Mapping[str, Any]
    requests: list[LlmRequest]
    player_lines: tuple[str, ...]
    """What the player was told beside the story."""
    proposals: list[ProposedChange]
    """What was proposed of the Archivist's changes."""
    cast: tuple[str, ...]
    """Who is here afterwards besides the hero."""

    def prompts_of(self, persona: Persona) -> list[str]:
        return [as_prompt(request) for request in self.requests if persona_of(request) is persona]

    def changes_to_be(self, fate: str) -> list[Mapping[str, Any]]:
        changes = self.recorded["reports"].get("changes", ())
        return [change for change in changes if change.get("fate", PROPOSED) == fate]

    @property
    def is_error_shown(self) -> bool:
        return any(self.recorded["shown"] in line for line in self.player_lines)

    @property
    def is_cast_right(self) -> bool:
        return set(self.cast) == set(self.recorded["cast"])

    @property
    def is_narrated_again(self) -> bool:
        """Whether it has an error for which it is to be narrated again, by itself or by the player's wish."""
        return bool(self.recorded.get("again") or self.recorded.get("then"))

    @property
    def rewrites(self) -> int:
        return len(self.prompts_of(Persona.NARRATOR)) - 1


@dataclass
class RecordedSession:
    """The exchanges, and the rows of the gate at the end of each scene."""

    exchanges: list[PlayedExchange] = field(default_factory=list)
    gate_titles: list[list[str]] = field(default_factory=list)

    def prompts_of(self, persona: Persona) -> list[str]:
        return [prompt for exchange in self.exchanges for prompt in exchange.prompts_of(persona)]

    def calls(self) -> Counter[Persona]:
        return Counter(persona_of(r) for exchange in self.exchanges for r in exchange.requests)


def as_prompt(request: LlmRequest) -> str:
    return "\n".join(message.text for message in request.messages)


@dataclass
class _Teller:
    """The model: what the exchange has for each persona."""

    recorded: Mapping[str, Any] = field(default_factory=dict)
    count: int = 0
    is_broken: bool = False

    def begin(self, recorded: Mapping[str, Any]) -> None:
        self.recorded, self.count, self.is_broken = recorded, 0, recorded.get("broken", False)

    def narrate(self, _: LlmRequest) -> ScriptedAnswer:
        tells = self.recorded["tells"]
        texts: Sequence[str] = [tells] if isinstance(tells, str) else tells
        text = texts[min(self.count, len(texts) - 1)]
        self.count += 1
        return text

    def record(self, _: LlmRequest) -> ScriptedAnswer:
        if self.is_broken:
            self.is_broken = False
            return '{"summary": "Mara finds'
        reports = self.recorded["reports"]
        own_fields = ("fate", "why")
        changes = [
            {key: value for key, value in change.items() if key not in own_fields}
            for change in reports.get("changes", ())
        ]
        return json.dumps({**reports, "changes": changes}, ensure_ascii=False)


async def play_recorded_session(home: Path) -> RecordedSession:
    """Play the session; at the end of each scene all that waits is accepted."""
    recorded, teller, session = read_session(), _Teller(), RecordedSession()
    script: Script = {
        Persona.NARRATOR: teller.narrate,
        Persona.ARCHIVIST: teller.record,
        Persona.STEWARD: json.dumps({"doubts": []}),
    }
    async with telling(home, script) as scripted:
        services = scripted.program.services
        for line in recorded["before"]:
            await services.play.submit(scripted.scene_id, line)
        for scene in recorded["scenes"]:
            for line in scene["opens"]:
                await services.play.submit(scripted.scene_id, line)
            for exchange in scene["exchanges"]:
                teller.begin(exchange)
                session.exchanges.append(await _play_exchange(scripted, exchange))
            await services.play.submit(scripted.scene_id, scene["ends"])
            await services.jobs.wait_until_idle()
            view = await services.play.scene(scripted.scene_id)
            rows = [row for row in view.proposals if row.proposal.status is ProposalStatus.PENDING]
            session.gate_titles.append([row.title for row in rows])
            for row in rows:
                if row.mark != "hold":
                    await services.play.submit(scripted.scene_id, f"/accept {row.number}")
            report = await services.gate.commit(scripted.scene_id)
            assert report.next_scene_id
            scripted.scene_id = report.next_scene_id
    return session


async def _play_exchange(scripted: ScriptedProgram, recorded: Mapping[str, Any]) -> PlayedExchange:
    log = scripted.program.stores.log(Role.CONTEXT_ASSEMBLY)
    query = ProposalQuery(scene_id=scripted.scene_id)
    known_ids = {p.id for p in await log.proposals(query)}
    first = len(scripted.model.requests)
    lines: list[str] = []
    for line in (recorded["say"], *([recorded["then"]] if "then" in recorded else [])):
        lines += (await scripted.program.services.play.submit(scripted.scene_id, line)).lines
    # Only what the Archivist reports has a weight.
    proposals = [p for p in await log.proposals(query) if p.id not in known_ids and p.weight is not None]
    view = await scripted.program.services.play.scene(scripted.scene_id)
    cast = tuple(member.name for member in view.cast if not member.is_pc and member.note != "dead")
    return PlayedExchange(recorded, scripted.model.requests[first:], tuple(lines), proposals, cast)


def find_unheard(session: RecordedSession) -> list[str]:
    """Return the lines of prompts by which somebody is told what was not said in their hearing."""
    found: list[str] = []
    for name, phrases in read_session()["unheard"].items():
        for prompt in session.prompts_of(Persona.NARRATOR):
            lines = (line for line in prompt.splitlines() if line.startswith(f"- {name} remembers"))
            found += [line for line in lines if any(phrase in line for phrase in phrases)]
    return found


def count_relations(session: RecordedSession) -> tuple[int, int]:
    """Return how many of the proposed facts are relations of the catalogue, of all that `fact` changes became."""
    payloads = [
        proposal.change
        for exchange in session.exchanges
        if any(change["kind"] == "fact" for change in exchange.changes_to_be(PROPOSED))
        for proposal in exchange.proposals
    ]
    facts = [p for p in payloads if isinstance(p, AssertFact)]
    return sum(f.fact_kind is FactKind.RELATION for f in facts), len(facts)


def count_by_fate(session: RecordedSession) -> Mapping[str, int]:
    """Return what became of the changes that the Archivist gave, beside what should have."""
    counts: defaultdict[str, int] = defaultdict(int)
    for exchange in session.exchanges:
        wanted, free = len(exchange.changes_to_be(PROPOSED)), len(exchange.changes_to_be("either"))
        count = len(exchange.proposals)
        counts["given"] += len(exchange.recorded["reports"].get("changes", ()))
        counts["proposed"] += count
        counts["missed"] += max(0, wanted - count)
        counts["wrongly proposed"] += max(0, count - wanted - free)
    return counts
