"""Measures how much of a page's structure stays when it is converted to Markdown, beside two public extractors.

    VENV/bin/python benchmarks/fidelity.py --mkdocs DOCS... --sphinx DOCS... --blogs THEME... [--out FILE]

``DOCS`` are folders of documentation. Real generators render them (``_rendered_docs.py``) and tell the author's content
from the page around it. Each extractor's Markdown of the whole page is rendered again and compared with that content,
each kind as a multiset: a link is its text and target, a table row its cells (rows of tables with merged cells do not
count), code its lines.

``VENV`` is an environment of its own: pip install mkdocs-material sphinx furo trafilatura readability-lxml markdownify
markdown-it-py, and Quaestor.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote, urljoin

import _machine
import lxml.html
from _blog_pages import THEMES, posts
from _rendered_docs import Rendered, with_mkdocs, with_sphinx
from markdown_it import MarkdownIt

Items = Mapping[str, Counter[object]]
KINDS = ("links", "emphasis", "headings", "table rows", "code blocks", "inline code", "list items", "words")
_RENDERER = MarkdownIt("commonmark").enable("table").enable("strikethrough")


def ours(page: Rendered) -> str:
    from quaestor.convert.html import page_text  # noqa: PLC0415
    from quaestor.convert.html_tree import decode_page, parse  # noqa: PLC0415

    return page_text(parse(decode_page(page.whole.encode(), "utf-8")), page.url).text


def with_trafilatura(page: Rendered) -> str:
    import trafilatura  # noqa: PLC0415

    return (
        trafilatura.extract(
            page.whole,
            url=page.url,
            output_format="markdown",
            include_links=True,
            include_formatting=True,
            include_tables=True,
            include_comments=False,
            favor_recall=True,
        )
        or ""
    )


def with_readability(page: Rendered) -> str:
    from markdownify import markdownify  # noqa: PLC0415
    from readability import Document  # noqa: PLC0415

    return markdownify(Document(page.whole, url=page.url).summary(html_partial=True), heading_style="ATX")


SYSTEMS: Mapping[str, Callable[[Rendered], str]] = {
    "quaestor": ours,
    "trafilatura": with_trafilatura,
    "readability + markdownify": with_readability,
}


def items(html: str, url: str) -> Items:
    """Return what is in a piece of HTML, by kind."""
    found: dict[str, Counter[object]] = {kind: Counter() for kind in KINDS}
    if not html.strip():
        return found
    root = lxml.html.fragment_fromstring(html, create_parent="div")
    for unwanted in root.xpath(
        ".//a[contains(@class,'headerlink')]|.//script|.//style|.//svg|.//input|.//label|.//comment()"
        "|.//*[contains(@class,'linenos')]"
    ):
        unwanted.drop_tree()
    for line_break in root.iter("br"):
        mark = "\n" if line_break.xpath("ancestor::pre") else " "
        line_break.tail = mark + (line_break.tail or "")
    for element in root.iter():
        _count(element, found, url)
    found["words"].update(re.findall(r"[^\W_]+", root.text_content()))
    return found


def _count(element: lxml.html.HtmlElement, found: dict[str, Counter[object]], url: str) -> None:
    text = " ".join(element.text_content().split())
    name = element.tag
    if name == "a" and element.get("href") and text and not element.xpath(".//*[@class='problematic']"):
        found["links"][(text, unquote(urljoin(url, element.get("href"))).rstrip("#"))] += 1
    elif name in ("em", "strong", "i", "b") and text and not element.xpath("ancestor::pre|ancestor::dt"):
        found["emphasis"][(name.replace("strong", "b").replace("em", "i"), text)] += 1
    elif re.fullmatch("h[1-6]", str(name)) and text:
        found["headings"][(name, text.removesuffix("¶").removesuffix("[#]").strip())] += 1
    elif name == "tr" and not element.xpath(".//pre|.//table|ancestor::table//*[@rowspan or @colspan]"):
        cells = tuple(" ".join(cell.text_content().split()) for cell in element if cell.tag in ("td", "th"))
        found["table rows"][cells] += any(cells)
    elif name == "pre":
        lines = (line.rstrip() for line in element.text_content().strip("\n").split("\n"))
        found["code blocks"]["\n".join(lines).strip()] += 1
    elif name == "code" and text and not element.xpath("ancestor::pre|ancestor::dt"):
        found["inline code"][text] += 1
    elif name == "li":
        inner = {text for nested in element.xpath(".//ul|.//ol") for text in nested.itertext()}
        own = " ".join("".join(part for part in element.itertext() if part not in inner).split())[:40]
        if own:
            found["list items"][own] += 1


def measure(pages: Sequence[Rendered]) -> dict[str, dict[str, float]]:
    """Return by system the share kept of every kind, the words that were not the author's, and milliseconds a page."""
    results: dict[str, dict[str, float]] = {}
    truths = [items(page.content, page.url) for page in pages]
    for system, extract in SYSTEMS.items():
        kept, total, foreign, seconds = Counter[str](), Counter[str](), 0, 0.0
        for page, truth in zip(pages, truths, strict=True):
            started = time.perf_counter()
            text = extract(page)
            seconds += time.perf_counter() - started
            got = items(_RENDERER.render(text), page.url)
            for kind in KINDS:
                kept[kind] += (truth[kind] & got[kind]).total()
                total[kind] += truth[kind].total()
            foreign += (got["words"] - truth["words"]).total()
        shares = {kind: kept[kind] / total[kind] for kind in KINDS if total[kind]}
        results[system] = {
            **shares,
            "foreign words": foreign / total["words"],
            "ms a page": seconds / len(pages) * 1000,
        }
        results.setdefault("in all", {**{kind: float(total[kind]) for kind in KINDS}, "pages": float(len(pages))})
    return results


def table(results: Mapping[str, Mapping[str, float]]) -> str:
    names = [name for name in results if name != "in all"]
    lines = [f"{'':16}{'in all':>9}" + "".join(f"{name:>27}" for name in names)]
    for kind in (*KINDS, "foreign words", "ms a page"):
        number = f"{results['in all'].get(kind, 0):,.0f}" if kind in KINDS else ""
        cells = "".join(f"{results[name].get(kind, 0):>27.1%}" for name in names)
        if kind == "ms a page":
            cells = "".join(f"{results[name][kind]:>27.1f}" for name in names)
        lines.append(f"{kind:16}{number:>9}{cells}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mkdocs", type=Path, nargs="*", default=[], metavar="DOCS")
    parser.add_argument("--sphinx", type=Path, nargs="*", default=[], metavar="DOCS")
    parser.add_argument("--blogs", type=Path, nargs="*", default=[], metavar="THEME")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "fidelity.json")
    options = parser.parse_args(arguments)
    results = {}
    for name, render, folders in (("mkdocs", with_mkdocs, options.mkdocs), ("sphinx", with_sphinx, options.sphinx)):
        pages = [page for folder in folders for page in render(folder)]
        if pages:
            results[name] = measure(pages)
            print(f"\n{name}: {len(pages)} pages of {', '.join(folder.parent.name for folder in folders)}")
            print(table(results[name]))
    for folder in options.blogs:
        pages = list(posts(folder))
        results[folder.name] = measure(pages)
        print(f"\n{folder.name}: {len(pages)} posts ({THEMES[folder.name].engine})")
        print(table(results[folder.name]))
    options.out.write_text(json.dumps({"machine": _machine.describe(), "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
