"""Extracts the memories that a stretch of a scene leaves to those who were present.

Every turn leaves each of them at most: a memory of each fact that the turn shows, of each thing that
somebody tells them and that can be compared with the record, of what they conclude, and of the turn itself if it
matters (MIN_TURN_IMPORTANCE) and no fact says as much. All are in words, without dice, numbers, clocks or
commands (`memory_words.py`). That somebody came in is no memory, unless words tell of it. The rules:

*Saw.* A fact that rests on the turn is seen if the words of the turn that this character heard support it:
its evidence quotes them; or it is visible (a deed, an encounter, a possession, a death, where somebody is)
and those it involves are named or present; or half of its other words occur. A fact that the GM declares
beside the turn, to which none of this applies, is known to its own subject alone.

*Was told.* A spoken sentence is compared, claim by claim (`sentence_claims.py`), with what is canon or
proposed at that world time. If it agrees, the hearer was told of that fact. If not, the hearer keeps it as
a belief, in the words that were said; whether it is mistaken is worked out when it is read, for canon may
change. The speaker is not told. What the prose reports (`Corrin tells me that ...`, `I lie to Dace: ...`) is kept in
the same way if nothing can be compared with it, and a rumour as heard from nobody.

*Believes.* What the prose says that somebody believes is a conclusion of theirs, whether they are there or not.

*Concluded.* Somebody who was absent when somebody died, and finds the body, concludes the death.

*Corrections.* What somebody sees or concludes replaces what they were told otherwise; what they are told
replaces it only if the teller corrects it explicitly or is right. Nobody is talked out of what they saw. A
correction states what is true, and does not repeat the error: repeating an error in its correction makes it
familiar, and what is familiar is believed (Swire, Ecker & Lewandowsky, J. Exp. Psychol. LMC 43(12), 2017;
Lewandowsky et al., Psychol. Sci. Public Interest 13(3), 2012; that a correction as such seldom backfires:
Swire-Thompson, DeGutis & Lazer, JARMAC 9(3), 2020).

Identifiers are derived from turn, character and place in the turn: extracting again gives the same
memories.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import takewhile
from typing import Final

from agents.memory_manager.belief_tracker import BeliefTracker
from agents.memory_manager.fact_visibility import FactVisibility, is_text_in
from agents.memory_manager.memory_importance import (
    MIN_TURN_IMPORTANCE,
    add_part_bonus,
    measure_fact_importance,
    measure_importance,
    measure_valence,
)
from agents.memory_manager.memory_words import (
    DONE_TO_LISTENERS,
    is_telling,
    name_hero_in_narration,
    strip_bookkeeping,
    word_attempt,
    word_fact,
    word_named_move,
)
from agents.memory_manager.own_deaths import is_death_of, is_killing, tells_death_of
from agents.memory_manager.scene_stretch import SceneStretch, StatedFact
from agents.memory_manager.sentence_claims import CORRECTION_WORDS
from agents.memory_manager.spoken_pronouns import may_be_called, name_listener, name_pronoun
from agents.memory_manager.spoken_sentences import SpokenSentence, find_spoken_sentences, find_teller
from agents.prose.hearsay import Belief, find_beliefs
from agents.prose.hero_name import as_first_person, name_hero
from agents.prose.names import any_name_pattern
from agents.prose.struck_words import strike_statements
from agents.prose.words import split_sentences
from stores.records.canon import FactKind, Standing
from stores.records.ids import Id, derive_id
from stores.records.memory import Memory, MemoryOrigin
from stores.records.play import Degree, Resolution, Speaker, Turn

MAX_MEMORY_CHARS: Final = 240
"""Characters of a turn that a memory keeps."""
TURN_PLACE: Final = "0"
"""The place in a turn of the memory of the turn itself, and of its first fact."""

_OUTCOMES: Final = {
    Degree.SUCCESS: "it succeeded.",
    Degree.PARTIAL: "it half succeeded.",
    Degree.FAIL: "it failed.",
}
_MOVE_NAME: Final = re.compile(r"(?: with |, ).*")
"""What the rule of a result says behind the move's name: `strike with might, hurt -1`."""
MIN_WHISPER_IMPORTANCE: Final = 0.5
"""The least importance of a whisper."""

_BODY_WORDS: Final = re.compile(
    r"\b(?:body|corpse|remains|bones|grave|dead|lifeless|lies still|slain|murdered|head of)\b", re.IGNORECASE
)


