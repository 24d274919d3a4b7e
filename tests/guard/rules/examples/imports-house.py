import importlib
import sys

import guard.wire  # found
import memory_profiler
from coordinator import pipeline as road  # found
from server.settings import Settings  # found
from torch.distributed import server

board = importlib.import_module("memory.board")  # found
frames = sys.modules["guard.runner.capture"]  # found
