"""What the form of a Markdown text says: headings, definitions, tables, stat blocks, and sentences that state rules."""
