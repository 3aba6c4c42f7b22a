"""Pages and files that become Markdown: any bytes are read or refused by one error, and nothing is made up."""

from __future__ import annotations

import re

from fuzz.parser_properties import fuzzed
from quaestor.convert.converted_document import ConversionError
from quaestor.convert.html import from_html, page_text, reads_as_page
from quaestor.convert.html_tree import DEEPEST, Element, EndTag, StartTag, decode_page, parse, tokens
from quaestor.convert.json_documents import from_notebook, from_records, reads_as_texts
from quaestor.convert.page_metadata import outgoing_links, read_metadata

NAMES = "html head title body main article p div h1 h2 li ul ol a b code pre table tr td th dl dt dd nav footer".split()
MARKS = [
    *(f"<{name}>" for name in NAMES),
    *(f"</{name}>" for name in NAMES),
    *(
        "<!--",
        "-->",
        "<!",
        "<?",
        "<![CDATA[",
        "<script>",
        "</script>",
        "<style>",
        "<textarea>",
        "<br>",
        "<img src=x alt=y>",
    ),
    *(
        '<a href="/a b">',
        "<a href='javascript:1'>",
        '<a href="//[">',
        "<base href=//x>",
        "<td colspan=9999 rowspan=99>",
    ),
    *(
        '<meta name="author" content="A">',
        '<time datetime="2020-01-02">',
        '<p class="byline">',
        "<input type=checkbox>",
    ),
    *(
        '<script type="application/ld+json">',
        '{"author":[',
        "&amp;",
        "&#0;",
        "&#x110000;",
        "&",
        "<",
        ">",
        '"',
        "'",
        "=",
        "`",
    ),
]
PAGE = "<title>A | B</title><h1>A</h1><p>word " * 5 + "<table><tr><td>a<td>b</table><ul><li>c<ul><li>d</ul></ul><pre>e"
CHARSETS = [
    *(
        "<meta charset=utf-16>",
        '<?xml encoding="utf-7"?>',
        "<meta charset=base64>",
        "\ufeff",
        "\xff",
        "+AGE-",
        "é",
        "\x1b$B",
    ),
    *("<meta charset=idna>", "<meta charset=hz>", "<meta charset=unicode_escape>", "~{", "\x00"),
]
NOTEBOOK = [
    '{"cells":[',
    '{"cell_type":"code","source":',
    '["a","b"]',
    '"outputs":[',
    '{"text":1}',
    "]}",
    ",",
    "null",
    '"level":"x"',
]
RECORDS = [
    '{"text":"a"}\n',
    '{"title":"b","body":"c","tags":[1]}\n',
    "{",
    "}",
    '"',
    "\n",
    "null\n",
    "[1]\n",
    "1e999",
    "\\ud800",
]


@fuzzed(MARKS, [PAGE])
def test_text_and_tags_are_all_that_a_page_is_made_of(text: str) -> None:
    shown = [token for token in tokens(text) if isinstance(token, str)]
    assert sum(map(len, shown)) <= 2 * len(text)
    names = [token.name for token in tokens(text) if isinstance(token, StartTag | EndTag)]
    assert all(name == name.lower() and not re.search(r"[\s/>]", name) for name in names)


@fuzzed(MARKS, [PAGE])
def test_a_tree_is_never_deeper_than_a_walk_can_go(text: str) -> None:
    assert _depth(parse(text)) <= DEEPEST + 1


@fuzzed(MARKS, [PAGE, "<a href='b'>c</a><link rel=next href=' d '>"])
def test_a_page_is_markdown_without_tags_and_no_link_but_to_the_web(text: str) -> None:
    page = parse(text)
    told = read_metadata(page, "https://x.example/2020/01/02/a")
    for field in (told.title, told.author, told.date):
        assert field is None or (field == " ".join(field.split()) and len(field) <= 300)
    assert all(one.strip() for one in outgoing_links(page, "https://x.example/").links)
    made = page_text(page, "https://x.example/", told)
    assert "](javascript:" not in made.text.lower()
    assert "\x00" not in made.text
    assert len(made.text) <= 100 * len(text) + 1_000


@fuzzed([*CHARSETS, *MARKS[:20]], raw=True)
def test_any_bytes_are_a_page(data: bytes) -> None:
    assert isinstance(decode_page(data), str)
    for declared in ("utf-16", "utf-7", "base64", "nonsense", "idna", "punycode", "\x00"):
        assert isinstance(decode_page(data, declared), str)
    reads_as_page(data)
    from_html(data)


@fuzzed(NOTEBOOK, ['{"cells":[{"cell_type":"code","source":["a"],"outputs":[{"text":"b"}]}]}'], raw=True)
def test_a_notebook_is_read_or_refused(data: bytes) -> None:
    try:
        made = from_notebook(data)
    except ConversionError:
        return
    assert isinstance(made.text, str)


@fuzzed(RECORDS, raw=True)
def test_records_are_read_or_refused(data: bytes) -> None:
    if reads_as_texts(data):
        try:
            made = from_records(data)
        except ConversionError:
            return
        assert made.text.startswith("# ")


def _depth(element: Element) -> int:
    below = [1 + _depth(child) for child in element.children if isinstance(child, Element)]
    return max(below, default=0)
