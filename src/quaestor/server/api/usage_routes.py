"""What the caller has used of models, and what the limits leave."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from quaestor.server.api.api_schemas import refusals
from quaestor.server.http.caller import Who
from quaestor.server.http.served_state import ServedHere

router = APIRouter()


class Used(BaseModel):
    """What the caller's requests to models took in a period."""

    requests: int
    counted: Annotated[int, Field(description="Requests that the model's server reported no usage of.")]
    prompt_tokens: int
    completion_tokens: int
    cost: Annotated[float | None, Field(description="In the currency; null where no price is known.")]
    unpriced: Annotated[int, Field(description="Requests without a known price, which are not in the cost.")]
    reserved: Annotated[int, Field(description="Requests under way; they count as the most that they could take.")]
    reserved_cost: float
    lapsed: Annotated[int, Field(description="Requests that a crash cut off; they count as the most as well.")]


class LimitObject(BaseModel):
    """One limit and its rest."""

    scope: Annotated[str, Field(description="`user`: of each user; `all`: of all together.")]
    period: Annotated[str, Field(description="`day` or `month`.")]
    unit: Annotated[str, Field(description="`cost`, in the currency, or `tokens`.")]
    limit: float
    used: float
    left: float
    renews: str


class UsageOverview(BaseModel):
    """The caller's usage of models, and the rest of each limit. Days and months are those of UTC."""

    currency: str
    today: Used
    month: Used
    limits: Annotated[dict[str, LimitObject], Field(description="By the settings' names; only those that are set.")]


@router.get("/usage", response_model=UsageOverview, responses=refusals(503))
def usage(served: ServedHere, who: Who) -> dict[str, Any]:
    """Return the caller's usage today and this month (UTC), and the rest of each limit."""
    return served.overview(who)
