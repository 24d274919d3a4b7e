import torch
class Attention:
    def __init__(self, scale):
        self.scale = scale
    def scores(self, q, k):
        return torch.baddbmm(torch.empty(0), q, k.transpose(1, 2), beta=0, alpha=self.scale)
    def __call__(self, q, k, v):
        s = self.scores(q, k)
        p = torch.exp2((s - torch.amax(s, -1, True)) * 1.4427)
        p /= p.sum(dim=-1).unsqueeze(-1)
        return p @ v
def run(query, key, value, result):
    attention = Attention(query.size(-1) ** -0.5)
    result[:] = attention(query, key, value)
