import torch


class Bags(torch.nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.bag = torch.nn.EmbeddingBag.from_pretrained(weights, mode="sum", freeze=True)

    def forward(self, tokens, starts):
        return self.bag(tokens, starts)


def run(table, index, offsets, y):
    with torch.inference_mode():
        y[...] = Bags(table)(index.view(-1), offsets)
