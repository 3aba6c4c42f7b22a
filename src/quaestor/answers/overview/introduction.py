"""Introduces a project or a folder by the first sentences of its README or its manifest's description."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from posixpath import dirname

from quaestor.answers.overview.document_statistics import named_in_preamble
from quaestor.answers.overview.material import Material, is_code
from quaestor.answers.overview.overview_text import Source, Statement
from quaestor.answers.overview.prose_lines import Paragraph, headings, paragraphs, says_something
from quaestor.core.light_imports import lazy_regex
from quaestor.search.path_roles import is_beside_program

_LONGEST = 420
_MOST = 2
_LOOKED_AT = 400
_ELSEWHERE = lazy_regex(
    r"\b(?:install|getting started|quick ?start|usage|contribut|licen[cs]e|sponsor|support|table of contents"
    r"|contents|build"
    r"|badge|download|requirement|prerequisite|changelog|backers|credits|donat|documentation|upgrad|news|announce"
    r"|windows|mac ?os|mac$|linux|run(?:ning)?\b)",
    re.IGNORECASE,
)
_ABOUT = lazy_regex(r"\b(?:about|what is|what's|overview|introduction|description|features?|why)\b", re.IGNORECASE)
# What stands before the first sentence about the thing itself: notices, translations, thanks.
_NOTICE = lazy_regex(
    r"^(?:⚠|❗|🚨|👉|🎉|📢|❤|💖|(?:pro ?)?tip\b|note\b|warning\b|important\b|this (?:readme|document|branch|file)\b"
    r"|read this in\b|\[?(?:english"
    r"|中文|简体)"
    r"|looking for\b|sponsored\b|supported by\b|copyright\b|for (?:detailed|more|full)\b|see (?:the|also)?\b|please\b"
    r"|a description of (?:this|the) \w+\.?$|todo\b|describe your\b|released\b|this functionality\b"
    r"|this (?:work|project|repository|software|app\w*) (?:is|was) (?:\[?licen[cs]ed|released under|made available"
    r"|(?:generated|bootstrapped|created|initiali[sz]ed) (?:with|using|by|from)|in (?:alpha|beta))\b"
    r"|this is (?:an?|the) (?:(?:static )?(?:web ?)?site (?:built|generated|made|powered) (?:with|using|by)"
    r"|(?:static|[\w.+-]+-based) (?:web ?)?site)\b"
    r"|some of the files\b"
    r"|(?:the )?(?:above|following|preceding|\w+ (?:above|below))\b|if\b|here(?:['’]s| is| are)\b|read (?:the|our)\b"
    r"|you can (?:ask|find|install)\b|all rights\b|star us\b|join\b|follow\b|click\b|available as part\b"
    r"|\W*[^.]{1,80}\btrademarks? of\b"
    r"|if you (?:like|use|love|enjoy|find|want|are looking)\b|you(?:['’]re| are) (?:reading|viewing|looking at)\b)",
    re.IGNORECASE,
)
_DEFINES = lazy_regex(
    r"\b(?:is|are|provides?|offers?|implements?|lets you|allows|helps|contains?|for|(?:which|that)\s+\w+s)\b",
    re.IGNORECASE,
)
_ORDERS = lazy_regex(r"^(?:run|install|download|clone|open|launch|type|make sure)\b", re.IGNORECASE)
"""The beginning of an instruction below a heading. In a title, "Run models at the edge" says what a thing is for."""
# A phrase that names a kind of thing defines as well as a sentence does: "A fast build tool", "Task: the task runner".
_NAMES_A_KIND = lazy_regex(r"^(?:an?|the)\s+\w|^[\w.+-]+(?:\s[\w.+-]+)?\s*(?::|-|–|—)\s+(?:an?|the)\s", re.IGNORECASE)
_IS_TAGLINE = lazy_regex(r"(?![^.]*\b(?:see|docs|documentation|website|click|join)\b)[A-Z][^.!?:]{8,100}\.(?=$)")
"""One short sentence below the title, such as "Delightful snapshot testing for Swift."."""
# "fzf is a command-line fuzzy finder" says it; "Show your love for fzf" only has a word that such sentences have.
_SAYS_WHAT_IT_IS = lazy_regex(
    r"^\W*(?!(?:there|here|these|those)\b)(?:the\s+)?[\w.+#-]+(?:\s[\w.+#-]+)?\s+(?:is|are)\s+(?:an?|the|one)\b",
    re.IGNORECASE,
)
_BEGINNINGS = ("readme", "index", "_index", "introduction", "intro", "overview", "about", "home", "welcome")
_BEGINS = lazy_regex(
    r"\b(?:purpose|what (?:is|are)|welcome to|introduction to|about (?:this|these|the|us))\b", re.IGNORECASE
)
"""Words in the title of an introductory document, where no file's name tells."""
_MOST_TITLES = 40
_DESCRIBED = lazy_regex(r"^description:\s*[\"']?(\S.*?)[\"']?\s*$")
_ENDS = lazy_regex(
    r"(?<!\be\.g)(?<!\beg)(?<!\bi\.e)(?<!\bie)(?<!\betc)(?<!\bcf)(?<!\bvs)(?<!\bw\.r\.t)[.!?](?=\s)|[。！？]"
)
"""The end of a sentence, but not the point of an abbreviation such as "e.g."."""
_TAGLINE = 4
"""A block quote that introduces the project begins within this many lines with words."""
_QUOTED = lazy_regex(r"^> ?(?=\S)")
_NOTE = lazy_regex(r"^> ?\[!|^> ?\W*(?:note|warning|tip|important|caution)\b", re.IGNORECASE)
_MANIFESTS = {
    "pyproject.toml": r"""^description\s*=\s*["'](.+?)["']\s*$""",
    "cargo.toml": r'^description\s*=\s*"(.+?)"\s*$',
    "package.json": r'^\s*"description"\s*:\s*"(.+?)"\s*,?\s*$',
    "composer.json": r'^\s*"description"\s*:\s*"(.+?)"\s*,?\s*$',
    "setup.cfg": r"^description\s*=\s*(.+?)\s*$",
    "setup.py": r"""^\s*description\s*=\s*["'](.+?)["'],?\s*$""",
    "mix.exs": r'^\s*(?:@description|description:)\s*"(.+?)",?\s*$',
    "pubspec.yaml": r"^description:\s*[\"']?([^>|].+?)[\"']?\s*$",
    "pom.xml": r"^\s*<description>(.+?)</description>",
    "description": r"^(?:Title|Description):\s*(.+?)\s*$",
}
_LANGUAGES = {
    "pyproject.toml": ("python",),
    "setup.cfg": ("python",),
    "setup.py": ("python",),
    "cargo.toml": ("rust",),
    "package.json": ("javascript", "typescript", "tsx", "vue", "svelte"),
    "composer.json": ("php",),
}
_ENDINGS = {
    ".gemspec": r"""^\s*\w+\.(?:summary|description)\s*=\s*["'](.+?)["']\s*$""",
    ".cabal": r"^synopsis:\s*(.+?)\s*$",
}


