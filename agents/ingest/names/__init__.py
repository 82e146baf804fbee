"""Names, and who says what, in the prose of novels and rulebooks, found by rules and without a model."""
