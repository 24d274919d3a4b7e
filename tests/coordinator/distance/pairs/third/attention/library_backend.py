"""Dispatch-controlled attention with pinned backends, an explicit call surface and type handling."""
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

_PREFERRED = [SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION, SDPBackend.EFFICIENT_ATTENTION]
_attend = torch.nn.functional.scaled_dot_product_attention


class Engine:
    def __init__(self, order):
        self.order = list(order)

    def arguments(self, query):
        return {
            "attn_mask": None,
            "dropout_p": 0.0,
            "is_causal": True,
            "scale": query.size(-1) ** -0.5,
        }

    def __call__(self, query, key, value, destination):
        with sdpa_kernel(self.order):
            answer = _attend(query, key, value, **self.arguments(query))
        destination.copy_(answer, non_blocking=True)
        return destination


ENGINE = Engine(_PREFERRED)


@torch.inference_mode()
def run(q, k, v, o):
    ENGINE(q, k, v, o)
