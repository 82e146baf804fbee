"""A desk without stores: a small world in memory, enough for screens to stand on.

It answers like the Orchestrator and keeps the calls it was given in `calls`; `fail` makes the next call
to a method raise.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal

from agents.events import EventBus, HeadMoved, ProposalsChanged, TriggerRaised, TurnAppended
from agents.story_outline import MainMode, NewCharacter, NewUniverse, StoryOutline
from agents.views.play_views import (
    CastMember,
    CommandHelp,
    CommitReport,
    ConflictView,
    EntityCard,
    FactView,
    GateView,
    MenuView,
    ProposalView,
    Reply,
    RulePackView,
    SceneView,
    SheetRow,
    SheetView,
    StoryCard,
    TensionSuggestion,
    ThreadView,
    TurnTrace,
    TurnView,
)
from stores.errors import InputError, MonitorError
from stores.records.canon import (
    AssertFact,
    Authority,
    CreateEntity,
    Evidence,
    EvidenceKind,
    Fact,
    FactKind,
    Involvement,
    Payload,
    StateChange,
    StateOp,
)
from stores.records.clocks import TRACK_TICKS, Pace, ProgressClock
from stores.records.ids import Id, derive_id
from stores.records.play import Degree, Die, Resolution, Scene, Speaker, Story, TensionMode, Turn
from stores.records.workflow import ProposalStatus, ProposedChange, Verdict
from stores.records.world import Entity, EntityKind, Number, Universe
from tests.screens.twin_background import TwinBackground
from tests.screens.twin_bench import TwinBench
from tests.screens.twin_imports import TwinImports
from tests.screens.twin_model import TwinModel
from tests.screens.twin_people import TwinPeople
from tests.screens.twin_recall import TwinRecall
from tests.screens.twin_world import TwinWorld

NOW = datetime(2025, 3, 1, 20, 0, tzinfo=UTC)

COMMANDS = (
    CommandHelp("/roll", "/roll DICE", "roll dice, for example 2d6+1", True),
    CommandHelp("/check", "/check NUMBER TARGET", "try something against a number", True),
    CommandHelp("/oracle", "/oracle [ODDS] QUESTION", "ask the oracle yes or no", True),
    CommandHelp("/fact", "/fact SENTENCE", "propose a fact", True),
    CommandHelp("/undo", "/undo", "take the last exchange back"),
    CommandHelp("/end", "/end", "end the scene and go to the gate"),
    CommandHelp("/help", "/help", "keys and commands"),
)


def _number(key: str, meaning: str, value: int, low: int, high: int) -> SheetRow:
    return SheetRow("number", key, key, str(value), meaning, value, low, high)


SYSTEMS = (
    RulePackView(
        "lantern_twos",
        "Lantern Twos",
        "Two dice and three numbers.",
        numbers=(_number("might", "Arms and back", 0, -1, 3), _number("wits", "Eyes and hands", 0, -1, 3)),
        tracks=(SheetRow("track", "hp", "hp", "10/10", "Harm you can take", 10, 0, 10),),
        tags=(SheetRow("tag", "hurt", "hurt", "", "A wound that slows you"),),
    ),
    RulePackView("plain_telling", "Plain Telling", "No numbers."),
    RulePackView(
        "", "mudlarks.yaml", problem="This rule pack cannot be used: line 15 (check, vs): no number."
    ),
)


def an_id(*parts: object) -> Id:
    return derive_id("twin", *parts)


class TwinDesk:
    """One world, one hero, one story; every typed line becomes a player's turn and an answer."""

    def __init__(self, *, sample: bool = True, story: bool = True, turns: int = 4) -> None:
        self.events = EventBus()
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self.failures: dict[str, BaseException] = {}
        self.world = TwinWorld(self)
        self.bench = TwinBench(self)
        self.universe = _universe()
        self.folk = _people(self.universe.id)
        self._places = _places(self.universe.id)
        self._universes = [self.universe] if sample else []
        self.story_id = an_id("story", "The Drowned Bell")
        self.model = TwinModel(self)
        self.imports = TwinImports(self)
        self.recall = TwinRecall(self)
        self.people = TwinPeople(self)
        self.background = TwinBackground()
        self.story_states: dict[Id, str] = {}
        self._stories: list[Story] = []
        self._scenes: dict[Id, Scene] = {}
        self.lines: dict[Id, list[TurnView]] = {}
        self.states: dict[Id, str] = {}
        self._proposals: list[ProposalView] = []
        self.threads = (
            ThreadView(an_id("thread", 1), 1, "Who moved the bell?", weight=3, age="2 days"),
            ThreadView(an_id("thread", 2), 2, "Mara owes the well a coin", kind="debt", is_proposed=True),
        )
        self.clocks: tuple[ProgressClock, ...] = (ProgressClock(name="Spring tide", filled=2, per_scene=1),)
        self.tracks: tuple[ProgressClock, ...] = (
            ProgressClock(name="Find the bell", filled=7, size=TRACK_TICKS, pace=Pace.SLOW),
        )
        self.opening = ""
        self.offer: TensionSuggestion | None = TensionSuggestion(5, 6, "2 of 3 checks failed")
        self.tension = "Tension 5: 2 of 3 checks failed. /tension up makes it 6."
        self.trigger = ""
        self.undone: list[TurnView] = []
        self.suspended = story
        self.suggested = ""
        if story:
            scene_id = self._begin("The Drowned Bell", "Under the chapel", "Find who moved the bell")
            for i in range(turns // 2):
                self._say(scene_id, _SAID[i % len(_SAID)], _ANSWERED[i % len(_ANSWERED)])
            self._proposals = (
                []
                if not turns
                else _proposals(self.universe.id, scene_id, self.folk, self._places, self.lines[scene_id])
            )

    def fail(self, method: str, error: BaseException) -> None:
        self.failures[method] = error

    def _call(self, name: str, *arguments: Any) -> None:
        self.calls.append((name, arguments))
        if error := self.failures.pop(name, None):
            raise error

    def called(self, name: str) -> list[tuple[Any, ...]]:
        return [arguments for called, arguments in self.calls if called == name]

    # --- the world's insides -----------------------------------------------------------------------

    def _begin(self, title: str, scene_title: str, goal: str, place: Id | str | None = None) -> Id:
        story = Story(
            id=an_id("story", title),
            universe_id=self.universe.id,
            title=title,
            pc_id=self.folk[0].id,
            created_at=NOW,
        )
        self._stories.insert(0, story)
        self.story_states[story.id] = "active"
        return self._open(story, scene_title, goal)

    def _open(self, story: Story, title: str, goal: str = "") -> Id:
        order = 1 + sum(s.story_id == story.id for s in self._scenes.values())
        scene = Scene(
            id=an_id("scene", story.id, order),
            story_id=story.id,
            universe_id=self.universe.id,
            order=order,
            title=title,
            goal=goal,
            cast=(self.folk[0].id, self.folk[1].id),
            place_id=self._places[0].id,
            created_at=NOW,
        )
        self._scenes[scene.id] = scene
        self.states[scene.id] = "active"
        self.lines[scene.id] = []
        return scene.id

    def _say(self, scene_id: Id, said: str, answered: str) -> None:
        self._append(scene_id, Speaker.PLAYER, said)
        self._append(scene_id, Speaker.GM, answered)

    def _append(self, scene_id: Id, speaker: Speaker, text: str, name: str = "") -> None:
        line = self.lines[scene_id]
        turn = Turn(
            id=an_id("turn", scene_id, len(line)),
            scene_id=scene_id,
            parent_id=line[-1].turn.id if line else None,
            exchange_id=an_id("exchange", scene_id, len(line) // 2),
            speaker=speaker,
            text=text,
            name=name,
            depth=len(line),
            created_at=NOW,
        )
        rolled = _roll(turn) if speaker is Speaker.PLAYER and "force" in text else None
        line.append(TurnView(turn, rolled, made_count=1 if speaker is Speaker.GM and len(line) == 1 else 0))
        self._scenes[scene_id] = self._scenes[scene_id].model_copy(update={"head": turn.id})
        self.events.publish(TurnAppended(turn))

    def turn(self, turn_id: Id) -> tuple[Turn, Resolution | None]:
        """A turn of any line, with its roll."""
        for line in self.lines.values():
            for view in line:
                if view.turn.id == turn_id:
                    return view.turn, view.resolution
        raise MonitorError("There is no such turn.")

    def _story(self, story_id: Id) -> Story:
        return next(s for s in self._stories if s.id == story_id)

    def _last_scene(self, story_id: Id) -> Scene:
        return [s for s in self._scenes.values() if s.story_id == story_id][-1]

    def _card(self, story: Story) -> StoryCard:
        scene = self._last_scene(story.id)
        line = self.lines[scene.id]
        return StoryCard(
            story,
            self.universe,
            scene,
            self.story_states[story.id],
            self.states[scene.id],
            scene_count=scene.order,
            turn_count=sum(len(self.lines[s.id]) for s in self._scenes.values() if s.story_id == story.id),
            last_line=line[-1].turn.text if line else "",
            is_suspended=self.suspended,
        )

    # --- the desk: session -------------------------------------------------------------------------

    async def recover(self) -> tuple[str, ...]:
        self._call("recover")
        return ()

    async def enter(self, mode: MainMode) -> None:
        self._call("enter", mode)

    async def leave(self) -> None:
        self._call("leave")

    async def menu(self) -> MenuView:
        self._call("menu")
        live = [s for s in self._stories if self.story_states[s.id] == "active"]
        return MenuView(
            resume_story=self._card(live[0]) if live else None,
            story_count=len(self._stories),
            universe_count=len(self._universes),
            fact_count=41 if self._universes else 0,
            health=(("library", "ok"), ("index", "ok"), ("objects", "ok")),
        )

    def commands(self) -> tuple[CommandHelp, ...]:
        return COMMANDS

    # --- universes and stories ---------------------------------------------------------------------

    async def universes(self) -> list[Universe]:
        self._call("universes")
        return list(self._universes)

    async def add_sample(self) -> Universe:
        self._call("add_sample")
        if self.universe not in self._universes:
            self._universes.append(self.universe)
        return self.universe

    async def sample_outline(self) -> StoryOutline:
        self._call("sample_outline")
        return StoryOutline(
            universe_id=self.universe.id,
            title="The Drowned Bell",
            pc=self.folk[0].id,
            theme="what the living owe the dead",
            tone="quiet dread",
            lines_and_veils="cruelty to animals; the drownings happen off screen",
            scene_title="Under the chapel",
            scene_goal="Learn who moved the bell",
            place=self._places[0].id,
            cast=(self.folk[0].id, self.folk[1].id),
        )

    async def create_universe(self, new: NewUniverse) -> Universe:
        self._call("create_universe", new)
        made = Universe(id=an_id("universe", new.name), name=new.name, genre=new.genre, recorded_at=NOW)
        self._universes.append(made)
        return made

    async def characters(self, universe_id: Id) -> list[Entity]:
        return self.folk if universe_id == self.universe.id else []

    async def places(self, universe_id: Id) -> list[Entity]:
        return self._places if universe_id == self.universe.id else []

    async def start_story(self, outline: StoryOutline) -> Id:
        self._call("start_story", outline)
        if isinstance(outline.pc, NewCharacter) and not outline.pc.name:
            raise InputError("The hero needs a name.")
        return self._begin(outline.title, outline.scene_title, outline.scene_goal)

    async def stories(self) -> list[StoryCard]:
        self._call("stories")
        return [self._card(story) for story in self._stories]

    async def resume(self, story_id: Id) -> Id:
        self._call("resume", story_id)
        return self._last_scene(story_id).id

    async def suspend(self) -> None:
        self._call("suspend")
        self.suspended = True

    async def abandon(self, story_id: Id) -> None:
        self._call("abandon", story_id)
        self.story_states[story_id] = "abandoned"

    async def complete_story(self, story_id: Id, recap: str = "") -> CommitReport:
        self._call("complete_story", story_id)
        self.story_states[story_id] = "completed"
        return CommitReport(None, (), (), 0, 0, 0, 0)

    # --- the scene ---------------------------------------------------------------------------------

    async def scene(self, scene_id: Id) -> SceneView:
        self._call("scene", scene_id)
        scene = self._scenes[scene_id]
        return SceneView(
            universe=self.universe,
            story=self._story(scene.story_id),
            scene=scene,
            when="Day 3, dusk",
            state=self.states[scene_id],
            turn_count=len(self.lines[scene_id]),
            place=self._places[0].name,
            cast=(
                CastMember(self.folk[0].id, "Mara Venn", True, {"hp": 7, "might": 1}, ("wounded",), ("hp",)),
                CastMember(self.folk[1].id, "Father Ode", False, {"hp": 6}),
            ),
            proposals=tuple(self._proposals),
            trigger_reason=self.trigger,
            can_undo=bool(self.lines[scene_id]),
            can_redo=bool(self.undone),
            threads=self.threads,
            clocks=self.clocks,
            tracks=self.tracks,
            opening_hint=self.opening,
        )

    async def transcript(self, scene_id: Id, start: int, count: int) -> list[TurnView]:
        return self.lines[scene_id][start : start + count]

    async def submit(self, scene_id: Id, line: str) -> Reply:
        self._call("submit", scene_id, line)
        match line.split(maxsplit=1):
            case ["/end", *_]:
                return await self.end_scene(scene_id)
            case ["/undo"]:
                return await self.undo(scene_id)
            case ["/bill"]:
                return Reply("operation", goto="bill")
            case ["/xray"]:
                return Reply("operation", goto="xray", subject=self.lines[scene_id][-1].turn.id)
            case ["/help"]:
                return Reply("operation", goto="help")
            case ["/promises"]:
                return Reply("operation", ("1. debt: a coin",), goto="ledger")
            case ["/die"]:
                self.trigger = "Mara Venn may die here. Write it now?"
                self.events.publish(TriggerRaised(scene_id, (self._proposals[0].proposal.id,), self.trigger))
                return Reply("operation")
            case [word, *_] if word.startswith("/"):
                raise InputError(
                    f"There is no command {word}.", kept="Nothing was sent.", todo="F1 lists the commands."
                )
            case _:
                self.undone.clear()
                if not self.model.is_on:
                    self._say(scene_id, line, "The tide answers before anyone else does.")
                    return Reply("exchange")
                self._append(scene_id, Speaker.PLAYER, line)
                return await self._tell(scene_id)

    async def _tell(self, scene_id: Id) -> Reply:
        """The model tells, and what it told becomes a turn."""
        text, stopped = await self.model.tell(scene_id, an_id("turn", scene_id, len(self.lines[scene_id])))
        name = self.model.speaker
        self._append(scene_id, Speaker.NPC if name else Speaker.GM, text, name)
        return Reply("exchange", ("You stopped it; what had come is kept.",) if stopped else ())

    async def undo(self, scene_id: Id) -> Reply:
        self._call("undo", scene_id)
        if not self.lines[scene_id]:
            return Reply("nothing", ("There is nothing to undo.",))
        self.undone = self.lines[scene_id][-2:]
        del self.lines[scene_id][-2:]
        self.events.publish(HeadMoved(scene_id))
        return Reply("operation", ("One exchange was taken back. Ctrl+Y brings it again.",))

    async def redo(self, scene_id: Id) -> Reply:
        self._call("redo", scene_id)
        self.lines[scene_id] += self.undone
        self.undone = []
        self.events.publish(HeadMoved(scene_id))
        return Reply("operation")

    async def retake(self, scene_id: Id, text: str) -> Reply:
        self._call("retake", scene_id, text)
        last = self.lines[scene_id][-1]
        turn = last.turn.model_copy(update={"text": text, "id": an_id("retake", text)})
        self.lines[scene_id][-1] = replace(last, turn=turn, take=2, take_count=2)
        self.events.publish(HeadMoved(scene_id))
        return Reply("operation")

    async def narrate_again(self, scene_id: Id, note: str = "") -> Reply:
        self._call("narrate_again", scene_id, note)
        take = an_id("narrate_again", note, len(self.calls))
        text, _ = await self.model.tell(scene_id, take)
        last = self.lines[scene_id][-1]
        turn = last.turn.model_copy(update={"text": text, "id": take})
        self.lines[scene_id][-1] = replace(last, turn=turn, take=2, take_count=2)
        self.events.publish(TurnAppended(turn))
        self.events.publish(HeadMoved(scene_id))
        return Reply("operation")

    async def continue_narration(self, scene_id: Id, note: str = "") -> Reply:
        self._call("continue_narration", scene_id, note)
        return await self._tell(scene_id)

    async def finish_narration(self, scene_id: Id) -> Reply:
        self._call("finish_narration", scene_id)
        return Reply("operation")

    async def answer_as_gm(self, scene_id: Id, words: str) -> Reply:
        self._call("answer_as_gm", scene_id, words)
        return Reply("operation", ("GM: the tide is only a tide.",))

    async def walk_takes(self, scene_id: Id, step: Literal[-1, 1]) -> Reply:
        self._call("walk_takes", scene_id, step)
        return Reply("nothing", ("The last turn has only one take.",))

    async def branch(self, scene_id: Id, turn_id: Id) -> Reply:
        self._call("branch", scene_id, turn_id)
        line = self.lines[scene_id]
        at = next(i for i, view in enumerate(line) if view.turn.id == turn_id)
        words = line[at].turn.text
        del line[at:]
        self.events.publish(HeadMoved(scene_id))
        return Reply("operation", ("Play goes on from here.",), prompt_text=words)

    async def end_scene(self, scene_id: Id, summary: str = "") -> Reply:
        self._call("end_scene", scene_id, summary)
        self.states[scene_id] = "finalizing"
        return Reply("operation", goto="gate", subject=scene_id)

    async def rename_scene(self, scene_id: Id, title: str, goal: str = "") -> None:
        self._call("rename_scene", scene_id, title)
        self._scenes[scene_id] = self._scenes[scene_id].model_copy(update={"title": title})

    async def reopen_scene(self, scene_id: Id) -> None:
        self._call("reopen_scene", scene_id)
        self.states[scene_id] = "active"

    # --- proposals ---------------------------------------------------------------------------------

    async def gate(self, scene_id: Id | None, universe_id: Id | None = None) -> GateView:
        self._call("gate", scene_id, universe_id)
        scene = self._scenes[scene_id] if scene_id else None
        finalizing = scene_id is not None and self.states[scene_id] == "finalizing"
        title = f"Scene {scene.order} “{scene.title}”" if scene else self.universe.name
        told = ("The scene ends. Spring tide 2 → 3 of 6.", self.tension) if finalizing else ()
        offer = self.offer if finalizing else None
        return GateView(
            title,
            self.universe,
            scene,
            finalizing,
            tuple(self._proposals),
            scene_end_lines=told,
            tension_suggestion=offer,
        )

    async def decide(
        self,
        proposal_ids: Collection[Id],
        verdict: Verdict | None,
        *,
        reason: str = "",
        edited: Payload | None = None,
    ) -> None:
        self._call("decide", tuple(proposal_ids), verdict)
        marks: dict[Verdict | None, Literal["accept", "reject", "defer"]] = {
            Verdict.ACCEPT: "accept",
            Verdict.REJECT: "reject",
            Verdict.FLAVOUR: "reject",
            Verdict.DEFER: "defer",
            None: "defer",
        }
        self._proposals = [
            replace(p, verdict=verdict, mark=marks[verdict]) if p.proposal.id in proposal_ids else p
            for p in self._proposals
        ]
        self.events.publish(ProposalsChanged(self.universe.id, None))

    async def edit_text(self, proposal_id: Id, text: str) -> None:
        self._call("edit_text", proposal_id, text)
        self._proposals = [
            replace(p, title=text, verdict=Verdict.ACCEPT, mark="accept")
            if p.proposal.id == proposal_id
            else p
            for p in self._proposals
        ]
        self.events.publish(ProposalsChanged(self.universe.id, None))

    async def commit(self, scene_id: Id, only: Sequence[Id] | None = None) -> CommitReport:
        self._call("commit", scene_id, tuple(only) if only is not None else None)
        accepted = [p for p in self._proposals if p.mark == "accept"]
        next_scene = None
        if self.states[scene_id] == "finalizing":
            self.states[scene_id] = "completed"
            next_scene = self._open(self._story(self._scenes[scene_id].story_id), "Scene 2")
        rejected = sum(p.mark == "reject" for p in self._proposals)
        held = sum(p.mark == "hold" for p in self._proposals)
        self._proposals = []
        self.trigger = ""
        facts = tuple(_fact(self.universe.id, p.title) for p in accepted)
        return CommitReport(
            an_id("canonization"), facts, (), len(accepted), rejected, 1, held, next_scene_id=next_scene
        )

    async def commit_universe(self, universe_id: Id, only: Collection[Id] | None = None) -> CommitReport:
        self._call("commit_universe", universe_id, tuple(only) if only is not None else None)
        accepted = [p for p in self._proposals if p.mark == "accept"]
        self._proposals = [p for p in self._proposals if p.mark not in ("accept", "reject")]
        facts = tuple(_fact(self.universe.id, p.title) for p in accepted)
        self.events.publish(ProposalsChanged(self.universe.id, None))
        return CommitReport(an_id("canonization", "by hand"), facts, (), len(accepted), 0, 0, 0)

    async def commit_trigger(self, scene_id: Id) -> CommitReport:
        self._call("commit_trigger", scene_id)
        self.trigger = ""
        gone, self._proposals = self._proposals[:1], self._proposals[1:]
        facts = tuple(_fact(self.universe.id, p.title) for p in gone)
        self.events.publish(ProposalsChanged(self.universe.id, scene_id))
        return CommitReport(an_id("canonization"), facts, (), 1, 0, 0, 0)

    async def dismiss_trigger(self, scene_id: Id) -> None:
        self._call("dismiss_trigger", scene_id)
        self.trigger = ""
        self.events.publish(ProposalsChanged(self.universe.id, scene_id))

    # --- the world ---------------------------------------------------------------------------------

    async def systems(self) -> tuple[RulePackView, ...]:
        self._call("systems")
        return SYSTEMS

    async def pass_time(self, scene_id: Id, length: str) -> Reply:
        self._call("pass_time", scene_id, length)
        return Reply("exchange")

    async def set_tension(self, scene_id: Id, tension: int | TensionMode) -> None:
        self._call("set_tension", scene_id, tension)
        self.offer = None
        self.tension = f"Tension went 5 → {tension} in this scene."

    async def check_start(self, scene_id: Id, faces: tuple[int, ...] | None = None) -> Reply:
        self._call("check_start", scene_id, faces)
        return Reply("exchange")

    async def finish_track(self, scene_id: Id, track: str, faces: tuple[int, ...] | None = None) -> Reply:
        self._call("finish_track", scene_id, track, faces)
        return Reply("exchange")

    async def alter_roll(self, scene_id: Id, how: Literal["reroll", "pick"], typed: str) -> Reply:
        self._call("alter_roll", scene_id, how, typed)
        return Reply("exchange")

    async def edit_sheet(
        self, scene_id: Id, entity_id: Id, numbers: Mapping[str, Number], tags: Mapping[str, bool]
    ) -> Reply:
        self._call("edit_sheet", entity_id, dict(numbers), dict(tags))
        return Reply("operation", ("Proposed: hp -1",), prompt_text=self.suggested)

    async def rest(self, scene_id: Id, typed: str) -> Reply:
        self._call("rest", scene_id, typed)
        return Reply("exchange")

    async def sheet(self, scene_id: Id, entity_id: Id | None = None) -> SheetView:
        self._call("sheet", scene_id, entity_id)
        person = next((p for p in self.folk[:2] if p.id == entity_id), self.folk[0])
        hp = person.numbers["hp"]
        return SheetView(
            person.id,
            person.name,
            person.is_pc,
            "Lantern Twos",
            (
                _number("might", "Arms and back", 1, -1, 3),
                SheetRow("track", "hp", "hp", f"{hp}/10", "Harm", hp, 0, 10, is_staged=person.is_pc),
                SheetRow("tag", "wounded", "wounded", "", "It slows you"),
            ),
            other_sheets=tuple((p.id, p.name) for p in self.folk[:2]),
        )

    async def list_entity_names(self, universe_id: Id) -> list[str]:
        return [entity.name for entity in await self.list_entities(universe_id)]

    async def list_entities(self, universe_id: Id, search: str = "") -> list[Entity]:
        self._call("entities", universe_id, search)
        everything = [*self.folk, *self._places] if universe_id == self.universe.id else []
        return [e for e in everything if search.casefold() in e.name.casefold()]

    async def read_card(self, entity_id: Id) -> EntityCard:
        self._call("card", entity_id)
        entity = next(e for e in (*self.folk, *self._places) if e.id == entity_id)
        scene = next(iter(self._scenes.values()), None)
        line = self.lines[scene.id] if scene else []
        turn_id = line[1].turn.id if len(line) > 1 else None
        evidence = _evidence(turn_id, scene.id if scene else None)
        fact = FactView(
            _fact(self.universe.id, f"{entity.name} heard the bell at low tide"),
            True,
            "Day 3, dusk",
            (evidence,),
        )
        old = FactView(
            _fact(self.universe.id, f"{entity.name} never heard the bell"), False, "Day 1", (), fact.fact.id
        )
        stays = _fact(self.universe.id, f"{entity.name} is in the chapel")
        place = FactView(stays.model_copy(update={"kind": FactKind.RELATION}), True, "Day 2", ())
        return EntityCard(
            entity,
            (fact,),
            (("located in", self._places[0], place),),
            (old,),
            (evidence,),
            ("Under the chapel",),
        )

    async def trace(self, turn_id: Id) -> TurnTrace:
        self._call("trace", turn_id)
        for scene_id, line in self.lines.items():
            for view in line:
                if view.turn.id == turn_id:
                    scene = self._scenes[scene_id]
                    facts = (_fact(self.universe.id, "The iron door stands open"),) if view.made_count else ()
                    proposed = tuple(self._proposals[:1]) if view.made_count else ()
                    story = self._story(scene.story_id)
                    return TurnTrace(view.turn, scene, story, True, facts, (self.folk[0],), proposed)
        raise MonitorError("There is no such turn.")


_SAID = ("I force the iron door.", "“Who rang the bell?” I ask the dark.", "I lift the lamp and go down.")
_ANSWERED = (
    "The hinges give with a shriek that the whole coast must have heard. Cold air comes up, and with it the "
    "smell of weed and tallow.",
    "Nobody answers. Far below, water moves against stone, and something that is not water moves with it.",
    "Nine steps, then silt. Drag marks run from the foot of the stair to the flooded nave.",
)


def _universe() -> Universe:
    return Universe(
        id=an_id("universe"),
        name="Salt Coast",
        genre="coastal mystery",
        tone="quiet dread",
        description="Fishing towns under a cliff chapel whose bell went into the sea, and is still heard.",
        recorded_at=NOW,
    )


def _people(universe_id: Id) -> list[Entity]:
    def person(name: str, text: str, *, pc: bool = False, numbers: dict[str, int] | None = None) -> Entity:
        return Entity(
            id=an_id("entity", name),
            universe_id=universe_id,
            kind=EntityKind.CHARACTER,
            name=name,
            description=text,
            is_pc=pc,
            numbers=dict(numbers or {}),
            recorded_at=NOW,
        )

    return [
        person(
            "Mara Venn",
            "A diver who came home for one funeral and stayed.",
            pc=True,
            numbers={"hp": 10, "might": 1},
        ),
        person("Father Ode", "He keeps the chapel and counts the tides.", numbers={"hp": 6}),
        person("Ilse Karr", "Harbour master; nothing lands without her mark."),
    ]


def _places(universe_id: Id) -> list[Entity]:
    return [
        Entity(
            id=an_id("entity", name),
            universe_id=universe_id,
            kind=EntityKind.PLACE,
            name=name,
            recorded_at=NOW,
        )
        for name in ("Saint Orrin's chapel", "Low Quay")
    ]


def _roll(turn: Turn) -> Resolution:
    return Resolution(
        id=an_id("resolution", turn.id),
        scene_id=turn.scene_id,
        turn_id=turn.id,
        rule="check",
        intent=turn.text,
        expression="2d6+1",
        dice=(Die(sides="6", face=5), Die(sides="6", face=4)),
        total=10,
        target=9,
        degree=Degree.SUCCESS,
        margin=1,
        text="2d6+1 [5,4]+1 = 10 vs 9 · success",
        created_at=NOW,
    )


def _evidence(turn_id: Id | None, scene_id: Id | None) -> Evidence:
    return Evidence(
        id=an_id("evidence"),
        kind=EvidenceKind.TURN,
        ref_id=turn_id or an_id("none"),
        quote="The hinges give with a shriek that the whole coast must have heard.",
        turn_id=turn_id,
        scene_id=scene_id,
    )


def _fact(universe_id: Id, statement: str) -> Fact:
    return Fact(
        id=an_id("fact", statement),
        universe_id=universe_id,
        kind=FactKind.EVENT,
        predicate="happened",
        statement=statement,
        recorded_at=NOW,
    )


def _proposals(
    universe_id: Id, scene_id: Id, people: list[Entity], places: list[Entity], line: list[TurnView]
) -> list[ProposalView]:
    turn = line[1].turn

    def proposed(number: int, payload: Payload, **rest: Any) -> ProposalView:
        proposal = ProposedChange(
            id=an_id("proposal", number),
            universe_id=universe_id,
            scene_id=scene_id,
            turn_id=turn.id,
            payload=payload,
            evidence=(_evidence(turn.id, scene_id),),
            authority=rest.pop("authority", Authority.GM),
            critical=rest.get("is_critical", False),
            created_at=NOW,
        )
        quote = rest.pop("quote", "Drag marks run from the foot of the stair to the flooded nave.")
        return ProposalView(
            number,
            proposal,
            ProposalStatus.PENDING,
            None,
            quote=quote,
            turn_number=2,
            **{"mark": "accept", "confidence": 1.0, "group": "Mara Venn", **rest},
        )

    bell = AssertFact(
        fact_kind=FactKind.EVENT,
        predicate="moved",
        statement="The bell was moved after the storm",
        involves=(Involvement(role="location", entity_id=places[0].id),),
    )
    return [
        proposed(
            1,
            StateChange(entity_id=people[0].id, key="hp", op=StateOp.ADD, value=-3),
            label="state",
            title="Mara Venn: hp 10 → 7",
            diff=(("hp", "10", "7"),),
            confidence=0.8,
            authority=Authority.PLAYER,
            quote="The door takes skin with it: -3 hp",
        ),
        proposed(
            2,
            CreateEntity(entity_id=an_id("new"), entity_kind=EntityKind.PLACE, name="The Flooded Nave"),
            label="place",
            title="The Flooded Nave",
            is_critical=True,
            group="The Flooded Nave",
            diff=(("name", "", "The Flooded Nave"),),
        ),
        proposed(
            3,
            bell,
            label="fact",
            title="The bell was moved after the storm",
            group="Saint Orrin's chapel",
            mark="hold",
            confidence=0.5,
            authority=Authority.SYSTEM,
            diff=(("happened", "The bell hangs in the tower", "The bell was moved after the storm"),),
            conflicts=(
                ConflictView(
                    "one value at a time",
                    "Canon says the bell hangs in the tower.",
                    _fact(universe_id, "The bell hangs in the tower"),
                ),
            ),
        ),
        proposed(
            4,
            bell,
            label="fact",
            title="Father Ode is afraid of the water",
            group="Father Ode",
            mark="defer",
            confidence=0.5,
            authority=Authority.SYSTEM,
        ),
    ]


class TwinServices:
    """The twin in the shape of `agents.services.services.Services`."""

    def __init__(self, twin: TwinDesk) -> None:
        self.play = self.stories = self.gate = twin
        self.conflicts, self.policy = twin.bench.court, twin.bench.house
        self.world = twin.world
        self.world.list_entities = twin.list_entities
        self.world.list_entity_names = twin.list_entity_names
        self.world.read_card = twin.read_card
        self.characters, self.query, self.imports = twin.people, twin.recall, twin.imports
        self.llm, self.jobs, self.events = twin.model, twin.background, twin.events
