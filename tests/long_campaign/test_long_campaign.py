"""A campaign of twelve scenes, played by a script with a seed, reviewed, ruled on, retconned, and told.

The story is in `scenes/`, what the GM does at each gate in `gates.yaml`, what is left to do in
`afterwards.py`, and what must be true in the end in `expected.yaml`, written by hand from the story.
All tests look at what came of one playing; `make test-slow` plays it a second time, in another home.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from difflib import unified_diff
from pathlib import Path
from typing import Any, get_args
from zipfile import ZipFile

import pytest
import yaml

from agents.exports.story_journal import write_journal
from agents.exports.story_markdown import write_markdown
from agents.views.conflict_views import RulingView
from agents.views.proposal_views import ProposalView
from monitor_tui.play_report import build_report
from stores.archive import export_campaign, import_campaign
from stores.archive_file import ArchiveReader
from stores.open import open_stores
from stores.records.canon import FactKind, FactStatus, Payload
from stores.records.workflow import Decision, ProposalStatus, RulingKind
from tests.long_campaign import reading
from tests.long_campaign.afterwards import Reverse, settle_the_rest, waiting
from tests.long_campaign.playing import HERE, SCRIPTS, SEED, Campaign, opened, play_all, play_part

pytestmark = [
    pytest.mark.xdist_group("long_campaign"),  # one worker plays it
    pytest.mark.timeout(600),
    pytest.mark.slow,
]

EXPORTED_AT = datetime(2026, 2, 1, tzinfo=UTC)
EXPECTED = HERE / "expected.yaml"


@dataclass(slots=True)
class Told:
    """Everything that one playing of the campaign left behind."""

    report: str
    archive: Path
    reverse: Reverse
    rulings: tuple[RulingView, ...]
    recap: str
    markdown: str
    journal: str
    asked_again: dict[str, ProposalView] = field(default_factory=dict)

    @property
    def data(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.report)
        return read


async def tell(home: Path, *, ask_again: bool = False) -> Told:
    """Play the campaign in a new home and gather what came of it."""
    async with opened(home, SEED) as campaign:
        services = campaign.program.services
        await play_all(campaign)
        recap = (await services.play.submit(campaign.scene_id, "/recap")).lines
        reverse = await settle_the_rest(campaign)
        archive = home / "campaign.monitor.zip"
        record = await services.stories.story_record(campaign.story_id)
        told = Told(
            report=json.dumps(
                await build_report(campaign.program.stores, campaign.played), ensure_ascii=False
            ),
            archive=archive,
            reverse=reverse,
            rulings=await services.conflicts.list_rulings(campaign.universe_id),
            recap="\n".join(recap),
            markdown=write_markdown(record),
            journal=write_journal(record),
        )
        await export_campaign(
            campaign.program.stores, campaign.universe_id, archive, clock=lambda: EXPORTED_AT
        )
        if ask_again:
            told.asked_again = await ask_all_again(campaign, told)
    return told


async def ask_all_again(campaign: Campaign, told: Told) -> dict[str, ProposalView]:
    """Say once more whatever was ruled against; return how it stands at the gate."""
    said = campaign.program.services.world.edits.propose_fact
    for typed, since in AGAIN.items():
        await said(campaign.universe_id, typed, since=since)
    claims = {p["payload"].get("statement"): p["payload"] for p in told.data["proposals"]}
    for statement in AGAIN_THEN:
        # Of the very minute: what happens at another time is another matter.
        tick = claims[statement]["valid_from"]
        await said(campaign.universe_id, f"event: {statement}", since=str(tick))
    return {row.title: row for row in await waiting(campaign) if row.proposal.scene_id is None}


AGAIN = {
    "Joreth Vane ally_of Sella Brand": "",
    "Osric Dunn ally_of Joreth Vane": "",
    "Sella Brand enemy_of Ansa Holm": "",
    "Ruark Vane died": "day 1 dusk",
}
"""What was ruled against, and since when it is said to be so (now, if nothing is said)."""
AGAIN_THEN = (
    "Lorne Askew drew a week's pay at the sluice window.",
    "Lorne Askew played the whistle on the water.",
    "Lorne Askew was seen standing on the Ferry Steps.",
)


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """The campaign, played once for all the tests."""
    begun = time.perf_counter()
    played = asyncio.run(tell(tmp_path_factory.mktemp("one"), ask_again=True))
    print(f"\nThe campaign was played in {time.perf_counter() - begun:.1f} s.")
    return played


# --- the same seed ----------------------------------------------------------------------------------


@pytest.mark.slow
async def test_long_campaign_same_seed_is_the_same_campaign_byte_for_byte(told: Told, tmp_path: Path) -> None:
    other = await tell(tmp_path)
    assert told.report == other.report
    assert members(told.archive) == members(other.archive)
    assert (told.recap, told.markdown, told.journal) == (other.recap, other.markdown, other.journal)


@pytest.mark.slow
async def test_long_campaign_another_seed_is_another_campaign(told: Told, tmp_path: Path) -> None:
    first = next(iter(SCRIPTS))
    async with opened(tmp_path, SEED + 1) as campaign:
        await play_part(campaign, first)
        scene = (await build_report(campaign.program.stores, campaign.played))["scenes"][0]
    same = told.data["scenes"][0]
    assert [t["text"] for t in scene["turns"] if t["speaker"] == "player"] == [
        t["text"] for t in same["turns"] if t["speaker"] == "player"
    ]
    assert faces(scene) != faces(same)


def members(archive: Path) -> dict[str, bytes]:
    """Return every file of an archive. (Both were exported with one clock, so the date is the same, too.)"""
    with ZipFile(archive) as file:
        return {name: file.read(name) for name in file.namelist()}


def faces(scene: dict[str, Any]) -> list[list[int]]:
    return [[die["face"] for die in rolled["dice"]] for rolled in scene["resolutions"]]


async def test_long_campaign_it_comes_through_an_archive_whole(told: Told, tmp_path: Path) -> None:
    stores = await open_stores(tmp_path / "home")
    try:
        imported = await import_campaign(stores, told.archive)
        again = tmp_path / "again.monitor.zip"
        await export_campaign(stores, imported.universe_id, again, clock=lambda: EXPORTED_AT)
    finally:
        await stores.close()
    assert members(again) == members(told.archive)


# --- what was played --------------------------------------------------------------------------------


def test_long_campaign_it_is_a_whole_campaign(told: Told) -> None:
    played = [scene for scene in told.data["scenes"] if scene["line"]]
    turns = {turn["id"]: turn for scene in played for turn in scene["turns"]}
    exchanges = {turns[i]["exchange_id"] for scene in played for i in scene["line"]}
    print(f"\n{len(played)} scenes, {len(exchanges)} exchanges, {len(turns)} turns.")
    assert len(played) == 12
    assert len(exchanges) >= 150
    assert len(turns) > sum(len(scene["line"]) for scene in played), "something was undone, retaken, left"


def test_long_campaign_what_can_be_typed_was_typed(told: Told) -> None:
    lines = [reply["typed"] for reply in told.data["replies"]]
    commands = set(re.findall(r"(?:^|\s)/([a-z]+)", "\n".join(lines)))
    assert commands >= set(COMMANDS.split())
    assert set(re.findall(r"^/fact ([a-z]+):", "\n".join(lines), re.MULTILINE)) == set(KINDS_OF_FACT.split())
    likelihoods = {line.partition(":")[0].removeprefix("? ") for line in lines if line.startswith("? ")}
    assert likelihoods == {"certain", "very likely", "likely", "even", "unlikely", "very unlikely"}


COMMANDS = """
npc creature thing faction concept place fact secret axiom state go
check move howmuch react spark event start rest reroll pick gm notes
thread clock track npcs cast zero time tension scene
undo redo retake take branch later end reopen court promises paid rules
proposals accept reject colour defer undecide
"""
KINDS_OF_FACT = "event attribute state assertion promise debt question change encounter"


def test_long_campaign_every_kind_of_change_became_canon(told: Told) -> None:
    """Of what was proposed and of what is true, there is something of every kind that there is."""
    with told.archive.open("rb") as file:
        proposed: list[Any] = list(ArchiveReader(file).read_records("proposed_changes"))
    accepted = {p.change.kind for p in proposed if p.status is ProposalStatus.ACCEPTED}
    assert accepted == {kind.model_fields["kind"].default for kind in get_args(get_args(Payload)[0])}
    assert {fact["kind"] for fact in told.data["facts"]} == set(FactKind)
    assert {fact["standing"] for fact in told.data["facts"]} == {"true", "rumour", "lie"}
    assert {fact["status"] for fact in told.data["facts"]} == set(FactStatus)


def test_long_campaign_every_gate_was_used_in_every_way(told: Told) -> None:
    with told.archive.open("rb") as file:
        commits: list[Any] = list(ArchiveReader(file).read_records("canonizations"))
    gates = {commit.scene_id: commit.outcomes for commit in commits if commit.reason == "scene end"}
    assert len(gates) == 12
    for scene in told.data["scenes"][:12]:
        ways = {_way(outcome.decision) for outcome in gates[scene["id"]]}
        assert {"accept", "edited", "reject", "colour", "defer"} <= ways, scene["title"]
    by_policy = {_way(outcome.decision) for outcomes in gates.values() for outcome in outcomes}
    assert {"accept by policy", "defer by policy", "reject by policy"} <= by_policy
    reasons = [commit.reason for commit in commits]
    assert sum(reason.startswith("Critical: ") for reason in reasons) == 2, "two deaths could not wait"


def _way(decision: Decision) -> str:
    if decision.by != "gm":
        return f"{decision.verdict} by policy"
    return "edited" if decision.edited is not None else decision.verdict.value


# --- canon ------------------------------------------------------------------------------------------


def test_canon_is_what_the_story_says(told: Told) -> None:
    found, wanted = reading.archived(told.archive), reading.expected(EXPECTED)
    diff = list(unified_diff(wanted, found, "expected.yaml", "canon", lineterm="", n=0))
    assert not diff, "\n".join(["canon is not what the story says", *diff])


def test_long_campaign_every_fact_rests_on_words_that_were_said(told: Told) -> None:
    said = {turn["id"]: turn["text"] for scene in told.data["scenes"] for turn in scene["turns"]}
    for fact in told.data["facts"]:
        assert fact["evidence"], fact["statement"]
        for piece in fact["evidence"]:
            if piece["kind"] == "turn":
                assert piece["quote"] in said[piece["ref_id"]]
                assert piece["quote"]


# --- the court --------------------------------------------------------------------------------------


def test_long_campaign_each_of_the_six_rulings_was_made(told: Told) -> None:
    wanted = yaml.safe_load(EXPECTED.read_text(encoding="utf-8"))["rulings"]
    made = [
        {"ruling": r.ruling.value, "new": r.new_title, "old": r.old_title} for r in reversed(told.rulings)
    ]
    assert made == wanted
    assert {r.ruling for r in told.rulings} == set(RulingKind)
    assert {"rumour", "lie"} <= set(" ".join(r.description for r in told.rulings).split())


def test_long_campaign_what_was_ruled_on_raises_no_alarm_again(told: Told) -> None:
    assert len(told.asked_again) == len(told.rulings)
    upheld = {statement for ruling in told.rulings for statement in (ruling.new_title, ruling.old_title)}
    for title, row in told.asked_again.items():
        # That Ruark died meets what he did since, and that is another matter.
        met = {conflict.other_fact.statement for conflict in row.conflicts if conflict.other_fact}
        assert not met & upheld, title
        assert not met or title == "Ruark Vane died."
        assert row.mark == "reject", title
        assert row.reasons[0].startswith("You resolved this before"), title


# --- retcons ----------------------------------------------------------------------------------------


def test_long_campaign_retcon_and_its_reverse_leave_canon_as_it_was(told: Told) -> None:
    reverse = told.reverse
    assert reverse.restored == reverse.before
    assert reverse.retconned != reverse.before
    assert reverse.preview, "what would change was shown before"


# --- read back --------------------------------------------------------------------------------------


def test_long_campaign_recap_says_where_it_stands(told: Told) -> None:
    eleventh, twelfth, now, last, still_open = told.recap.splitlines()
    assert eleventh.startswith("Scene 11 “Night water”: Joreth Vane drowned at the Third Weir")
    assert twelfth.startswith("Scene 12 “The other side”: Ansa Holm brought Lorne Askew home")
    assert now == "Now: Day 16, dawn, Ferry Steps. Scene 13."
    assert last.startswith('Last: Ansa Holm: "The other side," I say.')
    assert still_open == "Open: Osric Dunn owes Hanne Pell forty marks (since Day 1, dusk)"


def test_long_campaign_story_is_said_back(told: Told) -> None:
    assert "## 10. The moot\n\n*Day 13, noon · Moot Hall · Say it where it counts*" in told.markdown
    assert "S10 The moot · Day 13, noon · Moot Hall\n(goal: Say it where it counts)" in told.journal
    assert "**Question:** Does he keep his word?" in told.markdown
    assert "? Does he keep his word?\n-> likely · tension 5 · d100 80 · yes" in told.journal
    for text in (told.markdown, told.journal):
        for words in (
            "HE HAD THE KEY. I HAD ONE HAND ON THE WHEEL. HE SHUT THE DOOR.",  # what was said
            "Ruark Vane is alive.",  # what a ruling made true
            "Who let the water down at the new moon?",  # what was accepted after the last scene
            "Weir Key belongs to Tib Askew.",
            "The Third Weir is opened by daylight",  # the recap
        ):
            assert words in text
        for words in (
            "surely alive",  # what was undone
            "The lantern breaks",  # what was left on another branch
            "You have lost it.",  # another take
            "The Wardens have closed the ferry.",  # what was rejected
            "drowned in Lower Hask",  # what was retconned
            "no harm to children",  # lines and veils
            "Scene 13",  # what nobody played
        ):
            assert words not in text
