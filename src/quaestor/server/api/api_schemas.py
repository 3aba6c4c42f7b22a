"""What the routes under ``/api`` take and return, errors among it, for checking and for the OpenAPI document."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

LONGEST_QUESTION = 200_000
"""Most letters of a question."""

Question = Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]
AnyText = Annotated[
    str, Field(max_length=LONGEST_QUESTION, description="Any text; where there is none, nothing is found.")
]
CorpusNames = Annotated[list[Annotated[str, Field(max_length=4096)]], Field(max_length=1000)]
CorpusName = Annotated[str, Field(max_length=4096, description="May be left out where there is only one.")]

_SAID = {
    400: "The request cannot be read, or asks for something impossible.",
    401: "A token is needed, or the one that was sent is unknown.",
    403: "Not permitted.",
    404: "There is nothing of this name that the caller may see.",
    409: "A turn of this session is under way.",
    413: "The body or the document is too large.",
    415: "This is not text, or the body is of another type.",
    421: "The server is not called so.",
    429: "A limit is reached: of spending, of requests, of size.",
    500: "The server failed; its log says why.",
    502: "The model's server failed.",
    503: "The index is still being made, or is unusable.",
}
_ANY_ROUTE = (400, 401, 403, 413, 421, 429, 500)


class Taken(BaseModel):
    """A request's body; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class Fault(BaseModel):
    """What went wrong."""

    code: str
    message: str


class Failure(BaseModel):
    """The body of every answer that is an error."""

    error: Fault


# --- corpora and searching ------------------------------------------------------------------------------------------


class CorpusState(BaseModel):
    """How far a corpus is."""

    name: str
    title: str
    ready: bool
    done: Annotated[int, Field(description="Files read, while its first index is made.")]
    total: Annotated[int, Field(description="Files to read; 0 while they are counted.")]
    documents: int
    chunks: int
    mine: Annotated[bool, Field(description="Whether it is the caller's alone.")]
    error: Annotated[str | None, Field(description="Why it cannot be indexed.")]


class CorpusList(BaseModel):
    """The corpora that the caller may see."""

    corpora: list[CorpusState]


class Bin(BaseModel):
    """One bar of a histogram; the last has no end."""

    first: int
    last: int | None
    number: int


class Words(BaseModel):
    """Words per document."""

    least: int
    mean: float
    median: float
    most: int
    total: int
    histogram: list[Bin]


class IndexStats(BaseModel):
    """What an index holds."""

    root: str
    documents: int
    chunks: int
    bytes: int
    index_bytes: int
    languages: dict[str, int]
    chunkers: dict[str, int]
    notes: dict[str, int]
    embedder: str
    store: str
    generation: int


class ComingVectors(BaseModel):
    """Vectors of another embedder that the index is yet to be given."""

    embedder: str
    done: Annotated[int, Field(description="How many are made.")]
    total: Annotated[int, Field(description="How many there will be; 0 while that is not known.")]
    busy: Annotated[bool, Field(description="Whether a process is making them.")]


Coming = Annotated[
    ComingVectors | None, Field(description="What the index is yet to be given; null if it is as it should be.")
]


class Stats(BaseModel):
    """A corpus's contents, and the number of files left out, as in ``quaestor stats --json``."""

    root: str
    documents: int
    chunks: int
    words: Words
    bytes: int
    tokens: int | None
    languages: dict[str, int]
    chunkers: dict[str, int]
    notes: dict[str, int]
    skipped_by_reason: dict[str, int]
    index: IndexStats
    coming: Coming


class Limited(Taken):
    """Which documents a request is about."""

    path: Annotated[list[str], Field(max_length=100, description="Only paths that match one of these globs.")] = []
    language: Annotated[list[str], Field(max_length=100, description="Only these languages.")] = []
    since: Annotated[str, Field(max_length=40, description="Only documents of this date or later: 2020, 2020-03.")] = ""
    before: Annotated[str, Field(max_length=40, description="Only documents of an earlier date.")] = ""
    by: Annotated[list[str], Field(max_length=100, description="Only documents by one of these authors.")] = []
    filters: Annotated[bool, Field(description="Whether dates and authors that the words ask for are obeyed.")] = True


class SearchRequest(Limited):
    """A search."""

    query: AnyText
    k: Annotated[int | None, Field(ge=1, le=1000, description="Hits; as the settings say where it is left out.")] = None
    corpus: CorpusName = ""
    corpora: Annotated[
        CorpusNames, Field(description="Several, instead of one, in one ranking; `*` for all that you may see.")
    ] = []


class HitObject(BaseModel):
    """One hit."""

    path: str
    start_line: int
    end_line: int
    score: float
    symbol: str | None
    language: str
    text: str
    title: str | None
    url: str | None
    author: str | None
    date: str | None
    sha256: str
    fresh: bool
    also: Annotated[list[str], Field(description="Where the same is said, as path:line.")]
    corpus: Annotated[str, Field(description="The name of the corpus that it is of.")]


class Searched(BaseModel):
    """How current the index is."""

    fresh: bool
    checked_at: str
    stored: Annotated[
        bool,
        Field(description="Whether the files are not here: it is as current as the index, of `checked_at`."),
    ]
    commit: Annotated[str, Field(description="What was checked out then, where the files are not here; else empty.")]
    checked_against: Annotated[
        Literal["files", "bytes", "chunks"],
        Field(description="What citations are checked against: the files, their bytes in the store, or its chunks."),
    ]
    by_meaning: Annotated[
        Literal["all", "some", "none"],
        Field(description="What was found by meaning as well: all documents, those that are embedded, or none."),
    ]
    embedder: Annotated[str, Field(description="Whose vectors were compared.")]
    coming: Coming
    documents: int
    chunks: int


