"""What agents must know is told at once, although mostly nothing is looked up."""

import pytest

from guard.domain.decision import Policy
from memory import views
from memory.board import Board
from memory.engine import open_database
from server.settings import Settings
from tests.server.running import Running, connected, serving


async def test_nothing_is_looked_up_while_nothing_is_written(running: Running):
    async with connected(running) as agent:
        await agent.claim()
        await agent.call("get_problem")
        assert running.house.notices.quiet()
        await agent.call("get_problem", problem="double")
        assert running.house.notices.quiet()


async def test_a_pause_by_another_process_is_told_in_the_next_answer(
    running: Running, chosen: Settings
):
    async with connected(running) as agent:
        await agent.claim()
        await agent.call("get_problem")
        campaign = views.open_campaign(running.house.database, "double", "cpu")
        assert campaign is not None
        beside = open_database(chosen.db, exclusive=False)
        Board(beside).move(campaign.id, "paused", "lunch")
        beside.close()
        assert not running.house.notices.quiet()
        assert "lunch" in (await agent.call("read_board", problem="double"))["paused"]
        assert not running.house.notices.quiet()


@pytest.mark.parametrize("limit", ["max_wall_s", "max_candidates"])
async def test_a_campaign_with_a_limit_is_looked_at_each_time(chosen: Settings, limit: str):
    async with serving(chosen, Policy.model_validate({limit: 10**6})) as running:
        async with connected(running) as agent:
            await agent.claim()
            await agent.call("get_problem")
        assert not running.house.notices.quiet()
