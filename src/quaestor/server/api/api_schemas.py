"""The schemas of requests, responses and errors under ``/api``, for validation and for the OpenAPI document."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

LONGEST_QUESTION = 200_000
"""Characters of a question at most."""

Question = Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]
AnyText = Annotated[str, Field(max_length=LONGEST_QUESTION, description="Any text; an empty one finds nothing.")]
CorpusNames = Annotated[list[Annotated[str, Field(max_length=4096)]], Field(max_length=1000)]
CorpusName = Annotated[str, Field(max_length=4096, description="May be left out if there is only one corpus.")]

_SAID = {
    400: "The request cannot be read, or asks for something impossible.",
    401: "A token is required, or the token is unknown.",
    403: "Not permitted.",
    404: "Nothing of this name exists that the caller may see.",
    409: "A turn of this session is under way.",
    413: "The body or the document is too large.",
    415: "The document is not text, or the body has an unsupported type.",
    421: "The Host header is not one of the server's names.",
    429: "A limit on spending, requests or size is reached.",
    500: "The server failed; its log says why.",
    502: "The model's server failed.",
    503: "The index is still being made, or is unusable.",
}
_ANY_ROUTE = (400, 401, 403, 413, 421, 429, 500)


class RequestBody(BaseModel):
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
    """A corpus and the progress of its first index."""

    name: str
    title: str
    ready: bool
    done: Annotated[int, Field(description="Files read for the first index so far.")]
    total: Annotated[int, Field(description="Files to read; 0 while they are being counted.")]
    documents: int
    chunks: int
    mine: Annotated[bool, Field(description="Whether it belongs to the caller alone.")]
    error: Annotated[str | None, Field(description="Why it cannot be indexed.")]


class CorpusList(BaseModel):
    """The corpora that the caller may see."""

    corpora: list[CorpusState]


class Bin(BaseModel):
    """One bin of a histogram; the last one has no upper bound."""

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
    """The contents of an index."""

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
    """Vectors of another embedder that are being added to the index."""

    embedder: str
    done: Annotated[int, Field(description="How many are computed.")]
    total: Annotated[int, Field(description="How many there will be; 0 if not known yet.")]
    busy: Annotated[bool, Field(description="Whether a process is computing them.")]


Coming = Annotated[
    ComingVectors | None, Field(description="Vectors that the index still lacks; null if it is complete.")
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


class Limited(RequestBody):
    """A request that can be limited to some documents."""

    path: Annotated[list[str], Field(max_length=100, description="Only paths that match one of these globs.")] = []
    language: Annotated[list[str], Field(max_length=100, description="Only these languages.")] = []
    since: Annotated[str, Field(max_length=40, description="Only documents of this date or later: 2020, 2020-03.")] = ""
    before: Annotated[str, Field(max_length=40, description="Only documents of an earlier date.")] = ""
    by: Annotated[list[str], Field(max_length=100, description="Only documents by one of these authors.")] = []
    filters: Annotated[bool, Field(description="Whether dates and authors in the text limit the documents.")] = True


class SearchRequest(Limited):
    """A search."""

    query: AnyText
    k: Annotated[int | None, Field(ge=1, le=1000, description="Number of hits; by default, as in the settings.")] = None
    corpus: CorpusName = ""
    corpora: Annotated[
        CorpusNames, Field(description="Several corpora, searched in one ranking; `*` for all that the caller may see.")
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
    also: Annotated[list[str], Field(description="Other places with the same text, as path:line.")]
    corpus: Annotated[str, Field(description="The name of its corpus.")]


class Searched(BaseModel):
    """How current the index is."""

    fresh: bool
    checked_at: str
    stored: Annotated[
        bool,
        Field(description="Whether the files are on other machines; then hits are as of `checked_at`."),
    ]
    commit: Annotated[str, Field(description="The indexed commit if the files are on other machines; else empty.")]
    checked_against: Annotated[
        Literal["files", "bytes", "chunks"],
        Field(description="What citations are checked against: the files, their stored bytes, or the stored chunks."),
    ]
    by_meaning: Annotated[
        Literal["all", "some", "none"],
        Field(description="Which documents were searched by meaning too: all, those with vectors, or none."),
    ]
    embedder: Annotated[str, Field(description="The embedder whose vectors were compared.")]
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
    nearest: Annotated[list[str], Field(description="Similar words in the corpus; the first was searched for instead.")]


class SearchResult(BaseModel):
    """Hits, best first, as in ``quaestor search --json``."""

    query: str
    understood: Annotated[list[str], Field(description="Words that limited the documents, and were not searched for.")]
    missed: Annotated[list[str], Field(description="Words that would have limited them, but to none.")]
    translated: Annotated[
        list[str], Field(description="English words that were searched for instead of a question in another language.")
    ]
    unknown: Annotated[list[UnknownWord], Field(description="Words that occur nowhere in the corpus.")]
    hits: list[HitObject]
    index: Annotated[Searched, Field(description="The state of all searched corpora together.")]
    corpora: Annotated[list[SearchedCorpus], Field(description="Each corpus, if several were searched.")] = []
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
    fresh: Annotated[bool, Field(description="Whether the index holds the same bytes.")]
    title: str | None
    url: str | None


class OverviewLine(BaseModel):
    """A line of an overview, with its place if it is from a file."""

    names: Annotated[list[str], Field(description="Paths or commands; in a tree, without the parent folders.")]
    depth: int
    says: str
    n: Annotated[int, Field(description="The number by which the text cites the source.")] = 0
    path: str = ""
    start_line: int = 0
    end_line: int = 0
    sha256: str = ""
    fresh: Annotated[bool, Field(description="Whether the file was checked to have the indexed bytes.")] = True


class OverviewSection(BaseModel):
    """Some lines of an overview under a heading."""

    title: str
    lines: list[OverviewLine]
    left_out: Annotated[int, Field(description="Number of lines for which there was no room.")]


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
    path: Annotated[str, Field(description="A document's path, `commit HASH` or `tag NAME`; `/passage` reads each.")]
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
    known: Annotated[bool, Field(description="Whether the history answers the question.")]
    partial: Annotated[bool, Field(description="Whether the history was not read to its end.")]
    passages: list[HistoryPassage]
    seconds: float


# --- answers --------------------------------------------------------------------------------------------------------


class CitationObject(BaseModel):
    """A citation that was checked against the file's bytes."""

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
    passages: Annotated[int, Field(description="Number of passages that were found.")]
    sent: Annotated[int, Field(description="Number of passages that the model was sent.")]