def extract_memories(stretch: SceneStretch, created_at: datetime) -> list[Memory]:
    """Return the memories that the turns leave to everyone present."""
    return _MemoryExtractor(stretch, created_at).extract_all()


class _MemoryExtractor:
    """One pass over the turns, in which earlier memories count for later ones."""

    def __init__(self, stretch: SceneStretch, created_at: datetime) -> None:
        self._stretch = stretch
        self._created_at = created_at
        self._beliefs = BeliefTracker(stretch)
        self._visibility = FactVisibility(stretch, self._beliefs)
        self._memories_by_id: dict[Id, Memory] = {}

    def extract_all(self) -> list[Memory]:
        for turn in self._stretch.turns:
            heard_texts = self._stretch.attendance.heard_texts(turn)
            spoken_sentences = find_spoken_sentences(
                turn, self._stretch.attendance.names_by_id, self._stretch.attendance.pc_id
            )
            beliefs = self._find_beliefs(turn)
            for memory in self._belief_memories(turn, beliefs):
                self._memories_by_id[memory.id] = memory
                self._beliefs.add_memory(memory)
            for hearer_id, full_text in heard_texts.items():
                # Nobody hears or sees what another believes.
                heard_text = strike_statements(full_text, [belief.quote for belief in beliefs])
                for memory in self._memories_of_turn(turn, hearer_id, heard_text, spoken_sentences):
                    self._memories_by_id[memory.id] = memory
                    self._beliefs.add_memory(memory)
        return list(self._memories_by_id.values())

    def _find_beliefs(self, turn: Turn) -> list[Belief]:
        """Return what a turn says that somebody believes; what the hero does is the player's own thought."""
        if turn.speaker not in (Speaker.GM, Speaker.PLAYER):
            return []
        names_by_id: dict[Id, tuple[str, ...]] = {i: (name,) for i, name in self._stretch.names_by_id.items()}
        names_by_id |= {i: tuple(names) for i, names in self._stretch.attendance.names_by_id.items()}
        beliefs = find_beliefs(turn.text, names_by_id)
        return [belief for belief in beliefs if belief.holder_id != self._stretch.attendance.pc_id]

    def _belief_memories(self, turn: Turn, beliefs: Sequence[Belief]) -> Iterator[Memory]:
        for index, belief in enumerate(beliefs):
            sentence = _finish_sentence(strip_bookkeeping(belief.words, self._stretch.number_keys))
            yield self._build_memory(
                turn,
                belief.holder_id,
                f"believed {index}",
                sentence,
                how=MemoryOrigin.INFERRED,
                about_ids=self._visibility.find_subjects(sentence),
                importance=max(MIN_TURN_IMPORTANCE, measure_importance(sentence)),
                felt_text=sentence,
            )

    # --- one turn, for one who was there -------------------------------------------------------------

    def _memories_of_turn(
        self, turn: Turn, hearer_id: Id, heard_text: str, spoken_sentences: Sequence[SpokenSentence]
    ) -> Iterator[Memory]:
        stated_facts = self._stretch.stated_by_turn.get(turn.id, ())
        untold = [s for s in stated_facts if not s.fact.is_known_to_any({hearer_id})]
        untold_facts = [s.fact for s in untold]
        heard_text = strike_statements(heard_text, [text for s in untold for text in s.list_tellings()])
        dies = any(is_death_of(s.fact, hearer_id) for s in stated_facts if not s.is_denied)
        linked_fact_ids: set[Id] = set()
        fact_texts: set[str] = set()
        is_covered = False
        told_sentences = [
            s for s in spoken_sentences if s.speaker_id != hearer_id and is_text_in(s.text, heard_text)
        ]
        for stated_fact in stated_facts:
            if (
                stated_fact.is_denied
                or stated_fact.fact in untold_facts
                or not self._visibility.is_learned_by(
                    stated_fact, turn, hearer_id, heard_text, spoken_sentences
                )
            ):
                continue
            linked_fact_ids.add(stated_fact.fact.id)
            if (
                is_death_of(stated_fact.fact, hearer_id)
                or (dies and is_killing(stated_fact.fact, hearer_id))
                or tells_death_of(stated_fact.fact, self._stretch.attendance.names_by_id.get(hearer_id, ()))
            ):
                # The dead remember nothing of their own death.
                is_covered |= self._visibility.covers_turn(stated_fact, turn, heard_text)
                continue
            fact_text = self._word_fact(stated_fact)
            if not fact_text or fact_text in fact_texts:
                continue  # what plain words said may be declared once more
            fact_texts.add(fact_text)
            covers_turn = self._visibility.covers_turn(stated_fact, turn, heard_text)
            is_covered |= covers_turn
            yield self._fact_memory(
                stated_fact, fact_text, covers_turn, turn, hearer_id, heard_text, told_sentences
            )
        for memory in self._told_memories(turn, hearer_id, told_sentences, linked_fact_ids):
            if memory.linked_fact_id:
                linked_fact_ids.add(memory.linked_fact_id)
            is_covered = True
            yield memory
        yield from self._conclude_deaths(turn, hearer_id, heard_text, linked_fact_ids)
        if not is_covered:
            yield from self._own_turn_memory(turn, hearer_id, heard_text, spoken_sentences)

    def _word_fact(self, stated_fact: StatedFact) -> str:
        subject_name = self._stretch.names_by_id.get(stated_fact.fact.entity("subject") or "", "")
        return word_fact(stated_fact.fact, subject_name, self._stretch.number_keys)

    def _fact_memory(
        self,
        stated_fact: StatedFact,
        fact_text: str,
        covers_turn: bool,
        turn: Turn,
        hearer_id: Id,
        heard_text: str,
        told_sentences: Sequence[SpokenSentence],
    ) -> Memory:
        fact = stated_fact.fact
        involved_ids = tuple(dict.fromkeys(i.entity_id for i in fact.involves))
        importance = measure_fact_importance(fact, stated_fact.is_critical)
        teller_id = self._visibility.find_teller(fact, stated_fact, told_sentences)
        if fact.kind is FactKind.ASSERTION and fact.entity("subject") not in (None, hearer_id):
            teller_id = fact.entity("subject")
        return self._build_memory(
            turn,
            hearer_id,
            TURN_PLACE
            if stated_fact.index_in_turn == 0 and covers_turn
            else f"fact {stated_fact.index_in_turn}",
            fact_text,
            how=MemoryOrigin.TOLD if teller_id or fact.standing is Standing.RUMOUR else MemoryOrigin.SAW,
            told_by=teller_id,
            fact_id=None if stated_fact.is_health_change else fact.id,
            about_ids=involved_ids,
            importance=add_part_bonus(importance) if hearer_id in involved_ids else importance,
            felt_text=heard_text,
        )

    def _told_memories(
        self, turn: Turn, hearer_id: Id, told_sentences: Sequence[SpokenSentence], linked_fact_ids: set[Id]
    ) -> Iterator[Memory]:
        """Return memories of what others say that can be compared: a fact on record, or an undecided claim."""
        told_sentences = [
            told
            for s in told_sentences
            for told in (self._give_words(s, turn, hearer_id) if s.retold_from_id else (s,))
        ]
        claims_by_sentence = [(s, self._beliefs.read_claims(s.text, s.speaker_id)) for s in told_sentences]
        is_correcting = any(CORRECTION_WORDS.search(s.text) for s in told_sentences)
        affirmed_keys = {c.fact_key for _, claims in claims_by_sentence for c in claims if c.is_affirmed}
        for index, (spoken_sentence, claims) in enumerate(claims_by_sentence):
            comparable_claims = [c for c in claims if c.fact_key != "said"]
            if (
                comparable_claims
                and not any(c.is_affirmed for c in comparable_claims)
                and any(c.fact_key in affirmed_keys for c in comparable_claims)
            ):
                continue  # the error is not repeated: the current fact stands beside it
            fact = self._beliefs.find_fact(claims, turn.tick)
            if fact is None and not comparable_claims and not spoken_sentence.is_hearsay:
                continue
            if fact is not None and fact.id in linked_fact_ids:
                continue
            spoken_text = strip_bookkeeping(spoken_sentence.text, self._stretch.number_keys)
            if not spoken_text:
                continue
            first_person = self._stretch.names_by_id.get(spoken_sentence.first_person_id or "", "")
            if spoken_sentence.is_hearsay:
                is_of_gm = spoken_sentence.is_of_gm
                spoken_text = name_hero(
                    as_first_person(spoken_text) if is_of_gm else spoken_text, first_person
                )
            sentence = _finish_sentence(
                name_listener(
                    name_pronoun(spoken_text, spoken_sentence.pronoun_name),
                    self._find_listener_name(spoken_sentence, turn),
                )
            )
            about_ids = self._visibility.find_subjects(sentence, fact)
            yield self._build_memory(
                turn,
                hearer_id,
                f"said {index}",
                sentence,
                how=MemoryOrigin.TOLD,
                told_by=spoken_sentence.speaker_id,
                fact_id=fact.id if fact else None,
                about_ids=about_ids,
                importance=max(
                    MIN_TURN_IMPORTANCE,
                    measure_importance(sentence),
                    measure_fact_importance(fact, False) if fact else 0,
                ),
                felt_text=sentence,
                is_correcting=is_correcting,
            )

    def _find_listener_name(self, spoken_sentence: SpokenSentence, turn: Turn) -> str:
        """Return the name for a `him` or `her` that means who is told; empty if another may be meant."""
        pronoun = spoken_sentence.listener_pronoun
        if not pronoun:
            return ""
        (listener_id,), attendance = spoken_sentence.addressee_ids, self._stretch.attendance
        gender = self._stretch.genders.get(listener_id, "")
        turns_before = (
            *self._stretch.turns_before,
            *takewhile(lambda t: t.id != turn.id, self._stretch.turns),
        )
        texts = [t.text for t in turns_before if t.speaker in (Speaker.PLAYER, Speaker.GM, Speaker.NPC)]
        names = attendance.names_by_id.get(listener_id, ())
        own_ids = (listener_id, attendance.pc_id)
        others = [n for i, ns in attendance.names_by_id.items() if i not in own_ids for n in ns]
        hero_names = attendance.names_by_id.get(attendance.pc_id or "", ())
        if gender == pronoun or (not gender and may_be_called(pronoun, names, hero_names, others, texts)):
            return self._stretch.names_by_id.get(listener_id, "")
        return ""

    def _give_words(self, retelling: SpokenSentence, turn: Turn, hearer_id: Id) -> Iterator[SpokenSentence]:
        """Yield what somebody is told of another's words: what the teller heard last from them, if anything.

        Who said it, and who only overhears, learns nothing.
        """
        if hearer_id not in retelling.addressee_ids or hearer_id == retelling.retold_from_id:
            return
        heard = [
            memory
            for memory in (*self._stretch.held_memories, *self._memories_by_id.values())
            if memory.entity_id == retelling.speaker_id
            and memory.told_by == retelling.retold_from_id
            and memory.tick < turn.tick
        ]
        if heard:
            yield retelling._replace(text=max(heard, key=lambda memory: memory.tick).text)
            return
        names = self._stretch.names_by_id
        teller, hearer = names.get(retelling.speaker_id or "", ""), names.get(hearer_id, "")
        if teller and hearer:
            yield retelling._replace(text=f"{teller} told {hearer} {retelling.text}")

    def _conclude_deaths(
        self, turn: Turn, hearer_id: Id, heard_text: str, linked_fact_ids: set[Id]
    ) -> Iterator[Memory]:
        if turn.speaker is not Speaker.GM or not _BODY_WORDS.search(heard_text):
            return
        for dead_id, death in self._stretch.deaths_by_entity.items():
            if dead_id == hearer_id or death.tick >= turn.tick or death.fact_id in linked_fact_ids:
                continue
            names = self._stretch.attendance.names_by_id.get(dead_id) or (
                self._stretch.names_by_id.get(dead_id, ""),
            )
            if not re.search(any_name_pattern(names), heard_text, re.IGNORECASE) or self._beliefs.knows_fact(
                hearer_id, death.fact_id
            ):
                continue
            yield self._build_memory(
                turn,
                hearer_id,
                f"concluded {dead_id}",
                f"{self._stretch.names_by_id.get(dead_id, names[0])} is dead.",
                how=MemoryOrigin.INFERRED,
                fact_id=death.fact_id,
                about_ids=(dead_id,),
                importance=0.9,
                felt_text=heard_text,
            )

    def _own_turn_memory(
        self, turn: Turn, hearer_id: Id, heard_text: str, spoken_sentences: Sequence[SpokenSentence]
    ) -> Iterator[Memory]:
        """Return a memory of the turn itself, if it matters to this character."""
        attendance = self._stretch.attendance
        result = self._stretch.results_by_turn.get(turn.id)
        if turn.speaker is Speaker.ORACLE:
            text = self._word_result(turn, result, hearer_id) if result is not None else ""
        else:
            text = format_heard_turn(
                turn, self._visibility.read_whispered_text(turn, hearer_id) or heard_text, self._stretch
            )
        if not text:
            return
        speaker_id = attendance.find_speaker_id(turn)
        is_named = self._visibility.is_named(hearer_id, heard_text) and speaker_id != hearer_id
        importance = measure_importance(text)
        if result is not None or self._visibility.names_arrival(heard_text):
            importance = max(importance, MIN_TURN_IMPORTANCE)
        if is_named or (speaker_id == hearer_id and importance > MIN_TURN_IMPORTANCE):
            importance = add_part_bonus(importance)
        if speaker_id != hearer_id and self._visibility.is_whispered(turn, hearer_id):
            importance = max(importance, MIN_WHISPER_IMPORTANCE)
        if importance < MIN_TURN_IMPORTANCE:
            return
        # A narration that is one report, `Iselin warns Dob the tower is on fire`, is heard from her.
        teller_ids = {s.speaker_id for s in spoken_sentences}
        is_report = turn.speaker is Speaker.GM and len(split_sentences(heard_text)) == 1
        if is_report and not teller_ids:
            names_by_id, pc_id = attendance.names_by_id, attendance.pc_id
            teller_ids = {find_teller(heard_text, names_by_id, pc_id)} - {None}
        teller_id = next(iter(teller_ids), None) if is_report and len(teller_ids) == 1 else speaker_id
        is_told = teller_id is not None and teller_id != hearer_id and teller_id in teller_ids
        yield self._build_memory(
            turn,
            hearer_id,
            TURN_PLACE,
            text,
            how=MemoryOrigin.TOLD if is_told else MemoryOrigin.SAW,
            told_by=teller_id if is_told else None,
            about_ids=self._visibility.find_subjects(heard_text),
            importance=importance,
            felt_text=heard_text,
        )

    def _word_result(self, turn: Turn, result: Resolution, hearer_id: Id) -> str:
        """Return how what the player tried ended, for whoever heard what it was; empty for a roll without words.

        What is whispered is no deed: the dice after it decided something else.
        """
        words_turn, outcome = self._stretch.words_by_result.get(turn.id), _OUTCOMES.get(result.degree)
        if outcome is None or result.kind not in ("check", "move"):
            return ""
        if worded_move := self._word_named_move(result, outcome):
            return worded_move
        if words_turn is None or words_turn.hearers:
            return ""
        if is_telling(words_turn.text):
            return self._word_roll_after_telling(words_turn, result, hearer_id, outcome)
        heard_words = self._stretch.attendance.heard_texts(words_turn).get(hearer_id, "")
        attempt = format_heard_turn(words_turn, heard_words, self._stretch)
        hero_name = self._stretch.names_by_id.get(self._stretch.attendance.pc_id or "", "")
        if tried := word_attempt(attempt.removeprefix(f"{hero_name}: "), hero_name):
            return f"{tried}, and {outcome}"
        return f"{attempt} {outcome.capitalize()}" if attempt else ""

    def _word_roll_after_telling(
        self, words_turn: Turn, result: Resolution, hearer_id: Id, outcome: str
    ) -> str:
        """Return how a roll ended that followed what the hero told somebody, which attempts nothing.

        A move that is done to a listener was done to who was told; for any other roll what was said is remembered.
        """
        attendance = self._stretch.attendance
        hero_name = self._stretch.names_by_id.get(attendance.pc_id or "", "")
        move_name = _MOVE_NAME.sub("", result.rule.partition(": ")[2]) if result.kind == "move" else ""
        spoken_sentences = find_spoken_sentences(words_turn, attendance.names_by_id, attendance.pc_id)
        listener_ids = {i for sentence in spoken_sentences for i in sentence.addressee_ids}
        if move_name in DONE_TO_LISTENERS and hero_name and len(listener_ids) == 1:
            listener_name = self._stretch.names_by_id.get(listener_ids.pop(), "")
            if listener_name:
                return word_named_move(move_name, listener_name, hero_name, outcome)
        memories = (*self._stretch.held_memories, *self._memories_by_id.values())
        if any(memory.entity_id == hearer_id and memory.turn_id == words_turn.id for memory in memories):
            return ""
        heard_words = attendance.heard_texts(words_turn).get(hearer_id, "")
        return format_heard_turn(words_turn, heard_words, self._stretch)

    def _word_named_move(self, result: Resolution, outcome: str) -> str:
        """Return how a move without words of its own ended, if it names whom it is done to: `/move strike Rat`."""
        hero_name = self._stretch.names_by_id.get(self._stretch.attendance.pc_id or "", "")
        attempt = result.text.partition(" · ")[0]
        if result.kind != "move" or not hero_name or not attempt.startswith(f"{hero_name}: "):
            return ""
        move_name = _MOVE_NAME.sub("", result.rule.partition(": ")[2])
        target = attempt.removeprefix(f"{hero_name}: ").casefold().removeprefix(move_name.casefold())
        target_ids = [i for i in self._visibility.find_subjects(target) if i in self._stretch.names_by_id]
        if not target_ids:
            return ""
        return word_named_move(move_name, self._stretch.names_by_id[target_ids[0]], hero_name, outcome)

    def _build_memory(
        self,
        turn: Turn,
        hearer_id: Id,
        place: str,
        text: str,
        *,
        how: MemoryOrigin,
        told_by: Id | None = None,
        fact_id: Id | None = None,
        about_ids: Iterable[Id] = (),
        importance: float,
        felt_text: str,
        is_correcting: bool = False,
    ) -> Memory:
        memory = Memory(
            id=derive_memory_id(turn.id, hearer_id, place),
            entity_id=hearer_id,
            universe_id=self._stretch.scene.universe_id,
            scene_id=self._stretch.scene.id,
            turn_id=turn.id,
            text=text,
            linked_fact_id=fact_id,
            valence=measure_valence(felt_text),
            importance=importance,
            source=_source_text(how, self._stretch.names_by_id.get(told_by or "", "")),
            how=how,
            told_by=told_by,
            about=tuple(i for i in dict.fromkeys(about_ids)),
            tick=turn.tick,
            created_at=self._created_at,
        )
        corrected_id = self._beliefs.find_corrected_id(memory, is_correcting)
        return memory.model_copy(update={"corrects": corrected_id}) if corrected_id else memory


