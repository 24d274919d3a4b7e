import torch


class Extractor:
    def __init__(self, table):
        self.table = table.detach().clone(memory_format=torch.contiguous_format)
        self.lines = torch.arange(table.size(0), device=table.device)

    def __iter__(self):
        return self

    def __next__(self):
        spot = self.table.argmax(1)
        best = self.table[self.lines, spot]
        self.table[self.lines, spot] = -torch.inf
        return best, spot


@torch.no_grad()
def run(x, values, indices):
    source = Extractor(x)
    found = [next(source) for _ in range(values.size(1))]
    torch.stack([v for v, _ in found], 1, out=values)
    torch.stack([i for _, i in found], 1, out=indices)