def introduction(material: Material) -> list[Statement]:
    """Return what the README and the manifest say that the project is, the README first unless it says little."""
    readme = from_readme(material, material.folder)
    manifests = list(from_manifests(material, material.folder))
    own = next((one for one in manifests if one.source and _fits(material, one.source.path)), None)
    manifest = own or (next(iter(manifests), None) if not readme else None)
    if manifest is None or any(_say_the_same(manifest.text, one.text) for one in readme):
        return readme or _from_readme_of_most_code(material)
    defines = bool(readme) and _DEFINES.search(readme[0].text) is not None
    return [*readme[: _MOST - 1], manifest] if defines else [manifest, *readme[: _MOST - 1]]


def _from_readme_of_most_code(material: Material) -> list[Statement]:
    """Return what the README of the deepest folder that holds most of the code says; empty without such a README."""
    code = {path: one.size for path, one in material.documents.items() if is_code(one) and not is_beside_program(path)}
    folders = {dirname(path) for path in material.documents if path.rpartition("/")[2].lower().startswith("readme")}
    for folder in sorted(folders - {material.folder}, key=lambda one: -one.count("/")):
        if 2 * sum(size for path, size in code.items() if path.startswith(f"{folder}/")) > sum(code.values()):
            return from_readme(material, folder)
    return []


