"""Writes stories and worlds as files for other programs: Markdown, vaults, web pages, books. Pure."""
