"""A running server per test, and settings to start others.

Clients are entered by each test itself: theirs must be left in the task that entered them.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from server.settings import Settings
from tests.server.running import Running, serving, settings


@pytest.fixture
def chosen(tmp_path: Path) -> Settings:
    return settings(tmp_path)


@pytest.fixture
async def running(chosen: Settings) -> AsyncIterator[Running]:
    async with serving(chosen) as server:
        yield server
