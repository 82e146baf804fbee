"""Stories as text: as the golden files have them, and whole whatever the words in them are.

`python -m tests.agents.orchestrator.test_story_export` writes the golden files anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from agents.exports.markdown import append_footnotes, escape_line, escape_paragraphs, format_block_quote
from agents.exports.print_page import write_print_page
from agents.exports.story_journal import write_journal
from agents.exports.story_markdown import write_markdown
from agents.exports.story_values import ExportedScene, StoryRecord
from agents.prose.narrated_lines import tells_of_others
from agents.sanitize import clean
from agents.views.card_views import FactView
from agents.views.turn_views import TurnView
from stores.records.canon import FactKind, Involvement
from stores.records.play import Speaker
from tests.agents.orchestrator.recorded_story import a_fact, a_scene, a_view, of_scene, the_drowned_bell
from tests.examples import examples

GOLDEN = Path(__file__).parent / "golden"
EXPORTS: dict[str, Callable[[StoryRecord], str]] = {
    "drowned_bell.md": write_markdown,
    "drowned_bell.log": write_journal,
}
READER = (
    MarkdownIt("commonmark")
    .enable(["table", "strikethrough"])
    .use(footnote_plugin)
    .use(deflist_plugin)
    .use(front_matter_plugin)
)

hostile = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="#*_-+=>`~[]()!<>\\|^&{}$%:1.)\n \tab\u2028é", max_size=60),
    st.sampled_from(
        [
            "# Heading",
            "1. one\n2. two",
            "text\n===",
            "text\n---",
            "    code",
            "```\ncode",
            "[^1]: a note",
            "![x](y)",
            "<script>alert(1)</script>",
            "<!--",
            "a | b\n--|--\n1 | 2",
            "[link]: http://x",
            "> quote",
            "word\n: definition",
            "***",
            "&lt;b&gt;",
            "end\\",
            "Stop!",
            "\x1b[31mred",
            "a\u2028# b",
            "@ not an action\n=> not told",
        ]
    ),
)


@pytest.mark.parametrize("name", EXPORTS)
def test_export_it_reads_as_the_golden_file(name: str) -> None:
    assert EXPORTS[name](the_drowned_bell()) == (GOLDEN / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("export", EXPORTS.values())
def test_export_same_story_gives_the_same_bytes(export: Callable[[StoryRecord], str]) -> None:
    assert export(the_drowned_bell()) == export(the_drowned_bell())


@pytest.mark.parametrize("export", EXPORTS.values())
def test_lines_and_veils_stay_at_home(export: Callable[[StoryRecord], str]) -> None:
    assert "children" not in export(the_drowned_bell())


@pytest.mark.parametrize("export", EXPORTS.values())
def test_export_empty_story_is_still_one(export: Callable[[StoryRecord], str]) -> None:
    record = the_drowned_bell()
    story = record.story.model_copy(update={"title": "", "theme": "", "recap": ""})
    assert "A story" in export(StoryRecord(story, ()))


def test_export_every_fact_is_said_once_and_every_mark_has_its_note() -> None:
    record = the_drowned_bell()
    text = write_markdown(record)
    for view in record.facts:
        assert text.count(f"{escape_line(view.fact.statement)} *(") == 1
    for number in (1, 2, 3):
        assert text.count(f"[^{number}]:") == 1
        assert text.count(f"[^{number}]") == 2


def test_export_tells_what_was_replaced_in_its_scene_apart_and_marks_secrets() -> None:
    record = the_drowned_bell()
    scene = record.scenes[0].scene
    secret = a_view(a_fact("Grue pays the garrison."), of_scene(scene))
    views = (
        a_view(a_fact("Grue's HP is 8."), of_scene(scene), current=False),
        a_view(a_fact("Grue's HP is 6."), of_scene(scene)),
        replace(secret, secret_note="secret, known to nobody"),
    )
    lines = write_markdown(replace(record, facts=views)).splitlines()
    (now,) = [line for line in lines if line.startswith("*True since this scene:*")]
    (before,) = [line for line in lines if line.startswith("*True for a while:*")]
    assert (
        now.removeprefix("*True since this scene:*")
        == " Grue's HP is 6.[^1] Grue pays the garrison. *(secret)*[^2]"
    )
    assert before.removeprefix("*True for a while:*") == " Grue's HP is 8.[^3]"


def number_view(statement: str, value: int, tick: int, *, current: bool = False, of: str = "hp") -> FactView:
    """Return the view of a fact of the first scene that gives a number or the state of a clock."""
    fact = a_fact(statement, FactKind.STATE, predicate=of, value=value, valid_from=tick)
    return a_view(fact, of_scene(the_drowned_bell().scenes[0].scene), current=current)


def write_page(record: StoryRecord) -> str:
    return write_print_page(record, with_mechanics=True).decode()


PASSED_NUMBERS = (
    number_view("Grue's HP is 8.", 8, 500),
    number_view("The clock “Flood” stands at 1 of 6.", 1, 500, of="clock.flood"),
    number_view("Grue's HP is 6.", 6, 501),
    number_view("The clock “Flood” stands at 3 of 6.", 3, 501, of="clock.flood"),
    number_view("Grue's supply is 2.", 2, 501, of="supply"),
    number_view("Grue's HP is 4.", 4, 502, current=True),
)


@pytest.mark.parametrize("export", [write_markdown, write_page])
def test_export_tells_of_each_number_the_last_that_it_was_in_its_scene(
    export: Callable[[StoryRecord], str],
) -> None:
    text = export(replace(the_drowned_bell(), facts=PASSED_NUMBERS))
    for passed in ("HP is 8", "HP is 6", "stands at 1 of 6"):
        assert passed not in text
    _, _, after = text.partition("True since this scene")
    now, _, earlier = after.partition("True for a while")
    assert "HP is 4" in now
    assert "stands at 3 of 6" in earlier
    assert "supply is 2" in earlier


def test_export_tells_numbers_of_two_and_what_is_no_number_all() -> None:
    scene = the_drowned_bell().scenes[0].scene
    others = [
        a_view(
            a_fact(statement, FactKind.STATE, predicate="hp", value=value, involves=involves), of_scene(scene)
        )
        for statement, value, involves in (
            ("Grue's HP is 4.", 4, (Involvement(role="subject", entity_id="grue"),)),
            ("Hask's HP is 4.", 4, (Involvement(role="subject", entity_id="hask"),)),
            ("Grue is alive.", True, ()),
            ("Grue is tired.", "tired", ()),
        )
    ]
    text = write_markdown(replace(the_drowned_bell(), facts=others))
    (now,) = [line for line in text.splitlines() if line.startswith("*True since this scene:*")]
    assert [statement in now for statement in ("Grue's HP", "Hask's HP", "alive", "tired")] == [True] * 4


@pytest.mark.parametrize("export", EXPORTS.values())
def test_export_scene_that_nobody_played_is_not_told(export: Callable[[StoryRecord], str]) -> None:
    record = the_drowned_bell()
    opened = ExportedScene(a_scene(3, "Scene 3"), (), "Day 4, dawn", "The Tally Chapel")
    assert export(replace(record, scenes=(*record.scenes, opened))) == export(record)


def test_export_what_a_fact_rests_on_is_said_in_its_order() -> None:
    record = the_drowned_bell()
    promise = replace(record.facts[0], evidence=record.facts[0].evidence[::-1])
    assert write_journal(replace(record, facts=(promise, *record.facts[1:]))) == write_journal(record)


# --- outside text -----------------------------------------------------------------------------------


def inline_text(token_children: object) -> str:
    """Return what a reader sees; a hard break as a line break. Fails on anything that is no plain text."""
    assert isinstance(token_children, list)
    seen = ""
    for child in token_children:
        assert child.type in ("text", "text_special", "hardbreak"), child.type
        seen += "\n" if child.type == "hardbreak" else child.content
    return seen


def as_lines(text: str) -> list[str]:
    lines = clean(text).replace("\u2028", "\n").replace("\u2029", "\n").split("\n")
    return [line.strip() for line in lines if line.strip()]


@given(hostile)
@settings(max_examples=examples(600), deadline=None)
def test_paragraphs_read_as_they_were_written(text: str) -> None:
    tokens = READER.parse("\n\n".join(escape_paragraphs(text)))
    assert {token.type for token in tokens} <= {"paragraph_open", "inline", "paragraph_close"}
    seen = [
        line for token in tokens if token.type == "inline" for line in inline_text(token.children).split("\n")
    ]
    assert seen == as_lines(text)


@given(hostile)
@settings(max_examples=examples(400), deadline=None)
def test_export_line_stays_in_its_heading(text: str) -> None:
    words = escape_line(text)
    tokens = READER.parse(f"## 1. {words}".rstrip())
    assert [token.type for token in tokens] == ["heading_open", "inline", "heading_close"]
    assert inline_text(tokens[1].children) == " ".join(["1.", *" ".join(as_lines(text)).split()])


def shape(markdown: str) -> list[tuple[str, str]]:
    """Return the structure of a document: its blocks, and what stands in them beside text."""
    found = []
    for token in READER.parse(markdown):
        found.append((token.type, token.tag))
        children = token.children or ()
        found += [(c.type, c.tag) for c in children if c.type not in ("text", "text_special", "softbreak")]
    return found


def with_words(words: str) -> StoryRecord:
    """Return the story with one line of other words wherever somebody else's words stand."""
    record = the_drowned_bell()
    line = " ".join(as_lines(words)) or "x"
    parts = tuple(
        replace(
            part,
            scene=part.scene.model_copy(update={"title": line, "goal": line, "summary": line}),
            rows=[
                TurnView(r.turn.model_copy(update={"text": line, "name": line}), r.resolution)
                for r in part.rows
            ],
            when=line,
            place=line,
        )
        for part in record.scenes
    )
    facts = tuple(
        replace(
            view,
            fact=view.fact.model_copy(update={"statement": line}),
            evidence=tuple(e.model_copy(update={"quote": line}) for e in view.evidence),
        )
        for view in record.facts
    )
    story = record.story.model_copy(update={"title": line, "theme": line, "tone": line, "recap": line})
    return replace(record, story=story, scenes=parts, facts=facts, universe_name=line, hero_name=line)


