"""What agents ask of a server again and again, called in process, on a board that is filled.

    House × agents -> Calls: the name of each kind of call -> one call

Start at `Calls.kinds`. Each kind is one or several functions of the house, as its tool calls them;
what makes the next call possible is undone in between and not timed. Not here: the clock
(`board_load`), the protocol around it (`mcp_overhead`, `soak`).
"""

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from benchmarks._idle import IdleReferee
from memory import views
from memory.board import Board
from memory.records import Campaign
from server.answers import Answer
from server.auth import LOCAL, Caller
from server.house import House
from server.paging import Question
from server.visit import Visit

HOLDERS = 16
"""Agents that hold a strategy meanwhile."""
SEEN_AGO = 200
"""Facts that are new since an agent looked last."""


class Call(NamedTuple):
    """One kind of call: what is timed, and what is done afterwards."""

    timed: Callable[[], Awaitable[Any]]
    after: Callable[[Any], Awaitable[None]] | None = None


async def _silent(_: str) -> None:
    """Nobody asked for progress."""


class Calls:
    """Calls of agents of one campaign."""

    def __init__(self, house: House, referee: IdleReferee, campaign: Campaign, agents: int) -> None:
        self._house = house
        self._referee = referee
        self._campaign = campaign
        self._problem = campaign.problem.name
        self._visit = Visit(house, Caller(LOCAL), _silent)
        self._board = Board(house.database)
        self._numbers = itertools.count()
        self._agents = agents
        self._claims: list[str] = []

    async def settle(self) -> None:
        """Some agents take strategies."""
        for number in range(HOLDERS):
            self._claims.append(str((await self._claim(f"agent-{number}"))["claim_id"]))
        newest = views.latest_seq(self._house.database, self._campaign.id)
        self._since = max(0, newest - SEEN_AGO)

    def kinds(self) -> dict[str, Call]:
        """Every kind of call, in the order in which they are measured."""
        return {
            "get_problem": Call(lambda: self._house.reading.get_problem(self._problem)),
            "read_board": Call(self._read_all),
            "read_board, since": Call(self._read_news),
            "read_board, words": Call(self._read_words),
            "get_solution": Call(self._read_solution),
            "notices of a problem": Call(lambda: self._notices(problem=self._problem)),
            "notices of a claim": Call(lambda: self._notices(claim_id=self._claims[0])),
            "claim_strategy, held": Call(lambda: self._claim(f"agent-{self._turn(HOLDERS)}")),
            "claim_strategy, granted": Call(self._claim_new, self._give_back),
            "post_conclusion, stored": Call(self._conclude),
            "compile_and_verify, queued": Call(self._hand_in, self._cancel),
            "compile_and_verify, ordered": Call(self._hand_in_and_order, self._cancel),
        }

    def _turn(self, among: int) -> int:
        return next(self._numbers) % among

    async def _claim(self, agent: str) -> Answer:
        return await self._house.claiming.claim(self._visit, self._problem, "", agent, "")

    async def _claim_new(self) -> Answer:
        return await self._claim(f"agent-{HOLDERS + self._turn(self._agents - HOLDERS)}")

    async def _give_back(self, given: Answer) -> None:
        claim_id = str(given["claim_id"])
        await self._house.claiming.release(self._visit, claim_id, "done", "", 0, 0.0)

    async def _read(self, since: int, words: str) -> Answer:
        claim_id = self._claims[self._turn(HOLDERS)]
        token = self._visit.caller.token
        question = Question(since, "", words, 0)
        return await self._house.boards.read(self._problem, token, claim_id, question)

    async def _read_all(self) -> Answer:
        return await self._read(0, "")

    async def _read_news(self) -> Answer:
        return await self._read(self._since, "")

    async def _read_words(self) -> Answer:
        return await self._read(0, f"stride bank {self._turn(11)}")

    async def _read_solution(self) -> Answer:
        newest = views.leaderboard(self._house.database, self._campaign.id, 1)[0].id
        return await self._house.reading.get_solution(newest, "source", 0)

    async def _notices(self, **arguments: str) -> Answer:
        return await asyncio.to_thread(self._house.notices.of, arguments)

    async def _conclude(self) -> None:
        number = next(self._numbers)
        note = f"lesson {number} of stride {number % 7} and bank {number % 11}"
        claim_id = self._claims[number % HOLDERS]
        await asyncio.to_thread(
            self._board.post_conclusion, claim_id, "win", note, "", (1,), 1.1, time.time()
        )

    async def _hand_in(self) -> Answer:
        number = next(self._numbers)
        source = f'// {number}\nextern "C" void run(const float* x, float* y) {{}}\n'
        solution = ("cpp", source, True, "run", "", "")
        claim_id = self._claims[number % HOLDERS]
        return await self._house.working.verify(self._visit, claim_id, solution, (), 0.0)

    async def _hand_in_and_order(self) -> Answer:
        answer = await self._hand_in()
        await self._referee.has(str(answer["job_id"]))
        return answer

    async def _cancel(self, answer: Answer) -> None:
        await self._house.working.cancel(self._visit, str(answer["job_id"]))