def _fits(material: Material, manifest: str) -> bool:
    """Return whether a manifest belongs to the language that most of the code is written in."""
    languages = Counter(one.language for one in material.documents.values() if is_code(one))
    most = languages.most_common(1)
    wanted = _LANGUAGES.get(manifest.rpartition("/")[2].lower())
    return not most or wanted is None or most[0][0] in wanted


def readme_of(material: Material, folder: str) -> str | None:
    """Return the path of a folder's README, the plainest one of several; None if it has none."""
    names = ("md", "rst", "markdown", "adoc", "asciidoc", "asc", "txt", "org", "mdx", "mediawiki", "rmd", "")
    endings = [f"readme.{ending}" if ending else "readme" for ending in names] + ["index.md", "index.rst"]
    # Of a root without one, GitHub shows what lies in these.
    for place in (folder,) if folder else ("", ".github", "docs"):
        beside = {path.rpartition("/")[2].lower(): path for path in material.beside(place)}
        names_here = endings if place == folder else [one for one in endings if one.startswith("readme")]
        if readme := next((beside[name] for name in names_here if name in beside), None):
            return readme
    return None if folder else _first_document(material)


_NAMES: tuple[tuple[str, str], ...] = (
    (r"package\.json|composer\.json", r'\s*"name"\s*:\s*"([@\w./-]+)"'),
    (r"pyproject\.toml|cargo\.toml|setup\.cfg", r"""name\s*=\s*["']?([\w.-]+)"""),
    (r"setup\.py", r"""\s*name\s*=\s*["']([\w.-]+)"""),
    (r"pubspec\.ya?ml", r"name:\s*(\w+)"),
    (r"go\.mod", r"module\s+(\S+)"),
    (r"mix\.exs", r"\s*app:\s*:(\w+)"),
    (r"package\.swift|build\.zig\.zon", r'\s*\.?name\s*[:=]\s*"?\.?([\w-]+)'),
    (r"pom\.xml", r"\s*<artifactId>([\w.-]+)<"),
    (r"cmakelists\.txt|meson\.build", r"\s*project\s*\(\s*['\"]?([\w.-]+)"),
    (r"configure\.(?:ac|in)", r"AC_INIT\(\[?([\w.-]+)"),
    (r"settings\.gradle(?:\.kts)?", r"""\s*rootProject\.name\s*=\s*["']([\w.-]+)"""),
)
_NAMED_BY_FILE = lazy_regex(
    r"([\w.-]+?)(?:-[\d.-]+|-scm-\d+)?\.(?:gemspec|cabal|rockspec|opam|nimble|sln)", re.IGNORECASE
)


def names_in_manifests(material: Material) -> frozenset[str]:
    """Return what the manifests in the root call the project, in lower case: with and without what stands before it."""
    names = set[str]()
    for path in material.beside(material.folder):
        if match := _NAMED_BY_FILE.fullmatch(path):
            names.add(match[1].lower())
        for manifest, pattern in _NAMES:
            lines = material.lines(path) if re.fullmatch(manifest, path, re.IGNORECASE) else ()
            found = next(filter(None, (re.match(pattern, line) for line in lines)), None)
            names |= {found[1].lower(), found[1].lower().rpartition("/")[2]} if found else set()
    return frozenset(names)


_OF_NAME = lazy_regex(r"""\s*["']?(?:name|title|rootProject\.name|module|Package)["']?\s*[:=]?\s*["'(]?[@\w]""")
_LISTS = lazy_regex(
    r'(?<![dD]ev)(?<![dD]ev[-_])(?:depend|\brequires?\b(?!"\s*:\s*")|install_requires|\bdeps\b)', re.IGNORECASE
)
"""A sign that a manifest may contain a list after all."""


def line_of_name(texts: Sequence[str]) -> int:
    """Return the line of a manifest that names the project, if no line may list what it needs; else 0."""
    at = next((at for at, line in enumerate(texts, 1) if _OF_NAME.match(line)), 0)
    return 0 if any(map(_LISTS.search, texts)) else at


