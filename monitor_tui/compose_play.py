"""The agents, and the orchestrator that plays scenes with them: each object is made once, when first needed."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

from agents.canon_keeper.conflicts.precedent_keys import derive_statement_keys
from agents.canon_keeper.keeper import CanonKeeper
from agents.canon_keeper.predicates import load_catalogue
from agents.context_assembly.package_builder import ContextPackageBuilder
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.context_assembly.story_agenda import StoryAgendaReader
from agents.declarations.declarations import DeclarationService
from agents.events import EventBus
from agents.indexer.embedding_port import Embedder
from agents.ingest.ingest_worker import EnrichWorker
from agents.ingest.ladder.chunk_model import ReaderPersona
from agents.ingest.page_transcription import PictureReaderPersona
from agents.ingest.source_copies import derive_source_ids
from agents.ingest.source_recorder import SourceRecorder
from agents.jobs.worker import JobSubject
from agents.llm.budget import BudgetGuard
from agents.llm.cancellations import Cancellations
from agents.llm.child_client import ChildModel
from agents.llm.llm_port import ModelFacts
from agents.llm.llm_settings import AppSettings
from agents.llm.model_calls import ModelCalls
from agents.llm.provider_keys import ProviderKeys
from agents.llm.trusted_addresses import TrustedAddresses
from agents.loop_transitions import LoopTransitions
from agents.narrator.change_extraction import ChangeExtractor
from agents.narrator.gm_turn_writer import GmTurnWriter
from agents.orchestrator.advances import AdvanceService
from agents.orchestrator.branch_maker import BranchMaker
from agents.orchestrator.branches import BranchActions
from agents.orchestrator.command_undo import CommandUndo
from agents.orchestrator.commit_reports import commit_lines
from agents.orchestrator.commit_triggers import CommitTriggers
from agents.orchestrator.commit_undo import CommitUndo
from agents.orchestrator.contradicted_narration import ContradictedNarration
from agents.orchestrator.dice_requests import DiceRequestService
from agents.orchestrator.dispatcher import Dispatcher
from agents.orchestrator.doubt_worker import DoubtWorker
from agents.orchestrator.earlier_lines import EarlierLines
from agents.orchestrator.exchange_pipeline import ExchangePipeline
from agents.orchestrator.gate_actions import GateActions
from agents.orchestrator.line_outcomes import LineOutcomes
from agents.orchestrator.line_player import LinePlayer
from agents.orchestrator.move_offers import MoveOffers
from agents.orchestrator.narration.inputs import NarrationInputLoader
from agents.orchestrator.narration.narration import Narration
from agents.orchestrator.narration.prose_steps import ProseSteps
from agents.orchestrator.narration.runner import (
    LazyLangGraphEngine,
    NarrationEngine,
    NarrationRunner,
    PlainNarrationEngine,
)
from agents.orchestrator.narration.steps import NarrationSteps
from agents.orchestrator.open_offers import OpenOffers
from agents.orchestrator.plain_claims import PlainClaims
from agents.orchestrator.plain_hearsay import PlainHearsay
from agents.orchestrator.plain_secrets import PlainSecrets
from agents.orchestrator.plain_vows import PlainVows
from agents.orchestrator.play_tools import PlayTools
from agents.orchestrator.prose_worker import ProseWorker
from agents.orchestrator.record_worker import RecordWorker
from agents.orchestrator.rests import EffectExchanges, RestService
from agents.orchestrator.rolls import RollService
from agents.orchestrator.scene_actions import SceneActions
from agents.orchestrator.scene_end_undo import SceneEndUndo
from agents.orchestrator.scene_guard import SceneGuard
from agents.orchestrator.scene_loop import SceneLoop
from agents.orchestrator.scene_undo import SceneUndo
from agents.orchestrator.scene_views import SceneViewBuilder
from agents.orchestrator.story_closure import StoryClosureBuilder
from agents.orchestrator.story_loop import StoryLoop
from agents.orchestrator.suggested_actions import ActionSuggestions
from agents.orchestrator.timeline import Timeline
from agents.orchestrator.turn_rewording import TurnRewording
from agents.orchestrator.undone_canon import UndoneCanonService
from agents.orchestrator.verdict_undo import VerdictUndo
from agents.personas.personas import Archivist, Personas
from agents.personas.sentence_doubts import SentenceDoubter
from agents.proposals.proposals import Proposals
from agents.resolver.resolver import Resolver
from agents.search.hybrid_search import HybridSearch
from agents.services.llm_setup import LlmSetup, ModelProcess, build_key_environment
from agents.session_lock import SessionLock
from agents.solo.cast_moves import CastMoves
from agents.solo.cast_readers import CastReaders
from agents.solo.character_sheets import CharacterSheets
from agents.solo.depletion import DepletionWatcher
from agents.solo.grid_maps import GridMapEditor, GridMapReader
from agents.solo.narrated_time import NarratedTime
from agents.solo.notes import NoteService
from agents.solo.npcs import NpcService
from agents.solo.oracle_draws import OracleDraws
from agents.solo.place_occupants import PlaceOccupantReader
from agents.solo.scene_cast import SceneCast
from agents.solo.scene_end import SceneEndActions
from agents.solo.scene_start import SceneStartRules
from agents.solo.session_zero import SessionZero
from agents.solo.solo_tools import SoloTools
from agents.solo.story_clocks import ClockService
from agents.solo.story_decisions import DecisionService
from agents.solo.story_journal import StoryJournal
from agents.solo.story_rules import StoryRules
from agents.solo.story_settings import StorySettings
from agents.solo.story_threads import ThreadService
from agents.solo.tension import TensionAdvisor
from agents.solo.told_fates import FateReader
from agents.solo.universe_tables import UniverseTables
from agents.telemetry.figures import OperationFigures
from agents.telemetry.spans import Telemetry
from agents.views.replies import Reply
from monitor_tui.background_jobs import BackgroundJobs, build_background_jobs
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.ingest_workers import build_enrich_worker
from monitor_tui.paths import trusted_addresses_file
from monitor_tui.settings_file import SettingsFile
from monitor_tui.user_files import UserFiles, read_sample_prose
from stores.authority import Role
from stores.branching.branch_copy import copy_branch
from stores.offer_file import OfferFile
from stores.open import Stores
from stores.records.ids import Clock, IdGenerator
from stores.records.jobs import JobKind
from stores.records.llm import Persona
from stores.records.play import Scene


@dataclass(frozen=True)
class Surroundings:
    """What the program is built on."""

    stores: Stores
    files: UserFiles
    settings_file: SettingsFile
    settings: AppSettings
    """The settings that were read when the program started."""
    model: ModelProcess | None
    """What answers for a model; None for LiteLLM in a child process."""
    work: BackgroundMode
    """How much goes on behind play."""
    embedder: Embedder | None
    """What makes vectors, if not the built-in embedder."""
    ids: IdGenerator
    clock: Clock
    events: EventBus
    timer: Callable[[], float]
    """Gives the seconds by which model calls and steps are timed."""
    telemetry: Telemetry
    """Takes in what is measured."""
    figures: OperationFigures
    """What was measured, summed up."""
    home: Path | None = None
    """The home folder, if all stores are files in it: another process can read them."""


class Agents:
    """The agents, each with the handles that its row of the write matrix allows."""

    def __init__(self, base: Surroundings) -> None:
        self.base = base
        stores = base.stores
        self.log = stores.log(Role.ORCHESTRATOR)
        self.canon = stores.canon(Role.ORCHESTRATOR)
        self.loops = LoopTransitions(self.log, base.clock, base.events)
        resolver_log = stores.log(Role.RESOLVER)
        self.resolver = Resolver(resolver_log, base.ids, base.clock, telemetry=base.telemetry)
        self.proposals = Proposals(resolver_log, base.ids, base.clock, base.events)
        self.keeper = CanonKeeper(
            stores.canon(Role.CANON_KEEPER),
            stores.log(Role.CANON_KEEPER),
            load_catalogue(),
            base.ids,
            base.clock,
            base.telemetry,
            commits=stores.commits(Role.CANON_KEEPER) if stores.commits else None,
        )
        self.read_catalogue = self.keeper.policies.read_catalogue
        self.contexts = SceneContextLoader(
            stores.canon(Role.CONTEXT_ASSEMBLY), stores.log(Role.CONTEXT_ASSEMBLY)
        )
        self.gm_turn_writer = GmTurnWriter(stores.log(Role.NARRATOR))
        self.agendas = StoryAgendaReader(self.canon, self.log)
        self.rules = StoryRules(base.files.packs)
        self.declarations = DeclarationService(
            self.contexts, self.proposals, self.read_catalogue, base.ids, self.rules.find_pack
        )
        self.keys = ProviderKeys(trusted_addresses=TrustedAddresses(trusted_addresses_file()))
        self.model: ModelProcess = base.model or ChildModel(
            build_key_environment(self.keys, lambda: self.llm_setup.current_settings)
        )
        self.llm_setup = LlmSetup(
            base.settings_file,
            self.model,
            self.keys,
            base.files.prompts,
            base.events,
            current_settings=base.settings,
            timer=base.timer,
        )
        self.budget_guard = BudgetGuard(self.log, lambda: self.llm_setup.current_settings.budget, base.clock)
        self.cancellations = Cancellations()
        # What a model is asked and costs is the Narrator's to write down, by the authority table.
        self.calls = ModelCalls(
            self.model,
            stores.log(Role.NARRATOR),
            lambda: self.llm_setup.current_settings,
            base.files.prompts,
            self.budget_guard,
            self.cancellations,
            base.clock,
            base.events,
            timer=base.timer,
            telemetry=base.telemetry,
        )

    def _build_enrich_worker(self) -> EnrichWorker:
        reader = ReaderPersona(self.calls)
        stores = self.base.stores
        return build_enrich_worker(
            stores.canon(Role.INGEST),
            stores.log(Role.INGEST),
            self.source_recorder,
            stores.objects(Role.INGEST),
            self.read_catalogue,
            reader,
            PictureReaderPersona(self.calls),
            lambda: reader.is_on,
            self.base.events.publish,
        )

    async def read_reader_model_facts(self) -> ModelFacts | None:
        """Return what is known of the model that reads chunks of documents; None if there is none."""
        settings = self.llm_setup.current_settings
        target = settings.target(Persona.READER) if settings.is_on(Persona.READER) else None
        return await self.model.read_facts(target.model) if target is not None else None

    @cached_property
    def source_recorder(self) -> SourceRecorder:
        """What alone writes how far documents are."""
        return SourceRecorder(self.base.stores.log(Role.INGEST), self.base.events)

    @cached_property
    def background(self) -> BackgroundJobs:
        """What runs behind play: it is closed before the stores, and ends what it speaks through."""
        base = self.base
        doubt_worker = DoubtWorker(
            self.log,
            self.canon,
            SentenceDoubter(self.calls),
            self.keeper.model_doubts,
            base.events,
            lambda: self.llm_setup.current_settings.doubts_sentences(),
        )
        return build_background_jobs(
            base.stores,
            base.settings,
            self.model,
            self.budget_guard,
            base.ids,
            base.clock,
            base.events,
            base.work,
            base.embedder,
            catalogue=self.read_catalogue,
            doubt_worker=doubt_worker,
            enrich_worker=self._build_enrich_worker(),
            source_recorder=self.source_recorder,
            telemetry=base.telemetry,
            home=base.home,
            environ=os.environ,
        )

    @cached_property
    def search(self) -> HybridSearch:
        stores, role = self.base.stores, Role.CONTEXT_ASSEMBLY
        return HybridSearch(
            stores.canon(role),
            stores.log(role),
            stores.words(role),
            stores.vectors(role),
            self.background.question_vectors,
        )

    @cached_property
    def packages(self) -> ContextPackageBuilder:
        return ContextPackageBuilder(
            self.canon, self.log, self.contexts, self.agendas, self.search, self.base.clock
        )


class PlayParts:
    """The orchestrator: what plays scenes, and what keeps a story going beside its line."""

    def __init__(self, agents: Agents, offer_file: OfferFile) -> None:
        self.agents = agents
        base, log, contexts = agents.base, agents.log, agents.contexts
        self.journal = StoryJournal(log, contexts, agents.loops, base.ids, base.clock, base.events)
        cast_readers = CastReaders(log, agents.canon)
        self.cast_moves = CastMoves(log, agents.canon, cast_readers, self.journal, agents.proposals)
        self.fate_reader = FateReader(cast_readers)
        self.people = NpcService(log, agents.canon, contexts, agents.agendas, self.journal)
        self.tables = UniverseTables(agents.canon, base.files.tables)
        self.oracle_draws = OracleDraws(
            agents.canon, contexts, agents.agendas, self.people, agents.read_catalogue, self.tables
        )
        self.rules = agents.rules
        self.rolls = RollService(
            contexts, agents.resolver, agents.read_catalogue, self.oracle_draws, self.rules
        )
        self.timeline = Timeline(log, agents.gm_turn_writer, base.ids, base.clock, base.events)
        self.narration_inputs = NarrationInputLoader(log, contexts, agents.packages, base.clock)
        self.extraction = ChangeExtractor(agents.canon)
        self.narration_runner = self._build_narration_runner()
        self.pipeline = ExchangePipeline(
            log,
            contexts,
            agents.gm_turn_writer,
            self.rolls,
            agents.agendas,
            agents.proposals,
            agents.loops,
            self.narration_runner,
            self.cast_moves,
            base.clock,
            base.events,
            lambda: self.narration.records_beside_play,
        )
        effect_exchanges = EffectExchanges(self.rolls, base.ids, base.clock)
        depletion = DepletionWatcher(self.rules)
        self.play_table = PlayTools(
            DiceRequestService(self.rolls, self.rules, self.timeline, self.pipeline, base.ids),
            CharacterSheets(contexts, self.rules, agents.declarations),
            RestService(contexts, self.rules, effect_exchanges),
            AdvanceService(self.rules, effect_exchanges),
            depletion,
            StorySettings(log, base.files.packs),
            NoteService(log, base.ids, base.clock),
            GridMapEditor(log, GridMapReader(log, agents.canon), base.ids, base.clock),
        )
        self.narration = Narration(
            agents.calls,
            self.narration_runner,
            self.timeline,
            contexts,
            agents.packages,
            self.play_table.notes,
            log,
            lambda: agents.llm_setup.current_settings,
            base.ids,
            self._request_record if base.work is BackgroundMode.PLAY else None,
        )
        self.solo_tools = self._build_solo_tools()
        self.stories = StoryLoop(
            log,
            agents.canon,
            agents.canon,
            agents.keeper,
            agents.proposals,
            StoryClosureBuilder(log, agents.canon, contexts, agents.agendas, base.clock),
            agents.loops,
            base.ids,
            base.clock,
        )
        self.verdict_undo = VerdictUndo(agents.keeper, base.clock, base.events)
        commit_undo = CommitUndo(
            log,
            agents.canon,
            agents.keeper,
            agents.proposals,
            self.solo_tools.journal,
            base.clock,
            base.events,
        )
        self.views = SceneViewBuilder(
            log,
            agents.canon,
            agents.agendas,
            self.solo_tools.scene_start,
            agents.keeper,
            agents.loops,
            self.verdict_undo,
            base.clock,
        )
        self.suggestions = ActionSuggestions(agents.calls, agents.packages, self.views, self.rules, base.ids)
        undone_canon = UndoneCanonService(log, agents.canon, agents.proposals, base.clock)
        self.scenes = SceneLoop(
            log,
            agents.canon,
            contexts,
            agents.keeper,
            agents.declarations,
            self.stories,
            self.views,
            self.solo_tools.scene_end,
            self.solo_tools.journal,
            agents.loops,
            base.clock,
            base.events,
        )
        self.end_undo = SceneEndUndo(
            log,
            agents.canon,
            contexts,
            commit_undo,
            self.scenes,
            self.solo_tools.scene_end,
            agents.loops,
            base.events,
        )
        self.guard = SceneGuard(contexts, agents.loops, self.pipeline, self.narration.refuse_while_narrating)
        self.dispatcher = Dispatcher(SessionLock(), self.guard, contexts)
        self.triggers = CommitTriggers(log, contexts, agents.keeper, self.scenes, self.views, base.events)
        self.records = RecordWorker(
            log, contexts, self.narration_runner, self.dispatcher, self._describe_effects, base.events
        )
        self.prose_reading = self._build_prose_worker()
        if base.work is BackgroundMode.PLAY:
            agents.background.runner.register(self.records)
            agents.background.runner.register(self.prose_reading)
        self.actions = SceneActions(
            log,
            contexts,
            self.timeline,
            self.pipeline,
            self.solo_tools,
            self.play_table,
            self.cast_moves,
            undone_canon,
            self.views,
            base.ids,
            base.events,
        )
        self.branches = BranchActions(
            log,
            self.timeline,
            undone_canon,
            TurnRewording(self.solo_tools.journal, undone_canon, base.events),
        )
        self.branch_maker = BranchMaker(
            agents.canon,
            log,
            partial(
                copy_branch,
                base.stores.history,
                derivation_finders=(partial(derive_statement_keys, load_catalogue()), derive_source_ids),
            ),
            base.ids,
            base.clock,
            base.events,
        )
        self.scene_undo = SceneUndo(
            log,
            self.timeline,
            undone_canon,
            CommandUndo(agents.keeper, self.solo_tools.journal, base.clock, base.events),
            self.verdict_undo,
            commit_undo,
            self.end_undo,
            self.views,
        )
        self.gate_actions = GateActions(
            log,
            contexts,
            agents.keeper,
            self.scenes,
            self.guard,
            self.triggers,
            self.solo_tools,
            self.views,
            self.verdict_undo,
            base.clock,
            base.events,
        )
        self.plain_vows = PlainVows(log, contexts, agents.keeper.commitments, agents.proposals, base.clock)
        self.outcomes = LineOutcomes(
            agents.canon, agents.read_catalogue, lambda: agents.calls.is_on(Persona.NARRATOR)
        )
        self.offers = OpenOffers(
            offer_file,
            log,
            contexts,
            self.plain_vows.list_commitments,
            depletion.is_still_suggested,
            base.events,
        )
        plain_claims = PlainClaims(
            agents.canon, agents.read_catalogue, self.views, self.cast_moves, self.fate_reader, base.clock
        )
        plain_secrets = PlainSecrets(agents.canon, agents.read_catalogue, base.clock)
        self.earlier_lines = EarlierLines(
            log, contexts, agents.proposals, plain_claims, self.plain_vows, plain_secrets
        )
        self.line_player = LinePlayer(
            contexts,
            self.pipeline,
            self.timeline,
            self.narration,
            self.oracle_draws,
            MoveOffers(self.rules, agents.canon, lambda: agents.llm_setup.current_settings.play),
            self.play_table,
            self.solo_tools,
            self.plain_vows,
            plain_claims,
            plain_secrets,
            PlainHearsay(agents.canon, agents.read_catalogue, base.clock),
            ContradictedNarration(agents.canon, agents.read_catalogue, base.clock),
            base.ids,
        )

    def _request_record(self, scene: Scene) -> None:
        subject = JobSubject(scene.id, scene.universe_id)
        self.agents.background.runner.request(JobKind.RECORD, subject, urgent=True)
        self.agents.background.runner.request(JobKind.EXTRACT, self.prose_reading.note_opened(scene))

    async def _describe_effects(self, before: SceneContext, after: SceneContext) -> Reply:
        """Say what a record led to: what ran out by it, and what was committed at once; offer the rest."""
        reply = self.play_table.depletion.add_depletion_lines(before, after, Reply("exchange"))
        await self.offers.add(after, reply.offers)
        if (offer := await self.triggers.find_offer(after)) is None:
            return reply
        report = await self.triggers.raise_offer(after, offer)
        return replace(reply, lines=(*reply.lines, *commit_lines(report))) if report is not None else reply

    def _build_prose_worker(self) -> ProseWorker:
        agents, base = self.agents, self.agents.base
        return ProseWorker(
            agents.log,
            base.stores.log(Role.MEMORY_MANAGER),
            agents.contexts,
            self.narration_inputs,
            Archivist(agents.calls),
            self.extraction,
            agents.proposals,
            self.dispatcher,
            agents.loops,
            agents.read_catalogue,
            base.clock,
            lambda: agents.calls.is_on(Persona.ARCHIVIST),
            read_sample_prose,
        )

    def _build_narration_runner(self) -> NarrationRunner:
        agents, base = self.agents, self.agents.base
        personas = Personas.create(agents.calls)
        steps = NarrationSteps(
            self.narration_inputs,
            agents.contexts,
            personas,
            ProseSteps(personas, agents.packages, agents.gm_turn_writer, base.events),
            self.extraction,
            agents.proposals,
            self.cast_moves,
            NarratedTime(self.journal),
            # Summaries are the MemoryManager's to write, by the authority table: a narration writes the one
            # of its own exchange with that role's handle.
            base.stores.log(Role.MEMORY_MANAGER),
            agents.read_catalogue,
            base.clock,
            base.events,
            agents.cancellations,
            timer=base.timer,
            telemetry=base.telemetry,
        )
        # LangGraph is loaded with the first exchange that a model narrates.
        build_narration_engine: NarrationEngine = (
            PlainNarrationEngine(agents.log, base.clock)
            if base.settings.engine.backend == "inmemory"
            else LazyLangGraphEngine(agents.log, base.clock)
        )
        return NarrationRunner(agents.log, steps.build_steps, build_narration_engine, agents.loops)

    def _build_solo_tools(self) -> SoloTools:
        agents, base = self.agents, self.agents.base
        threads = ThreadService(self.journal, agents.agendas, agents.declarations, agents.keeper, base.clock)
        clocks = ClockService(self.journal, agents.agendas, agents.declarations)
        tensions = TensionAdvisor(agents.log)
        return SoloTools(
            context=agents.contexts,
            journal=self.journal,
            threads=threads,
            decisions=DecisionService(agents.log, self.journal),
            clocks=clocks,
            npcs=self.people,
            cast=SceneCast(
                agents.contexts,
                self.journal,
                self.cast_moves,
                PlaceOccupantReader(agents.canon, agents.read_catalogue),
            ),
            tension_advisor=tensions,
            scene_start=SceneStartRules(agents.log, agents.contexts),
            scene_end=SceneEndActions(
                agents.log, agents.agendas, tensions, agents.proposals, base.clock, base.events
            ),
            session_zero=SessionZero(self.journal, agents.agendas, threads, clocks, agents.declarations),
        )