class SearchedCorpus(Searched):
    """How current the index of one of several corpora is."""

    name: str
    error: Annotated[str | None, Field(description="Why it was not searched; null if it was.")]


class UnknownWord(BaseModel):
    """A word of a query that the corpus lacks."""

    word: str
    nearest: Annotated[list[str], Field(description="Words that do stand; the first was searched for instead.")]


class SearchResult(BaseModel):
    """Hits, best first, as in ``quaestor search --json``."""

    query: str
    understood: Annotated[list[str], Field(description="Words that limited the documents, and were not searched for.")]
    missed: Annotated[list[str], Field(description="Words that would have limited them, but to none.")]
    translated: Annotated[
        list[str], Field(description="What was searched for in English for a question in another language.")
    ]
    unknown: Annotated[list[UnknownWord], Field(description="Words that stand nowhere in the corpus.")]
    hits: list[HitObject]
    index: Annotated[Searched, Field(description="Of all that were searched together.")]
    corpora: Annotated[list[SearchedCorpus], Field(description="Each one, where several were asked for.")] = []
    seconds: float


class Excerpt(BaseModel):
    """Lines of a document as they are on disk now."""

    path: str
    start_line: int
    end_line: int
    total_lines: int
    lines: list[str]
    language: str
    sha256: str
    fresh: Annotated[bool, Field(description="Whether the index holds these very bytes.")]
    title: str | None
    url: str | None


class OverviewLine(BaseModel):
    """A line of an overview, with its place if it is from a file."""

    names: Annotated[list[str], Field(description="Paths or commands; in a tree, below the line it is indented to.")]
    depth: int
    says: str
    n: Annotated[int, Field(description="The number that stands for the source in the text.")] = 0
    path: str = ""
    start_line: int = 0
    end_line: int = 0
    sha256: str = ""
    fresh: Annotated[bool, Field(description="Whether the file's bytes were checked to be the indexed ones.")] = True


class OverviewSection(BaseModel):
    """Some lines of an overview under a heading."""

    title: str
    lines: list[OverviewLine]
    left_out: Annotated[int, Field(description="Lines that there was no room for.")]


class OverviewObject(BaseModel):
    """An overview of a corpus or one of its folders."""

    folder: str
    documents: int
    tokens: int
    text: str
    sections: list[OverviewSection]


class HistoryPassage(BaseModel):
    """Lines of a commit, a tag or a changelog, as they are cited."""

    n: int
    path: Annotated[str, Field(description="A document's, or `commit HASH` or `tag NAME`, which `/passage` reads.")]
    start_line: int
    end_line: int
    title: str | None
    author: str | None
    date: str | None
    text: str
    sha256: str


class HistoryResult(BaseModel):
    """An answer from history."""

    asked: str
    answer: Annotated[str, Field(description="Markdown with citation marks.")]
    known: Annotated[bool, Field(description="Whether it answers.")]
    partial: Annotated[bool, Field(description="Whether the history was not read to its end.")]
    passages: list[HistoryPassage]
    seconds: float


# --- answers --------------------------------------------------------------------------------------------------------


class CitationObject(BaseModel):
    """A citation, after it was checked against the file's bytes."""

    n: int
    path: str
    start_line: int
    end_line: int
    quote: str
    status: Literal["verified", "repaired", "unverified"] = Field(
        description="whether the words stand in those lines (verified), nearby (repaired), or were not found; "
        "not whether they are right"
    )
    url: str | None


class UsageObject(BaseModel):
    """Tokens, as the model's server reported them or as they were counted here."""

    prompt_tokens: int
    completion_tokens: int
    reported: bool


class AskRequest(Limited):
    """A single question."""

    question: AnyText
    corpus: CorpusName = ""


class WindowSize(BaseModel):
    """How the answer's window was composed."""

    limit: int
    reserve: int
    passages: Annotated[int, Field(description="That were found.")]
    sent: Annotated[int, Field(description="Of them, that a model was shown.")]


class AskResult(BaseModel):
    """An answer with its checked citations, as in ``quaestor ask --json``."""

    question: str
    understood: Annotated[list[str], Field(description="Words that limited the documents, and were not searched for.")]
    missed: Annotated[list[str], Field(description="Words that would have limited them, but to none.")]
    translated: Annotated[
        list[str], Field(description="What was searched for in English for a question in another language.")
    ]
    unknown: Annotated[list[UnknownWord], Field(description="Words that stand nowhere in the corpus.")]
    answer: str
    citations: list[CitationObject]
    unsupported: list[str]
    known: Annotated[bool, Field(description="Whether at least one citation is verified or repaired.")]
    unchecked: Annotated[bool, Field(description="Whether a model answered and no citation of it holds.")]
    quotes: Annotated[list[CitationObject], Field(description="What stands there, beside an unchecked answer.")]
    nearest: list[str]
    calls: list[dict[str, Any]]
    model: str
    usage: UsageObject
    window: WindowSize


# --- sessions -------------------------------------------------------------------------------------------------------


class DocumentText(Taken):
    """A text to take in."""

    name: Annotated[str, Field(max_length=1000, description="A file name; it is made safe.")]
    text: str
    corpus: Annotated[str, Field(description="Only the caller's own, which it is where this is left out.")] = ""


class DocumentObject(BaseModel):
    """A document that the caller uploaded."""

    id: str
    name: str
    path: Annotated[str, Field(description="Its path in the corpus.")]
    bytes: int
    changed: str
    corpus: str


class DocumentList(BaseModel):
    """The caller's documents, the newest first."""

    corpus: str
    documents: list[DocumentObject]


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return a route's error responses, for its documentation."""
    return {status: {"model": Failure, "description": _SAID[status]} for status in statuses}


EVERYWHERE = refusals(*_ANY_ROUTE)
"""What any route may answer."""
