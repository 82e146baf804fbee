"""Reads the text of documents page by page: PDF, EPUB, HTML, DOCX, Markdown and plain text."""
