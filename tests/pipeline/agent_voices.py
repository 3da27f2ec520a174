"""What each agent's client sends for the same moments of a session: a prompt, an edit, a read, a question, a Stop."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from borgd.agents import understood
from borgd.agents.event import Moment
from borgd.server.service import Service

CWD = "/w/orion"
EVENTS: Mapping[str, Mapping[Moment, str]] = {
    "claude-code": {Moment.PROMPT: "UserPromptSubmit", Moment.BEFORE_TOOL: "PreToolUse", Moment.AFTER_TOOL: "PostToolUse"},
    "codex": {Moment.PROMPT: "UserPromptSubmit", Moment.BEFORE_TOOL: "PreToolUse", Moment.AFTER_TOOL: "PostToolUse"},
    "gemini": {Moment.PROMPT: "BeforeAgent", Moment.BEFORE_TOOL: "BeforeTool", Moment.AFTER_TOOL: "AfterTool"},
    "cursor": {Moment.PROMPT: "beforeSubmitPrompt", Moment.BEFORE_TOOL: "preToolUse", Moment.AFTER_TOOL: "postToolUse"},
    "copilot": {Moment.PROMPT: "userPromptSubmitted", Moment.BEFORE_TOOL: "preToolUse", Moment.AFTER_TOOL: "postToolUse"},
    "opencode": {
        Moment.PROMPT: "chat.message",
        Moment.BEFORE_TOOL: "tool.execute.before",
        Moment.AFTER_TOOL: "tool.execute.after",
    },
    "omp": {Moment.PROMPT: "before_agent_start", Moment.BEFORE_TOOL: "tool_call", Moment.AFTER_TOOL: "tool_result"},
}
STOPS = {
    "claude-code": "Stop",
    "codex": "Stop",
    "gemini": "AfterAgent",
    "cursor": "stop",
    "copilot": "agentStop",
    "opencode": "session.idle",
    "omp": "session_stop",
}
BLOCKS = {"cursor": "followup_message", "opencode": "prompt"}
"""The key of an answer that makes the agent go on; in the others it is ``reason``."""


class AgentVoice:
    """Speaks to a service as one agent's client would, in one session."""

    def __init__(self, service: Service, agent: str, session: str = "s1", cwd: str = CWD, subagent: str = "") -> None:
        self.service = service
        self.agent = agent
        self.session = session
        self.cwd = cwd
        self.subagent = subagent
        self.turn = 0
        self.calls = 0

    def common(self) -> dict[str, Any]:
        """The fields of every payload."""
        inside = {"agent_id": self.subagent, "agent_type": "default"} if self.subagent else {}
        match self.agent:
            case "codex":
                turn = {"turn_id": f"t{self.turn}", "model": "gpt-5.5", "permission_mode": "default"}
                return {"session_id": self.session, "cwd": self.cwd, **turn, **inside}
            case "gemini":
                return {"session_id": self.session, "cwd": self.cwd, "timestamp": f"2026-11-30T08:{self.turn:02}:00.000Z"}
            case "cursor":
                ids = {"conversation_id": self.session, "generation_id": f"g{self.turn}"}
                return {**ids, "cursor_version": "3.20.17", "workspace_roots": [self.cwd], "model": "m"}
            case "copilot":
                return {"sessionId": self.session, "cwd": self.cwd, "timestamp": 1796025979000 + self.turn}
        return {"session_id": self.session, "cwd": self.cwd, "prompt_id": f"p{self.turn}", **inside}

    async def send(self, event: str, body: dict[str, Any]) -> dict[str, Any]:
        """The answer to one event."""
        found: dict[str, Any] = json.loads(await self.service.hook(self.agent, event, json.dumps(body).encode()))
        return found

    async def prompt(self, text: str) -> dict[str, Any]:
        """A person's prompt."""
        self.turn += 1
        event = EVENTS[self.agent][Moment.PROMPT]
        if self.agent == "opencode":
            message = {"id": f"m{self.turn}", "role": "user", "sessionID": self.session}
            output = {"message": message, "parts": [{"type": "text", "text": text}]}
            return await self.send(event, {"input": {"sessionID": self.session}, "output": output, "directory": self.cwd})
        if self.agent == "omp":
            return await self.send(event, {**self._omp({"prompt": text}), "promptID": f"p{self.turn}"})
        return await self.send(event, {**self.common(), "prompt": text})

    def _omp(self, given: dict[str, Any]) -> dict[str, Any]:
        return {"input": given, "ctx": {"id": self.session, "cwd": self.cwd}}

    def call(self, moment: Moment, name: str, given: dict[str, Any], number: int) -> tuple[str, dict[str, Any]]:
        """(event, payload) of one side of a tool call."""
        event, id = EVENTS[self.agent][moment], f"c{number}"
        after = moment is Moment.AFTER_TOOL
        match self.agent:
            case "copilot":
                result: dict[str, Any] = {"toolResult": {"resultType": "success"}} if after else {}
                return event, {**self.common(), "toolName": name, "toolArgs": given, **result}
            case "opencode":
                inner: dict[str, Any] = {"tool": name, "sessionID": self.session, "callID": id, "args": given}
                return event, {"input": inner, "output": {"args": given, "output": "done"}, "directory": self.cwd}
            case "omp":
                inner = {"toolName": name, "toolCallId": id, "input": given}
                return event, self._omp({**inner, "content": [{"type": "text", "text": "done"}]} if after else inner)
        known: dict[str, Any] = {} if self.agent == "gemini" else {"tool_use_id": id}
        result = {"tool_output" if self.agent == "cursor" else "tool_response": "done"} if after else {}
        return event, {**self.common(), "tool_name": name, "tool_input": given, **known, **result}

    async def tool(self, name: str, given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The answers before and after one call."""
        self.calls += 1
        before = await self.send(*self.call(Moment.BEFORE_TOOL, name, given, self.calls))
        return before, await self.send(*self.call(Moment.AFTER_TOOL, name, given, self.calls))

    async def edit(self, path: str, text: str) -> None:
        """An edit of one file."""
        file = f"{self.cwd}/{path}"
        patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-x\n+{text}\n*** End Patch\n"
        name, given = {
            "claude-code": ("Edit", {"file_path": file, "old_string": "x", "new_string": text}),
            "codex": ("apply_patch", {"command": patch}),
            "gemini": ("replace", {"file_path": file, "old_string": "x", "new_string": text}),
            "cursor": ("StrReplace", {"file_path": file, "old_string": "x", "new_string": text}),
            "copilot": ("edit", {"path": file, "old_str": "x", "new_str": text}),
            "opencode": ("edit", {"filePath": file, "oldString": "x", "newString": text}),
            "omp": ("edit", {"path": file, "oldText": "x", "newText": text}),
        }[self.agent]
        await self.tool(name, given)

    def stop_of(self, said: str, **more: Any) -> tuple[str, dict[str, Any]]:
        """(event, payload) of a Stop."""
        event = STOPS[self.agent]
        match self.agent:
            case "opencode":
                told = {"directory": self.cwd, "last_assistant_message": said, "promptID": f"m{self.turn}"}
                return event, {"input": {"sessionID": self.session}, **told, **more}
            case "omp":
                last = {"role": "assistant", "content": [{"type": "text", "text": said}]}
                return event, self._omp({"last_assistant_message": last, "stop_hook_active": False, **more})
            case "cursor":
                return event, {**self.common(), "status": "completed", "loop_count": 0, **more}
            case "gemini":
                return event, {**self.common(), "prompt_response": said, "stop_hook_active": False, **more}
        return event, {**self.common(), "last_assistant_message": said, "stop_hook_active": False, **more}

    async def stop(self, said: str, **more: Any) -> str:
        """The agent wants to finish; the reason to go on, empty: none."""
        answer = await self.send(*self.stop_of(said, **more))
        return str(answer.get(BLOCKS.get(self.agent, "reason"), ""))

    def understood_as(self, event: str, body: dict[str, Any]) -> Moment:
        """The moment that a payload is taken for."""
        return understood(self.agent, event, json.dumps(body).encode())[1].moment
