import torch
from torch import Tensor
EPS = 1e-5
def normalised(groups: Tensor) -> Tensor:
    centre = torch.mean(groups, dim=2, keepdim=True)
    spread = torch.var(groups, dim=2, keepdim=True, correction=0)
    return groups.sub(centre).mul_(spread.add_(EPS).rsqrt_())
@torch.no_grad()
def run(images: Tensor, scale: Tensor, shift: Tensor, out: Tensor) -> None:
    flat = images.view(images.size(0), 8, images.numel() // (8 * images.size(0)))
    z = normalised(flat).reshape(images.shape)
    torch.addcmul(shift.view(1, -1, 1, 1), z, scale.view(1, -1, 1, 1), out=out)