class AskResult(BaseModel):
    """An answer with its checked citations, as in ``quaestor ask --json``."""

    question: str
    understood: Annotated[list[str], Field(description="Words that limited the documents, and were not searched for.")]
    missed: Annotated[list[str], Field(description="Words that would have limited them, but to none.")]
    translated: Annotated[
        list[str], Field(description="English words that were searched for instead of a question in another language.")
    ]
    unknown: Annotated[list[UnknownWord], Field(description="Words that occur nowhere in the corpus.")]
    answer: str
    citations: list[CitationObject]
    unsupported: list[str]
    known: Annotated[bool, Field(description="Whether at least one citation is verified or repaired.")]
    unchecked: Annotated[bool, Field(description="Whether a model answered and none of its citations holds.")]
    quotes: Annotated[list[CitationObject], Field(description="Quotes of the passages, beside an unchecked answer.")]
    nearest: list[str]
    calls: list[dict[str, Any]]
    model: str
    usage: UsageObject
    window: WindowSize


# --- sessions -------------------------------------------------------------------------------------------------------


class DocumentText(RequestBody):
    """A text to add as a document."""

    name: Annotated[str, Field(max_length=1000, description="A file name; unsafe characters are replaced.")]
    text: str
    corpus: Annotated[str, Field(description="`my-documents`, the default; no other can be added to.")] = ""


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
    """Return a route's error responses for the OpenAPI document."""
    return {status: {"model": Failure, "description": _SAID[status]} for status in statuses}


EVERYWHERE = refusals(*_ANY_ROUTE)
"""The error responses of every route."""
