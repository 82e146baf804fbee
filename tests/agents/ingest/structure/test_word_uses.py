"""Words that a rulebook writes with a capital and that name nobody: labels, openers of sentences, terms."""

from __future__ import annotations

from agents.ingest.findings import FoundEntity
from agents.ingest.structure.document_names import find_names_in_texts
from agents.ingest.structure.find_in_chunk import find_in_chunk
from agents.ingest.structure.word_uses import count_word_uses
from stores.records.world import EntityKind

SPELLS = "\n\n".join(
    f"### {name}\n\n**Casting Time:** 1 action\n**Components:** V, S\n\nMara Venn wrote it down at Salt Quay. {more}"
    for name, more in (
        ("Gull Call", "Furthermore, the caster hears the tide, as if in a Huge shell or a Huge cave."),
        ("Brine Hand", "Furthermore, each target makes a Dexterity saving throw."),
        ("Salt Ward", "A creature in Dexterity training makes a Dexterity check."),
        ("Tide Step", "Mara Venn made no Dexterity check. The components lay about; a casting takes time."),
    )
)


def test_labels_openers_and_terms_are_told_by_their_form() -> None:
    uses = count_word_uses(SPELLS)
    assert {"casting time", "components"} <= uses.labels
    assert uses.openers == {"furthermore"}
    assert "dexterity" in uses.terms
    assert uses.is_name("Mara Venn")


def test_speakers_of_a_script_and_who_is_called_by_name_are_no_labels() -> None:
    script = "\n\n".join(f"Bram: Emily, the lamp is out.\n\nOld Ilse: Tarn, it is {n}." for n in range(5))
    uses = count_word_uses(script, {"emily"})
    assert uses.labels == frozenset()
    assert "emily" not in uses.openers


def test_rulebook_proposes_no_labels_and_no_openers_of_sentences() -> None:
    names = find_names_in_texts([SPELLS])
    found = [finding for finding in find_in_chunk(SPELLS, names) if isinstance(finding, FoundEntity)]
    assert {"Mara Venn", "Salt Quay", "Gull Call", "Tide Step"} <= {one.name for one in found}
    assert not {"Components", "Casting Time", "Furthermore", "Huge"} & {one.name for one in found}
    assert all(one.kind is EntityKind.CONCEPT for one in found if one.name == "Dexterity")


def test_chunk_names_only_what_the_whole_document_takes_for_a_name() -> None:
    chunk = "Undead are turned by salt. They fear the lamp of Mara Venn."
    names = find_names_in_texts(
        [chunk, "An undead walks. The undead sink; undead things burn. Mara Venn flees."]
    )
    known = {spelling.casefold() for one in names for spelling in (one.name, *one.aliases)}
    found = {finding.name for finding in find_in_chunk(chunk, names) if isinstance(finding, FoundEntity)}
    assert "Mara Venn" in found
    assert {name.casefold() for name in found} <= known
