"""Pages of real blogs, with the authors' own words marked by hand.

Someone read each theme page by page and noted which element holds the author's words, and which of its parts belong to
the theme: links to headings, share buttons, line numbers. The pages are read from a given folder, with one folder for
each theme.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import lxml.html
from _rendered_docs import Rendered


@dataclass(frozen=True, slots=True)
class Theme:
    """Where a theme puts an author's words.

    Attributes:
        engine: what made the pages.
        pages: matches the paths of posts, and of no lists of them.
        content: XPath of the element that holds the author's words.
        drop: XPaths of what in it is the theme's.
    """

    engine: str
    pages: str
    content: str
    drop: tuple[str, ...] = ()


THEMES = {
    "hugo": Theme("Hugo, PaperMod", r"posts/\d", "//div[@class='post-content']", (".//a[contains(@class,'anchor')]",)),
    "pelican": Theme(
        "Pelican, Octopress",
        r"blog/\d",
        "//div[@class='article_content']",
        (".//*[contains(@class,'prompt')]", ".//a[@class='anchor-link']"),
    ),
    "pandoc": Theme("Pandoc by hand, Bootstrap", r"posts/\d", "//div[@id='content']//div[@class='col-md-8']"),
    "wordpress": Theme(
        "WordPress, Hueman",
        r"\d{4}/\d\d/\d\d/[^/]+/index\.html$",
        "//div[@class='entry-inner']",
        (".//*[contains(@class,'sharedaddy')]",),
    ),
    "hexo": Theme(
        "Hexo",
        r"^(?!index)[\w-]+/[\w-]+/index\.html$",
        "//div[contains(@class,'article-entry') or contains(@class,'entry-content')]",
        (".//a[contains(@class,'headerlink')]", ".//td[@class='gutter']"),
    ),
    "jekyll": Theme(
        "Jekyll, Minimal Mistakes",
        r"/20\d\d/\d\d/\d\d/",
        "//section[contains(@class,'page__content')]",
        (
            ".//a[@class='header-link']",
            ".//aside[contains(@class,'sidebar__right')]",
            ".//td[contains(@class,'gutter')]",
        ),
    ),
    "gridea": Theme("Gridea", r"^post/", "//article//div[contains(@class,'post-content')]"),
    "uikit": Theme(
        "Pelican, UIkit",
        r"^[\w-]+\.html$",
        "//section[@itemprop='articleBody']",
    ),
}


_PARSER = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)


def posts(folder: Path) -> Iterator[Rendered]:
    """Yield the posts of one theme, which the folder is named after."""
    theme = THEMES[folder.name]
    for file in sorted(folder.rglob("*.html")):
        path = file.relative_to(folder).as_posix()
        if not re.search(theme.pages, path):
            continue
        # One theme ends its page before it begins; libxml2, which both others build on, sees nothing of such a page.
        whole = file.read_text(encoding="utf-8", errors="replace").replace("</head></html>", "</head>")
        found = lxml.html.document_fromstring(whole.encode(), parser=_PARSER).xpath(theme.content)
        if len(found) != 1:
            continue
        for unwanted in (one for drop in theme.drop for one in found[0].xpath(drop)):
            if unwanted.getparent() is not None:
                unwanted.drop_tree()
        content = lxml.html.tostring(found[0], encoding="unicode", with_tail=False)
        yield Rendered(path, f"https://blog.example/{path}", whole, content)
