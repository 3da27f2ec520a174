"""``borg escalate``: may a specialist be called? Exit 0: yes; 1: no, with the reason. Works without a daemon."""

from __future__ import annotations

import json

from borgd.cli.arguments import CommandParser
from borgd.cli.limits.limit_terminal import session_of
from borgd.clock import now_ms
from borgd.config.read import read_config
from borgd.errors import EXIT_FORESEEN
from borgd.paths import user_paths
from borgd.stores.audit.trail import AuditTrail
from borgd.stores.escalations import EscalationStore, matches
from borgd.stores.investigations import InvestigationStore


def run(argv: list[str]) -> int:
    """Ask for a verdict; 0: allowed, 1: denied."""
    parser = CommandParser(prog="borg escalate", description="May a specialist be called? Exit 0: yes, 1: no.")
    parser.add_argument("--session", default="", metavar="ID", help="the session whose meters decide; the last active one")
    parser.add_argument("--model", required=True, help="the model or type of agent that is to be called")
    parser.add_argument("--hard", action="store_true", help="the problem is hard")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(argv)
    where = user_paths()
    config = read_config(where)
    investigations = InvestigationStore(where.state / "investigations", config.investigation)
    session = session_of(options.session, investigations.sessions())
    escalations = EscalationStore(where, config.escalation)
    hard = options.hard or matches(options.model, config.escalation.hard)
    facts = escalations.facts(investigations.ledger(session), hard=hard)
    judged = escalations.judge(facts, options.model, now_ms(), session=session)
    AuditTrail(where).record([judged.audit], now_ms())
    verdict = judged.verdict
    if options.json:
        told = {
            "verdict": verdict.word,
            "reason": verdict.reason,
            "policy": verdict.policy,
            "steps": verdict.steps,
            "session": session,
            "model": options.model,
            "facts": facts.plain(),
            "problems": list(escalations.store.effective().problems),
        }
        print(json.dumps(told, indent=2))
    else:
        print(f"{verdict.word}: {verdict.reason}")
    return 0 if verdict.allow else EXIT_FORESEEN
