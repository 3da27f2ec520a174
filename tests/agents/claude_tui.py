"""Claude Code's terminal UI, in a home that has seen its first questions already."""

from __future__ import annotations

import json

from tests.agents.claude import Home, find_client
from tests.agents.screen import Screen
from tests.agents.scripted_model import ScriptedModel


class Terminal(Screen):
    """``with Terminal(home, model) as screen: screen.wait("…"); screen.type("…"); screen.press("enter")``."""

    def __init__(self, home: Home, model: ScriptedModel, *words: str) -> None:
        client = find_client()
        assert client is not None
        super().__init__([client, *words], home.agent_env(model), home.project)
        key = "test-key"
        project = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True, "allowedTools": []}
        state = {
            "hasCompletedOnboarding": True,
            "lastOnboardingVersion": "9.9.9",
            "theme": "dark",
            "numStartups": 5,
            "customApiKeyResponses": {"approved": [key[-20:]], "rejected": []},
            "autoUpdates": False,
            "projects": {str(home.project): project},
        }
        (home.root / ".claude.json").write_text(json.dumps(state))
