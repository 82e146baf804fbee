"""Takes the records of a universe back to the moment when play stood on one of its turns. Pure.

What was recorded later is left out: turns, commits and what they made true, proposals, memories and summaries of
those turns. What rests on turns that stay is kept, whenever a background worker wrote it. Canon is built anew from the
commits before that moment; a proposal that a later commit closed is undecided again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from stores.backup.campaign_copy import find_ids
from stores.branching.canon_replay import ReplayedCanon, replay_batches
from stores.errors import StoreError
from stores.history import RECORD_COLLECTIONS
from stores.records.base import Record
from stores.records.canon import FactStatus
from stores.records.grid_maps import GridMapEdit
from stores.records.ids import Id
from stores.records.llm import DecisionMark
from stores.records.memory import Memory, Summary
from stores.records.play import HeadMove, MoveKind, Note, Resolution, Scene, Story, Turn
from stores.records.story_journal import JournalEntry, TensionEntry, UndoEntry, find_tension_changes
from stores.records.workflow import (
    Canonization,
    CanonizationState,
    Loop,
    ProposalOutcome,
    ProposalStatus,
    ProposedChange,
    Ruling,
    Transition,
)
from stores.records.world import SceneNode, StoryNode

CampaignRecords = Mapping[str, Sequence[Any]]
"""The records of a universe by collection, each in the order in which they were made."""

UNSHARED_COLLECTIONS = frozenset({"llm_calls", "checkpoints", "archived_logs"})
"""Collections that stay with the line where they were made: what the model cost counts once, an exchange is finished
where it was begun, and an archived log holds the identifiers of its own universe."""

_NEVER = datetime.max.replace(tzinfo=UTC)
_WRITTEN_STATES = (CanonizationState.WRITTEN, CanonizationState.CLOSED)
_STORY_ENDS = ("complete", "abandon")

R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class BranchPoint:
    """Where a branch begins: a scene, and the turn that play stood on in it (None: before its first).

    With `is_present` everything is kept as it is now.
    """

    scene_id: Id
    turn_id: Id | None
    is_present: bool = False


def cut_records(records: CampaignRecords, point: BranchPoint) -> dict[str, list[Record]]:
    """Return the universe's records as they were at the point, in the order of `RECORD_COLLECTIONS`.

    Raises StoreError if the commits do not give the canon that there is, so that an earlier one cannot be known.
    """
    if point.is_present:
        return {
            name: [] if name in UNSHARED_COLLECTIONS else _select_present(name, records)
            for name in RECORD_COLLECTIONS
        }
    return _Cut(records, point).read_records()


def _select_present(collection: str, records: CampaignRecords) -> list[Record]:
    """Leave out what the unfinished exchanges of a line did: they are finished there."""
    if collection != "transitions":
        return list(records.get(collection, ()))
    unfinished_ids = {checkpoint.run_id for checkpoint in records.get("checkpoints", ())}
    turn_ids = {turn.id for turn in records.get("turns", ())}
    return [
        t
        for t in records.get(collection, ())
        if t.subject_id not in unfinished_ids or t.subject_id in turn_ids
    ]


@dataclass
class _Cut:
    records: CampaignRecords
    point: BranchPoint
    _moment: datetime = field(init=False)
    _scenes: dict[Id, Scene] = field(init=False)
    _turns: dict[Id, Turn] = field(init=False)

    def __post_init__(self) -> None:
        target = self._find_target()
        self._moment = self._find_moment()
        self._scenes = {s.id: s for s in self._all("scenes", Scene) if self._is_scene_kept(s, target)}
        self._turns = self._select_turns()

    def read_records(self) -> dict[str, list[Record]]:
        canonizations = [c for c in self._all("canonizations", Canonization) if c.created_at < self._moment]
        self._require_replayable()
        canon = _replay(canonizations)
        moves = self._select_moves()
        heads = {move.scene_id: move.to_turn for move in moves}
        stories = [self._cut_story(s) for s in self._all("stories", Story) if self._is_story_kept(s)]
        story_ids = {story.id for story in stories}
        proposals = self._cut_proposals(canonizations, canon)
        proposal_ids = {p.id for p in proposals}
        nodes = self._cut_nodes(story_ids, canon)
        cut: dict[str, list[Record]] = {
            "universes": [canon.universe or self.records["universes"][0]],
            "entities": _in_order(self.records, "entities", canon.entities),
            "facts": _in_order(self.records, "facts", canon.facts),
            "evidence": _in_order(self.records, "evidence", canon.evidence),
            "supports": _in_place(self.records, "supports", canon.supports),
            "supersessions": _in_place(self.records, "supersessions", canon.supersessions),
            "appearances": _in_place(self.records, "appearances", canon.appearances),
            **nodes,
            "stories": list(stories),
            "scenes": [
                self._cut_scene(s, heads.get(s.id), canonizations, canon, proposal_ids)
                for s in self._scenes.values()
            ],
            "turns": list(self._turns.values()),
            "head_moves": list(moves),
            "notes": self._select("notes", Note, lambda n: self._counts(n.turn_id, n.scene_id, n.created_at)),
            "decisions": self._select("decisions", DecisionMark, lambda d: d.turn_id in self._turns),
            "resolutions": self._select("resolutions", Resolution, lambda r: r.turn_id in self._turns),
            "proposed_changes": list(proposals),
            "canonizations": list(canonizations),
            "rulings": self._select("rulings", Ruling, lambda r: r.at < self._moment),
            "map_edits": self._select("map_edits", GridMapEdit, lambda e: e.at < self._moment),
            "policies": list(self.records.get("policies", ())),
            "transitions": list(self._select_transitions(story_ids)),
            "memories": list(self._cut_memories(canon)),
            "summaries": self._select("summaries", Summary, self._is_summary_kept),
            "sources": self._select_dated("sources"),
        }
        source_ids = {source.id for source in cut["sources"]}  # type: ignore[attr-defined]
        for collection in ("source_pages", "snippets"):
            cut[collection] = [r for r in self.records.get(collection, ()) if r.source_id in source_ids]
        return {name: cut.get(name, []) for name in RECORD_COLLECTIONS}

    # --- the point ---------------------------------------------------------------------------------

    def _find_target(self) -> Scene:
        return next(s for s in self._all("scenes", Scene) if s.id == self.point.scene_id)

    def _find_moment(self) -> datetime:
        """Return when play first went on from the point, or left it; what was recorded before is the branch's."""
        moves = [m for m in self._all("head_moves", HeadMove) if m.scene_id == self.point.scene_id]
        left_at = [
            move.at
            for number, move in enumerate(moves)
            if move.from_turn == self.point.turn_id and not _is_redone(moves[number:], self.point.turn_id)
        ]
        followed_at = [
            turn.created_at
            for turn in self._all("turns", Turn)
            if turn.scene_id == self.point.scene_id and turn.parent_id == self.point.turn_id
        ]
        return min((*left_at, *followed_at), default=_NEVER)

    def _is_scene_kept(self, scene: Scene, target: Scene) -> bool:
        if scene.story_id == target.story_id:
            return scene.order <= target.order
        return scene.created_at < self._moment

    def _is_story_kept(self, story: Story) -> bool:
        return any(s.story_id == story.id for s in self._scenes.values()) or story.created_at < self._moment

    def _select_turns(self) -> dict[Id, Turn]:
        """Return the turns up to the point; those of the story's earlier scenes whole, as they had ended."""
        path_ids = self._path_ids()
        target = self._scenes[self.point.scene_id]
        kept: dict[Id, Turn] = {}
        for turn in self._all("turns", Turn):
            scene = self._scenes.get(turn.scene_id)
            if scene is None or not (turn.parent_id is None or turn.parent_id in kept):
                continue
            is_earlier_scene = scene.story_id == target.story_id and scene.id != target.id
            if is_earlier_scene or turn.id in path_ids or turn.created_at < self._moment:
                kept[turn.id] = turn
        return kept

    def _path_ids(self) -> set[Id]:
        turns = {t.id: t for t in self._all("turns", Turn) if t.scene_id == self.point.scene_id}
        path: set[Id] = set()
        turn_id = self.point.turn_id
        while turn_id is not None:
            path.add(turn_id)
            turn_id = turns[turn_id].parent_id
        return path

    def _select_moves(self) -> list[HeadMove]:
        """Return the moves between turns that stay; the last one of the point's scene leads to the point."""
        target = self._scenes[self.point.scene_id]
        moves: list[HeadMove] = []
        last: dict[Id, HeadMove] = {}
        for move in self._all("head_moves", HeadMove):
            scene = self._scenes.get(move.scene_id)
            if scene is None or not all(
                i is None or i in self._turns for i in (move.from_turn, move.to_turn)
            ):
                continue
            if (scene.story_id == target.story_id and scene.id != target.id) or move.at < self._moment:
                moves.append(move)
                last[scene.id] = move
        before = last.get(target.id)
        if (before.to_turn if before else None) != self.point.turn_id:
            at = min(
                self._moment, self._turns[self.point.turn_id].created_at if self.point.turn_id else _NEVER
            )
            moves.append(
                HeadMove(
                    scene_id=target.id,
                    seq=before.seq + 1 if before else 1,
                    kind=MoveKind.BRANCH,
                    from_turn=before.to_turn if before else None,
                    to_turn=self.point.turn_id,
                    at=before.at if before else at,
                )
            )
        return moves

    def _counts(self, turn_id: Id | None, scene_id: Id | None, at: datetime) -> bool:
        """Say whether what rests on a turn, else on a scene or the universe, belongs to the branch."""
        if turn_id is not None:
            return turn_id in self._turns
        return (scene_id is None or scene_id in self._scenes) and at < self._moment

    # --- play --------------------------------------------------------------------------------------

    def _cut_story(self, story: Story) -> Story:
        entries = tuple(e for e in story.entries if self._is_entry_kept(e))
        is_over = any(
            t.subject_id == story.id and t.event in _STORY_ENDS and t.at < self._moment
            for t in self._all("transitions", Transition)
        )
        is_played_on = story.id == self._scenes[self.point.scene_id].story_id
        return story.model_copy(
            update={
                "entries": entries,
                "tension": _tension_after(story, entries),
                "recap": story.recap if is_over and not is_played_on else "",
            }
        )

    def _is_entry_kept(self, entry: JournalEntry) -> bool:
        if isinstance(entry, UndoEntry | TensionEntry):
            return entry.scene_id in self._scenes and entry.at < self._moment
        return self._counts(entry.turn_id, entry.scene_id, entry.at)

    def _cut_scene(
        self,
        scene: Scene,
        head: Id | None,
        canonizations: Sequence[Canonization],
        canon: ReplayedCanon,
        proposal_ids: set[Id],
    ) -> Scene:
        scene = scene.model_copy(
            update={
                "head": head,
                "passed_offer_ids": tuple(i for i in scene.passed_offer_ids if i in proposal_ids),
                "canonical_outcomes": tuple(i for i in scene.canonical_outcomes if i in canon.facts),
            }
        )
        if scene.id != self.point.scene_id:
            return scene
        has_commit = any(c.scene_id == scene.id for c in canonizations)
        place_id = (self._find_hero_place(canon) if has_commit else None) or scene.opening_place_id
        # A scene that has not begun has no name yet but the first's, which its story was set up with.
        is_unnamed = self.point.turn_id is None and scene.order > 1
        names = {"title": f"Scene {scene.order}", "goal": ""} if is_unnamed else {}
        return scene.model_copy(update={"summary": "", "place_id": place_id, **names})

    def _find_hero_place(self, canon: ReplayedCanon) -> Id | None:
        story_id = self._scenes[self.point.scene_id].story_id
        hero_id = next(s.pc_id for s in self._all("stories", Story) if s.id == story_id)
        places = [
            fact.entity("object")
            for fact in canon.facts.values()
            if fact.predicate == "located_in"
            and fact.status is FactStatus.CANONICAL
            and fact.valid_to is None
            and hero_id is not None
            and fact.entity("subject") == hero_id
        ]
        return places[-1] if places else None

    def _select_transitions(self, story_ids: set[Id]) -> Iterable[Transition]:
        """Yield the moves of the loops up to the moment; the scene and story of the point are being played."""
        target = self._scenes[self.point.scene_id]
        ended_ids: set[Id] = set()
        for move in self._all("transitions", Transition):
            match move.loop:
                case Loop.SCENE if move.subject_id == target.id:
                    ended_ids |= {target.id} if move.event in ("end", "goal_met") else set()
                    is_kept = target.id not in ended_ids
                case Loop.STORY if move.subject_id == target.story_id:
                    ended_ids |= {target.story_id} if move.event in _STORY_ENDS else set()
                    is_kept = target.story_id not in ended_ids
                case Loop.SCENE:
                    scene = self._scenes.get(move.subject_id)
                    is_kept = scene is not None and (
                        scene.story_id == target.story_id or move.at < self._moment
                    )
                case Loop.STORY:
                    is_kept = move.subject_id in story_ids and move.at < self._moment
                case _:
                    is_kept = move.subject_id in self._turns
            if is_kept:
                yield move

    # --- proposals and canon -----------------------------------------------------------------------

    def _require_replayable(self) -> None:
        canon = _replay(self._all("canonizations", Canonization))
        entities = {e.id: e for e in self.records.get("entities", ())}
        facts = {f.id: f for f in self.records.get("facts", ())}
        if canon.entities != entities or canon.facts != facts:
            raise StoreError(
                "The commits of this world do not give the canon that it has, so an earlier one cannot be known.",
                kept="Nothing was changed.",
                todo="Branch from where play stands now, which needs no earlier canon; monitor doctor says more.",
            )

    def _cut_proposals(
        self, canonizations: Sequence[Canonization], canon: ReplayedCanon
    ) -> list[ProposedChange]:
        commits_by_proposal = {
            outcome.proposal_id: (commit.id, outcome)
            for commit in canonizations
            if commit.state is CanonizationState.CLOSED
            for outcome in commit.outcomes
        }
        later_fact_ids = {f.id for f in self.records.get("facts", ())} - canon.facts.keys()
        return [
            self._as_it_stood(proposal, commits_by_proposal)
            for proposal in self._all("proposed_changes", ProposedChange)
            if self._counts(proposal.turn_id, proposal.scene_id, proposal.created_at)
            and (proposal.unless_turn is None or proposal.unless_turn in self._turns)
            and later_fact_ids.isdisjoint(find_ids(proposal.payload))
        ]

    def _as_it_stood(
        self, proposal: ProposedChange, commits_by_proposal: Mapping[Id, tuple[Id, ProposalOutcome]]
    ) -> ProposedChange:
        """Return the proposal as the last commit of the branch left it, before the decisions that came later."""
        commit_id, outcome = commits_by_proposal.get(proposal.id, (None, None))
        if proposal.canonization_id != commit_id:
            changed_fields: dict[str, object] = {"status": ProposalStatus.PENDING, "error": ""}
            if outcome is not None:
                changed_fields = {
                    "status": outcome.status,
                    "decision": outcome.decision,
                    "error": outcome.error,
                }
            proposal = proposal.model_copy(update={**changed_fields, "canonization_id": commit_id})
        if proposal.decision and proposal.status is ProposalStatus.PENDING:
            decision = proposal.decision if proposal.decision.at < self._moment else None
            proposal = proposal.model_copy(update={"decision": decision})
        return proposal

    def _cut_nodes(self, story_ids: set[Id], canon: ReplayedCanon) -> dict[str, list[Record]]:
        story_nodes: list[StoryNode] = [n for n in self._all("story_nodes", StoryNode) if n.id in story_ids]
        scene_nodes: list[SceneNode] = [
            n for n in self._all("scene_nodes", SceneNode) if n.id in self._scenes
        ]
        return {
            "story_nodes": [
                n.model_copy(update={"status": canon.node_status.get(n.id, "active")}) for n in story_nodes
            ],
            "scene_nodes": [
                n.model_copy(update={"status": canon.node_status.get(n.id, "active")}) for n in scene_nodes
            ],
        }

    # --- what was derived --------------------------------------------------------------------------

    def _cut_memories(self, canon: ReplayedCanon) -> list[Memory]:
        memories = [
            m
            for m in self._all("memories", Memory)
            if self._counts(m.turn_id, m.scene_id, m.created_at) and m.entity_id in canon.entities
        ]
        memory_ids = {m.id for m in memories}
        return [
            m.model_copy(
                update={
                    "corrects": m.corrects if m.corrects in memory_ids else None,
                    "corrected_by": m.corrected_by if m.corrected_by in memory_ids else None,
                    "linked_fact_id": m.linked_fact_id if m.linked_fact_id in canon.facts else None,
                    # How often it was recalled since is the other line's.
                    "last_accessed": None,
                    "access_count": 0,
                    "recalled": None,
                    "strength": 1.0,
                }
            )
            for m in memories
        ]

    def _is_summary_kept(self, summary: Summary) -> bool:
        """Say whether it covers turns of the branch alone; a summary of a whole scene, only of an ended one."""
        if summary.last_turn not in self._turns or summary.last_turn == self.point.turn_id:
            return False
        return summary.first_turn is None or summary.first_turn in self._turns

    # --- reading -----------------------------------------------------------------------------------

    def _all(self, collection: str, record_type: type[R]) -> Sequence[R]:
        return self.records.get(collection, ())

    def _select(self, collection: str, record_type: type[R], is_kept: Callable[[R], bool]) -> list[Record]:
        return [record for record in self._all(collection, record_type) if is_kept(record)]

    def _select_dated(self, collection: str) -> list[Record]:
        return [r for r in self.records.get(collection, ()) if r.recorded_at < self._moment]


def _is_redone(moves: Sequence[HeadMove], turn_id: Id | None) -> bool:
    """Say whether these moves only undo, and redo what was undone, until play is at the turn again."""
    for move in moves:
        if move.kind not in (MoveKind.UNDO, MoveKind.REDO):
            return False
        if move.to_turn == turn_id:
            return True
    return False


def _replay(canonizations: Iterable[Canonization]) -> ReplayedCanon:
    return replay_batches(c.batch for c in canonizations if c.state in _WRITTEN_STATES)


def _tension_after(story: Story, entries: Sequence[JournalEntry]) -> int:
    """Return the tension after the entries that stay: where it stood before the first of the others."""
    if changes := find_tension_changes(entries):
        return changes[-1].after
    all_changes = [e for e in story.entries if isinstance(e, TensionEntry)]
    return all_changes[0].before if all_changes else story.tension


def _in_order(records: CampaignRecords, collection: str, by_id: Mapping[Id, R]) -> list[Record]:
    """Return the records in the order in which the store has them."""
    return [by_id[r.id] for r in records.get(collection, ()) if r.id in by_id]


def _in_place(records: CampaignRecords, collection: str, kept: Mapping[R, None]) -> list[Record]:
    return [r for r in records.get(collection, ()) if r in kept]
