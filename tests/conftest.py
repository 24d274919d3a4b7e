"""One court for all tests that judge real candidates: its zygote takes seconds to start."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from guard import plugins
from guard.referee.court import Court

# No test is a clock: a property must not fail because the host was busy.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(scope="session", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What a device reaches is kept in the user's cache: not in that of who runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def court() -> Iterator[Court]:
    """The court of this host's CPU; runners are pinned to the last core, as in a referee."""
    import torch

    device = plugins.load("devices")["cpu"]
    cores = sorted(os.sched_getaffinity(0))
    found = Court(device, device.found()[0], pin_cpu=cores[-1] if len(cores) > 1 else -1)
    # As in a referee: torch's own threads must not share the runner's core.
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield found
    torch.set_num_threads(before)
    found.close()