def files_of_the_whole(paths: Iterable[str], own: Collection[str]) -> list[str]:
    """Return the files in a folder with one of the whole's own names, the shallowest first, then those in the root."""
    inner = [path for path in paths if "/" in path and path.lower().split("/")[-2] in own]
    return [*sorted(inner, key=lambda path: (path.count("/"), path)), *sorted(one for one in paths if "/" not in one)]


def _first_document(material: Material) -> str | None:
    """Return the document that introduces a corpus without a README: the shallowest introduction or index.

    If there is code, only documents of the documentation count, because a README deep in the tree is about its own
    folder. If there are only documents, folders such as ``tutorial`` do not count as examples.
    """
    candidates = []
    for path in material.documents:
        stem = path.rpartition("/")[2].lower().partition(".")[0]
        profile = material.profile(path)
        documented = not material.is_code or path.lower().startswith("doc")
        aside = (material.is_code and (profile.test or profile.example)) or material.stands_behind(path)
        if stem in _BEGINNINGS and profile.prose and documented and not aside:
            candidates.append((path.count("/"), _BEGINNINGS.index(stem), path))
    return min(candidates)[2] if candidates else _titled_as_beginning(material)


def _titled_as_beginning(material: Material) -> str | None:
    """Return the shallowest document whose title says that it introduces the others."""
    if material.is_code:
        return None
    for path in sorted(material.documents, key=lambda one: (one.count("/"), one))[:_MOST_TITLES]:
        preamble_title = named_in_preamble(material.lines(path))
        title = preamble_title[1] if preamble_title else material.documents[path].title or ""
        if _BEGINS.search(title):
            return path
    return None


def from_readme(material: Material, folder: str) -> list[Statement]:
    """Return the first paragraphs of a folder's README that say what it is, shortened to whole sentences."""
    path = readme_of(material, folder)
    if path is None:
        return []
    lines = _with_tagline(material.lines(path)[:_LOOKED_AT])
    introducing = _introducing_paragraphs(list(paragraphs(lines)))[:_MOST]
    sentences = [*introducing[:1], *(one for one in introducing[1:] if _is_sentence(one.text))]
    statements = [_statement(one, path, _LONGEST) for one in sentences]
    title = next(headings(lines), None)
    if title and says_something(title[1]) and not (introducing and _says_what(introducing[0], title[1])):
        statements = [Statement(title[1], Source(path, title[0], title[0])), *statements][:_MOST]
    return statements or list(_from_front_matter(material.lines(path), path))


def _says_what(paragraph: Paragraph, title: str) -> bool:
    """Return whether a paragraph introduces the titled thing: its heading is the title, or such as "About"."""
    return paragraph.heading == title or _ABOUT.search(paragraph.heading) is not None


def _with_tagline(lines: Sequence[str]) -> list[str]:
    """Return lines with a block quote below the title turned into a paragraph: some READMEs have a tagline there."""
    filled = [number for number, line in enumerate(lines) if line.strip()][:_TAGLINE]
    first = next((number for number in filled if _QUOTED.match(lines[number])), None)
    if first is None or any(_NOTE.match(lines[number]) for number in filled):
        return [*lines]
    last = next((number for number in range(first, len(lines)) if not _QUOTED.match(lines[number])), len(lines))
    return [*lines[:first], *(_QUOTED.sub("", line) for line in lines[first:last]), *lines[last:]]


def _from_front_matter(lines: Sequence[str], path: str) -> Iterator[Statement]:
    """Yield the description in a page's front matter, which is often all that a site's home page says."""
    if lines and lines[0].rstrip() == "---":
        end = next((at for at, line in enumerate(lines[1:_LOOKED_AT], 1) if line.rstrip() == "---"), 0)
        yield from islice(_descriptions(lines[:end], path, _DESCRIBED), 1)


def first_sentence(material: Material, path: str, longest: int) -> Statement | None:
    """Return the sentence of a document that most likely says what it is about."""
    introducing = _introducing_paragraphs(list(paragraphs(material.lines(path)[:_LOOKED_AT])))
    # What leads to a list says little without it.
    first = next((one for one in introducing[:3] if not one.text.endswith((":", "："))), next(iter(introducing), None))
    return None if first is None else _statement(first, path, longest)


