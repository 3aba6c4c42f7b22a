"""What those who run the server ask it: whether it is well, and what it counts."""

from __future__ import annotations

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel

from quaestor.server.api.refusal_schemas import EVERYWHERE, refusals
from quaestor.server.http.caller import Who
from quaestor.server.http.served_state import ServedHere

router = APIRouter(tags=["operations"])


class Health(BaseModel):
    """Whether the server is up; and whether every corpus can be searched."""

    status: str
    ready: bool


@router.get("/healthz", responses=refusals(400, 413, 421, 500))
async def healthz(served: ServedHere) -> Health:
    """Tell that the server is up. Needs no token, and names nothing."""
    return Health(status="ok", ready=all(state.ready for state in served.corpora.states()))


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **EVERYWHERE},
)
async def metrics(served: ServedHere, who: Who) -> Response:
    """Return what the server counts, in Prometheus's text format."""
    return Response(served.metrics.text(), media_type=CONTENT_TYPE_LATEST)
