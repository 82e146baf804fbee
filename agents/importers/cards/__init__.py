"""Reads character cards and lorebooks of SillyTavern and its like, and proposes what they say.

Formats: Character Card V2 (https://github.com/malfoyslastname/character-card-spec-v2), V3
(https://github.com/kwaroran/character-card-spec-v3) and World Info of SillyTavern.
"""
