import torch


def run(logits, target, loss):
    """Mean cross entropy, by elementary operators."""
    top = logits.max(dim=-1, keepdim=True).values
    shifted = logits - top
    log_sum = torch.log(torch.exp(shifted).sum(dim=-1))
    picked = torch.gather(shifted, 1, target[:, None]).squeeze(1)
    loss.copy_((log_sum - picked).mean())