def from_manifests(material: Material, folder: str) -> Iterator[Statement]:
    """Yield the descriptions in the manifests that lie in a folder."""
    for path in material.beside(folder):
        name = path.rpartition("/")[2].lower()
        pattern = _MANIFESTS.get(name) or next((_ENDINGS[end] for end in _ENDINGS if name.endswith(end)), None)
        if pattern:
            yield from _descriptions(material.lines(path), path, re.compile(pattern))


def _descriptions(lines: Sequence[str], path: str, pattern: re.Pattern[str]) -> Iterator[Statement]:
    for number, line in enumerate(lines[:_LOOKED_AT], 1):
        match = pattern.match(line)
        if match and len(match[1].split()) > 1:
            text = _unescape(match[1]) if path.endswith(".json") else match[1]
            yield Statement(text[:_LONGEST], Source(path, number, number), verbatim=text == match[1])
            return


def _unescape(text: str) -> str:
    try:
        return " ".join(str(json.loads(f'"{text}"')).split())
    except ValueError:
        return text


def _introducing_paragraphs(prose: Sequence[Paragraph]) -> list[Paragraph]:
    """Return the paragraphs that say what a thing is: those before its instructions, notices aside."""
    title = prose[0].heading if prose else ""
    leading = [
        one
        for one in prose[:8]
        if not _NOTICE.match(one.text)
        and (one.heading == title or not (_ELSEWHERE.search(one.heading) or _ORDERS.match(one.text)))
    ]
    about = [
        one for one in prose[:30] if _ABOUT.search(one.heading) and one not in leading and not _NOTICE.match(one.text)
    ]
    ordered = [*leading, *about[:1]]
    first = next((at for at, one in enumerate(ordered[:4]) if _defines(one.text) and not _leads_on(one, title)), 0)
    if ordered and ordered[0].heading == title and _IS_TAGLINE.fullmatch(ordered[0].text):
        first = 0
    elif ordered and not _NAMES_A_KIND.match(ordered[first].text):
        first = next((at for at, one in enumerate(ordered[:4]) if _says_what_it_is(one)), first)
    others = (one for one in prose[:3] if not _NOTICE.match(one.text))
    return ordered[first:] or [one for one in others if one.heading == title or not _ELSEWHERE.search(one.heading)]


def _leads_on(paragraph: Paragraph, title: str) -> bool:
    """Return whether a paragraph of some section only leads to what stands below it: "Compiling it is easy:"."""
    return paragraph.text.endswith(":") and paragraph.heading != title and not _ABOUT.search(paragraph.heading)


def _defines(text: str) -> bool:
    return _DEFINES.search(text) is not None or _NAMES_A_KIND.match(text) is not None


def _says_what_it_is(paragraph: Paragraph) -> bool:
    """Return whether a paragraph defines something; what leads to a list below it ("X is ... as follows:") does not."""
    return _SAYS_WHAT_IT_IS.match(paragraph.text) is not None and not paragraph.text.endswith(":")


def _is_sentence(text: str) -> bool:
    """Return whether a text ends as a sentence does; links in a row and what leads to a list do not."""
    return text.rstrip("\"'”’)*_").endswith((".", "!", "?", "。", "！", "？", "…"))


def _statement(paragraph: Paragraph, path: str, longest: int) -> Statement:
    return Statement(shorten(paragraph.text, longest), Source(path, paragraph.start_line, paragraph.end_line))


def shorten(text: str, longest: int) -> str:
    """Return whole sentences of a text, or its first words where the first sentence is too long."""
    if len(text) <= longest:
        return text
    ends = [match.end() for match in _ENDS.finditer(text[: longest + 1])]
    if ends and ends[-1] >= min(40, longest // 3):
        return text[: ends[-1]]
    head, _, _ = text[:longest].rpartition(" ")
    return f"{(head or text[:longest]).rstrip(' ,;:-–—(')} …"


def _say_the_same(one: str, other: str) -> bool:
    mine, theirs = _words(one), _words(other)
    return len(mine & theirs) >= 0.7 * min(len(mine), len(theirs))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))
