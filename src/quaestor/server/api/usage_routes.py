"""The route that reports the caller's usage of models and the rest of each limit."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from quaestor.server.api.api_schemas import refusals
from quaestor.server.http.caller import Who
from quaestor.server.http.served_state import ServedHere

router = APIRouter()


class Used(BaseModel):
    """The caller's usage of models in a period."""

    requests: int
    counted: Annotated[int, Field(description="Requests for which the model's server reported no usage.")]
    prompt_tokens: int
    completion_tokens: int
    cost: Annotated[float | None, Field(description="In units of the currency; null if no price is known.")]
    unpriced: Annotated[int, Field(description="Requests without a known price; the cost does not include them.")]
    reserved: Annotated[int, Field(description="Requests under way; they count with the most that they can take.")]
    reserved_cost: float
    lapsed: Annotated[int, Field(description="Requests cut off by a crash; they count with the most, too.")]


class LimitObject(BaseModel):
    """A limit, and how much of it is left."""

    scope: Annotated[str, Field(description="`user`: for each user; `all`: for all users together.")]
    period: Annotated[str, Field(description="`day` or `month`.")]
    unit: Annotated[str, Field(description="`cost`, in units of the currency, or `tokens`.")]
    limit: float
    used: float
    left: float
    renews: str


class UsageOverview(BaseModel):
    """The caller's usage of models, and how much of each limit is left. Days and months begin and end in UTC."""

    currency: str
    today: Used
    month: Used
    limits: Annotated[dict[str, LimitObject], Field(description="By the settings' names; only those that are set.")]


@router.get("/usage", response_model=UsageOverview, responses=refusals(503))
def usage(served: ServedHere, who: Who) -> dict[str, Any]:
    """Return the caller's usage today and this month (UTC), and how much of each limit is left."""
    return served.overview(who)
