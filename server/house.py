"""What stands behind the door: every part of a running server, already put together.

Start at `House`. Not here: how the parts are made (`bootstrap`).
"""

from dataclasses import dataclass

from memory.engine import Database
from server.auth import Tokens
from server.benches import Benches
from server.boards import Boards
from server.campaigns import Campaigns
from server.claiming import Claiming
from server.jobs import Jobs
from server.library import Library
from server.reading import Reading
from server.settings import Settings
from server.standing import Notices
from server.working import Working


@dataclass(frozen=True)
class House:
    """The parts that tool calls, resources and the command line use."""

    settings: Settings
    database: Database
    tokens: Tokens
    library: Library
    benches: Benches
    jobs: Jobs
    campaigns: Campaigns
    reading: Reading
    boards: Boards
    claiming: Claiming
    working: Working
    notices: Notices

    async def resume(self) -> None:
        """Take up the jobs that a stopped server left."""
        await self.jobs.resume()

    async def close(self) -> None:
        """Stop in the order that loses nothing: work, devices, database."""
        # Jobs first: a referee that ends under a running job would look like a failure of it.
        await self.jobs.close()
        await self.campaigns.close()
        await self.benches.close()
        self.database.close()
