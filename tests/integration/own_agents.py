"""Agents of users, as folders: each speaks to the proxy with nothing but Python's own library."""

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

from assay.domain.agent import AgentLimits, HostedAgent, LoadedAgent, OwnAgent
from assay.domain.calls.pricing import Price
from assay.domain.programs.containers import PlacedFile

CLIENT = """
import json, os, urllib.error, urllib.request

def called(path, body=None, key=os.environ["OPENAI_API_KEY"], base=os.environ["OPENAI_BASE_URL"]):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + key}
    try:
        with urllib.request.urlopen(urllib.request.Request(base + path, data, headers), timeout=60) as found:
            return found.status, found.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()

def asked(text, **more):
    body = {"model": os.environ["ASSAY_MODEL"], "messages": [{"role": "user", "content": text}], **more}
    return called("/chat/completions", body)
"""
GUIDE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "evaluate-your-own-agent.md"
# The guide's own first agent.
SOLVER = GUIDE.read_text(encoding="utf-8").split("```python\n")[1].partition("```")[0]


def hosted(
    program: str,
    *,
    model: str = "sim/oracle",
    limits: AgentLimits | None = None,
    price: Price | None = None,
    files: Mapping[str, str] | None = None,
) -> HostedAgent:
    """An agent that is one Python program, with the client beside it."""
    given = {"client.py": CLIENT, "run.py": program, **(files or {})}
    placed = {name: PlacedFile(content.encode()) for name, content in given.items()}
    own = OwnAgent("python3 /agent/run.py", "agent", limits or AgentLimits())
    return HostedAgent(LoadedAgent(own, placed, "0" * 64), model, price)


CENT_A_CALL = Price(Decimal(1_000_000), Decimal(0), source="test")