PLAIN = shape(write_markdown(with_words("plain")))


@given(hostile)
@settings(max_examples=examples(150), deadline=None)
def test_export_no_words_change_the_structure_of_the_story(words: str) -> None:
    assume(
        tells_of_others(words) == tells_of_others("plain")
    )  # else the hero's name stands before it, or not
    assert shape(write_markdown(with_words(words))) == PLAIN


@given(hostile)
@settings(max_examples=examples(300), deadline=None)
def test_export_no_words_pass_for_an_entry_of_the_journal(words: str) -> None:
    record = with_words("plain")
    row = record.scenes[0].rows[0]
    told = replace(row, turn=row.turn.model_copy(update={"text": words, "speaker": Speaker.GM}))
    scene = replace(record.scenes[0], rows=[told, *record.scenes[0].rows[1:]])
    before = write_journal(record).splitlines()
    after = write_journal(replace(record, scenes=(scene, *record.scenes[1:]))).split("\n")
    kept = [line for line in after if not line.startswith("    ")]
    assert [line[:2] for line in kept[:-1]] == [line[:2] for line in before]


def test_marks_behind_an_exclamation_open_no_image() -> None:
    assert append_footnotes("Stop!", [1, 2]) == "Stop\\![^1][^2]"
    assert append_footnotes("Stop!", []) == "Stop!"


def test_quotes_hold_all_their_lines() -> None:
    assert format_block_quote("a\\\nb\n\nc") == "> a\\\n> b\n>\n> c"


def main() -> None:
    """Write the golden files anew."""
    for name, export in EXPORTS.items():
        (GOLDEN / name).write_text(export(the_drowned_bell()), encoding="utf-8")


if __name__ == "__main__":
    main()
