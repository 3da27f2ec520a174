"""What is surely a correction becomes an episode, what may be one costs the agent a line, and the rest costs nothing."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from borgd.journal import Journal
from borgd.lessons.episodes import Episode
from borgd.lessons.proposals import ProposalVerdict, propose
from borgd.paths import user_paths
from borgd.stores.past.past_sessions import find_doubtful
from tests.server.support import Agent, running_service

pytestmark = pytest.mark.anyio

DONE = "I moved the session cookie's lifetime into `settings.py` and set it to 30 days."

SURE = [
    "No, that's wrong: a session must never outlive the token, 8 hours at most.",
    "you forgot the admin site again, it has its own cookie settings",
    "we never put secrets or lifetimes into settings.py, they come from the vault",
    "nein, Laufzeiten stehen bei uns immer in der Datenbank",
    "non, chez nous la durée vient toujours du fournisseur d'identité",
    "no, aquí las duraciones siempre vienen del proveedor",
    "não, aqui a duração sempre vem do provedor",
    "違います、有効期限は必ず認証基盤から取る決まりです",
    "不对,有效期我们一直都是从认证服务里拿的",
]
MAYBE = [
    "a week would be plenty",
    "could the mobile app be affected?",
    "hm, 30 days?",
]
NONE = [
    # polite noes, and answers
    "No, thank you.",
    "no, that's everything for now",
    "Nein danke, mehr brauche ich nicht.",
    "non merci, ça ira",
    "No, gracias.",
    "Não, obrigada.",
    "いいえ、結構です",
    "不用了,谢谢",
    "the first of the two, please go on",
    "ja, nimm die zweite Möglichkeit",
    # good news that begins with a no
    "no failures in last night's run",
    "nothing broken any more, thanks",
    "keine Warnungen mehr, prima",
    "plus aucune erreur, merci",
    # a person correcting themselves, or changing their wish
    "oops, I meant the other branch",
    "sorry, wrong terminal",
    "pardon, je parlais de l'autre fichier",
    "change of plan, the boss wants us to leave the cookie for the next release",
    "forget the cookie for now, let's first do the login page",
    # quoted or to-be-written text, third parties
    'translate "please never do this again" into Korean',
    'write to the vendor: "This is wrong, you must never send the password."',
    "A customer wrote that we log her out all the time. Please draft a friendly answer.",
    # reports without a rule
    "still fails with ConnectionResetError",
    "the login page is blank now",
    # homonyms, conditionals
    "go back to the list of tickets and take the next",
    "reset my local database and load the demo data",
    "if CI is red, don't merge",
    # approval with an addition, plain tasks
    "looks great, and add a line to the changelog",
    "perfect! now the same for the admin site",
    "commit this and push",
    "run the whole suite again",
]


def episodes(home: Path) -> list[Episode]:
    return Journal(home / ".local/share/borgd/episodes.jsonl").read(Episode).records


async def said_after_work(agent: Agent, said: str) -> str:
    await agent.prompt("Make the lifetime of a session configurable.")
    await agent.edit("settings.py", "SESSION_COOKIE_AGE = 30 * 86400")
    await agent.stop(DONE)
    return await agent.prompt(said)


@pytest.mark.parametrize("said", SURE)
async def test_a_sure_correction_is_an_episode_with_what_it_corrects(home: Path, said: str) -> None:
    async with running_service() as service:
        told = await said_after_work(Agent(service), said)
    [found] = episodes(home)
    assert found.correction == said
    assert found.proposal == DONE
    assert found.task == "Make the lifetime of a session configurable."
    assert found.paths == ("settings.py",)
    assert found.turn == 2
    assert found.reason
    assert f"--episode {found.id}" in told


@pytest.mark.parametrize("said", MAYBE)
async def test_what_may_be_a_correction_is_one_conditional_line_and_nothing_else(home: Path, said: str) -> None:
    async with running_service() as service:
        agent = Agent(service, session="0fe1d2c3-b4a5-4678-9abc-def012345678")
        told = await said_after_work(agent, said)
        assert re.match(r"\[borg\] If ", told)
        assert len(told) <= 300
        assert f"lesson propose --session {agent.common['session_id']} --turn 2 --question" in told
        assert dict(service.assembly.outcomes.told) == {} if service.assembly else False
        waiting = find_doubtful(user_paths(), str(agent.common["session_id"]), 2)
    assert episodes(home) == []
    assert waiting is not None
    assert waiting.correction == said
    assert waiting.proposal == DONE
    assert waiting.lines == ("SESSION_COOKIE_AGE = 30 * 86400",)


async def test_the_line_comes_once_a_turn(home: Path) -> None:
    async with running_service() as service:
        agent = Agent(service)
        assert "--turn 2" in await said_after_work(agent, MAYBE[0])
        await agent.edit("settings.py", "from platform_cookies import *")
        assert await agent.prompt(MAYBE[2], prompt_id="p2") == ""
        agent.prompts = 2
        await agent.stop("The settings come from the package now.")
        assert "--turn 3" in await agent.prompt("could the mobile app be affected?")
    assert episodes(home) == []


@pytest.mark.parametrize("said", NONE)
async def test_what_is_no_correction_is_no_episode(home: Path, said: str) -> None:
    async with running_service() as service:
        assert "--episode" not in await said_after_work(Agent(service), said)
    assert episodes(home) == []


async def test_few_of_the_kinds_that_look_like_a_correction_draw_the_line(home: Path) -> None:
    async with running_service() as service:
        told = [await said_after_work(Agent(service, session=f"s{number}"), said) for number, said in enumerate(NONE)]
    assert sum(map(bool, told)) <= 0.2 * len(NONE)


@pytest.mark.parametrize("said", [*SURE[:3], *MAYBE])
async def test_before_the_agent_did_anything_every_prompt_is_a_task(home: Path, said: str) -> None:
    async with running_service() as service:
        agent = Agent(service)
        assert await agent.prompt(said) == ""
        agent.prompts = 5
        assert await agent.prompt(f"Please: {said}", prompt_id="p6") == ""
    assert episodes(home) == []


@pytest.mark.parametrize("said", MAYBE)
async def test_after_a_mere_answer_what_may_be_a_correction_costs_nothing(home: Path, said: str) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("How long does a session live?")
        await agent.stop("Two weeks; the value stands in `settings.py`.")
        assert await agent.prompt(said) == ""
    assert episodes(home) == []


async def test_a_detector_that_fails_is_no_silence(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("borgd.pipeline.correction_stage.judge", fails)
    async with running_service() as service:
        assert "--turn 2" in await said_after_work(Agent(service), "whatever it was")
    assert episodes(home) == []


async def test_secrets_stay_out_of_what_waits(home: Path) -> None:
    secret = "AKIA" + "Q3EGRTYU7890ASDF"
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("Make the lifetime of a session configurable.")
        await agent.edit("settings.py", f"KEY = '{secret}'")
        await agent.stop(DONE)
        assert "--turn 2" in await agent.prompt(f"{MAYBE[0]}, like with {secret}")
        waiting = find_doubtful(user_paths(), "s1", 2)
    assert waiting is not None
    assert secret.encode() not in msgspec.json.encode(waiting)
    assert all(secret not in path.read_text() for path in (home / ".local/state/borgd/sessions").iterdir())


async def test_what_a_person_dropped_makes_the_machine_more_reluctant_until_it_is_forgotten(home: Path) -> None:
    proposals = Journal(home / ".local/share/borgd/proposals.jsonl")
    async with running_service() as service:
        assert service.assembly is not None
        stage = service.assembly.corrections
        stage.learn()
        assert stage.shift == 0
        made = [
            propose(f"Is it {number}?", "It breaks.", ms=number, episode=f"E{number}", agent="claude-code")
            for number in range(20)
        ]
        proposals.append(made)
        proposals.append([ProposalVerdict(id=one.id, ms=99, verdict="drop") for one in made])
        stage.learn()
        assert stage.shift == 0.25
        proposals.rewrite(lambda _: None)
        stage.learn()
        assert stage.shift == 0


TASKS = [
    "the invoice mails need a footer with the tax number, in every language that we send",
    "guests complain that the calendar starts on the wrong day in portugal, have a look",
    "wir brauchen einen Export der Buchungen, je Hotel eine Zeile, die Steuern extra",
    "il faut aussi prévoir une page pour les horaires, chaque magasin les siens",
]
ROTATION = """
def rotate(key: SigningKey, keys: KeyRing, now: datetime) -> SigningKey:
    # a fresh signing key where the newest is older than its lifetime; retired ones stay for verification
    newest = max(keys.active(), key=lambda one: one.created, default=None)
    if newest is not None and now - newest.created < LIFETIME:
        return newest
    fresh = SigningKey.generate(algorithm=ALGORITHM, created=now)
    keys.retire(older_than=now - LIFETIME - GRACE)
    return fresh
"""


@pytest.mark.parametrize("said", TASKS)
async def test_a_new_task_about_other_things_is_no_episode(home: Path, said: str) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("rotate the signing keys of the token service once a month, old ones stay valid for a day")
        await agent.edit("tokens/rotation.py", ROTATION)
        await agent.stop("Signing keys rotate monthly; retired keys verify for a day. Four tests cover the grace period.")
        assert "--episode" not in await agent.prompt(said)
    assert episodes(home) == []
