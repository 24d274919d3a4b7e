import math
import sys
import time as clock
from unittest import mock

import numpy as np
import torch
from torch import cuda

WALL = clock.perf_counter
event = torch.cuda.Event

clock.perf_counter = lambda: 0.0  # found
cuda.synchronize = WALL  # found
event.elapsed_time = lambda a, b: 1e-3  # found
setattr(torch, "allclose", lambda *a, **k: True)  # found
vars(math)["sqrt"] = abs  # found
torch.__dict__["equal"] = max  # found
np.__dict__.update(allclose=max)  # found
torch.Tensor.abs, torch.Tensor.sub = min, max  # found
sys.modules["time"] = object()  # found
sys.modules["guard.wire"].send = print  # found
getattr(torch, "cuda").Event.record = print  # found
del clock.sleep  # found
mock.patch("time.monotonic", WALL).start()  # found
mock.patch.object(torch.Tensor, "sum", WALL).start()  # found
__import__("builtins").sum = max  # found
if not hasattr(torch, "relu"):
    torch.cuda.current_stream = WALL  # found

torch.backends.cuda.matmul.allow_tf32 = False
torch._inductor.config.max_autotune = True
torch.kernels_built_here = {}
local = object()
local.sqrt = max
if not hasattr(torch, "float6"):
    torch.float6 = torch.float16
