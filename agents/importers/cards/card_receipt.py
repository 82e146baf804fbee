"""What an import of a card or lorebook proposes, and in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agents.importers.cards.card_values import CardForm
from agents.importers.log_entries import ImportProblem
from stores.records.ids import Id


@dataclass(frozen=True, slots=True)
class CardReceipt:
    """What a file proposes in a universe: as a preview before it is imported, and as the result after."""

    form: CardForm
    universe_id: Id
    universe: str
    new_universe: bool
    character: str
    entities: int
    facts: int
    lore_entries: int
    """What is proposed for the first time."""
    proposed_before: int
    """What an earlier import proposed, whatever was decided on it: it is left as it is."""
    kept_texts: int
    """Greetings, sample lines and notes that are kept beside the file and proposed as nothing."""
    user: str
    """What `{{user}}` stands for."""
    problems: tuple[ImportProblem, ...] = ()

    @property
    def proposal_count(self) -> int:
        """Changes that are proposed for the first time."""
        return self.entities + self.facts + self.lore_entries


def describe_receipt(receipt: CardReceipt) -> str:
    """Return one line on what a file proposes."""
    subject = f"{receipt.form.value}{f' of {receipt.character}' if receipt.character else ''}"
    return f"{subject[:1].upper()}{subject[1:]}: {_proposed_text(receipt)}"


def receipt_lines(receipt: CardReceipt) -> Iterator[str]:
    """Yield what a file proposes, and what else was made of it."""
    yield describe_receipt(receipt)
    if receipt.proposed_before:
        noun = "was" if receipt.proposed_before == 1 else "were"
        yield f"{_count(receipt.proposed_before, 'change')} of it {noun} proposed before, and left as decided."
    if receipt.kept_texts:
        texts = _count(receipt.kept_texts, "text")
        yield f"{texts} kept beside it and proposed as nothing: greetings, sample lines, notes."
    if receipt.proposal_count:
        yield f"None of it is canon: you decide at the gate of {receipt.universe}."


def _proposed_text(receipt: CardReceipt) -> str:
    counts = (
        (receipt.entities, "character", "characters"),
        (receipt.facts, "fact", "facts"),
        (receipt.lore_entries, "lore entry", "lore entries"),
    )
    parts = [f"{n:,} {one if n == 1 else many}" for n, one, many in counts if n]
    if not parts:
        return f"nothing new for {receipt.universe}."
    new = " (new)" if receipt.new_universe else ""
    listed = f"{', '.join(parts[:-1])} and {parts[-1]}" if parts[1:] else parts[0]
    return f"{listed} proposed in {receipt.universe}{new}."


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
