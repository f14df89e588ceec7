"""What the settings of all studies are made of."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Window = tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]]
Decoder = Literal["forward_backward", "viterbi"]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_]*$")]


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def each_once(values: list[Any]) -> list[Any]:
    twice = sorted({str(value) for value in values if values.count(value) > 1})
    if twice:
        raise ValueError(f"names {', '.join(twice)} more than once; name each once")
    return values
