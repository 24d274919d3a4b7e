import random

import pytest

from benchmarks.study.landscape import Parameters, space_of
from benchmarks.study.policy import PATIENCE, Agent, Answer, Sight
from benchmarks.study.space import changes, turned
from coordinator.plateau import Stage
from memory.conclusion import Conclusion

SPACE = space_of(Parameters(lanes=3, ideas=3, options=2))
BLANK = Sight(champion=None, champion_gain=0.0, conclusions=(), cited={})


def agent(strategy: str = "") -> Agent:
    found = Agent("ada", SPACE, random.Random(7))
    found.begin(SPACE.angle(strategy))
    return found


def win(note: str, gain: float = 0.3) -> Conclusion:
    return Conclusion(
        seq=1,
        campaign_id=1,
        claim_id="c",
        token="study",
        agent="bob",
        strategy="laneb.ideab",
        lane="laneb",
        kind="win",
        note=note,
        reflection=f"{gain:+.4f}",
        submission_ids=(1,),
        speedup=1.35,
        posted_s=1.0,
    )


def test_notes_say_what_they_were_told():
    settings = changes(SPACE.start, turned(SPACE.start, [(0, 2), (5, 1)]))
    assert SPACE.heard(SPACE.told(settings)) == settings == ((0, 2), (5, 1))
    assert SPACE.heard("") == ()


def test_who_has_a_strategy_stays_on_it():
    ada = agent("laneb.ideac")
    for _ in range(10):
        design = ada.propose(BLANK)
        if design is None:
            break
        assert design[3] == 2
        assert [
            setting for setting in changes(SPACE.start, design) if setting[0] not in (3, 4, 5)
        ] == []
        ada.learn(design, Answer(1, 0.1))


def test_in_drafting_another_idea_comes_and_after_a_refusal_one_more():
    ada = agent()
    first = ada.propose(BLANK)
    ada.learn(first, Answer(1, 0.1, Stage.DRAFTING))
    ideas = [knob for knob, one in enumerate(SPACE.knobs) if one.idea]

    def ideas_changed() -> int:
        return sum(knob in ideas for knob, _ in changes(first, ada.propose(BLANK)))

    assert ideas_changed() == 1
    ada.learn(ada.propose(BLANK), Answer(0, None, Stage.DRAFTING, similar=True))
    assert ideas_changed() == 2


@pytest.mark.parametrize(("gain", "kind"), [(0.2, "win"), (-0.2, "trap"), (None, "trap")])
def test_a_gain_is_posted_as_a_win_and_a_loss_or_failure_as_a_trap(gain, kind):
    ada = agent()
    design = ada.propose(BLANK)
    lesson = ada.learn(design, Answer(1, gain))
    assert lesson.kind == kind
    assert SPACE.heard(lesson.note) == changes(SPACE.start, design)


def test_what_changes_nothing_is_not_posted():
    ada = agent()
    assert ada.learn(ada.propose(BLANK), Answer(1, 0.001)) is None


def test_a_siblings_win_is_adopted_sooner_or_later():
    ada = agent()
    told = turned(SPACE.start, [(3, 1)])
    sight = BLANK._replace(conclusions=(win(SPACE.told([(3, 1)])),), cited={1: told})
    ada.learn(ada.propose(BLANK), Answer(1, 0.5))
    seen = []
    for _ in range(40):
        seen.append(ada.propose(sight)[3] == 1 and ada.adopted is not None)
    assert any(seen)


def test_an_agent_gives_up_in_vain_and_when_nothing_is_new():
    ada = agent("laneb.ideac")
    handed_in = []
    while (design := ada.propose(BLANK._replace(cited=dict(enumerate(handed_in))))) is not None:
        handed_in.append(design)
        ada.learn(design, Answer(1, -0.5))
    assert len(set(handed_in)) == len(handed_in) <= 4
    bob = agent()
    for _ in range(PATIENCE + 1):
        bob.learn(bob.propose(BLANK), Answer(1, 0.0))
    assert bob.gives_up