def derive_memory_id(turn_id: Id, entity_id: Id, place: str) -> Id:
    """Return the identifier of the memory that one place in a turn leaves to somebody."""
    return derive_id("memory", turn_id, entity_id, place)


def _source_text(how: MemoryOrigin, teller: str) -> str:
    if how is MemoryOrigin.TOLD:
        return f"heard from {teller}" if teller else "heard"
    return how.value


def format_heard_turn(turn: Turn, heard_text: str, stretch: SceneStretch) -> str:
    """Return a turn as it is remembered: its speaker and its most important sentences; empty if it is bookkeeping."""
    if turn.speaker is Speaker.ORACLE:
        return ""
    pc_name = stretch.names_by_id.get(stretch.attendance.pc_id or "", "")
    speaker_name = (
        pc_name if turn.speaker is Speaker.PLAYER else turn.name if turn.speaker is Speaker.NPC else ""
    )
    if turn.speaker is Speaker.GM:
        heard_text = name_hero_in_narration(heard_text, pc_name)
    text = trim_text(strip_bookkeeping(heard_text, stretch.number_keys))
    is_of_speaker = text.partition(" ")[0] in speaker_name.split()  # `Mara tells Dob`, typed for Mara
    return f"{speaker_name}: {text}" if speaker_name and text and not is_of_speaker else text


def trim_text(text: str, max_chars: int = MAX_MEMORY_CHARS) -> str:
    """Shorten a text to one line of at most `max_chars` characters: the most important sentences, in order."""
    line = " ".join(text.split())
    if len(line) <= max_chars:
        return line
    sentence_list = split_sentences(line)
    kept_indexes: set[int] = set()
    chars_left = max_chars
    for n in sorted(range(len(sentence_list)), key=lambda n: (-measure_importance(sentence_list[n]), n)):
        if len(sentence_list[n]) + 1 <= chars_left:
            kept_indexes.add(n)
            chars_left -= len(sentence_list[n]) + 1
    if not kept_indexes:
        return line[: max_chars - 1].rpartition(" ")[0].rstrip(" ,;:") + "…"
    return " ".join(part for n, part in enumerate(sentence_list) if n in kept_indexes)


def _finish_sentence(raw_text: str) -> str:
    text = " ".join(raw_text.split()).strip(" \"“”',;:")
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "…", "?")) else text + "."
