"""Rotary embedding by the usual "rotate half"."""

from torch import Tensor, addcmul, chunk, cat, no_grad


def _rotate_half(states: Tensor) -> Tensor:
    first, second = chunk(states, 2, dim=-1)
    return cat([second.neg(), first], dim=states.ndim - 1)


def _per_head(table: Tensor) -> Tensor:
    return table[:, None, :]


@no_grad()
def run(states: Tensor, cosine: Tensor, sine: Tensor, embedded: Tensor) -> None:
    turned = _rotate_half(states).mul_(_per_head(sine))
    embedded[:] = addcmul(turned, states, _per_head(cosine))
