from torch.nn import functional


def run(q, k, v, out):
    out.copy_(functional.scaled_dot_product_attention(q, k, v))
