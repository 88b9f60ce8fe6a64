"""What agent and user are told, in the words of the official harness."""

GREETING = "Hi! How can I help you today?"
STOP_WORDS = ("###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###")

_AGENT = """<instructions>
You are a customer service agent that helps the user according to the <policy> provided below.
In each turn you can either:
- Send a message to the user.
- Make a tool call.
You cannot do both at the same time.

Try to be helpful and always follow the policy. Always make sure you generate valid JSON only.
</instructions>
<policy>
{policy}
</policy>"""


def policy_text(main: str, tech_support: str) -> str:
    return (
        f"<main_policy>\n{main}\n</main_policy>\n"
        f"<tech_support_policy>\n{tech_support}\n</tech_support_policy>"
    )


def agent_system(policy: str) -> str:
    return _AGENT.replace("{policy}", policy)


def user_system(guidelines: str, scenario: str) -> str:
    return f"{guidelines}\n\n<scenario>\n{scenario}\n</scenario>"
