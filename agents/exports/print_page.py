"""Writes a story as one page of HTML to print or to read in a browser, with nothing outside it. Pure."""

from __future__ import annotations

from agents.exports.fact_citations import join_parts
from agents.exports.html_text import escape_html, read_asset, write_element, write_list, write_paragraphs
from agents.exports.story_html import StoryHtmlWriter
from agents.exports.story_values import StoryRecord


def write_print_page(record: StoryRecord, *, with_mechanics: bool) -> bytes:
    """Return the page: title, contents, a chapter for each scene; each begins on a sheet of its own."""
    title = escape_html(record.story.title) or "A story"
    chapters = list(StoryHtmlWriter(record, with_mechanics=with_mechanics).write_begun_scenes())
    subtitle = join_parts((record.universe_name, record.hero_name))
    contents = write_list(
        write_element("a", escape_html(heading), {"href": f"#scene-{number}"})
        for number, (heading, _) in enumerate(chapters, 1)
    )
    blocks = [
        write_element("h1", title),
        write_element("p", escape_html(subtitle), {"class": "subtitle"}) if subtitle else "",
        write_element("nav", contents) if contents else "",
    ]
    for number, (heading, scene_blocks) in enumerate(chapters, 1):
        blocks += [write_element("h2", escape_html(heading), {"id": f"scene-{number}"}), *scene_blocks]
    if record.story.recap:
        blocks += ["<h2>What came of it</h2>", *write_paragraphs(record.story.recap)]
    style = f"{read_asset('book.css')}{read_asset('print.css')}"
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    page = (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8"/>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"/>\n'
        f"<title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
    )
    return f"{page}{chr(10).join(filter(None, blocks))}\n</body>\n</html>\n".encode("utf-8", "replace")
