"""The base of every value: frozen, closed, described by attribute docstrings."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Value(BaseModel):
    """A frozen record. Unknown fields are refused, so a misspelt name never passes silently."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, ser_json_inf_nan="null"
    )


Milliseconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
